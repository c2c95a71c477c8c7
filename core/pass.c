// SPDX-License-Identifier: GPL-2.0
/*
 * Logical units of a pass-through backend: the device answers nearly all commands by
 * itself. The core keeps what makes it a target: its own LUNs, reservations between
 * initiators, write protection of a LUN, unit attentions for every initiator, and the
 * few bits of the device's answers that would speak of something else than this target.
 *
 * The gate asks skua_gate_pass() instead of decoding. It replaces the command's row of
 * the CDB table by one of skua_pass_ops[], with which buffers, data phase and execution
 * go the usual way, up to skua_exec_pass().
 */
#include <linux/log2.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <scsi/scsi_common.h>
#include <scsi/scsi_proto.h>

#include "exec.h"

#define PASS_MAX_PARAM	(64U << 10)	/* parameter data, whatever the allocation length */
#define PASS_MAX_EDIT	(16U << 10)	/* data that is looked through, at most */

/* What a command turns into. */
enum { PASS_NONE, PASS_IN, PASS_BLOCKS_IN, PASS_OUT };

static const struct skua_cdb_op skua_pass_ops[] = {
	[PASS_NONE] = { .id = SKUA_OP_PASS, .flags = SKUA_F_SLEEP },
	[PASS_IN] = { .id = SKUA_OP_PASS, .flags = SKUA_F_SLEEP | SKUA_F_IN },
	[PASS_BLOCKS_IN] = { .id = SKUA_OP_PASS, .flags = SKUA_F_SLEEP | SKUA_F_IN | SKUA_F_RW },
	[PASS_OUT] = { .id = SKUA_OP_PASS, .flags = SKUA_F_SLEEP | SKUA_F_OUT },
};

/* Commands that the table does not have, by whether they may change the medium. */
static const struct skua_cdb_op skua_pass_reader = {
	.sa = -1, .pr = SKUA_PR_READ, .alua = SKUA_ALUA_ACTIVE,
};

static const struct skua_cdb_op skua_pass_writer = {
	.sa = -1, .flags = SKUA_F_MODIFY, .pr = SKUA_PR_WRITE, .alua = SKUA_ALUA_ACTIVE,
};

/*
 * What is about initiators, ports and other logical units never gets to the device: to
 * it this host is the only initiator, and its ports and LUNs are not this target's. The
 * core serves or refuses these as it does everywhere.
 */
static bool pass_ours(const u8 *cdb)
{
	switch (cdb[0]) {
	case REPORT_LUNS:
	case 0x16:			/* RESERVE (6) */
	case 0x17:			/* RELEASE (6) */
	case 0x56:			/* RESERVE (10) */
	case 0x57:			/* RELEASE (10) */
	case PERSISTENT_RESERVE_IN:
	case PERSISTENT_RESERVE_OUT:
	case EXTENDED_COPY:		/* reads and writes other logical units */
	case RECEIVE_COPY_RESULTS:
	case ACCESS_CONTROL_IN:
	case ACCESS_CONTROL_OUT:
		return true;
	case MAINTENANCE_IN:
		return (cdb[1] & 0x1f) == MI_REPORT_TARGET_PGS ||
		       (cdb[1] & 0x1f) == MI_REPORT_ALIASES ||
		       (cdb[1] & 0x1f) == MI_REPORT_SUPPORTED_TASK_MANAGEMENT_FUNCTIONS;
	case MAINTENANCE_OUT:
		return (cdb[1] & 0x1f) == MO_SET_TARGET_PGS ||
		       (cdb[1] & 0x1f) == MO_CHANGE_ALIASES;
	}
	return false;
}

/**
 * skua_pass_takes() - does a command go to the pass-through device?
 * @cmd: with a nexus of one
 */
bool skua_pass_takes(const struct skua_cmd *cmd)
{
	if (pass_ours(cmd->cdb))
		return false;
	/* A pending unit attention is the answer. */
	return cmd->cdb[0] != REQUEST_SENSE || !READ_ONCE(cmd->nexus->nr_ua);
}

