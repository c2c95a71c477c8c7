// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks that are an SRP_CMD: CDBs and data buffers.
 */
#include "client.h"

static void rw(struct flow *f, struct slot *s, struct rng *r, bool write, u32 blocks)
{
	cmd_init(f, s);
	cmd_lba10(f, s, write, rnd64(r) % (lun_blocks - 8), blocks);
}

static void guard(struct slot *s)
{
	memset(s->data, GUARD, SLOT_TABLE);
}

/* ---- CDBs ------------------------------------------------------------- */

/* All opcodes and service actions, with proper buffers */
static void make_cdb(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 usual[] = {
		0x00, 0x03, 0x08, 0x0a, 0x12, 0x15, 0x16, 0x17, 0x1a, 0x1b, 0x1e, 0x25, 0x28,
		0x2a, 0x2e, 0x2f, 0x35, 0x41, 0x42, 0x55, 0x5a, 0x88, 0x8a, 0x8e, 0x8f, 0x91,
		0x93, 0x9e, 0xa0, 0xa3, 0xa8, 0xaa, 0xae, 0xaf,
	};
	u8 *cdb = s->iu + CMD_CDB;
	u32 add = rnd(r, 4) ? 0 : 4 * (1 + rnd(r, 8));

	cmd_init(f, s);
	rnd_bytes(r, cdb, 16);
	cdb[0] = i % 2 ? i / 2 : PICK(r, usual);
	if (rnd(r, 2)) {
		/* So that some go beyond the first check */
		memset(cdb + 2, 0, 14);
		cdb[7 + rnd(r, 7)] = rnd(r, 9);
		cdb[1] &= rnd(r, 2) ? 0x1f : 0;
		if (cdb[0] == 0x9e)
			cdb[1] = 0x10 + rnd(r, 3);
		else if (cdb[0] == 0xa3)
			cdb[1] = 0x0c + rnd(r, 2);
	}
	/* A unit that is stopped early on is started again, and stays so. */
	if (cdb[0] == 0x1b && i > 40)
		cdb[4] = 1;
	s->iu[CMD_ATTR] = rnd(r, 8) ? 0 : rnd(r, 256);
	s->iu[CMD_ADD_CDB] = add;
	rnd_bytes(r, s->iu + CMD_LEN, add);
	s->len += add;
	switch (rnd(r, 4)) {
	case 0:
		cmd_direct(f, s, DIR_OUT, MAX_IO >> rnd(r, 4));
		break;
	case 1:
		cmd_indirect(f, s, DIR_IN, MAX_IO, 3, 3);
		break;
	case 2:
		cmd_direct(f, s, DIR_IN, 1 + rnd(r, MAX_IO));
		break;
	}
	s->flags |= X_NOCLOSE;
}

static void make_addcdb(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 add = i & 0xfc, got;

	rw(f, s, r, rnd(r, 2), 1);
	if (rnd(r, 3) == 0)
		s->iu[CMD_CDB] = 0x7f;	/* with service actions that do not exist */
	s->iu[CMD_ADD_CDB] = i;
	rnd_bytes(r, s->iu + CMD_LEN, add);
	s->len += add;
	if (rnd(r, 24) == 0) {
		/* The CDB is cut off. */
		s->len = CMD_LEN + (add ? rnd(r, add) : 0);
		return;
	}
	switch (rnd(r, 3)) {
	case 0:		/* as it should be */
		cmd_direct(f, s, s->dir, lun_bs);
		s->flags |= X_NOCLOSE;
		return;
	case 1:		/* the CDB is there, the descriptor is not, or in part */
		got = rnd(r, DESC_LEN);
		cmd_direct(f, s, s->dir, lun_bs);
		s->len -= DESC_LEN - got;
		s->flags |= X_REFUSE;
		return;
	default:	/* no buffer */
		s->flags |= X_NOCLOSE;
	}
}

/* ---- descriptors ------------------------------------------------------ */

static void make_bufmt(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 cnts[] = { 0, 0, 1, 1, 1, 2, 3, 12, 127, 128, 255 };
	static const u32 lens[] = { 48, 49, 52, 64, 67, 68, 69, 80, 84, 88, 100, 132, 320,
				    320, 320, 320 };
	u32 at;

	if (i % 2)
		rw(f, s, r, i & 2, 1);
	else
		cmd_init(f, s);
	s->iu[CMD_FMT] = i % 4 < 2 ? i / 4 : rnd(r, 4) << 4 | rnd(r, 3);
	s->iu[CMD_OUT_CNT] = PICK(r, cnts);
	s->iu[CMD_IN_CNT] = PICK(r, cnts);
	for (at = CMD_LEN; at < 320; at += DESC_LEN)
		put_desc(s->iu + at, slot_va(s), data_key(f), rnd(r, 3) ? 512 : rnd64(r));
	s->len = PICK(r, lens);
}

