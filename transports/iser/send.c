// SPDX-License-Identifier: GPL-2.0
/* PDUs that belong to no SCSI command: login, text, NOP-In, task management, Reject. */
#include <linux/slab.h>

#include "iser.h"

/* A control PDU on its way */
struct iser_tx {
	struct iser_conn *ic;
	struct skua_rdma_post post;
	struct ib_cqe cqe;
	struct ib_send_wr wr;
	struct ib_sge sge;
	u64 dma;
	u32 len;
	bool close;			/* the connection ends behind it */
	u8 buf[];			/* headers and data */
};

static void iser_tx_free(struct iser_tx *tx)
{
	ib_dma_unmap_single(tx->ic->rdma.dev->ib, tx->dma, tx->len, DMA_TO_DEVICE);
	kfree(tx);
}

static void iser_tx_failed(struct skua_rdma_post *post)
{
	struct iser_tx *tx = container_of(post, struct iser_tx, post);

	iser_ctl_gone(tx->ic);
	iser_tx_free(tx);
}

static void iser_tx_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct iser_tx *tx = container_of(wc->wr_cqe, struct iser_tx, cqe);
	struct iser_conn *ic = tx->ic;

	if (unlikely(wc->status != IB_WC_SUCCESS))
		iser_close(ic);
	else if (tx->close)
		iser_close_soon(ic);
	iser_ctl_gone(ic);
	ib_dma_unmap_single(ic->rdma.dev->ib, tx->dma, tx->len, DMA_TO_DEVICE);
	skua_rdma_post_done(&ic->rdma, &tx->post);
	kfree(tx);
}

static struct iser_tx *iser_tx_new(struct iser_conn *ic, const struct iscsit_ctl *ctl)
{
	struct ib_device *ib = ic->rdma.dev->ib;
	u32 len = ISER_HEADERS + ctl->len;
	struct iser_hdr *hdr;
	struct iser_tx *tx;

	tx = kzalloc(struct_size(tx, buf, len), GFP_NOIO);
	if (!tx)
		return NULL;
	tx->ic = ic;
	tx->len = len;
	tx->close = ctl->close;
	hdr = (struct iser_hdr *)tx->buf;
	hdr->flags = ISER_CTRL;
	if (ctl->len)
		memcpy(tx->buf + ISER_HEADERS, ctl->data, ctl->len);
	tx->dma = ib_dma_map_single(ib, tx->buf, len, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(ib, tx->dma)) {
		kfree(tx);
		return NULL;
	}
	tx->cqe.done = iser_tx_done;
	tx->sge.addr = tx->dma;
	tx->sge.length = len;
	tx->sge.lkey = ic->rdma.dev->pd->local_dma_lkey;
	tx->wr.wr_cqe = &tx->cqe;
	tx->wr.sg_list = &tx->sge;
	tx->wr.num_sge = 1;
	tx->wr.opcode = IB_WR_SEND;
	tx->wr.send_flags = IB_SEND_SIGNALED;
	tx->post.first = &tx->wr;
	tx->post.nr = 1;
	tx->post.failed = iser_tx_failed;
	return tx;
}

/* Entered. The numbers are taken in the order of the posts. */
static int iser_tx_post(struct iser_conn *ic, struct iscsit_ctl *ctl)
{
	struct iser_tx *tx = iser_tx_new(ic, ctl);
	struct iscsi_bhs *bhs;
	unsigned long flags;
	int ret;

	if (!tx)
		return -ENOMEM;
	ib_dma_sync_single_for_cpu(ic->rdma.dev->ib, tx->dma, tx->len, DMA_TO_DEVICE);
	bhs = (struct iscsi_bhs *)(tx->buf + ISER_HDR_LEN);
	spin_lock_irqsave(&ic->c.sn_lock, flags);
	*bhs = ctl->bhs;
	if (!ctl->login)
		iscsit_stamp(&ic->c, bhs, ctl->no_sn ? ISCSIT_STAMP_PEEK : ISCSIT_STAMP_TAKE);
	iscsi_set_dsl(bhs, ctl->len);
	ib_dma_sync_single_for_device(ic->rdma.dev->ib, tx->dma, tx->len, DMA_TO_DEVICE);
	ret = skua_rdma_post(&ic->rdma, &tx->post);
	spin_unlock_irqrestore(&ic->c.sn_lock, flags);
	if (ret)
		iser_tx_free(tx);
	return ret;
}

static struct iscsit_ctl *iser_ctl_next(struct iser_conn *ic)
{
	struct iscsit_ctl *ctl;

	spin_lock_irq(&ic->lock);
	ctl = list_first_entry_or_null(&ic->ctls, struct iscsit_ctl, link);
	if (ctl)
		list_del_init(&ctl->link);
	spin_unlock_irq(&ic->lock);
	return ctl;
}

void iser_tx_work(struct work_struct *work)
{
	struct iser_conn *ic = container_of(work, struct iser_conn, tx_work);
	struct iscsit_ctl *ctl;
	int ret;

	while ((ctl = iser_ctl_next(ic))) {
		ret = -ENOTCONN;
		if (skua_rdma_enter(&ic->rdma, true)) {
			ret = iser_tx_post(ic, ctl);
			skua_rdma_exit(&ic->rdma, true);
		}
		iscsit_ctl_free(ctl);
		if (ret) {
			iser_ctl_gone(ic);
			iser_close(ic);
		}
	}
}

/*
 * Nobody waits for a word about changed LUNs, and there is a unit attention as well: it
 * is not kept for a peer that takes nothing. Lock held.
 */
static bool iser_send_drop(const struct iser_conn *ic, const struct iscsit_ctl *ctl)
{
	return ic->stopped || (ic->nr_ctl >= ISER_MAX_CTL &&
			       ctl->bhs.opcode == ISCSI_ASYNC_MSG &&
			       ctl->bhs.event == ISCSI_ASYNC_SCSI);
}

/**
 * iser_send() - a control PDU to send
 * @conn: the connection, maybe at its end
 * @ctl: freed when it has been sent or dropped
 *
 * Context: any.
 */
void iser_send(struct iscsit_conn *conn, struct iscsit_ctl *ctl)
{
	struct iser_conn *ic = iser_of(conn);
	unsigned long flags;
	bool drop;

	spin_lock_irqsave(&ic->lock, flags);
	drop = iser_send_drop(ic, ctl);
	if (!drop) {
		ic->nr_ctl++;
		list_add_tail(&ctl->link, &ic->ctls);
		queue_work(iser_wq, &ic->tx_work);
	}
	spin_unlock_irqrestore(&ic->lock, flags);
	if (drop)
		iscsit_ctl_free(ctl);
}

/**
 * iser_ctls_drop() - the connection has ended: nothing is sent any more
 * @ic: stopped, tx_work does not run
 */
void iser_ctls_drop(struct iser_conn *ic)
{
	struct iscsit_ctl *ctl;

	while ((ctl = iser_ctl_next(ic)))
		iscsit_ctl_free(ctl);
}
