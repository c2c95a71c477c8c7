// SPDX-License-Identifier: GPL-2.0
/*
 * Connections, step by step: the QP is ours and not the RDMA CM library's, so
 * that we can stop between any two steps, or do them out of turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"

static struct rdma_event_channel *cm;
static struct ibv_context *verbs;
static struct ibv_comp_channel *comp;
static struct ibv_pd *pd;
static struct bufs *spare;

void conn_init(void)
{
	cm = rdma_create_event_channel();
	if (!cm)
		die("no RDMA CM (ib_uverbs, rdma_ucm loaded?): %m");
	fcntl(cm->fd, F_SETFL, O_NONBLOCK);
}

/* Zeroed memory that the target may read and write */
u8 *map_mr(size_t size, struct ibv_mr **mr)
{
	void *p;

	/*
	 * rdma_rxe of Linux 6.1 looks one map of 256 pages too far at the end of memory
	 * that fills its maps.
	 */
	if (size % (256 * 4096) == 0)
		size += 4096;
	if (posix_memalign(&p, 4096, size))
		die("no memory");
	memset(p, 0, size);
	*mr = ibv_reg_mr(pd, p, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			 IBV_ACCESS_REMOTE_READ);
	if (!*mr)
		die("cannot register memory: %m");
	return p;
}

static struct bufs *bufs_get(void)
{
	struct bufs *b = spare;

	if (b) {
		spare = b->next;
		return b;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		die("no memory");
	b->send = map_mr((size_t)NR_SLOTS * SLOT_IU, &b->mr_send);
	b->recv = map_mr((size_t)NR_RECVS * RECV_SIZE, &b->mr_recv);
	b->data = map_mr((size_t)NR_SLOTS * SLOT_DATA, &b->mr_data);
	b->lng = map_mr(LONG_SIZE, &b->mr_lng);
	b->trap = map_mr(TRAP_SIZE, &b->mr_trap);
	return b;
}

static void set_closed(struct conn *c, const char *why)
{
	if (c->state == C_CLOSED || c->state == C_REJECTED)
		return;
	c->state = C_CLOSED;
	c->why = why;
}

static void keep_reply(struct conn *c, const struct rdma_conn_param *p)
{
	c->reply_len = p->private_data ? p->private_data_len : 0;
	if (c->reply_len > sizeof(c->reply))
		c->reply_len = sizeof(c->reply);
	if (c->reply_len)
		memcpy(c->reply, p->private_data, c->reply_len);
	c->resp_res = p->responder_resources;
	c->init_depth = p->initiator_depth;
}

static void cm_event(const struct rdma_cm_event *e)
{
	struct conn *c = e->id->context;

	if (opt.verbose)
		fprintf(stderr, "  cm %p: %s, status %d\n", (void *)c,
			rdma_event_str(e->event), e->status);
	switch (e->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		c->addr_ready = true;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		c->route_ready = true;
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		keep_reply(c, &e->param.conn);
		if (c->state == C_CONNECTING)
			c->state = C_ANSWERED;
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		break;
	case RDMA_CM_EVENT_REJECTED:
		keep_reply(c, &e->param.conn);
		c->reason = e->status;
		if (c->state == C_CONNECTING) {
			c->state = C_REJECTED;
			c->why = "rejected";
		} else {
			set_closed(c, "reject");
		}
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		set_closed(c, "disconnect");
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		set_closed(c, rdma_event_str(e->event));
	}
}

/* Handles what the CM has to say; waits for it if there is nothing yet. */
void cm_pump(int timeout_ms)
{
	struct pollfd fd = { .fd = cm->fd, .events = POLLIN };
	struct rdma_cm_event *e;

	if (timeout_ms && poll(&fd, 1, timeout_ms) <= 0)
		return;
	while (!rdma_get_cm_event(cm, &e)) {
		cm_event(e);
		rdma_ack_cm_event(e);
	}
}

bool conn_gone(const struct conn *c)
{
	return c->state == C_CLOSED || c->state == C_REJECTED;
}

/* Waits until the state is past @past; false if that takes longer than @ms. */
bool conn_wait(struct conn *c, enum conn_state past, u32 ms)
{
	u64 end = now_ms() + ms;

	while (c->state <= past) {
		u64 now = now_ms();

		if (now >= end)
			return false;
		cm_pump(end - now);
	}
	return true;
}

static void find_route(struct conn *c)
{
	u64 end = now_ms() + 10000;

	if (rdma_resolve_addr(c->id, opt.src ? opt.src->ai_addr : NULL, opt.dst->ai_addr, 5000))
		die("cannot resolve the address: %m");
	while (!c->addr_ready && !conn_gone(c) && now_ms() < end)
		cm_pump(1000);
	if (!c->addr_ready)
		die("no RDMA device reaches that address");
	if (rdma_resolve_route(c->id, 5000))
		die("cannot resolve the route: %m");
	while (!c->route_ready && !conn_gone(c) && now_ms() < end)
		cm_pump(1000);
	if (!c->route_ready)
		die("no route");
}

static int qp_to(struct conn *c, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rdma_init_qp_attr(c->id, &attr, &mask))
		return -1;
	if (state == IBV_QPS_INIT) {
		attr.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ;
		mask |= IBV_QP_ACCESS_FLAGS;
	}
	return ibv_modify_qp(c->qp, &attr, mask) ? -1 : 0;
}

