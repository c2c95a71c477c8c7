// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's life, as far as it is the same for all movers.
 *
 * It begins with iscsit_conn_init(), ends with iscsit_conn_end(), and its memory goes with
 * the last reference: the core's queue holds one until the last command has come back,
 * however long a backend keeps it.
 */
#include <linux/in6.h>
#include <linux/slab.h>

#include "iscsit.h"

#define ISCSIT_LOGIN_TIMEOUT	(15 * HZ)
#define ISCSIT_MAX_HALF_OPEN	512
#define ISCSIT_MAX_DISCOVERIES	256
#define ISCSIT_DISCOVERY_IDLE	(60 * HZ)
#define ISCSIT_DYING_TIME	(2 * HZ)
#define ISCSIT_UNLOAD_TIMEOUT	(10 * HZ)

static LIST_HEAD(iscsit_conns);		/* all connections whose memory is there */
static DEFINE_SPINLOCK(iscsit_conns_lock);
static DECLARE_WAIT_QUEUE_HEAD(iscsit_conns_gone);
static atomic_t iscsit_half_open = ATOMIC_INIT(0);
static atomic_t iscsit_discoveries = ATOMIC_INIT(0);

unsigned int iscsit_half_open_now(void)
{
	return atomic_read(&iscsit_half_open);
}

unsigned int iscsit_half_open_limit(void)
{
	return ISCSIT_MAX_HALF_OPEN;
}

/**
 * iscsit_half_open_end() - a connection is no login in progress any more
 * @conn: the connection
 *
 * Context: any.
 */
void iscsit_half_open_end(struct iscsit_conn *conn)
{
	if (atomic_xchg(&conn->half_open, 0))
		atomic_dec(&iscsit_half_open);
}
EXPORT_SYMBOL_GPL(iscsit_half_open_end);

/**
 * iscsit_discovery_begin() - a login becomes a discovery session, if there is room for one
 * @conn: the connection; iscsit_conn_end() ends it
 *
 * Context: process, once.
 */
bool iscsit_discovery_begin(struct iscsit_conn *conn)
{
	if (atomic_inc_return(&iscsit_discoveries) > ISCSIT_MAX_DISCOVERIES) {
		atomic_dec(&iscsit_discoveries);
		return false;
	}
	conn->discovery = true;
	return true;
}

/* ---- references ------------------------------------------------------- */

static void iscsit_free_work(struct work_struct *work)
{
	struct iscsit_conn *conn = container_of(work, struct iscsit_conn, free_work);

	if (conn->login)
		iscsi_login_wipe(conn->login);
	kvfree(conn->login);
	kvfree(conn->text);
	if (conn->late)
		iscsit_ctl_free(conn->late);
	if (conn->target)
		iscsit_target_put(conn->target);
	spin_lock(&iscsit_conns_lock);
	list_del(&conn->all);
	wake_up(&iscsit_conns_gone);
	spin_unlock(&iscsit_conns_lock);
	conn->mover->free(conn);
}

/* The last reference may go in any context. */
static void iscsit_conn_unref(struct kref *refs)
{
	struct iscsit_conn *conn = container_of(refs, struct iscsit_conn, refs);

	queue_work(iscsit_wq, &conn->free_work);
}

void iscsit_conn_get(struct iscsit_conn *conn)
{
	kref_get(&conn->refs);
}
EXPORT_SYMBOL_GPL(iscsit_conn_get);

/**
 * iscsit_conn_put() - drop a reference
 * @conn: the connection; freed later, in process context, if that was the last one
 *
 * Context: any.
 */
void iscsit_conn_put(struct iscsit_conn *conn)
{
	kref_put(&conn->refs, iscsit_conn_unref);
}
EXPORT_SYMBOL_GPL(iscsit_conn_put);

static void iscsit_drained(struct skua_queue *queue)
{
	struct iscsit_conn *conn = container_of(queue, struct iscsit_queue, queue)->conn;

	iscsit_conn_put(conn);
}

/* It takes no place of the target's MaxSessions any more. */
static void iscsit_conn_uncount(struct iscsit_conn *conn)
{
	if (atomic_xchg(&conn->counted, 0))
		atomic_dec(&conn->target->nr_sessions);
}

/**
 * iscsit_queue_init() - fill in what all queues have
 * @conn: the connection, with depth set
 * @q: zeroed, at the beginning of what becomes conn->q; the mover adds flags
 * @slots: first struct skua_cmd, of iscsit_nr_slots()
 * @stride: bytes from one to the next
 */
void iscsit_queue_init(struct iscsit_conn *conn, struct iscsit_queue *q, void *slots,
		       size_t stride)
{
	q->conn = conn;
	q->mover = conn->mover;
	q->queue.cpu = conn->cpu;
	q->queue.slots = slots;
	q->queue.stride = stride;
	q->queue.nr_slots = iscsit_nr_slots(conn);
	q->queue.drained = iscsit_drained;
	conn->q = q;
}
EXPORT_SYMBOL_GPL(iscsit_queue_init);

