/* SPDX-License-Identifier: GPL-2.0 */
/* The options of scstadmin, for scripts that use them. */
#ifndef SKUAADM_SCSTADMIN_H
#define SKUAADM_SCSTADMIN_H

#include "tree.h"

struct scst {
	struct tree tree;
	const char *driver, *target, *group, *device, *handler, *attributes;
	const char *dev_group, *tgt_group, *to;
	bool force, noprompt, cont_on_err, nonkey, debug;
	bool failed;		/* something was fatal, and passed over with -cont_on_err */
};

/* What one option does. Templates: see expand() in scst_ops.c. */
struct scst_op {
	const char *name;
	char arg;		/* '-': none, '?': may be left out, '!': needed */
	bool query, asks;
	int (*run)(struct scst *a, const struct scst_op *op, const char *value);
	const char *path, *data;
};

extern const struct scst_op scst_ops[];

int scst_main(int argc, char **argv);
int scst_fatal(struct scst *a, const char *format, ...) PRINTF(2, 3);

int scst_config(struct scst *a, const struct scst_op *op, const char *value);
int scst_check(struct scst *a, const struct scst_op *op, const char *value);
int scst_save(struct scst *a, const struct scst_op *op, const char *value);
int scst_clear(struct scst *a, const struct scst_op *op, const char *value);

#endif
