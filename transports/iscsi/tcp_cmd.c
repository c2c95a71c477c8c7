// SPDX-License-Identifier: GPL-2.0
/*
 * SCSI commands: from the PDU to the core, their write data, and back.
 *
 * Immediate and unsolicited data is received into a buffer of the slot: the core may
 * hold the command behind others whose data is still to come on the same connection,
 * so reading must not wait for it. Solicited data goes straight into the core's pages.
 */
#include <linux/slab.h>

#include "tcp.h"

/**
 * itcp_slot_find() - a command by its Initiator Task Tag
 * @tcp: the connection
 * @itt: as on the wire
 *
 * Return: NULL if there is none.
 */
struct itcp_slot *itcp_slot_find(struct itcp_conn *tcp, __be32 itt)
{
	u32 i;

	for (i = 0; i < iscsit_nr_slots(&tcp->c); i++) {
		struct itcp_slot *slot = &tcp->q->slots[i];

		if (READ_ONCE(slot->used) && slot->itt == itt)
			return slot;
	}
	return NULL;
}

/* ---- SCSI Command ------------------------------------------------------ */

static u8 itcp_cmd_dir(u8 flags)
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

static u8 itcp_cmd_attr(u8 flags)
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

static void itcp_cmd_fill(struct itcp_slot *slot, const struct iscsi_bhs *bhs,
			  const struct iscsi_scsi_req *req)
{
	struct skua_cmd *cmd = &slot->cmd;

	slot->itt = bhs->itt;
	slot->immediate = bhs->opcode & ISCSI_IMMEDIATE;
	cmd->tag = be32_to_cpu(bhs->itt);
	memcpy(&cmd->lun, bhs->lun, sizeof(cmd->lun));
	cmd->edtl = be32_to_cpu(bhs->edtl);
	cmd->edtl_dir = itcp_cmd_dir(bhs->flags);
	cmd->task_attr = itcp_cmd_attr(bhs->flags);
	cmd->cdb_len = req->cdb_len;
	memcpy(cmd->cdb, req->cdb, sizeof(cmd->cdb));
}

/* Room for the data that comes without being asked for. */
static int itcp_cmd_bounce(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	const struct iscsi_bhs *bhs = &tcp->rx.bhs;
	u32 len = tcp->rx.len;

	if (!(bhs->flags & ISCSI_F_FINAL))
		len = min(slot->cmd.edtl, tcp->c.nego.value[ISCSI_FIRST_BURST]);
	slot->unsol_want = len;
	if (!len)
		return 0;
	slot->bounce = kvmalloc(len, GFP_NOIO);
	return slot->bounce ? 0 : -ENOMEM;
}

/**
 * itcp_cmd_header() - the header of a SCSI Command is there
 * @tcp: the connection
 *
 * Return: 0: read its data, then itcp_cmd_pdu(); -errno: end the connection.
 */
int itcp_cmd_header(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	const u32 *value = tcp->c.nego.value;
	struct iscsi_scsi_req req;
	u8 reason;
	int ret;

	rx->drop = true;
	if (!tcp->c.attached)
		return iscsit_reject(&tcp->c, &tcp->rx.bhs, ISCSI_REJECT_PROTOCOL);
	ret = iscsit_cmd_sn(&tcp->c, &rx->bhs);
	if (ret <= 0 || READ_ONCE(tcp->c.dying))
		return min(ret, 0);
	reason = iscsi_parse_scsi(&rx->bhs, rx->rest, &req);
	if (!reason)
		reason = iscsi_check_scsi(&rx->bhs, value[ISCSI_FIRST_BURST],
					  value[ISCSI_IMMEDIATE_DATA], value[ISCSI_INITIAL_R2T]);
	if (!reason) {
		rx->slot = itcp_slot_get(tcp);
		if (!rx->slot)
			reason = rx->bhs.opcode & ISCSI_IMMEDIATE ? ISCSI_REJECT_IMMEDIATE :
				 ISCSI_REJECT_RESOURCES;
	}
	if (reason) {
		if (!(rx->bhs.opcode & ISCSI_IMMEDIATE))
			iscsit_window_open(&tcp->c);
		return iscsit_reject(&tcp->c, &tcp->rx.bhs, reason);
	}
	itcp_cmd_fill(rx->slot, &rx->bhs, &req);
	ret = itcp_cmd_bounce(tcp, rx->slot);
	if (ret)
		return ret;		/* itcp_rx_reset() gives the slot back */
	rx->buf = rx->slot->bounce;
	rx->drop = false;
	return 0;
}