/* ---- the beginning ---------------------------------------------------- */

static void iscsit_timer_work(struct work_struct *work)
{
	struct iscsit_conn *conn = container_of(work, struct iscsit_conn, timer.work);
	unsigned long now = jiffies, sent = READ_ONCE(conn->nop_sent);

	if (atomic_read(&conn->half_open)) {
		pr_info_ratelimited("skua_iscsi: %s: no login within %u s\n", conn->peer,
				    ISCSIT_LOGIN_TIMEOUT / HZ);
		iscsit_conn_close(conn);
		return;
	}
	if (conn->dying && time_after(now, conn->dying + ISCSIT_DYING_TIME)) {
		iscsit_conn_close(conn);
		return;
	}
	if (READ_ONCE(conn->discovery) &&
	    time_after(now, READ_ONCE(conn->last_rx) + ISCSIT_DISCOVERY_IDLE)) {
		iscsit_conn_close(conn);
		return;
	}
	if (!conn->nop_interval)
		goto again;
	if (sent && time_after(now, sent + conn->nop_timeout * HZ)) {
		pr_info("skua_iscsi: %s: no answer within %u s: the connection ends\n",
			conn->peer, conn->nop_timeout);
		iscsit_conn_close(conn);
		return;
	}
	if (!sent && time_after_eq(now, READ_ONCE(conn->last_rx) + conn->nop_interval * HZ))
		iscsit_ask_nop(conn);
again:
	if (!READ_ONCE(conn->ended))
		queue_delayed_work(iscsit_wq, &conn->timer, HZ);
}

/**
 * iscsit_conn_full() - the login is over: the timer looks for dead peers from now on
 * @conn: the connection, whose last login response is queued
 */
void iscsit_conn_full(struct iscsit_conn *conn)
{
	/* Behind the response, others may say something. */
	smp_store_release(&conn->full, true);
	iscsit_half_open_end(conn);
	if (!READ_ONCE(conn->ended))
		mod_delayed_work(iscsit_wq, &conn->timer, HZ);
}

/**
 * iscsit_conn_dying() - let the timer end the connection if the initiator does not
 * @conn: the connection
 *
 * Return: false if that was done before, or the login is not over: it ends at once then.
 */
bool iscsit_conn_dying(struct iscsit_conn *conn)
{
	/* Set when the session is in place. */
	if (!smp_load_acquire(&conn->full)) {
		iscsit_conn_close(conn);
		return false;
	}
	return !cmpxchg(&conn->dying, 0, jiffies | 1);
}

/**
 * iscsit_conn_names() - fill in peer, peer_ip and local
 * @conn: the connection
 * @peer: address and port of the initiator
 * @local: address and port here
 */
void iscsit_conn_names(struct iscsit_conn *conn, const struct sockaddr_storage *peer,
		       const struct sockaddr_storage *local)
{
	snprintf(conn->peer, sizeof(conn->peer), "%pISpc", peer);
	snprintf(conn->local, sizeof(conn->local), "%pISpc", local);
	if (peer->ss_family == AF_INET6)
		snprintf(conn->peer_ip, sizeof(conn->peer_ip), "[%pI6]",
			 &((const struct sockaddr_in6 *)peer)->sin6_addr);
	else
		snprintf(conn->peer_ip, sizeof(conn->peer_ip), "%pIS", peer);
}
EXPORT_SYMBOL_GPL(iscsit_conn_names);

/**
 * iscsit_conn_init() - a mover has accepted a connection
 * @conn: zeroed, with peer, local, peer_ip and cpu filled in
 * @mover: whose it is
 *
 * Counts it as a login in progress and gives it a time for that. On success the mover
 * ends it by iscsit_conn_end(), on failure it just frees it.
 *
 * Context: process. Return: 0; -EBUSY: too many logins are in progress; -ENOMEM.
 */
int iscsit_conn_init(struct iscsit_conn *conn, const struct iscsit_mover *mover)
{
	if (atomic_inc_return(&iscsit_half_open) > ISCSIT_MAX_HALF_OPEN) {
		atomic_dec(&iscsit_half_open);
		pr_info_ratelimited("skua_iscsi: %s: refused: too many logins at once\n",
				    conn->peer);
		return -EBUSY;
	}
	conn->mover = mover;
	kref_init(&conn->refs);
	spin_lock_init(&conn->sn_lock);
	INIT_WORK(&conn->free_work, iscsit_free_work);
	INIT_DELAYED_WORK(&conn->timer, iscsit_timer_work);
	conn->last_rx = jiffies;
	conn->max_recv = ISCSI_LOGIN_DSL;
	atomic_set(&conn->half_open, 1);
	if (iscsit_login_begin(conn)) {
		iscsit_half_open_end(conn);
		return -ENOMEM;
	}
	spin_lock(&iscsit_conns_lock);
	list_add_tail(&conn->all, &iscsit_conns);
	spin_unlock(&iscsit_conns_lock);
	queue_delayed_work(iscsit_wq, &conn->timer, ISCSIT_LOGIN_TIMEOUT);
	return 0;
}
EXPORT_SYMBOL_GPL(iscsit_conn_init);

