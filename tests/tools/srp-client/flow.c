// SPDX-License-Identifier: GPL-2.0
/*
 * IUs in flight. Every IU ends in one of these ways, or the target has failed:
 *
 *	answered	by a response that is well-formed and fits the request
 *	closed		the channel was closed, and something in flight was a reason
 *	silent		it needs no answer, and a command sent after it was answered
 *	lost		it was behind the one that closed the channel: not counted
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"

void flow_init(struct flow *f, const char *family, struct stats *st)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->family = family;
	f->st = st;
	f->window = 32;
	f->imm_off = IMM_OFF;
	for (i = 0; i < NR_SLOTS; i++)
		f->slots[i].nr = i;
}

void flow_put(struct flow *f, struct slot *s)
{
	if (!s->busy)
		return;
	s->busy = false;
	f->nr_out--;
}

/*
 * What must come of an IU, by its bytes alone: X_SILENT if it is a response that
 * nobody has to answer. All else must be answered or close the channel.
 */
u32 iu_expect(const u8 *iu, u32 len)
{
	if (!len)
		return opt.lenient ? X_SILENT : 0;
	switch (iu[0]) {
	case OP_CRED_RSP:
	case OP_AER_RSP:
		return X_SILENT;
	case OP_CMD:
	case OP_TSK_MGMT:
		return len < CMD_LEN && opt.lenient ? X_SILENT : 0;
	default:
		return opt.lenient ? X_SILENT : 0;
	}
}

/* ---- the end of a channel --------------------------------------------- */

void flow_drop(struct flow *f)
{
	u32 i;

	if (!f->c)
		return;
	conn_free(f->c);
	f->c = NULL;
	for (i = 0; i < NR_SLOTS; i++)
		flow_put(f, &f->slots[i]);
	f->suspects = 0;
}

static void flow_closed(struct flow *f)
{
	const struct slot *innocent = NULL, *culprit = NULL;
	u32 i;

	for (i = 0; i < NR_SLOTS; i++) {
		const struct slot *s = &f->slots[i];

		if (!s->busy || s->done)
			continue;
		if (s->flags & X_NOCLOSE || s->sync)
			innocent = s;
		else
			culprit = s;
	}
	f->st->closes++;
	if (culprit && culprit->flags & X_GOOD)
		blame(f, culprit, "the channel was closed (%s)", f->c->why);
	if (!culprit && !f->suspects && !f->expect_close)
		blame(f, innocent, "the channel was closed without a reason (%s)", f->c->why);
	if (culprit) {
		f->st->hit++;
		f->st->lost += f->nr_out - 1;
	} else {
		f->st->lost += f->nr_out;
	}
	flow_drop(f);
}

/* ---- responses -------------------------------------------------------- */

static bool is_ghost(struct flow *f, u64 tag)
{
	u32 i;

	for (i = 0; i < 256; i++)
		if (f->ghosts[i] == tag && tag)
			return true;
	return false;
}

/* Which one a response is for; rather one that needs a response. */
static struct slot *find_tag(struct flow *f, u64 tag)
{
	struct slot *found = NULL;
	u32 i;

	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &f->slots[(u32)(tag + i) % NR_SLOTS];

		if (!s->busy || s->done || s->tag != tag)
			continue;
		if (!(s->flags & X_SILENT))
			return s;
		found = s;
	}
	return found;
}

static void check_residual(struct flow *f, struct slot *s, const struct rsp *r)
{
	u32 over = s->dir == DIR_IN ? DIOVER : DOOVER;
	u32 under = s->dir == DIR_IN ? DIUNDER : DOUNDER;
	u32 res = s->dir == DIR_IN ? r->in_res : r->out_res;
	u32 all = DOOVER | DOUNDER | DIOVER | DIUNDER;

	if (r->status)
		return;
	if (s->edtl == s->want && r->flags & all)
		blame(f, s, "residual flags %#x where the lengths are equal", r->flags);
	else if (s->edtl > s->want && ((r->flags & all) != under || res != s->edtl - s->want))
		blame(f, s, "flags %#x, residual %u; underflow by %u was due", r->flags, res,
		      s->edtl - s->want);
	else if (s->edtl < s->want && ((r->flags & all) != over || res != s->want - s->edtl))
		blame(f, s, "flags %#x, residual %u; overflow by %u was due", r->flags, res,
		      s->want - s->edtl);
}

/* First byte in [@from, @to) that is not what it was; @to if there is none */
static u32 touched(const u8 *p, u32 from, u32 to)
{
	if (from >= to || (p[from] == GUARD && !memcmp(p + from, p + from + 1, to - from - 1)))
		return to;
	while (p[from] == GUARD)
		from++;
	return from;
}

