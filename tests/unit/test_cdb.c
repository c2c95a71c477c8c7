// SPDX-License-Identifier: GPL-2.0
/* The CDB table and its decoding: core/cdb.c. */
#include "unit.h"

#include "../../core/cdb.c"

#define CAPACITY	1000ULL

static const struct skua_cdb_op *find(const u8 *cdb)
{
	return skua_cdb_find(cdb, 32);
}

/* A CDB of that row with all else zero, but what the command insists on. */
static void bare(const struct skua_cdb_op *op, u8 *cdb)
{
	memset(cdb, 0, 32);
	cdb[0] = op->opcode;
	if (op->opcode == SKUA_OPCODE_VARLEN) {
		cdb[7] = 0x18;
		put_unaligned_be16(op->sa, cdb + 8);
	} else if (op->sa >= 0) {
		cdb[1] = op->sa;
	}
}

static enum skua_cdb_verdict run(const u8 *cdb, u8 len, u8 shift, u64 capacity,
				 struct skua_cdb_req *req, struct skua_cdb_fault *fault)
{
	const struct skua_cdb_op *op = skua_cdb_find(cdb, len);
	enum skua_cdb_verdict verdict;

	memset(req, 0, sizeof(*req));
	fault->field = 0xffff;
	fault->bit = -1;
	if (!op)
		return skua_cdb_refusal(cdb, fault);
	verdict = skua_cdb_check(op, cdb, len, fault);
	if (verdict == SKUA_CDB_OK)
		verdict = skua_cdb_decode(op, cdb, shift, capacity, req, fault);
	return verdict;
}

/* Command length by group code, SPC-4 4.2.5.1; 0: any. */
static int group_len(u8 opcode)
{
	static const int len[8] = { 6, 10, 10, 0, 16, 12, 0, 0 };

	return len[opcode >> 5];
}

TEST(rows_are_consistent)
{
	const struct skua_cdb_op *op;
	u32 nr, i;
	int j;

	op = skua_cdb_table(&nr);
	for (i = 0; i < nr; i++, op++) {
		CHECK_EQ(op->usage[0], op->opcode);
		CHECK(op->id > SKUA_OP_NONE && op->id < SKUA_OP_NR);
		CHECK(!(op->flags & SKUA_F_IN && op->flags & SKUA_F_OUT));
		CHECK(!(op->flags & SKUA_F_RW && op->flags & SKUA_F_LINEAR));
		CHECK(!(op->flags & SKUA_F_LINEAR) || op->flags & (SKUA_F_IN | SKUA_F_OUT));
		CHECK(!(op->flags & SKUA_F_LINEAR) || op->flags & SKUA_F_SLEEP);
		CHECK(!(op->flags & SKUA_F_MODIFY) || op->pr == SKUA_PR_WRITE);
		if (group_len(op->opcode))
			CHECK_EQ(op->len, group_len(op->opcode));
		else
			CHECK_EQ(op->len, 32);
		for (j = op->len; j < 32; j++)
			CHECK_EQ(op->usage[j], 0);
		if (op->opcode == SKUA_OPCODE_VARLEN) {
			CHECK_EQ(op->usage[7], op->len - 8);
			CHECK_EQ(get_unaligned_be16(op->usage + 8), op->sa);
			CHECK_EQ(op->usage[1], 0);
		} else {
			CHECK_EQ(op->usage[op->len - 1], 0);
			if (op->sa >= 0)
				CHECK_EQ(op->usage[1] & 0x1f, op->sa);
		}
		if (i) {
			CHECK(op[-1].opcode < op->opcode ||
			      (op[-1].opcode == op->opcode && op[-1].sa < op->sa && op[-1].sa >= 0));
		}
	}
}

