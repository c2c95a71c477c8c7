// SPDX-License-Identifier: GPL-2.0
/* Taking iSER messages apart: every length is checked against what was received. */
#include "unit.h"

#include "../../transports/iser/wire.c"

#define AHS	20
#define DATA	512

/* A message of exactly the bytes that it needs, so that ASAN sees a look behind it */
static u8 *message(u8 ahs_words, u32 dsl, u32 len)
{
	u8 *buf = calloc(1, len ?: 1);
	struct iscsi_bhs bhs = { .opcode = ISCSI_SCSI_CMD, .ahs_words = ahs_words };

	iscsi_set_dsl(&bhs, dsl);
	if (len)
		buf[0] = ISER_CTRL | ISER_WSV;
	if (len >= ISER_HEADERS)
		memcpy(buf + ISER_HDR_LEN, &bhs, sizeof(bhs));
	return buf;
}

static bool parse(u8 ahs_words, u32 dsl, u32 len)
{
	u8 *buf = message(ahs_words, dsl, len);
	struct iser_pdu pdu;
	bool ret = iser_parse(buf, len, &pdu);

	if (ret)
		CHECK(pdu.data + pdu.len <= buf + len && pdu.ahs + ahs_words * 4 == pdu.data);
	free(buf);
	return ret;
}

TEST(sizes)
{
	CHECK(sizeof(struct iser_hdr) == ISER_HDR_LEN);
	CHECK(ISER_HEADERS == 76);
}

TEST(whole)
{
	struct iser_pdu pdu;
	u8 *buf = message(AHS / 4, DATA, ISER_HEADERS + AHS + DATA);

	CHECK(iser_parse(buf, ISER_HEADERS + AHS + DATA, &pdu));
	CHECK(pdu.len == DATA);
	CHECK((u8 *)pdu.hdr == buf && (u8 *)pdu.bhs == buf + ISER_HDR_LEN);
	CHECK(pdu.ahs == buf + ISER_HEADERS && pdu.data == pdu.ahs + AHS);
	free(buf);
}

TEST(short_ones)
{
	u32 len;

	for (len = 0; len < ISER_HEADERS; len++)
		CHECK(!parse(0, 0, len));
	CHECK(parse(0, 0, ISER_HEADERS));
	CHECK(!parse(1, 0, ISER_HEADERS + 3));
	CHECK(parse(1, 0, ISER_HEADERS + 4));
	CHECK(!parse(255, 0, ISER_HEADERS + 255 * 4 - 1));
	CHECK(parse(255, 0, ISER_HEADERS + 255 * 4));
	CHECK(!parse(0, 1, ISER_HEADERS));
	CHECK(!parse(0, 0xffffff, ISER_HEADERS + 100));
	CHECK(!parse(255, 0xffffff, ISER_HEADERS + 255 * 4));
	CHECK(!parse(5, DATA, ISER_HEADERS + AHS + DATA - 1));
}

/* With padding and without */
TEST(padding)
{
	CHECK(parse(0, 5, ISER_HEADERS + 5));
	CHECK(parse(0, 5, ISER_HEADERS + 8));
}

TEST(opcodes)
{
	struct iser_pdu pdu;
	u32 i;

	for (i = 0; i < 256; i++) {
		u8 *buf = message(0, 0, ISER_HEADERS);

		buf[0] = i;
		CHECK(iser_parse(buf, ISER_HEADERS, &pdu) == (i >> 4 == 1));
		free(buf);
	}
}
