/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LUN formats on the wire (SAM-5, 4.7). Pure; also built for user space by tests/unit.
 */
#ifndef SKUA_LUNFMT_H
#define SKUA_LUNFMT_H

#include <linux/types.h>

struct scsi_lun;

/* How REPORT LUNS writes LUNs: a group's addr_method. */
enum { SKUA_ADDR_PERIPHERAL, SKUA_ADDR_FLAT, SKUA_ADDR_LUN };

int skua_lun_decode(const struct scsi_lun *lun);
void skua_lun_encode(u16 lun, u8 method, struct scsi_lun *out);

#endif
