// SPDX-License-Identifier: GPL-2.0
/*
 * SRP information units and logins: transports/srp/iu.c and login.c. Every IU lies
 * at the end of memory of its own, so that a byte read behind it is an error.
 */
#include "unit.h"

#include "../../transports/srp/iu.c"
#include "../../transports/srp/login.c"

#define CMD	48		/* bytes of an SRP_CMD without anything behind the CDB */
#define IMM	68

static u8 iu[9000];
static struct srpt_iu_cmd cmd;

static enum srpt_verdict parse(u32 len, u32 imm_off)
{
	u8 *copy = malloc(len ?: 1);
	enum srpt_verdict verdict;

	memcpy(copy, iu, len);
	memset(&cmd, 0xee, sizeof(cmd));
	verdict = srpt_iu_cmd(copy, len, imm_off, &cmd);
	free(copy);
	return verdict;
}

static void start(u8 fmt, u8 out, u8 in)
{
	memset(iu, 0, sizeof(iu));
	iu[0] = SRP_CMD;
	iu[5] = fmt;
	iu[6] = out;
	iu[7] = in;
}

static void desc(u32 at, u64 va, u32 key, u32 len)
{
	put_unaligned_be64(va, iu + at);
	put_unaligned_be32(key, iu + at + 8);
	put_unaligned_be32(len, iu + at + 12);
}

/* A table of @nr descriptors of 512 bytes at @at, all in the IU */
static void table(u32 at, u32 nr, u32 table_len, u32 total)
{
	u32 i;

	desc(at, 0x1122334455667788, 0x99aabbcc, table_len);
	put_unaligned_be32(total, iu + at + 16);
	for (i = 0; i < nr; i++)
		desc(at + 20 + 16 * i, 4096 * i, i, 512);
}

