// SPDX-License-Identifier: GPL-2.0
/*
 * A command's way through the core: gate, buffers, execution, end. The gate
 * makes every check that can refuse a command before a byte of its data is
 * fetched: with a backend's own pages the fetch is itself the write.
 */
#include <scsi/scsi_proto.h>

#include "latency.h"
#include "priv.h"
#include "sense.h"

#define SKUA_MAX_PARAM	(1U << 20)	/* bytes of a parameter list, at most */

/* ---- context ---------------------------------------------------------- */

static void skua_cmd_work(struct work_struct *work)
{
	struct skua_cmd *cmd = container_of(work, struct skua_cmd, work);

	cmd->resume(cmd, true);
}

/**
 * skua_cmd_hop() - go on with a command in process context
 * @cmd: a submitted command that nothing else is working on
 * @fn: called from a workqueue, on the queue's CPU, with may_sleep true
 *
 * Context: any.
 */
void skua_cmd_hop(struct skua_cmd *cmd, void (*fn)(struct skua_cmd *cmd, bool may_sleep))
{
	cmd->resume = fn;
	INIT_WORK(&cmd->work, skua_cmd_work);
	queue_work_on(cmd->queue->cpu, skua_wq, &cmd->work);
}
EXPORT_SYMBOL_GPL(skua_cmd_hop);

static bool skua_cmd_needs_sleep(const struct skua_cmd *cmd)
{
	if (cmd->op->flags & SKUA_F_SLEEP)
		return true;
	return cmd->op->flags & SKUA_F_MEDIA && cmd->nexus &&
	       cmd->nexus->dev->be->flags & SKUA_BE_MAY_BLOCK;
}

/* ---- the end of a command --------------------------------------------- */

static void skua_cmd_account(struct skua_cmd *cmd)
{
	struct skua_stats __percpu *stats = cmd->queue->session->stats;
	const struct skua_nexus *nx = cmd->nexus;
	int dir = skua_cmd_kind(cmd);

	if (cmd->op && cmd->op->flags & SKUA_F_MEDIA && (cmd->io.pos | cmd->io.len) & 4095)
		this_cpu_inc(stats->dir[dir].unaligned);
	this_cpu_inc(stats->dir[dir].cmds);
	if (cmd->xfer_len)
		this_cpu_add(stats->dir[dir].bytes, cmd->xfer_len);
	if (!nx)
		return;
	this_cpu_inc(nx->stats->dir[dir].cmds);
	if (cmd->xfer_len)
		this_cpu_add(nx->stats->dir[dir].bytes, cmd->xfer_len);
}

/**
 * skua_cmd_aborting() - is a submitted command being aborted?
 * @cmd: the command; what it says is final only while nobody can end the command
 *
 * Context: any.
 */
bool skua_cmd_aborting(const struct skua_cmd *cmd)
{
	return skua_cmd_aborted(cmd);
}
EXPORT_SYMBOL_GPL(skua_cmd_aborting);

/*
 * A unit attention counts as told if the initiator got it (SAM-5 5.14.4): not if the
 * command that took it says nothing, or something else.
 */
static void skua_cmd_keep_ua(struct skua_cmd *cmd)
{
	if (cmd->flags & SKUA_CMD_SILENT || cmd->status == SAM_STAT_BUSY ||
	    cmd->status == SAM_STAT_TASK_ABORTED)
		skua_ua_add(cmd->nexus, cmd->ua_asc, cmd->ua_ascq);
}

/* A command that was aborted answers nothing, or TASK ABORTED if TAS says so. */
static void skua_cmd_end_aborted(struct skua_cmd *cmd, int state)
{
	cmd->xfer_len = 0;
	cmd->data_dir = SKUA_DIR_NONE;
	cmd->sense_len = 0;
	if (state & SKUA_ST_TAS)
		cmd->status = SAM_STAT_TASK_ABORTED;
	else
		cmd->flags |= SKUA_CMD_SILENT;
}

/**
 * skua_cmd_done() - end a command with a status
 * @cmd: the command
 * @status: SAM status; sense data, if any, is in place already
 *
 * Hands the command to the transport; the caller must not touch it any more.
 * Context: any.
 */