/* Commands without a row that cannot change the medium. */
static bool pass_only_reads(const u8 *cdb)
{
	switch (cdb[0]) {
	case READ_DEFECT_DATA:
	case 0xb7:			/* READ DEFECT DATA (12) */
	case READ_BUFFER:
	case READ_LONG:
	case LOG_SENSE:
	case RECEIVE_DIAGNOSTIC:
	case PRE_FETCH:
	case 0x90:			/* PRE-FETCH (16) */
	case MAINTENANCE_IN:
	case SERVICE_ACTION_IN_16:
	case SECURITY_PROTOCOL_IN:
	case 0x95:			/* ZBC IN */
		return true;
	}
	return false;
}

/* ---- the gate --------------------------------------------------------- */

static bool pass_refuse(struct skua_cmd *cmd)
{
	skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x24, 0x00);
	return false;
}

/*
 * The data that the device is going to move, where the table knows the command and
 * nothing in the CDB is foreign to it. False: it has to be as the initiator says.
 */
static bool pass_known_length(struct skua_cmd *cmd, const struct skua_cdb_op *row, u64 *len)
{
	struct skua_cdb_fault fault = { .bit = -1 };
	u8 shift = READ_ONCE(cmd->nexus->dev->block_shift);
	struct skua_cdb_req req = {};

	if (!row->len || skua_cdb_check(row, cmd->cdb, cmd->cdb_len, &fault) != SKUA_CDB_OK)
		return false;
	if (row->flags & SKUA_F_MEDIA && row->flags & (SKUA_F_IN | SKUA_F_OUT) && !shift &&
	    !(row->flags & SKUA_F_LINEAR))
		return false;
	if (skua_cdb_decode(row, cmd->cdb, shift, U64_MAX, &req, &fault) != SKUA_CDB_OK)
		return false;
	*len = row->flags & (SKUA_F_IN | SKUA_F_OUT) ? req.data_len : 0;
	return true;
}

/* Is the answer edited, so that all of it is wanted? */
static bool pass_wants_all(const u8 *cdb)
{
	return (cdb[0] == INQUIRY && cdb[1] & 0x01 && cdb[2] == 0x83) ||
	       (cdb[0] == MAINTENANCE_IN &&
		(cdb[1] & 0x1f) == MI_REPORT_SUPPORTED_OPERATION_CODES);
}

/* Which way how much data goes; a command of the table has to agree with its CDB. */
static bool pass_data(struct skua_cmd *cmd, const struct skua_cdb_op *row, u8 *dir, u64 *len)
{
	u16 way = row->flags & (SKUA_F_IN | SKUA_F_OUT);

	*dir = cmd->edtl ? cmd->edtl_dir : SKUA_DIR_NONE;
	*len = cmd->edtl;
	cmd->data_len = cmd->edtl;
	if (row->len && *dir != SKUA_DIR_NONE &&
	    *dir == (way == SKUA_F_IN ? SKUA_DIR_WRITE : SKUA_DIR_READ) && way)
		return pass_refuse(cmd);
	if (!pass_known_length(cmd, row, len))
		return true;
	cmd->data_len = min_t(u64, *len, U32_MAX);
	if (!*len) {
		*dir = SKUA_DIR_NONE;
		return true;
	}
	*dir = way == SKUA_F_IN ? SKUA_DIR_READ : SKUA_DIR_WRITE;
	if (*dir == SKUA_DIR_WRITE && cmd->edtl < *len)
		return pass_refuse(cmd);	/* the device would wait for the rest */
	if (*dir == SKUA_DIR_READ && row->flags & SKUA_F_LINEAR)
		*len = min_t(u64, *len, max(cmd->edtl, PASS_MAX_PARAM));
	if (pass_wants_all(cmd->cdb))
		*len = max_t(u64, *len, PASS_MAX_EDIT);
	return true;
}

