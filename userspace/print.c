// SPDX-License-Identifier: GPL-2.0
/* Nodes as scst.conf. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* What no way of writing brings through the lexer. */
static const char *unspeakable(const char *s)
{
	if (strpbrk(s, "{}"))
		return "a brace";
	if (strpbrk(s, "\n"))
		return "a newline";
	if (strchr(s, '"') && (strpbrk(s, " \t\v\f\r") || (*s == '"' && strchr(s + 1, '"'))))
		return "a quote";
	return NULL;
}

static void put_word(struct text *out, const char *s)
{
	bool quote = !*s || strpbrk(s, " \t\v\f\r");

	if (quote)
		text_put(out, "\"", 1);
	for (; *s; s++) {
		if (*s == '\\' || *s == '#')
			text_put(out, "\\", 1);
		text_put(out, s, 1);
	}
	if (quote)
		text_put(out, "\"", 1);
}

static void indent(struct text *out, unsigned int depth)
{
	while (depth--)
		text_put(out, "\t", 1);
}

static bool speakable(const struct node *node, const char *name, const char *s,
		      struct diags *diags)
{
	const char *what = unspeakable(s);
	char *label;

	if (!what)
		return true;
	label = node_label(node);
	diag_error(diags, node->pos, "%s%s%s: the language has no way to write %s", label,
		   name ? ": " : "", name ? name : "", what);
	free(label);
	return false;
}

static void put_attrs(const struct node *node, unsigned int depth, struct text *out,
		      struct diags *diags)
{
	struct attr *attr;

	for_each_attr(attr, node) {
		if (!speakable(node, attr->name, attr->value, diags) ||
		    !speakable(node, attr->name, attr->name, diags))
			continue;
		indent(out, depth);
		put_word(out, attr->name);
		if (*attr->value) {
			text_put(out, " ", 1);
			put_word(out, attr->value);
		}
		text_put(out, "\n", 1);
	}
}

/* Lists of plain names and LUNs stay together, sections are set off. */
static bool set_off(const struct node *node)
{
	return node->attrs || node->first || node->kind == N_HANDLER || node->kind == N_DRIVER ||
	       node->kind == N_TARGET;
}

static void put_node(const struct node *node, unsigned int depth, struct text *out,
		     struct diags *diags)
{
	const struct node *child;
	bool first = !node->attrs;

	if (node->kind != N_ROOT) {
		if ((node->name && !speakable(node, NULL, node->name, diags)) ||
		    (node->device && !speakable(node, NULL, node->device, diags)))
			return;
		indent(out, depth - 1);
		text_add(out, "%s", kinds[node->kind].keyword);
		if (node->name) {
			text_put(out, " ", 1);
			put_word(out, node->name);
		}
		if (node->device) {
			text_put(out, " ", 1);
			put_word(out, node->device);
		}
		if (!set_off(node)) {
			text_put(out, "\n", 1);
			return;
		}
		text_put(out, " {\n", 3);
	}
	put_attrs(node, depth, out, diags);
	for_each_child(child, node) {
		if (!first && set_off(child) && child->kind != N_LUN)
			text_put(out, "\n", 1);
		first = false;
		put_node(child, depth + 1, out, diags);
	}
	if (node->kind != N_ROOT) {
		indent(out, depth - 1);
		text_put(out, "}\n", 2);
	}
}

/**
 * conf_print() - write a configuration
 * @root: what to write
 * @out: text is added to it
 * @diags: gets what cannot be written in this language; it is left out
 *
 * Return: true if all of it was written.
 */
bool conf_print(const struct node *root, struct text *out, struct diags *diags)
{
	unsigned int before = diags->errors;

	put_node(root, 0, out, diags);
	return diags->errors == before;
}
