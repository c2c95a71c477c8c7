// SPDX-License-Identifier: GPL-2.0
/*
 * SCSI commands, their data and their responses.
 *
 * Reads: the RDMA WRITEs of the data and the response are one chain, posted at once.
 * Writes: what came with the command or behind it is copied, the rest is fetched by RDMA
 * READ, then the core goes on. What needs memory for its contexts hops to process context
 * first; the rest runs where the completion queue is polled.
 *
 * All of it is safe at any time of the connection's life: what cannot be posted any more
 * ends with the slot's release.
 */
#include <linux/scatterlist.h>
#include <scsi/scsi_proto.h>

#include "iser.h"

static void iser_move(struct skua_cmd *cmd, bool may_sleep);

static struct iser_slot *iser_cmd_slot(struct skua_cmd *cmd)
{
	return container_of(cmd, struct iser_slot, cmd);
}

/* ---- the end of a slot ------------------------------------------------ */

/* From a completion handler: the connection stays at least until its QP is drained. */
static void iser_release_held(struct iser_slot *slot)
{
	skua_rdma_xfer_end(&slot->xfer);
	skua_cmd_release(&slot->cmd);
	iser_slot_put(slot);
}

/*
 * The core lets go of the slot, and with that of the queue: the connection's memory may
 * be freed by drained() unless something else keeps it.
 */
static void iser_release(struct iser_slot *slot)
{
	struct iser_conn *ic = slot->ic;

	iscsit_conn_get(&ic->c);
	iser_release_held(slot);
	iscsit_conn_put(&ic->c);
}

/* ---- responses -------------------------------------------------------- */

static void iser_rsp_flags(struct iscsi_bhs *bhs, const struct skua_cmd *cmd)
{
	bhs->flags = ISCSI_F_FINAL;
	if (likely(!cmd->residual))
		return;
	bhs->flags |= cmd->residual > 0 ? ISCSI_F_UNDERFLOW : ISCSI_F_OVERFLOW;
	bhs->residual = cpu_to_be32(abs(cmd->residual));
}

/* The key that the initiator would have to invalidate itself otherwise: exactly its own. */
static void iser_rsp_opcode(struct iser_slot *slot)
{
	const struct iser_hdr *hdr = &slot->hdr;
	u8 valid = hdr->flags & (ISER_RSV | ISER_WSV);

	slot->send_wr.opcode = IB_WR_SEND;
	if (!slot->ic->send_inv || !valid || valid == (ISER_RSV | ISER_WSV))
		return;
	slot->send_wr.opcode = IB_WR_SEND_WITH_INV;
	slot->send_wr.ex.invalidate_rkey =
		be32_to_cpu(valid == ISER_RSV ? hdr->read_stag : hdr->write_stag);
}

static void iser_rsp_prepare(struct iser_slot *slot)
{
	struct ib_device *ib = slot->ic->rdma.dev->ib;
	struct skua_cmd *cmd = &slot->cmd;
	struct iser_hdr *hdr = slot->rsp;
	struct iscsi_bhs *bhs = slot->rsp + ISER_HDR_LEN;
	u32 len = 0;

	ib_dma_sync_single_for_cpu(ib, slot->rsp_dma, ISER_RSP_LEN, DMA_TO_DEVICE);
	memset(hdr, 0, ISER_HEADERS);
	hdr->flags = ISER_CTRL;
	bhs->opcode = ISCSI_SCSI_RSP;
	iser_rsp_flags(bhs, cmd);
	bhs->b3 = cmd->status;
	bhs->itt = slot->itt;
	if (unlikely(cmd->sense_len)) {
		len = min_t(u32, cmd->sense_len, SKUA_SENSE_LEN);
		put_unaligned_be16(len, slot->rsp + ISER_HEADERS);
		memcpy(slot->rsp + ISER_HEADERS + 2, cmd->sense, len);
		len += 2;
	}
	iscsi_set_dsl(bhs, len);
	slot->send_sge.length = ISER_HEADERS + len;
	slot->send_wr.next = NULL;
	iser_rsp_opcode(slot);
}

/*
 * Posts the chain that ends in the response. StatSN and window are taken in the order of
 * the posts.
 */
