/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the RDMA transports share (skua_rdma.ko):
 *
 *	rw.c	a transfer: descriptors of the peer's memory x our scatter list,
 *		moved by RDMA READ or WRITE in batches that fit the send queue
 *	conn.c	a connection's QP and CQ, send queue credits, and its end
 *	dev.c	an RDMA device: protection domain, and which connections use it
 *
 * A command that needs few work requests is mapped into contexts inside its slot
 * and posted where it is, in softirq context; nothing is allocated for it.
 */
#ifndef SKUA_RDMA_H
#define SKUA_RDMA_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#define SKUA_RDMA_INLINE	6	/* contexts inside each slot */

/* ---- devices ---------------------------------------------------------- */

/**
 * struct skua_rdma_dev - an RDMA device as one transport uses it
 * @ib: the device; gone once skua_rdma_dev_exit() has returned
 * @pd: protection domain
 * @refs: whoever holds a pointer
 * @lock: @conns, @gone
 * @conns: connections whose hardware resources are not freed yet
 * @gone: takes no more connections
 * @mute: it did not say IB_EVENT_QP_LAST_WQE_REACHED the last time
 * @idle: waits for @conns to become empty
 */
struct skua_rdma_dev {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct kref refs;
	spinlock_t lock;		/* conns, gone */
	struct list_head conns;
	bool gone;
	bool mute;
	wait_queue_head_t idle;
};

struct skua_rdma_conn;

int skua_rdma_dev_init(struct skua_rdma_dev *dev, struct ib_device *ib);
void skua_rdma_dev_drain(struct skua_rdma_dev *dev, void (*close)(struct skua_rdma_conn *conn));
void skua_rdma_dev_exit(struct skua_rdma_dev *dev);
int skua_rdma_dev_link(struct skua_rdma_dev *dev, struct skua_rdma_conn *conn);
void skua_rdma_dev_unlink(struct skua_rdma_dev *dev, struct skua_rdma_conn *conn);
void skua_rdma_dev_for_each(struct skua_rdma_dev *dev, u32 port,
			    void (*fn)(struct skua_rdma_conn *conn));

/* ---- connections ------------------------------------------------------ */

/**
 * struct skua_rdma_conn - QP, its completion queue and its send queue's credits
 * @dev: the device
 * @port: port number on it
 * @cq: from the device's pool, polled in softirq context
 * @nr_cqe: entries of @cq that are ours
 * @qp: NULL before skua_rdma_conn_create() and after skua_rdma_conn_destroy()
 * @sq_size: work requests that the send queue takes
 * @comp_vector: completion vector of @cq
 * @rw_atomic: by direction (0 write, 1 read): a context of one scatter entry is
 *	ready without an allocation
 * @lock: the members below
 * @sq_avail: work requests that may be posted
 * @users: contexts under construction by somebody who may sleep
 * @dead: nothing may be posted any more
 * @posting: one that has waited is on its way to the hardware: others wait behind it
 * @waiting: posts that wait for credits
 * @lost: posts that were taken by the hardware in part
 * @idle: skua_rdma_conn_stop()
 * @mrs: who waits for a memory region of the QP's pool
 * @last_wqe: the user's QP event handler completes it at
 *	IB_EVENT_QP_LAST_WQE_REACHED
 * @slow: says what skua_rdma_conn_stop() waits for
 * @error: called when a post fails: start to close; any context
 * @link: dev->conns
 */
struct skua_rdma_conn {
	struct skua_rdma_dev *dev;
	u32 port;
	struct ib_cq *cq;
	u32 nr_cqe;
	struct ib_qp *qp;
	u32 sq_size;
	u32 comp_vector;
	bool rw_atomic[2];

	spinlock_t lock;		/* down to lost */
	u32 sq_avail;
	u32 users;
	bool dead;
	bool posting;
	struct list_head waiting;
	struct list_head lost;
	wait_queue_head_t idle;
	wait_queue_head_t mrs;
	struct completion last_wqe;
	struct timer_list slow;
	void (*error)(struct skua_rdma_conn *conn);
	struct list_head link;
};

