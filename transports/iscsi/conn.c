// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's life.
 *
 * It begins when a portal accepts it and ends in one work item, close_work, which
 * whoever first asks for the end queues. That work stops the socket and io_work, ends
 * what waits for the initiator, and drops its reference; the core's queue holds another
 * one until the last command has come back, however long a backend keeps it.
 */
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "iscsit.h"

#define ISCSIT_LOGIN_TIMEOUT	(15 * HZ)
#define ISCSIT_MAX_HALF_OPEN	256
#define ISCSIT_UNLOAD_TIMEOUT	(10 * HZ)
#define ISCSIT_BUDGET		64	/* PDUs in one run of io_work */

static LIST_HEAD(iscsit_conns);		/* all connections whose memory is there */
static DEFINE_SPINLOCK(iscsit_conns_lock);
static DECLARE_WAIT_QUEUE_HEAD(iscsit_conns_gone);
static atomic_t iscsit_half_open = ATOMIC_INIT(0);

unsigned int iscsit_half_open_now(void)
{
	return atomic_read(&iscsit_half_open);
}

unsigned int iscsit_half_open_limit(void)
{
	return ISCSIT_MAX_HALF_OPEN;
}

/* ---- memory ----------------------------------------------------------- */

static void iscsit_conn_free(struct iscsit_conn *conn)
{
	kvfree(conn->q);
	if (conn->login)
		iscsi_login_wipe(conn->login);
	kvfree(conn->login);
	kvfree(conn->text);
	if (conn->target)
		iscsit_target_put(conn->target);
	spin_lock(&iscsit_conns_lock);
	list_del(&conn->all);
	if (list_empty(&iscsit_conns))
		wake_up(&iscsit_conns_gone);
	spin_unlock(&iscsit_conns_lock);
	kfree(conn);
}

static void iscsit_free_work(struct work_struct *work)
{
	iscsit_conn_free(container_of(work, struct iscsit_conn, free_work));
}

/* The last reference may go in any context. */
static void iscsit_conn_unref(struct kref *refs)
{
	struct iscsit_conn *conn = container_of(refs, struct iscsit_conn, refs);

	queue_work(iscsit_wq, &conn->free_work);
}

static void iscsit_drained(struct skua_queue *queue)
{
	struct iscsit_conn *conn = container_of(queue, struct iscsit_queue, queue)->conn;

	if (conn->counted)
		atomic_dec(&conn->target->nr_sessions);
	kref_put(&conn->refs, iscsit_conn_unref);
}

/**
 * iscsit_conn_alloc_queue() - the slots of a connection that will have a session
 * @conn: with depth set
 *
 * Return: 0 or -ENOMEM.
 */
int iscsit_conn_alloc_queue(struct iscsit_conn *conn)
{
	u32 i;

	conn->nr_slots = conn->depth + ISCSIT_SPARE_SLOTS;
	conn->q = kvzalloc(struct_size(conn->q, slots, conn->nr_slots), GFP_KERNEL);
	if (!conn->q)
		return -ENOMEM;
	conn->q->conn = conn;
	conn->q->queue.flags = SKUA_QUEUE_ATOMIC;
	conn->q->queue.cpu = conn->cpu;
	conn->q->queue.slots = &conn->q->slots[0].cmd;
	conn->q->queue.stride = sizeof(struct iscsit_slot);
	conn->q->queue.nr_slots = conn->nr_slots;
	conn->q->queue.drained = iscsit_drained;
	for (i = 0; i < conn->nr_slots; i++) {
		struct iscsit_slot *slot = &conn->q->slots[i];

		slot->conn = conn;
		slot->cmd.queue = &conn->q->queue;
		slot->rsp.kind = ISCSIT_TX_RSP;
		slot->r2t.kind = ISCSIT_TX_R2T;
		INIT_LIST_HEAD(&slot->r2t.link);
		list_add_tail(&slot->free, &conn->free);
	}
	return 0;
}

/**
 * iscsit_slot_get() - a slot for a new command
 * @conn: the connection; called by io_work only
 *
 * Return: NULL if all are in use.
 */
