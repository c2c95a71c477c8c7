// SPDX-License-Identifier: GPL-2.0
/*
 * A nexus object: one session's view of one LUN.
 *
 * Its end, from skua_nexus_kill(): it is no longer in any published LUN table
 * (the caller replaced it); the reap step takes it out of the tree, kills
 * its percpu_ref and lets order.c reject what is held; the last command's
 * release queues free_work, which unlinks it from the device and drops the
 * device and the session. Who may still hold a pointer: readers of an old table
 * under RCU (they fail tryget_live, and the memory goes by kfree_rcu); commands
 * (they hold ref); task management and configuration (under skua_conf, which
 * free_work takes to unlink); order_work (cancelled by free_work).
 */
#include "latency.h"
#include "priv.h"

#define SKUA_LOST_GRACE	(600 * HZ)	/* see skua_dev_lost() */

/* What skua_dev_lost() has said, as far as the new initiator knows. */
static u32 skua_nexus_lost_seen(struct skua_dev *dev)
{
	u32 lost = atomic_read(&dev->lost);
	bool tell = dev->lost_untold;

	dev->lost_untold = false;
	if (lost && time_before64(get_jiffies_64(), READ_ONCE(dev->lost_at) + SKUA_LOST_GRACE))
		tell = true;
	return lost - tell;
}

static void skua_nexus_free_work(struct work_struct *work)
{
	struct skua_nexus *nx = container_of(work, struct skua_nexus, free_work);
	struct skua_session *sess = nx->sess;
	struct skua_dev *dev = nx->dev;

	mutex_lock(&skua_conf);
	list_del(&nx->dev_link);
	/* The initiator may come again. */
	if (nx->lost_seen != atomic_read(&dev->lost))
		dev->lost_untold = true;
	mutex_unlock(&skua_conf);
	cancel_work_sync(&nx->order_work);
	percpu_ref_exit(&nx->ref);
	kobject_put(&nx->kobj);
	skua_dev_put(dev);
	skua_session_ref_put(sess);
}

static void skua_nexus_released(struct percpu_ref *ref)
{
	struct skua_nexus *nx = container_of(ref, struct skua_nexus, ref);

	queue_work(skua_mgmt_wq, &nx->free_work);
}

void skua_nexus_free(struct skua_nexus *nx)
{
	skua_lat_free(&nx->lat);
	free_percpu(nx->stats);
	kfree_rcu(nx, rcu);
}

/**
 * skua_nexus_create() - make a nexus, not in any table yet
 * @sess: the session; a reference is taken
 * @dev: the device; a reference is taken
 * @lun: the LUN
 * @read_only: as mapped
 *
 * Context: process, skua_conf held.
 * Return: the nexus, or NULL.
 */
struct skua_nexus *skua_nexus_create(struct skua_session *sess, struct skua_dev *dev, u16 lun,
				     bool read_only)
{
	struct skua_nexus *nx;

	lockdep_assert_held(&skua_conf);
	nx = kzalloc_node(sizeof(*nx), GFP_KERNEL, dev->config.numa_node);
	if (!nx)
		return NULL;
	nx->stats = alloc_percpu(struct skua_nexus_stats);
	if (!nx->stats || percpu_ref_init(&nx->ref, skua_nexus_released, 0, GFP_KERNEL)) {
		free_percpu(nx->stats);
		kfree(nx);
		return NULL;
	}
	nx->sess = sess;
	nx->dev = dev;
	nx->lun = lun;
	nx->read_only = read_only;
	nx->lost_seen = skua_nexus_lost_seen(dev);
	spin_lock_init(&nx->lock);
	INIT_LIST_HEAD(&nx->held);
	INIT_WORK(&nx->order_work, skua_order_work);
	INIT_WORK(&nx->free_work, skua_nexus_free_work);
	kobject_init(&nx->kobj, &skua_nexus_ktype);
	kref_get(&sess->refs);
	skua_dev_get(dev);
	list_add_tail(&nx->dev_link, &dev->nexuses);
	skua_lat_add_nexus(nx);
	return nx;
}

static void skua_nexus_reap(struct skua_reap *reap)
{
	struct skua_nexus *nx = container_of(reap, struct skua_nexus, reap);

	if (nx->visible)
		skua_sysfs_nexus_del(nx);
	skua_order_kick(nx);
	percpu_ref_kill(&nx->ref);
}

/**
 * skua_nexus_unreserve() - the I_T nexus loses its SPC-2 reservation, if it has it
 * @nx: the nexus
 *
 * Context: any.
 */
void skua_nexus_unreserve(struct skua_nexus *nx)
{
	unsigned long flags;

	spin_lock_irqsave(&nx->dev->lock, flags);
	if (nx->dev->reserved_by == nx->sess->id)
		WRITE_ONCE(nx->dev->reserved_by, 0);
	spin_unlock_irqrestore(&nx->dev->lock, flags);
}

/**
 * skua_nexus_kill() - end a nexus that no published table has
 * @nx: the nexus
 * @reap: the caller runs this list after dropping skua_conf
 */
void skua_nexus_kill(struct skua_nexus *nx, struct list_head *reap)
{
	lockdep_assert_held(&skua_conf);
	WRITE_ONCE(nx->dead, true);	/* a RESERVE under way looks at it under dev->lock */
	skua_nexus_unreserve(nx);
	nx->reap.fn = skua_nexus_reap;
	list_add_tail(&nx->reap.link, reap);
}

/**
 * skua_nexus_lookup() - the nexus of a LUN
 * @sess: the session
 * @lun: the LUN
 *
 * Context: skua_conf held; the nexus stays until it is dropped.
 */
struct skua_nexus *skua_nexus_lookup(struct skua_session *sess, u16 lun)
{
	const struct skua_lun_table *table;

	table = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	return table && lun < table->nr ? table->nexus[lun] : NULL;
}