static int iser_rsp_post(struct iser_slot *slot)
{
	struct iser_conn *ic = slot->ic;
	struct iscsit_conn *c = &ic->c;
	struct iscsi_bhs *bhs = slot->rsp + ISER_HDR_LEN;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&c->sn_lock, flags);
	iscsit_stamp(c, bhs, slot->immediate ? ISCSIT_STAMP_TAKE : ISCSIT_STAMP_CREDIT);
	ib_dma_sync_single_for_device(ic->rdma.dev->ib, slot->rsp_dma, slot->send_sge.length,
				      DMA_TO_DEVICE);
	ret = skua_rdma_post(&ic->rdma, &slot->post);
	spin_unlock_irqrestore(&c->sn_lock, flags);
	return ret;
}

/* The chain that ends in the response was not posted, or not executed. */
static void iser_rsp_failed(struct skua_rdma_post *post)
{
	struct iser_slot *slot = container_of(post, struct iser_slot, post);

	skua_rdma_xfer_unbuild(&slot->xfer, &slot->ic->rdma);
	iser_release(slot);
}

static void iser_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct iser_slot *slot = container_of(wc->wr_cqe, struct iser_slot, send_cqe);
	struct iser_conn *ic = slot->ic;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_iser: %s: response not sent: %s\n",
					    ic->c.peer, ib_wc_status_msg(wc->status));
		iser_close(ic);
	}
	if (slot->xfer.nr_ops)
		skua_rdma_xfer_unbuild(&slot->xfer, &ic->rdma);
	skua_rdma_post_done(&ic->rdma, &slot->post);
	iser_release_held(slot);
}

/* Sends the response without data. */
static void iser_send_rsp(struct iser_slot *slot)
{
	struct iser_conn *ic = slot->ic;
	int ret;

	slot->xfer.nr_ops = 0;
	if (unlikely(!skua_rdma_enter(&ic->rdma, false))) {
		iser_release(slot);
		return;
	}
	iser_rsp_prepare(slot);
	slot->post.first = &slot->send_wr;
	slot->post.nr = 1;
	slot->post.failed = iser_rsp_failed;
	ret = iser_rsp_post(slot);
	skua_rdma_exit(&ic->rdma, false);
	if (unlikely(ret))
		iser_release(slot);
}

/* ---- data ------------------------------------------------------------- */

/* The data will not arrive: the command ends in an error, if the connection lives. */
static void iser_move_failed(struct iser_slot *slot)
{
	struct skua_cmd *cmd = &slot->cmd;

	skua_rdma_xfer_end(&slot->xfer);
	if (slot->fetch) {
		skua_cmd_transfer_failed(cmd);
		return;
	}
	/* DATA PHASE ERROR */
	memset(cmd->sense, 0, 18);
	cmd->sense[0] = 0x70;
	cmd->sense[2] = ABORTED_COMMAND;
	cmd->sense[7] = 10;
	cmd->sense[12] = 0x4b;
	cmd->sense_len = 18;
	cmd->status = SAM_STAT_CHECK_CONDITION;
	cmd->residual = cmd->edtl;
	iser_send_rsp(slot);
}

static void iser_batch_failed(struct skua_rdma_post *post)
{
	struct iser_slot *slot = container_of(post, struct iser_slot, post);

	skua_rdma_xfer_unbuild(&slot->xfer, &slot->ic->rdma);
	iser_move_failed(slot);
}

/* A batch without response has completed. */
static void iser_batch_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct iser_slot *slot = container_of(wc->wr_cqe, struct iser_slot, rw_cqe);
	struct iser_conn *ic = slot->ic;

	skua_rdma_xfer_unbuild(&slot->xfer, &ic->rdma);
	skua_rdma_post_done(&ic->rdma, &slot->post);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_iser: %s: data transfer failed: %s\n",
					    ic->c.peer, ib_wc_status_msg(wc->status));
		iser_close(ic);
		iser_move_failed(slot);
	} else if (slot->xfer.left) {
		iser_move(&slot->cmd, false);
	} else {
		skua_rdma_xfer_end(&slot->xfer);
		skua_cmd_execute(&slot->cmd, false);
	}
}

/* Posts the batch that was built. Entered. */
static int iser_post_batch(struct iser_slot *slot)
{
	struct skua_rdma_conn *conn = &slot->ic->rdma;
	struct skua_rdma_xfer *xfer = &slot->xfer;
	struct skua_rdma_post *post = &slot->post;

	if (!slot->fetch && !xfer->left) {
		iser_rsp_prepare(slot);
		post->nr = xfer->nr_wrs + 1;
		post->failed = iser_rsp_failed;
		post->first = skua_rdma_xfer_wrs(xfer, conn, NULL, &slot->send_wr);
		return iser_rsp_post(slot);
	}
	post->nr = xfer->nr_wrs;
	post->failed = iser_batch_failed;
	post->first = skua_rdma_xfer_wrs(xfer, conn, &slot->rw_cqe, NULL);
	return skua_rdma_post(conn, post);
}

