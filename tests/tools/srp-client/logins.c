// SPDX-License-Identifier: GPL-2.0
/*
 * Logins, as they should be and otherwise. Every request must be answered, by a
 * reply or a reject, within the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"

static u32 login_nr;

/* @imm_off: where immediate data shall be; 0: none is asked for */
void login_good(struct login *l, u32 imm_off)
{
	memset(l, 0, sizeof(*l));
	l->len = REQ_LEN;
	put64(l->data + REQ_TAG, 0x4c4f47494e000000ULL + ++login_nr);
	put16(l->data + REQ_FMT, 1 << FMT_DIRECT | 1 << FMT_INDIRECT);
	put32(l->data + REQ_IU_LEN, imm_off ? 8192 : 2116);
	memcpy(l->data + REQ_IPORT, opt.iport, 16);
	memcpy(l->data + REQ_TPORT, opt.tport, 16);
	if (imm_off) {
		l->data[REQ_FLAGS] = REQ_F_IMM;
		put16(l->data + REQ_IMM_OFF, imm_off);
	}
}

/* What a login response says, checked. False if it must not be. */
static bool parse_login_rsp(struct conn *c, const struct login *l)
{
	const u8 *p = c->reply;

	if (c->reply_len < LRSP_LEN || p[0] != OP_LOGIN_RSP) {
		blame(NULL, NULL, "%u bytes of opcode %#x for a login response", c->reply_len,
		      p[0]);
		return false;
	}
	if (l->len >= 8 && memcmp(p + LRSP_TAG, l->data + REQ_TAG, 8))
		blame(NULL, NULL, "login response with another tag");
	c->limit = get32(p + LRSP_DELTA);
	c->credits = c->limit;
	c->max_it_iu = get32(p + LRSP_MAX_IT);
	c->imm = p[LRSP_FLAGS] & REQ_F_IMM;
	if (c->limit < 1 || c->limit > 65535)
		blame(NULL, NULL, "login gives %d requests", c->limit);
	if (c->max_it_iu < 64)
		blame(NULL, NULL, "login allows IUs of %u bytes", c->max_it_iu);
	if (get32(p + LRSP_MAX_TI) > RECV_SIZE)
		die("the target sends IUs of up to %u bytes", get32(p + LRSP_MAX_TI));
	if (c->imm && !(l->data[REQ_FLAGS] & REQ_F_IMM))
		blame(NULL, NULL, "login offers immediate data that nobody asked for");
	return true;
}

static void check_reject(const struct conn *c)
{
	const u8 *p = c->reply;
	u32 reason = get32(p + LREJ_REASON);

	/* 28: rejected by the consumer; all else is between the CMs */
	if (c->reason != 28)
		return;
	if (c->reply_len < LREJ_LEN || p[0] != OP_LOGIN_REJ)
		blame(NULL, NULL, "reject with %u bytes, opcode %#x", c->reply_len, p[0]);
	else if (reason < 0x10000 || reason > 0x10006)
		blame(NULL, NULL, "reject with reason %#x", reason);
}

static bool await_answer(struct conn *c, const struct login *l, struct stats *st)
{
	if (!conn_wait(c, C_CONNECTING, opt.wait_ms)) {
		blame(NULL, NULL, "silence for %u ms after a login", opt.wait_ms);
		return false;
	}
	if (c->state == C_ANSWERED) {
		st->logins++;
		return parse_login_rsp(c, l);
	}
	st->rejects++;
	if (c->state == C_REJECTED)
		check_reject(c);
	return false;
}

static void explain(const struct conn *c)
{
	fprintf(stderr, "login failed: %s, CM's reason %d, SRP's %#x\n",
		c->why ? c->why : "silence", c->reason,
		c->reply_len >= LREJ_LEN ? get32(c->reply + LREJ_REASON) : 0);
}

/* A login that must work; one that finds no room may try again for a while. */
struct conn *login_connect(const struct login *l, struct stats *st)
{
	u64 end = now_ms() + opt.wait_ms;

