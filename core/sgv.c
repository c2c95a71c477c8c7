// SPDX-License-Identifier: GPL-2.0
/*
 * SGV: ready-made scatter lists of pages for data that a backend cannot lend.
 *
 * A vector is one of eleven sizes, a page doubled zero to ten times, in as few
 * physically contiguous pieces as memory allows. Freed vectors wait, most recently
 * used first, on the list of the CPU that took them, and beyond what that may hold
 * on the list of their node. Larger ones are made and freed each time.
 *
 * Old data: pages are zeroed when they come from the page allocator, so memory of
 * the rest of the system never gets here, but not when a vector is used again. A
 * vector's entries sum up to exactly what was asked for, and its user must fill
 * every byte of them, or send none: an I/O that fails transfers no data, and an I/O
 * counts as good only when all of it was read. A user that can't promise that for
 * some bytes zeroes these.
 *
 * Locks: list->lock only, irqsave; never two at once. Vectors are freed in any
 * context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": sgv: " fmt

#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "priv.h"

#define SGV_CLASSES	11
#define SGV_BIG		SGV_CLASSES	/* class of what is not cached */
#define SGV_PIECE_ORDER	6		/* largest contiguous piece asked for */
#define SGV_CPU_BYTES	(32UL << 20)	/* idle memory that one CPU may keep */
#define SGV_IDLE_TIME	(60 * HZ)
#define SGV_PURGE_TIME	(20 * HZ)
#define SGV_KINDS	3		/* plain, clustered, DMA: names of the interface */

static unsigned int max_cmd_mem;
module_param(max_cmd_mem, uint, 0644);
MODULE_PARM_DESC(max_cmd_mem,
		 "Memory for data of commands and its cache, MiB (0: a quarter of the memory)");

struct skua_sgv {
	struct list_head link;			/* of a free list */
	unsigned long stamp;			/* jiffies of the last free */
	u32 nr_pages;
	u32 nr_all;				/* entries of @sg */
	u32 nr;					/* entries in use now */
	u32 cut;				/* whole length of entry @nr - 1 */
	int cpu;				/* counted there while in use */
	int node;				/* of its first page */
	u8 class;
	struct scatterlist sg[];
};

struct sgv_list {
	spinlock_t lock;			/* all of it */
	struct list_head free[SGV_CLASSES];	/* most recently used first */
	unsigned long idle_pages;
	unsigned long idle_objs;
} ____cacheline_aligned_in_smp;

struct sgv_count {
	u64 hits, total;
	u64 pages, merged;			/* of those freshly allocated */
};

/* All under list.lock. */
struct sgv_cpu {
	struct sgv_list list;
	unsigned long busy_pages;		/* in use, of cached sizes */
	unsigned long busy_objs;
	struct sgv_count count[SGV_CLASSES + 1];
};

static struct sgv_cpu __percpu *sgv_cpus;
static struct sgv_list *sgv_nodes;		/* by node number */
static struct shrinker *sgv_shrinker;
static struct delayed_work sgv_purge_work;

/* Pages held, in use or idle. Touched only where the page allocator is, too. */
static atomic_long_t sgv_pages;
static atomic64_t sgv_hi_releases, sgv_hi_failures;

static int *sgv_shown;				/* CPUs with caches in the tree */
static unsigned int sgv_nr_shown;
static char (*sgv_names)[24];

static unsigned long sgv_hi_mark(void)
{
	unsigned long mb = READ_ONCE(max_cmd_mem);

	if (!mb)
		return totalram_pages() / 4;
	return min_t(u64, (u64)mb << 20, ULONG_MAX) >> PAGE_SHIFT;
}

static unsigned long sgv_lo_mark(void)
{
	unsigned long hi = sgv_hi_mark();

	return hi - hi / 8;
}

static void sgv_list_init(struct sgv_list *list)
{
	int i;

	spin_lock_init(&list->lock);
	for (i = 0; i < SGV_CLASSES; i++)
		INIT_LIST_HEAD(&list->free[i]);
}

