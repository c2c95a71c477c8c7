// SPDX-License-Identifier: GPL-2.0
/*
 * A channel's life.
 *
 * It begins in the connection manager's handler (srpt_login()) and ends in one
 * work item, which whoever first asks for the end queues (srpt_chan_close()). That
 * work frees all that belongs to the device and then drops its reference; the
 * core's queue holds the other one until the last command has come back, however
 * long a backend keeps it.
 */
#include <linux/slab.h>

#include "srpt.h"

#define SRPT_LOGIN_TIMEOUT	(30 * HZ)
#define SRPT_MAX_HALF_OPEN	256
#define SRPT_DREP_TIMEOUT	HZ
#define SRPT_DREP_TRIES		20
#define SRPT_UNLOAD_TIMEOUT	(10 * HZ)

static LIST_HEAD(srpt_chans);		/* all channels whose memory is there */
static DEFINE_SPINLOCK(srpt_chans_lock);
static DECLARE_WAIT_QUEUE_HEAD(srpt_chans_gone);
static atomic_t srpt_half_open = ATOMIC_INIT(0);

/* ---- memory ----------------------------------------------------------- */

static void srpt_rsps_unmap(struct srpt_chan *ch)
{
	u32 i;

	for (i = 0; i < ch->nr_slots && ch->q->slots[i].rsp; i++)
		ib_dma_unmap_single(ch->conn.dev->ib, ch->q->slots[i].rsp_dma, ch->max_rsp,
				    DMA_TO_DEVICE);
}

static void srpt_rsps_free(struct srpt_chan *ch)
{
	u32 i;

	for (i = 0; ch->q && i < ch->nr_slots; i++) {
		kfree(ch->q->slots[i].rsp);
		ch->q->slots[i].rsp = NULL;
	}
}

static void srpt_chan_free(struct srpt_chan *ch)
{
	srpt_rsps_free(ch);
	srpt_recvs_free(ch->recvs, ch->nr_recvs);
	kvfree(ch->q);
	if (ch->dev)
		srpt_device_put(ch->dev);
	spin_lock(&srpt_chans_lock);
	list_del(&ch->all);
	if (list_empty(&srpt_chans))
		wake_up(&srpt_chans_gone);
	spin_unlock(&srpt_chans_lock);
	kfree(ch);
}

static void srpt_chan_free_work(struct work_struct *work)
{
	srpt_chan_free(container_of(work, struct srpt_chan, free_work));
}

/* The last reference may go in any context. */
static void srpt_chan_unref(struct kref *refs)
{
	struct srpt_chan *ch = container_of(refs, struct srpt_chan, refs);

	queue_work(srpt_wq, &ch->free_work);
}

void srpt_chan_get(struct srpt_chan *ch)
{
	kref_get(&ch->refs);
}

void srpt_chan_put(struct srpt_chan *ch)
{
	kref_put(&ch->refs, srpt_chan_unref);
}

static void srpt_drained(struct skua_queue *queue)
{
	srpt_chan_put(container_of(queue, struct srpt_queue, queue)->ch);
}

/* ---- the end ---------------------------------------------------------- */

static void srpt_half_open_end(struct srpt_chan *ch)
{
	if (xchg(&ch->half_open, 0))
		atomic_dec(&srpt_half_open);
}

/*
 * Lets the peer learn of the end before the QP goes: the CM repeats a lost DREQ
 * as long as its id is there, and soft-RoCE of 6.1 writes into a QP just
 * destroyed if packets for it still arrive. Worth a moment, unless the device is
 * in a hurry; a login that failed has no peer yet.
 */
static void srpt_await_peer(struct srpt_chan *ch)
{
	if (atomic_read(&ch->state) != SRPT_DRAINING)
		return;
	if (!READ_ONCE(ch->conn.dev->gone))
		wait_for_completion_timeout(&ch->gone, SRPT_DREP_TIMEOUT);
	synchronize_rcu();
}

/*
 * Everything but the CM id. When it returns nothing of the device is in use; the
 * core may still have commands.
 */