/* ---- the end ---------------------------------------------------------- */

/**
 * iscsit_conn_close() - begin the end of a connection, if nobody has yet
 * @conn: a connection that the caller knows to stay meanwhile
 *
 * Context: any.
 */
void iscsit_conn_close(struct iscsit_conn *conn)
{
	conn->mover->close(conn);
}
EXPORT_SYMBOL_GPL(iscsit_conn_close);

/**
 * iscsit_conn_end() - the mover has stopped
 * @conn: the connection: no PDU of it is handed on any more, nothing is sent, and no
 *	command waits for data. May be freed before this returns
 *
 * Context: process, once.
 */
void iscsit_conn_end(struct iscsit_conn *conn)
{
	cancel_delayed_work_sync(&conn->timer);
	iscsit_half_open_end(conn);
	if (conn->discovery)
		atomic_dec(&iscsit_discoveries);
	iscsit_conn_uncount(conn);
	if (conn->attached)
		skua_queue_kill(&conn->q->queue);
	/* Unload leaves killed queues to the core, no others. */
	WRITE_ONCE(conn->ended, true);
	iscsit_conn_put(conn);
}
EXPORT_SYMBOL_GPL(iscsit_conn_end);

/**
 * iscsit_conns_reinstate() - an initiator port logs in again: its old connection ends
 * @by: the new connection
 *
 * At once, that is without a word to the initiator, which knows. Context: process.
 */
void iscsit_conns_reinstate(const struct iscsit_conn *by)
{
	struct iscsit_conn *conn;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		if (conn != by && conn->target == by->target && READ_ONCE(conn->attached) &&
		    !READ_ONCE(conn->ended) && !memcmp(conn->isid, by->isid, sizeof(by->isid)) &&
		    !strcasecmp(conn->initiator, by->initiator)) {
			iscsit_conn_uncount(conn);
			iscsit_conn_close(conn);
		}
	spin_unlock(&iscsit_conns_lock);
}

/* ---- unload ----------------------------------------------------------- */

/**
 * iscsit_conns_close() - begin the end of all connections of a mover
 * @mover: which; it accepts none any more
 */
void iscsit_conns_close(const struct iscsit_mover *mover)
{
	struct iscsit_conn *conn;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		if (conn->mover == mover && kref_read(&conn->refs))
			iscsit_conn_close(conn);
	spin_unlock(&iscsit_conns_lock);
}

static bool iscsit_conns_none(const struct iscsit_mover *mover)
{
	struct iscsit_conn *conn;
	bool none = true;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		if (conn->mover == mover)
			none = false;
	spin_unlock(&iscsit_conns_lock);
	return none;
}

/* Commands that a backend does not give back: the core keeps their memory. */
static void iscsit_queue_strip(struct skua_queue *queue)
{
	struct iscsit_conn *conn = container_of(queue, struct iscsit_queue, queue)->conn;

	conn->mover->orphan(conn);
}

static void iscsit_conn_orphan(struct iscsit_conn *conn)
{
	struct iscsit_queue *q = conn->q;

	conn->left = true;
	if (!skua_queue_orphan(&q->queue, q, iscsit_queue_strip))
		return;			/* they have just come back */
	pr_warn("skua_iscsi: %s: leaving commands behind that a backend does not give back\n",
		conn->peer);
	conn->q = NULL;
	iscsit_conn_put(conn);
}

/* One that has ended, whose queue the core still has, and that was not tried yet. */
static struct iscsit_conn *iscsit_conn_stuck(const struct iscsit_mover *mover)
{
	struct iscsit_conn *conn;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		if (conn->mover == mover && conn->q && !conn->left && READ_ONCE(conn->ended) &&
		    kref_get_unless_zero(&conn->refs))
			goto out;
	conn = NULL;
out:
	spin_unlock(&iscsit_conns_lock);
	return conn;
}

/**
 * iscsit_conns_wait() - until no connection of a mover is left
 * @mover: which; all of them have been closed, so nothing but backends keeps them
 *
 * What backends do not give back in time is left to the core. Context: process.
 */
void iscsit_conns_wait(const struct iscsit_mover *mover)
{
	struct iscsit_conn *conn;

	while (!wait_event_timeout(iscsit_conns_gone, iscsit_conns_none(mover),
				   ISCSIT_UNLOAD_TIMEOUT)) {
		while ((conn = iscsit_conn_stuck(mover))) {
			iscsit_conn_orphan(conn);
			iscsit_conn_put(conn);
		}
	}
	flush_workqueue(iscsit_wq);
}
