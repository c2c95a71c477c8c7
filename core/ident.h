/* SPDX-License-Identifier: GPL-2.0 */
/* The number in generated identities. Pure: also built by tests/unit. */
#ifndef SKUA_IDENT_H
#define SKUA_IDENT_H

#include <linux/crc32c.h>
#include <linux/string.h>

/*
 * CRC-32C of the name with its NUL, initial value 0, not inverted at the end. The
 * same name yields the same identity as on SCST, so multipath maps survive a move.
 */
static inline u32 skua_ident_number(const char *name)
{
	return crc32c(0, name, strlen(name) + 1);
}

#endif
