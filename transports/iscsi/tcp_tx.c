// SPDX-License-Identifier: GPL-2.0
/*
 * From queued responses to the socket. All but queueing and dropping runs in io_work, so
 * StatSN is given in the order of the stream.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "tcp.h"

#define ITCP_BVECS	16

static struct itcp_slot *itcp_tx_slot(struct itcp_tx *tx)
{
	return tx->kind == ITCP_TX_R2T ? container_of(tx, struct itcp_slot, r2t) :
	       container_of(tx, struct itcp_slot, rsp);
}

static struct iscsit_ctl *itcp_ctl(struct itcp_tx *tx)
{
	static_assert(offsetof(struct itcp_tx, link) == offsetof(struct iscsit_ctl, link));
	static_assert(offsetof(struct itcp_tx, kind) == offsetof(struct iscsit_ctl, kind));

	return (struct iscsit_ctl *)tx;
}

/* ---- queueing --------------------------------------------------------- */

/* Response and slot go together; the queue stays until both have. */
static void itcp_slot_done(struct itcp_slot *slot)
{
	struct skua_queue *queue = slot->cmd.queue;
	bool held = skua_queue_hold(queue);

	skua_cmd_release(&slot->cmd);
	if (WARN_ON_ONCE(!held))
		return;
	itcp_slot_put(slot);
	skua_queue_unhold(queue);
}

static void itcp_ctl_end(struct iscsit_ctl *ctl)
{
	struct itcp_conn *tcp = itcp_of(ctl->conn);

	atomic_sub(ctl->len, &tcp->ctl_bytes);
	atomic_dec(&tcp->ctl_nr);
	iscsit_ctl_free(ctl);
}

static void itcp_tx_end(struct itcp_tx *tx)
{
	switch (tx->kind) {
	case ITCP_TX_CTL:
		itcp_ctl_end(itcp_ctl(tx));
		break;
	case ITCP_TX_RSP:
		itcp_slot_done(itcp_tx_slot(tx));
		break;
	}
}

/**
 * itcp_queue_tx() - something to send
 * @tcp: the connection; it may be freed before this returns if it has ended
 * @tx: what; dropped if the connection has ended
 *
 * Context: any.
 */
void itcp_queue_tx(struct itcp_conn *tcp, struct itcp_tx *tx)
{
	unsigned long flags;
	bool drop;

	spin_lock_irqsave(&tcp->lock, flags);
	drop = tcp->dead;
	if (!drop)
		list_add_tail(&tx->link, &tcp->tx);	/* itcp_tx_drop() ends what stays */
	if (!tcp->stopped)
		queue_work_on(tcp->c.cpu, iscsit_wq, &tcp->io_work);
	spin_unlock_irqrestore(&tcp->lock, flags);
	if (drop)
		itcp_tx_end(tx);
}

void itcp_send(struct iscsit_conn *conn, struct iscsit_ctl *ctl)
{
	struct itcp_conn *tcp = itcp_of(conn);

	ctl->kind = ITCP_TX_CTL;
	atomic_add(ctl->len, &tcp->ctl_bytes);
	atomic_inc(&tcp->ctl_nr);
	itcp_queue_tx(tcp, (struct itcp_tx *)ctl);
}

/**
 * itcp_tx_drop() - the connection has ended: nothing is sent any more
 * @tcp: the connection, dead
 */
void itcp_tx_drop(struct itcp_conn *tcp)
{
	struct itcp_tx *tx;

	if (tcp->txs.own)
		kvfree(tcp->txs.buf);
	tcp->txs.own = false;
	tx = tcp->txs.cur;
	tcp->txs.cur = NULL;
	if (tx)
		itcp_tx_end(tx);
	for (;;) {
		spin_lock_irq(&tcp->lock);
		tx = list_first_entry_or_null(&tcp->tx, struct itcp_tx, link);
		if (tx)
			list_del_init(&tx->link);
		spin_unlock_irq(&tcp->lock);
		if (!tx)
			return;
		itcp_tx_end(tx);
	}
}

