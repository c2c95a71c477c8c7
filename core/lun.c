// SPDX-License-Identifier: GPL-2.0
/*
 * LUN maps: which device is which LUN for a group of initiators, and the
 * immutable table that each session gets from it.
 */
#include <linux/slab.h>

#include "priv.h"

/**
 * skua_reap() - end what was unlinked
 * @list: of struct skua_reap
 *
 * Context: process, skua_conf not held.
 */
void skua_reap(struct list_head *list)
{
	struct skua_reap *reap, *next;

	list_for_each_entry_safe(reap, next, list, link)
		reap->fn(reap);
}

/* ---- what the tree shows ---------------------------------------------- */

static void skua_session_show_luns(struct skua_session *sess)
{
	const struct skua_lun_table *table;
	struct skua_nexus *nx;
	u32 i;

	table = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	for (i = 0; table && i < table->nr; i++) {
		nx = table->nexus[i];
		if (nx && !nx->visible)
			nx->visible = !skua_sysfs_nexus_add(nx);
	}
}

static void skua_group_show_maps(struct skua_group *grp)
{
	struct skua_map *map;

	list_for_each_entry(map, &grp->maps, link)
		if (!map->visible)
			map->visible = !skua_sysfs_map_add(map);
}

static void skua_tgt_show_luns(struct skua_tgt *tgt)
{
	struct skua_session *sess;
	struct skua_group *grp;

	skua_group_show_maps(tgt->own);
	list_for_each_entry(grp, &tgt->groups, link)
		skua_group_show_maps(grp);
	list_for_each_entry(sess, &tgt->sessions, link)
		skua_session_show_luns(sess);
}

/**
 * skua_settle() - after a change of LUN maps: end what went, show what came
 * @tgt: the target concerned, or NULL for all
 * @reap: what the change unlinked
 *
 * New entries are shown only now, as the old ones may have had the same names. An
 * entry whose name is still taken is shown by whoever takes that name out.
 *
 * Context: process, skua_conf not held.
 */
void skua_settle(struct skua_tgt *tgt, struct list_head *reap)
{
	struct skua_driver *drv;

	skua_reap(reap);
	mutex_lock(&skua_conf);
	if (tgt) {
		if (!tgt->dead)
			skua_tgt_show_luns(tgt);
	} else {
		list_for_each_entry(drv, &skua_drivers, link)
			list_for_each_entry(tgt, &drv->tgts, link)
				skua_tgt_show_luns(tgt);
	}
	mutex_unlock(&skua_conf);
}

/* ---- a session's table ------------------------------------------------ */

static struct skua_map *skua_map_find(struct skua_group *grp, u16 lun)
{
	struct skua_map *map;

	list_for_each_entry(map, &grp->maps, link)
		if (map->lun == lun)
			return map;
	return NULL;
}

static struct skua_lun_table *skua_table_alloc(const struct skua_group *grp)
{
	struct skua_lun_table *table;
	u32 nr = 0;

	if (grp && !list_empty(&grp->maps))	/* sorted by LUN */
		nr = list_last_entry(&grp->maps, struct skua_map, link)->lun + 1;
	table = kvzalloc(struct_size(table, nexus, nr), GFP_KERNEL);
	if (table) {
		table->nr = nr;
		table->addr_method = grp ? grp->addr_method : SKUA_ADDR_PERIPHERAL;
	}
	return table;
}

static struct skua_nexus *skua_table_at(const struct skua_lun_table *table, u32 lun)
{
	return table && lun < table->nr ? table->nexus[lun] : NULL;
}

/* Fill a new table, taking over what stays the same; -ENOMEM leaves new ones behind. */
static int skua_table_fill(struct skua_session *sess, struct skua_lun_table *table,
			   const struct skua_lun_table *old)
{
	struct skua_nexus *nx;
	struct skua_map *map;

	if (!sess->grp)
		return 0;
	list_for_each_entry(map, &sess->grp->maps, link) {
		nx = skua_table_at(old, map->lun);
		if (!nx || nx->dev != map->dev || nx->read_only != map->read_only)
			nx = skua_nexus_create(sess, map->dev, map->lun, map->read_only);
		if (!nx)
			return -ENOMEM;
		table->nexus[map->lun] = nx;
	}
	return 0;
}

/* End the nexuses of @table that @keep does not have. */
static void skua_table_kill(const struct skua_lun_table *table, const struct skua_lun_table *keep,
			    struct list_head *reap)
{
	u32 i;

