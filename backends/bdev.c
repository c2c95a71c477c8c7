// SPDX-License-Identifier: GPL-2.0
/*
 * block_io: opening a block device, its limits, and watching it.
 *
 * Nobody tells an owner of a block device that it was resized, and that it was removed
 * only in ways that differ between kernels, so a work item looks at all open devices
 * once a second, and at once when an I/O found its disk dead. Looking costs a few loads
 * for a device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "blockio.h"

#define WATCH_PERIOD	HZ

static void watch_fn(struct work_struct *work);

static DEFINE_MUTEX(watch_lock);		/* watch_list; taken before the core's locks */
static LIST_HEAD(watch_list);
static DECLARE_DELAYED_WORK(watch_work, watch_fn);

static void watch_one(struct blockio *bd)
{
	u64 bytes = bdev_nr_bytes(bd->bdev);
	bool writable = !bdev_read_only(bd->bdev);

	if (bd->gone)
		return;
	if (blockio_dead(bd->bdev)) {
		WRITE_ONCE(bd->gone, true);
		pr_warn("%s: the block device is gone\n", skua_dev_name(bd->dev));
		skua_dev_set_online(bd->dev, false);
		return;
	}
	if (bytes == bd->bytes && writable == bd->writable)
		return;
	if (bytes != bd->bytes)
		pr_info("%s: size changed from %llu to %llu bytes\n", skua_dev_name(bd->dev),
			bd->bytes, bytes);
	bd->bytes = bytes;
	bd->writable = writable;
	skua_dev_changed(bd->dev);
}

static void watch_fn(struct work_struct *work)
{
	struct blockio *bd;

	mutex_lock(&watch_lock);
	list_for_each_entry(bd, &watch_list, link)
		watch_one(bd);
	if (!list_empty(&watch_list))
		schedule_delayed_work(&watch_work, WATCH_PERIOD);
	mutex_unlock(&watch_lock);
}

/**
 * blockio_watch_now() - an I/O found its disk dead
 *
 * Context: any.
 */
void blockio_watch_now(void)
{
	mod_delayed_work(system_percpu_wq, &watch_work, 0);
}

/**
 * blockio_watch_exit() - no device is open any more
 *
 * Context: process.
 */
void blockio_watch_exit(void)
{
	cancel_delayed_work_sync(&watch_work);
}

static void watch_add(struct blockio *bd)
{
	mutex_lock(&watch_lock);
	list_add_tail(&bd->link, &watch_list);
	schedule_delayed_work(&watch_work, WATCH_PERIOD);
	mutex_unlock(&watch_lock);
}

/* When this returns the watch does not know the device any more. */
static void watch_del(struct blockio *bd)
{
	mutex_lock(&watch_lock);
	list_del(&bd->link);
	mutex_unlock(&watch_lock);
}

static u32 in_blocks(u64 bytes, u32 block_size)
{
	return min_t(u64, div_u64(bytes, block_size), U32_MAX);
}

static void unmap_limits(struct block_device *bdev, const struct skua_dev_config *config,
			 struct skua_limits *limits)
{
	u64 max = (u64)bdev_max_discard_sectors(bdev) << SECTOR_SHIFT;
	u32 bs = config->block_size;
	u32 granularity = max_t(u32, bdev_discard_granularity(bdev), bs);
	int alignment = bdev_discard_alignment(bdev);

	/* Blocks that are no whole units of the device's can't be deallocated. */
	if (max < granularity || granularity % bs)
		return;
	if (config->given & SKUA_P(THIN) && !config->thin)
		return;
	limits->thin = true;
	limits->max_unmap_blocks = in_blocks(min(max, BLOCKIO_MAX_VERB), bs);
	limits->unmap_granularity = granularity / bs;
	if (alignment > 0 && !(alignment % bs))
		limits->unmap_alignment = alignment / bs;
}

static void physical_limits(struct block_device *bdev, u32 bs, struct skua_limits *limits)
{
	u32 physical = bdev_physical_block_size(bdev);
	int offset = bdev_alignment_offset(bdev);

	if (physical > bs && is_power_of_2(physical) && offset >= 0) {
		limits->phys_block_exp = ilog2(physical / bs);
		if (!(offset % bs))
			limits->lowest_aligned = (offset / bs) & (physical / bs - 1);
	}
	limits->opt_blocks = in_blocks(bdev_io_opt(bdev), bs);
	limits->opt_granularity = in_blocks(bdev_io_min(bdev), bs);
}

