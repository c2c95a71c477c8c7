// SPDX-License-Identifier: GPL-2.0
/*
 * From queued responses to the socket. All but queueing and dropping runs in io_work, so
 * StatSN is given in the order of the stream.
 */
#include <linux/bvec.h>
#include <linux/crc32c.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "iscsit.h"

#define ISCSIT_BVECS	16

static struct iscsit_slot *iscsit_tx_slot(struct iscsit_tx *tx)
{
	return tx->kind == ISCSIT_TX_R2T ? container_of(tx, struct iscsit_slot, r2t) :
	       container_of(tx, struct iscsit_slot, rsp);
}

/* ---- queueing --------------------------------------------------------- */

struct iscsit_ctl *iscsit_ctl_new(struct iscsit_conn *conn, u8 opcode)
{
	struct iscsit_ctl *ctl = kzalloc(sizeof(*ctl), GFP_NOIO);

	if (!ctl)
		return NULL;
	ctl->tx.kind = ISCSIT_TX_CTL;
	ctl->conn = conn;
	ctl->bhs.opcode = opcode;
	ctl->bhs.flags = ISCSI_F_FINAL;
	return ctl;
}

/* Of a task management function: the core has it from its start to its release. */
void iscsit_ctl_free(struct iscsit_ctl *ctl)
{
	if (ctl->is_tmf)
		skua_tmf_release(&ctl->tmf);
	kvfree(ctl->data);
	kfree(ctl);
}

/* Response and slot go together; the queue stays until both have. */
static void iscsit_slot_done(struct iscsit_slot *slot)
{
	struct skua_queue *queue = slot->cmd.queue;
	bool held = skua_queue_hold(queue);

	skua_cmd_release(&slot->cmd);
	if (WARN_ON_ONCE(!held))
		return;
	iscsit_slot_put(slot);
	skua_queue_unhold(queue);
}

static void iscsit_tx_end(struct iscsit_tx *tx)
{
	switch (tx->kind) {
	case ISCSIT_TX_CTL:
		iscsit_ctl_free(container_of(tx, struct iscsit_ctl, tx));
		break;
	case ISCSIT_TX_RSP:
		iscsit_slot_done(iscsit_tx_slot(tx));
		break;
	}
}

/**
 * iscsit_queue_tx() - something to send
 * @conn: the connection; it may be freed before this returns if it has ended
 * @tx: what; dropped if the connection has ended
 *
 * Context: any.
 */
void iscsit_queue_tx(struct iscsit_conn *conn, struct iscsit_tx *tx)
{
	unsigned long flags;
	bool drop;

	spin_lock_irqsave(&conn->lock, flags);
	drop = conn->stopped;
	if (!drop) {
		list_add_tail(&tx->link, &conn->tx);
		queue_work_on(conn->cpu, iscsit_wq, &conn->io_work);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
	if (drop)
		iscsit_tx_end(tx);
}

void iscsit_ctl_send(struct iscsit_ctl *ctl)
{
	iscsit_queue_tx(ctl->conn, &ctl->tx);
}

/**
 * iscsit_tx_drop() - the connection has ended: nothing is sent any more
 * @conn: the connection, stopped
 */
void iscsit_tx_drop(struct iscsit_conn *conn)
{
	struct iscsit_tx *tx;

	if (conn->txs.own)
		kvfree(conn->txs.buf);
	conn->txs.own = false;
	tx = conn->txs.cur;
	conn->txs.cur = NULL;
	if (tx)
		iscsit_tx_end(tx);
	for (;;) {
		spin_lock_irq(&conn->lock);
		tx = list_first_entry_or_null(&conn->tx, struct iscsit_tx, link);
		if (tx)
			list_del_init(&tx->link);
		spin_unlock_irq(&conn->lock);
		if (!tx)
			return;
		iscsit_tx_end(tx);
	}
}

/* ---- building --------------------------------------------------------- */

static void iscsit_tx_window(struct iscsit_conn *conn, struct iscsi_bhs *bhs)
{
	bhs->exp_cmd_sn = cpu_to_be32(conn->exp_cmd_sn);
	bhs->max_cmd_sn = cpu_to_be32(conn->max_cmd_sn);
}

static void iscsit_tx_stat_sn(struct iscsit_conn *conn, struct iscsi_bhs *bhs)
{
	bhs->stat_sn = cpu_to_be32(conn->stat_sn++);
}

/* Header digest, padding, data digest; the header is in txs->hdr. */
static void iscsit_tx_seal(struct iscsit_conn *conn, bool digests)
{
	struct iscsit_txs *txs = &conn->txs;
	u32 pad = iscsi_pad(txs->len);

	iscsi_set_dsl((struct iscsi_bhs *)txs->hdr, txs->len);
	txs->done = 0;
	txs->hdr_len = ISCSI_BHS_LEN;
	if (digests && conn->header_digest) {
		put_unaligned_le32(~crc32c(~0, txs->hdr, ISCSI_BHS_LEN), txs->hdr + ISCSI_BHS_LEN);
		txs->hdr_len += ISCSI_DIGEST_LEN;
	}
	memset(txs->tail, 0, sizeof(txs->tail));
	txs->tail_len = pad;
	if (digests && conn->data_digest && txs->len) {
		u32 crc = crc32c(~0, txs->buf, txs->len);

		put_unaligned_le32(~crc32c(crc, txs->tail, pad), txs->tail + pad);
		txs->tail_len += ISCSI_DIGEST_LEN;
	}
}

static void iscsit_tx_ctl(struct iscsit_conn *conn, struct iscsit_ctl *ctl)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)conn->txs.hdr;

	*bhs = ctl->bhs;
	if (!ctl->login) {
		if (ctl->no_sn)
			bhs->stat_sn = cpu_to_be32(conn->stat_sn);
		else
			iscsit_tx_stat_sn(conn, bhs);
		iscsit_tx_window(conn, bhs);
	}
	conn->txs.buf = ctl->data;
	conn->txs.len = ctl->len;
	conn->txs.more = false;
	iscsit_tx_seal(conn, !ctl->login);
}