static void sgv_push(struct sgv_list *list, struct skua_sgv *sgv)
{
	lockdep_assert_held(&list->lock);
	sgv->stamp = jiffies;
	list_add(&sgv->link, &list->free[sgv->class]);
	list->idle_pages += sgv->nr_pages;
	list->idle_objs++;
}

static void sgv_unlink(struct sgv_list *list, struct skua_sgv *sgv)
{
	lockdep_assert_held(&list->lock);
	list_del(&sgv->link);
	list->idle_pages -= sgv->nr_pages;
	list->idle_objs--;
}

static struct skua_sgv *sgv_pop(struct sgv_list *list, unsigned int class, int node)
{
	struct skua_sgv *sgv;

	lockdep_assert_held(&list->lock);
	sgv = list_first_entry_or_null(&list->free[class], struct skua_sgv, link);
	if (!sgv || (node != NUMA_NO_NODE && sgv->node != node))
		return NULL;
	sgv_unlink(list, sgv);
	return sgv;
}

static void sgv_destroy(struct skua_sgv *sgv)
{
	u32 i;

	for (i = 0; i < sgv->nr_all; i++)
		__free_pages(sg_page(&sgv->sg[i]), compound_order(sg_page(&sgv->sg[i])));
	atomic_long_sub(sgv->nr_pages, &sgv_pages);
	kfree(sgv);
}

/*
 * Free up to @want pages of what has been idle for @age jiffies, the large and the
 * old first. Returns the number of pages.
 */
static unsigned long sgv_trim_list(struct sgv_list *list, unsigned long want, unsigned long age)
{
	struct skua_sgv *sgv, *next;
	unsigned long flags, freed = 0;
	LIST_HEAD(victims);
	int i;

	spin_lock_irqsave(&list->lock, flags);
	for (i = SGV_CLASSES - 1; i >= 0 && freed < want; i--) {
		list_for_each_entry_safe_reverse(sgv, next, &list->free[i], link) {
			if (freed >= want || time_before(jiffies, sgv->stamp + age))
				break;
			sgv_unlink(list, sgv);
			list_add(&sgv->link, &victims);
			freed += sgv->nr_pages;
		}
	}
	spin_unlock_irqrestore(&list->lock, flags);

	list_for_each_entry_safe(sgv, next, &victims, link)
		sgv_destroy(sgv);
	return freed;
}

static unsigned long sgv_trim(unsigned long want, unsigned long age)
{
	unsigned long freed = 0;
	int i;

	for_each_node(i) {
		if (freed >= want)
			return freed;
		if (READ_ONCE(sgv_nodes[i].idle_objs))
			freed += sgv_trim_list(&sgv_nodes[i], want - freed, age);
	}
	for_each_possible_cpu(i) {
		struct sgv_list *list = &per_cpu_ptr(sgv_cpus, i)->list;

		if (freed >= want)
			return freed;
		if (READ_ONCE(list->idle_objs))
			freed += sgv_trim_list(list, want - freed, age);
	}
	return freed;
}

static unsigned long sgv_idle_pages(void)
{
	unsigned long sum = 0;
	int i;

	for_each_node(i)
		sum += READ_ONCE(sgv_nodes[i].idle_pages);
	for_each_possible_cpu(i)
		sum += READ_ONCE(per_cpu_ptr(sgv_cpus, i)->list.idle_pages);
	return sum;
}

/* Account for @pages more; at the high water mark idle ones have to go first. */
static bool sgv_charge(unsigned long pages)
{
	unsigned long now = atomic_long_add_return(pages, &sgv_pages);
	unsigned long hi = sgv_hi_mark();

	if (now <= hi)
		return true;
	if (sgv_trim(now - min(now, sgv_lo_mark()), 0))
		atomic64_inc(&sgv_hi_releases);
	if (atomic_long_read(&sgv_pages) <= hi)
		return true;
	atomic_long_sub(pages, &sgv_pages);
	atomic64_inc(&sgv_hi_failures);
	return false;
}

