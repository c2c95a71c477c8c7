// SPDX-License-Identifier: GPL-2.0
/* Text syntax, text requests and PDU checks of iSCSI. */
#include "unit.h"

#include "../../transports/iscsi/text.c"
#include "../../transports/iscsi/keys.c"
#include "../../transports/iscsi/textreq.c"
#include "../../transports/iscsi/pdu.c"

/* ---- values -------------------------------------------------------------- */

TEST(numbers)
{
	static const struct {
		const char *text;
		int ret;
		u32 number;
	} cases[] = {
		{ "0", 0, 0 }, { "007", 0, 7 }, { "4294967295", 0, U32_MAX },
		{ "4294967296", -ERANGE }, { "99999999999999999999999", -ERANGE },
		{ "0x0", 0, 0 }, { "0XfF", 0, 255 }, { "0xffffffff", 0, U32_MAX },
		{ "0x100000000", -ERANGE }, { "", -EINVAL }, { "0x", -EINVAL }, { "-1", -EINVAL },
		{ "+1", -EINVAL }, { " 1", -EINVAL }, { "1 ", -EINVAL }, { "1a", -EINVAL },
		{ "0xg", -EINVAL }, { "1,2", -EINVAL }, { "x1", -EINVAL },
	};
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		n = 0;
		if (iscsi_parse_number(cases[i].text, &n) != cases[i].ret || n != cases[i].number)
			unit_fail(__FILE__, __LINE__, "\"%s\": %u", cases[i].text, n);
	}
}

static void binary(const char *text, const char *want, int len)
{
	u8 bytes[8];
	int got = iscsi_parse_binary(text, bytes, sizeof(bytes));

	if (got != len || (len > 0 && memcmp(bytes, want, len)))
		unit_fail(__FILE__, __LINE__, "\"%s\": %d", text, got);
}

TEST(binaries)
{
	binary("0x00", "\0", 1);
	binary("0x1", "\x01", 1);
	binary("0x123", "\x01\x23", 2);
	binary("0xDEADbeef", "\xde\xad\xbe\xef", 4);
	binary("0x0102030405060708", "\1\2\3\4\5\6\7\10", 8);
	binary("0x010203040506070809", NULL, -EINVAL);
	binary("0x10203040506070809", NULL, -EINVAL);
	binary("0x", NULL, -EINVAL);
	binary("0x0g", NULL, -EINVAL);
	binary("12", NULL, -EINVAL);
	binary("", NULL, -EINVAL);
	binary("0", NULL, -EINVAL);
	/* RFC 4648's own */
	binary("0bZg==", "f", 1);
	binary("0bZm8=", "fo", 2);
	binary("0BZm9v", "foo", 3);
	binary("0bZm9vYg==", "foob", 4);
	binary("0bZm9vYmE=", "fooba", 5);
	binary("0bZm9vYmFy", "foobar", 6);
	binary("0b+/+/", "\xfb\xff\xbf", 3);
	binary("0bZh==", NULL, -EINVAL);	/* bits that say nothing are set */
	binary("0bZm9=", NULL, -EINVAL);
	binary("0bZg=", NULL, -EINVAL);
	binary("0bZg", NULL, -EINVAL);
	binary("0bZ===", NULL, -EINVAL);
	binary("0b====", NULL, -EINVAL);
	binary("0bZ=g=", NULL, -EINVAL);
	binary("0bZg==Zg==", NULL, -EINVAL);
	binary("0bZm9vYmFyZm9v", NULL, -EINVAL);	/* nine bytes */
	binary("0b", NULL, -EINVAL);
}

TEST(writing)
{
	char buf[12];
	struct iscsi_text text = { .buf = buf, .size = sizeof(buf) };

	iscsi_text_add(&text, "a", "bc");
	CHECK_EQ(text.len, 5);
	iscsi_text_add_u32(&text, "n", 1000);
	CHECK_EQ(text.len, 12);
	CHECK_MEM(buf, "a=bc\0n=1000", 12);
	CHECK(!text.full);
	iscsi_text_add(&text, "", "");
	CHECK(text.full);
	CHECK_EQ(text.len, 12);
	text.len = 0;
	text.full = false;
	iscsi_text_add_hex(&text, "x", (const u8 *)"\x0a\xf0\x01", 3);
	CHECK_MEM(buf, "x=0x0af001", 11);
	iscsi_text_add_u32(&text, "n", 0);
	CHECK(text.full);
	text.len = 0;
	text.full = false;
	iscsi_text_add_u32(&text, "", U32_MAX);
	CHECK_STR(buf, "=4294967295");
}

