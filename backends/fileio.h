/* SPDX-License-Identifier: GPL-2.0 */
/* fileio's two halves: the open file (fileio_file.c) and its I/O (fileio.c). */
#ifndef SKUA_FILEIO_H
#define SKUA_FILEIO_H

#include <linux/blkdev.h>
#include <linux/errseq.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "skua.h"

/* Largest range for one call of fallocate: what takes no time worth mentioning. */
#define FILEIO_MAX_VERB	SZ_1G

/**
 * struct fileio - dev->priv
 * @file: the open file or block device
 * @dev: our device
 * @wq: whose threads do the device's I/O, and wait for it
 * @link: of the list of watched devices
 * @bytes, @writable: as last seen by the watch
 * @unit: fallocate takes multiples of it, bytes
 * @punch: it can make holes
 * @no_zero_range: it turned out not to zero ranges
 * @async_set: the attribute "async" was written: 1 + its value
 * @lost_lock: protects the advance of @wb_seen; irqsave
 * @wb_seen: the last error of write-back that the core was told of
 */
struct fileio {
	struct file *file;
	struct skua_dev *dev;
	struct workqueue_struct *wq;
	struct list_head link;
	u64 bytes;
	bool writable;
	bool punch;
	bool no_zero_range;
	u8 async_set;
	u32 unit;
	spinlock_t lost_lock;			/* @wb_seen */
	errseq_t wb_seen;
};

int fileio_open(struct skua_dev *dev);
void fileio_close(struct skua_dev *dev);
int fileio_refresh(struct skua_dev *dev, struct skua_limits *limits);
void fileio_watch_now(void);
void fileio_watch_exit(void);
int fileio_lost(struct fileio *fio);

static inline struct inode *fileio_inode(const struct fileio *fio)
{
	return file_inode(fio->file);
}

/* The block device that the file is; NULL if it is none. */
static inline struct block_device *fileio_bdev(const struct fileio *fio)
{
	return S_ISBLK(fileio_inode(fio)->i_mode) ? I_BDEV(fio->file->f_mapping->host) : NULL;
}

static inline u64 fileio_bytes(const struct fileio *fio)
{
	struct block_device *bdev = fileio_bdev(fio);

	return bdev ? bdev_nr_bytes(bdev) : i_size_read(fileio_inode(fio));
}

static inline bool fileio_async(const struct fileio *fio, const struct skua_dev_config *config)
{
	u8 set = READ_ONCE(fio->async_set);

	return set ? set - 1 : config->async;
}

#endif
