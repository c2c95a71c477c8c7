/* SPDX-License-Identifier: GPL-2.0 */
/* What can be told about a configuration without a kernel. */
#ifndef SKUAADM_CHECK_H
#define SKUAADM_CHECK_H

#include "node.h"

void conf_check(const struct node *root, struct diags *diags);
bool same_value(const char *name, const char *a, const char *b);

#endif
