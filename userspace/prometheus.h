/* SPDX-License-Identifier: GPL-2.0 */
/* Samples in the text format of Prometheus, to a file or by HTTP. */
#ifndef SKUAADM_PROMETHEUS_H
#define SKUAADM_PROMETHEUS_H

#include <stdio.h>

#include "sample.h"

void prometheus_print(FILE *out, const struct sample *sample);
char *prometheus_text(size_t *len);

bool exporter_there(void);
int exporter_run(const char *address);

#endif
