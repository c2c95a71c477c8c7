// SPDX-License-Identifier: GPL-2.0
/* Checks of PDUs from the wire: RFC 7143 11.2, 11.3, 11.7. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pdu.h"

/**
 * iscsi_from_initiator() - does an initiator send this after login?
 * @opcode: byte 0 of the header
 */
bool iscsi_from_initiator(u8 opcode)
{
	switch (opcode & ISCSI_OPCODE_MASK) {
	case ISCSI_NOP_OUT:
	case ISCSI_SCSI_CMD:
	case ISCSI_TMF_REQ:
	case ISCSI_TEXT_REQ:
	case ISCSI_DATA_OUT:
	case ISCSI_LOGOUT_REQ:
	case ISCSI_SNACK_REQ:
		return true;
	default:
		return false;
	}
}

/**
 * iscsi_has_cmd_sn() - does the PDU take a CmdSN, unless it is immediate?
 * @opcode: byte 0 of the header
 */
bool iscsi_has_cmd_sn(u8 opcode)
{
	switch (opcode & ISCSI_OPCODE_MASK) {
	case ISCSI_NOP_OUT:
	case ISCSI_SCSI_CMD:
	case ISCSI_TMF_REQ:
	case ISCSI_TEXT_REQ:
	case ISCSI_LOGOUT_REQ:
		return true;
	default:
		return false;
	}
}

static void ahs_cdb(const struct iscsi_bhs *bhs, const u8 *more, u32 len,
		    struct iscsi_scsi_req *req)
{
	u32 total = sizeof(bhs->cdb) + len;

	if (total > ISCSI_CDB_MAX) {
		req->cdb_len = 255;
		return;
	}
	memcpy(req->cdb + sizeof(bhs->cdb), more, len);
	req->cdb_len = total;
}

/**
 * iscsi_parse_scsi() - the CDB of a SCSI Command
 * @bhs: header
 * @ahs: additional header segments, 4 * bhs->ahs_words bytes
 * @req: result
 *
 * Return: 0, or the reason of a Reject.
 */
u8 iscsi_parse_scsi(const struct iscsi_bhs *bhs, const u8 *ahs, struct iscsi_scsi_req *req)
{
	u32 left = bhs->ahs_words * 4;

	memset(req, 0, sizeof(*req));
	memcpy(req->cdb, bhs->cdb, sizeof(bhs->cdb));
	req->cdb_len = sizeof(bhs->cdb);
	while (left) {
		/* AHSLength counts what is behind type and length: 11.2.2.1 */
		u32 len = ahs[0] << 8 | ahs[1];
		u32 whole = (3 + len + 3) & ~3U;

		if (!len || whole > left)
			return ISCSI_REJECT_INVALID_FIELD;
		switch (ahs[2]) {
		case ISCSI_AHS_CDB:
			/* Behind one reserved byte; once */
			if (len < 2 || req->cdb_len != sizeof(bhs->cdb))
				return ISCSI_REJECT_INVALID_FIELD;
			ahs_cdb(bhs, ahs + 4, len - 1, req);
			break;
		case ISCSI_AHS_BIDI:
			if (len != 5 || req->bidi)
				return ISCSI_REJECT_INVALID_FIELD;
			req->bidi = true;
			break;
		default:
			return ISCSI_REJECT_INVALID_FIELD;
		}
		ahs += whole;
		left -= whole;
	}
	return 0;
}

/**
 * iscsi_check_scsi() - flags and immediate data of a SCSI Command
 * @bhs: header
 * @first_burst: FirstBurstLength
 * @immediate: ImmediateData
 * @initial_r2t: InitialR2T
 *
 * Return: 0, or the reason of a Reject.
 */
u8 iscsi_check_scsi(const struct iscsi_bhs *bhs, u32 first_burst, bool immediate,
		    bool initial_r2t)
{
	u32 len = iscsi_dsl(bhs), edtl = be32_to_cpu(bhs->edtl);
	bool write = bhs->flags & ISCSI_F_WRITE, final = bhs->flags & ISCSI_F_FINAL;

	if (len && (!write || !immediate || len > first_burst || len > edtl))
		return ISCSI_REJECT_PROTOCOL;
	/* Without F unsolicited Data-Out PDUs follow. */
	if (!final && (!write || initial_r2t || len >= min(first_burst, edtl)))
		return ISCSI_REJECT_PROTOCOL;
	return 0;
}

/**
 * iscsi_check_data_out() - does a Data-Out continue its sequence?
 * @bhs: header
 * @burst_start: offset of the sequence in the command's data
 * @burst_len: bytes that the sequence may have
 * @got: bytes of it that are there
 * @data_sn: DataSN that is due
 *
 * DataPDUInOrder=Yes is what this target insists on.
 *
 * Return: 0, or the reason of a Reject.
 */
u8 iscsi_check_data_out(const struct iscsi_bhs *bhs, u32 burst_start, u32 burst_len, u32 got,
			u32 data_sn)
{
	u32 len = iscsi_dsl(bhs);

	if (be32_to_cpu(bhs->data_sn) != data_sn || bhs->ahs_words)
		return ISCSI_REJECT_PROTOCOL;
	if (got > burst_len || len > burst_len - got)
		return ISCSI_REJECT_PROTOCOL;
	return be32_to_cpu(bhs->offset) == burst_start + got ? 0 : ISCSI_REJECT_PROTOCOL;
}
