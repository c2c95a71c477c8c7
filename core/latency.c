// SPDX-License-Identifier: GPL-2.0
/*
 * Latency of commands: where it is kept, and how it is switched on and off.
 *
 * Each session and nexus has a struct skua_lat while measuring is on: pointers to
 * blocks of counters, one for each CPU and kind of command. A block is allocated when a
 * CPU first ends such a command there, so that memory goes by what is used; a sample
 * for which there is no memory is lost. Commands find the struct by RCU, holding
 * references to session and nexus; switching off takes the pointers away and frees
 * after a grace period. What belongs to an object that is ending meanwhile is freed
 * with the object.
 *
 * A block is written on its CPU only, with interrupts off. Readers add up blocks while
 * they are written: a sum may contain half a sample.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "histogram.h"
#include "latency.h"

/* What the files of a session tell apart; the names are those of other targets' */
enum {
	STAGE_PARSE,			/* until data are asked for, or until it runs */
	STAGE_RDY_TO_XFER,		/* until write data are there */
	STAGE_EXEC,
	STAGE_XMIT,			/* until the answer has left */
	STAGE_TOTAL,
	NR_STAGES
};

static const char *const stage_names[] = {
	"PARSE", "RDY_TO_XFER", "REAL_EXEC", "XMIT_WAIT", "total",
};

/* A session's block */
struct skua_lat_sizes {
	struct skua_spread at[SKUA_LAT_SIZES][NR_STAGES];
};

/**
 * struct skua_lat - what a session or a nexus measures
 * @rcu: for its end
 * @size: of a block, bytes
 * @block: of CPU n and kind k (SKUA_STAT_*) at n * SKUA_NR_STAT + k; set once
 */
struct skua_lat {
	struct rcu_head rcu;
	size_t size;
	void *block[];
};

DEFINE_STATIC_KEY_FALSE(skua_measuring);

static DEFINE_MUTEX(switch_lock);	/* one switches; outside of skua_conf */
static bool on;				/* under skua_conf: new objects measure */

/* ---- memory ----------------------------------------------------------- */

static struct skua_lat *lat_alloc(size_t size)
{
	struct skua_lat *lat = kzalloc(struct_size(lat, block, nr_cpu_ids * SKUA_NR_STAT),
				       GFP_KERNEL);

	if (lat)
		lat->size = size;
	return lat;
}

static void lat_free_rcu(struct rcu_head *rcu)
{
	struct skua_lat *lat = container_of(rcu, struct skua_lat, rcu);
	unsigned int i;

	for (i = 0; i < nr_cpu_ids * SKUA_NR_STAT; i++)
		kfree(lat->block[i]);
	kfree(lat);
}

/* Exchange; the old one goes when nobody looks at it any more. */
static void lat_replace(struct skua_lat __rcu **where, struct skua_lat *lat)
{
	struct skua_lat *old = unrcu_pointer(xchg(where, RCU_INITIALIZER(lat)));

	if (old)
		call_rcu(&old->rcu, lat_free_rcu);
}

/**
 * skua_lat_free() - an object that measured ends
 * @lat: its pointer
 *
 * Context: any.
 */
void skua_lat_free(struct skua_lat __rcu **lat)
{
	lat_replace(lat, NULL);
}

/* This CPU's block; preemption is off. NULL if memory is short. */
static void *lat_block(struct skua_lat *lat, int kind)
{
	void **where = &lat->block[smp_processor_id() * SKUA_NR_STAT + kind];
	void *block = READ_ONCE(*where), *other;

	if (likely(block))
		return block;
	block = kzalloc(lat->size, GFP_NOWAIT | __GFP_NOWARN);
	if (!block)
		return NULL;
	other = cmpxchg(where, NULL, block);	/* an interrupt may have been faster */
	if (!other)
		return block;
	kfree(block);
	return other;
}

/* ---- commands --------------------------------------------------------- */

void __skua_lat_begin(struct skua_cmd *cmd)
{
	memset(cmd->stamp, 0, sizeof(cmd->stamp));
	cmd->stamp[SKUA_STAMP_SUBMIT] = ktime_get_ns();
	cmd->ctl |= SKUA_CTL_TIMED;
}

