// SPDX-License-Identifier: GPL-2.0
/*
 * Receive buffers, and the order of PDUs.
 *
 * SCSI commands run where the completion queue is polled. What needs process context
 * (login, control PDUs, commands whose data comes in several PDUs) goes through rx_work,
 * and so does all that comes behind it until that is done: PDUs are taken one at a time
 * and in the order of the wire, whatever the context.
 *
 * A buffer goes back to the receive queue as soon as what it carries was copied. What
 * comes faster meets no buffer, and the initiator's device sends it again: a slow
 * command never makes the target drop a PDU. In the same way a peer that asks without
 * taking the answers is held back: no more of its PDUs are taken, so their buffers do
 * not go back, and what the target has for it in memory has a limit.
 */
#include <linux/slab.h>

#include "iser.h"

static void iser_recv_done(struct ib_cq *cq, struct ib_wc *wc);

/* ---- buffers ---------------------------------------------------------- */

/**
 * iser_recv_alloc() - memory and mapping of a receive buffer
 * @ic: connection
 * @recv: zeroed
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int iser_recv_alloc(struct iser_conn *ic, struct iser_recv *recv)
{
	struct ib_device *ib = ic->rdma.dev->ib;

	recv->ic = ic;
	recv->cqe.done = iser_recv_done;
	recv->buf = alloc_pages_exact(ISER_RECV_ROOM, GFP_KERNEL);
	if (!recv->buf)
		return -ENOMEM;
	recv->dma = ib_dma_map_single(ib, recv->buf + ISER_RECV_PAD, ISER_RECV_LEN,
				      DMA_FROM_DEVICE);
	if (!ib_dma_mapping_error(ib, recv->dma))
		return 0;
	free_pages_exact(recv->buf, ISER_RECV_ROOM);
	recv->buf = NULL;
	return -ENOMEM;
}

/**
 * iser_recv_unmap() - end the device's access to a buffer
 * @ic: connection, drained
 * @recv: may be without memory
 */
void iser_recv_unmap(struct iser_conn *ic, struct iser_recv *recv)
{
	if (recv->buf)
		ib_dma_unmap_single(ic->rdma.dev->ib, recv->dma, ISER_RECV_LEN, DMA_FROM_DEVICE);
}

void iser_recv_free(struct iser_recv *recv)
{
	if (recv->buf)
		free_pages_exact(recv->buf, ISER_RECV_ROOM);
	recv->buf = NULL;
}

/**
 * iser_post_recv() - give a buffer to the hardware
 * @ic: connection, entered (skua_rdma_enter()) unless it is not accepted yet
 * @recv: the buffer
 *
 * Return: 0 or -errno.
 */