static bool pass_cdb_complete(const struct skua_cmd *cmd)
{
	if (cmd->cdb_len < 6 || cmd->cdb_len > SKUA_MAX_CDB)
		return false;
	if (cmd->cdb[0] >= 0xc0)	/* of the vendor's length, too */
		return true;
	return (cmd->cdb[0] != SKUA_OPCODE_VARLEN || cmd->cdb_len >= 8) &&
	       scsi_command_size(cmd->cdb) <= cmd->cdb_len;
}

/**
 * skua_gate_pass() - the gate of a pass-through device, behind unit attentions
 * @cmd: a command that skua_pass_takes()
 *
 * Return: false after the command was ended.
 */
bool skua_gate_pass(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	const struct skua_cdb_op *row = cmd->op;
	u32 max = READ_ONCE(dev->limits.max_xfer);
	u64 len;
	u8 dir;

	if (cmd->edtl_dir == SKUA_DIR_BIDI || !pass_cdb_complete(cmd))
		return pass_refuse(cmd);
	if (!row)
		row = pass_only_reads(cmd->cdb) ? &skua_pass_reader : &skua_pass_writer;
	cmd->op = row;
	if (!skua_gate_state(cmd) || !pass_data(cmd, row, &dir, &len))
		return false;
	/* No command can be cut in two without knowing what it does. */
	if (len > (max ?: SKUA_MAX_XFER))
		return pass_refuse(cmd);

	cmd->op = &skua_pass_ops[dir == SKUA_DIR_NONE ? PASS_NONE :
				 dir == SKUA_DIR_WRITE ? PASS_OUT :
				 row->flags & SKUA_F_RW ? PASS_BLOCKS_IN : PASS_IN];
	cmd->io.dev = dev;
	cmd->io.op = dir == SKUA_DIR_WRITE ? SKUA_IO_WRITE : SKUA_IO_READ;
	cmd->io.len = len;
	cmd->xfer_len = len;
	cmd->data_dir = len ? dir : SKUA_DIR_NONE;
	cmd->residual = (s64)cmd->edtl - cmd->data_len;
	return true;
}

/* ---- execution -------------------------------------------------------- */

/**
 * skua_exec_pass() - give a command to its device
 * @cmd: with its data, or the room for it
 *
 * Context: process.
 */
void skua_exec_pass(struct skua_cmd *cmd)
{
	/* How much of a parameter list comes is the device's word only. */
	if (cmd->op == &skua_pass_ops[PASS_IN])
		sg_zero_buffer(cmd->io.sg, cmd->io.nr_sg, cmd->io.len, 0);
	/* The initiator's allocation length is in data_len. */
	if (pass_wants_all(cmd->cdb) && cmd->cdb[0] == INQUIRY)
		put_unaligned_be16(cmd->io.len, cmd->cdb + 3);
	else if (pass_wants_all(cmd->cdb))
		put_unaligned_be32(cmd->io.len, cmd->cdb + 6);
	cmd->nexus->dev->be->exec_cdb(cmd);
}

/* ---- the device's answers --------------------------------------------- */

/* Standard data: features of ports, of third-party copies and of ACA are not passed on. */
static u32 pass_edit_inquiry(u8 *d, u32 len)
{
	if (len > 3)
		d[3] &= ~0x20;		/* NORMACA */
	if (len > 5)
		d[5] &= ~0x78;		/* ACC, TPGS, 3PC */
	if (len > 6)
		d[6] |= 0x10;		/* MULTIP */
	return len;
}

/* Device identification: the logical unit's designators, not those of its own port. */
static u32 pass_edit_vpd83(u8 *d, u32 len)
{
	u32 from = 4, to = 4, end, n;

	if (len < 4)
		return len;
	end = min(len, get_unaligned_be16(d + 2) + 4U);
	while (from + 4 <= end) {
		n = min(d[from + 3] + 4U, end - from);
		if (!(d[from + 1] & 0x30)) {
			memmove(d + to, d + from, n);
			to += n;
		}
		from += n;
	}
	put_unaligned_be16(to - 4, d + 2);
	return to;
}

