/* SPDX-License-Identifier: GPL-2.0 */
/* dev_disk's two halves: the SCSI device (disk.c) and its commands (disk_io.c). */
#ifndef SKUA_DISK_H
#define SKUA_DISK_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <scsi/scsi_device.h>

#include "skua.h"

/**
 * struct disk - dev->priv
 * @sdev: the SCSI device, held; it may be gone all the same
 * @dev: our device
 * @lock: irqsave; protects @running, @nr_running and @late
 * @running: commands that have a request
 * @nr_running: how many, and those that are about to get one
 * @late: commands that wait, because the device has as many as it takes
 * @late_work: gets them one
 * @reset_work: resets the device
 */
struct disk {
	struct scsi_device *sdev;
	struct skua_dev *dev;
	spinlock_t lock;
	struct list_head running;
	unsigned int nr_running;
	struct list_head late;
	struct work_struct late_work;
	struct work_struct reset_work;
};

extern struct workqueue_struct *disk_wq;

void disk_exec(struct skua_cmd *cmd);
void disk_aborted(struct skua_dev *dev);
void disk_late_fn(struct work_struct *work);
int disk_read(struct scsi_device *sdev, const u8 *cdb, void *buf, u32 len);

/* Taken out of the system. It does not come back: a new one has a new scsi_device. */
static inline bool disk_gone(const struct disk *disk)
{
	enum scsi_device_state state = READ_ONCE(disk->sdev->sdev_state);

	return state == SDEV_CANCEL || state == SDEV_DEL;
}

#endif