TEST(find_by_opcode_and_action)
{
	const struct skua_cdb_op *op;
	u32 nr, i, code, sa, found = 0;
	u8 cdb[32];

	op = skua_cdb_table(&nr);
	for (i = 0; i < nr; i++) {
		bare(&op[i], cdb);
		CHECK(find(cdb) == &op[i]);
	}
	/* And nothing else is found, whatever the service action. */
	for (code = 0; code < 256; code++) {
		bool known = false;

		for (sa = 0; sa < 32; sa++) {
			memset(cdb, 0, sizeof(cdb));
			cdb[0] = code;
			cdb[1] = sa;
			cdb[9] = sa;
			if (!find(cdb))
				continue;
			CHECK_EQ(find(cdb)->opcode, code);
			if (find(cdb)->sa >= 0)
				CHECK_EQ(find(cdb)->sa, sa);
			if (find(cdb)->sa >= 0 || !known)
				found++;
			known = true;
		}
		CHECK_EQ(known, skua_cdb_known_opcode(code));
	}
	CHECK_EQ(found, nr);
	memset(cdb, 0, sizeof(cdb));
	CHECK(!skua_cdb_find(cdb, 0));
	cdb[0] = SKUA_OPCODE_VARLEN;
	cdb[8] = 0x01;
	cdb[9] = 0x09;
	CHECK(!find(cdb));
}

TEST(refusal)
{
	struct skua_cdb_fault fault = {};
	u8 cdb[32] = { 0xc0 };

	CHECK_EQ(skua_cdb_refusal(cdb, &fault), SKUA_CDB_BAD_OPCODE);
	cdb[0] = 0x9e;
	cdb[1] = 0x12;
	CHECK_EQ(skua_cdb_refusal(cdb, &fault), SKUA_CDB_BAD_FIELD);
	CHECK_EQ(fault.field, 1);
	CHECK_EQ(fault.bit, 4);
	cdb[0] = SKUA_OPCODE_VARLEN;
	CHECK_EQ(skua_cdb_refusal(cdb, &fault), SKUA_CDB_BAD_FIELD);
	CHECK_EQ(fault.field, 8);
}

/* Each single bit of each CDB is accepted or pointed at, exactly as the mask says. */
TEST(every_bit)
{
	const struct skua_cdb_op *op;
	struct skua_cdb_fault fault;
	enum skua_cdb_verdict verdict;
	u32 nr, i;
	u8 cdb[32];
	int byte, bit;

	op = skua_cdb_table(&nr);
	for (i = 0; i < nr; i++, op++) {
		int control = op->opcode == SKUA_OPCODE_VARLEN ? 1 : op->len - 1;

		for (byte = 1; byte < op->len; byte++) {
			for (bit = 0; bit < 8; bit++) {
				bare(op, cdb);
				if (cdb[byte] & 1 << bit)
					continue;
				cdb[byte] |= 1 << bit;
				fault.field = 0xffff;
				verdict = skua_cdb_check(op, cdb, op->len, &fault);
				if (byte == control ? bit != 2 :
				    (op->usage[byte] & 1 << bit) &&
				    !(op->opcode == SKUA_OPCODE_VARLEN && byte == 7)) {
					CHECK_EQ(verdict, SKUA_CDB_OK);
					continue;
				}
				CHECK_EQ(verdict, SKUA_CDB_BAD_FIELD);
				CHECK_EQ(fault.field, byte);
				if (op->opcode != SKUA_OPCODE_VARLEN || byte != 7)
					CHECK_EQ(fault.bit, bit);
			}
		}
	}
}

TEST(lengths)
{
	const struct skua_cdb_op *op;
	struct skua_cdb_fault fault;
	u32 nr, i;
	u8 cdb[32];
	int len;

	op = skua_cdb_table(&nr);
	for (i = 0; i < nr; i++, op++) {
		bare(op, cdb);
		for (len = 1; len < op->len; len++) {
			CHECK_EQ(skua_cdb_check(op, cdb, len, &fault), SKUA_CDB_BAD_FIELD);
			CHECK_EQ(fault.field, len);
		}
		for (; len <= 32; len++)
			CHECK_EQ(skua_cdb_check(op, cdb, len, &fault), SKUA_CDB_OK);
		CHECK_EQ(skua_cdb_check(op, cdb, 33, &fault), SKUA_CDB_BAD_FIELD);
		CHECK_EQ(skua_cdb_check(op, cdb, 255, &fault), SKUA_CDB_BAD_FIELD);
	}
}

TEST(additional_cdb_length)
{
	struct skua_cdb_fault fault;
	u8 cdb[32] = { [0] = 0x7f, [7] = 0x10, [9] = 0x09 };

	CHECK_EQ(skua_cdb_check(find(cdb), cdb, 32, &fault), SKUA_CDB_BAD_FIELD);
	CHECK_EQ(fault.field, 7);
	cdb[7] = 0x18;
	CHECK_EQ(skua_cdb_check(find(cdb), cdb, 32, &fault), SKUA_CDB_OK);
}

