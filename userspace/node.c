// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "node.h"

#define IN(kind)	(1U << (kind))

const struct kind_info kinds[NR_KINDS] = {
	[N_HANDLER]	= { "HANDLER", 2, IN(N_ROOT) },
	[N_DEVICE]	= { "DEVICE", 2, IN(N_HANDLER) },
	[N_DRIVER]	= { "TARGET_DRIVER", 2, IN(N_ROOT) },
	[N_TARGET]	= { "TARGET", 2, IN(N_DRIVER) },
	[N_LUN]		= { "LUN", 3, IN(N_TARGET) | IN(N_GROUP) },
	[N_GROUP]	= { "GROUP", 2, IN(N_TARGET) },
	[N_INITIATOR]	= { "INITIATOR", 2, IN(N_GROUP) },
	[N_ALUA]	= { "ALUA", 1, IN(N_ROOT) },
	[N_DEVICE_GROUP] = { "DEVICE_GROUP", 2, IN(N_ROOT) },
	[N_DG_DEVICE]	= { "DEVICE", 2, IN(N_DEVICE_GROUP) },
	[N_TARGET_GROUP] = { "TARGET_GROUP", 2, IN(N_DEVICE_GROUP) },
	[N_TG_TARGET]	= { "TARGET", 2, IN(N_TARGET_GROUP) },
};

bool is_keyword(const char *word)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		if (kinds[i].keyword && !strcmp(word, kinds[i].keyword))
			return true;
	return false;
}

/**
 * kind_of() - what a keyword means in a section
 * @keyword: the first word
 * @parent: the section
 * @kind: set on success only
 *
 * Return: false if it does not belong there.
 */
bool kind_of(const char *keyword, enum kind parent, enum kind *kind)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		if (kinds[i].keyword && !strcmp(keyword, kinds[i].keyword) &&
		    kinds[i].parents & IN(parent)) {
			*kind = i;
			return true;
		}
	return false;
}

/* The sections where a keyword belongs, for people; to be freed. */
char *kind_places(const char *keyword)
{
	struct text t = { 0 };
	unsigned int i, p;

	for (i = 0; i < NR_KINDS; i++) {
		if (!kinds[i].keyword || strcmp(keyword, kinds[i].keyword))
			continue;
		for (p = 0; p < NR_KINDS; p++)
			if (kinds[i].parents & IN(p))
				text_add(&t, "%s%s", t.len ? " or " : "",
					 p == N_ROOT ? "the top level" : kinds[p].keyword);
	}
	return text_take(&t);
}

struct node *node_new(enum kind kind, const char *name)
{
	struct node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	if (name)
		node->name = xstrdup(name);
	return node;
}

