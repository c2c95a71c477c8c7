/* SPDX-License-Identifier: GPL-2.0 */
/* block_io's two halves: the open device (bdev.c) and its I/O (blockio.c). */
#ifndef SKUA_BLOCKIO_H
#define SKUA_BLOCKIO_H

#include <linux/blkdev.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "skua.h"

/* Largest discard or zeroing in one bio: its size is 32 bits, and whole MiB align well. */
#define BLOCKIO_MAX_VERB	((u64)U32_MAX + 1 - SZ_1M)

/**
 * struct blockio - dev->priv
 * @bdev: the open device
 * @file: what holds it open
 * @dev: our device
 * @link: of the list of watched devices
 * @bytes, @writable: as last seen by the watch
 * @gone: the disk was removed from under us
 * @submitting: commands' threads that are in the block layer with a request now
 * @late_lock: protects @late; irqsave not needed, process context only
 * @late: I/Os that @late_work submits, because there were too many of these
 */
struct blockio {
	struct block_device *bdev;
	struct file *file;
	struct skua_dev *dev;
	struct list_head link;
	u64 bytes;
	bool writable;
	bool gone;
	atomic_t submitting;
	spinlock_t late_lock;			/* @late */
	struct list_head late;
	struct work_struct late_work;
};

int blockio_open(struct skua_dev *dev);
void blockio_close(struct skua_dev *dev);
int blockio_refresh(struct skua_dev *dev, struct skua_limits *limits);
void blockio_watch_now(void);
void blockio_watch_exit(void);
void blockio_late_fn(struct work_struct *work);

/* Removed for good: what is submitted fails as an I/O error, without a better reason. */
static inline bool blockio_dead(const struct block_device *bdev)
{
	return test_bit(GD_DEAD, &bdev->bd_disk->state);
}

#endif
