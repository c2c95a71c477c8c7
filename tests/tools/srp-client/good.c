// SPDX-License-Identifier: GPL-2.0
/*
 * The well-behaved initiator: commands as they should be, and a sequence of them
 * that shows that everything the attacks aim at is there and works.
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"

#define PAGE	4096U
#define MIB	1048576U

u32 lun_bs = 512;
u64 lun_blocks = 2048;

/* ---- building --------------------------------------------------------- */

u64 slot_va(const struct slot *s)
{
	return (uintptr_t)s->data;
}

u32 data_key(const struct flow *f)
{
	return f->c->b->mr_data->rkey;
}

/* TEST UNIT READY, until more is filled in */
void cmd_init(struct flow *f, struct slot *s)
{
	memset(s->iu, 0, 512);
	s->iu[0] = OP_CMD;
	put64(s->iu + CMD_TAG, ++f->next_tag << 32 | s->nr);
	memcpy(s->iu + CMD_LUN, opt.lun, 8);
	s->len = CMD_LEN;
}

/* READ(10) or WRITE(10); says what must come of it in s->want and s->dir. */
void cmd_lba10(struct flow *f, struct slot *s, bool write, u64 lba, u32 blocks)
{
	u8 *cdb = s->iu + CMD_CDB;

	cdb[0] = write ? 0x2a : 0x28;
	put32(cdb + 2, lba);
	put16(cdb + 7, blocks);
	s->dir = write ? DIR_OUT : DIR_IN;
	s->want = blocks * lun_bs;
}

static void set_fmt(struct slot *s, u8 dir, u8 fmt, u8 cnt)
{
	s->iu[CMD_FMT] |= dir == DIR_OUT ? fmt << 4 : fmt;
	s->iu[dir == DIR_OUT ? CMD_OUT_CNT : CMD_IN_CNT] = cnt;
}

/* The slot's buffer as one descriptor, at the end of the IU so far */
void cmd_direct(struct flow *f, struct slot *s, u8 dir, u32 len)
{
	set_fmt(s, dir, FMT_DIRECT, 1);
	put_desc(s->iu + s->len, slot_va(s), data_key(f), len);
	s->len += DESC_LEN;
	s->edtl = len;
}

/*
 * The slot's buffer as @nr descriptors of unequal lengths, @in_iu of them in the
 * IU, all of them in the table behind the buffer.
 */
void cmd_indirect(struct flow *f, struct slot *s, u8 dir, u32 len, u32 nr, u32 in_iu)
{
	u8 *table = s->data + SLOT_TABLE;
	u32 i, at = 0;

	for (i = 0; i < nr; i++) {
		u32 part = i == nr - 1 ? len - at : (len - at) / (nr - i) - (i & 1) * 3;

		if (part > len - at)
			part = len - at;
		put_desc(table + i * DESC_LEN, slot_va(s) + at, data_key(f), part);
		at += part;
	}
	set_fmt(s, dir, FMT_INDIRECT, in_iu);
	put_desc(s->iu + s->len, slot_va(s) + SLOT_TABLE, data_key(f), nr * DESC_LEN);
	put32(s->iu + s->len + DESC_LEN, len);
	s->len += INDIRECT_LEN;
	memcpy(s->iu + s->len, table, in_iu * DESC_LEN);
	s->len += in_iu * DESC_LEN;
	s->edtl = len;
}

/* @len bytes of the slot's buffer as immediate data. False if that is not on. */
bool cmd_imm(struct flow *f, struct slot *s, u32 len)
{
	if (!f->c->imm || f->imm_off + len > f->c->max_it_iu)
		return false;
	set_fmt(s, DIR_OUT, FMT_IMM, 0);
	put32(s->iu + s->len, len);
	memcpy(s->iu + f->imm_off, s->data, len);
	s->len = f->imm_off + len;
	s->edtl = len;
	return true;
}

void cmd_tmf(struct flow *f, struct slot *s, u8 func, u64 task)
{
	cmd_init(f, s);
	s->iu[0] = OP_TSK_MGMT;
	s->iu[TMF_FUNC] = func;
	put64(s->iu + TMF_TASK_TAG, task);
	s->len = TMF_LEN;
}

/* ---- doing ------------------------------------------------------------ */

static struct slot *begin(struct flow *f)
{
	struct slot *s = flow_slot(f, true);

	cmd_init(f, s);
	memset(s->data, GUARD, SLOT_DATA);
	s->flags = X_NOCLOSE;
	return s;
}

/* Sends and waits. False if no response came: that has been blamed already. */
static bool finish(struct flow *f, struct slot *s)
{
	f->wait_for = s;
	flow_send(f, s);
	while (f->c && s->busy)
		flow_pump(f, 100);
	f->wait_for = NULL;
	return f->c;
}

static bool is_good(const struct flow *f)
{
	return !f->rsp.status && !(f->rsp.flags & RSPVALID && f->rsp.code);
}

