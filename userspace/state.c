// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "state.h"

/**
 * node_path() - where an object is in the tree
 * @node: of a file or of the kernel
 *
 * Return: relative to the tree's root; for free().
 */
char *node_path(const struct node *node)
{
	char *up = node->parent ? node_path(node->parent) : NULL, *path = NULL;
	unsigned long long lun;

	switch (node->kind) {
	case N_ROOT:
		path = xstrdup(".");
		break;
	case N_HANDLER:
		path = xprintf("handlers/%s", node->name);
		break;
	case N_DEVICE:
		path = xprintf("devices/%s", node->name);
		break;
	case N_DRIVER:
		path = xprintf("targets/%s", node->name);
		break;
	case N_LUN:
		if (!parse_u64(node->name, &lun))
			lun = 0;
		path = xprintf("%s/luns/%llu", up, lun);
		break;
	case N_GROUP:
		path = xprintf("%s/ini_groups/%s", up, node->name);
		break;
	case N_INITIATOR:
		path = xprintf("%s/initiators/%s", up, node->name);
		break;
	case N_ALUA:
		path = xstrdup("device_groups");
		break;
	case N_DEVICE_GROUP:
		path = xprintf("device_groups/%s", node->name);
		break;
	case N_DG_DEVICE:
		path = xprintf("%s/devices/%s", up, node->name);
		break;
	case N_TARGET_GROUP:
		path = xprintf("%s/target_groups/%s", up, node->name);
		break;
	case N_TARGET:
	case N_TG_TARGET:
	case NR_KINDS:
		path = xprintf("%s/%s", up, node->name);
		break;
	}
	free(up);
	return path;
}

/* Does the creation of an object in here take this parameter? */
bool takes_param(const struct node *creator, const char *name)
{
	return creator && strings_have(&creator->params, name);
}

/* Is this an attribute of a driver or target that comes and goes? */
bool is_dynamic(const struct node *node, const char *name)
{
	char *own;
	bool yes;

	if (node->kind == N_DRIVER)
		return strings_have(&node->dynamic, name);
	if (node->kind != N_TARGET)
		return false;
	own = xprintf("@%s", name);
	yes = strings_have(&node->parent->dynamic, own);
	free(own);
	return yes;
}

/**
 * generated_id() - the unit serial number that a device gets by itself
 * @setup_id: the root's attribute
 * @name: of the device
 * @id: where to
 * @size: room there
 */
void generated_id(unsigned long long setup_id, const char *name, char *id, size_t size)
{
	size_t len = strlen(name) + 1, i;
	uint32_t crc = 0;
	int bit;

	/* CRC-32C, beginning with 0, not inverted at the end */
	for (i = 0; i < len; i++) {
		crc ^= (unsigned char)name[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	snprintf(id, size, "%llx", (unsigned long long)(uint32_t)setup_id << 32 | crc);
}

/* ---- mgmt files ------------------------------------------------------- */

/* The comma separated words behind @prefix at the start of a line */
static void words_behind(const char *text, const char *prefix, const char *mark,
			 struct strings *list)
{
	size_t len = strlen(prefix), n;
	const char *line, *s, *end;
	char *word;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, prefix, len))
			break;
	}
	if (!line)
		return;
	s = line + len;
	end = s + strcspn(s, "\n");
	while (s < end) {
		s += strspn(s, " ,");
		n = strcspn(s, " ,\n");
		if (s >= end || !n)
			break;
		word = xprintf("%s%.*s", mark, (int)n, s);
		if (word[strlen(word) - 1] == '.')
			word[strlen(word) - 1] = '\0';
		strings_add(list, word);
		free(word);
		s += n;
	}
}