/* Block limits: not more than gets through here. */
static u32 pass_edit_limits(const struct skua_dev *dev, u8 *d, u32 len)
{
	u8 shift = READ_ONCE(dev->block_shift);
	u32 max = (READ_ONCE(dev->limits.max_xfer) ?: SKUA_MAX_XFER) >> shift;
	u32 v;

	if (len < 16 || !shift)
		return len;
	v = get_unaligned_be32(d + 8);
	if (!v || v > max)
		put_unaligned_be32(max, d + 8);
	if (get_unaligned_be32(d + 12) > max)
		put_unaligned_be32(max, d + 12);
	return len;
}

/* MODE SENSE: a LUN may be write protected where its device is not. */
static u32 pass_edit_mode(const struct skua_cmd *cmd, u8 *d, u32 len)
{
	u32 at = cmd->cdb[0] == MODE_SENSE ? 2 : 3;	/* device specific parameter */

	if (len > at && skua_dev_write_protected(cmd->nexus))
		d[at] |= 0x80;		/* WP */
	return len;
}

/* Would the core refuse a command that the device says it has? */
static bool pass_unserved(u8 opcode, u16 action)
{
	u8 cdb[SKUA_MAX_CDB] = { opcode, action & 0x1f };

	return pass_ours(cdb) && !skua_cdb_find(cdb, sizeof(cdb));
}

/* Supported operation codes: without those that do not get to the device. */
static u32 pass_edit_opcodes(const u8 *cdb, u8 *d, u32 len)
{
	u32 from = 4, to = 4, end, n;

	if (cdb[2] & 0x07) {		/* about one command */
		if (len > 1 && pass_unserved(cdb[3], get_unaligned_be16(cdb + 4)))
			d[1] = (d[1] & ~0x07) | 0x01;	/* not supported */
		return len;
	}
	if (len < 4)
		return len;
	end = min_t(u64, len, get_unaligned_be32(d) + 4ULL);
	while (from + 8 <= end) {
		n = min(d[from + 5] & 0x02 ? 20U : 8U, end - from);	/* CTDP */
		if (!pass_unserved(d[from], get_unaligned_be16(d + from + 2))) {
			memmove(d + to, d + from, n);
			to += n;
		}
		from += n;
	}
	put_unaligned_be32(to - 4, d);
	return to;
}

/* The block size is the device's; FORMAT UNIT and MODE SELECT may change it. */
static void pass_see_capacity(struct skua_dev *dev, const u8 *d, u32 len, bool is16)
{
	u32 at = is16 ? 8 : 4;

	if (len >= at + 4)
		skua_dev_set_block_size(dev, get_unaligned_be32(d + at));
}

static bool pass_is_capacity16(const u8 *cdb)
{
	return cdb[0] == SERVICE_ACTION_IN_16 && (cdb[1] & 0x1f) == SAI_READ_CAPACITY_16;
}

/* Is there something to read or to change in the answer of a command? */
static bool pass_is_edited(const struct skua_cmd *cmd)
{
	return cmd->op == &skua_pass_ops[PASS_IN] && cmd->status == SAM_STAT_GOOD &&
	       (cmd->cdb[0] == INQUIRY || cmd->cdb[0] == READ_CAPACITY ||
		cmd->cdb[0] == MODE_SENSE || cmd->cdb[0] == MODE_SENSE_10 ||
		pass_is_capacity16(cmd->cdb) || pass_wants_all(cmd->cdb));
}

static u32 pass_edit(struct skua_cmd *cmd, u8 *d, u32 len)
{
	struct skua_dev *dev = cmd->nexus->dev;
	const u8 *cdb = cmd->cdb;

	if (cdb[0] == MAINTENANCE_IN)
		return pass_edit_opcodes(cdb, d, len);
	if (cdb[0] == MODE_SENSE || cdb[0] == MODE_SENSE_10)
		return pass_edit_mode(cmd, d, len);
	if (cdb[0] != INQUIRY) {
		pass_see_capacity(dev, d, len, cdb[0] != READ_CAPACITY);
		return len;
	}
	if (!(cdb[1] & 0x01))
		return pass_edit_inquiry(d, len);
	switch (cdb[2]) {
	case 0x83:
		return pass_edit_vpd83(d, len);
	case 0xb0:
		return pass_edit_limits(dev, d, len);
	}
	return len;
}

