/* SPDX-License-Identifier: GPL-2.0 */
/* Output for programs, by json-c; without that library it says so. */
#ifndef SKUAADM_JSON_H
#define SKUAADM_JSON_H

#include "apply.h"
#include "rates.h"

bool json_there(void);
void json_plan(const struct plan *plan, const struct result *result);
void json_sample(const struct sample *sample, const struct sample *before);

#endif
