// SPDX-License-Identifier: GPL-2.0
/*
 * Scsi_Hosts: how a session begins and ends.
 *
 * The end, whoever asks for it, is local_close_queue(), which only queues
 * remove_work. That takes the host from the mid layer. Commands still work for
 * close_wait seconds, so that the upper layers can flush; then cut_work fails
 * all that are there and all that come, and scsi_remove_host() gets through
 * whatever the backends do. Then the queue is killed, which ends the session. Those
 * who may hold a pointer to the struct local_host by then: start(), respond() and
 * respond_tmf(), in RCU read sections. Error handlers called for SG_SCSI_RESET, which
 * scsi_remove_host() does not wait for, are counted: local_eh_end(). The session's
 * files look it up under local_lock, in the target's list, from which it is gone by
 * then.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "local.h"

static unsigned int close_wait = 5;
module_param(close_wait, uint, 0644);
MODULE_PARM_DESC(close_wait,
		 "seconds that commands still work while a session is being removed (default 5)");

#define LOCAL_DRAIN_WAIT	(5 * HZ)

static struct device *local_root;
static struct workqueue_struct *local_wq;
DECLARE_WAIT_QUEUE_HEAD(local_gone);

/* ---- files of the host, for tests and the curious ----------------------- */

static const char *const local_attr_names[] = {
	[SKUA_SIMPLE] = "simple",
	[SKUA_ORDERED] = "ordered",
	[SKUA_HEAD_OF_QUEUE] = "head_of_queue",
	[SKUA_ACA] = "aca",
};

static ssize_t task_attr_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct local_host *host = local_host_of(class_to_shost(dev));

	return sysfs_emit(buf, "%s\n", local_attr_names[READ_ONCE(host->task_attr)]);
}

static ssize_t task_attr_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t len)
{
	struct local_host *host = local_host_of(class_to_shost(dev));
	int i = sysfs_match_string(local_attr_names, buf);

	if (i < 0)
		return i;
	WRITE_ONCE(host->task_attr, i);
	return len;
}
static DEVICE_ATTR_RW(task_attr);

/* "FUNCTION LUN"; the write's result is the answer. */
static ssize_t task_mgmt_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t len)
{
	struct local_host *host = local_host_of(class_to_shost(dev));
	char name[20];
	u64 lun;
	int ret;

	if (sscanf(buf, "%19s %llu", name, &lun) != 2)
		return -EINVAL;
	ret = local_tmf_by_name(host, name, lun);
	return ret ? ret : len;
}
static DEVICE_ATTR_WO(task_mgmt);

static struct attribute *local_host_attrs[] = {
	&dev_attr_task_attr.attr,
	&dev_attr_task_mgmt.attr,
	NULL
};
ATTRIBUTE_GROUPS(local_host);

static struct scsi_host_template local_template = {
	.module			= THIS_MODULE,
	.name			= "Skua local target",
	.proc_name		= "skua_local",
	.queuecommand		= local_queuecommand,
	.change_queue_depth	= scsi_change_queue_depth,
	.eh_abort_handler	= local_eh_abort,
	.eh_device_reset_handler = local_eh_device_reset,
	.eh_target_reset_handler = local_eh_target_reset,
	.eh_host_reset_handler	= local_eh_host_reset,
	.cmd_size		= sizeof(struct local_cmnd),
	.can_queue		= LOCAL_TAGS,
	.cmd_per_lun		= LOCAL_LUN_DEPTH,
	.this_id		= -1,
	.sg_tablesize		= LOCAL_SEGMENTS,
	.max_sectors		= SKUA_MAX_XFER >> 9,
	.host_tagset		= 1,
	.shost_groups		= local_host_groups,
};

/* ---- the end ----------------------------------------------------------- */

static void local_cut_work(struct work_struct *work)
{
	struct local_host *host = container_of(work, struct local_host, cut_work.work);
	u32 n;

	set_bit(LOCAL_CUT, &host->state);
	smp_mb__after_atomic();		/* pairs with the xchg() in local_queuecommand() */
	wake_up_all(&host->wait);
	n = local_detach_all(host, NULL, DID_NO_CONNECT << 16);
	if (n)
		shost_printk(KERN_WARNING, host->shost,
			     "being removed: %u commands did not end in %u s\n", n, close_wait);
}

