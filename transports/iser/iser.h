/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iSER: what its files share. It moves the PDUs and the data of skua_iscsi.ko, which
 * knows targets, logins, sessions and all PDUs but those of SCSI commands, over RDMA.
 *
 *	main.c		module, parameters, the mover's table
 *	device.c	RDMA devices that come and go
 *	listen.c	portals: RDMA/CM ids that listen
 *	conn.c		a connection's life
 *	recv.c		receive buffers, the order of PDUs
 *	cmd.c		SCSI commands and their data
 *	send.c		PDUs that belong to no command
 *	wire.c		wire formats (pure)
 *
 * Locks, outer to inner: iser_mutex (list of devices); ic->lock; conn->sn_lock (numbers,
 * held over a post so that they go out in order); ic->rdma.lock.
 */
#ifndef SKUA_ISER_H
#define SKUA_ISER_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include "skua.h"
#include "../iscsi/iscsit.h"
#include "../rdma/rdma.h"
#include "wire.h"

#define ISER_MAX_DATA		8192	/* longest data segment that is received, bytes */
#define ISER_LOGIN_RECVS	4	/* buffers before and beside those of the commands */
#define ISER_UNEXPECTED		16	/* for PDUs that take no place in the window */
#define ISER_MAX_IMMEDIATE	8	/* commands for immediate delivery at once */
#define ISER_MAX_CTL		64	/* answers that wait before no PDU is taken */

/*
 * Data behind the usual headers begins at a multiple of 512, so it is copied fast.
 * It is copied always, also behind additional header segments: commands get pages of
 * their backend or of the cache, never a piece of a receive buffer.
 */
#define ISER_RECV_PAD		(512 - ISER_HEADERS)
#define ISER_RECV_LEN		(ISER_HEADERS + ISCSI_MAX_AHS + ISER_MAX_DATA)
#define ISER_RECV_ROOM		(ISER_RECV_PAD + ISER_RECV_LEN)

#define ISER_RSP_LEN		(ISER_HEADERS + 2 + SKUA_SENSE_LEN)

struct iser_conn;

/**
 * struct iser_device - an RDMA device
 * @rdma: its refs keep this memory
 * @link: iser_devices, under iser_mutex
 */
struct iser_device {
	struct skua_rdma_dev rdma;
	struct list_head link;
};

/**
 * struct iser_recv - a receive buffer
 * @buf: ISER_RECV_ROOM bytes
 * @dma: where ISER_RECV_LEN bytes of it begin
 * @pdu: what has come
 * @link: ic->pending
 */
struct iser_recv {
	struct ib_cqe cqe;
	struct iser_conn *ic;
	void *buf;
	u64 dma;
	struct iser_pdu pdu;
	struct list_head link;
};

/**
 * struct iser_slot - a SCSI command
 * @cmd: the core's
 * @free: ic->free while unused
 * @unsol: ic->unsol while unsolicited data is to come
 * @used: not on @free; like the next ones under ic->lock
 * @immediate: the command takes no place in the window
 * @waiting: start() was called and data has not all come: whoever clears it goes on
 * @failed: its data came out of sequence
 * @itt: in wire order
 * @recv, @imm: immediate data and its buffer, until it is copied
 * @bounce: unsolicited data, if there is more than the command carries
 * @unsol_want: bytes of unsolicited data, immediate data included
 * @unsol_got: bytes of it that are there
 * @unsol_sn: DataSN that is due
 * @hdr: the initiator's memory
 * @fetch: @xfer is for write data
 * @rsp, @rsp_dma: response, ISER_RSP_LEN bytes
 */
struct iser_slot {
	struct skua_cmd cmd;
	struct iser_conn *ic;
	struct list_head free;
	struct list_head unsol;
	bool used, immediate, failed, waiting;
	bool fetch;
	__be32 itt;
	struct iser_recv *recv;
	const u8 *imm;
	struct skua_sgv *bounce;
	u32 unsol_want, unsol_got, unsol_sn;
	struct iser_hdr hdr;
	struct skua_rdma_desc desc;
	struct skua_rdma_post post;
	struct ib_cqe rw_cqe, send_cqe;
	struct ib_send_wr send_wr;
	struct ib_sge send_sge;
	void *rsp;
	u64 rsp_dma;
	struct skua_rdma_xfer xfer;
};

/* Outlives the connection if a backend keeps a command: see skua_queue_orphan(). */
struct iser_queue {
	struct iscsit_queue q;
	struct iser_slot slots[];
};

/*
 * SETUP: the request is being answered. DOOMED: close was asked for meanwhile. From
 * CLOSING on the close work owns the connection.
 */
enum iser_state {
	ISER_SETUP,
	ISER_DOOMED,
	ISER_CONNECTED,
	ISER_CLOSING,
	ISER_DRAINING,
	ISER_CLOSED,
};

