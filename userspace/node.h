/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A configuration: objects with attributes, in a tree. One model for what a file says
 * and for what the kernel has.
 */
#ifndef SKUAADM_NODE_H
#define SKUAADM_NODE_H

#include "diag.h"

enum kind {
	N_ROOT, N_HANDLER, N_DEVICE, N_DRIVER, N_TARGET, N_LUN, N_GROUP, N_INITIATOR, N_ALUA,
	N_DEVICE_GROUP, N_DG_DEVICE, N_TARGET_GROUP, N_TG_TARGET,
	NR_KINDS
};

#define A_KEY		1	/* worth saving: the kernel's mark [key] */
#define A_READ		2
#define A_WRITE		4
#define A_DYNAMIC	8	/* comes and goes by add_attribute and its kin */

struct attr {
	struct attr *next;
	char *name, *value;	/* "" if there is none */
	struct pos pos;
	unsigned int flags;	/* of what the kernel has: A_* */
};

struct node {
	struct node *next, *parent, *first, *last;
	enum kind kind;
	char *name;		/* NULL of N_ROOT and N_ALUA */
	char *device;		/* of N_LUN */
	struct attr *attrs, *last_attr;
	struct pos pos;
	/* of what the kernel has */
	struct strings params;	/* that a creation in here takes */
	struct strings dynamic;	/* attributes of drivers, or with '@' before: of targets */
	bool creates;		/* handler, driver: has a mgmt file */
	bool refused;		/* of the file: cannot be made, and was reported */
	bool remote;		/* N_TG_TARGET: a port of another node */
	unsigned long long order;	/* of creation */
};

struct kind_info {
	const char *keyword;
	unsigned int words;	/* with the keyword */
	unsigned int parents;	/* bits of enum kind */
};

extern const struct kind_info kinds[NR_KINDS];

bool is_keyword(const char *word);
bool kind_of(const char *keyword, enum kind parent, enum kind *kind);
char *kind_places(const char *keyword);

struct node *node_new(enum kind kind, const char *name);
void node_add(struct node *parent, struct node *child);
void node_remove(struct node *child);
void node_free(struct node *node);
void node_sort(struct node *node, int (*compare)(const struct node *, const struct node *));
struct node *node_find(const struct node *parent, enum kind kind, const char *name);
struct node *node_device(const struct node *root, const char *name);
struct node *node_next(const struct node *top, const struct node *node);
char *node_label(const struct node *node);

struct attr *attr_add(struct node *node, const char *name, const char *value);
struct attr *attr_find(const struct node *node, const char *name);
struct attr *attr_next(const struct attr *attr);
const char *attr_value(const struct node *node, const char *name);
void attr_remove(struct node *node, struct attr *attr);

#define for_each_child(child, node)	for ((child) = (node)->first; (child); (child) = (child)->next)
#define for_each_attr(attr, node)	for ((attr) = (node)->attrs; (attr); (attr) = (attr)->next)
#define for_each_node(i, top) \
	for ((i) = (top); (i); (i) = node_next(top, i))

#endif
