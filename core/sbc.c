// SPDX-License-Identifier: GPL-2.0
/*
 * Block commands (SBC-3): capacity, READ, WRITE, SYNCHRONIZE CACHE, START STOP UNIT.
 *
 * A device has a cache worth flushing if its backend's is volatile and the
 * configuration does not say that it is not (nv_cache). Then a write with FUA, and
 * every write while WCE is off, is on stable storage before its status is sent: the
 * backend does that, or the core flushes behind the write.
 */
#include <scsi/scsi_proto.h>

#include "exec.h"

/* Is there a volatile cache that has to be flushed? */
bool skua_dev_flushes(const struct skua_dev *dev)
{
	return READ_ONCE(dev->limits.write_cache) && !dev->config.nv_cache;
}

/**
 * skua_io_prepare_write() - settle whether a write is forced to the medium
 * @io: a write, with SKUA_IO_FUA if the command asks for it
 *
 * Leaves SKUA_IO_FUA only where it matters.
 */
void skua_io_prepare_write(struct skua_io *io)
{
	if (!skua_dev_flushes(io->dev))
		io->flags &= ~SKUA_IO_FUA;
	else if (!skua_mode_wce(io->dev))
		io->flags |= SKUA_IO_FUA;
}

/* Must a flush follow this write, as the backend can't force single ones? */
bool skua_io_needs_flush(const struct skua_io *io)
{
	return io->flags & SKUA_IO_FUA && !READ_ONCE(io->dev->limits.fua);
}

bool skua_cmd_redecode(struct skua_cmd *cmd, struct skua_cdb_req *req)
{
	const struct skua_dev *dev = cmd->nexus->dev;
	struct skua_cdb_fault fault = { .bit = -1 };

	*req = (struct skua_cdb_req){};
	if (skua_cdb_decode(cmd->op, cmd->cdb, dev->block_shift,
			    READ_ONCE(dev->limits.nr_blocks), req, &fault) == SKUA_CDB_OK)
		return true;
	/* LBA OUT OF RANGE */
	skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x21, 0x00);
	return false;
}

/* ---- capacity ---------------------------------------------------------- */

/* READ CAPACITY(10), SBC-3 */
void skua_exec_read_capacity_10(struct skua_cmd *cmd)
{
	const struct skua_dev *dev = cmd->nexus->dev;
	u64 last = READ_ONCE(dev->limits.nr_blocks) - 1;
	u8 data[8];

	put_unaligned_be32(min_t(u64, last, U32_MAX), data);
	put_unaligned_be32(skua_block_size(dev), data + 4);
	skua_cmd_reply(cmd, data, sizeof(data));
}

/* READ CAPACITY(16), SBC-3 5.16 */
void skua_exec_read_capacity_16(struct skua_cmd *cmd)
{
	const struct skua_dev *dev = cmd->nexus->dev;
	u8 data[32] = {};

	put_unaligned_be64(READ_ONCE(dev->limits.nr_blocks) - 1, data);
	put_unaligned_be32(skua_block_size(dev), data + 8);
	if (READ_ONCE(dev->lb_per_pb_exp)) {
		data[13] = READ_ONCE(dev->limits.phys_block_exp) & 0x0f;
		put_unaligned_be16(READ_ONCE(dev->limits.lowest_aligned) & 0x3fff, data + 14);
	}
	if (skua_dev_thin(dev))
		data[14] |= 0x80;	/* LBPME */
	if (skua_dev_unmaps_to_zero(dev))
		data[14] |= 0x40;	/* LBPRZ */
	skua_cmd_reply(cmd, data, sizeof(data));
}

/* ---- the fast path ----------------------------------------------------- */

/*
 * A command that vouches for earlier writes ends with @error: fails it if some of these
 * were lost and the initiator does not know, and not by an error that makes it try again.
 * One that was aborted says nothing, so the next one has to.
 */