/* The next batch of a transfer; the last one of a read with the response. */
static void iser_move(struct skua_cmd *cmd, bool may_sleep)
{
	struct iser_slot *slot = iser_cmd_slot(cmd);
	struct skua_rdma_conn *conn = &slot->ic->rdma;
	int ret = -ENOTCONN;

	if (likely(skua_rdma_enter(conn, may_sleep))) {
		ret = skua_rdma_xfer_build(&slot->xfer, conn, 1, may_sleep);
		if (likely(!ret)) {
			ret = iser_post_batch(slot);
			if (unlikely(ret))
				skua_rdma_xfer_unbuild(&slot->xfer, conn);
		}
		skua_rdma_exit(conn, may_sleep);
	}
	if (likely(!ret))
		return;
	if (ret == -EAGAIN)
		skua_cmd_hop(cmd, iser_move);
	else
		iser_move_failed(slot);
}

/* Moves the command's data from byte @off on. */
static void iser_move_start(struct iser_slot *slot, u32 off, bool may_sleep)
{
	struct skua_cmd *cmd = &slot->cmd;
	const struct iser_hdr *hdr = &slot->hdr;
	struct scatterlist *sg = cmd->io.sg;
	bool write = cmd->data_dir == SKUA_DIR_WRITE;
	u32 len = cmd->xfer_len - off;

	slot->fetch = write;
	if (unlikely(!(hdr->flags & (write ? ISER_WSV : ISER_RSV)))) {
		pr_info_ratelimited("skua_iser: %s: a command without memory for its data\n",
				    slot->ic->c.peer);
		iser_move_failed(slot);
		return;
	}
	slot->desc.va = write ? hdr->write_base : hdr->read_base;
	slot->desc.key = write ? hdr->write_stag : hdr->read_stag;
	slot->desc.len = cpu_to_be32(len);
	while (off && off >= sg->length) {
		off -= sg->length;
		sg = sg_next(sg);
	}
	skua_rdma_xfer_init(&slot->xfer, write ? DMA_FROM_DEVICE : DMA_TO_DEVICE, &slot->desc, 1,
			    sg, len);
	slot->xfer.sg_off = off;
	iser_move(cmd, may_sleep);
}

/* ---- write data that was not asked for ---------------------------------- */

/* At least @len bytes are on both sides. */
static void iser_copy_sg(struct scatterlist *to, u32 nr_to, u32 to_off,
			 struct scatterlist *from, u32 nr_from, u32 len)
{
	struct sg_mapping_iter miter;

	sg_miter_start(&miter, from, nr_from, SG_MITER_FROM_SG | SG_MITER_ATOMIC);
	while (len && sg_miter_next(&miter)) {
		u32 part = min_t(u32, len, miter.length);

		sg_pcopy_from_buffer(to, nr_to, miter.addr, part, to_off);
		to_off += part;
		len -= part;
	}
	sg_miter_stop(&miter);
}

/*
 * All unsolicited data is there and the core has pages: copy, then fetch what is missing.
 * Buffers are given back by whoever takes them out of the slot.
 */
static void iser_write_go(struct iser_slot *slot, bool may_sleep)
{
	struct skua_cmd *cmd = &slot->cmd;
	u32 got = min(slot->unsol_got, cmd->xfer_len), nr;
	struct skua_sgv *bounce = slot->bounce;
	struct iser_recv *recv = slot->recv;

	if (bounce) {
		struct scatterlist *sg = skua_sgv_sg(bounce, &nr);

		iser_copy_sg(cmd->io.sg, cmd->io.nr_sg, 0, sg, nr, got);
		slot->bounce = NULL;
		skua_sgv_free(bounce);
	} else if (recv) {
		sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, slot->imm, got);
		slot->recv = NULL;
		iser_repost(slot->ic, recv);
	}
	/* Not in this context even if it may sleep: a backend could keep it, and our code. */
	if (got == cmd->xfer_len)
		skua_cmd_execute(cmd, false);
	else
		iser_move_start(slot, got, may_sleep);
}

/* Whoever gets true ends the wait of the command for data. Lock held. */
static bool iser_unwait(struct iser_slot *slot)
{
	bool mine = slot->waiting;

	slot->waiting = false;
	list_del_init(&slot->unsol);
	return mine;
}

