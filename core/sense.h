/* SPDX-License-Identifier: GPL-2.0 */
/* Sense data, SPC-4 4.5: fixed (70h) and descriptor (72h) format. Pure. */
#ifndef SKUA_SENSE_H
#define SKUA_SENSE_H

#include <linux/types.h>

/**
 * struct skua_sense_info - what sense data is to say
 * @key: sense key
 * @asc: additional sense code
 * @ascq: its qualifier
 * @info_valid: there is an INFORMATION field
 * @sks_valid: there is a field pointer
 * @in_cdb: it points into the CDB, else into the parameter list
 * @bit: at fault, -1 for none
 * @byte: at fault
 * @info: INFORMATION field
 */
struct skua_sense_info {
	u8 key, asc, ascq;
	bool info_valid, sks_valid, in_cdb;
	s8 bit;
	u16 byte;
	u64 info;
};

u8 skua_sense_build(u8 *buf, u32 size, bool descriptor, const struct skua_sense_info *info);

#endif
