// SPDX-License-Identifier: GPL-2.0
/* skuaadm get, set, add, del, enable, disable, resize */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apply.h"
#include "check.h"
#include "cmd.h"
#include "object.h"
#include "state.h"
#include "term.h"

/* One object of the command line, and what the kernel has */
struct job {
	struct tree tree;
	char *path;
	struct node *wanted, *leaf, *present, *now;	/* now: the leaf, NULL if not there */
};

static void job_end(struct job *job)
{
	free(job->path);
	node_free(job->wanted);
	node_free(job->present);
	tree_close(&job->tree);
}

static struct node *counterpart(struct node *present, const struct node *node)
{
	if (node->kind == N_ROOT)
		return present;
	return node_find(counterpart(present, node->parent), node->kind, node->name);
}

static int job_begin(struct job *job, const char *word)
{
	char *why = NULL;
	int status;

	memset(job, 0, sizeof(*job));
	status = open_tree(&job->tree, true);
	if (status != EXIT_OK)
		return status;
	job->path = object_path(&job->tree, word, &why);
	if (job->path)
		job->wanted = object_nodes(&job->tree, job->path, &job->leaf, &why);
	if (!job->wanted) {
		complain("%s", why);
		free(why);
		job_end(job);
		return EXIT_FAILED;
	}
	job->present = state_read(&job->tree);
	job->now = counterpart(job->present, job->leaf);
	return EXIT_OK;
}

/* NAME=VALUE words as attributes of the object */
static bool take_attrs(struct job *job, int argc, char **argv)
{
	char *equals;
	int i;

	for (i = 0; i < argc; i++) {
		equals = strchr(argv[i], '=');
		if (!equals || equals == argv[i]) {
			complain("\"%s\" is not ATTRIBUTE=VALUE", argv[i]);
			return false;
		}
		*equals = '\0';
		if (job->leaf->kind == N_LUN && !strcmp(argv[i], "device")) {
			free(job->leaf->device);
			job->leaf->device = xstrdup(equals + 1);
		} else {
			attr_add(job->leaf, argv[i], equals + 1);
		}
	}
	return true;
}

static int run_plan(struct job *job, struct plan *plan)
{
	struct result result = { 0 };
	int status = EXIT_OK;
	size_t i;

	plan_apply(&job->tree, plan, false, &result);
	for (i = 0; i < result.notes.nr; i++)
		complain("%s", result.notes.v[i]);
	if (result.outcome != APPLIED) {
		complain("%s", result.message);
		status = EXIT_FAILED;
	} else if (result.notes.nr) {
		status = EXIT_FAILED;
	}
	result_free(&result);
	return status;
}

static int make_so(struct job *job)
{
	struct plan_options options = { 0 };
	struct diags diags = { .file = "skuaadm" };
	struct plan plan = { 0 };
	int status = EXIT_FAILED;

	conf_check(job->wanted, &diags);
	diags.warnings = 0;
	if (!diags.errors) {
		diags_free(&diags);
		diags.file = "skuaadm";
		plan_make(&plan, job->wanted, job->present, &options, &diags);
	}
	diags_print(&diags, stderr);
	if (!diags.errors && !diags.warnings)
		status = run_plan(job, &plan);
	plan_free(&plan);
	diags_free(&diags);
	return status;
}

int cmd_set(int argc, char **argv)
{
	struct job job;
	const struct attr *attr;
	int status;

	if (argc < 3)
		return usage("set", NULL);
	status = job_begin(&job, argv[1]);
	if (status != EXIT_OK)
		return status;
	status = EXIT_FAILED;
	if (!job.now) {
		complain("%s is not there", job.path);
		goto out;
	}
	if (job.leaf->kind == N_LUN)
		job.leaf->device = xstrdup(job.now->device);
	if (!take_attrs(&job, argc - 2, argv + 2)) {
		status = EXIT_USAGE;
		goto out;
	}
	for_each_attr(attr, job.leaf)
		if (!attr_find(job.now, attr->name) && !is_dynamic(job.now, attr->name)) {
			complain("%s has no attribute %s", job.path, attr->name);
			goto out;
		}
	status = make_so(&job);
out:
	job_end(&job);
	return status;
}

