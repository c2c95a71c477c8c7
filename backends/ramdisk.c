// SPDX-License-Identifier: GPL-2.0
/*
 * RAM disk: the backend's pages are what transports move data into and out of.
 *
 * The medium is cut into chunks of 256 KiB. A chunk gets its memory, zeroed, with the
 * first write to it; where there is none a hole reads from a shared block of zeroes.
 *
 * Chunks hang in a two-level table. Its pointers are looked up under RCU and set and
 * taken out by cmpxchg() and xchg(): no lock on the way of an I/O. A transfer holds a
 * reference to each chunk that it touches, from get_pages() to put_pages(), so UNMAP
 * may take a chunk out at any time: its memory goes when the last transfer is through.
 * A write in flight then ends in memory that is no longer on the medium, as if it had
 * come just before the UNMAP; both were under way at the same time, so that is one of
 * the two orders the initiator has to expect.
 *
 * Memory: a module parameter limits what all devices together may hold. A device with
 * thin_provisioned=1 takes its chunks from that as it goes, and reports lack of space
 * when nothing is left; any other reserves its whole size when it is made or grown.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "pages.h"
#include "skua.h"

#define RD_SHIFT	(PAGE_SHIFT > 18 ? PAGE_SHIFT : 18)
#define RD_CHUNK	(1U << RD_SHIFT)
#define RD_ORDER	(RD_SHIFT - PAGE_SHIFT)
#define RD_CHUNK_PAGES	BIT(RD_ORDER)
#define RD_LEAF		512			/* chunks in a leaf of the table */
#define RD_MAX_SIZE	BIT_ULL(50)
/* Bytes in one call, which runs to its end without a break */
#define RD_MAX_UNMAP	(512U << 20)
#define RD_MAX_ZEROES	(64U << 20)

static unsigned int memory_mb;
module_param(memory_mb, uint, 0644);
MODULE_PARM_DESC(memory_mb, "Memory that all RAM disks together may use, MiB (0: three quarters of the memory)");

/* Pages: reserved by devices that are not thin, or in chunks of thin ones. */
static atomic_long_t rd_used;
static struct skua_block rd_zero;		/* read instead of holes; never written */

/**
 * struct rd_chunk - memory of 256 KiB of a medium
 * @refs: one while in the table, one for each scatter entry of a transfer
 * @charged: its pages count in rd_used (else its device reserved them)
 * @order: of each piece
 * @rcu: for kfree_rcu()
 * @piece: compound pages of that order
 */
struct rd_chunk {
	refcount_t refs;
	bool charged;
	u8 order;
	struct rcu_head rcu;
	struct page *piece[];
};

struct rd_leaf {
	struct rd_chunk __rcu *chunk[RD_LEAF];
};

/* Replaced as a whole, under rd->lock, when the device is resized. */
struct rd_table {
	u64 nr;					/* leaves */
	struct rcu_head rcu;
	struct rd_leaf __rcu *leaf[];
};

struct ramdisk {
	struct rd_table __rcu *table;
	spinlock_t lock;			/* new leaves, the table pointer; irqsave */
	struct mutex resize;
	u64 size;
	unsigned long reserved;			/* pages in rd_used */
	int node;
	bool overcommit;
};

/* What get_pages() remembers for put_pages(). */
struct rd_vec {
	struct rd_chunk **chunk;		/* of each entry; NULL for a hole */
	struct scatterlist *sg;
	u32 nr, max;
	struct rd_chunk *inline_chunk[SKUA_INLINE_SG];
};

static_assert(sizeof(struct rd_vec) <= SKUA_IO_PRIV);

static bool rd_charge(unsigned long pages)
{
	u64 mb = READ_ONCE(memory_mb);
	u64 limit = mb ? mb << (20 - PAGE_SHIFT) : totalram_pages() / 4 * 3;

	if (atomic_long_add_return(pages, &rd_used) <= limit)
		return true;
	atomic_long_sub(pages, &rd_used);
	return false;
}

/* ---- chunks ----------------------------------------------------------- */

