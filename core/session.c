// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions (I_T nexuses) and their queues.
 *
 * A session ends when an administrator or its transport says so, or when its last
 * queue is killed. The end is one function, run once: unlink, ask the transport to
 * disconnect the queues, take the directory out, end the LUN table. Nothing in it
 * waits for a command. The memory goes with the last reference: one while linked,
 * one per queue, one per nexus.
 *
 * A queue ends by skua_queue_kill(); when its percpu_ref is zero no command and no
 * task management function of it is left, and dead_work unlinks it and hands it
 * back to the transport.
 */
#include <linux/slab.h>
#include <linux/srcu.h>

#include "latency.h"
#include "priv.h"

static atomic64_t skua_session_ids = ATOMIC64_INIT(0);

/* ---- lifetime --------------------------------------------------------- */

/* The kobject's release. */
void skua_session_free(struct skua_session *sess)
{
	struct skua_lun_table *table = rcu_dereference_protected(sess->luns, 1);

	if (table)
		kvfree_rcu(table, rcu);
	skua_lat_free(&sess->lat);
	free_percpu(sess->stats);
	kfree(sess);
}

static void skua_session_last_put(struct kref *refs)
{
	struct skua_session *sess = container_of(refs, struct skua_session, refs);
	struct skua_tgt *tgt = sess->tgt;

	kobject_put(&sess->kobj);
	kobject_put(&tgt->kobj);
}

void skua_session_ref_put(struct skua_session *sess)
{
	kref_put(&sess->refs, skua_session_last_put);
}

/* Call close_queue for each queue; a queue that is called for cannot go meanwhile. */
static void skua_session_close_queues(struct skua_session *sess)
{
	struct skua_queue *queue, *prev = NULL;

	spin_lock_irq(&sess->lock);
	list_for_each_entry(queue, &sess->queues, link) {
		if (atomic_read(&queue->killed) || !percpu_ref_tryget(&queue->ref))
			continue;
		spin_unlock_irq(&sess->lock);
		READ_ONCE(queue->ops)->close_queue(queue);
		if (prev)
			percpu_ref_put(&prev->ref);
		prev = queue;		/* keeps our place in the list */
		spin_lock_irq(&sess->lock);
	}
	spin_unlock_irq(&sess->lock);
	if (prev)
		percpu_ref_put(&prev->ref);
}

/* Unlink; false if that was done before. */
static bool skua_session_unlink(struct skua_session *sess)
{
	bool won;

	mutex_lock(&skua_conf);
	won = !sess->closing;
	if (won) {
		WRITE_ONCE(sess->closing, true);
		list_move_tail(&sess->link, &sess->tgt->ending);
		if (sess->grp)
			sess->grp->nr_sessions--;
	}
	mutex_unlock(&skua_conf);
	return won;
}

static void skua_session_end_luns(struct skua_session *sess)
{
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	sess->grp = NULL;
	skua_session_unmap(sess, &reap);
	mutex_unlock(&skua_conf);
	skua_reap(&reap);
}

static void skua_session_end(struct skua_session *sess)
{
	if (!skua_session_unlink(sess)) {
		wait_for_completion(&sess->closed);
		return;
	}
	skua_session_close_queues(sess);
	skua_session_end_luns(sess);
	skua_sysfs_session_del(sess);
	pr_info_ratelimited("skua: %s/%s: session of %s ended\n", sess->tgt->drv->ops->name,
			    sess->tgt->name, sess->initiator);
	mutex_lock(&skua_conf);
	list_del(&sess->link);
	mutex_unlock(&skua_conf);
	complete_all(&sess->closed);
	skua_session_ref_put(sess);	/* that of being linked */
}

static void skua_session_close_work(struct work_struct *work)
{
	struct skua_session *sess = container_of(work, struct skua_session, close_work);

	skua_session_end(sess);
	skua_session_ref_put(sess);
}

/* sess->lock is held. */
static void skua_session_ask_close(struct skua_session *sess)
{
	if (sess->close_asked)
		return;
	WRITE_ONCE(sess->close_asked, true);
	kref_get(&sess->refs);
	queue_work(skua_mgmt_wq, &sess->close_work);
}

