// SPDX-License-Identifier: GPL-2.0
/*
 * block_io: I/O to a block device, straight from the scatter list of the command.
 *
 * A request that fits into one bio of ten segments uses the one embedded in the I/O,
 * others take bios from a set. All bios of an I/O run at the same time; the last one to
 * end completes it. Nothing here waits for I/O.
 *
 * The block layer does: a device that has as many requests as it takes lets the next
 * one wait. So that a device that has stopped does not hold all the threads that run
 * commands of others, only some may wait for it. The rest is handed to one work item
 * of the device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/module.h>

#include "blockio.h"

#define BLOCKIO_BVECS	10			/* in the embedded bio */
#define BLOCKIO_SUBMITTERS	32		/* threads of commands in one device's queue */

/**
 * struct blockio_io - in io->priv
 * @pending: bios that run, and one while bios are being submitted
 * @error: first error
 * @late: of the device's list
 * @bio: the embedded one
 * @bvec: its segments
 */
struct blockio_io {
	atomic_t pending;
	int error;
	struct list_head late;
	struct bio bio;
	struct bio_vec bvec[BLOCKIO_BVECS];
};

static_assert(sizeof(struct blockio_io) <= SKUA_IO_PRIV);

static struct bio_set blockio_bios;
static struct workqueue_struct *blockio_wq;	/* late_work of all devices */

static struct blockio_io *blockio_io(struct skua_io *io)
{
	return (struct blockio_io *)io->priv;
}

static int blockio_error(struct skua_io *io, int error)
{
	struct blockio *dev = skua_dev_priv(io->dev);

	if (!error)
		return 0;
	if (blockio_dead(dev->bdev)) {
		blockio_watch_now();
		return -ENODEV;
	}
	switch (error) {
	case -ENODEV:		/* offline */
	case -ENOSPC:
	case -ENOMEM:
	case -EBADE:
		return error;
	case -EAGAIN:
	case -EBUSY:
		return -ENOMEM;
	case -EREMOTEIO:	/* the device refused the command */
		if (io->op == SKUA_IO_WRITE_ZEROES && !bdev_write_zeroes_sectors(dev->bdev))
			return -EOPNOTSUPP;
		return -EIO;
	case -EOPNOTSUPP:
		return io->op == SKUA_IO_READ || io->op == SKUA_IO_WRITE ? -EIO : error;
	default:
		return -EIO;
	}
}

static void blockio_put(struct skua_io *io)
{
	struct blockio_io *bi = blockio_io(io);

	if (atomic_dec_and_test(&bi->pending))
		skua_io_done(io, blockio_error(io, READ_ONCE(bi->error)));
}

static void blockio_end_io(struct bio *bio)
{
	struct skua_io *io = bio->bi_private;
	struct blockio_io *bi = blockio_io(io);

	if (bio->bi_status)
		cmpxchg(&bi->error, 0, blk_status_to_errno(bio->bi_status));
	if (bio == &bi->bio)
		bio_uninit(bio);
	else
		bio_put(bio);
	blockio_put(io);
}

/*
 * The next bio of the I/O. Waits for memory only for as long as bios submitted before
 * take to end: the set has a reserve.
 */
static struct bio *blockio_bio(struct skua_io *io, bool embedded, u32 nr_vecs, u64 pos,
			       blk_opf_t opf)
{
	struct blockio *dev = skua_dev_priv(io->dev);
	struct blockio_io *bi = blockio_io(io);
	struct bio *bio = &bi->bio;

	if (embedded)
		bio_init(bio, dev->bdev, bi->bvec, BLOCKIO_BVECS, opf);
	else
		bio = bio_alloc_bioset(dev->bdev, nr_vecs, opf, GFP_NOIO, &blockio_bios);
	bio->bi_iter.bi_sector = pos >> SECTOR_SHIFT;
	bio->bi_private = io;
	bio->bi_end_io = blockio_end_io;
	atomic_inc(&bi->pending);
	return bio;
}

static blk_opf_t blockio_rw_flags(const struct skua_io *io)
{
	if (io->op == SKUA_IO_READ)
		return REQ_OP_READ;
	/* Somebody waits for it, and it may well be the only one. */
	return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE | (io->flags & SKUA_IO_FUA ? REQ_FUA : 0);
}

static void blockio_submit_rw(struct skua_io *io)
{
	bool embedded = io->nr_sg <= BLOCKIO_BVECS;
	blk_opf_t opf = blockio_rw_flags(io);
	struct scatterlist *sg = io->sg;
	struct blk_plug plug;
	u32 left = io->nr_sg;
	u64 pos = io->pos;
	struct bio *bio;

	blk_start_plug(&plug);
	bio = blockio_bio(io, embedded, bio_max_segs(left), pos, opf);
	for (; left; left--, sg++) {
		if (bio_add_page(bio, sg_page(sg), sg->length, sg->offset) != sg->length) {
			submit_bio(bio);
			bio = blockio_bio(io, false, bio_max_segs(left), pos, opf);
			__bio_add_page(bio, sg_page(sg), sg->length, sg->offset);
		}
		pos += sg->length;
	}
	if (WARN_ON_ONCE(pos != io->pos + io->len))
		cmpxchg(&blockio_io(io)->error, 0, -EIO);
	submit_bio(bio);
	blk_finish_plug(&plug);
}