/**
 * struct skua_rdma_post - a chain of work requests on its way
 * @link: conn->waiting or conn->lost
 * @first: the chain; its last work request, and no other, is signaled
 * @nr: its length
 * @failed: called instead of a completion when the chain will not be executed;
 *	any context
 */
struct skua_rdma_post {
	struct list_head link;
	struct ib_send_wr *first;
	u32 nr;
	void (*failed)(struct skua_rdma_post *post);
};

/**
 * struct skua_rdma_params - what a connection wants
 * @rq_wr: receive work requests, 0 with @srq
 * @sq_wr: send work requests, RDMA READ and WRITE included
 * @comp_vector: hint
 * @srq: shared receive queue, or NULL
 * @event: QP events
 * @context: qp_context
 * @create_qp: makes the QP from the attributes and sets conn->qp
 * @arg: its last argument
 */
struct skua_rdma_params {
	u32 rq_wr, sq_wr;
	int comp_vector;
	struct ib_srq *srq;
	void (*event)(struct ib_event *event, void *context);
	void *context;
	int (*create_qp)(struct skua_rdma_conn *conn, struct ib_qp_init_attr *attr, void *arg);
	void *arg;
};

void skua_rdma_conn_init(struct skua_rdma_conn *conn, struct skua_rdma_dev *dev, u32 port,
			 void (*error)(struct skua_rdma_conn *conn));
int skua_rdma_conn_create(struct skua_rdma_conn *conn, const struct skua_rdma_params *params);
void skua_rdma_conn_stop(struct skua_rdma_conn *conn);
void skua_rdma_conn_destroy(struct skua_rdma_conn *conn,
			    void (*destroy_qp)(struct skua_rdma_conn *conn));

bool skua_rdma_enter(struct skua_rdma_conn *conn, bool may_sleep);
void skua_rdma_exit(struct skua_rdma_conn *conn, bool may_sleep);
int skua_rdma_post(struct skua_rdma_conn *conn, struct skua_rdma_post *post);
void skua_rdma_post_done(struct skua_rdma_conn *conn, struct skua_rdma_post *post);

/* ---- transfers -------------------------------------------------------- */

/* A piece of the peer's memory, as SRP has it on the wire. */
struct skua_rdma_desc {
	__be64 va;
	__be32 key;
	__be32 len;
} __packed;

/* One RDMA READ or WRITE of a batch. */
struct skua_rdma_op {
	struct rdma_rw_ctx ctx;
	struct scatterlist *sg;
	u32 nr_sg;
};

struct skua_rdma_batch;

/**
 * struct skua_rdma_xfer - moving one command's data
 * @desc: next descriptor; unaligned is fine
 * @nr_desc: how many there are from @desc on
 * @desc_off: bytes of the next one that are done
 * @sg: next scatter entry
 * @sg_off: bytes of it that are done
 * @left: bytes to go, this batch not counted
 * @dir: DMA_FROM_DEVICE: RDMA READ into @sg; DMA_TO_DEVICE: RDMA WRITE from it
 * @nr_ops: operations of the batch under way
 * @nr_wrs: work requests of it
 * @batch: room for a large batch, or NULL
 * @ops: room for a small one
 * @op_sg: scatter entries of these
 */
struct skua_rdma_xfer {
	const struct skua_rdma_desc *desc;
	u32 nr_desc;
	u32 desc_off;
	struct scatterlist *sg;
	u32 sg_off;
	u32 left;
	enum dma_data_direction dir;
	u32 nr_ops;
	u32 nr_wrs;
	struct skua_rdma_batch *batch;
	struct skua_rdma_op ops[SKUA_RDMA_INLINE];
	struct scatterlist op_sg[SKUA_RDMA_INLINE];
};

void skua_rdma_xfer_init(struct skua_rdma_xfer *xfer, enum dma_data_direction dir,
			 const struct skua_rdma_desc *desc, u32 nr_desc,
			 struct scatterlist *sg, u32 len);
int skua_rdma_xfer_build(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn,
			 u32 spare_wrs, bool may_sleep);
struct ib_send_wr *skua_rdma_xfer_wrs(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn,
				      struct ib_cqe *cqe, struct ib_send_wr *chain);
void skua_rdma_xfer_unbuild(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn);
void skua_rdma_xfer_end(struct skua_rdma_xfer *xfer);

#endif