/* Large pieces are taken where they lie ready: no reclaim, no compaction for them. */
static struct page *sgv_piece(int node, gfp_t gfp, unsigned int order)
{
	gfp |= __GFP_ZERO | __GFP_NOWARN;
	if (order)
		gfp = (gfp | __GFP_COMP | __GFP_NORETRY | __GFP_NOMEMALLOC) & ~__GFP_RECLAIM;
	return alloc_pages_node(node, gfp, order);
}

static void sgv_free_pieces(struct list_head *pieces)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pieces, lru) {
		list_del(&page->lru);
		__free_pages(page, compound_order(page));
	}
}

static u32 sgv_alloc_pieces(struct list_head *pieces, u32 nr_pages, int node, gfp_t gfp)
{
	unsigned int order = SGV_PIECE_ORDER;
	u32 left = nr_pages, nr = 0;

	while (left) {
		struct page *page;

		order = min_t(unsigned int, order, ilog2(left));
		page = sgv_piece(node, gfp, order);
		if (!page) {
			if (!order--)
				return 0;
			continue;
		}
		list_add_tail(&page->lru, pieces);
		left -= 1U << order;
		nr++;
	}
	return nr;
}

static struct skua_sgv *sgv_new(unsigned int class, u32 nr_pages, int node, gfp_t gfp)
{
	struct skua_sgv *sgv = NULL;
	struct page *page, *next;
	LIST_HEAD(pieces);
	u32 nr, i = 0;

	if (!sgv_charge(nr_pages))
		return NULL;
	nr = sgv_alloc_pieces(&pieces, nr_pages, node, gfp);
	if (nr)
		sgv = kmalloc_node(struct_size(sgv, sg, nr), gfp | __GFP_NOWARN, node);
	if (!sgv) {
		sgv_free_pieces(&pieces);
		atomic_long_sub(nr_pages, &sgv_pages);
		return NULL;
	}
	sgv->nr_pages = nr_pages;
	sgv->nr_all = nr;
	sgv->class = class;
	sg_init_table(sgv->sg, nr);
	list_for_each_entry_safe(page, next, &pieces, lru) {
		list_del(&page->lru);
		sg_set_page(&sgv->sg[i++], page, PAGE_SIZE << compound_order(page), 0);
	}
	sgv->node = page_to_nid(sg_page(sgv->sg));
	return sgv;
}

static struct skua_sgv *sgv_from_node(unsigned int class, int node)
{
	struct sgv_list *list = &sgv_nodes[node == NUMA_NO_NODE ? numa_mem_id() : node];
	struct skua_sgv *sgv;
	unsigned long flags;

	if (!READ_ONCE(list->idle_objs))
		return NULL;
	spin_lock_irqsave(&list->lock, flags);
	sgv = sgv_pop(list, class, node);
	spin_unlock_irqrestore(&list->lock, flags);
	return sgv;
}

/* Count the vector as taken by @sc; @fresh pages of it came from the page allocator. */
static void sgv_count(struct sgv_cpu *sc, struct skua_sgv *sgv, bool fresh)
{
	struct sgv_count *count = &sc->count[sgv->class];

	lockdep_assert_held(&sc->list.lock);
	count->total++;
	if (fresh) {
		count->pages += sgv->nr_pages;
		count->merged += sgv->nr_pages - sgv->nr_all;
	} else {
		count->hits++;
	}
	if (sgv->class != SGV_BIG) {
		sc->busy_pages += sgv->nr_pages;
		sc->busy_objs++;
	}
}

static void sgv_cut(struct skua_sgv *sgv, u32 len)
{
	u32 i = 0;

	while (len > sgv->sg[i].length)
		len -= sgv->sg[i++].length;
	sgv->nr = i + 1;
	sgv->cut = sgv->sg[i].length;
	sgv->sg[i].length = len;
	sg_mark_end(&sgv->sg[i]);
}

static void sgv_uncut(struct skua_sgv *sgv)
{
	struct scatterlist *sg = &sgv->sg[sgv->nr - 1];

	sg->length = sgv->cut;
	if (sgv->nr < sgv->nr_all)
		sg_unmark_end(sg);
}

