/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions and what they have done so far. */
#ifndef SKUAADM_SAMPLE_H
#define SKUAADM_SAMPLE_H

#include "tree.h"

struct session {
	char *driver, *target, *name;
	char *initiator;
	char *group;			/* "" for the target's own LUNs */
	char *where;			/* addresses, states: what the transport tells */
	struct strings luns;		/* numbers */
	unsigned long long active, read_cmds, write_cmds, other_cmds, read_kb, write_kb;
	unsigned long long unaligned;
};

struct sample {
	struct session *v;
	size_t nr, room;
	double time;			/* seconds, of some clock */
};

void sample_take(struct tree *tree, struct sample *sample);
void sample_free(struct sample *sample);
const struct session *sample_find(const struct sample *sample, const struct session *like);
char *session_path(const struct session *s);

#endif