void __skua_lat_stamp(struct skua_cmd *cmd, unsigned int which)
{
	if (cmd->ctl & SKUA_CTL_TIMED)
		cmd->stamp[which] = ktime_get_ns();
}

/* Up to 512 bytes is 0, up to 1024 is 1 ... */
static unsigned int lat_size(u32 bytes)
{
	unsigned int size = bytes > 512 ? order_base_2(bytes) - 9 : 0;

	return min(size, SKUA_LAT_SIZES - 1U);
}

/* The stages that the command went through: what was refused early has not run. */
static void lat_add_stages(struct skua_spread *at, const u64 *stamp, u64 now)
{
	u64 start = stamp[SKUA_STAMP_START], run = stamp[SKUA_STAMP_RUN];
	u64 done = stamp[SKUA_STAMP_DONE], submit = stamp[SKUA_STAMP_SUBMIT];

	skua_spread_add(&at[STAGE_PARSE], (start ?: run ?: done) - submit);
	if (start)
		skua_spread_add(&at[STAGE_RDY_TO_XFER], (run ?: done) - start);
	if (run)
		skua_spread_add(&at[STAGE_EXEC], done - run);
	skua_spread_add(&at[STAGE_XMIT], now - done);
	skua_spread_add(&at[STAGE_TOTAL], now - submit);
}

void __skua_lat_end(struct skua_cmd *cmd)
{
	u64 done = cmd->stamp[SKUA_STAMP_DONE], now;
	int kind = skua_cmd_kind(cmd);
	struct skua_lat_sizes *sizes;
	struct skua_lat *sess, *nx;
	struct skua_hist *hist;
	unsigned long flags;

	/* It may have been switched on, or off and on, while the command ran. */
	if (!(cmd->ctl & SKUA_CTL_TIMED) || !done)
		return;
	now = ktime_get_ns();
	rcu_read_lock();
	preempt_disable();
	sess = rcu_dereference(cmd->queue->session->lat);
	nx = cmd->nexus ? rcu_dereference(cmd->nexus->lat) : NULL;
	sizes = sess ? lat_block(sess, kind) : NULL;
	hist = nx ? lat_block(nx, kind) : NULL;
	local_irq_save(flags);
	if (sizes)
		lat_add_stages(sizes->at[lat_size(cmd->xfer_len)], cmd->stamp, now);
	if (hist)
		skua_hist_add(hist, done - cmd->stamp[SKUA_STAMP_SUBMIT]);
	local_irq_restore(flags);
	preempt_enable();
	rcu_read_unlock();
}

/* ---- on and off ------------------------------------------------------- */

bool skua_lat_measuring(void)
{
	return static_key_enabled(&skua_measuring);
}

/**
 * skua_lat_add_session() - a session is made
 * @sess: the session; without memory it does not measure
 *
 * Context: process, skua_conf held.
 */
void skua_lat_add_session(struct skua_session *sess)
{
	lockdep_assert_held(&skua_conf);
	if (on)
		rcu_assign_pointer(sess->lat, lat_alloc(sizeof(struct skua_lat_sizes)));
}

/* The same for a nexus. */
void skua_lat_add_nexus(struct skua_nexus *nx)
{
	lockdep_assert_held(&skua_conf);
	if (on)
		rcu_assign_pointer(nx->lat, lat_alloc(sizeof(struct skua_hist)));
}

/* Give a session and its nexuses empty ones, or none; skua_conf is held. */
static int lat_renew(struct skua_session *sess, bool give)
{
	const struct skua_lun_table *table;
	struct skua_lat *lat = NULL;
	struct skua_nexus *nx;
	u32 i;

	if (give) {
		lat = lat_alloc(sizeof(struct skua_lat_sizes));
		if (!lat)
			return -ENOMEM;
	}
	lat_replace(&sess->lat, lat);
	table = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	for (i = 0; table && i < table->nr; i++) {
		nx = table->nexus[i];
		if (!nx)
			continue;
		if (give) {
			lat = lat_alloc(sizeof(struct skua_hist));
			if (!lat)
				return -ENOMEM;
		}
		lat_replace(&nx->lat, lat);
	}
	return 0;
}

