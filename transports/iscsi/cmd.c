// SPDX-License-Identifier: GPL-2.0
/*
 * SCSI commands: from the PDU to the core, their write data, and back.
 *
 * Immediate and unsolicited data is received into a buffer of the slot: the core may
 * hold the command behind others whose data is still to come on the same connection,
 * so reading must not wait for it. Solicited data goes straight into the core's pages.
 */
#include <linux/slab.h>

#include "iscsit.h"

/**
 * iscsit_slot_find() - a command by its Initiator Task Tag
 * @conn: the connection
 * @itt: as on the wire
 *
 * Return: NULL if there is none.
 */
struct iscsit_slot *iscsit_slot_find(struct iscsit_conn *conn, __be32 itt)
{
	u32 i;

	for (i = 0; i < conn->nr_slots; i++) {
		struct iscsit_slot *slot = &conn->q->slots[i];

		if (READ_ONCE(slot->used) && slot->itt == itt)
			return slot;
	}
	return NULL;
}

/* ---- SCSI Command ------------------------------------------------------ */

static u8 iscsit_cmd_dir(u8 flags)
{
	switch (flags & (ISCSI_F_READ | ISCSI_F_WRITE)) {
	case ISCSI_F_READ:
		return SKUA_DIR_READ;
	case ISCSI_F_WRITE:
		return SKUA_DIR_WRITE;
	case ISCSI_F_READ | ISCSI_F_WRITE:
		return SKUA_DIR_BIDI;
	default:
		return SKUA_DIR_NONE;
	}
}

static u8 iscsit_cmd_attr(u8 flags)
{
	switch (flags & ISCSI_F_ATTR) {
	case 2:
		return SKUA_ORDERED;
	case 3:
		return SKUA_HEAD_OF_QUEUE;
	case 4:
		return SKUA_ACA;
	default:
		return SKUA_SIMPLE;
	}
}

static void iscsit_cmd_fill(struct iscsit_slot *slot, const struct iscsi_bhs *bhs,
			    const struct iscsi_scsi_req *req)
{
	struct skua_cmd *cmd = &slot->cmd;

	slot->itt = bhs->itt;
	slot->immediate = bhs->opcode & ISCSI_IMMEDIATE;
	cmd->tag = be32_to_cpu(bhs->itt);
	memcpy(&cmd->lun, bhs->lun, sizeof(cmd->lun));
	cmd->edtl = be32_to_cpu(bhs->edtl);
	cmd->edtl_dir = iscsit_cmd_dir(bhs->flags);
	cmd->task_attr = iscsit_cmd_attr(bhs->flags);
	cmd->cdb_len = req->cdb_len;
	memcpy(cmd->cdb, req->cdb, sizeof(cmd->cdb));
}

/* Room for the data that comes without being asked for. */
static int iscsit_cmd_bounce(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	const struct iscsi_bhs *bhs = &conn->rx.bhs;
	u32 len = conn->rx.len;

	if (!(bhs->flags & ISCSI_F_FINAL))
		len = min(slot->cmd.edtl, conn->nego.value[ISCSI_FIRST_BURST]);
	slot->unsol_want = len;
	if (!len)
		return 0;
	slot->bounce = kvmalloc(len, GFP_NOIO);
	return slot->bounce ? 0 : -ENOMEM;
}

/**
 * iscsit_cmd_header() - the header of a SCSI Command is there
 * @conn: the connection
 *
 * Return: 0: read its data, then iscsit_cmd_pdu(); -errno: end the connection.
 */
int iscsit_cmd_header(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	const u32 *value = conn->nego.value;
	struct iscsi_scsi_req req;
	u8 reason;
	int ret;

	rx->drop = true;
	if (!conn->attached)
		return iscsit_reject(conn, ISCSI_REJECT_PROTOCOL);
	ret = iscsit_cmd_sn(conn, &rx->bhs);
	if (ret <= 0)
		return ret;
	reason = iscsi_parse_scsi(&rx->bhs, rx->rest, &req);
	if (!reason)
		reason = iscsi_check_scsi(&rx->bhs, value[ISCSI_FIRST_BURST],
					  value[ISCSI_IMMEDIATE_DATA], value[ISCSI_INITIAL_R2T]);
	if (!reason) {
		rx->slot = iscsit_slot_get(conn);
		if (!rx->slot)
			reason = rx->bhs.opcode & ISCSI_IMMEDIATE ? ISCSI_REJECT_IMMEDIATE :
				 ISCSI_REJECT_RESOURCES;
	}
	if (reason) {
		if (!(rx->bhs.opcode & ISCSI_IMMEDIATE))
			conn->max_cmd_sn++;
		return iscsit_reject(conn, reason);
	}
	iscsit_cmd_fill(rx->slot, &rx->bhs, &req);
	ret = iscsit_cmd_bounce(conn, rx->slot);
	rx->buf = rx->slot->bounce;
	rx->drop = false;
	return ret;
}

