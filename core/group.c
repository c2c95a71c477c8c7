// SPDX-License-Identifier: GPL-2.0
/*
 * Initiator groups: a name, patterns that choose initiators, and a LUN map. The
 * first group in order of creation with a matching pattern wins; without one an
 * initiator has the target's own map.
 */
#include <linux/slab.h>

#include "sysfs.h"

/**
 * skua_group_for() - which group serves an initiator
 * @tgt: the target
 * @initiator: its name
 *
 * Context: skua_conf held.
 */
struct skua_group *skua_group_for(struct skua_tgt *tgt, const char *initiator)
{
	struct skua_pattern *pat;
	struct skua_group *grp;

	list_for_each_entry(grp, &tgt->groups, link)
		list_for_each_entry(pat, &grp->patterns, link)
			if (skua_match(pat->text, initiator))
				return grp;
	return tgt->own;
}

static void skua_session_move(struct skua_session *sess, struct skua_group *to,
			      struct list_head *reap)
{
	sess->grp->nr_sessions--;
	to->nr_sessions++;
	sess->grp = to;
	/* It has left its old group in any case. */
	if (skua_session_remap(sess, reap))
		pr_err("skua: %s: no memory for the LUNs of its new group\n", sess->initiator);
	/* A LUN that both groups have may be another device now. */
	skua_ua_session(sess, 0x3f, 0x0e);	/* REPORTED LUNS DATA HAS CHANGED */
	skua_session_luns_event(sess);
	skua_sysfs_session_relink(sess);
}

/* Patterns changed: see where each session belongs now. */
static void skua_group_reassign(struct skua_tgt *tgt, struct list_head *reap)
{
	struct skua_session *sess;
	struct skua_group *grp;

	list_for_each_entry(sess, &tgt->sessions, link) {
		grp = skua_group_for(tgt, sess->initiator);
		if (grp != sess->grp)
			skua_session_move(sess, grp, reap);
	}
}

static struct skua_group *skua_group_find(struct skua_tgt *tgt, const char *name)
{
	struct skua_group *grp;

	list_for_each_entry(grp, &tgt->groups, link)
		if (!strcmp(grp->name, name))
			return grp;
	return NULL;
}

/**
 * skua_group_alloc() - a group in no list
 * @tgt: its target
 * @name: "" for the target's own map, which has no kobject
 */
struct skua_group *skua_group_alloc(struct skua_tgt *tgt, const char *name)
{
	struct skua_group *grp = kzalloc(struct_size(grp, name, strlen(name) + 1), GFP_KERNEL);

	if (!grp)
		return NULL;
	grp->tgt = tgt;
	grp->own = !*name;
	strcpy(grp->name, name);
	INIT_LIST_HEAD(&grp->maps);
	INIT_LIST_HEAD(&grp->patterns);
	strscpy(grp->io_grouping, "auto", sizeof(grp->io_grouping));
	if (!grp->own)
		kobject_init(&grp->kobj, &skua_group_ktype);
	return grp;
}

void skua_group_free(struct skua_group *grp)
{
	kfree(grp);
}

/* The tree has files of its own beside groups and patterns. */
static bool skua_group_name_ok(const char *name)
{
	return skua_name_ok(name, SKUA_MAX_NAME) && strcmp(name, "mgmt");
}

/**
 * skua_group_create() - make an empty group
 * @tgt: the target
 * @name: its name
 *
 * Context: process. Return: 0, -EEXIST, -EINVAL, -ENOMEM.
 */
int skua_group_create(struct skua_tgt *tgt, const char *name)
{
	struct skua_group *grp;
	int ret = 0;

	if (!skua_group_name_ok(name)) {
		pr_err("skua: %s: \"%s\" is no group name\n", tgt->name, name);
		return -EINVAL;
	}
	mutex_lock(&skua_conf);
	if (tgt->dead)
		ret = -ENOENT;
	else if (skua_group_find(tgt, name))
		ret = -EEXIST;
	grp = ret ? NULL : skua_group_alloc(tgt, name);
	if (!ret && !grp)
		ret = -ENOMEM;
	if (!ret)
		ret = skua_sysfs_group_add(grp);
	if (!ret)
		list_add_tail(&grp->link, &tgt->groups);
	mutex_unlock(&skua_conf);
	if (ret) {
		pr_err("skua: %s: group \"%s\" not created: %d\n", tgt->name, name, ret);
		if (grp)
			kobject_put(&grp->kobj);
	}
	return ret;
}

static DECLARE_WAIT_QUEUE_HEAD(skua_pattern_gone);

static void skua_pattern_reap(struct skua_reap *reap)
{
	struct skua_pattern *pat = container_of(reap, struct skua_pattern, reap);

	skua_sysfs_pattern_del(pat);
	atomic_dec(&pat->grp->nr_files);	/* the group may go now */
	wake_up_all(&skua_pattern_gone);
	kfree(pat);
}