static void srpt_chan_teardown(struct srpt_chan *ch)
{
	if (ch->attached)
		skua_queue_kill(&ch->q->queue);
	skua_rdma_conn_stop(&ch->conn);
	srpt_recvs_reclaim(ch);
	srpt_await_peer(ch);
	skua_rdma_conn_destroy(&ch->conn, ch->cm->destroy_qp);
	srpt_recvs_unmap(ch->conn.dev->ib, ch->recvs, ch->recvs ? ch->nr_recvs : 0);
	if (ch->q)
		srpt_rsps_unmap(ch);
	mutex_lock(&ch->target->login);
	list_del_init(&ch->link);
	mutex_unlock(&ch->target->login);
	srpt_half_open_end(ch);
}

/*
 * The CM repeats a lost DREQ as long as the id is there. That is worth a moment,
 * unless the device waits. But it sends none before it has seen the peer's RTU,
 * which an IU that is a reason to close may overtake: so ask it more than once.
 */
static void srpt_wait_gone(struct srpt_chan *ch)
{
	int i;

	for (i = 0; i < SRPT_DREP_TRIES && !READ_ONCE(ch->conn.dev->gone); i++) {
		if (wait_for_completion_timeout(&ch->gone, SRPT_DREP_TIMEOUT / SRPT_DREP_TRIES))
			return;
		ch->cm->disconnect(ch);
	}
}

static void srpt_close_work(struct work_struct *work)
{
	struct srpt_chan *ch = container_of(work, struct srpt_chan, close_work);

	cancel_delayed_work_sync(&ch->login_timer);
	ch->cm->disconnect(ch);
	atomic_set(&ch->state, SRPT_DRAINING);
	srpt_chan_teardown(ch);
	srpt_wait_gone(ch);
	ch->cm->destroy_id(ch);
	atomic_set(&ch->state, SRPT_CLOSED);
	skua_rdma_dev_unlink(ch->conn.dev, &ch->conn);
	srpt_chan_put(ch);
}

/**
 * srpt_chan_close() - begin the end of a channel, if nobody has yet
 * @ch: a channel that the caller knows to stay meanwhile
 *
 * Context: any.
 */
void srpt_chan_close(struct srpt_chan *ch)
{
	int old = atomic_read(&ch->state), new;

	do {
		if (old == SRPT_DOOMED || old >= SRPT_CLOSING)
			return;
		new = old == SRPT_SETUP ? SRPT_DOOMED : SRPT_CLOSING;
	} while (!atomic_try_cmpxchg(&ch->state, &old, new));
	if (new == SRPT_CLOSING)
		queue_work(srpt_wq, &ch->close_work);
}

/* The same for the shared code: a post failed, or the device or port goes. */
void srpt_conn_close(struct skua_rdma_conn *conn)
{
	srpt_chan_close(srpt_conn_chan(conn));
}

static void srpt_login_timeout(struct work_struct *work)
{
	struct srpt_chan *ch = container_of(work, struct srpt_chan, login_timer.work);

	if (atomic_read(&ch->state) == SRPT_CONNECTING) {
		pr_info("skua_srp: %s: %s: the connection was not confirmed in time\n",
			ch->target->name, ch->name);
		srpt_chan_close(ch);
	}
}

/**
 * srpt_chan_established() - the CM says that the peer has our answer
 * @ch: the channel
 */
void srpt_chan_established(struct srpt_chan *ch)
{
	if (atomic_cmpxchg(&ch->state, SRPT_CONNECTING, SRPT_LIVE) == SRPT_CONNECTING)
		srpt_half_open_end(ch);
}

/**
 * srpt_chan_gone() - the CM says that there is no peer any more
 * @ch: the channel
 */
void srpt_chan_gone(struct srpt_chan *ch)
{
	complete_all(&ch->gone);
	srpt_chan_close(ch);
}

/* ---- resources -------------------------------------------------------- */

static void srpt_qp_event(struct ib_event *event, void *context)
{
	struct srpt_chan *ch = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		ch->cm->notify(ch);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		complete(&ch->conn.last_wqe);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		srpt_chan_close(ch);
		break;
	default:
		break;
	}
}

