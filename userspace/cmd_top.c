// SPDX-License-Identifier: GPL-2.0
/* skuaadm top: what sessions and LUNs are doing, live */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "object.h"
#include "term.h"
#include "top.h"

#define BATCH_WIDTH	120

static void note_end(int sig)
{
	(void)sig;
	top_ended = 1;
}

static void wait_seconds(double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	nanosleep(&t, NULL);		/* a signal ends it */
}

static void print_table(const struct top *top)
{
	struct text t = { 0 };
	size_t i;

	top_summary(top, &t);
	text_add(&t, "\n%s", term_bold(stdout));
	top_headline(top, BATCH_WIDTH, &t);
	text_add(&t, "%s\n", term_plain(stdout));
	for (i = 0; i < top->rows.nr; i++) {
		top_line(top, &top->rows.v[i], BATCH_WIDTH, &t);
		text_add(&t, "\n");
	}
	fputs(t.s, stdout);
	fflush(stdout);
	text_free(&t);
}

static void batch(struct top *top, unsigned long long tables)
{
	unsigned long long i;

	top_look(top);
	for (i = 0; i < tables && !ferror(stdout); i++) {
		wait_seconds(top->interval);
		if (top_ended)
			break;
		top_look(top);
		if (i)
			putchar('\n');
		print_table(top);
	}
}

/* Signals end it in an orderly way, so that the switch for latency is set back. */
static void run(struct top *top, unsigned long long tables)
{
	struct sigaction note = { .sa_handler = note_end }, old_int, old_term, old_hup, old_pipe;
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	top_ended = 0;
	sigaction(SIGINT, &note, &old_int);
	sigaction(SIGTERM, &note, &old_term);
	sigaction(SIGHUP, &note, &old_hup);
	sigaction(SIGPIPE, &ignore, &old_pipe);
	if (tables)
		batch(top, tables);
	else if (!top_screen(top))
		batch(top, ULLONG_MAX);
	top_restore(top);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	sigaction(SIGHUP, &old_hup, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
}

static int find_key(const char *name)
{
	int i;

	for (i = 0; i < NR_SORT; i++)
		if (!strcmp(sort_names[i], name))
			return i;
	return -1;
}

struct wishes {
	unsigned long long tables;	/* 0: as the terminal has it */
	bool measure;
};

/* EXIT_OK or the status to leave with */
static int parse(int argc, char **argv, struct top *top, struct wishes *wishes)
{
	static const struct option options[] = {
		{ "batch", required_argument, NULL, 'b' },
		{ "interval", required_argument, NULL, 'i' },
		{ "luns", no_argument, NULL, 'l' },
		{ "sort", required_argument, NULL, 's' },
		{ "reverse", no_argument, NULL, 'r' },
		{ "measure", no_argument, NULL, 'm' },
		{ }
	};
	int opt, key;

	while ((opt = getopt_long(argc, argv, "b:i:ls:rm", options, NULL)) >= 0) {
		switch (opt) {
		case 'b':
			if (!parse_u64(optarg, &wishes->tables) || !wishes->tables)
				return usage("top", "\"%s\" is no number of tables", optarg);
			break;
		case 'i':
			top->interval = atof(optarg);
			if (!(top->interval >= 0.1 && top->interval <= 3600))
				return usage("top", "\"%s\" is no number of seconds", optarg);
			break;
		case 'l':
			top->luns = true;
			break;
		case 's':
			key = find_key(optarg);
			if (key < 0)
				return usage("top", "it cannot be sorted by \"%s\"", optarg);
			top->key = key;
			break;
		case 'r':
			top->reverse = true;
			break;
		case 'm':
			wishes->measure = true;
			break;
		default:
			return usage("top", NULL);
		}
	}
	return argc - optind > 1 ? usage("top", NULL) : EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
	struct top top = { .interval = 1, .key = SORT_NAME };
	struct wishes wishes = { 0 };
	char *filter = NULL, *why = NULL;
	struct tree tree;
	int status, r;

	status = parse(argc, argv, &top, &wishes);
	if (status == EXIT_OK)
		status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	top.tree = &tree;
	if (argv[optind])
		filter = object_path(&tree, argv[optind], &why);
	top.filter = filter;
	if (!wishes.tables && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		wishes.tables = 1;
	r = wishes.measure ? top_measure(&top, true) : 0;
	if (argv[optind] && (!filter || !tree_exists(&tree, filter))) {
		complain("%s", why ? why : "there is no such target");
		status = EXIT_FAILED;
	} else if (r) {
		complain("measure_latency: %s", strerror(-r));
		status = EXIT_FAILED;
	} else {
		run(&top, wishes.tables);
	}
	top_restore(&top);
	rows_free(&top.rows);
	sample_free(&top.now);
	sample_free(&top.before);
	free(filter);
	free(why);
	tree_close(&tree);
	return status;
}