static void check_guard(struct flow *f, const struct slot *s)
{
	u32 at = touched(s->data, s->edtl, SLOT_TABLE);

	if (s->edtl < SLOT_TABLE && at < SLOT_TABLE)
		blame(f, s, "byte %u behind a buffer of %u was written", at, s->edtl);
}

static void check_trap(struct flow *f, const struct slot *s)
{
	u32 at = touched(f->c->b->trap, 0, TRAP_SIZE);

	if (at < TRAP_SIZE)
		blame(f, s, "memory of an earlier request was written, offset %u", at);
}

/* Form of an SRP_RSP. False if there is something wrong. */
static bool parse_rsp(struct flow *f, const struct slot *s, const u8 *p, u32 len, struct rsp *r)
{
	u32 data_len = get32(p + RSP_DATA_LEN), sense_len = get32(p + RSP_SENSE_LEN);

	memset(r, 0, sizeof(*r));
	r->status = p[RSP_STATUS];
	r->flags = p[RSP_FLAGS];
	r->in_res = get32(p + RSP_IN_RES);
	r->out_res = get32(p + RSP_OUT_RES);
	if (!(r->flags & RSPVALID))
		data_len = 0;
	if (!(r->flags & SNSVALID))
		sense_len = 0;
	if (data_len > 64 || sense_len > 252 || RSP_LEN + data_len + sense_len > len) {
		blame(f, s, "response of %u bytes with %u of data and %u of sense", len,
		      data_len, sense_len);
		return false;
	}
	if (r->flags & RSPVALID) {
		if (data_len != 4 || p[RSP_LEN + 3] > 5)
			blame(f, s, "response data of %u bytes, code %u", data_len,
			      p[RSP_LEN + 3]);
		r->code = p[RSP_LEN + 3];
	}
	r->sense_len = sense_len < sizeof(r->sense) ? sense_len : sizeof(r->sense);
	memcpy(r->sense, p + RSP_LEN + data_len, r->sense_len);
	if (r->status == 2 && (sense_len < 8 || (r->sense[0] & 0x7c) != 0x70)) {
		blame(f, s, "CHECK CONDITION with %u bytes of sense data", sense_len);
		return false;
	}
	if (r->flags & DOOVER && r->flags & DOUNDER)
		blame(f, s, "data-out overflow and underflow in one response");
	if (r->flags & DIOVER && r->flags & DIUNDER)
		blame(f, s, "data-in overflow and underflow in one response");
	return true;
}

static bool valid_status(u8 status)
{
	switch (status) {
	case 0x00: case 0x02: case 0x04: case 0x08: case 0x18: case 0x28: case 0x30: case 0x40:
		return true;
	}
	return false;
}

static void count_rsp(struct flow *f, const struct slot *s, const struct rsp *r)
{
	struct stats *st = f->st;

	if (s->sync)
		return;
	st->rsps++;
	st->hit++;
	if (s->iu[0] == OP_TSK_MGMT)
		st->tmfs++;
	else if (r->status == 0 && !(r->flags & RSPVALID && r->code))
		st->good++;
	else if (r->status == 2)
		st->check++;
	else
		st->other++;
}

static void got_rsp(struct flow *f, const u8 *p, u32 len)
{
	struct slot *s;
	struct rsp r;
	bool good;

	s = find_tag(f, get64(p + RSP_TAG));
	if (!s) {
		f->st->late++;
		if (!is_ghost(f, get64(p + RSP_TAG)))
			blame(f, NULL, "response with tag %#llx, which nobody waits for",
			      (unsigned long long)get64(p + RSP_TAG));
		return;
	}
	s->done = true;
	if (!parse_rsp(f, s, p, len, &r))
		return;
	if (!valid_status(r.status))
		blame(f, s, "status %#x", r.status);
	if (s->iu[0] == OP_TSK_MGMT && s->len >= TMF_LEN && !(r.flags & RSPVALID))
		blame(f, s, "task management answered without response data");
	good = !r.status && !(r.flags & RSPVALID && r.code);
	if (s->flags & X_REFUSE && good)
		blame(f, s, "GOOD where a refusal was due");
	if (s->flags & X_GOOD && !good)
		blame(f, s, "status %#x, code %u, sense key %x, %02x/%02x where GOOD was due",
		      r.status, r.code, r.sense[2] & 15, r.sense[12], r.sense[13]);
	if (s->flags & X_EXACT)
		check_residual(f, s, &r);
	if (s->flags & X_GUARD)
		check_guard(f, s);
	if (s->flags & X_TRAP)
		check_trap(f, s);
	count_rsp(f, s, &r);
	if (s == f->wait_for)
		f->rsp = r;
	if (s->sent)
		flow_put(f, s);
}

