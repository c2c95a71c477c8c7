// SPDX-License-Identifier: GPL-2.0
/*
 * dev_disk: a SCSI disk of this host, to which commands are passed as they are.
 *
 * A device is named by its address, H:C:T:L. It is held, so that the driver of its host
 * adapter cannot be unloaded, but it can go at any time: by its "delete" file, or when
 * the adapter or the path goes. Then its commands end with NOT READY, and the LUN stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_eh.h>
#include <scsi/scsi_host.h>

#include "disk.h"

#define DISK_READ_TRIES	5		/* unit attentions that may be pending */

struct workqueue_struct *disk_wq;	/* late_work and reset_work of all devices */

/* ---- reset ------------------------------------------------------------ */

static void disk_set_tmf(struct Scsi_Host *shost, bool on)
{
	unsigned long flags;

	spin_lock_irqsave(shost->host_lock, flags);
	shost->tmf_in_progress = on;
	spin_unlock_irqrestore(shost->host_lock, flags);
}

/* What waited while the host adapter was busy with the reset. */
static void disk_wake(struct Scsi_Host *shost)
{
	struct scsi_device *sdev;

	wake_up(&shost->host_wait);
	shost_for_each_device(sdev, shost)
		blk_mq_run_hw_queues(sdev->request_queue, true);
}

/*
 * The way in which the mid layer resets a device that a user asked it to. Drivers get a
 * command that was never sent, for its device only.
 */
static int disk_reset_device(struct scsi_device *sdev)
{
	struct Scsi_Host *shost = sdev->host;
	struct scsi_cmnd *scmd;
	struct request *rq;
	int ret;

	rq = kzalloc(sizeof(*rq) + sizeof(*scmd) + shost->hostt->cmd_size, GFP_NOIO);
	if (!rq)
		return -ENOMEM;
	blk_rq_init(NULL, rq);
	scmd = (struct scsi_cmnd *)(rq + 1);
	scmd->device = sdev;
	scmd->submitter = SUBMITTED_BY_SCSI_RESET_IOCTL;
	scmd->flags = SCMD_LAST;
	scmd->sc_data_direction = DMA_BIDIRECTIONAL;
	INIT_LIST_HEAD(&scmd->eh_entry);

	disk_set_tmf(shost, true);
	ret = shost->hostt->eh_device_reset_handler(scmd) == SUCCESS ? 0 : -EIO;
	disk_set_tmf(shost, false);
	if (!ret) {		/* so that the unit attention is nothing to worry about */
		sdev->was_reset = 1;
		sdev->expecting_cc_ua = 1;
	}
	disk_wake(shost);
	kfree(rq);
	return ret;
}

static int disk_do_reset(const struct disk *disk)
{
	struct scsi_device *sdev = disk->sdev;

	if (disk_gone(disk))
		return -ENODEV;
	/* An adapter that cannot do it (ATA): aborting the commands was all. */
	if (!sdev->host->hostt->eh_device_reset_handler)
		return 0;
	if (!scsi_block_when_processing_errors(sdev))
		return -ENODEV;
	return disk_reset_device(sdev);
}

static void disk_reset_fn(struct work_struct *work)
{
	struct disk *disk = container_of(work, struct disk, reset_work);
	int ret = disk_do_reset(disk);

	if (ret)
		pr_warn("%s: reset failed: %d\n", skua_dev_name(disk->dev), ret);
	skua_dev_reset_done(disk->dev, ret);
}

static void disk_reset(struct skua_dev *dev)
{
	struct disk *disk = skua_dev_priv(dev);

	queue_work(disk_wq, &disk->reset_work);
}

/* ---- open and close --------------------------------------------------- */

/* The device of an address, held; NULL if the name is none, or nothing is there. */
static struct scsi_device *disk_find(const char *name)
{
	struct scsi_device *sdev;
	unsigned int h, c, t;
	struct Scsi_Host *shost;
	char canonical[64];
	u64 lun;

	if (sscanf(name, "%u:%u:%u:%llu", &h, &c, &t, &lun) != 4)
		return NULL;
	snprintf(canonical, sizeof(canonical), "%u:%u:%u:%llu", h, c, t, lun);
	if (strcmp(name, canonical))
		return NULL;
	shost = scsi_host_lookup(h);
	if (!shost)
		return NULL;
	sdev = scsi_device_lookup(shost, c, t, lun);
	scsi_host_put(shost);
	return sdev;
}

/* A disk of this target may lead back to the device itself. */
static bool disk_is_ours(const struct scsi_device *sdev)
{
	const struct module *owner = sdev->host->hostt->module;

	return owner && !strcmp(owner->name, "skua_local");
}

