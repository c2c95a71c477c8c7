// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a TCP connection. It begins when a portal accepts it and ends in one work
 * item, close_work, which whoever first asks for the end queues.
 */
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "tcp.h"

#define ITCP_BUDGET	64		/* PDUs in one run of io_work */
#define ITCP_USER_TIMEOUT	(30 * MSEC_PER_SEC)	/* until a target says another one */

/* ---- memory ----------------------------------------------------------- */

static void itcp_free(struct iscsit_conn *conn)
{
	struct itcp_conn *tcp = itcp_of(conn);

	kvfree(conn->q);
	kfree(tcp);
}

static int itcp_alloc_queue(struct iscsit_conn *conn)
{
	struct itcp_conn *tcp = itcp_of(conn);
	u32 i, nr = iscsit_nr_slots(conn);
	struct itcp_queue *q = kvzalloc(struct_size(q, slots, nr), GFP_KERNEL);

	if (!q)
		return -ENOMEM;
	iscsit_queue_init(conn, &q->base, &q->slots[0].cmd, sizeof(struct itcp_slot));
	q->base.queue.flags = SKUA_QUEUE_ATOMIC;
	tcp->q = q;
	tcp_sock_set_user_timeout(tcp->sock->sk, conn->rsp_timeout * MSEC_PER_SEC);
	for (i = 0; i < nr; i++) {
		struct itcp_slot *slot = &q->slots[i];

		slot->tcp = tcp;
		slot->cmd.queue = &q->base.queue;
		slot->rsp.kind = ITCP_TX_RSP;
		slot->r2t.kind = ITCP_TX_R2T;
		INIT_LIST_HEAD(&slot->r2t.link);
		list_add_tail(&slot->free, &tcp->free);
	}
	return 0;
}

/* The core keeps the slots. */
static void itcp_orphan(struct iscsit_conn *conn)
{
	struct itcp_conn *tcp = itcp_of(conn);
	u32 i;

	for (i = 0; i < iscsit_nr_slots(conn); i++) {
		kvfree(tcp->q->slots[i].bounce);
		tcp->q->slots[i].bounce = NULL;
	}
	tcp->q = NULL;
}

/**
 * itcp_slot_get() - a slot for a new command
 * @tcp: the connection; called by io_work only
 *
 * Return: NULL if all are in use.
 */
struct itcp_slot *itcp_slot_get(struct itcp_conn *tcp)
{
	struct itcp_slot *slot;

	spin_lock_irq(&tcp->lock);
	slot = list_first_entry_or_null(&tcp->free, struct itcp_slot, free);
	if (slot)
		list_del(&slot->free);
	spin_unlock_irq(&tcp->lock);
	if (!slot)
		return NULL;
	slot->bounce = NULL;
	slot->unsol_want = 0;
	slot->unsol_got = 0;
	slot->unsol_sn = 0;
	slot->waiting = false;
	slot->failed = false;
	slot->asked = 0;
	slot->burst_start = 0;
	slot->burst_len = 0;
	slot->burst_got = 0;
	slot->burst_sn = 0;
	slot->burst_r2t = 0;
	slot->r2t_sn = 0;
	WRITE_ONCE(slot->used, true);
	return slot;
}

/**
 * itcp_slot_put() - give a slot back that the core does not have
 * @slot: the slot
 *
 * Context: any.
 */
void itcp_slot_put(struct itcp_slot *slot)
{
	struct itcp_conn *tcp = slot->tcp;
	unsigned long flags;

	kvfree(slot->bounce);
	slot->bounce = NULL;
	spin_lock_irqsave(&tcp->lock, flags);
	WRITE_ONCE(slot->used, false);
	list_add(&slot->free, &tcp->free);
	spin_unlock_irqrestore(&tcp->lock, flags);
}

static bool itcp_has_task(struct iscsit_conn *conn, __be32 itt)
{
	return itcp_slot_find(itcp_of(conn), itt);
}

/* ---- work ------------------------------------------------------------- */