/* ---- text requests --------------------------------------------------------- */

static struct iscsi_exchange x;
static struct iscsi_nego nego;
static struct iscsi_bhs req, rsp;
static char out_buf[20000], text[20000];
static const char *asked, *rsp_text;
static u32 rsp_len, nr_targets;

static int env_targets(void *arg, const char *which, struct iscsi_text *out)
{
	u32 i;

	asked = which;
	for (i = 0; i < nr_targets; i++) {
		char name[40];

		sprintf(name, "iqn.2020-01.org.example:%u", i);
		iscsi_text_add(out, "TargetName", name);
		iscsi_text_add(out, "TargetAddress", "192.0.2.1:3260,1");
	}
	return nr_targets > 100000 ? -ENOMEM : 0;
}

static const struct iscsi_exchange_env env = { .targets = env_targets };

static void begin(bool discovery)
{
	iscsi_nego_init(&nego, false);
	nego.discovery = discovery;
	iscsi_exchange_init(&x, &nego, &env, NULL, out_buf, sizeof(out_buf));
	memset(&req, 0, sizeof(req));
	req.opcode = ISCSI_TEXT_REQ;
	req.itt = cpu_to_be32(5);
	req.ttt = cpu_to_be32(ISCSI_NO_TAG);
	nr_targets = 1;
	asked = "nothing";
}

static u8 send_bytes(u8 flags, const void *data, u32 len, u32 most)
{
	u8 *copy = malloc(len), reason;
	const void *got = NULL;

	memcpy(copy, data, len);
	req.flags = flags;
	iscsi_set_dsl(&req, len);
	reason = iscsi_exchange_step(&x, &req, copy, len, most, &rsp, &got);
	free(copy);
	rsp_text = got;
	rsp_len = reason ? 0 : iscsi_dsl(&rsp);
	if (!reason) {
		CHECK_EQ(rsp.opcode, ISCSI_TEXT_RSP);
		CHECK_EQ(rsp.itt, req.itt);
		CHECK_EQ(!!(rsp.flags & ISCSI_F_FINAL), be32_to_cpu(rsp.ttt) == ISCSI_NO_TAG);
	}
	return reason;
}

#define SEND(flags, s) send_bytes(flags, s, sizeof(s), 8192)

TEST(send_targets)
{
	begin(true);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	CHECK_STR(asked, NULL);
	CHECK_EQ(rsp.flags, ISCSI_F_FINAL);
	CHECK_MEM(rsp_text, "TargetName=iqn.2020-01.org.example:0\0TargetAddress=192.0.2.1:3260,1", 68);
	CHECK_EQ(rsp_len, 68);
	begin(true);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=iqn.a"), 0);
	CHECK_STR(asked, "iqn.a");
	begin(true);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets="), 0);
	CHECK_STR(rsp_text, "SendTargets=Reject");
	begin(false);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	CHECK_STR(rsp_text, "SendTargets=Reject");
	CHECK_STR(asked, "nothing");
	begin(false);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets="), 0);
	CHECK_STR(asked, "");
}

TEST(other_keys)
{
	begin(false);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "MaxRecvDataSegmentLength=4096"), 0);
	CHECK_EQ(nego.value[ISCSI_MAX_RECV_DSL], 4096);
	CHECK_EQ(rsp_len, 0);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "MaxRecvDataSegmentLength=8192"), 0);	/* again is right here */
	CHECK_EQ(nego.value[ISCSI_MAX_RECV_DSL], 8192);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "MaxBurstLength=8192"), 0);
	CHECK_STR(rsp_text, "MaxBurstLength=Reject");
	CHECK_EQ(nego.value[ISCSI_MAX_BURST], 262144);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "X-a=b"), 0);
	CHECK_STR(rsp_text, "X-a=NotUnderstood");
	CHECK_EQ(SEND(ISCSI_F_FINAL, "nonsense"), ISCSI_REJECT_INVALID_FIELD);
	CHECK_EQ(SEND(ISCSI_F_FINAL | ISCSI_F_CONTINUE, "X-a=b"), ISCSI_REJECT_INVALID_FIELD);
}

