/* SPDX-License-Identifier: GPL-2.0 */
/* What "skuaadm doctor" says; one function for each part that it looks at. */
#ifndef SKUAADM_DOCTOR_H
#define SKUAADM_DOCTOR_H

#include "node.h"
#include "tree.h"

void fine(const char *format, ...) PRINTF(1, 2);
void problem(const char *remedy, const char *format, ...) PRINTF(2, 3);

bool look_at_ports(void);
void look_at_memory(struct tree *tree, const struct node *root, bool rdma);

#endif
