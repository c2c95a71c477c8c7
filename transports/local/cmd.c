// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: from the mid layer to the core and back.
 */
#include <linux/delay.h>
#include <linux/highmem.h>

#include "local.h"

/* Copies between two scatter lists; the caller knows that both are long enough. */
static void local_copy(struct scatterlist *dst, struct scatterlist *src, u32 len)
{
	unsigned int dst_off = 0, src_off = 0;

	while (len && dst && src) {
		unsigned int d = dst->offset + dst_off, s = src->offset + src_off;
		unsigned int n = min3(len, dst->length - dst_off, src->length - src_off);
		void *to, *from;

		n = min_t(unsigned int, n, PAGE_SIZE - offset_in_page(d));
		n = min_t(unsigned int, n, PAGE_SIZE - offset_in_page(s));
		from = kmap_local_page(sg_page(src) + (s >> PAGE_SHIFT));
		to = kmap_local_page(sg_page(dst) + (d >> PAGE_SHIFT));
		memcpy(to + offset_in_page(d), from + offset_in_page(s), n);
		kunmap_local(to);
		kunmap_local(from);
		len -= n;
		dst_off += n;
		src_off += n;
		if (dst_off == dst->length) {
			dst = sg_next(dst);
			dst_off = 0;
		}
		if (src_off == src->length) {
			src = sg_next(src);
			src_off = 0;
		}
	}
	WARN_ON_ONCE(len);
}

/* Keeps the command from being taken back. NULL: it has been already. */
static struct scsi_cmnd *local_hold(struct local_slot *slot)
{
	unsigned long owner = READ_ONCE(slot->owner);

	/* The only other writer while a slot is in use turns this into 0. */
	if (!owner || cmpxchg(&slot->owner, owner, owner | LOCAL_BUSY) != owner)
		return NULL;
	return (struct scsi_cmnd *)owner;
}

static void local_unhold(struct local_slot *slot, struct scsi_cmnd *scmd)
{
	/* The copy comes before; local_detach() reads it with a full barrier. */
	smp_store_release(&slot->owner, (unsigned long)scmd);
}

/**
 * local_detach() - take a command back from its slot
 * @slot: where it was put
 * @scmd: the command
 *
 * Context: process, may sleep for the time of a copy.
 * Return: true if the caller has the command now, false if it had been completed.
 */
bool local_detach(struct local_slot *slot, struct scsi_cmnd *scmd)
{
	unsigned long mine = (unsigned long)scmd;

	for (;;) {
		unsigned long owner = cmpxchg(&slot->owner, mine, 0);

		if (owner == mine)
			return true;
		if (owner != (mine | LOCAL_BUSY))
			return false;
		usleep_range(50, 100);
	}
}

static bool local_in_slot(struct local_slot *slot, const struct scsi_lun *lun)
{
	return READ_ONCE(slot->owner) && (!lun || !memcmp(lun, &slot->cmd.lun, sizeof(*lun)));
}

/**
 * local_attached() - how many commands does the core have?
 * @host: the host
 * @lun: only those for this LUN; NULL: all
 */
u32 local_attached(struct local_host *host, const struct scsi_lun *lun)
{
	u32 i, n = 0;

	for (i = 0; i < LOCAL_SLOTS; i++)
		n += local_in_slot(&host->slots[i], lun);
	return n;
}

/**
 * local_detach_all() - end commands that the core still has
 * @host: the host
 * @lun: only those for this LUN; NULL: all
 * @result: what the mid layer is told
 *
 * Also waits until no copy is running for any of them, so that the mid layer may
 * reuse their memory when this returns. Context: process, may sleep.
 *
 * Return: how many there were.
 */
u32 local_detach_all(struct local_host *host, const struct scsi_lun *lun, int result)
{
	u32 i, n = 0;

	for (i = 0; i < LOCAL_SLOTS; i++) {
		struct local_slot *slot = &host->slots[i];
		unsigned long owner = READ_ONCE(slot->owner) & ~LOCAL_BUSY;
		struct scsi_cmnd *scmd = (struct scsi_cmnd *)owner;

		if (!scmd || !local_in_slot(slot, lun))
			continue;
		if (local_detach(slot, scmd)) {
			scmd->result = result;
			scsi_done(scmd);
			n++;
		}
	}
	return n;
}

/* The transport is done with a slot that the core does not have. */
static void local_put_slot(struct local_host *host, struct local_slot *slot)
{
	sbitmap_put(&host->free, slot - host->slots);
}

static u8 local_dir(const struct scsi_cmnd *scmd)
{
	switch (scmd->sc_data_direction) {
	case DMA_TO_DEVICE:
		return SKUA_DIR_WRITE;
	case DMA_FROM_DEVICE:
		return SKUA_DIR_READ;
	case DMA_BIDIRECTIONAL:
		return SKUA_DIR_BIDI;
	default:
		return SKUA_DIR_NONE;
	}
}

