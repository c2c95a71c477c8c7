// SPDX-License-Identifier: GPL-2.0
/*
 * Receive buffers and slots: from a receive completion to the core.
 *
 * A buffer goes back to the receive queue before the response that returns its
 * credit, a slot when the response's completion was seen. So for a moment there
 * can be more commands than slots; they wait in ch->pending.
 */
#include <linux/slab.h>

#include "srpt.h"

/* ---- buffers ---------------------------------------------------------- */

/**
 * srpt_recvs_alloc() - memory and mappings of receive buffers
 * @ib: device
 * @recvs: zeroed array
 * @nr: its length
 *
 * Return: 0 or -errno, with what was done to be undone by the caller through
 * srpt_recvs_unmap() and srpt_recvs_free().
 */
int srpt_recvs_alloc(struct ib_device *ib, struct srpt_recv *recvs, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct srpt_recv *recv = &recvs[i];

		recv->buf = alloc_pages_exact(srpt_max_req_size, GFP_KERNEL);
		if (!recv->buf)
			return -ENOMEM;
		recv->dma = ib_dma_map_single(ib, recv->buf, srpt_max_req_size, DMA_FROM_DEVICE);
		if (ib_dma_mapping_error(ib, recv->dma)) {
			free_pages_exact(recv->buf, srpt_max_req_size);
			recv->buf = NULL;
			return -ENOMEM;
		}
		srpt_recv_init(recv);
	}
	return 0;
}

/**
 * srpt_recvs_unmap() - end the device's access to receive buffers
 * @ib: device
 * @recvs: array
 * @nr: its length
 */
void srpt_recvs_unmap(struct ib_device *ib, struct srpt_recv *recvs, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && recvs[i].buf; i++)
		ib_dma_unmap_single(ib, recvs[i].dma, srpt_max_req_size, DMA_FROM_DEVICE);
}

/**
 * srpt_recvs_free() - free receive buffers
 * @recvs: array from kvcalloc(), or NULL; freed, too
 * @nr: its length
 */
void srpt_recvs_free(struct srpt_recv *recvs, u32 nr)
{
	u32 i;

	for (i = 0; recvs && i < nr && recvs[i].buf; i++)
		free_pages_exact(recvs[i].buf, srpt_max_req_size);
	kvfree(recvs);
}

/**
 * srpt_post_recv() - give a buffer back to the hardware
 * @ch: a channel; entered (skua_rdma_enter()) unless it is not connected yet
 * @recv: the buffer
 */
