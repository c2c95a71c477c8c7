/* SPDX-License-Identifier: GPL-2.0 */
/* The commands' handlers, and what they share. Nothing outside core/ includes this. */
#ifndef SKUA_EXEC_H
#define SKUA_EXEC_H

#include "priv.h"

/* spc.c */
void skua_exec_test_unit_ready(struct skua_cmd *cmd);
void skua_exec_request_sense(struct skua_cmd *cmd);
void skua_exec_reserve(struct skua_cmd *cmd);
void skua_exec_release(struct skua_cmd *cmd);
void skua_exec_prevent_allow(struct skua_cmd *cmd);
void skua_exec_report_luns(struct skua_cmd *cmd);
void skua_exec_report_tmfs(struct skua_cmd *cmd);

/* opcodes.c */
void skua_exec_report_opcodes(struct skua_cmd *cmd);

/* inquiry.c */
void skua_exec_inquiry(struct skua_cmd *cmd);

/* mode.c */
void skua_exec_mode_sense(struct skua_cmd *cmd);
void skua_exec_mode_select(struct skua_cmd *cmd);
bool skua_mode_wce(const struct skua_dev *dev);

/* sbc.c */
void skua_exec_read_capacity_10(struct skua_cmd *cmd);
void skua_exec_read_capacity_16(struct skua_cmd *cmd);
void skua_exec_read(struct skua_cmd *cmd);
void skua_exec_write(struct skua_cmd *cmd);
void skua_exec_sync_cache(struct skua_cmd *cmd);
void skua_exec_start_stop(struct skua_cmd *cmd);
void skua_io_prepare_write(struct skua_io *io);
bool skua_io_needs_flush(const struct skua_io *io);
bool skua_dev_flushes(const struct skua_dev *dev);
void skua_flush_then_good(struct skua_cmd *cmd, struct skua_io *io);

/* pass.c */
void skua_exec_pass(struct skua_cmd *cmd);

/* provision.c */
void skua_exec_unmap(struct skua_cmd *cmd);
void skua_exec_write_same(struct skua_cmd *cmd);

/* verify.c */
void skua_exec_verify(struct skua_cmd *cmd);
void skua_exec_write_verify(struct skua_cmd *cmd);

/* Descriptors in one UNMAP, at most; the block limits page says so. */
#define SKUA_MAX_UNMAP_DESC	256

/* Logical block provisioning is managed (LBPME): UNMAP is served, and what goes with it. */
static inline bool skua_dev_thin(const struct skua_dev *dev)
{
	return READ_ONCE(dev->limits.thin) && READ_ONCE(dev->limits.max_unmap_blocks);
}

/* Unmapped blocks read as zeroes (LBPRZ). */
static inline bool skua_dev_unmaps_to_zero(const struct skua_dev *dev)
{
	return skua_dev_thin(dev) && READ_ONCE(dev->limits.unmap_zeroes);
}

/* WRITE SAME may unmap: where that is sure to leave the zeroes that it writes (LBPWS). */
static inline bool skua_dev_ws_unmaps(const struct skua_dev *dev)
{
	return skua_dev_unmaps_to_zero(dev) ||
	       (skua_dev_thin(dev) && READ_ONCE(dev->limits.max_ws_blocks));
}

/**
 * skua_cmd_redecode() - range of a command on the medium
 * @cmd: a command that the gate let pass
 * @req: the range
 *
 * For commands of which the gate's io.len has only what is transferred. The medium
 * may have shrunk since the gate.
 *
 * Return: false after the command was ended.
 */
bool skua_cmd_redecode(struct skua_cmd *cmd, struct skua_cdb_req *req);

#endif
