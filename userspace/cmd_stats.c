// SPDX-License-Identifier: GPL-2.0
/* skuaadm stats: counters for programs. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "sample.h"

/* What a session counts, and what Prometheus calls it */
struct metric {
	const char *name, *help, *type;
	const char *labels;
	unsigned long long (*value)(const struct session *s);
};

static unsigned long long reads(const struct session *s)
{
	return s->read_cmds;
}

static unsigned long long writes(const struct session *s)
{
	return s->write_cmds;
}

static unsigned long long others(const struct session *s)
{
	return s->other_cmds;
}

static unsigned long long read_bytes(const struct session *s)
{
	return s->read_kb << 10;
}

static unsigned long long write_bytes(const struct session *s)
{
	return s->write_kb << 10;
}

static unsigned long long active(const struct session *s)
{
	return s->active;
}

static unsigned long long unaligned(const struct session *s)
{
	return s->unaligned;
}

static unsigned long long luns(const struct session *s)
{
	return s->luns.nr;
}

static const struct metric metrics[] = {
	{ "skua_session_commands_total", "Commands since the session began or was reset", "counter",
	  "direction=\"read\"", reads },
	{ "skua_session_commands_total", NULL, NULL, "direction=\"write\"", writes },
	{ "skua_session_commands_total", NULL, NULL, "direction=\"other\"", others },
	{ "skua_session_bytes_total", "Data moved, in whole KiB", "counter", "direction=\"read\"",
	  read_bytes },
	{ "skua_session_bytes_total", NULL, NULL, "direction=\"write\"", write_bytes },
	{ "skua_session_unaligned_commands_total", "Commands that are no multiple of 4 KiB",
	  "counter", NULL, unaligned },
	{ "skua_session_active_commands", "Commands in progress", "gauge", NULL, active },
	{ "skua_session_luns", "LUNs that the session has", "gauge", NULL, luns },
};

/* The text format: backslash, quote and newline are escaped. */
static void print_label(const char *name, const char *value, const char *end)
{
	printf("%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putchar('\\');
		if (*value == '\n')
			fputs("\\n", stdout);
		else
			putchar(*value);
	}
	printf("\"%s", end);
}

static void print_metric(const struct metric *m, const struct sample *sample)
{
	size_t i;

	if (m->help)
		printf("# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
	for (i = 0; i < sample->nr; i++) {
		const struct session *s = &sample->v[i];

		printf("%s{", m->name);
		print_label("driver", s->driver, ",");
		print_label("target", s->target, ",");
		print_label("session", s->name, ",");
		print_label("initiator", s->initiator, ",");
		print_label("group", s->group, m->labels ? "," : "");
		printf("%s} %llu\n", m->labels ? m->labels : "", m->value(s));
	}
}

static void print_prometheus(const struct sample *sample)
{
	size_t i;

	puts("# HELP skua_up Whether the core is loaded\n# TYPE skua_up gauge\nskua_up 1");
	printf("# HELP skua_sessions Sessions\n# TYPE skua_sessions gauge\nskua_sessions %zu\n",
	       sample->nr);
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		print_metric(&metrics[i], sample);
}

int cmd_stats(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "prometheus", no_argument, NULL, 'p' },
		{ }
	};
	struct sample sample = { 0 };
	struct tree tree;
	int opt, form = 0, status;

	while ((opt = getopt_long(argc, argv, "jp", options, NULL)) >= 0) {
		if (opt == '?' || form)
			return usage("stats", NULL);
		form = opt;
	}
	if (!form || argc != optind)
		return usage("stats", "one of --json and --prometheus, please");
	if (form == 'j' && !json_there())
		return EXIT_FAILED;
	status = open_tree(&tree, false);
	if (status != EXIT_OK)
		return status;
	sample_take(&tree, &sample);
	if (form == 'j')
		json_sample(&sample);
	else
		print_prometheus(&sample);
	sample_free(&sample);
	tree_close(&tree);
	return EXIT_OK;
}