	for (;;) {
		struct conn *c = conn_new(l);
		bool full;

		conn_request(c, l);
		if (await_answer(c, l, st)) {
			if (!conn_ready(c) && !conn_rts(c) && !conn_confirm(c) &&
			    c->state == C_LIVE)
				return c;
			/* Closed already: by a target that is busy with our last one? */
			full = true;
		} else {
			full = c->state == C_REJECTED && c->reason == 28 &&
			       get32(c->reply + LREJ_REASON) == 0x10001;
		}
		if (!full || now_ms() > end) {
			explain(c);
			conn_free(c);
			return NULL;
		}
		conn_free(c);
		usleep(20000);
	}
}

/* ---- malformed --------------------------------------------------------- */

enum verdict { DUE_REJECT, DUE_EITHER, DUE_ACCEPT };

static enum verdict bad_port(struct login *l, struct rng *r)
{
	u8 *id = l->data + REQ_TPORT;

	switch (rnd(r, 4)) {
	case 0:
		id[rnd(r, 16)] ^= 1 << rnd(r, 8);
		break;
	case 1:
		memset(id, 0, 16);
		break;
	case 2:
		memset(id + 8 * rnd(r, 2), 0xff, 8);
		break;
	default:
		rnd_bytes(r, id, 16);
	}
	return DUE_REJECT;
}

static enum verdict malform(struct login *l, struct rng *r, u64 i)
{
	static const u32 small[] = { 0, 1, 47, 48, 52, 63 };
	static const u32 large[] = { 0xffffffff, 0x80000000, 0x7fffffff, 0xfffffff0, 1 << 24 };
	static const u16 fmts[] = { 0, 1, 2, 4, 8, 0x0600, 0x8006, 0xffff };
	static const u16 offs[] = { 0, 1, 3, 47, 48, 49, 51, 52, 53, 64, 67, 68, 69, 996, 2115,
				    8191, 8192, 32768, 65535 };

	if (i % 12)
		rnd_bytes(r, l->data + REQ_IPORT, 16);
	switch (i % 12) {
	case 0:
		return DUE_ACCEPT;
	case 1:
		l->data[REQ_OPCODE] = 1 + rnd(r, 255);
		return DUE_REJECT;
	case 2:
		put32(l->data + REQ_IU_LEN, PICK(r, small));
		return DUE_REJECT;
	case 3:
		put32(l->data + REQ_IU_LEN, PICK(r, large));
		return DUE_REJECT;
	case 4:
		return bad_port(l, r);
	case 5:
		put16(l->data + REQ_FMT, PICK(r, fmts));
		return DUE_EITHER;
	case 6:
		l->data[REQ_FLAGS] = rnd(r, 2) ? rnd(r, 4) : rnd(r, 256);
		return DUE_EITHER;
	case 7:
		l->data[REQ_FLAGS] |= REQ_F_IMM;
		put16(l->data + REQ_IMM_OFF, PICK(r, offs));
		return DUE_EITHER;
	case 8:
		l->len = rnd(r, REQ_LEN);
		return l->len < REQ_IMM_OFF && l->data[l->len] ? DUE_REJECT : DUE_EITHER;
	case 9:
		rnd_bytes(r, l->data + REQ_IMM_OFF + 2, 6);
		return DUE_EITHER;
	case 10:
		memset(l->data + REQ_IPORT, rnd(r, 2) ? 0xff : 0, 16);
		return DUE_EITHER;
	default:
		rnd_bytes(r, l->data, REQ_LEN);
		l->data[REQ_OPCODE] &= 3;
		return DUE_EITHER;
	}
}

/* How a connection that was answered goes on and ends */
static void end_somehow(struct conn *c, struct rng *r)
{
	static struct conn *limbo[4];
	u32 n = rnd(r, 4);

	switch (rnd(r, 4)) {
	case 0:
		if (!conn_ready(c) && !conn_rts(c))
			conn_confirm(c);
		break;
	case 1:
		if (!conn_ready(c) && !conn_rts(c) && !conn_confirm(c))
			conn_break(c);
		break;
	case 2:
		/* Left half-open until another takes its place. */
		if (limbo[n])
			conn_free(limbo[n]);
		limbo[n] = c;
		return;
	}
	conn_free(c);
}

static void hex_login(const struct login *l)
{
	u32 i;

	fprintf(stderr, "private data, %u bytes:", l->len);
	for (i = 0; i < l->len; i++)
		fprintf(stderr, "%s%02x", i % 8 ? "" : " ", l->data[i]);
	fprintf(stderr, "\n");
}

