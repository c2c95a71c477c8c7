// SPDX-License-Identifier: GPL-2.0
/*
 * fileio: opening a file or block device, its limits, and watching it.
 *
 * Files change behind our back: they are truncated or grown, their file system turns
 * read-only after an error, write-back fails. A work item looks at all open devices
 * once a second; looking takes no lock and does no I/O.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/stat.h>

#include "fileio.h"

#define WATCH_PERIOD	HZ
#define MAX_THREADS	256

static unsigned int num_threads = 16;
module_param(num_threads, uint, 0444);
MODULE_PARM_DESC(num_threads, "threads of a device, at most, for I/O that waits (16)");

static void watch_fn(struct work_struct *work);

static DEFINE_MUTEX(watch_lock);		/* watch_list; taken before the core's locks */
static LIST_HEAD(watch_list);
static DECLARE_DELAYED_WORK(watch_work, watch_fn);

/* ---- watching --------------------------------------------------------------- */

static bool fileio_writable(const struct fileio *fio)
{
	struct block_device *bdev = fileio_bdev(fio);

	if (!(fio->file->f_mode & FMODE_WRITE))
		return false;
	return bdev ? !bdev_read_only(bdev) : !sb_rdonly(fileio_inode(fio)->i_sb);
}

static void watch_one(struct fileio *fio)
{
	u64 bytes = fileio_bytes(fio);
	bool writable = fileio_writable(fio);

	fileio_lost(fio);
	if (bytes == fio->bytes && writable == fio->writable)
		return;
	if (bytes != fio->bytes)
		pr_info("%s: size changed from %llu to %llu bytes\n", skua_dev_name(fio->dev),
			fio->bytes, bytes);
	if (writable != fio->writable)
		pr_warn("%s: the file is %s now\n", skua_dev_name(fio->dev),
			writable ? "writable" : "write protected");
	fio->bytes = bytes;
	fio->writable = writable;
	skua_dev_changed(fio->dev);
}

static void watch_fn(struct work_struct *work)
{
	struct fileio *fio;

	mutex_lock(&watch_lock);
	list_for_each_entry(fio, &watch_list, link)
		watch_one(fio);
	if (!list_empty(&watch_list))
		schedule_delayed_work(&watch_work, WATCH_PERIOD);
	mutex_unlock(&watch_lock);
}

/**
 * fileio_watch_now() - an I/O found its file too short
 *
 * Context: any.
 */
void fileio_watch_now(void)
{
	mod_delayed_work(system_percpu_wq, &watch_work, 0);
}

/**
 * fileio_watch_exit() - no device is open any more
 *
 * Context: process.
 */
void fileio_watch_exit(void)
{
	cancel_delayed_work_sync(&watch_work);
}

/* Two devices that write to one file would destroy what each other's initiators wrote. */
static int watch_add(struct fileio *fio)
{
	struct fileio *other;
	int ret = 0;

	mutex_lock(&watch_lock);
	list_for_each_entry(other, &watch_list, link) {
		if (fileio_inode(other) != fileio_inode(fio) ||
		    !((other->file->f_mode | fio->file->f_mode) & FMODE_WRITE))
			continue;
		pr_err("%s: %s is the file of %s\n", skua_dev_name(fio->dev),
		       skua_dev_config(fio->dev)->filename, skua_dev_name(other->dev));
		ret = -EBUSY;
		break;
	}
	if (!ret) {
		list_add_tail(&fio->link, &watch_list);
		schedule_delayed_work(&watch_work, WATCH_PERIOD);
	}
	mutex_unlock(&watch_lock);
	return ret;
}

/* When this returns the watch does not know the device any more. */
static void watch_del(struct fileio *fio)
{
	mutex_lock(&watch_lock);
	list_del(&fio->link);
	mutex_unlock(&watch_lock);
}

/* ---- limits ----------------------------------------------------------------- */

static void physical_limits(const struct fileio *fio, u32 bs, struct skua_limits *limits)
{
	struct block_device *bdev = fileio_bdev(fio);
	u32 physical = bdev ? bdev_physical_block_size(bdev) : i_blocksize(fileio_inode(fio));

	if (physical <= bs || !is_power_of_2(physical))
		return;
	limits->phys_block_exp = ilog2(physical / bs);
	limits->opt_granularity = physical / bs;
}

