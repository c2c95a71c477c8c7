// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "top.h"

#define NUMBERS_WIDTH	78		/* of all columns with numbers */
#define MIN_NAME	10		/* characters of a session's name, at least */
#define MAX_NAME	40
#define DEVICE_WIDTH	14

volatile sig_atomic_t top_ended;

/* Such as 812us, 1.25ms, 3.10s */
static char *human_time(double ns)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;
	double v;

	if (ns < 0)
		return xstrdup("-");
	while (i < ARRAY_SIZE(units) - 1 && ns < units[i].unit)
		i++;
	v = ns / units[i].unit;
	return xprintf("%.*f%s", units[i].unit == 1 || v >= 100 ? 0 : v >= 10 ? 1 : 2, v, units[i].name);
}

/**
 * top_look() - take another sample; the last one is what it is compared with
 * @top: the table; arranged anew
 */
void top_look(struct top *top)
{
	sample_free(&top->before);
	top->before = top->now;
	memset(&top->now, 0, sizeof(top->now));
	sample_take(top->tree, &top->now);
	sample_luns(top->tree, &top->now);
	top_arrange(top);
}

/* After a change of what is shown, and how */
void top_arrange(struct top *top)
{
	rows_free(&top->rows);
	rows_make(&top->rows, &top->now, top->before.time > 0 ? &top->before : NULL, top->luns,
		  top->filter);
	rows_sort(&top->rows, top->key, top->reverse);
}

/**
 * top_measure() - switch the measuring of latency
 * @top: the table; remembers what was to be restored
 * @on: measure
 *
 * Return: 0 or -errno.
 */
int top_measure(struct top *top, bool on)
{
	unsigned long long was = 0;
	int r;

	if (!tree_number(top->tree, "measure_latency", &was))
		return -ENOENT;
	if (!top->switched)
		top->was_measuring = was;
	if (!was == !on)
		return 0;
	r = tree_write(top->tree, "measure_latency", on ? "1" : "0");
	top->switched |= !r;
	return r;
}

void top_restore(struct top *top)
{
	if (top->switched)
		top_measure(top, top->was_measuring);
	top->switched = false;
}

/* One line: the time, and what all lines add up to */
void top_summary(const struct top *top, struct text *t)
{
	double reads = 0, writes = 0, read_mb = 0, write_mb = 0;
	time_t now = time(NULL);
	struct tm tm;
	char clock[16];
	size_t i;

	for (i = 0; i < top->rows.nr; i++) {
		const struct rates *r = &top->rows.v[i].rates;

		reads += r->reads;
		writes += r->writes;
		read_mb += r->read_mb;
		write_mb += r->write_mb;
	}
	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	text_add(t, "%s  %zu session%s  %.0f read/s %.1f MB/s  %.0f write/s %.1f MB/s%s", clock,
		 top->now.nr, top->now.nr == 1 ? "" : "s", reads, read_mb, writes, write_mb,
		 top->now.measuring ? "" : "  latency is not measured");
}

static unsigned int name_width(const struct top *top, unsigned int width)
{
	unsigned int rest = NUMBERS_WIDTH + (top->luns ? DEVICE_WIDTH + 7 : 0);
	unsigned int name = width > rest ? width - rest : 0;

	return name < MIN_NAME ? MIN_NAME : name > MAX_NAME ? MAX_NAME : name;
}

/* The column that it is sorted by has a mark. */
static void title(const struct top *top, struct text *t, unsigned int width, const char *name,
		  enum sort_key key)
{
	char *text = xprintf("%s%s", top->key != key ? "" : top->reverse ? "^" : "v", name);

	text_add(t, " %*s", width, text);
	free(text);
}

/**
 * top_headline() - the names of the columns
 * @top: the table
 * @width: characters that there are for a line
 * @t: where to
 */
void top_headline(const struct top *top, unsigned int width, struct text *t)
{
	text_add(t, "%-*s", name_width(top, width), top->key == SORT_NAME ?
		 top->reverse ? "^SESSION" : "vSESSION" : "SESSION");
	if (top->luns)
		text_add(t, " %5s %-*s", "LUN", DEVICE_WIDTH, "DEVICE");
	title(top, t, 8, "READ/S", SORT_READS);
	title(top, t, 8, "WRITE/S", SORT_WRITES);
	title(top, t, 8, "OTHER/S", SORT_OTHERS);
	title(top, t, 8, "R-MB/S", SORT_READ_MB);
	title(top, t, 8, "W-MB/S", SORT_WRITE_MB);
	title(top, t, 6, "DEPTH", SORT_DEPTH);
	title(top, t, 7, "P50", SORT_P50);
	title(top, t, 7, "P99", SORT_P99);
	title(top, t, 7, "P99.9", SORT_P999);
}

/* A name that is too long loses its beginning: names differ at their ends. */
static void put_name(struct text *t, const char *name, unsigned int width)
{
	size_t len = strlen(name);

	if (len > width)
		text_add(t, "~%s", name + len - width + 1);
	else
		text_add(t, "%-*s", width, name);
}

void top_line(const struct top *top, const struct row *row, unsigned int width, struct text *t)
{
	const struct rates *r = &row->rates;
	double times[] = { r->p50, r->p99, r->p999 };
	size_t i;

	put_name(t, row->session->name, name_width(top, width));
	if (row->lun) {
		text_add(t, " %5u ", row->lun->number);
		put_name(t, row->lun->device, DEVICE_WIDTH);
	}
	if (r->seconds > 0)
		text_add(t, " %8.0f %8.0f %8.0f %8.1f %8.1f", r->reads, r->writes, r->others,
			 r->read_mb, r->write_mb);
	else
		text_add(t, " %8s %8s %8s %8s %8s", "-", "-", "-", "-", "-");
	text_add(t, " %6.1f", r->depth);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		char *text = human_time(times[i]);

		text_add(t, " %7s", text);
		free(text);
	}
}