void skua_cmd_done(struct skua_cmd *cmd, u8 status)
{
	struct skua_nexus *nx = cmd->nexus;
	int old;

	cmd->status = status;
	old = atomic_fetch_add(SKUA_ST_DONE - SKUA_ST_ACTIVE, &cmd->state);
	if (WARN_ON_ONCE(!(old & SKUA_ST_ACTIVE)))
		return;
	if (unlikely(old & SKUA_ST_ABORTED))
		skua_cmd_end_aborted(cmd, old);
	if (unlikely(cmd->ctl & SKUA_CTL_UA))
		skua_cmd_keep_ua(cmd);
	skua_lat_stamp(cmd, SKUA_STAMP_DONE);
	skua_cmd_account(cmd);
	if (nx && unlikely(READ_ONCE(nx->holding)))
		skua_order_kick(nx);

	/* Pairs with skua_queue_orphan(), which replaces ops. */
	rcu_read_lock();
	READ_ONCE(cmd->queue->ops)->respond(cmd);
	rcu_read_unlock();
}

/**
 * skua_cmd_good() - end a command with GOOD
 * @cmd: the command; xfer_len and residual are as the gate left them
 */
void skua_cmd_good(struct skua_cmd *cmd)
{
	skua_cmd_done(cmd, SAM_STAT_GOOD);
}

static void skua_cmd_set_residual(struct skua_cmd *cmd, u64 wanted)
{
	cmd->residual = (s64)cmd->edtl - (s64)min_t(u64, wanted, U32_MAX);
}

/* No data-in with an error; data-out that was never fetched stays with the initiator. */
static void skua_cmd_no_data(struct skua_cmd *cmd)
{
	if (cmd->data_dir == SKUA_DIR_WRITE && cmd->ctl & SKUA_CTL_STARTED)
		return;
	cmd->xfer_len = 0;
	cmd->data_dir = SKUA_DIR_NONE;
	skua_cmd_set_residual(cmd, 0);
}

static void skua_cmd_check_condition(struct skua_cmd *cmd, const struct skua_sense_info *info)
{
	bool desc = cmd->nexus && skua_mode_d_sense(cmd->nexus->dev);

	cmd->sense_len = skua_sense_build(cmd->sense, sizeof(cmd->sense), desc, info);
	skua_cmd_no_data(cmd);
	skua_cmd_done(cmd, SAM_STAT_CHECK_CONDITION);
}

/**
 * skua_cmd_sense() - end a command with CHECK CONDITION
 * @cmd: the command
 * @key: sense key
 * @asc: additional sense code
 * @ascq: its qualifier
 */
void skua_cmd_sense(struct skua_cmd *cmd, u8 key, u8 asc, u8 ascq)
{
	const struct skua_sense_info info = { .key = key, .asc = asc, .ascq = ascq };

	skua_cmd_check_condition(cmd, &info);
}

/* The same with the INFORMATION field: the LBA or byte at fault. */
void skua_cmd_sense_info(struct skua_cmd *cmd, u8 key, u8 asc, u8 ascq, u64 where)
{
	const struct skua_sense_info info = {
		.key = key, .asc = asc, .ascq = ascq, .info_valid = true, .info = where,
	};

	skua_cmd_check_condition(cmd, &info);
}

/**
 * skua_cmd_bad_field() - ILLEGAL REQUEST with a field pointer
 * @cmd: the command
 * @byte: first byte of the field at fault
 * @bit: its most significant bit, or -1
 * @in_cdb: the field is in the CDB (24/00), else in the parameter list (26/00)
 */
void skua_cmd_bad_field(struct skua_cmd *cmd, u16 byte, int bit, bool in_cdb)
{
	const struct skua_sense_info info = {
		.key = ILLEGAL_REQUEST, .asc = in_cdb ? 0x24 : 0x26,
		.sks_valid = true, .in_cdb = in_cdb, .byte = byte, .bit = bit,
	};

	skua_cmd_check_condition(cmd, &info);
}

/**
 * skua_cmd_error() - end a command for an errno of a backend or an allocation
 * @cmd: the command
 * @error: as skua_io_done() defines it
 */