static void fileio_limits(struct fileio *fio, struct skua_limits *limits)
{
	const struct skua_dev_config *config = skua_dev_config(fio->dev);
	u32 bs = config->block_size;

	memset(limits, 0, sizeof(*limits));
	limits->nr_blocks = div_u64(fileio_bytes(fio), bs);
	physical_limits(fio, bs, limits);
	if (fio->punch && !(config->given & SKUA_P(THIN) && !config->thin)) {
		limits->thin = true;
		limits->unmap_zeroes = true;
		limits->max_unmap_blocks = FILEIO_MAX_VERB / bs;
		limits->unmap_granularity = max_t(u32, i_blocksize(fileio_inode(fio)), bs) / bs;
		if (limits->unmap_granularity < fio->unit / bs)
			limits->unmap_granularity = fio->unit / bs;
	}
	if (fio->file->f_op->fallocate)
		limits->max_ws_blocks = FILEIO_MAX_VERB / bs;
	limits->write_cache = true;
	limits->fua = true;
	limits->read_only = config->read_only || !fileio_writable(fio);
	limits->rotational = config->rotational;
}

/**
 * fileio_refresh() - size and limits of the open file
 * @dev: the device
 * @limits: to fill
 *
 * Context: process; no I/O is done.
 */
int fileio_refresh(struct skua_dev *dev, struct skua_limits *limits)
{
	fileio_limits(skua_dev_priv(dev), limits);
	return 0;
}

/* ---- opening ---------------------------------------------------------------- */

/* Whether it can make holes shows only when it is asked to; there is none to make here. */
static bool can_punch(const struct fileio *fio)
{
	struct block_device *bdev = fileio_bdev(fio);
	struct inode *inode = fileio_inode(fio);
	u64 end;

	if (!fio->file->f_op->fallocate || !fileio_writable(fio))
		return false;
	if (bdev)
		return bdev_max_discard_sectors(bdev) && bdev_write_zeroes_sectors(bdev);
	end = round_up(i_size_read(inode), i_blocksize(inode));
	return !vfs_fallocate(fio->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end,
			      i_blocksize(inode));
}

/* What positions and lengths of direct I/O have to be multiples of; 0: there is none. */
static u32 dio_alignment(const struct fileio *fio)
{
	struct block_device *bdev = fileio_bdev(fio);
	struct kstat stat = {};

	if (!bdev && !vfs_getattr(&fio->file->f_path, &stat, STATX_DIOALIGN, 0) &&
	    stat.result_mask & STATX_DIOALIGN)
		return stat.dio_offset_align;
	if (!bdev)
		bdev = fileio_inode(fio)->i_sb->s_bdev;
	return bdev ? bdev_logical_block_size(bdev) : SECTOR_SIZE;
}

static int check_file(const struct fileio *fio)
{
	const struct skua_dev_config *config = skua_dev_config(fio->dev);
	const struct file_operations *ops = fio->file->f_op;
	const char *name = skua_dev_name(fio->dev);
	u32 align;

	if (!ops->read_iter || (fio->file->f_mode & FMODE_WRITE && !ops->write_iter)) {
		pr_err("%s: the file system of %s has not the calls that are needed\n", name,
		       config->filename);
		return -EOPNOTSUPP;
	}
	if (fileio_bdev(fio) && bdev_is_zoned(fileio_bdev(fio))) {
		pr_err("%s: %s is a zoned block device, which can't be written at random\n", name,
		       config->filename);
		return -EOPNOTSUPP;
	}
	if (!config->o_direct)
		return 0;
	align = dio_alignment(fio);
	if (align && align <= config->block_size)
		return 0;
	if (align)
		pr_err("%s: blocksize %u is smaller than %u, what direct I/O to %s needs\n", name,
		       config->block_size, align, config->filename);
	else
		pr_err("%s: o_direct: there is no direct I/O to %s\n", name, config->filename);
	return -EINVAL;
}

static int check_config(const struct skua_dev *dev, const struct skua_dev_config *config)
{
	if (!config->filename) {
		pr_err("%s: filename is missing\n", skua_dev_name(dev));
		return -EINVAL;
	}
	if (config->read_only && (config->write_through || config->nv_cache)) {
		pr_err("%s: read_only does not go with write_through or nv_cache\n",
		       skua_dev_name(dev));
		return -EINVAL;
	}
	return 0;
}

/* Before the open, which would wait for the other end of a pipe. */
static int check_type(const char *filename)
{
	struct path path;
	umode_t mode;
	int ret = kern_path(filename, LOOKUP_FOLLOW, &path);

	if (ret)
		return ret;
	mode = d_backing_inode(path.dentry)->i_mode;
	path_put(&path);
	if (S_ISREG(mode) || S_ISBLK(mode))
		return 0;
	return S_ISDIR(mode) ? -EISDIR : -EINVAL;
}

