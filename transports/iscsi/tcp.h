/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iSCSI over TCP: what the mover's files share.
 *
 *	tcp_listen.c	sockets that listen
 *	tcp.c		a connection's life
 *	tcp_rx.c	from the socket to whole PDUs
 *	tcp_tx.c	from queued responses to the socket
 *	tcp_cmd.c	SCSI commands and their data
 *
 * A connection's PDUs are read, dispatched and written by one work item, io_work; what
 * only it uses needs no lock, StatSN and CmdSN among that. Responses come from any
 * context: they are put on tcp->tx.
 */
#ifndef SKUA_ISCSI_TCP_H
#define SKUA_ISCSI_TCP_H

#include <linux/bvec.h>
#include <linux/net.h>

#include "iscsit.h"

#define ITCP_SLOT_BITS		12	/* a slot's number in a Target Transfer Tag */
#define ITCP_MAX_R2T		8	/* R2Ts of a command at a time, at most */

struct itcp_conn;

/* Something to send, on tcp->tx: kinds of struct iscsit_ctl and of struct itcp_tx */
enum itcp_tx_kind {
	ITCP_TX_CTL,
	ITCP_TX_RSP,			/* of a slot: data and status */
	ITCP_TX_R2T,			/* of a slot */
};

/* Begins like struct iscsit_ctl. */
struct itcp_tx {
	struct list_head link;
	u8 kind;
};

/**
 * struct itcp_slot - a SCSI command
 * @cmd: the core's
 * @free: tcp->free while unused; under tcp->lock
 * @rsp: response on the way
 * @r2t: R2Ts on the way
 * @itt: in wire order
 * @bounce: immediate and unsolicited data
 * @unsol_want: bytes of it that come
 * @unsol_got: bytes of it that are there
 * @unsol_sn: DataSN that is due
 * @waiting: start() was called and data has not all come: whoever clears it, under
 *	tcp->lock, ends the wait
 * @failed: its data came out of sequence
 * @immediate: the command takes no place in the window
 * @asked: bytes of write data that came by themselves or were asked for
 * @burst_start: offset of the data that the oldest open R2T asked for
 * @burst_len: how much it asked for
 * @burst_got: how much of it came
 * @burst_sn: DataSN that is due
 * @burst_r2t: R2TSN of the oldest open R2T
 * @r2t_sn: R2TSN of the next R2T
 */
struct itcp_slot {
	struct skua_cmd cmd;
	struct itcp_conn *tcp;
	struct list_head free;
	struct itcp_tx rsp, r2t;
	__be32 itt;
	u8 *bounce;
	u32 unsol_want, unsol_got, unsol_sn;
	bool used, waiting, failed, immediate;
	u32 asked;
	u32 burst_start, burst_len, burst_got, burst_sn;
	u32 burst_r2t, r2t_sn;
};

struct itcp_queue {
	struct iscsit_queue base;
	struct itcp_slot slots[];
};

/* A place in a scatter list */
struct itcp_cursor {
	struct scatterlist *sg;
	u32 off;
};

enum itcp_rx_stage {
	ITCP_RX_BHS,
	ITCP_RX_REST,			/* additional header segments and header digest */
	ITCP_RX_DATA,
	ITCP_RX_TAIL,			/* padding and data digest */
	ITCP_RX_DEAD,			/* after a fatal error: nothing is read any more */
};

/**
 * struct itcp_rx - the PDU that is being read
 * @done: bytes of the stage that are there
 * @len: data segment
 * @buf: where the data goes; NULL: @to, or nowhere if that is empty
 * @own: @buf is freed with the PDU
 * @drop: nobody wants the PDU
 * @slot: SCSI Command, Data-Out: whose data it is
 */
struct itcp_rx {
	u8 stage;
	u32 done;
	struct iscsi_bhs bhs;
	u8 rest[ISCSI_MAX_AHS + ISCSI_DIGEST_LEN];
	u8 tail[3 + ISCSI_DIGEST_LEN];
	u32 len;
	u8 *buf;
	bool own;
	bool drop;
	struct itcp_cursor to, from;
	struct itcp_slot *slot;
};

/**
 * struct itcp_txs - the PDU that is being written
 * @cur: what it belongs to, or NULL
 * @hdr, @hdr_len: header and its digest
 * @buf: data segment, or NULL: at @from
 * @done: bytes of header, data and @tail that have gone
 * @sent: bytes of the command's data
 * @burst: of them in this sequence
 * @own: @buf is freed with the PDU
 * @more: further PDUs of the command follow

 */
