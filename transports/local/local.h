/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local transport's own structures: a Scsi_Host of this machine for each session.
 *
 * Who may touch a struct scsi_cmnd. The mid layer takes a command back when it
 * has been completed, or when an error handler says that it is aborted; the
 * core may keep the slot for as long as a backend needs. So each slot has an
 * owner word: the address of the command it serves, with bit 0 set while data
 * are being copied from or to that command, or 0 once the command has been
 * given back. Whoever changes it from the address to 0 completes the command;
 * all others leave it alone. A slot is used anew only after the core released
 * it. There are more slots than the mid layer has tags, so slots that are stuck
 * in a backend take nothing away from other logical units.
 */
#ifndef SKUA_LOCAL_H
#define SKUA_LOCAL_H

#include <linux/completion.h>
#include <linux/sbitmap.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

#include "skua.h"

#define LOCAL_TAGS	256		/* commands of the mid layer in one host */
#define LOCAL_SLOTS	(2 * LOCAL_TAGS)
#define LOCAL_LUN_DEPTH	64
#define LOCAL_SEGMENTS	2048
#define LOCAL_ID_LEN	24		/* SPC TransportID, SAS */
#define LOCAL_TMF_WAIT	(20 * HZ)	/* longer than the core takes to answer */

#define LOCAL_BUSY	1UL		/* in local_slot.owner: a copy is running */

/**
 * struct local_slot - one command of the core
 * @cmd: first
 * @owner: see above
 * @uses: makes the tag unlike that of the slot's last command
 */
struct local_slot {
	struct skua_cmd cmd;
	unsigned long owner;
	u32 uses;
};

/**
 * struct local_cmnd - our part of a struct scsi_cmnd
 * @slot, @tag: set by queuecommand
 */
struct local_cmnd {
	struct local_slot *slot;
	u64 tag;
};

/**
 * struct local_tgt - a target
 * @hosts: its sessions, under local_lock
 * @users: commands of the mgmt file that work on it, under local_lock
 * @scsi_version, @phys_version: version descriptors written by the user
 */
struct local_tgt {
	struct list_head link;			/* local_tgts, under local_lock */
	struct skua_tgt *tgt;
	struct list_head hosts;
	u32 users;
	u16 scsi_version, phys_version;
	bool scsi_version_set;
};

/* Bits of local_host.state. While one of the first two is set commands are refused. */
enum {
	LOCAL_NEW,			/* no session yet */
	LOCAL_CUT,			/* cut off: all commands have been ended */
	LOCAL_CLOSING,			/* remove_work was queued, or will be when NEW goes */
};

/**
 * struct local_host - a session
 * @link: in the target's list until its end is over, under local_lock
 * @shost: one reference, until @link is out of the list
 * @sess: valid while @link is in the list; written under local_lock
 * @state: LOCAL_*
 * @task_attr: for new commands, enum skua_task_attr
 * @tmfs: task management functions in the core
 * @eh: calls of error handlers that run
 * @wait: for task management
 * @drained: the core has let go of @queue
 * @free: slots in use
 * @slots: the rest of the allocation; with @queue it may outlive this module in
 *	the hands of the core if a backend does not return a command
 */
struct local_host {
	struct list_head link;
	struct local_tgt *ltgt;
	struct Scsi_Host *shost;
	unsigned int host_no;
	struct skua_session *sess;
	unsigned long state;
	u8 task_attr;
	atomic_t tmfs;
	atomic_t eh;
	wait_queue_head_t wait;
	struct completion drained;
	struct work_struct remove_work;
	struct delayed_work cut_work;
	u8 transport_id[LOCAL_ID_LEN];
	struct sbitmap free;
	struct skua_queue queue;
	struct local_slot slots[LOCAL_SLOTS];
};

static inline bool local_refuses(const struct local_host *host)
{
	return READ_ONCE(host->state) & (BIT(LOCAL_NEW) | BIT(LOCAL_CUT));
}

static inline bool local_is_cut(const struct local_host *host)
{
	return test_bit(LOCAL_CUT, &host->state);
}

/* What a Scsi_Host has room for; NULL once nobody but error handlers can have the host. */
static inline struct local_host __rcu **local_hostdata(struct Scsi_Host *shost)
{
	return shost_priv(shost);
}

/* For those whom scsi_remove_host() waits for. */
static inline struct local_host *local_host_of(struct Scsi_Host *shost)
{
	return rcu_dereference_protected(*local_hostdata(shost), true);
}

/* What the driver's stats file shows. */
struct local_stats {
	atomic_t aborts, lun_resets, tgt_resets;
};

extern spinlock_t local_lock;			/* targets and their hosts; process context */
extern struct list_head local_tgts;
extern struct local_stats local_stats;
extern wait_queue_head_t local_gone;		/* a host is gone, or a user */

/* host.c */
int local_hosts_init(void);
void local_hosts_exit(void);
int local_host_add(struct local_tgt *ltgt, const char *name);
int local_host_del(struct local_tgt *ltgt, const char *name);
void local_hosts_del(struct local_tgt *ltgt);
ssize_t local_transport_id(struct skua_session *sess, char *buf);
void local_close_queue(struct skua_queue *queue);

/* cmd.c */
skua_qc_status local_queuecommand(struct Scsi_Host *shost, struct scsi_cmnd *scmd);
void local_start(struct skua_cmd *cmd, bool may_sleep);
void local_respond(struct skua_cmd *cmd);
bool local_detach(struct local_slot *slot, struct scsi_cmnd *scmd);
u32 local_attached(struct local_host *host, const struct scsi_lun *lun);
u32 local_detach_all(struct local_host *host, const struct scsi_lun *lun, int result);

/* eh.c */
int local_eh_abort(struct scsi_cmnd *scmd);
int local_eh_device_reset(struct scsi_cmnd *scmd);
int local_eh_target_reset(struct scsi_cmnd *scmd);
int local_eh_host_reset(struct scsi_cmnd *scmd);
void local_respond_tmf(struct skua_tmf *tmf);
int local_tmf_by_name(struct local_host *host, const char *name, u64 lun);

#endif