static int disk_check(const struct scsi_device *sdev, const char *name)
{
	if (sdev->type != TYPE_DISK) {
		pr_err("%s: of type %u, which is no disk\n", name, sdev->type);
		return -EINVAL;
	}
	if (disk_is_ours(sdev)) {
		pr_err("%s: a disk of this target\n", name);
		return -EINVAL;
	}
	return 0;
}

static int disk_read_capacity(struct scsi_device *sdev, bool is16, u64 *nr_blocks, u32 *size)
{
	static const u8 cdb10[16] = { READ_CAPACITY };
	static const u8 cdb16[16] = { SERVICE_ACTION_IN_16, SAI_READ_CAPACITY_16, [13] = 32 };
	u8 data[32];
	int ret, tries;

	for (tries = 0; tries < DISK_READ_TRIES; tries++) {
		memset(data, 0, sizeof(data));
		ret = disk_read(sdev, is16 ? cdb16 : cdb10, data, is16 ? 32 : 8);
		if (ret != -EAGAIN)
			break;
	}
	if (ret)
		return ret;
	*nr_blocks = (is16 ? get_unaligned_be64(data) : get_unaligned_be32(data)) + 1;
	*size = get_unaligned_be32(data + (is16 ? 8 : 4));
	return 0;
}

/* The core knows the size for the log only; the medium's state is the device's to tell. */
static void disk_limits(struct disk *disk)
{
	struct skua_limits *limits = skua_dev_limits(disk->dev);
	struct request_queue *q = disk->sdev->request_queue;
	u64 max = (u64)queue_max_hw_sectors(q) << SECTOR_SHIFT;
	u64 nr_blocks = 0;
	u32 size = 0;

	if (disk_read_capacity(disk->sdev, true, &nr_blocks, &size) &&
	    disk_read_capacity(disk->sdev, false, &nr_blocks, &size))
		pr_warn("%s: does not tell its capacity\n", skua_dev_name(disk->dev));
	skua_dev_set_block_size(disk->dev, size);
	limits->nr_blocks = nr_blocks ?: 1;
	/* Pages of a command need not be neighbours. */
	max = min_t(u64, max, (u64)queue_max_segments(q) << PAGE_SHIFT);
	limits->max_xfer = min_t(u64, max, SKUA_MAX_XFER);
}

/*
 * Context: process; waits for the device.
 * Return: 0; -EINVAL: no such device, or not one for this handler.
 */
static int disk_open(struct skua_dev *dev)
{
	struct disk *disk = skua_dev_priv(dev);
	const char *name = skua_dev_name(dev);
	struct scsi_device *sdev = disk_find(name);
	int ret;

	if (!sdev) {
		pr_err("%s: no SCSI device of this host\n", name);
		return -EINVAL;
	}
	ret = disk_check(sdev, name);
	if (ret) {
		scsi_device_put(sdev);
		return ret;
	}
	disk->sdev = sdev;
	disk->dev = dev;
	spin_lock_init(&disk->lock);
	INIT_LIST_HEAD(&disk->running);
	disk->nr_running = 0;
	INIT_LIST_HEAD(&disk->late);
	INIT_WORK(&disk->late_work, disk_late_fn);
	INIT_WORK(&disk->reset_work, disk_reset_fn);
	disk_limits(disk);
	return 0;
}

static void disk_close(struct skua_dev *dev)
{
	struct disk *disk = skua_dev_priv(dev);

	/* Nothing is left of commands and resets, but the work items may be on their way out. */
	cancel_work_sync(&disk->late_work);
	cancel_work_sync(&disk->reset_work);
	scsi_device_put(disk->sdev);
	disk->sdev = NULL;
}

static struct kobject *disk_link(struct skua_dev *dev)
{
	struct disk *disk = skua_dev_priv(dev);

	return &disk->sdev->sdev_dev.kobj;
}

static struct skua_backend disk_backend = {
	.name = "dev_disk",
	.owner = THIS_MODULE,
	.flags = SKUA_BE_MAY_BLOCK,
	.vendor_id = "",
	.priv_size = sizeof(struct disk),
	.open = disk_open,
	.close = disk_close,
	.exec_cdb = disk_exec,
	.aborted = disk_aborted,
	.reset = disk_reset,
	.link_to = disk_link,
	.link_name = "scsi_device",
};

static int __init disk_init(void)
{
	int ret;

	disk_wq = alloc_workqueue("skua_disk", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!disk_wq)
		return -ENOMEM;
	ret = skua_backend_register(&disk_backend);
	if (ret)
		destroy_workqueue(disk_wq);
	return ret;
}

static void __exit disk_exit(void)
{
	skua_backend_unregister(&disk_backend);
	destroy_workqueue(disk_wq);
}

module_init(disk_init);
module_exit(disk_exit);

MODULE_DESCRIPTION("Skua backend: SCSI disks of this host, passed through");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