static void rd_chunk_free_pages(struct rd_chunk *chunk)
{
	u32 i, nr = 1U << (RD_ORDER - chunk->order);

	for (i = 0; i < nr && chunk->piece[i]; i++)
		__free_pages(chunk->piece[i], chunk->order);
}

static void rd_chunk_put(struct rd_chunk *chunk)
{
	if (!refcount_dec_and_test(&chunk->refs))
		return;
	/* A lookup may still look at the count; the pages need a reference. */
	rd_chunk_free_pages(chunk);
	if (chunk->charged)
		atomic_long_sub(RD_CHUNK_PAGES, &rd_used);
	kfree_rcu(chunk, rcu);
}

static struct rd_chunk *rd_chunk_try(struct ramdisk *rd, unsigned int order, gfp_t gfp)
{
	u32 i, nr = 1U << (RD_ORDER - order);
	struct rd_chunk *chunk;

	chunk = kzalloc_node(struct_size(chunk, piece, nr), gfp, rd->node);
	if (!chunk)
		return NULL;
	chunk->order = order;
	refcount_set(&chunk->refs, 1);
	if (order)
		gfp |= __GFP_COMP | __GFP_NORETRY | __GFP_NOMEMALLOC;
	for (i = 0; i < nr; i++) {
		chunk->piece[i] = alloc_pages_node(rd->node, gfp | __GFP_ZERO, order);
		if (!chunk->piece[i]) {
			rd_chunk_free_pages(chunk);
			kfree(chunk);
			return NULL;
		}
	}
	return chunk;
}

/*
 * Memory for a chunk: in one piece if possible, else in smaller ones, zeroed since
 * only a part of it will be written now. Without reclaim that enters I/O: the medium
 * may hold this very machine's file systems.
 */
static struct rd_chunk *rd_chunk_new(struct ramdisk *rd, bool may_sleep)
{
	static const u8 orders[] = { RD_ORDER, 3, 0 };
	gfp_t gfp = __GFP_NOWARN | (may_sleep ? GFP_NOIO | __GFP_RETRY_MAYFAIL : GFP_ATOMIC);
	struct rd_chunk *chunk;
	int i;

	if (rd->overcommit && !rd_charge(RD_CHUNK_PAGES))
		return ERR_PTR(-ENOSPC);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (orders[i] > RD_ORDER)
			continue;
		chunk = rd_chunk_try(rd, orders[i], gfp);
		if (chunk) {
			chunk->charged = rd->overcommit;
			return chunk;
		}
	}
	if (rd->overcommit)
		atomic_long_sub(RD_CHUNK_PAGES, &rd_used);
	return ERR_PTR(-ENOMEM);
}

/* ---- the table -------------------------------------------------------- */

/* Where the pointer to chunk @idx is; NULL: no leaf there. Under rcu_read_lock(). */
static struct rd_chunk __rcu **rd_slot(struct ramdisk *rd, u64 idx)
{
	struct rd_table *table = rcu_dereference(rd->table);
	struct rd_leaf *leaf;

	if (idx / RD_LEAF >= table->nr)
		return NULL;
	leaf = rcu_dereference(table->leaf[idx / RD_LEAF]);
	return leaf ? &leaf->chunk[idx % RD_LEAF] : NULL;
}

/* The chunk with a reference, or NULL for a hole. */
static struct rd_chunk *rd_lookup(struct ramdisk *rd, u64 idx)
{
	struct rd_chunk __rcu **slot;
	struct rd_chunk *chunk = NULL;

	rcu_read_lock();
	slot = rd_slot(rd, idx);
	if (slot)
		chunk = rcu_dereference(*slot);
	/* No reference left: it was taken out, so there is a hole now. */
	if (chunk && !refcount_inc_not_zero(&chunk->refs))
		chunk = NULL;
	rcu_read_unlock();
	return chunk;
}

