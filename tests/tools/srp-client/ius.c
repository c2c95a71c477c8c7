// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks that are an IU of a wrong shape: lengths, opcodes, the fixed part.
 */
#include "client.h"

/* A proper command with one kind of buffer each, to be spoiled by the caller */
static void template(struct flow *f, struct slot *s, struct rng *r, u32 kind)
{
	u64 lba = rnd64(r) % (lun_blocks - 8);
	u32 len = MAX_IO;

	cmd_init(f, s);
	switch (kind % 6) {
	case 0:
		cmd_lba10(f, s, false, lba, len / lun_bs);
		cmd_direct(f, s, DIR_IN, len);
		break;
	case 1:
		cmd_lba10(f, s, true, lba, len / lun_bs);
		cmd_direct(f, s, DIR_OUT, len);
		break;
	case 2:
		cmd_lba10(f, s, false, lba, len / lun_bs);
		cmd_indirect(f, s, DIR_IN, len, 1 + rnd(r, 12), 0);
		break;
	case 3:
		cmd_lba10(f, s, true, lba, len / lun_bs);
		cmd_indirect(f, s, DIR_OUT, len, 5, 5);
		break;
	case 4:
		cmd_lba10(f, s, true, lba, 1);
		if (!cmd_imm(f, s, lun_bs))
			cmd_direct(f, s, DIR_OUT, lun_bs);
		break;
	case 5:
		cmd_tmf(f, s, 1 << rnd(r, 4), f->next_tag << 32);
		break;
	}
}

static void make_short(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 len = i * 29 % 72;

	template(f, s, r, i % 2 ? 0 : rnd(r, 6));
	if (len >= s->len)
		return;
	/* A command whose descriptors were not received must not go through. */
	if (len >= CMD_LEN && s->iu[0] == OP_CMD)
		s->flags |= X_REFUSE;
	if (len < CMD_LEN)
		s->flags |= X_ALONE;
	s->len = len;
}

static void make_long(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 max = f->c->max_it_iu;
	u32 lens[] = { max - 1, max, max + 1, max + 4, 2 * max, 4096, 8192, 8193, 12288, 65536,
		       CMD_LEN + 1 + rnd(r, 20000) };
	u32 len = lens[i % 11];

	cmd_init(f, s);
	memcpy(f->c->b->lng, s->iu, CMD_LEN);
	memset(f->c->b->lng + CMD_LEN, rnd(r, 256), 70000 - CMD_LEN);
	s->iu = f->c->b->lng;
	s->flags |= X_LONG | X_ALONE;
	if (len <= max)
		s->flags |= X_NOCLOSE;
	s->len = len;
}

static void make_opcode(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u32 lens[] = { 1, 16, 36, 48, 64, 100 };

	cmd_init(f, s);
	rnd_bytes(r, s->iu + CMD_LEN, 64);
	s->iu[0] = i + 100 * opt.seed;
	s->len = PICK(r, lens);
	if (s->iu[0] != OP_CRED_RSP && s->iu[0] != OP_AER_RSP)
		s->flags |= X_ALONE;
}

/* Responses and other things only a target sends; answers to nothing; logout */
static void make_reverse(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 ops[] = { OP_CRED_RSP, OP_CRED_RSP, OP_CRED_RSP, OP_AER_RSP, OP_AER_RSP,
				  OP_AER_RSP, OP_CRED_RSP, OP_AER_RSP, OP_RSP, OP_LOGIN_RSP,
				  OP_LOGIN_REJ, OP_T_LOGOUT, OP_CRED_REQ, OP_AER_REQ,
				  OP_I_LOGOUT, OP_LOGIN_REQ };

	memset(s->iu, 0, 64);
	s->iu[0] = ops[i % 16];
	put32(s->iu + RSP_DELTA, rnd(r, 2) ? 1 : rnd64(r));
	put64(s->iu + RSP_TAG, rnd(r, 2) ? f->next_tag << 32 : rnd64(r));
	if (rnd(r, 2))
		rnd_bytes(r, s->iu + 16, 48);
	s->len = rnd(r, 8) ? 16 + 4 * rnd(r, 13) : 1 + rnd(r, 16);
	if (s->iu[0] != OP_CRED_RSP && s->iu[0] != OP_AER_RSP)
		s->flags |= X_ALONE;
}

