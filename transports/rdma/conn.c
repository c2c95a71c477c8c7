// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's QP and CQ, the credits of its send queue, and its end.
 *
 * Credits: a chain of work requests takes as many as it is long when it is
 * posted and returns them when its last one, the signaled one, completes. A
 * chain that finds too few waits in order of arrival. Since a chain is counted
 * exactly when it is posted and uncounted exactly once, failed mappings and
 * failed posts cannot make the count drift.
 *
 * The end (skua_rdma_conn_stop()): "dead" stops new posts; those who looked at it
 * before are in an RCU section or counted in "users"; chains that were posted
 * have their credits out. When all three are over nobody uses the QP or has
 * memory mapped for it, whatever the commands themselves may still wait for.
 */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

#define SKUA_RDMA_MAX_SEND_SGE	16U
#define SKUA_RDMA_MIN_SQ	16U
#define SKUA_RDMA_LAST_WQE	(2 * HZ)	/* some drivers never say it: then */
#define SKUA_RDMA_MUTE_WAIT	(HZ / 10)	/* this long the next times */
#define SKUA_RDMA_SLOW		(10 * HZ)

static void skua_rdma_slow(struct timer_list *timer)
{
	struct skua_rdma_conn *conn = container_of(timer, struct skua_rdma_conn, slow);

	pr_warn("skua_rdma: %s: waiting for the hardware to drain queue pair %u\n",
		dev_name(&conn->dev->ib->dev), conn->qp->qp_num);
	mod_timer(timer, jiffies + SKUA_RDMA_SLOW);
}

/**
 * skua_rdma_conn_init() - prepare a connection that has no QP yet
 * @conn: zeroed memory
 * @dev: its device
 * @port: port number
 * @error: see struct skua_rdma_conn
 */
void skua_rdma_conn_init(struct skua_rdma_conn *conn, struct skua_rdma_dev *dev, u32 port,
			 void (*error)(struct skua_rdma_conn *conn))
{
	conn->dev = dev;
	conn->port = port;
	conn->error = error;
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->waiting);
	INIT_LIST_HEAD(&conn->lost);
	INIT_LIST_HEAD(&conn->link);
	init_waitqueue_head(&conn->idle);
	init_waitqueue_head(&conn->mrs);
	init_completion(&conn->last_wqe);
	timer_setup(&conn->slow, skua_rdma_slow, 0);
}
EXPORT_SYMBOL_GPL(skua_rdma_conn_init);

/*
 * Does a context of one entry get by without an allocation? Not where the device
 * needs memory registration for it, or ib_core was told to use that.
 */
static void skua_rdma_probe_rw(struct skua_rdma_conn *conn)
{
	static const enum dma_data_direction dirs[] = { DMA_TO_DEVICE, DMA_FROM_DEVICE };
	struct rdma_rw_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);
	struct scatterlist sg;
	int i;

	sg_init_table(&sg, 1);
	for (i = 0; ctx && page && i < ARRAY_SIZE(dirs); i++) {
		int ret;

		sg_set_page(&sg, page, PAGE_SIZE, 0);
		ret = rdma_rw_ctx_init(ctx, conn->qp, conn->port, &sg, 1, 0, 0, 0, dirs[i]);
		if (ret < 0)
			continue;
		conn->rw_atomic[i] = ret == 1;
		rdma_rw_ctx_destroy(ctx, conn->qp, conn->port, &sg, 1, dirs[i]);
	}
	if (page)
		__free_page(page);
	kfree(ctx);
}

static int skua_rdma_try_qp(struct skua_rdma_conn *conn, const struct skua_rdma_params *params,
			    u32 sq_wr, u32 send_sge)
{
	struct ib_qp_init_attr attr = {
		.event_handler = params->event,
		.qp_context = params->context,
		.send_cq = conn->cq,
		.recv_cq = conn->cq,
		.srq = params->srq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.port_num = conn->port,
		.cap = {
			/* ib_core adds what max_rdma_ctxs take on this device */
			.max_send_wr = sq_wr / 2,
			.max_rdma_ctxs = sq_wr / 2,
			.max_send_sge = send_sge,
			.max_recv_wr = params->srq ? 0 : params->rq_wr + 1,
			.max_recv_sge = params->srq ? 0 : 1,
		},
	};
	u32 limit = conn->dev->ib->attrs.max_qp_wr;
	int ret;

	ret = params->create_qp(conn, &attr, params->arg);
	if (ret)
		return ret;
	/* One is for the drain; the driver may round up, but nothing says it must. */
	conn->sq_size = clamp(attr.cap.max_send_wr, 2U, min(sq_wr * 2, limit)) - 1;
	conn->sq_avail = conn->sq_size;
	return 0;
}