/**
 * iscsit_cmd_pdu() - a whole SCSI Command is there
 * @conn: the connection
 */
int iscsit_cmd_pdu(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	struct iscsit_slot *slot = rx->slot;

	if (rx->drop)
		return 0;
	slot->unsol_got = rx->len;
	if (skua_cmd_submit(&slot->cmd))
		return -ESHUTDOWN;	/* the slot is still rx's, which gives it back */
	rx->slot = NULL;
	return 0;
}

/* ---- write data --------------------------------------------------------- */

/*
 * All unsolicited data is there and the core has pages: copy, then go on with what is
 * missing. The caller has cleared slot->waiting, so the slot is its own.
 */
static void iscsit_cmd_go_on(struct iscsit_slot *slot, bool may_sleep)
{
	struct iscsit_conn *conn = slot->conn;
	struct skua_cmd *cmd = &slot->cmd;
	unsigned long flags;

	if (slot->bounce) {
		slot->got = min(slot->unsol_got, cmd->xfer_len);
		sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, slot->bounce, slot->got);
		kvfree(slot->bounce);
		slot->bounce = NULL;
	}
	if (slot->got >= cmd->xfer_len) {
		skua_cmd_execute(cmd, may_sleep);
		return;
	}
	slot->burst_start = slot->got;
	slot->burst_len = min(cmd->xfer_len - slot->got, conn->nego.value[ISCSI_MAX_BURST]);
	slot->burst_got = 0;
	slot->burst_sn = 0;
	spin_lock_irqsave(&conn->lock, flags);
	if (!conn->stopped) {
		slot->waiting = true;
		list_add_tail(&slot->r2t.link, &conn->tx);
		queue_work_on(conn->cpu, iscsit_wq, &conn->io_work);
		slot = NULL;
	}
	spin_unlock_irqrestore(&conn->lock, flags);
	if (slot)
		skua_cmd_transfer_failed(cmd);
}

/* Whoever gets true ends the wait of the command for data. */
static bool iscsit_cmd_unwait(struct iscsit_slot *slot)
{
	struct iscsit_conn *conn = slot->conn;
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&conn->lock, flags);
	mine = slot->waiting;
	slot->waiting = false;
	list_del_init(&slot->r2t.link);
	spin_unlock_irqrestore(&conn->lock, flags);
	return mine;
}

/**
 * iscsit_start() - fetch write data, if there is any
 * @cmd: passed the gate, has its buffers
 * @may_sleep: in process context
 */
void iscsit_start(struct skua_cmd *cmd, bool may_sleep)
{
	struct iscsit_slot *slot = container_of(cmd, struct iscsit_slot, cmd);
	struct iscsit_conn *conn = slot->conn;
	bool ready, fail;
	unsigned long flags;

	if (cmd->data_dir != SKUA_DIR_WRITE || !cmd->xfer_len) {
		skua_cmd_execute(cmd, may_sleep);
		return;
	}
	spin_lock_irqsave(&conn->lock, flags);
	fail = slot->failed || conn->stopped;
	ready = slot->unsol_got == slot->unsol_want;
	slot->waiting = !ready && !fail;
	spin_unlock_irqrestore(&conn->lock, flags);
	if (fail)
		skua_cmd_transfer_failed(cmd);
	else if (ready)
		iscsit_cmd_go_on(slot, may_sleep);
}

static bool iscsit_tmf_hits(const struct skua_tmf *tmf, const struct iscsit_slot *slot)
{
	switch (tmf->function) {
	case SKUA_TMF_ABORT_TASK:
		return slot->cmd.tag == tmf->tag;
	case SKUA_TMF_TARGET_RESET:
	case SKUA_TMF_NEXUS_LOSS:
		return true;
	case SKUA_TMF_ABORT_TASK_SET:
	case SKUA_TMF_CLEAR_TASK_SET:
	case SKUA_TMF_LUN_RESET:
		return !memcmp(&slot->cmd.lun, &tmf->lun, sizeof(tmf->lun));
	default:
		return false;
	}
}

/**
 * iscsit_slots_fail() - end the commands that wait for data which will not come
 * @conn: the connection; io_work is the caller, or has stopped
 * @tmf: only those that this aborts; NULL: all
 */
void iscsit_slots_fail(struct iscsit_conn *conn, const struct skua_tmf *tmf)
{
	u32 i;

	for (i = 0; i < conn->nr_slots; i++) {
		struct iscsit_slot *slot = &conn->q->slots[i];

		if (READ_ONCE(slot->waiting) && (!tmf || iscsit_tmf_hits(tmf, slot)) &&
		    iscsit_cmd_unwait(slot))
			skua_cmd_transfer_failed(&slot->cmd);
	}
}

/* ---- Data-Out ----------------------------------------------------------- */