void skua_cmd_error(struct skua_cmd *cmd, int error)
{
	switch (error) {
	case -ENOMEM:
	case -EAGAIN:
		skua_cmd_no_data(cmd);
		skua_cmd_done(cmd, SAM_STAT_BUSY);
		break;
	case -EBADE:
		skua_cmd_no_data(cmd);
		skua_cmd_done(cmd, SAM_STAT_RESERVATION_CONFLICT);
		break;
	case -ENODEV:		/* LOGICAL UNIT NOT READY, CAUSE NOT REPORTABLE */
		skua_cmd_sense(cmd, NOT_READY, 0x04, 0x00);
		break;
	case -ENOSPC:		/* SPACE ALLOCATION FAILED WRITE PROTECT */
		skua_cmd_sense(cmd, DATA_PROTECT, 0x27, 0x07);
		break;
	case -EROFS:
		skua_cmd_sense(cmd, DATA_PROTECT, 0x27, 0x00);
		break;
	case -EOPNOTSUPP:
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x24, 0x00);
		break;
	default:		/* WRITE ERROR, UNRECOVERED READ ERROR */
		if (cmd->op && cmd->op->flags & SKUA_F_MODIFY)
			skua_cmd_sense(cmd, MEDIUM_ERROR, 0x0c, 0x00);
		else
			skua_cmd_sense(cmd, MEDIUM_ERROR, 0x11, 0x00);
		break;
	}
}

/**
 * skua_cmd_transfer_failed() - write data could not be fetched
 * @cmd: a command in the transport's hands, between start() and execute
 *
 * Ends it with ABORTED COMMAND, DATA PHASE ERROR; respond() follows. Context: any.
 */
void skua_cmd_transfer_failed(struct skua_cmd *cmd)
{
	skua_cmd_sense(cmd, ABORTED_COMMAND, 0x4b, 0x00);
}
EXPORT_SYMBOL_GPL(skua_cmd_transfer_failed);

/**
 * skua_cmd_reply() - end a command with parameter data
 * @cmd: an SKUA_F_LINEAR data-in command
 * @data: the whole of the data; copied
 * @len: its length, bytes
 *
 * Truncates to the allocation length and to what the initiator expects.
 * Context: process.
 */
void skua_cmd_reply(struct skua_cmd *cmd, const void *data, u32 len)
{
	u32 wanted = min(len, cmd->data_len);
	u32 n = cmd->edtl_dir == SKUA_DIR_READ ? min(wanted, cmd->edtl) : 0;

	skua_cmd_set_residual(cmd, wanted);
	cmd->xfer_len = n;
	cmd->data_dir = n ? SKUA_DIR_READ : SKUA_DIR_NONE;
	if (n) {
		cmd->buf = kmemdup(data, n, GFP_NOIO | __GFP_NOWARN);
		if (!cmd->buf) {
			skua_cmd_error(cmd, -ENOMEM);
			return;
		}
		cmd->buf_len = n;
		sg_init_one(cmd->io.inline_sg, cmd->buf, n);
		cmd->io.sg = cmd->io.inline_sg;
		cmd->io.nr_sg = 1;
	}
	skua_cmd_good(cmd);
}

/**
 * skua_cmd_release() - the response has left, or will never
 * @cmd: a command that respond() was called for
 *
 * Gives back the buffers and the references; may let the queue's drained() run,
 * so the transport touches neither slot nor queue after it unless something else
 * keeps them. Context: any.
 */
void skua_cmd_release(struct skua_cmd *cmd)
{
	struct skua_nexus *nx = cmd->nexus;
	struct skua_queue *queue = cmd->queue;

	skua_lat_end(cmd);
	if (cmd->ctl & SKUA_CTL_PAGES)
		nx->dev->be->put_pages(&cmd->io);
	if (cmd->sgv)
		skua_sgv_free(cmd->sgv);
	kfree(cmd->buf);
	cmd->buf = NULL;
	cmd->sgv = NULL;
	atomic_set_release(&cmd->state, atomic_read(&cmd->state) & ~SKUA_ST_FLAGS);
	if (nx)
		percpu_ref_put(&nx->ref);
	percpu_ref_put(&queue->ref);
}
EXPORT_SYMBOL_GPL(skua_cmd_release);