static void make_flips(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	u32 n = 1 + rnd(r, 3);

	template(f, s, r, i);
	/* What it aborts would end without a response. */
	if (s->iu[0] == OP_TSK_MGMT)
		s->flags |= X_ALONE;
	while (n--) {
		u32 at = rnd(r, s->len);

		if (rnd(r, 2))
			s->iu[at] ^= 1 << rnd(r, 8);
		else
			s->iu[at] = rnd64(r);
	}
}

static void make_random(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	s->len = 1 + rnd(r, rnd(r, 4) ? 96 : 1024);
	rnd_bytes(r, s->iu, s->len > CMD_LEN ? s->len : CMD_LEN);
	if (i % 8)
		s->iu[0] = i % 4 ? OP_CMD : OP_TSK_MGMT;
	if (s->iu[0] == OP_TSK_MGMT)
		s->flags |= X_ALONE;
	if (i & 8)
		s->iu[CMD_ADD_CDB] = 0;
	if (i & 16)
		memcpy(s->iu + CMD_LUN, opt.lun, 8);
	if (s->len < CMD_LEN && i % 8)
		s->len += CMD_LEN;
}

static void make_lun(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 ops[] = { 0x00, 0x12, 0xa0, 0x28, 0x03 };
	u8 *lun = s->iu + CMD_LUN;

	cmd_init(f, s);
	s->iu[CMD_CDB] = PICK(r, ops);
	s->iu[CMD_CDB + 4] = 96;
	s->iu[CMD_CDB + 8] = s->iu[CMD_CDB] == 0xa0 ? 2 : 1;
	cmd_direct(f, s, DIR_IN, MAX_IO);
	rnd_bytes(r, lun, 8);
	switch (i % 8) {
	case 0:
	case 1:		/* each addressing method */
		lun[0] = i << 3;
		memset(lun + 2, 0, 6);
		break;
	case 2:
		memset(lun, 0xff, 8);
		break;
	case 3:		/* more than one level */
		memset(lun, 0, 8);
		lun[2 + rnd(r, 6)] = 1 + rnd(r, 255);
		break;
	case 4:		/* well-known and extended */
		lun[0] = 0xc0 | rnd(r, 64);
		break;
	}
	s->flags |= X_NOCLOSE;
}

static void make_tmf(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u8 funcs[] = { 1, 2, 4, 8, 0x40 };
	u64 tag = (f->next_tag - rnd(r, 8)) << 32 | rnd(r, 32);

	/* Something to abort: it may end without a response then. */
	if (i % 4 < 2) {
		template(f, s, r, rnd(r, 5));
		s->flags |= X_SILENT | X_NOCLOSE;
		return;
	}
	if (i % 4 == 2 && f->next_slot)
		tag = f->slots[(f->next_slot - 2) % NR_SLOTS].tag;
	cmd_tmf(f, s, rnd(r, 3) ? PICK(r, funcs) : rnd(r, 256), rnd(r, 4) ? tag : rnd64(r));
	if (!rnd(r, 4))
		rnd_bytes(r, s->iu + CMD_LUN, 8);
	if (!rnd(r, 4)) {
		rnd_bytes(r, s->iu + 16, 4);
		rnd_bytes(r, s->iu + 28, 2);
		rnd_bytes(r, s->iu + 40, 8);
	}
	s->flags |= X_NOCLOSE;
}

static void make_tags(struct flow *f, struct slot *s, struct rng *r, u64 i)
{
	static const u64 tags[] = { 0, ~0ULL, 0x8000000000000000ULL, 42, 42, 42 };

	template(f, s, r, rnd(r, 5));
	put64(s->iu + CMD_TAG, PICK(r, tags));
}

const struct family iu_families[] = {
	{ "iu-short", "IUs of 0 to 71 bytes", 5, 8, .make = make_short },
	{ "iu-long", "IUs up to and beyond the longest allowed", 2, 4, .make = make_long },
	{ "iu-opcode", "all 256 opcodes, several lengths", 4, 8, .make = make_opcode },
	{ "iu-reverse", "responses and logouts from the initiator", 6, 32,
	  .make = make_reverse },
	{ "iu-flips", "proper IUs with a few bytes changed", 20, 4, .make = make_flips },
	{ "iu-random", "random bytes", 6, 2, .make = make_random },
	{ "lun", "LUNs of every format", 70, 32, .make = make_lun },
	{ "tmf", "task management: any function, tag and LUN", 90, 16, .make = make_tmf },
	{ "tags", "many commands with the same tag", 70, 32, .make = make_tags },
	{ }
};