/*
 * The command waits for data; unless that was never to come, or the command is being
 * aborted: iser_aborted() comes after the mark, and takes the lock. One that does not wait
 * takes no more data either: the buffer is not shared with Data-Outs from here on.
 */
static void iser_write_wait(struct iser_slot *slot, bool may_sleep)
{
	struct iser_conn *ic = slot->ic;
	unsigned long flags;
	bool fail, wait;

	spin_lock_irqsave(&ic->lock, flags);
	fail = slot->failed || ic->stopped || skua_cmd_aborting(&slot->cmd);
	wait = !fail && slot->unsol_got < slot->unsol_want;
	slot->waiting = wait;
	if (!wait)
		list_del_init(&slot->unsol);
	spin_unlock_irqrestore(&ic->lock, flags);
	if (fail)
		skua_cmd_transfer_failed(&slot->cmd);
	else if (!wait)
		iser_write_go(slot, may_sleep);
}

/* The first command that waits for data: any, or one that is being aborted. */
static struct iser_slot *iser_unwait_one(struct iser_conn *ic, bool all)
{
	struct iser_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&ic->lock, flags);
	list_for_each_entry(slot, &ic->unsol, unsol) {
		if (slot->waiting && (all || skua_cmd_aborting(&slot->cmd))) {
			iser_unwait(slot);
			goto out;
		}
	}
	slot = NULL;
out:
	spin_unlock_irqrestore(&ic->lock, flags);
	return slot;
}

/**
 * iser_slots_fail() - end the commands that wait for data which will not come
 * @ic: connection, stopped
 */
void iser_slots_fail(struct iser_conn *ic)
{
	struct iser_slot *slot;

	while ((slot = iser_unwait_one(ic, true)))
		skua_cmd_transfer_failed(&slot->cmd);
}

/**
 * iser_aborted() - commands were aborted, maybe some that wait for data
 * @conn: connection
 *
 * Context: any.
 */
void iser_aborted(struct iscsit_conn *conn)
{
	struct iser_slot *slot;

	while ((slot = iser_unwait_one(iser_of(conn), false)))
		skua_cmd_transfer_failed(&slot->cmd);
}

/**
 * iser_has_task() - is a command with this tag here?
 * @conn: connection
 * @itt: as on the wire
 */
bool iser_has_task(struct iscsit_conn *conn, __be32 itt)
{
	struct iser_conn *ic = iser_of(conn);
	bool found = false;
	u32 i;

	spin_lock_irq(&ic->lock);
	for (i = 0; i < ic->nr_slots && !found; i++)
		found = iser_queue(ic)->slots[i].used && iser_queue(ic)->slots[i].itt == itt;
	spin_unlock_irq(&ic->lock);
	return found;
}

/* A part of the unsolicited data has come. Lock held. */
static void iser_unsol_add(struct iser_slot *slot, const struct iser_pdu *pdu)
{
	struct scatterlist *sg;
	u32 nr;

	sg = skua_sgv_sg(slot->bounce, &nr);
	sg_pcopy_from_buffer(sg, nr, pdu->data, pdu->len, slot->unsol_got);
	slot->unsol_got += pdu->len;
	slot->unsol_sn++;
	/* The initiator may end it before FirstBurstLength. */
	if (pdu->bhs->flags & ISCSI_F_FINAL)
		slot->unsol_want = slot->unsol_got;
}

/*
 * The command has ended: what still comes for it is nobody's. The initiator may give its
 * tag to another command as soon as it has the response, before our slot is free.
 */
static void iser_unsol_end(struct iser_slot *slot)
{
	struct iser_conn *ic = slot->ic;
	unsigned long flags;

	spin_lock_irqsave(&ic->lock, flags);
	list_del_init(&slot->unsol);
	spin_unlock_irqrestore(&ic->lock, flags);
}

static struct iser_slot *iser_unsol_find(struct iser_conn *ic, __be32 itt)
{
	struct iser_slot *slot;

	list_for_each_entry(slot, &ic->unsol, unsol)
		if (slot->itt == itt)
			return slot;
	return NULL;
}

/**
 * iser_data_out() - a Data-Out: a part of unsolicited data
 * @ic: connection
 * @pdu: the PDU
 *
 * Without recovery of data the command fails when something is missing; what comes for
 * a command that has ended is passed over.
 *
 * Context: any. Return: 0; -EPROTO.
 */
