/* SPDX-License-Identifier: GPL-2.0 */
/* What sessions and LUNs did between two samples. */
#ifndef SKUAADM_RATES_H
#define SKUAADM_RATES_H

#include "sample.h"

struct rates {
	double seconds;			/* between the samples; 0: there is only one */
	double reads, writes, others;	/* in a second */
	double read_mb, write_mb;	/* 10^6 bytes in a second */
	double depth;			/* commands in progress */
	double p50, p99, p999;		/* ns; negative: not measured, or there was nothing */
};

/* A line of a table: a session, or one of its LUNs */
struct row {
	const struct session *session;
	const struct lun *lun;		/* NULL: all of the session */
	struct rates rates;
};

struct rows {
	struct row *v;
	size_t nr, room;
};

enum sort_key {
	SORT_NAME, SORT_READS, SORT_WRITES, SORT_OTHERS, SORT_READ_MB, SORT_WRITE_MB, SORT_DEPTH,
	SORT_P50, SORT_P99, SORT_P999, NR_SORT
};

extern const char *const sort_names[NR_SORT];

double per_second(unsigned long long now, unsigned long long before, double seconds);
void rates_of_lun(struct rates *r, const struct lun *now, const struct lun *before);
void rates_of_session(struct rates *r, const struct session *now, const struct session *before);
bool session_is_of(const struct session *s, const char *filter);
void rows_make(struct rows *rows, const struct sample *now, const struct sample *before, bool luns,
	       const char *filter);
void rows_sort(struct rows *rows, enum sort_key key, bool reverse);
void rows_free(struct rows *rows);

#endif
