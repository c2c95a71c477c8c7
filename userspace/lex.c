// SPDX-License-Identifier: GPL-2.0
/*
 * The language has rules that surprise: they are applied one after another to a line,
 * as text, so that quotes protect neither '#' nor braces. What such a rule makes vanish
 * is worth a warning.
 */
#include <stdlib.h>
#include <string.h>

#include "lex.h"

void lex_begin(struct lexer *lx, const char *text, size_t len, struct diags *diags)
{
	memset(lx, 0, sizeof(*lx));
	lx->next = text;
	lx->end = text + len;
	lx->diags = diags;
	lx->at = 1;		/* behind an empty line */
}

void lex_end(struct lexer *lx)
{
	free(lx->text);
	free(lx->cols);
	memset(lx, 0, sizeof(*lx));
}

void statement_free(struct statement *st)
{
	unsigned int i;

	for (i = 0; i < LEX_WORDS; i++)
		free(st->words[i].text);
	memset(st, 0, sizeof(*st));
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How much of a line stays: a comment goes, and the character before it too. */
static size_t cut_comment(struct lexer *lx, const char *line, size_t len)
{
	size_t i;

	if (len && line[0] == '#')
		return 0;
	for (i = 1; i < len; i++) {
		if (line[i] != '#' || line[i - 1] == '\\')
			continue;
		if (!is_blank(line[i - 1]) && line[i - 1] != '{' && line[i - 1] != '}')
			diag_warn(lx->diags, (struct pos){ lx->line, i },
				  "\"#\" begins a comment and takes the character before it along; write \\# for one that counts");
		else if (line[i - 1] == '{' || line[i - 1] == '}')
			diag_warn(lx->diags, (struct pos){ lx->line, i },
				  "the comment takes the brace before it along; put a blank between");
		return i - 1;
	}
	return len;
}

/* Fetches the next line; false at the end of the input. */
static bool next_line(struct lexer *lx)
{
	const char *line = lx->next, *end;
	size_t len, i;

	if (line == lx->end)
		return false;
	end = memchr(line, '\n', lx->end - line);
	lx->newline = end;
	if (!end)
		end = lx->end;
	lx->next = lx->newline ? end + 1 : end;
	lx->line++;
	lx->at = 0;
	lx->len = 0;
	len = cut_comment(lx, line, end - line);
	lx->text = xrealloc(lx->text, len + 1, 1);
	lx->cols = xrealloc(lx->cols, len + 1, sizeof(*lx->cols));
	for (i = 0; i < len; i++) {
		lx->cols[lx->len] = i + 1;
		if (line[i] == '\\' && i + 1 < len)
			i++;
		if (!line[i]) {
			diag_error(lx->diags, (struct pos){ lx->line, i + 1 },
				   "a NUL character: this is no configuration file");
			continue;
		}
		lx->text[lx->len++] = line[i];
	}
	lx->cols[lx->len] = len + 1;
	return true;
}

static void add_word(struct lexer *lx, struct statement *st, size_t from, size_t len)
{
	struct pos pos = { lx->line, lx->cols[from] };

	if (!st->nr_words)
		st->pos = pos;
	if (st->nr_words < LEX_WORDS) {
		st->words[st->nr_words].text = xstrndup(lx->text + from, len);
		st->words[st->nr_words].pos = pos;
	}
	st->nr_words++;
}

/* Cuts lx->text[from, to) into words. */
static void split(struct lexer *lx, struct statement *st, size_t from, size_t to)
{
	while (from < to) {
		size_t end = from;
		const char *quote;

		if (is_blank(lx->text[from])) {
			from++;
			continue;
		}
		quote = lx->text[from] == '"' ?
			memchr(lx->text + from + 1, '"', to - from - 1) : NULL;
		if (quote) {
			end = quote - lx->text;
			add_word(lx, st, from + 1, end - from - 1);
			if (st->nr_words <= LEX_WORDS)
				st->words[st->nr_words - 1].pos.col = lx->cols[from];
			from = end + 1;
			continue;
		}
		if (lx->text[from] == '"')
			diag_warn(lx->diags, (struct pos){ lx->line, lx->cols[from] },
				  "this quote has no end, it is taken as a character");
		while (end < to && !is_blank(lx->text[end]))
			end++;
		add_word(lx, st, from, end - from);
		from = end;
	}
	if (st->nr_words && st->words[0].pos.line)
		st->pos = st->words[0].pos;
}

static void lost(struct lexer *lx, struct statement *st, const char *why)
{
	struct pos pos = st->pos;
	unsigned int i;

	if (!st->nr_words)
		return;
	diag_warn(lx->diags, pos, "\"%s%s\" is lost: %s", st->words[0].text,
		  st->nr_words > 1 ? " ..." : "", why);
	for (i = 0; i < LEX_WORDS; i++)
		free(st->words[i].text);
	memset(st->words, 0, sizeof(st->words));
	st->nr_words = 0;
}

/**
 * lex_next() - the next statement
 * @lx: the lexer
 * @st: filled in; statement_free() before the next use
 *
 * A statement without words is given for '{' only.
 */
void lex_next(struct lexer *lx, struct statement *st)
{
	memset(st, 0, sizeof(*st));
	for (;;) {
		size_t from, to;

		if (lx->at > lx->len && !next_line(lx)) {
			st->what = LEX_END;
			st->pos = (struct pos){ lx->line + 1, 1 };
			return;
		}
		from = lx->at;
		for (to = from; to < lx->len && lx->text[to] != '{' && lx->text[to] != '}'; to++)
			;
		lx->at = to + 1;
		split(lx, st, from, to);
		if (to < lx->len) {
			struct pos brace = { lx->line, lx->cols[to] };

			st->what = lx->text[to] == '{' ? LEX_OPEN : LEX_CLOSE;
			if (st->what == LEX_CLOSE) {
				lost(lx, st, "a \"}\" on the same line follows");
				st->pos = brace;
			} else if (!st->nr_words) {
				st->pos = brace;
			}
			return;
		}
		st->what = LEX_STATEMENT;
		if (!lx->newline)
			lost(lx, st, "the last line of the file needs a newline");
		if (st->nr_words)
			return;
	}
}
