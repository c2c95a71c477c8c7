// SPDX-License-Identifier: GPL-2.0
/* LUN formats on the wire, SAM-5 4.7: core/lunfmt.c. */
#include "unit.h"

#include "../../core/lunfmt.c"

static int decode(u64 wire)
{
	struct scsi_lun lun;
	int i;

	for (i = 0; i < 8; i++)
		lun.scsi_lun[i] = wire >> (56 - 8 * i);
	return skua_lun_decode(&lun);
}

static u64 encode(u16 lun, u8 method)
{
	struct scsi_lun out;
	u64 wire = 0;
	int i;

	memset(&out, 0xaa, sizeof(out));
	skua_lun_encode(lun, method, &out);
	for (i = 0; i < 8; i++)
		wire = wire << 8 | out.scsi_lun[i];
	return wire;
}

TEST(decode_peripheral)
{
	CHECK_EQ(decode(0), 0);
	CHECK_EQ(decode(0x0001000000000000), 1);
	CHECK_EQ(decode(0x00ff000000000000), 255);
	CHECK_EQ(decode(0x0100000000000000), 256);	/* as some initiators write it */
	CHECK_EQ(decode(0x3fff000000000000), 16383);
}

TEST(decode_flat)
{
	CHECK_EQ(decode(0x4000000000000000), 0);
	CHECK_EQ(decode(0x4005000000000000), 5);
	CHECK_EQ(decode(0x412c000000000000), 300);
	CHECK_EQ(decode(0x7fff000000000000), 16383);
}

TEST(decode_lun_method)
{
	CHECK_EQ(decode(0x8000000000000000), 0);
	CHECK_EQ(decode(0x8007000000000000), 7);
	CHECK_EQ(decode(0xbfff000000000000), 16383);
}

TEST(decode_extended)
{
	CHECK_EQ(decode(0xd200000500000000), 5);
	CHECK_EQ(decode(0xd2003fff00000000), 16383);
	CHECK_EQ(decode(0xd200400000000000), -1);	/* more than we have */
	CHECK_EQ(decode(0xd201000000000000), -1);
	CHECK_EQ(decode(0xc101000000000000), -1);	/* REPORT LUNS well known LU */
	CHECK_EQ(decode(0xe200000000000000), -1);
	CHECK_EQ(decode(0xffffffffffffffff), -1);
}

TEST(decode_deeper_levels)
{
	int bit;

	for (bit = 0; bit < 48; bit++) {
		CHECK_EQ(decode(0x0001000000000000 | 1ULL << bit), -1);
		CHECK_EQ(decode(0x4001000000000000 | 1ULL << bit), -1);
		CHECK_EQ(decode(0x8001000000000000 | 1ULL << bit), -1);
	}
	for (bit = 0; bit < 32; bit++)
		CHECK_EQ(decode(0xd200000100000000 | 1ULL << bit), -1);
}

TEST(encode)
{
	CHECK_EQ(encode(0, SKUA_ADDR_PERIPHERAL), 0);
	CHECK_EQ(encode(255, SKUA_ADDR_PERIPHERAL), 0x00ff000000000000);
	CHECK_EQ(encode(256, SKUA_ADDR_PERIPHERAL), 0x4100000000000000);
	CHECK_EQ(encode(0, SKUA_ADDR_FLAT), 0x4000000000000000);
	CHECK_EQ(encode(16383, SKUA_ADDR_FLAT), 0x7fff000000000000);
	CHECK_EQ(encode(0, SKUA_ADDR_LUN), 0x8000000000000000);
	CHECK_EQ(encode(300, SKUA_ADDR_LUN), 0x812c000000000000);
}

TEST(round_trip)
{
	u32 lun;
	u8 method;

	for (method = SKUA_ADDR_PERIPHERAL; method <= SKUA_ADDR_LUN; method++)
		for (lun = 0; lun <= 16383; lun++)
			CHECK_EQ(decode(encode(lun, method)), lun);
}