static int srpt_chan_alloc_slots(struct srpt_chan *ch)
{
	struct ib_device *ib = ch->conn.dev->ib;
	u32 i;

	for (i = 0; i < ch->nr_slots; i++) {
		struct srpt_slot *slot = &ch->q->slots[i];

		slot->ch = ch;
		slot->rsp = kzalloc(ch->max_rsp, GFP_KERNEL);
		if (!slot->rsp)
			return -ENOMEM;
		slot->rsp_dma = ib_dma_map_single(ib, slot->rsp, ch->max_rsp, DMA_TO_DEVICE);
		if (ib_dma_mapping_error(ib, slot->rsp_dma)) {
			kfree(slot->rsp);
			slot->rsp = NULL;
			return -ENOMEM;
		}
		srpt_slot_init(slot);
		list_add_tail(&slot->link, &ch->free);
	}
	return 0;
}

static int srpt_chan_alloc_recvs(struct srpt_chan *ch)
{
	u32 i;

	if (ch->dev->srq)
		return 0;
	ch->recvs = kvcalloc(ch->nr_recvs, sizeof(*ch->recvs), GFP_KERNEL);
	if (!ch->recvs)
		return -ENOMEM;
	for (i = 0; i < ch->nr_recvs; i++)
		ch->recvs[i].ch = ch;
	return srpt_recvs_alloc(ch->conn.dev->ib, ch->recvs, ch->nr_recvs);
}

static int srpt_chan_create_qp(struct srpt_chan *ch)
{
	const struct skua_rdma_params params = {
		.rq_wr = ch->dev->srq ? 0 : ch->nr_recvs,
		.sq_wr = srpt_sq_size,
		.comp_vector = srpt_target_vector(ch->target),
		.srq = ch->dev->srq,
		.event = srpt_qp_event,
		.context = ch,
		.create_qp = ch->cm->create_qp,
	};

	return skua_rdma_conn_create(&ch->conn, &params);
}

/* How many requests the initiator may have outstanding. */
static u32 srpt_chan_credits(const struct srpt_chan *ch)
{
	u32 max = ch->dev->srq ? ch->dev->srq_size / 2 :
		  ch->conn.dev->ib->attrs.max_qp_wr - SRPT_SPARE_RECVS - 1;

	return clamp_t(u32, srpt_sq_size / 2, 2, max);
}

static int srpt_chan_alloc(struct srpt_chan *ch)
{
	int ret;

	ch->credits = srpt_chan_credits(ch);
	ch->nr_recvs = ch->credits + SRPT_SPARE_RECVS;
	ch->nr_slots = ch->credits + ch->credits / 4 + 1;
	atomic_set(&ch->req_lim, ch->credits);
	ch->q = kvzalloc(struct_size(ch->q, slots, ch->nr_slots), GFP_KERNEL);
	if (!ch->q)
		return -ENOMEM;
	ch->q->ch = ch;
	ch->q->queue.flags = SKUA_QUEUE_ATOMIC;
	ch->q->queue.cpu = WORK_CPU_UNBOUND;
	ch->q->queue.slots = &ch->q->slots[0].cmd;
	ch->q->queue.stride = sizeof(struct srpt_slot);
	ch->q->queue.nr_slots = ch->nr_slots;
	ch->q->queue.drained = srpt_drained;
	ret = srpt_chan_alloc_slots(ch) ?: srpt_chan_alloc_recvs(ch);
	return ret ?: srpt_chan_create_qp(ch);
}

static int srpt_chan_post_recvs(struct srpt_chan *ch)
{
	int ret = 0;
	u32 i;

	for (i = 0; ch->recvs && i < ch->nr_recvs && !ret; i++)
		ret = srpt_post_recv(ch, &ch->recvs[i]);
	return ret;
}

/* ---- login ------------------------------------------------------------ */

/**
 * srpt_login_rej() - make an SRP_LOGIN_REJ
 * @rej: result
 * @reason: reason code
 * @tag: of the request
 */
