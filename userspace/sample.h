/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions and what they have done so far. */
#ifndef SKUAADM_SAMPLE_H
#define SKUAADM_SAMPLE_H

#include "latency.h"
#include "tree.h"

/* What sessions and LUNs count alike */
struct counters {
	double time;			/* when these were read, as of struct sample */
	unsigned long long active, read_cmds, write_cmds, other_cmds, read_kb, write_kb;
};

/* One initiator's view of one LUN */
struct lun {
	unsigned int number;
	char *device;			/* "" if it has just gone */
	struct counters io;
	struct latency read, write, other;
};

struct session {
	char *driver, *target, *name;
	char *initiator;
	char *group;			/* "" for the target's own LUNs */
	char *where;			/* addresses, states: what the transport tells */
	struct strings luns;		/* numbers */
	struct counters io;
	unsigned long long unaligned;
	struct lun *lun;		/* sample_luns() */
	size_t nr_lun;
};

struct sample {
	struct session *v;
	size_t nr, room;
	double time;			/* seconds, of some clock */
	bool measuring;			/* latency */
};

void sample_take(struct tree *tree, struct sample *sample);
void sample_luns(struct tree *tree, struct sample *sample);
void sample_free(struct sample *sample);
const struct session *sample_find(const struct sample *sample, const struct session *like);
const struct lun *session_lun(const struct session *s, unsigned int number);
char *session_path(const struct session *s);

#endif
