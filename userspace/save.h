/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's state as a configuration file. */
#ifndef SKUAADM_SAVE_H
#define SKUAADM_SAVE_H

#include "node.h"

void keep_worth_saving(struct node *root, bool all);
int write_config(const char *path, const struct text *text);

#endif
