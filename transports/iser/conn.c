// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's life.
 *
 * It begins in the connection manager's handler (iser_connect()) and ends in one work
 * item, which whoever first asks for the end queues (iser_close()). That work frees all
 * that belongs to the device; the core's queue holds a reference until the last command
 * has come back, however long a backend keeps it.
 */
#include <linux/slab.h>

#include "iser.h"

#define ISER_DREP_TIMEOUT	HZ
#define ISER_DREP_TRIES		20
#define ISER_GRACE		HZ

/* ---- memory ----------------------------------------------------------- */

static void iser_recvs_unmap(struct iser_conn *ic)
{
	u32 i;

	for (i = 0; i < ISER_LOGIN_RECVS; i++)
		iser_recv_unmap(ic, &ic->login_recvs[i]);
	for (i = 0; ic->recvs && i < ic->nr_recvs; i++)
		iser_recv_unmap(ic, &ic->recvs[i]);
}

static void iser_rsps_unmap(struct iser_conn *ic)
{
	struct iser_slot *slots;
	u32 i;

	if (!ic->c.q)
		return;
	slots = iser_queue(ic)->slots;
	for (i = 0; i < ic->nr_slots && slots[i].rsp; i++)
		ib_dma_unmap_single(ic->rdma.dev->ib, slots[i].rsp_dma, ISER_RSP_LEN,
				    DMA_TO_DEVICE);
}

/**
 * iser_mover_orphan() - free what hangs on slots that the core keeps
 * @conn: at its end
 */
void iser_mover_orphan(struct iscsit_conn *conn)
{
	struct iser_conn *ic = iser_of(conn);
	struct iser_slot *slots = iser_queue(ic)->slots;
	u32 i;

	for (i = 0; i < ic->nr_slots; i++) {
		kfree(slots[i].rsp);
		skua_sgv_free(slots[i].bounce);
		skua_rdma_xfer_end(&slots[i].xfer);
		slots[i].rsp = NULL;
		slots[i].bounce = NULL;
	}
}

/**
 * iser_mover_free() - free the memory of a connection
 * @conn: nobody refers to it
 */
void iser_mover_free(struct iscsit_conn *conn)
{
	struct iser_conn *ic = iser_of(conn);
	u32 i;

	if (conn->q)
		iser_mover_orphan(conn);
	kvfree(conn->q);
	for (i = 0; i < ISER_LOGIN_RECVS; i++)
		iser_recv_free(&ic->login_recvs[i]);
	for (i = 0; ic->recvs && i < ic->nr_recvs; i++)
		iser_recv_free(&ic->recvs[i]);
	kvfree(ic->recvs);
	iser_device_put(ic->dev);
	kfree(ic);
}

/* ---- the end ---------------------------------------------------------- */

static void iser_stop(struct iser_conn *ic)
{
	spin_lock_irq(&ic->lock);
	ic->stopped = true;
	spin_unlock_irq(&ic->lock);
	cancel_work_sync(&ic->rx_work);
	cancel_work_sync(&ic->tx_work);
	cancel_delayed_work_sync(&ic->grace);
}

/*
 * Lets the peer learn of the end before the QP goes: the CM repeats a lost DREQ as long
 * as its id is there, and soft-RoCE of 6.1 writes into a QP just destroyed if packets
 * for it still arrive. Worth a moment, unless the device is in a hurry; a connection
 * that was not accepted has no peer yet.
 */
static void iser_await_peer(struct iser_conn *ic)
{
	if (atomic_read(&ic->state) != ISER_DRAINING)
		return;
	if (!READ_ONCE(ic->rdma.dev->gone))
		wait_for_completion_timeout(&ic->gone, ISER_DREP_TIMEOUT);
	synchronize_rcu();
}

static void iser_destroy_qp(struct skua_rdma_conn *conn)
{
	rdma_destroy_qp(container_of(conn, struct iser_conn, rdma)->id);
}

/*
 * Everything but the CM id. When it returns nothing of the device is in use; the core
 * may still have commands.
 */
static void iser_teardown(struct iser_conn *ic)
{
	iser_stop(ic);
	if (ic->c.attached)
		skua_queue_kill(&ic->c.q->queue);
	skua_rdma_conn_stop(&ic->rdma);
	iser_slots_fail(ic);
	iser_ctls_drop(ic);
	iser_await_peer(ic);
	skua_rdma_conn_destroy(&ic->rdma, iser_destroy_qp);
	iser_recvs_unmap(ic);
	iser_rsps_unmap(ic);
}

