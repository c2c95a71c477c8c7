/* SPDX-License-Identifier: GPL-2.0 */
/* scst.conf to nodes and back. */
#ifndef SKUAADM_PARSE_H
#define SKUAADM_PARSE_H

#include "node.h"

struct node *conf_parse(const char *text, size_t len, struct diags *diags);
struct node *conf_read(const char *path, struct diags *diags);
bool conf_print(const struct node *root, struct text *out, struct diags *diags);

#endif
