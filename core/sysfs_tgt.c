// SPDX-License-Identifier: GPL-2.0
/*
 * The tree: drivers, targets, initiator groups, patterns and LUNs.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sysfs.h"

#define MAX_BLACK_HOLE	4

/* comment, io_grouping and cpu_mask, which nothing else reads. */
static DEFINE_SPINLOCK(text_lock);

/* ---- drivers ---------------------------------------------------------- */

static const struct skua_attr driver_mgmt[] = {
	SKUA_MGMT(&skua_mgmt_driver),
	{ }
};

/**
 * skua_sysfs_driver_add() - make targets/NAME
 * @drv: the driver
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0, -EEXIST, -ENOMEM; nothing stays after an error.
 */
int skua_sysfs_driver_add(struct skua_driver *drv)
{
	struct skua_build *b = skua_build_begin(&drv->kobj);

	if (!b)
		return -ENOMEM;
	skua_build_fail(b, skua_build_add(b, skua_targets_dir, drv->ops->name));
	skua_build_list(b, &drv->kobj, drv->ops->drv_attrs);
	if (drv->ops->add_target)
		skua_build_files(b, &drv->kobj, driver_mgmt);
	return skua_build_end(b);
}

void skua_sysfs_driver_del(struct skua_driver *drv)
{
	skua_node_del(&drv->kobj);
}

/* ---- attributes of groups, which targets have for their own LUNs ------ */

/* Both kinds of object begin with their kobject. */
static struct skua_group *group_of(void *obj)
{
	const struct kobject *kobj = obj;

	return kobj->ktype == &skua_tgt_ktype ? ((struct skua_tgt *)obj)->own : obj;
}

static const char *const addr_methods[] = {
	[SKUA_ADDR_PERIPHERAL] = "PERIPHERAL",
	[SKUA_ADDR_FLAT] = "FLAT",
	[SKUA_ADDR_LUN] = "LUN",
};

static ssize_t addr_method_show(void *obj, const struct skua_attr *attr, char *buf)
{
	u8 v = READ_ONCE(group_of(obj)->addr_method);

	return skua_emit(buf, v != SKUA_ADDR_PERIPHERAL, "%s", addr_methods[v]);
}

static ssize_t addr_method_store(void *obj, const struct skua_attr *attr, const char *buf,
				 size_t len)
{
	char word[16];
	int i, n = skua_store_text(buf, word, sizeof(word));

	for (i = 0; n > 0 && i < ARRAY_SIZE(addr_methods); i++)
		if (!strncasecmp(word, addr_methods[i], n)) {
			skua_group_set_addr_method(group_of(obj), i);
			return len;
		}
	return skua_bad_value(obj, attr, buf, -EINVAL);
}

/* Tools expect the file; a switch that does nothing would be a lie. */
static ssize_t black_hole_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static ssize_t black_hole_store(void *obj, const struct skua_attr *attr, const char *buf,
				size_t len)
{
	u64 v;

	if (skua_parse_u64(buf, &v) || v > MAX_BLACK_HOLE)
		return skua_bad_value(obj, attr, buf, -EINVAL);
	return v ? skua_bad_value(obj, attr, buf, -EOPNOTSUPP) : len;
}

static ssize_t io_grouping_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_group *grp = group_of(obj);
	char text[sizeof(grp->io_grouping)];

	spin_lock(&text_lock);
	memcpy(text, grp->io_grouping, sizeof(text));
	spin_unlock(&text_lock);
	return skua_emit(buf, strcmp(text, "auto"), "%s", text);
}

static ssize_t io_grouping_store(void *obj, const struct skua_attr *attr, const char *buf,
				 size_t len)
{
	struct skua_group *grp = group_of(obj);
	char text[sizeof(grp->io_grouping)];
	u64 v;

	if (skua_store_text(buf, text, sizeof(text)) < 0 ||
	    (strcmp(text, "auto") && strcmp(text, "this_group_only") && strcmp(text, "never") &&
	     (skua_parse_u64(text, &v) || !v)))
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	spin_lock(&text_lock);
	memcpy(grp->io_grouping, text, sizeof(text));
	spin_unlock(&text_lock);
	return skua_mgmt_done(0, len);
}

static ssize_t cpu_mask_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_group *grp = group_of(obj);
	const struct cpumask *mask;
	ssize_t len;
	bool set;

	spin_lock(&text_lock);
	set = grp->cpu_mask_set;
	mask = set ? &grp->cpu_mask : cpu_possible_mask;
	len = skua_emit(buf, set, "%*pb", nr_cpu_ids, cpumask_bits(mask));
	spin_unlock(&text_lock);
	return len;
}

static ssize_t cpu_mask_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	struct skua_group *grp = group_of(obj);
	unsigned long *bits = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	int r = -ENOMEM;

	if (!bits)
		goto out;
	r = bitmap_parse(buf, len, bits, nr_cpu_ids);
	if (!r && bitmap_empty(bits, nr_cpu_ids))
		r = -EINVAL;
	if (r) {
		skua_bad_value(obj, attr, buf, r);
		goto out;
	}
	spin_lock(&text_lock);
	bitmap_copy(cpumask_bits(&grp->cpu_mask), bits, nr_cpu_ids);
	grp->cpu_mask_set = !bitmap_equal(bits, cpumask_bits(cpu_possible_mask), nr_cpu_ids);
	spin_unlock(&text_lock);
