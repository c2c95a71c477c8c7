/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Force-included before everything else: supplies what kernels older than the
 * newest lack. The only file with a version or feature test. Each entry names
 * the release that lets us delete it.
 */
#ifndef SKUA_COMPAT_H
#define SKUA_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Skua needs Linux 6.1 or newer"
#endif

/* Until 6.12 linux/unaligned.h was asm/unaligned.h; sources need not include it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

/* What follows is macros only: to include headers here would be too early for pr_fmt. */

/* Until 6.5 a page was given to a socket by a call of its own; this sends the first one. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define skua_splice_pages(sock, msg, bvec)					\
	kernel_sendpage(sock, (bvec)->bv_page, (bvec)->bv_offset, (bvec)->bv_len,	\
			(msg)->msg_flags |					\
			(iov_iter_count(&(msg)->msg_iter) > (bvec)->bv_len ? MSG_MORE : 0))
#else
#define skua_splice_pages(sock, msg, bvec)					\
({										\
	(msg)->msg_flags |= MSG_SPLICE_PAGES;					\
	sock_sendmsg(sock, msg);						\
})
#endif

/* Until 6.7 the owner embedded its shrinker. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define shrinker_alloc(flags, fmt)	kzalloc(sizeof(struct shrinker), GFP_KERNEL)
#define shrinker_register(shrinker)	WARN_ON(register_shrinker(shrinker, KBUILD_MODNAME))
#define shrinker_free(shrinker)		\
	do {				\
		unregister_shrinker(shrinker);	\
		kfree(shrinker);	\
	} while (0)
#endif

/*
 * Until 6.9 an open block device was not a file. Our struct file pointer is then the
 * block device itself (up to 6.6; its lowest bit tells that it is open for writing)
 * or its handle (6.7 and 6.8).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define blk_mode_t	fmode_t
#define BLK_OPEN_READ	FMODE_READ
#define BLK_OPEN_WRITE	FMODE_WRITE
#define skua_blkdev_get(path, mode, holder, ops) \
	blkdev_get_by_path(path, (mode) | FMODE_EXCL, holder)
#define skua_blkdev_put(bdev, mode)	blkdev_put(bdev, (mode) | FMODE_EXCL)
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define skua_blkdev_get(path, mode, holder, ops) blkdev_get_by_path(path, mode, holder, ops)
#define skua_blkdev_put(bdev, mode)	blkdev_put(bdev, (bdev)->bd_holder)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define bdev_file_open_by_path(path, mode, holder, ops)					\
({											\
	struct block_device *__bdev = skua_blkdev_get(path, mode, holder, ops);		\
	unsigned long __rw = !IS_ERR(__bdev) && ((mode) & BLK_OPEN_WRITE);		\
											\
	(struct file *)((unsigned long)__bdev | __rw);					\
})
#define file_bdev(file)	((struct block_device *)((unsigned long)(file) & ~1UL))
#define bdev_fput(file)									\
	skua_blkdev_put(file_bdev(file), BLK_OPEN_READ |				\
			((unsigned long)(file) & 1 ? BLK_OPEN_WRITE : (blk_mode_t)0))
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define bdev_file_open_by_path(path, mode, holder, ops) \
	((struct file *)bdev_open_by_path(path, mode, holder, ops))
#define file_bdev(file)	(((struct bdev_handle *)(file))->bdev)
#define bdev_fput(file)	bdev_release((struct bdev_handle *)(file))
#endif

/* Until 6.17 it had a shorter name. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_percpu_wq	system_wq
#endif

/* Until 6.19 the address of a socket was a struct that says how long it is. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define sockaddr_unsized	sockaddr
#endif

/* Until 7.0 there was only the opposite. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define bdev_rot(bdev)	(!bdev_nonrot(bdev))
#endif

/* Until 7.0 the end of a request was told less. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define SKUA_RQ_END_IO_ARGS	struct request *rq, blk_status_t status
#else
#define SKUA_RQ_END_IO_ARGS \
	struct request *rq, blk_status_t status, const struct io_comp_batch *batch
#endif

/* Until 7.0 queuecommand() of a SCSI host returned int. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define skua_qc_status int
#else
#define skua_qc_status enum scsi_qc_status
#endif

/* Until 7.3 kernel threads looked up paths as init does without asking for it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define scoped_with_init_fs()
#endif

#endif