int srpt_post_recv(struct srpt_chan *ch, struct srpt_recv *recv)
{
	struct ib_device *ib = ch->conn.dev->ib;
	struct ib_sge sge = {
		.addr = recv->dma,
		.length = srpt_max_req_size,
		.lkey = ch->conn.dev->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(ib, recv->dma, srpt_max_req_size, DMA_FROM_DEVICE);
	if (recv->ch)
		return ib_post_recv(ch->conn.qp, &wr, NULL);
	return ib_post_srq_recv(ch->dev->srq, &wr, NULL);
}

/*
 * The same from a completion handler, where the channel may be at its end. A
 * buffer of the channel's own goes with it then; a shared one stays with the
 * device, which is there as long as the channel's QP is not drained.
 */
static void srpt_repost(struct srpt_chan *ch, struct srpt_recv *recv)
{
	bool entered = skua_rdma_enter(&ch->conn, false);
	int ret = 0;

	if (entered || !recv->ch)
		ret = srpt_post_recv(ch, recv);
	if (entered)
		skua_rdma_exit(&ch->conn, false);
	if (ret)
		srpt_chan_close(ch);
}

/**
 * srpt_slot_share() - a slot needs nothing of its IU any more
 * @slot: of a channel that is sure to stay meanwhile
 *
 * A shared queue's buffer goes back now, since the command may stay with its backend for
 * long and other channels need the buffer. One of the channel's own waits for the
 * response, which returns the credit for it. Context: any.
 */
void srpt_slot_share(struct srpt_slot *slot)
{
	struct srpt_recv *recv = slot->recv;

	if (likely(!recv || recv->ch))
		return;
	slot->recv = NULL;
	srpt_repost(slot->ch, recv);
}

/**
 * srpt_recvs_reclaim() - return shared buffers that a channel still has
 * @ch: a channel whose QP is drained
 */
void srpt_recvs_reclaim(struct srpt_chan *ch)
{
	struct srpt_recv *recv;
	u32 i;

	if (!ch->dev->srq || !ch->q)
		return;
	for (i = 0; i < ch->nr_slots; i++) {
		recv = ch->q->slots[i].recv;
		ch->q->slots[i].recv = NULL;
		if (recv)
			srpt_post_recv(ch, recv);
	}
	while (!list_empty(&ch->pending)) {
		recv = list_first_entry(&ch->pending, struct srpt_recv, link);
		list_del(&recv->link);
		srpt_post_recv(ch, recv);
	}
}

static void srpt_protocol_error(struct srpt_chan *ch, const char *what, u32 value)
{
	pr_info_ratelimited("skua_srp: %s: %s: %s (%u); closing the channel\n",
			    ch->target->name, ch->name, what, value);
	srpt_chan_close(ch);
}

/* ---- slots ------------------------------------------------------------ */

static void srpt_receive(struct srpt_chan *ch, struct srpt_recv *recv);

static struct srpt_slot *srpt_slot_get(struct srpt_chan *ch, struct srpt_recv *recv)
{
	struct srpt_slot *slot = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (likely(!list_empty(&ch->free))) {
		slot = list_first_entry(&ch->free, struct srpt_slot, link);
		list_del(&slot->link);
	} else {
		list_add_tail(&recv->link, &ch->pending);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return slot;
}

/**
 * srpt_slot_put() - a slot has nothing to do any more
 * @slot: the core has released it
 *
 * Context: any, as long as the channel is sure to stay.
 */
void srpt_slot_put(struct srpt_slot *slot)
{
	struct srpt_chan *ch = slot->ch;
	struct srpt_recv *recv = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	list_add(&slot->link, &ch->free);
	if (unlikely(!list_empty(&ch->pending)) && atomic_read(&ch->state) < SRPT_CLOSING) {
		recv = list_first_entry(&ch->pending, struct srpt_recv, link);
		list_del(&recv->link);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	if (unlikely(recv))
		srpt_receive(ch, recv);
}

/* The channel is closing: no response to this one. */
static void srpt_slot_drop(struct srpt_slot *slot)
{
	struct srpt_recv *recv = slot->recv;

	slot->recv = NULL;
	if (recv)
		srpt_repost(slot->ch, recv);
	srpt_slot_put(slot);
}

/* ---- receiving -------------------------------------------------------- */

static u8 srpt_task_attr(u8 attr)
{
	switch (attr) {
	case 1:
		return SKUA_HEAD_OF_QUEUE;
	case 2:
		return SKUA_ORDERED;
	case 4:
		return SKUA_ACA;
	default:
		return SKUA_SIMPLE;
	}
}

static void srpt_set_edtl(struct skua_cmd *cmd, const struct srpt_iu_cmd *iu)
{
	if (iu->out.fmt && iu->in.fmt) {
		cmd->edtl_dir = SKUA_DIR_BIDI;
		cmd->edtl = iu->out.len;
	} else if (iu->out.fmt) {
		cmd->edtl_dir = SKUA_DIR_WRITE;
		cmd->edtl = iu->out.len;
	} else {
		cmd->edtl_dir = iu->in.fmt ? SKUA_DIR_READ : SKUA_DIR_NONE;
		cmd->edtl = iu->in.len;
	}
}

/*
 * Keeps what the command's data transfer will need of the IU, if that is not much. True
 * if it was all. Of a table that has to be fetched as a whole nothing is needed.
 */
static bool srpt_keep_descs(struct srpt_slot *slot)
{
	struct srpt_buf *buf = slot->out.fmt ? &slot->out : &slot->in;

	if (buf->fmt == SRP_DATA_DESC_IMM || (slot->out.fmt && slot->in.fmt))
		return false;
	if (buf->nr < buf->total)
		return true;
	if (buf->nr > SRPT_KEPT_DESCS)
		return false;
	memcpy(slot->descs, slot->iu + buf->off, buf->nr * SRPT_DESC_LEN);
	slot->iu = slot->descs;
	buf->off = 0;
	return true;
}

static void srpt_receive_cmd(struct srpt_chan *ch, struct srpt_slot *slot)
{
	struct skua_cmd *cmd = &slot->cmd;
	struct srpt_iu_cmd iu;
	enum srpt_verdict verdict;
	u32 cdb_len;

	verdict = srpt_iu_cmd(slot->recv->buf, slot->recv->len, ch->imm_off, &iu);
	if (unlikely(verdict == SRPT_BROKEN)) {
		srpt_protocol_error(ch, "short SRP_CMD", slot->recv->len);
		srpt_slot_drop(slot);
		return;
	}
	cdb_len = min_t(u32, iu.cdb_len, SKUA_MAX_CDB);
	cmd->tag = iu.tag;
	memcpy(&cmd->lun, iu.lun, sizeof(cmd->lun));
	memcpy(cmd->cdb, iu.cdb, cdb_len);
	memset(cmd->cdb + cdb_len, 0, SKUA_MAX_CDB - cdb_len);
	cmd->cdb_len = iu.cdb_len > SKUA_MAX_CDB ? 255 : iu.cdb_len;
	cmd->task_attr = srpt_task_attr(iu.task_attr);
	srpt_set_edtl(cmd, &iu);
	slot->is_tmf = false;
	slot->out = iu.out;
	slot->in = iu.in;
	if (unlikely(verdict != SRPT_OK)) {
		srpt_refuse(slot);
		return;
	}
	if (unlikely(!slot->recv->ch) && srpt_keep_descs(slot))
		srpt_slot_share(slot);
	slot->submitted = true;
	if (unlikely(skua_cmd_submit(cmd))) {
		slot->submitted = false;
		srpt_slot_drop(slot);
	}
}

static int srpt_tmf_function(u8 function)
{
	switch (function) {
	case SRP_TSK_ABORT_TASK:
		return SKUA_TMF_ABORT_TASK;
	case SRP_TSK_ABORT_TASK_SET:
		return SKUA_TMF_ABORT_TASK_SET;
	case SRP_TSK_CLEAR_TASK_SET:
		return SKUA_TMF_CLEAR_TASK_SET;
	case SRP_TSK_LUN_RESET:
		return SKUA_TMF_LUN_RESET;
	case SRP_TSK_CLEAR_ACA:
		return SKUA_TMF_CLEAR_ACA;
	default:
		return -1;
	}
}

static void srpt_receive_tmf(struct srpt_chan *ch, struct srpt_slot *slot)
{
	struct skua_tmf *tmf = &slot->tmf;
	struct srpt_iu_tmf iu;
	int function;

	if (srpt_iu_tmf(slot->recv->buf, slot->recv->len, &iu) != SRPT_OK) {
		srpt_protocol_error(ch, "short SRP_TSK_MGMT", slot->recv->len);
		srpt_slot_drop(slot);
		return;
	}
	slot->is_tmf = true;
	slot->cmd.tag = iu.tag;		/* of the response */
	tmf->queue = &ch->q->queue;
	memcpy(&tmf->lun, iu.lun, sizeof(tmf->lun));
	tmf->tag = iu.task_tag;
	function = srpt_tmf_function(iu.function);
	if (function < 0) {
		tmf->response = SKUA_TMF_NOT_SUPPORTED;
		srpt_respond_tmf(tmf);
		return;
	}
	tmf->function = function;
	srpt_slot_share(slot);
	slot->submitted = true;
	if (skua_tmf_submit(tmf)) {
		slot->submitted = false;
		srpt_slot_drop(slot);
	}
}

/* A request, which has taken a credit. */
static void srpt_receive(struct srpt_chan *ch, struct srpt_recv *recv)
{
	struct srpt_slot *slot = srpt_slot_get(ch, recv);

	if (unlikely(!slot))
		return;
	slot->recv = recv;
	slot->iu = recv->buf;
	slot->submitted = false;
	if (likely(*(u8 *)recv->buf == SRP_CMD))
		srpt_receive_cmd(ch, slot);
	else
		srpt_receive_tmf(ch, slot);
}

static void srpt_recv_iu(struct srpt_chan *ch, struct srpt_recv *recv)
{
	u8 opcode = *(u8 *)recv->buf;

	switch (opcode) {
	case SRP_CMD:
	case SRP_TSK_MGMT:
		if (likely(atomic_dec_return(&ch->req_lim) >= 0)) {
			srpt_receive(ch, recv);
			return;
		}
		srpt_protocol_error(ch, "more requests than the limit", ch->credits);
		break;
	case SRP_CRED_RSP:
	case SRP_AER_RSP:
		break;
	case SRP_I_LOGOUT:
		srpt_chan_close(ch);
		break;
	default:
		srpt_protocol_error(ch, "unknown opcode", opcode);
		break;
	}
	srpt_repost(ch, recv);
}

static void srpt_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct srpt_recv *recv = container_of(wc->wr_cqe, struct srpt_recv, cqe);
	struct srpt_chan *ch = recv->ch ?: wc->qp->qp_context;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_srp: %s: %s: receive failed: %s\n",
					    ch->target->name, ch->name,
					    ib_wc_status_msg(wc->status));
		srpt_chan_close(ch);
		/* A shared queue's buffer was consumed; the others are flushed for good. */
		if (!recv->ch)
			srpt_repost(ch, recv);
		return;
	}
	if (unlikely(atomic_read(&ch->state) >= SRPT_CLOSING)) {
		srpt_repost(ch, recv);
		return;
	}
	recv->len = wc->byte_len;
	ib_dma_sync_single_for_cpu(cq->device, recv->dma, recv->len, DMA_FROM_DEVICE);
	if (likely(recv->len)) {
		srpt_recv_iu(ch, recv);
	} else {
		srpt_protocol_error(ch, "empty IU", 0);
		srpt_repost(ch, recv);
	}
}

void srpt_recv_init(struct srpt_recv *recv)
{
	recv->cqe.done = srpt_recv_done;
}
