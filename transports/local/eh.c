// SPDX-License-Identifier: GPL-2.0
/*
 * Task management: what the mid layer's error handler, sg_reset and the
 * task_mgmt file of a host ask for.
 *
 * Every wait here ends: with the core's answer, when the host is cut off, or
 * after LOCAL_TMF_WAIT. The mid layer may use a command anew as soon as a handler has
 * said SUCCESS. So that is said only after local_detach(), or, if respond() was first,
 * after its scsi_done(), which would complete the command's next use: local_completed().
 *
 * A handler may run while the host is being removed: local_eh_enter(), local_eh_exit().
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "local.h"

/* One reference is the core's, one the waiter's. */
struct local_tmf {
	struct skua_tmf tmf;
	refcount_t refs;
	bool done;
};

static void local_tmf_put(struct local_tmf *lt)
{
	if (refcount_dec_and_test(&lt->refs))
		kfree(lt);
}

/**
 * local_respond_tmf() - the core's answer
 * @tmf: the request
 *
 * Context: any.
 */
void local_respond_tmf(struct skua_tmf *tmf)
{
	struct local_tmf *lt = container_of(tmf, struct local_tmf, tmf);
	struct local_host *host = container_of(tmf->queue, struct local_host, queue);

	smp_store_release(&lt->done, true);	/* the response comes before */
	wake_up_all(&host->wait);
	skua_tmf_release(tmf);
	local_tmf_put(lt);
	/* In the RCU section of the core that called us, see local_host_free(). */
	atomic_dec(&host->tmfs);
}

/*
 * Returns a response, or SKUA_TMF_FAILED if there is none in time.
 * GFP_NOIO: memory reclaim may wait for the command that is to be aborted.
 */
static u8 local_tmf(struct local_host *host, u8 function, const struct scsi_lun *lun, u64 tag)
{
	struct local_tmf *lt = kzalloc(sizeof(*lt), GFP_NOIO);
	u8 response = SKUA_TMF_FAILED;

	if (!lt)
		return response;
	refcount_set(&lt->refs, 2);
	lt->tmf.queue = &host->queue;
	lt->tmf.function = function;
	lt->tmf.tag = tag;
	if (lun)
		lt->tmf.lun = *lun;
	atomic_inc(&host->tmfs);
	if (skua_tmf_submit(&lt->tmf)) {
		atomic_dec(&host->tmfs);
		kfree(lt);
		return response;
	}
	wait_event_timeout(host->wait, READ_ONCE(lt->done) || local_is_cut(host), LOCAL_TMF_WAIT);
	if (smp_load_acquire(&lt->done))	/* then the response */
		response = lt->tmf.response;
	local_tmf_put(lt);
	return response;
}

/* Keeps the host; NULL: it has been removed. */
static struct local_host *local_eh_enter(struct scsi_cmnd *scmd)
{
	struct local_host *host;

	rcu_read_lock();
	host = rcu_dereference(*local_hostdata(scmd->device->host));
	if (host)
		atomic_inc(&host->eh);
	rcu_read_unlock();
	return host;
}

static void local_eh_exit(struct local_host *host)
{
	atomic_dec(&host->eh);		/* local_eh_end() may free it now */
}

/* Whoever took a command from its slot has called scsi_done() on return. */
static void local_completed(void)
{
	synchronize_rcu();		/* local_respond(), local_queuecommand() */
}

static int local_abort(struct local_host *host, struct scsi_cmnd *scmd)
{
	struct local_cmnd *mine = scsi_cmd_priv(scmd);
	struct scsi_lun lun;
	u8 response;

	int_to_scsilun(scmd->device->lun, &lun);
	response = local_tmf(host, SKUA_TMF_ABORT_TASK, &lun, mine->tag);
	if (response != SKUA_TMF_COMPLETE && !local_is_cut(host))
		return FAILED;
	if (!local_detach(mine->slot, scmd))
		local_completed();
	return local_is_cut(host) ? FAST_IO_FAIL : SUCCESS;
}

/**
 * local_eh_abort() - abort one command
 * @scmd: a command that timed out
 *
 * Context: the mid layer's abort work or error handler.
 * Return: SUCCESS, FAILED if the backend does not let go of it in time, or
 * FAST_IO_FAIL if the host is going away.
 */
int local_eh_abort(struct scsi_cmnd *scmd)
{
	struct local_host *host = local_eh_enter(scmd);
	int ret = FAST_IO_FAIL;

	atomic_inc(&local_stats.aborts);
	if (host) {
		ret = local_abort(host, scmd);
		local_eh_exit(host);
	}
	return ret;
}

