/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CDB table and what is decoded by it. Pure: no kernel objects, no locks; also
 * built for user space by tests/unit (tests/unit/shim supplies the few kernel names).
 */
#ifndef SKUA_CDB_H
#define SKUA_CDB_H

#include <linux/types.h>

/* What runs a command; index of skua_exec[]. */
enum skua_op_id {
	SKUA_OP_NONE,
	SKUA_OP_TEST_UNIT_READY,
	SKUA_OP_REQUEST_SENSE,
	SKUA_OP_INQUIRY,
	SKUA_OP_MODE_SELECT,
	SKUA_OP_MODE_SENSE,
	SKUA_OP_RESERVE,
	SKUA_OP_RELEASE,
	SKUA_OP_START_STOP,
	SKUA_OP_PREVENT_ALLOW,
	SKUA_OP_READ_CAPACITY_10,
	SKUA_OP_READ_CAPACITY_16,
	SKUA_OP_READ,
	SKUA_OP_WRITE,
	SKUA_OP_WRITE_VERIFY,
	SKUA_OP_VERIFY,
	SKUA_OP_SYNC_CACHE,
	SKUA_OP_UNMAP,
	SKUA_OP_WRITE_SAME,
	SKUA_OP_REPORT_LUNS,
	SKUA_OP_REPORT_OPCODES,
	SKUA_OP_REPORT_TMFS,
	SKUA_OP_PASS,			/* no row: see pass.c */
	SKUA_OP_NR,
};

enum skua_cdb_flags {
	SKUA_F_IN	 = 1 << 0,	/* data-in */
	SKUA_F_OUT	 = 1 << 1,	/* data-out */
	SKUA_F_MEDIA	 = 1 << 2,	/* needs a ready medium; checked against the capacity */
	SKUA_F_MODIFY	 = 1 << 3,	/* changes the medium: refused when write protected */
	SKUA_F_LINEAR	 = 1 << 4,	/* data is parameter data in cmd->buf, not blocks */
	SKUA_F_SLEEP	 = 1 << 5,	/* the handler wants process context */
	SKUA_F_NO_UA	 = 1 << 6,	/* runs although a unit attention is pending */
	SKUA_F_NO_LUN	 = 1 << 7,	/* answered even where there is no logical unit */
	SKUA_F_NO_RESV	 = 1 << 8,	/* allowed against another's SPC-2 reservation */
	SKUA_F_NO_START	 = 1 << 9,	/* runs although stopped by START STOP UNIT */
	SKUA_F_RW	 = 1 << 10,	/* plain read or write, may use the backend's own pages */
};

/* Reservation class for persistent reservations: SPC-4 table of commands allowed. */
enum skua_pr_class { SKUA_PR_ALWAYS, SKUA_PR_READ, SKUA_PR_WRITE };

/* ALUA class: which target port group states serve the command: all, also standby, active ones. */
enum skua_alua_class { SKUA_ALUA_ALL, SKUA_ALUA_STANDBY, SKUA_ALUA_ACTIVE };

/* Most bytes in one WRITE SAME; the block limits page says so. */
#define SKUA_MAX_WRITE_SAME	(1024ULL * 1024 * 1024)

#define SKUA_OPCODE_VARLEN	0x7f	/* variable length CDB, service action in bytes 8 and 9 */

/**
 * struct skua_cdb_op - one row of the CDB table
 * @opcode: operation code
 * @sa: service action, or -1 if the opcode has none
 * @len: CDB length, bytes
 * @id: handler
 * @flags: SKUA_F_*
 * @pr: class for persistent reservations
 * @alua: class for asymmetric access
 * @usage: bits of the CDB that may be set (byte 0 is the opcode itself), as REPORT
 *	SUPPORTED OPERATION CODES reports it
 */
struct skua_cdb_op {
	u8 opcode;
	s16 sa;
	u8 len;
	u8 id;
	u16 flags;
	u8 pr;
	u8 alua;
	u8 usage[32];
};

/**
 * struct skua_cdb_req - what a CDB asks for
 * @lba: where its range on the medium begins (SKUA_F_MEDIA)
 * @nr_blocks: blocks of the range
 * @data_len: bytes to be transferred as the CDB has it: blocks times the block
 *	size, parameter list length, or allocation length
 * @fua: to be on stable storage before the status
 */
struct skua_cdb_req {
	u64 lba;
	u64 nr_blocks;
	u64 data_len;
	bool fua;
};

/* Reasons for a refusal, with @field the CDB byte at fault and @bit its bit or -1. */
enum skua_cdb_verdict {
	SKUA_CDB_OK,
	SKUA_CDB_BAD_OPCODE,		/* 20/00 */
	SKUA_CDB_BAD_FIELD,		/* 24/00 with @field */
	SKUA_CDB_OUT_OF_RANGE,		/* 21/00 */
};

struct skua_cdb_fault {
	u16 field;
	s8 bit;
};

const struct skua_cdb_op *skua_cdb_find(const u8 *cdb, u8 cdb_len);
const struct skua_cdb_op *skua_cdb_table(u32 *nr);
bool skua_cdb_known_opcode(u8 opcode);
enum skua_cdb_verdict skua_cdb_refusal(const u8 *cdb, struct skua_cdb_fault *fault);
enum skua_cdb_verdict skua_cdb_check(const struct skua_cdb_op *op, const u8 *cdb, u8 cdb_len,
				     struct skua_cdb_fault *fault);
enum skua_cdb_verdict skua_cdb_decode(const struct skua_cdb_op *op, const u8 *cdb, u8 block_shift,
				      u64 capacity, struct skua_cdb_req *req,
				      struct skua_cdb_fault *fault);

#endif