static u32 odd_len(struct rng *r, u32 n)
{
	u32 lens[] = { 0, 1, 3, 511, 512, 513, n - 1, n, n, n + 1, n + 512, 0x7fffffff,
		       0x80000000, 0xfffffe00, 0xffffffff, rnd64(r) };

	return PICK(r, lens);
}

static void make_direct(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 small[] = { 0x12, 0x03, 0x1a, 0x5a, 0x25, 0xa0, 0xa3, 0x9e };
	u32 blocks = 1 + rnd(r, MAX_IO / lun_bs), n = blocks * lun_bs;
	bool write = i & 1;

	if (i % 8 == 7) {
		/* Commands that answer with a few bytes */
		cmd_init(f, s);
		s->iu[CMD_CDB] = PICK(r, small);
		s->iu[CMD_CDB + 1] = rnd(r, 2) ? 0 : rnd(r, 32);
		s->iu[CMD_CDB + 4] = rnd(r, 256);
		put32(s->iu + CMD_CDB + 6, rnd(r, 2) ? rnd(r, 600) : rnd64(r));
		guard(s);
		cmd_direct(f, s, DIR_IN, rnd(r, 2) ? rnd(r, 300) : odd_len(r, 36));
		s->flags |= X_NOCLOSE;
		if (s->edtl < SLOT_TABLE)
			s->flags |= X_GUARD;
		return;
	}
	rw(f, s, r, write, blocks);
	guard(s);
	if (i % 8 == 6) {
		/* The buffer is for the other direction. */
		cmd_direct(f, s, write ? DIR_IN : DIR_OUT, n);
		s->flags |= X_NOCLOSE;
		if (write)
			s->edtl = 0;
		s->flags |= write ? X_GUARD : 0;
		return;
	}
	cmd_direct(f, s, s->dir, odd_len(r, n));
	s->flags |= X_NOCLOSE | X_EXACT;
	if (!write && s->edtl <= MAX_IO)
		s->flags |= X_GUARD;
}

/*
 * Memory that we do not offer: the transfer must fail, and since the QP fails
 * with it, close the channel.
 */
static void make_rkey(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u64 vas[] = { 0, ~0ULL, slot_va(s) + (1ULL << 40), ~0ULL - 511, rnd64(r) };
	u32 key = data_key(f), n = MAX_IO;
	u32 keys[] = { 0, ~0U, key ^ 1, key + 256, rnd64(r), key ^ 0x80000000 };
	bool bad_va = rnd(r, 2);
	u8 *desc;

	rw(f, s, r, i & 1, n / lun_bs);
	if (i % 4 < 2) {
		cmd_direct(f, s, s->dir, n);
		desc = s->iu + s->len - DESC_LEN;
	} else {
		cmd_indirect(f, s, s->dir, n, 8, 8);
		desc = s->iu + s->len - DESC_LEN * (1 + rnd(r, 8));
	}
	if (bad_va)
		put64(desc, PICK(r, vas));
	else
		put32(desc + 8, PICK(r, keys));
	s->flags |= X_REFUSE | X_ALONE;
}

/* ---- indirect --------------------------------------------------------- */

/* Leaves descriptors of the trap in the target's receive buffers. */
static void prime(struct flow *f, struct slot *s, struct rng *r)
{
	u32 i, n = (f->c->max_it_iu - CMD_LEN - INDIRECT_LEN) / DESC_LEN;

	if (n > 255)
		n = 255;
	memset(f->c->b->trap, GUARD, TRAP_SIZE);
	cmd_init(f, s);
	cmd_indirect(f, s, DIR_IN, 64, 1, 1);
	s->iu[CMD_IN_CNT] = n;
	put32(s->iu + CMD_LEN + 12, n * DESC_LEN);
	for (i = 0; i < n; i++)
		put_desc(s->iu + CMD_LEN + INDIRECT_LEN + i * DESC_LEN,
			 (uintptr_t)f->c->b->trap + i * 64, f->c->b->mr_trap->rkey, 64);
	put32(s->iu + CMD_LEN + 16, n * 64);
	s->len = CMD_LEN + INDIRECT_LEN + n * DESC_LEN;
	s->flags |= X_NOCLOSE | X_TRAP;
}

