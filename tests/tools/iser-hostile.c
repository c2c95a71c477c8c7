// SPDX-License-Identifier: GPL-2.0
/*
 * An iSER initiator in user space that misbehaves: PDUs and logins that are wrong in
 * length, kind, order or content. What counts is what it does not do to the target;
 * every now and then a well-behaved session writes and reads to see that it serves.
 *
 *	iser-hostile ADDRESS PORT IQN COUNT [SEED]
 *
 * LUN 0 of the target is written to. Prints how many PDUs were sent, and fails when a
 * well-behaved session does.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HDR		28		/* iSER header */
#define HEADERS		76		/* with the basic header segment */
#define NR_RECVS	64
#define RECV_SIZE	16384
#define SEND_SIZE	16384
#define DATA_SIZE	65536
#define MAX_DATA	8192		/* TargetRecvDataSegmentLength, FirstBurstLength */
#define MAX_TAKEN	1000		/* PDUs of an initiator that takes no answers */
#define WAIT_MS		15000
#define NO_ZBVA		0x80		/* private data of the connection request */
#define NO_SEND_INV	0x40
#define CTRL		0x10
#define WSV		0x08
#define RSV		0x04
#define BLOCK		512

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

struct conn {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr_recv, *mr_send, *mr_data;
	u8 *recv, *send, *data;
	u32 cmd_sn, itt;
	bool broken;
	u32 nr_early;			/* messages that came while a PDU was sent */
	struct {
		u32 n, len;
	} early[NR_RECVS];
};

static const char *address, *port, *iqn;
static u64 seed = 1, sent, logins;

/* xorshift64*: the same numbers for the same seed */
static u32 rnd(u32 below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (u32)((seed * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void put(u8 *p, int len, u64 value)
{
	while (len--) {
		p[len] = value;
		value >>= 8;
	}
}

static u64 get(const u8 *p, int len)
{
	u64 value = 0;

	while (len--)
		value = value << 8 | *p++;
	return value;
}

/* ---- connections -------------------------------------------------------- */

static void post_recv(struct conn *c, u64 n)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(c->recv + n * RECV_SIZE),
		.length = RECV_SIZE,
		.lkey = c->mr_recv->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(c->id->qp, &wr, &bad))
		c->broken = true;
}

static void conn_free(struct conn *c)
{
	if (c->id->qp) {
		rdma_disconnect(c->id);
		rdma_destroy_qp(c->id);
	}
	if (c->mr_recv)
		ibv_dereg_mr(c->mr_recv);
	if (c->mr_send)
		ibv_dereg_mr(c->mr_send);
	if (c->mr_data)
		ibv_dereg_mr(c->mr_data);
	if (c->cq)
		ibv_destroy_cq(c->cq);
	if (c->pd)
		ibv_dealloc_pd(c->pd);
	rdma_destroy_id(c->id);
	free(c->recv);
	free(c->send);
	free(c->data);
	free(c);
}

static int conn_verbs(struct conn *c)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 64, .max_recv_wr = NR_RECVS, .max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	int flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

	c->recv = calloc(NR_RECVS, RECV_SIZE);
	c->send = calloc(1, SEND_SIZE);
	c->data = calloc(1, DATA_SIZE);
	c->pd = ibv_alloc_pd(c->id->verbs);
	c->cq = ibv_create_cq(c->id->verbs, NR_RECVS + 64, NULL, NULL, 0);
	if (!c->recv || !c->send || !c->data || !c->pd || !c->cq)
		return -1;
	c->mr_recv = ibv_reg_mr(c->pd, c->recv, NR_RECVS * RECV_SIZE, flags);
	c->mr_send = ibv_reg_mr(c->pd, c->send, SEND_SIZE, flags);
	c->mr_data = ibv_reg_mr(c->pd, c->data, DATA_SIZE, flags);
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	if (!c->mr_recv || !c->mr_send || !c->mr_data)
		return -1;
	return rdma_create_qp(c->id, c->pd, &attr);
}