struct iscsit_slot *iscsit_slot_get(struct iscsit_conn *conn)
{
	struct iscsit_slot *slot;

	spin_lock_irq(&conn->lock);
	slot = list_first_entry_or_null(&conn->free, struct iscsit_slot, free);
	if (slot)
		list_del(&slot->free);
	spin_unlock_irq(&conn->lock);
	if (!slot)
		return NULL;
	slot->bounce = NULL;
	slot->unsol_want = 0;
	slot->unsol_got = 0;
	slot->unsol_sn = 0;
	slot->waiting = false;
	slot->failed = false;
	slot->got = 0;
	slot->burst_start = 0;
	slot->burst_len = 0;
	slot->burst_got = 0;
	slot->burst_sn = 0;
	slot->r2t_sn = 0;
	WRITE_ONCE(slot->used, true);
	return slot;
}

/**
 * iscsit_slot_put() - give a slot back that the core does not have
 * @slot: the slot
 *
 * Context: any.
 */
void iscsit_slot_put(struct iscsit_slot *slot)
{
	struct iscsit_conn *conn = slot->conn;
	unsigned long flags;

	kvfree(slot->bounce);
	slot->bounce = NULL;
	spin_lock_irqsave(&conn->lock, flags);
	WRITE_ONCE(slot->used, false);
	list_add(&slot->free, &conn->free);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/* ---- work ------------------------------------------------------------- */

/**
 * iscsit_kick() - let io_work look at the connection
 * @conn: the connection
 *
 * Context: any.
 */
void iscsit_kick(struct iscsit_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (!conn->stopped)
		queue_work_on(conn->cpu, iscsit_wq, &conn->io_work);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/* Ends that are no surprise need no words. */
static void iscsit_conn_log(const struct iscsit_conn *conn, int error)
{
	if (error != -ESHUTDOWN && error != -EPIPE)
		pr_info_ratelimited("skua_iscsi: %s: the connection ends: error %d\n",
				    conn->peer, error);
}

static void iscsit_io_work(struct work_struct *work)
{
	struct iscsit_conn *conn = container_of(work, struct iscsit_conn, io_work);
	int budget = ISCSIT_BUDGET, sent, got = 0;

	do {
		sent = iscsit_tx(conn);
		if (sent >= 0)
			got = iscsit_rx(conn);
		if (sent < 0 || got < 0) {
			iscsit_conn_log(conn, sent < 0 ? sent : got);
			iscsit_conn_close(conn);
			return;
		}
	} while ((sent || got) && --budget > 0);
	if (!budget)
		iscsit_kick(conn);
}

static void iscsit_data_ready(struct sock *sk)
{
	struct iscsit_conn *conn;

	read_lock_bh(&sk->sk_callback_lock);
	conn = sk->sk_user_data;
	if (conn)
		iscsit_kick(conn);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void iscsit_write_space(struct sock *sk)
{
	struct iscsit_conn *conn;

	read_lock_bh(&sk->sk_callback_lock);
	conn = sk->sk_user_data;
	if (conn && sk_stream_is_writeable(sk)) {
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		iscsit_kick(conn);
	}
	read_unlock_bh(&sk->sk_callback_lock);
}

/* The end of the stream is found by reading it. */
static void iscsit_state_change(struct sock *sk)
{
	iscsit_data_ready(sk);
}

/* ---- the end ---------------------------------------------------------- */

void iscsit_half_open_end(struct iscsit_conn *conn)
{
	if (atomic_xchg(&conn->half_open, 0))
		atomic_dec(&iscsit_half_open);
}

/**
 * iscsit_conn_close() - begin the end of a connection, if nobody has yet
 * @conn: a connection that the caller knows to stay meanwhile
 *
 * Context: any.
 */
void iscsit_conn_close(struct iscsit_conn *conn)
{
	if (!atomic_xchg(&conn->closing, 1))
		queue_work(iscsit_wq, &conn->close_work);
}

/* No callback of the socket runs after it, nor io_work, nor the timer. */
static void iscsit_conn_stop(struct iscsit_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = conn->old_data_ready;
	sk->sk_write_space = conn->old_write_space;
	sk->sk_state_change = conn->old_state_change;
	sk->sk_user_data = NULL;
	write_unlock_bh(&sk->sk_callback_lock);

	spin_lock_irq(&conn->lock);
	conn->stopped = true;
	spin_unlock_irq(&conn->lock);
	cancel_work_sync(&conn->io_work);
	cancel_delayed_work_sync(&conn->timer);
}

static void iscsit_close_work(struct work_struct *work)
{
	struct iscsit_conn *conn = container_of(work, struct iscsit_conn, close_work);

	iscsit_conn_stop(conn);
	iscsit_half_open_end(conn);
	kernel_sock_shutdown(conn->sock, SHUT_RDWR);
	iscsit_rx_reset(conn);
	if (conn->q)
		iscsit_slots_fail(conn, NULL);
	iscsit_tx_drop(conn);
	if (conn->attached)
		skua_queue_kill(&conn->q->queue);
	sock_release(conn->sock);
	conn->sock = NULL;
	kref_put(&conn->refs, iscsit_conn_unref);
}

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
	if (!conn->nop_interval)
		return;
	if (sent && time_after(now, sent + conn->nop_timeout * HZ)) {
		pr_info("skua_iscsi: %s: no answer within %u s: the connection ends\n",
			conn->peer, conn->nop_timeout);
		iscsit_conn_close(conn);
		return;
	}
	if (!sent && time_after_eq(now, READ_ONCE(conn->last_rx) + conn->nop_interval * HZ))
		iscsit_ask_nop(conn);
	queue_delayed_work(iscsit_wq, &conn->timer, HZ);
}

/* ---- the beginning ---------------------------------------------------- */

static void iscsit_conn_names(struct iscsit_conn *conn)
{
	struct sockaddr_storage addr;

	if (kernel_getpeername(conn->sock, (struct sockaddr *)&addr) >= 0) {
		snprintf(conn->peer, sizeof(conn->peer), "%pISpc", &addr);
		snprintf(conn->peer_ip, sizeof(conn->peer_ip), "%pISc", &addr);
	}
	if (kernel_getsockname(conn->sock, (struct sockaddr *)&addr) >= 0)
		snprintf(conn->local, sizeof(conn->local), "%pISpc", &addr);
}

static int iscsit_next_cpu(void)
{
	static atomic_t next = ATOMIC_INIT(0);
	unsigned int n = (unsigned int)atomic_inc_return(&next) % num_online_cpus();
	int cpu;

	for_each_online_cpu(cpu)
		if (!n--)
			return cpu;
	return cpumask_first(cpu_online_mask);
}

static struct iscsit_conn *iscsit_conn_new(struct socket *sock)
{
	struct iscsit_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	conn->sock = sock;
	conn->cpu = iscsit_next_cpu();
	kref_init(&conn->refs);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->free);
	INIT_LIST_HEAD(&conn->tx);
	INIT_WORK(&conn->io_work, iscsit_io_work);
	INIT_WORK(&conn->close_work, iscsit_close_work);
	INIT_WORK(&conn->free_work, iscsit_free_work);
	INIT_DELAYED_WORK(&conn->timer, iscsit_timer_work);
	conn->last_rx = jiffies;
	conn->max_recv = ISCSI_LOGIN_DSL;
	atomic_set(&conn->half_open, 1);
	iscsit_conn_names(conn);
	if (iscsit_login_begin(conn)) {
		kfree(conn);
		return NULL;
	}
	spin_lock(&iscsit_conns_lock);
	list_add_tail(&conn->all, &iscsit_conns);
	spin_unlock(&iscsit_conns_lock);
	return conn;
}

static void iscsit_conn_hook(struct iscsit_conn *conn, const struct socket *listener,
			     void (*data_ready)(struct sock *sk))
{
	struct sock *sk = conn->sock->sk;

	tcp_sock_set_nodelay(sk);
	sock_set_keepalive(sk);
	sk->sk_allocation = GFP_NOIO;
	write_lock_bh(&sk->sk_callback_lock);
	/* It was born with the listener's. */
	conn->old_data_ready = data_ready;
	conn->old_write_space = sk->sk_write_space;
	conn->old_state_change = sk->sk_state_change;
	sk->sk_user_data = conn;
	sk->sk_data_ready = iscsit_data_ready;
	sk->sk_write_space = iscsit_write_space;
	sk->sk_state_change = iscsit_state_change;
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * iscsit_conn_accept() - a portal has accepted a connection
 * @sock: the connection's, after success
 * @listener: the portal's
 * @data_ready: callback that a socket has by default
 *
 * Context: process. Return: 0; -EBUSY: too many logins are in progress; -ENOMEM.
 */
int iscsit_conn_accept(struct socket *sock, const struct socket *listener,
		       void (*data_ready)(struct sock *sk))
{
	struct iscsit_conn *conn;

	if (atomic_inc_return(&iscsit_half_open) > ISCSIT_MAX_HALF_OPEN) {
		atomic_dec(&iscsit_half_open);
		pr_info_ratelimited("skua_iscsi: connection refused: too many logins at once\n");
		return -EBUSY;
	}
	conn = iscsit_conn_new(sock);
	if (!conn) {
		atomic_dec(&iscsit_half_open);
		return -ENOMEM;
	}
	queue_delayed_work(iscsit_wq, &conn->timer, ISCSIT_LOGIN_TIMEOUT);
	iscsit_conn_hook(conn, listener, data_ready);
	iscsit_kick(conn);		/* for what came before the callbacks */
	return 0;
}

/* ---- unload ----------------------------------------------------------- */

/**
 * iscsit_conns_close_all() - begin the end of all connections
 */
void iscsit_conns_close_all(void)
{
	struct iscsit_conn *conn;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		iscsit_conn_close(conn);
	spin_unlock(&iscsit_conns_lock);
}

static bool iscsit_conns_none(void)
{
	bool none;

	spin_lock(&iscsit_conns_lock);
	none = list_empty(&iscsit_conns);
	spin_unlock(&iscsit_conns_lock);
	return none;
}

/* Commands that a backend does not give back: the core keeps their memory. */
static void iscsit_conn_orphan(struct iscsit_conn *conn)
{
	struct iscsit_queue *q = conn->q;
	u32 i;

	if (!q || !skua_queue_hold(&q->queue))
		return;
	pr_warn("skua_iscsi: %s: leaving commands behind that a backend does not give back\n",
		conn->peer);
	for (i = 0; i < conn->nr_slots; i++) {
		kvfree(q->slots[i].bounce);
		q->slots[i].bounce = NULL;
	}
	conn->q = NULL;
	skua_queue_orphan(&q->queue, q);
	kref_put(&conn->refs, iscsit_conn_unref);
}

static struct iscsit_conn *iscsit_conn_first(void)
{
	struct iscsit_conn *conn;

	spin_lock(&iscsit_conns_lock);
	list_for_each_entry(conn, &iscsit_conns, all)
		if (conn->q && kref_get_unless_zero(&conn->refs))
			goto out;
	conn = NULL;
out:
	spin_unlock(&iscsit_conns_lock);
	return conn;
}

/**
 * iscsit_conns_wait() - until no connection is left
 *
 * For module exit: all have been closed, so nothing but backends keeps them.
 */
void iscsit_conns_wait(void)
{
	struct iscsit_conn *conn;

	if (!wait_event_timeout(iscsit_conns_gone, iscsit_conns_none(), ISCSIT_UNLOAD_TIMEOUT)) {
		while ((conn = iscsit_conn_first())) {
			flush_work(&conn->close_work);
			iscsit_conn_orphan(conn);
			kref_put(&conn->refs, iscsit_conn_unref);
		}
		wait_event(iscsit_conns_gone, iscsit_conns_none());
	}
	flush_workqueue(iscsit_wq);
}