static int rd_add_leaf(struct ramdisk *rd, u64 nr, bool may_sleep)
{
	struct rd_table *table;
	struct rd_leaf *leaf;
	unsigned long flags;
	bool inside;

	leaf = kzalloc_node(sizeof(*leaf), __GFP_NOWARN | (may_sleep ? GFP_NOIO : GFP_ATOMIC),
			    rd->node);
	if (!leaf)
		return -ENOMEM;
	spin_lock_irqsave(&rd->lock, flags);
	table = rcu_dereference_protected(rd->table, lockdep_is_held(&rd->lock));
	inside = nr < table->nr;
	if (inside && !rcu_access_pointer(table->leaf[nr])) {
		rcu_assign_pointer(table->leaf[nr], leaf);
		leaf = NULL;
	}
	spin_unlock_irqrestore(&rd->lock, flags);
	kfree(leaf);
	return inside ? 0 : -EIO;
}

/*
 * Put @new where there is a hole, or take what is there by now. Returns the chunk
 * with a reference for the caller, who keeps @new if it is another one.
 */
static struct rd_chunk *rd_insert(struct ramdisk *rd, u64 idx, struct rd_chunk *new,
				  bool may_sleep)
{
	struct rd_chunk __rcu **slot;
	struct rd_chunk *old;
	int ret;

	for (;;) {
		rcu_read_lock();
		slot = rd_slot(rd, idx);
		if (slot) {
			refcount_set(&new->refs, 2);
			old = unrcu_pointer(cmpxchg(slot, NULL, RCU_INITIALIZER(new)));
			if (!old)
				old = new;
			else if (!refcount_inc_not_zero(&old->refs))
				old = NULL;	/* being taken out: try again */
			rcu_read_unlock();
			if (old)
				return old;
			cpu_relax();
			continue;
		}
		rcu_read_unlock();
		ret = rd_add_leaf(rd, idx / RD_LEAF, may_sleep);
		if (ret)
			return ERR_PTR(ret);
	}
}

/* The chunk to write to, with a reference. */
static struct rd_chunk *rd_get_or_make(struct ramdisk *rd, u64 idx, bool may_sleep)
{
	struct rd_chunk *chunk = rd_lookup(rd, idx), *new;

	if (chunk)
		return chunk;
	new = rd_chunk_new(rd, may_sleep);
	if (IS_ERR(new))
		return new;
	chunk = rd_insert(rd, idx, new, may_sleep);
	if (chunk != new) {
		refcount_set(&new->refs, 1);
		rd_chunk_put(new);
	}
	return chunk;
}

static void rd_remove(struct ramdisk *rd, u64 idx)
{
	struct rd_chunk __rcu **slot;
	struct rd_chunk *chunk = NULL;

	rcu_read_lock();
	slot = rd_slot(rd, idx);
	if (slot && rcu_access_pointer(*slot))
		chunk = unrcu_pointer(xchg(slot, NULL));
	rcu_read_unlock();
	if (chunk)
		rd_chunk_put(chunk);
}

/* Make holes of all chunks from @idx on. */
static void rd_remove_from(struct ramdisk *rd, u64 idx)
{
	u64 nr;

	rcu_read_lock();
	nr = rcu_dereference(rd->table)->nr * RD_LEAF;
	rcu_read_unlock();
	while (idx < nr) {
		bool there;

		rcu_read_lock();
		there = rd_slot(rd, idx);
		rcu_read_unlock();
		if (there)
			rd_remove(rd, idx++);
		else
			idx = (idx / RD_LEAF + 1) * RD_LEAF;
		if (!(idx % RD_LEAF))
			cond_resched();
	}
}

/* Memory of byte @offset of the chunk (NULL: of a hole) and how much lies there in a row. */
static struct page *rd_piece(struct rd_chunk *chunk, u32 *offset, u32 *len)
{
	u32 size = chunk ? PAGE_SIZE << chunk->order : rd_zero.size;
	struct page *page = chunk ? chunk->piece[*offset / size] : rd_zero.page;

	*offset %= size;
	*len = min(*len, size - *offset);
	return page;
}