/* NULL if the target does not accept; dies if this machine cannot. */
static struct conn *conn_open(u8 cm_flags, u8 cm_len)
{
	struct rdma_addrinfo *to, hints = { .ai_port_space = RDMA_PS_TCP };
	u8 private[16] = { cm_flags };
	struct rdma_conn_param param = {
		.private_data = private, .private_data_len = cm_len,
		.responder_resources = 4, .initiator_depth = 4,
		.retry_count = 7, .rnr_retry_count = 7,
	};
	struct conn *c = calloc(1, sizeof(*c));
	u64 i;

	if (!c || rdma_getaddrinfo(address, port, &hints, &to))
		die("%s:%s: no address", address, port);
	if (rdma_create_id(NULL, &c->id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(c->id, NULL, to->ai_dst_addr, 2000) ||
	    rdma_resolve_route(c->id, 2000))
		die("no way to %s: %s", address, strerror(errno));
	rdma_freeaddrinfo(to);
	if (conn_verbs(c))
		die("no QP: %s", strerror(errno));
	for (i = 0; i < NR_RECVS; i++)
		post_recv(c, i);
	if (!rdma_connect(c->id, &param))
		return c;
	conn_free(c);
	return NULL;
}

/* The target may end a connection whenever it likes; what was sent is lost then. */
static void conn_events(struct conn *c)
{
	struct pollfd pfd = { .fd = c->id->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	while (poll(&pfd, 1, 0) > 0 && !rdma_get_cm_event(c->id->channel, &event)) {
		if (event->event == RDMA_CM_EVENT_DISCONNECTED)
			c->broken = true;
		rdma_ack_cm_event(event);
	}
}

/* One completion. Returns a received message, its length in @len; NULL otherwise. */
static const u8 *conn_poll(struct conn *c, u32 *len)
{
	struct ibv_wc wc;

	if (c->nr_early) {
		u32 n = c->early[0].n;

		*len = c->early[0].len;
		memmove(&c->early[0], &c->early[1], --c->nr_early * sizeof(c->early[0]));
		return c->recv + n * RECV_SIZE;
	}
	if (ibv_poll_cq(c->cq, 1, &wc) <= 0) {
		conn_events(c);
		return NULL;
	}
	if (wc.status) {
		c->broken = true;
		return NULL;
	}
	if (wc.opcode != IBV_WC_RECV)
		return NULL;
	*len = wc.byte_len;
	return c->recv + wc.wr_id * RECV_SIZE;
}

static void conn_repost(struct conn *c, const u8 *msg)
{
	post_recv(c, (msg - c->recv) / RECV_SIZE);
}

/* Returns whether it was taken within @ms, or will never be because all is over. */
static bool conn_try_send(struct conn *c, const u8 *msg, u32 len, u32 ms)
{
	struct ibv_sge sge = { .length = len, .lkey = c->mr_send->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	struct ibv_wc wc;
	u64 end = now_ms() + ms;

	if (c->broken)
		return true;
	memcpy(c->send, msg, len);
	sge.addr = (uintptr_t)c->send;
	if (ibv_post_send(c->id->qp, &wr, &bad)) {
		c->broken = true;
		return true;
	}
	sent++;
	/* One at a time: the buffer is ours again when it has left. */
	for (;;) {
		int n = ibv_poll_cq(c->cq, 1, &wc);

		if (n && wc.status) {
			c->broken = true;
			return true;
		}
		if (n && wc.opcode == IBV_WC_SEND)
			return true;
		if (n) {
			c->early[c->nr_early].n = wc.wr_id;
			c->early[c->nr_early++].len = wc.byte_len;
			continue;
		}
		conn_events(c);
		if (c->broken)
			return true;
		if (now_ms() > end)
			return false;
	}
}

static void conn_send(struct conn *c, const u8 *msg, u32 len)
{
	if (!conn_try_send(c, msg, len, WAIT_MS))
		die("a PDU is not taken: opcode %02x, %u bytes", msg[HDR], len);
}

/* ---- PDUs ----------------------------------------------------------------- */

static u32 add_text(u8 *text, u32 len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	len += vsprintf((char *)text + len, format, args) + 1;
	va_end(args);
	return len;
}

static u8 *pdu_new(u8 *msg, u8 opcode, u8 flags, u32 itt)
{
	u8 *bhs = msg + HDR;

	memset(msg, 0, HEADERS);
	msg[0] = CTRL;
	bhs[0] = opcode;
	bhs[1] = flags;
	put(bhs + 16, 4, itt);
	return bhs;
}

static u32 login_pdu(struct conn *c, u8 *msg, u32 isid)
{
	u8 *bhs = pdu_new(msg, 0x43, 0x87, 1), *text = msg + HEADERS;
	u32 len = 0;

	bhs[8] = 0x80;
	put(bhs + 10, 4, isid);
	put(bhs + 24, 4, c->cmd_sn);
	len = add_text(text, len, "InitiatorName=iqn.2020-01.org.skua:hostile");
	len = add_text(text, len, "TargetName=%s", iqn);
	len = add_text(text, len, "SessionType=Normal");
	len = add_text(text, len, "HeaderDigest=None");
	len = add_text(text, len, "DataDigest=None");
	len = add_text(text, len, "InitialR2T=No");
	len = add_text(text, len, "ImmediateData=Yes");
	len = add_text(text, len, "MaxBurstLength=262144");
	len = add_text(text, len, "FirstBurstLength=8192");
	len = add_text(text, len, "MaxConnections=1");
	len = add_text(text, len, "MaxOutstandingR2T=1");
	len = add_text(text, len, "DefaultTime2Retain=0");
	len = add_text(text, len, "DefaultTime2Wait=2");
	len = add_text(text, len, "DataPDUInOrder=Yes");
	len = add_text(text, len, "DataSequenceInOrder=Yes");
	len = add_text(text, len, "ErrorRecoveryLevel=0");
	len = add_text(text, len, "RDMAExtensions=Yes");
	len = add_text(text, len, "InitiatorRecvDataSegmentLength=8192");
	len = add_text(text, len, "TargetRecvDataSegmentLength=8192");
	put(bhs + 5, 3, len);
	return HEADERS + len;
}

/* READ(10) or WRITE(10) of @blocks with @imm bytes of data in the PDU */
static u32 rw_pdu(struct conn *c, u8 *msg, bool write, u32 lba, u32 blocks, u32 imm)
{
	u8 *bhs = pdu_new(msg, 0x01, 0x80 | (write ? 0x20 : 0x40), c->itt++);

	put(bhs + 20, 4, blocks * BLOCK);
	put(bhs + 24, 4, c->cmd_sn++);
	bhs[32] = write ? 0x2a : 0x28;
	put(bhs + 34, 4, lba);
	put(bhs + 39, 2, blocks);
	put(bhs + 5, 3, imm);
	memcpy(msg + HEADERS, c->data, imm);
	if (!write || imm < blocks * BLOCK) {
		msg[0] |= write ? WSV : RSV;
		put(msg + (write ? 4 : 16), 4, c->mr_data->rkey);
		put(msg + (write ? 8 : 20), 8, (uintptr_t)c->data + imm);
	}
	return HEADERS + imm;
}

/* The same WRITE with an additional header in front of the data */
static u32 ahs_pdu(struct conn *c, u8 *msg, u32 lba, u32 blocks)
{
	u32 len = rw_pdu(c, msg, true, lba, blocks, blocks * BLOCK), ahs = 8;

	memmove(msg + HEADERS + ahs, msg + HEADERS, len - HEADERS);
	memset(msg + HEADERS, 0, ahs);
	put(msg + HEADERS, 2, 5);	/* extended CDB: one reserved byte and four */
	msg[HEADERS + 2] = 1;
	msg[HDR + 4] = ahs / 4;
	return len + ahs;
}

/* Waits for the answer to @itt. Returns its status byte, or dies. */
static int answer(struct conn *c, u32 itt, u8 opcode)
{
	u64 end = now_ms() + WAIT_MS;

	while (!c->broken && now_ms() < end) {
		u32 len;
		const u8 *msg = conn_poll(c, &len);
		int status;

		if (!msg)
			continue;
		if (len < HEADERS)
			die("a message of %u bytes from the target", len);
		if (get(msg + HDR + 16, 4) == itt && msg[HDR] == opcode) {
			status = opcode == 0x23 ? msg[HDR + 36] << 8 | msg[HDR + 1] : msg[HDR + 3];
			conn_repost(c, msg);
			return status;
		}
		conn_repost(c, msg);
	}
	die("%s: no answer to tag %u, opcode %02x", c->broken ? "broken" : "silent", itt, opcode);
	return -1;
}

/* ---- a well-behaved session ------------------------------------------------- */

/* The keys of user space can't be invalidated by the target, so it is told not to. */
static struct conn *good_login(u8 *msg, u32 isid)
{
	struct conn *c = conn_open(NO_ZBVA | NO_SEND_INV, 4);
	int status;

	if (!c)
		die("a good connection is refused");
	c->cmd_sn = rnd(2) ? 1 : 0xfffffff0;
	c->itt = 2;
	conn_send(c, msg, login_pdu(c, msg, isid));
	status = answer(c, 1, 0x23);
	if (status >> 8 || (status & 0x83) != 0x83)
		die("a good login ends in %04x", status);
	logins++;
	return c;
}

static void expect_good(struct conn *c, u8 *msg, u32 len)
{
	u32 itt = get(msg + HDR + 16, 4);
	int status;

	conn_send(c, msg, len);
	status = answer(c, itt, 0x21);
	if (status == 2) {		/* unit attention: once more */
		put(msg + HDR + 16, 4, c->itt++);
		put(msg + HDR + 24, 4, c->cmd_sn++);
		itt = get(msg + HDR + 16, 4);
		conn_send(c, msg, len);
		status = answer(c, itt, 0x21);
	}
	if (status)
		die("a good command ends in status %02x", status);
}

static void fill(u8 *data, u32 len)
{
	while (len--)
		*data++ = rnd(256);
}

/* A part of the data of command @itt that nobody asked for */
static u32 data_out(struct conn *c, u8 *msg, u32 itt, u32 sn, u32 off, u32 len, bool last)
{
	u8 *bhs = pdu_new(msg, 0x05, last ? 0x80 : 0, itt);

	put(bhs + 5, 3, len);
	put(bhs + 20, 4, 0xffffffff);
	put(bhs + 36, 4, sn);
	put(bhs + 40, 4, off);
	memcpy(msg + HEADERS, c->data + off, len);
	return HEADERS + len;
}

/*
 * A WRITE with @imm bytes, then Data-Outs as long as FirstBurstLength allows, the rest by
 * RDMA READ. Returns its status.
 */
static int unsolicited(struct conn *c, u8 *msg, u32 itt, u32 lba, u32 blocks, u32 imm)
{
	u32 len = blocks * BLOCK, all = len < MAX_DATA ? len : MAX_DATA, off, sn = 0, part;
	u32 n = rw_pdu(c, msg, true, lba, blocks, imm);

	put(msg + HDR + 16, 4, itt);
	if (imm < all)
		msg[HDR + 1] &= 0x7f;
	if (all < len)
		put(msg + 8, 8, (uintptr_t)c->data + all);
	else
		msg[0] &= ~WSV;
	conn_send(c, msg, n);
	for (off = imm; off < all; off += part) {
		part = all - off < 1024 ? all - off : 1024;
		conn_send(c, msg, data_out(c, msg, itt, sn++, off, part, off + part == all));
	}
	return answer(c, itt, 0x21);
}

static void check_blocks(struct conn *c, u8 *msg, const u8 *copy, u32 lba, u32 blocks,
			 const char *what)
{
	memset(c->data, 0, blocks * BLOCK);
	expect_good(c, msg, rw_pdu(c, msg, false, lba, blocks, 0));
	if (memcmp(copy, c->data, blocks * BLOCK))
		die("%u blocks, %s: not what was written", blocks, what);
}

/*
 * Unsolicited data; and that of a command which failed at once, whose tag the next one
 * has: none of it may end up there.
 */
static void good_unsolicited(struct conn *c, u8 *msg)
{
	static u8 copy[DATA_SIZE];
	static const u32 blocks[] = { 2, 5, 16, 40 };
	u32 i;

	for (i = 0; i < 4 * sizeof(blocks) / sizeof(blocks[0]); i++) {
		u32 n = blocks[i / 4], lba = rnd(1000), itt = c->itt++;
		int status;

		fill(c->data, n * BLOCK);
		status = i % 2 ? unsolicited(c, msg, itt, 0xfffff000, n, BLOCK) : 2;
		if (status != 2)
			die("a WRITE behind the end ends in status %02x", status);
		fill(c->data, n * BLOCK);
		memcpy(copy, c->data, n * BLOCK);
		status = unsolicited(c, msg, itt, lba, n, i % 4 < 2 ? BLOCK : 0);
		if (status)
			die("unsolicited data for %u blocks: status %02x", n, status);
		check_blocks(c, msg, copy, lba, n, "unsolicited");
	}
}

/* Writes with immediate data, with RDMA READ, with both; behind an additional header */
static void good_session(u8 *msg)
{
	static u8 copy[DATA_SIZE];
	static const u32 blocks[] = { 1, 8, 16, 17, 100 };
	struct conn *c = good_login(msg, 0xabcd);
	u32 i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]) * 3; i++) {
		u32 n = blocks[i / 3], len = n * BLOCK, lba = rnd(1000), imm = 0;

		if (i % 3)
			imm = len > MAX_DATA ? MAX_DATA : len;
		fill(c->data, len);
		memcpy(copy, c->data, len);
		if (i % 3 == 2 && len <= MAX_DATA)
			expect_good(c, msg, ahs_pdu(c, msg, lba, n));
		else
			expect_good(c, msg, rw_pdu(c, msg, true, lba, n, imm));
		check_blocks(c, msg, copy, lba, n, imm ? "immediate" : "fetched");
	}
	good_unsolicited(c, msg);
	conn_free(c);
}