	for (i = 0; table && i < table->nr; i++)
		if (table->nexus[i] && table->nexus[i] != skua_table_at(keep, i))
			skua_nexus_kill(table->nexus[i], reap);
}

/* What initiators are told of LUNs that came, went or changed (SPC-4 6.33, SAM-5 5.14). */
static void skua_table_announce(struct skua_session *sess, const struct skua_lun_table *table,
				const struct skua_lun_table *old)
{
	struct skua_nexus *nx;
	bool changed = false;
	u32 i;

	for (i = 0; i < max(table->nr, old ? old->nr : 0); i++) {
		nx = skua_table_at(table, i);
		if (!nx == !skua_table_at(old, i))
			continue;
		changed = true;
	}
	for (i = 0; i < table->nr; i++) {
		nx = table->nexus[i];
		if (!nx)
			continue;
		if (!skua_table_at(old, i))
			skua_ua_add(nx, 0x29, 0x00);	/* POWER ON, RESET, OR BUS DEVICE RESET */
		if (old && changed && skua_table_at(old, i) == nx)
			skua_ua_add(nx, 0x3f, 0x0e);	/* REPORTED LUNS DATA HAS CHANGED */
	}
	if (old && changed && !sess->closing)
		skua_session_luns_event(sess);
}

/*
 * Take out of a session's table what the map of its group does not say any more, and
 * tell the initiator. Needs no memory: what was unmapped must not stay in reach.
 */
static void skua_session_prune(struct skua_session *sess, struct list_head *reap)
{
	struct list_head *maps = &sess->grp->maps;	/* sorted by LUN */
	struct skua_map *map = list_first_entry(maps, struct skua_map, link);
	struct skua_lun_table *table;
	struct skua_nexus *nx;
	bool changed = false;
	u32 i;

	table = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	for (i = 0; table && i < table->nr; i++) {
		nx = table->nexus[i];
		if (!nx)
			continue;
		list_for_each_entry_from(map, maps, link)
			if (map->lun >= i)
				break;
		if (!list_entry_is_head(map, maps, link) && map->lun == i &&
		    map->dev == nx->dev && map->read_only == nx->read_only)
			continue;
		WRITE_ONCE(table->nexus[i], NULL);
		skua_nexus_kill(nx, reap);
		changed = true;
	}
	if (!changed)
		return;
	skua_ua_session(sess, 0x3f, 0x0e);	/* REPORTED LUNS DATA HAS CHANGED */
	if (!sess->closing)
		skua_session_luns_event(sess);
}

/**
 * skua_session_unmap() - take all LUNs from a session, for good
 * @sess: the session
 * @reap: what to end once skua_conf is dropped
 *
 * Context: process, skua_conf held. Needs no memory.
 */
void skua_session_unmap(struct skua_session *sess, struct list_head *reap)
{
	struct skua_lun_table *old;

	old = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	rcu_assign_pointer(sess->luns, NULL);
	skua_table_kill(old, NULL, reap);
	if (old)
		kvfree_rcu(old, rcu);
}

/* Make the table that a session is to get; its old one stays in use meanwhile. */
static int skua_session_prepare(struct skua_session *sess, struct list_head *reap)
{
	const struct skua_lun_table *old;
	struct skua_lun_table *table;

	old = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	table = skua_table_alloc(sess->grp);
	if (!table)
		return -ENOMEM;
	if (skua_table_fill(sess, table, old)) {
		skua_table_kill(table, old, reap);
		kvfree(table);
		return -ENOMEM;
	}
	sess->next_luns = table;
	return 0;
}

/* Put the prepared table in place, or drop it. */
static void skua_session_switch(struct skua_session *sess, bool take, struct list_head *reap)
{
	struct skua_lun_table *table = sess->next_luns, *old;

	old = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
	sess->next_luns = NULL;
	if (!take) {
		skua_table_kill(table, old, reap);
		kvfree(table);
		return;
	}
	skua_table_announce(sess, table, old);
	rcu_assign_pointer(sess->luns, table);
	skua_table_kill(old, table, reap);
	if (old)
		kvfree_rcu(old, rcu);
}

/**
 * skua_session_remap() - give a session the table of its group
 * @sess: the session
 * @reap: what to end once skua_conf is dropped
 *
 * Context: process, skua_conf held.
 * Return: 0, or -ENOMEM: what the group does not map is out of reach, what it maps
 * newly is not there until its next change.
 */
