// SPDX-License-Identifier: GPL-2.0
/*
 * IB/CM: a listener per device, on the service GUID. The QP's transitions are ours
 * here.
 */
#include <rdma/ib_cm.h>

#include "srpt.h"

/* ---- channel operations ------------------------------------------------ */

static int srpt_ib_modify(struct srpt_chan *ch, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask;
	int ret;

	ret = ib_cm_init_qp_attr(ch->ib_id, &attr, &mask);
	if (ret)
		return ret;
	if (state == IB_QPS_RTR)
		attr.max_dest_rd_atomic = ch->responder_resources;
	if (state == IB_QPS_RTS)
		attr.max_rd_atomic = ch->initiator_depth;
	return ib_modify_qp(ch->conn.qp, &attr, mask);
}

static int srpt_ib_create_qp(struct skua_rdma_conn *conn, struct ib_qp_init_attr *attr, void *arg)
{
	struct srpt_chan *ch = srpt_conn_chan(conn);
	struct ib_qp *qp = ib_create_qp(conn->dev->pd, attr);
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	conn->qp = qp;
	ret = srpt_ib_modify(ch, IB_QPS_INIT);
	if (ret) {
		conn->qp = NULL;
		ib_destroy_qp(qp);
	}
	return ret;
}

static void srpt_ib_destroy_qp(struct skua_rdma_conn *conn)
{
	ib_destroy_qp(conn->qp);
}

/* Ready to send before the reply: a request may overtake the RTU. */
static int srpt_ib_accept(struct srpt_chan *ch, const struct srp_login_rsp *rsp)
{
	struct ib_cm_rep_param param = {
		.qp_num = ch->conn.qp->qp_num,
		.private_data = rsp,
		.private_data_len = sizeof(*rsp),
		.responder_resources = ch->responder_resources,
		.initiator_depth = ch->initiator_depth,
		.flow_control = 1,
		.rnr_retry_count = 7,
		.srq = !!ch->conn.qp->srq,
	};
	int ret;

	ret = srpt_ib_modify(ch, IB_QPS_RTR) ?: srpt_ib_modify(ch, IB_QPS_RTS);
	if (ret)
		return ret;
	ch->ib_id->context = ch;
	return ib_send_cm_rep(ch->ib_id, &param);
}

static void srpt_ib_disconnect(struct srpt_chan *ch)
{
	if (ib_send_cm_dreq(ch->ib_id, NULL, 0) < 0)
		ib_send_cm_drep(ch->ib_id, NULL, 0);
}

static void srpt_ib_notify(struct srpt_chan *ch)
{
	ib_cm_notify(ch->ib_id, IB_EVENT_COMM_EST);
}

static void srpt_ib_destroy_id(struct srpt_chan *ch)
{
	ib_destroy_cm_id(ch->ib_id);
	ch->ib_id = NULL;
}

static const struct srpt_cm_ops srpt_ib_ops = {
	.create_qp = srpt_ib_create_qp,
	.accept = srpt_ib_accept,
	.disconnect = srpt_ib_disconnect,
	.notify = srpt_ib_notify,
	.destroy_qp = srpt_ib_destroy_qp,
	.destroy_id = srpt_ib_destroy_id,
};

/* ---- events ----------------------------------------------------------- */

/* Non-zero: the CM destroys the id. */
static int srpt_ib_request(struct ib_cm_id *id, const struct ib_cm_req_event_param *param,
			   const void *data)
{
	struct srpt_conn_req req = {
		.ib = param->listen_id->device,
		.port = param->port,
		.cm = &srpt_ib_ops,
		.id = id,
		.data = data,
		.len = IB_CM_REQ_PRIVATE_DATA_SIZE,
		.initiator_depth = param->initiator_depth,
		.responder_resources = param->responder_resources,
	};
	struct srp_login_rej rej;
	u32 reason;
	u64 tag;

	/* Seen from here the initiator is the path's destination. */
	snprintf(req.name, sizeof(req.name), "%pI6", param->primary_path->dgid.raw);
	id->context = NULL;
	if (srpt_login(&req, &reason, &tag))
		return 0;
	id->context = NULL;
	srpt_login_rej(&rej, reason, tag);
	ib_send_cm_rej(id, IB_CM_REJ_CONSUMER_DEFINED, NULL, 0, &rej, sizeof(rej));
	return -ECONNREFUSED;
}

static int srpt_ib_event(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	struct srpt_chan *ch = id->context;

	if (event->event == IB_CM_REQ_RECEIVED)
		return srpt_ib_request(id, &event->param.req_rcvd, event->private_data);
	if (!ch)
		return 0;
	switch (event->event) {
	case IB_CM_RTU_RECEIVED:
	case IB_CM_USER_ESTABLISHED:
		srpt_chan_established(ch);
		break;
	case IB_CM_DREQ_RECEIVED:
		ib_send_cm_drep(id, NULL, 0);
		srpt_chan_gone(ch);
		break;
	case IB_CM_DREP_RECEIVED:
	case IB_CM_DREQ_ERROR:
	case IB_CM_TIMEWAIT_EXIT:
	case IB_CM_REJ_RECEIVED:
	case IB_CM_REP_ERROR:
		srpt_chan_gone(ch);
		break;
	default:
		break;
	}
	return 0;
}

/* ---- listener --------------------------------------------------------- */

static bool srpt_has_ib_cm(const struct srpt_device *dev)
{
	u32 i;

	for (i = 0; i < dev->nr_ports; i++)
		if (rdma_cap_ib_cm(dev->rdma.ib, i + 1))
			return true;
	return false;
}

/**
 * srpt_ib_listen() - accept logins through the IB/CM, if the device has it
 * @dev: the device, with the service GUID known
 *
 * Return: 0 or -errno.
 */
int srpt_ib_listen(struct srpt_device *dev)
{
	struct ib_cm_id *id;
	int ret;

	if (!srpt_has_ib_cm(dev))
		return 0;
	/* The context of a listener is the one of its new ids until they get their own. */
	id = ib_create_cm_id(dev->rdma.ib, srpt_ib_event, NULL);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = ib_cm_listen(id, cpu_to_be64(srpt_service_guid));
	if (ret) {
		ib_destroy_cm_id(id);
		return ret;
	}
	dev->listener = id;
	return 0;
}

/**
 * srpt_ib_unlisten() - no more logins through the IB/CM of this device
 * @dev: the device
 */
void srpt_ib_unlisten(struct srpt_device *dev)
{
	if (dev->listener)
		ib_destroy_cm_id(dev->listener);
	dev->listener = NULL;
}
