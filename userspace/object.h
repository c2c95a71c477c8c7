/* SPDX-License-Identifier: GPL-2.0 */
/* Objects as they are named on the command line: paths below the tree's root. */
#ifndef SKUAADM_OBJECT_H
#define SKUAADM_OBJECT_H

#include "node.h"
#include "tree.h"

char *object_path(struct tree *tree, const char *word, char **why);
struct node *object_nodes(struct tree *tree, const char *path, struct node **leaf, char **why);

#endif