static void make_stale(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 cnts[] = { 255, 255, 254, 128, 12, 2, 1 };
	u32 cnt = PICK(r, cnts), n = MAX_IO;

	/* Enough of them that every receive buffer has had one */
	if (i % 192 < 144) {
		prime(f, s, r);
		return;
	}
	rw(f, s, r, false, n / lun_bs);
	s->iu[CMD_FMT] = FMT_INDIRECT;
	s->iu[CMD_IN_CNT] = cnt;
	put_desc(s->iu + CMD_LEN, slot_va(s), data_key(f), cnt * DESC_LEN);
	put32(s->iu + CMD_LEN + DESC_LEN, n);
	s->len = CMD_LEN + rnd(r, INDIRECT_LEN + (cnt > 1 ? DESC_LEN * 2 : DESC_LEN));
	if (rnd(r, 2) || s->len >= CMD_LEN + INDIRECT_LEN + DESC_LEN)
		s->len = CMD_LEN + INDIRECT_LEN;
	s->flags |= X_REFUSE | X_TRAP | X_NOCLOSE;
}

/* A table whose parts contradict each other */
static void spoil(struct flow *f, struct slot *s, struct rng *r, u32 nr)
{
	u8 *table = s->iu + CMD_LEN, *descs = table + INDIRECT_LEN;
	u8 *cnt = s->iu + (s->dir == DIR_OUT ? CMD_OUT_CNT : CMD_IN_CNT);
	u32 lens[] = { 0, 1, 15, nr * 16 - 1, nr * 16 + 1, (nr - 1) * 16, 0xfffffff0, ~0U,
		       0x80000000, 0x7ffffff0 };
	u32 total = s->edtl;
	u32 totals[] = { 0, 1, total - 1, total + 1, 2 * total, 0x7fffffff, 0x80000000, ~0U };
	u32 k;

	switch (rnd(r, 8)) {
	case 0:		/* more descriptors counted than there are */
		*cnt = nr + 1 + rnd(r, 255 - nr);
		put32(table + 12, *cnt * 16);
		s->flags |= X_REFUSE;
		break;
	case 1:		/* the table's length */
		put32(table + 12, PICK(r, lens));
		break;
	case 2:		/* the total */
		put32(table + 16, PICK(r, totals));
		break;
	case 3:		/* the sum does not fit into 32 bits */
		for (k = 0; k < nr; k++)
			put32(descs + k * 16 + 12, 0xffffffff - rnd(r, 2) * 0x7fffffff);
		s->flags |= X_NOCLOSE;
		break;
	case 4:		/* ... and wraps to the total exactly */
		put32(descs + 12, 0xffffffff - total);
		if (nr > 1)
			put32(descs + 28, 2 * total + 1);
		break;
	case 5:		/* the IU ends early */
		s->len = CMD_LEN + rnd(r, s->len - CMD_LEN);
		s->flags |= X_REFUSE;
		break;
	case 6:		/* one descriptor has another length */
		put32(descs + rnd(r, nr) * 16 + 12, odd_len(r, total / nr));
		break;
	case 7:		/* a count less than the table */
		*cnt = rnd(r, nr);
		break;
	}
}

static void make_indirect(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 nr = 1 + rnd(r, 12), n = MAX_IO, k;
	u8 *descs;

	rw(f, s, r, i & 1, n / lun_bs);
	guard(s);
	cmd_indirect(f, s, s->dir, n, nr, nr);
	if (i % 8 == 0) {
		/* Entries of no length, in between */
		descs = s->iu + CMD_LEN + INDIRECT_LEN;
		put_desc(descs, slot_va(s), data_key(f), 0);
		for (k = 1; k < nr; k++)
			put_desc(descs + k * 16, k == nr / 2 ? slot_va(s) : 0, data_key(f),
				 k == nr / 2 ? n : 0);
		if (nr < 2)
			put_desc(descs, slot_va(s), data_key(f), n);
		else if (nr / 2 == 0)
			put_desc(descs + 16, slot_va(s), data_key(f), n);
		s->flags |= X_EXACT | X_NOCLOSE | X_GUARD;
		return;
	}
	if (i % 8 == 1) {
		s->flags |= X_EXACT | X_NOCLOSE | X_GUARD;
		if (s->dir == DIR_OUT)
			s->flags &= ~X_GUARD;
		return;
	}
	if (i % 8 == 2) {
		/* Both directions, one after the other */
		cmd_indirect(f, s, s->dir == DIR_IN ? DIR_OUT : DIR_IN, n, 3, 3);
		return;
	}
	spoil(f, s, r, nr);
}