void srpt_login_rej(struct srp_login_rej *rej, u32 reason, u64 tag)
{
	memset(rej, 0, sizeof(*rej));
	rej->opcode = SRP_LOGIN_REJ;
	rej->reason = cpu_to_be32(reason);
	rej->tag = tag;
	rej->buf_fmt = cpu_to_be16(SRP_BUF_FORMAT_DIRECT | SRP_BUF_FORMAT_INDIRECT);
}

static void srpt_login_rsp(const struct srpt_chan *ch, const struct srpt_login *login, u8 flags,
			   struct srp_login_rsp *rsp)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->opcode = SRP_LOGIN_RSP;
	rsp->req_lim_delta = cpu_to_be32(ch->credits);
	rsp->tag = login->tag;
	rsp->max_it_iu_len = cpu_to_be32(srpt_max_req_size);
	rsp->max_ti_iu_len = cpu_to_be32(ch->max_rsp);
	rsp->buf_fmt = cpu_to_be16(SRP_BUF_FORMAT_DIRECT | SRP_BUF_FORMAT_INDIRECT);
	rsp->rsp_flags = flags | (ch->imm_off ? SRP_LOGIN_RSP_IMMED_SUPP : 0);
}

/* Does this initiator port have channels here already? target->login is held. */
static bool srpt_nexus_known(const struct srpt_chan *ch)
{
	const struct srpt_chan *other;

	list_for_each_entry(other, &ch->target->chans, link)
		if (other != ch && atomic_read(&other->state) < SRPT_CLOSING &&
		    !memcmp(other->iport, ch->iport, sizeof(ch->iport)))
			return true;
	return false;
}

/* Joins or replaces the session of this I_T nexus. Returns rsp_flags or -errno. */
static int srpt_login_session(struct srpt_chan *ch, bool multi)
{
	u8 id[24] = { [0] = 0x04 };	/* SPC TransportID, SRP; port identifier at byte 8 */
	const struct skua_session_params params = {
		.initiator = ch->name,
		.key = ch->iport,
		.key_len = sizeof(ch->iport),
		.transport_id = id,
		.transport_id_len = sizeof(id),
		.join = multi,
	};
	struct skua_session *sess;
	bool known;
	int ret;

	memcpy(id + 8, ch->iport, sizeof(ch->iport));
	mutex_lock(&ch->target->login);
	known = srpt_nexus_known(ch);
	if (!multi)
		skua_session_close_key(ch->target->tgt, ch->iport, sizeof(ch->iport));
	sess = skua_session_get(ch->target->tgt, &params);
	ret = PTR_ERR_OR_ZERO(sess);
	if (!ret) {
		ret = skua_queue_attach(&ch->q->queue, sess);
		skua_session_put(sess);
	}
	if (!ret) {
		srpt_chan_get(ch);	/* until drained() */
		ch->attached = true;
		list_add_tail(&ch->link, &ch->target->chans);
	}
	mutex_unlock(&ch->target->login);
	if (ret)
		return ret;
	if (!known)
		return SRP_LOGIN_RSP_MULTICHAN_NO_CHAN;
	return multi ? SRP_LOGIN_RSP_MULTICHAN_MAINTAINED : SRP_LOGIN_RSP_MULTICHAN_TERMINATED;
}

static struct srpt_chan *srpt_chan_new(const struct srpt_conn_req *req,
				       const struct srpt_login *login, struct srpt_device *dev,
				       struct srpt_target *target)
{
	struct srpt_chan *ch = kzalloc(sizeof(*ch), GFP_KERNEL);

