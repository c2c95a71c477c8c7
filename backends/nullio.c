// SPDX-License-Identifier: GPL-2.0
/*
 * NULLIO: a disk that reads as zeroes and forgets what is written.
 *
 * All reads come from one physically contiguous block of zeroes, all writes go to
 * another that is never read, so nothing that an initiator sent gets to another one,
 * and up to six entries (12 MiB where memory gave blocks of full size) no memory is
 * allocated. The blocks are shared by all devices of a NUMA node and live as long as
 * the module: transfers need no reference to them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "pages.h"
#include "skua.h"

#define NULLIO_BLOCK_SIZE	(2U << 20)
#define NULLIO_DEFAULT_SIZE	2748779069440ULL

struct nullio_mem {
	struct skua_block zero;			/* never written */
	struct skua_block scratch;		/* never read */
};

struct nullio {
	const struct nullio_mem *mem;
};

static DEFINE_MUTEX(nullio_lock);		/* making of nullio_mems[] */
static struct nullio_mem *nullio_mems;		/* [0]: no node asked for; else node + 1 */

static const struct nullio_mem *nullio_mem_get(int node)
{
	struct nullio_mem *mem;
	int ret = 0;

	if (node < 0 || node >= nr_node_ids || !node_online(node))
		node = NUMA_NO_NODE;
	mem = &nullio_mems[node == NUMA_NO_NODE ? 0 : node + 1];
	mutex_lock(&nullio_lock);
	if (!mem->zero.page)
		ret = skua_block_alloc(&mem->zero, NULLIO_BLOCK_SIZE, node);
	if (!ret && !mem->scratch.page)
		ret = skua_block_alloc(&mem->scratch, NULLIO_BLOCK_SIZE, node);
	mutex_unlock(&nullio_lock);
	return ret ? ERR_PTR(ret) : mem;
}

static void nullio_limits(struct skua_dev *dev, struct skua_limits *limits)
{
	const struct skua_dev_config *config = skua_dev_config(dev);
	u32 page_blocks = max_t(u32, PAGE_SIZE / config->block_size, 1);

	*limits = (struct skua_limits) {
		.nr_blocks = config->dummy ? 0 : div_u64(config->size, config->block_size),
		.opt_granularity = page_blocks,
		.max_unmap_blocks = U32_MAX,
		.unmap_granularity = 1,
		.max_ws_blocks = U32_MAX,
		.thin = true,			/* of infinite thinness */
		.unmap_zeroes = true,
		.fua = true,			/* as stable as it will ever be */
		.read_only = config->read_only,
		.rotational = config->rotational,
	};
}

static int nullio_refresh(struct skua_dev *dev, struct skua_limits *limits)
{
	nullio_limits(dev, limits);
	return 0;
}

static int nullio_open(struct skua_dev *dev)
{
	struct nullio *null = skua_dev_priv(dev);

	null->mem = nullio_mem_get(skua_dev_config(dev)->numa_node);
	if (IS_ERR(null->mem)) {
		pr_err("%s: no memory\n", skua_dev_name(dev));
		return PTR_ERR(null->mem);
	}
	nullio_limits(dev, skua_dev_limits(dev));
	return 0;
}

static void nullio_close(struct skua_dev *dev)
{
}

/* Only commands that the core composes get here with pages of their own. */
static void nullio_rw(struct skua_io *io)
{
	if (io->op == SKUA_IO_READ && !(io->flags & SKUA_IO_OWN_PAGES))
		sg_zero_buffer(io->sg, io->nr_sg, io->len, 0);
	skua_io_done(io, 0);
}

static void nullio_good(struct skua_io *io)
{
	skua_io_done(io, 0);
}

static int nullio_get_pages(struct skua_io *io, bool may_sleep)
{
	const struct nullio *null = skua_dev_priv(io->dev);
	const struct skua_block *block;
	struct scatterlist *sg = io->inline_sg;
	u64 left = io->len;
	u32 i, nr;

	block = io->op == SKUA_IO_READ ? &null->mem->zero : &null->mem->scratch;
	nr = DIV_ROUND_UP_ULL(left, block->size);
	if (!nr)
		return -EINVAL;
	if (nr > ARRAY_SIZE(io->inline_sg)) {
		if (!may_sleep)
			return -EAGAIN;
		sg = kmalloc_array(nr, sizeof(*sg), GFP_NOIO | __GFP_NOWARN);
		if (!sg)
			return -ENOMEM;
	}
	sg_init_table(sg, nr);
	for (i = 0; i < nr; i++) {
		u32 len = min_t(u64, left, block->size);

		sg_set_page(&sg[i], block->page, len, 0);
		left -= len;
	}
	io->sg = sg;
	io->nr_sg = nr;
	return 0;
}

static void nullio_put_pages(struct skua_io *io)
{
	if (io->sg != io->inline_sg)
		kfree(io->sg);
	io->sg = NULL;
	io->nr_sg = 0;
}

static struct skua_backend nullio_backend = {
	.name = "vdisk_nullio",
	.owner = THIS_MODULE,
	.params = SKUA_P(SIZE) | SKUA_P(SIZE_MB) | SKUA_P(BLOCKSIZE) | SKUA_P(DUMMY) |
		  SKUA_P(READ_ONLY) | SKUA_P(REMOVABLE) | SKUA_P(ROTATIONAL) | SKUA_P(TST) |
		  SKUA_P(T10_DEV_ID) | SKUA_P(NUMA_NODE),
	.vendor_id = "SCST_FIO",
	.default_size = NULLIO_DEFAULT_SIZE,
	.priv_size = sizeof(struct nullio),
	.open = nullio_open,
	.close = nullio_close,
	.rw = nullio_rw,
	.get_pages = nullio_get_pages,
	.put_pages = nullio_put_pages,
	.flush = nullio_good,
	.unmap = nullio_good,
	.write_zeroes = nullio_good,
	.refresh = nullio_refresh,
};

static void nullio_free_mems(void)
{
	unsigned int i;

	for (i = 0; i <= nr_node_ids; i++) {
		skua_block_free(&nullio_mems[i].zero);
		skua_block_free(&nullio_mems[i].scratch);
	}
	kfree(nullio_mems);
}

static int __init nullio_init(void)
{
	int ret;

	nullio_mems = kcalloc(nr_node_ids + 1, sizeof(*nullio_mems), GFP_KERNEL);
	if (!nullio_mems)
		return -ENOMEM;
	ret = skua_backend_register(&nullio_backend);
	if (ret)
		nullio_free_mems();
	return ret;
}

static void __exit nullio_exit(void)
{
	skua_backend_unregister(&nullio_backend);
	nullio_free_mems();
}

module_init(nullio_init);
module_exit(nullio_exit);

MODULE_DESCRIPTION("Skua backend: disk of zeroes that forgets writes");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
