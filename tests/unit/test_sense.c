// SPDX-License-Identifier: GPL-2.0
/* Sense data, byte by byte as SPC-4 4.5 has it: core/sense.c. */
#include "unit.h"

#include "../../core/sense.c"

static u8 buf[96];

static u8 build(u32 size, bool descriptor, const struct skua_sense_info *info)
{
	memset(buf, 0xaa, sizeof(buf));
	return skua_sense_build(buf, size, descriptor, info);
}

TEST(fixed)
{
	static const struct skua_sense_info info = { .key = 6, .asc = 0x3f, .ascq = 0x0e };
	static const u8 want[18] = { 0x70, 0, 6, [7] = 10, [12] = 0x3f, 0x0e };

	CHECK_EQ(build(sizeof(buf), false, &info), 18);
	CHECK_MEM(buf, want, 18);
	CHECK_EQ(buf[18], 0xaa);
}

TEST(fixed_information)
{
	static const struct skua_sense_info info = {
		.key = 0xe, .asc = 0x1d, .info_valid = true, .info = 0x01020304,
	};
	static const u8 want[18] = { 0xf0, 0, 0xe, 1, 2, 3, 4, 10, [12] = 0x1d };

	build(sizeof(buf), false, &info);
	CHECK_MEM(buf, want, 18);
}

/* VALID must not be set over half a number. */
TEST(fixed_information_too_large)
{
	static const struct skua_sense_info info = {
		.key = 3, .asc = 0x11, .info_valid = true, .info = 0x100000000ULL,
	};
	static const u8 want[18] = { 0x70, 0, 3, [7] = 10, [12] = 0x11 };

	build(sizeof(buf), false, &info);
	CHECK_MEM(buf, want, 18);
}

TEST(fixed_field_pointer)
{
	struct skua_sense_info info = {
		.key = 5, .asc = 0x24, .sks_valid = true, .in_cdb = true, .byte = 0x0102, .bit = 3,
	};
	static const u8 in_cdb[18] = { 0x70, 0, 5, [7] = 10, [12] = 0x24, [15] = 0xcb, 1, 2 };
	static const u8 in_data[18] = { 0x70, 0, 5, [7] = 10, [12] = 0x26, [15] = 0x80, 1, 2 };

	build(sizeof(buf), false, &info);
	CHECK_MEM(buf, in_cdb, 18);
	info.asc = 0x26;
	info.in_cdb = false;
	info.bit = -1;
	build(sizeof(buf), false, &info);
	CHECK_MEM(buf, in_data, 18);
}

TEST(descriptor)
{
	static const struct skua_sense_info info = { .key = 2, .asc = 4, .ascq = 2 };
	static const u8 want[8] = { 0x72, 2, 4, 2 };

	CHECK_EQ(build(sizeof(buf), true, &info), 8);
	CHECK_MEM(buf, want, 8);
}

TEST(descriptor_information)
{
	static const struct skua_sense_info info = {
		.key = 0xe, .asc = 0x1d, .info_valid = true, .info = 0x0102030405060708ULL,
	};
	static const u8 want[20] = { 0x72, 0xe, 0x1d, 0, 0, 0, 0, 12,
				     0, 10, 0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	CHECK_EQ(build(sizeof(buf), true, &info), 20);
	CHECK_MEM(buf, want, 20);
}

TEST(descriptor_both)
{
	static const struct skua_sense_info info = {
		.key = 5, .asc = 0x24, .info_valid = true, .info = 9,
		.sks_valid = true, .in_cdb = true, .byte = 7, .bit = 0,
	};
	static const u8 want[28] = { 0x72, 5, 0x24, 0, 0, 0, 0, 20,
				     0, 10, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 9,
				     2, 6, 0, 0, 0xc8, 0, 7, 0 };

	CHECK_EQ(build(sizeof(buf), true, &info), 28);
	CHECK_MEM(buf, want, 28);
}

TEST(cut_to_size)
{
	static const struct skua_sense_info info = {
		.key = 5, .asc = 0x24, .info_valid = true, .sks_valid = true, .in_cdb = true,
	};
	u32 size;

	for (size = 0; size < 40; size++) {
		CHECK_EQ(build(size, false, &info), min_t(u32, size, 18));
		CHECK_EQ(buf[min_t(u32, size, 18)], 0xaa);
		CHECK_EQ(build(size, true, &info), min_t(u32, size, 28));
		CHECK_EQ(buf[min_t(u32, size, 28)], 0xaa);
	}
}