/**
 * itcp_cmd_pdu() - a whole SCSI Command is there
 * @tcp: the connection
 */
int itcp_cmd_pdu(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	struct itcp_slot *slot = rx->slot;

	if (rx->drop)
		return 0;
	slot->unsol_got = rx->len;
	if (skua_cmd_submit(&slot->cmd))
		return -ESHUTDOWN;	/* the slot is still rx's, which gives it back */
	rx->slot = NULL;
	return 0;
}

/* ---- write data --------------------------------------------------------- */

/* R2Ts whose data has not all come */
static u32 itcp_open_r2ts(const struct itcp_slot *slot)
{
	return slot->r2t_sn - slot->burst_r2t;
}

static bool itcp_wants_r2t(const struct itcp_slot *slot)
{
	u32 most = min_t(u32, slot->tcp->c.nego.value[ISCSI_MAX_R2T], ITCP_MAX_R2T);

	return slot->asked < slot->cmd.xfer_len && itcp_open_r2ts(slot) < most;
}

static u32 itcp_burst(const struct itcp_slot *slot, u32 start)
{
	return min(slot->cmd.xfer_len - start, slot->tcp->c.nego.value[ISCSI_MAX_BURST]);
}

/**
 * itcp_r2t_next() - what the next R2T asks for
 * @slot: the command
 * @start: offset in its data
 * @len: bytes
 *
 * Return: whether another one follows at once.
 */
bool itcp_r2t_next(struct itcp_slot *slot, u32 *start, u32 *len)
{
	*start = slot->asked;
	*len = itcp_burst(slot, *start);
	slot->asked += *len;
	slot->r2t_sn++;
	return itcp_wants_r2t(slot);
}

/**
 * itcp_r2t_queue() - send R2Ts if the command needs more and still waits
 * @slot: the command; io_work is the caller, and is not sending R2Ts of it
 */
void itcp_r2t_queue(struct itcp_slot *slot)
{
	struct itcp_conn *tcp = slot->tcp;

	spin_lock_irq(&tcp->lock);
	if (slot->waiting && !tcp->stopped && list_empty(&slot->r2t.link) &&
	    itcp_wants_r2t(slot))
		list_add_tail(&slot->r2t.link, &tcp->tx);
	spin_unlock_irq(&tcp->lock);
}

/*
 * All unsolicited data is there and the core has pages: copy, then go on with what is
 * missing. The caller has cleared slot->waiting, so the slot is its own. A backend that
 * blocks does so in the core's work item, not here: this module may have to unload.
 */
static void itcp_cmd_go_on(struct itcp_slot *slot)
{
	struct itcp_conn *tcp = slot->tcp;
	struct skua_cmd *cmd = &slot->cmd;
	unsigned long flags;
	bool stopped;

	if (slot->bounce) {
		slot->asked = min(slot->unsol_got, cmd->xfer_len);
		sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, slot->bounce, slot->asked);
		kvfree(slot->bounce);
		slot->bounce = NULL;
	}
	if (slot->asked >= cmd->xfer_len) {
		skua_cmd_execute(cmd, false);
		return;
	}
	slot->burst_start = slot->asked;
	slot->burst_len = itcp_burst(slot, slot->asked);
	spin_lock_irqsave(&tcp->lock, flags);
	stopped = tcp->stopped;
	if (!stopped) {
		slot->waiting = true;
		list_add_tail(&slot->r2t.link, &tcp->tx);
		/* Either this sees that the command is aborted, or io_work that it waits. */
		smp_mb();
		if (skua_cmd_aborting(cmd))
			atomic_set(&tcp->abort, 1);
		queue_work_on(tcp->c.cpu, iscsit_wq, &tcp->io_work);
	}
	spin_unlock_irqrestore(&tcp->lock, flags);
	if (stopped)
		skua_cmd_transfer_failed(cmd);
}