static void blockio_limits(struct blockio *bd, struct skua_limits *limits)
{
	const struct skua_dev_config *config = skua_dev_config(bd->dev);
	struct block_device *bdev = bd->bdev;
	u64 ws = (u64)bdev_write_zeroes_sectors(bdev) << SECTOR_SHIFT;

	memset(limits, 0, sizeof(*limits));
	limits->nr_blocks = div_u64(bdev_nr_bytes(bdev), config->block_size);
	physical_limits(bdev, config->block_size, limits);
	unmap_limits(bdev, config, limits);
	limits->max_ws_blocks = in_blocks(min(ws, BLOCKIO_MAX_VERB), config->block_size);
	limits->write_cache = bdev_write_cache(bdev);
	limits->fua = true;		/* the block layer flushes where the device can't */
	limits->read_only = config->read_only || bdev_read_only(bdev);
	limits->rotational = config->given & SKUA_P(ROTATIONAL) ? config->rotational :
								   bdev_rot(bdev);
}

/**
 * blockio_refresh() - size and limits of the open device
 * @dev: the device
 * @limits: to fill
 *
 * Context: process; no I/O is done.
 */
int blockio_refresh(struct skua_dev *dev, struct skua_limits *limits)
{
	struct blockio *bd = skua_dev_priv(dev);

	if (READ_ONCE(bd->gone))
		return -ENODEV;
	blockio_limits(bd, limits);
	return 0;
}

static int check_bdev(struct skua_dev *dev, struct block_device *bdev)
{
	const struct skua_dev_config *config = skua_dev_config(dev);

	if (config->block_size < bdev_logical_block_size(bdev)) {
		pr_err("%s: blocksize %u is smaller than the block size %u of %s\n",
		       skua_dev_name(dev), config->block_size, bdev_logical_block_size(bdev),
		       config->filename);
		return -EINVAL;
	}
	if (bdev_is_zoned(bdev)) {
		pr_err("%s: %s is a zoned block device, which can't be written at random\n",
		       skua_dev_name(dev), config->filename);
		return -EOPNOTSUPP;
	}
	if (config->given & SKUA_P(THIN) && config->thin && !bdev_max_discard_sectors(bdev))
		pr_warn("%s: thin_provisioned=1, but %s has no discard\n", skua_dev_name(dev),
			config->filename);
	return 0;
}

/* A write protected device is opened for reading; then the LUN is write protected, too. */
static struct file *open_bdev(const struct skua_dev_config *config, struct blockio *bd)
{
	struct file *file = ERR_PTR(-EROFS);

	if (!config->read_only)
		file = bdev_file_open_by_path(config->filename, BLK_OPEN_READ | BLK_OPEN_WRITE, bd,
					      NULL);
	if (IS_ERR(file) && (PTR_ERR(file) == -EROFS || PTR_ERR(file) == -EACCES))
		file = bdev_file_open_by_path(config->filename, BLK_OPEN_READ, bd, NULL);
	return file;
}

/**
 * blockio_open() - open the device that the configuration names
 * @dev: the device
 *
 * The block device is opened exclusively: file systems, other targets and other devices
 * of ours are kept off it.
 *
 * Context: process; may wait for the device.
 * Return: 0; -ENOTBLK, -ENOENT, -EBUSY ... from the open; -EINVAL if the block size is
 * too small; -EOPNOTSUPP for zoned devices.
 */
int blockio_open(struct skua_dev *dev)
{
	const struct skua_dev_config *config = skua_dev_config(dev);
	struct blockio *bd = skua_dev_priv(dev);
	struct file *file;
	int ret;

	if (!config->filename) {
		pr_err("%s: filename is missing\n", skua_dev_name(dev));
		return -EINVAL;
	}
	file = open_bdev(config, bd);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		pr_err("%s: can't open %s (%d)%s\n", skua_dev_name(dev), config->filename, ret,
		       ret == -EBUSY ? ": in use by somebody else" :
		       ret == -ENOTBLK ? ": not a block device" : "");
		return ret;
	}
	bd->file = file;
	bd->bdev = file_bdev(file);
	bd->dev = dev;
	bd->gone = false;
	atomic_set(&bd->submitting, 0);
	spin_lock_init(&bd->late_lock);
	INIT_LIST_HEAD(&bd->late);
	INIT_WORK(&bd->late_work, blockio_late_fn);
	ret = check_bdev(dev, bd->bdev);
	if (ret) {
		bdev_fput(file);
		return ret;
	}
	bd->bytes = bdev_nr_bytes(bd->bdev);
	bd->writable = !bdev_read_only(bd->bdev);
	blockio_limits(bd, skua_dev_limits(dev));
	watch_add(bd);
	return 0;
}

/**
 * blockio_close() - let go of the device
 * @dev: the device; no I/O is running
 *
 * Context: process.
 */
void blockio_close(struct skua_dev *dev)
{
	struct blockio *bd = skua_dev_priv(dev);

	watch_del(bd);
	cancel_work_sync(&bd->late_work);	/* has no I/O left, but may be on its way out */
	bdev_fput(bd->file);
	bd->file = NULL;
	bd->bdev = NULL;
}
