// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks that are more than one IU: too many at a time, disconnects with
 * commands in flight, other verbs than SEND.
 */
#include <unistd.h>

#include "client.h"

/* More requests than the target allowed */
static void run_credits(struct flow *f, struct rng *r, u64 i)
{
	u32 n, nr;

	flow_open(f);
	nr = f->c->credits + 1 + rnd(r, i % 2 ? 256 : 8);
	if (nr > NR_SLOTS - 16)
		nr = NR_SLOTS - 16;
	f->hold = i % 4 != 3;
	for (n = 0; n < nr; n++) {
		struct slot *s = flow_take(f);

		cmd_init(f, s);
		/* Some take the target longer. */
		if (i % 2) {
			cmd_lba10(f, s, rnd(r, 2), 0, MAX_IO / lun_bs);
			cmd_indirect(f, s, s->dir, MAX_IO, 8, 0);
		}
		flow_send(f, s);
	}
	flow_release(f);
	flow_flush(f);
}

static void load(struct flow *f, struct rng *r)
{
	struct slot *s = flow_take(f);
	u64 lba = rnd64(r) % (lun_blocks - 8);
	u32 kind = rnd(r, 8);

	cmd_init(f, s);
	if (kind == 7) {
		cmd_tmf(f, s, 1 << rnd(r, 4), f->next_tag << 32);
	} else if (kind > 0) {
		cmd_lba10(f, s, kind & 1, lba, MAX_IO / lun_bs);
		if (kind < 4)
			cmd_direct(f, s, s->dir, MAX_IO);
		else
			cmd_indirect(f, s, s->dir, MAX_IO, 12, kind == 4 ? 2 : 12);
	}
	/* Task management may end them without a response. */
	if (s->iu[0] == OP_CMD)
		s->flags |= X_SILENT;
	flow_send(f, s);
}

static void wait_closed(struct flow *f)
{
	u64 end = now_ms() + opt.wait_ms;

	f->expect_close = true;
	while (f->c && now_ms() < end)
		flow_pump(f, 100);
	if (f->c)
		blame(f, NULL, "the channel was not closed");
}

static void run_inflight(struct flow *f, struct rng *r, u64 i)
{
	struct conn *other;
	struct login l;
	struct slot *s;
	int n;

	flow_open(f);
	for (n = 1 + rnd(r, f->c->limit < 64 ? f->c->limit - 1 : 63); n && f->c; n--)
		load(f, r);
	for (n = rnd(r, 4); n && f->c; n--)
		flow_pump(f, 1);
	if (!f->c)
		return;
	f->expect_close = true;
	f->st->lost += f->nr_out;
	switch (i % 6) {
	case 0:		/* disconnects */
		break;
	case 1:		/* its QP is gone first */
		conn_break(f->c);
		usleep(rnd(r, 3000));
		break;
	case 2:		/* takes its memory away */
		conn_lose_memory(f->c);
		usleep(rnd(r, 5000));
		break;
	case 3:		/* logs out */
		f->st->lost -= f->nr_out;
		s = flow_take(f);
		cmd_init(f, s);
		s->iu[0] = OP_I_LOGOUT;
		s->len = 16;
		flow_send(f, s);
		if (!opt.lenient)
			wait_closed(f);
		break;
	case 4:		/* disconnects and stays for a while */
		rdma_disconnect(f->c->id);
		f->st->lost -= f->nr_out;
		if (!opt.lenient)
			wait_closed(f);
		break;
	case 5:		/* logs in again: the old channel must go */
		login_good(&l, IMM_OFF);
		other = login_connect(&l, f->st);
		if (!other)
			die("no login while there is another of the same initiator");
		f->st->lost -= f->nr_out;
		wait_closed(f);
		conn_free(other);
		break;
	}
	flow_drop(f);
}

/* The target's memory is none of ours. */
static void run_verbs(struct flow *f, struct rng *r, u64 i)
{
	struct slot *s = flow_slot(f, true);

	cmd_init(f, s);
	s->wr_va = rnd(r, 2) ? rnd64(r) : 0;
	s->wr_key = rnd(r, 4) ? rnd64(r) : data_key(f);
	switch (i % 6) {
	case 0:
		s->wr_op = IBV_WR_RDMA_WRITE;
		break;
	case 1:
		s->wr_op = IBV_WR_RDMA_READ;
		break;
	case 2:
		s->wr_op = IBV_WR_RDMA_WRITE_WITH_IMM;
		break;
	case 3:
		s->wr_op = IBV_WR_ATOMIC_FETCH_AND_ADD;
		s->wr_va &= ~7ULL;
		break;
	case 4:
		s->wr_op = IBV_WR_SEND_WITH_IMM;
		break;
	case 5:
		s->wr_op = IBV_WR_SEND_WITH_INV;
		s->wr_key = rnd64(r);
		break;
	}
	flow_send(f, s);
	flow_flush(f);
}

const struct family wild_families[] = {
	{ "credits", "more requests than allowed", 15, NR_SLOTS - 16, .run = run_credits },
	{ "inflight", "disconnects of every kind with commands in flight", 30, 64,
	  .run = run_inflight },
	{ "verbs", "RDMA, atomics and invalidation where only SEND is due", 2, 1,
	  .run = run_verbs },
	{ }
};
