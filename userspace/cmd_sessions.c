// SPDX-License-Identifier: GPL-2.0
/* skuaadm sessions, close-session */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "object.h"
#include "rates.h"
#include "term.h"

#define CLOSE_TRIES	300	/* of 100 ms, for a session to be gone */

static void print_one(const struct session *s, const struct session *before, double seconds)
{
	char *luns = xprintf("%zu", s->luns.nr);

	printf("%-32s %-28s %-12s %4s %6llu", s->target, s->name, *s->group ? s->group : "-", luns,
	       s->io.active);
	free(luns);
	if (seconds > 0 && before)
		printf(" %9.0f %9.1f %9.0f %9.1f",
		       per_second(s->io.read_cmds, before->io.read_cmds, seconds),
		       per_second(s->io.read_kb, before->io.read_kb, seconds) / 1024,
		       per_second(s->io.write_cmds, before->io.write_cmds, seconds),
		       per_second(s->io.write_kb, before->io.write_kb, seconds) / 1024);
	else if (seconds <= 0)
		printf(" %9llu %9.0f %9llu %9.0f", s->io.read_cmds, s->io.read_kb / 1024.0,
		       s->io.write_cmds, s->io.write_kb / 1024.0);
	printf("  %s\n", s->where);
}

static void print_all(const struct sample *now, const struct sample *before, double seconds,
		      const char *filter)
{
	size_t i;

	printf("%s%-32s %-28s %-12s %4s %6s %9s %9s %9s %9s  %s%s\n", term_bold(stdout), "TARGET",
	       "SESSION", "GROUP", "LUNS", "ACTIVE", seconds > 0 ? "READ/S" : "READS",
	       seconds > 0 ? "MiB/S" : "MiB", seconds > 0 ? "WRITE/S" : "WRITES",
	       seconds > 0 ? "MiB/S" : "MiB", "WHERE", term_plain(stdout));
	for (i = 0; i < now->nr; i++)
		if (session_is_of(&now->v[i], filter))
			print_one(&now->v[i], before ? sample_find(before, &now->v[i]) : NULL,
				  seconds);
}

static void wait_seconds(double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	nanosleep(&t, NULL);
}

int cmd_sessions(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rates", optional_argument, NULL, 'r' },
		{ }
	};
	struct sample first = { 0 }, second = { 0 };
	char *filter = NULL, *why = NULL;
	double seconds = 0;
	struct tree tree;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "r::", options, NULL)) >= 0) {
		if (opt != 'r')
			return usage("sessions", NULL);
		seconds = optarg ? atof(optarg) : 1;
		if (!(seconds > 0 && seconds <= 3600))
			return usage("sessions", "\"%s\" is no number of seconds", optarg);
	}
	if (argc - optind > 1)
		return usage("sessions", NULL);
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	if (argv[optind])
		filter = object_path(&tree, argv[optind], &why);
	if (argv[optind] && (!filter || !tree_exists(&tree, filter))) {
		complain("%s", why ? why : "there is no such target");
		status = EXIT_FAILED;
	} else {
		sample_take(&tree, &first);
		if (seconds > 0) {
			wait_seconds(seconds);
			sample_take(&tree, &second);
			print_all(&second, &first, second.time - first.time, filter);
		} else {
			print_all(&first, NULL, 0, filter);
		}
	}
	sample_free(&first);
	sample_free(&second);
	free(filter);
	free(why);
	tree_close(&tree);
	return status;
}

/* ---- close-session ---------------------------------------------------- */

/* By its path, or by its name where that is one session's only */
static char *find_session(struct tree *tree, const char *word)
{
	struct sample sample = { 0 };
	char *path = NULL, *full;
	unsigned int nr = 0;
	size_t i;

	sample_take(tree, &sample);
	for (i = 0; i < sample.nr; i++) {
		full = session_path(&sample.v[i]);
		if (!strcmp(word, sample.v[i].name) || !strcmp(word, full) ||
		    !strcmp(word, full + strlen("targets/"))) {
			nr++;
			free(path);
			path = full;
		} else {
			free(full);
		}
	}
	sample_free(&sample);
	if (nr == 1)
		return path;
	if (nr)
		complain("%u sessions are called %s: give DRIVER/TARGET/sessions/%s", nr, word, word);
	else
		complain("there is no session %s", word);
	free(path);
	return NULL;
}

static int close_it(struct tree *tree, const char *path)
{
	char *file = xprintf("%s/force_close", path);
	unsigned int tries;
	int r = tree_write(tree, file, "1");

	free(file);
	if (r) {
		complain("%s: %s", path, r == -ENOENT ? "cannot be closed" : strerror(-r));
		return EXIT_FAILED;
	}
	for (tries = 0; tries < CLOSE_TRIES && tree_exists(tree, path); tries++)
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	if (!tree_exists(tree, path))
		return EXIT_OK;
	complain("%s: told to close, but still there after 30 s", path);
	return EXIT_FAILED;
}

int cmd_close_session(int argc, char **argv)
{
	struct tree tree;
	int status, i, one;
	char *path;

	if (argc < 2)
		return usage("close-session", NULL);
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	for (i = 1; i < argc; i++) {
		path = find_session(&tree, argv[i]);
		one = path ? close_it(&tree, path) : EXIT_FAILED;
		if (one != EXIT_OK)
			status = one;
		free(path);
	}
	tree_close(&tree);
	return status;
}