/**
 * skua_sgv_alloc() - get pages for data
 * @len: bytes, not 0
 * @node: NUMA node, NUMA_NO_NODE for the nearest
 * @gfp: GFP_NOIO or the like, or GFP_ATOMIC | __GFP_NOWARN
 *
 * The content is undefined: what earlier commands left there (see above).
 *
 * Context: any but hard interrupts and NMI; sleeps only if @gfp allows it.
 * Return: the vector, to be given back by skua_sgv_free(); NULL if there is no
 * memory or the limit is reached, which a command reports as BUSY.
 */
struct skua_sgv *skua_sgv_alloc(u32 len, int node, gfp_t gfp)
{
	u32 nr_pages = DIV_ROUND_UP_ULL(len, PAGE_SIZE);
	struct skua_sgv *sgv = NULL;
	unsigned int class;
	struct sgv_cpu *sc;
	unsigned long flags;
	bool fresh = false;
	int cpu;

	if (WARN_ON_ONCE(!len))
		return NULL;
	if (node != NUMA_NO_NODE && (node < 0 || node >= nr_node_ids || !node_online(node)))
		node = NUMA_NO_NODE;
	class = order_base_2(nr_pages);
	if (class >= SGV_CLASSES)
		class = SGV_BIG;
	else
		nr_pages = 1U << class;

	cpu = raw_smp_processor_id();
	sc = per_cpu_ptr(sgv_cpus, cpu);
	spin_lock_irqsave(&sc->list.lock, flags);
	if (class != SGV_BIG)
		sgv = sgv_pop(&sc->list, class, node);
	if (!sgv) {
		spin_unlock_irqrestore(&sc->list.lock, flags);
		if (class != SGV_BIG)
			sgv = sgv_from_node(class, node);
		if (!sgv) {
			fresh = true;
			sgv = sgv_new(class, nr_pages, node, gfp);
		}
		if (!sgv)
			return NULL;
		spin_lock_irqsave(&sc->list.lock, flags);
	}
	sgv->cpu = cpu;
	sgv_count(sc, sgv, fresh);
	spin_unlock_irqrestore(&sc->list.lock, flags);
	sgv_cut(sgv, len);
	return sgv;
}
EXPORT_SYMBOL_GPL(skua_sgv_alloc);

/**
 * skua_sgv_free() - give a vector back
 * @sgv: from skua_sgv_alloc(), or NULL
 *
 * Context: any, hard interrupts included.
 */
void skua_sgv_free(struct skua_sgv *sgv)
{
	struct sgv_list *list;
	struct sgv_cpu *sc;
	unsigned long flags;
	bool kept;

	if (!sgv)
		return;
	sgv_uncut(sgv);
	if (sgv->class == SGV_BIG) {
		sgv_destroy(sgv);
		return;
	}
	sc = per_cpu_ptr(sgv_cpus, sgv->cpu);
	list = &sc->list;
	spin_lock_irqsave(&list->lock, flags);
	sc->busy_pages -= sgv->nr_pages;
	sc->busy_objs--;
	kept = list->idle_pages + sgv->nr_pages <= SGV_CPU_BYTES >> PAGE_SHIFT;
	if (kept)
		sgv_push(list, sgv);
	spin_unlock_irqrestore(&list->lock, flags);
	if (kept)
		return;
	if (atomic_long_read(&sgv_pages) > sgv_lo_mark()) {
		sgv_destroy(sgv);
		return;
	}
	list = &sgv_nodes[sgv->node];
	spin_lock_irqsave(&list->lock, flags);
	sgv_push(list, sgv);
	spin_unlock_irqrestore(&list->lock, flags);
}
EXPORT_SYMBOL_GPL(skua_sgv_free);

/**
 * skua_sgv_sg() - the scatter list of a vector
 * @sgv: the vector
 * @nr: gets the number of entries
 *
 * The lengths sum up to what skua_sgv_alloc() was asked for; the last entry is
 * marked. The caller may map the list, but not change pages, offsets or lengths.
 *
 * Context: any.
 */
