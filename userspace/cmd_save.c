// SPDX-License-Identifier: GPL-2.0
/* skuaadm save */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "parse.h"
#include "save.h"
#include "state.h"
#include "term.h"

/* Objects that a file has and the state has not: what saving would make it forget */
static unsigned int list_lost(const struct node *old, const struct node *state)
{
	const struct node *child, *now;
	unsigned int lost = 0;
	char *label;

	for_each_child(child, old) {
		now = node_find(state, child->kind, child->name);
		if (now) {
			lost += list_lost(child, now);
			continue;
		}
		if ((child->kind == N_HANDLER || child->kind == N_DRIVER) && !child->first)
			continue;
		if (child->kind == N_DRIVER && !strcmp(child->name, "copy_manager"))
			continue;
		label = node_label(child);
		fprintf(stderr, "  %s-%s %s\n", term_red(stderr), term_plain(stderr), label);
		free(label);
		lost++;
	}
	return lost;
}

/* What a boot with something missing leaves must not replace the file unseen. */
static int check_lost(const char *path, const struct node *state)
{
	struct diags diags = { 0 };
	struct node *old = conf_read(path, &diags);
	unsigned int lost;
	int status = EXIT_OK;

	if (!old)
		return EXIT_OK;
	lost = list_lost(old, state);
	if (lost) {
		fprintf(stderr, "%s has %u object%s that %s not there now and would be lost.\n",
			path, lost, lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
		if (!isatty(STDIN_FILENO)) {
			complain("not saved; --yes saves all the same");
			status = EXIT_NOT_ASKED;
		} else if (!term_ask("Save all the same")) {
			status = EXIT_NOT_ASKED;
		}
	}
	node_free(old);
	diags_free(&diags);
	return status;
}

static int save_to(const char *path, struct node *state, const struct text *text, bool yes,
		   bool quiet)
{
	int status, r;

	if (!strcmp(path, "-")) {
		fputs(text->s, stdout);
		return EXIT_OK;
	}
	if (!yes) {
		status = check_lost(path, state);
		if (status != EXIT_OK)
			return status;
	}
	r = write_config(path, text);
	if (r) {
		complain("%s: %s; it is what it was", path, strerror(-r));
		return EXIT_FAILED;
	}
	if (!quiet)
		printf("Saved to %s.\n", path);
	return EXIT_OK;
}

int cmd_save(int argc, char **argv)
{
	static const struct option options[] = {
		{ "yes", no_argument, NULL, 'y' },
		{ "all", no_argument, NULL, 'a' },
		{ "quiet", no_argument, NULL, 'q' },
		{ }
	};
	bool yes = false, all = false, quiet = false, complete;
	struct diags diags = { .file = "save" };
	struct text text = { 0 };
	struct node *state;
	struct tree tree;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "yaq", options, NULL)) >= 0) {
		if (opt == 'y')
			yes = true;
		else if (opt == 'a')
			all = true;
		else if (opt == 'q')
			quiet = true;
		else
			return usage("save", NULL);
	}
	if (argc - optind > 1)
		return usage("save", "one file at a time");
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	state = state_read(&tree);
	keep_worth_saving(state, all);
	text_add(&text, "# Written by skuaadm save.\n\n");
	complete = conf_print(state, &text, &diags);
	diags_print(&diags, stderr);
	status = save_to(argv[optind] ? argv[optind] : default_config(), state, &text, yes, quiet);
	if (status == EXIT_OK && !complete)
		status = EXIT_FAILED;
	text_free(&text);
	node_free(state);
	diags_free(&diags);
	tree_close(&tree);
	return status;
}