/**
 * skua_session_close() - start to end a session
 * @sess: the session; the caller holds a reference in some way
 *
 * Context: any. Returns before the end.
 */
void skua_session_close(struct skua_session *sess)
{
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	skua_session_ask_close(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
}
EXPORT_SYMBOL_GPL(skua_session_close);

/* ---- creation --------------------------------------------------------- */

static struct skua_session *skua_session_find(struct list_head *list, const void *key, u32 len)
{
	struct skua_session *sess;

	list_for_each_entry(sess, list, link)
		if (sess->key_len == len && !memcmp(sess->key, key, len))
			return sess;
	return NULL;
}

/* One that takes another queue; it may begin to end at any moment. */
static struct skua_session *skua_session_find_live(struct skua_tgt *tgt, const void *key, u32 len)
{
	struct skua_session *sess;

	list_for_each_entry(sess, &tgt->sessions, link)
		if (sess->key_len == len && !memcmp(sess->key, key, len) &&
		    !READ_ONCE(sess->close_asked))
			return sess;
	return NULL;
}

static struct skua_session *skua_session_alloc(struct skua_tgt *tgt,
					       const struct skua_session_params *params)
{
	struct skua_session *sess;

	if (params->key_len > sizeof(sess->key) ||
	    params->transport_id_len > sizeof(sess->transport_id))
		return NULL;
	sess = kzalloc(sizeof(*sess), GFP_KERNEL);
	if (!sess)
		return NULL;
	sess->stats = alloc_percpu(struct skua_stats);
	if (!sess->stats) {
		kfree(sess);
		return NULL;
	}
	spin_lock_init(&sess->lock);
	INIT_LIST_HEAD(&sess->queues);
	INIT_WORK(&sess->close_work, skua_session_close_work);
	init_completion(&sess->closed);
	kref_init(&sess->refs);
	kobject_init(&sess->kobj, &skua_session_ktype);
	sess->tgt = tgt;
	kobject_get(&tgt->kobj);
	sess->id = atomic64_inc_return(&skua_session_ids);
	sess->priv = params->priv;
	memcpy(sess->key, params->key, params->key_len);
	sess->key_len = params->key_len;
	memcpy(sess->transport_id, params->transport_id, params->transport_id_len);
	sess->transport_id_len = params->transport_id_len;
	strscpy(sess->initiator, params->initiator, sizeof(sess->initiator));
	skua_lat_add_session(sess);
	return sess;
}

/* skua_conf is held. */
static struct skua_session *skua_session_create(struct skua_tgt *tgt,
						const struct skua_session_params *params,
						struct list_head *reap)
{
	struct skua_session *sess = skua_session_alloc(tgt, params);
	int ret;

	if (!sess)
		return ERR_PTR(-ENOMEM);
	sess->grp = skua_group_for(tgt, sess->initiator);
	ret = skua_session_remap(sess, reap);
	if (!ret)
		ret = skua_sysfs_session_add(sess, params);
	if (ret) {
		sess->grp = NULL;
		skua_session_unmap(sess, reap);
		skua_session_ref_put(sess);
		return ERR_PTR(ret);
	}
	if (params->link_to &&
	    sysfs_create_link(&sess->kobj, params->link_to, params->link_name))
		pr_warn("skua: %s: no link %s\n", sess->initiator, params->link_name);
	sess->grp->nr_sessions++;
	list_add_tail(&sess->link, &tgt->sessions);
	kref_get(&sess->refs);		/* the caller's */
	return sess;
}

/**
 * skua_session_get() - the session for a login
 * @tgt: the target
 * @params: what the login says
 *
 * Context: process.
 * Return: a session, new or (with @params->join) joined, with a reference that
 * skua_session_put() drops; or an error pointer: -EACCES target disabled or going
 * away, -ENOMEM.
 */
struct skua_session *skua_session_get(struct skua_tgt *tgt,
				      const struct skua_session_params *params)
{
	struct skua_session *sess = NULL;
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	if (tgt->dead || tgt->deleting || !skua_tgt_enabled(tgt)) {
		sess = ERR_PTR(-EACCES);
		goto out;
	}
	if (params->join)
		sess = skua_session_find_live(tgt, params->key, params->key_len);
	if (sess)
		kref_get(&sess->refs);
	else
		sess = skua_session_create(tgt, params, &reap);
out:
	mutex_unlock(&skua_conf);
	skua_settle(tgt, &reap);
	return sess;
}
EXPORT_SYMBOL_GPL(skua_session_get);

/**
 * skua_session_put() - drop skua_session_get()'s reference
 * @sess: the session; it ends if no queue was attached
 *
 * Context: process.
 */
void skua_session_put(struct skua_session *sess)
{
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	if (!sess->live_queues)
		skua_session_ask_close(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
	skua_session_ref_put(sess);
}
EXPORT_SYMBOL_GPL(skua_session_put);

/**
 * skua_session_close_key() - end the sessions of an initiator port
 * @tgt: the target
 * @key: see struct skua_session_params
 * @key_len: bytes
 *
 * Context: process. On return they are out of the tree; commands may still run.
 */
void skua_session_close_key(struct skua_tgt *tgt, const void *key, u32 key_len)
{
	struct skua_session *sess;

	for (;;) {
		mutex_lock(&skua_conf);
		sess = skua_session_find(&tgt->sessions, key, key_len) ?:
		       skua_session_find(&tgt->ending, key, key_len);
		if (sess)
			kref_get(&sess->refs);
		mutex_unlock(&skua_conf);
		if (!sess)
			return;
		skua_session_end(sess);
		skua_session_ref_put(sess);
	}
}
EXPORT_SYMBOL_GPL(skua_session_close_key);

/**
 * skua_tgt_close_sessions() - end all sessions of a target
 * @tgt: the target
 *
 * Context: process. On return they are out of the tree; commands may still run.
 */
void skua_tgt_close_sessions(struct skua_tgt *tgt)
{
	struct skua_session *sess;

	for (;;) {
		mutex_lock(&skua_conf);
		sess = list_first_entry_or_null(&tgt->sessions, struct skua_session, link) ?:
		       list_first_entry_or_null(&tgt->ending, struct skua_session, link);
		if (sess)
			kref_get(&sess->refs);
		mutex_unlock(&skua_conf);
		if (!sess)
			return;
		skua_session_end(sess);
		skua_session_ref_put(sess);
	}
}

/* ---- accessors -------------------------------------------------------- */

void *skua_session_priv(const struct skua_session *sess)
{
	return sess->priv;
}
EXPORT_SYMBOL_GPL(skua_session_priv);

const char *skua_session_initiator(const struct skua_session *sess)
{
	return sess->initiator;
}
EXPORT_SYMBOL_GPL(skua_session_initiator);

struct skua_tgt *skua_session_tgt(const struct skua_session *sess)
{
	return sess->tgt;
}
EXPORT_SYMBOL_GPL(skua_session_tgt);

struct kobject *skua_session_kobj(struct skua_session *sess)
{
	return &sess->kobj;
}
EXPORT_SYMBOL_GPL(skua_session_kobj);

/**
 * skua_session_for_each_queue() - visit the queues
 * @sess: the session
 * @fn: called under a spinlock with interrupts off
 * @arg: for @fn
 *
 * Context: any.
 */
void skua_session_for_each_queue(struct skua_session *sess,
				 void (*fn)(struct skua_queue *queue, void *arg), void *arg)
{
	struct skua_queue *queue;
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	list_for_each_entry(queue, &sess->queues, link)
		fn(queue, arg);
	spin_unlock_irqrestore(&sess->lock, flags);
}
EXPORT_SYMBOL_GPL(skua_session_for_each_queue);

/**
 * skua_session_for_each_cmd() - visit all slots, whatever is in them
 * @sess: the session
 * @fn: called under a spinlock with interrupts off; looks at cmd->state first
 * @arg: for @fn
 */
void skua_session_for_each_cmd(struct skua_session *sess,
			       void (*fn)(struct skua_cmd *cmd, void *arg), void *arg)
{
	struct skua_queue *queue;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&sess->lock, flags);
	list_for_each_entry(queue, &sess->queues, link)
		for (i = 0; i < queue->nr_slots; i++)
			fn(queue->slots + i * queue->stride, arg);
	spin_unlock_irqrestore(&sess->lock, flags);
}

struct skua_active {
	const struct skua_nexus *nx;
	u32 nr;
};

static void skua_session_count(struct skua_cmd *cmd, void *arg)
{
	struct skua_active *active = arg;

	if (atomic_read(&cmd->state) & SKUA_ST_FLAGS &&
	    (!active->nx || READ_ONCE(cmd->nexus) == active->nx))
		active->nr++;
}

/**
 * skua_session_active() - commands in the target
 * @sess: the session
 * @nx: only those of this nexus, or NULL
 */
u32 skua_session_active(struct skua_session *sess, const struct skua_nexus *nx)
{
	struct skua_active active = { .nx = nx };

	skua_session_for_each_cmd(sess, skua_session_count, &active);
	return active.nr;
}

/* ---- what transports are told ----------------------------------------- */

static void skua_queue_aborted(struct skua_queue *queue, void *arg)
{
	const struct skua_transport *ops = READ_ONCE(queue->ops);

	if (ops->aborted)
		ops->aborted(queue);
}

/**
 * skua_session_aborted() - commands of a session were aborted
 * @sess: the session
 *
 * Context: any.
 */
void skua_session_aborted(struct skua_session *sess)
{
	skua_session_for_each_queue(sess, skua_queue_aborted, NULL);
}

/**
 * skua_session_luns_event() - an initiator should look at its LUNs again
 * @sess: the session; it has a unit attention that says so
 *
 * Context: process; skua_conf is held.
 */
void skua_session_luns_event(struct skua_session *sess)
{
	if (sess->tgt->drv->ops->luns_changed && !READ_ONCE(sess->tgt->aen_disabled))
		sess->tgt->drv->ops->luns_changed(sess);
}

/* ---- counters --------------------------------------------------------- */

static void skua_stats_sum(const struct skua_session *sess, struct skua_stats *sum)
{
	const struct skua_stats *stats;
	int cpu, dir;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		stats = per_cpu_ptr(sess->stats, cpu);
		for (dir = 0; dir < SKUA_NR_STAT; dir++) {
			sum->dir[dir].cmds += READ_ONCE(stats->dir[dir].cmds);
			sum->dir[dir].bytes += READ_ONCE(stats->dir[dir].bytes);
			sum->dir[dir].unaligned += READ_ONCE(stats->dir[dir].unaligned);
		}
	}
}