struct scatterlist *skua_sgv_sg(struct skua_sgv *sgv, u32 *nr)
{
	*nr = sgv->nr;
	return sgv->sg;
}
EXPORT_SYMBOL_GPL(skua_sgv_sg);

static unsigned long sgv_shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	return sgv_idle_pages() ?: SHRINK_EMPTY;
}

static unsigned long sgv_shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	return sgv_trim(sc->nr_to_scan, 0) ?: SHRINK_STOP;
}

static void sgv_purge(struct work_struct *work)
{
	sgv_trim(ULONG_MAX, SGV_IDLE_TIME);
	schedule_delayed_work(&sgv_purge_work, SGV_PURGE_TIME);
}

/* ---- statistics ------------------------------------------------------- */

static const char *const sgv_kind[SGV_KINDS] = { "sgv", "sgv-clust", "sgv-dma" };

#define SGV_KIND_USED	1			/* all vectors are clustered */

struct sgv_sum {
	struct sgv_count count[SGV_CLASSES + 1];
	unsigned long pages, idle, objs;
};

static void sgv_add_cpu(struct sgv_sum *sum, int cpu)
{
	struct sgv_cpu *sc = per_cpu_ptr(sgv_cpus, cpu);
	unsigned long flags;
	int i;

	spin_lock_irqsave(&sc->list.lock, flags);
	for (i = 0; i <= SGV_BIG; i++) {
		sum->count[i].hits += sc->count[i].hits;
		sum->count[i].total += sc->count[i].total;
		sum->count[i].pages += sc->count[i].pages;
		sum->count[i].merged += sc->count[i].merged;
	}
	sum->pages += sc->busy_pages + sc->list.idle_pages;
	sum->idle += sc->list.idle_pages;
	sum->objs += sc->busy_objs + sc->list.idle_objs;
	spin_unlock_irqrestore(&sc->list.lock, flags);
}

static bool sgv_cpu_shown(int cpu)
{
	unsigned int i;

	for (i = 0; i < sgv_nr_shown; i++)
		if (sgv_shown[i] == cpu)
			return true;
	return false;
}

/* The CPU that a cache of the tree stands for; -1: it is a global one. */
static int sgv_cache_cpu(unsigned int cache)
{
	return cache < SGV_KINDS ? -1 : sgv_shown[cache / SGV_KINDS - 1];
}

/*
 * sgv-clust-N is the list of CPU N with all allocations made there; sgv-clust has the
 * node lists and whatever CPUs did that came after the module. The rest is not used.
 */
static void sgv_collect(unsigned int cache, struct sgv_sum *sum)
{
	int i;

	memset(sum, 0, sizeof(*sum));
	if (cache % SGV_KINDS != SGV_KIND_USED)
		return;
	if (sgv_cache_cpu(cache) >= 0) {
		sgv_add_cpu(sum, sgv_cache_cpu(cache));
		return;
	}
	for_each_node(i) {
		struct sgv_list *list = &sgv_nodes[i];
		unsigned long flags;

		spin_lock_irqsave(&list->lock, flags);
		sum->pages += list->idle_pages;
		sum->idle += list->idle_pages;
		sum->objs += list->idle_objs;
		spin_unlock_irqrestore(&list->lock, flags);
	}
	for_each_possible_cpu(i)
		if (!sgv_cpu_shown(i))
			sgv_add_cpu(sum, i);
}

static unsigned int sgv_percent(u64 merged, u64 pages)
{
	return pages ? div64_u64(merged * 100, pages) : 0;
}

static ssize_t sgv_titles(char *buf, size_t size)
{
	return scnprintf(buf, size, "%-30s %-11s %-11s %-11s %s\n", "Name", "Hit", "Total",
			 "% merged", "Cached (P/I/O)");
}