static int skua_tell_lost(struct skua_cmd *cmd, int error)
{
	struct skua_nexus *nx = cmd->nexus;
	u32 lost = atomic_read(&nx->dev->lost);

	if (likely(READ_ONCE(nx->lost_seen) == lost) || skua_cmd_aborted(cmd))
		return error;
	WRITE_ONCE(nx->lost_seen, lost);
	return error == -ENOSPC ? error : -EIO;
}

static void skua_rw_done(struct skua_io *io, int error)
{
	struct skua_cmd *cmd = container_of(io, struct skua_cmd, io);

	if (unlikely(io->flags & SKUA_IO_FUA))
		error = skua_tell_lost(cmd, error);
	if (likely(!error))
		skua_cmd_good(cmd);
	else
		skua_cmd_error(cmd, error);
}

static void skua_flush_step(struct skua_cmd *cmd, bool may_sleep)
{
	skua_flush_then_good(cmd, &cmd->io);
}

static void skua_written(struct skua_io *io, int error)
{
	struct skua_cmd *cmd = container_of(io, struct skua_cmd, io);

	if (error)
		skua_cmd_error(cmd, error);
	else
		skua_cmd_hop(cmd, skua_flush_step);
}

void skua_exec_read(struct skua_cmd *cmd)
{
	struct skua_io *io = &cmd->io;

	if (unlikely(!io->len)) {
		skua_cmd_good(cmd);
		return;
	}
	io->op = SKUA_IO_READ;
	io->flags &= ~SKUA_IO_FUA;
	io->done = skua_rw_done;
	io->dev->be->rw(io);
}

void skua_exec_write(struct skua_cmd *cmd)
{
	struct skua_io *io = &cmd->io;

	if (unlikely(!io->len)) {
		skua_cmd_good(cmd);
		return;
	}
	io->op = SKUA_IO_WRITE;
	skua_io_prepare_write(io);
	io->done = unlikely(skua_io_needs_flush(io)) ? skua_written : skua_rw_done;
	io->dev->be->rw(io);
}

/* ---- the cache --------------------------------------------------------- */

static void skua_flush_end(struct skua_cmd *cmd, int error)
{
	error = skua_tell_lost(cmd, error);
	if (!error)
		skua_cmd_good(cmd);
	else if (error == -EIO)		/* WRITE ERROR, whatever the command */
		skua_cmd_sense(cmd, MEDIUM_ERROR, 0x0c, 0x00);
	else
		skua_cmd_error(cmd, error);
}

static void skua_flushed(struct skua_io *io, int error)
{
	skua_flush_end(container_of(io, struct skua_cmd, io), error);
}

/**
 * skua_flush_then_good() - the last step of a command that ends with a flush
 * @cmd: the command
 * @io: its own cmd->io, with the range in pos and len, and no I/O running
 *
 * Context: process if the backend may block.
 */
void skua_flush_then_good(struct skua_cmd *cmd, struct skua_io *io)
{
	if (!skua_dev_flushes(io->dev) || !io->dev->be->flush) {
		skua_flush_end(cmd, 0);
		return;
	}
	io->op = SKUA_IO_FLUSH;
	io->flags &= ~SKUA_IO_FUA;
	io->done = skua_flushed;
	io->dev->be->flush(io);
}

/*
 * SYNCHRONIZE CACHE, SBC-3. With IMMED too the status is sent only when the
 * data is safe: nobody could be told of an error later.
 */
void skua_exec_sync_cache(struct skua_cmd *cmd)
{
	skua_flush_then_good(cmd, &cmd->io);
}

/* START STOP UNIT, SBC-3: stopping flushes the cache unless NO_FLUSH is set. */
void skua_exec_start_stop(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	bool start = cmd->cdb[4] & 0x01;

	WRITE_ONCE(dev->started, start);
	if (start || cmd->cdb[4] & 0x04) {
		skua_cmd_good(cmd);
		return;
	}
	cmd->io.pos = 0;
	cmd->io.len = READ_ONCE(dev->limits.nr_blocks) << dev->block_shift;
	skua_flush_then_good(cmd, &cmd->io);
}