/* Whoever gets true ends the wait of the command for data. */
static bool itcp_cmd_unwait(struct itcp_slot *slot)
{
	struct itcp_conn *tcp = slot->tcp;
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&tcp->lock, flags);
	mine = slot->waiting;
	slot->waiting = false;
	list_del_init(&slot->r2t.link);
	spin_unlock_irqrestore(&tcp->lock, flags);
	return mine;
}

/**
 * itcp_start() - fetch write data
 * @cmd: passed the gate, has its buffers
 * @may_sleep: in process context
 */
void itcp_start(struct skua_cmd *cmd, bool may_sleep)
{
	struct itcp_slot *slot = container_of(cmd, struct itcp_slot, cmd);
	struct itcp_conn *tcp = slot->tcp;
	bool ready, fail;
	unsigned long flags;

	spin_lock_irqsave(&tcp->lock, flags);
	fail = slot->failed || tcp->stopped;
	ready = slot->unsol_got == slot->unsol_want;
	slot->waiting = !ready && !fail;
	if (slot->waiting) {
		smp_mb();		/* as in itcp_cmd_go_on() */
		if (skua_cmd_aborting(cmd)) {
			atomic_set(&tcp->abort, 1);
			queue_work_on(tcp->c.cpu, iscsit_wq, &tcp->io_work);
		}
	}
	spin_unlock_irqrestore(&tcp->lock, flags);
	if (fail)
		skua_cmd_transfer_failed(cmd);
	else if (ready)
		itcp_cmd_go_on(slot);
}

/**
 * itcp_fail_waiting() - end commands that wait for data which will not come
 * @tcp: the connection; io_work is the caller, or has stopped
 * @all: all of them; else those that were aborted
 */
void itcp_fail_waiting(struct itcp_conn *tcp, bool all)
{
	u32 i;

	for (i = 0; tcp->q && i < iscsit_nr_slots(&tcp->c); i++) {
		struct itcp_slot *slot = &tcp->q->slots[i];

		if (READ_ONCE(slot->waiting) && (all || skua_cmd_aborting(&slot->cmd)) &&
		    itcp_cmd_unwait(slot))
			skua_cmd_transfer_failed(&slot->cmd);
	}
}

/* ---- Data-Out ----------------------------------------------------------- */

/* Without recovery of data the command fails, now or when the core asks for its data. */
static void itcp_data_out_bad(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	pr_info_ratelimited("skua_iscsi: %s: Data-Out out of sequence\n", tcp->c.peer);
	spin_lock_irq(&tcp->lock);
	slot->failed = true;
	spin_unlock_irq(&tcp->lock);
	if (itcp_cmd_unwait(slot))
		skua_cmd_transfer_failed(&slot->cmd);
}

static int itcp_unsol_header(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	struct itcp_rx *rx = &tcp->rx;

	if (iscsi_check_data_out(&rx->bhs, 0, slot->unsol_want, slot->unsol_got,
				 slot->unsol_sn))
		return -EPROTO;
	slot->unsol_sn++;
	rx->buf = slot->bounce + slot->unsol_got;
	return 0;
}

static int itcp_solicited_header(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	struct itcp_rx *rx = &tcp->rx;

	/* R2Ts are answered in order: DataSequenceInOrder */
	if (be32_to_cpu(rx->bhs.ttt) != itcp_ttt(tcp, slot, slot->burst_r2t) ||
	    iscsi_check_data_out(&rx->bhs, slot->burst_start, slot->burst_len, slot->burst_got,
				 slot->burst_sn))
		return -EPROTO;
	slot->burst_sn++;
	rx->to.sg = slot->cmd.io.sg;
	rx->to.off = 0;
	itcp_sg_advance(&rx->to, slot->burst_start + slot->burst_got);
	rx->from = rx->to;
	return 0;
}