int skua_session_remap(struct skua_session *sess, struct list_head *reap)
{
	int ret = skua_session_prepare(sess, reap);

	if (ret)
		skua_session_prune(sess, reap);
	else
		skua_session_switch(sess, true, reap);
	return ret;
}

/* The sessions of a group after something was mapped: all of them see it, or none. */
static int skua_group_remap(struct skua_group *grp, struct list_head *reap)
{
	struct skua_session *sess;
	int ret = 0;

	list_for_each_entry(sess, &grp->tgt->sessions, link)
		if (!ret && sess->grp == grp)
			ret = skua_session_prepare(sess, reap);
	list_for_each_entry(sess, &grp->tgt->sessions, link)
		if (sess->next_luns)
			skua_session_switch(sess, !ret, reap);
	return ret;
}

/* The sessions of a group after something was unmapped. */
static void skua_group_prune(struct skua_group *grp, struct list_head *reap)
{
	struct skua_session *sess;

	list_for_each_entry(sess, &grp->tgt->sessions, link)
		if (sess->grp == grp)
			skua_session_prune(sess, reap);
}

/**
 * skua_group_set_addr_method() - how REPORT LUNS is to write the LUNs of a group
 * @grp: the group
 * @method: SKUA_ADDR_*
 *
 * Context: process.
 */
void skua_group_set_addr_method(struct skua_group *grp, u8 method)
{
	struct skua_lun_table *table;
	struct skua_session *sess;

	mutex_lock(&skua_conf);
	WRITE_ONCE(grp->addr_method, method);
	list_for_each_entry(sess, &grp->tgt->sessions, link) {
		table = rcu_dereference_protected(sess->luns, lockdep_is_held(&skua_conf));
		if (sess->grp == grp && table)
			WRITE_ONCE(table->addr_method, method);
	}
	mutex_unlock(&skua_conf);
}

/* ---- map entries ------------------------------------------------------ */

void skua_map_free(struct skua_map *map)
{
	kfree(map);
}

static void skua_map_link(struct skua_map *map)
{
	struct skua_map *pos;

	list_for_each_entry(pos, &map->grp->maps, link)
		if (pos->lun > map->lun)
			break;
	list_add_tail(&map->link, &pos->link);
	list_add_tail(&map->dev_link, &map->dev->maps);
}

static void skua_map_reap(struct skua_reap *reap)
{
	struct skua_map *map = container_of(reap, struct skua_map, reap);

	if (map->visible)
		skua_sysfs_map_del(map);
	skua_dev_put(map->dev);
	kobject_put(&map->kobj);
}

static void skua_map_unlink(struct skua_map *map, struct list_head *reap)
{
	list_del(&map->link);
	list_del(&map->dev_link);
	map->reap.fn = skua_map_reap;
	/* First, so that links go before what they point to. */
	list_add(&map->reap.link, reap);
}

static struct skua_map *skua_map_new(struct skua_group *grp, struct skua_dev *dev, u16 lun,
				     bool read_only)
{
	struct skua_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	map->grp = grp;
	map->dev = dev;
	map->lun = lun;
	map->read_only = read_only;
	map->export_nr = dev->next_export++;
	skua_dev_get(dev);
	kobject_init(&map->kobj, &skua_map_ktype);
	skua_map_link(map);
	return map;
}

static int skua_map_insert(struct skua_group *grp, struct skua_dev *dev, u16 lun, bool read_only,
			   struct list_head *reap)
{
	struct skua_map *map = skua_map_new(grp, dev, lun, read_only);
	int ret;

	if (!map)
		return -ENOMEM;
	ret = skua_group_remap(grp, reap);
	if (ret)
		skua_map_unlink(map, reap);
	return ret;
}

static int skua_map_check(struct skua_group *grp, const char *name, u16 lun, struct skua_dev **dev)
{
	lockdep_assert_held(&skua_conf);
	if (grp->dead || grp->tgt->dead)
		return -ENOENT;
	*dev = skua_dev_find(name);
	if (!*dev) {
		pr_err("skua: %s: no device named \"%s\"\n", grp->tgt->name, name);
		return -EINVAL;
	}
	if (lun > SKUA_MAX_LUN) {
		pr_err("skua: %s: LUN %u is too large\n", grp->tgt->name, lun);
		return -EINVAL;
	}
	return 0;
}

/**
 * skua_map_add() - map a device
 * @grp: the group
 * @name: device name
 * @lun: the LUN
 * @read_only: refuse writes through this LUN
 *
 * Context: process. Return: 0; -EINVAL: no such device or LUN; -EEXIST; -ENOMEM.
 */