/* ---- bad ones ---------------------------------------------------------------- */

static u32 some_pdu(struct conn *c, u8 *msg)
{
	u32 len = HEADERS, n = 1 + rnd(20);
	u8 *bhs;

	switch (rnd(9)) {
	case 0:
		return rw_pdu(c, msg, false, rnd(1000), n, 0);
	case 1:
		return rw_pdu(c, msg, true, rnd(1000), n, 0);
	case 2:
		return rw_pdu(c, msg, true, rnd(1000), n, n > 16 ? 8192 : n * BLOCK);
	case 3:
		return ahs_pdu(c, msg, rnd(1000), 1 + rnd(16));
	case 4:				/* unsolicited data follows, or not */
		len = rw_pdu(c, msg, true, rnd(1000), 17 + rnd(80), 0);
		msg[HDR + 1] &= 0x7f;
		return len;
	case 5:				/* Data-Out, maybe of the one before */
		bhs = pdu_new(msg, 0x05, rnd(2) ? 0x80 : 0, c->itt - 1);
		put(bhs + 20, 4, rnd(4) ? 0xffffffff : rnd(8));
		n = rnd(8193);
		put(bhs + 5, 3, n);
		put(bhs + 36, 4, rnd(3));
		put(bhs + 40, 4, rnd(3) * n);
		return len + n;
	case 6:				/* NOP-Out with data */
		bhs = pdu_new(msg, 0x40, 0x80, c->itt++);
		put(bhs + 20, 4, 0xffffffff);
		put(bhs + 24, 4, c->cmd_sn);
		n = rnd(2000);
		put(bhs + 5, 3, n);
		return len + n;
	case 7:				/* task management */
		bhs = pdu_new(msg, 0x42, 0x80 | rnd(10), c->itt++);
		put(bhs + 20, 4, c->itt - 2);
		put(bhs + 24, 4, c->cmd_sn);
		put(bhs + 32, 4, c->cmd_sn - 1);
		return len;
	default:			/* text */
		bhs = pdu_new(msg, 0x04, rnd(2) ? 0x80 : 0x40, c->itt++);
		put(bhs + 20, 4, rnd(4) ? 0xffffffff : rnd(100));
		put(bhs + 24, 4, c->cmd_sn++);
		n = add_text(msg + HEADERS, 0, "SendTargets=%s", rnd(2) ? "All" : "");
		put(bhs + 5, 3, n);
		return len + n;
	}
}