/**
 * struct iser_conn - a connection
 * @c: the common part; its first reference goes with iscsit_conn_end()
 * @state: enum iser_state
 * @send_inv: the initiator allows SEND with invalidate, and the device can
 * @gone: the peer has gone or knows that we have
 * @max_depth: most commands that the receive queue has room for
 * @max_recvs: most buffers of it
 * @login_recvs: receive buffers from the start
 * @recvs: those of the full feature phase
 * @lock: the members below, and the slots' flags
 * @stopped: works are not queued any more
 * @slow: PDUs go through @pending and rx_work, because one before them does
 * @starved: rx_work waits for a slot
 * @held: rx_work waits for answers to leave
 * @nr_ctl: control PDUs on @ctls or on their way
 * @nr_immediate: slots of commands for immediate delivery
 * @free: slots
 * @unsol: slots whose unsolicited data is to come
 * @pending: received PDUs in their order
 * @ctls: control PDUs to send
 * @grace: ends a connection whose peer does not, after logout
 */
struct iser_conn {
	struct iscsit_conn c;
	struct skua_rdma_conn rdma;
	struct iser_device *dev;
	struct rdma_cm_id *id;
	atomic_t state;
	bool send_inv;
	u8 initiator_depth, responder_resources;
	struct completion gone;
	u32 max_depth;
	u32 max_recvs;
	u32 nr_slots;
	struct iser_recv login_recvs[ISER_LOGIN_RECVS];
	struct iser_recv *recvs;
	u32 nr_recvs;
	struct work_struct rx_work, tx_work, close_work;
	struct delayed_work grace;

	spinlock_t lock;		/* all below, and flags of slots */
	bool stopped;
	bool slow;
	bool starved;
	bool held;
	u32 nr_ctl;
	u32 nr_immediate;
	struct list_head free;
	struct list_head unsol;
	struct list_head pending;
	struct list_head ctls;
};

static inline struct iser_conn *iser_of(struct iscsit_conn *conn)
{
	return container_of(conn, struct iser_conn, c);
}

static inline struct iser_queue *iser_queue(const struct iser_conn *ic)
{
	return container_of(ic->c.q, struct iser_queue, q);
}

/* main.c */
extern struct workqueue_struct *iser_wq;
extern const struct iscsit_mover iser_mover;
extern unsigned int iser_queue_depth, iser_sq_size;

/* device.c */
int iser_devices_init(void);
void iser_devices_exit(void);
struct iser_device *iser_device_get(struct ib_device *ib);
void iser_device_put(struct iser_device *dev);

/* listen.c */
void *iser_listen(const struct sockaddr_storage *addr);
void iser_unlisten(void *portal);

/* conn.c */
int iser_connect(struct rdma_cm_id *id, const struct rdma_cm_event *event);
void iser_close(struct iser_conn *ic);
void iser_close_soon(struct iser_conn *ic);
void iser_rdma_close(struct skua_rdma_conn *conn);
void iser_mover_close(struct iscsit_conn *conn);
void iser_mover_free(struct iscsit_conn *conn);
void iser_mover_orphan(struct iscsit_conn *conn);
int iser_alloc_queue(struct iscsit_conn *conn);

/* recv.c */
int iser_recv_alloc(struct iser_conn *ic, struct iser_recv *recv);
void iser_recv_unmap(struct iser_conn *ic, struct iser_recv *recv);
void iser_recv_free(struct iser_recv *recv);
int iser_post_recv(struct iser_conn *ic, struct iser_recv *recv);
void iser_repost(struct iser_conn *ic, struct iser_recv *recv);
void iser_slot_put(struct iser_slot *slot);
void iser_ctl_gone(struct iser_conn *ic);
void iser_rx_work(struct work_struct *work);

/* cmd.c */
void iser_slot_init(struct iser_slot *slot);
bool iser_cmd_fast(const struct iser_conn *ic, const struct iser_pdu *pdu);
int iser_cmd_pdu(struct iser_conn *ic, struct iser_recv *recv, struct iser_slot *slot,
		 bool *kept);
int iser_data_out(struct iser_conn *ic, const struct iser_pdu *pdu);
void iser_slots_fail(struct iser_conn *ic);
bool iser_has_task(struct iscsit_conn *conn, __be32 itt);
void iser_aborted(struct iscsit_conn *conn);
void iser_start(struct skua_cmd *cmd, bool may_sleep);
void iser_respond(struct skua_cmd *cmd);

/* send.c */
void iser_send(struct iscsit_conn *conn, struct iscsit_ctl *ctl);
void iser_tx_work(struct work_struct *work);
void iser_ctls_drop(struct iser_conn *ic);

#endif