/* Some that passed by the function may be about to end. */
static bool local_all_ended(struct local_host *host, const struct scsi_lun *lun)
{
	int tries;

	for (tries = 0; tries < 20 && !local_is_cut(host); tries++) {
		if (!local_attached(host, lun))
			return true;
		msleep(50);
	}
	return false;
}

/*
 * COMPLETE is believed only if the core has none of the commands any more: those
 * of a logical unit that has gone from the session's map meanwhile are not among
 * those that it waited for. No new ones come while the mid layer recovers.
 */
static int local_reset(struct local_host *host, u8 function, const struct scsi_lun *lun)
{
	u8 response = local_tmf(host, function, lun, 0);
	bool ended = response == SKUA_TMF_COMPLETE && local_all_ended(host, lun);

	if (local_is_cut(host)) {
		local_detach_all(host, lun, DID_RESET << 16);
		local_completed();
		return FAST_IO_FAIL;
	}
	if (!ended)
		return FAILED;
	local_completed();
	return SUCCESS;
}

static int local_eh_reset(struct scsi_cmnd *scmd, u8 function, const struct scsi_lun *lun)
{
	struct local_host *host = local_eh_enter(scmd);
	int ret = FAST_IO_FAIL;

	if (host) {
		ret = local_reset(host, function, lun);
		local_eh_exit(host);
	}
	return ret;
}

/**
 * local_eh_device_reset() - reset a logical unit
 * @scmd: names it
 */
int local_eh_device_reset(struct scsi_cmnd *scmd)
{
	struct scsi_lun lun;

	atomic_inc(&local_stats.lun_resets);
	int_to_scsilun(scmd->device->lun, &lun);
	return local_eh_reset(scmd, SKUA_TMF_LUN_RESET, &lun);
}

/**
 * local_eh_target_reset() - reset all logical units of the session
 * @scmd: names the host
 */
int local_eh_target_reset(struct scsi_cmnd *scmd)
{
	atomic_inc(&local_stats.tgt_resets);
	return local_eh_reset(scmd, SKUA_TMF_TARGET_RESET, NULL);
}

static int local_host_reset(struct local_host *host)
{
	int ret = local_reset(host, SKUA_TMF_NEXUS_LOSS, NULL);
	u32 stuck;

	if (ret != FAILED)
		return ret;
	stuck = local_detach_all(host, NULL, DID_RESET << 16);
	local_completed();
	shost_printk(KERN_WARNING, host->shost, "%u commands stay in their backends\n", stuck);
	return FAILED;
}

/**
 * local_eh_host_reset() - the last resort: what a new login would do
 * @scmd: names the host
 *
 * Commands that even now stay in a backend are taken from it; the mid layer
 * then sets the device offline, since a write that is still on its way may not
 * be overtaken by the next one.
 */
int local_eh_host_reset(struct scsi_cmnd *scmd)
{
	struct local_host *host = local_eh_enter(scmd);
	int ret = FAST_IO_FAIL;

	if (host) {
		ret = local_host_reset(host);
		local_eh_exit(host);
	}
	return ret;
}

static const struct {
	const char *name;
	u8 function;
} local_tmf_names[] = {
	{ "abort_task_set",	SKUA_TMF_ABORT_TASK_SET },
	{ "clear_task_set",	SKUA_TMF_CLEAR_TASK_SET },
	{ "lun_reset",		SKUA_TMF_LUN_RESET },
	{ "target_reset",	SKUA_TMF_TARGET_RESET },
	{ "nexus_loss",		SKUA_TMF_NEXUS_LOSS },
	{ "clear_aca",		SKUA_TMF_CLEAR_ACA },
};

/**
 * local_tmf_by_name() - task management that the mid layer has no call for
 * @host: the host
 * @name: see the table
 * @lun: as the mid layer writes it
 *
 * Commands of this host that are aborted by it come back to the mid layer, which tries
 * them again. Context: process.
 *
 * Return: 0, -EINVAL unknown name, -ENXIO no such logical unit, -EOPNOTSUPP, -ETIMEDOUT.
 */
int local_tmf_by_name(struct local_host *host, const char *name, u64 lun)
{
	struct scsi_lun slun;
	u32 i;

	int_to_scsilun(lun, &slun);
	for (i = 0; i < ARRAY_SIZE(local_tmf_names); i++) {
		if (strcmp(name, local_tmf_names[i].name))
			continue;
		switch (local_tmf(host, local_tmf_names[i].function, &slun, 0)) {
		case SKUA_TMF_COMPLETE:
		case SKUA_TMF_SUCCEEDED:
			return 0;
		case SKUA_TMF_NO_LUN:
			return -ENXIO;
		case SKUA_TMF_NOT_SUPPORTED:
			return -EOPNOTSUPP;
		default:
			return -ETIMEDOUT;
		}
	}
	return -EINVAL;
}