/* ---- lending pages ---------------------------------------------------- */

static int rd_vec_grow(struct rd_vec *vec, struct skua_io *io, bool may_sleep)
{
	u32 max = max_t(u32, vec->max * 2, 2 + (io->len >> RD_SHIFT));
	struct rd_chunk **chunk;
	struct scatterlist *sg;

	if (!may_sleep)
		return -EAGAIN;
	/* Not vmalloc(): rd_put_pages() may be in a context that can't free it. */
	sg = kmalloc_array(max, sizeof(*sg), GFP_NOIO | __GFP_NOWARN);
	chunk = kmalloc_array(max, sizeof(*chunk), GFP_NOIO | __GFP_NOWARN);
	if (!sg || !chunk) {
		kfree(sg);
		kfree(chunk);
		return -ENOMEM;
	}
	sg_init_table(sg, max);
	memcpy(sg, vec->sg, vec->nr * sizeof(*sg));
	sg_unmark_end(&sg[vec->nr - 1]);	/* the old table was full up to its end mark */
	memcpy(chunk, vec->chunk, vec->nr * sizeof(*chunk));
	if (vec->sg != io->inline_sg) {
		kfree(vec->sg);
		kfree(vec->chunk);
	}
	vec->sg = sg;
	vec->chunk = chunk;
	vec->max = max;
	return 0;
}

static void rd_put_pages(struct skua_io *io)
{
	struct rd_vec *vec = (struct rd_vec *)io->priv;
	u32 i;

	for (i = 0; i < vec->nr; i++)
		if (vec->chunk[i])
			rd_chunk_put(vec->chunk[i]);
	if (vec->sg != io->inline_sg) {
		kfree(vec->sg);
		kfree(vec->chunk);
	}
	vec->nr = 0;
	io->sg = NULL;
	io->nr_sg = 0;
}

/* Add what @io has in chunk @idx; takes over the reference to it. */
static int rd_vec_add(struct rd_vec *vec, struct skua_io *io, struct rd_chunk *chunk, u32 offset,
		      u32 left, bool may_sleep)
{
	while (left) {
		u32 at = offset, len = left;
		struct page *page;

		if (vec->nr == vec->max) {
			int ret = rd_vec_grow(vec, io, may_sleep);

			if (ret) {
				if (chunk)
					rd_chunk_put(chunk);
				return ret;
			}
		}
		page = rd_piece(chunk, &at, &len);
		sg_set_page(&vec->sg[vec->nr], page, len, at);
		vec->chunk[vec->nr++] = chunk;
		offset += len;
		left -= len;
		if (chunk && left)
			refcount_inc(&chunk->refs);
	}
	return 0;
}

static int rd_get_pages(struct skua_io *io, bool may_sleep)
{
	struct ramdisk *rd = skua_dev_priv(io->dev);
	struct rd_vec *vec = (struct rd_vec *)io->priv;
	u64 pos = io->pos, end = io->pos + io->len;
	int ret = 0;

	vec->sg = io->inline_sg;
	vec->chunk = vec->inline_chunk;
	vec->max = SKUA_INLINE_SG;
	vec->nr = 0;
	sg_init_table(vec->sg, SKUA_INLINE_SG);

	while (pos < end) {
		u32 offset = pos & (RD_CHUNK - 1), len = min_t(u64, end - pos, RD_CHUNK - offset);
		struct rd_chunk *chunk = rd_lookup(rd, pos >> RD_SHIFT);

		if (!chunk && io->op == SKUA_IO_WRITE) {
			chunk = ERR_PTR(-EAGAIN);
			if (may_sleep)
				chunk = rd_get_or_make(rd, pos >> RD_SHIFT, true);
		}
		ret = PTR_ERR_OR_ZERO(chunk);
		if (!ret)
			ret = rd_vec_add(vec, io, chunk, offset, len, may_sleep);
		if (ret)
			break;
		pos += len;
	}
	if (ret || !vec->nr) {
		rd_put_pages(io);
		return ret ?: -EINVAL;
	}
	sg_mark_end(&vec->sg[vec->nr - 1]);
	io->sg = vec->sg;
	io->nr_sg = vec->nr;
	return 0;
}