static void run_form(struct flow *f, struct rng *r, u64 i)
{
	struct login l;
	enum verdict due;
	struct conn *c;

	login_good(&l, rnd(r, 2) ? IMM_OFF : 0);
	due = malform(&l, r, i);
	if (opt.lenient)
		due = DUE_EITHER;
	c = conn_new(&l);
	conn_request(c, &l);
	if (await_answer(c, &l, f->st)) {
		if (due == DUE_REJECT) {
			hex_login(&l);
			blame(f, NULL, "login %llu of kind %llu was accepted",
			      (unsigned long long)i, (unsigned long long)i % 12);
		}
		end_somehow(c, r);
		return;
	}
	if (due == DUE_ACCEPT) {
		hex_login(&l);
		blame(f, NULL, "a proper login was refused: %s", c->why ? c->why : "silence");
	}
	conn_free(c);
}

/* ---- half-open --------------------------------------------------------- */

/* An IU that overtakes the end of the handshake: it must be answered later. */
static void run_early(struct flow *f, struct rng *r)
{
	struct login l;
	struct slot *s;
	bool late = rnd(r, 2);

	login_good(&l, IMM_OFF);
	l.io = true;
	f->c = conn_new(&l);
	conn_request(f->c, &l);
	if (!await_answer(f->c, &l, f->st) || conn_ready(f->c) || conn_rts(f->c)) {
		flow_drop(f);
		return;
	}
	s = flow_take(f);
	cmd_init(f, s);
	flow_send(f, s);
	flow_pump(f, rnd(r, 3));
	if (f->c && late)
		conn_confirm(f->c);
	if (f->c && late)
		flow_flush(f);
	flow_drop(f);
}

static void run_half(struct flow *f, struct rng *r, u64 i)
{
	struct login l;
	struct conn *c;

	if (i % 7 == 6) {
		run_early(f, r);
		return;
	}
	login_good(&l, rnd(r, 2) ? IMM_OFF : 0);
	if (rnd(r, 4))
		rnd_bytes(r, l.data + REQ_IPORT, 16);
	c = conn_new(&l);
	if (i % 7 == 0) {
		conn_free(c);
		return;
	}
	conn_request(c, &l);
	if (i % 7 == 1) {
		usleep(rnd(r, 3000));
		conn_free(c);
		return;
	}
	if (!await_answer(c, &l, f->st)) {
		conn_free(c);
		return;
	}
	switch (i % 7) {
	case 2:		/* never confirmed */
		end_somehow(c, r);
		return;
	case 3:		/* confirmed, but the QP cannot receive */
		conn_confirm(c);
		break;
	case 4:		/* goes down at once */
		if (!conn_ready(c) && !conn_rts(c) && !conn_confirm(c))
			conn_break(c);
		break;
	case 5:		/* disconnects at once, while the target gets ready */
		if (!conn_ready(c) && !conn_rts(c) && !conn_confirm(c))
			rdma_disconnect(c->id);
		break;
	}
	conn_free(c);
}

/* ---- storms ------------------------------------------------------------ */

static void run_storm(struct flow *f, struct rng *r, u64 i)
{
	struct conn *c[16];
	struct login l[16];
	u32 n, nr = 2 + rnd(r, 15);
	bool same = !rnd(r, 4);

	for (n = 0; n < nr; n++) {
		login_good(&l[n], IMM_OFF);
		if (!same)
			rnd_bytes(r, l[n].data + REQ_IPORT, 16);
		if (rnd(r, 2))
			l[n].data[REQ_FLAGS] |= REQ_F_MULTI;
		c[n] = conn_new(&l[n]);
	}
	for (n = 0; n < nr; n++)
		conn_request(c[n], &l[n]);
	for (n = 0; n < nr; n++)
		if (await_answer(c[n], &l[n], f->st) && rnd(r, 2) && !conn_ready(c[n]) &&
		    !conn_rts(c[n]))
			conn_confirm(c[n]);
	for (n = 0; n < nr; n++)
		conn_free(c[n]);
}

const struct family login_families[] = {
	{ .name = "login-form", .what = "malformed login requests", .runs = 40, .run = run_form },
	{ .name = "login-half", .what = "handshakes that stop at each step", .runs = 20,
	  .run = run_half },
	{ .name = "login-storm", .what = "many logins at a time", .runs = 3,
	  .run = run_storm },
	{ }
};
