// SPDX-License-Identifier: GPL-2.0
/* Sense data. Pure code, built for user space too by tests/unit. */
#include <linux/string.h>

#include "sense.h"

#define SENSE_MAX	28	/* descriptor format with both descriptors */

/* Sense key specific bytes: a field pointer, SPC-4 4.5.2.4.2. */
static void skua_sense_pointer(u8 *sks, const struct skua_sense_info *info)
{
	sks[0] = 0x80;
	if (info->in_cdb)
		sks[0] |= 0x40;
	if (info->bit >= 0)
		sks[0] |= 0x08 | (info->bit & 7);
	put_unaligned_be16(info->byte, sks + 1);
}

static u8 skua_sense_fixed(u8 *d, const struct skua_sense_info *info)
{
	d[0] = 0x70;
	d[2] = info->key & 0x0f;
	d[7] = 10;
	d[12] = info->asc;
	d[13] = info->ascq;
	/* Information that does not fit into four bytes is not given (SPC-4 4.5.3). */
	if (info->info_valid && info->info <= 0xffffffffULL) {
		d[0] |= 0x80;
		put_unaligned_be32(info->info, d + 3);
	}
	if (info->sks_valid)
		skua_sense_pointer(d + 15, info);
	return 18;
}

static u8 skua_sense_descriptor(u8 *d, const struct skua_sense_info *info)
{
	u8 len = 8;

	d[0] = 0x72;
	d[1] = info->key & 0x0f;
	d[2] = info->asc;
	d[3] = info->ascq;
	if (info->info_valid) {		/* information descriptor */
		d[len + 1] = 10;
		d[len + 2] = 0x80;
		put_unaligned_be64(info->info, d + len + 4);
		len += 12;
	}
	if (info->sks_valid) {		/* sense key specific descriptor */
		d[len] = 2;
		d[len + 1] = 6;
		skua_sense_pointer(d + len + 4, info);
		len += 8;
	}
	d[7] = len - 8;
	return len;
}

/**
 * skua_sense_build() - current sense data
 * @buf: where to
 * @size: of @buf; the data is cut to it
 * @descriptor: descriptor format (72h, SPC-4 4.5.2), else fixed format (70h, 4.5.3)
 * @info: what to say
 *
 * Return: bytes written.
 */
u8 skua_sense_build(u8 *buf, u32 size, bool descriptor, const struct skua_sense_info *info)
{
	u8 data[SENSE_MAX] = {};
	u8 len;

	len = descriptor ? skua_sense_descriptor(data, info) : skua_sense_fixed(data, info);
	if (len > size)
		len = size;
	memcpy(buf, data, len);
	return len;
}
