// SPDX-License-Identifier: GPL-2.0
/*
 * Target ports as they are configured. A target is made when an RDMA port with a
 * new GID is seen first and stays until the module goes: when the device leaves,
 * its LUNs, groups and attributes wait for it, and a port with the same GID serves
 * them again.
 */
#include <linux/slab.h>

#include "srpt.h"

static LIST_HEAD(srpt_targets);		/* under srpt_mutex */

static struct srpt_target *srpt_target_find(const union ib_gid *gid)
{
	struct srpt_target *target;

	list_for_each_entry(target, &srpt_targets, link)
		if (!memcmp(&target->gid, gid, sizeof(*gid)))
			return target;
	return NULL;
}

static struct srpt_target *srpt_target_create(const union ib_gid *gid)
{
	struct srpt_target *target = kzalloc(sizeof(*target), GFP_KERNEL);
	int ret;

	if (!target)
		return ERR_PTR(-ENOMEM);
	target->gid = *gid;
	snprintf(target->name, sizeof(target->name), "%pI6", gid->raw);
	strscpy(target->port_id, "Skua SRP target", sizeof(target->port_id));
	spin_lock_init(&target->lock);
	mutex_init(&target->login);
	INIT_LIST_HEAD(&target->chans);
	target->tgt = skua_tgt_register(srpt_driver, target->name, target);
	if (IS_ERR(target->tgt)) {
		ret = PTR_ERR(target->tgt);
		kfree(target);
		return ERR_PTR(ret);
	}
	list_add_tail(&target->link, &srpt_targets);
	return target;
}

/* The mask is kept over the device's absence, unless nothing of it exists now. */
static void srpt_target_set_vectors(struct srpt_target *target, unsigned int nr)
{
	unsigned int n = min_t(unsigned int, max(nr, 1U), SRPT_MAX_VECTORS);

	spin_lock(&target->lock);
	if (find_first_bit(target->vectors, SRPT_MAX_VECTORS) >= n) {
		bitmap_fill(target->vectors, n);
	} else {
		if (n > target->nr_vectors)
			bitmap_set(target->vectors, target->nr_vectors, n - target->nr_vectors);
		else
			bitmap_clear(target->vectors, n, SRPT_MAX_VECTORS - n);
	}
	target->nr_vectors = n;
	spin_unlock(&target->lock);
}

/**
 * srpt_target_serve() - let a port serve the target of its GID
 * @port: without a target; srpt_mutex is held
 * @gid: GID of index 0
 *
 * Return: the target, or an ERR_PTR: -EBUSY if another port serves it.
 */
struct srpt_target *srpt_target_serve(struct srpt_port *port, const union ib_gid *gid)
{
	struct ib_device *ib = port->dev->rdma.ib;
	struct srpt_target *target;

	lockdep_assert_held(&srpt_mutex);
	target = srpt_target_find(gid);
	if (!target)
		target = srpt_target_create(gid);
	if (IS_ERR(target))
		return target;
	if (target->port)
		return ERR_PTR(-EBUSY);
	spin_lock(&target->lock);
	strscpy(target->dev_name, dev_name(&ib->dev), sizeof(target->dev_name));
	target->link_layer = rdma_port_get_link_layer(ib, port->num);
	spin_unlock(&target->lock);
	srpt_target_set_vectors(target, ib->num_comp_vectors);
	target->port = port;
	port->target = target;
	return target;
}

/**
 * srpt_target_leave() - the port goes, its target stays
 * @port: the port; srpt_mutex is held
 */
void srpt_target_leave(struct srpt_port *port)
{
	lockdep_assert_held(&srpt_mutex);
	if (port->target)
		port->target->port = NULL;
	port->target = NULL;
}

/**
 * srpt_target_vector() - completion vector for the next channel
 * @target: the target
 */
int srpt_target_vector(struct srpt_target *target)
{
	unsigned int vector;

	spin_lock(&target->lock);
	vector = find_next_bit(target->vectors, target->nr_vectors, target->next_vector);
	if (vector >= target->nr_vectors)
		vector = find_first_bit(target->vectors, target->nr_vectors);
	target->next_vector = vector + 1;
	spin_unlock(&target->lock);
	return vector;
}

/**
 * srpt_targets_unregister() - module exit: the configuration goes, too
 */
void srpt_targets_unregister(void)
{
	struct srpt_target *target, *next;

	list_for_each_entry_safe(target, next, &srpt_targets, link) {
		list_del(&target->link);
		skua_tgt_unregister(target->tgt);
		kfree(target);
	}
}