/* As the last child */
void node_add(struct node *parent, struct node *child)
{
	child->parent = parent;
	child->next = NULL;
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

/* Takes it out of its parent, which need not be done before node_free() of that. */
void node_remove(struct node *child)
{
	struct node *parent = child->parent, *before = NULL, *i;

	if (!parent)
		return;
	for (i = parent->first; i != child; i = i->next)
		before = i;
	*(before ? &before->next : &parent->first) = child->next;
	if (parent->last == child)
		parent->last = before;
	child->parent = NULL;
	child->next = NULL;
}

/* The grammar limits how deep this goes. */
void node_free(struct node *node)
{
	struct node *child;

	if (!node)
		return;
	while ((child = node->first)) {
		node->first = child->next;
		node_free(child);
	}
	while (node->attrs)
		attr_remove(node, node->attrs);
	strings_free(&node->params);
	strings_free(&node->dynamic);
	free(node->name);
	free(node->device);
	free(node);
}

static int (*sort_compare)(const struct node *, const struct node *);

static int compare(const void *a, const void *b)
{
	return sort_compare(*(struct node *const *)a, *(struct node *const *)b);
}

/* The children of one node */
void node_sort(struct node *node, int (*by)(const struct node *, const struct node *))
{
	struct node **list, *child;
	size_t nr = 0, i;

	for_each_child(child, node)
		nr++;
	if (nr < 2)
		return;
	list = xcalloc(nr, sizeof(*list));
	for (i = 0, child = node->first; child; child = child->next)
		list[i++] = child;
	sort_compare = by;
	qsort(list, nr, sizeof(*list), compare);
	node->first = NULL;
	node->last = NULL;
	for (i = 0; i < nr; i++)
		node_add(node, list[i]);
	free(list);
}

/* LUNs are numbers, however written. */
static bool same_name(enum kind kind, const char *a, const char *b)
{
	unsigned long long x, y;

	if (kind == N_LUN && parse_u64(a, &x) && parse_u64(b, &y))
		return x == y;
	return !strcmp(a, b);
}

struct node *node_find(const struct node *parent, enum kind kind, const char *name)
{
	struct node *child;

	if (!parent)
		return NULL;
	for_each_child(child, parent)
		if (child->kind == kind && (!name || same_name(kind, child->name, name)))
			return child;
	return NULL;
}

/* A device, whichever handler has it */
struct node *node_device(const struct node *root, const char *name)
{
	struct node *child, *dev;

	for_each_child(child, root) {
		if (child->kind != N_HANDLER)
			continue;
		dev = node_find(child, N_DEVICE, name);
		if (dev)
			return dev;
	}
	return NULL;
}

/* All nodes below @top, parents before their children */
struct node *node_next(const struct node *top, const struct node *node)
{
	if (node->first)
		return node->first;
	while (node != top && !node->next)
		node = node->parent;
	return node == top ? NULL : node->next;
}

/**
 * node_label() - how messages call an object
 * @node: the object
 *
 * Return: such as "TARGET iscsi/iqn.x, GROUP g, LUN 0"; to be freed.
 */
char *node_label(const struct node *node)
{
	struct text t = { 0 };
	char *up;

	switch (node->kind) {
	case N_ROOT:
		return xstrdup("the root");
	case N_TARGET:
		return xprintf("TARGET %s/%s", node->parent->name, node->name);
	case N_LUN:
	case N_GROUP:
	case N_INITIATOR:
	case N_DG_DEVICE:
	case N_TARGET_GROUP:
	case N_TG_TARGET:
		up = node_label(node->parent);
		text_add(&t, "%s, ", up);
		free(up);
		break;
	default:
		break;
	}
	text_add(&t, "%s", kinds[node->kind].keyword);
	if (node->name)
		text_add(&t, " %s", node->name);
	return text_take(&t);
}

struct attr *attr_add(struct node *node, const char *name, const char *value)
{
	struct attr *attr = xcalloc(1, sizeof(*attr));

	attr->name = xstrdup(name);
	attr->value = xstrdup(value);
	if (node->last_attr)
		node->last_attr->next = attr;
	else
		node->attrs = attr;
	node->last_attr = attr;
	return attr;
}

struct attr *attr_find(const struct node *node, const char *name)
{
	struct attr *attr;

	for_each_attr(attr, node)
		if (!strcmp(attr->name, name))
			return attr;
	return NULL;
}

/* The next one of the same name */
struct attr *attr_next(const struct attr *attr)
{
	struct attr *i;

	for (i = attr->next; i; i = i->next)
		if (!strcmp(i->name, attr->name))
			return i;
	return NULL;
}

const char *attr_value(const struct node *node, const char *name)
{
	struct attr *attr = attr_find(node, name);

	return attr ? attr->value : NULL;
}

void attr_remove(struct node *node, struct attr *attr)
{
	struct attr *before = NULL, *i;

	for (i = node->attrs; i != attr; i = i->next)
		before = i;
	*(before ? &before->next : &node->attrs) = attr->next;
	if (node->last_attr == attr)
		node->last_attr = before;
	free(attr->name);
	free(attr->value);
	free(attr);
}