/**
 * skua_session_stats() - the counters since the start or the last clear
 * @sess: the session
 * @sum: where to
 */
void skua_session_stats(struct skua_session *sess, struct skua_stats *sum)
{
	int dir;

	skua_stats_sum(sess, sum);
	for (dir = 0; dir < SKUA_NR_STAT; dir++) {
		sum->dir[dir].cmds -= READ_ONCE(sess->base.dir[dir].cmds);
		sum->dir[dir].bytes -= READ_ONCE(sess->base.dir[dir].bytes);
		sum->dir[dir].unaligned -= READ_ONCE(sess->base.dir[dir].unaligned);
	}
}

/**
 * skua_session_stats_clear() - count one direction from zero
 * @sess: the session
 * @dir: SKUA_STAT_*
 */
void skua_session_stats_clear(struct skua_session *sess, int dir)
{
	struct skua_stats sum;

	skua_stats_sum(sess, &sum);
	sess->base.dir[dir] = sum.dir[dir];
}

/* ---- queues ----------------------------------------------------------- */

/*
 * queue->killed. Whoever takes it from KILLED decides who frees the queue: the
 * transport, or the core.
 */
enum {
	SKUA_Q_LIVE,
	SKUA_Q_KILLED,
	SKUA_Q_DEAD,			/* the transport: drained() is called */
	SKUA_Q_CLAIMED,			/* the core, but skua_queue_orphan() still works on it */
	SKUA_Q_ZERO,			/* as CLAIMED, and the last reference has gone */
	SKUA_Q_ORPHANED,		/* the core, with the last reference */
};

