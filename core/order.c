// SPDX-License-Identifier: GPL-2.0
/*
 * ORDERED commands (SAM-5 8.6): one starts when all older commands of its task
 * set have ended, and younger SIMPLE ones start after it. The task set is that of
 * the nexus (TST 001b).
 *
 * Nothing is counted for the sake of a rare attribute. While nx->holding is set,
 * the gate puts commands on nx->held, and every command that ends kicks
 * order_work. The work waits one RCU grace period, after which every command
 * that the gate let pass without looking at "holding" is ACTIVE in its slot, and
 * then starts held commands as the slots allow. HEAD OF QUEUE passes by.
 */
#include "priv.h"

/**
 * skua_order_hold() - shall this command wait?
 * @cmd: a command with a nexus, not through the gate yet
 *
 * Context: any, in the RCU section that looked up the nexus.
 * Return: true if it was put on the held list; skua_cmd_resume() or
 * skua_cmd_reject() will be called for it.
 */
bool skua_order_hold(struct skua_cmd *cmd)
{
	struct skua_nexus *nx = cmd->nexus;
	unsigned long flags;
	bool hold;

	if (cmd->task_attr == SKUA_HEAD_OF_QUEUE)
		return false;
	spin_lock_irqsave(&nx->lock, flags);
	hold = nx->holding || cmd->task_attr == SKUA_ORDERED;
	if (hold) {
		WRITE_ONCE(nx->holding, true);
		cmd->ctl |= SKUA_CTL_HELD;
		list_add_tail(&cmd->held, &nx->held);
	}
	spin_unlock_irqrestore(&nx->lock, flags);
	if (hold)
		skua_order_kick(nx);
	return hold;
}

/**
 * skua_order_kick() - look at the held commands again
 * @nx: the nexus; the caller has a reference
 */
void skua_order_kick(struct skua_nexus *nx)
{
	queue_work(skua_mgmt_wq, &nx->order_work);
}

struct skua_order_scan {
	const struct skua_nexus *nx;
	u32 running;			/* found in flight, or an ordered one just started */
	u32 started;			/* simple ones just started */
};

static void skua_order_count(struct skua_cmd *cmd, void *arg)
{
	struct skua_order_scan *scan = arg;

	/* Acquire: not the nexus that the slot's last command had. Nobody would kick again. */
	if (atomic_read_acquire(&cmd->state) & SKUA_ST_ACTIVE &&
	    READ_ONCE(cmd->nexus) == scan->nx &&
	    !(READ_ONCE(cmd->ctl) & SKUA_CTL_HELD) && cmd->task_attr != SKUA_HEAD_OF_QUEUE)
		scan->running++;
}

/* Must this one be ended rather than started? */
static struct skua_cmd *skua_order_find_dead(struct skua_nexus *nx)
{
	struct skua_cmd *cmd;

	list_for_each_entry(cmd, &nx->held, held)
		if (skua_cmd_aborted(cmd) || READ_ONCE(nx->dead))
			return cmd;
	return NULL;
}

/* The oldest held command, if it may start now. */
static struct skua_cmd *skua_order_find_ready(struct skua_nexus *nx, struct skua_order_scan *scan)
{
	struct skua_cmd *cmd = list_first_entry_or_null(&nx->held, struct skua_cmd, held);

	if (!cmd || scan->running)
		return NULL;
	if (cmd->task_attr != SKUA_ORDERED)
		scan->started++;
	else if (!scan->started)
		scan->running = 1;		/* it runs alone */
	else
		cmd = NULL;
	return cmd;
}

static struct skua_cmd *skua_order_next(struct skua_nexus *nx, struct skua_order_scan *scan)
{
	struct skua_cmd *cmd;
	unsigned long flags;

	spin_lock_irqsave(&nx->lock, flags);
	cmd = skua_order_find_dead(nx);
	if (!cmd)
		cmd = skua_order_find_ready(nx, scan);
	if (cmd) {
		list_del(&cmd->held);
		cmd->ctl &= ~SKUA_CTL_HELD;
	} else if (list_empty(&nx->held) && !scan->running) {
		WRITE_ONCE(nx->holding, false);
	}
	spin_unlock_irqrestore(&nx->lock, flags);
	return cmd;
}

void skua_order_work(struct work_struct *work)
{
	struct skua_nexus *nx = container_of(work, struct skua_nexus, order_work);
	struct skua_order_scan scan = { .nx = nx };
	struct skua_cmd *cmd;

	if (!READ_ONCE(nx->holding))
		return;
	synchronize_rcu();
	skua_session_for_each_cmd(nx->sess, skua_order_count, &scan);
	while ((cmd = skua_order_next(nx, &scan))) {
		if (READ_ONCE(nx->dead))
			skua_cmd_reject(cmd);
		else
			skua_cmd_resume(cmd);
	}
}