/* buf_len has what came. An answer that can't be looked at is not sent. */
static int pass_edit_answer(struct skua_cmd *cmd)
{
	u32 len = min(cmd->buf_len, PASS_MAX_EDIT);
	u8 *d = kmalloc(PASS_MAX_EDIT, GFP_NOIO | __GFP_NOWARN);
	u32 n;

	if (!d)
		return -ENOMEM;
	sg_copy_to_buffer(cmd->io.sg, cmd->io.nr_sg, d, len);
	n = pass_edit(cmd, d, len);
	sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, d, n);
	cmd->buf_len = n;
	kfree(d);
	return 0;
}

/* ---- the end of a command --------------------------------------------- */

/*
 * After an error that is none of the recovered kind the buffer may have less of the
 * medium than the device says, and the rest of it is not the initiator's to see.
 */
static bool pass_data_is_void(const struct skua_cmd *cmd, const struct scsi_sense_hdr *sense)
{
	return cmd->op == &skua_pass_ops[PASS_BLOCKS_IN] && cmd->status != SAM_STAT_GOOD &&
	       !(sense->response_code && sense->sense_key == RECOVERED_ERROR);
}

static void pass_sense(const struct skua_cmd *cmd, struct scsi_sense_hdr *hdr)
{
	if (!cmd->sense_len || !scsi_normalize_sense(cmd->sense, cmd->sense_len, hdr))
		memset(hdr, 0, sizeof(*hdr));
}

/*
 * The device tells each unit attention once, to this host. The initiator of this command
 * gets it as it came; the others must hear of it, too. What it says of LUNs is about the
 * device's own target.
 */
static void pass_spread_ua(const struct skua_cmd *cmd, const struct scsi_sense_hdr *sense)
{
	if (sense->sense_key == UNIT_ATTENTION && !(sense->asc == 0x3f && sense->ascq == 0x0e))
		skua_ua_dev(cmd->nexus->dev, cmd->nexus, sense->asc, sense->ascq);
}

static void pass_finish(struct skua_cmd *cmd, bool may_sleep)
{
	struct scsi_sense_hdr sense;
	u32 moved;
	int error;

	pass_sense(cmd, &sense);
	if (may_sleep) {
		pass_spread_ua(cmd, &sense);
		error = pass_is_edited(cmd) && cmd->buf_len ? pass_edit_answer(cmd) : 0;
		if (error) {
			skua_cmd_error(cmd, error);
			return;
		}
	}
	moved = cmd->buf_len;
	cmd->buf_len = 0;
	if (pass_data_is_void(cmd, &sense))
		moved = 0;
	if (cmd->data_dir == SKUA_DIR_READ) {
		moved = min(moved, cmd->data_len);
		cmd->xfer_len = min(moved, cmd->edtl);
		if (!cmd->xfer_len)
			cmd->data_dir = SKUA_DIR_NONE;
	}
	cmd->residual = (s64)cmd->edtl - moved;
	skua_cmd_done(cmd, cmd->status);
}

/**
 * skua_cdb_done() - a device has answered a command
 * @cmd: that exec_cdb() was called for; not the backend's any more
 * @status: SAM status
 * @sense: sense data; copied
 * @sense_len: its length, 0 if there is none
 * @resid: bytes of io.len that were not moved
 *
 * Context: any.
 */
