// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA/CM: listeners on the wildcard addresses, which the CM carries over devices
 * and addresses that come and go.
 */
#include <net/net_namespace.h>
#include <rdma/rdma_cm.h>

#include "srpt.h"

#define SRPT_BACKLOG	128

static struct rdma_cm_id *srpt_listener4, *srpt_listener6;

/* ---- channel operations ------------------------------------------------ */

static int srpt_rdma_create_qp(struct skua_rdma_conn *conn, struct ib_qp_init_attr *attr,
			       void *arg)
{
	struct srpt_chan *ch = srpt_conn_chan(conn);
	int ret = rdma_create_qp(ch->rdma_id, conn->dev->pd, attr);

	if (!ret)
		conn->qp = ch->rdma_id->qp;
	return ret;
}

static void srpt_rdma_destroy_qp(struct skua_rdma_conn *conn)
{
	rdma_destroy_qp(srpt_conn_chan(conn)->rdma_id);
}

static int srpt_rdma_accept(struct srpt_chan *ch, const struct srp_login_rsp *rsp)
{
	struct rdma_conn_param param = {
		.private_data = rsp,
		.private_data_len = sizeof(*rsp),
		.responder_resources = ch->responder_resources,
		.initiator_depth = ch->initiator_depth,
		.flow_control = 1,
		.rnr_retry_count = 7,
	};

	ch->rdma_id->context = ch;
	return rdma_accept(ch->rdma_id, &param);
}

static void srpt_rdma_disconnect(struct srpt_chan *ch)
{
	rdma_disconnect(ch->rdma_id);
}

static void srpt_rdma_notify(struct srpt_chan *ch)
{
	rdma_notify(ch->rdma_id, IB_EVENT_COMM_EST);
}

static void srpt_rdma_destroy_id(struct srpt_chan *ch)
{
	rdma_destroy_id(ch->rdma_id);
	ch->rdma_id = NULL;
}

static const struct srpt_cm_ops srpt_rdma_ops = {
	.create_qp = srpt_rdma_create_qp,
	.accept = srpt_rdma_accept,
	.disconnect = srpt_rdma_disconnect,
	.notify = srpt_rdma_notify,
	.destroy_qp = srpt_rdma_destroy_qp,
	.destroy_id = srpt_rdma_destroy_id,
};

/* ---- events ----------------------------------------------------------- */

static void srpt_rdma_name(const struct rdma_cm_id *id, char *name)
{
	const struct sockaddr_storage *addr = &id->route.addr.dst_addr;

	if (addr->ss_family == AF_INET)
		snprintf(name, SRPT_NAME_LEN, "%pI4",
			 &((const struct sockaddr_in *)addr)->sin_addr);
	else
		snprintf(name, SRPT_NAME_LEN, "%pI6",
			 &((const struct sockaddr_in6 *)addr)->sin6_addr);
}

/* Non-zero: the CM destroys the id. */
static int srpt_rdma_request(struct rdma_cm_id *id, const struct rdma_cm_event *event)
{
	struct srpt_conn_req req = {
		.ib = id->device,
		.port = id->port_num,
		.cm = &srpt_rdma_ops,
		.id = id,
		.data = event->param.conn.private_data,
		.len = event->param.conn.private_data_len,
		.rdma_cm = true,
		.initiator_depth = event->param.conn.initiator_depth,
		.responder_resources = event->param.conn.responder_resources,
	};
	struct srp_login_rej rej;
	u32 reason;
	u64 tag;

	srpt_rdma_name(id, req.name);
	id->context = NULL;
	if (srpt_login(&req, &reason, &tag))
		return 0;
	id->context = NULL;
	srpt_login_rej(&rej, reason, tag);
	rdma_reject(id, &rej, sizeof(rej), IB_CM_REJ_CONSUMER_DEFINED);
	return -ECONNREFUSED;
}

static int srpt_rdma_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct srpt_chan *ch = id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return srpt_rdma_request(id, event);
	if (!ch)
		return 0;
	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		srpt_chan_established(ch);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		srpt_chan_gone(ch);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		srpt_chan_close(ch);
		break;
	default:
		break;
	}
	return 0;
}

/* ---- listeners -------------------------------------------------------- */

static struct rdma_cm_id *srpt_rdma_listen_on(struct sockaddr *addr)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, srpt_rdma_event, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return id;
	ret = rdma_set_afonly(id, 1) ?: rdma_bind_addr(id, addr) ?: rdma_listen(id, SRPT_BACKLOG);
	if (!ret)
		return id;
	rdma_destroy_id(id);
	return ERR_PTR(ret);
}

/**
 * srpt_rdma_listen() - accept logins through the RDMA/CM
 * @port: port number
 *
 * Return: 0, also where there is no IPv6; -errno.
 */
int srpt_rdma_listen(u16 port)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct rdma_cm_id *id;

	id = srpt_rdma_listen_on((struct sockaddr *)&in4);
	if (IS_ERR(id)) {
		pr_err("skua_srp: cannot listen on port %u: %ld\n", port, PTR_ERR(id));
		return PTR_ERR(id);
	}
	srpt_listener4 = id;
	id = srpt_rdma_listen_on((struct sockaddr *)&in6);
	if (IS_ERR(id))
		pr_notice("skua_srp: not listening on IPv6: %ld\n", PTR_ERR(id));
	else
		srpt_listener6 = id;
	return 0;
}

/**
 * srpt_rdma_unlisten() - no more logins through the RDMA/CM
 *
 * Returns when no handler of a connection request runs any more.
 */
void srpt_rdma_unlisten(void)
{
	if (srpt_listener4)
		rdma_destroy_id(srpt_listener4);
	if (srpt_listener6)
		rdma_destroy_id(srpt_listener6);
	srpt_listener4 = NULL;
	srpt_listener6 = NULL;
}
