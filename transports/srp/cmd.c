// SPDX-License-Identifier: GPL-2.0
/*
 * A command's data and its response.
 *
 * Reads: the RDMA WRITEs of the data and the response are one chain, posted at
 * once. Writes: RDMA READ, then the core. What needs more work requests than the
 * send queue takes goes in batches (rdma/rw.c). What needs memory for its
 * contexts, or a table of descriptors to be fetched from the initiator, hops to
 * process context first; the rest runs where the completion queue is polled.
 *
 * All of it is safe at any time of the channel's life: what cannot be posted any
 * more ends with the slot's release.
 */
#include <scsi/scsi_proto.h>

#include "srpt.h"

static void srpt_move(struct skua_cmd *cmd, bool may_sleep);

static struct srpt_slot *srpt_cmd_slot(struct skua_cmd *cmd)
{
	return container_of(cmd, struct srpt_slot, cmd);
}

/* ---- the end of a slot ------------------------------------------------ */

static void srpt_table_free(struct srpt_slot *slot)
{
	free_pages_exact(slot->table, slot->table_size);
	slot->table = NULL;
}

/* From a completion handler: the channel stays at least until its QP is drained. */
static void srpt_release_held(struct srpt_slot *slot)
{
	skua_rdma_xfer_end(&slot->xfer);
	if (unlikely(slot->table))
		srpt_table_free(slot);
	if (slot->submitted) {
		if (slot->is_tmf)
			skua_tmf_release(&slot->tmf);
		else
			skua_cmd_release(&slot->cmd);
	}
	srpt_slot_put(slot);
}

/*
 * The core lets go of the slot, and with that of the queue: the channel's memory
 * may be freed by drained() unless something else keeps it.
 */
static void srpt_release(struct srpt_slot *slot)
{
	struct srpt_chan *ch = slot->ch;

	srpt_chan_get(ch);
	srpt_release_held(slot);
	srpt_chan_put(ch);
}

/* ---- responses -------------------------------------------------------- */

static void srpt_rsp_residual(struct srp_rsp *rsp, const struct skua_cmd *cmd)
{
	bool over = cmd->residual < 0;
	u32 count = over ? -cmd->residual : cmd->residual;

	if (cmd->edtl_dir == SKUA_DIR_WRITE) {
		rsp->flags |= over ? SRP_RSP_FLAG_DOOVER : SRP_RSP_FLAG_DOUNDER;
		rsp->data_out_res_cnt = cpu_to_be32(count);
	} else {
		rsp->flags |= over ? SRP_RSP_FLAG_DIOVER : SRP_RSP_FLAG_DIUNDER;
		rsp->data_in_res_cnt = cpu_to_be32(count);
	}
}

static u32 srpt_rsp_cmd(const struct srpt_slot *slot, struct srp_rsp *rsp)
{
	const struct skua_cmd *cmd = &slot->cmd;
	u32 sense = min_t(u32, cmd->sense_len, slot->ch->max_rsp - SRPT_RSP_HDR);

	rsp->status = cmd->status;
	if (cmd->residual)
		srpt_rsp_residual(rsp, cmd);
	if (likely(!sense))
		return SRPT_RSP_HDR;
	rsp->flags |= SRP_RSP_FLAG_SNSVALID;
	rsp->sense_data_len = cpu_to_be32(sense);
	memcpy(rsp->data, cmd->sense, sense);
	return SRPT_RSP_HDR + sense;
}

static u32 srpt_rsp_tmf(const struct srpt_slot *slot, struct srp_rsp *rsp)
{
	/* SRP 6.9, response codes */
	static const u8 code[] = {
		[SKUA_TMF_COMPLETE] = 0x00,
		[SKUA_TMF_SUCCEEDED] = 0x00,
		[SKUA_TMF_NO_LUN] = 0x05,
		[SKUA_TMF_NOT_SUPPORTED] = 0x04,
		[SKUA_TMF_FAILED] = 0x05,
	};

	rsp->flags = SRP_RSP_FLAG_RSPVALID;
	rsp->resp_data_len = cpu_to_be32(4);
	memset(rsp->data, 0, 4);
	rsp->data[3] = slot->tmf.response < ARRAY_SIZE(code) ? code[slot->tmf.response] : 0x05;
	return SRPT_RSP_HDR + 4;
}

/*
 * Makes the IU and returns the credit. The receive buffer is posted before the
 * initiator can learn that it may send again.
 */
