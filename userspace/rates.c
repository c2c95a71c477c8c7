// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "rates.h"

const char *const sort_names[NR_SORT] = {
	"name", "reads", "writes", "others", "read-mb", "write-mb", "depth", "p50", "p99", "p99.9",
};

/* A counter that was cleared meanwhile says nothing. */
double per_second(unsigned long long now, unsigned long long before, double seconds)
{
	return now < before || seconds <= 0 ? 0 : (now - before) / seconds;
}

/*
 * By Little's law, what commands took in all divided by the time is how many there were on
 * average; what is there at this moment serves where that is not known, or where nothing
 * comes to an end.
 */
static void latency_rates(struct rates *r, const struct latency *lat, unsigned long long active)
{
	r->depth = active;
	r->p50 = latency_percentile(lat, 50);
	r->p99 = latency_percentile(lat, 99);
	r->p999 = latency_percentile(lat, 99.9);
	if (lat->count && r->seconds > 0)
		r->depth = lat->sum / 1e9 / r->seconds;
}

/* All kinds of a LUN's commands together, since @before if that is given */
static void lun_latency(struct latency *all, const struct lun *now, const struct lun *before)
{
	struct latency one;

	one = now->read;
	if (before)
		latency_since(&one, &before->read);
	latency_add(all, &one);
	one = now->write;
	if (before)
		latency_since(&one, &before->write);
	latency_add(all, &one);
	one = now->other;
	if (before)
		latency_since(&one, &before->other);
	latency_add(all, &one);
}

/* All but depth and latency */
static void counter_rates(struct rates *r, const struct counters *now,
			  const struct counters *before)
{
	double s = now->time - before->time;

	r->seconds = s;
	r->reads = per_second(now->read_cmds, before->read_cmds, s);
	r->writes = per_second(now->write_cmds, before->write_cmds, s);
	r->others = per_second(now->other_cmds, before->other_cmds, s);
	r->read_mb = per_second(now->read_kb, before->read_kb, s) * 1024 / 1e6;
	r->write_mb = per_second(now->write_kb, before->write_kb, s) * 1024 / 1e6;
}

/**
 * rates_of_lun() - what a LUN did between two looks at it
 * @r: filled in
 * @now: the later look
 * @before: the earlier one, of the same session and LUN; NULL: latency since measuring
 *	began, and no rates
 */
void rates_of_lun(struct rates *r, const struct lun *now, const struct lun *before)
{
	struct latency all = { 0 };

	memset(r, 0, sizeof(*r));
	if (before)
		counter_rates(r, &now->io, &before->io);
	lun_latency(&all, now, before);
	latency_rates(r, &all, now->io.active);
}

/* The same for a session; its latency is that of its LUNs. */
void rates_of_session(struct rates *r, const struct session *now, const struct session *before)
{
	struct latency all = { 0 };
	const struct lun *l;
	size_t i;

	memset(r, 0, sizeof(*r));
	if (before)
		counter_rates(r, &now->io, &before->io);
	for (i = 0; i < now->nr_lun; i++) {
		l = before ? session_lun(before, now->lun[i].number) : NULL;
		lun_latency(&all, &now->lun[i], l);
	}
	latency_rates(r, &all, now->io.active);
}

/**
 * session_is_of() - does a session belong to a target or driver?
 * @s: the session
 * @filter: path of that; NULL: any
 */
bool session_is_of(const struct session *s, const char *filter)
{
	char *full;
	bool yes;

	if (!filter)
		return true;
	full = xprintf("targets/%s/%s", s->driver, s->target);
	yes = !strcmp(full, filter);
	full[strlen("targets/") + strlen(s->driver)] = '\0';
	yes |= !strcmp(full, filter);
	free(full);
	return yes;
}

static struct row *new_row(struct rows *rows)
{
	if (rows->nr == rows->room) {
		rows->room = rows->room ? rows->room * 2 : 16;
		rows->v = xrealloc(rows->v, rows->room, sizeof(*rows->v));
	}
	memset(&rows->v[rows->nr], 0, sizeof(*rows->v));
	return &rows->v[rows->nr++];
}

/**
 * rows_make() - a line for each session, or for each LUN of each
 * @rows: zeroed; filled in, pointing into @now; rows_free()
 * @now: with sample_luns()
 * @before: an earlier one, or NULL
 * @luns: LUNs
 * @filter: see session_is_of()
 */
void rows_make(struct rows *rows, const struct sample *now, const struct sample *before, bool luns,
	       const char *filter)
{
	const struct session *old;
	struct row *row;
	size_t i, k;

	for (i = 0; i < now->nr; i++) {
		const struct session *s = &now->v[i];

		if (!session_is_of(s, filter))
			continue;
		old = before ? sample_find(before, s) : NULL;
		if (!luns) {
			row = new_row(rows);
			row->session = s;
			rates_of_session(&row->rates, s, old);
			continue;
		}
		for (k = 0; k < s->nr_lun; k++) {
			row = new_row(rows);
			row->session = s;
			row->lun = &s->lun[k];
			rates_of_lun(&row->rates, row->lun,
				     old ? session_lun(old, row->lun->number) : NULL);
		}
	}
}

static double value_of(const struct row *row, enum sort_key key)
{
	switch (key) {
	case SORT_READS:
		return row->rates.reads;
	case SORT_WRITES:
		return row->rates.writes;
	case SORT_OTHERS:
		return row->rates.others;
	case SORT_READ_MB:
		return row->rates.read_mb;
	case SORT_WRITE_MB:
		return row->rates.write_mb;
	case SORT_DEPTH:
		return row->rates.depth;
	case SORT_P50:
		return row->rates.p50;
	case SORT_P99:
		return row->rates.p99;
	case SORT_P999:
		return row->rates.p999;
	default:
		return 0;
	}
}

static int compare_names(const struct row *a, const struct row *b)
{
	int r = name_cmp(a->session->driver, b->session->driver);

	if (!r)
		r = name_cmp(a->session->target, b->session->target);
	if (!r)
		r = name_cmp(a->session->name, b->session->name);
	if (!r && a->lun && b->lun)
		r = (a->lun->number > b->lun->number) - (a->lun->number < b->lun->number);
	return r;
}

struct order {
	enum sort_key key;
	bool reverse;
};

/* The largest first, names in their order; equal ones by name */
static int compare(const void *a, const void *b, void *arg)
{
	const struct row *x = a, *y = b;
	const struct order *order = arg;
	double v = value_of(x, order->key), w = value_of(y, order->key);
	int r = order->key == SORT_NAME ? compare_names(x, y) : (v < w) - (v > w);

	if (order->reverse)
		r = -r;
	return r ? r : compare_names(x, y);
}

void rows_sort(struct rows *rows, enum sort_key key, bool reverse)
{
	struct order order = { .key = key, .reverse = reverse };

	if (rows->nr)
		qsort_r(rows->v, rows->nr, sizeof(*rows->v), compare, &order);
}

void rows_free(struct rows *rows)
{
	free(rows->v);
	memset(rows, 0, sizeof(*rows));
}