/*
 * The masks once more, written down from the standards: zero where reserved, obsolete
 * or not served. CONTROL is always zero.
 */
static const struct {
	u8 opcode;
	s16 sa;
	const char *usage;
} masks[] = {
	{ 0x00, -1, "000000000000" },
	{ 0x03, -1, "03010000ff00" },
	{ 0x08, -1, "081fffffff00" },
	{ 0x0a, -1, "0a1fffffff00" },
	{ 0x12, -1, "1201ffffff00" },
	{ 0x15, -1, "15100000ff00" },
	{ 0x16, -1, "160000000000" },
	{ 0x17, -1, "170000000000" },
	{ 0x1a, -1, "1a08ffffff00" },
	{ 0x1b, -1, "1b0100000500" },
	{ 0x1e, -1, "1e0000000100" },
	{ 0x25, -1, "25000000000000000000" },
	{ 0x28, -1, "281affffffff1fffff00" },
	{ 0x2a, -1, "2a1affffffff1fffff00" },
	{ 0x2e, -1, "2e12ffffffff1fffff00" },
	{ 0x2f, -1, "2f12ffffffff1fffff00" },
	{ 0x35, -1, "3506ffffffff1fffff00" },
	{ 0x41, -1, "4108ffffffff1fffff00" },
	{ 0x42, -1, "4200000000001fffff00" },
	{ 0x55, -1, "55100000000000ffff00" },
	{ 0x56, -1, "56000000000000000000" },
	{ 0x57, -1, "57000000000000000000" },
	{ 0x5a, -1, "5a18ffff000000ffff00" },
	{ 0x7f, 0x09, "7f00000000001f1800091a00ffffffffffffffffffffffffffffffffffffffff" },
	{ 0x7f, 0x0b, "7f00000000001f18000b1a00ffffffffffffffffffffffffffffffffffffffff" },
	{ 0x88, -1, "881affffffffffffffffffffffff1f00" },
	{ 0x8a, -1, "8a1affffffffffffffffffffffff1f00" },
	{ 0x8e, -1, "8e12ffffffffffffffffffffffff1f00" },
	{ 0x8f, -1, "8f12ffffffffffffffffffffffff1f00" },
	{ 0x91, -1, "9106ffffffffffffffffffffffff1f00" },
	{ 0x93, -1, "9309ffffffffffffffffffffffff1f00" },
	{ 0x9e, 0x10, "9e100000000000000000ffffffff0000" },
	{ 0xa0, -1, "a000ff000000ffffffff0000" },
	{ 0xa3, 0x0c, "a30c87ffffffffffffff0000" },
	{ 0xa3, 0x0d, "a30d80000000ffffffff0000" },
	{ 0xa8, -1, "a81affffffffffffffff1f00" },
	{ 0xaa, -1, "aa1affffffffffffffff1f00" },
	{ 0xae, -1, "ae12ffffffffffffffff1f00" },
	{ 0xaf, -1, "af12ffffffffffffffff1f00" },
};

TEST(masks)
{
	const struct skua_cdb_op *op;
	char hex[65];
	u32 nr, i;
	int j;

	op = skua_cdb_table(&nr);
	CHECK_EQ(nr, ARRAY_SIZE(masks));
	for (i = 0; i < nr && i < ARRAY_SIZE(masks); i++, op++) {
		for (j = 0; j < op->len; j++)
			sprintf(hex + 2 * j, "%02x", op->usage[j]);
		CHECK_EQ(op->opcode, masks[i].opcode);
		CHECK_EQ(op->sa, masks[i].sa);
		CHECK_STR(hex, masks[i].usage);
	}
}

struct vector {
	const char *what;
	u8 cdb[32];
	u8 len;
	enum skua_cdb_verdict verdict;
	u64 lba, nr, data;
	bool fua;
	int field;
};

#define OK	SKUA_CDB_OK
#define BAD	SKUA_CDB_BAD_FIELD
#define RANGE	SKUA_CDB_OUT_OF_RANGE