static void read_mgmt(struct tree *tree, struct node *node, const char *dir)
{
	char *path = xprintf("%s/mgmt", dir);
	struct text t = { 0 };

	node->creates = !tree_read(tree, path, &t);
	if (node->creates) {
		words_behind(t.s, "The following parameters available:", "", &node->params);
		words_behind(t.s, "The following target driver attributes available:", "",
			     &node->dynamic);
		words_behind(t.s, "The following target attributes available:", "@",
			     &node->dynamic);
	}
	text_free(&t);
	free(path);
}

/* ---- attributes ------------------------------------------------------- */

/* "Name1" with the mark is another value of "Name". */
static void strip_digits(char *name)
{
	size_t len = strlen(name);

	while (len > 1 && isdigit((unsigned char)name[len - 1]))
		name[--len] = '\0';
}

static void read_attr(struct tree *tree, struct node *node, const char *dir,
		      const struct entry *entry)
{
	char *path = xprintf("%s/%s", dir, entry->name), *name = xstrdup(entry->name);
	char *value = NULL;
	struct attr *attr;
	bool key = false;

	if (entry->mode & 0400)
		value = tree_value(tree, path, &key);
	if (key)
		strip_digits(name);
	if (value || !(entry->mode & 0400)) {
		attr = attr_add(node, name, value ? value : "");
		attr->flags = (key ? A_KEY : 0) | (entry->mode & 0400 ? A_READ : 0) |
			      (entry->mode & 0200 ? A_WRITE : 0) |
			      (is_dynamic(node, name) ? A_DYNAMIC : 0);
	}
	free(value);
	free(name);
	free(path);
}

/* Regular files other than mgmt are attributes. */
static void read_attrs(struct tree *tree, struct node *node, const char *dir)
{
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, dir, &list);
	for (i = 0; i < list.nr; i++)
		if (S_ISREG(list.v[i].mode) && strcmp(list.v[i].name, "mgmt") != 0)
			read_attr(tree, node, dir, &list.v[i]);
	entries_free(&list);
}

/* ---- objects ---------------------------------------------------------- */

typedef void read_object(struct tree *tree, struct node *node, const char *dir);

static struct node *add_child(struct node *parent, enum kind kind, const struct entry *entry)
{
	struct node *node = node_new(kind, entry->name);

	node->order = entry->ino;
	node_add(parent, node);
	return node;
}

/* One child for each entry of @dir of one of the types, which @read completes */
static void read_children(struct tree *tree, struct node *parent, enum kind kind, const char *dir,
			  bool links, bool dirs, read_object *read)
{
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, dir, &list);
	for (i = 0; i < list.nr; i++) {
		struct node *node;
		char *path;

		if (!(links && S_ISLNK(list.v[i].mode)) && !(dirs && S_ISDIR(list.v[i].mode)))
			continue;
		node = add_child(parent, kind, &list.v[i]);
		node->remote = S_ISDIR(list.v[i].mode);
		path = xprintf("%s/%s", dir, list.v[i].name);
		read(tree, node, path);
		free(path);
	}
	entries_free(&list);
}

static void read_below(struct tree *tree, struct node *parent, enum kind kind, const char *dir,
		       const char *sub, bool links, bool dirs, read_object *read)
{
	char *path = xprintf("%s/%s", dir, sub);

	read_children(tree, parent, kind, path, links, dirs, read);
	free(path);
}

static void read_nothing(struct tree *tree, struct node *node, const char *dir)
{
	(void)tree;
	(void)node;
	(void)dir;
}

static void read_device(struct tree *tree, struct node *node, const char *dir)
{
	char *path = node_path(node);

	(void)dir;
	read_attrs(tree, node, path);
	free(path);
}

static void read_handler(struct tree *tree, struct node *node, const char *dir)
{
	read_mgmt(tree, node, dir);
	read_attrs(tree, node, dir);
	read_children(tree, node, N_DEVICE, dir, true, false, read_device);
}

static void read_lun(struct tree *tree, struct node *node, const char *dir)
{
	char *path = xprintf("%s/device", dir);

	node->device = tree_link(tree, path);
	if (!node->device)
		node->device = xstrdup("");
	free(path);
	read_attrs(tree, node, dir);
}