/*
 * The CM sends no DREQ before it has seen the peer's RTU, which a PDU that is a reason to
 * close may overtake: so ask it more than once.
 */
static void iser_wait_gone(struct iser_conn *ic)
{
	int i;

	for (i = 0; i < ISER_DREP_TRIES && !READ_ONCE(ic->rdma.dev->gone); i++) {
		if (wait_for_completion_timeout(&ic->gone, ISER_DREP_TIMEOUT / ISER_DREP_TRIES))
			return;
		rdma_disconnect(ic->id);
	}
}

static void iser_close_work(struct work_struct *work)
{
	struct iser_conn *ic = container_of(work, struct iser_conn, close_work);

	rdma_disconnect(ic->id);
	atomic_set(&ic->state, ISER_DRAINING);
	iser_teardown(ic);
	iser_wait_gone(ic);
	rdma_destroy_id(ic->id);
	ic->id = NULL;
	atomic_set(&ic->state, ISER_CLOSED);
	skua_rdma_dev_unlink(ic->rdma.dev, &ic->rdma);
	iscsit_conn_end(&ic->c);
}

/**
 * iser_close() - begin the end of a connection, if nobody has yet
 * @ic: a connection that the caller knows to stay meanwhile
 *
 * Context: any.
 */
void iser_close(struct iser_conn *ic)
{
	int old = atomic_read(&ic->state), new;

	do {
		if (old == ISER_DOOMED || old >= ISER_CLOSING)
			return;
		new = old == ISER_SETUP ? ISER_DOOMED : ISER_CLOSING;
	} while (!atomic_try_cmpxchg(&ic->state, &old, new));
	if (new == ISER_CLOSING)
		queue_work(iser_wq, &ic->close_work);
}

void iser_mover_close(struct iscsit_conn *conn)
{
	iser_close(iser_of(conn));
}

/* The same for the shared code: a post failed, or the device goes. */
void iser_rdma_close(struct skua_rdma_conn *conn)
{
	iser_close(container_of(conn, struct iser_conn, rdma));
}

static void iser_grace_work(struct work_struct *work)
{
	iser_close(container_of(work, struct iser_conn, grace.work));
}

/**
 * iser_close_soon() - the initiator was told that this is the end
 * @ic: the connection
 *
 * It has a moment to disconnect by itself: if we did, it might take it for a failure.
 * Context: any.
 */
void iser_close_soon(struct iser_conn *ic)
{
	unsigned long flags;

	spin_lock_irqsave(&ic->lock, flags);
	if (!ic->stopped)
		queue_delayed_work(iser_wq, &ic->grace, ISER_GRACE);
	spin_unlock_irqrestore(&ic->lock, flags);
}

static int iser_conn_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct iser_conn *ic = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		complete_all(&ic->gone);
		iser_close(ic);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		iser_close(ic);
		break;
	default:
		break;
	}
	return 0;
}

/* ---- resources -------------------------------------------------------- */

static void iser_qp_event(struct ib_event *event, void *context)
{
	struct iser_conn *ic = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		rdma_notify(ic->id, IB_EVENT_COMM_EST);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		iser_close(ic);
		break;
	default:
		break;
	}
}

static int iser_create_qp(struct skua_rdma_conn *conn, struct ib_qp_init_attr *attr, void *arg)
{
	struct iser_conn *ic = container_of(conn, struct iser_conn, rdma);
	int ret = rdma_create_qp(ic->id, conn->dev->pd, attr);

	if (!ret)
		conn->qp = ic->id->qp;
	return ret;
}

/* QP and CQ for the full feature phase, buffers for the login only. */
static int iser_conn_alloc(struct iser_conn *ic)
{
	static atomic_t next = ATOMIC_INIT(0);
	struct ib_device *ib = ic->rdma.dev->ib;
	struct skua_rdma_params params = {
		.sq_wr = iser_sq_size,
		.comp_vector = (u32)atomic_inc_return(&next) % max(ib->num_comp_vectors, 1),
		.event = iser_qp_event,
		.context = ic,
		.create_qp = iser_create_qp,
	};
	u32 extra = ISER_UNEXPECTED + ISER_LOGIN_RECVS;
	int i, ret;

	ic->max_depth = min_t(u32, iser_queue_depth,
			      max_t(int, ib->attrs.max_qp_wr - (int)extra - 1, 1));
	/* Twice as many: for one unsolicited Data-Out behind each command. */
	ic->max_recvs = min_t(u32, 2 * ic->max_depth + ISER_UNEXPECTED,
			      max_t(int, ib->attrs.max_qp_wr - ISER_LOGIN_RECVS - 1, 1));
	params.rq_wr = ic->max_recvs + ISER_LOGIN_RECVS;
	ret = skua_rdma_conn_create(&ic->rdma, &params);
	for (i = 0; i < ISER_LOGIN_RECVS && !ret; i++) {
		ret = iser_recv_alloc(ic, &ic->login_recvs[i]);
		if (!ret)
			ret = iser_post_recv(ic, &ic->login_recvs[i]);
	}
	return ret;
}

