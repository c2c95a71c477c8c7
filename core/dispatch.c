// SPDX-License-Identifier: GPL-2.0
/* Which function runs a command that the gate let pass. */
#include <linux/build_bug.h>

#include "exec.h"

static_assert(sizeof_field(struct skua_cdb_op, usage) == SKUA_MAX_CDB);

const skua_exec_fn skua_exec[SKUA_OP_NR] = {
	[SKUA_OP_TEST_UNIT_READY]	= skua_exec_test_unit_ready,
	[SKUA_OP_REQUEST_SENSE]		= skua_exec_request_sense,
	[SKUA_OP_INQUIRY]		= skua_exec_inquiry,
	[SKUA_OP_MODE_SELECT]		= skua_exec_mode_select,
	[SKUA_OP_MODE_SENSE]		= skua_exec_mode_sense,
	[SKUA_OP_RESERVE]		= skua_exec_reserve,
	[SKUA_OP_RELEASE]		= skua_exec_release,
	[SKUA_OP_START_STOP]		= skua_exec_start_stop,
	[SKUA_OP_PREVENT_ALLOW]		= skua_exec_prevent_allow,
	[SKUA_OP_READ_CAPACITY_10]	= skua_exec_read_capacity_10,
	[SKUA_OP_READ_CAPACITY_16]	= skua_exec_read_capacity_16,
	[SKUA_OP_READ]			= skua_exec_read,
	[SKUA_OP_WRITE]			= skua_exec_write,
	[SKUA_OP_WRITE_VERIFY]		= skua_exec_write_verify,
	[SKUA_OP_VERIFY]		= skua_exec_verify,
	[SKUA_OP_SYNC_CACHE]		= skua_exec_sync_cache,
	[SKUA_OP_UNMAP]			= skua_exec_unmap,
	[SKUA_OP_WRITE_SAME]		= skua_exec_write_same,
	[SKUA_OP_REPORT_LUNS]		= skua_exec_report_luns,
	[SKUA_OP_REPORT_OPCODES]	= skua_exec_report_opcodes,
	[SKUA_OP_REPORT_TMFS]		= skua_exec_report_tmfs,
	[SKUA_OP_PASS]			= skua_exec_pass,
};