/* ---- buffers ---------------------------------------------------------- */

static int skua_cmd_map_linear(struct skua_cmd *cmd, bool may_sleep)
{
	if (!(cmd->op->flags & SKUA_F_OUT))
		return 0;		/* skua_cmd_reply() makes it */
	cmd->buf = kmalloc(cmd->xfer_len,
			   (may_sleep ? GFP_NOIO : GFP_ATOMIC) | __GFP_NOWARN);
	if (!cmd->buf)
		return -ENOMEM;
	cmd->buf_len = cmd->xfer_len;
	sg_init_one(cmd->io.inline_sg, cmd->buf, cmd->xfer_len);
	cmd->io.sg = cmd->io.inline_sg;
	cmd->io.nr_sg = 1;
	return 0;
}

static int skua_cmd_map_pages(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_dev *dev = cmd->nexus->dev;
	int ret;

	if (cmd->op->flags & SKUA_F_RW && dev->be->get_pages) {
		ret = dev->be->get_pages(&cmd->io, may_sleep);
		if (!ret) {
			cmd->ctl |= SKUA_CTL_PAGES;
			cmd->io.flags |= SKUA_IO_OWN_PAGES;
		}
		if (ret != -EOPNOTSUPP)
			return ret;
	}
	cmd->sgv = skua_sgv_alloc(cmd->io.len, dev->config.numa_node,
				  (may_sleep ? GFP_NOIO : GFP_ATOMIC) | __GFP_NOWARN);
	if (!cmd->sgv)
		return -ENOMEM;
	cmd->io.sg = skua_sgv_sg(cmd->sgv, &cmd->io.nr_sg);
	return 0;
}

static int skua_cmd_map(struct skua_cmd *cmd, bool may_sleep)
{
	if (!cmd->xfer_len)
		return 0;
	if (cmd->op->flags & SKUA_F_LINEAR)
		return skua_cmd_map_linear(cmd, may_sleep);
	return skua_cmd_map_pages(cmd, may_sleep);
}

/* ---- the gate --------------------------------------------------------- */

/**
 * skua_dev_ready() - may the medium be used?
 * @cmd: a command with a nexus
 *
 * Return: true, or false after @cmd was ended with NOT READY.
 */
bool skua_dev_ready(struct skua_cmd *cmd)
{
	const struct skua_dev *dev = cmd->nexus->dev;

	if (unlikely(dev->config.dummy)) {	/* LOGICAL UNIT NOT SUPPORTED */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x25, 0x00);
		return false;
	}
	if (unlikely(!READ_ONCE(dev->online))) {
		skua_cmd_sense(cmd, NOT_READY, 0x04, 0x00);
		return false;
	}
	if (unlikely(!READ_ONCE(dev->started) && !(cmd->op->flags & SKUA_F_NO_START))) {
		/* LOGICAL UNIT NOT READY, INITIALIZING COMMAND REQUIRED */
		skua_cmd_sense(cmd, NOT_READY, 0x04, 0x02);
		return false;
	}
	if (unlikely(!READ_ONCE(dev->limits.nr_blocks))) {	/* MEDIUM NOT PRESENT */
		skua_cmd_sense(cmd, NOT_READY, 0x3a, 0x00);
		return false;
	}
	return true;
}

/**
 * skua_dev_write_protected() - is this LUN write protected, for whatever reason?
 * @nx: the nexus
 */
bool skua_dev_write_protected(const struct skua_nexus *nx)
{
	const struct skua_dev *dev = nx->dev;

	return nx->read_only || dev->config.read_only || READ_ONCE(dev->limits.read_only) ||
	       READ_ONCE(dev->swp);
}