/**
 * itcp_kick() - let io_work look at the connection
 * @tcp: the connection
 *
 * Context: any.
 */
void itcp_kick(struct itcp_conn *tcp)
{
	unsigned long flags;

	spin_lock_irqsave(&tcp->lock, flags);
	if (!tcp->stopped)
		queue_work_on(tcp->c.cpu, iscsit_wq, &tcp->io_work);
	spin_unlock_irqrestore(&tcp->lock, flags);
}

static void itcp_aborted(struct iscsit_conn *conn)
{
	struct itcp_conn *tcp = itcp_of(conn);

	atomic_set(&tcp->abort, 1);
	itcp_kick(tcp);
}

/* Ends that are no surprise need no words. */
static void itcp_log(const struct itcp_conn *tcp, int error)
{
	if (error != -ESHUTDOWN && error != -EPIPE && error != -ECONNRESET)
		pr_info_ratelimited("skua_iscsi: %s: the connection ends: error %d\n",
				    tcp->c.peer, error);
}

static void itcp_io_work(struct work_struct *work)
{
	struct itcp_conn *tcp = container_of(work, struct itcp_conn, io_work);
	int budget = ITCP_BUDGET, sent, got = 0;

	if (atomic_xchg(&tcp->abort, 0))
		itcp_fail_waiting(tcp, false);
	do {
		/* Nothing that came behind a fatal error is looked at. */
		if (atomic_read(&tcp->closing))
			return;
		sent = itcp_tx(tcp);
		if (sent >= 0)
			got = itcp_rx(tcp);
		if (sent < 0 || got < 0) {
			itcp_log(tcp, sent < 0 ? sent : got);
			itcp_close(&tcp->c);
			return;
		}
	} while ((sent || got) && --budget > 0);
	if (!budget)
		itcp_kick(tcp);
}