TEST(long_answer)
{
	u32 all = 0, i;
	char *p;

	begin(true);
	nr_targets = 200;
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	for (i = 0; rsp.flags & ISCSI_F_CONTINUE && i < 100; i++) {
		CHECK_EQ(rsp_len, i ? 1000 : 8192);
		memcpy(text + all, rsp_text, rsp_len);
		all += rsp_len;
		req.ttt = rsp.ttt;
		CHECK_EQ(send_bytes(ISCSI_F_FINAL, "", 0, 1000), 0);
	}
	CHECK_EQ(rsp.flags, ISCSI_F_FINAL);
	memcpy(text + all, rsp_text, rsp_len);
	all += rsp_len;
	for (i = 0, p = text; p < text + all; p += strlen(p) + 1)
		i++;
	CHECK_EQ(i, 400);
	nr_targets = 1000;
	req.ttt = cpu_to_be32(ISCSI_NO_TAG);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), ISCSI_REJECT_RESOURCES);
	nr_targets = 1;
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
}

TEST(tags)
{
	begin(true);
	nr_targets = 200;
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	req.ttt = cpu_to_be32(be32_to_cpu(rsp.ttt) + 1);
	CHECK_EQ(send_bytes(ISCSI_F_FINAL, "", 0, 8192), ISCSI_REJECT_PROTOCOL);
	begin(true);
	nr_targets = 200;
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	req.ttt = rsp.ttt;
	req.itt = cpu_to_be32(6);
	CHECK_EQ(send_bytes(ISCSI_F_FINAL, "", 0, 8192), ISCSI_REJECT_PROTOCOL);
	begin(true);				/* what is over has no tag */
	CHECK_EQ(SEND(ISCSI_F_FINAL, "X-a=b"), 0);
	req.ttt = cpu_to_be32(0);
	CHECK_EQ(send_bytes(ISCSI_F_FINAL, "", 0, 8192), ISCSI_REJECT_PROTOCOL);
}

TEST(long_request)
{
	u32 i;

	begin(true);
	CHECK_EQ(send_bytes(ISCSI_F_CONTINUE, "SendTa", 6, 8192), 0);
	CHECK_EQ(rsp.flags, 0);
	CHECK_EQ(rsp_len, 0);
	req.ttt = rsp.ttt;
	CHECK_EQ(send_bytes(ISCSI_F_FINAL, "rgets=All", 10, 8192), 0);
	CHECK_STR(asked, NULL);
	begin(true);				/* begun anew, the first half is forgotten */
	CHECK_EQ(send_bytes(ISCSI_F_CONTINUE, "X-", 2, 8192), 0);
	CHECK_EQ(SEND(ISCSI_F_FINAL, "SendTargets=All"), 0);
	CHECK_STR(asked, NULL);
	begin(true);
	memset(text, 'a', 8192);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(send_bytes(ISCSI_F_CONTINUE, text, 8192, 8192), 0);
		req.ttt = rsp.ttt;
	}
	CHECK_EQ(send_bytes(ISCSI_F_CONTINUE, text, 1, 8192), ISCSI_REJECT_RESOURCES);
}

/* ---- PDUs ------------------------------------------------------------------ */

static u8 ahs_of(const void *ahs, u32 len, struct iscsi_scsi_req *scsi)
{
	struct iscsi_bhs bhs = { .ahs_words = len / 4 };
	u8 *copy = malloc(len), reason;

	memset(bhs.cdb, 0x7f, sizeof(bhs.cdb));
	memcpy(copy, ahs, len);
	reason = iscsi_parse_scsi(&bhs, copy, scsi);
	free(copy);
	return reason;
}

