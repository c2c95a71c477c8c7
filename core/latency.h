/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long commands take, if the file measure_latency says so. While it does not, a
 * command passes a few patched-out jumps and reads no clock.
 */
#ifndef SKUA_LATENCY_H
#define SKUA_LATENCY_H

#include <linux/jump_label.h>

#include "priv.h"

#define SKUA_LAT_SIZES	11		/* of commands: 512, 1024 ... 524288 bytes */

DECLARE_STATIC_KEY_FALSE(skua_measuring);

void __skua_lat_begin(struct skua_cmd *cmd);
void __skua_lat_stamp(struct skua_cmd *cmd, unsigned int which);
void __skua_lat_end(struct skua_cmd *cmd);

/* A command begins. */
static inline void skua_lat_begin(struct skua_cmd *cmd)
{
	if (static_branch_unlikely(&skua_measuring))
		__skua_lat_begin(cmd);
}

/* It has come to a point: SKUA_STAMP_*. */
static inline void skua_lat_stamp(struct skua_cmd *cmd, unsigned int which)
{
	if (static_branch_unlikely(&skua_measuring))
		__skua_lat_stamp(cmd, which);
}

/* The answer has left; the command still holds its references. */
static inline void skua_lat_end(struct skua_cmd *cmd)
{
	if (static_branch_unlikely(&skua_measuring))
		__skua_lat_end(cmd);
}

/* SKUA_STAT_* of a command */
static inline int skua_cmd_kind(const struct skua_cmd *cmd)
{
	if (!cmd->op)
		return SKUA_STAT_UNKNOWN;
	if (cmd->op->flags & SKUA_F_IN)
		return SKUA_STAT_READ;
	return cmd->op->flags & SKUA_F_OUT ? SKUA_STAT_WRITE : SKUA_STAT_NONE;
}

bool skua_lat_measuring(void);
int skua_lat_switch(bool on);
void skua_lat_add_session(struct skua_session *sess);
void skua_lat_add_nexus(struct skua_nexus *nx);
void skua_lat_free(struct skua_lat __rcu **lat);
int skua_lat_clear(struct skua_session *sess);
ssize_t skua_lat_show_sizes(struct skua_session *sess, int kind, unsigned int size, char *buf);
ssize_t skua_lat_show_nexus(struct skua_nexus *nx, int kind, char *buf);

#endif
