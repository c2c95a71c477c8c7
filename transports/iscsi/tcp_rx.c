// SPDX-License-Identifier: GPL-2.0
/* From the socket to whole PDUs. All of it runs in io_work. */
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "tcp.h"

#define ITCP_BVECS	16
#define ITCP_MAX_CTL		64	/* answers that wait before reading pauses */
#define ITCP_MAX_CTL_BYTES	(2 * ISCSIT_MAX_DSL)

/* ---- scatter lists ---------------------------------------------------- */

/**
 * itcp_sg_bvec() - the next piece of a scatter list for an iterator
 * @at: where it begins
 * @len: bytes wanted at most
 * @bvec: result
 * @nr: entries of it
 * @bytes: how much they hold
 *
 * Return: entries used.
 */
int itcp_sg_bvec(const struct itcp_cursor *at, u32 len, struct bio_vec *bvec, int nr,
		 u32 *bytes)
{
	struct scatterlist *sg = at->sg;
	u32 off = at->off;
	int n;

	*bytes = 0;
	for (n = 0; n < nr && sg && len; n++) {
		u32 part = min(len, sg->length - off);

		bvec_set_page(&bvec[n], sg_page(sg), part, sg->offset + off);
		*bytes += part;
		len -= part;
		sg = sg_next(sg);
		off = 0;
	}
	return n;
}

void itcp_sg_advance(struct itcp_cursor *at, u32 len)
{
	while (len && at->sg) {
		u32 part = min(len, at->sg->length - at->off);

		at->off += part;
		len -= part;
		if (at->off == at->sg->length) {
			at->sg = sg_next(at->sg);
			at->off = 0;
		}
	}
}

/* Data digest over a scatter list, not yet inverted */
static u32 itcp_crc_sg(struct itcp_cursor at, u32 len)
{
	u32 crc = ~0;

	while (len && at.sg) {
		u32 pos = at.sg->offset + at.off;
		u32 part = min3(len, at.sg->length - at.off,
				(u32)(PAGE_SIZE - offset_in_page(pos)));
		void *p = kmap_local_page(sg_page(at.sg) + (pos >> PAGE_SHIFT));

		crc = crc32c(crc, p + offset_in_page(pos), part);
		kunmap_local(p);
		itcp_sg_advance(&at, part);
		len -= part;
	}
	return crc;
}

/* ---- reading ---------------------------------------------------------- */

/* Bytes, 0: the peer has closed, -EAGAIN, other errors */
static int itcp_recv(struct itcp_conn *tcp, void *buf, u32 len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };

	return kernel_recvmsg(tcp->sock, &msg, &vec, 1, len, msg.msg_flags);
}

static int itcp_recv_sg(struct itcp_conn *tcp, u32 len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	struct bio_vec bvec[ITCP_BVECS];
	u32 bytes;
	int nr, ret;

	nr = itcp_sg_bvec(&tcp->rx.to, len, bvec, ITCP_BVECS, &bytes);
	if (!bytes)
		return -EPROTO;
	iov_iter_bvec(&msg.msg_iter, ITER_DEST, bvec, nr, bytes);
	ret = sock_recvmsg(tcp->sock, &msg, msg.msg_flags);
	if (ret > 0)
		itcp_sg_advance(&tcp->rx.to, ret);
	return ret;
}

/* What nobody wants is read over itself. */
static int itcp_recv_nowhere(struct itcp_conn *tcp, u32 len)
{
	return itcp_recv(tcp, tcp->rx.rest, min_t(u32, len, sizeof(tcp->rx.rest)));
}

static u32 itcp_stage_len(const struct itcp_conn *tcp)
{
	const struct itcp_rx *rx = &tcp->rx;

	switch (rx->stage) {
	case ITCP_RX_BHS:
		return ISCSI_BHS_LEN;
	case ITCP_RX_REST:
		return rx->bhs.ahs_words * 4 + (tcp->c.header_digest ? ISCSI_DIGEST_LEN : 0);
	case ITCP_RX_DATA:
		return rx->len;
	default:
		if (!rx->len)
			return 0;
		return iscsi_pad(rx->len) + (tcp->c.data_digest ? ISCSI_DIGEST_LEN : 0);
	}
}

