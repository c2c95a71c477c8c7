// SPDX-License-Identifier: GPL-2.0
/* skuaadm check */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cmd.h"
#include "parse.h"
#include "plan.h"

#define OWN_CONFIG	"/etc/skua.conf"
#define SCST_CONFIG	"/etc/scst.conf"

/* The file to use if none is named */
const char *default_config(void)
{
	return !access(OWN_CONFIG, F_OK) || access(SCST_CONFIG, F_OK) ? OWN_CONFIG : SCST_CONFIG;
}

/**
 * load_config() - read and check a file, say what is wrong
 * @path: the file, or NULL
 * @diags: zeroed; freed by the caller
 * @status: set to what to exit with if NULL is returned
 *
 * Return: the root; NULL after an error, which has been printed.
 */
struct node *load_config(const char *path, struct diags *diags, int *status)
{
	struct node *root;

	if (!path)
		path = default_config();
	root = conf_read(path, diags);
	*status = EXIT_FILE;
	if (!root) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!diags->errors)
		conf_check(root, diags);
	diags_print(diags, stderr);
	if (diags->errors) {
		node_free(root);
		return NULL;
	}
	return root;
}

/* Modules of what is not empty in the file; what Skua has no module for is left out. */
static void print_modules(const struct node *root)
{
	const struct node *i;
	const char *module;

	for_each_child(i, root) {
		if (i->kind != N_HANDLER && i->kind != N_DRIVER)
			continue;
		module = i->first || i->attrs ? module_of(i->name) : NULL;
		if (module)
			puts(module);
	}
}

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quiet", no_argument, NULL, 'q' },
		{ "print", no_argument, NULL, 'p' },
		{ "modules", no_argument, NULL, 'm' },
		{ }
	};
	bool quiet = false, print = false, modules = false;
	struct diags diags = { 0 };
	struct text out = { 0 };
	struct node *root;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "qpm", options, NULL)) >= 0) {
		if (opt == 'q')
			quiet = true;
		else if (opt == 'p')
			print = true;
		else if (opt == 'm')
			modules = true;
		else
			return usage("check", NULL);
	}
	if (argc - optind > 1)
		return usage("check", "one file at a time");
	root = load_config(argv[optind], &diags, &status);
	if (!root) {
		if (!quiet && diags.errors)
			fprintf(stderr, "%s: %u error%s\n", diags.file, diags.errors,
				diags.errors == 1 ? "" : "s");
		diags_free(&diags);
		return status;
	}
	if (modules)
		print_modules(root);
	else if (print && conf_print(root, &out, &diags))
		fputs(out.s ? out.s : "", stdout);
	else if (!quiet)
		printf("%s: no error, %u warning%s\n", diags.file, diags.warnings,
		       diags.warnings == 1 ? "" : "s");
	text_free(&out);
	diags_free(&diags);
	node_free(root);
	return EXIT_OK;
}
