// SPDX-License-Identifier: GPL-2.0
/*
 * A transfer: the peer's memory as a list of descriptors, ours as a scatter list,
 * cut at the boundaries of both. Each piece, or each run of our entries below one
 * descriptor, is one rdma_rw context.
 *
 * Small transfers use contexts of one entry each, which lie in the slot and need
 * no allocation. Larger ones are cut into batches that fit the send queue; each
 * batch is posted when the one before has completed, so a command of any size and
 * fragmentation gets through any send queue.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "rdma.h"

#define SKUA_RDMA_BATCH_OPS	64
#define SKUA_RDMA_BATCH_SG	256

struct skua_rdma_batch {
	struct skua_rdma_op ops[SKUA_RDMA_BATCH_OPS];
	struct scatterlist sg[SKUA_RDMA_BATCH_SG];
};

/* Where a transfer is: copied while looking ahead. */
struct skua_rdma_pos {
	const struct skua_rdma_desc *desc;
	u32 nr_desc;
	u32 desc_off;
	struct scatterlist *sg;
	u32 sg_off;
	u32 left;
};

/**
 * skua_rdma_xfer_init() - start a transfer
 * @xfer: ended, or zeroed memory
 * @dir: DMA_FROM_DEVICE to fetch, DMA_TO_DEVICE to send
 * @desc: the peer's memory, at least @len bytes; stays until the last batch is built
 * @nr_desc: descriptors
 * @sg: ours, at least @len bytes; stays until the last batch is unbuilt
 * @len: bytes to move
 */
void skua_rdma_xfer_init(struct skua_rdma_xfer *xfer, enum dma_data_direction dir,
			 const struct skua_rdma_desc *desc, u32 nr_desc,
			 struct scatterlist *sg, u32 len)
{
	xfer->desc = desc;
	xfer->nr_desc = nr_desc;
	xfer->desc_off = 0;
	xfer->sg = sg;
	xfer->sg_off = 0;
	xfer->left = len;
	xfer->dir = dir;
	xfer->nr_ops = 0;
	xfer->nr_wrs = 0;
}
EXPORT_SYMBOL_GPL(skua_rdma_xfer_init);

static void skua_rdma_pos_get(const struct skua_rdma_xfer *xfer, struct skua_rdma_pos *pos)
{
	pos->desc = xfer->desc;
	pos->nr_desc = xfer->nr_desc;
	pos->desc_off = xfer->desc_off;
	pos->sg = xfer->sg;
	pos->sg_off = xfer->sg_off;
	pos->left = xfer->left;
}

/* Bytes up to the end of the descriptor; 0 when there are none left. */
static u32 skua_rdma_desc_left(struct skua_rdma_pos *pos)
{
	u32 len;

	for (; pos->nr_desc; pos->nr_desc--, pos->desc++, pos->desc_off = 0) {
		len = get_unaligned_be32(&pos->desc->len);
		if (pos->desc_off < len)
			return min(len - pos->desc_off, pos->left);
	}
	return 0;
}

/* Bytes up to the end of the scatter entry; 0 when there are none left. */
static u32 skua_rdma_sg_left(struct skua_rdma_pos *pos)
{
	while (pos->sg && pos->sg_off >= pos->sg->length) {
		pos->sg_off = 0;
		pos->sg = sg_next(pos->sg);
	}
	return pos->sg ? pos->sg->length - pos->sg_off : 0;
}

static void skua_rdma_pos_add(struct skua_rdma_pos *pos, u32 len)
{
	pos->desc_off += len;
	pos->sg_off += len;
	pos->left -= len;
}

/* Are there more pieces than fit into the slot? */
static bool skua_rdma_is_large(const struct skua_rdma_xfer *xfer)
{
	struct skua_rdma_pos pos;
	u32 n, len;

	skua_rdma_pos_get(xfer, &pos);
	for (n = 0; pos.left; n++) {
		if (n == SKUA_RDMA_INLINE)
			return true;
		len = min(skua_rdma_desc_left(&pos), skua_rdma_sg_left(&pos));
		if (!len)
			return false;
		skua_rdma_pos_add(&pos, len);
	}
	return false;
}

/*
 * Fills op->sg with entries below the current descriptor, at most @max of them;
 * advances the scatter list's side of @pos. Returns their length.
 */
