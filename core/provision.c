// SPDX-License-Identifier: GPL-2.0
/*
 * UNMAP and WRITE SAME (SBC-3): chains of backend verbs, each step
 * started from a work item when the one before has ended. Limits of the backend are
 * read once per command.
 */
#include <linux/math64.h>
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "exec.h"

/* ---- UNMAP -------------------------------------------------------------- */

#define UNMAP_HEADER	8
#define UNMAP_DESC	16

/* An UNMAP under way, cmd->ctx: descriptors from @next to @nr are still to be done. */
struct skua_unmap {
	struct skua_cmd *cmd;
	u32 next, nr;
	struct skua_io io;
};

static void skua_unmap_end(struct skua_unmap *u, int error)
{
	struct skua_cmd *cmd = u->cmd;

	cmd->ctx = NULL;
	kfree(u);
	if (error)
		skua_cmd_error(cmd, error);
	else
		skua_cmd_good(cmd);
}

static void skua_unmap_step(struct skua_cmd *cmd, bool may_sleep);

static void skua_unmapped(struct skua_io *io, int error)
{
	struct skua_unmap *u = container_of(io, struct skua_unmap, io);

	if (error)
		skua_unmap_end(u, error);
	else
		skua_cmd_hop(u->cmd, skua_unmap_step);
}

static void skua_unmap_step(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_unmap *u = cmd->ctx;
	struct skua_io *io = &u->io;
	u8 shift = cmd->nexus->dev->block_shift;
	const u8 *d;

	while (u->next < u->nr && !skua_cmd_aborted(cmd)) {
		d = (u8 *)cmd->buf + UNMAP_HEADER + u->next++ * UNMAP_DESC;
		if (!get_unaligned_be32(d + 8))
			continue;
		io->dev = cmd->nexus->dev;
		io->op = SKUA_IO_UNMAP;
		io->flags = 0;
		io->pos = get_unaligned_be64(d) << shift;
		io->len = (u64)get_unaligned_be32(d + 8) << shift;
		io->done = skua_unmapped;
		io->dev->be->unmap(io);
		return;
	}
	skua_unmap_end(u, 0);
}

/*
 * Checks all descriptors before the first is done. The number of blocks is limited
 * over all of them. Return: false after the command was ended.
 */
static bool skua_unmap_check(struct skua_cmd *cmd, u32 nr)
{
	const struct skua_limits *lim = &cmd->nexus->dev->limits;
	u64 capacity = READ_ONCE(lim->nr_blocks), total = 0, lba;
	u32 most = READ_ONCE(lim->max_unmap_blocks), i, pos, blocks;

	for (i = 0; i < nr; i++) {
		pos = UNMAP_HEADER + i * UNMAP_DESC;
		lba = get_unaligned_be64((u8 *)cmd->buf + pos);
		blocks = get_unaligned_be32((u8 *)cmd->buf + pos + 8);
		if (lba > capacity || blocks > capacity - lba) {
			/* LBA OUT OF RANGE */
			skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x21, 0x00);
			return false;
		}
		total += blocks;
		if (total > most) {
			skua_cmd_bad_field(cmd, pos + 8, -1, false);
			return false;
		}
	}
	return true;
}

/* How many descriptors the list has; -1 after the command was ended. */
static int skua_unmap_count(struct skua_cmd *cmd)
{
	u32 len;

	if (cmd->buf_len < cmd->data_len || cmd->buf_len < UNMAP_HEADER)
		goto bad_length;
	len = get_unaligned_be16((u8 *)cmd->buf + 2);
	if (len > cmd->buf_len - UNMAP_HEADER)
		goto bad_length;
	if (len / UNMAP_DESC > SKUA_MAX_UNMAP_DESC) {
		skua_cmd_bad_field(cmd, 2, -1, false);
		return -1;
	}
	return len / UNMAP_DESC;

bad_length:
	/* PARAMETER LIST LENGTH ERROR */
	skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x1a, 0x00);
	return -1;
}

void skua_exec_unmap(struct skua_cmd *cmd)
{
	struct skua_unmap *u;
	int nr;

	if (!skua_dev_thin(cmd->nexus->dev)) {
		/* INVALID COMMAND OPERATION CODE */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x20, 0x00);
		return;
	}
	if (!cmd->data_len) {
		skua_cmd_good(cmd);
		return;
	}
	nr = skua_unmap_count(cmd);
	if (nr < 0 || !skua_unmap_check(cmd, nr))
		return;
	u = kzalloc(sizeof(*u), GFP_NOIO);
	if (!u) {
		skua_cmd_error(cmd, -ENOMEM);
		return;
	}
	u->cmd = cmd;
	u->nr = nr;
	cmd->ctx = u;
	skua_unmap_step(cmd, true);
}