static void srpt_rsp_prepare(struct srpt_slot *slot, bool cred_req)
{
	struct srpt_chan *ch = slot->ch;
	struct srp_rsp *rsp = slot->rsp;
	struct srpt_recv *recv = slot->recv;
	u32 delta = cred_req ? 0 : 1;
	u32 len;

	slot->recv = NULL;
	if (likely(recv) && srpt_post_recv(ch, recv))
		srpt_chan_close(ch);
	if (unlikely(atomic_read(&ch->delta)))
		delta += atomic_xchg(&ch->delta, 0);
	atomic_add(delta, &ch->req_lim);

	ib_dma_sync_single_for_cpu(ch->conn.dev->ib, slot->rsp_dma, ch->max_rsp, DMA_TO_DEVICE);
	memset(rsp, 0, SRPT_RSP_HDR);
	if (unlikely(cred_req)) {
		struct srp_cred_req *req = slot->rsp;

		req->opcode = SRP_CRED_REQ;
		req->req_lim_delta = cpu_to_be32(delta);
		len = sizeof(*req);
	} else {
		rsp->opcode = SRP_RSP;
		rsp->req_lim_delta = cpu_to_be32(delta);
		rsp->tag = slot->cmd.tag;
		len = slot->is_tmf ? srpt_rsp_tmf(slot, rsp) : srpt_rsp_cmd(slot, rsp);
	}
	slot->send_sge.length = len;
	slot->send_wr.next = NULL;
	ib_dma_sync_single_for_device(ch->conn.dev->ib, slot->rsp_dma, len, DMA_TO_DEVICE);
}

/* The chain that ends in the response was not posted, or not executed. */
static void srpt_rsp_failed(struct skua_rdma_post *post)
{
	struct srpt_slot *slot = container_of(post, struct srpt_slot, post);

	skua_rdma_xfer_unbuild(&slot->xfer, &slot->ch->conn);
	srpt_release(slot);
}

static void srpt_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct srpt_slot *slot = container_of(wc->wr_cqe, struct srpt_slot, send_cqe);
	struct srpt_chan *ch = slot->ch;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_srp: %s: %s: response not sent: %s\n",
					    ch->target->name, ch->name,
					    ib_wc_status_msg(wc->status));
		srpt_chan_close(ch);
	}
	if (slot->xfer.nr_ops)
		skua_rdma_xfer_unbuild(&slot->xfer, &ch->conn);
	skua_rdma_post_done(&ch->conn, &slot->post);
	srpt_release_held(slot);
}

/* Sends the response, or a credit request, without data. */
static void srpt_send(struct srpt_slot *slot, bool cred_req)
{
	struct srpt_chan *ch = slot->ch;
	int ret;

	slot->xfer.nr_ops = 0;
	if (unlikely(!skua_rdma_enter(&ch->conn, false))) {
		srpt_release(slot);
		return;
	}
	srpt_rsp_prepare(slot, cred_req);
	slot->post.first = &slot->send_wr;
	slot->post.nr = 1;
	slot->post.failed = srpt_rsp_failed;
	ret = skua_rdma_post(&ch->conn, &slot->post);
	skua_rdma_exit(&ch->conn, false);
	if (unlikely(ret))
		srpt_release(slot);
}

/* Sense data of our own: the core has not seen the command, or has done with it. */
static void srpt_set_sense(struct skua_cmd *cmd, u8 key, u8 asc, u8 ascq)
{
	memset(cmd->sense, 0, 18);
	cmd->sense[0] = 0x70;
	cmd->sense[2] = key;
	cmd->sense[7] = 10;
	cmd->sense[12] = asc;
	cmd->sense[13] = ascq;
	cmd->sense_len = 18;
	cmd->status = SAM_STAT_CHECK_CONDITION;
	cmd->data_dir = SKUA_DIR_NONE;
	cmd->xfer_len = 0;
	cmd->residual = cmd->edtl;
}

/**
 * srpt_refuse() - answer a command whose data buffers make no sense
 * @slot: parsed, not submitted
 */
void srpt_refuse(struct srpt_slot *slot)
{
	/* INVALID FIELD IN COMMAND INFORMATION UNIT */
	srpt_set_sense(&slot->cmd, ILLEGAL_REQUEST, 0x0e, 0x03);
	srpt_send(slot, false);
}

/*
 * An aborted command that nobody may hear of. Its credit goes with the next
 * response; when many have gathered they go by themselves.
 */
static void srpt_silent(struct srpt_slot *slot)
{
	struct srpt_chan *ch = slot->ch;
	bool entered = skua_rdma_enter(&ch->conn, false);

	if (likely(entered)) {
		if (slot->recv && srpt_post_recv(ch, slot->recv))
			srpt_chan_close(ch);
		slot->recv = NULL;
		skua_rdma_exit(&ch->conn, false);
	}
	if (atomic_inc_return(&ch->delta) >= ch->credits / 2)
		srpt_send(slot, true);
	else
		srpt_release(slot);
}

/* ---- data ------------------------------------------------------------- */

