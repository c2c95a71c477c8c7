// SPDX-License-Identifier: GPL-2.0
/*
 * A device's medium: opening and closing it, flushing it, measuring it anew, naming
 * another one.
 *
 * Each of these has dev->switching for itself. What may have to wait for the backend is
 * a job: a work item that holds the device and dev->switching. The writer waits for it,
 * but not for ever, since the device's files cannot go while it does; after JOB_WAIT
 * seconds, or when the device is deleted, it leaves with -EAGAIN. The job then goes on by
 * itself and reports through skua_mgmt_result(). A medium that is opened after the
 * deletion is closed with the job's reference, the last one.
 */
#include <linux/delay.h>
#include <linux/fs_struct.h>
#include <linux/slab.h>

#include "priv.h"

#define JOB_WAIT	15		/* seconds until a job is left to itself */
#define QUIESCE_WAIT	10		/* seconds for commands to end, before a close */

enum { JOB_RUNS, JOB_LEFT, JOB_DONE };

/**
 * struct job - a change that may have to wait for the backend
 * @dev: with a reference and dev->switching
 * @what: past participle, for the log
 * @run: does it and ends in job_end(), at once or later; process context
 * @work: for @run
 * @late_work: for the end of a job whose writer has left
 * @state: whichever of writer and job comes second ends the job
 * @error: the result
 * @io: for @run
 */
struct job {
	struct skua_dev *dev;
	const char *what;
	void (*run)(struct job *job);
	struct work_struct work, late_work;
	atomic_t state;
	int error;
	struct skua_io io;
};

static DECLARE_WAIT_QUEUE_HEAD(job_wait);	/* all writers */

/* ---- jobs ------------------------------------------------------------- */

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

static void job_free(struct job *job)
{
	end_switch(job->dev);
	skua_dev_put(job->dev);
	kfree(job);
}

/* The writer has gone already. */
static void job_late(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, late_work);

	pr_info("skua: %s: %s at last: %d\n", job->dev->name, job->what, job->error);
	skua_mgmt_result(job->error);
	if (job->error && job->dev->creating)
		skua_dev_unreserve(job->dev);
	job_free(job);
	skua_mgmt_pending(-1);
}

static void job_work(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);

	job->run(job);
}

/* Any context. The job may be gone on return. */
static void job_end(struct job *job, int error)
{
	/* To the writer this would say that it goes on. */
	job->error = error == -EAGAIN ? -EBUSY : error;
	if (atomic_xchg(&job->state, JOB_DONE) == JOB_LEFT)
		queue_work(skua_mgmt_wq, &job->late_work);
	else
		wake_up_all(&job_wait);
}

static bool job_is_done(const struct job *job)
{
	return atomic_read_acquire(&job->state) == JOB_DONE;
}

static int job_do(struct skua_dev *dev, const char *what, void (*run)(struct job *job))
{
	struct job *job;
	int r = begin_switch(dev);

	if (r)
		return r;
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job) {
		end_switch(dev);
		return -ENOMEM;
	}
	job->dev = dev;
	job->what = what;
	job->run = run;
	INIT_WORK(&job->work, job_work);
	INIT_WORK(&job->late_work, job_late);
	skua_dev_get(dev);
	queue_work(skua_mgmt_wq, &job->work);
	wait_event_timeout(job_wait, job_is_done(job) || READ_ONCE(dev->dead), JOB_WAIT * HZ);
	if (!job_is_done(job)) {
		skua_mgmt_pending(1);
		if (atomic_xchg(&job->state, JOB_LEFT) == JOB_RUNS)
			return -EAGAIN;		/* job_late() does the rest */
		skua_mgmt_pending(-1);
	}
	r = job->error;
	job_free(job);
	return r;
}

/**
 * skua_jobs_leave() - have writers look whether their device is being deleted
 *
 * Context: any.
 */
void skua_jobs_leave(void)
{
	wake_up_all(&job_wait);
}

/* ---- open and close --------------------------------------------------- */

/*
 * Commands are served from now on, unless the medium has gone meanwhile: a backend that
 * saw it go before found the device offline.
 */
static void skua_dev_go_online(struct skua_dev *dev)
{
	struct skua_limits limits = dev->limits;

	WRITE_ONCE(dev->online, true);
	smp_mb();	/* pairs with that in skua_dev_set_online(): one of us sees the other */
	if (dev->be->refresh && dev->be->refresh(dev, &limits) == -ENODEV)
		skua_dev_set_online(dev, false);
}

/**
 * skua_dev_open_medium() - have the backend open a device
 * @dev: a device that is not open
 *
 * Context: a work item; waits for the backend. Paths are looked up as init does.
 * Return: 0 or the backend's error.
 */
int skua_dev_open_medium(struct skua_dev *dev)
{
	int r = 0;

	dev->limits = (struct skua_limits){ .rotational = dev->config.rotational };
	scoped_with_init_fs() {
		r = dev->be->open(dev);
	}
	if (r)
		return r;
	dev->opened = true;
	skua_dev_go_online(dev);
	return 0;
}

/**
 * skua_dev_close_medium() - close a device, if it is open
 * @dev: a device without commands
 *
 * Context: process; waits for the backend.
 */
void skua_dev_close_medium(struct skua_dev *dev)
{
	if (!dev->opened)
		return;
	dev->opened = false;
	dev->be->close(dev);
}

static void job_start(struct job *job)
{
	job_end(job, skua_dev_bring_up(job->dev));
}

/**
 * skua_dev_start() - have a new device brought up
 * @dev: reserved
 *
 * Context: process. Waits for a bounded time.
 *
 * Return: 0; -EAGAIN: still being opened, the rest is done later; else the caller
 * gives it up: -ENOMEM or the backend's error.
 */