TEST(ahs)
{
	struct iscsi_scsi_req scsi;
	u8 ahs[256] = {};
	u32 i;

	CHECK_EQ(ahs_of(ahs, 0, &scsi), 0);
	CHECK_EQ(scsi.cdb_len, 16);
	/* 16 more bytes of CDB: AHSLength 17, 20 bytes in all */
	memset(ahs + 4, 0xee, 16);
	ahs[1] = 17;
	ahs[2] = ISCSI_AHS_CDB;
	CHECK_EQ(ahs_of(ahs, 20, &scsi), 0);
	CHECK_EQ(scsi.cdb_len, 32);
	CHECK_EQ(scsi.cdb[15], 0x7f);
	CHECK_EQ(scsi.cdb[16], 0xee);
	CHECK_EQ(scsi.cdb[31], 0xee);
	for (i = 4; i < 20; i += 4)
		CHECK_EQ(ahs_of(ahs, i, &scsi), ISCSI_REJECT_INVALID_FIELD);
	ahs[1] = 16;
	CHECK_EQ(ahs_of(ahs, 20, &scsi), 0);
	CHECK_EQ(scsi.cdb_len, 31);
	CHECK_EQ(scsi.cdb[31], 0);
	ahs[1] = 18;				/* 33 bytes: not served, but no error of the PDU */
	CHECK_EQ(ahs_of(ahs, 24, &scsi), 0);
	CHECK_EQ(scsi.cdb_len, 255);
	ahs[1] = 1;				/* nothing behind the reserved byte */
	CHECK_EQ(ahs_of(ahs, 4, &scsi), ISCSI_REJECT_INVALID_FIELD);
	ahs[1] = 0;
	CHECK_EQ(ahs_of(ahs, 4, &scsi), ISCSI_REJECT_INVALID_FIELD);
	ahs[0] = 0xff;
	ahs[1] = 0xff;
	CHECK_EQ(ahs_of(ahs, 24, &scsi), ISCSI_REJECT_INVALID_FIELD);
	memset(ahs, 0, sizeof(ahs));
	ahs[1] = 5;
	ahs[2] = ISCSI_AHS_BIDI;
	CHECK_EQ(ahs_of(ahs, 8, &scsi), 0);
	CHECK(scsi.bidi);
	memcpy(ahs + 8, ahs, 8);
	CHECK_EQ(ahs_of(ahs, 16, &scsi), ISCSI_REJECT_INVALID_FIELD);
	ahs[2] = 3;
	CHECK_EQ(ahs_of(ahs, 8, &scsi), ISCSI_REJECT_INVALID_FIELD);
}

static u8 scsi(u8 flags, u32 edtl, u32 dsl, u32 first, bool imm, bool r2t)
{
	struct iscsi_bhs bhs = { .flags = flags, .edtl = cpu_to_be32(edtl) };

	iscsi_set_dsl(&bhs, dsl);
	return iscsi_check_scsi(&bhs, first, imm, r2t);
}

TEST(scsi_flags)
{
	const u8 f = ISCSI_F_FINAL, w = ISCSI_F_WRITE, r = ISCSI_F_READ;

	CHECK_EQ(scsi(f, 0, 0, 65536, true, true), 0);
	CHECK_EQ(scsi(f | r, 4096, 0, 65536, true, true), 0);
	CHECK_EQ(scsi(f | w, 4096, 4096, 65536, true, true), 0);
	CHECK_EQ(scsi(f | w, 4096, 512, 65536, true, true), 0);
	CHECK_EQ(scsi(f | w, 4096, 512, 65536, false, true), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(f | w, 4096, 4097, 65536, true, true), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(f | w, 131072, 65537, 65536, true, true), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(f | r, 4096, 4, 65536, true, true), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(w, 131072, 0, 65536, true, false), 0);
	CHECK_EQ(scsi(w, 131072, 512, 65536, true, false), 0);
	CHECK_EQ(scsi(w, 131072, 65536, 65536, true, false), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(w, 512, 512, 65536, true, false), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(w, 131072, 0, 65536, true, true), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(scsi(r, 4096, 0, 65536, true, false), ISCSI_REJECT_PROTOCOL);
}

static u8 data_out(u32 offset, u32 len, u32 sn)
{
	struct iscsi_bhs bhs = { .offset = cpu_to_be32(offset), .data_sn = cpu_to_be32(sn) };

	iscsi_set_dsl(&bhs, len);
	return iscsi_check_data_out(&bhs, 8192, 4096, 1024, 2);
}

TEST(data_out_sequence)
{
	CHECK_EQ(data_out(9216, 3072, 2), 0);
	CHECK_EQ(data_out(9216, 0, 2), 0);
	CHECK_EQ(data_out(9216, 3073, 2), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(data_out(9216, 0xffffff, 2), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(data_out(9215, 512, 2), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(data_out(0, 512, 2), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(data_out(0xfffffc00, 1024, 2), ISCSI_REJECT_PROTOCOL);
	CHECK_EQ(data_out(9216, 512, 1), ISCSI_REJECT_PROTOCOL);
}

TEST(serial_numbers)
{
	CHECK(iscsi_sn_before(1, 2));
	CHECK(!iscsi_sn_before(2, 2));
	CHECK(!iscsi_sn_before(3, 2));
	CHECK(iscsi_sn_before(0xffffffff, 0));
	CHECK(!iscsi_sn_before(0, 0xffffffff));
	CHECK_EQ(iscsi_pad(0), 0);
	CHECK_EQ(iscsi_pad(1), 3);
	CHECK_EQ(iscsi_pad(3), 1);
	CHECK_EQ(iscsi_pad(0xffffff), 1);
}
