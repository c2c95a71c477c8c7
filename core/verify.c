// SPDX-License-Identifier: GPL-2.0
/*
 * VERIFY and WRITE AND VERIFY (SBC-3): the medium is read in chunks of
 * bounded size, one at a time, and compared with the initiator's data if BYTCHK says
 * so. Each chunk goes on from a work item; no thread waits for the backend.
 */
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "exec.h"

#define VERIFY_CHUNK	(256U << 10)	/* bytes read at a time */

/**
 * struct skua_verify - a verification under way, cmd->ctx
 * @cmd: the command
 * @sgv: pages to read into
 * @chunk: bytes that @sgv has
 * @pos: of the medium, where to go on, bytes
 * @left: how much, bytes
 * @offset: of the initiator's data, bytes
 * @compare: with that data
 * @io: the read
 */
struct skua_verify {
	struct skua_cmd *cmd;
	struct skua_sgv *sgv;
	u32 chunk;
	u64 pos, left, offset;
	bool compare;
	struct skua_io io;
};

static void skua_verify_free(struct skua_verify *v)
{
	v->cmd->ctx = NULL;
	if (v->sgv)
		skua_sgv_free(v->sgv);
	kfree(v);
}

/* Ends the command; 0 is GOOD. */
static void skua_verify_end(struct skua_verify *v, int error)
{
	struct skua_cmd *cmd = v->cmd;

	skua_verify_free(v);
	if (error)
		skua_cmd_error(cmd, error);
	else
		skua_cmd_good(cmd);
}

/**
 * skua_sg_differ() - compare two scatter lists
 * @a: one list
 * @nr_a: its entries
 * @skip: bytes of it to leave out at its start
 * @b: the other
 * @nr_b: its entries
 * @len: bytes to compare
 * @where: the first byte that differs
 *
 * Return: whether they differ. A list that is too short differs at its end.
 */
static bool skua_sg_differ(struct scatterlist *a, u32 nr_a, u64 skip, struct scatterlist *b,
			   u32 nr_b, u32 len, u32 *where)
{
	struct sg_mapping_iter ia, ib;
	u32 done = 0, n, i;
	bool same = true;

	sg_miter_start(&ia, a, nr_a, SG_MITER_FROM_SG);
	sg_miter_start(&ib, b, nr_b, SG_MITER_FROM_SG);
	same = sg_miter_skip(&ia, skip);
	while (same && done < len) {
		same = sg_miter_next(&ia) && sg_miter_next(&ib);
		if (!same)
			break;
		n = min3((u32)ia.length, (u32)ib.length, len - done);
		same = !memcmp(ia.addr, ib.addr, n);
		if (!same) {
			for (i = 0; ((u8 *)ia.addr)[i] == ((u8 *)ib.addr)[i]; i++)
				;
			n = i;
		}
		ia.consumed = n;
		ib.consumed = n;
		done += n;
	}
	sg_miter_stop(&ib);
	sg_miter_stop(&ia);
	*where = done;
	return !same;
}

static void skua_verify_step(struct skua_cmd *cmd, bool may_sleep);

/* A chunk has been read. */
static void skua_verify_check(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_verify *v = cmd->ctx;
	u64 offset = v->offset;
	u32 where;

	if (v->compare &&
	    skua_sg_differ(cmd->io.sg, cmd->io.nr_sg, v->offset, v->io.sg, v->io.nr_sg, v->chunk,
			   &where)) {
		skua_verify_free(v);
		/* MISCOMPARE DURING VERIFY OPERATION */
		skua_cmd_sense_info(cmd, MISCOMPARE, 0x1d, 0x00, offset + where);
		return;
	}
	v->pos += v->chunk;
	v->left -= v->chunk;
	v->offset += v->chunk;
	skua_verify_step(cmd, may_sleep);
}

static void skua_verify_read(struct skua_io *io, int error)
{
	struct skua_verify *v = container_of(io, struct skua_verify, io);
	struct skua_cmd *cmd = v->cmd;

	if (!error) {
		skua_cmd_hop(cmd, skua_verify_check);
	} else if (error == -EIO) {	/* UNRECOVERED READ ERROR, though the command may write */
		skua_verify_free(v);
		skua_cmd_sense(cmd, MEDIUM_ERROR, 0x11, 0x00);
	} else {
		skua_verify_end(v, error);
	}
}

