// SPDX-License-Identifier: GPL-2.0
/*
 * LUN formats on the wire (SAM-5, 4.7). Pure.
 */
#include <linux/string.h>
#include <scsi/scsi.h>

#include "lunfmt.h"

#define METHOD_PERIPHERAL	0x00
#define METHOD_FLAT		0x40
#define METHOD_LUN		0x80
#define METHOD_MASK		0xc0
#define EXTENDED_FLAT		0xd2	/* extended flat space addressing, 3 bytes of LUN */

static bool all_zero(const u8 *bytes, unsigned int nr)
{
	while (nr--)
		if (*bytes++)
			return false;
	return true;
}

/**
 * skua_lun_decode() - which LUN does an initiator mean?
 * @lun: as on the wire
 *
 * A target has one level and one bus, so the 14 bits behind the addressing method
 * are the LUN in all three short methods: initiators that write a LUN above 255 as if
 * it were a peripheral device address are understood. Levels below the first must be
 * empty.
 *
 * Return: 0 to 16383, or -1 if no logical unit can have this address.
 */
int skua_lun_decode(const struct scsi_lun *lun)
{
	const u8 *b = lun->scsi_lun;

	switch (b[0] & METHOD_MASK) {
	case METHOD_PERIPHERAL:
	case METHOD_FLAT:
	case METHOD_LUN:
		if (!all_zero(b + 2, 6))
			return -1;
		return (b[0] & ~METHOD_MASK & 0xff) << 8 | b[1];
	}
	if (b[0] == EXTENDED_FLAT && !b[1] && b[2] <= 0x3f && all_zero(b + 4, 4))
		return b[2] << 8 | b[3];
	return -1;
}

/**
 * skua_lun_encode() - write a LUN for REPORT LUNS
 * @lun: 0 to 16383
 * @method: SKUA_ADDR_*; a LUN above 255 has no peripheral form and becomes flat
 * @out: filled in wholly
 */
void skua_lun_encode(u16 lun, u8 method, struct scsi_lun *out)
{
	u8 bits = METHOD_PERIPHERAL;

	if (method == SKUA_ADDR_LUN)
		bits = METHOD_LUN;
	else if (method == SKUA_ADDR_FLAT || lun > 255)
		bits = METHOD_FLAT;
	memset(out, 0, sizeof(*out));
	out->scsi_lun[0] = bits | (lun >> 8 & 0x3f);
	out->scsi_lun[1] = lun & 0xff;
}
