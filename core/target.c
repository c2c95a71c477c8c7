// SPDX-License-Identifier: GPL-2.0
/*
 * Target drivers (transports) and their targets.
 */
#include <linux/slab.h>

#include "sysfs.h"

LIST_HEAD(skua_drivers);

/* ---- drivers ---------------------------------------------------------- */

/**
 * skua_driver_register() - a transport arrives
 * @ops: its table, valid until skua_driver_unregister()
 *
 * Context: process. Return: the driver, or an error pointer.
 */
struct skua_driver *skua_driver_register(const struct skua_transport *ops)
{
	struct skua_driver *drv = kzalloc(sizeof(*drv), GFP_KERNEL);
	int ret;

	if (!drv)
		return ERR_PTR(-ENOMEM);
	drv->ops = ops;
	INIT_LIST_HEAD(&drv->tgts);
	kobject_init(&drv->kobj, &skua_driver_ktype);
	mutex_lock(&skua_conf);
	ret = skua_sysfs_driver_add(drv);
	if (!ret)
		list_add_tail(&drv->link, &skua_drivers);
	mutex_unlock(&skua_conf);
	if (ret) {
		pr_err("skua: driver %s not registered: %d\n", ops->name, ret);
		kobject_put(&drv->kobj);
		return ERR_PTR(ret);
	}
	return drv;
}
EXPORT_SYMBOL_GPL(skua_driver_register);

/**
 * skua_driver_unregister() - a transport leaves
 * @drv: without targets
 *
 * Context: process. No command of the driver's mgmt file and no drained() of its queues
 * runs after it.
 */
void skua_driver_unregister(struct skua_driver *drv)
{
	mutex_lock(&skua_conf);
	WARN_ON(!list_empty(&drv->tgts));
	drv->dead = true;
	list_del(&drv->link);
	mutex_unlock(&skua_conf);
	skua_sysfs_driver_del(drv);
	kobject_put(&drv->kobj);
	skua_queues_drained();
}
EXPORT_SYMBOL_GPL(skua_driver_unregister);

/**
 * skua_driver_file_add() - one more file of the driver
 * @drv: the driver, registered
 * @attr: stays until skua_driver_file_del(), or the driver's end; its show() and
 *	store() take no lock that is held here
 *
 * Context: process. Return: 0, -EEXIST if the name is taken, -ENOMEM.
 */
int skua_driver_file_add(struct skua_driver *drv, const struct skua_attr *attr)
{
	return skua_file_add(&drv->kobj, &attr->attr);
}
EXPORT_SYMBOL_GPL(skua_driver_file_add);

/**
 * skua_driver_file_del() - undo skua_driver_file_add()
 * @drv: the driver
 * @attr: the file; nobody reads or writes it any more on return
 */
void skua_driver_file_del(struct skua_driver *drv, const struct skua_attr *attr)
{
	sysfs_remove_file(&drv->kobj, &attr->attr);
}
EXPORT_SYMBOL_GPL(skua_driver_file_del);

/* ---- targets ---------------------------------------------------------- */

static struct skua_tgt *skua_tgt_find(struct skua_driver *drv, const char *name)
{
	struct skua_tgt *tgt;

	list_for_each_entry(tgt, &drv->tgts, link)
		if (!strcmp(tgt->name, name))
			return tgt;
	return NULL;
}

/* The kobject's release. */
void skua_tgt_free(struct skua_tgt *tgt)
{
	skua_group_free(tgt->own);
	kfree(tgt->comment);
	kobject_put(&tgt->drv->kobj);
	kfree(tgt);
}

static struct skua_tgt *skua_tgt_alloc(struct skua_driver *drv, const char *name, void *priv)
{
	struct skua_tgt *tgt = kzalloc(struct_size(tgt, name, strlen(name) + 1), GFP_KERNEL);

	if (!tgt)
		return NULL;
	tgt->own = skua_group_alloc(tgt, "");
	if (!tgt->own) {
		kfree(tgt);
		return NULL;
	}
	strcpy(tgt->name, name);
	tgt->drv = drv;
	kobject_get(&drv->kobj);
	tgt->priv = priv;
	INIT_LIST_HEAD(&tgt->groups);
	INIT_LIST_HEAD(&tgt->sessions);
	INIT_LIST_HEAD(&tgt->ending);
	kobject_init(&tgt->kobj, &skua_tgt_ktype);
	return tgt;
}

/**
 * skua_tgt_register() - a target arrives
 * @drv: the driver
 * @name: unique in the driver
 * @priv: the transport's
 *
 * Context: process. Return: the target, or an error pointer (-EEXIST, -EINVAL,
 * -ENOMEM).
 */
struct skua_tgt *skua_tgt_register(struct skua_driver *drv, const char *name, void *priv)
{
	struct skua_tgt *tgt;
	int ret = 0;

	if (!skua_name_ok(name, SKUA_MAX_NAME)) {
		pr_err("skua: %s: \"%s\" is no target name\n", drv->ops->name, name);
		return ERR_PTR(-EINVAL);
	}
	tgt = skua_tgt_alloc(drv, name, priv);
	if (!tgt)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&skua_conf);
	if (skua_tgt_find(drv, name))
		ret = -EEXIST;
	if (!ret)
		ret = skua_sysfs_tgt_add(tgt);
	if (!ret)
		list_add_tail(&tgt->link, &drv->tgts);
	mutex_unlock(&skua_conf);
	if (ret) {
		pr_err("skua: %s: target %s not registered: %d\n", drv->ops->name, name, ret);
		kobject_put(&tgt->kobj);
		return ERR_PTR(ret);
	}
	if (drv->ops->no_enable)
		skua_tgt_set_enabled(tgt, true);
	return tgt;
}
EXPORT_SYMBOL_GPL(skua_tgt_register);