/* Pages for the next chunk; only the last one may be shorter. */
static int skua_verify_pages(struct skua_verify *v)
{
	u32 chunk = min_t(u64, v->left, VERIFY_CHUNK);

	if (chunk != v->chunk) {
		if (v->sgv)
			skua_sgv_free(v->sgv);
		v->chunk = chunk;
		v->sgv = skua_sgv_alloc(chunk, v->cmd->nexus->dev->config.numa_node,
					GFP_NOIO | __GFP_NOWARN);
	}
	return v->sgv ? 0 : -ENOMEM;
}

static void skua_verify_step(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_verify *v = cmd->ctx;
	struct skua_io *io = &v->io;

	if (!v->left || skua_cmd_aborted(cmd)) {
		skua_verify_end(v, 0);
		return;
	}
	if (skua_verify_pages(v)) {
		skua_verify_end(v, -ENOMEM);
		return;
	}
	io->dev = cmd->nexus->dev;
	io->op = SKUA_IO_READ;
	io->flags = 0;
	io->pos = v->pos;
	io->len = v->chunk;
	io->sg = skua_sgv_sg(v->sgv, &io->nr_sg);
	io->done = skua_verify_read;
	io->dev->be->rw(io);
}

/* The state of a verification of [pos, pos + len); NULL after the command was ended. */
static struct skua_verify *skua_verify_new(struct skua_cmd *cmd, u64 pos, u64 len, bool compare)
{
	struct skua_verify *v = kzalloc(sizeof(*v), GFP_NOIO);

	if (!v) {
		skua_cmd_error(cmd, -ENOMEM);
		return NULL;
	}
	v->cmd = cmd;
	v->pos = pos;
	v->left = len;
	v->compare = compare;
	cmd->ctx = v;
	return v;
}

/*
 * BYTCHK 0: all blocks can be read. BYTCHK 1: they hold the initiator's data; if it
 * sent less than it said, what it sent is compared.
 */
void skua_exec_verify(struct skua_cmd *cmd)
{
	bool compare = cmd->cdb[1] & 0x02;
	u8 shift = cmd->nexus->dev->block_shift;
	struct skua_cdb_req req;

	if (!skua_cmd_redecode(cmd, &req))
		return;
	if (skua_verify_new(cmd, req.lba << shift,
			    compare ? cmd->xfer_len : req.nr_blocks << shift, compare))
		skua_verify_step(cmd, true);
}

/* ---- WRITE AND VERIFY --------------------------------------------------- */

static void skua_wv_flushed(struct skua_io *io, int error)
{
	struct skua_verify *v = container_of(io, struct skua_verify, io);

	if (error)
		skua_verify_end(v, error);
	else
		skua_cmd_hop(v->cmd, skua_verify_step);
}

/* The cache goes to the medium before the medium is read. */
static void skua_wv_flush(struct skua_cmd *cmd, bool may_sleep)
{
	struct skua_verify *v = cmd->ctx;
	struct skua_io *io = &v->io;

	if (!cmd->nexus->dev->be->flush) {
		skua_verify_step(cmd, may_sleep);
		return;
	}
	io->dev = cmd->nexus->dev;
	io->op = SKUA_IO_FLUSH;
	io->flags = 0;
	io->pos = v->pos;
	io->len = v->left;
	io->done = skua_wv_flushed;
	io->dev->be->flush(io);
}

static void skua_wv_written(struct skua_io *io, int error)
{
	struct skua_cmd *cmd = container_of(io, struct skua_cmd, io);

	if (error)
		skua_verify_end(cmd->ctx, error);
	else if (skua_io_needs_flush(io))
		skua_cmd_hop(cmd, skua_wv_flush);
	else
		skua_cmd_hop(cmd, skua_verify_step);
}

/* The write has FUA, as the gate sees it (skua_cdb_decode()). */
void skua_exec_write_verify(struct skua_cmd *cmd)
{
	struct skua_io *io = &cmd->io;

	if (!io->len) {
		skua_cmd_good(cmd);
		return;
	}
	if (!skua_verify_new(cmd, io->pos, io->len, cmd->cdb[1] & 0x02))
		return;
	io->op = SKUA_IO_WRITE;
	skua_io_prepare_write(io);
	io->done = skua_wv_written;
	io->dev->be->rw(io);
}