/* Which data moves, and how much of it. False after the command was ended. */
static bool skua_gate_data(struct skua_cmd *cmd, const struct skua_cdb_req *req)
{
	u16 flags = cmd->op->flags;
	u8 dir = flags & SKUA_F_IN ? SKUA_DIR_READ : flags & SKUA_F_OUT ? SKUA_DIR_WRITE :
		 SKUA_DIR_NONE;
	u32 block = cmd->nexus ? skua_block_size(cmd->nexus->dev) : 512;
	u32 limit = flags & SKUA_F_LINEAR ? SKUA_MAX_PARAM : SKUA_MAX_XFER;

	/*
	 * A write that is announced as a read is refused: it must not look done. The other
	 * way around there is just no room for the data: all of it is residual. Of a command
	 * without data all that was announced is.
	 */
	if (cmd->edtl_dir == SKUA_DIR_BIDI ||
	    (dir == SKUA_DIR_WRITE && cmd->edtl_dir == SKUA_DIR_READ && cmd->edtl &&
	     req->data_len)) {
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x24, 0x00);
		return false;
	}
	cmd->data_len = min_t(u64, req->data_len, U32_MAX);
	if (dir != SKUA_DIR_NONE && cmd->edtl_dir != dir && req->data_len)
		cmd->edtl = 0;
	if (dir == SKUA_DIR_READ && flags & SKUA_F_LINEAR)
		return true;		/* settled by skua_cmd_reply() */
	if (dir != SKUA_DIR_NONE && req->data_len > limit) {
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x24, 0x00);
		return false;
	}
	skua_cmd_set_residual(cmd, dir == SKUA_DIR_NONE ? 0 : req->data_len);
	if (dir == SKUA_DIR_NONE)
		return true;
	cmd->xfer_len = min(cmd->data_len, cmd->edtl);
	if (!(flags & SKUA_F_LINEAR) && req->data_len) {
		/* Only whole blocks are written; a read fetches the block that it cuts. */
		if (dir == SKUA_DIR_WRITE)
			cmd->xfer_len = round_down(cmd->xfer_len, block);
		cmd->io.len = round_up(cmd->xfer_len, block);
	}
	if (cmd->xfer_len)
		cmd->data_dir = dir;
	return true;
}

/**
 * skua_gate_state() - the refusals that depend on the logical unit's state
 * @cmd: a command with a nexus and a row
 *
 * Return: false after the command was ended.
 */
bool skua_gate_state(struct skua_cmd *cmd)
{
	struct skua_nexus *nx = cmd->nexus;
	struct skua_dev *dev = nx->dev;
	u16 flags = cmd->op->flags;
	u64 holder = READ_ONCE(dev->reserved_by);

	if (unlikely(holder && holder != cmd->queue->session->id && !(flags & SKUA_F_NO_RESV))) {
		skua_cmd_no_data(cmd);
		skua_cmd_done(cmd, SAM_STAT_RESERVATION_CONFLICT);
		return false;
	}
	if (flags & SKUA_F_MEDIA && !skua_dev_ready(cmd))
		return false;
	if (flags & SKUA_F_MODIFY && unlikely(skua_dev_write_protected(nx))) {
		skua_cmd_sense(cmd, DATA_PROTECT, 0x27, 0x00);
		return false;
	}
	return true;
}

/**
 * skua_cmd_take_ua() - the unit attention that a command tells
 * @cmd: the command; it gets it back when its answer does not reach the initiator
 * @ua: where to
 *
 * Return: false if there is none.
 */
bool skua_cmd_take_ua(struct skua_cmd *cmd, struct skua_ua *ua)
{
	if (!skua_ua_take(cmd->nexus, ua))
		return false;
	cmd->ctl |= SKUA_CTL_UA;
	cmd->ua_asc = ua->asc;
	cmd->ua_ascq = ua->ascq;
	return true;
}

static bool skua_gate_ua(struct skua_cmd *cmd)
{
	struct skua_nexus *nx = cmd->nexus;
	struct skua_ua ua;

	if (likely(!READ_ONCE(nx->nr_ua)))
		return true;
	if (cmd->op && cmd->op->flags & SKUA_F_NO_UA)
		return true;
	if (!skua_cmd_take_ua(cmd, &ua))
		return true;
	skua_cmd_sense(cmd, UNIT_ATTENTION, ua.asc, ua.ascq);
	return false;
}

