/* SPDX-License-Identifier: GPL-2.0 */
/* What the memory backends share: contiguous blocks of zeroed pages. */
#ifndef SKUA_BACKENDS_PAGES_H
#define SKUA_BACKENDS_PAGES_H

#include <linux/gfp.h>
#include <linux/mm.h>

/**
 * struct skua_block - physically contiguous memory
 * @page: its first page, a compound page; NULL if there is none
 * @size: bytes
 */
struct skua_block {
	struct page *page;
	u32 size;
};

/* Large blocks only if memory has them at hand; a single page at least. */
static inline int skua_block_alloc(struct skua_block *block, u32 size, int node)
{
	int order;

	for (order = get_order(size); order >= 0; order--) {
		gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_COMP;

		block->page = alloc_pages_node(node, order ? gfp | __GFP_NORETRY : gfp, order);
		if (block->page) {
			block->size = PAGE_SIZE << order;
			return 0;
		}
	}
	return -ENOMEM;
}

static inline void skua_block_free(struct skua_block *block)
{
	if (block->page)
		__free_pages(block->page, compound_order(block->page));
	block->page = NULL;
}

#endif
