/* SPDX-License-Identifier: GPL-2.0 */
/* The table of "skuaadm top": what it shows, whatever shows it. */
#ifndef SKUAADM_TOP_H
#define SKUAADM_TOP_H

#include <signal.h>

#include "rates.h"

struct top {
	struct tree *tree;
	struct sample now, before;
	struct rows rows;
	const char *filter;		/* path of a target or driver, or NULL */
	double interval;		/* seconds */
	bool luns;			/* a line for each LUN, else for each session */
	enum sort_key key;
	bool reverse;
	bool switched;			/* measure_latency was set to @was_measuring before */
	bool was_measuring;
};

extern volatile sig_atomic_t top_ended;	/* by a signal */

void top_look(struct top *top);
void top_arrange(struct top *top);
int top_measure(struct top *top, bool on);
void top_restore(struct top *top);
void top_summary(const struct top *top, struct text *t);
void top_headline(const struct top *top, unsigned int width, struct text *t);
void top_line(const struct top *top, const struct row *row, unsigned int width, struct text *t);
bool top_screen(struct top *top);

#endif
