// SPDX-License-Identifier: GPL-2.0
/* skuaadm stats: counters for programs. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "json.h"
#include "prometheus.h"

struct wishes {
	bool json, prometheus;
	double rates;			/* seconds to measure over; 0: no rates */
	double interval;		/* seconds between files; 0: one only */
	const char *listen, *file;
};

static bool parse_seconds(const char *word, double *seconds)
{
	char *end;

	*seconds = strtod(word, &end);
	return end != word && !*end && *seconds >= 0.1 && *seconds <= 86400;
}

/* EXIT_OK or the status to leave with */
static int parse(int argc, char **argv, struct wishes *w)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "prometheus", no_argument, NULL, 'p' },
		{ "rates", optional_argument, NULL, 'r' },
		{ "listen", required_argument, NULL, 'l' },
		{ "textfile", required_argument, NULL, 't' },
		{ "interval", required_argument, NULL, 'i' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "jpr::l:t:i:", options, NULL)) >= 0) {
		if (opt == 'j')
			w->json = true;
		else if (opt == 'p')
			w->prometheus = true;
		else if (opt == 'l')
			w->listen = optarg;
		else if (opt == 't')
			w->file = optarg;
		else if (opt != 'r' && opt != 'i')
			return usage("stats", NULL);
		else if (!parse_seconds(optarg ? optarg : "1", opt == 'r' ? &w->rates : &w->interval))
			return usage("stats", "\"%s\" is no number of seconds", optarg);
	}
	if (argc != optind)
		return usage("stats", NULL);
	if (w->json + w->prometheus != 1)
		return usage("stats", "one of --json and --prometheus, please");
	if (w->json && (w->listen || w->file))
		return usage("stats", "--listen and --textfile go with --prometheus");
	if (w->rates > 0 && !w->json)
		return usage("stats", "--rates goes with --json");
	if (w->listen && w->file)
		return usage("stats", "one of --listen and --textfile, please");
	if (w->interval > 0 && !w->file)
		return usage("stats", "--interval goes with --textfile");
	return EXIT_OK;
}

/* ---- a file ----------------------------------------------------------- */

/* A collector sees the old content or the new one. */
static int write_file(const char *path)
{
	char *temp = xprintf("%s.%d~", path, (int)getpid()), *text;
	FILE *f = fopen(temp, "we");
	size_t len;
	bool ok;

	text = prometheus_text(&len);
	ok = f && text && fwrite(text, 1, len, f) == len && !fchmod(fileno(f), 0644);
	if (f && fclose(f))
		ok = false;
	if (ok && rename(temp, path))
		ok = false;
	if (!ok) {
		complain("%s: %s", path, strerror(errno));
		unlink(temp);
	}
	free(text);
	free(temp);
	return ok ? EXIT_OK : EXIT_FAILED;
}

/* Until a signal ends it. A file that cannot be written now may be later. */
static int write_files(const char *path, double interval)
{
	struct timespec wait = { .tv_sec = interval };
	sigset_t set, old;
	int status;

	wait.tv_nsec = (interval - wait.tv_sec) * 1e9;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	do {
		status = write_file(path);
	} while (sigtimedwait(&set, NULL, &wait) < 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

/* ---- standard output -------------------------------------------------- */

static void wait_seconds(double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	nanosleep(&t, NULL);
}

static int print_once(const struct wishes *w)
{
	struct sample sample = { 0 }, before = { 0 };
	struct tree tree;
	int status = open_tree(&tree, false);

	if (status != EXIT_OK)
		return status;
	if (w->rates > 0) {
		sample_take(&tree, &before);
		sample_luns(&tree, &before);
		wait_seconds(w->rates);
	}
	sample_take(&tree, &sample);
	sample_luns(&tree, &sample);
	if (w->json)
		json_sample(&sample, w->rates > 0 ? &before : NULL);
	else
		prometheus_print(stdout, &sample);
	sample_free(&before);
	sample_free(&sample);
	tree_close(&tree);
	return EXIT_OK;
}

int cmd_stats(int argc, char **argv)
{
	struct wishes w = { 0 };
	int status = parse(argc, argv, &w);

	if (status != EXIT_OK)
		return status;
	if (w.json && !json_there())
		return EXIT_FAILED;
	if (w.listen)
		return exporter_there() ? exporter_run(w.listen) : EXIT_FAILED;
	if (w.file)
		return w.interval > 0 ? write_files(w.file, w.interval) : write_file(w.file);
	return print_once(&w);
}