	if (!ch)
		return NULL;
	skua_rdma_conn_init(&ch->conn, &dev->rdma, req->port, srpt_conn_close);
	kref_init(&ch->refs);
	kref_get(&dev->rdma.refs);
	ch->dev = dev;
	ch->target = target;
	ch->cm = req->cm;
	if (req->rdma_cm)
		ch->rdma_id = req->id;
	else
		ch->ib_id = req->id;
	ch->imm_off = login->imm_off;
	ch->max_rsp = srpt_max_rsp_size;
	ch->initiator_depth = min_t(int, req->initiator_depth, req->ib->attrs.max_qp_init_rd_atom);
	ch->responder_resources = min_t(int, req->responder_resources,
					req->ib->attrs.max_qp_rd_atom);
	memcpy(ch->iport, login->iport, sizeof(ch->iport));
	strscpy(ch->name, req->name, sizeof(ch->name));
	init_completion(&ch->gone);
	spin_lock_init(&ch->lock);
	INIT_LIST_HEAD(&ch->link);
	INIT_LIST_HEAD(&ch->free);
	INIT_LIST_HEAD(&ch->pending);
	INIT_WORK(&ch->close_work, srpt_close_work);
	INIT_WORK(&ch->free_work, srpt_chan_free_work);
	INIT_DELAYED_WORK(&ch->login_timer, srpt_login_timeout);
	spin_lock(&srpt_chans_lock);
	list_add_tail(&ch->all, &srpt_chans);
	spin_unlock(&srpt_chans_lock);
	ch->half_open = 1;
	return ch;
}

/* From a new channel to one whose login is accepted. 0 or -errno. */
static int srpt_chan_open(struct srpt_chan *ch, const struct srpt_login *login)
{
	struct srp_login_rsp rsp;
	int flags, ret;

	ret = srpt_chan_alloc(ch);
	if (ret)
		return ret;
	flags = srpt_login_session(ch, login->multi);
	if (flags < 0)
		return flags;
	ret = srpt_chan_post_recvs(ch);
	if (ret)
		return ret;
	srpt_login_rsp(ch, login, flags, &rsp);
	return ch->cm->accept(ch, &rsp);
}

static u32 srpt_login_verdict(const struct srpt_login *login, const struct srpt_target *target)
{
	__be64 guid = cpu_to_be64(srpt_service_guid);
	u32 reason = srpt_login_check(login, srpt_max_req_size, (const u8 *)&guid);

	if (reason)
		return reason;
	return skua_tgt_enabled(target->tgt) ? 0 : SRP_LOGIN_REJ_INSUFFICIENT_RESOURCES;
}

/* The accepted channel enters its life; the close work owns it from here on. */
static void srpt_chan_begin(struct srpt_chan *ch)
{
	queue_delayed_work(srpt_wq, &ch->login_timer, SRPT_LOGIN_TIMEOUT);
	if (atomic_cmpxchg(&ch->state, SRPT_SETUP, SRPT_CONNECTING) == SRPT_SETUP)
		return;
	atomic_set(&ch->state, SRPT_CLOSING);
	queue_work(srpt_wq, &ch->close_work);
}

static struct srpt_chan *srpt_login_on(const struct srpt_conn_req *req,
				       const struct srpt_login *login, struct srpt_device *dev,
				       struct srpt_target *target)
{
	struct srpt_chan *ch = srpt_chan_new(req, login, dev, target);
	int ret;

	if (!ch) {
		atomic_dec(&srpt_half_open);
		return NULL;
	}
	ret = skua_rdma_dev_link(&dev->rdma, &ch->conn);
	if (!ret) {
		ret = srpt_chan_open(ch, login);
		if (!ret) {
			srpt_chan_begin(ch);
			return ch;
		}
		srpt_chan_teardown(ch);
		skua_rdma_dev_unlink(&dev->rdma, &ch->conn);
	} else {
		srpt_half_open_end(ch);
	}
	pr_info("skua_srp: %s: login of %s failed: %d\n", target->name, req->name, ret);
	atomic_set(&ch->state, SRPT_CLOSED);
	srpt_chan_put(ch);
	return NULL;
}

/**
 * srpt_login() - a connection request came in
 * @req: the request; the CM id stays the caller's if this fails
 * @reason: set on failure: reason for SRP_LOGIN_REJ
 * @tag: of the request
 *
 * Context: process; the CM's handler for this id.
 * Return: the channel, accepted and owner of the id, or NULL.
 */
