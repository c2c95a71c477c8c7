// SPDX-License-Identifier: GPL-2.0
/*
 * dev_disk: commands. Each becomes one request of the SCSI device's queue, with one bio
 * that has the pages of the command's scatter list, cut where the host adapter wants it.
 * Status, sense data and residual go back as they came; what the mid layer or a driver
 * says instead of a status is translated.
 *
 * The block layer lets a request wait if the device has as many as it takes. That would
 * hold the threads that run commands of others, and what waits there cannot be aborted.
 * So commands beyond the device's queue depth wait on a list of ours, and one work item
 * gets requests for them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/slab.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_eh.h>
#include <scsi/scsi_host.h>

#include "disk.h"

#define DISK_VECS		8		/* in the command */
#define DISK_TIMEOUT		(60 * HZ)
#define DISK_LONG_TIMEOUT	(2 * 3600 * HZ)	/* FORMAT UNIT and its like */

/**
 * struct disk_io - in io->priv
 * @link: of disk->running or disk->late
 * @rq: while on disk->running
 * @vecs: segments of @bio: @inline_vecs or allocated
 * @nr_vecs: how many; 0 if there is no data
 * @bio: the data
 * @inline_vecs: enough for small commands
 */
struct disk_io {
	struct list_head link;
	struct request *rq;
	struct bio_vec *vecs;
	u32 nr_vecs;
	struct bio bio;
	struct bio_vec inline_vecs[DISK_VECS];
};

static_assert(sizeof(struct disk_io) <= SKUA_IO_PRIV);

static struct disk_io *disk_io(struct skua_cmd *cmd)
{
	return (struct disk_io *)cmd->io.priv;
}

static struct skua_cmd *disk_cmd(struct disk_io *di)
{
	return container_of((void *)di, struct skua_cmd, io.priv);
}

static blk_opf_t disk_opf(struct disk_io *di)
{
	return disk_cmd(di)->data_dir == SKUA_DIR_WRITE ? REQ_OP_DRV_OUT : REQ_OP_DRV_IN;
}

/* ---- data ------------------------------------------------------------- */

/* How much of @len bytes from @phys on may be one segment. */
static u32 disk_segment(const struct request_queue *q, phys_addr_t phys, u32 len)
{
	unsigned long mask = queue_segment_boundary(q);
	unsigned long room = mask - (phys & mask);	/* less one */

	len = min(len, queue_max_segment_size(q));
	return len - 1 > room ? room + 1 : len;
}

/* The segments, counted only if @vecs is NULL. */
static u32 disk_cut(const struct request_queue *q, const struct skua_io *io, struct bio_vec *vecs)
{
	struct scatterlist *sg = io->sg;
	u32 nr = 0, i, off, len;

	for (i = 0; i < io->nr_sg; i++, sg++) {
		for (off = 0; off < sg->length; off += len) {
			u32 at = sg->offset + off;

			len = disk_segment(q, sg_phys(sg) + off, sg->length - off);
			if (vecs)
				bvec_set_page(&vecs[nr], sg_page(sg) + (at >> PAGE_SHIFT), len,
					      offset_in_page(at));
			nr++;
		}
	}
	return nr;
}

static int disk_prepare(struct disk *disk, struct skua_cmd *cmd)
{
	const struct request_queue *q = disk->sdev->request_queue;
	struct disk_io *di = disk_io(cmd);

	di->vecs = di->inline_vecs;
	di->nr_vecs = 0;
	if (!cmd->io.nr_sg)
		return 0;
	di->nr_vecs = disk_cut(q, &cmd->io, NULL);
	if (di->nr_vecs > queue_max_segments(q) || di->nr_vecs > U16_MAX)
		return -E2BIG;
	if (cmd->io.len > (u64)queue_max_hw_sectors(q) << SECTOR_SHIFT)
		return -E2BIG;
	if (di->nr_vecs > DISK_VECS) {
		di->vecs = kmalloc_array(di->nr_vecs, sizeof(*di->vecs), GFP_NOIO | __GFP_NOWARN);
		if (!di->vecs)
			return -ENOMEM;
	}
	disk_cut(q, &cmd->io, di->vecs);
	return 0;
}

static void disk_unprepare(struct disk_io *di)
{
	if (di->vecs != di->inline_vecs)
		kfree(di->vecs);
}