static void local_drained(struct skua_queue *queue)
{
	struct local_host *host = container_of(queue, struct local_host, queue);

	complete(&host->drained);
}

/*
 * The mid layer has forgotten the host, but a reset that somebody asked for may still run.
 * None of what it waits for goes on once the host is cut off.
 */
static void local_eh_end(struct local_host *host)
{
	RCU_INIT_POINTER(*local_hostdata(host->shost), NULL);
	set_bit(LOCAL_CUT, &host->state);
	wake_up_all(&host->wait);
	synchronize_rcu();		/* local_eh_enter() */
	while (atomic_read(&host->eh))
		msleep(20);
}

static void local_host_free(struct local_host *host)
{
	synchronize_rcu();	/* local_respond(), local_respond_tmf() */
	sbitmap_free(&host->free);
	kvfree(host);
}

/* False if commands are still in their backends after LOCAL_DRAIN_WAIT. */
static bool local_wait_idle(struct local_host *host)
{
	unsigned long end = jiffies + LOCAL_DRAIN_WAIT;

	while (sbitmap_any_bit_set(&host->free) || atomic_read(&host->tmfs)) {
		if (time_after(jiffies, end) && !atomic_read(&host->tmfs))
			return false;
		msleep(20);
	}
	return true;
}

/*
 * The mid layer has forgotten the host. Commands that a backend does not give back
 * are left to the core with the memory they are in, so that everything else can go.
 */
static void local_leave(struct local_host *host)
{
	struct sbitmap bitmap = host->free;
	bool held = skua_queue_hold(&host->queue);

	skua_queue_kill(&host->queue);
	if (!held || local_wait_idle(host)) {
		if (held)
			skua_queue_unhold(&host->queue);
		wait_for_completion(&host->drained);
		local_host_free(host);
		return;
	}
	pr_warn("skua_local: host%u is gone, but %u of its commands are still in their backends\n",
		host->host_no, sbitmap_weight(&host->free));
	WARN_ON_ONCE(!skua_queue_orphan(&host->queue, host, NULL));	/* we hold it */
	skua_queue_unhold(&host->queue);
	sbitmap_free(&bitmap);
}

static void local_remove_work(struct work_struct *work)
{
	struct local_host *host = container_of(work, struct local_host, remove_work);

	queue_delayed_work(local_wq, &host->cut_work, close_wait * HZ);
	scsi_remove_host(host->shost);
	cancel_delayed_work_sync(&host->cut_work);
	local_eh_end(host);
	spin_lock(&local_lock);
	list_del(&host->link);
	spin_unlock(&local_lock);
	wake_up_all(&local_gone);
	scsi_host_put(host->shost);
	local_leave(host);
}

/* The end of one that is just logging in begins when that is done with the host. */
static void local_host_close(struct local_host *host)
{
	unsigned long old = set_mask_bits(&host->state, 0UL, BIT(LOCAL_CLOSING));

	if (!(old & (BIT(LOCAL_CLOSING) | BIT(LOCAL_NEW))))
		queue_work(local_wq, &host->remove_work);
}

/**
 * local_close_queue() - the core wants a session to end
 * @queue: its queue
 *
 * Its logical units are about to go, so this is the end of a cable pulled. Those who
 * take their leave through this driver's mgmt file flush first.
 */
void local_close_queue(struct skua_queue *queue)
{
	local_host_close(container_of(queue, struct local_host, queue));
}

static bool local_host_is_gone(struct local_tgt *ltgt, unsigned int host_no)
{
	struct local_host *host;
	bool gone = true;

	spin_lock(&local_lock);
	list_for_each_entry(host, &ltgt->hosts, link)
		if (host->host_no == host_no)
			gone = false;
	spin_unlock(&local_lock);
	return gone;
}

