// SPDX-License-Identifier: GPL-2.0
/*
 * The names of the metrics and of their labels are an interface; Documentation/skuaadm.md
 * lists them.
 */
#include <stdlib.h>

#include "prometheus.h"

/* A metric of sessions: lines that follow one without help belong to it. */
struct session_metric {
	const char *name, *help, *type;
	const char *label;		/* one more, complete */
	unsigned long long (*value)(const struct session *s);
};

struct lun_metric {
	const char *name, *help, *type;
	const char *label;
	unsigned long long (*value)(const struct lun *l);
};

#define VALUE(type, name, expression)						\
static unsigned long long type##_##name(const struct type *s)			\
{										\
	return expression;							\
}

VALUE(session, reads, s->io.read_cmds)
VALUE(session, writes, s->io.write_cmds)
VALUE(session, others, s->io.other_cmds)
VALUE(session, read_bytes, s->io.read_kb << 10)
VALUE(session, write_bytes, s->io.write_kb << 10)
VALUE(session, unaligned, s->unaligned)
VALUE(session, active, s->io.active)
VALUE(session, luns, s->luns.nr)
VALUE(lun, reads, s->io.read_cmds)
VALUE(lun, writes, s->io.write_cmds)
VALUE(lun, others, s->io.other_cmds)
VALUE(lun, read_bytes, s->io.read_kb << 10)
VALUE(lun, write_bytes, s->io.write_kb << 10)
VALUE(lun, active, s->io.active)

#define READ	"direction=\"read\""
#define WRITE	"direction=\"write\""
#define OTHER	"direction=\"other\""

static const struct session_metric session_metrics[] = {
	{ "skua_session_commands_total", "Commands since the session began or was reset", "counter",
	  READ, session_reads },
	{ "skua_session_commands_total", NULL, NULL, WRITE, session_writes },
	{ "skua_session_commands_total", NULL, NULL, OTHER, session_others },
	{ "skua_session_bytes_total", "Data moved, in whole KiB", "counter", READ,
	  session_read_bytes },
	{ "skua_session_bytes_total", NULL, NULL, WRITE, session_write_bytes },
	{ "skua_session_unaligned_commands_total", "Commands that are no multiple of 4 KiB",
	  "counter", NULL, session_unaligned },
	{ "skua_session_active_commands", "Commands in progress", "gauge", NULL, session_active },
	{ "skua_session_luns", "LUNs that the session has", "gauge", NULL, session_luns },
};

static const struct lun_metric lun_metrics[] = {
	{ "skua_lun_commands_total", "Commands since the session had the LUN", "counter", READ,
	  lun_reads },
	{ "skua_lun_commands_total", NULL, NULL, WRITE, lun_writes },
	{ "skua_lun_commands_total", NULL, NULL, OTHER, lun_others },
	{ "skua_lun_bytes_total", "Data moved, in whole KiB", "counter", READ, lun_read_bytes },
	{ "skua_lun_bytes_total", NULL, NULL, WRITE, lun_write_bytes },
	{ "skua_lun_active_commands", "Commands in progress", "gauge", NULL, lun_active },
};

/* The text format: backslash, quote and newline are escaped. */
static void print_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			putc(*value, out);
	}
	putc('"', out);
}

static void print_session(FILE *out, const struct session *s)
{
	print_label(out, "driver", s->driver);
	putc(',', out);
	print_label(out, "target", s->target);
	putc(',', out);
	print_label(out, "session", s->name);
	putc(',', out);
	print_label(out, "initiator", s->initiator);
	putc(',', out);
	print_label(out, "group", s->group);
}

static void print_lun(FILE *out, const struct session *s, const struct lun *l)
{
	print_session(out, s);
	fprintf(out, ",lun=\"%u\",", l->number);
	print_label(out, "device", l->device);
}

