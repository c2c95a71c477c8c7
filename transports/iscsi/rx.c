// SPDX-License-Identifier: GPL-2.0
/* From the socket to whole PDUs. All of it runs in io_work. */
#include <linux/bvec.h>
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "iscsit.h"

#define ISCSIT_BVECS	16

/* ---- scatter lists ---------------------------------------------------- */

/**
 * iscsit_sg_bvec() - the next piece of a scatter list for an iterator
 * @at: where it begins
 * @len: bytes wanted at most
 * @bvec: result
 * @nr: entries of it
 * @bytes: how much they hold
 *
 * Return: entries used.
 */
int iscsit_sg_bvec(const struct iscsit_cursor *at, u32 len, struct bio_vec *bvec, int nr,
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

void iscsit_sg_advance(struct iscsit_cursor *at, u32 len)
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

/**
 * iscsit_crc_sg() - data digest over a scatter list, not yet inverted
 * @at: where it begins
 * @len: bytes
 */
u32 iscsit_crc_sg(struct iscsit_cursor at, u32 len)
{
	u32 crc = ~0;

	while (len && at.sg) {
		u32 pos = at.sg->offset + at.off;
		u32 part = min3(len, at.sg->length - at.off, (u32)(PAGE_SIZE - offset_in_page(pos)));
		void *p = kmap_local_page(sg_page(at.sg) + (pos >> PAGE_SHIFT));

		crc = crc32c(crc, p + offset_in_page(pos), part);
		kunmap_local(p);
		iscsit_sg_advance(&at, part);
		len -= part;
	}
	return crc;
}

/* ---- reading ---------------------------------------------------------- */

/* Bytes, 0: the peer has closed, -EAGAIN, other errors */
static int iscsit_recv(struct iscsit_conn *conn, void *buf, u32 len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };

	return kernel_recvmsg(conn->sock, &msg, &vec, 1, len, msg.msg_flags);
}

static int iscsit_recv_sg(struct iscsit_conn *conn, u32 len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	struct bio_vec bvec[ISCSIT_BVECS];
	u32 bytes;
	int nr, ret;

	nr = iscsit_sg_bvec(&conn->rx.to, len, bvec, ISCSIT_BVECS, &bytes);
	if (!bytes)
		return -EPROTO;
	iov_iter_bvec(&msg.msg_iter, ITER_DEST, bvec, nr, bytes);
	ret = sock_recvmsg(conn->sock, &msg, msg.msg_flags);
	if (ret > 0)
		iscsit_sg_advance(&conn->rx.to, ret);
	return ret;
}

/* What nobody wants is read over itself. */
static int iscsit_recv_nowhere(struct iscsit_conn *conn, u32 len)
{
	return iscsit_recv(conn, conn->rx.rest, min_t(u32, len, sizeof(conn->rx.rest)));
}

static u32 iscsit_stage_len(const struct iscsit_conn *conn)
{
	const struct iscsit_rx *rx = &conn->rx;

	switch (rx->stage) {
	case ISCSIT_RX_BHS:
		return ISCSI_BHS_LEN;
	case ISCSIT_RX_REST:
		return rx->bhs.ahs_words * 4 + (conn->header_digest ? ISCSI_DIGEST_LEN : 0);
	case ISCSIT_RX_DATA:
		return rx->len;
	default:
		return rx->len ? iscsi_pad(rx->len) + (conn->data_digest ? ISCSI_DIGEST_LEN : 0) : 0;
	}
}

static int iscsit_recv_stage(struct iscsit_conn *conn, u32 left)
{
	struct iscsit_rx *rx = &conn->rx;

	switch (rx->stage) {
	case ISCSIT_RX_BHS:
		return iscsit_recv(conn, (u8 *)&rx->bhs + rx->done, left);
	case ISCSIT_RX_REST:
		return iscsit_recv(conn, rx->rest + rx->done, left);
	case ISCSIT_RX_DATA:
		if (rx->buf)
			return iscsit_recv(conn, rx->buf + rx->done, left);
		return rx->to.sg ? iscsit_recv_sg(conn, left) : iscsit_recv_nowhere(conn, left);
	default:
		return iscsit_recv(conn, rx->tail + rx->done, left);
	}
}

/* ---- whole headers, whole PDUs ---------------------------------------- */