static void inquiry(struct flow *f)
{
	struct slot *s = begin(f);

	s->iu[CMD_CDB] = 0x12;
	s->iu[CMD_CDB + 4] = 96;
	cmd_direct(f, s, DIR_IN, 96);
	s->flags |= X_GOOD | X_GUARD;
	if (!finish(f, s))
		return;
	if (s->data[0] & 0x1f || s->data[4] < 31)
		blame(f, s, "INQUIRY data is not a disk's");
	if (opt.verbose)
		fprintf(stderr, "  INQUIRY: %.8s %.16s\n", s->data + 8, s->data + 16);
}

/* Unit attentions are reported once each. */
static void clear_attentions(struct flow *f)
{
	struct slot *s;
	int i;

	for (i = 0; i < 8; i++) {
		s = begin(f);
		if (!finish(f, s) || !f->rsp.status)
			return;
		if ((f->rsp.sense[2] & 15) != 6) {
			blame(f, s, "TEST UNIT READY: sense key %x", f->rsp.sense[2] & 15);
			return;
		}
	}
	blame(f, s, "unit attentions do not end");
}

/* START STOP UNIT: an attack may have stopped it. */
static void start_unit(struct flow *f)
{
	struct slot *s;
	int i;

	/* Unit attentions come first, once each. */
	for (i = 0; i < 8; i++) {
		s = begin(f);
		s->iu[CMD_CDB] = 0x1b;
		s->iu[CMD_CDB + 4] = 1;
		if (!finish(f, s) || !f->rsp.status)
			break;
	}
	clear_attentions(f);
}

static void capacity(struct flow *f)
{
	struct slot *s = begin(f);

	s->iu[CMD_CDB] = 0x9e;
	s->iu[CMD_CDB + 1] = 0x10;
	put32(s->iu + CMD_CDB + 10, 32);
	cmd_direct(f, s, DIR_IN, 32);
	s->flags |= X_GOOD | X_GUARD;
	if (!finish(f, s))
		return;
	lun_blocks = get64(s->data) + 1;
	lun_bs = get32(s->data + 8);
	if (lun_bs < 512 || lun_bs > MAX_IO || lun_blocks < 16)
		die("the LUN has %llu blocks of %u bytes; it is of no use here",
		    (unsigned long long)lun_blocks, lun_bs);
}

enum how { DIRECT, INDIRECT, TABLE, PARTIAL, IMM };
static const char *const how_name[] = {
	"direct", "indirect", "table outside the IU", "table partly in the IU", "immediate",
};

static bool buffer(struct flow *f, struct slot *s, u8 dir, u32 len, enum how how)
{
	switch (how) {
	case DIRECT:
		cmd_direct(f, s, dir, len);
		return true;
	case INDIRECT:
		cmd_indirect(f, s, dir, len, 7, 7);
		return true;
	case TABLE:
		cmd_indirect(f, s, dir, len, 9, 0);
		return true;
	case PARTIAL:
		cmd_indirect(f, s, dir, len, 9, 4);
		return true;
	case IMM:
		return cmd_imm(f, s, len);
	}
	return false;
}

static void fill(u8 *p, u32 len, u64 seed)
{
	struct rng r = { .state = seed };

	rnd_bytes(&r, p, len);
}

static void show(const char *what, enum how how, const char *result)
{
	printf("  %-6s %-24s %s\n", what, how_name[how], result);
}

/* Writes a pattern in one way and reads it back in another. */
static void write_read(struct flow *f, enum how out, enum how in, u64 seed)
{
	u32 blocks = out == IMM ? 1 : MAX_IO / lun_bs, len = blocks * lun_bs;
	u64 lba = seed % (lun_blocks - blocks);
	static u8 pattern[MAX_IO];
	struct slot *s = begin(f);

	fill(pattern, len, seed);
	memcpy(s->data, pattern, len);
	cmd_lba10(f, s, true, lba, blocks);
	if (!buffer(f, s, DIR_OUT, len, out)) {
		show("WRITE", out, "not offered");
		flow_put(f, s);
		return;
	}
	s->flags |= X_EXACT | (opt.lenient ? 0 : X_GOOD);
	if (!finish(f, s))
		return;
	show("WRITE", out, is_good(f) ? "good" : "refused");
	if (!is_good(f))
		return;
	s = begin(f);
	cmd_lba10(f, s, false, lba, blocks);
	buffer(f, s, DIR_IN, len, in);
	s->flags |= X_EXACT | X_GUARD | (opt.lenient ? 0 : X_GOOD);
	if (!finish(f, s))
		return;
	if (is_good(f) && memcmp(s->data, pattern, len))
		blame(f, s, "what was read is not what was written");
	show("READ", in, is_good(f) ? "good, the same data" : "refused");
}