/* ---- copying, zeroing ------------------------------------------------- */

/* Move @len bytes between the chunk and the other side's pages. */
static int rd_copy(struct rd_chunk *chunk, u32 offset, u32 len, struct sg_mapping_iter *iter,
		   bool write)
{
	while (len) {
		u32 at = offset, part = len;
		void *mem;

		if (iter->consumed == iter->length) {
			if (WARN_ON_ONCE(!sg_miter_next(iter)))
				return -EIO;	/* the pages don't sum up to the length */
			iter->consumed = 0;
		}
		mem = page_address(rd_piece(chunk, &at, &part)) + at;
		part = min_t(size_t, part, iter->length - iter->consumed);
		if (write)
			memcpy(mem, iter->addr + iter->consumed, part);
		else
			memcpy(iter->addr + iter->consumed, mem, part);
		iter->consumed += part;
		offset += part;
		len -= part;
	}
	return 0;
}

/* For commands that bring pages of their own. May run in softirq: no waiting for memory. */
static int rd_copy_io(struct skua_io *io)
{
	struct ramdisk *rd = skua_dev_priv(io->dev);
	bool write = io->op == SKUA_IO_WRITE;
	u64 pos = io->pos, end = io->pos + io->len;
	struct sg_mapping_iter iter;
	int ret = 0;

	sg_miter_start(&iter, io->sg, io->nr_sg,
		       SG_MITER_ATOMIC | (write ? SG_MITER_FROM_SG : SG_MITER_TO_SG));
	while (pos < end && !ret) {
		u32 offset = pos & (RD_CHUNK - 1), len = min_t(u64, end - pos, RD_CHUNK - offset);
		u64 idx = pos >> RD_SHIFT;
		struct rd_chunk *chunk;

		chunk = write ? rd_get_or_make(rd, idx, false) : rd_lookup(rd, idx);
		ret = PTR_ERR_OR_ZERO(chunk);
		if (ret)
			break;
		ret = rd_copy(chunk, offset, len, &iter, write);
		if (chunk)
			rd_chunk_put(chunk);
		pos += len;
	}
	sg_miter_stop(&iter);
	return ret;
}

static void rd_rw(struct skua_io *io)
{
	skua_io_done(io, io->flags & SKUA_IO_OWN_PAGES ? 0 : rd_copy_io(io));
}

static void rd_zero_part(struct rd_chunk *chunk, u32 offset, u32 len)
{
	while (len) {
		u32 at = offset, part = len;
		void *mem = page_address(rd_piece(chunk, &at, &part)) + at;

		memset(mem, 0, part);
		offset += part;
		len -= part;
	}
}

/* Zeroes from @pos on: whole chunks become holes unless @keep, holes stay what they are. */
static void rd_zero_range(struct ramdisk *rd, u64 pos, u64 len, bool keep)
{
	u64 end = pos + len;

	while (pos < end) {
		u32 offset = pos & (RD_CHUNK - 1), part = min_t(u64, end - pos, RD_CHUNK - offset);
		u64 idx = pos >> RD_SHIFT;
		bool whole = !offset && (part == RD_CHUNK || pos + part == READ_ONCE(rd->size));

		if (whole && !keep) {
			rd_remove(rd, idx);
		} else {
			struct rd_chunk *chunk = rd_lookup(rd, idx);

			if (chunk) {
				rd_zero_part(chunk, offset, part);
				rd_chunk_put(chunk);
			}
		}
		pos += part;
	}
}

static void rd_unmap(struct skua_io *io)
{
	rd_zero_range(skua_dev_priv(io->dev), io->pos, io->len, false);
	skua_io_done(io, 0);
}

static void rd_write_zeroes(struct skua_io *io)
{
	rd_zero_range(skua_dev_priv(io->dev), io->pos, io->len, io->flags & SKUA_IO_KEEP_MAP);
	skua_io_done(io, 0);
}