/* Discard and zeroing: the block layer splits them as the device needs it. */
static void blockio_submit_range(struct skua_io *io, blk_opf_t opf)
{
	u64 pos = io->pos, end = io->pos + io->len;
	struct blk_plug plug;
	bool first = true;

	blk_start_plug(&plug);
	while (pos < end) {
		u64 len = min_t(u64, end - pos, BLOCKIO_MAX_VERB);
		struct bio *bio = blockio_bio(io, first, 0, pos, opf);

		bio->bi_iter.bi_size = len;
		submit_bio(bio);
		first = false;
		pos += len;
	}
	blk_finish_plug(&plug);
}

/* The block layer has FUA for writes with data only; the core flushes if it has to. */
static blk_opf_t blockio_zeroes_flags(const struct skua_io *io)
{
	return REQ_OP_WRITE_ZEROES | REQ_SYNC | (io->flags & SKUA_IO_KEEP_MAP ? REQ_NOUNMAP : 0);
}

static void blockio_submit(struct skua_io *io)
{
	switch (io->op) {
	case SKUA_IO_READ:
	case SKUA_IO_WRITE:
		blockio_submit_rw(io);
		break;
	case SKUA_IO_FLUSH:
		submit_bio(blockio_bio(io, true, 0, 0, REQ_OP_WRITE | REQ_SYNC | REQ_PREFLUSH));
		break;
	case SKUA_IO_UNMAP:
		blockio_submit_range(io, REQ_OP_DISCARD | REQ_SYNC);
		break;
	case SKUA_IO_WRITE_ZEROES:
		blockio_submit_range(io, blockio_zeroes_flags(io));
		break;
	}
}

/**
 * blockio_late_fn() - submit what found too many others waiting
 * @work: of the device
 *
 * Context: process. When the last I/O ends the device may be closed, which waits for
 * this function.
 */
void blockio_late_fn(struct work_struct *work)
{
	struct blockio *bd = container_of(work, struct blockio, late_work);
	struct blockio_io *bi;

	for (;;) {
		struct skua_io *io;

		spin_lock(&bd->late_lock);
		bi = list_first_entry_or_null(&bd->late, struct blockio_io, late);
		if (bi)
			list_del(&bi->late);
		spin_unlock(&bd->late_lock);
		if (!bi)
			return;
		io = container_of((void *)bi, struct skua_io, priv);
		blockio_submit(io);
		blockio_put(io);
	}
}

/* Every verb. The device stays open at least until the I/O's last blockio_put(). */
static void blockio_start(struct skua_io *io)
{
	struct blockio *bd = skua_dev_priv(io->dev);
	struct blockio_io *bi = blockio_io(io);

	if (unlikely(READ_ONCE(bd->gone))) {
		skua_io_done(io, -ENODEV);
		return;
	}
	atomic_set(&bi->pending, 1);
	bi->error = 0;
	if (likely(atomic_inc_return(&bd->submitting) <= BLOCKIO_SUBMITTERS)) {
		blockio_submit(io);
		atomic_dec(&bd->submitting);
		blockio_put(io);
		return;
	}
	atomic_dec(&bd->submitting);
	spin_lock(&bd->late_lock);
	list_add_tail(&bi->late, &bd->late);
	queue_work(blockio_wq, &bd->late_work);
	spin_unlock(&bd->late_lock);
}

static struct skua_backend blockio_backend = {
	.name = "vdisk_blockio",
	.owner = THIS_MODULE,
	.flags = SKUA_BE_MAY_BLOCK,
	.params = SKUA_P(FILENAME) | SKUA_P(BLOCKSIZE) | SKUA_P(READ_ONLY) | SKUA_P(REMOVABLE) |
		  SKUA_P(ROTATIONAL) | SKUA_P(WRITE_THROUGH) | SKUA_P(NV_CACHE) | SKUA_P(THIN) |
		  SKUA_P(ACTIVE) | SKUA_P(TST) | SKUA_P(T10_DEV_ID) | SKUA_P(NUMA_NODE),
	.vendor_id = "SCST_BIO",
	.priv_size = sizeof(struct blockio),
	.open = blockio_open,
	.close = blockio_close,
	.rw = blockio_start,
	.flush = blockio_start,
	.unmap = blockio_start,
	.write_zeroes = blockio_start,
	.refresh = blockio_refresh,
};

static int __init blockio_init(void)
{
	int ret = bioset_init(&blockio_bios, BIO_POOL_SIZE, 0, BIOSET_NEED_BVECS);

	if (ret)
		return ret;
	ret = -ENOMEM;
	blockio_wq = alloc_workqueue("skua_blockio", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!blockio_wq)
		goto exit_bios;
	ret = skua_backend_register(&blockio_backend);
	if (!ret)
		return 0;
	destroy_workqueue(blockio_wq);
exit_bios:
	bioset_exit(&blockio_bios);
	return ret;
}

static void __exit blockio_exit(void)
{
	skua_backend_unregister(&blockio_backend);
	blockio_watch_exit();
	destroy_workqueue(blockio_wq);
	bioset_exit(&blockio_bios);
}

module_init(blockio_init);
module_exit(blockio_exit);

MODULE_DESCRIPTION("Skua backend: block devices");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