static void read_initiators(struct tree *tree, struct node *group, const char *dir)
{
	char *path = xprintf("%s/initiators", dir);
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, path, &list);
	for (i = 0; i < list.nr; i++)
		if (S_ISREG(list.v[i].mode) && strcmp(list.v[i].name, "mgmt") != 0)
			add_child(group, N_INITIATOR, &list.v[i]);
	entries_free(&list);
	free(path);
}

static void read_group(struct tree *tree, struct node *node, const char *dir)
{
	read_attrs(tree, node, dir);
	read_below(tree, node, N_LUN, dir, "luns", false, true, read_lun);
	read_initiators(tree, node, dir);
}

static int by_ino(const void *a, const void *b)
{
	unsigned long long x = ((const struct entry *)a)->ino, y = ((const struct entry *)b)->ino;

	return x < y ? -1 : x > y;
}

/* Sessions that a target was created with are attributes of it. */
static void read_session_names(struct tree *tree, struct node *target, const char *dir)
{
	char *path = xprintf("%s/sessions", dir);
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, path, &list);
	if (list.nr)
		qsort(list.v, list.nr, sizeof(*list.v), by_ino);
	for (i = 0; i < list.nr; i++) {
		char *file = xprintf("%s/%s/initiator_name", path, list.v[i].name);
		char *name = tree_value(tree, file, NULL);

		if (name)
			attr_add(target, "session_name", name)->flags = A_KEY | A_READ;
		free(name);
		free(file);
	}
	entries_free(&list);
	free(path);
}

static void read_target(struct tree *tree, struct node *node, const char *dir)
{
	read_attrs(tree, node, dir);
	if (takes_param(node->parent, "session_name"))
		read_session_names(tree, node, dir);
	read_below(tree, node, N_LUN, dir, "luns", false, true, read_lun);
	read_below(tree, node, N_GROUP, dir, "ini_groups", false, true, read_group);
}

static void read_driver(struct tree *tree, struct node *node, const char *dir)
{
	read_mgmt(tree, node, dir);
	read_attrs(tree, node, dir);
	read_children(tree, node, N_TARGET, dir, false, true, read_target);
}

static void read_member(struct tree *tree, struct node *node, const char *dir)
{
	if (node->remote)
		read_attrs(tree, node, dir);
}

static void read_target_group(struct tree *tree, struct node *node, const char *dir)
{
	read_attrs(tree, node, dir);
	read_children(tree, node, N_TG_TARGET, dir, true, true, read_member);
}

static void read_device_group(struct tree *tree, struct node *node, const char *dir)
{
	read_attrs(tree, node, dir);
	read_below(tree, node, N_DG_DEVICE, dir, "devices", true, false, read_nothing);
	read_below(tree, node, N_TARGET_GROUP, dir, "target_groups", false, true,
		   read_target_group);
}

/* Groups and patterns apply in the order of their creation, which inode numbers keep. */
static int in_order(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == N_GROUP || a->kind == N_INITIATOR)
		return a->order < b->order ? -1 : a->order > b->order;
	return name_cmp(a->name, b->name);
}

/**
 * state_read() - read the tree
 * @tree: the tree
 *
 * Return: the root. What vanishes meanwhile is left out.
 */
struct node *state_read(struct tree *tree)
{
	struct node *root = node_new(N_ROOT, NULL), *node;

	read_attrs(tree, root, ".");
	read_children(tree, root, N_HANDLER, "handlers", false, true, read_handler);
	read_children(tree, root, N_DRIVER, "targets", false, true, read_driver);
	read_children(tree, root, N_DEVICE_GROUP, "device_groups", false, true,
		      read_device_group);
	for (node = root; node; node = node_next(root, node))
		node_sort(node, in_order);
	return root;
}