static void iscsit_tx_r2t(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)conn->txs.hdr;

	memset(bhs, 0, sizeof(*bhs));
	bhs->opcode = ISCSI_R2T;
	bhs->flags = ISCSI_F_FINAL;
	memcpy(bhs->lun, &slot->cmd.lun, sizeof(bhs->lun));
	bhs->itt = slot->itt;
	bhs->ttt = cpu_to_be32(slot - conn->q->slots);
	bhs->stat_sn = cpu_to_be32(conn->stat_sn);
	iscsit_tx_window(conn, bhs);
	bhs->r2t_sn = cpu_to_be32(slot->r2t_sn++);
	bhs->offset = cpu_to_be32(slot->burst_start);
	bhs->desired_len = cpu_to_be32(slot->burst_len);
	conn->txs.buf = NULL;
	conn->txs.len = 0;
	conn->txs.more = false;
	iscsit_tx_seal(conn, true);
}

static u8 iscsit_tx_residual(const struct skua_cmd *cmd, struct iscsi_bhs *bhs)
{
	if (!cmd->residual)
		return 0;
	bhs->residual = cpu_to_be32(abs(cmd->residual));
	return cmd->residual > 0 ? ISCSI_F_UNDERFLOW : ISCSI_F_OVERFLOW;
}

/* The last PDU of a command: its place in the window is free when it has arrived. */
static void iscsit_tx_credit(struct iscsit_conn *conn, const struct iscsit_slot *slot)
{
	if (!slot->immediate)
		conn->max_cmd_sn++;
}

static void iscsit_tx_status(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)conn->txs.hdr;
	struct iscsit_txs *txs = &conn->txs;
	struct skua_cmd *cmd = &slot->cmd;

	memset(bhs, 0, sizeof(*bhs));
	bhs->opcode = ISCSI_SCSI_RSP;
	bhs->flags = ISCSI_F_FINAL | iscsit_tx_residual(cmd, bhs);
	bhs->b3 = cmd->status;
	bhs->itt = slot->itt;
	iscsit_tx_credit(conn, slot);
	iscsit_tx_stat_sn(conn, bhs);
	iscsit_tx_window(conn, bhs);
	bhs->data_sn = cpu_to_be32(txs->data_sn ?: slot->r2t_sn);
	txs->buf = NULL;
	txs->len = 0;
	if (cmd->sense_len) {
		put_unaligned_be16(cmd->sense_len, txs->sense);
		memcpy(txs->sense + 2, cmd->sense, cmd->sense_len);
		txs->buf = txs->sense;
		txs->len = 2 + cmd->sense_len;
	}
	txs->more = false;
	iscsit_tx_seal(conn, true);
}