/* ---- building --------------------------------------------------------- */

/* Header digest, padding, data digest; the header is in txs->hdr. */
static void itcp_tx_seal(struct itcp_conn *tcp, bool digests)
{
	struct itcp_txs *txs = &tcp->txs;
	u32 pad = iscsi_pad(txs->len);

	iscsi_set_dsl((struct iscsi_bhs *)txs->hdr, txs->len);
	txs->done = 0;
	txs->hdr_len = ISCSI_BHS_LEN;
	if (digests && tcp->c.header_digest) {
		put_unaligned_le32(~crc32c(~0, txs->hdr, ISCSI_BHS_LEN), txs->hdr + ISCSI_BHS_LEN);
		txs->hdr_len += ISCSI_DIGEST_LEN;
	}
	memset(txs->tail, 0, sizeof(txs->tail));
	txs->tail_len = pad;
	if (digests && tcp->c.data_digest && txs->len) {
		u32 crc = crc32c(~0, txs->buf, txs->len);

		put_unaligned_le32(~crc32c(crc, txs->tail, pad), txs->tail + pad);
		txs->tail_len += ISCSI_DIGEST_LEN;
	}
}

static void itcp_tx_ctl(struct itcp_conn *tcp, struct iscsit_ctl *ctl)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)tcp->txs.hdr;

	*bhs = ctl->bhs;
	if (!ctl->login)
		iscsit_stamp(&tcp->c, bhs, ctl->no_sn ? ISCSIT_STAMP_PEEK : ISCSIT_STAMP_TAKE);
	tcp->txs.buf = ctl->data;
	tcp->txs.len = ctl->len;
	tcp->txs.more = false;
	itcp_tx_seal(tcp, !ctl->login);
}

/* As many R2Ts as the initiator takes at a time. */
static void itcp_tx_r2t(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)tcp->txs.hdr;
	u32 start, len;

	memset(bhs, 0, sizeof(*bhs));
	bhs->opcode = ISCSI_R2T;
	bhs->flags = ISCSI_F_FINAL;
	memcpy(bhs->lun, &slot->cmd.lun, sizeof(bhs->lun));
	bhs->itt = slot->itt;
	bhs->ttt = cpu_to_be32(itcp_ttt(tcp, slot, slot->r2t_sn));
	iscsit_stamp(&tcp->c, bhs, ISCSIT_STAMP_PEEK);
	bhs->r2t_sn = cpu_to_be32(slot->r2t_sn);
	tcp->txs.more = itcp_r2t_next(slot, &start, &len);
	bhs->offset = cpu_to_be32(start);
	bhs->desired_len = cpu_to_be32(len);
	tcp->txs.buf = NULL;
	tcp->txs.len = 0;
	itcp_tx_seal(tcp, true);
}

static u8 itcp_tx_residual(const struct skua_cmd *cmd, struct iscsi_bhs *bhs)
{
	if (!cmd->residual)
		return 0;
	bhs->residual = cpu_to_be32(abs(cmd->residual));
	return cmd->residual > 0 ? ISCSI_F_UNDERFLOW : ISCSI_F_OVERFLOW;
}

/* The last PDU of a command: its place in the window is free when it has arrived. */
static enum iscsit_stamp itcp_tx_last(const struct itcp_slot *slot)
{
	return slot->immediate ? ISCSIT_STAMP_TAKE : ISCSIT_STAMP_CREDIT;
}

static void itcp_tx_status(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)tcp->txs.hdr;
	struct itcp_txs *txs = &tcp->txs;
	struct skua_cmd *cmd = &slot->cmd;

	memset(bhs, 0, sizeof(*bhs));
	bhs->opcode = ISCSI_SCSI_RSP;
	bhs->flags = ISCSI_F_FINAL | itcp_tx_residual(cmd, bhs);
	bhs->b3 = cmd->status;
	bhs->itt = slot->itt;
	iscsit_stamp(&tcp->c, bhs, itcp_tx_last(slot));
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
	itcp_tx_seal(tcp, true);
}