static void skua_pattern_unlink(struct skua_pattern *pat, struct list_head *reap)
{
	list_del(&pat->link);
	pat->reap.fn = skua_pattern_reap;
	list_add_tail(&pat->reap.link, reap);
}

static void skua_group_reap(struct skua_reap *reap)
{
	struct skua_group *grp = container_of(reap, struct skua_group, reap);

	/* Others may be removing patterns of it, and look for them in its directory. */
	wait_event(skua_pattern_gone, !atomic_read(&grp->nr_files));
	skua_sysfs_group_del(grp);
	if (grp->tgt->drv->ops->group_gone)
		grp->tgt->drv->ops->group_gone(grp->tgt, grp->name);
	kobject_put(&grp->kobj);
}

/* Unlink a group and all in it; skua_conf is held. */
static void skua_group_unlink(struct skua_group *grp, struct list_head *reap)
{
	struct skua_pattern *pat, *next;

	list_for_each_entry_safe(pat, next, &grp->patterns, link)
		skua_pattern_unlink(pat, reap);
	skua_group_reassign(grp->tgt, reap);
	skua_maps_unlink(grp, reap);
	list_del(&grp->link);
	grp->dead = true;
	grp->reap.fn = skua_group_reap;
	list_add_tail(&grp->reap.link, reap);
}

/**
 * skua_group_delete() - delete a group
 * @tgt: the target
 * @name: the group
 *
 * Context: process. Return: 0; -EINVAL: there is none; -EBUSY: it has sessions.
 */
int skua_group_delete(struct skua_tgt *tgt, const char *name)
{
	struct skua_group *grp;
	LIST_HEAD(reap);
	int ret = 0;

	mutex_lock(&skua_conf);
	grp = skua_group_find(tgt, name);
	if (!grp)
		ret = -EINVAL;
	else if (grp->nr_sessions)
		ret = -EBUSY;
	else
		skua_group_unlink(grp, &reap);
	mutex_unlock(&skua_conf);
	skua_settle(tgt, &reap);
	if (ret)
		pr_err("skua: %s: group \"%s\" not deleted: %s\n", tgt->name, name,
		       ret == -EBUSY ? "it has sessions" : "there is none");
	return ret;
}

/**
 * skua_groups_clear() - unlink all groups and maps of a target that goes
 * @tgt: the target, which has no sessions any more
 * @reap: see skua_reap()
 *
 * Context: skua_conf held.
 */
void skua_groups_clear(struct skua_tgt *tgt, struct list_head *reap)
{
	struct skua_group *grp, *next;

	skua_maps_unlink(tgt->own, reap);
	list_for_each_entry_safe(grp, next, &tgt->groups, link)
		skua_group_unlink(grp, reap);
}

/* ---- patterns --------------------------------------------------------- */

static struct skua_pattern *skua_pattern_find(struct skua_group *grp, const char *text)
{
	struct skua_pattern *pat;

	list_for_each_entry(pat, &grp->patterns, link)
		if (!strcmp(pat->text, text))
			return pat;
	return NULL;
}

static int skua_pattern_insert(struct skua_group *grp, const char *text)
{
	struct skua_pattern *pat;
	int ret;

	if (grp->dead)
		return -ENOENT;
	if (skua_pattern_find(grp, text))
		return -EEXIST;
	pat = kzalloc(struct_size(pat, text, strlen(text) + 1), GFP_KERNEL);
	if (!pat)
		return -ENOMEM;
	strcpy(pat->text, text);
	pat->grp = grp;
	ret = skua_sysfs_pattern_add(pat);
	if (ret) {
		kfree(pat);
		return ret;
	}
	atomic_inc(&grp->nr_files);
	list_add_tail(&pat->link, &grp->patterns);
	return 0;
}

/**
 * skua_pattern_add() - let a group choose more initiators
 * @grp: the group
 * @text: name or pattern
 *
 * Live sessions are assigned anew at once.
 * Context: process. Return: 0, -EEXIST, -EINVAL, -ENOMEM.
 */
int skua_pattern_add(struct skua_group *grp, const char *text)
{
	LIST_HEAD(reap);
	int ret;

	if (!skua_group_name_ok(text)) {
		pr_err("skua: %s: \"%s\" cannot be an initiator pattern\n", grp->name, text);
		return -EINVAL;
	}
	mutex_lock(&skua_conf);
	ret = skua_pattern_insert(grp, text);
	if (!ret)
		skua_group_reassign(grp->tgt, &reap);
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	if (ret)
		pr_err("skua: %s: initiator \"%s\" not added: %d\n", grp->name, text, ret);
	return ret;
}