static int iscsit_check_header_digest(const struct iscsit_conn *conn)
{
	const struct iscsit_rx *rx = &conn->rx;
	u32 ahs = rx->bhs.ahs_words * 4, crc;

	if (!conn->header_digest)
		return 0;
	crc = crc32c(crc32c(~0, &rx->bhs, ISCSI_BHS_LEN), rx->rest, ahs);
	if (get_unaligned_le32(rx->rest + ahs) == ~crc)
		return 0;
	pr_info_ratelimited("skua_iscsi: %s: wrong header digest\n", conn->peer);
	return -EBADMSG;
}

static int iscsit_check_data_digest(const struct iscsit_conn *conn)
{
	const struct iscsit_rx *rx = &conn->rx;
	u32 crc, pad = iscsi_pad(rx->len);

	if (!conn->data_digest || !rx->len || (!rx->buf && !rx->from.sg))
		return 0;
	crc = rx->buf ? crc32c(~0, rx->buf, rx->len) : iscsit_crc_sg(rx->from, rx->len);
	crc = crc32c(crc, rx->tail, pad);
	if (get_unaligned_le32(rx->tail + pad) == ~crc)
		return 0;
	pr_info_ratelimited("skua_iscsi: %s: wrong data digest\n", conn->peer);
	return -EBADMSG;
}

/* Where does the data segment go? */
static int iscsit_rx_header(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	int ret = iscsit_check_header_digest(conn);

	if (ret)
		return ret;
	rx->len = iscsi_dsl(&rx->bhs);
	if (rx->len > conn->max_recv)
		return -EPROTO;
	if (!conn->login) {
		switch (rx->bhs.opcode & ISCSI_OPCODE_MASK) {
		case ISCSI_SCSI_CMD:
			return iscsit_cmd_header(conn);
		case ISCSI_DATA_OUT:
			return iscsit_data_out_header(conn);
		}
	}
	if (!rx->len)
		return 0;
	rx->buf = kvmalloc(rx->len, GFP_NOIO);
	rx->own = true;
	return rx->buf ? 0 : -ENOMEM;
}

static int iscsit_rx_pdu(struct iscsit_conn *conn)
{
	int ret = iscsit_check_data_digest(conn);

	if (ret)
		return ret;
	if (conn->login)
		return iscsit_rx_login(conn);
	switch (conn->rx.bhs.opcode & ISCSI_OPCODE_MASK) {
	case ISCSI_SCSI_CMD:
		return iscsit_cmd_pdu(conn);
	case ISCSI_DATA_OUT:
		return iscsit_data_out_pdu(conn);
	default:
		return iscsit_ctl_pdu(conn);
	}
}

/**
 * iscsit_rx_reset() - forget the PDU that is being read
 * @conn: the connection
 */
void iscsit_rx_reset(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;

	if (rx->own)
		kvfree(rx->buf);
	/* A command whose immediate data has not all come is not the core's yet. */
	if (rx->slot && (rx->bhs.opcode & ISCSI_OPCODE_MASK) == ISCSI_SCSI_CMD)
		iscsit_slot_put(rx->slot);
	rx->buf = NULL;
	rx->own = false;
	rx->drop = false;
	rx->to.sg = NULL;
	rx->from.sg = NULL;
	rx->slot = NULL;
	rx->stage = ISCSIT_RX_BHS;
	rx->done = 0;
	rx->len = 0;
}

static int iscsit_rx_next(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	int ret;

	rx->done = 0;
	switch (rx->stage++) {
	case ISCSIT_RX_REST:
		return iscsit_rx_header(conn);
	case ISCSIT_RX_TAIL:
		WRITE_ONCE(conn->last_rx, jiffies);
		ret = iscsit_rx_pdu(conn);
		if (!ret)
			iscsit_rx_reset(conn);
		return ret ?: 1;
	default:
		return 0;
	}
}

/**
 * iscsit_rx() - read at most one PDU
 * @conn: the connection
 *
 * Return: 1: a PDU was taken; 0: there is no more to read now; -errno: the connection
 * has to end.
 */
int iscsit_rx(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	int ret;

	if (conn->logout)
		return 0;
	for (;;) {
		u32 left = iscsit_stage_len(conn) - rx->done;

		if (left) {
			ret = iscsit_recv_stage(conn, left);
			if (ret == -EAGAIN)
				return 0;
			if (ret <= 0)
				return ret ?: -EPIPE;
			rx->done += ret;
			continue;
		}
		ret = iscsit_rx_next(conn);
		if (ret)
			return ret;
	}
}