/**
 * skua_rdma_conn_create() - make CQ and QP
 * @conn: initialized connection
 * @params: what is wanted; less is taken when the device has less
 *
 * Send, receive and RDMA READ limits are taken from the device one by one; since
 * some overstate them, a QP that cannot be made is tried with fewer scatter
 * entries and then with a shorter send queue.
 *
 * Context: process. Return: 0 or -errno.
 */
int skua_rdma_conn_create(struct skua_rdma_conn *conn, const struct skua_rdma_params *params)
{
	const struct ib_device_attr *attrs = &conn->dev->ib->attrs;
	u32 sge = clamp_t(u32, attrs->max_send_sge, 1, SKUA_RDMA_MAX_SEND_SGE);
	u32 sq = clamp_t(u32, params->sq_wr, SKUA_RDMA_MIN_SQ, attrs->max_qp_wr);
	int ret;

	/* Every work request may complete with a flush error: registration included. */
	if (attrs->max_cqe < params->rq_wr + 2 * SKUA_RDMA_MIN_SQ + 4)
		return -ENOSPC;
	sq = min(sq, (attrs->max_cqe - params->rq_wr - 4) / 2);
	conn->nr_cqe = params->rq_wr + 2 * sq + 4;
	conn->cq = ib_cq_pool_get(conn->dev->ib, conn->nr_cqe, params->comp_vector,
				  IB_POLL_SOFTIRQ);
	if (IS_ERR(conn->cq)) {
		ret = PTR_ERR(conn->cq);
		conn->cq = NULL;
		return ret;
	}
	conn->comp_vector = conn->cq->comp_vector;
	for (;;) {
		ret = skua_rdma_try_qp(conn, params, sq, sge);
		if (!ret || (sge <= 1 && sq <= SKUA_RDMA_MIN_SQ))
			break;
		if (sge > 4)
			sge /= 2;
		else if (sq > SKUA_RDMA_MIN_SQ)
			sq = max(sq / 2, SKUA_RDMA_MIN_SQ);
		else
			sge = 1;
	}
	if (ret) {
		ib_cq_pool_put(conn->cq, conn->nr_cqe);
		conn->cq = NULL;
		return ret;
	}
	skua_rdma_probe_rw(conn);
	return 0;
}
EXPORT_SYMBOL_GPL(skua_rdma_conn_create);

/**
 * skua_rdma_enter() - may contexts be made and posted?
 * @conn: the connection
 * @may_sleep: the caller will sleep before skua_rdma_exit()
 *
 * Between a successful enter and exit the QP and the device are there, and what
 * is posted will complete or fail. Context: any, process if @may_sleep.
 */
bool skua_rdma_enter(struct skua_rdma_conn *conn, bool may_sleep)
{
	unsigned long flags;
	bool ok;

	if (!may_sleep) {
		rcu_read_lock();
		if (likely(!READ_ONCE(conn->dead))) {
			__release(RCU);		/* sparse cannot follow it to exit */
			return true;
		}
		rcu_read_unlock();
		return false;
	}
	spin_lock_irqsave(&conn->lock, flags);
	ok = !conn->dead;
	if (ok)
		conn->users++;
	spin_unlock_irqrestore(&conn->lock, flags);
	return ok;
}
EXPORT_SYMBOL_GPL(skua_rdma_enter);

static bool __skua_rdma_idle(const struct skua_rdma_conn *conn)
{
	return !conn->users && conn->sq_avail == conn->sq_size;
}

/**
 * skua_rdma_exit() - undo skua_rdma_enter()
 * @conn: the connection
 * @may_sleep: as for enter
 */
void skua_rdma_exit(struct skua_rdma_conn *conn, bool may_sleep)
{
	unsigned long flags;

	if (!may_sleep) {
		__acquire(RCU);
		rcu_read_unlock();
		return;
	}
	/* Under the lock: the waiter frees the connection once it has had it. */
	spin_lock_irqsave(&conn->lock, flags);
	conn->users--;
	if (unlikely(conn->dead && __skua_rdma_idle(conn)))
		wake_up(&conn->idle);
	spin_unlock_irqrestore(&conn->lock, flags);
}
EXPORT_SYMBOL_GPL(skua_rdma_exit);

