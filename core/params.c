// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of add_device: one table for all backends, each of which says by
 * its params bits what it takes.
 */
#include <linux/log2.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "priv.h"

#define MIN_BLOCK	512
#define MAX_BLOCK	4096
#define MAX_SIZE	S64_MAX

struct param {
	const char *name;
	int (*parse)(struct skua_dev_config *config, const char *value, size_t offset);
	size_t offset;			/* of the bool, for parse_bool() */
};

static int parse_bool(struct skua_dev_config *config, const char *value, size_t offset)
{
	return skua_parse_bool(value, (bool *)((char *)config + offset));
}

static int parse_filename(struct skua_dev_config *config, const char *value, size_t offset)
{
	char *copy;

	if (*value != '/')
		return -EINVAL;
	copy = kstrdup(value, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	kfree(config->filename);
	config->filename = copy;
	return 0;
}

static int parse_blocksize(struct skua_dev_config *config, const char *value, size_t offset)
{
	u64 v;
	int r = skua_parse_u64(value, &v);

	if (r)
		return r;
	if (v < MIN_BLOCK || v > MAX_BLOCK)
		return -EINVAL;
	config->block_size = rounddown_pow_of_two(v);
	if (config->block_size != v)
		pr_warn("skua: blocksize %llu is no power of two, using %u\n", v,
			config->block_size);
	return 0;
}

static int parse_size(struct skua_dev_config *config, const char *value, size_t offset)
{
	u64 v;
	int r = skua_parse_u64(value, &v);

	if (r)
		return r;
	if (!v || v > MAX_SIZE)
		return -EINVAL;
	config->size = v;
	return 0;
}

static int parse_size_mb(struct skua_dev_config *config, const char *value, size_t offset)
{
	u64 v;
	int r = skua_parse_u64(value, &v);

	if (r)
		return r;
	if (!v || v > MAX_SIZE >> 20)
		return -EINVAL;
	config->size = v << 20;
	return 0;
}

static int parse_tst(struct skua_dev_config *config, const char *value, size_t offset)
{
	bool v;
	int r = skua_parse_bool(value, &v);

	if (!r)
		config->tst = v;
	return r;
}

static int parse_t10_dev_id(struct skua_dev_config *config, const char *value, size_t offset)
{
	if (!skua_ident_ok(value))
		return -EINVAL;
	return strscpy(config->t10_dev_id, value, sizeof(config->t10_dev_id)) < 0 ? -EINVAL : 0;
}

static int parse_numa_node(struct skua_dev_config *config, const char *value, size_t offset)
{
	return skua_parse_node(value, &config->numa_node);
}

#define BOOL(field)	parse_bool, offsetof(struct skua_dev_config, field)

static const struct param params_table[SKUA_P_NR] = {
	[SKUA_P_FILENAME]	= { "filename", parse_filename },
	[SKUA_P_BLOCKSIZE]	= { "blocksize", parse_blocksize },
	[SKUA_P_SIZE]		= { "size", parse_size },
	[SKUA_P_SIZE_MB]	= { "size_mb", parse_size_mb },
	[SKUA_P_READ_ONLY]	= { "read_only", BOOL(read_only) },
	[SKUA_P_REMOVABLE]	= { "removable", BOOL(removable) },
	[SKUA_P_ROTATIONAL]	= { "rotational", BOOL(rotational) },
	[SKUA_P_WRITE_THROUGH]	= { "write_through", BOOL(write_through) },
	[SKUA_P_NV_CACHE]	= { "nv_cache", BOOL(nv_cache) },
	[SKUA_P_O_DIRECT]	= { "o_direct", BOOL(o_direct) },
	[SKUA_P_ASYNC]		= { "async", BOOL(async) },
	[SKUA_P_THIN]		= { "thin_provisioned", BOOL(thin) },
	[SKUA_P_ACTIVE]		= { "active", BOOL(active) },
	[SKUA_P_TST]		= { "tst", parse_tst },
	[SKUA_P_T10_DEV_ID]	= { "t10_dev_id", parse_t10_dev_id },
	[SKUA_P_NUMA_NODE]	= { "numa_node_id", parse_numa_node },
	[SKUA_P_DUMMY]		= { "dummy", BOOL(dummy) },
};

/**
 * skua_parse_node() - a NUMA node: -1 for any, or one that has memory
 * @word: the number
 * @node: set on success only
 *
 * Return: 0, -EINVAL.
 */
int skua_parse_node(const char *word, int *node)
{
	u64 v;

	if (!strcmp(word, "-1") || !strcmp(word, "-1\n")) {
		*node = NUMA_NO_NODE;
		return 0;
	}
	if (skua_parse_u64(word, &v) || v >= MAX_NUMNODES || !node_online(v))
		return -EINVAL;
	*node = v;
	return 0;
}

static int one_param(struct skua_backend *be, const char *name, const char *value,
		     struct skua_dev_config *config)
{
	unsigned int i;
	int r;

	for (i = 0; i < SKUA_P_NR; i++)
		if (be->params & 1U << i && !strcasecmp(name, params_table[i].name))
			break;
	if (i == SKUA_P_NR) {
		pr_err("skua: %s: no parameter \"%s\"\n", be->name, name);
		return -EINVAL;
	}
	r = params_table[i].parse(config, value, params_table[i].offset);
	if (r) {
		pr_err("skua: %s: bad value \"%s\" of %s\n", be->name, value, params_table[i].name);
		return r == -ERANGE ? -EINVAL : r;
	}
	config->given |= 1U << i;
	return 0;
}

/* What only shows when all parameters are known. */
static int check_config(struct skua_backend *be, const struct skua_dev_config *config)
{
	if (be->params & SKUA_P(FILENAME) && !config->filename) {
		pr_err("skua: %s: filename is missing\n", be->name);
		return -EINVAL;
	}
	if (be->params & SKUA_P(SIZE) && !config->size && !be->default_size) {
		pr_err("skua: %s: size is missing\n", be->name);
		return -EINVAL;
	}
	if (config->size & (config->block_size - 1)) {
		pr_err("skua: %s: size %llu is no multiple of the block size %u\n", be->name,
		       config->size, config->block_size);
		return -EINVAL;
	}
	return 0;
}

/**
 * skua_params_parse() - read the parameters of add_device
 * @be: the backend that decides which are allowed
 * @params: "name=value;..." or empty; is cut up
 * @config: filled in, beginning with the defaults; on success @config->filename is
 *	the caller's to free
 *
 * Context: process. Logs one line that names the wrong word.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int skua_params_parse(struct skua_backend *be, char *params, struct skua_dev_config *config)
{
	char *name, *value;
	int r;

	memset(config, 0, sizeof(*config));
	config->block_size = MIN_BLOCK;
	config->size = be->default_size;
	config->numa_node = NUMA_NO_NODE;
	config->rotational = !(be->flags & SKUA_BE_SOLID);
	config->active = true;
	config->tst = 1;
	while ((r = skua_next_param(&params, &name, &value)) > 0) {
		r = one_param(be, name, value, config);
		if (r)
			goto fail;
	}
	if (r) {
		skua_log_param(be->name, name, value);
		goto fail;
	}
	r = check_config(be, config);
	if (!r)
		return 0;
fail:
	kfree(config->filename);
	config->filename = NULL;
	return r;
}

/**
 * skua_params_list() - the names that add_device takes
 * @params: SKUA_P() bits
 * @buf: a page
 *
 * Return: length of the comma separated list, without newline.
 */
ssize_t skua_params_list(u32 params, char *buf)
{
	unsigned int i;
	ssize_t len = 0;

	for (i = 0; i < SKUA_P_NR; i++)
		if (params & 1U << i)
			len += scnprintf(buf + len, PAGE_SIZE - len, "%s%s", len ? ", " : "",
					 params_table[i].name);
	return len;
}
