/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading what initiators send in the full feature phase: header checks and the
 * additional header segments. Pure.
 */
#ifndef SKUA_ISCSI_PDU_H
#define SKUA_ISCSI_PDU_H

#include "proto.h"

#define ISCSI_CDB_MAX	32

/**
 * struct iscsi_scsi_req - a SCSI Command as it is asked for
 * @cdb: zero padded
 * @cdb_len: bytes; 255 if it is longer than ISCSI_CDB_MAX
 * @bidi: there is a read length of a bidirectional command
 */
struct iscsi_scsi_req {
	u8 cdb[ISCSI_CDB_MAX];
	u8 cdb_len;
	bool bidi;
};

bool iscsi_from_initiator(u8 opcode);
bool iscsi_has_cmd_sn(u8 opcode);
u8 iscsi_parse_scsi(const struct iscsi_bhs *bhs, const u8 *ahs, struct iscsi_scsi_req *req);
u8 iscsi_check_scsi(const struct iscsi_bhs *bhs, u32 first_burst, bool immediate,
		    bool initial_r2t);
u8 iscsi_check_data_out(const struct iscsi_bhs *bhs, u32 burst_start, u32 burst_len, u32 got,
			u32 data_sn);

#endif
