// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "term.h"

/* NO_COLOR is what no-color.org asks programs to obey. */
bool term_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb");
}

static const char *colour(FILE *f, const char *code)
{
	return term_colour(f) ? code : "";
}

const char *term_red(FILE *f)
{
	return colour(f, "\033[31m");
}

const char *term_green(FILE *f)
{
	return colour(f, "\033[32m");
}

const char *term_yellow(FILE *f)
{
	return colour(f, "\033[33m");
}

const char *term_bold(FILE *f)
{
	return colour(f, "\033[1m");
}

const char *term_dim(FILE *f)
{
	return colour(f, "\033[2m");
}

const char *term_plain(FILE *f)
{
	return colour(f, "\033[0m");
}

/**
 * term_ask() - ask on standard output, read one line; only y and yes mean yes
 * @question: without what may be answered
 */
bool term_ask(const char *question)
{
	char line[64];

	printf("%s (y/[n]) ? ", question);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin)) {
		putchar('\n');
		return false;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return !strcasecmp(line, "y") || !strcasecmp(line, "yes");
}