/*
 * With a data digest the data is copied: what a backend lends may change between the
 * computation and the sending.
 */
static int iscsit_tx_copy(struct iscsit_txs *txs)
{
	struct scatterlist *sg = txs->from.sg;
	u8 *copy = kvmalloc(txs->len, GFP_NOIO);

	if (!copy)
		return -ENOMEM;
	sg_pcopy_to_buffer(sg, sg_nents(sg), copy, txs->len, txs->from.off);
	iscsit_sg_advance(&txs->from, txs->len);
	txs->buf = copy;
	txs->own = true;
	return 0;
}

static int iscsit_tx_data_in(struct iscsit_conn *conn, struct iscsit_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)conn->txs.hdr;
	u32 max_burst = conn->nego.value[ISCSI_MAX_BURST];
	struct iscsit_txs *txs = &conn->txs;
	struct skua_cmd *cmd = &slot->cmd;
	u32 left = cmd->xfer_len - txs->sent;
	int ret = 0;

	txs->len = min3(left, conn->nego.value[ISCSI_MAX_RECV_DSL], max_burst - txs->burst);
	memset(bhs, 0, sizeof(*bhs));
	bhs->opcode = ISCSI_DATA_IN;
	bhs->itt = slot->itt;
	bhs->ttt = cpu_to_be32(ISCSI_NO_TAG);
	bhs->data_sn = cpu_to_be32(txs->data_sn++);
	bhs->offset = cpu_to_be32(txs->sent);
	txs->sent += txs->len;
	txs->burst += txs->len;
	if (txs->sent == cmd->xfer_len || txs->burst == max_burst) {
		bhs->flags = ISCSI_F_FINAL;
		txs->burst = 0;
	}
	txs->more = true;
	if (txs->sent == cmd->xfer_len && cmd->status == SAM_STAT_GOOD && !cmd->sense_len) {
		bhs->flags |= ISCSI_F_STATUS | iscsit_tx_residual(cmd, bhs);
		bhs->b3 = cmd->status;
		iscsit_tx_credit(conn, slot);
		iscsit_tx_stat_sn(conn, bhs);
		txs->more = false;
	}
	iscsit_tx_window(conn, bhs);
	txs->buf = NULL;
	if (conn->data_digest)
		ret = iscsit_tx_copy(txs);
	iscsit_tx_seal(conn, true);
	return ret;
}

/* An aborted command says nothing, but its place in the window is free. */
static bool iscsit_tx_silent(struct iscsit_conn *conn)
{
	struct iscsit_slot *slot;

	if (conn->txs.cur->kind != ISCSIT_TX_RSP)
		return false;
	slot = iscsit_tx_slot(conn->txs.cur);
	if (!(slot->cmd.flags & SKUA_CMD_SILENT))
		return false;
	iscsit_tx_credit(conn, slot);
	return true;
}

/* The next PDU of what is being sent. */
static int iscsit_tx_build(struct iscsit_conn *conn)
{
	struct iscsit_tx *tx = conn->txs.cur;
	struct skua_cmd *cmd;

	switch (tx->kind) {
	case ISCSIT_TX_CTL:
		iscsit_tx_ctl(conn, container_of(tx, struct iscsit_ctl, tx));
		return 0;
	case ISCSIT_TX_R2T:
		iscsit_tx_r2t(conn, iscsit_tx_slot(tx));
		return 0;
	}
	cmd = &iscsit_tx_slot(tx)->cmd;
	if (cmd->data_dir == SKUA_DIR_READ && conn->txs.sent < cmd->xfer_len)
		return iscsit_tx_data_in(conn, iscsit_tx_slot(tx));
	iscsit_tx_status(conn, iscsit_tx_slot(tx));
	return 0;
}

/* ---- writing ---------------------------------------------------------- */

static int iscsit_send(struct iscsit_conn *conn, const void *buf, u32 len, bool more)
{
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };

	if (more)
		msg.msg_flags |= MSG_MORE;
	return kernel_sendmsg(conn->sock, &msg, &vec, 1, len);
}