/* Tables that are fetched from our memory, which may say anything */
static void make_table(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 nr = 1 + rnd(r, 64), n = MAX_IO, inside = rnd(r, 2) ? 0 : rnd(r, nr);
	u8 *desc = s->iu + CMD_LEN;
	u32 lens[] = { 0xfffffff0, 0x100000, 0x20000, 0x20010, 0x1fff0, ~0U, 15, 8, 1 };

	rw(f, s, r, i & 1, n / lun_bs);
	guard(s);
	cmd_indirect(f, s, s->dir, n, nr, inside);
	switch (i % 8) {
	case 0:
	case 1:
	case 2:
		s->flags |= X_EXACT | X_NOCLOSE | (s->dir == DIR_IN ? X_GUARD : 0);
		return;
	case 3:		/* no such memory */
		put32(desc + 8, rnd64(r));
		s->flags |= X_ALONE | (inside < nr ? X_REFUSE : 0);
		return;
	case 4:
		put64(desc, rnd(r, 2) ? ~0ULL - 15 : 0);
		s->flags |= X_ALONE | X_REFUSE;
		return;
	case 5:		/* far too long, or no whole number of descriptors */
		put32(desc + 12, PICK(r, lens));
		s->flags |= X_ALONE;
		return;
	case 6:		/* what is in it does not cover the total */
		put32(s->data + SLOT_TABLE + (nr - 1) * 16 + 12, 0);
		put32(desc + 16, 0x7fffffff);
		if (inside)
			return;
		s->flags |= X_NOCLOSE;
		return;
	default:	/* rubbish in it */
		rnd_bytes(r, s->data + SLOT_TABLE, nr * 16);
		s->flags |= X_ALONE;
	}
}

/* ---- immediate data --------------------------------------------------- */

static void make_imm(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 off = f->imm_off, blocks = 1 + rnd(r, 4), n = blocks * lun_bs, got;
	u32 wraps[] = { 0xfffffff0, 0xffffffff, 0x80000000, 0x7fffffff, -off, -off - 1, 1 - off,
			-CMD_LEN, 0xffffffff - n, 0x10000 };
	u8 *len = s->iu + CMD_LEN;

	rw(f, s, r, true, blocks);
	if (!cmd_imm(f, s, n)) {
		/* Not offered: then it must not be taken. */
		s->iu[CMD_FMT] = FMT_IMM << 4;
		put32(len, n);
		s->len = off + n;
		s->flags |= X_REFUSE;
		return;
	}
	got = s->len - off;
	switch (i % 8) {
	case 0:
		s->flags |= X_EXACT | X_NOCLOSE;
		return;
	case 1:		/* wraps */
		put32(len, PICK(r, wraps));
		s->flags |= X_REFUSE;
		return;
	case 2:		/* more than there is */
		put32(len, got + 1 + rnd(r, 5000));
		s->flags |= X_REFUSE;
		return;
	case 3:		/* less than the CDB says, or than there is */
		s->edtl = rnd(r, n);
		put32(len, s->edtl);
		s->flags |= X_EXACT | X_NOCLOSE;
		return;
	case 4:		/* ends before its beginning */
		s->len = CMD_LEN + rnd(r, off - CMD_LEN);
		s->flags |= X_REFUSE;
		return;
	case 5:		/* the CDB reaches into it */
		s->iu[CMD_ADD_CDB] = (off - CMD_LEN) & ~3U;
		put32(s->iu + (off & ~3U), n);
		s->flags |= X_REFUSE;
		return;
	case 6:		/* of a command that reads, or has no data */
		s->iu[CMD_CDB] = rnd(r, 2) ? 0x28 : 0;
		s->flags |= X_NOCLOSE;
		return;
	default:	/* in the other direction, in both, with another buffer */
		s->iu[CMD_FMT] = rnd(r, 2) ? FMT_IMM : FMT_IMM << 4 | (1 + rnd(r, 3));
		s->iu[CMD_IN_CNT] = rnd(r, 3);
	}
}

const struct family cmd_families[] = {
	{ "cdb", "all opcodes and lengths with proper buffers", 152, 32, .make = make_cdb },
	{ "cdb-add", "additional CDB lengths, with IUs that are too short", 100, 16,
	  .make = make_addcdb },
	{ "buf-fmt", "all buffer formats, counts and lengths", 40, 8, .make = make_bufmt },
	{ "direct", "direct descriptors that do not fit the command", 110, 32,
	  .make = make_direct },
	{ "rkey", "memory that is not offered", 2, 2, .make = make_rkey },
	{ "stale", "tables that only an earlier IU had", 70, 64, .make = make_stale },
	{ "indirect", "indirect tables that contradict themselves", 90, 16,
	  .make = make_indirect },
	{ "table", "tables outside the IU", 12, 16, .make = make_table },
	{ "imm", "immediate data: wraps and wrong lengths", 100, 16, .make = make_imm },
	{ "imm-unasked", "immediate data that was not negotiated", 4, 16, .no_imm = true,
	  .make = make_imm },
	{ }
};