static bool skua_gate_decode(struct skua_cmd *cmd)
{
	const struct skua_dev *dev = cmd->nexus ? cmd->nexus->dev : NULL;
	struct skua_cdb_fault fault = { .bit = -1 };
	struct skua_cdb_req req = {};
	enum skua_cdb_verdict verdict;

	verdict = skua_cdb_check(cmd->op, cmd->cdb, cmd->cdb_len, &fault);
	if (verdict == SKUA_CDB_OK && cmd->nexus && !skua_gate_state(cmd))
		return false;
	if (verdict == SKUA_CDB_OK)
		verdict = skua_cdb_decode(cmd->op, cmd->cdb, dev ? dev->block_shift : 9,
					  dev ? READ_ONCE(dev->limits.nr_blocks) : 0, &req, &fault);
	switch (verdict) {
	case SKUA_CDB_OK:
		break;
	case SKUA_CDB_BAD_OPCODE:
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x20, 0x00);
		return false;
	case SKUA_CDB_OUT_OF_RANGE:
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x21, 0x00);
		return false;
	default:
		skua_cmd_bad_field(cmd, fault.field, fault.bit, true);
		return false;
	}
	if (cmd->op->flags & SKUA_F_MEDIA) {
		cmd->io.dev = cmd->nexus->dev;
		cmd->io.op = cmd->op->flags & SKUA_F_OUT ? SKUA_IO_WRITE : SKUA_IO_READ;
		cmd->io.pos = req.lba << dev->block_shift;
		cmd->io.len = req.nr_blocks << dev->block_shift;
		if (req.fua)
			cmd->io.flags |= SKUA_IO_FUA;
	}
	return skua_gate_data(cmd, &req);
}

/* No such opcode, or no such service action of it. */
static void skua_gate_unknown(struct skua_cmd *cmd)
{
	struct skua_cdb_fault fault = { .bit = -1 };

	if (skua_cdb_refusal(cmd->cdb, &fault) == SKUA_CDB_BAD_OPCODE)
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x20, 0x00);
	else
		skua_cmd_bad_field(cmd, fault.field, fault.bit, true);
}

/* Everything but the LUN and the task set's order. False: the command was ended. */
static bool skua_gate(struct skua_cmd *cmd)
{
	if (unlikely(skua_cmd_aborted(cmd))) {
		skua_cmd_done(cmd, SAM_STAT_TASK_ABORTED);
		return false;
	}
	if (cmd->nexus) {
		if (!skua_gate_ua(cmd))
			return false;
	} else if (!cmd->op || !(cmd->op->flags & SKUA_F_NO_LUN)) {
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x25, 0x00);
		return false;
	}
	if (cmd->nexus && unlikely(cmd->nexus->dev->be->exec_cdb) && skua_pass_takes(cmd))
		return skua_gate_pass(cmd);
	if (unlikely(!cmd->op)) {
		skua_gate_unknown(cmd);
		return false;
	}
	return skua_gate_decode(cmd);
}

/* The data is there, or there is none; in a context in which the command may run. */
static void skua_cmd_run(struct skua_cmd *cmd)
{
	skua_lat_stamp(cmd, SKUA_STAMP_RUN);
	if (unlikely(skua_cmd_aborted(cmd)))
		skua_cmd_done(cmd, SAM_STAT_TASK_ABORTED);
	else if (cmd->op->flags & SKUA_F_RW && !cmd->io.len)
		skua_cmd_good(cmd);	/* no blocks asked for, or none expected */
	else
		skua_exec[cmd->op->id](cmd);
}

static void skua_cmd_run_work(struct skua_cmd *cmd, bool may_sleep)
{
	skua_cmd_run(cmd);
}

/* Buffers, then the transport if it has data to fetch. */
static void skua_cmd_go(struct skua_cmd *cmd, bool may_sleep)
{
	int ret;

	if (!may_sleep && skua_cmd_needs_sleep(cmd)) {
		skua_cmd_hop(cmd, skua_cmd_go);
		return;
	}
	ret = skua_cmd_map(cmd, may_sleep);
	if (unlikely(ret)) {
		/* In process context memory is waited for. */
		if ((ret == -EAGAIN || ret == -ENOMEM) && !may_sleep)
			skua_cmd_hop(cmd, skua_cmd_go);
		else
			skua_cmd_error(cmd, ret);
		return;
	}
	if (cmd->data_dir != SKUA_DIR_WRITE || !cmd->xfer_len) {
		skua_cmd_run(cmd);
		return;
	}
	cmd->ctl |= SKUA_CTL_STARTED;
	skua_lat_stamp(cmd, SKUA_STAMP_START);
	READ_ONCE(cmd->queue->ops)->start(cmd, may_sleep);
}