static void skua_queue_unlink(struct skua_queue *queue)
{
	struct skua_session *sess = queue->session;

	spin_lock_irq(&sess->lock);
	list_del(&queue->link);
	spin_unlock_irq(&sess->lock);
	percpu_ref_exit(&queue->ref);
}

static void skua_queue_free_orphan(struct skua_queue *queue)
{
	struct skua_session *sess = queue->session;

	skua_queue_unlink(queue);
	kvfree(queue->orphan);
	skua_session_ref_put(sess);
	module_put(THIS_MODULE);
}

/* A drained() that has let its module go may still have to return from there. */
DEFINE_STATIC_SRCU(skua_draining);

/**
 * skua_queues_drained() - until no drained() that has begun runs any more
 *
 * Context: process; a transport leaves.
 */
void skua_queues_drained(void)
{
	synchronize_srcu(&skua_draining);
}

static void skua_queue_dead_work(struct work_struct *work)
{
	struct skua_queue *queue = container_of(work, struct skua_queue, dead_work);
	struct skua_session *sess = queue->session;
	int idx;

	if (atomic_cmpxchg(&queue->killed, SKUA_Q_KILLED, SKUA_Q_DEAD) == SKUA_Q_KILLED) {
		skua_queue_unlink(queue);
		idx = srcu_read_lock(&skua_draining);
		queue->drained(queue);
		srcu_read_unlock(&skua_draining, idx);
		skua_session_ref_put(sess);
	} else if (atomic_cmpxchg(&queue->killed, SKUA_Q_CLAIMED, SKUA_Q_ZERO) !=
		   SKUA_Q_CLAIMED) {
		skua_queue_free_orphan(queue);
	}
}

