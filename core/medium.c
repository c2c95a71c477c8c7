// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator does to a device's medium beside opening and closing it:
 * flush it, measure it anew, name another one.
 *
 * Each of these, like skua_dev_set_active(), has dev->switching for itself, so the
 * medium is neither opened nor closed meanwhile.
 */
#include <linux/slab.h>

#include "priv.h"

#define SYNC_WAIT	15		/* seconds until a flush is left to itself */

enum { SYNC_RUNS, SYNC_LEFT, SYNC_DONE };

struct sync {
	struct skua_io io;
	struct completion done;
	struct work_struct late_work;
	atomic_t state;
	int error;
};

static int begin_switch(struct skua_dev *dev)
{
	int r = 0;

	mutex_lock(&skua_conf);
	if (dev->dead)
		r = -ENODEV;
	else if (dev->switching)
		r = -EBUSY;
	else
		dev->switching = true;
	mutex_unlock(&skua_conf);
	return r;
}

static void end_switch(struct skua_dev *dev)
{
	mutex_lock(&skua_conf);
	dev->switching = false;
	mutex_unlock(&skua_conf);
}

/* The writer has gone already. */
static void sync_late(struct work_struct *work)
{
	struct sync *sync = container_of(work, struct sync, late_work);
	struct skua_dev *dev = sync->io.dev;

	pr_info("skua: %s: flushed at last: %d\n", dev->name, sync->error);
	skua_mgmt_result(sync->error);
	skua_mgmt_pending(-1);
	end_switch(dev);
	kfree(sync);
	skua_dev_put(dev);
}

static void sync_done(struct skua_io *io, int error)
{
	struct sync *sync = container_of(io, struct sync, io);

	sync->error = error;
	if (atomic_xchg(&sync->state, SYNC_DONE) == SYNC_LEFT)
		queue_work(skua_mgmt_wq, &sync->late_work);
	else
		complete(&sync->done);
}

static int sync_run(struct skua_dev *dev, struct sync *sync)
{
	int r;

	init_completion(&sync->done);
	INIT_WORK(&sync->late_work, sync_late);
	sync->io.dev = dev;
	sync->io.op = SKUA_IO_FLUSH;
	sync->io.len = READ_ONCE(dev->limits.nr_blocks) << dev->block_shift;
	sync->io.done = sync_done;
	skua_dev_get(dev);
	dev->be->flush(&sync->io);
	if (!wait_for_completion_timeout(&sync->done, SYNC_WAIT * HZ)) {
		skua_mgmt_pending(1);
		if (atomic_cmpxchg(&sync->state, SYNC_RUNS, SYNC_LEFT) == SYNC_RUNS)
			return -EAGAIN;
		skua_mgmt_pending(-1);
		wait_for_completion(&sync->done);	/* is being completed */
	}
	r = sync->error;
	skua_dev_put(dev);
	return r;
}

/**
 * skua_dev_sync() - have what was written on stable storage
 * @dev: the device
 *
 * Context: process. Waits for a bounded time.
 *
 * Return: 0, also if there is nothing to do; -EAGAIN: still running, the result
 * comes by skua_mgmt_result(); -EBUSY: another change is under way; -ENODEV: being
 * deleted; -ENOMEM; or the backend's error.
 */
int skua_dev_sync(struct skua_dev *dev)
{
	struct sync *sync;
	int r = begin_switch(dev);

	if (r)
		return r;
	if (!dev->opened || !dev->be->flush)
		goto out;
	sync = kzalloc(sizeof(*sync), GFP_KERNEL);
	r = sync ? sync_run(dev, sync) : -ENOMEM;
	if (r == -EAGAIN)
		return r;		/* sync_late() does the rest */
	kfree(sync);
out:
	end_switch(dev);
	return r;
}

/**
 * skua_dev_resync() - read the size of the medium anew
 * @dev: the device
 *
 * Context: process.
 *
 * Return: 0, also if the device is inactive; -EBUSY; -ENODEV.
 */
int skua_dev_resync(struct skua_dev *dev)
{
	int r = begin_switch(dev);

	if (r)
		return r;
	if (dev->opened)
		skua_dev_changed(dev);
	end_switch(dev);
	return 0;
}

/**
 * skua_dev_set_filename() - name another medium
 * @dev: an inactive device
 * @path: absolute
 *
 * Context: process.
 *
 * Return: 0; -EINVAL: the device is active or the path relative; -EBUSY; -ENODEV;
 * -ENOMEM.
 */
int skua_dev_set_filename(struct skua_dev *dev, const char *path)
{
	char *copy;
	int r;

	if (*path != '/')
		return -EINVAL;
	copy = kstrdup(path, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	r = begin_switch(dev);
	if (!r) {
		if (dev->opened) {
			r = -EINVAL;
		} else {
			spin_lock_irq(&dev->lock);
			swap(dev->config.filename, copy);
			spin_unlock_irq(&dev->lock);
		}
		end_switch(dev);
	}
	kfree(copy);
	return r;
}