/* ---- WRITE SAME ---------------------------------------------------------- */

#define WS_PAGES	64	/* scatter entries, all of the same page */

/**
 * struct skua_ws - a WRITE SAME under way, cmd->ctx
 * @cmd: the command
 * @page: filled with the block to be written
 * @pos: where what is left of the range begins, bytes
 * @end: where it ends
 * @unmap_pos: the part of it that is unmapped rather than written
 * @unmap_end: its end
 * @unmap_verb: how: SKUA_IO_UNMAP, or SKUA_IO_WRITE_ZEROES that may deallocate
 * @unmap_max: bytes at a time
 * @zeroes_max: bytes in one write_zeroes for the rest; 0: write the page
 * @io: the step's
 * @sg: for writes
 */
struct skua_ws {
	struct skua_cmd *cmd;
	void *page;
	u64 pos, end;
	u64 unmap_pos, unmap_end;
	u64 unmap_max, zeroes_max;
	u8 unmap_verb;
	struct skua_io io;
	struct scatterlist sg[WS_PAGES];
};

static void skua_ws_free(struct skua_ws *ws)
{
	ws->cmd->ctx = NULL;
	free_page((unsigned long)ws->page);
	kfree(ws);
}

/* A command without FUA: what was written has to be safe only while WCE is off. */
static void skua_ws_end(struct skua_ws *ws, int error)
{
	struct skua_cmd *cmd = ws->cmd;

	cmd->io.len = ws->end - cmd->io.pos;
	skua_ws_free(ws);
	if (error)
		skua_cmd_error(cmd, error);
	else if (skua_cmd_aborted(cmd) || skua_mode_wce(cmd->nexus->dev))
		skua_cmd_good(cmd);
	else
		skua_flush_then_good(cmd, &cmd->io);
}

static void skua_ws_step(struct skua_cmd *cmd, bool may_sleep);

static bool skua_ws_unmaps_here(const struct skua_ws *ws)
{
	return ws->pos >= ws->unmap_pos && ws->pos < ws->unmap_end;
}

/* A verb that the backend turns out not to have is replaced by the next simpler one. */
static bool skua_ws_fall_back(struct skua_ws *ws, int error)
{
	if (error != -EOPNOTSUPP || ws->io.op == SKUA_IO_WRITE)
		return false;
	if (skua_ws_unmaps_here(ws))
		ws->unmap_end = ws->unmap_pos;
	else
		ws->zeroes_max = 0;
	return true;
}

static void skua_ws_done(struct skua_io *io, int error)
{
	struct skua_ws *ws = container_of(io, struct skua_ws, io);

	if (error && !skua_ws_fall_back(ws, error)) {
		skua_ws_end(ws, error);
		return;
	}
	if (!error)
		ws->pos += io->len;
	skua_cmd_hop(ws->cmd, skua_ws_step);
}

static void skua_ws_fill_sg(struct skua_ws *ws, u32 len)
{
	struct skua_io *io = &ws->io;
	u32 i, n;

	io->nr_sg = DIV_ROUND_UP(len, PAGE_SIZE);
	sg_init_table(ws->sg, io->nr_sg);
	for (i = 0; i < io->nr_sg; i++) {
		n = min_t(u32, len, PAGE_SIZE);
		sg_set_page(&ws->sg[i], virt_to_page(ws->page), n, 0);
		len -= n;
	}
	io->sg = ws->sg;
}

static void skua_ws_step(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_ws *ws = cmd->ctx;
	struct skua_io *io = &ws->io;
	struct skua_backend *be = cmd->nexus->dev->be;
	bool unmap = skua_ws_unmaps_here(ws);
	u64 left = ws->end - ws->pos;

	if (!left || skua_cmd_aborted(cmd)) {
		skua_ws_end(ws, 0);
		return;
	}
	io->dev = cmd->nexus->dev;
	io->pos = ws->pos;
	io->flags = 0;
	io->done = skua_ws_done;
	if (unmap)
		left = min(ws->unmap_end - ws->pos, ws->unmap_max);
	else if (ws->pos < ws->unmap_pos)
		left = ws->unmap_pos - ws->pos;
	if (unmap && ws->unmap_verb == SKUA_IO_UNMAP) {
		io->op = SKUA_IO_UNMAP;
		io->len = left;
		be->unmap(io);
		return;
	}
	if (unmap || ws->zeroes_max) {
		io->op = SKUA_IO_WRITE_ZEROES;
		io->flags = unmap ? 0 : SKUA_IO_KEEP_MAP;
		io->len = unmap ? left : min(left, ws->zeroes_max);
		be->write_zeroes(io);
		return;
	}
	io->op = SKUA_IO_WRITE;
	io->len = min_t(u64, left, WS_PAGES * PAGE_SIZE);
	skua_ws_fill_sg(ws, io->len);
	be->rw(io);
}