static u32 spoil(u8 *msg, u32 len)
{
	u32 i, n;

	switch (rnd(10)) {
	case 0:
		for (i = 0, n = 1 + rnd(8); i < n; i++)
			msg[rnd(HEADERS)] = rnd(256);
		return len;
	case 1:
		put(msg + HDR + 5, 3, rnd(1 << 24));
		return len;
	case 2:
		msg[HDR + 4] = rnd(256);
		return len;
	case 3:
		return rnd(len) + 1;
	case 4:
		n = rnd(9288 - 1) + 1;
		if (n > len)
			fill(msg + len, n - len);
		return n;
	case 5:
		msg[0] = rnd(256);
		return len;
	case 6:
		put(msg + (rnd(2) ? 4 : 16), 4, rnd(0xffffffff));
		return len;
	case 7:
		put(msg + HDR + 20, 4, rnd(2) ? rnd(0xffffffff) : 0xffffffff);
		return len;
	case 8:
		msg[HDR] = rnd(64);
		return len;
	default:
		return len;
	}
}

static void drain(struct conn *c, u32 ms)
{
	u64 end = now_ms() + ms;
	const u8 *msg;
	u32 len;

	do {
		msg = conn_poll(c, &len);
		if (msg)
			conn_repost(c, msg);
	} while (!c->broken && now_ms() < end);
}

