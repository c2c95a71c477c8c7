// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a CDB: whatever is let through lies on the medium, and whatever is
 * refused names a byte of the CDB.
 */
#include "../../core/cdb.c"

static void require(bool cond)
{
	if (!cond)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct skua_cdb_fault fault = { .bit = -1 };
	const struct skua_cdb_op *op;
	struct skua_cdb_req req = {};
	u8 cdb[32] = {}, len, shift;
	u64 capacity;

	if (size < 10)
		return 0;
	shift = 9 + data[0] % 4;
	capacity = get_unaligned_be64(data + 1) >> (12 + data[9] % 50);
	data += 10;
	size -= 10;
	memcpy(cdb, data, size < 32 ? size : 32);
	len = size > 32 ? 255 : size;

	op = skua_cdb_find(cdb, len);
	if (!op) {
		require(!len || skua_cdb_refusal(cdb, &fault) != SKUA_CDB_OK);
		return 0;
	}
	require(op->opcode == cdb[0]);
	switch (skua_cdb_check(op, cdb, len, &fault)) {
	case SKUA_CDB_OK:
		require(len >= op->len && len <= 32);
		break;
	case SKUA_CDB_BAD_FIELD:
		require(fault.field < op->len && fault.bit >= -1 && fault.bit < 8);
		return 0;
	default:
		abort();
	}
	switch (skua_cdb_decode(op, cdb, shift, capacity, &req, &fault)) {
	case SKUA_CDB_OK:
		require(req.lba <= capacity && req.nr_blocks <= capacity - req.lba);
		require(req.data_len <= 0xffffffffULL << shift);
		if (op->flags & SKUA_F_RW)
			require(req.data_len >> shift == req.nr_blocks);
		require(op->flags & (SKUA_F_IN | SKUA_F_OUT) || !req.data_len);
		break;
	case SKUA_CDB_BAD_FIELD:
		require(fault.field < op->len);
		break;
	case SKUA_CDB_OUT_OF_RANGE:
		require(op->flags & SKUA_F_MEDIA);
		break;
	default:
		abort();
	}
	return 0;
}