static int iser_alloc_slots(struct iser_conn *ic)
{
	struct ib_device *ib = ic->rdma.dev->ib;
	u32 i;

	for (i = 0; i < ic->nr_slots; i++) {
		struct iser_slot *slot = &iser_queue(ic)->slots[i];

		slot->ic = ic;
		slot->rsp = kzalloc(ISER_RSP_LEN, GFP_KERNEL);
		if (!slot->rsp)
			return -ENOMEM;
		slot->rsp_dma = ib_dma_map_single(ib, slot->rsp, ISER_RSP_LEN, DMA_TO_DEVICE);
		if (ib_dma_mapping_error(ib, slot->rsp_dma)) {
			kfree(slot->rsp);
			slot->rsp = NULL;
			return -ENOMEM;
		}
		iser_slot_init(slot);
	}
	return 0;
}

/*
 * Buffers for all that a well-behaved initiator sends at once. Whatever is more meets
 * none and is sent again by its device, which works but is slow.
 */
static u32 iser_nr_recvs(const struct iser_conn *ic)
{
	const u32 *value = ic->c.login->nego.value;
	bool more = !value[ISCSI_IMMEDIATE_DATA] ||
		    value[ISCSI_FIRST_BURST] > value[ISCSI_TARGET_RECV_DSL];
	u64 pdus = 1;

	if (more && !value[ISCSI_INITIAL_R2T])
		pdus += DIV_ROUND_UP(value[ISCSI_FIRST_BURST], value[ISCSI_TARGET_RECV_DSL]);
	return min_t(u64, ic->c.depth * pdus + ISER_UNEXPECTED, ic->max_recvs);
}

/* Process context; the connection may be at its end. */
static int iser_add_recvs(struct iser_conn *ic)
{
	int ret = 0;
	u32 i;

	ic->recvs = kvcalloc(ic->nr_recvs, sizeof(*ic->recvs), GFP_KERNEL);
	if (!ic->recvs)
		return -ENOMEM;
	if (!skua_rdma_enter(&ic->rdma, true))
		return -ENOTCONN;
	for (i = 0; i < ic->nr_recvs && !ret; i++) {
		ret = iser_recv_alloc(ic, &ic->recvs[i]);
		if (!ret)
			ret = iser_post_recv(ic, &ic->recvs[i]);
	}
	skua_rdma_exit(&ic->rdma, true);
	return ret;
}

/**
 * iser_alloc_queue() - slots and receive buffers for the full feature phase
 * @conn: with depth set, which is cut to what the receive queue has room for
 *
 * What it has made when it fails goes with the connection. Context: process, from the
 * login. Return: 0 or -errno.
 */
int iser_alloc_queue(struct iscsit_conn *conn)
{
	struct iser_conn *ic = iser_of(conn);
	struct iser_queue *q;
	u32 i;
	int ret;

	conn->depth = min(conn->depth, ic->max_depth);
	/* A slot is free a little later than its place in the window. */
	ic->nr_slots = iscsit_nr_slots(conn) + conn->depth / 4 + 1;
	ic->nr_recvs = iser_nr_recvs(ic);
	q = kvzalloc(struct_size(q, slots, ic->nr_slots), GFP_KERNEL);
	if (!q)
		return -ENOMEM;
	iscsit_queue_init(conn, &q->q, &q->slots[0].cmd, sizeof(q->slots[0]));
	q->q.queue.flags |= SKUA_QUEUE_ATOMIC;
	q->q.queue.cpu = WORK_CPU_UNBOUND;
	q->q.queue.nr_slots = ic->nr_slots;
	ret = iser_alloc_slots(ic) ?: iser_add_recvs(ic);
	if (ret)
		return ret;
	spin_lock_irq(&ic->lock);
	for (i = 0; i < ic->nr_slots; i++)
		list_add_tail(&q->slots[i].free, &ic->free);
	spin_unlock_irq(&ic->lock);
	return 0;
}

/* ---- the beginning ---------------------------------------------------- */

/*
 * The initiator says what it cannot do. Without its word nothing is taken for granted.
 */