int iser_data_out(struct iser_conn *ic, const struct iser_pdu *pdu)
{
	struct iser_slot *slot;
	bool bad = false, go = false;
	unsigned long flags;

	/* Solicited data is fetched by RDMA READ: 7145 7.3.6. */
	if (!ic->c.attached || be32_to_cpu(pdu->bhs->ttt) != ISCSI_NO_TAG)
		return -EPROTO;
	spin_lock_irqsave(&ic->lock, flags);
	slot = iser_unsol_find(ic, pdu->bhs->itt);
	if (slot) {
		bad = iscsi_check_data_out(pdu->bhs, 0, slot->unsol_want, slot->unsol_got,
					   slot->unsol_sn);
		if (bad)
			slot->failed = true;
		else
			iser_unsol_add(slot, pdu);
		if (bad || slot->unsol_got == slot->unsol_want)
			go = iser_unwait(slot);
	}
	spin_unlock_irqrestore(&ic->lock, flags);
	if (bad)
		pr_info_ratelimited("skua_iser: %s: Data-Out out of sequence\n", ic->c.peer);
	if (!go)
		return 0;
	if (bad)
		skua_cmd_transfer_failed(&slot->cmd);
	else
		iser_write_go(slot, false);
	return 0;
}

/* ---- SCSI Command ------------------------------------------------------- */

/**
 * iser_cmd_fast() - can a PDU be taken where the completion queue is polled?
 * @ic: connection
 * @pdu: the PDU
 */
bool iser_cmd_fast(const struct iser_conn *ic, const struct iser_pdu *pdu)
{
	const struct iscsi_bhs *bhs = pdu->bhs;
	const u32 *value = ic->c.nego.value;

	if (unlikely(ic->c.login || !ic->c.attached))
		return false;
	if (unlikely(bhs->opcode == ISCSI_DATA_OUT))
		return true;
	return likely(bhs->opcode == ISCSI_SCSI_CMD && bhs->flags & ISCSI_F_FINAL &&
		      !bhs->ahs_words) &&
	       !iscsi_check_scsi(bhs, value[ISCSI_FIRST_BURST], value[ISCSI_IMMEDIATE_DATA],
				 value[ISCSI_INITIAL_R2T]);
}

static u8 iser_cmd_dir(u8 flags)
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

static u8 iser_cmd_attr(u8 flags)
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

static void iser_cmd_fill(struct iser_slot *slot, const struct iser_pdu *pdu,
			  const struct iscsi_scsi_req *req)
{
	const struct iscsi_bhs *bhs = pdu->bhs;
	struct skua_cmd *cmd = &slot->cmd;

	slot->itt = bhs->itt;
	slot->hdr = *pdu->hdr;
	slot->fetch = false;
	slot->unsol_want = pdu->len;
	slot->unsol_got = pdu->len;
	slot->unsol_sn = 0;
	cmd->tag = be32_to_cpu(bhs->itt);
	memcpy(&cmd->lun, bhs->lun, sizeof(cmd->lun));
	cmd->edtl = be32_to_cpu(bhs->edtl);
	cmd->edtl_dir = iser_cmd_dir(bhs->flags);
	cmd->task_attr = iser_cmd_attr(bhs->flags);
	cmd->cdb_len = req->cdb_len;
	memcpy(cmd->cdb, req->cdb, sizeof(cmd->cdb));
}

/* More unsolicited data follows in PDUs of its own; process context. */
static int iser_cmd_bounce(struct iser_slot *slot, const struct iser_pdu *pdu)
{
	struct iser_conn *ic = slot->ic;
	u32 want = min(slot->cmd.edtl, ic->c.nego.value[ISCSI_FIRST_BURST]), nr;
	struct skua_sgv *bounce = skua_sgv_alloc(want, NUMA_NO_NODE, GFP_NOIO);
	struct scatterlist *sg;

	if (!bounce)
		return -ENOMEM;
	sg = skua_sgv_sg(bounce, &nr);
	sg_copy_from_buffer(sg, nr, pdu->data, pdu->len);
	spin_lock_irq(&ic->lock);
	slot->unsol_want = want;
	slot->bounce = bounce;
	list_add_tail(&slot->unsol, &ic->unsol);
	spin_unlock_irq(&ic->lock);
	return 0;
}

/* Process context: iser_cmd_fast() let none of these pass. */
static int iser_cmd_reject(struct iser_conn *ic, const struct iser_pdu *pdu,
			   struct iser_slot *slot, u8 reason)
{
	if (slot)
		iser_slot_put(slot);
	if (!(pdu->bhs->opcode & ISCSI_IMMEDIATE))
		iscsit_window_open(&ic->c);
	return iscsit_reject(&ic->c, pdu->bhs, reason);
}