int iser_post_recv(struct iser_conn *ic, struct iser_recv *recv)
{
	struct ib_sge sge = {
		.addr = recv->dma,
		.length = ISER_RECV_LEN,
		.lkey = ic->rdma.dev->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(ic->rdma.dev->ib, recv->dma, ISER_RECV_LEN,
				      DMA_FROM_DEVICE);
	return ib_post_recv(ic->rdma.qp, &wr, NULL);
}

/**
 * iser_repost() - nobody needs what is in a buffer any more
 * @ic: connection, maybe at its end: the buffer is freed with it then
 * @recv: the buffer
 *
 * Context: any.
 */
void iser_repost(struct iser_conn *ic, struct iser_recv *recv)
{
	int ret;

	if (!skua_rdma_enter(&ic->rdma, false))
		return;
	ret = iser_post_recv(ic, recv);
	skua_rdma_exit(&ic->rdma, false);
	if (unlikely(ret))
		iser_close(ic);
}

/* ---- slots ------------------------------------------------------------ */

/* A slot for a command, if the buffer has one. Lock held. */
static struct iser_slot *iser_slot_take(struct iser_conn *ic, bool immediate)
{
	struct iser_slot *slot;

	if (unlikely(list_empty(&ic->free)))
		return NULL;
	if (unlikely(immediate)) {
		if (ic->nr_immediate == ISER_MAX_IMMEDIATE)
			return NULL;
		ic->nr_immediate++;
	}
	slot = list_first_entry(&ic->free, struct iser_slot, free);
	list_del(&slot->free);
	slot->immediate = immediate;
	slot->failed = false;
	slot->waiting = false;
	slot->used = true;
	return slot;
}

/**
 * iser_slot_put() - a slot has nothing to do any more
 * @slot: not the core's
 *
 * Context: any, as long as the connection is sure to stay.
 */
void iser_slot_put(struct iser_slot *slot)
{
	struct iser_conn *ic = slot->ic;
	struct skua_sgv *bounce;
	struct iser_recv *recv;
	unsigned long flags;

	spin_lock_irqsave(&ic->lock, flags);
	bounce = slot->bounce;
	recv = slot->recv;
	slot->bounce = NULL;
	slot->recv = NULL;
	slot->used = false;
	list_del_init(&slot->unsol);
	if (unlikely(slot->immediate))
		ic->nr_immediate--;
	list_add(&slot->free, &ic->free);
	if (unlikely(ic->starved) && !ic->stopped) {
		ic->starved = false;
		queue_work(iser_wq, &ic->rx_work);
	}
	spin_unlock_irqrestore(&ic->lock, flags);
	if (unlikely(bounce))
		skua_sgv_free(bounce);
	if (unlikely(recv))
		iser_repost(ic, recv);
}

/* ---- answers ----------------------------------------------------------- */

/* Answers that have not left, or are still to be made. Lock held. */
static bool iser_answers_wait(const struct iser_conn *ic)
{
	return ic->nr_ctl >= ISER_MAX_CTL || READ_ONCE(ic->c.nr_tmf) >= ISER_MAX_CTL;
}

/**
 * iser_ctl_gone() - a control PDU was sent, or will never be
 * @ic: the connection, which stays at least until this returns
 *
 * Every task management function ends in one, too, so nothing is held for good while
 * the peer takes its answers. Context: any.
 */
void iser_ctl_gone(struct iser_conn *ic)
{
	unsigned long flags;

	spin_lock_irqsave(&ic->lock, flags);
	ic->nr_ctl--;
	if (unlikely(ic->held) && !ic->stopped && !iser_answers_wait(ic)) {
		ic->held = false;
		queue_work(iser_wq, &ic->rx_work);
	}
	spin_unlock_irqrestore(&ic->lock, flags);
}

/* ---- one PDU ---------------------------------------------------------- */

static int iser_ctl_pdu(struct iser_conn *ic, const struct iser_pdu *pdu)
{
	int ret = 1;

	if (iscsi_has_cmd_sn(pdu->bhs->opcode))
		ret = iscsit_cmd_sn(&ic->c, pdu->bhs);
	return ret <= 0 ? ret : iscsit_ctl_pdu(&ic->c, pdu->bhs, pdu->data, pdu->len);
}

/* Takes a PDU; one at a time. */
static void iser_take(struct iser_conn *ic, struct iser_recv *recv, struct iser_slot *slot)
{
	const struct iser_pdu *pdu = &recv->pdu;
	bool kept = false;
	int ret = 0;

	iscsit_saw_pdu(&ic->c);
	if (unlikely(ic->c.logout))
		;			/* nothing is read behind a logout */
	else if (unlikely(ic->c.login))
		ret = iscsit_login_pdu(&ic->c, pdu->bhs, pdu->data, pdu->len);
	else if (likely((pdu->bhs->opcode & ISCSI_OPCODE_MASK) == ISCSI_SCSI_CMD))
		ret = iser_cmd_pdu(ic, recv, slot, &kept);
	else if ((pdu->bhs->opcode & ISCSI_OPCODE_MASK) == ISCSI_DATA_OUT)
		ret = iser_data_out(ic, pdu);
	else
		ret = iser_ctl_pdu(ic, pdu);
	if (!kept)
		iser_repost(ic, recv);
	if (likely(!ret))
		return;
	if (ret != -ESHUTDOWN)
		pr_info_ratelimited("skua_iser: %s: the connection ends: error %d\n",
				    ic->c.peer, ret);
	iser_close(ic);
}

static bool iser_is_cmd(const struct iser_conn *ic, const struct iser_pdu *pdu)
{
	return !ic->c.login && ic->c.attached &&
	       (pdu->bhs->opcode & ISCSI_OPCODE_MASK) == ISCSI_SCSI_CMD;
}

/*
 * The next PDU of rx_work. A command that finds no slot waits for one: the response
 * that opened the window for it has left, but its completion is still to come. Those
 * for immediate delivery are refused instead.
 */
static struct iser_recv *iser_rx_next(struct iser_conn *ic, struct iser_slot **slot)
{
	struct iser_recv *recv;
	bool immediate;

	*slot = NULL;
	spin_lock_irq(&ic->lock);
	recv = list_first_entry_or_null(&ic->pending, struct iser_recv, link);
	if (!recv || ic->stopped) {
		ic->slow = recv;
		recv = NULL;
	} else if (unlikely(iser_answers_wait(ic))) {
		ic->held = true;
		recv = NULL;
	} else if (iser_is_cmd(ic, &recv->pdu)) {
		immediate = recv->pdu.bhs->opcode & ISCSI_IMMEDIATE;
		*slot = iser_slot_take(ic, immediate);
		if (!*slot && !immediate) {
			ic->starved = true;
			recv = NULL;
		}
	}
	if (recv)
		list_del(&recv->link);
	spin_unlock_irq(&ic->lock);
	return recv;
}

void iser_rx_work(struct work_struct *work)
{
	struct iser_conn *ic = container_of(work, struct iser_conn, rx_work);
	struct iser_recv *recv;
	struct iser_slot *slot;

	while ((recv = iser_rx_next(ic, &slot)))
		iser_take(ic, recv, slot);
}

/* ---- completions ------------------------------------------------------ */

static void iser_receive(struct iser_conn *ic, struct iser_recv *recv)
{
	struct iser_slot *slot = NULL;
	unsigned long flags;
	bool fast;

	spin_lock_irqsave(&ic->lock, flags);
	fast = likely(!ic->slow) && iser_cmd_fast(ic, &recv->pdu);
	if (fast && (recv->pdu.bhs->opcode & ISCSI_OPCODE_MASK) == ISCSI_SCSI_CMD) {
		slot = iser_slot_take(ic, false);
		fast = slot;
	}
	if (unlikely(!fast)) {
		list_add_tail(&recv->link, &ic->pending);
		ic->slow = true;
		if (!ic->stopped)
			queue_work(iser_wq, &ic->rx_work);
	}
	spin_unlock_irqrestore(&ic->lock, flags);
	if (likely(fast))
		iser_take(ic, recv, slot);
}

static void iser_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct iser_recv *recv = container_of(wc->wr_cqe, struct iser_recv, cqe);
	struct iser_conn *ic = recv->ic;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_iser: %s: receive failed: %s\n", ic->c.peer,
					    ib_wc_status_msg(wc->status));
		iser_close(ic);
		return;
	}
	if (unlikely(atomic_read(&ic->state) >= ISER_CLOSING))
		return;
	ib_dma_sync_single_for_cpu(cq->device, recv->dma, wc->byte_len, DMA_FROM_DEVICE);
	if (likely(iser_parse(recv->buf + ISER_RECV_PAD, wc->byte_len, &recv->pdu))) {
		iser_receive(ic, recv);
		return;
	}
	pr_info_ratelimited("skua_iser: %s: %u bytes that are no iSCSI PDU; closing\n",
			    ic->c.peer, wc->byte_len);
	iser_close(ic);
}