/*
 * The part of the range that consists of whole units of unmapping; none by default.
 * The ends are left out of a write_zeroes that may deallocate too: there are disks
 * that do nothing at all to a part of a unit.
 */
static void skua_ws_plan_unmap(struct skua_ws *ws, const struct skua_cdb_req *req)
{
	const struct skua_dev *dev = ws->cmd->nexus->dev;
	u32 unit = READ_ONCE(dev->limits.unmap_granularity) ?: 1;
	bool unmap = skua_dev_unmaps_to_zero(dev);
	u32 most = unmap ? READ_ONCE(dev->limits.max_unmap_blocks) :
			   READ_ONCE(dev->limits.max_ws_blocks);
	u64 first = req->lba, last = req->lba + req->nr_blocks;
	u32 shift, rem;

	if (most < unit)
		return;
	/* Add what makes the aligned LBAs multiples of the unit. */
	shift = unit - READ_ONCE(dev->limits.unmap_alignment) % unit;
	div_u64_rem(first + shift, unit, &rem);
	if (rem)
		first += unit - rem;
	div_u64_rem(last + shift, unit, &rem);
	if (first + rem >= last)
		return;
	ws->unmap_pos = first << dev->block_shift;
	ws->unmap_end = (last - rem) << dev->block_shift;
	ws->unmap_max = (u64)(most - most % unit) << dev->block_shift;
	ws->unmap_verb = unmap ? SKUA_IO_UNMAP : SKUA_IO_WRITE_ZEROES;
}

/* Fills the page with the initiator's block, or zeroes. False: there is no block. */
static bool skua_ws_pattern(struct skua_ws *ws, bool ndob, bool *zero)
{
	struct skua_cmd *cmd = ws->cmd;
	u32 size = skua_block_size(cmd->nexus->dev), i;

	*zero = true;
	if (ndob)
		return true;
	if (cmd->xfer_len < size)
		return false;
	sg_copy_to_buffer(cmd->io.sg, cmd->io.nr_sg, ws->page, size);
	*zero = !memchr_inv(ws->page, 0, size);
	for (i = size; i < PAGE_SIZE; i += size)
		memcpy(ws->page + i, ws->page, size);
	return true;
}

static struct skua_ws *skua_ws_new(struct skua_cmd *cmd)
{
	struct skua_ws *ws = kzalloc(sizeof(*ws), GFP_NOIO);

	if (ws)
		ws->page = (void *)get_zeroed_page(GFP_NOIO);
	if (!ws || !ws->page) {
		kfree(ws);
		skua_cmd_error(cmd, -ENOMEM);
		return NULL;
	}
	ws->cmd = cmd;
	cmd->ctx = ws;
	return ws;
}

/*
 * UNMAP asks for unmapping where that leaves the zeroes that were to be written, by
 * the backend's unmap, or by its write_zeroes if unmapped blocks may hold anything.
 * Other data, and the ends of the range that are no whole units, are written.
 */
void skua_exec_write_same(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	bool unmap = cmd->cdb[1] & 0x08, zero;
	bool ndob = cmd->op->len == 16 && cmd->cdb[1] & 0x01;
	struct skua_cdb_req req;
	struct skua_ws *ws;

	if (unmap && !skua_dev_ws_unmaps(dev)) {
		skua_cmd_bad_field(cmd, 1, 3, true);
		return;
	}
	if (!skua_cmd_redecode(cmd, &req))
		return;
	ws = skua_ws_new(cmd);
	if (!ws)
		return;
	if (!skua_ws_pattern(ws, ndob, &zero)) {
		skua_ws_free(ws);
		/* INVALID FIELD IN COMMAND INFORMATION UNIT */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x0e, 0x03);
		return;
	}
	ws->pos = req.lba << dev->block_shift;
	ws->end = ws->pos + (req.nr_blocks << dev->block_shift);
	if (zero)
		ws->zeroes_max = (u64)READ_ONCE(dev->limits.max_ws_blocks) << dev->block_shift;
	if (zero && unmap)
		skua_ws_plan_unmap(ws, &req);
	skua_ws_step(cmd, true);
}