int cmd_add(int argc, char **argv)
{
	struct job job;
	char *label;
	int status;

	if (argc < 2)
		return usage("add", NULL);
	status = job_begin(&job, argv[1]);
	if (status != EXIT_OK)
		return status;
	status = EXIT_FAILED;
	label = node_label(job.leaf);
	if (job.now)
		complain("%s is there already", label);
	else if (!job.leaf->parent || !counterpart(job.present, job.leaf->parent))
		complain("what %s is to be in is not there", label);
	else if (!take_attrs(&job, argc - 2, argv + 2))
		status = EXIT_USAGE;
	else if (job.leaf->kind == N_LUN && !job.leaf->device)
		complain("%s: device=NAME is missing", label);
	else if (job.leaf->kind == N_TARGET && !job.leaf->parent->parent)
		complain("%s: no driver", label);
	else if (job.leaf->kind == N_DRIVER || job.leaf->kind == N_HANDLER)
		complain("%s comes with its kernel module", label);
	else
		status = make_so(&job);
	free(label);
	job_end(&job);
	return status;
}

static void plan_removal(struct job *job, struct plan *plan, struct diags *diags)
{
	struct plan_options options = { .prune = true };
	struct planner p = { plan, job->wanted, job->present, &options, diags };

	switch (job->now->kind) {
	case N_DEVICE:
		remove_device(&p, job->now, true);
		break;
	case N_TARGET:
		if (job->now->parent->creates)
			remove_target(&p, job->now);
		break;
	case N_LUN:
		remove_lun(&p, job->now);
		break;
	case N_GROUP:
		remove_group(&p, job->now);
		break;
	case N_INITIATOR:
		remove_initiator(&p, job->now);
		break;
	case N_DEVICE_GROUP:
		remove_device_group(&p, job->now);
		break;
	case N_TARGET_GROUP:
		remove_target_group(&p, job->now);
		break;
	case N_DG_DEVICE:
	case N_TG_TARGET:
		remove_member(&p, job->now);
		break;
	default:
		break;
	}
}

/* Does it have something that goes with it? */
static bool is_in_use(const struct plan *plan)
{
	return plan->nr > 1;
}

static int remove_it(struct job *job, bool yes)
{
	struct diags diags = { .file = "skuaadm" };
	struct plan plan = { 0 };
	char *label = node_label(job->now);
	int status = EXIT_FAILED;

	plan_removal(job, &plan, &diags);
	if (!plan.nr) {
		complain("%s comes with its kernel module and cannot be deleted", label);
	} else if (is_in_use(&plan) && !yes) {
		plan_print(&plan, stdout);
		status = term_ask("All this goes") ? run_plan(job, &plan) : EXIT_NOT_ASKED;
	} else {
		status = run_plan(job, &plan);
	}
	free(label);
	plan_free(&plan);
	diags_free(&diags);
	return status;
}

int cmd_del(int argc, char **argv)
{
	static const struct option options[] = {
		{ "yes", no_argument, NULL, 'y' },
		{ }
	};
	bool yes = false;
	struct job job;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "y", options, NULL)) >= 0) {
		if (opt != 'y')
			return usage("del", NULL);
		yes = true;
	}
	if (argc - optind != 1)
		return usage("del", NULL);
	status = job_begin(&job, argv[optind]);
	if (status != EXIT_OK)
		return status;
	if (job.now && job.now->kind != N_ROOT) {
		status = remove_it(&job, yes);
	} else {
		complain("%s is not there", job.path);
		status = EXIT_FAILED;
	}
	job_end(&job);
	return status;
}

static int set_enabled(const char *command, int argc, char **argv, const char *value)
{
	char *args[] = { (char *)command, NULL, xprintf("enabled=%s", value), NULL };
	int status;

	if (argc != 2) {
		free(args[2]);
		return usage(command, NULL);
	}
	args[1] = argv[1];
	status = cmd_set(3, args);
	free(args[2]);
	return status;
}