/* Ends one session of a target, or the first if there is no name. */
static int local_host_end(struct local_tgt *ltgt, const char *name)
{
	struct local_host *host, *found = NULL;
	unsigned int host_no;

	spin_lock(&local_lock);
	list_for_each_entry(host, &ltgt->hosts, link) {
		if (!host->sess)
			continue;
		if (!name || !strcmp(kobject_name(skua_session_kobj(host->sess)), name)) {
			found = host;
			break;
		}
	}
	if (found) {
		host_no = found->host_no;
		local_host_close(found);
	}
	spin_unlock(&local_lock);
	if (!found)
		return -EINVAL;
	wait_event(local_gone, local_host_is_gone(ltgt, host_no));
	/* By now it ends by itself; this waits until it is out of the tree. */
	skua_session_close_key(ltgt->tgt, &host_no, sizeof(host_no));
	return 0;
}

/**
 * local_host_del() - end a session
 * @ltgt: of this target
 * @name: in the tree
 *
 * Context: process. Ends in bounded time. Return: 0, -EINVAL no such session.
 */
int local_host_del(struct local_tgt *ltgt, const char *name)
{
	return local_host_end(ltgt, name);
}

/**
 * local_hosts_del() - end all sessions of a target
 * @ltgt: the target; no command of the mgmt file works on it
 */
void local_hosts_del(struct local_tgt *ltgt)
{
	while (!local_host_end(ltgt, NULL))
		;
}

/* ---- the beginning ----------------------------------------------------- */

static bool local_id_taken(const u8 *id)
{
	struct local_host *host;
	struct local_tgt *ltgt;

	list_for_each_entry(ltgt, &local_tgts, link)
		list_for_each_entry(host, &ltgt->hosts, link)
			if (!memcmp(host->transport_id, id, LOCAL_ID_LEN))
				return true;
	return false;
}

/*
 * A SAS TransportID with a locally assigned address that is a hash (FNV-1a) of
 * the names, so that reservations find their initiator again after a reload. Two
 * sessions of the same name get different ones. local_lock is held.
 */
static void local_make_id(struct local_host *host, const char *name)
{
	const char *const words[] = { skua_tgt_name(host->ltgt->tgt), name };
	u64 hash = 0xcbf29ce484222325ULL;
	const char *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		for (c = words[i]; *c; c++)
			hash = (hash ^ (u8)*c) * 0x100000001b3ULL;
		hash *= 0x100000001b3ULL;
	}
	host->transport_id[0] = 0x06;
	do {
		put_unaligned_be64((hash++ & (~0ULL >> 4)) | 3ULL << 60, host->transport_id + 4);
	} while (local_id_taken(host->transport_id));
}

static struct local_host *local_host_alloc(struct local_tgt *ltgt)
{
	struct local_host *host = kvzalloc(sizeof(*host), GFP_KERNEL);

	if (!host)
		return NULL;
	if (sbitmap_init_node(&host->free, LOCAL_SLOTS, -1, GFP_KERNEL, NUMA_NO_NODE, false, true))
		goto free_host;
	host->shost = scsi_host_alloc(&local_template, sizeof(struct local_host *));
	if (!host->shost)
		goto free_bitmap;
	RCU_INIT_POINTER(*local_hostdata(host->shost), host);
	host->shost->max_id = 1;
	host->shost->max_lun = ~0ULL;
	host->shost->max_cmd_len = SKUA_MAX_CDB;
	host->shost->nr_hw_queues = nr_cpu_ids;
	host->host_no = host->shost->host_no;
	host->ltgt = ltgt;
	set_bit(LOCAL_NEW, &host->state);
	init_waitqueue_head(&host->wait);
	init_completion(&host->drained);
	INIT_WORK(&host->remove_work, local_remove_work);
	INIT_DELAYED_WORK(&host->cut_work, local_cut_work);
	host->queue.flags = SKUA_QUEUE_ATOMIC;
	host->queue.cpu = WORK_CPU_UNBOUND;
	host->queue.slots = &host->slots[0].cmd;
	host->queue.stride = sizeof(host->slots[0]);
	host->queue.nr_slots = LOCAL_SLOTS;
	host->queue.drained = local_drained;
	return host;

free_bitmap:
	sbitmap_free(&host->free);
free_host:
	kvfree(host);
	return NULL;
}