struct itcp_txs {
	struct itcp_tx *cur;
	u8 hdr[ISCSI_BHS_LEN + ISCSI_DIGEST_LEN];
	u32 hdr_len;
	const u8 *buf;
	struct itcp_cursor from;
	u32 len;
	u8 tail[3 + ISCSI_DIGEST_LEN];
	u32 tail_len;
	u32 done;
	u8 sense[2 + SKUA_SENSE_LEN];
	u32 data_sn;
	u32 sent;
	u32 burst;
	bool own;
	bool more;
};

/**
 * struct itcp_conn - a connection
 * @c: what all movers have
 * @lock: @stopped, @dead, @free, @tx, slots' @waiting
 * @stopped: io_work is not queued any more, but may still run
 * @dead: it does not; responses are dropped
 * @ctl_nr: PDUs without SCSI commands on @tx or being written
 * @ctl_bytes: memory of their data segments
 * @abort: commands were aborted since io_work last looked
 */
struct itcp_conn {
	struct iscsit_conn c;
	struct socket *sock;
	void (*old_data_ready)(struct sock *sk);
	void (*old_write_space)(struct sock *sk);
	void (*old_state_change)(struct sock *sk);
	atomic_t closing;
	atomic_t abort;
	struct work_struct io_work, close_work;

	spinlock_t lock;
	bool stopped;
	bool dead;
	atomic_t ctl_nr, ctl_bytes;
	struct list_head free;
	struct list_head tx;

	struct itcp_queue *q;		/* is c.q */
	struct itcp_rx rx;
	struct itcp_txs txs;
};

static inline struct itcp_conn *itcp_of(struct iscsit_conn *conn)
{
	return container_of(conn, struct itcp_conn, c);
}

/* tcp_listen.c */
void *itcp_listen(const struct sockaddr_storage *addr);
void itcp_unlisten(void *cookie);

/* tcp.c */
extern const struct iscsit_mover itcp_mover;
int itcp_accept(struct socket *sock, void (*data_ready)(struct sock *sk));
void itcp_close(struct iscsit_conn *conn);
void itcp_kick(struct itcp_conn *tcp);
struct itcp_slot *itcp_slot_get(struct itcp_conn *tcp);
void itcp_slot_put(struct itcp_slot *slot);

/* tcp_rx.c */
int itcp_rx(struct itcp_conn *tcp);
void itcp_rx_reset(struct itcp_conn *tcp);
void itcp_rx_forget(struct itcp_conn *tcp, const struct itcp_slot *slot);
int itcp_sg_bvec(const struct itcp_cursor *at, u32 len, struct bio_vec *bvec, int nr,
		 u32 *bytes);
void itcp_sg_advance(struct itcp_cursor *at, u32 len);

/* tcp_tx.c */
int itcp_tx(struct itcp_conn *tcp);
void itcp_tx_drop(struct itcp_conn *tcp);
void itcp_send(struct iscsit_conn *conn, struct iscsit_ctl *ctl);
void itcp_queue_tx(struct itcp_conn *tcp, struct itcp_tx *tx);

/* tcp_cmd.c */
int itcp_cmd_header(struct itcp_conn *tcp);
int itcp_cmd_pdu(struct itcp_conn *tcp);
int itcp_data_out_header(struct itcp_conn *tcp);
int itcp_data_out_pdu(struct itcp_conn *tcp);
void itcp_start(struct skua_cmd *cmd, bool may_sleep);
void itcp_respond(struct skua_cmd *cmd);
void itcp_fail_waiting(struct itcp_conn *tcp, bool all);
struct itcp_slot *itcp_slot_find(struct itcp_conn *tcp, __be32 itt);
bool itcp_r2t_next(struct itcp_slot *slot, u32 *start, u32 *len);
void itcp_r2t_queue(struct itcp_slot *slot);

/* Target Transfer Tag of a command's R2T: never ISCSI_NO_TAG */
static inline u32 itcp_ttt(const struct itcp_conn *tcp, const struct itcp_slot *slot, u32 r2t_sn)
{
	return (u32)(slot - tcp->q->slots) | (r2t_sn & 0x7ffff) << ITCP_SLOT_BITS;
}

#endif