int cmd_enable(int argc, char **argv)
{
	return set_enabled("enable", argc, argv, "1");
}

int cmd_disable(int argc, char **argv)
{
	return set_enabled("disable", argc, argv, "0");
}

/* ---- get -------------------------------------------------------------- */

static int get_all(struct tree *tree, const char *path)
{
	struct entries list = { 0 };
	char *file, *value;
	bool key = false;
	size_t i;
	int r = tree_list(tree, path, &list);

	if (r) {
		complain("%s: %s", path, strerror(-r));
		return EXIT_FAILED;
	}
	for (i = 0; i < list.nr; i++) {
		if (!S_ISREG(list.v[i].mode) || !strcmp(list.v[i].name, "mgmt"))
			continue;
		file = xprintf("%s/%s", path, list.v[i].name);
		value = list.v[i].mode & 0400 ? tree_value(tree, file, &key) : xstrdup("");
		printf("%s%-28s%s %s%s%s\n", key ? term_bold(stdout) : "", list.v[i].name,
		       key ? term_plain(stdout) : "",
		       list.v[i].mode & 0400 ? value ? value : "?" : "(command)",
		       key ? "  [set]" : "", list.v[i].mode & 0200 ? "" : "  [fixed]");
		key = false;
		free(value);
		free(file);
	}
	entries_free(&list);
	return EXIT_OK;
}

int cmd_get(int argc, char **argv)
{
	char *path, *why, *file, *value;
	struct tree tree;
	int status, i;

	if (argc < 2)
		return usage("get", NULL);
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	path = object_path(&tree, argv[1], &why);
	if (!path) {
		complain("%s", why);
		free(why);
		tree_close(&tree);
		return EXIT_FAILED;
	}
	if (argc == 2)
		status = get_all(&tree, path);
	for (i = 2; i < argc; i++) {
		file = xprintf("%s/%s", path, argv[i]);
		value = tree_value(&tree, file, NULL);
		if (value) {
			puts(value);
		} else {
			complain("%s: %s", file, strerror(errno));
			status = EXIT_FAILED;
		}
		free(value);
		free(file);
	}
	free(path);
	tree_close(&tree);
	return status;
}

/* ---- resize ----------------------------------------------------------- */

/* Bytes; K, M, G, T, P are powers of 1024. */
static bool parse_size(const char *s, unsigned long long *size)
{
	static const char units[] = "KMGTP";
	const char *unit;
	char *end;
	unsigned long long v;
	int shift = 0;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno)
		return false;
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || (end[1] && strcmp(end + 1, "iB")))
			return false;
		shift = 10 * (unit - units + 1);
	}
	if (v > ~0ULL >> shift)
		return false;
	*size = v << shift;
	return true;
}

int cmd_resize(int argc, char **argv)
{
	unsigned long long size;
	char *args[] = { "resize", NULL, NULL, NULL }, *file;
	struct job job;
	int status, r;

	if (argc < 2 || argc > 3)
		return usage("resize", NULL);
	if (argc == 3) {
		if (!parse_size(argv[2], &size))
			return usage("resize", "\"%s\" is no size", argv[2]);
		args[1] = argv[1];
		args[2] = xprintf("size=%llu", size);
		status = cmd_set(3, args);
		free(args[2]);
		return status;
	}
	status = job_begin(&job, argv[1]);
	if (status != EXIT_OK)
		return status;
	file = xprintf("%s/resync_size", job.path);
	r = tree_write(&job.tree, file, "1");
	if (r) {
		complain("%s: %s%s%s", job.path, r == -ENOENT ?
			 "has no medium whose size could have changed; give a size" : strerror(-r),
			 job.tree.reason ? "; the kernel says: " : "",
			 job.tree.reason ? job.tree.reason : "");
		status = EXIT_FAILED;
	}
	free(file);
	job_end(&job);
	return status;
}