/* Without recovery of data the command fails, now or when the core asks for its data. */
static void iscsit_data_out_bad(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	pr_info_ratelimited("skua_iscsi: %s: Data-Out out of sequence\n", conn->peer);
	spin_lock_irq(&conn->lock);
	slot->failed = true;
	spin_unlock_irq(&conn->lock);
	if (iscsit_cmd_unwait(slot))
		skua_cmd_transfer_failed(&slot->cmd);
}

static int iscsit_unsol_header(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	struct iscsit_rx *rx = &conn->rx;

	if (iscsi_check_data_out(&rx->bhs, 0, slot->unsol_want, slot->unsol_got,
				 slot->unsol_sn))
		return -EPROTO;
	slot->unsol_sn++;
	rx->buf = slot->bounce + slot->unsol_got;
	return 0;
}

static int iscsit_solicited_header(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	struct iscsit_rx *rx = &conn->rx;

	if (iscsi_check_data_out(&rx->bhs, slot->burst_start, slot->burst_len, slot->burst_got,
				 slot->burst_sn))
		return -EPROTO;
	slot->burst_sn++;
	rx->to.sg = slot->cmd.io.sg;
	rx->to.off = 0;
	iscsit_sg_advance(&rx->to, slot->burst_start + slot->burst_got);
	rx->from = rx->to;
	return 0;
}

/* The data that is due can still come; else the rest of it is passed over. */
static struct iscsit_slot *iscsit_data_out_slot(struct iscsit_conn *conn)
{
	const struct iscsi_bhs *bhs = &conn->rx.bhs;
	u32 ttt = be32_to_cpu(bhs->ttt);
	struct iscsit_slot *slot;

	if (ttt == ISCSI_NO_TAG) {
		slot = iscsit_slot_find(conn, bhs->itt);
		return slot && !slot->failed && slot->unsol_got < slot->unsol_want ? slot : NULL;
	}
	if (ttt >= conn->nr_slots)
		return NULL;
	slot = &conn->q->slots[ttt];
	return READ_ONCE(slot->used) && slot->itt == bhs->itt && READ_ONCE(slot->waiting) &&
	       slot->burst_len ? slot : NULL;
}

/**
 * iscsit_data_out_header() - the header of a Data-Out is there
 * @conn: the connection
 *
 * Return: 0: read its data; -errno: end the connection.
 */
int iscsit_data_out_header(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	struct iscsit_slot *slot;
	int bad;

	rx->drop = true;
	if (!conn->attached)
		return iscsit_reject(conn, ISCSI_REJECT_PROTOCOL);
	slot = iscsit_data_out_slot(conn);
	if (!slot)
		return 0;
	bad = be32_to_cpu(rx->bhs.ttt) == ISCSI_NO_TAG ? iscsit_unsol_header(conn, slot) :
	      iscsit_solicited_header(conn, slot);
	if (bad) {
		iscsit_data_out_bad(conn, slot);
		return 0;
	}
	rx->drop = false;
	rx->slot = slot;
	return 0;
}

static int iscsit_unsol_pdu(struct iscsit_conn *conn, struct iscsit_slot *slot, bool final)
{
	unsigned long flags;
	bool go;

	spin_lock_irqsave(&conn->lock, flags);
	slot->unsol_got += conn->rx.len;
	/* The initiator may end it before FirstBurstLength. */
	if (final)
		slot->unsol_want = slot->unsol_got;
	go = slot->unsol_got == slot->unsol_want && slot->waiting;
	if (go)
		slot->waiting = false;
	spin_unlock_irqrestore(&conn->lock, flags);
	if (go)
		iscsit_cmd_go_on(slot, false);
	return 0;
}

/**
 * iscsit_data_out_pdu() - a whole Data-Out is there
 * @conn: the connection
 */
int iscsit_data_out_pdu(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	bool final = rx->bhs.flags & ISCSI_F_FINAL;
	struct iscsit_slot *slot = rx->slot;

	if (rx->drop)
		return 0;
	if (be32_to_cpu(rx->bhs.ttt) == ISCSI_NO_TAG)
		return iscsit_unsol_pdu(conn, slot, final);
	slot->burst_got += rx->len;
	if (slot->burst_got < slot->burst_len) {
		if (final)		/* less than was asked for */
			iscsit_data_out_bad(conn, slot);
		return 0;
	}
	if (!iscsit_cmd_unwait(slot))
		return 0;
	slot->got += slot->burst_len;
	iscsit_cmd_go_on(slot, false);
	return 0;
}

/* ---- responses ----------------------------------------------------------- */

/**
 * iscsit_respond() - send read data and status
 * @cmd: done
 */
void iscsit_respond(struct skua_cmd *cmd)
{
	struct iscsit_slot *slot = container_of(cmd, struct iscsit_slot, cmd);

	iscsit_queue_tx(slot->conn, &slot->rsp);
}