/* The data will not arrive: the command ends in an error, if the channel lives. */
static void srpt_move_failed(struct srpt_slot *slot)
{
	bool write = slot->cmd.data_dir == SKUA_DIR_WRITE;

	skua_rdma_xfer_end(&slot->xfer);
	if (write) {
		skua_cmd_transfer_failed(&slot->cmd);
		return;
	}
	/* DATA PHASE ERROR */
	srpt_set_sense(&slot->cmd, ABORTED_COMMAND, 0x4b, 0x00);
	srpt_send(slot, false);
}

static void srpt_batch_failed(struct skua_rdma_post *post)
{
	struct srpt_slot *slot = container_of(post, struct srpt_slot, post);

	skua_rdma_xfer_unbuild(&slot->xfer, &slot->ch->conn);
	srpt_move_failed(slot);
}

static const struct srpt_buf *srpt_slot_buf(const struct srpt_slot *slot)
{
	return slot->cmd.data_dir == SKUA_DIR_WRITE ? &slot->out : &slot->in;
}

/* Sets up the transfer of the command's own data. */
static void srpt_data_xfer(struct srpt_slot *slot)
{
	const struct srpt_buf *buf = srpt_slot_buf(slot);
	struct skua_cmd *cmd = &slot->cmd;
	bool write = cmd->data_dir == SKUA_DIR_WRITE;
	const void *descs = slot->table ?: slot->iu + buf->off;

	slot->phase = write ? SRPT_FETCH : SRPT_SEND;
	skua_rdma_xfer_init(&slot->xfer, write ? DMA_FROM_DEVICE : DMA_TO_DEVICE, descs,
			    slot->table ? buf->total : buf->nr, cmd->io.sg, cmd->xfer_len);
}

/* A batch without response has completed: a part of the data, or the table. */
static void srpt_batch_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct srpt_slot *slot = container_of(wc->wr_cqe, struct srpt_slot, rw_cqe);
	struct srpt_chan *ch = slot->ch;

	skua_rdma_xfer_unbuild(&slot->xfer, &ch->conn);
	skua_rdma_post_done(&ch->conn, &slot->post);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			pr_info_ratelimited("skua_srp: %s: %s: RDMA failed: %s\n",
					    ch->target->name, ch->name,
					    ib_wc_status_msg(wc->status));
		srpt_chan_close(ch);
		srpt_move_failed(slot);
		return;
	}
	if (slot->xfer.left) {
		srpt_move(&slot->cmd, false);
		return;
	}
	skua_rdma_xfer_end(&slot->xfer);
	if (slot->phase == SRPT_FETCH) {
		/* The backend may keep the slot for ever, even beyond the channel. */
		if (unlikely(slot->table))
			srpt_table_free(slot);
		srpt_slot_share(slot);
		skua_cmd_execute(&slot->cmd, false);
		return;
	}
	/* The table. */
	if (!srpt_descs_cover(slot->table, srpt_slot_buf(slot)->total, slot->cmd.xfer_len)) {
		srpt_move_failed(slot);
		return;
	}
	srpt_data_xfer(slot);
	srpt_move(&slot->cmd, false);
}

/* Posts the batch that was built. Entered. */
static int srpt_post_batch(struct srpt_slot *slot)
{
	struct skua_rdma_conn *conn = &slot->ch->conn;
	struct skua_rdma_xfer *xfer = &slot->xfer;
	struct skua_rdma_post *post = &slot->post;

	if (slot->phase == SRPT_SEND && !xfer->left) {
		srpt_rsp_prepare(slot, false);
		post->nr = xfer->nr_wrs + 1;
		post->failed = srpt_rsp_failed;
		post->first = skua_rdma_xfer_wrs(xfer, conn, NULL, &slot->send_wr);
	} else {
		post->nr = xfer->nr_wrs;
		post->failed = srpt_batch_failed;
		post->first = skua_rdma_xfer_wrs(xfer, conn, &slot->rw_cqe, NULL);
	}
	return skua_rdma_post(conn, post);
}

/* The next batch of a transfer; the last one of a read with the response. */
static void srpt_move(struct skua_cmd *cmd, bool may_sleep)
{
	struct srpt_slot *slot = srpt_cmd_slot(cmd);
	struct skua_rdma_conn *conn = &slot->ch->conn;
	int ret = -ENOTCONN;

	if (likely(skua_rdma_enter(conn, may_sleep))) {
		ret = skua_rdma_xfer_build(&slot->xfer, conn, 1, may_sleep);
		if (likely(!ret)) {
			ret = srpt_post_batch(slot);
			if (unlikely(ret))
				skua_rdma_xfer_unbuild(&slot->xfer, conn);
		}
		skua_rdma_exit(conn, may_sleep);
	}
	if (likely(!ret))
		return;
	if (ret == -EAGAIN)
		skua_cmd_hop(cmd, srpt_move);
	else
		srpt_move_failed(slot);
}

