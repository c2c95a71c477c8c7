// SPDX-License-Identifier: GPL-2.0
/*
 * fileio: I/O to a file, through the page cache or past it.
 *
 * Everything a file system does may wait, and for as long as it likes: a frozen or
 * dead one forever. So nothing is called from the core's threads. Each device has a
 * work queue of its own, with a bounded number of threads, and every I/O is one work
 * item on it; the file system that has stopped holds the threads of its own devices
 * only. As rw and the other verbs do no more than queue, the backend does not count as
 * one that blocks, and a command hops once.
 *
 * Threads run with PF_MEMALLOC_NOIO and PF_LOCAL_THROTTLE, as the initiator may be this
 * machine, and its memory may wait for this very device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bvec.h>
#include <linux/falloc.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "fileio.h"

#define FILEIO_BVECS	8			/* in the I/O itself */

/**
 * struct fileio_io - in io->priv
 * @work: of the device's queue
 * @iocb: the call of the file system that runs
 * @done: bytes that calls before it moved
 * @bvec: the pages; @inline_bvec or allocated; NULL until the first call
 * @inline_bvec: for up to FILEIO_BVECS of them
 */
struct fileio_io {
	struct work_struct work;
	struct kiocb iocb;
	u64 done;
	struct bio_vec *bvec;
	struct bio_vec inline_bvec[FILEIO_BVECS];
};

static_assert(sizeof(struct fileio_io) <= SKUA_IO_PRIV);

static struct fileio_io *fileio_io(struct skua_io *io)
{
	return (struct fileio_io *)io->priv;
}

static struct skua_io *fileio_to_io(struct fileio_io *fi)
{
	return container_of((void *)fi, struct skua_io, priv);
}

/* ---- errors --------------------------------------------------------------- */

static int fileio_error(const struct skua_io *io, int error)
{
	bool rw = io->op == SKUA_IO_READ || io->op == SKUA_IO_WRITE;

	switch (error) {
	case 0:
	case -ENOSPC:
	case -EROFS:
	case -ENODEV:
	case -EBADE:
		return error;
	case -EDQUOT:
		return -ENOSPC;
	case -EPERM:			/* made immutable, or sealed */
		return io->op == SKUA_IO_READ ? -EIO : -EROFS;
	case -ENXIO:
	case -ESTALE:
		return -ENODEV;
	case -ENOMEM:
	case -EAGAIN:
	case -EINTR:
		return -ENOMEM;
	case -EOPNOTSUPP:
		return rw ? -EIO : error;
	default:
		return -EIO;
	}
}