/* ---- the end of a command --------------------------------------------- */

/* What a driver or the mid layer says when there is no status. */
static int disk_host_error(u8 host)
{
	switch (host) {
	case DID_NO_CONNECT:
	case DID_BAD_TARGET:
	case DID_TRANSPORT_FAILFAST:
		return -ENODEV;
	case DID_BUS_BUSY:
	case DID_SOFT_ERROR:
	case DID_IMM_RETRY:
	case DID_REQUEUE:
	case DID_TRANSPORT_DISRUPTED:
		return -EAGAIN;
	case DID_TIME_OUT:
	case DID_ABORT:
	case DID_RESET:
		return -ETIMEDOUT;
	}
	return -EIO;
}

static int disk_error(int result, blk_status_t status)
{
	if (host_byte(result) != DID_OK)
		return disk_host_error(host_byte(result));
	switch (blk_status_to_errno(status)) {
	case 0:
		return 0;
	case -ENODEV:
		return -ENODEV;
	case -ENOMEM:
	case -EBUSY:
	case -EAGAIN:
		return -EAGAIN;
	}
	return -EIO;
}

static bool disk_full(const struct disk *disk)
{
	const struct scsi_device *sdev = disk->sdev;
	int depth = min_t(int, READ_ONCE(sdev->queue_depth), sdev->host->can_queue);

	return disk->nr_running >= max(depth, 1);
}

/* One less is running; disk->lock is held. */
static void disk_leave(struct disk *disk)
{
	disk->nr_running--;
	if (!list_empty(&disk->late))
		queue_work(disk_wq, &disk->late_work);
}

static enum rq_end_io_ret disk_end_io(SKUA_RQ_END_IO_ARGS)
{
	const struct scsi_cmnd *scmd = blk_mq_rq_to_pdu(rq);
	struct disk_io *di = rq->end_io_data;
	struct skua_cmd *cmd = disk_cmd(di);
	struct disk *disk = skua_dev_priv(cmd->io.dev);
	u8 sam = scmd->result & 0xff;
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	list_del(&di->link);
	disk_leave(disk);
	spin_unlock_irqrestore(&disk->lock, flags);
	if (di->nr_vecs)
		bio_uninit(&di->bio);
	disk_unprepare(di);
	if (sam || !disk_error(scmd->result, status))
		skua_cdb_done(cmd, sam, scmd->sense_buffer,
			      scmd->sense_buffer[0] & 0x70 ? scmd->sense_len : 0,
			      scmd->resid_len);
	else
		skua_cdb_error(cmd, disk_error(scmd->result, status));
	return RQ_END_IO_FREE;
}

/* For an INQUIRY there is an answer always. */
static void disk_end_gone(struct disk *disk, struct skua_cmd *cmd)
{
	skua_dev_set_online(disk->dev, false);
	if (cmd->cdb[0] == INQUIRY && !(cmd->cdb[1] & 0x01) && disk->sdev->inquiry)
		skua_cdb_reply(cmd, disk->sdev->inquiry, disk->sdev->inquiry_len);
	else
		skua_cdb_error(cmd, -ENODEV);
}

static void disk_end_unsent(struct disk *disk, struct disk_io *di, int error)
{
	disk_unprepare(di);
	if (error == -ENODEV && disk_gone(disk))
		disk_end_gone(disk, disk_cmd(di));
	else
		skua_cdb_error(disk_cmd(di), error);
}

/* ---- the start -------------------------------------------------------- */

static unsigned int disk_timeout(const u8 *cdb)
{
	switch (cdb[0]) {
	case FORMAT_UNIT:
	case SEND_DIAGNOSTIC:
	case 0x48:			/* SANITIZE */
		return DISK_LONG_TIMEOUT;
	}
	return DISK_TIMEOUT;
}

/* @cdb_len is what counts for vendor specific commands; others say it themselves. */
static void disk_fill(struct request *rq, const u8 *cdb, u8 cdb_len)
{
	struct scsi_cmnd *scmd = blk_mq_rq_to_pdu(rq);

	scmd->cmd_len = cdb[0] >= 0xc0 ? cdb_len : scsi_command_size(cdb);
	memcpy(scmd->cmnd, cdb, scmd->cmd_len);
	scmd->allowed = 0;
	scmd->result = 0;	/* may have that of another command until this one is sent */
	rq->rq_flags |= RQF_QUIET;
}