static bool iser_peer_send_inv(const struct ib_device *ib, const struct rdma_conn_param *param)
{
	const struct iser_cm_hdr *hdr = param->private_data;

	if (!(ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return false;
	return hdr && param->private_data_len >= sizeof(*hdr) &&
	       !(hdr->flags & ISER_CM_NO_SEND_INV);
}

static struct iser_conn *iser_conn_new(struct rdma_cm_id *id, const struct rdma_cm_event *event,
				       struct iser_device *dev)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct iser_conn *ic = kzalloc(sizeof(*ic), GFP_KERNEL);

	if (!ic)
		return NULL;
	skua_rdma_conn_init(&ic->rdma, &dev->rdma, id->port_num, iser_rdma_close);
	ic->dev = dev;
	ic->id = id;
	ic->send_inv = iser_peer_send_inv(id->device, param);
	ic->initiator_depth = min_t(int, param->initiator_depth,
				    id->device->attrs.max_qp_init_rd_atom);
	ic->responder_resources = min_t(int, param->responder_resources,
					id->device->attrs.max_qp_rd_atom);
	init_completion(&ic->gone);
	spin_lock_init(&ic->lock);
	INIT_LIST_HEAD(&ic->free);
	INIT_LIST_HEAD(&ic->unsol);
	INIT_LIST_HEAD(&ic->pending);
	INIT_LIST_HEAD(&ic->ctls);
	INIT_WORK(&ic->rx_work, iser_rx_work);
	INIT_WORK(&ic->tx_work, iser_tx_work);
	INIT_WORK(&ic->close_work, iser_close_work);
	INIT_DELAYED_WORK(&ic->grace, iser_grace_work);
	iscsit_conn_names(&ic->c, &id->route.addr.dst_addr, &id->route.addr.src_addr);
	return ic;
}

static int iser_accept(struct iser_conn *ic)
{
	struct iser_cm_hdr hdr = { .flags = ISER_CM_NO_ZBVA };
	struct rdma_conn_param param = {
		.private_data = &hdr,
		.private_data_len = sizeof(hdr),
		.responder_resources = ic->responder_resources,
		.initiator_depth = ic->initiator_depth,
		.flow_control = 1,
		.rnr_retry_count = 7,	/* as often as it takes */
	};

	if (!ic->send_inv)
		hdr.flags |= ISER_CM_NO_SEND_INV;
	ic->id->context = ic;
	ic->id->event_handler = iser_conn_event;
	return rdma_accept(ic->id, &param);
}

static int iser_conn_open(struct iser_conn *ic)
{
	int ret = skua_rdma_dev_link(ic->rdma.dev, &ic->rdma);

	if (ret)
		return ret;
	ret = iser_conn_alloc(ic) ?: iser_accept(ic);
	if (!ret)
		return 0;
	iser_teardown(ic);
	skua_rdma_dev_unlink(ic->rdma.dev, &ic->rdma);
	return ret;
}

/* An event for an id that is given back to the CM, which destroys it. */
static int iser_no_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	return 0;
}

/**
 * iser_connect() - a connection request
 * @id: its id
 * @event: the event
 *
 * Context: process, the CM's handler. Return: 0: the id is the connection's; -errno: the
 * CM destroys it.
 */
int iser_connect(struct rdma_cm_id *id, const struct rdma_cm_event *event)
{
	struct iser_device *dev = iser_device_get(id->device);
	struct iser_conn *ic;
	int ret;

	id->context = NULL;
	id->event_handler = iser_no_event;
	if (!dev)
		return -ENODEV;
	ic = iser_conn_new(id, event, dev);
	if (!ic) {
		iser_device_put(dev);
		return -ENOMEM;
	}
	ret = iscsit_conn_init(&ic->c, &iser_mover);
	if (ret) {
		iser_device_put(dev);
		kfree(ic);
		return ret;
	}
	ret = iser_conn_open(ic);
	if (ret) {
		pr_info_ratelimited("skua_iser: %s: connection refused: %d\n", ic->c.peer, ret);
		id->event_handler = iser_no_event;
		id->context = NULL;
		ic->id = NULL;
		atomic_set(&ic->state, ISER_CLOSED);
		iscsit_conn_end(&ic->c);
		return ret;
	}
	if (atomic_cmpxchg(&ic->state, ISER_SETUP, ISER_CONNECTED) == ISER_SETUP)
		return 0;
	atomic_set(&ic->state, ISER_CLOSING);
	queue_work(iser_wq, &ic->close_work);
	return 0;
}