/* O_EXCL makes the open of a block device exclusive, and means nothing for a file. */
static struct file *open_file(const struct skua_dev_config *config)
{
	int flags = O_LARGEFILE | O_EXCL | (config->o_direct ? O_DIRECT : 0);
	struct file *file = ERR_PTR(-EROFS);
	int ret = check_type(config->filename);

	if (ret)
		return ERR_PTR(ret);
	if (!config->read_only)
		file = filp_open(config->filename, flags | O_RDWR, 0);
	if (IS_ERR(file) && (PTR_ERR(file) == -EROFS || PTR_ERR(file) == -EACCES))
		file = filp_open(config->filename, flags | O_RDONLY, 0);
	return file;
}

static const char *open_error(const struct skua_dev_config *config, int error)
{
	switch (error) {
	case -EBUSY:
		return ": in use by somebody else";
	case -EISDIR:
		return ": a directory";
	case -EINVAL:
		if (config->o_direct)
			return ": no direct I/O there, or neither file nor block device";
		return ": neither file nor block device";
	default:
		return "";
	}
}

/* A kernel thread's fput() leaves the rest, and with it the mount, for later. */
static void put_file(struct file *file)
{
	fput(file);
	if (current->flags & PF_KTHREAD)
		flush_delayed_fput();
}

static int set_up(struct fileio *fio)
{
	const struct skua_dev_config *config = skua_dev_config(fio->dev);
	struct block_device *bdev = fileio_bdev(fio);
	int ret = check_file(fio);

	if (ret)
		return ret;
	spin_lock_init(&fio->lost_lock);
	fio->wb_seen = filemap_sample_wb_err(fio->file->f_mapping);
	fio->no_zero_range = false;
	fio->unit = bdev ? max_t(u32, bdev_logical_block_size(bdev), config->block_size) :
			   config->block_size;
	fio->punch = can_punch(fio);
	if (config->given & SKUA_P(THIN) && config->thin && !fio->punch)
		pr_warn("%s: thin_provisioned=1, but %s can't have holes\n",
			skua_dev_name(fio->dev), config->filename);
	fio->bytes = fileio_bytes(fio);
	fio->writable = fileio_writable(fio);
	fio->wq = alloc_workqueue("skua-f/%.15s", WQ_UNBOUND | WQ_MEM_RECLAIM,
				  clamp_t(unsigned int, num_threads, 1, MAX_THREADS),
				  skua_dev_name(fio->dev));
	if (!fio->wq)
		return -ENOMEM;
	fileio_limits(fio, skua_dev_limits(fio->dev));
	ret = watch_add(fio);
	if (ret)
		destroy_workqueue(fio->wq);
	return ret;
}

/**
 * fileio_open() - open the file that the configuration names
 * @dev: the device
 *
 * Looked up where the caller is: in its mount namespace. A file that is write protected
 * is opened for reading; then the LUN is write protected, too.
 *
 * Context: process; may wait for the file system.
 * Return: 0; -ENOENT, ... from the open; -EINVAL, -EISDIR: no file or block device, or
 * the block size is too small for direct I/O; -EBUSY: another device of ours has it
 * open, or anybody the block device; -EOPNOTSUPP; -ENOMEM.
 */
int fileio_open(struct skua_dev *dev)
{
	const struct skua_dev_config *config = skua_dev_config(dev);
	struct fileio *fio = skua_dev_priv(dev);
	struct file *file;
	int ret = check_config(dev, config);

	if (ret)
		return ret;
	file = open_file(config);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		pr_err("%s: can't open %s (%d)%s\n", skua_dev_name(dev), config->filename, ret,
		       open_error(config, ret));
		return ret;
	}
	fio->file = file;
	fio->dev = dev;
	ret = set_up(fio);
	if (ret) {
		fio->file = NULL;
		put_file(file);
	}
	return ret;
}

/**
 * fileio_close() - let go of the file
 * @dev: the device; no I/O is running
 *
 * What is in the page cache is written before: later there is nobody who would notice
 * that it failed.
 *
 * Context: process.
 */
void fileio_close(struct skua_dev *dev)
{
	struct fileio *fio = skua_dev_priv(dev);
	int ret = 0;

	watch_del(fio);
	destroy_workqueue(fio->wq);
	if (fio->file->f_mode & FMODE_WRITE)
		ret = vfs_fsync(fio->file, 1);
	if (!fileio_lost(fio) && ret)
		pr_err("%s: flush before the close failed (%d)\n", skua_dev_name(dev), ret);
	put_file(fio->file);
	fio->file = NULL;
}
