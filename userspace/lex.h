/* SPDX-License-Identifier: GPL-2.0 */
/* scst.conf as a row of statements. */
#ifndef SKUAADM_LEX_H
#define SKUAADM_LEX_H

#include "diag.h"

#define LEX_WORDS	3	/* more than these do not count */

enum lex_what {
	LEX_STATEMENT,		/* a line, or the part behind a brace */
	LEX_OPEN,		/* the same, with '{' at its end */
	LEX_CLOSE,		/* '}' */
	LEX_END,
};

struct word {
	char *text;
	struct pos pos;
};

struct statement {
	enum lex_what what;
	struct pos pos;		/* of the first word, or of the brace */
	struct word words[LEX_WORDS];
	unsigned int nr_words;	/* all of the line, may be more than LEX_WORDS */
};

struct lexer {
	const char *next, *end;	/* of the input, from the next line on */
	unsigned int line;
	bool newline;		/* the current line ended in one */
	char *text;		/* of the current line, without comment and backslashes */
	unsigned int *cols;	/* where each character was */
	size_t len, at;
	struct diags *diags;
};

void lex_begin(struct lexer *lx, const char *text, size_t len, struct diags *diags);
void lex_next(struct lexer *lx, struct statement *st);
void lex_end(struct lexer *lx);
void statement_free(struct statement *st);

#endif