/* The target asks something; the answer is not counted as an attack. */
static void answer_request(struct flow *f, const u8 *p)
{
	static u8 answer[16];
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
				  .wr_id = NR_SLOTS }, *bad;

	memset(answer, 0, sizeof(answer));
	answer[0] = p[0] == OP_CRED_REQ ? OP_CRED_RSP : OP_AER_RSP;
	memcpy(answer + 8, p + 8, 8);
	memcpy(f->c->b->lng + LONG_SIZE - 16, answer, 16);
	sge.addr = (uintptr_t)f->c->b->lng + LONG_SIZE - 16;
	sge.length = 16;
	sge.lkey = f->c->b->mr_lng->lkey;
	ibv_post_send(f->c->qp, &wr, &bad);
}

static void got_iu(struct flow *f, const u8 *p, u32 len)
{
	if (len < 16) {
		blame(f, NULL, "an IU of %u bytes from the target", len);
		return;
	}
	switch (p[0]) {
	case OP_RSP:
	case OP_CRED_REQ:
	case OP_AER_REQ:
		if (p[0] != OP_CRED_REQ && len < RSP_LEN) {
			blame(f, NULL, "an SRP_RSP of %u bytes", len);
			return;
		}
		f->c->credits += (int)get32(p + RSP_DELTA);
		if (f->c->credits > f->c->limit)
			blame(f, NULL, "%d credits, the login gave %d", f->c->credits,
			      f->c->limit);
		if (p[0] == OP_RSP)
			got_rsp(f, p, len);
		else
			answer_request(f, p);
		return;
	case OP_T_LOGOUT:
		return;		/* a disconnect follows */
	default:
		blame(f, NULL, "opcode %#x from the target", p[0]);
	}
}

static void got_wc(struct flow *f, const struct ibv_wc *wc)
{
	struct conn *c = f->c;

	if (wc->status != IBV_WC_SUCCESS) {
		if (opt.verbose)
			fprintf(stderr, "  completion: %s\n", ibv_wc_status_str(wc->status));
		if (!conn_gone(c)) {
			c->state = C_CLOSED;
			c->why = ibv_wc_status_str(wc->status);
		}
		return;
	}
	if (wc->opcode & IBV_WC_RECV) {
		if (conn_gone(c))
			return;
		got_iu(f, c->b->recv + wc->wr_id * RECV_SIZE, wc->byte_len);
		conn_post_recv(c, wc->wr_id);
	} else if (wc->wr_id < NR_SLOTS) {
		struct slot *s = &f->slots[wc->wr_id];

		s->sent = true;
		if (s->done)
			flow_put(f, s);
	}
}

static void check_silence(struct flow *f)
{
	u64 now = now_ms();
	u32 i;

	if (now < f->last_ms + 100)
		return;
	f->last_ms = now;
	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &f->slots[i];

		if (!s->busy || s->done || s->flags & X_SILENT)
			continue;
		if (now < s->posted + opt.wait_ms)
			continue;
		blame(f, s, "silence for %llu ms (%s)", (unsigned long long)(now - s->posted),
		      s->sent ? "delivered" : "not accepted");
		flow_drop(f);
		return;
	}
}

/* Deals with what has arrived; waits for something at most @timeout_ms. */
void flow_pump(struct flow *f, int timeout_ms)
{
	struct ibv_wc wc[32];
	int i, n;

	if (!f->c)
		return;
	n = conn_poll(f->c, wc, 32, timeout_ms);
	for (i = 0; i < n; i++)
		got_wc(f, &wc[i]);
	if (conn_gone(f->c))
		flow_closed(f);
	else
		check_silence(f);
}

/* ---- sending ---------------------------------------------------------- */

static bool all_heard(const struct flow *f)
{
	u32 i;

	for (i = 0; i < NR_SLOTS; i++) {
		const struct slot *s = &f->slots[i];

		if (s->busy && !s->done && !(s->flags & X_SILENT))
			return false;
		if (s->busy && !s->sent)
			return false;
	}
	return true;
}

/* A free slot whatever the limits say */
struct slot *flow_take(struct flow *f)
{
	struct slot *s;
	u32 i;

	for (i = 0; i < NR_SLOTS; i++) {
		s = &f->slots[f->next_slot++ % NR_SLOTS];
		if (!s->busy)
			break;
	}
	if (s->busy)
		die("no slot free");
	s->busy = true;
	f->nr_out++;
	s->iu = f->c->b->send + (size_t)s->nr * SLOT_IU;
	s->data = f->c->b->data + (size_t)s->nr * SLOT_DATA;
	s->len = 0;
	s->flags = 0;
	s->sent = false;
	s->done = false;
	s->sync = false;
	s->wr_op = IBV_WR_SEND;
	s->dir = DIR_NONE;
	return s;
}

