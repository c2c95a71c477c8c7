// SPDX-License-Identifier: GPL-2.0
/* Generated identities: known answers from devices in use (core/ident.h). */
#include "unit.h"

#include "../../core/ident.h"

TEST(crc32c_itself)
{
	/* The check value of CRC-32C, with the inversions that the identity leaves out. */
	CHECK_EQ(crc32c(~0, "123456789", 9) ^ 0xffffffff, 0xe3069283);
}

TEST(numbers)
{
	CHECK_EQ(skua_ident_number("null0"), 0xc8054713);
	CHECK_EQ(skua_ident_number("blk0"), 0x192e8e20);
}
