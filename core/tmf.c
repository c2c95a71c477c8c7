// SPDX-License-Identifier: GPL-2.0
/*
 * Task management (SAM-5 7). A function marks the commands that it affects and
 * answers when they have left the target, or FAILED when they have not after
 * tmf_timeout: a backend that has stopped answering never blocks the answer, and
 * the target never claims to have stopped a write that may still land.
 *
 * Commands are found by walking the slots of the session's queues; the I/O path
 * keeps no list for it. A function that waits looks again from a delayed work.
 */
#include "priv.h"

static unsigned int tmf_timeout = 4;
module_param(tmf_timeout, uint, 0644);
MODULE_PARM_DESC(tmf_timeout,
		 "seconds a task management function waits for the commands it aborts (default 4)");

#define SKUA_TMF_MAX_PAUSE	(HZ / 10 ?: 1)

/* Which commands: of a session, of a nexus, or one by its tag. */
struct skua_tmf_scan {
	struct skua_tmf *tmf;
	const struct skua_nexus *nx;	/* NULL: any LUN */
	bool by_tag;
	bool again;			/* only tmf->victim, if it is still the same command */
	bool mark;			/* abort what is found */
	int flags;			/* state flags to set */
	u32 found;
	struct skua_cmd *victim;
	u32 victim_state;
};

/* The slot of the task to be aborted may serve another by now: the generation tells. */
static void skua_tmf_visit_again(struct skua_cmd *cmd, struct skua_tmf_scan *scan)
{
	const struct skua_tmf *tmf = scan->tmf;
	u32 state = atomic_read(&cmd->state);

	if (cmd == tmf->victim && state & SKUA_ST_FLAGS &&
	    (state & ~SKUA_ST_FLAGS) == tmf->state)
		scan->found++;
}

static void skua_tmf_visit(struct skua_cmd *cmd, void *arg)
{
	struct skua_tmf_scan *scan = arg;
	int old = atomic_read_acquire(&cmd->state);

	if (scan->again) {
		skua_tmf_visit_again(cmd, scan);
		return;
	}
	for (;;) {
		if (!(old & SKUA_ST_FLAGS))
			return;
		if (scan->nx && READ_ONCE(cmd->nexus) != scan->nx)
			return;
		if (scan->by_tag && cmd->tag != scan->tmf->tag)
			return;
		if (scan->by_tag) {
			scan->victim = cmd;
			scan->victim_state = old & ~SKUA_ST_FLAGS;
		}
		/*
		 * Also one that is done: it says what it was about to say, but the function
		 * waits until its data has left the target. Release takes the mark away.
		 */
		if (!scan->mark || old & SKUA_ST_ABORTED)
			break;
		if (atomic_try_cmpxchg(&cmd->state, &old, old | scan->flags))
			break;
	}
	if (scan->mark || old & SKUA_ST_ABORTED)
		scan->found++;
}

static void skua_tmf_scan(struct skua_session *sess, struct skua_tmf_scan *scan)
{
	skua_session_for_each_cmd(sess, skua_tmf_visit, scan);
	if (scan->mark && scan->found)
		skua_session_aborted(sess);
	if (scan->nx && scan->mark && READ_ONCE(scan->nx->holding))
		skua_order_kick((struct skua_nexus *)scan->nx);
}

/* All initiators' commands on one device; skua_conf is held. */
static u32 skua_tmf_scan_dev(struct skua_tmf *tmf, struct skua_dev *dev, bool mark)
{
	struct skua_nexus *nx;
	u32 found = 0;

	list_for_each_entry(nx, &dev->nexuses, dev_link) {
		struct skua_tmf_scan scan = {
			.tmf = tmf, .nx = nx, .mark = mark, .flags = SKUA_ST_ABORTED,
		};

		if (nx->sess != tmf->queue->session && skua_mode_tas(dev))
			scan.flags |= SKUA_ST_TAS;
		skua_tmf_scan(nx->sess, &scan);
		found += scan.found;
	}
	return found;
}

/* A pass-through device has its own way to end commands that were marked. */
static void skua_tmf_tell(struct skua_dev *dev)
{
	if (dev->be->aborted && dev->opened)
		dev->be->aborted(dev);
}

