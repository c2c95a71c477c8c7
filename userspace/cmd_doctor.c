// SPDX-License-Identifier: GPL-2.0
/* skuaadm doctor: what stands in the way, and what to do about it */
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "cmd.h"
#include "doctor.h"
#include "parse.h"
#include "state.h"
#include "term.h"

static unsigned int problems;

void fine(const char *format, ...)
{
	va_list ap;

	printf("%sok%s    ", term_green(stdout), term_plain(stdout));
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

void problem(const char *remedy, const char *format, ...)
{
	va_list ap;

	problems++;
	printf("%slook%s  ", term_red(stdout), term_plain(stdout));
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n      %s\n", remedy);
}

/* The modules are built for one kernel. */
static void look_at_modules(bool loaded)
{
	struct utsname u;
	glob_t g = { 0 };
	char *pattern, *dkms;

	uname(&u);
	pattern = xprintf("/lib/modules/%s/*/skua.ko*", u.release);
	dkms = xprintf("/lib/modules/%s/updates/dkms/skua.ko*", u.release);
	if (loaded)
		fine("the core is loaded");
	else if (glob(pattern, 0, NULL, &g) && glob(dkms, 0, NULL, &g))
		problem("build and install them for it: make install KVER=RELEASE, or dkms autoinstall",
			"there are no modules for the running kernel %s", u.release);
	else
		problem("modprobe skua", "the core is not loaded");
	globfree(&g);
	free(pattern);
	free(dkms);
}

static void look_at_file(void)
{
	const char *path = default_config();
	struct diags diags = { 0 };
	struct node *root;

	if (access(path, F_OK)) {
		problem("skuaadm save writes one", "there is no %s: nothing comes back after a boot",
			path);
		return;
	}
	root = conf_read(path, &diags);
	if (root && !diags.errors)
		conf_check(root, &diags);
	if (!root || diags.errors)
		problem("skuaadm check says where", "%s has errors or cannot be read", path);
	else
		fine("%s has no errors", path);
	node_free(root);
	diags_free(&diags);
}

static bool has_luns(const struct node *tgt)
{
	const struct node *i;

	for_each_node(i, tgt)
		if (i->kind == N_LUN)
			return true;
	return false;
}

static void look_at_targets(const struct node *root)
{
	const struct node *i;
	const char *value;

	if (!node_find(root, N_HANDLER, NULL))
		problem("modprobe skua_blockio, skua_nullio or skua_ramdisk", "no handler is loaded");
	if (!node_find(root, N_DRIVER, NULL))
		problem("modprobe skua_srp or skua_iscsi", "no target driver is loaded");
	for_each_node(i, root) {
		char *label = node_label(i);

		value = attr_value(i, "enabled");
		if ((i->kind == N_TARGET || i->kind == N_DRIVER) && value && !strcmp(value, "0"))
			problem("skuaadm enable lets initiators in", "%s is disabled", label);
		if (i->kind == N_TARGET && !has_luns(i))
			problem("skuaadm add .../luns/0 device=NAME", "%s has no LUN", label);
		value = attr_value(i, "active");
		if (i->kind == N_DEVICE && value && !strcmp(value, "0"))
			problem("skuaadm set DEVICE active=1", "%s is not active", label);
		free(label);
	}
}

int cmd_doctor(int argc, char **argv)
{
	struct node *root;
	struct tree tree;
	bool loaded, rdma;

	(void)argv;
	if (argc > 1)
		return usage("doctor", NULL);
	problems = 0;
	loaded = !tree_open(&tree, NULL);
	look_at_modules(loaded);
	look_at_file();
	rdma = look_at_ports();
	if (!loaded) {
		look_at_memory(NULL, NULL, rdma);
	} else {
		root = state_read(&tree);
		look_at_memory(&tree, root, rdma);
		look_at_targets(root);
		node_free(root);
	}
	tree_close(&tree);
	if (problems)
		printf("%u thing%s to look at.\n", problems, problems == 1 ? "" : "s");
	else
		puts("Nothing stands in the way.");
	return problems ? EXIT_FAILED : EXIT_OK;
}