static int disk_add_data(struct disk_io *di, struct request *rq)
{
	u32 i;
	int ret;

	if (!di->nr_vecs)
		return 0;
	bio_init(&di->bio, NULL, di->vecs, di->nr_vecs, disk_opf(di));
	for (i = 0; i < di->nr_vecs; i++) {
		const struct bio_vec v = di->vecs[i];

		__bio_add_page(&di->bio, v.bv_page, v.bv_len, v.bv_offset);
	}
	ret = blk_rq_append_bio(rq, &di->bio);
	if (ret)
		bio_uninit(&di->bio);
	return ret;
}

/* @rq is the command's, which is on disk->running. */
static void disk_start(struct disk *disk, struct disk_io *di)
{
	struct skua_cmd *cmd = disk_cmd(di);
	struct request *rq = di->rq;

	disk_fill(rq, cmd->cdb, cmd->cdb_len);
	rq->timeout = disk_timeout(cmd->cdb);
	rq->end_io = disk_end_io;
	rq->end_io_data = di;
	if (disk_add_data(di, rq)) {
		spin_lock_irq(&disk->lock);
		list_del(&di->link);
		disk_leave(disk);
		spin_unlock_irq(&disk->lock);
		blk_mq_free_request(rq);
		disk_end_unsent(disk, di, -E2BIG);
		return;
	}
	blk_execute_rq_nowait(rq, cmd->task_attr == SKUA_HEAD_OF_QUEUE);
}

/* -EAGAIN: the device has enough. */
static int disk_try(struct disk *disk, struct disk_io *di)
{
	struct request *rq;
	bool full;

	spin_lock_irq(&disk->lock);
	full = !list_empty(&disk->late) || disk_full(disk);
	disk->nr_running += !full;
	spin_unlock_irq(&disk->lock);
	if (full)
		return -EAGAIN;
	rq = scsi_alloc_request(disk->sdev->request_queue, disk_opf(di), BLK_MQ_REQ_NOWAIT);
	spin_lock_irq(&disk->lock);
	if (IS_ERR(rq)) {
		disk_leave(disk);
	} else {
		di->rq = rq;
		list_add_tail(&di->link, &disk->running);
	}
	spin_unlock_irq(&disk->lock);
	if (IS_ERR(rq))
		return PTR_ERR(rq) == -EBUSY ? -EAGAIN : PTR_ERR(rq);
	disk_start(disk, di);
	return 0;
}

/**
 * disk_exec() - pass a command on
 * @cmd: the command
 *
 * Context: process; does not wait for the device.
 */
void disk_exec(struct skua_cmd *cmd)
{
	struct disk *disk = skua_dev_priv(cmd->io.dev);
	struct disk_io *di = disk_io(cmd);
	int ret;

	if (unlikely(disk_gone(disk))) {
		disk_end_gone(disk, cmd);
		return;
	}
	ret = disk_prepare(disk, cmd);
	if (ret) {
		skua_cdb_error(cmd, ret);
		return;
	}
	ret = disk_try(disk, di);
	if (ret == -EAGAIN) {
		spin_lock_irq(&disk->lock);
		list_add_tail(&di->link, &disk->late);
		queue_work(disk_wq, &disk->late_work);
		spin_unlock_irq(&disk->lock);
	} else if (ret) {
		disk_end_unsent(disk, di, ret);
	}
}

/*
 * Moves the first late command to disk->running, if it wants a request of this kind; if
 * @rq is an error, only off the list.
 */
static struct disk_io *disk_late_take(struct disk *disk, blk_opf_t opf, struct request *rq)
{
	struct disk_io *di;

	spin_lock_irq(&disk->lock);
	di = list_first_entry_or_null(&disk->late, struct disk_io, link);
	if (di && disk_opf(di) != opf)
		di = NULL;
	if (di && IS_ERR(rq)) {
		list_del(&di->link);
	} else if (di) {
		di->rq = rq;
		list_move_tail(&di->link, &disk->running);
	}
	if (!di || IS_ERR(rq))
		disk->nr_running--;
	spin_unlock_irq(&disk->lock);
	return di;
}