static u32 skua_tmf_reset_dev(struct skua_tmf *tmf, struct skua_dev *dev, bool mark)
{
	struct skua_nexus *nx;
	u32 found;

	if (mark) {
		WRITE_ONCE(dev->reserved_by, 0);
		WRITE_ONCE(dev->no_removal, false);
		list_for_each_entry(nx, &dev->nexuses, dev_link)
			if (nx->sess != tmf->queue->session)
				skua_ua_add(nx, 0x29, 0x03);	/* BUS DEVICE RESET FUNCTION */
	}
	found = skua_tmf_scan_dev(tmf, dev, mark);
	if (mark)
		skua_dev_reset(dev);
	/* Aborts and a reset at once are more than most adapters' drivers can take. */
	if (found && atomic_read(&dev->reset) != SKUA_RESET_RUNS)
		skua_tmf_tell(dev);
	return found + !!atomic_read(&dev->reset);
}

static u32 skua_tmf_clear_set(struct skua_tmf *tmf, struct skua_dev *dev, bool mark)
{
	struct skua_nexus *nx;

	if (mark)
		list_for_each_entry(nx, &dev->nexuses, dev_link)
			if (nx->sess != tmf->queue->session)
				skua_ua_add(nx, 0x2f, 0x00);	/* COMMANDS CLEARED BY ANOTHER */
	return skua_tmf_scan_dev(tmf, dev, mark);
}

static u32 skua_tmf_reset_target(struct skua_tmf *tmf, bool mark)
{
	const struct skua_lun_table *table;
	u32 found = 0;
	u32 i;

	table = rcu_dereference_protected(tmf->queue->session->luns,
					  lockdep_is_held(&skua_conf));
	for (i = 0; table && i < table->nr; i++)
		if (table->nexus[i])
			found += skua_tmf_reset_dev(tmf, table->nexus[i]->dev, mark);
	return found;
}

/* What an I_T nexus loss does: all commands, all SPC-2 reservations (SAM-5 6.3.4). */
static u32 skua_tmf_lose_nexus(struct skua_tmf *tmf, bool mark)
{
	struct skua_tmf_scan scan = { .tmf = tmf, .mark = mark, .flags = SKUA_ST_ABORTED };
	const struct skua_lun_table *table;
	u32 i;

	table = rcu_dereference_protected(tmf->queue->session->luns,
					  lockdep_is_held(&skua_conf));
	skua_tmf_scan(tmf->queue->session, &scan);
	for (i = 0; table && i < table->nr; i++) {
		if (!table->nexus[i])
			continue;
		if (mark) {
			skua_nexus_unreserve(table->nexus[i]);
			skua_order_kick(table->nexus[i]);	/* held commands end, too */
		}
		if (scan.found)
			skua_tmf_tell(table->nexus[i]->dev);
	}
	return scan.found;
}

static u32 skua_tmf_abort_task(struct skua_tmf *tmf, struct skua_nexus *nx, bool mark)
{
	struct skua_tmf_scan scan = {
		.tmf = tmf, .nx = nx, .by_tag = true, .mark = true, .flags = SKUA_ST_ABORTED,
	};

	if (mark) {
		skua_tmf_scan(tmf->queue->session, &scan);
		tmf->victim = scan.victim;
		tmf->state = scan.victim_state;
		return scan.found;
	}
	scan.again = true;
	scan.mark = false;
	scan.nx = NULL;
	skua_tmf_scan(tmf->queue->session, &scan);
	return scan.found;
}

static u32 skua_tmf_abort_nexus(struct skua_tmf *tmf, struct skua_nexus *nx, bool mark)
{
	struct skua_tmf_scan scan = {
		.tmf = tmf, .nx = nx, .mark = mark, .flags = SKUA_ST_ABORTED,
	};

	skua_tmf_scan(tmf->queue->session, &scan);
	return scan.found;
}

static bool skua_tmf_query(struct skua_tmf *tmf, struct skua_nexus *nx)
{
	struct skua_tmf_scan scan = { .tmf = tmf, .nx = nx, .by_tag = true };

	skua_tmf_scan(tmf->queue->session, &scan);
	return scan.victim;
}

/* One look at the commands concerned: how many are still there? */
static u32 skua_tmf_look(struct skua_tmf *tmf, struct skua_nexus *nx, bool mark)
{
	switch (tmf->function) {
	case SKUA_TMF_ABORT_TASK:
		return skua_tmf_abort_task(tmf, nx, mark);
	case SKUA_TMF_ABORT_TASK_SET:
		return skua_tmf_abort_nexus(tmf, nx, mark);
	case SKUA_TMF_CLEAR_TASK_SET:
		if (nx->dev->config.tst)	/* a task set per nexus */
			return skua_tmf_abort_nexus(tmf, nx, mark);
		return skua_tmf_clear_set(tmf, nx->dev, mark);
	case SKUA_TMF_LUN_RESET:
		return skua_tmf_reset_dev(tmf, nx->dev, mark);
	case SKUA_TMF_TARGET_RESET:
		return skua_tmf_reset_target(tmf, mark);
	default:
		return skua_tmf_lose_nexus(tmf, mark);
	}
}