/* Ready to receive, ready to send, and the confirmation that ends the handshake. */
int conn_ready(struct conn *c)
{
	return qp_to(c, IBV_QPS_RTR);
}

int conn_rts(struct conn *c)
{
	return qp_to(c, IBV_QPS_RTS);
}

int conn_confirm(struct conn *c)
{
	if (rdma_establish(c->id))
		return -1;
	if (c->state == C_ANSWERED)
		c->state = C_LIVE;
	return 0;
}

int conn_post_recv(struct conn *c, u32 nr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->b->recv + (u64)nr * RECV_SIZE,
		.length = RECV_SIZE,
		.lkey = c->b->mr_recv->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = nr, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(c->qp, &wr, &bad);
}

/* Our end stops working; the peer is not told. */
void conn_break(struct conn *c)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	ibv_modify_qp(c->qp, &attr, IBV_QP_STATE);
}

/* The data buffers are not there any more. */
void conn_lose_memory(struct conn *c)
{
	struct bufs *b = c->b;

	if (ibv_dereg_mr(b->mr_data))
		die("cannot deregister memory: %m");
	free(b->data);
	b->data = map_mr((size_t)NR_SLOTS * SLOT_DATA, &b->mr_data);
}

static void make_qp(struct conn *c, bool io)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = io ? NR_SLOTS + 8 : 8,
			.max_recv_wr = io ? NR_RECVS : 8,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	u32 i;

	c->cq = ibv_create_cq(verbs, io ? NR_SLOTS + NR_RECVS + 16 : 32, c, comp, 0);
	if (!c->cq)
		die("no CQ: %m");
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	c->qp = ibv_create_qp(pd, &attr);
	if (!c->qp)
		die("no QP: %m");
	if (qp_to(c, IBV_QPS_INIT))
		die("cannot initialize a QP: %m");
	for (i = 0; io && i < NR_RECVS; i++)
		if (conn_post_recv(c, i))
			die("cannot post a receive: %m");
}

/* A connection with a QP; nothing has been sent. */
struct conn *conn_new(const struct login *l)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c || rdma_create_id(cm, &c->id, c, RDMA_PS_TCP))
		die("no CM id: %m");
	find_route(c);
	if (!verbs) {
		verbs = c->id->verbs;
		pd = ibv_alloc_pd(verbs);
		comp = ibv_create_comp_channel(verbs);
		if (!pd || !comp)
			die("no protection domain: %m");
		fcntl(comp->fd, F_SETFL, O_NONBLOCK);
	}
	if (c->id->verbs != verbs)
		die("the route goes to another device now");
	if (l->io)
		c->b = bufs_get();
	make_qp(c, l->io);
	return c;
}

void conn_request(struct conn *c, const struct login *l)
{
	struct rdma_conn_param param = {
		.private_data = l->len ? l->data : NULL,
		.private_data_len = l->len,
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 7,
		.rnr_retry_count = 7,
		.qp_num = c->qp->qp_num,
	};

	c->state = C_CONNECTING;
	if (rdma_connect(c->id, &param))
		die("cannot send a connection request: %m");
}

/* Frees in whatever state it is; tells the peer if it is connected. */
void conn_free(struct conn *c)
{
	if (c->state == C_LIVE || c->state == C_CLOSED)
		rdma_disconnect(c->id);
	ibv_destroy_qp(c->qp);
	rdma_destroy_id(c->id);
	ibv_destroy_cq(c->cq);
	if (c->b) {
		c->b->next = spare;
		spare = c->b;
	}
	free(c);
}

static void comp_drain(void)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(comp, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

/* Completions of @c, or CM events; 0 if there is nothing within the time. */
int conn_poll(struct conn *c, struct ibv_wc *wc, int n, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = comp->fd, .events = POLLIN },
		{ .fd = cm->fd, .events = POLLIN },
	};
	int got = ibv_poll_cq(c->cq, n, wc);

	if (got)
		return got;
	if (ibv_req_notify_cq(c->cq, 0))
		return -1;
	got = ibv_poll_cq(c->cq, n, wc);
	if (got)
		return got;
	if (poll(fds, 2, timeout_ms) <= 0)
		return 0;
	if (fds[0].revents)
		comp_drain();
	if (fds[1].revents)
		cm_pump(0);
	return ibv_poll_cq(c->cq, n, wc);
}