static void rd_flush(struct skua_io *io)
{
	skua_io_done(io, 0);
}

/* ---- the device ------------------------------------------------------- */

static void rd_limits(struct skua_dev *dev, struct skua_limits *limits)
{
	const struct skua_dev_config *config = skua_dev_config(dev);
	u32 bs = config->block_size;
	bool thin = !(config->given & SKUA_P(THIN)) || config->thin;

	*limits = (struct skua_limits) {
		.nr_blocks = div_u64(config->size, bs),
		.opt_granularity = max_t(u32, PAGE_SIZE / bs, 1),
		.max_unmap_blocks = thin ? RD_MAX_UNMAP / bs : 0,
		.unmap_granularity = thin ? RD_CHUNK / bs : 0,
		.max_ws_blocks = RD_MAX_ZEROES / bs,
		.thin = thin,
		.unmap_zeroes = true,
		.fua = true,			/* there is nothing more stable */
		.read_only = config->read_only,
		.rotational = config->rotational,
	};
}

static u64 rd_leaves(u64 size)
{
	return DIV_ROUND_UP_ULL(size, (u64)RD_CHUNK * RD_LEAF);
}

static struct rd_table *rd_table_new(u64 size, int node)
{
	u64 nr = rd_leaves(size);
	struct rd_table *table;

	table = kvzalloc_node(struct_size(table, leaf, nr), GFP_KERNEL, node);
	if (table)
		table->nr = nr;
	return table;
}

/* Reserve memory for @size bytes, instead of what is reserved now. */
static int rd_reserve(struct skua_dev *dev, struct ramdisk *rd, u64 size)
{
	unsigned long pages = DIV_ROUND_UP_ULL(size, RD_CHUNK) * RD_CHUNK_PAGES;

	if (size > RD_MAX_SIZE) {
		pr_err("%s: size %llu is larger than %llu\n", skua_dev_name(dev), size,
		       RD_MAX_SIZE);
		return -EINVAL;
	}
	if (rd->overcommit)
		return 0;
	if (pages > rd->reserved && !rd_charge(pages - rd->reserved)) {
		pr_err("%s: size %llu is more than the module's memory limit has left (memory_mb; thin_provisioned=1 may promise more)\n",
		       skua_dev_name(dev), size);
		return -ENOSPC;
	}
	if (pages < rd->reserved)
		atomic_long_sub(rd->reserved - pages, &rd_used);
	rd->reserved = pages;
	return 0;
}

/* A larger table with the old one's leaves. The old one goes after a grace period. */
static int rd_grow_table(struct ramdisk *rd, u64 size)
{
	struct rd_table *new, *old;
	u64 i;

	new = rd_table_new(size, rd->node);
	if (!new)
		return -ENOMEM;
	spin_lock_irq(&rd->lock);
	old = rcu_dereference_protected(rd->table, lockdep_is_held(&rd->lock));
	for (i = 0; i < old->nr; i++)
		RCU_INIT_POINTER(new->leaf[i], rcu_access_pointer(old->leaf[i]));
	rcu_assign_pointer(rd->table, new);
	spin_unlock_irq(&rd->lock);
	synchronize_rcu();
	kvfree(old);
	return 0;
}

/*
 * What lies beyond the smaller of both sizes is forgotten, so a device that shrinks and
 * grows again reads zeroes there, whatever came in flight.
 */
static int rd_resize(struct skua_dev *dev, struct ramdisk *rd, u64 size)
{
	u64 keep = min(size, rd->size);
	u64 nr;
	int ret;

	ret = rd_reserve(dev, rd, size);
	if (ret)
		return ret;
	rcu_read_lock();
	nr = rcu_dereference(rd->table)->nr;
	rcu_read_unlock();
	if (rd_leaves(size) > nr) {
		ret = rd_grow_table(rd, size);
		if (ret) {
			rd_reserve(dev, rd, rd->size);
			return ret;
		}
	}
	if (keep & (RD_CHUNK - 1)) {
		u32 offset = keep & (RD_CHUNK - 1);

		rd_zero_range(rd, keep, RD_CHUNK - offset, true);
	}
	rd_remove_from(rd, DIV_ROUND_UP_ULL(keep, RD_CHUNK));
	WRITE_ONCE(rd->size, size);
	return 0;
}