static void local_fill(struct local_host *host, struct local_slot *slot, struct scsi_cmnd *scmd)
{
	struct local_cmnd *mine = scsi_cmd_priv(scmd);
	struct skua_cmd *cmd = &slot->cmd;

	cmd->queue = &host->queue;
	slot->uses++;
	cmd->tag = (u64)slot->uses << 32 | (slot - host->slots);
	int_to_scsilun(scmd->device->lun, &cmd->lun);
	cmd->edtl = scsi_bufflen(scmd);
	cmd->edtl_dir = cmd->edtl ? local_dir(scmd) : SKUA_DIR_NONE;
	cmd->task_attr = READ_ONCE(host->task_attr);
	cmd->cdb_len = scmd->cmd_len <= SKUA_MAX_CDB ? scmd->cmd_len : 255;
	memset(cmd->cdb, 0, sizeof(cmd->cdb));
	memcpy(cmd->cdb, scmd->cmnd, min_t(u32, scmd->cmd_len, SKUA_MAX_CDB));
	mine->slot = slot;
	mine->tag = cmd->tag;
}

/**
 * local_queuecommand() - a command from the mid layer
 * @shost: host
 * @scmd: command
 *
 * Context: any that blk-mq calls in; does not sleep.
 * Return: 0, or SCSI_MLQUEUE_HOST_BUSY while all slots are in use.
 */
skua_qc_status local_queuecommand(struct Scsi_Host *shost, struct scsi_cmnd *scmd)
{
	struct local_host *host = local_host_of(shost);
	struct local_slot *slot;
	int nr;

	if (local_refuses(host)) {
		scmd->result = DID_NO_CONNECT << 16;
		scsi_done(scmd);
		return 0;
	}
	nr = sbitmap_get(&host->free);
	if (nr < 0)
		return SCSI_MLQUEUE_HOST_BUSY;
	slot = &host->slots[nr];
	local_fill(host, slot, scmd);
	/*
	 * A full barrier: either local_cut_work() sees this owner, or we see that
	 * the host has been cut off.
	 */
	xchg(&slot->owner, (unsigned long)scmd);
	if (!local_refuses(host) && !skua_cmd_submit(&slot->cmd))
		return 0;
	/* Not the core's. No copy runs, so this takes one step. */
	rcu_read_lock();	/* see local_completed() */
	if (cmpxchg(&slot->owner, (unsigned long)scmd, 0) == (unsigned long)scmd) {
		scmd->result = DID_NO_CONNECT << 16;
		scsi_done(scmd);
	}
	rcu_read_unlock();
	local_put_slot(host, slot);
	return 0;
}

/**
 * local_start() - fetch the data of a write
 * @cmd: command
 * @may_sleep: not used
 *
 * skua_cmd_execute() is told not to sleep, so that it hops to a worker of the
 * core if it has to: a backend that blocks does so without this module on the stack.
 */
void local_start(struct skua_cmd *cmd, bool may_sleep)
{
	struct local_slot *slot = container_of(cmd, struct local_slot, cmd);
	struct scsi_cmnd *scmd;

	rcu_read_lock();
	if (cmd->data_dir == SKUA_DIR_WRITE && cmd->xfer_len) {
		scmd = local_hold(slot);
		if (!scmd) {
			skua_cmd_transfer_failed(cmd);
			goto out;
		}
		local_copy(cmd->io.sg, scsi_sglist(scmd),
			   min(cmd->xfer_len, scsi_bufflen(scmd)));
		local_unhold(slot, scmd);
	}
	skua_cmd_execute(cmd, false);
out:
	rcu_read_unlock();
}

static void local_result(struct skua_cmd *cmd, struct scsi_cmnd *scmd)
{
	if (cmd->flags & SKUA_CMD_SILENT) {
		/* The initiator that asked for it knows; another one's is tried again. */
		scmd->result = DID_RESET << 16;
		return;
	}
	if (cmd->data_dir == SKUA_DIR_READ && cmd->xfer_len)
		local_copy(scsi_sglist(scmd), cmd->io.sg, min(cmd->xfer_len, scsi_bufflen(scmd)));
	if (cmd->residual > 0)
		scsi_set_resid(scmd, min_t(u32, cmd->residual, scsi_bufflen(scmd)));
	if (cmd->sense_len)
		memcpy(scmd->sense_buffer, cmd->sense,
		       min_t(u32, cmd->sense_len, SCSI_SENSE_BUFFERSIZE));
	scmd->result = cmd->status;
}

/**
 * local_respond() - a command of the core has ended
 * @cmd: command
 *
 * The slot is given back before the mid layer hears of the end: what it sends next finds
 * a slot, and finds the core done with this command. The core calls this in an RCU read
 * section, so whoever saw the slot empty waits for readers and so for scsi_done().
 * Context: any.
 */
void local_respond(struct skua_cmd *cmd)
{
	struct local_slot *slot = container_of(cmd, struct local_slot, cmd);
	struct local_host *host = container_of(cmd->queue, struct local_host, queue);
	struct scsi_cmnd *scmd = local_hold(slot);

	if (scmd) {
		local_result(cmd, scmd);
		local_unhold(slot, NULL);
	}
	/* The queue's last reference may go here; local_host_free() waits for readers. */
	skua_cmd_release(cmd);
	local_put_slot(host, slot);
	if (scmd)
		scsi_done(scmd);
}
