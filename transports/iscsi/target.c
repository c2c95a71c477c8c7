// SPDX-License-Identifier: GPL-2.0
/*
 * Targets as they are configured. They come and go by add_target and del_target.
 */
#include <linux/slab.h>

#include "iscsit.h"

DEFINE_MUTEX(iscsit_mutex);
static LIST_HEAD(iscsit_targets);
static u32 iscsit_last_tid;
static bool iscsit_ending;		/* the module leaves: no target comes */

static void iscsit_target_free(struct kref *refs)
{
	struct iscsit_target *target = container_of(refs, struct iscsit_target, refs);

	iscsit_users_free(&target->users);
	kfree(target);
}

void iscsit_target_put(struct iscsit_target *target)
{
	kref_put(&target->refs, iscsit_target_free);
}

/**
 * iscsit_target_get() - a target by its name
 * @name: in any case
 *
 * Context: process. Return: the target with a reference, or NULL. It may be deleted
 * meanwhile: see target->dead.
 */
struct iscsit_target *iscsit_target_get(const char *name)
{
	struct iscsit_target *target;

	mutex_lock(&iscsit_mutex);
	list_for_each_entry(target, &iscsit_targets, link) {
		if (!strcasecmp(target->name, name)) {
			kref_get(&target->refs);
			goto out;
		}
	}
	target = NULL;
out:
	mutex_unlock(&iscsit_mutex);
	return target;
}

/**
 * iscsit_targets_visit() - all targets, in the order they came
 * @fn: called under iscsit_mutex; target->tgt is valid
 * @arg: for @fn
 */
void iscsit_targets_visit(void (*fn)(struct iscsit_target *target, void *arg), void *arg)
{
	struct iscsit_target *target;

	mutex_lock(&iscsit_mutex);
	list_for_each_entry(target, &iscsit_targets, link)
		fn(target, arg);
	mutex_unlock(&iscsit_mutex);
}

static struct iscsit_target *iscsit_target_new(const char *name)
{
	struct iscsit_target *target;

	target = kzalloc(struct_size(target, name, strlen(name) + 1), GFP_KERNEL);
	if (!target)
		return NULL;
	strcpy(target->name, name);
	kref_init(&target->refs);
	mutex_init(&target->login);
	spin_lock_init(&target->lock);
	iscsit_users_init(&target->users);
	iscsit_conf_defaults(&target->conf);
	return target;
}

static int iscsit_target_params(struct iscsit_target *target, char *params)
{
	char *name, *value;
	int ret;

	while ((ret = skua_next_param(&params, &name, &value)) > 0) {
		ret = iscsit_set_param(target, name, value);
		if (ret)
			return ret;
	}
	if (ret)
		skua_log_param(target->name, name, value);
	return ret;
}

/**
 * iscsit_add_target() - the command add_target
 * @name: IQN
 * @params: "name=value;..."
 *
 * Return: 0, -EINVAL, -EEXIST, -ENOMEM.
 */
int iscsit_add_target(const char *name, char *params)
{
	struct iscsit_target *target;
	int ret;

	if (strlen(name) > ISCSI_NAME_MAX) {
		pr_err("skua_iscsi: \"%s\" is too long for an iSCSI name\n", name);
		return -EINVAL;
	}
	target = iscsit_target_new(name);
	if (!target)
		return -ENOMEM;
	ret = iscsit_target_params(target, params);
	if (ret)
		goto err;
	mutex_lock(&iscsit_mutex);
	target->tid = ++iscsit_last_tid;
	target->tgt = iscsit_driver && !iscsit_ending ?
		      skua_tgt_register(iscsit_driver, name, target) : ERR_PTR(-EAGAIN);
	ret = PTR_ERR_OR_ZERO(target->tgt);
	if (!ret)
		list_add_tail(&target->link, &iscsit_targets);
	mutex_unlock(&iscsit_mutex);
	if (!ret)
		return 0;
err:
	iscsit_target_put(target);
	return ret;
}

/* No login succeeds after it, and the core's target is gone. */
static void iscsit_target_end(struct iscsit_target *target)
{
	mutex_lock(&target->login);
	target->dead = true;
	mutex_unlock(&target->login);
	skua_tgt_unregister(target->tgt);
	iscsit_target_put(target);
}

static struct iscsit_target *iscsit_target_unlink(const struct skua_tgt *tgt)
{
	struct iscsit_target *target;

	mutex_lock(&iscsit_mutex);
	list_for_each_entry(target, &iscsit_targets, link) {
		if (!tgt || target->tgt == tgt) {
			list_del(&target->link);
			goto out;
		}
	}
	target = NULL;
out:
	mutex_unlock(&iscsit_mutex);
	return target;
}

/**
 * iscsit_del_target() - the command del_target
 * @tgt: the core's
 *
 * Return: 0; -ENOENT: somebody else deletes it.
 */
int iscsit_del_target(struct skua_tgt *tgt)
{
	struct iscsit_target *target = iscsit_target_unlink(tgt);

	if (!target)
		return -ENOENT;
	iscsit_target_end(target);
	return 0;
}

/**
 * iscsit_targets_end() - module exit: all targets go, and none comes
 */
void iscsit_targets_end(void)
{
	struct iscsit_target *target;

	mutex_lock(&iscsit_mutex);
	iscsit_ending = true;
	mutex_unlock(&iscsit_mutex);
	while ((target = iscsit_target_unlink(NULL)))
		iscsit_target_end(target);
}