/*
 * The IU has a part of the table only: fetch the whole of it. Process context,
 * because it needs memory.
 */
static void srpt_fetch_table(struct skua_cmd *cmd, bool may_sleep)
{
	struct srpt_slot *slot = srpt_cmd_slot(cmd);
	const struct srpt_buf *buf = srpt_slot_buf(slot);
	struct skua_rdma_desc *desc = &slot->table_desc;

	slot->table_size = buf->total * SRPT_DESC_LEN;
	slot->table = alloc_pages_exact(slot->table_size, GFP_NOIO | __GFP_NOWARN);
	if (!slot->table) {
		srpt_move_failed(slot);
		return;
	}
	desc->va = cpu_to_be64(buf->table_va);
	desc->key = cpu_to_be32(buf->table_key);
	desc->len = cpu_to_be32(slot->table_size);
	sg_init_one(&slot->table_sg, slot->table, slot->table_size);
	slot->phase = SRPT_TABLE;
	skua_rdma_xfer_init(&slot->xfer, DMA_FROM_DEVICE, desc, 1, &slot->table_sg,
			    slot->table_size);
	srpt_move(cmd, may_sleep);
}

static void srpt_move_start(struct srpt_slot *slot, bool may_sleep)
{
	const struct srpt_buf *buf = srpt_slot_buf(slot);

	if (likely(buf->nr == buf->total)) {
		srpt_data_xfer(slot);
		srpt_move(&slot->cmd, may_sleep);
	} else if (may_sleep) {
		srpt_fetch_table(&slot->cmd, true);
	} else {
		skua_cmd_hop(&slot->cmd, srpt_fetch_table);
	}
}

/* Immediate data lies in the IU, which is ours while the channel lives. */
static void srpt_copy_imm(struct srpt_slot *slot, bool may_sleep)
{
	struct skua_cmd *cmd = &slot->cmd;
	struct skua_rdma_conn *conn = &slot->ch->conn;

	if (!skua_rdma_enter(conn, may_sleep)) {
		skua_cmd_transfer_failed(cmd);
		return;
	}
	sg_copy_from_buffer(cmd->io.sg, cmd->io.nr_sg, slot->iu + slot->out.off,
			    cmd->xfer_len);
	srpt_slot_share(slot);
	skua_rdma_exit(conn, may_sleep);
	/* A backend that sleeps must not do it on our stack: this module may be unloaded. */
	skua_cmd_execute(cmd, false);
}

/* ---- the core's calls -------------------------------------------------- */

/**
 * srpt_start() - fetch write data
 * @cmd: passed the gate, has its buffers
 * @may_sleep: in process context
 */
void srpt_start(struct skua_cmd *cmd, bool may_sleep)
{
	struct srpt_slot *slot = srpt_cmd_slot(cmd);

	if (slot->out.fmt == SRP_DATA_DESC_IMM)
		srpt_copy_imm(slot, may_sleep);
	else
		srpt_move_start(slot, may_sleep);
}

/**
 * srpt_respond() - send read data and status
 * @cmd: done
 */
void srpt_respond(struct skua_cmd *cmd)
{
	struct srpt_slot *slot = srpt_cmd_slot(cmd);

	if (unlikely(cmd->flags & SKUA_CMD_SILENT))
		srpt_silent(slot);
	else if (cmd->data_dir == SKUA_DIR_READ && cmd->xfer_len)
		srpt_move_start(slot, false);
	else
		srpt_send(slot, false);
}

/**
 * srpt_respond_tmf() - send the response of a task management function
 * @tmf: done
 */
void srpt_respond_tmf(struct skua_tmf *tmf)
{
	srpt_send(container_of(tmf, struct srpt_slot, tmf), false);
}

/**
 * srpt_slot_init() - the parts of a slot that stay
 * @slot: with ch, rsp and rsp_dma set
 */
void srpt_slot_init(struct srpt_slot *slot)
{
	slot->cmd.queue = &slot->ch->q->queue;
	slot->rw_cqe.done = srpt_batch_done;
	slot->send_cqe.done = srpt_send_done;
	slot->send_sge.addr = slot->rsp_dma;
	slot->send_sge.lkey = slot->ch->conn.dev->pd->local_dma_lkey;
	slot->send_wr.wr_cqe = &slot->send_cqe;
	slot->send_wr.sg_list = &slot->send_sge;
	slot->send_wr.num_sge = 1;
	slot->send_wr.opcode = IB_WR_SEND;
	slot->send_wr.send_flags = IB_SEND_SIGNALED;
}