int skua_dev_start(struct skua_dev *dev)
{
	return job_do(dev, "opened", job_start);
}

struct skua_dev_scan {
	const struct skua_dev *dev;
	u32 busy;
};

static void skua_dev_count(struct skua_cmd *cmd, void *arg)
{
	struct skua_dev_scan *scan = arg;
	const struct skua_cdb_op *op = READ_ONCE(cmd->op);

	if (atomic_read(&cmd->state) & SKUA_ST_FLAGS && op && op->flags & SKUA_F_MEDIA &&
	    READ_ONCE(cmd->io.dev) == scan->dev)
		scan->busy++;
}

static u32 skua_dev_busy(struct skua_dev *dev)
{
	struct skua_dev_scan scan = { .dev = dev };
	struct skua_nexus *nx;

	mutex_lock(&skua_conf);
	list_for_each_entry(nx, &dev->nexuses, dev_link)
		skua_session_for_each_cmd(nx->sess, skua_dev_count, &scan);
	mutex_unlock(&skua_conf);
	return scan.busy;
}

/* Commands that saw "online" are ACTIVE after a grace period; wait for them. */
static int skua_dev_quiesce(struct skua_dev *dev)
{
	unsigned long end = jiffies + QUIESCE_WAIT * HZ;
	bool was = READ_ONCE(dev->online);

	WRITE_ONCE(dev->online, false);
	synchronize_rcu();
	while (skua_dev_busy(dev)) {
		if (time_after(jiffies, end)) {
			pr_err("skua: %s: stays active: its commands did not end in %u s\n",
			       dev->name, QUIESCE_WAIT);
			if (was)
				skua_dev_go_online(dev);
			return -EBUSY;
		}
		msleep(20);
	}
	return 0;
}

static void job_open(struct job *job)
{
	struct skua_dev *dev = job->dev;
	int r = 0;

	if (!dev->config.active) {
		r = skua_dev_open_medium(dev);
		if (!r) {
			WRITE_ONCE(dev->config.active, true);
			skua_ua_dev(dev, NULL, 0x2a, 0x09);	/* CAPACITY DATA HAS CHANGED */
		}
	}
	job_end(job, r);
}

static void job_close(struct job *job)
{
	struct skua_dev *dev = job->dev;
	int r = 0;

	if (dev->config.active) {
		r = skua_dev_quiesce(dev);
		if (!r) {
			skua_dev_close_medium(dev);
			WRITE_ONCE(dev->limits.nr_blocks, 0);
			WRITE_ONCE(dev->config.active, false);
		}
	}
	job_end(job, r);
}

/**
 * skua_dev_set_active() - open or close the medium of a device that stays
 * @dev: the device
 * @active: which
 *
 * Context: process. Waits for a bounded time.
 *
 * Return: 0; -EAGAIN: still running, the result comes by skua_mgmt_result(); -EBUSY:
 * commands did not end in time or another change is under way; -ENODEV: being deleted;
 * -ENOMEM; or the backend's error.
 */
int skua_dev_set_active(struct skua_dev *dev, bool active)
{
	return active ? job_do(dev, "opened", job_open) : job_do(dev, "closed", job_close);
}

/* ---- flush ------------------------------------------------------------ */

static void sync_done(struct skua_io *io, int error)
{
	job_end(container_of(io, struct job, io), error);
}

static void job_sync(struct job *job)
{
	struct skua_dev *dev = job->dev;

	if (!dev->opened || !dev->be->flush) {
		job_end(job, 0);
		return;
	}
	job->io.dev = dev;
	job->io.op = SKUA_IO_FLUSH;
	job->io.len = READ_ONCE(dev->limits.nr_blocks) << dev->block_shift;
	job->io.done = sync_done;
	dev->be->flush(&job->io);
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
	return job_do(dev, "flushed", job_sync);
}

/* ---- size and name ---------------------------------------------------- */

static void job_measure(struct job *job)
{
	if (job->dev->opened)
		skua_dev_changed(job->dev);
	job_end(job, 0);
}

/**
 * skua_dev_resync() - read the size of the medium anew
 * @dev: the device
 *
 * Context: process. Waits for a bounded time.
 *
 * Return: 0, also if the device is inactive; -EAGAIN, -EBUSY, -ENODEV, -ENOMEM as for
 * skua_dev_sync().
 */
int skua_dev_resync(struct skua_dev *dev)
{
	return job_do(dev, "measured", job_measure);
}

/* dev->switching is the caller's: the backend reads config.size. */
static int set_size(struct skua_dev *dev, u64 bytes)
{
	struct skua_limits limits = dev->limits;
	u64 was = dev->config.size;
	int r;

	dev->config.size = bytes;
	r = dev->be->refresh(dev, &limits);
	if (r)
		dev->config.size = was;
	else
		skua_dev_apply_limits(dev, &limits);
	return r;
}

/**
 * skua_dev_resize() - change the size of a device that has no medium of its own
 * @dev: the device
 * @bytes: a multiple of the block size
 *
 * Context: process. Return: 0; -EINVAL; -EBUSY: another change is under way; -ENODEV:
 * being deleted; or the backend's error.
 */
int skua_dev_resize(struct skua_dev *dev, u64 bytes)
{
	int r;

	if (!(dev->be->params & SKUA_P(SIZE)) || !dev->be->refresh)
		return -EINVAL;
	if (!bytes || bytes & (skua_block_size(dev) - 1)) {
		pr_err("skua: %s: size %llu is no multiple of the block size\n", dev->name, bytes);
		return -EINVAL;
	}
	r = begin_switch(dev);
	if (!r) {
		r = set_size(dev, bytes);
		end_switch(dev);
	}
	return r;
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