/* The data that is due can still come; else the rest of it is passed over. */
static struct itcp_slot *itcp_data_out_slot(struct itcp_conn *tcp)
{
	const struct iscsi_bhs *bhs = &tcp->rx.bhs;
	u32 ttt = be32_to_cpu(bhs->ttt);
	struct itcp_slot *slot;

	if (ttt == ISCSI_NO_TAG) {
		slot = itcp_slot_find(tcp, bhs->itt);
		return slot && !slot->failed && slot->unsol_got < slot->unsol_want ? slot : NULL;
	}
	ttt &= BIT(ITCP_SLOT_BITS) - 1;
	if (ttt >= iscsit_nr_slots(&tcp->c))
		return NULL;
	slot = &tcp->q->slots[ttt];
	return READ_ONCE(slot->used) && slot->itt == bhs->itt && READ_ONCE(slot->waiting) &&
	       itcp_open_r2ts(slot) ? slot : NULL;
}

/**
 * itcp_data_out_header() - the header of a Data-Out is there
 * @tcp: the connection
 *
 * Return: 0: read its data; -errno: end the connection.
 */
int itcp_data_out_header(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	struct itcp_slot *slot;
	int bad;

	rx->drop = true;
	if (!tcp->c.attached)
		return iscsit_reject(&tcp->c, &tcp->rx.bhs, ISCSI_REJECT_PROTOCOL);
	slot = itcp_data_out_slot(tcp);
	if (!slot)
		return 0;
	bad = be32_to_cpu(rx->bhs.ttt) == ISCSI_NO_TAG ? itcp_unsol_header(tcp, slot) :
	      itcp_solicited_header(tcp, slot);
	if (bad) {
		itcp_data_out_bad(tcp, slot);
		return 0;
	}
	rx->drop = false;
	rx->slot = slot;
	return 0;
}

static int itcp_unsol_pdu(struct itcp_conn *tcp, struct itcp_slot *slot, bool final)
{
	unsigned long flags;
	bool go;

	spin_lock_irqsave(&tcp->lock, flags);
	slot->unsol_got += tcp->rx.len;
	/* The initiator may end it before FirstBurstLength. */
	if (final)
		slot->unsol_want = slot->unsol_got;
	go = slot->unsol_got == slot->unsol_want && slot->waiting;
	if (go)
		slot->waiting = false;
	spin_unlock_irqrestore(&tcp->lock, flags);
	if (go)
		itcp_cmd_go_on(slot);
	return 0;
}

/**
 * itcp_data_out_pdu() - a whole Data-Out is there
 * @tcp: the connection
 */
int itcp_data_out_pdu(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	bool final = rx->bhs.flags & ISCSI_F_FINAL;
	struct itcp_slot *slot = rx->slot;

	if (rx->drop)
		return 0;
	if (be32_to_cpu(rx->bhs.ttt) == ISCSI_NO_TAG)
		return itcp_unsol_pdu(tcp, slot, final);
	slot->burst_got += rx->len;
	if (slot->burst_got < slot->burst_len) {
		if (final)		/* less than was asked for */
			itcp_data_out_bad(tcp, slot);
		return 0;
	}
	slot->burst_r2t++;
	slot->burst_start += slot->burst_len;
	slot->burst_len = itcp_burst(slot, slot->burst_start);
	slot->burst_got = 0;
	slot->burst_sn = 0;
	if (slot->burst_start < slot->cmd.xfer_len) {
		if (tcp->txs.cur != &slot->r2t)
			itcp_r2t_queue(slot);
		return 0;
	}
	if (itcp_cmd_unwait(slot))
		skua_cmd_execute(&slot->cmd, false);
	return 0;
}

/* ---- responses ----------------------------------------------------------- */

/**
 * itcp_respond() - send read data and status
 * @cmd: done
 */
void itcp_respond(struct skua_cmd *cmd)
{
	struct itcp_slot *slot = container_of(cmd, struct itcp_slot, cmd);

	itcp_queue_tx(slot->tcp, &slot->rsp);
}