static int itcp_recv_stage(struct itcp_conn *tcp, u32 left)
{
	struct itcp_rx *rx = &tcp->rx;

	switch (rx->stage) {
	case ITCP_RX_BHS:
		return itcp_recv(tcp, (u8 *)&rx->bhs + rx->done, left);
	case ITCP_RX_REST:
		return itcp_recv(tcp, rx->rest + rx->done, left);
	case ITCP_RX_DATA:
		if (rx->buf)
			return itcp_recv(tcp, rx->buf + rx->done, left);
		return rx->to.sg ? itcp_recv_sg(tcp, left) : itcp_recv_nowhere(tcp, left);
	default:
		return itcp_recv(tcp, rx->tail + rx->done, left);
	}
}

/* ---- whole headers, whole PDUs ---------------------------------------- */

static int itcp_check_header_digest(const struct itcp_conn *tcp)
{
	const struct itcp_rx *rx = &tcp->rx;
	u32 ahs = rx->bhs.ahs_words * 4, crc;

	if (!tcp->c.header_digest)
		return 0;
	crc = crc32c(crc32c(~0, &rx->bhs, ISCSI_BHS_LEN), rx->rest, ahs);
	if (get_unaligned_le32(rx->rest + ahs) == ~crc)
		return 0;
	pr_info_ratelimited("skua_iscsi: %s: wrong header digest\n", tcp->c.peer);
	return -EBADMSG;
}

static int itcp_check_data_digest(const struct itcp_conn *tcp)
{
	const struct itcp_rx *rx = &tcp->rx;
	u32 crc, pad = iscsi_pad(rx->len);

	if (!tcp->c.data_digest || !rx->len || (!rx->buf && !rx->from.sg))
		return 0;
	crc = rx->buf ? crc32c(~0, rx->buf, rx->len) : itcp_crc_sg(rx->from, rx->len);
	crc = crc32c(crc, rx->tail, pad);
	if (get_unaligned_le32(rx->tail + pad) == ~crc)
		return 0;
	pr_info_ratelimited("skua_iscsi: %s: wrong data digest\n", tcp->c.peer);
	return -EBADMSG;
}

/*
 * 7.8: a PDU with a wrong data digest is rejected. Without recovery of PDUs its data
 * cannot come again, so the connection ends behind the Reject.
 */
static int itcp_bad_digest(struct itcp_conn *tcp)
{
	struct iscsit_ctl *ctl = iscsit_reject_pdu(&tcp->c, &tcp->rx.bhs,
						   ISCSI_REJECT_DATA_DIGEST);

	if (!ctl)
		return -EBADMSG;
	ctl->close = true;
	tcp->c.logout = true;
	iscsit_ctl_send(ctl);
	return 0;
}

/* Where does the data segment go? */
static int itcp_rx_header(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	int ret = itcp_check_header_digest(tcp);

	rx->drop = true;
	if (ret)
		return ret;
	rx->len = iscsi_dsl(&rx->bhs);
	if (rx->len > tcp->c.max_recv)
		return -EPROTO;
	if (!tcp->c.login) {
		switch (rx->bhs.opcode & ISCSI_OPCODE_MASK) {
		case ISCSI_SCSI_CMD:
			return itcp_cmd_header(tcp);
		case ISCSI_DATA_OUT:
			return itcp_data_out_header(tcp);
		}
	}
	if (rx->len) {
		rx->buf = kvmalloc(rx->len, GFP_NOIO);
		if (!rx->buf)
			return -ENOMEM;
		rx->own = true;
	}
	rx->drop = false;
	return 0;
}