/* Of a flush no error may read as "try again": the next one would find nothing wrong. */
static int fileio_flush_error(int error)
{
	switch (error) {
	case 0:
	case -ENOSPC:
	case -EROFS:
		return error;
	case -EDQUOT:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

/**
 * fileio_lost() - has write-back failed since it was last asked?
 * @fio: an open device
 *
 * What was in the page cache then is lost, and the writes of it said GOOD. fsync()
 * tells of that once for each open file, so of two initiators that flush at the same
 * time one would never know. The core tells each of them, see skua_dev_lost().
 *
 * Context: any. Return: 0 or the error.
 */
int fileio_lost(struct fileio *fio)
{
	errseq_t *wb_err = &fio->file->f_mapping->wb_err;
	unsigned long flags;
	int error;

	/* Who comes second finds the core informed. */
	spin_lock_irqsave(&fio->lost_lock, flags);
	error = errseq_check_and_advance(wb_err, &fio->wb_seen);
	if (error)
		skua_dev_lost(fio->dev);
	spin_unlock_irqrestore(&fio->lost_lock, flags);
	if (error)
		pr_err_ratelimited("%s: write-back failed (%d): data that initiators wrote is lost\n",
				   skua_dev_name(fio->dev), error);
	return error;
}

/* ---- read and write ------------------------------------------------------- */

static int fileio_map(struct skua_io *io)
{
	struct fileio_io *fi = fileio_io(io);
	struct scatterlist *sg = io->sg;
	u64 len = 0;
	u32 i;

	fi->bvec = fi->inline_bvec;
	if (io->nr_sg > FILEIO_BVECS)
		fi->bvec = kvmalloc_array(io->nr_sg, sizeof(*fi->bvec), GFP_NOIO | __GFP_NOWARN);
	if (!fi->bvec)
		return -ENOMEM;
	for (i = 0; i < io->nr_sg; i++, sg++) {
		fi->bvec[i] = (struct bio_vec) {
			.bv_page = sg_page(sg), .bv_len = sg->length, .bv_offset = sg->offset,
		};
		len += sg->length;
	}
	return WARN_ON_ONCE(len != io->len) ? -EIO : 0;
}

static void fileio_end_rw(struct skua_io *io, int error)
{
	struct fileio_io *fi = fileio_io(io);
	int lost;

	if (fi->bvec != fi->inline_bvec)
		kvfree(fi->bvec);
	/* What was lost before is told now, though this write itself may have gone well. */
	if (io->flags & SKUA_IO_FUA) {
		lost = fileio_flush_error(fileio_lost(skua_dev_priv(io->dev)));
		error = lost ?: error;
	}
	skua_io_done(io, error);
}

/*
 * Takes account of a call of the file system. Return: true if the I/O has to go on,
 * false if it has been ended.
 *
 * A call may move less than it was asked to: up to the end of the file, which
 * somebody truncated, or up to where space ran out; the next one says why. An I/O is
 * good only when all bytes have been moved, so that no reader sees what the pages
 * held before.
 */
static bool fileio_moved(struct skua_io *io, ssize_t ret)
{
	struct fileio_io *fi = fileio_io(io);

	if (ret > 0) {
		fi->done += ret;
		if (fi->done < io->len)
			return true;
	}
	if (!ret)			/* end of the file */
		ret = -EIO;
	fileio_end_rw(io, ret > 0 ? 0 : fileio_error(io, ret));
	return false;
}

static bool fileio_freezes(const struct fileio *fio, const struct skua_io *io)
{
	return io->op == SKUA_IO_WRITE && S_ISREG(fileio_inode(fio)->i_mode);
}

static void fileio_iocb_done(struct kiocb *iocb, long ret)
{
	struct fileio_io *fi = container_of(iocb, struct fileio_io, iocb);
	struct skua_io *io = fileio_to_io(fi);
	struct fileio *fio = skua_dev_priv(io->dev);

	if (fileio_freezes(fio, io))
		kiocb_end_write(iocb);
	if (fileio_moved(io, ret))
		queue_work(fio->wq, &fi->work);
}

/* One call for all that is left. Return: as that of the file system. */
static ssize_t fileio_call(struct fileio *fio, struct skua_io *io)
{
	struct fileio_io *fi = fileio_io(io);
	bool write = io->op == SKUA_IO_WRITE;
	struct iov_iter iter;
	ssize_t ret;

	/* A write would make the file grow again that somebody truncated. */
	if (unlikely(io->pos + io->len > fileio_bytes(fio))) {
		fileio_watch_now();
		return -EIO;
	}
	iov_iter_bvec(&iter, write ? ITER_SOURCE : ITER_DEST, fi->bvec, io->nr_sg, io->len);
	iov_iter_advance(&iter, fi->done);
	init_sync_kiocb(&fi->iocb, fio->file);
	fi->iocb.ki_pos = io->pos + fi->done;
	if (fileio_async(fio, skua_dev_config(io->dev)))
		fi->iocb.ki_complete = fileio_iocb_done;
	if (!write)
		return fio->file->f_op->read_iter(&fi->iocb, &iter);

	fi->iocb.ki_flags |= IOCB_WRITE | (io->flags & SKUA_IO_FUA ? IOCB_DSYNC : 0);
	if (fileio_freezes(fio, io))
		kiocb_start_write(&fi->iocb);
	ret = fio->file->f_op->write_iter(&fi->iocb, &iter);
	if (ret != -EIOCBQUEUED && fileio_freezes(fio, io))
		kiocb_end_write(&fi->iocb);
	return ret;
}

static void fileio_rw(struct fileio *fio, struct skua_io *io)
{
	struct fileio_io *fi = fileio_io(io);
	int error = fi->bvec ? 0 : fileio_map(io);
	ssize_t ret;

	if (error) {
		fileio_end_rw(io, error);
		return;
	}
	do {
		ret = fileio_call(fio, io);
		if (ret == -EIOCBQUEUED)
			return;
	} while (fileio_moved(io, ret));
}

/* ---- the other verbs ------------------------------------------------------ */

static int fileio_flush(struct fileio *fio)
{
	int error = vfs_fsync(fio->file, 1);
	int lost = fileio_lost(fio);

	/* Stacked file systems keep the errors of write-back to themselves. */
	if (error && !lost)
		skua_dev_lost(fio->dev);
	return fileio_flush_error(lost ?: error);
}

static int fileio_punch(struct fileio *fio, u64 pos, u64 end)
{
	return vfs_fallocate(fio->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, pos, end - pos);
}

/* What is no whole unit stays as it is, which UNMAP allows. */
static int fileio_unmap(struct fileio *fio, const struct skua_io *io)
{
	u64 pos = round_up(io->pos, fio->unit), end = round_down(io->pos + io->len, fio->unit);

	return pos < end ? fileio_punch(fio, pos, end) : 0;
}

/* -EOPNOTSUPP makes the core write the zeroes. */
static int fileio_zero(struct fileio *fio, const struct skua_io *io)
{
	int error;

	if ((io->pos | io->len) & (fio->unit - 1))
		return -EOPNOTSUPP;
	if (!(io->flags & SKUA_IO_KEEP_MAP) && READ_ONCE(skua_dev_limits(fio->dev)->thin))
		return fileio_punch(fio, io->pos, io->pos + io->len);
	if (READ_ONCE(fio->no_zero_range))
		return -EOPNOTSUPP;
	error = vfs_fallocate(fio->file, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, io->pos,
			      io->len);
	if (error == -EOPNOTSUPP)
		WRITE_ONCE(fio->no_zero_range, true);
	return error;
}

static void fileio_run(struct skua_io *io)
{
	struct fileio *fio = skua_dev_priv(io->dev);

	switch (io->op) {
	case SKUA_IO_READ:
	case SKUA_IO_WRITE:
		fileio_rw(fio, io);
		break;
	case SKUA_IO_FLUSH:
		skua_io_done(io, fileio_flush(fio));
		break;
	case SKUA_IO_UNMAP:
		skua_io_done(io, fileio_error(io, fileio_unmap(fio, io)));
		break;
	case SKUA_IO_WRITE_ZEROES:
		skua_io_done(io, fileio_error(io, fileio_zero(fio, io)));
		break;
	}
}

static void fileio_work(struct work_struct *work)
{
	struct fileio_io *fi = container_of(work, struct fileio_io, work);
	unsigned int flags = memalloc_noio_save();

	current->flags |= PF_LOCAL_THROTTLE;
	fileio_run(fileio_to_io(fi));
	current->flags &= ~PF_LOCAL_THROTTLE;
	memalloc_noio_restore(flags);
}

/* Every verb; any context. */
static void fileio_start(struct skua_io *io)
{
	struct fileio *fio = skua_dev_priv(io->dev);
	struct fileio_io *fi = fileio_io(io);

	INIT_WORK(&fi->work, fileio_work);
	fi->done = 0;
	fi->bvec = NULL;
	queue_work(fio->wq, &fi->work);
}

/* ---- attributes, the table ------------------------------------------------ */

static ssize_t async_show(void *obj, const struct skua_attr *attr, char *buf)
{
	bool async = fileio_async(skua_dev_priv(obj), skua_dev_config(obj));

	return sysfs_emit(buf, async ? "1\n[key]\n" : "0\n");
}

/* For I/Os that begin from now on. */
static ssize_t async_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	struct fileio *fio = skua_dev_priv(obj);
	u8 v;

	if (kstrtou8(buf, 0, &v) || v > 1)
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(fio->async_set, 1 + v);
	return len;
}

static const struct skua_attr async_file = {
	.attr = { .name = "async", .mode = 0644 },
	.show = async_show,
	.store = async_store,
};

static const struct skua_attr *const fileio_attrs[] = { &async_file, NULL };

static struct skua_backend fileio_backend = {
	.name = "vdisk_fileio",
	.owner = THIS_MODULE,
	.flags = SKUA_BE_SIZE_FIXED,
	.params = SKUA_P(FILENAME) | SKUA_P(BLOCKSIZE) | SKUA_P(READ_ONLY) | SKUA_P(REMOVABLE) |
		  SKUA_P(ROTATIONAL) | SKUA_P(WRITE_THROUGH) | SKUA_P(NV_CACHE) |
		  SKUA_P(O_DIRECT) | SKUA_P(ASYNC) | SKUA_P(THIN) | SKUA_P(ACTIVE) | SKUA_P(TST) |
		  SKUA_P(T10_DEV_ID) | SKUA_P(NUMA_NODE),
	.vendor_id = "SCST_FIO",
	.priv_size = sizeof(struct fileio),
	.attrs = fileio_attrs,
	.open = fileio_open,
	.close = fileio_close,
	.rw = fileio_start,
	.flush = fileio_start,
	.unmap = fileio_start,
	.write_zeroes = fileio_start,
	.refresh = fileio_refresh,
};

static int __init fileio_init(void)
{
	return skua_backend_register(&fileio_backend);
}

static void __exit fileio_exit(void)
{
	skua_backend_unregister(&fileio_backend);
	fileio_watch_exit();
}

module_init(fileio_init);
module_exit(fileio_exit);

MODULE_DESCRIPTION("Skua backend: files");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