TEST(fixed_part)
{
	u8 tag[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	u32 len;

	start(0, 0, 0);
	memcpy(iu + 8, tag, 8);
	iu[29] = 0xfa;
	CHECK_EQ(parse(CMD, 0), SRPT_OK);
	CHECK_EQ(memcmp(&cmd.tag, tag, 8), 0);
	CHECK_EQ(cmd.cdb_len, 16);
	CHECK_EQ(cmd.task_attr, 2);
	CHECK_EQ(cmd.in.fmt + cmd.out.fmt, 0);
	CHECK_EQ(cmd.in.len + cmd.out.len, 0);
	for (len = 0; len < CMD; len++)
		CHECK_EQ(parse(len, 0), SRPT_BROKEN);
}

TEST(additional_cdb)
{
	u32 add, len;

	for (add = 0; add < 256; add++) {
		u32 bytes = add & ~3U;

		start(0, 0, 0);
		iu[31] = add;
		for (len = CMD; len < CMD + 260; len += 3) {
			enum srpt_verdict due = len < CMD + bytes ? SRPT_BROKEN : SRPT_OK;

			CHECK_EQ(parse(len, 0), due);
			if (due == SRPT_OK)
				CHECK_EQ(cmd.cdb_len, 16 + bytes);
		}
	}
}

TEST(direct)
{
	u32 len;

	start(0x01, 0, 1);
	desc(CMD, 0x123456789, 42, 0xffffffff);
	for (len = CMD; len < CMD + 16; len++)
		CHECK_EQ(parse(len, 0), SRPT_BAD_DATA);
	CHECK_EQ(parse(CMD + 16, 0), SRPT_OK);
	CHECK_EQ(cmd.in.fmt, SRP_DATA_DESC_DIRECT);
	CHECK_EQ(cmd.in.off, CMD);
	CHECK_EQ(cmd.in.nr, 1);
	CHECK_EQ(cmd.in.total, 1);
	CHECK_EQ(cmd.in.len, 0xffffffff);
	CHECK_EQ(cmd.out.fmt, 0);

	/* Behind an additional CDB; both directions, out first */
	start(0x11, 1, 1);
	iu[31] = 16;
	desc(CMD + 16, 0, 0, 100);
	desc(CMD + 32, 0, 0, 200);
	CHECK_EQ(parse(CMD + 47, 0), SRPT_BAD_DATA);
	CHECK_EQ(cmd.out.len, 0);
	CHECK_EQ(parse(CMD + 48, 0), SRPT_OK);
	CHECK_EQ(cmd.out.off, CMD + 16);
	CHECK_EQ(cmd.out.len, 100);
	CHECK_EQ(cmd.in.off, CMD + 32);
	CHECK_EQ(cmd.in.len, 200);
}

TEST(indirect)
{
	u32 len;

	start(0x20, 3, 0);
	table(CMD, 3, 48, 1536);
	for (len = CMD; len < CMD + 20 + 48; len++)
		CHECK_EQ(parse(len, 0), SRPT_BAD_DATA);
	CHECK_EQ(parse(len, 0), SRPT_OK);
	CHECK_EQ(cmd.out.fmt, SRP_DATA_DESC_INDIRECT);
	CHECK_EQ(cmd.out.off, CMD + 20);
	CHECK_EQ(cmd.out.nr, 3);
	CHECK_EQ(cmd.out.total, 3);
	CHECK_EQ(cmd.out.len, 1536);
	CHECK_EQ(cmd.out.table_va, 0x1122334455667788);
	CHECK_EQ(cmd.out.table_key, 0x99aabbcc);
}

/* The fault that other targets had: a count that only an earlier IU lived up to. */
TEST(short_iu_with_a_long_table)
{
	start(0x02, 0, 255);
	table(CMD, 255, 255 * 16, 255 * 512);
	CHECK_EQ(parse(CMD + 20 + 255 * 16, 0), SRPT_OK);
	CHECK_EQ(parse(68, 0), SRPT_BAD_DATA);
	CHECK_EQ(cmd.in.nr, 0);
	CHECK_EQ(parse(CMD + 20 + 255 * 16 - 1, 0), SRPT_BAD_DATA);
}

TEST(table_outside)
{
	start(0x02, 0, 0);
	table(CMD, 0, 4096, 4096);
	CHECK_EQ(parse(CMD + 20, 0), SRPT_OK);
	CHECK_EQ(cmd.in.nr, 0);
	CHECK_EQ(cmd.in.total, 256);
	iu[7] = 2;
	table(CMD, 2, 4096, 4096);
	CHECK_EQ(parse(CMD + 20 + 32, 0), SRPT_OK);
	CHECK_EQ(cmd.in.nr, 2);
	CHECK_EQ(cmd.in.total, 256);
}

TEST(table_lengths)
{
	static const u32 bad[] = { 1, 15, 17, 47, 49, 0xffffffff, 0xfffffff0, 0x80000000,
				   (SRPT_MAX_DESC + 1) * 16, 32, 0 };
	u32 i;

	start(0x02, 0, 3);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		table(CMD, 3, bad[i], 1536);
		CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_BAD_DATA);
	}
	table(CMD, 3, SRPT_MAX_DESC * 16, 1536);
	CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_OK);
	CHECK_EQ(cmd.in.total, SRPT_MAX_DESC);
}

TEST(table_sums)
{
	start(0x02, 0, 3);
	table(CMD, 3, 48, 1537);
	CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_BAD_DATA);
	table(CMD, 3, 48, 0xffffffff);
	CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_BAD_DATA);
	table(CMD, 3, 48, 0);
	CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_OK);
	/* A sum of 2^32 + 512 is no 512. */
	table(CMD, 3, 48, 0xfffffff0);
	desc(CMD + 20, 0, 0, 0x80000000);
	desc(CMD + 36, 0, 0, 0x80000000);
	CHECK_EQ(parse(CMD + 20 + 48, 0), SRPT_OK);
	CHECK(srpt_descs_cover(iu + CMD + 20, 3, 0xffffffff));
	CHECK(!srpt_descs_cover(iu + CMD + 20, 1, 0x80000001));
	CHECK(srpt_descs_cover(iu, 0, 0));
	CHECK(!srpt_descs_cover(iu, 0, 1));
}

TEST(both_indirect)
{
	start(0x22, 2, 1);
	table(CMD, 2, 32, 1024);
	table(CMD + 52, 1, 16, 512);
	CHECK_EQ(parse(CMD + 52 + 35, 0), SRPT_BAD_DATA);
	CHECK_EQ(parse(CMD + 52 + 36, 0), SRPT_OK);
	CHECK_EQ(cmd.out.off, CMD + 20);
	CHECK_EQ(cmd.in.off, CMD + 52 + 20);
}