static void itcp_data_ready(struct sock *sk)
{
	struct itcp_conn *tcp;

	read_lock_bh(&sk->sk_callback_lock);
	tcp = sk->sk_user_data;
	if (tcp)
		itcp_kick(tcp);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void itcp_write_space(struct sock *sk)
{
	struct itcp_conn *tcp;

	read_lock_bh(&sk->sk_callback_lock);
	tcp = sk->sk_user_data;
	if (tcp && sk_stream_is_writeable(sk)) {
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		itcp_kick(tcp);
	}
	read_unlock_bh(&sk->sk_callback_lock);
}

/* The end of the stream is found by reading it. */
static void itcp_state_change(struct sock *sk)
{
	itcp_data_ready(sk);
}

/* ---- the end ---------------------------------------------------------- */

/**
 * itcp_close() - begin the end of a connection, if nobody has yet
 * @conn: a connection that the caller knows to stay meanwhile
 *
 * Context: any.
 */
void itcp_close(struct iscsit_conn *conn)
{
	struct itcp_conn *tcp = itcp_of(conn);

	if (!atomic_xchg(&tcp->closing, 1))
		queue_work(iscsit_wq, &tcp->close_work);
}

/* No callback of the socket runs after it, nor io_work. */
static void itcp_stop(struct itcp_conn *tcp)
{
	struct sock *sk = tcp->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = tcp->old_data_ready;
	sk->sk_write_space = tcp->old_write_space;
	sk->sk_state_change = tcp->old_state_change;
	sk->sk_user_data = NULL;
	write_unlock_bh(&sk->sk_callback_lock);

	spin_lock_irq(&tcp->lock);
	tcp->stopped = true;
	spin_unlock_irq(&tcp->lock);
	cancel_work_sync(&tcp->io_work);

	/* Until here io_work may have received into what a response frees. */
	spin_lock_irq(&tcp->lock);
	tcp->dead = true;
	spin_unlock_irq(&tcp->lock);
}

static void itcp_close_work(struct work_struct *work)
{
	struct itcp_conn *tcp = container_of(work, struct itcp_conn, close_work);

	itcp_stop(tcp);
	kernel_sock_shutdown(tcp->sock, SHUT_RDWR);
	itcp_rx_reset(tcp);
	itcp_fail_waiting(tcp, true);
	itcp_tx_drop(tcp);
	sock_release(tcp->sock);
	tcp->sock = NULL;
	iscsit_conn_end(&tcp->c);
}

/* ---- the beginning ---------------------------------------------------- */

static int itcp_names(struct itcp_conn *tcp)
{
	struct sockaddr_storage peer, local;

	if (kernel_getpeername(tcp->sock, (struct sockaddr *)&peer) < 0 ||
	    kernel_getsockname(tcp->sock, (struct sockaddr *)&local) < 0)
		return -ENOTCONN;	/* it has gone already */
	iscsit_conn_names(&tcp->c, &peer, &local);
	return 0;
}

static int itcp_next_cpu(void)
{
	static atomic_t next = ATOMIC_INIT(0);
	unsigned int n = (unsigned int)atomic_inc_return(&next) % num_online_cpus();
	int cpu;

	for_each_online_cpu(cpu)
		if (!n--)
			return cpu;
	return cpumask_first(cpu_online_mask);
}

static void itcp_hook(struct itcp_conn *tcp, void (*data_ready)(struct sock *sk))
{
	struct sock *sk = tcp->sock->sk;

	tcp_sock_set_nodelay(sk);
	sock_set_keepalive(sk);
	/* A peer that takes nothing of what is sent for that long is gone. */
	tcp_sock_set_user_timeout(sk, ITCP_USER_TIMEOUT);
	sk->sk_allocation = GFP_NOIO;
	write_lock_bh(&sk->sk_callback_lock);
	/* It was born with the listener's. */
	tcp->old_data_ready = data_ready;
	tcp->old_write_space = sk->sk_write_space;
	tcp->old_state_change = sk->sk_state_change;
	sk->sk_user_data = tcp;
	sk->sk_data_ready = itcp_data_ready;
	sk->sk_write_space = itcp_write_space;
	sk->sk_state_change = itcp_state_change;
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * itcp_accept() - a portal has accepted a connection
 * @sock: the connection's, after success
 * @data_ready: callback that a socket has by default
 *
 * Context: process. Return: 0; -EBUSY: too many logins are in progress; -ENOMEM.
 */
int itcp_accept(struct socket *sock, void (*data_ready)(struct sock *sk))
{
	struct itcp_conn *tcp = kzalloc(sizeof(*tcp), GFP_KERNEL);
	int ret;

	if (!tcp)
		return -ENOMEM;
	tcp->sock = sock;
	tcp->c.cpu = itcp_next_cpu();
	spin_lock_init(&tcp->lock);
	INIT_LIST_HEAD(&tcp->free);
	INIT_LIST_HEAD(&tcp->tx);
	atomic_set(&tcp->ctl_nr, 0);
	atomic_set(&tcp->ctl_bytes, 0);
	INIT_WORK(&tcp->io_work, itcp_io_work);
	INIT_WORK(&tcp->close_work, itcp_close_work);
	ret = itcp_names(tcp);
	if (!ret)
		ret = iscsit_conn_init(&tcp->c, &itcp_mover);
	if (ret) {
		kfree(tcp);
		return ret;
	}
	itcp_hook(tcp, data_ready);
	itcp_kick(tcp);			/* for what came before the callbacks */
	return 0;
}

const struct iscsit_mover itcp_mover = {
	.name = "iSCSI-TCP",
	.portal = "tcp",
	.owner = THIS_MODULE,
	.listen = itcp_listen,
	.unlisten = itcp_unlisten,
	.alloc_queue = itcp_alloc_queue,
	.start = itcp_start,
	.respond = itcp_respond,
	.send = itcp_send,
	.close = itcp_close,
	.free = itcp_free,
	.orphan = itcp_orphan,
	.has_task = itcp_has_task,
	.aborted = itcp_aborted,
};