static int lat_renew_all(bool give)
{
	struct skua_session *sess;
	struct skua_driver *drv;
	struct skua_tgt *tgt;
	int ret;

	list_for_each_entry(drv, &skua_drivers, link)
		list_for_each_entry(tgt, &drv->tgts, link)
			list_for_each_entry(sess, &tgt->sessions, link) {
				ret = lat_renew(sess, give);
				if (ret)
					return ret;
			}
	return 0;
}

/**
 * skua_lat_switch() - measure, or do not
 * @give: measure
 *
 * Context: process.
 * Return: 0; -ENOMEM: it is off.
 */
int skua_lat_switch(bool give)
{
	int ret = 0;

	mutex_lock(&switch_lock);
	if (give == skua_lat_measuring())
		goto out;
	if (!give)
		static_branch_disable(&skua_measuring);
	mutex_lock(&skua_conf);
	ret = lat_renew_all(give);
	on = give && !ret;
	if (ret)
		lat_renew_all(false);
	mutex_unlock(&skua_conf);
	if (on)
		static_branch_enable(&skua_measuring);
out:
	mutex_unlock(&switch_lock);
	return ret;
}

/**
 * skua_lat_clear() - forget what a session and its LUNs have measured
 * @sess: the session
 *
 * Context: process.
 * Return: 0, or -ENOMEM: not all of it is forgotten.
 */
int skua_lat_clear(struct skua_session *sess)
{
	int ret = 0;

	mutex_lock(&skua_conf);
	if (on)
		ret = lat_renew(sess, true);
	mutex_unlock(&skua_conf);
	return ret;
}

/* ---- what is shown ---------------------------------------------------- */

/**
 * skua_lat_show_sizes() - a session's commands of one kind and size
 * @sess: the session
 * @kind: SKUA_STAT_*
 * @size: 0: up to 512 bytes, 1: up to 1024 ...
 * @buf: a page
 *
 * Return: length. Only the headline if there are no samples.
 */
ssize_t skua_lat_show_sizes(struct skua_session *sess, int kind, unsigned int size, char *buf)
{
	struct skua_spread sum[NR_STAGES] = {};
	const struct skua_lat_sizes *sizes;
	const struct skua_lat *lat;
	int cpu, len, i;

	rcu_read_lock();
	lat = rcu_dereference(sess->lat);
	for_each_possible_cpu(cpu) {
		sizes = lat ? READ_ONCE(lat->block[cpu * SKUA_NR_STAT + kind]) : NULL;
		for (i = 0; sizes && i < NR_STAGES; i++)
			skua_spread_merge(&sum[i], &sizes->at[size][i]);
	}
	rcu_read_unlock();
	len = scnprintf(buf, PAGE_SIZE, "state count min max avg stddev\n");
	for (i = 0; i < NR_STAGES; i++)
		if (sum[i].count)
			len += skua_spread_print(&sum[i], stage_names[i], i != STAGE_TOTAL,
						 buf + len, PAGE_SIZE - len);
	return len;
}

/* The blocks of a kind, or of SKUA_STAT_NONE all that are neither reads nor writes */
static bool is_of_kind(int block, int kind)
{
	if (block == SKUA_STAT_READ || block == SKUA_STAT_WRITE)
		return block == kind;
	return kind == SKUA_STAT_NONE;
}

/**
 * skua_lat_show_nexus() - the histogram of one kind of a LUN's commands
 * @nx: the nexus
 * @kind: SKUA_STAT_READ, SKUA_STAT_WRITE, or SKUA_STAT_NONE for all others
 * @buf: a page
 *
 * Return: length; 0 if nothing is measured; -ENOMEM.
 */
ssize_t skua_lat_show_nexus(struct skua_nexus *nx, int kind, char *buf)
{
	const struct skua_hist *hist;
	const struct skua_lat *lat;
	struct skua_hist *sum;
	ssize_t len = 0;
	int cpu, i;

	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	rcu_read_lock();
	lat = rcu_dereference(nx->lat);
	for_each_possible_cpu(cpu) {
		for (i = 0; lat && i < SKUA_NR_STAT; i++) {
			hist = READ_ONCE(lat->block[cpu * SKUA_NR_STAT + i]);
			if (hist && is_of_kind(i, kind))
				skua_hist_merge(sum, hist);
		}
	}
	rcu_read_unlock();
	if (lat)
		len = skua_hist_print(sum, buf, PAGE_SIZE);
	kfree(sum);
	return len;
}