/**
 * skua_tgt_unregister() - a target goes, with its sessions, groups and LUNs
 * @tgt: the target
 *
 * Context: process. On return no session of it is in the tree and no login will
 * succeed; queues of ended sessions may still wait for their last commands.
 */
void skua_tgt_unregister(struct skua_tgt *tgt)
{
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	tgt->dead = true;
	list_del(&tgt->link);
	mutex_unlock(&skua_conf);
	skua_tgt_close_sessions(tgt);

	mutex_lock(&skua_conf);
	skua_groups_clear(tgt, &reap);
	mutex_unlock(&skua_conf);
	skua_reap(&reap);
	skua_sysfs_tgt_del(tgt);
	kobject_put(&tgt->kobj);
}
EXPORT_SYMBOL_GPL(skua_tgt_unregister);

/**
 * skua_tgt_cmd_add() - the command add_target
 * @drv: the driver
 * @name: the target
 * @params: the rest of the command, modifiable
 *
 * Context: process. Return: 0, -EEXIST, -EINVAL or the transport's error.
 */
int skua_tgt_cmd_add(struct skua_driver *drv, const char *name, char *params)
{
	struct skua_tgt *tgt;

	mutex_lock(&skua_conf);
	tgt = skua_tgt_find(drv, name);
	mutex_unlock(&skua_conf);
	if (tgt) {
		pr_err("skua: %s: target %s exists\n", drv->ops->name, name);
		return -EEXIST;
	}
	return drv->ops->add_target(name, params);
}

/**
 * skua_tgt_cmd_del() - the command del_target
 * @drv: the driver
 * @name: the target
 *
 * Context: process. Return: 0, or -ENOENT.
 */
int skua_tgt_cmd_del(struct skua_driver *drv, const char *name)
{
	struct skua_tgt *tgt;
	int ret;

	mutex_lock(&skua_conf);
	tgt = skua_tgt_find(drv, name);
	if (tgt && tgt->deleting)
		tgt = NULL;
	if (tgt) {
		tgt->deleting = true;
		kobject_get(&tgt->kobj);
	}
	mutex_unlock(&skua_conf);
	if (!tgt) {
		pr_err("skua: %s: no target %s\n", drv->ops->name, name);
		return -ENOENT;
	}
	ret = drv->ops->del_target(tgt);
	kobject_put(&tgt->kobj);
	return ret;
}

/* ---- relative target port, enabled ------------------------------------ */

static bool skua_rel_id_used(const struct skua_tgt *except, u16 id)
{
	struct skua_driver *drv;
	struct skua_tgt *tgt;

	list_for_each_entry(drv, &skua_drivers, link)
		list_for_each_entry(tgt, &drv->tgts, link)
			if (tgt != except && tgt->enabled && tgt->rel_tgt_id == id)
				return true;
	return false;
}

static int skua_tgt_choose_rel_id(struct skua_tgt *tgt)
{
	u32 id;

	if (tgt->rel_tgt_id)
		return skua_rel_id_used(tgt, tgt->rel_tgt_id) ? -EBADSLT : 0;
	for (id = 1; id <= U16_MAX; id++) {
		if (!skua_rel_id_used(tgt, id)) {
			tgt->rel_tgt_id = id;
			return 0;
		}
	}
	return -EBADSLT;
}

/**
 * skua_tgt_set_enabled() - let initiators log in, or end their sessions
 * @tgt: the target
 * @on: which
 *
 * Context: process. Return: 0; -EBADSLT: its relative target port identifier is
 * another enabled target's.
 */
int skua_tgt_set_enabled(struct skua_tgt *tgt, bool on)
{
	int ret = 0;

	mutex_lock(&skua_conf);
	if (tgt->dead)
		ret = -ENOENT;
	else if (on && !tgt->enabled)
		ret = skua_tgt_choose_rel_id(tgt);
	if (!ret)
		WRITE_ONCE(tgt->enabled, on);
	mutex_unlock(&skua_conf);
	if (ret)
		pr_err("skua: %s: not enabled: rel_tgt_id %u is not unique\n", tgt->name,
		       tgt->rel_tgt_id);
	else if (!on)
		skua_tgt_close_sessions(tgt);
	return ret;
}

/**
 * skua_tgt_set_rel_id() - set the relative target port identifier
 * @tgt: the target
 * @id: 1 to 65535; 0 (choose when enabled) only while disabled
 *
 * Context: process. Return: 0, -EINVAL, -EBADSLT.
 */
int skua_tgt_set_rel_id(struct skua_tgt *tgt, u16 id)
{
	int ret = 0;

	mutex_lock(&skua_conf);
	if (tgt->enabled && !id)
		ret = -EINVAL;
	else if (tgt->enabled && skua_rel_id_used(tgt, id))
		ret = -EBADSLT;
	else
		WRITE_ONCE(tgt->rel_tgt_id, id);
	mutex_unlock(&skua_conf);
	if (ret)
		pr_err("skua: %s: rel_tgt_id %u refused: %d\n", tgt->name, id, ret);
	return ret;
}

/* ---- accessors -------------------------------------------------------- */

const char *skua_tgt_name(const struct skua_tgt *tgt)
{
	return tgt->name;
}
EXPORT_SYMBOL_GPL(skua_tgt_name);

void *skua_tgt_priv(const struct skua_tgt *tgt)
{
	return tgt->priv;
}
EXPORT_SYMBOL_GPL(skua_tgt_priv);

bool skua_tgt_enabled(const struct skua_tgt *tgt)
{
	return READ_ONCE(tgt->enabled);
}
EXPORT_SYMBOL_GPL(skua_tgt_enabled);
