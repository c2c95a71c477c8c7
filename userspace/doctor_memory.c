// SPDX-License-Identifier: GPL-2.0
/* Memory: that of commands, of RAM disks, and what programs may lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "doctor.h"

#define LOCK_WANTED	(64ULL << 20)	/* bytes, for programs that use RDMA */

/* Bytes of a line of /proc/meminfo; 0 if it is not there */
static unsigned long long meminfo(const char *name)
{
	unsigned long long kb = 0;
	size_t len;
	char *text = read_all("/proc/meminfo", &len), *line;

	line = text ? strstr(text, name) : NULL;
	if (line)
		sscanf(line + strlen(name), ": %llu", &kb);
	free(text);
	return kb << 10;
}

/* The numbers after a title in sgv/global_stats: "Title    N/M" */
static bool sgv_pair(const char *stats, const char *title, unsigned long long *a,
		     unsigned long long *b)
{
	const char *line = strstr(stats, title);

	return line && sscanf(line + strlen(title), " %llu/%llu", a, b) == 2;
}

static void look_at_commands(struct tree *tree)
{
	unsigned long long idle = 0, active = 0, hi = 0, lo = 0, releases = 0, failures = 0;
	unsigned long long page = sysconf(_SC_PAGESIZE), total = meminfo("MemTotal");
	struct text t = { 0 };

	if (tree_read(tree, "sgv/global_stats", &t) ||
	    !sgv_pair(t.s, "Inactive/active pages", &idle, &active) ||
	    !sgv_pair(t.s, "Hi/lo watermarks [pages]", &hi, &lo) ||
	    !sgv_pair(t.s, "Hi watermark releases/failures", &releases, &failures)) {
		text_free(&t);
		return;
	}
	text_free(&t);
	if (failures)
		problem("raise /sys/module/skua/parameters/max_cmd_mem (MiB), or let initiators have "
			"fewer and smaller commands", "commands were told BUSY or had to wait %llu times "
			"because their data may use %llu MiB only", failures, hi * page >> 20);
	else
		fine("data of commands use %llu of %llu MiB", (idle + active) * page >> 20,
		     hi * page >> 20);
	if (total && hi * page > total / 2)
		problem("lower /sys/module/skua/parameters/max_cmd_mem",
			"data of commands may use more than half of the memory (%llu of %llu MiB)",
			hi * page >> 20, total >> 20);
}

/* Their pages come with the first write, and cannot be swapped out. */
static void look_at_ram_disks(const struct node *root)
{
	unsigned long long sum = 0, bytes, total = meminfo("MemTotal");
	const struct node *i;
	const char *size;

	for_each_node(i, root) {
		size = attr_value(i, "size");
		if (i->kind == N_DEVICE && !strcmp(i->parent->name, "vdisk_ramdisk") && size &&
		    parse_u64(size, &bytes))
			sum += bytes;
	}
	if (!sum || !total)
		return;
	if (sum > total - total / 8)
		problem("make them smaller: the machine runs out of memory as they fill",
			"RAM disks may grow to %llu MiB, and the machine has %llu MiB", sum >> 20,
			total >> 20);
	else
		fine("RAM disks may grow to %llu of %llu MiB", sum >> 20, total >> 20);
}

/* The target is in the kernel and needs no such right; initiators in programs do. */
static void look_at_locks(bool rdma)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		fine("locked memory: no limit");
	else if (!rdma || limit.rlim_cur >= LOCK_WANTED)
		fine("locked memory: %llu KiB for a program; the target needs none",
		     (unsigned long long)limit.rlim_cur >> 10);
	else if (!geteuid())
		fine("locked memory: %llu KiB for programs that are not root's; the target needs none",
		     (unsigned long long)limit.rlim_cur >> 10);
	else
		problem("for programs that use RDMA, such as libiscsi's: memlock in "
			"/etc/security/limits.conf, LimitMEMLOCK= in their unit; the target needs none",
			"locked memory is limited to %llu KiB", (unsigned long long)limit.rlim_cur >> 10);
}

/**
 * look_at_memory() - limits that are near
 * @tree: the tree; NULL if the core is not loaded
 * @root: what is configured; NULL likewise
 * @rdma: there are RDMA devices
 */
void look_at_memory(struct tree *tree, const struct node *root, bool rdma)
{
	if (tree) {
		look_at_commands(tree);
		look_at_ram_disks(root);
	}
	look_at_locks(rdma);
}