/* Is there a late command, and room for it? Then it is counted as running. */
static bool disk_late_next(struct disk *disk, blk_opf_t *opf)
{
	struct disk_io *di;

	spin_lock_irq(&disk->lock);
	di = list_first_entry_or_null(&disk->late, struct disk_io, link);
	if (di && disk_full(disk))
		di = NULL;
	if (di) {
		*opf = disk_opf(di);
		disk->nr_running++;
	}
	spin_unlock_irq(&disk->lock);
	return di;
}

/**
 * disk_late_fn() - requests for what found the device busy
 * @work: of the device
 *
 * A command stays on the list until there is a request, so that it can be aborted.
 * Context: process; waits for the device. When the last command ends the device may be
 * closed, which waits for this function.
 */
void disk_late_fn(struct work_struct *work)
{
	struct disk *disk = container_of(work, struct disk, late_work);
	struct disk_io *di;
	blk_opf_t opf;

	while (disk_late_next(disk, &opf)) {
		struct request *rq = scsi_alloc_request(disk->sdev->request_queue, opf, 0);

		di = disk_late_take(disk, opf, rq);
		if (di && IS_ERR(rq))
			disk_end_unsent(disk, di, PTR_ERR(rq));
		else if (di)
			disk_start(disk, di);
		else if (!IS_ERR(rq))
			blk_mq_free_request(rq);
	}
}

/**
 * disk_aborted() - some commands of the device are being aborted
 * @dev: the device
 *
 * Those that have not got a request end now. The others are given to the mid layer's
 * error handling as if they had timed out; one that has not been dispatched yet passes
 * by that, so this is called again.
 *
 * Context: process; does not wait.
 */
void disk_aborted(struct skua_dev *dev)
{
	struct disk *disk = skua_dev_priv(dev);
	struct disk_io *di, *next;
	LIST_HEAD(ended);

	spin_lock_irq(&disk->lock);
	list_for_each_entry(di, &disk->running, link)
		if (skua_cmd_aborting(disk_cmd(di)))
			blk_abort_request(di->rq);
	list_for_each_entry_safe(di, next, &disk->late, link)
		if (skua_cmd_aborting(disk_cmd(di)))
			list_move_tail(&di->link, &ended);
	spin_unlock_irq(&disk->lock);
	list_for_each_entry_safe(di, next, &ended, link)
		disk_end_unsent(disk, di, -ETIMEDOUT);
}

/* ---- commands of our own ---------------------------------------------- */

static int disk_read_result(const struct scsi_cmnd *scmd, blk_status_t status)
{
	struct scsi_sense_hdr sense;

	if (!(scmd->result & 0xff))
		return disk_error(scmd->result, status);
	if (scsi_normalize_sense(scmd->sense_buffer, SCSI_SENSE_BUFFERSIZE, &sense) &&
	    sense.sense_key == UNIT_ATTENTION)
		return -EAGAIN;
	return -EIO;
}

/**
 * disk_read() - a data-in command of our own
 * @sdev: the device
 * @cdb: the command, 16 bytes
 * @buf: data; what the device does not send stays as it is
 * @len: its length
 *
 * Context: process; waits for the device.
 * Return: 0; -EAGAIN: there was a unit attention; or another -errno.
 */
int disk_read(struct scsi_device *sdev, const u8 *cdb, void *buf, u32 len)
{
	struct request *rq;
	struct bio_vec vec;
	struct bio bio;
	void *bounce;
	int ret;

	bounce = kmemdup(buf, len, GFP_KERNEL);
	if (!bounce)
		return -ENOMEM;
	rq = scsi_alloc_request(sdev->request_queue, REQ_OP_DRV_IN, 0);
	if (IS_ERR(rq)) {
		kfree(bounce);
		return PTR_ERR(rq);
	}
	disk_fill(rq, cdb, 16);
	rq->timeout = DISK_TIMEOUT;
	bio_init(&bio, NULL, &vec, 1, REQ_OP_DRV_IN);
	__bio_add_page(&bio, virt_to_page(bounce), len, offset_in_page(bounce));
	ret = blk_rq_append_bio(rq, &bio);
	if (!ret)
		ret = disk_read_result(blk_mq_rq_to_pdu(rq), blk_execute_rq(rq, false));
	bio_uninit(&bio);
	blk_mq_free_request(rq);
	if (!ret)
		memcpy(buf, bounce, len);
	kfree(bounce);
	return ret;
}