int skua_map_add(struct skua_group *grp, const char *name, u16 lun, bool read_only)
{
	struct skua_dev *dev;
	LIST_HEAD(reap);
	int ret;

	mutex_lock(&skua_conf);
	ret = skua_map_check(grp, name, lun, &dev);
	if (!ret && skua_map_find(grp, lun)) {
		pr_err("skua: %s: LUN %u is taken\n", grp->tgt->name, lun);
		ret = -EEXIST;
	}
	if (!ret)
		ret = skua_map_insert(grp, dev, lun, read_only, &reap);
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	return ret;
}

static void skua_map_announce_replace(struct skua_group *grp, u16 lun)
{
	struct skua_session *sess;
	struct skua_nexus *nx;

	list_for_each_entry(sess, &grp->tgt->sessions, link) {
		nx = sess->grp == grp ? skua_nexus_lookup(sess, lun) : NULL;
		if (nx)
			skua_ua_add(nx, 0x3f, 0x03);	/* INQUIRY DATA HAS CHANGED */
	}
}

/**
 * skua_map_replace() - put another device behind a LUN
 * @grp: the group
 * @name: device name
 * @lun: the LUN; mapped if it is free
 * @read_only: refuse writes
 * @ua: tell the initiators
 *
 * The LUN directory is made anew: the tree lacks it for a moment, initiators do not.
 *
 * Context: process. Return: as skua_map_add(); after an error the old device is there.
 */
int skua_map_replace(struct skua_group *grp, const char *name, u16 lun, bool read_only, bool ua)
{
	struct skua_map *old, *map;
	struct skua_dev *dev;
	LIST_HEAD(reap);
	int ret;

	mutex_lock(&skua_conf);
	ret = skua_map_check(grp, name, lun, &dev);
	old = ret ? NULL : skua_map_find(grp, lun);
	if (!ret && !old)
		ret = skua_map_insert(grp, dev, lun, read_only, &reap);
	if (!old)
		goto out;
	map = skua_map_new(grp, dev, lun, read_only);
	if (!map) {
		ret = -ENOMEM;
		goto out;
	}
	skua_map_unlink(old, &reap);
	ret = skua_group_remap(grp, &reap);
	if (ret) {
		skua_map_unlink(map, &reap);
		list_del(&old->reap.link);
		skua_map_link(old);
	} else if (ua) {
		skua_map_announce_replace(grp, lun);
	}
out:
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	return ret;
}

/**
 * skua_map_del() - unmap a LUN
 * @grp: the group
 * @lun: the LUN
 *
 * Commands that are running there go on to their end.
 * Context: process. Return: 0; -EINVAL: it is not mapped.
 */
int skua_map_del(struct skua_group *grp, u16 lun)
{
	struct skua_map *map;
	LIST_HEAD(reap);
	int ret = 0;

	mutex_lock(&skua_conf);
	map = skua_map_find(grp, lun);
	if (map) {
		skua_map_unlink(map, &reap);
		skua_group_prune(grp, &reap);
	} else {
		pr_err("skua: %s: LUN %u is not mapped\n", grp->tgt->name, lun);
		ret = -EINVAL;
	}
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
	return ret;
}

/**
 * skua_maps_unlink() - unmap all of a group that has no sessions
 * @grp: the group
 * @reap: see skua_reap()
 *
 * Context: skua_conf held.
 */
void skua_maps_unlink(struct skua_group *grp, struct list_head *reap)
{
	struct skua_map *map, *next;

	list_for_each_entry_safe(map, next, &grp->maps, link)
		skua_map_unlink(map, reap);
}

/**
 * skua_map_clear() - unmap all
 * @grp: the group
 */
void skua_map_clear(struct skua_group *grp)
{
	LIST_HEAD(reap);

	mutex_lock(&skua_conf);
	skua_maps_unlink(grp, &reap);
	skua_group_prune(grp, &reap);
	mutex_unlock(&skua_conf);
	skua_settle(grp->tgt, &reap);
}

/* All maps of a device, wherever they are; skua_conf is held. */
void skua_map_clear_dev(struct skua_dev *dev, struct list_head *reap)
{
	struct skua_map *map, *next;

	list_for_each_entry_safe(map, next, &dev->maps, dev_link) {
		struct skua_group *grp = map->grp;

		skua_map_unlink(map, reap);
		skua_group_prune(grp, reap);
	}
}