/* READ or WRITE of @pages pages at LBA 0, whose descriptors are all in @table */
static bool big_cmd(struct flow *f, bool write, u32 pages, const u8 *table, u32 table_key)
{
	struct slot *s = begin(f);
	u32 len = pages * PAGE;

	cmd_lba10(f, s, write, 0, len / lun_bs);
	set_fmt(s, s->dir, FMT_INDIRECT, 0);
	put_desc(s->iu + s->len, (uintptr_t)table, table_key, pages * DESC_LEN);
	put32(s->iu + s->len + DESC_LEN, len);
	s->len += INDIRECT_LEN;
	s->edtl = len;
	s->flags |= X_EXACT | X_GOOD;
	return finish(f, s) && is_good(f);
}

static void put_reversed(u8 *table, const u8 *mem, u32 pages, u32 key)
{
	u32 i;

	for (i = 0; i < pages; i++)
		put_desc(table + i * DESC_LEN, (uintptr_t)(mem + (size_t)(pages - 1 - i) * PAGE),
			 key, PAGE);
}

/*
 * One WRITE and one READ of @mib MiB, with the worst table there is: no two of its
 * pages are neighbours, none of its descriptors is in the IU.
 */
void good_big(u32 mib)
{
	u32 pages = mib * (MIB / PAGE), len = pages * PAGE;
	struct ibv_mr *out_mr, *in_mr, *table_mr;
	static struct stats st;
	static struct flow f;
	u8 *out, *in, *table;

	if (!mib || mib > 32 || len / lun_bs > 0xffff || len / lun_bs > lun_blocks)
		die("the LUN or READ(10) has no room for %u MiB", mib);
	flow_init(&f, "big", &st);
	flow_open(&f);
	start_unit(&f);
	out = map_mr(len, &out_mr);
	in = map_mr(len, &in_mr);
	table = map_mr((size_t)pages * DESC_LEN, &table_mr);
	fill(out, len, opt.seed * 7 + 6);
	put_reversed(table, out, pages, out_mr->rkey);
	if (!big_cmd(&f, true, pages, table, table_mr->rkey))
		die("WRITE of %u MiB failed", mib);
	put_reversed(table, in, pages, in_mr->rkey);
	if (!big_cmd(&f, false, pages, table, table_mr->rkey))
		die("READ of %u MiB failed", mib);
	if (memcmp(out, in, len))
		blame(&f, NULL, "what was read is not what was written");
	printf("  WRITE and READ of %u MiB, %u descriptors outside the IU: good, the same data\n",
	       mib, pages);
	flow_flush(&f);
	flow_drop(&f);
	ibv_dereg_mr(out_mr);
	ibv_dereg_mr(in_mr);
	ibv_dereg_mr(table_mr);
	free(out);
	free(in);
	free(table);
}

static void one_tmf(struct flow *f)
{
	struct slot *s = begin(f);

	cmd_tmf(f, s, 1, 0x1234567890ULL);
	if (finish(f, s))
		printf("  ABORT TASK of no task: response code %u\n", f->rsp.code);
}

static void logout(struct flow *f)
{
	struct slot *s;

	if (opt.lenient)
		return;
	s = begin(f);
	s->iu[0] = OP_I_LOGOUT;
	s->len = 16;
	s->flags = 0;
	flow_send(f, s);
	while (f->c)
		flow_pump(f, 100);
	printf("  SRP_I_LOGOUT: the channel was closed\n");
}

/* Everything once; the LUN's parameters are known afterwards. */
void good_io(void)
{
	static struct flow f;
	static struct stats st;

	flow_init(&f, "well-behaved", &st);
	flow_open(&f);
	printf("login: %d requests, IUs up to %u bytes, immediate data %s\n", f.c->limit,
	       f.c->max_it_iu, f.c->imm ? "yes" : "no");
	inquiry(&f);
	start_unit(&f);
	capacity(&f);
	printf("  LUN: %llu blocks of %u bytes\n", (unsigned long long)lun_blocks, lun_bs);
	write_read(&f, DIRECT, INDIRECT, opt.seed * 7 + 1);
	write_read(&f, INDIRECT, DIRECT, opt.seed * 7 + 2);
	/* The kernel's own target does not survive these. */
	if (!opt.lenient) {
		write_read(&f, TABLE, PARTIAL, opt.seed * 7 + 3);
		write_read(&f, PARTIAL, TABLE, opt.seed * 7 + 4);
	}
	write_read(&f, IMM, DIRECT, opt.seed * 7 + 5);
	one_tmf(&f);
	logout(&f);
	flow_drop(&f);
}

/* A new login and INQUIRY must work, whatever went before. */
void good_check(const char *after)
{
	static struct flow f;
	static struct stats st;

	flow_init(&f, after, &st);
	flow_open(&f);
	inquiry(&f);
	start_unit(&f);
	flow_flush(&f);
	flow_drop(&f);
}
