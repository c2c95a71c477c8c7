// SPDX-License-Identifier: GPL-2.0
/* skuaadm show, list */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "rates.h"
#include "state.h"
#include "term.h"

/* Such as 2.5 TiB, for free() */
static char *human(unsigned long long bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = bytes;
	size_t i = 0;

	while (v >= 1024 && i < ARRAY_SIZE(units) - 1) {
		v /= 1024;
		i++;
	}
	return xprintf(v < 10 && v != (long)v ? "%.1f %s" : "%.0f %s", v, units[i]);
}

static void show_flags(const struct node *node, const char *const *names)
{
	for (; *names; names++) {
		const char *value = attr_value(node, *names);

		if (value && !strcmp(value, "1"))
			printf(", %s", *names);
	}
}

static unsigned int count_luns(const struct node *root, const char *device)
{
	const struct node *i;
	unsigned int nr = 0;

	for_each_node(i, root)
		nr += i->kind == N_LUN && !strcmp(i->device, device);
	return nr;
}

static void show_device(const struct node *root, const struct node *dev)
{
	static const char *const flags[] = {
		"read_only", "removable", "dummy", "nv_cache", "write_through",
		"thin_provisioned", NULL,
	};
	const char *size = attr_value(dev, "size"), *filename = attr_value(dev, "filename");
	const char *active = attr_value(dev, "active"), *block = attr_value(dev, "blocksize");
	unsigned int luns = count_luns(root, dev->name);
	unsigned long long bytes = 0;
	char *text;

	if (size)
		parse_u64(size, &bytes);
	text = human(bytes);
	printf("    %s%-20s%s %9s", term_bold(stdout), dev->name, term_plain(stdout), text);
	free(text);
	if (block && strcmp(block, "512"))
		printf(", blocks of %s", block);
	show_flags(dev, flags);
	if (active && !strcmp(active, "0"))
		printf(", %sinactive%s", term_red(stdout), term_plain(stdout));
	if (filename)
		printf(", %s", filename);
	if (luns)
		printf(", %u LUN%s\n", luns, luns == 1 ? "" : "s");
	else
		printf(", %sin no target%s\n", term_dim(stdout), term_plain(stdout));
}

static void show_lun(const struct node *lun, const char *indent)
{
	const char *ro = attr_value(lun, "read_only");

	printf("%sLUN %-5s %s%s\n", indent, lun->name, lun->device,
	       ro && !strcmp(ro, "1") ? ", read_only" : "");
}

struct seen {
	struct sample now, before;
	bool rates;			/* there is a sample before */
};

/* In all, or in a second */
static void show_work(const struct session *s, const struct session *before, bool rates)
{
	struct rates r;
	char *kb;

	if (rates && !before)
		return;			/* has just come */
	if (rates) {
		rates_of_session(&r, s, before);
		printf(": %.0f read/s %.1f MB/s, %.0f write/s %.1f MB/s, %llu active", r.reads,
		       r.read_mb, r.writes, r.write_mb, s->io.active);
		return;
	}
	kb = human(s->io.read_kb << 10);
	printf(": %s read", kb);
	free(kb);
	kb = human(s->io.write_kb << 10);
	printf(", %s written, %llu active", kb, s->io.active);
	free(kb);
}

static void show_sessions(const struct seen *seen, const char *driver, const char *target,
			  const char *group, const char *indent)
{
	size_t i;

	for (i = 0; i < seen->now.nr; i++) {
		const struct session *s = &seen->now.v[i];

		if (strcmp(s->driver, driver) || strcmp(s->target, target) ||
		    strcmp(s->group, group))
			continue;
		printf("%s%ssession %s%s", indent, term_green(stdout), s->name,
		       term_plain(stdout));
		if (*s->where)
			printf(" (%s)", s->where);
		show_work(s, sample_find(&seen->before, s), seen->rates);
		putchar('\n');
	}
}

static void show_group(const struct node *group, const struct seen *seen)
{
	const struct node *child, *tgt = group->parent;
	const char *between = ": ";

	printf("      GROUP %s%s%s", term_bold(stdout), group->name, term_plain(stdout));
	for_each_child(child, group)
		if (child->kind == N_INITIATOR) {
			printf("%s%s", between, child->name);
			between = ", ";
		}
	putchar('\n');
	for_each_child(child, group)
		if (child->kind == N_LUN)
			show_lun(child, "        ");
	show_sessions(seen, tgt->parent->name, tgt->name, group->name, "        ");
}

static void show_target(const struct node *tgt, const struct seen *seen)
{
	const char *enabled = attr_value(tgt, "enabled"), *id = attr_value(tgt, "rel_tgt_id");
	const char *comment = attr_value(tgt, "comment"), *device = attr_value(tgt, "device");
	const struct node *child;

	printf("    %s%s%s", term_bold(stdout), tgt->name, term_plain(stdout));
	if (enabled && strcmp(enabled, "1"))
		printf(", %sdisabled%s", term_red(stdout), term_plain(stdout));
	if (id && strcmp(id, "0"))
		printf(", port %s", id);
	if (device)
		printf(", %s", device);
	if (comment && *comment)
		printf(", %s\"%s\"%s", term_dim(stdout), comment, term_plain(stdout));
	putchar('\n');
	for_each_child(child, tgt)
		if (child->kind == N_LUN)
			show_lun(child, "      ");
	show_sessions(seen, tgt->parent->name, tgt->name, "", "      ");
	for_each_child(child, tgt)
		if (child->kind == N_GROUP)
			show_group(child, seen);
}