static const struct vector vectors[] = {
	{ "READ(6), 0 is 256", { 0x08, 0, 0, 2, 0 }, 6, OK, 2, 256, 256 * 512 },
	{ "READ(6), 21 bits of LBA", { 0x08, 0x1f, 0xff, 0xff, 1 }, 6, RANGE },
	{ "READ(6), LUN bits", { 0x08, 0x20, 0, 0, 1 }, 6, BAD, .field = 1 },
	{ "WRITE(6)", { 0x0a, 0, 0x03, 0xe7, 1 }, 6, OK, 999, 1, 512 },
	{ "WRITE(6) one too far", { 0x0a, 0, 0x03, 0xe7, 2 }, 6, RANGE },
	{ "READ(10)", { 0x28, 0, 0, 0, 0, 5, 0, 0, 7 }, 10, OK, 5, 7, 7 * 512 },
	{ "READ(10) FUA", { 0x28, 0x08, 0, 0, 0, 5, 0, 0, 7 }, 10, OK, 5, 7, 7 * 512, true },
	{ "READ(10) DPO", { 0x28, 0x10, 0, 0, 0, 5, 0, 0, 7 }, 10, OK, 5, 7, 7 * 512 },
	{ "WRITE(10) FUA_NV", { 0x2a, 0x02, 0, 0, 0, 5, 0, 0, 7 }, 10, OK, 5, 7, 7 * 512, true },
	{ "READ(10) protection", { 0x28, 0x20, 0, 0, 0, 5, 0, 0, 7 }, 10, BAD, .field = 1 },
	{ "READ(10) RELADR", { 0x28, 0x01, 0, 0, 0, 5, 0, 0, 7 }, 10, BAD, .field = 1 },
	{ "READ(10) nothing", { 0x28, 0, 0, 0, 0, 5 }, 10, OK, 5 },
	{ "READ(10) nothing at the end", { 0x28, 0, 0, 0, 0x03, 0xe8 }, 10, OK, 1000 },
	{ "READ(10) nothing behind it", { 0x28, 0, 0, 0, 0x03, 0xe9 }, 10, RANGE },
	{ "READ(10) nothing far off", { 0x28, 0, 0xff, 0xff, 0xff, 0xff }, 10, RANGE },
	{ "READ(10) all", { 0x28, 0, 0, 0, 0, 0, 0, 0x03, 0xe8 }, 10, OK, 0, 1000, 512000 },
	{ "READ(10) all and one", { 0x28, 0, 0, 0, 0, 0, 0, 0x03, 0xe9 }, 10, RANGE },
	{ "READ(10) NACA", { 0x28, 0, 0, 0, 0, 5, 0, 0, 7, 0x04 }, 10, BAD, .field = 9 },
	{ "READ(10) other control bits", { 0x28, 0, 0, 0, 0, 5, 0, 0, 7, 0xfb }, 10, OK, 5, 7, 3584 },
	{ "READ(10) group", { 0x28, 0, 0, 0, 0, 5, 0x1f, 0, 7 }, 10, OK, 5, 7, 3584 },
	{ "READ(12)", { 0xa8, 0, 0, 0, 0, 1, 0, 0, 0, 2 }, 12, OK, 1, 2, 1024 },
	{ "READ(12) wraps", { 0xa8, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 12, RANGE },
	{ "WRITE(12)", { 0xaa, 0x08, 0, 0, 0, 1, 0, 0, 0, 2 }, 12, OK, 1, 2, 1024, true },
	{ "READ(16)", { 0x88, [9] = 9, [13] = 3 }, 16, OK, 9, 3, 1536 },
	{ "READ(16) wraps in 64 bits", { 0x88, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	  0, 0, 0, 2 }, 16, RANGE },
	{ "READ(16) largest length", { 0x88, [10] = 0xff, 0xff, 0xff, 0xff }, 16, RANGE },
	{ "WRITE(16)", { 0x8a, 0x08, [9] = 9, [13] = 3 }, 16, OK, 9, 3, 1536, true },
	{ "READ(32)", { 0x7f, [7] = 0x18, [9] = 0x09, [19] = 4, [31] = 6 }, 32, OK, 4, 6, 3072 },
	{ "READ(32) FUA", { 0x7f, [7] = 0x18, [9] = 0x09, 0x08, [19] = 4, [31] = 6 }, 32, OK, 4, 6,
	  3072, true },
	{ "READ(32) tags", { 0x7f, [7] = 0x18, [9] = 0x09, [19] = 4, 0xff, 0xff, 0xff, 0xff, 0, 0,
	  0xff, 0xff, [31] = 6 }, 32, OK, 4, 6, 3072 },
	{ "WRITE(32)", { 0x7f, [7] = 0x18, [9] = 0x0b, [19] = 4, [31] = 6 }, 32, OK, 4, 6, 3072 },
	{ "WRITE(32) wraps", { 0x7f, [7] = 0x18, [9] = 0x0b, [12] = 0xff, 0xff, 0xff, 0xff, 0xff,
	  0xff, 0xff, 0xff, [31] = 1 }, 32, RANGE },
	{ "READ(32) NACA", { 0x7f, 0x04, [7] = 0x18, [9] = 0x09 }, 32, BAD, .field = 1 },
	{ "7F, another action", { 0x7f, [7] = 0x18, [9] = 0x0a }, 32, BAD, .field = 8 },
	{ "VERIFY(10), no data", { 0x2f, 0, [5] = 1, [8] = 4 }, 10, OK, 1, 4, 0 },
	{ "VERIFY(10), data", { 0x2f, 0x02, [5] = 1, [8] = 4 }, 10, OK, 1, 4, 2048 },
	{ "VERIFY(10), BYTCHK 2", { 0x2f, 0x04, [5] = 1, [8] = 4 }, 10, BAD, .field = 1 },
	{ "VERIFY(10), BYTCHK 3", { 0x2f, 0x06, [5] = 1, [8] = 4 }, 10, BAD, .field = 1 },
	{ "VERIFY(12), data", { 0xaf, 0x02, [5] = 1, [9] = 4 }, 12, OK, 1, 4, 2048 },
	{ "VERIFY(16), data", { 0x8f, 0x02, [9] = 1, [13] = 4 }, 16, OK, 1, 4, 2048 },
	{ "VERIFY(16) beyond", { 0x8f, 0, [9] = 1, [12] = 0xff, 4 }, 16, RANGE },
	{ "WRITE AND VERIFY(10)", { 0x2e, 0, [5] = 1, [8] = 4 }, 10, OK, 1, 4, 2048, true },
	{ "WRITE AND VERIFY(12)", { 0xae, 0x02, [5] = 1, [9] = 4 }, 12, OK, 1, 4, 2048, true },
	{ "WRITE AND VERIFY(16)", { 0x8e, 0, [9] = 1, [13] = 4 }, 16, OK, 1, 4, 2048, true },
	{ "SYNCHRONIZE CACHE(10)", { 0x35, 0, [5] = 1, [8] = 4 }, 10, OK, 1, 4 },
	{ "SYNCHRONIZE CACHE(10), rest", { 0x35, 0x02, [5] = 1 }, 10, OK, 1, 999 },
	{ "SYNCHRONIZE CACHE(16), all", { 0x91 }, 16, OK, 0, 1000 },
	{ "SYNCHRONIZE CACHE(16) beyond", { 0x91, [8] = 0x10 }, 16, RANGE },
	{ "WRITE SAME(10)", { 0x41, 0, [5] = 1, [8] = 4 }, 10, OK, 1, 4, 512 },
	{ "WRITE SAME(10), UNMAP", { 0x41, 0x08, [5] = 1, [8] = 4 }, 10, OK, 1, 4, 512 },
	{ "WRITE SAME(10), ANCHOR", { 0x41, 0x10, [5] = 1, [8] = 4 }, 10, BAD, .field = 1 },
	{ "WRITE SAME(10), LBDATA", { 0x41, 0x02, [5] = 1, [8] = 4 }, 10, BAD, .field = 1 },
	{ "WRITE SAME(10), NDOB's place", { 0x41, 0x01, [5] = 1, [8] = 4 }, 10, BAD, .field = 1 },
	{ "WRITE SAME(10), 0 blocks", { 0x41, 0, [5] = 1 }, 10, BAD, .field = 7 },
	{ "WRITE SAME(16), NDOB", { 0x93, 0x01, [9] = 1, [13] = 4 }, 16, OK, 1, 4, 0 },
	{ "WRITE SAME(16), UNMAP", { 0x93, 0x08, [9] = 1, [13] = 4 }, 16, OK, 1, 4, 512 },
	{ "WRITE SAME(16), 0 blocks", { 0x93, 0x01 }, 16, BAD, .field = 10 },
	{ "WRITE SAME(16) beyond", { 0x93, 0x01, [10] = 0xff }, 16, RANGE },
	{ "UNMAP", { 0x42, [7] = 0x01, 0x08 }, 10, OK, .data = 0x108 },
	{ "UNMAP, ANCHOR", { 0x42, 0x01, [8] = 0x18 }, 10, BAD, .field = 1 },
	{ "INQUIRY", { 0x12, 0, 0, 0x01, 0x04 }, 6, OK, .data = 0x104 },
	{ "INQUIRY, CMDDT", { 0x12, 0x02, 0, 0, 96 }, 6, BAD, .field = 1 },
	{ "REQUEST SENSE", { 0x03, 0x01, 0, 0, 252 }, 6, OK, .data = 252 },
	{ "MODE SENSE(6)", { 0x1a, 0x08, 0x3f, 0xff, 255 }, 6, OK, .data = 255 },
	{ "MODE SENSE(6), LLBAA", { 0x1a, 0x10, 0x3f, 0xff, 255 }, 6, BAD, .field = 1 },
	{ "MODE SENSE(10)", { 0x5a, 0x18, 0x3f, 0xff, [7] = 1, 2 }, 10, OK, .data = 0x102 },
	{ "MODE SELECT(6)", { 0x15, 0x10, 0, 0, 24 }, 6, OK, .data = 24 },
	{ "MODE SELECT(6), SP", { 0x15, 0x11, 0, 0, 24 }, 6, BAD, .field = 1 },
	{ "MODE SELECT(10)", { 0x55, 0x10, [7] = 0, 28 }, 10, OK, .data = 28 },
	{ "READ CAPACITY(10)", { 0x25 }, 10, OK, .data = 8 },
	{ "READ CAPACITY(10), PMI", { 0x25, [8] = 1 }, 10, BAD, .field = 8 },
	{ "READ CAPACITY(10), LBA", { 0x25, [5] = 1 }, 10, BAD, .field = 5 },
	{ "READ CAPACITY(16)", { 0x9e, 0x10, [13] = 32 }, 16, OK, .data = 32 },
	{ "READ CAPACITY(16), long", { 0x9e, 0x10, [10] = 0xff, 0xff, 0xff, 0xff }, 16, OK,
	  .data = 0xffffffff },
	{ "GET LBA STATUS", { 0x9e, 0x12, [13] = 32 }, 16, BAD, .field = 1 },
	{ "REPORT LUNS", { 0xa0, [9] = 16 }, 12, OK, .data = 16 },
	{ "REPORT LUNS, 15 bytes", { 0xa0, [9] = 15 }, 12, BAD, .field = 6 },
	{ "REPORT LUNS, 0 bytes", { 0xa0 }, 12, BAD, .field = 6 },
	{ "opcodes", { 0xa3, 0x0c, 0x87, [8] = 1, 0 }, 12, OK, .data = 256 },
	{ "opcodes, reserved option bit", { 0xa3, 0x0c, 0x08, [8] = 1, 0 }, 12, BAD, .field = 2 },
	{ "task management functions", { 0xa3, 0x0d, 0x80, [9] = 16 }, 12, OK, .data = 16 },
	{ "task management functions, 3 bytes", { 0xa3, 0x0d, 0, [9] = 3 }, 12, BAD, .field = 6 },
	{ "REPORT TARGET PORT GROUPS", { 0xa3, 0x0a, [9] = 16 }, 12, BAD, .field = 1 },
	{ "START STOP UNIT", { 0x1b, 0x01, 0, 0, 0x05 }, 6, OK },
	{ "START STOP UNIT, LOEJ", { 0x1b, 0, 0, 0, 0x02 }, 6, BAD, .field = 4 },
	{ "START STOP UNIT, power condition", { 0x1b, 0, 0, 0, 0x10 }, 6, BAD, .field = 4 },
	{ "PREVENT", { 0x1e, 0, 0, 0, 0x01 }, 6, OK },
	{ "PREVENT, obsolete value", { 0x1e, 0, 0, 0, 0x02 }, 6, BAD, .field = 4 },
	{ "RESERVE(6), extent", { 0x16, 0x01 }, 6, BAD, .field = 1 },
	{ "RESERVE(10)", { 0x56 }, 10, OK },
	{ "RELEASE(10), third party", { 0x57, 0x10 }, 10, BAD, .field = 1 },
	{ "TEST UNIT READY", { 0x00 }, 6, OK },
	{ "TEST UNIT READY, short", { 0x00 }, 5, BAD, .field = 5 },
	{ "READ(16) in 10 bytes", { 0x88, [9] = 9 }, 10, BAD, .field = 10 },
	{ "READ(10) in too many bytes", { 0x28 }, 255, BAD, .field = 0 },
	{ "READ(32) in too many bytes", { 0x7f, [7] = 0x18, [9] = 0x09 }, 255, BAD, .field = 7 },
	{ "FORMAT UNIT", { 0x04 }, 6, SKUA_CDB_BAD_OPCODE },
	{ "COMPARE AND WRITE", { 0x89, [13] = 1 }, 16, SKUA_CDB_BAD_OPCODE },
	{ "PERSISTENT RESERVE IN", { 0x5e, [8] = 8 }, 10, SKUA_CDB_BAD_OPCODE },
	{ "EXTENDED COPY", { 0x83 }, 16, SKUA_CDB_BAD_OPCODE },
};

TEST(vectors)
{
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		enum skua_cdb_verdict got = run(v->cdb, v->len, 9, CAPACITY, &req, &fault);

		if (got != v->verdict || (got == BAD && fault.field != v->field) ||
		    (got == OK && (req.lba != v->lba || req.nr_blocks != v->nr ||
				   req.data_len != v->data || req.fua != v->fua)))
			unit_fail(__FILE__, __LINE__,
				  "%s: verdict %d field %d lba %llu nr %llu data %llu fua %d",
				  v->what, got, fault.field, (unsigned long long)req.lba,
				  (unsigned long long)req.nr_blocks,
				  (unsigned long long)req.data_len, req.fua);
	}
}