static u32 skua_rdma_op_gather(struct skua_rdma_op *op, struct skua_rdma_pos *pos, u32 max)
{
	u32 want = skua_rdma_desc_left(pos);
	u32 done = 0, len;

	sg_init_table(op->sg, max);
	for (op->nr_sg = 0; done < want && op->nr_sg < max; op->nr_sg++) {
		len = min(skua_rdma_sg_left(pos), want - done);
		if (!len)
			return 0;
		sg_set_page(&op->sg[op->nr_sg], sg_page(pos->sg), len,
			    pos->sg->offset + pos->sg_off);
		pos->sg_off += len;
		done += len;
	}
	if (op->nr_sg)
		sg_mark_end(&op->sg[op->nr_sg - 1]);
	return done;
}

/* Gets one context ready. Returns its number of work requests or -errno. */
static int skua_rdma_op_init(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn,
			     struct skua_rdma_op *op, struct skua_rdma_pos *pos, u32 max)
{
	struct skua_rdma_pos next = *pos;
	u64 va;
	u32 len;
	int ret;

	len = skua_rdma_op_gather(op, &next, max);
	if (unlikely(!len))
		return -EINVAL;
	va = get_unaligned_be64(&next.desc->va) + next.desc_off;
	ret = rdma_rw_ctx_init(&op->ctx, conn->qp, conn->port, op->sg, op->nr_sg, 0, va,
			       get_unaligned_be32(&next.desc->key), xfer->dir);
	if (unlikely(ret < 0)) {
		/* Memory registration wants page borders inside; one entry always does. */
		if (ret == -EINVAL && op->nr_sg > 1)
			return skua_rdma_op_init(xfer, conn, op, pos, 1);
		return ret;
	}
	next.desc_off += len;
	next.left -= len;
	*pos = next;
	return ret;
}

static void skua_rdma_pos_put(struct skua_rdma_xfer *xfer, const struct skua_rdma_pos *pos)
{
	xfer->desc = pos->desc;
	xfer->nr_desc = pos->nr_desc;
	xfer->desc_off = pos->desc_off;
	xfer->sg = pos->sg;
	xfer->sg_off = pos->sg_off;
	xfer->left = pos->left;
}

static struct skua_rdma_op *skua_rdma_ops(struct skua_rdma_xfer *xfer)
{
	return xfer->batch ? xfer->batch->ops : xfer->ops;
}

/* Contexts for as much as fits. 0 with xfer->nr_ops > 0, or -errno with none. */
static int skua_rdma_fill(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn, u32 budget)
{
	struct skua_rdma_op *ops = skua_rdma_ops(xfer);
	u32 max_ops = xfer->batch ? SKUA_RDMA_BATCH_OPS : SKUA_RDMA_INLINE;
	struct scatterlist *sg = xfer->batch ? xfer->batch->sg : xfer->op_sg;
	u32 sg_left = xfer->batch ? SKUA_RDMA_BATCH_SG : SKUA_RDMA_INLINE;
	u32 per_wr = xfer->dir == DMA_FROM_DEVICE ? conn->qp->max_read_sge :
						    conn->qp->max_write_sge;
	struct skua_rdma_pos pos, before;
	int ret = 0;

	skua_rdma_pos_get(xfer, &pos);
	while (pos.left && xfer->nr_ops < max_ops && sg_left && budget) {
		struct skua_rdma_op *op = &ops[xfer->nr_ops];
		u32 max = xfer->batch ? min_t(u64, sg_left, (u64)budget * max(per_wr, 1U)) : 1;

		op->sg = sg;
		before = pos;
		ret = skua_rdma_op_init(xfer, conn, op, &pos, max);
		if (unlikely(ret < 0))
			break;
		if (unlikely(ret > budget)) {
			rdma_rw_ctx_destroy(&op->ctx, conn->qp, conn->port, op->sg, op->nr_sg,
					    xfer->dir);
			pos = before;
			ret = -E2BIG;
			break;
		}
		budget -= ret;
		xfer->nr_wrs += ret;
		xfer->nr_ops++;
		sg += op->nr_sg;
		sg_left -= op->nr_sg;
	}
	if (!xfer->nr_ops)
		return ret < 0 ? ret : -EINVAL;
	skua_rdma_pos_put(xfer, &pos);
	return 0;
}

/*
 * The same in process context. The QP's pool of memory regions may be empty for a
 * moment: other commands hold them and give them back when their transfers end.
 */
