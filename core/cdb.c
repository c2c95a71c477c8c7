// SPDX-License-Identifier: GPL-2.0
/*
 * The CDB table: every command that is served, once. The gate decodes by it and
 * REPORT SUPPORTED OPERATION CODES is made of it, so the two cannot disagree.
 * Pure code, built for user space too by tests/unit.
 *
 * Bits that are obsolete or reserved, and features that are not served (protection
 * information, ANCHOR, saved mode pages, NACA), are clear in the usage masks and so
 * are refused. DPO, GROUP NUMBER, FUA_NV and SYNC_NV are accepted: the first two
 * are hints, the others ask for less than what is done.
 */
#include "cdb.h"

#define ALUA_A	SKUA_ALUA_ALL
#define ALUA_S	SKUA_ALUA_STANDBY
#define ALUA_R	SKUA_ALUA_ACTIVE

#define PR_A	SKUA_PR_ALWAYS
#define PR_R	SKUA_PR_READ
#define PR_W	SKUA_PR_WRITE

/* Parameter data to and from the initiator; these run in process context. */
#define F_PARAM_IN	(SKUA_F_IN | SKUA_F_LINEAR | SKUA_F_SLEEP)
#define F_PARAM_OUT	(SKUA_F_OUT | SKUA_F_LINEAR | SKUA_F_SLEEP)
#define F_READ		(SKUA_F_IN | SKUA_F_MEDIA | SKUA_F_RW)
#define F_WRITE		(SKUA_F_OUT | SKUA_F_MEDIA | SKUA_F_MODIFY | SKUA_F_RW)
/* Made of several I/Os */
#define F_COMPOSED	(SKUA_F_OUT | SKUA_F_MEDIA | SKUA_F_SLEEP)

#define OP(name, code, action, bytes, handler, fl, prc, alc, ...)	\
	[ROW_##name] = {						\
		.opcode = (code), .sa = (action), .len = (bytes),	\
		.id = SKUA_OP_##handler, .flags = (fl),			\
		.pr = (prc), .alua = (alc),				\
		.usage = { (code), __VA_ARGS__ },			\
	}

/*
 * Reads, writes and verifications: byte 1 (byte 10 of 32) has DPO 10h, FUA 08h,
 * FUA_NV 02h or BYTCHK 02h. The reference and application tags of the 32 byte CDBs
 * mean nothing without protection information.
 */
enum {
	ROW_NONE,
	ROW_TUR, ROW_REQUEST_SENSE, ROW_READ_6, ROW_WRITE_6, ROW_INQUIRY, ROW_MODE_SELECT_6,
	ROW_RESERVE_6, ROW_RELEASE_6, ROW_MODE_SENSE_6, ROW_START_STOP, ROW_PREVENT_ALLOW,
	ROW_READ_CAPACITY_10, ROW_READ_10, ROW_WRITE_10, ROW_WRITE_VERIFY_10, ROW_VERIFY_10,
	ROW_SYNC_CACHE_10, ROW_WRITE_SAME_10, ROW_UNMAP, ROW_MODE_SELECT_10, ROW_RESERVE_10,
	ROW_RELEASE_10, ROW_MODE_SENSE_10, ROW_READ_32, ROW_WRITE_32, ROW_READ_16, ROW_WRITE_16,
	ROW_WRITE_VERIFY_16, ROW_VERIFY_16, ROW_SYNC_CACHE_16, ROW_WRITE_SAME_16,
	ROW_READ_CAPACITY_16, ROW_REPORT_LUNS, ROW_REPORT_OPCODES, ROW_REPORT_TMFS, ROW_READ_12,
	ROW_WRITE_12, ROW_WRITE_VERIFY_12, ROW_VERIFY_12,
	ROW_NR
};