TEST(block_sizes)
{
	static const u8 cdb[32] = { 0x88, [9] = 1, [10] = 0x00, 0x10, 0, 0 };
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;
	u8 shift;

	for (shift = 9; shift <= 12; shift++) {
		CHECK_EQ(run(cdb, 16, shift, 1ULL << 50, &req, &fault), OK);
		CHECK_EQ(req.nr_blocks, 1 << 20);
		CHECK_EQ(req.data_len, 1ULL << (20 + shift));
	}
}

/* Sums that do not fit into 64 bits. */
TEST(range_overflow)
{
	u8 cdb[32] = { 0x88, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0, [13] = 0x0f };
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;

	CHECK_EQ(run(cdb, 16, 9, U64_MAX, &req, &fault), OK);
	cdb[13] = 0x10;
	CHECK_EQ(run(cdb, 16, 9, U64_MAX, &req, &fault), RANGE);
	cdb[10] = 0xff;
	CHECK_EQ(run(cdb, 16, 9, U64_MAX, &req, &fault), RANGE);
}

/* The largest length there is must not be cut on its way to bytes. */
TEST(largest_transfer)
{
	static const u8 cdb[32] = { 0x88, [10] = 0xff, 0xff, 0xff, 0xff };
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;

	CHECK_EQ(run(cdb, 16, 12, U64_MAX >> 12, &req, &fault), OK);
	CHECK_EQ(req.data_len, 0xffffffffULL << 12);
}

TEST(write_same_limit)
{
	u8 cdb[32] = { 0x93, 0x01, [10] = 0x00, 0x20, 0x00, 0x00 };
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;

	CHECK_EQ(run(cdb, 16, 9, 1ULL << 40, &req, &fault), OK);
	CHECK_EQ(req.nr_blocks << 9, SKUA_MAX_WRITE_SAME);
	cdb[13] = 1;
	CHECK_EQ(run(cdb, 16, 9, 1ULL << 40, &req, &fault), BAD);
	CHECK_EQ(fault.field, 10);
	CHECK_EQ(run(cdb, 16, 12, 1ULL << 40, &req, &fault), BAD);
}

TEST(no_medium)
{
	static const u8 tur[32] = { 0x00 }, sync[32] = { 0x35 }, read[32] = { 0x28, [8] = 1 };
	struct skua_cdb_fault fault;
	struct skua_cdb_req req;

	CHECK_EQ(run(tur, 6, 9, 0, &req, &fault), OK);
	CHECK_EQ(run(sync, 10, 9, 0, &req, &fault), OK);
	CHECK_EQ(req.nr_blocks, 0);
	CHECK_EQ(run(read, 10, 9, 0, &req, &fault), RANGE);
}