/* A new session with the host's queue attached. */
static int local_login(struct local_host *host, const char *name)
{
	struct skua_session_params params = {
		.initiator = name,
		.key = &host->host_no,
		.key_len = sizeof(host->host_no),
		.transport_id = host->transport_id,
		.transport_id_len = LOCAL_ID_LEN,
		.link_name = "host",
		.link_to = &host->shost->shost_dev.kobj,
		.priv = (void *)(unsigned long)host->host_no,
	};
	struct skua_session *sess;
	int ret;

	sess = skua_session_get(host->ltgt->tgt, &params);
	if (IS_ERR(sess))
		return PTR_ERR(sess);
	ret = skua_queue_attach(&host->queue, sess);
	if (!ret) {
		spin_lock(&local_lock);
		host->sess = sess;
		spin_unlock(&local_lock);
		/* Whoever asked for the end meanwhile has left it to us. */
		if (set_mask_bits(&host->state, BIT(LOCAL_NEW), 0UL) & BIT(LOCAL_CLOSING))
			queue_work(local_wq, &host->remove_work);
	}
	skua_session_put(sess);
	return ret;
}

/**
 * local_host_add() - add a session
 * @ltgt: to this target
 * @name: initiator name
 *
 * Returns when the logical units have been found. Context: process.
 */
int local_host_add(struct local_tgt *ltgt, const char *name)
{
	struct local_host *host;
	struct Scsi_Host *shost;
	int ret;

	host = local_host_alloc(ltgt);
	if (!host)
		return -ENOMEM;
	shost = scsi_host_get(host->shost);
	ret = scsi_add_host(shost, local_root);
	if (ret)
		goto free;
	spin_lock(&local_lock);
	local_make_id(host, name);
	list_add_tail(&host->link, &ltgt->hosts);
	spin_unlock(&local_lock);
	ret = local_login(host, name);
	if (ret)
		goto remove;
	/* A close that came meanwhile may have freed the struct local_host. */
	scsi_scan_target(&shost->shost_gendev, 0, 0, SCAN_WILD_CARD, SCSI_SCAN_INITIAL);
	scsi_host_put(shost);
	return 0;

remove:
	spin_lock(&local_lock);
	list_del(&host->link);
	spin_unlock(&local_lock);
	scsi_remove_host(shost);
	local_eh_end(host);
free:
	scsi_host_put(shost);
	scsi_host_put(shost);
	local_host_free(host);
	return ret;
}

/**
 * local_transport_id() - the TransportID of a session
 * @sess: the session
 * @buf: LOCAL_ID_LEN bytes
 *
 * Return: LOCAL_ID_LEN, or -ENODEV while the session is ending.
 */
ssize_t local_transport_id(struct skua_session *sess, char *buf)
{
	struct local_host *host;
	struct local_tgt *ltgt;
	ssize_t ret = -ENODEV;

	spin_lock(&local_lock);
	list_for_each_entry(ltgt, &local_tgts, link) {
		list_for_each_entry(host, &ltgt->hosts, link) {
			if (host->sess == sess) {
				memcpy(buf, host->transport_id, LOCAL_ID_LEN);
				ret = LOCAL_ID_LEN;
			}
		}
	}
	spin_unlock(&local_lock);
	return ret;
}

/**
 * local_hosts_init() - what all hosts need
 */
int local_hosts_init(void)
{
	local_root = root_device_register("skua_local");
	if (IS_ERR(local_root))
		return PTR_ERR(local_root);
	/* Not WQ_MEM_RECLAIM: scsi_remove_host() flushes queues that are not. */
	local_wq = alloc_workqueue("skua_local", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!local_wq) {
		root_device_unregister(local_root);
		return -ENOMEM;
	}
	return 0;
}

/**
 * local_hosts_exit() - wait for the end of all hosts
 */
void local_hosts_exit(void)
{
	destroy_workqueue(local_wq);
	root_device_unregister(local_root);
}