static ssize_t sgv_block(unsigned int cache, char *buf, size_t size)
{
	struct sgv_count all = { }, *big;
	const char *name = skua_sgv_cache_name(cache);
	struct sgv_sum *sum;
	size_t len = 0;
	int i;

	sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	sgv_collect(cache, sum);
	for (i = 0; i < SGV_CLASSES; i++) {
		all.hits += sum->count[i].hits;
		all.total += sum->count[i].total;
		all.pages += sum->count[i].pages;
		all.merged += sum->count[i].merged;
	}
	len += scnprintf(buf + len, size - len, "%-30s %-11llu %-11llu %-11u %lu/%lu/%lu\n", name,
			 all.hits, all.total, sgv_percent(all.merged, all.pages), sum->pages,
			 sum->idle, sum->objs);
	for (i = 0; i < SGV_CLASSES; i++) {
		struct sgv_count *count = &sum->count[i];
		char label[40];

		scnprintf(label, sizeof(label), "%s-%luK", name, (PAGE_SIZE >> 10) << i);
		len += scnprintf(buf + len, size - len, "  %-28s %-11llu %-11llu %u\n", label,
				 count->hits, count->total,
				 sgv_percent(count->merged, count->pages));
	}
	big = &sum->count[SGV_BIG];
	len += scnprintf(buf + len, size - len, "  %-40s %llu/%-9u %u/%u\n", "big/other",
			 big->total, 0U, sgv_percent(big->merged, big->pages), 0U);
	kfree(sum);
	return len;
}

/**
 * skua_sgv_nr_caches() - how many caches the tree shows
 *
 * They are numbered from 0: the global ones, then those of each CPU.
 */
unsigned int skua_sgv_nr_caches(void)
{
	return SGV_KINDS * (sgv_nr_shown + 1);
}

/**
 * skua_sgv_cache_name() - name of a cache
 * @cache: its number
 */
const char *skua_sgv_cache_name(unsigned int cache)
{
	return sgv_names[cache];
}

/**
 * skua_sgv_show() - text of sgv/CACHE/stats
 * @cache: number of the cache
 * @buf: a page
 *
 * Context: process.
 * Return: length or -ENOMEM.
 */
ssize_t skua_sgv_show(unsigned int cache, char *buf)
{
	ssize_t len = sgv_titles(buf, PAGE_SIZE), more;

	more = sgv_block(cache, buf + len, PAGE_SIZE - len);
	return more < 0 ? more : len + more;
}

static void sgv_clear_cpu(int cpu)
{
	struct sgv_cpu *sc = per_cpu_ptr(sgv_cpus, cpu);
	unsigned long flags;

	spin_lock_irqsave(&sc->list.lock, flags);
	memset(sc->count, 0, sizeof(sc->count));
	spin_unlock_irqrestore(&sc->list.lock, flags);
}

/**
 * skua_sgv_clear() - zero the counters of a cache
 * @cache: its number; skua_sgv_nr_caches(): those of sgv/global_stats
 *
 * What the cache holds stays, and so do the figures about that.
 */
void skua_sgv_clear(unsigned int cache)
{
	int i;

	if (cache >= skua_sgv_nr_caches()) {
		atomic64_set(&sgv_hi_releases, 0);
		atomic64_set(&sgv_hi_failures, 0);
		return;
	}
	if (cache % SGV_KINDS != SGV_KIND_USED)
		return;
	if (sgv_cache_cpu(cache) >= 0) {
		sgv_clear_cpu(sgv_cache_cpu(cache));
		return;
	}
	for_each_possible_cpu(i)
		if (!sgv_cpu_shown(i))
			sgv_clear_cpu(i);
}

/**
 * skua_sgv_global_show() - text of sgv/global_stats
 * @buf: a page
 *
 * Context: any.
 */
ssize_t skua_sgv_global_show(char *buf)
{
	unsigned long all = atomic_long_read(&sgv_pages), idle = sgv_idle_pages();
	ssize_t len;

	len = scnprintf(buf, PAGE_SIZE, "%-42s %lu/%lu\n", "Inactive/active pages", idle,
			all - min(all, idle));
	len += scnprintf(buf + len, PAGE_SIZE - len, "%-42s %lu/%lu\n",
			 "Hi/lo watermarks [pages]", sgv_hi_mark(), sgv_lo_mark());
	len += scnprintf(buf + len, PAGE_SIZE - len, "%-42s %lld/%lld\n",
			 "Hi watermark releases/failures", atomic64_read(&sgv_hi_releases),
			 atomic64_read(&sgv_hi_failures));
	len += scnprintf(buf + len, PAGE_SIZE - len, "%-42s %u\n", "Other allocs", 0U);
	return len;
}

