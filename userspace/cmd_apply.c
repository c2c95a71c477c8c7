// SPDX-License-Identifier: GPL-2.0
/* skuaadm apply */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "cmd.h"
#include "json.h"
#include "parse.h"
#include "state.h"
#include "term.h"

struct apply_args {
	struct plan_options options;
	struct strings partial;
	bool dry_run, yes, json;
	const char *file;
};

/* Opens the tree and keeps others out, or says why not. */
int open_tree(struct tree *tree, bool change)
{
	int r = tree_open(tree, NULL);

	if (r == -ENOENT) {
		complain("%s is not there: Skua is not loaded (modprobe skua)", tree->root);
		tree_close(tree);
		return EXIT_NO_TREE;
	}
	if (!r && change)
		r = tree_lock(tree);
	if (r) {
		complain("%s: %s", tree->root, strerror(-r));
		tree_close(tree);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static void print_result(const struct plan *plan, const struct result *result)
{
	size_t i;

	for (i = 0; i < result->notes.nr; i++)
		complain("%s", result->notes.v[i]);
	switch (result->outcome) {
	case APPLIED:
		printf("%sDone:%s %u step%s.\n", term_green(stdout), term_plain(stdout),
		       result->done, result->done == 1 ? "" : "s");
		break;
	case APPLIED_IN_PART:
		printf("%u of %u steps done, %u failed.\n", result->done, plan->nr,
		       result->failed);
		break;
	case ROLLED_BACK:
		complain("%s", result->message);
		fprintf(stderr, "The %u step%s before it %s taken back: all is as it was.\n",
			result->done, result->done == 1 ? "" : "s",
			result->done == 1 ? "was" : "were");
		break;
	case HALF_DONE:
		complain("%s", result->message);
		fputs("Not all that was done before it could be taken back.\n", stderr);
		break;
	}
}

static int exit_status(enum outcome outcome)
{
	switch (outcome) {
	case APPLIED:
		return EXIT_OK;
	case ROLLED_BACK:
		return EXIT_ROLLED_BACK;
	case HALF_DONE:
		return EXIT_HALF_DONE;
	case APPLIED_IN_PART:
		break;
	}
	return EXIT_FAILED;
}

static int carry_out(struct tree *tree, const struct plan *plan, const struct apply_args *args)
{
	struct result result = { 0 };
	int status;

	fflush(stdout);
	plan_apply(tree, plan, args->options.keep_going, &result);
	if (args->json)
		json_plan(plan, &result);
	else
		print_result(plan, &result);
	status = exit_status(result.outcome);
	result_free(&result);
	return status;
}

static int confirm(const struct plan *plan, const char *file)
{
	printf("%s: %u to create, %u to change, %u to remove.\n", file, plan->creates,
	       plan->changes, plan->removes);
	if (!isatty(STDIN_FILENO)) {
		complain("nothing done: there is no terminal to ask at; --yes goes on without");
		return EXIT_NOT_ASKED;
	}
	if (term_ask("Apply this"))
		return EXIT_OK;
	puts("Nothing done.");
	return EXIT_NOT_ASKED;
}

static int plan_and_apply(struct tree *tree, struct node *wanted, const struct apply_args *args,
			  struct diags *diags)
{
	struct diags problems = { .file = diags->file };
	struct node *present = state_read(tree);
	struct plan plan = { 0 };
	int status = EXIT_OK;

	plan_make(&plan, wanted, present, &args->options, &problems);
	diags_print(&problems, stderr);
	if (problems.errors) {
		complain("nothing done: %u error%s", problems.errors,
			 problems.errors == 1 ? "" : "s");
		status = EXIT_FILE;
	} else if (args->json && (args->dry_run || !plan.nr)) {
		json_plan(&plan, NULL);
	} else if (!plan.nr) {
		printf("%s: nothing to do, all is as the file says.\n", diags->file);
	} else {
		if (!args->json)
			plan_print(&plan, stdout);
		if (args->dry_run)
			printf("%s: %u to create, %u to change, %u to remove. Nothing done (--dry-run).\n",
			       diags->file, plan.creates, plan.changes, plan.removes);
		else if (!args->yes)
			status = confirm(&plan, diags->file);
		if (status == EXIT_OK && !args->dry_run)
			status = carry_out(tree, &plan, args);
	}
	plan_free(&plan);
	diags_free(&problems);
	node_free(present);
	return status;
}

static int parse_args(int argc, char **argv, struct apply_args *args)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "yes", no_argument, NULL, 'y' },
		{ "prune", no_argument, NULL, 'P' },
		{ "recreate", no_argument, NULL, 'R' },
		{ "keep-going", no_argument, NULL, 'k' },
		{ "partial", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "nykp:j", options, NULL)) >= 0) {
		switch (opt) {
		case 'n':
			args->dry_run = true;
			break;
		case 'y':
			args->yes = true;
			break;
		case 'P':
			args->options.prune = true;
			break;
		case 'R':
			args->options.recreate = true;
			break;
		case 'k':
			args->options.keep_going = true;
			break;
		case 'p':
			strings_add(&args->partial, optarg);
			break;
		case 'j':
			args->json = true;
			break;
		default:
			return usage("apply", NULL);
		}
	}
	if (argc - optind > 1)
		return usage("apply", "one file at a time");
	args->file = argv[optind];
	if (args->json && !json_there())
		return EXIT_FAILED;
	if (args->json && !args->yes && !args->dry_run)
		return usage("apply", "--json asks no questions: give --yes or --dry-run");
	return EXIT_OK;
}

int cmd_apply(int argc, char **argv)
{
	struct apply_args args = { 0 };
	struct diags diags = { 0 };
	struct tree tree;
	struct node *wanted;
	int status = parse_args(argc, argv, &args);

	if (status != EXIT_OK)
		goto out;
	if (args.partial.nr) {
		args.partial.v = xrealloc(args.partial.v, args.partial.nr + 1, sizeof(char *));
		args.partial.v[args.partial.nr] = NULL;
		args.options.partial = (const char *const *)args.partial.v;
	}
	wanted = load_config(args.file, &diags, &status);
	if (!wanted)
		goto out;
	status = open_tree(&tree, !args.dry_run);
	if (status == EXIT_OK) {
		status = plan_and_apply(&tree, wanted, &args, &diags);
		tree_close(&tree);
	}
	node_free(wanted);
out:
	diags_free(&diags);
	strings_free(&args.partial);
	return status;
}