TEST(immediate)
{
	u32 len;

	start(0x30, 0, 0);
	put_unaligned_be32(512, iu + CMD);
	CHECK_EQ(parse(IMM + 512, 0), SRPT_BAD_DATA);	/* not negotiated */
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_OK);
	CHECK_EQ(cmd.out.fmt, SRP_DATA_DESC_IMM);
	CHECK_EQ(cmd.out.off, IMM);
	CHECK_EQ(cmd.out.len, 512);
	for (len = CMD; len < IMM + 512; len++)
		CHECK_EQ(parse(len, IMM), SRPT_BAD_DATA);
	put_unaligned_be32(0, iu + CMD);
	CHECK_EQ(parse(IMM, IMM), SRPT_OK);
	CHECK_EQ(parse(IMM - 1, IMM), SRPT_BAD_DATA);
	/* The other way round there is no such thing. */
	start(0x03, 0, 0);
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_BAD_DATA);
}

TEST(immediate_wraps)
{
	static const u32 lens[] = { 0xfffffff0, 0xffffffff, -IMM, 1 - IMM, 0x80000000, 513 };
	u32 i;

	start(0x30, 0, 0);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		put_unaligned_be32(lens[i], iu + CMD);
		CHECK_EQ(parse(IMM + 512, IMM), SRPT_BAD_DATA);
	}
}

/* What comes before immediate data must not reach into it. */
TEST(immediate_behind_other_things)
{
	start(0x30, 0, 0);
	iu[31] = 16;
	put_unaligned_be32(512, iu + CMD + 16);
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_OK);
	iu[31] = 20;
	put_unaligned_be32(512, iu + CMD + 20);
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_BAD_DATA);
	start(0x31, 0, 1);
	put_unaligned_be32(512, iu + CMD);
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_OK);
	CHECK_EQ(cmd.in.off, CMD + 4);
	iu[31] = 4;
	put_unaligned_be32(512, iu + CMD + 4);
	CHECK_EQ(parse(IMM + 512, IMM), SRPT_BAD_DATA);
}

TEST(unknown_formats)
{
	u32 fmt;

	for (fmt = 0; fmt < 256; fmt++) {
		start(fmt, 0, 0);
		/* 0x32: a table's descriptor would reach into the immediate data */
		if (fmt >> 4 > 3 || (fmt & 15) > 2 || fmt == 0x32)
			CHECK_EQ(parse(1024, IMM), SRPT_BAD_DATA);
		else
			CHECK_EQ(parse(1024, IMM), SRPT_OK);
	}
}

TEST(task_management)
{
	struct srpt_iu_tmf tmf;
	u8 *copy;
	u32 len;

	start(0, 0, 0);
	iu[30] = 0x40;
	memset(iu + 32, 7, 8);
	for (len = 0; len <= CMD; len++) {
		copy = malloc(len ?: 1);
		memcpy(copy, iu, len);
		CHECK_EQ(srpt_iu_tmf(copy, len, &tmf), len < CMD ? SRPT_BROKEN : SRPT_OK);
		free(copy);
	}
	CHECK_EQ(tmf.function, 0x40);
	CHECK_EQ(tmf.task_tag, 0x0707070707070707);
}

/* ---- logins ------------------------------------------------------------ */

static const u8 guid[8] = { 0xaa, 1, 2, 3, 4, 5, 6, 0xbb };
static struct srpt_login login;

/* A proper one in the order of the RDMA/CM, or of the IB/CM */
static u32 make_login(u8 *p, bool rdma_cm, u32 iu_len, u8 flags, u16 imm_off)
{
	memset(p, 0, 64);
	if (rdma_cm) {
		memset(p, 0x11, 8);
		put_unaligned_be16(6, p + 8);
		p[10] = flags;
		put_unaligned_be32(iu_len, p + 12);
		memset(p + 16, 0x22, 16);
		memcpy(p + 32, guid, 8);
		memcpy(p + 40, guid, 8);
		put_unaligned_be16(imm_off, p + 48);
		return 56;
	}
	memset(p + 8, 0x11, 8);
	put_unaligned_be32(iu_len, p + 16);
	put_unaligned_be16(6, p + 24);
	p[26] = flags;
	put_unaligned_be16(imm_off, p + 28);
	memset(p + 32, 0x22, 16);
	memcpy(p + 48, guid, 8);
	memcpy(p + 56, guid, 8);
	return 64;
}

