/* SPDX-License-Identifier: GPL-2.0 */
/* Sense data, SPC-4 4.5: fixed (70h) and descriptor (72h) format. Pure. */
#ifndef SKUA_SENSE_H
#define SKUA_SENSE_H

#include <linux/types.h>

/**
 * struct skua_sense_info - what sense data is to say
 * @key, @asc, @ascq: sense key and additional codes
 * @info: INFORMATION field, if @info_valid
 * @sks_valid: field pointer follows: @in_cdb, @byte, @bit (-1: none)
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
