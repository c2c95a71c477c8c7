// SPDX-License-Identifier: GPL-2.0
/* Primary commands (SPC-4) that have no file of their own; SPC-2 reservations. */
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "exec.h"
#include "lunfmt.h"
#include "sense.h"

/* TEST UNIT READY, SPC-4: the gate has found the medium ready. */
void skua_exec_test_unit_ready(struct skua_cmd *cmd)
{
	skua_cmd_good(cmd);
}

/* What REQUEST SENSE says of a logical unit without a unit attention. */
static void skua_pollable_sense(const struct skua_cmd *cmd, struct skua_sense_info *info)
{
	const struct skua_dev *dev;

	if (!cmd->nexus || cmd->nexus->dev->config.dummy) {
		info->key = ILLEGAL_REQUEST;
		info->asc = 0x25;	/* LOGICAL UNIT NOT SUPPORTED */
		return;
	}
	dev = cmd->nexus->dev;
	if (!READ_ONCE(dev->online)) {
		info->key = NOT_READY;
		info->asc = 0x04;
	} else if (!READ_ONCE(dev->started)) {
		info->key = NOT_READY;
		info->asc = 0x04;
		info->ascq = 0x02;	/* INITIALIZING COMMAND REQUIRED */
	}
}

/* REQUEST SENSE, SPC-4: a pending unit attention is returned and cleared. */
void skua_exec_request_sense(struct skua_cmd *cmd)
{
	struct skua_sense_info info = { .key = NO_SENSE };
	u8 data[SKUA_SENSE_LEN];
	struct skua_ua ua;
	u8 len;

	if (cmd->nexus && skua_cmd_take_ua(cmd, &ua)) {
		info.key = UNIT_ATTENTION;
		info.asc = ua.asc;
		info.ascq = ua.ascq;
	} else {
		skua_pollable_sense(cmd, &info);
	}
	len = skua_sense_build(data, sizeof(data), cmd->cdb[1] & 0x01, &info);
	skua_cmd_reply(cmd, data, len);
}

/*
 * RESERVE, SPC-2: of the whole logical unit, for this I_T nexus. The gate lets
 * two initiators pass at once, so the holder is looked at again.
 */
void skua_exec_reserve(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	u64 id = cmd->queue->session->id;
	unsigned long flags;
	bool conflict;

	spin_lock_irqsave(&dev->lock, flags);
	conflict = dev->reserved_by && dev->reserved_by != id;
	if (!conflict && !READ_ONCE(cmd->nexus->dead))
		WRITE_ONCE(dev->reserved_by, id);
	spin_unlock_irqrestore(&dev->lock, flags);
	skua_cmd_done(cmd, conflict ? SAM_STAT_RESERVATION_CONFLICT : SAM_STAT_GOOD);
}

/* RELEASE, SPC-2: does nothing and is GOOD where the reservation is another's. */
void skua_exec_release(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	if (dev->reserved_by == cmd->queue->session->id)
		WRITE_ONCE(dev->reserved_by, 0);
	spin_unlock_irqrestore(&dev->lock, flags);
	skua_cmd_good(cmd);
}

/* PREVENT ALLOW MEDIUM REMOVAL, SBC-3. Nothing here ejects a medium. */
void skua_exec_prevent_allow(struct skua_cmd *cmd)
{
	WRITE_ONCE(cmd->nexus->dev->no_removal, cmd->cdb[4] & 0x01);
	skua_cmd_good(cmd);
}

/* ---- REPORT LUNS ------------------------------------------------------ */

/* Writes at most @room LUNs; returns how many there are. */
static u32 skua_list_luns(struct skua_session *sess, struct scsi_lun *out, u32 room)
{
	const struct skua_lun_table *table;
	u8 method = SKUA_ADDR_PERIPHERAL;
	u32 i, nr = 0;

	rcu_read_lock();
	table = rcu_dereference(sess->luns);
	if (table)
		method = READ_ONCE(table->addr_method);
	for (i = 0; table && i < table->nr; i++) {
		if (!READ_ONCE(table->nexus[i]))
			continue;
		if (nr < room)
			skua_lun_encode(i, method, &out[nr]);
		nr++;
	}
	rcu_read_unlock();
	return nr;
}

/*
 * The list, with its 8 byte header. The map may change between counting and
 * writing; the second count is what the header says, cut to what was written.
 */
static void skua_reply_luns(struct skua_cmd *cmd)
{
	struct skua_session *sess = cmd->queue->session;
	u32 room = skua_list_luns(sess, NULL, 0) + 8;
	struct scsi_lun *list;
	u32 nr;

	list = kvcalloc(room + 1, sizeof(*list), GFP_NOIO);
	if (!list) {
		skua_cmd_error(cmd, -ENOMEM);
		return;
	}
	nr = min(skua_list_luns(sess, list + 1, room), room);
	put_unaligned_be32(nr * sizeof(*list), list);
	skua_cmd_reply(cmd, list, (nr + 1) * sizeof(*list));
	kvfree(list);
}

/*
 * REPORT LUNS, SPC-4 6.33. There are no well known, administrative or subsidiary
 * logical units, so these lists are empty.
 */
void skua_exec_report_luns(struct skua_cmd *cmd)
{
	static const u8 none[8];

	switch (cmd->cdb[2]) {
	case 0x00:	/* all but well known ones */
	case 0x02:	/* all */
	case 0x11:	/* administrative ones and those outside of conglomerates */
		skua_reply_luns(cmd);
		break;
	case 0x01:	/* well known ones */
	case 0x10:	/* administrative ones */
	case 0x12:	/* subsidiary ones of this administrative one */
		skua_cmd_reply(cmd, none, sizeof(none));
		break;
	default:
		skua_cmd_bad_field(cmd, 2, -1, true);
		break;
	}
}

/*
 * REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS, SPC-4 6.36: what tmf.c serves.
 * Nexus loss is an event, not a function that initiators send.
 */
void skua_exec_report_tmfs(struct skua_cmd *cmd)
{
	u8 data[16] = {};

	data[0] = 0x80 |	/* ABORT TASK */
		  0x40 |	/* ABORT TASK SET */
		  0x10 |	/* CLEAR TASK SET */
		  0x08 |	/* LOGICAL UNIT RESET */
		  0x04 |	/* QUERY TASK */
		  0x02;		/* TARGET RESET */
	if (cmd->cdb[2] & 0x80) {	/* REPD; no timeouts are indicated */
		data[3] = sizeof(data) - 4;
		skua_cmd_reply(cmd, data, sizeof(data));
	} else {
		skua_cmd_reply(cmd, data, 4);
	}
}