void skua_cdb_done(struct skua_cmd *cmd, u8 status, const u8 *sense, u32 sense_len, u32 resid)
{
	struct scsi_sense_hdr hdr;

	cmd->status = status;
	cmd->sense_len = min_t(u32, sense_len, sizeof(cmd->sense));
	memcpy(cmd->sense, sense, cmd->sense_len);
	cmd->buf_len = cmd->io.len - min_t(u64, resid, cmd->io.len);
	pass_sense(cmd, &hdr);
	if (hdr.sense_key == UNIT_ATTENTION || pass_is_edited(cmd))
		skua_cmd_hop(cmd, pass_finish);
	else
		pass_finish(cmd, false);
}
EXPORT_SYMBOL_GPL(skua_cdb_done);

/**
 * skua_cdb_error() - a command did not get an answer from its device
 * @cmd: that exec_cdb() was called for; not the backend's any more
 * @error: -ENODEV: the device is gone; -EAGAIN, -ENOMEM: BUSY; -ETIMEDOUT: it was
 *	given up or aborted; -E2BIG: it is too large; others count as a hardware error
 *
 * Context: any.
 */
void skua_cdb_error(struct skua_cmd *cmd, int error)
{
	switch (error) {
	case -ENODEV:
	case -EAGAIN:
	case -ENOMEM:
		skua_cmd_error(cmd, error);
		break;
	case -E2BIG:
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x24, 0x00);
		break;
	case -ETIMEDOUT:	/* INTERNAL TARGET FAILURE */
		skua_cmd_sense(cmd, ABORTED_COMMAND, 0x44, 0x00);
		break;
	default:
		skua_cmd_sense(cmd, HARDWARE_ERROR, 0x44, 0x00);
		break;
	}
}
EXPORT_SYMBOL_GPL(skua_cdb_error);

/**
 * skua_cdb_reply() - answer a data-in command in the device's place
 * @cmd: that exec_cdb() was called for; not the backend's any more
 * @data: the whole of the data; copied
 * @len: its length, bytes
 *
 * Context: any.
 */
void skua_cdb_reply(struct skua_cmd *cmd, const void *data, u32 len)
{
	u32 n = min_t(u64, len, cmd->io.len);

	if (cmd->data_dir == SKUA_DIR_READ)
		sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, data, n);
	skua_cdb_done(cmd, SAM_STAT_GOOD, NULL, 0, cmd->io.len - n);
}
EXPORT_SYMBOL_GPL(skua_cdb_reply);

/**
 * skua_dev_set_block_size() - what a pass-through device's block size is
 * @dev: the device
 * @bytes: the size; if no power of two, lengths are taken from the initiator
 *
 * Context: any.
 */
void skua_dev_set_block_size(struct skua_dev *dev, u32 bytes)
{
	bool usable = is_power_of_2(bytes) && bytes >= 512 && bytes <= 65536;

	WRITE_ONCE(dev->config.block_size, bytes);
	WRITE_ONCE(dev->block_shift, usable ? ilog2(bytes) : 0);
}
EXPORT_SYMBOL_GPL(skua_dev_set_block_size);

/* ---- reset ------------------------------------------------------------ */

/**
 * skua_dev_reset() - have the backend reset its device, if it can
 * @dev: the device
 *
 * A reset that is under way counts for this one, too.
 * Context: process; skua_conf held.
 */
void skua_dev_reset(struct skua_dev *dev)
{
	if (!dev->be->reset || !dev->opened)
		return;
	if (atomic_xchg(&dev->reset, SKUA_RESET_RUNS) == SKUA_RESET_RUNS)
		return;
	skua_dev_get(dev);
	dev->be->reset(dev);
}

/**
 * skua_dev_reset_done() - the reset has ended
 * @dev: that reset() was called for; the backend must be ready for close() to follow
 * @error: 0 or -errno; then the task management function fails
 *
 * Context: any.
 */
void skua_dev_reset_done(struct skua_dev *dev, int error)
{
	atomic_set(&dev->reset, error ? SKUA_RESET_FAILED : SKUA_RESET_NONE);
	skua_dev_put(dev);
}
EXPORT_SYMBOL_GPL(skua_dev_reset_done);