/*
 * Hands a chain to the hardware; its credits are taken. When only a part of it
 * was accepted, that part runs and uses the chain's memory until the QP is
 * drained: the post is put aside until then.
 */
static int skua_rdma_post_now(struct skua_rdma_conn *conn, struct skua_rdma_post *post)
{
	const struct ib_send_wr *bad = post->first;
	unsigned long flags;
	int ret;

	ret = ib_post_send(conn->qp, post->first, &bad);
	if (likely(!ret))
		return 0;
	pr_warn_ratelimited("skua_rdma: %s: post of %u work requests failed: %d\n",
			    dev_name(&conn->dev->ib->dev), post->nr, ret);
	spin_lock_irqsave(&conn->lock, flags);
	conn->sq_avail += post->nr;
	if (bad != post->first) {
		list_add_tail(&post->link, &conn->lost);
		ret = 0;
	}
	if (conn->dead && __skua_rdma_idle(conn))
		wake_up(&conn->idle);
	spin_unlock_irqrestore(&conn->lock, flags);
	conn->error(conn);
	return ret;
}

/**
 * skua_rdma_post() - post a chain, now or when there is room
 * @conn: a connection that was entered
 * @post: the chain; its memory stays until it completes or post->failed() is called
 *
 * Context: any.
 * Return: 0, or -errno: nothing was posted, post->failed() is not called.
 */
int skua_rdma_post(struct skua_rdma_conn *conn, struct skua_rdma_post *post)
{
	unsigned long flags;

	if (WARN_ON_ONCE(post->nr > conn->sq_size))
		return -EINVAL;
	spin_lock_irqsave(&conn->lock, flags);
	if (unlikely(conn->dead)) {
		spin_unlock_irqrestore(&conn->lock, flags);
		return -ENOTCONN;
	}
	if (unlikely(conn->sq_avail < post->nr || conn->posting ||
		     !list_empty(&conn->waiting))) {
		list_add_tail(&post->link, &conn->waiting);
		spin_unlock_irqrestore(&conn->lock, flags);
		return 0;
	}
	conn->sq_avail -= post->nr;
	spin_unlock_irqrestore(&conn->lock, flags);
	return skua_rdma_post_now(conn, post);
}
EXPORT_SYMBOL_GPL(skua_rdma_post);

/*
 * The first waiting post, if it fits by now. Lock held. Whoever gets one posts it and
 * asks again, until there is none: meanwhile nobody else posts, as the order in which
 * posts were made is the order of their responses.
 */
static struct skua_rdma_post *__skua_rdma_next(struct skua_rdma_conn *conn)
{
	struct skua_rdma_post *post;

	post = list_first_entry_or_null(&conn->waiting, struct skua_rdma_post, link);
	conn->posting = post && post->nr <= conn->sq_avail;
	if (likely(!conn->posting))
		return NULL;
	list_del(&post->link);
	conn->sq_avail -= post->nr;
	return post;
}

/**
 * skua_rdma_post_done() - the last work request of a chain has completed
 * @conn: the connection
 * @post: the chain; nothing is mapped for it any more
 *
 * Returns its credits and posts what waited for them. Called from the completion
 * handler only. Unless the caller has entered @conn or is sure to own it otherwise,
 * @conn may be freed once this returns.
 */
void skua_rdma_post_done(struct skua_rdma_conn *conn, struct skua_rdma_post *post)
{
	struct skua_rdma_post *next;
	unsigned long flags;

	/* A post taken from the list is covered by its credits, as any other. */
	spin_lock_irqsave(&conn->lock, flags);
	conn->sq_avail += post->nr;
	next = conn->posting ? NULL : __skua_rdma_next(conn);
	if (unlikely(conn->dead && __skua_rdma_idle(conn)))
		wake_up(&conn->idle);
	spin_unlock_irqrestore(&conn->lock, flags);
	while (unlikely(next)) {
		post = next;
		if (skua_rdma_post_now(conn, post))
			post->failed(post);
		spin_lock_irqsave(&conn->lock, flags);
		next = __skua_rdma_next(conn);
		spin_unlock_irqrestore(&conn->lock, flags);
	}
}
EXPORT_SYMBOL_GPL(skua_rdma_post_done);