/*
 * With a data digest the data is copied: what a backend lends may change between the
 * computation and the sending.
 */
static int itcp_tx_copy(struct itcp_txs *txs)
{
	struct scatterlist *sg = txs->from.sg;
	u8 *copy = kvmalloc(txs->len, GFP_NOIO);

	if (!copy)
		return -ENOMEM;
	sg_pcopy_to_buffer(sg, sg_nents(sg), copy, txs->len, txs->from.off);
	itcp_sg_advance(&txs->from, txs->len);
	txs->buf = copy;
	txs->own = true;
	return 0;
}

static int itcp_tx_data_in(struct itcp_conn *tcp, struct itcp_slot *slot)
{
	struct iscsi_bhs *bhs = (struct iscsi_bhs *)tcp->txs.hdr;
	u32 max_burst = tcp->c.nego.value[ISCSI_MAX_BURST];
	struct itcp_txs *txs = &tcp->txs;
	struct skua_cmd *cmd = &slot->cmd;
	u32 left = cmd->xfer_len - txs->sent;
	enum iscsit_stamp stamp = ISCSIT_STAMP_NONE;
	int ret;

	txs->len = min3(left, tcp->c.nego.value[ISCSI_MAX_RECV_DSL], max_burst - txs->burst);
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
		bhs->flags |= ISCSI_F_STATUS | itcp_tx_residual(cmd, bhs);
		bhs->b3 = cmd->status;
		stamp = itcp_tx_last(slot);
		txs->more = false;
	}
	iscsit_stamp(&tcp->c, bhs, stamp);
	txs->buf = NULL;
	if (tcp->c.data_digest) {
		ret = itcp_tx_copy(txs);
		if (ret)
			return ret;
	}
	itcp_tx_seal(tcp, true);
	return 0;
}

/* An aborted command says nothing, but its place in the window is free. */
static bool itcp_tx_silent(struct itcp_conn *tcp)
{
	struct itcp_slot *slot;

	if (tcp->txs.cur->kind != ITCP_TX_RSP)
		return false;
	slot = itcp_tx_slot(tcp->txs.cur);
	if (!(slot->cmd.flags & SKUA_CMD_SILENT))
		return false;
	if (!slot->immediate)
		iscsit_window_open(&tcp->c);
	return true;
}

/* The next PDU of what is being sent. */
static int itcp_tx_build(struct itcp_conn *tcp)
{
	struct itcp_tx *tx = tcp->txs.cur;
	struct skua_cmd *cmd;

	switch (tx->kind) {
	case ITCP_TX_CTL:
		itcp_tx_ctl(tcp, itcp_ctl(tx));
		return 0;
	case ITCP_TX_R2T:
		itcp_tx_r2t(tcp, itcp_tx_slot(tx));
		return 0;
	}
	cmd = &itcp_tx_slot(tx)->cmd;
	if (cmd->data_dir == SKUA_DIR_READ && tcp->txs.sent < cmd->xfer_len)
		return itcp_tx_data_in(tcp, itcp_tx_slot(tx));
	itcp_tx_status(tcp, itcp_tx_slot(tx));
	return 0;
}

/* ---- writing ---------------------------------------------------------- */

static int itcp_send_buf(struct itcp_conn *tcp, const void *buf, u32 len, bool more)
{
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };

	if (more)
		msg.msg_flags |= MSG_MORE;
	return kernel_sendmsg(tcp->sock, &msg, &vec, 1, len);
}

/*
 * The socket keeps pages until they have arrived, which is after the command has ended.
 * Those of a backend may be kept: they hold this medium's data and nothing else as long
 * as anybody refers to them. Those of the cache serve other initiators by then.
 */
static bool itcp_may_splice(const struct itcp_conn *tcp)
{
	return itcp_tx_slot(tcp->txs.cur)->cmd.io.flags & SKUA_IO_OWN_PAGES;
}

