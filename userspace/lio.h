/* SPDX-License-Identifier: GPL-2.0 */
/* LIO's saveconfig.json as nodes. */
#ifndef SKUAADM_LIO_H
#define SKUAADM_LIO_H

#include "node.h"

struct node *lio_read(const char *path, struct diags *diags);

#endif