/**
 * skua_sgv_seq_show() - text of /proc/scsi_tgt/sgv
 * @seq: where to
 *
 * Context: process.
 */
void skua_sgv_seq_show(struct seq_file *seq)
{
	char *buf = kmalloc(PAGE_SIZE, GFP_KERNEL);
	unsigned int i;

	if (!buf)
		return;
	skua_sgv_global_show(buf);
	seq_printf(seq, "%s\n", buf);
	sgv_titles(buf, PAGE_SIZE);
	seq_puts(seq, buf);
	for (i = 0; i < skua_sgv_nr_caches(); i++)
		if (sgv_block(i, buf, PAGE_SIZE) > 0)
			seq_puts(seq, buf);
	kfree(buf);
}

static int sgv_name_caches(void)
{
	unsigned int i, cpu;

	cpus_read_lock();
	sgv_shown = kcalloc(num_online_cpus(), sizeof(*sgv_shown), GFP_KERNEL);
	if (sgv_shown)
		for_each_online_cpu(cpu)
			sgv_shown[sgv_nr_shown++] = cpu;
	cpus_read_unlock();
	sgv_names = kcalloc(skua_sgv_nr_caches(), sizeof(*sgv_names), GFP_KERNEL);
	if (!sgv_shown || !sgv_names)
		return -ENOMEM;
	for (i = 0; i < skua_sgv_nr_caches(); i++) {
		int of = sgv_cache_cpu(i);

		if (of < 0)
			strscpy(sgv_names[i], sgv_kind[i], sizeof(*sgv_names));
		else
			snprintf(sgv_names[i], sizeof(*sgv_names), "%s-%d", sgv_kind[i % SGV_KINDS],
				 of);
	}
	return 0;
}

static void sgv_free_tables(void)
{
	free_percpu(sgv_cpus);
	kfree(sgv_nodes);
	kfree(sgv_shown);
	kfree(sgv_names);
	sgv_nr_shown = 0;
}

/**
 * skua_sgv_init() - make the caches
 *
 * Context: process, once when the module is loaded.
 */
int skua_sgv_init(void)
{
	int i;

	sgv_cpus = alloc_percpu(struct sgv_cpu);
	sgv_nodes = kcalloc(nr_node_ids, sizeof(*sgv_nodes), GFP_KERNEL);
	if (!sgv_cpus || !sgv_nodes || sgv_name_caches())
		goto fail;
	for_each_possible_cpu(i)
		sgv_list_init(&per_cpu_ptr(sgv_cpus, i)->list);
	for (i = 0; i < nr_node_ids; i++)
		sgv_list_init(&sgv_nodes[i]);

	sgv_shrinker = shrinker_alloc(0, "skua-sgv");
	if (!sgv_shrinker)
		goto fail;
	sgv_shrinker->count_objects = sgv_shrink_count;
	sgv_shrinker->scan_objects = sgv_shrink_scan;
	sgv_shrinker->seeks = DEFAULT_SEEKS;
	shrinker_register(sgv_shrinker);

	INIT_DEFERRABLE_WORK(&sgv_purge_work, sgv_purge);
	schedule_delayed_work(&sgv_purge_work, SGV_PURGE_TIME);
	return 0;
fail:
	sgv_free_tables();
	return -ENOMEM;
}

/**
 * skua_sgv_exit() - free the caches
 *
 * Context: process; no vector is in use any more.
 */
void skua_sgv_exit(void)
{
	cancel_delayed_work_sync(&sgv_purge_work);
	shrinker_free(sgv_shrinker);
	sgv_trim(ULONG_MAX, 0);
	WARN_ON(atomic_long_read(&sgv_pages));
	sgv_free_tables();
}