static int itcp_rx_pdu(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	int ret;

	if (itcp_check_data_digest(tcp))
		return itcp_bad_digest(tcp);
	if (tcp->c.login)
		return iscsit_login_pdu(&tcp->c, &rx->bhs, rx->buf, rx->len);
	switch (rx->bhs.opcode & ISCSI_OPCODE_MASK) {
	case ISCSI_SCSI_CMD:
		return itcp_cmd_pdu(tcp);
	case ISCSI_DATA_OUT:
		return itcp_data_out_pdu(tcp);
	}
	if (iscsi_has_cmd_sn(rx->bhs.opcode)) {
		ret = iscsit_cmd_sn(&tcp->c, &rx->bhs);
		if (ret <= 0)
			return ret;
	}
	return iscsit_ctl_pdu(&tcp->c, &rx->bhs, rx->buf, rx->len);
}

/**
 * itcp_rx_forget() - data that is still on its way to a command goes nowhere
 * @tcp: the connection; io_work is the caller
 * @slot: the command's, which has ended
 */
void itcp_rx_forget(struct itcp_conn *tcp, const struct itcp_slot *slot)
{
	if (tcp->rx.slot != slot)
		return;
	tcp->rx.slot = NULL;
	tcp->rx.buf = NULL;
	tcp->rx.to.sg = NULL;
	tcp->rx.from.sg = NULL;
	tcp->rx.drop = true;
}

/**
 * itcp_rx_reset() - forget the PDU that is being read
 * @tcp: the connection
 */
void itcp_rx_reset(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;

	if (rx->own)
		kvfree(rx->buf);
	/* A command whose immediate data has not all come is not the core's yet. */
	if (rx->slot && (rx->bhs.opcode & ISCSI_OPCODE_MASK) == ISCSI_SCSI_CMD)
		itcp_slot_put(rx->slot);
	rx->buf = NULL;
	rx->own = false;
	rx->drop = false;
	rx->to.sg = NULL;
	rx->from.sg = NULL;
	rx->slot = NULL;
	rx->stage = ITCP_RX_BHS;
	rx->done = 0;
	rx->len = 0;
}

static int itcp_rx_next(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	int ret;

	rx->done = 0;
	switch (rx->stage++) {
	case ITCP_RX_REST:
		return itcp_rx_header(tcp);
	case ITCP_RX_TAIL:
		iscsit_saw_pdu(&tcp->c);
		ret = itcp_rx_pdu(tcp);
		if (!ret)
			itcp_rx_reset(tcp);
		return ret ?: 1;
	default:
		return 0;
	}
}

static int itcp_rx_some(struct itcp_conn *tcp)
{
	struct itcp_rx *rx = &tcp->rx;
	int ret;

	for (;;) {
		u32 left = itcp_stage_len(tcp) - rx->done;

		if (left) {
			ret = itcp_recv_stage(tcp, left);
			if (ret == -EAGAIN)
				return 0;
			if (ret <= 0)
				return ret ?: -EPIPE;
			rx->done += ret;
			continue;
		}
		ret = itcp_rx_next(tcp);
		if (ret)
			return ret;
	}
}

/*
 * A peer that asks without taking the answers gets no more of our memory. Each answer
 * that goes, and each task management function that ends, lets io_work look again.
 */
static bool itcp_rx_pause(struct itcp_conn *tcp)
{
	return atomic_read(&tcp->ctl_nr) >= ITCP_MAX_CTL ||
	       atomic_read(&tcp->ctl_bytes) >= ITCP_MAX_CTL_BYTES ||
	       READ_ONCE(tcp->c.nr_tmf) >= ITCP_MAX_CTL;
}

/**
 * itcp_rx() - read at most one PDU
 * @tcp: the connection
 *
 * Return: 1: a PDU was taken; 0: there is no more to read now; -errno: the connection
 * has to end.
 */
int itcp_rx(struct itcp_conn *tcp)
{
	int ret;

	if (tcp->rx.stage == ITCP_RX_DEAD)
		return -ESHUTDOWN;
	if (tcp->c.logout || itcp_rx_pause(tcp))
		return 0;
	ret = itcp_rx_some(tcp);
	if (ret < 0)
		tcp->rx.stage = ITCP_RX_DEAD;
	return ret;
}