/* Rows with the same opcode are neighbours. */
static const struct skua_cdb_op skua_ops[] = {
	OP(TUR, 0x00, -1, 6, TEST_UNIT_READY, SKUA_F_MEDIA, PR_A, ALUA_R,
	   0, 0, 0, 0, 0),
	OP(REQUEST_SENSE, 0x03, -1, 6, REQUEST_SENSE,
	   F_PARAM_IN | SKUA_F_NO_UA | SKUA_F_NO_LUN | SKUA_F_NO_RESV | SKUA_F_NO_START,
	   PR_A, ALUA_A, 0x01, 0, 0, 0xff, 0),
	OP(READ_6, 0x08, -1, 6, READ, F_READ, PR_R, ALUA_R, 0x1f, 0xff, 0xff, 0xff, 0),
	OP(WRITE_6, 0x0a, -1, 6, WRITE, F_WRITE, PR_W, ALUA_R, 0x1f, 0xff, 0xff, 0xff, 0),
	OP(INQUIRY, 0x12, -1, 6, INQUIRY,
	   F_PARAM_IN | SKUA_F_NO_UA | SKUA_F_NO_LUN | SKUA_F_NO_RESV | SKUA_F_NO_START,
	   PR_A, ALUA_A, 0x01, 0xff, 0xff, 0xff, 0),
	OP(MODE_SELECT_6, 0x15, -1, 6, MODE_SELECT,
	   F_PARAM_OUT | SKUA_F_MEDIA | SKUA_F_NO_START, PR_W, ALUA_S, 0x10, 0, 0, 0xff, 0),
	OP(RESERVE_6, 0x16, -1, 6, RESERVE, SKUA_F_NO_START, PR_W, ALUA_R, 0, 0, 0, 0, 0),
	OP(RELEASE_6, 0x17, -1, 6, RELEASE, SKUA_F_NO_RESV | SKUA_F_NO_START, PR_W, ALUA_R,
	   0, 0, 0, 0, 0),
	OP(MODE_SENSE_6, 0x1a, -1, 6, MODE_SENSE, F_PARAM_IN | SKUA_F_NO_START, PR_R, ALUA_S,
	   0x08, 0xff, 0xff, 0xff, 0),
	OP(START_STOP, 0x1b, -1, 6, START_STOP, SKUA_F_MEDIA | SKUA_F_SLEEP | SKUA_F_NO_START,
	   PR_W, ALUA_R, 0x01, 0, 0, 0x05, 0),
	OP(PREVENT_ALLOW, 0x1e, -1, 6, PREVENT_ALLOW, SKUA_F_NO_START, PR_W, ALUA_R,
	   0, 0, 0, 0x01, 0),
	OP(READ_CAPACITY_10, 0x25, -1, 10, READ_CAPACITY_10,
	   F_PARAM_IN | SKUA_F_MEDIA | SKUA_F_NO_RESV, PR_A, ALUA_R, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	OP(READ_10, 0x28, -1, 10, READ, F_READ, PR_R, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(WRITE_10, 0x2a, -1, 10, WRITE, F_WRITE, PR_W, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(WRITE_VERIFY_10, 0x2e, -1, 10, WRITE_VERIFY, F_COMPOSED | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(VERIFY_10, 0x2f, -1, 10, VERIFY, F_COMPOSED, PR_R, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(SYNC_CACHE_10, 0x35, -1, 10, SYNC_CACHE, SKUA_F_MEDIA, PR_W, ALUA_R,
	   0x06, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(WRITE_SAME_10, 0x41, -1, 10, WRITE_SAME, F_COMPOSED | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0x08, 0xff, 0xff, 0xff, 0xff, 0x1f, 0xff, 0xff, 0),
	OP(UNMAP, 0x42, -1, 10, UNMAP, F_PARAM_OUT | SKUA_F_MEDIA | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0, 0, 0, 0, 0, 0x1f, 0xff, 0xff, 0),
	OP(MODE_SELECT_10, 0x55, -1, 10, MODE_SELECT,
	   F_PARAM_OUT | SKUA_F_MEDIA | SKUA_F_NO_START, PR_W, ALUA_S,
	   0x10, 0, 0, 0, 0, 0, 0xff, 0xff, 0),
	OP(RESERVE_10, 0x56, -1, 10, RESERVE, SKUA_F_NO_START, PR_W, ALUA_R,
	   0, 0, 0, 0, 0, 0, 0, 0, 0),
	OP(RELEASE_10, 0x57, -1, 10, RELEASE, SKUA_F_NO_RESV | SKUA_F_NO_START, PR_W, ALUA_R,
	   0, 0, 0, 0, 0, 0, 0, 0, 0),
	OP(MODE_SENSE_10, 0x5a, -1, 10, MODE_SENSE, F_PARAM_IN | SKUA_F_NO_START, PR_R, ALUA_S,
	   0x18, 0xff, 0xff, 0, 0, 0, 0xff, 0xff, 0),
	OP(READ_32, SKUA_OPCODE_VARLEN, 0x09, 32, READ, F_READ, PR_R, ALUA_R,
	   0, 0, 0, 0, 0, 0x1f, 0x18, 0, 0x09, 0x1a, 0,
	   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
	OP(WRITE_32, SKUA_OPCODE_VARLEN, 0x0b, 32, WRITE, F_WRITE, PR_W, ALUA_R,
	   0, 0, 0, 0, 0, 0x1f, 0x18, 0, 0x0b, 0x1a, 0,
	   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
	OP(READ_16, 0x88, -1, 16, READ, F_READ, PR_R, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(WRITE_16, 0x8a, -1, 16, WRITE, F_WRITE, PR_W, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(WRITE_VERIFY_16, 0x8e, -1, 16, WRITE_VERIFY, F_COMPOSED | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(VERIFY_16, 0x8f, -1, 16, VERIFY, F_COMPOSED, PR_R, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(SYNC_CACHE_16, 0x91, -1, 16, SYNC_CACHE, SKUA_F_MEDIA, PR_W, ALUA_R,
	   0x06, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(WRITE_SAME_16, 0x93, -1, 16, WRITE_SAME, F_COMPOSED | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0x09, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(READ_CAPACITY_16, 0x9e, 0x10, 16, READ_CAPACITY_16,
	   F_PARAM_IN | SKUA_F_MEDIA | SKUA_F_NO_RESV, PR_A, ALUA_R,
	   0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0),
	OP(REPORT_LUNS, 0xa0, -1, 12, REPORT_LUNS,
	   F_PARAM_IN | SKUA_F_NO_UA | SKUA_F_NO_LUN | SKUA_F_NO_RESV | SKUA_F_NO_START,
	   PR_A, ALUA_A, 0, 0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0),
	OP(REPORT_OPCODES, 0xa3, 0x0c, 12, REPORT_OPCODES,
	   F_PARAM_IN | SKUA_F_NO_RESV | SKUA_F_NO_START, PR_A, ALUA_S,
	   0x0c, 0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0),
	OP(REPORT_TMFS, 0xa3, 0x0d, 12, REPORT_TMFS,
	   F_PARAM_IN | SKUA_F_NO_RESV | SKUA_F_NO_START, PR_A, ALUA_S,
	   0x0d, 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0),
	OP(READ_12, 0xa8, -1, 12, READ, F_READ, PR_R, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(WRITE_12, 0xaa, -1, 12, WRITE, F_WRITE, PR_W, ALUA_R,
	   0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(WRITE_VERIFY_12, 0xae, -1, 12, WRITE_VERIFY, F_COMPOSED | SKUA_F_MODIFY, PR_W, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
	OP(VERIFY_12, 0xaf, -1, 12, VERIFY, F_COMPOSED, PR_R, ALUA_R,
	   0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0),
};

/* First row of each opcode. */
static const u8 skua_first_row[256] = {
	[0x00] = ROW_TUR, [0x03] = ROW_REQUEST_SENSE, [0x08] = ROW_READ_6, [0x0a] = ROW_WRITE_6,
	[0x12] = ROW_INQUIRY, [0x15] = ROW_MODE_SELECT_6, [0x16] = ROW_RESERVE_6,
	[0x17] = ROW_RELEASE_6, [0x1a] = ROW_MODE_SENSE_6, [0x1b] = ROW_START_STOP,
	[0x1e] = ROW_PREVENT_ALLOW, [0x25] = ROW_READ_CAPACITY_10, [0x28] = ROW_READ_10,
	[0x2a] = ROW_WRITE_10, [0x2e] = ROW_WRITE_VERIFY_10, [0x2f] = ROW_VERIFY_10,
	[0x35] = ROW_SYNC_CACHE_10, [0x41] = ROW_WRITE_SAME_10, [0x42] = ROW_UNMAP,
	[0x55] = ROW_MODE_SELECT_10, [0x56] = ROW_RESERVE_10, [0x57] = ROW_RELEASE_10,
	[0x5a] = ROW_MODE_SENSE_10, [SKUA_OPCODE_VARLEN] = ROW_READ_32, [0x88] = ROW_READ_16,
	[0x8a] = ROW_WRITE_16, [0x8e] = ROW_WRITE_VERIFY_16, [0x8f] = ROW_VERIFY_16,
	[0x91] = ROW_SYNC_CACHE_16, [0x93] = ROW_WRITE_SAME_16, [0x9e] = ROW_READ_CAPACITY_16,
	[0xa0] = ROW_REPORT_LUNS, [0xa3] = ROW_REPORT_OPCODES, [0xa8] = ROW_READ_12,
	[0xaa] = ROW_WRITE_12, [0xae] = ROW_WRITE_VERIFY_12, [0xaf] = ROW_VERIFY_12,
};

static s16 skua_cdb_action(const u8 *cdb)
{
	if (cdb[0] == SKUA_OPCODE_VARLEN)
		return get_unaligned_be16(cdb + 8);
	return cdb[1] & 0x1f;
}

/**
 * skua_cdb_find() - the row of a CDB
 * @cdb: SKUA_MAX_CDB bytes, zero padded
 * @cdb_len: bytes received; whether they suffice is skua_cdb_check()'s matter
 *
 * Return: the row, or NULL if the command is not served, see skua_cdb_refusal().
 */
const struct skua_cdb_op *skua_cdb_find(const u8 *cdb, u8 cdb_len)
{
	u8 row = cdb_len ? skua_first_row[cdb[0]] : ROW_NONE;

	if (row == ROW_NONE || skua_ops[row].sa < 0)
		return row == ROW_NONE ? NULL : &skua_ops[row];
	for (; row < ROW_NR && skua_ops[row].opcode == cdb[0]; row++)
		if (skua_ops[row].sa == skua_cdb_action(cdb))
			return &skua_ops[row];
	return NULL;
}

/**
 * skua_cdb_table() - all rows, in the order of opcodes
 * @nr: how many
 */
const struct skua_cdb_op *skua_cdb_table(u32 *nr)
{
	*nr = ROW_NR - 1;
	return skua_ops + 1;
}

/* Is at least one service action of @opcode served? */
bool skua_cdb_known_opcode(u8 opcode)
{
	return skua_first_row[opcode] != ROW_NONE;
}

/**
 * skua_cdb_refusal() - why skua_cdb_find() has found nothing
 * @cdb: the CDB
 * @fault: the service action where it is to blame
 *
 * SPC-4: an opcode that is not served is an invalid command operation
 * code, a service action that is not served an invalid field in the CDB.
 */
enum skua_cdb_verdict skua_cdb_refusal(const u8 *cdb, struct skua_cdb_fault *fault)
{
	if (!skua_cdb_known_opcode(cdb[0]))
		return SKUA_CDB_BAD_OPCODE;
	fault->field = cdb[0] == SKUA_OPCODE_VARLEN ? 8 : 1;
	fault->bit = cdb[0] == SKUA_OPCODE_VARLEN ? 7 : 4;
	return SKUA_CDB_BAD_FIELD;
}

static enum skua_cdb_verdict skua_bad_field(struct skua_cdb_fault *fault, u16 field, s8 bit)
{
	fault->field = field;
	fault->bit = bit;
	return SKUA_CDB_BAD_FIELD;
}

static s8 skua_top_bit(u8 bits)
{
	s8 bit = 7;

	while (bit > 0 && !(bits & 1 << bit))
		bit--;
	return bit;
}

static u8 skua_control_byte(const struct skua_cdb_op *op)
{
	return op->opcode == SKUA_OPCODE_VARLEN ? 1 : op->len - 1;
}

/**
 * skua_cdb_check() - does a CDB set bits that are not served?
 * @op: its row
 * @cdb: the CDB, zero padded
 * @cdb_len: bytes received; 255 stands for more than SKUA_MAX_CDB
 * @fault: the first field at fault
 *
 * Of the CONTROL byte only NACA is refused (SAM-5 5.2); LINK, FLAG and the vendor
 * specific bits are ignored.
 */
enum skua_cdb_verdict skua_cdb_check(const struct skua_cdb_op *op, const u8 *cdb, u8 cdb_len,
				     struct skua_cdb_fault *fault)
{
	u8 control = skua_control_byte(op), bad;
	int i;

	if (cdb_len > sizeof(op->usage))
		return skua_bad_field(fault, op->opcode == SKUA_OPCODE_VARLEN ? 7 : 0, -1);
	if (cdb_len < op->len)
		return skua_bad_field(fault, cdb_len, -1);
	if (op->opcode == SKUA_OPCODE_VARLEN && cdb[7] != op->len - 8)
		return skua_bad_field(fault, 7, -1);
	for (i = 1; i < op->len; i++) {
		bad = i == control ? cdb[i] & 0x04 : cdb[i] & ~op->usage[i];
		if (bad)
			return skua_bad_field(fault, i, skua_top_bit(bad));
	}
	return SKUA_CDB_OK;
}

/* LBA and number of blocks of a medium command, by the size of its CDB. */
static void skua_cdb_range(const struct skua_cdb_op *op, const u8 *cdb, struct skua_cdb_req *req)
{
	switch (op->len) {
	case 6:
		req->lba = get_unaligned_be24(cdb + 1) & 0x1fffff;
		req->nr_blocks = cdb[4] ? cdb[4] : 256;
		break;
	case 10:
		req->lba = get_unaligned_be32(cdb + 2);
		req->nr_blocks = get_unaligned_be16(cdb + 7);
		break;
	case 12:
		req->lba = get_unaligned_be32(cdb + 2);
		req->nr_blocks = get_unaligned_be32(cdb + 6);
		break;
	case 16:
		req->lba = get_unaligned_be64(cdb + 2);
		req->nr_blocks = get_unaligned_be32(cdb + 10);
		break;
	default:
		req->lba = get_unaligned_be64(cdb + 12);
		req->nr_blocks = get_unaligned_be32(cdb + 28);
		break;
	}
}

/* First byte of the length field. */
static u16 skua_cdb_length_field(const struct skua_cdb_op *op)
{
	switch (op->len) {
	case 6:
		return 4;
	case 10:
		return 7;
	case 12:
		return 6;
	case 16:
		return 10;
	default:
		return 28;
	}
}

static bool skua_cdb_force_access(const struct skua_cdb_op *op, const u8 *cdb)
{
	if (op->len == 6)
		return false;
	return cdb[op->len == 32 ? 10 : 1] & 0x0a;
}

static enum skua_cdb_verdict skua_decode_media(const struct skua_cdb_op *op, const u8 *cdb,
					       u8 block_shift, u64 capacity,
					       struct skua_cdb_req *req,
					       struct skua_cdb_fault *fault)
{
	skua_cdb_range(op, cdb, req);
	if (req->lba > capacity || req->nr_blocks > capacity - req->lba)
		return SKUA_CDB_OUT_OF_RANGE;

	switch (op->id) {
	case SKUA_OP_READ:
	case SKUA_OP_WRITE:
		req->fua = skua_cdb_force_access(op, cdb);
		req->data_len = req->nr_blocks << block_shift;
		break;
	case SKUA_OP_WRITE_VERIFY:
		req->fua = true;
		req->data_len = req->nr_blocks << block_shift;
		break;
	case SKUA_OP_VERIFY:
		if (cdb[1] & 0x02)
			req->data_len = req->nr_blocks << block_shift;
		break;
	case SKUA_OP_SYNC_CACHE:	/* 0: up to the end of the medium */
		if (!req->nr_blocks)
			req->nr_blocks = capacity - req->lba;
		break;
	case SKUA_OP_WRITE_SAME:	/* WSNZ is set: 0 is refused */
		if (!req->nr_blocks || req->nr_blocks > SKUA_MAX_WRITE_SAME >> block_shift)
			return skua_bad_field(fault, skua_cdb_length_field(op), -1);
		if (op->len == 10 || !(cdb[1] & 0x01))	/* NDOB */
			req->data_len = 1U << block_shift;
		break;
	}
	return SKUA_CDB_OK;
}

/**
 * skua_cdb_decode() - range on the medium and length of the data
 * @op: the row
 * @cdb: a CDB that skua_cdb_check() let pass
 * @block_shift: log2 of the block size
 * @capacity: blocks on the medium
 * @req: the result, zeroed by the caller
 * @fault: for a bad field
 *
 * A range of zero blocks right behind the last block is no error, like one
 * anywhere else on the medium.
 */
enum skua_cdb_verdict skua_cdb_decode(const struct skua_cdb_op *op, const u8 *cdb, u8 block_shift,
				      u64 capacity, struct skua_cdb_req *req,
				      struct skua_cdb_fault *fault)
{
	switch (op->id) {
	case SKUA_OP_REQUEST_SENSE:
		req->data_len = cdb[4];
		break;
	case SKUA_OP_INQUIRY:
		req->data_len = get_unaligned_be16(cdb + 3);
		break;
	case SKUA_OP_MODE_SELECT:
	case SKUA_OP_MODE_SENSE:
		req->data_len = op->len == 6 ? cdb[4] : get_unaligned_be16(cdb + 7);
		break;
	case SKUA_OP_UNMAP:
		req->data_len = get_unaligned_be16(cdb + 7);
		break;
	case SKUA_OP_READ_CAPACITY_10:
		req->data_len = 8;
		break;
	case SKUA_OP_READ_CAPACITY_16:
		req->data_len = get_unaligned_be32(cdb + 10);
		break;
	case SKUA_OP_REPORT_LUNS:
		req->data_len = get_unaligned_be32(cdb + 6);
		if (req->data_len < 16)
			return skua_bad_field(fault, 6, -1);
		break;
	case SKUA_OP_REPORT_OPCODES:
	case SKUA_OP_REPORT_TMFS:
		req->data_len = get_unaligned_be32(cdb + 6);
		if (op->id == SKUA_OP_REPORT_TMFS && req->data_len < 4)
			return skua_bad_field(fault, 6, -1);
		break;
	case SKUA_OP_READ:
	case SKUA_OP_WRITE:
	case SKUA_OP_WRITE_VERIFY:
	case SKUA_OP_VERIFY:
	case SKUA_OP_SYNC_CACHE:
	case SKUA_OP_WRITE_SAME:
		return skua_decode_media(op, cdb, block_shift, capacity, req, fault);
	}
	return SKUA_CDB_OK;
}
