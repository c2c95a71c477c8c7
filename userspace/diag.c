// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "term.h"

static bool after_pos(const struct pos *a, struct pos b)
{
	return !a->line || a->line > b.line || (a->line == b.line && a->col > b.col);
}

PRINTF(4, 0)
static void add(struct diags *d, bool error, struct pos pos, const char *format, va_list ap)
{
	struct diag *new = xcalloc(1, sizeof(*new)), *after = NULL, *i;

	if (vasprintf(&new->text, format, ap) < 0)
		new->text = xstrdup("out of memory");
	new->pos = pos;
	new->error = error;
	/* In the order of the file, those without a place last. */
	if (!pos.line || (d->last && !after_pos(&d->last->pos, pos)))
		after = d->last;
	else
		for (i = d->first; i && !after_pos(&i->pos, pos); i = i->next)
			after = i;
	new->next = after ? after->next : d->first;
	*(after ? &after->next : &d->first) = new;
	if (!new->next)
		d->last = new;
	if (error)
		d->errors++;
	else
		d->warnings++;
}

void diag_error(struct diags *d, struct pos pos, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	add(d, true, pos, format, ap);
	va_end(ap);
}

void diag_warn(struct diags *d, struct pos pos, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	add(d, false, pos, format, ap);
	va_end(ap);
}

/**
 * diags_print() - one line each: FILE:LINE:COLUMN: error: REASON
 * @d: what there is to say
 * @out: where to
 */
void diags_print(const struct diags *d, FILE *out)
{
	const struct diag *i;

	for (i = d->first; i; i = i->next) {
		const char *colour = i->error ? term_red(out) : term_yellow(out);

		if (i->pos.line)
			fprintf(out, "%s:%u:%u: ", d->file, i->pos.line, i->pos.col);
		else
			fprintf(out, "%s: ", d->file);
		fprintf(out, "%s%s:%s %s\n", colour, i->error ? "error" : "warning",
			term_plain(out), i->text);
	}
}

void diags_free(struct diags *d)
{
	struct diag *i;

	while ((i = d->first)) {
		d->first = i->next;
		free(i->text);
		free(i);
	}
	memset(d, 0, sizeof(*d));
}