/* A TEST UNIT READY: when it is answered all IUs before it have been seen. */
static void send_sync(struct flow *f)
{
	struct slot *s = flow_take(f);

	cmd_init(f, s);
	s->flags = X_NOCLOSE;
	s->sync = true;
	flow_send(f, s);
	f->st->sent--;
}

/*
 * A new connection if there is none. What comes first in a session is answered
 * with a unit attention, so that is not left to an attack, but for some: those come
 * right behind the login.
 */
void flow_open(struct flow *f)
{
	struct login l;

	while (!f->c) {
		login_good(&l, f->no_imm ? 0 : f->imm_off);
		l.io = true;
		f->c = login_connect(&l, f->st);
		if (!f->c)
			die("%s: no login any more", f->family);
		f->expect_close = false;
		f->suspects = 0;
		if (++f->opened % 8 == 0)
			return;
		send_sync(f);
		while (f->c && !all_heard(f))
			flow_pump(f, 100);
	}
}

/*
 * A free slot, with the connection that it will go out on. @alone: when nothing
 * else is in flight.
 */
struct slot *flow_slot(struct flow *f, bool alone)
{
	flow_open(f);
	if (alone)
		flow_flush(f);
	flow_open(f);
	while (f->nr_out >= f->window || f->c->credits <= 1) {
		if (!all_heard(f))
			flow_pump(f, 100);
		else if (f->nr_out)
			flow_flush(f);
		else
			flow_drop(f);	/* credits lost to IUs without an answer */
		flow_open(f);
	}
	return flow_take(f);
}

static void hold_back(struct flow *f, const struct ibv_send_wr *wr, const struct ibv_sge *sge)
{
	u32 n = f->nr_held++;

	f->held[n] = *wr;
	f->held_sge[n] = *sge;
	f->held[n].sg_list = &f->held_sge[n];
	if (n)
		f->held[n - 1].next = &f->held[n];
}

void flow_send(struct flow *f, struct slot *s)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->iu,
		.length = s->len,
		.lkey = f->c->b->mr_send->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = s->wr_op, .sg_list = &sge, .num_sge = s->len ? 1 : 0, .wr_id = s->nr,
	}, *bad;

	if (s->flags & X_LONG)
		sge.lkey = f->c->b->mr_lng->lkey;
	if (s->wr_op == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = s->wr_key;
	} else if (s->wr_op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = s->wr_va;
		wr.wr.atomic.rkey = s->wr_key;
		sge.length = 8;
	} else if (s->wr_op != IBV_WR_SEND && s->wr_op != IBV_WR_SEND_WITH_IMM) {
		wr.wr.rdma.remote_addr = s->wr_va;
		wr.wr.rdma.rkey = s->wr_key;
	}
	s->flags |= s->wr_op == IBV_WR_SEND ? iu_expect(s->iu, s->len) : 0;
	s->tag = s->len >= 16 ? get64(s->iu + CMD_TAG) : 0;
	s->posted = now_ms();
	if (s->len && (s->iu[0] == OP_CMD || s->iu[0] == OP_TSK_MGMT))
		f->c->credits--;
	if (!(s->flags & X_NOCLOSE))
		f->suspects++;
	f->st->sent++;
	if (f->hold)
		hold_back(f, &wr, &sge);
	else if (ibv_post_send(f->c->qp, &wr, &bad))
		die("%s: cannot post a send: %m", f->family);
}

/* Posts what was held back, at once. */
void flow_release(struct flow *f)
{
	struct ibv_send_wr *bad;

	f->hold = false;
	if (f->nr_held && ibv_post_send(f->c->qp, f->held, &bad))
		die("%s: cannot post %u sends: %m", f->family, f->nr_held);
	f->nr_held = 0;
}

/* Waits until all that is in flight has ended in one way or another. */
void flow_flush(struct flow *f)
{
	u32 i;

	if (!f->c || (!f->nr_out && !f->suspects))
		return;
	while (f->c && !all_heard(f))
		flow_pump(f, 100);
	if (f->c && f->c->credits < 1) {
		f->st->lost += f->nr_out;
		flow_drop(f);
	}
	if (!f->c)
		return;
	send_sync(f);
	while (f->c && !all_heard(f))
		flow_pump(f, 100);
	if (!f->c)
		return;
	f->suspects = 0;
	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &f->slots[i];

		if (!s->busy)
			continue;
		f->st->silent++;
		f->st->hit++;
		f->ghosts[f->next_ghost++ % 256] = s->tag;
		flow_put(f, s);
	}
}