out:
	bitmap_free(bits);
	return skua_mgmt_done(r, len);
}

static const struct skua_attr group_files[] = {
	SKUA_ATTR("addr_method", 0644, addr_method_show, addr_method_store),
	SKUA_ATTR("black_hole", 0644, black_hole_show, black_hole_store),
	SKUA_ATTR("io_grouping_type", 0644, io_grouping_show, io_grouping_store),
	SKUA_ATTR("cpu_mask", 0644, cpu_mask_show, cpu_mask_store),
	{ }
};

/* ---- targets ---------------------------------------------------------- */

static ssize_t enabled_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(((struct skua_tgt *)obj)->enabled));
}

static ssize_t enabled_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	if (*buf != '0' && *buf != '1')
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	return skua_mgmt_done(skua_tgt_set_enabled(obj, *buf == '1'), len);
}

static ssize_t rel_tgt_id_show(void *obj, const struct skua_attr *attr, char *buf)
{
	u16 id = READ_ONCE(((struct skua_tgt *)obj)->rel_tgt_id);

	return skua_emit(buf, id, "%u", id);
}

static ssize_t rel_tgt_id_store(void *obj, const struct skua_attr *attr, const char *buf,
				size_t len)
{
	u64 v;

	if (skua_parse_u64(buf, &v) || v > U16_MAX)
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	return skua_mgmt_done(skua_tgt_set_rel_id(obj, v), len);
}

static ssize_t comment_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_tgt *tgt = obj;
	ssize_t len = 0;

	spin_lock(&text_lock);
	if (tgt->comment)
		len = skua_emit(buf, true, "%s", tgt->comment);
	spin_unlock(&text_lock);
	return len;
}

static ssize_t comment_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	struct skua_tgt *tgt = obj;
	size_t n = strcspn(buf, "\n");
	char *text = NULL;

	if (n) {
		text = kmemdup_nul(buf, n, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
	}
	spin_lock(&text_lock);
	swap(tgt->comment, text);
	spin_unlock(&text_lock);
	kfree(text);
	return len;
}

static ssize_t sg_tablesize_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", ((struct skua_tgt *)obj)->drv->ops->max_lun_sg);
}

static ssize_t tgt_counter_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_stats sum;

	skua_tree_stats(obj, &sum);
	return sysfs_emit(buf, "%llu\n", skua_counter(&sum, attr->arg));
}

#define COUNTER(name, which)							\
	SKUA_ATTR_ARG(name, 0444, tgt_counter_show, NULL, which)
#define FLAG(name, field)							\
	SKUA_ATTR_ARG(name, 0644, skua_show_bool, skua_store_bool,		\
		      SKUA_FIELD(struct skua_tgt, field, SKUA_KEY_1))

static const struct skua_attr tgt_files[] = {
	FLAG("forward_src", forward_src),
	FLAG("forward_dst", forward_dst),
	FLAG("forwarding", forward_dst),
	FLAG("aen_disabled", aen_disabled),
	SKUA_ATTR("rel_tgt_id", 0644, rel_tgt_id_show, rel_tgt_id_store),
	SKUA_ATTR("comment", 0644, comment_show, comment_store),
	SKUA_ATTR("sg_tablesize", 0444, sg_tablesize_show, NULL),
	SKUA_COUNTERS(COUNTER),
	{ }
};

static const struct skua_attr enabled_files[] = {
	SKUA_ATTR("enabled", 0644, enabled_show, enabled_store),
	{ }
};

static const struct skua_attr luns_files[] = {
	SKUA_MGMT(&skua_mgmt_luns),
	{ }
};

static const struct skua_attr groups_files[] = {
	SKUA_MGMT(&skua_mgmt_groups),
	{ }
};

static const struct skua_attr initiators_files[] = {
	SKUA_MGMT(&skua_mgmt_initiators),
	{ }
};

/**
 * skua_sysfs_tgt_add() - make targets/DRV/NAME with luns, ini_groups and sessions
 * @tgt: the target; its driver is in the tree, its own group exists
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0; -EEXIST; -EINVAL: no such name can be; -ENOMEM. Nothing stays after an
 * error.
 */
