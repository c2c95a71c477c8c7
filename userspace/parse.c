// SPDX-License-Identifier: GPL-2.0
/* Statements to nodes. What is wrong is reported and the rest is looked at as well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "parse.h"

struct parser {
	struct lexer lx;
	struct diags *diags;
	struct node *section;		/* that is open */
	unsigned int skip;		/* sections open inside one that is refused */
};

/* The later of two objects with the same name replaces the earlier one, wholly. */
static void replace_older(struct parser *p, struct node *node)
{
	struct node *old = node_find(p->section, node->kind, node->name);
	char *label;

	if (!old)
		return;
	node->parent = p->section;
	label = node_label(node);
	if (node->kind == N_LUN && strcmp(old->device, node->device) != 0)
		diag_error(p->diags, node->pos, "%s is %s here and %s in line %u", label,
			   node->device, old->device, old->pos.line);
	else if (old->first || old->attrs)
		diag_warn(p->diags, node->pos,
			  "%s was described in line %u already; only this description counts",
			  label, old->pos.line);
	free(label);
	node_remove(old);
	node_free(old);
}

/* An object begins, or is only named; NULL if it is refused. */
static struct node *add_object(struct parser *p, const struct statement *st)
{
	const char *keyword = st->words[0].text;
	struct node *node;
	enum kind kind;
	unsigned int words;

	if (!kind_of(keyword, p->section->kind, &kind)) {
		char *places = kind_places(keyword);

		diag_error(p->diags, st->pos, "%s does not belong here but into %s", keyword, places);
		free(places);
		return NULL;
	}
	words = kinds[kind].words;
	if (st->nr_words < words) {
		diag_error(p->diags, st->pos, words == 3 ? "%s needs a number and a device" :
			   "%s needs a name", keyword);
		return NULL;
	}
	if (st->nr_words > words) {
		struct pos pos = words < LEX_WORDS ? st->words[words].pos : st->pos;

		diag_error(p->diags, pos, "%s: one word too many", keyword);
		return NULL;
	}
	if (words > 1 && (!*st->words[1].text || (words > 2 && !*st->words[2].text))) {
		diag_error(p->diags, st->words[1].pos, "%s: an empty name", keyword);
		return NULL;
	}
	node = node_new(kind, words > 1 ? st->words[1].text : NULL);
	if (words > 2)
		node->device = xstrdup(st->words[2].text);
	node->pos = st->pos;
	replace_older(p, node);
	node_add(p->section, node);
	return node;
}

static void add_attribute(struct parser *p, const struct statement *st)
{
	const char *name = st->words[0].text;
	const char *value = st->nr_words > 1 ? st->words[1].text : "";
	struct attr *attr;

	if (*name == '[') {
		diag_error(p->diags, st->pos,
			   "\"%s\": the format of SCST 1 (/proc) is not read", name);
		return;
	}
	if (!*name) {
		diag_error(p->diags, st->pos, "an attribute needs a name");
		return;
	}
	if (strchr(name, '/')) {
		diag_error(p->diags, st->pos, "\"%s\" is no name for an attribute", name);
		return;
	}
	if (st->nr_words > 2) {
		diag_error(p->diags, st->words[2].pos,
			   "attribute %s has an invalid value: more than one word (quote it)", name);
		return;
	}
	for (attr = attr_find(p->section, name); attr; attr = attr_next(attr))
		if (!strcmp(attr->value, value))
			return;
	attr = attr_add(p->section, name, value);
	attr->pos = st->pos;
}

static void open_section(struct parser *p, const struct statement *st)
{
	struct node *node = NULL;

	if (p->skip) {
		p->skip++;
		return;
	}
	if (!st->nr_words)
		diag_error(p->diags, st->pos, "\"{\" without what it begins; both belong on one line");
	else if (!is_keyword(st->words[0].text))
		diag_error(p->diags, st->pos, "there is no section \"%s\"", st->words[0].text);
	else
		node = add_object(p, st);
	if (node)
		p->section = node;
	else
		p->skip = 1;
}

static void close_section(struct parser *p, const struct statement *st)
{
	if (p->skip)
		p->skip--;
	else if (p->section->parent)
		p->section = p->section->parent;
	else
		diag_error(p->diags, st->pos, "\"}\" without a \"{\" before");
}

static void statement(struct parser *p, const struct statement *st)
{
	if (p->skip)
		return;
	if (is_keyword(st->words[0].text))
		add_object(p, st);
	else
		add_attribute(p, st);
}

/**
 * conf_parse() - read a configuration
 * @text: of the file
 * @len: its length
 * @diags: gets what is wrong or strange; an error means that the result is incomplete
 *
 * Return: the root, never NULL.
 */
struct node *conf_parse(const char *text, size_t len, struct diags *diags)
{
	struct node *root = node_new(N_ROOT, NULL);
	struct parser p = { .diags = diags, .section = root };
	struct statement st;
	bool end = false;

	lex_begin(&p.lx, text, len, diags);
	while (!end) {
		lex_next(&p.lx, &st);
		switch (st.what) {
		case LEX_STATEMENT:
			statement(&p, &st);
			break;
		case LEX_OPEN:
			open_section(&p, &st);
			break;
		case LEX_CLOSE:
			close_section(&p, &st);
			break;
		case LEX_END:
			if (p.section != root) {
				char *label = node_label(p.section);

				diag_error(diags, p.section->pos, "%s has no \"}\"", label);
				free(label);
			} else if (p.skip) {
				diag_error(diags, st.pos, "a \"}\" is missing");
			}
			end = true;
		}
		statement_free(&st);
	}
	lex_end(&p.lx);
	return root;
}

/**
 * conf_read() - read a configuration file
 * @path: the file; "-" is standard input
 * @diags: as of conf_parse(); its file is set
 *
 * Return: the root; NULL with errno if it cannot be read.
 */
struct node *conf_read(const char *path, struct diags *diags)
{
	struct node *root;
	size_t len;
	char *text = read_all(path, &len);

	diags->file = path;
	if (!text)
		return NULL;
	root = conf_parse(text, len, diags);
	free(text);
	return root;
}