struct srpt_chan *srpt_login(const struct srpt_conn_req *req, u32 *reason, u64 *tag)
{
	struct srpt_chan *ch = NULL;
	struct srpt_target *target;
	struct srpt_device *dev;
	struct srpt_login login;

	*tag = 0;
	*reason = SRP_LOGIN_REJ_UNABLE_ESTABLISH_CHANNEL;
	target = srpt_port_get(req->ib, req->port, &dev);
	if (!target)
		return NULL;
	if (!srpt_login_parse(req->data, req->len, req->rdma_cm, &login)) {
		pr_info_ratelimited("skua_srp: %s: %s: not an SRP login\n", target->name,
				    req->name);
		goto out;
	}
	*tag = login.tag;
	*reason = srpt_login_verdict(&login, target);
	if (*reason) {
		pr_info_ratelimited("skua_srp: %s: login of %s refused: %s\n", target->name,
				    req->name, skua_tgt_enabled(target->tgt) ?
				    "does not fit this target" : "the target is not enabled");
		goto out;
	}
	*reason = SRP_LOGIN_REJ_INSUFFICIENT_RESOURCES;
	if (atomic_inc_return(&srpt_half_open) > SRPT_MAX_HALF_OPEN) {
		atomic_dec(&srpt_half_open);
		pr_info_ratelimited("skua_srp: %s: login of %s refused: too many logins at once\n",
				    target->name, req->name);
		goto out;
	}
	ch = srpt_login_on(req, &login, dev, target);
out:
	srpt_device_put(dev);
	return ch;
}

const char *srpt_state_name(const struct srpt_chan *ch)
{
	switch (atomic_read(&ch->state)) {
	case SRPT_SETUP:
	case SRPT_DOOMED:
	case SRPT_CONNECTING:
		return "connecting";
	case SRPT_LIVE:
		return "live";
	case SRPT_CLOSING:
		return "disconnecting";
	case SRPT_DRAINING:
		return "draining";
	default:
		return "disconnected";
	}
}

/* ---- unload ----------------------------------------------------------- */

static bool srpt_chans_none(void)
{
	bool none;

	spin_lock(&srpt_chans_lock);
	none = list_empty(&srpt_chans);
	spin_unlock(&srpt_chans_lock);
	return none;
}

/* While the queue is there for sure; nobody calls us for its commands any more. */
static void srpt_queue_strip(struct skua_queue *queue)
{
	srpt_rsps_free(container_of(queue, struct srpt_queue, queue)->ch);
}

/*
 * A channel whose last commands a backend does not give back: the core keeps
 * their memory, all else goes.
 */
static void srpt_chan_orphan(struct srpt_chan *ch)
{
	struct srpt_queue *q = ch->q;

	if (!q || !skua_queue_orphan(&q->queue, q, srpt_queue_strip))
		return;		/* drained() puts the channel */
	pr_warn("skua_srp: %s: %s: leaving commands behind that a backend does not give back\n",
		ch->target->name, ch->name);
	ch->q = NULL;
	srpt_chan_put(ch);
}

/**
 * srpt_chans_wait() - until no channel is left
 *
 * For module exit: all devices are gone, so nothing but backends keeps channels.
 */
void srpt_chans_wait(void)
{
	struct srpt_chan *ch, *next;
	LIST_HEAD(stuck);

	if (!wait_event_timeout(srpt_chans_gone, srpt_chans_none(), SRPT_UNLOAD_TIMEOUT)) {
		spin_lock(&srpt_chans_lock);
		list_for_each_entry(ch, &srpt_chans, all)
			if (kref_get_unless_zero(&ch->refs))
				list_add_tail(&ch->link, &stuck);
		spin_unlock(&srpt_chans_lock);
		list_for_each_entry_safe(ch, next, &stuck, link) {
			list_del(&ch->link);
			srpt_chan_orphan(ch);
			srpt_chan_put(ch);
		}
		wait_event(srpt_chans_gone, srpt_chans_none());
	}
	flush_workqueue(srpt_wq);
}