static u32 check_login(bool rdma_cm, u32 iu_len, u8 flags, u16 imm_off)
{
	u8 data[64];
	u32 len = make_login(data, rdma_cm, iu_len, flags, imm_off);

	CHECK(srpt_login_parse(data, len, rdma_cm, &login));
	return srpt_login_check(&login, 8276, guid);
}

TEST(logins)
{
	u8 port[16];
	int cm;

	memset(port, 0x22, 16);
	for (cm = 0; cm < 2; cm++) {
		CHECK_EQ(check_login(cm, 2116, 0, 0), 0);
		CHECK_EQ(login.tag, 0x1111111111111111);
		CHECK_EQ(login.iu_len, 2116);
		CHECK_EQ(login.buf_fmt, 6);
		CHECK_EQ(login.multi, 0);
		CHECK_EQ(login.imm_off, 0);
		CHECK_MEM(login.iport, port, 16);
		CHECK_EQ(check_login(cm, 8276, 0x81, 80), 0);
		CHECK_EQ(login.multi, 1);
		CHECK_EQ(login.imm_off, 80);
	}
}

TEST(login_lengths)
{
	static const u32 bad[] = { 0, 1, 63, 8277, 0x7fffffff, 0x80000000, 0xffffffff };
	u8 data[64], *copy;
	u32 i, len;
	int cm;

	for (cm = 0; cm < 2; cm++) {
		for (i = 0; i < ARRAY_SIZE(bad); i++)
			CHECK(check_login(cm, bad[i], 0x80, 68) != 0);
		CHECK_EQ(check_login(cm, 64, 0, 0), 0);
		len = make_login(data, cm, 2116, 0, 0);
		for (i = 0; i < len; i++) {
			copy = malloc(i ?: 1);
			memcpy(copy, data, i);
			CHECK(!srpt_login_parse(copy, i, cm, &login));
			free(copy);
		}
	}
	CHECK(!srpt_login_parse(NULL, 0, true, &login));
}

TEST(login_opcodes)
{
	u8 data[64];
	int op;

	for (op = 1; op < 256; op++) {
		make_login(data, true, 2116, 0, 0);
		data[11] = op;
		CHECK(!srpt_login_parse(data, 56, true, &login));
		make_login(data, false, 2116, 0, 0);
		data[0] = op;
		CHECK(!srpt_login_parse(data, 64, false, &login));
	}
}

TEST(login_immediate_offset)
{
	static const u16 none[] = { 0, 1, 47, 48, 51, 2116, 2117, 65535 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		CHECK_EQ(check_login(true, 2116, 0x80, none[i]), 0);
		CHECK_EQ(login.imm_off, 0);
	}
	CHECK_EQ(check_login(true, 2116, 0x80, 52), 0);
	CHECK_EQ(login.imm_off, 52);
	CHECK_EQ(check_login(true, 2116, 0, 52), 0);
	CHECK_EQ(login.imm_off, 0);
}

TEST(login_ports_and_formats)
{
	u8 data[64];
	int i;

	for (i = 0; i < 16; i++) {
		make_login(data, true, 2116, 0, 0);
		data[32 + i] ^= 1;
		CHECK(srpt_login_parse(data, 56, true, &login));
		CHECK_EQ(srpt_login_check(&login, 8276, guid),
			 SRP_LOGIN_REJ_UNABLE_ASSOCIATE_CHANNEL);
	}
	make_login(data, true, 2116, 0, 0);
	data[9] = 0x0e;
	CHECK(srpt_login_parse(data, 56, true, &login));
	CHECK_EQ(srpt_login_check(&login, 8276, guid), SRP_LOGIN_REJ_UNSUPPORTED_DESCRIPTOR_FMT);
}