static int iscsit_send_sg(struct iscsit_conn *conn, u32 len, bool more)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct bio_vec bvec[ISCSIT_BVECS];
	u32 bytes;
	int nr, ret;

	nr = iscsit_sg_bvec(&conn->txs.from, len, bvec, ISCSIT_BVECS, &bytes);
	if (WARN_ON_ONCE(!bytes))
		return -EIO;
	if (more || bytes < len)
		msg.msg_flags |= MSG_MORE;
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bvec, nr, bytes);
	ret = sock_sendmsg(conn->sock, &msg);
	if (ret > 0)
		iscsit_sg_advance(&conn->txs.from, ret);
	return ret;
}

/* What is left of the PDU: 0, -EAGAIN, other errors */
static int iscsit_tx_pdu(struct iscsit_conn *conn)
{
	struct iscsit_txs *txs = &conn->txs;
	u32 data_end = txs->hdr_len + txs->len, end = data_end + txs->tail_len;
	int ret;

	while (txs->done < end) {
		if (txs->done < txs->hdr_len)
			ret = iscsit_send(conn, txs->hdr + txs->done, txs->hdr_len - txs->done,
					  end > txs->hdr_len || txs->more);
		else if (txs->done >= data_end)
			ret = iscsit_send(conn, txs->tail + txs->done - data_end, end - txs->done,
					  txs->more);
		else if (txs->buf)
			ret = iscsit_send(conn, txs->buf + txs->done - txs->hdr_len,
					  data_end - txs->done, end > data_end || txs->more);
		else
			ret = iscsit_send_sg(conn, data_end - txs->done,
					     end > data_end || txs->more);
		if (ret < 0)
			return ret;
		txs->done += ret;
	}
	if (txs->own)
		kvfree(txs->buf);
	txs->own = false;
	return 0;
}

/* The next thing to send becomes current. */
static bool iscsit_tx_pick(struct iscsit_conn *conn)
{
	struct iscsit_txs *txs = &conn->txs;

	spin_lock_irq(&conn->lock);
	txs->cur = list_first_entry_or_null(&conn->tx, struct iscsit_tx, link);
	if (txs->cur)
		list_del_init(&txs->cur->link);
	spin_unlock_irq(&conn->lock);
	if (!txs->cur)
		return false;
	txs->data_sn = 0;
	txs->sent = 0;
	txs->burst = 0;
	txs->from.off = 0;
	txs->from.sg = txs->cur->kind == ISCSIT_TX_RSP ? iscsit_tx_slot(txs->cur)->cmd.io.sg : NULL;
	return true;
}

/* Data that is still on its way to a command which has ended goes nowhere. */
static void iscsit_rx_forget(struct iscsit_conn *conn, const struct iscsit_slot *slot)
{
	if (conn->rx.slot != slot)
		return;
	conn->rx.slot = NULL;
	conn->rx.buf = NULL;
	conn->rx.to.sg = NULL;
	conn->rx.from.sg = NULL;
	conn->rx.drop = true;
}

static int iscsit_tx_finish(struct iscsit_conn *conn)
{
	struct iscsit_tx *tx = conn->txs.cur;
	bool close = tx->kind == ISCSIT_TX_CTL && container_of(tx, struct iscsit_ctl, tx)->close;

	conn->txs.cur = NULL;
	if (tx->kind == ISCSIT_TX_RSP)
		iscsit_rx_forget(conn, iscsit_tx_slot(tx));
	iscsit_tx_end(tx);
	return close ? -ESHUTDOWN : 1;
}

/**
 * iscsit_tx() - send one response
 * @conn: the connection
 *
 * Return: 1: it has gone; 0: there is none, or no room in the socket; -errno: the
 * connection has to end.
 */
int iscsit_tx(struct iscsit_conn *conn)
{
	struct iscsit_txs *txs = &conn->txs;
	int ret;

	if (!txs->cur) {
		if (!iscsit_tx_pick(conn))
			return 0;
		if (iscsit_tx_silent(conn))
			return iscsit_tx_finish(conn);
		ret = iscsit_tx_build(conn);
		if (ret)
			return ret;
	}
	for (;;) {
		ret = iscsit_tx_pdu(conn);
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		if (!txs->more)
			return iscsit_tx_finish(conn);
		ret = iscsit_tx_build(conn);
		if (ret)
			return ret;
	}
}