static bool skua_rdma_idle(struct skua_rdma_conn *conn)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&conn->lock, flags);
	idle = __skua_rdma_idle(conn);
	spin_unlock_irqrestore(&conn->lock, flags);
	return idle;
}

static void skua_rdma_fail_all(struct list_head *list)
{
	struct skua_rdma_post *post;

	while (!list_empty(list)) {
		post = list_first_entry(list, struct skua_rdma_post, link);
		list_del(&post->link);
		post->failed(post);
	}
}

/* Could anything have been received? If in doubt, yes. */
static bool skua_rdma_was_ready(struct skua_rdma_conn *conn)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	return ib_query_qp(conn->qp, &attr, IB_QP_STATE, &init) || attr.qp_state > IB_QPS_INIT;
}

/*
 * With a shared receive queue the drain waits for the send queue alone. Its marker comes
 * behind the last receive completion only if it is posted after the QP has let go of the
 * receive queue.
 */
static void skua_rdma_await_last_wqe(struct skua_rdma_conn *conn)
{
	struct skua_rdma_dev *dev = conn->dev;
	long wait = READ_ONCE(dev->mute) ? SKUA_RDMA_MUTE_WAIT : SKUA_RDMA_LAST_WQE;
	bool mute = !wait_for_completion_timeout(&conn->last_wqe, wait);

	if (mute && !READ_ONCE(dev->mute))
		pr_info("skua_rdma: %s: does not say when a queue pair has left the shared receive queue\n",
			dev_name(&dev->ib->dev));
	WRITE_ONCE(dev->mute, mute);
}

/* Nothing may be freed before it ends, so it has no limit; but the log tells. */
static void skua_rdma_drain(struct skua_rdma_conn *conn)
{
	mod_timer(&conn->slow, jiffies + SKUA_RDMA_SLOW);
	ib_drain_qp(conn->qp);
	timer_delete_sync(&conn->slow);
}

/**
 * skua_rdma_conn_stop() - end all use of the QP
 * @conn: a connection with a QP
 *
 * When it returns all work requests have completed, nothing is mapped and
 * nothing will be posted. It waits for the hardware to flush the queues, not for
 * commands that are with a backend. Context: process.
 */
void skua_rdma_conn_stop(struct skua_rdma_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	LIST_HEAD(failed);
	bool ready;

	spin_lock_irq(&conn->lock);
	conn->dead = true;
	list_splice_init(&conn->waiting, &failed);
	spin_unlock_irq(&conn->lock);
	wake_up(&conn->mrs);
	if (!conn->qp) {
		synchronize_rcu();
		return;
	}
	ready = skua_rdma_was_ready(conn);
	ib_modify_qp(conn->qp, &attr, IB_QP_STATE);
	/*
	 * Who entered before: skua_rdma_enter() without sleep, and the loop in
	 * post_done(), which runs in softirq context.
	 */
	synchronize_rcu();
	skua_rdma_fail_all(&failed);
	while (!wait_event_timeout(conn->idle, skua_rdma_idle(conn), SKUA_RDMA_SLOW))
		pr_warn("skua_rdma: %s: waiting for the hardware to flush %u work requests\n",
			dev_name(&conn->dev->ib->dev), conn->sq_size - conn->sq_avail);
	if (ready && conn->qp->srq)
		skua_rdma_await_last_wqe(conn);
	skua_rdma_drain(conn);

	spin_lock_irq(&conn->lock);
	list_splice_init(&conn->lost, &failed);
	spin_unlock_irq(&conn->lock);
	skua_rdma_fail_all(&failed);
}
EXPORT_SYMBOL_GPL(skua_rdma_conn_stop);

/**
 * skua_rdma_conn_destroy() - free QP and CQ
 * @conn: a stopped connection, or one that never got further than create
 * @destroy_qp: undoes params->create_qp
 *
 * Context: process.
 */
void skua_rdma_conn_destroy(struct skua_rdma_conn *conn,
			    void (*destroy_qp)(struct skua_rdma_conn *conn))
{
	if (conn->qp)
		destroy_qp(conn);
	conn->qp = NULL;
	if (conn->cq)
		ib_cq_pool_put(conn->cq, conn->nr_cqe);
	conn->cq = NULL;
}
EXPORT_SYMBOL_GPL(skua_rdma_conn_destroy);