static int rd_refresh(struct skua_dev *dev, struct skua_limits *limits)
{
	struct ramdisk *rd = skua_dev_priv(dev);
	u64 size = skua_dev_config(dev)->size;
	int ret = 0;

	mutex_lock(&rd->resize);
	if (size != rd->size)
		ret = rd_resize(dev, rd, size);
	mutex_unlock(&rd->resize);
	if (!ret)
		rd_limits(dev, limits);
	return ret;
}

static int rd_open(struct skua_dev *dev)
{
	const struct skua_dev_config *config = skua_dev_config(dev);
	struct ramdisk *rd = skua_dev_priv(dev);
	struct rd_table *table;
	int ret;

	spin_lock_init(&rd->lock);
	mutex_init(&rd->resize);
	rd->reserved = 0;
	rd->overcommit = (config->given & SKUA_P(THIN)) && config->thin;
	rd->node = config->numa_node;
	if (rd->node < 0 || rd->node >= nr_node_ids || !node_online(rd->node))
		rd->node = NUMA_NO_NODE;
	ret = rd_reserve(dev, rd, config->size);
	if (ret)
		return ret;
	table = rd_table_new(config->size, rd->node);
	if (!table) {
		atomic_long_sub(rd->reserved, &rd_used);
		return -ENOMEM;
	}
	rd->size = config->size;
	RCU_INIT_POINTER(rd->table, table);
	rd_limits(dev, skua_dev_limits(dev));
	return 0;
}

/* No I/O is left, so nobody else looks at the table. */
static void rd_close(struct skua_dev *dev)
{
	struct ramdisk *rd = skua_dev_priv(dev);
	struct rd_table *table = rcu_dereference_protected(rd->table, true);
	u64 i;

	rd_remove_from(rd, 0);
	RCU_INIT_POINTER(rd->table, NULL);
	for (i = 0; i < table->nr; i++)
		kfree(rcu_dereference_protected(table->leaf[i], true));
	kvfree(table);
	atomic_long_sub(rd->reserved, &rd_used);
}

static struct skua_backend rd_backend = {
	.name = "vdisk_ramdisk",
	.owner = THIS_MODULE,
	.flags = SKUA_BE_SOLID,
	.params = SKUA_P(SIZE) | SKUA_P(SIZE_MB) | SKUA_P(BLOCKSIZE) | SKUA_P(THIN) |
		  SKUA_P(READ_ONLY) | SKUA_P(REMOVABLE) | SKUA_P(ROTATIONAL) | SKUA_P(TST) |
		  SKUA_P(T10_DEV_ID) | SKUA_P(NUMA_NODE),
	.vendor_id = "SCST_FIO",
	.priv_size = sizeof(struct ramdisk),
	.open = rd_open,
	.close = rd_close,
	.rw = rd_rw,
	.get_pages = rd_get_pages,
	.put_pages = rd_put_pages,
	.flush = rd_flush,
	.unmap = rd_unmap,
	.write_zeroes = rd_write_zeroes,
	.refresh = rd_refresh,
};

static int __init rd_init(void)
{
	int ret = skua_block_alloc(&rd_zero, RD_CHUNK, NUMA_NO_NODE);

	if (ret)
		return ret;
	ret = skua_backend_register(&rd_backend);
	if (ret)
		skua_block_free(&rd_zero);
	return ret;
}

static void __exit rd_exit(void)
{
	skua_backend_unregister(&rd_backend);
	WARN_ON(atomic_long_read(&rd_used));
	skua_block_free(&rd_zero);
}

module_init(rd_init);
module_exit(rd_exit);

MODULE_DESCRIPTION("Skua backend: RAM disk with zero copy");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