int skua_sysfs_tgt_add(struct skua_tgt *tgt)
{
	struct skua_build *b = skua_build_begin(&tgt->kobj);
	struct kobject *luns, *groups, *sessions;
	int r;

	if (!b)
		return -ENOMEM;
	skua_build_fail(b, skua_build_add(b, &tgt->drv->kobj, tgt->name));
	skua_build_files(b, &tgt->kobj, group_files);
	skua_build_files(b, &tgt->kobj, tgt_files);
	if (!tgt->drv->ops->no_enable)
		skua_build_files(b, &tgt->kobj, enabled_files);
	skua_build_list(b, &tgt->kobj, tgt->drv->ops->tgt_attrs);
	luns = skua_build_dir(b, &tgt->kobj, "luns", tgt->own, luns_files);
	groups = skua_build_dir(b, &tgt->kobj, "ini_groups", tgt, groups_files);
	sessions = skua_build_dir(b, &tgt->kobj, "sessions", tgt, NULL);
	r = skua_build_end(b);
	if (!r) {
		tgt->luns_kobj = luns;
		tgt->own->luns_kobj = luns;
		tgt->groups_kobj = groups;
		tgt->sessions_kobj = sessions;
	}
	return r;
}

void skua_sysfs_tgt_del(struct skua_tgt *tgt)
{
	skua_dir_remove(&tgt->sessions_kobj);
	skua_dir_remove(&tgt->groups_kobj);
	tgt->own->luns_kobj = NULL;
	skua_dir_remove(&tgt->luns_kobj);
	skua_node_del(&tgt->kobj);
}

/* ---- groups ----------------------------------------------------------- */

/**
 * skua_sysfs_group_add() - make ini_groups/NAME with luns and initiators
 * @grp: the group, not a target's own
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM; nothing stays after an error.
 */
int skua_sysfs_group_add(struct skua_group *grp)
{
	struct skua_build *b = skua_build_begin(&grp->kobj);
	struct kobject *luns, *inis;
	int r;

	if (!b)
		return -ENOMEM;
	skua_build_fail(b, skua_build_add(b, grp->tgt->groups_kobj, grp->name));
	skua_build_files(b, &grp->kobj, group_files);
	luns = skua_build_dir(b, &grp->kobj, "luns", grp, luns_files);
	inis = skua_build_dir(b, &grp->kobj, "initiators", grp, initiators_files);
	r = skua_build_end(b);
	if (!r) {
		grp->luns_kobj = luns;
		grp->inis_kobj = inis;
	}
	return r;
}

void skua_sysfs_group_del(struct skua_group *grp)
{
	skua_dir_remove(&grp->inis_kobj);
	skua_dir_remove(&grp->luns_kobj);
	skua_node_del(&grp->kobj);
}

/* ---- patterns --------------------------------------------------------- */

static ssize_t pattern_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", attr->attr.name);
}

/**
 * skua_sysfs_pattern_add() - make initiators/PATTERN
 * @pat: the pattern; lives until skua_sysfs_pattern_del() after success
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0, -EEXIST, -EINVAL: no such file name can be, -ENOMEM.
 */
int skua_sysfs_pattern_add(struct skua_pattern *pat)
{
	if (!skua_name_ok(pat->text, SKUA_MAX_FILE_NAME + 1) || !pat->grp->inis_kobj)
		return -EINVAL;
	sysfs_attr_init(&pat->attr.attr);
	pat->attr.attr.name = pat->text;
	pat->attr.attr.mode = 0444;
	pat->attr.show = pattern_show;
	return skua_file_add(pat->grp->inis_kobj, &pat->attr.attr);
}

/**
 * skua_sysfs_pattern_del() - remove initiators/PATTERN
 * @pat: the pattern; skua_sysfs_group_del() is not called for its group before the end
 *
 * Waits for readers of the file.
 */
void skua_sysfs_pattern_del(struct skua_pattern *pat)
{
	sysfs_remove_file(pat->grp->inis_kobj, &pat->attr.attr);
}

/* ---- LUNs ------------------------------------------------------------- */

static ssize_t map_read_only_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_map *map = obj;
	bool read_only = map->read_only || map->dev->config.read_only ||
			 READ_ONCE(map->dev->limits.read_only);

	return skua_emit(buf, read_only, "%d", read_only);
}

static const struct skua_attr map_files[] = {
	SKUA_ATTR("read_only", 0444, map_read_only_show, NULL),
	{ }
};

static void export_name(const struct skua_map *map, char *name, size_t size)
{
	snprintf(name, size, "export%u", map->export_nr);
}

/**
 * skua_sysfs_map_add() - make luns/LUN with its device link, and the way back,
 *	devices/DEV/exported/exportN
 * @map: the LUN
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0, -EEXIST, -ENOMEM, -ENOENT if the device is not in the tree; nothing
 * stays after an error.
 */
int skua_sysfs_map_add(struct skua_map *map)
{
	struct skua_build *b = skua_build_begin(&map->kobj);
	char name[16];

	if (!b)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%u", map->lun);
	skua_build_fail(b, skua_build_add(b, map->grp->luns_kobj, name));
	skua_build_files(b, &map->kobj, map_files);
	skua_build_link(b, &map->kobj, &map->dev->kobj, "device");
	export_name(map, name, sizeof(name));
	skua_build_link(b, map->dev->exported, &map->kobj, name);
	return skua_build_end(b);
}

void skua_sysfs_map_del(struct skua_map *map)
{
	char name[16];

	export_name(map, name, sizeof(name));
	skua_link_remove(&map->dev->exported, name);
	skua_node_del(&map->kobj);
}
