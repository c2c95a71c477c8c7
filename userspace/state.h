/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel has, as nodes. */
#ifndef SKUAADM_STATE_H
#define SKUAADM_STATE_H

#include "node.h"
#include "tree.h"

struct node *state_read(struct tree *tree);
char *node_path(const struct node *node);
bool takes_param(const struct node *creator, const char *name);
bool is_dynamic(const struct node *node, const char *name);
void generated_id(unsigned long long setup_id, const char *name, char *id, size_t size);

#endif