static bool skua_tmf_needs_lun(const struct skua_tmf *tmf)
{
	return tmf->function != SKUA_TMF_TARGET_RESET && tmf->function != SKUA_TMF_NEXUS_LOSS;
}

static void skua_tmf_answer(struct skua_tmf *tmf, u8 response)
{
	tmf->response = response;
	rcu_read_lock();
	READ_ONCE(tmf->queue->ops)->respond_tmf(tmf);
	rcu_read_unlock();
}

/* Whether the function ends now, and how; -1: it waits. */
static int skua_tmf_step(struct skua_tmf *tmf)
{
	bool mark = !tmf->deadline;
	struct skua_nexus *nx = NULL;
	u32 left;
	int lun;

	if (tmf->function == SKUA_TMF_CLEAR_ACA)
		return SKUA_TMF_NOT_SUPPORTED;
	if (skua_tmf_needs_lun(tmf)) {
		lun = skua_lun_decode(&tmf->lun);
		nx = lun < 0 ? NULL : skua_nexus_lookup(tmf->queue->session, lun);
		if (!nx && mark)
			return SKUA_TMF_NO_LUN;
		if (mark)
			tmf->nexus = nx;
		else if (nx != tmf->nexus)
			nx = NULL;	/* another device is there by now */
	}
	if (tmf->function == SKUA_TMF_QUERY_TASK)
		return skua_tmf_query(tmf, nx) ? SKUA_TMF_SUCCEEDED : SKUA_TMF_COMPLETE;
	if (!nx && skua_tmf_needs_lun(tmf))	/* unmapped meanwhile */
		left = skua_tmf_abort_nexus(tmf, NULL, false);
	else
		left = skua_tmf_look(tmf, nx, mark);
	if (left && nx && tmf->function != SKUA_TMF_LUN_RESET)
		skua_tmf_tell(nx->dev);
	if (!left)
		return SKUA_TMF_COMPLETE;
	if (mark) {
		tmf->deadline = (jiffies + tmf_timeout * HZ) | 1;
		return -1;
	}
	if (time_before(jiffies, tmf->deadline))
		return -1;
	pr_warn_ratelimited("skua: %s: task management function %u: %u command(s) did not end in %u s\n",
			    tmf->queue->session->initiator, tmf->function, left, tmf_timeout);
	return SKUA_TMF_FAILED;
}

static void skua_tmf_work(struct work_struct *work)
{
	struct skua_tmf *tmf = container_of(work, struct skua_tmf, work.work);
	int response;

	mutex_lock(&skua_conf);		/* keeps nexuses and devices */
	response = skua_tmf_step(tmf);
	mutex_unlock(&skua_conf);
	if (response >= 0) {
		skua_tmf_answer(tmf, response);
		return;
	}
	tmf->pause = min_t(unsigned int, tmf->pause * 2, SKUA_TMF_MAX_PAUSE);
	queue_delayed_work(skua_mgmt_wq, &tmf->work, tmf->pause);
}

/**
 * skua_tmf_submit() - start a task management function
 * @tmf: with queue, lun, tag and function filled in
 *
 * Context: any.
 * Return: 0: respond_tmf() will be called, within tmf_timeout seconds or little
 * more. -ESHUTDOWN: the queue is being killed; nothing will be called.
 */
int skua_tmf_submit(struct skua_tmf *tmf)
{
	if (!percpu_ref_tryget_live(&tmf->queue->ref))
		return -ESHUTDOWN;
	tmf->deadline = 0;
	tmf->pause = 1;
	tmf->victim = NULL;
	INIT_DELAYED_WORK(&tmf->work, skua_tmf_work);
	queue_delayed_work(skua_mgmt_wq, &tmf->work, 0);
	return 0;
}
EXPORT_SYMBOL_GPL(skua_tmf_submit);

/**
 * skua_tmf_release() - the answer has left, or will never
 * @tmf: a function that respond_tmf() was called for
 *
 * As skua_cmd_release(). Context: any.
 */
void skua_tmf_release(struct skua_tmf *tmf)
{
	percpu_ref_put(&tmf->queue->ref);
}
EXPORT_SYMBOL_GPL(skua_tmf_release);
