/* SPDX-License-Identifier: GPL-2.0 */
/* What is wrong with a configuration, and where. */
#ifndef SKUAADM_DIAG_H
#define SKUAADM_DIAG_H

#include <stdio.h>

#include "util.h"

struct pos {
	unsigned int line, col;		/* both from 1; line 0: no place */
};

struct diag {
	struct diag *next;
	struct pos pos;
	bool error;
	char *text;
};

struct diags {
	const char *file;
	struct diag *first, *last;
	unsigned int errors, warnings;
};

void diag_error(struct diags *d, struct pos pos, const char *format, ...) PRINTF(3, 4);
void diag_warn(struct diags *d, struct pos pos, const char *format, ...) PRINTF(3, 4);
void diags_print(const struct diags *d, FILE *out);
void diags_free(struct diags *d);

#endif