static void print_help(FILE *out, const char *name, const char *help, const char *type)
{
	if (help)
		fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_session_metric(FILE *out, const struct session_metric *m,
				 const struct sample *sample)
{
	size_t i;

	print_help(out, m->name, m->help, m->type);
	for (i = 0; i < sample->nr; i++) {
		fprintf(out, "%s{", m->name);
		print_session(out, &sample->v[i]);
		fprintf(out, "%s%s} %llu\n", m->label ? "," : "", m->label ? m->label : "",
			m->value(&sample->v[i]));
	}
}

static void print_lun_metric(FILE *out, const struct lun_metric *m, const struct sample *sample)
{
	size_t i, k;

	print_help(out, m->name, m->help, m->type);
	for (i = 0; i < sample->nr; i++)
		for (k = 0; k < sample->v[i].nr_lun; k++) {
			fprintf(out, "%s{", m->name);
			print_lun(out, &sample->v[i], &sample->v[i].lun[k]);
			fprintf(out, "%s%s} %llu\n", m->label ? "," : "",
				m->label ? m->label : "", m->value(&sample->v[i].lun[k]));
		}
}

/* A bucket for each octave: they are the same for all, and end at powers of two ns. */
static void print_histogram(FILE *out, const struct session *s, const struct lun *l,
			    const struct latency *lat, const char *label)
{
	static const char name[] = "skua_lun_latency_seconds";
	unsigned int i;

	if (!lat->measured)
		return;
	for (i = 0; i < LAT_OCTAVES - 1; i++) {
		fprintf(out, "%s_bucket{", name);
		print_lun(out, s, l);
		fprintf(out, ",%s,le=\"%.9g\"} %llu\n", label, latency_octave_end(i),
			latency_below(lat, i));
	}
	fprintf(out, "%s_bucket{", name);
	print_lun(out, s, l);
	fprintf(out, ",%s,le=\"+Inf\"} %llu\n%s_sum{", label, lat->count, name);
	print_lun(out, s, l);
	fprintf(out, ",%s} %.9f\n%s_count{", label, lat->sum / 1e9, name);
	print_lun(out, s, l);
	fprintf(out, ",%s} %llu\n", label, lat->count);
}

static void print_latency(FILE *out, const struct sample *sample)
{
	size_t i, k;

	print_help(out, "skua_lun_latency_seconds",
		   "From a command's arrival until its answer is handed to the transport",
		   "histogram");
	for (i = 0; i < sample->nr; i++)
		for (k = 0; k < sample->v[i].nr_lun; k++) {
			const struct lun *l = &sample->v[i].lun[k];

			print_histogram(out, &sample->v[i], l, &l->read, READ);
			print_histogram(out, &sample->v[i], l, &l->write, WRITE);
			print_histogram(out, &sample->v[i], l, &l->other, OTHER);
		}
}

/**
 * prometheus_print() - all metrics
 * @out: where to
 * @sample: with sample_luns(); NULL: the core is not loaded
 */
void prometheus_print(FILE *out, const struct sample *sample)
{
	size_t i;

	print_help(out, "skua_up", "Whether the core is loaded", "gauge");
	fprintf(out, "skua_up %d\n", sample ? 1 : 0);
	if (!sample)
		return;
	print_help(out, "skua_latency_measured", "Whether latency is measured", "gauge");
	fprintf(out, "skua_latency_measured %d\n", sample->measuring);
	print_help(out, "skua_sessions", "Sessions", "gauge");
	fprintf(out, "skua_sessions %zu\n", sample->nr);
	for (i = 0; i < ARRAY_SIZE(session_metrics); i++)
		print_session_metric(out, &session_metrics[i], sample);
	for (i = 0; i < ARRAY_SIZE(lun_metrics); i++)
		print_lun_metric(out, &lun_metrics[i], sample);
	print_latency(out, sample);
}

/**
 * prometheus_text() - all metrics, as they are now
 * @len: set to the length
 *
 * Return: the text, also if the core is not loaded; free(). NULL if memory is short.
 */
char *prometheus_text(size_t *len)
{
	struct sample sample = { 0 };
	struct tree tree;
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		return NULL;
	if (!tree_open(&tree, NULL)) {
		sample_take(&tree, &sample);
		sample_luns(&tree, &sample);
		prometheus_print(out, &sample);
		sample_free(&sample);
	} else {
		prometheus_print(out, NULL);
	}
	tree_close(&tree);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