static int itcp_send_sg(struct itcp_conn *tcp, u32 len, bool more)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct bio_vec bvec[ITCP_BVECS];
	u32 bytes;
	int nr, ret;

	nr = itcp_sg_bvec(&tcp->txs.from, len, bvec, ITCP_BVECS, &bytes);
	if (WARN_ON_ONCE(!bytes))
		return -EIO;
	if (more || bytes < len)
		msg.msg_flags |= MSG_MORE;
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bvec, nr, bytes);
	if (itcp_may_splice(tcp))
		ret = skua_splice_pages(tcp->sock, &msg, bvec);
	else
		ret = sock_sendmsg(tcp->sock, &msg);
	if (ret > 0)
		itcp_sg_advance(&tcp->txs.from, ret);
	return ret;
}

/* What is left of the PDU: 0, -EAGAIN, other errors */
static int itcp_tx_pdu(struct itcp_conn *tcp)
{
	struct itcp_txs *txs = &tcp->txs;
	u32 data_end = txs->hdr_len + txs->len, end = data_end + txs->tail_len;
	int ret;

	while (txs->done < end) {
		if (txs->done < txs->hdr_len)
			ret = itcp_send_buf(tcp, txs->hdr + txs->done, txs->hdr_len - txs->done,
					    end > txs->hdr_len || txs->more);
		else if (txs->done >= data_end)
			ret = itcp_send_buf(tcp, txs->tail + txs->done - data_end, end - txs->done,
					    txs->more);
		else if (txs->buf)
			ret = itcp_send_buf(tcp, txs->buf + txs->done - txs->hdr_len,
					    data_end - txs->done, end > data_end || txs->more);
		else
			ret = itcp_send_sg(tcp, data_end - txs->done,
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
static bool itcp_tx_pick(struct itcp_conn *tcp)
{
	struct itcp_txs *txs = &tcp->txs;

	spin_lock_irq(&tcp->lock);
	txs->cur = list_first_entry_or_null(&tcp->tx, struct itcp_tx, link);
	if (txs->cur)
		list_del_init(&txs->cur->link);
	spin_unlock_irq(&tcp->lock);
	if (!txs->cur)
		return false;
	txs->data_sn = 0;
	txs->sent = 0;
	txs->burst = 0;
	txs->from.off = 0;
	txs->from.sg = txs->cur->kind == ITCP_TX_RSP ? itcp_tx_slot(txs->cur)->cmd.io.sg : NULL;
	return true;
}

static int itcp_tx_finish(struct itcp_conn *tcp)
{
	struct itcp_tx *tx = tcp->txs.cur;
	bool close = tx->kind == ITCP_TX_CTL && itcp_ctl(tx)->close;

	tcp->txs.cur = NULL;
	if (tx->kind == ITCP_TX_RSP)
		itcp_rx_forget(tcp, itcp_tx_slot(tx));
	else if (tx->kind == ITCP_TX_R2T)
		itcp_r2t_queue(itcp_tx_slot(tx));
	itcp_tx_end(tx);
	return close ? -ESHUTDOWN : 1;
}

/**
 * itcp_tx() - send one response
 * @tcp: the connection
 *
 * Return: 1: it has gone; 0: there is none, or no room in the socket; -errno: the
 * connection has to end.
 */
int itcp_tx(struct itcp_conn *tcp)
{
	struct itcp_txs *txs = &tcp->txs;
	int ret;

	if (!txs->cur) {
		if (!itcp_tx_pick(tcp))
			return 0;
		if (itcp_tx_silent(tcp))
			return itcp_tx_finish(tcp);
		ret = itcp_tx_build(tcp);
		if (ret)
			return ret;
	}
	for (;;) {
		ret = itcp_tx_pdu(tcp);
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		if (!txs->more)
			return itcp_tx_finish(tcp);
		ret = itcp_tx_build(tcp);
		if (ret)
			return ret;
	}
}