static void bad_login(u8 *msg)
{
	struct conn *c = conn_open(rnd(256), rnd(2) ? 4 : rnd(16));
	u32 i, len, n = 1 + rnd(4);

	if (!c)
		return;
	c->cmd_sn = rnd(10);
	for (i = 0; i < n && !c->broken; i++) {
		len = login_pdu(c, msg, rnd(1000));
		if (rnd(2))
			fill(msg + HEADERS + rnd(len - HEADERS), 1);
		if (rnd(3) == 0)
			msg[HDR + 1] = rnd(256);
		len = rnd(3) ? spoil(msg, len) : len;
		conn_send(c, msg, len);
	}
	drain(c, rnd(4));
	conn_free(c);
}

static void bad_session(u8 *msg)
{
	struct conn *c = good_login(msg, 1 + rnd(3));
	u32 i, len, n = 1 + rnd(60);

	for (i = 0; i < n && !c->broken; i++) {
		len = some_pdu(c, msg);
		conn_send(c, msg, rnd(4) ? len : spoil(msg, len));
		drain(c, 0);
	}
	drain(c, rnd(4));
	conn_free(c);
}

/*
 * Asks without end for answers that it does not take: sooner or later it has to wait, and
 * nobody else has to.
 */
static void greedy_session(u8 *msg)
{
	struct conn *c = good_login(msg, 7);
	u32 i, kind = rnd(3), len = HEADERS;
	u8 *bhs;

	for (i = 0; i < MAX_TAKEN && !c->broken; i++) {
		bhs = pdu_new(msg, kind == 1 ? 0x42 : 0x40, kind == 1 ? 0x81 : 0x80, c->itt++);
		put(bhs + 20, 4, kind == 1 ? 1 : 0xffffffff);
		put(bhs + 24, 4, c->cmd_sn);
		if (kind == 2) {
			len = HEADERS + MAX_DATA;
			put(bhs + 5, 3, MAX_DATA);
		}
		if (!conn_try_send(c, msg, len, 3000))
			break;
	}
	if (c->broken)
		die("the target ends a session that takes no answers, after %u", i);
	if (i == MAX_TAKEN)
		die("the target took %u PDUs from an initiator that takes no answers", i);
	printf("%u PDUs of an initiator that takes no answers\n", i);
	good_session(msg);
	conn_free(c);
}

int main(int argc, char **argv)
{
	static u8 msg[SEND_SIZE];
	u64 count, i;

	if (argc < 5)
		die("iser-hostile ADDRESS PORT IQN COUNT [SEED]");
	address = argv[1];
	port = argv[2];
	iqn = argv[3];
	count = strtoull(argv[4], NULL, 0);
	if (argc > 5)
		seed = strtoull(argv[5], NULL, 0) ?: 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	good_session(msg);
	for (i = 0; i < 3; i++)
		greedy_session(msg);
	for (i = 1; sent < count; i++) {
		if (rnd(4))
			bad_session(msg);
		else
			bad_login(msg);
		if (i % 200 == 0) {
			good_session(msg);
			printf("%llu PDUs\n", (unsigned long long)sent);
		}
	}
	good_session(msg);
	printf("%llu PDUs on %llu connections, %llu logins\n", (unsigned long long)sent,
	       (unsigned long long)i, (unsigned long long)logins);
	return 0;
}