/**
 * skua_pattern_del() - undo skua_pattern_add()
 * @grp: the group
 * @text: the pattern, exactly
 *
 * Context: process. Return: 0, or -EINVAL if there is none.
 */
int skua_pattern_del(struct skua_group *grp, const char *text)
{
	struct skua_pattern *pat;
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	pat = skua_pattern_find(grp, text);
	if (pat) {
		skua_pattern_unlink(pat, &reap);
		skua_group_reassign(grp->tgt, &reap);
	}
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	if (!pat)
		pr_err("skua: %s: no initiator \"%s\"\n", grp->name, text);
	return pat ? 0 : -EINVAL;
}

/**
 * skua_pattern_move() - move a pattern to another group of the target
 * @grp: from
 * @text: the pattern, exactly
 * @to: name of the other group
 *
 * Context: process. Return: 0, -EINVAL, -EEXIST, -ENOMEM.
 */
int skua_pattern_move(struct skua_group *grp, const char *text, const char *to)
{
	struct skua_pattern *pat;
	struct skua_group *dest;
	LIST_HEAD(reap);
	int ret = -EINVAL;

	mutex_lock(&skua_conf);
	pat = skua_pattern_find(grp, text);
	dest = skua_group_find(grp->tgt, to);
	if (pat && dest)
		ret = skua_pattern_insert(dest, text);
	if (!ret) {
		skua_pattern_unlink(pat, &reap);
		skua_group_reassign(grp->tgt, &reap);
	}
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	if (ret)
		pr_err("skua: %s: initiator \"%s\" not moved to \"%s\": %d\n", grp->name, text,
		       to, ret);
	return ret;
}

/**
 * skua_pattern_clear() - remove all patterns
 * @grp: the group
 */
int skua_pattern_clear(struct skua_group *grp)
{
	struct skua_pattern *pat, *next;
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	list_for_each_entry_safe(pat, next, &grp->patterns, link)
		skua_pattern_unlink(pat, &reap);
	skua_group_reassign(grp->tgt, &reap);
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	return 0;
}

EXPORT_SYMBOL_GPL(skua_match);	/* of match.c, which is pure */

/* ---- files of transports ------------------------------------------------ */

/* Where such a file goes; skua_conf is held. NULL: nowhere any more. */
static struct kobject *skua_tgt_file_dir(struct skua_tgt *tgt, const char *group)
{
	struct skua_group *grp;

	if (tgt->dead)
		return NULL;
	if (!group)
		return &tgt->kobj;
	grp = skua_group_find(tgt, group);
	return grp ? &grp->kobj : NULL;
}

/**
 * skua_tgt_file_add() - one more file of a target or a group
 * @tgt: the target; the caller keeps it from being unregistered meanwhile
 * @group: name of a group of it, or NULL
 * @attr: stays until skua_tgt_file_del(), or the end of the object; read only, and its
 *	show() takes no mutex
 *
 * Context: process. Return: 0; -ENOENT: there is no such group; -EEXIST if the name is
 * taken; -ENOMEM.
 */
int skua_tgt_file_add(struct skua_tgt *tgt, const char *group, const struct skua_attr *attr)
{
	struct kobject *dir;
	int ret;

	mutex_lock(&skua_conf);
	dir = skua_tgt_file_dir(tgt, group);
	ret = dir ? skua_file_add(dir, &attr->attr) : -ENOENT;
	mutex_unlock(&skua_conf);
	return ret;
}
EXPORT_SYMBOL_GPL(skua_tgt_file_add);

/**
 * skua_tgt_file_del() - undo skua_tgt_file_add()
 * @tgt: the target; the caller keeps it from being unregistered meanwhile
 * @group: as it was added
 * @attr: the file; nobody reads it any more on return
 *
 * Context: process.
 */
void skua_tgt_file_del(struct skua_tgt *tgt, const char *group, const struct skua_attr *attr)
{
	struct kobject *dir;

	mutex_lock(&skua_conf);
	dir = skua_tgt_file_dir(tgt, group);
	if (dir)
		sysfs_remove_file(dir, &attr->attr);	/* waits for show() only */
	mutex_unlock(&skua_conf);
}
EXPORT_SYMBOL_GPL(skua_tgt_file_del);

/**
 * skua_tgt_group_of() - which group an initiator would be in
 * @tgt: the target
 * @initiator: its name
 * @name: the group's name, or "" for the target's own LUNs
 * @size: room there
 *
 * Context: process.
 */
void skua_tgt_group_of(struct skua_tgt *tgt, const char *initiator, char *name, size_t size)
{
	mutex_lock(&skua_conf);
	strscpy(name, skua_group_for(tgt, initiator)->name, size);
	mutex_unlock(&skua_conf);
}
EXPORT_SYMBOL_GPL(skua_tgt_group_of);