static void show_device_group(const struct node *dg)
{
	const struct node *child, *tgt;

	printf("  %s%s%s:", term_bold(stdout), dg->name, term_plain(stdout));
	for_each_child(child, dg)
		if (child->kind == N_DG_DEVICE)
			printf(" %s", child->name);
	putchar('\n');
	for_each_child(child, dg) {
		if (child->kind != N_TARGET_GROUP)
			continue;
		printf("    %s (%s): %s", child->name, attr_value(child, "group_id"),
		       attr_value(child, "state"));
		for_each_child(tgt, child)
			printf(", %s%s", tgt->name, tgt->remote ? " (elsewhere)" : "");
		putchar('\n');
	}
}

static void show_kind(const struct node *root, enum kind kind, const struct seen *seen)
{
	const struct node *top, *child;

	for_each_child(top, root) {
		if (top->kind != kind)
			continue;
		if (kind == N_DEVICE_GROUP) {
			show_device_group(top);
			continue;
		}
		printf("  %s%s%s\n", top->name, kind == N_DRIVER && attr_value(top, "enabled") &&
		       !strcmp(attr_value(top, "enabled"), "0") ? ", disabled" : "",
		       top->first ? "" : ": none");
		for_each_child(child, top)
			if (kind == N_HANDLER)
				show_device(root, child);
			else
				show_target(child, seen);
	}
}

static void look(struct tree *tree, struct seen *seen, double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	if (seconds > 0) {
		sample_take(tree, &seen->before);
		nanosleep(&t, NULL);
	}
	sample_take(tree, &seen->now);
	seen->rates = seconds > 0;
}

int cmd_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rates", optional_argument, NULL, 'r' },
		{ }
	};
	struct seen seen = { .rates = false };
	double seconds = 0;
	struct node *root;
	struct tree tree;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "r::", options, NULL)) >= 0) {
		if (opt != 'r')
			return usage("show", NULL);
		seconds = optarg ? atof(optarg) : 1;
		if (!(seconds > 0 && seconds <= 3600))
			return usage("show", "\"%s\" is no number of seconds", optarg);
	}
	if (argc != optind)
		return usage("show", NULL);
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	look(&tree, &seen, seconds);
	root = state_read(&tree);
	printf("%sDevices%s\n", term_bold(stdout), term_plain(stdout));
	show_kind(root, N_HANDLER, &seen);
	printf("%sTargets%s\n", term_bold(stdout), term_plain(stdout));
	show_kind(root, N_DRIVER, &seen);
	if (node_find(root, N_DEVICE_GROUP, NULL)) {
		printf("%sDevice groups%s\n", term_bold(stdout), term_plain(stdout));
		show_kind(root, N_DEVICE_GROUP, &seen);
	}
	sample_free(&seen.before);
	sample_free(&seen.now);
	node_free(root);
	tree_close(&tree);
	return EXIT_OK;
}

/* ---- list ------------------------------------------------------------- */

static const struct {
	const char *name;
	enum kind kind;
} lists[] = {
	{ "handlers", N_HANDLER }, { "devices", N_DEVICE }, { "drivers", N_DRIVER },
	{ "targets", N_TARGET }, { "groups", N_GROUP }, { "luns", N_LUN },
	{ "initiators", N_INITIATOR }, { "device_groups", N_DEVICE_GROUP },
	{ "target_groups", N_TARGET_GROUP },
};

static void list_sessions(struct tree *tree)
{
	struct sample sample = { 0 };
	size_t i;

	sample_take(tree, &sample);
	for (i = 0; i < sample.nr; i++)
		printf("%s/%s/sessions/%s\n", sample.v[i].driver, sample.v[i].target,
		       sample.v[i].name);
	sample_free(&sample);
}

/* Names as other commands take them */
static void list_nodes(struct tree *tree, enum kind kind)
{
	struct node *root = state_read(tree);
	const struct node *i;
	char *path;

	for_each_node(i, root) {
		if (i->kind != kind)
			continue;
		path = node_path(i);
		if (kind == N_HANDLER || kind == N_DEVICE || kind == N_DRIVER)
			puts(i->name);
		else if (!strncmp(path, "targets/", 8))
			puts(path + 8);
		else
			puts(path);
		free(path);
	}
	node_free(root);
}

int cmd_list(int argc, char **argv)
{
	struct tree tree;
	int status;
	size_t i;

	if (argc != 2)
		return usage("list", NULL);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(lists[i].name, argv[1]))
			break;
	if (i == ARRAY_SIZE(lists) && strcmp(argv[1], "sessions"))
		return usage("list", "there is no list of %s", argv[1]);
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	if (i == ARRAY_SIZE(lists))
		list_sessions(&tree);
	else
		list_nodes(&tree, lists[i].kind);
	tree_close(&tree);
	return EXIT_OK;
}