static void skua_queue_released(struct percpu_ref *ref)
{
	struct skua_queue *queue = container_of(ref, struct skua_queue, ref);

	queue_work(skua_mgmt_wq, &queue->dead_work);
}

/**
 * skua_queue_attach() - a connection joins a session
 * @queue: with the transport's fields filled in; commands may be submitted after
 * @sess: the session
 *
 * Context: process.
 * Return: 0; -ENOMEM; -ESHUTDOWN: the session is closing.
 */
int skua_queue_attach(struct skua_queue *queue, struct skua_session *sess)
{
	int ret;

	ret = percpu_ref_init(&queue->ref, skua_queue_released, 0, GFP_KERNEL);
	if (ret)
		return ret;
	queue->session = sess;
	queue->ops = sess->tgt->drv->ops;
	queue->orphan = NULL;
	atomic_set(&queue->killed, SKUA_Q_LIVE);
	INIT_WORK(&queue->dead_work, skua_queue_dead_work);

	spin_lock_irq(&sess->lock);
	if (sess->close_asked || READ_ONCE(sess->closing)) {
		spin_unlock_irq(&sess->lock);
		percpu_ref_exit(&queue->ref);
		return -ESHUTDOWN;
	}
	kref_get(&sess->refs);
	sess->live_queues++;
	list_add_tail(&queue->link, &sess->queues);
	spin_unlock_irq(&sess->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(skua_queue_attach);

/*
 * Nobody will hear of these commands (SAM-5 6.3.4: they are aborted). The initiator may
 * log in again and send them anew, so one that has not got to its backend yet must not
 * follow later, and one that is made of several steps does not begin the next.
 */
static void skua_queue_abort(struct skua_queue *queue)
{
	struct skua_cmd *cmd;
	int old;
	u32 i;

	for (i = 0; i < queue->nr_slots; i++) {
		cmd = queue->slots + i * queue->stride;
		old = atomic_read(&cmd->state);
		while (old & SKUA_ST_ACTIVE && !(old & SKUA_ST_ABORTED))
			if (atomic_try_cmpxchg(&cmd->state, &old, old | SKUA_ST_ABORTED))
				break;
	}
}

/**
 * skua_queue_kill() - the connection is gone
 * @queue: an attached queue
 *
 * No command is accepted any more, and those under way are aborted;
 * queue->drained() follows when none is left. The session ends with its last queue.
 * Idempotent. Context: any.
 */
void skua_queue_kill(struct skua_queue *queue)
{
	struct skua_session *sess = queue->session;
	unsigned long flags;

	if (atomic_cmpxchg(&queue->killed, SKUA_Q_LIVE, SKUA_Q_KILLED) != SKUA_Q_LIVE)
		return;
	spin_lock_irqsave(&sess->lock, flags);
	if (!--sess->live_queues)
		skua_session_ask_close(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
	percpu_ref_get(&queue->ref);	/* drained() may free the queue else */
	percpu_ref_kill(&queue->ref);
	skua_queue_abort(queue);
	percpu_ref_put(&queue->ref);
}
EXPORT_SYMBOL_GPL(skua_queue_kill);

/* What takes the place of a transport that was unloaded. */
static void skua_orphan_start(struct skua_cmd *cmd, bool may_sleep)
{
	skua_cmd_transfer_failed(cmd);
}

static void skua_orphan_respond(struct skua_cmd *cmd)
{
	skua_cmd_release(cmd);
}

static void skua_orphan_respond_tmf(struct skua_tmf *tmf)
{
	skua_tmf_release(tmf);
}

static void skua_orphan_close_queue(struct skua_queue *queue)
{
}

static const struct skua_transport skua_orphan_ops = {
	.name = "orphan",
	.start = skua_orphan_start,
	.respond = skua_orphan_respond,
	.respond_tmf = skua_orphan_respond_tmf,
	.close_queue = skua_orphan_close_queue,
};

/**
 * skua_queue_orphan() - leave a killed queue, whose last commands a backend does
 *	not give back, to the core
 * @queue: a killed queue
 * @mem: memory that holds @queue and its slots, from kvmalloc(): the core frees it
 *	when the last command has come back
 * @strip: called if it is left to the core: take from the slots what is not part of
 *	@mem; or NULL
 *
 * For a transport that must unload: all else of the queue is torn down, no call of
 * its start() is running, and respond() was safe to call until now.
 *
 * Context: process.
 * Return: true: drained() will not be called, and @queue may be gone already unless
 * the caller holds it. false: the last command has come back meanwhile; drained()
 * has been called or is about to be.
 */
bool skua_queue_orphan(struct skua_queue *queue, void *mem,
		       void (*strip)(struct skua_queue *queue))
{
	__module_get(THIS_MODULE);
	queue->orphan = mem;
	WRITE_ONCE(queue->ops, &skua_orphan_ops);
	if (atomic_cmpxchg(&queue->killed, SKUA_Q_KILLED, SKUA_Q_CLAIMED) != SKUA_Q_KILLED) {
		module_put(THIS_MODULE);
		return false;
	}
	synchronize_rcu();		/* skua_cmd_done() calls ops in an RCU section */
	if (strip)
		strip(queue);
	if (atomic_cmpxchg(&queue->killed, SKUA_Q_CLAIMED, SKUA_Q_ORPHANED) == SKUA_Q_ZERO)
		skua_queue_free_orphan(queue);
	return true;
}
EXPORT_SYMBOL_GPL(skua_queue_orphan);

/**
 * skua_queue_hold() - keep drained() from being called
 * @queue: a queue that cannot reach the end of drained() meanwhile: one that was not
 *	killed yet, or of which the caller has a command
 *
 * Context: any. Return: false if the last reference is gone already.
 */
bool skua_queue_hold(struct skua_queue *queue)
{
	return percpu_ref_tryget(&queue->ref);
}
EXPORT_SYMBOL_GPL(skua_queue_hold);

/**
 * skua_queue_unhold() - undo skua_queue_hold()
 * @queue: the queue
 */
void skua_queue_unhold(struct skua_queue *queue)
{
	percpu_ref_put(&queue->ref);
}
EXPORT_SYMBOL_GPL(skua_queue_unhold);