/* A command that order.c held goes on; process context. */
void skua_cmd_resume(struct skua_cmd *cmd)
{
	bool pass;

	rcu_read_lock();
	pass = skua_gate(cmd);
	rcu_read_unlock();
	if (pass)
		skua_cmd_go(cmd, true);
}

/* The same where the LUN went away meanwhile. */
void skua_cmd_reject(struct skua_cmd *cmd)
{
	skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x25, 0x00);
}

static void skua_cmd_init(struct skua_cmd *cmd)
{
	u32 state;

	cmd->data_dir = SKUA_DIR_NONE;
	cmd->sense_len = 0;
	cmd->flags = 0;
	cmd->ctl = 0;
	cmd->xfer_len = 0;
	cmd->residual = 0;
	cmd->data_len = 0;
	cmd->nexus = NULL;
	cmd->sgv = NULL;
	cmd->buf = NULL;
	cmd->buf_len = 0;
	cmd->ctx = NULL;
	cmd->io.flags = 0;
	cmd->io.nr_sg = 0;
	cmd->io.sg = NULL;
	cmd->io.pos = 0;
	cmd->io.len = 0;
	state = (atomic_read(&cmd->state) & ~SKUA_ST_FLAGS) + SKUA_ST_GEN;
	atomic_set_release(&cmd->state, state | SKUA_ST_ACTIVE);
}

static struct skua_nexus *skua_cmd_find_nexus(struct skua_cmd *cmd)
{
	const struct skua_lun_table *table = rcu_dereference(cmd->queue->session->luns);
	struct skua_nexus *nx;
	int lun;

	lun = skua_lun_decode(&cmd->lun);
	if (lun < 0 || !table || lun >= table->nr)
		return NULL;
	nx = READ_ONCE(table->nexus[lun]);
	return nx && percpu_ref_tryget_live(&nx->ref) ? nx : NULL;
}

/**
 * skua_cmd_submit() - hand a received command to the core
 * @cmd: with the transport's fields filled in
 *
 * Context: any; process context if the queue is not SKUA_QUEUE_ATOMIC.
 * Return: 0: start() and/or respond() of the transport are called, possibly
 * before this returns. -ESHUTDOWN: the queue is being killed; the slot is still
 * the transport's and nothing will be called.
 */
int skua_cmd_submit(struct skua_cmd *cmd)
{
	struct skua_queue *queue = cmd->queue;
	bool pass;

	if (unlikely(!percpu_ref_tryget_live(&queue->ref)))
		return -ESHUTDOWN;
	skua_cmd_init(cmd);
	skua_lat_begin(cmd);
	cmd->op = skua_cdb_find(cmd->cdb, cmd->cdb_len);

	/* Order.c relies on lookup and check of "holding" being one RCU section. */
	rcu_read_lock();
	cmd->nexus = skua_cmd_find_nexus(cmd);
	if (cmd->nexus && unlikely(cmd->task_attr == SKUA_ORDERED ||
				   READ_ONCE(cmd->nexus->holding)) &&
	    skua_order_hold(cmd)) {
		rcu_read_unlock();
		return 0;
	}
	pass = skua_gate(cmd);
	rcu_read_unlock();
	if (pass)
		skua_cmd_go(cmd, !(queue->flags & SKUA_QUEUE_ATOMIC));
	return 0;
}
EXPORT_SYMBOL_GPL(skua_cmd_submit);

/**
 * skua_cmd_execute() - the data has arrived: run the command
 * @cmd: a command that start() was called for
 * @may_sleep: the caller is in process context
 *
 * Context: as @may_sleep says. respond() may be called before this returns.
 */
void skua_cmd_execute(struct skua_cmd *cmd, bool may_sleep)
{
	if (!may_sleep && skua_cmd_needs_sleep(cmd))
		skua_cmd_hop(cmd, skua_cmd_run_work);
	else
		skua_cmd_run(cmd);
}
EXPORT_SYMBOL_GPL(skua_cmd_execute);