static u8 iser_cmd_check(const struct iser_conn *ic, const struct iser_pdu *pdu,
			 const struct iser_slot *slot, struct iscsi_scsi_req *req)
{
	const u32 *value = ic->c.nego.value;

	if (!ic->c.attached)
		return ISCSI_REJECT_PROTOCOL;
	if (!slot)
		return ISCSI_REJECT_IMMEDIATE;
	return iscsi_parse_scsi(pdu->bhs, pdu->ahs, req) ?:
	       iscsi_check_scsi(pdu->bhs, value[ISCSI_FIRST_BURST], value[ISCSI_IMMEDIATE_DATA],
				value[ISCSI_INITIAL_R2T]);
}

/**
 * iser_cmd_pdu() - a SCSI Command
 * @ic: connection
 * @recv: where it is
 * @slot: a slot, or NULL: there is none for a command for immediate delivery
 * @kept: set if the slot has @recv now
 *
 * Context: any if iser_cmd_fast() says so, else process. Return: 0, or -errno: the
 * connection has to end.
 */
int iser_cmd_pdu(struct iser_conn *ic, struct iser_recv *recv, struct iser_slot *slot,
		 bool *kept)
{
	const struct iser_pdu *pdu = &recv->pdu;
	struct iscsi_scsi_req req;
	u8 reason;
	int ret = iscsit_cmd_sn(&ic->c, pdu->bhs);

	/* A session that was asked to log out gets no more commands done. */
	if (unlikely(ret <= 0 || READ_ONCE(ic->c.dying))) {
		if (slot)
			iser_slot_put(slot);
		return min(ret, 0);
	}
	reason = iser_cmd_check(ic, pdu, slot, &req);
	if (unlikely(reason))
		return iser_cmd_reject(ic, pdu, slot, reason);
	iser_cmd_fill(slot, pdu, &req);
	if (unlikely(!(pdu->bhs->flags & ISCSI_F_FINAL))) {
		ret = iser_cmd_bounce(slot, pdu);
		if (ret) {
			iser_slot_put(slot);
			return ret;
		}
	} else if (pdu->len) {
		slot->recv = recv;
		slot->imm = pdu->data;
		*kept = true;
	}
	if (likely(!skua_cmd_submit(&slot->cmd)))
		return 0;
	/* The buffer goes back with the slot. */
	iser_slot_put(slot);
	return -ESHUTDOWN;
}

/* ---- the core's calls -------------------------------------------------- */

/**
 * iser_start() - get write data
 * @cmd: passed the gate, has its buffers
 * @may_sleep: in process context
 */
void iser_start(struct skua_cmd *cmd, bool may_sleep)
{
	struct iser_slot *slot = iser_cmd_slot(cmd);

	if (unlikely(slot->bounce))
		iser_write_wait(slot, may_sleep);
	else
		iser_write_go(slot, may_sleep);
}

/**
 * iser_respond() - send read data and status
 * @cmd: done
 */
void iser_respond(struct skua_cmd *cmd)
{
	struct iser_slot *slot = iser_cmd_slot(cmd);

	if (unlikely(slot->bounce))
		iser_unsol_end(slot);
	if (unlikely(cmd->flags & SKUA_CMD_SILENT)) {
		/* Nobody may hear of it, but its place in the window is free. */
		if (!slot->immediate)
			iscsit_window_open(&slot->ic->c);
		iser_release(slot);
	} else if (cmd->data_dir == SKUA_DIR_READ && cmd->xfer_len) {
		iser_move_start(slot, 0, false);
	} else {
		iser_send_rsp(slot);
	}
}

/**
 * iser_slot_init() - the parts of a slot that stay
 * @slot: with ic, rsp and rsp_dma set
 */
void iser_slot_init(struct iser_slot *slot)
{
	slot->cmd.queue = &slot->ic->c.q->queue;
	INIT_LIST_HEAD(&slot->unsol);
	slot->rw_cqe.done = iser_batch_done;
	slot->send_cqe.done = iser_send_done;
	slot->send_sge.addr = slot->rsp_dma;
	slot->send_sge.lkey = slot->ic->rdma.dev->pd->local_dma_lkey;
	slot->send_wr.wr_cqe = &slot->send_cqe;
	slot->send_wr.sg_list = &slot->send_sge;
	slot->send_wr.num_sge = 1;
	slot->send_wr.send_flags = IB_SEND_SIGNALED;
}