static int skua_rdma_fill_wait(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn, u32 budget)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	unsigned int noio = memalloc_noio_save();
	long timeout = 30 * HZ;
	int ret;

	ret = skua_rdma_fill(xfer, conn, budget);
	if (unlikely(ret == -EAGAIN)) {
		add_wait_queue(&conn->mrs, &wait);
		for (;;) {
			ret = skua_rdma_fill(xfer, conn, budget);
			if (ret != -EAGAIN)
				break;
			ret = -EBUSY;
			if (!timeout || READ_ONCE(conn->dead))
				break;
			timeout = wait_woken(&wait, TASK_UNINTERRUPTIBLE, timeout);
		}
		remove_wait_queue(&conn->mrs, &wait);
	}
	memalloc_noio_restore(noio);
	return ret;
}

/**
 * skua_rdma_xfer_build() - make the next batch
 * @xfer: a transfer with bytes left and no batch under way
 * @conn: its connection, entered with the same @may_sleep
 * @spare_wrs: work requests that the caller will add
 * @may_sleep: in process context
 *
 * Context: any, process if @may_sleep.
 * Return: 0: post skua_rdma_xfer_wrs(), nr_wrs work requests, and call
 * skua_rdma_xfer_unbuild() when they have completed. -EAGAIN: only with
 * @may_sleep. Other -errno: failed, nothing to undo.
 */
int skua_rdma_xfer_build(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn,
			 u32 spare_wrs, bool may_sleep)
{
	u32 budget = conn->sq_size - min(spare_wrs, conn->sq_size);
	bool atomic = conn->rw_atomic[xfer->dir == DMA_FROM_DEVICE];

	xfer->nr_ops = 0;
	xfer->nr_wrs = 0;
	if (unlikely(!atomic || xfer->batch || skua_rdma_is_large(xfer))) {
		if (!may_sleep)
			return -EAGAIN;
		/* Without it: more and smaller batches. */
		if (!xfer->batch)
			xfer->batch = kvmalloc(sizeof(*xfer->batch), GFP_NOIO | __GFP_NOWARN);
		return skua_rdma_fill_wait(xfer, conn, budget);
	}
	return skua_rdma_fill(xfer, conn, budget);
}
EXPORT_SYMBOL_GPL(skua_rdma_xfer_build);

/**
 * skua_rdma_xfer_wrs() - the batch's work requests; once per batch
 * @xfer: with a batch built
 * @conn: its connection
 * @cqe: completion of the last one, if there is no @chain
 * @chain: work request to follow the last one, or NULL
 */
struct ib_send_wr *skua_rdma_xfer_wrs(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn,
				      struct ib_cqe *cqe, struct ib_send_wr *chain)
{
	struct skua_rdma_op *ops = skua_rdma_ops(xfer);
	u32 i;

	for (i = xfer->nr_ops; i--;)
		chain = rdma_rw_ctx_wrs(&ops[i].ctx, conn->qp, conn->port, cqe, chain);
	return chain;
}
EXPORT_SYMBOL_GPL(skua_rdma_xfer_wrs);

/**
 * skua_rdma_xfer_unbuild() - the batch has completed, or will not be posted
 * @xfer: with a batch built
 * @conn: its connection
 *
 * Context: any, while the connection is entered or the batch's credits are out.
 */
void skua_rdma_xfer_unbuild(struct skua_rdma_xfer *xfer, struct skua_rdma_conn *conn)
{
	struct skua_rdma_op *ops = skua_rdma_ops(xfer);
	u32 i;

	for (i = 0; i < xfer->nr_ops; i++)
		rdma_rw_ctx_destroy(&ops[i].ctx, conn->qp, conn->port, ops[i].sg, ops[i].nr_sg,
				    xfer->dir);
	xfer->nr_ops = 0;
	xfer->nr_wrs = 0;
	if (unlikely(wq_has_sleeper(&conn->mrs)))
		wake_up(&conn->mrs);
}
EXPORT_SYMBOL_GPL(skua_rdma_xfer_unbuild);

/**
 * skua_rdma_xfer_end() - free what a transfer allocated
 * @xfer: without a batch under way
 *
 * Context: any.
 */
void skua_rdma_xfer_end(struct skua_rdma_xfer *xfer)
{
	if (unlikely(xfer->batch)) {
		kvfree(xfer->batch);
		xfer->batch = NULL;
	}
}
EXPORT_SYMBOL_GPL(skua_rdma_xfer_end);
