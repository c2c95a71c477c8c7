// SPDX-License-Identifier: GPL-2.0
/* REPORT SUPPORTED OPERATION CODES (SPC-4 6.35), made of the CDB table. */
#include <linux/slab.h>

#include "exec.h"

#define TIMEOUTS_LEN	12
#define ALL_DESC_LEN	8

enum { SUPPORT_NO = 1, SUPPORT_YES = 3 };

/* The table is the same for all devices; this is what a device lacks of it. */
static bool skua_op_served(const struct skua_dev *dev, const struct skua_cdb_op *op)
{
	return op->id != SKUA_OP_UNMAP || skua_dev_thin(dev);
}

static u8 skua_op_usage(const struct skua_dev *dev, const struct skua_cdb_op *op, int byte)
{
	if (op->id == SKUA_OP_WRITE_SAME && byte == 1 && !skua_dev_ws_unmaps(dev))
		return op->usage[byte] & ~0x08;
	return op->usage[byte];
}

/* Command timeouts descriptor, SPC-4 6.35.4: nothing is indicated. */
static u32 skua_put_timeouts(u8 *p)
{
	memset(p, 0, TIMEOUTS_LEN);
	put_unaligned_be16(TIMEOUTS_LEN - 2, p);
	return TIMEOUTS_LEN;
}

static void skua_report_all(struct skua_cmd *cmd, bool timeouts)
{
	const struct skua_dev *dev = cmd->nexus->dev;
	const struct skua_cdb_op *op;
	u32 nr, i, pos = 4;
	u8 *data;

	op = skua_cdb_table(&nr);
	data = kzalloc(4 + nr * (ALL_DESC_LEN + TIMEOUTS_LEN), GFP_NOIO);
	if (!data) {
		skua_cmd_error(cmd, -ENOMEM);
		return;
	}
	for (i = 0; i < nr; i++, op++) {
		if (!skua_op_served(dev, op))
			continue;
		data[pos] = op->opcode;
		if (op->sa >= 0) {
			put_unaligned_be16(op->sa, data + pos + 2);
			data[pos + 5] |= 0x01;	/* SERVACTV */
		}
		put_unaligned_be16(op->len, data + pos + 6);
		if (timeouts)
			data[pos + 5] |= 0x02;	/* CTDP */
		pos += ALL_DESC_LEN;
		if (timeouts)
			pos += skua_put_timeouts(data + pos);
	}
	put_unaligned_be32(pos - 4, data);
	skua_cmd_reply(cmd, data, pos);
	kfree(data);
}

static void skua_report_one(struct skua_cmd *cmd, const struct skua_cdb_op *op, bool timeouts)
{
	const struct skua_dev *dev = cmd->nexus->dev;
	u8 data[4 + SKUA_MAX_CDB + TIMEOUTS_LEN] = {};
	u32 pos = 4;
	int i;

	if (!op || !skua_op_served(dev, op)) {
		data[1] = SUPPORT_NO;
		skua_cmd_reply(cmd, data, pos);
		return;
	}
	data[1] = SUPPORT_YES;
	put_unaligned_be16(op->len, data + 2);
	for (i = 0; i < op->len; i++)
		data[pos++] = skua_op_usage(dev, op, i);
	if (timeouts) {
		data[1] |= 0x80;	/* CTDP */
		pos += skua_put_timeouts(data + pos);
	}
	skua_cmd_reply(cmd, data, pos);
}

static const struct skua_cdb_op *skua_op_lookup(u8 opcode, s32 action)
{
	const struct skua_cdb_op *op;
	u32 nr, i;

	op = skua_cdb_table(&nr);
	for (i = 0; i < nr; i++, op++)
		if (op->opcode == opcode && (action < 0 || op->sa == action))
			return op;
	return NULL;
}

/* Opcodes with service actions of which all or none are in the table. */
static bool skua_op_has_actions(u8 opcode)
{
	const struct skua_cdb_op *op = skua_op_lookup(opcode, -1);

	return op && op->sa >= 0;
}

void skua_exec_report_opcodes(struct skua_cmd *cmd)
{
	bool timeouts = cmd->cdb[2] & 0x80;
	u8 opcode = cmd->cdb[3];
	u16 action = get_unaligned_be16(cmd->cdb + 4);
	bool actions = skua_op_has_actions(opcode);
	const struct skua_cdb_op *op = skua_op_lookup(opcode, actions ? action : -1);

	switch (cmd->cdb[2] & 0x07) {
	case 0:
		skua_report_all(cmd, timeouts);
		break;
	case 1:		/* an opcode without service actions */
		if (actions)
			skua_cmd_bad_field(cmd, 2, 2, true);
		else
			skua_report_one(cmd, op, timeouts);
		break;
	case 2:		/* an opcode with service actions */
		if (op && !actions)
			skua_cmd_bad_field(cmd, 2, 2, true);
		else
			skua_report_one(cmd, op, timeouts);
		break;
	case 3:		/* either; without service actions the field has to be zero */
		skua_report_one(cmd, actions || !action ? op : NULL, timeouts);
		break;
	default:
		skua_cmd_bad_field(cmd, 2, 2, true);
		break;
	}
}
