// SPDX-License-Identifier: GPL-2.0
/*
 * The tree under /sys/kernel/scst_tgt: dispatch, the means to build directories,
 * and the root.
 *
 * An object's directory is built in several steps of which each may fail, often
 * while skua_conf is held. Taking the part that exists out again waits for writers
 * in its files, and these may wait for skua_conf. So a failed build is undone by a
 * work item, and until a build has ended the files below it are refused: nobody can
 * use an object that will not stay.
 */
#include <linux/kernfs.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "latency.h"
#include "sysfs.h"

#define ROOT_NAME	"scst_tgt"
#define INTERFACE	"3.11.0"	/* the release whose user interface this is */
#define MAX_DIRS	4
#define MAX_SHOWN	64		/* characters of a wrong value in the log */

struct skua_build {
	struct list_head link;		/* builds */
	struct work_struct work;
	struct kobject *top;
	struct kobject *dirs[MAX_DIRS];
	unsigned int nr_dirs;
	bool added;
	int error;
};

static LIST_HEAD(builds);		/* not ended, or being undone; under builds_lock */
static DEFINE_SPINLOCK(builds_lock);
static DECLARE_WAIT_QUEUE_HEAD(undone);

/* Between the look whether a name is free and its use; innermost, never waits for users. */
static DEFINE_MUTEX(names);

struct kobject *skua_root;
struct kobject *skua_devices_dir, *skua_handlers_dir, *skua_targets_dir;
static struct kobject *groups_dir, *sgv_dir, **cache_dirs;
static unsigned int threads;

/* ---- dispatch --------------------------------------------------------- */

static const struct kobj_type dir_ktype;

static void *obj_of(struct kobject *kobj)
{
	static_assert(!offsetof(struct skua_dev, kobj));
	static_assert(!offsetof(struct skua_driver, kobj));
	static_assert(!offsetof(struct skua_tgt, kobj));
	static_assert(!offsetof(struct skua_group, kobj));
	static_assert(!offsetof(struct skua_map, kobj));
	static_assert(!offsetof(struct skua_session, kobj));

	if (kobj->ktype == &dir_ktype)
		return container_of(kobj, struct skua_folder, kobj)->obj;
	if (kobj->ktype == &skua_nexus_ktype)
		return container_of(kobj, struct skua_nexus, kobj);
	return kobj;
}

/* Is @kobj, or what it is in, not there to stay (yet)? Its ancestors stay while it is used. */
static bool being_built(const struct kobject *kobj)
{
	const struct kobject *k;
	struct skua_build *b;
	bool found = false;

	if (list_empty(&builds))
		return false;
	spin_lock(&builds_lock);
	list_for_each_entry(b, &builds, link)
		for (k = kobj; k; k = k->parent)
			if (k == b->top)
				found = true;
	spin_unlock(&builds_lock);
	return found;
}

static ssize_t attr_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	const struct skua_attr *a = container_of(attr, struct skua_attr, attr);

	if (being_built(kobj))
		return -ENODEV;
	return a->show ? a->show(obj_of(kobj), a, buf) : -EIO;
}

static ssize_t attr_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			  size_t len)
{
	const struct skua_attr *a = container_of(attr, struct skua_attr, attr);

	if (being_built(kobj))
		return -ENODEV;
	return a->store ? a->store(obj_of(kobj), a, buf, len) : -EIO;
}

static const struct sysfs_ops attr_ops = { .show = attr_show, .store = attr_store };

static void dir_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct skua_folder, kobj));
}

#define KTYPE(type)								\
static void type##_release(struct kobject *kobj)				\
{										\
	skua_##type##_free(container_of(kobj, struct skua_##type, kobj));	\
}										\
const struct kobj_type skua_##type##_ktype = {					\
	.release = type##_release, .sysfs_ops = &attr_ops }

static void driver_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct skua_driver, kobj));
}

const struct kobj_type skua_driver_ktype = { .release = driver_release, .sysfs_ops = &attr_ops };

static const struct kobj_type dir_ktype = { .release = dir_release, .sysfs_ops = &attr_ops };
KTYPE(dev);
KTYPE(tgt);
KTYPE(group);
KTYPE(map);
KTYPE(session);
KTYPE(nexus);

/* ---- values ----------------------------------------------------------- */

/**
 * skua_emit() - fill in a file: one line, and the mark of values worth saving
 * @buf: a page
 * @key: add the line "[key]"
 * @fmt: the first line without newline
 *
 * Return: length.
 */
ssize_t skua_emit(char *buf, bool key, const char *fmt, ...)
{
	va_list args;
	ssize_t len;

	va_start(args, fmt);
	len = vscnprintf(buf, PAGE_SIZE - sizeof("\n[key]\n"), fmt, args);
	va_end(args);
	return len + scnprintf(buf + len, PAGE_SIZE - len, key ? "\n[key]\n" : "\n");
}

/**
 * skua_bad_value() - say in the log that a file does not take what was written
 * @obj: the object that the store function got, which has a directory of its own, or
 *	NULL for the root
 * @attr: the file
 * @buf: what was written
 * @error: why, for the store function to return
 *
 * One line for each such write, as Documentation/ABI.md promises. Only root writes.
 *
 * Context: any. Return: @error.
 */
int skua_bad_value(const void *obj, const struct skua_attr *attr, const char *buf, int error)
{
	const struct kobject *kobj = obj ?: skua_root;

	pr_err("skua: %s: bad value \"%.*s\" of %s\n", kobject_name(kobj),
	       (int)min_t(size_t, strcspn(buf, "\n"), MAX_SHOWN), buf, attr->attr.name);
	return error;
}
EXPORT_SYMBOL_GPL(skua_bad_value);

ssize_t skua_show_bool(void *obj, const struct skua_attr *attr, char *buf)
{
	bool v = READ_ONCE(*(bool *)((char *)obj + SKUA_FIELD_OFFSET(attr->arg)));

	return skua_emit(buf, attr->arg & (v ? SKUA_KEY_1 : SKUA_KEY_0), "%d", v);
}

ssize_t skua_store_bool(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	bool v;

	if (skua_parse_bool(buf, &v))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(*(bool *)((char *)obj + SKUA_FIELD_OFFSET(attr->arg)), v);
	return len;
}

/**
 * skua_store_text() - a text without the newline that may end it
 * @buf: what was written
 * @text: where to
 * @size: room there, with NUL
 *
 * Return: length, or -EINVAL if it is too long.
 */
int skua_store_text(const char *buf, char *text, size_t size)
{
	size_t len = strlen(buf);

	if (len && buf[len - 1] == '\n')
		len--;
	if (len >= size)
		return -EINVAL;
	memcpy(text, buf, len);
	text[len] = '\0';
	return len;
}

/* ---- building --------------------------------------------------------- */

static bool taken(struct kobject *parent, const char *name)
{
	struct kernfs_node *kn = parent->sd ? kernfs_find_and_get(parent->sd, name) : NULL;

	kernfs_put(kn);
	return kn;
}

static void build_free(struct skua_build *b)
{
	spin_lock(&builds_lock);
	list_del(&b->link);
	spin_unlock(&builds_lock);
	kfree(b);
	wake_up_all(&undone);
}

static void build_undo(struct work_struct *work)
{
	struct skua_build *b = container_of(work, struct skua_build, work);
	struct kobject *top = b->top;

	while (b->nr_dirs)
		skua_dir_remove(&b->dirs[--b->nr_dirs]);
	kobject_del(top);
	build_free(b);
	kobject_put(top);
}

/**
 * skua_build_begin() - begin to make an object visible
 * @kobj: the object's, initialized, with a reference of the caller's
 *
 * The steps note their first error and do nothing after it; skua_build_end() tells.
 *
 * Return: what the steps need, or NULL if memory is short.
 */
struct skua_build *skua_build_begin(struct kobject *kobj)
{
	struct skua_build *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	INIT_WORK(&b->work, build_undo);
	b->top = kobj;
	spin_lock(&builds_lock);
	list_add(&b->link, &builds);
	spin_unlock(&builds_lock);
	return b;
}

/**
 * skua_build_add() - make the object's directory
 * @b: the build
 * @parent: where
 * @name: its name
 *
 * Return: 0; -EEXIST if the name is taken, which the build survives; another error.
 */
int skua_build_add(struct skua_build *b, struct kobject *parent, const char *name)
{
	int r = -EINVAL;

	mutex_lock(&names);
	if (parent && skua_name_ok(name, SKUA_MAX_FILE_NAME + 1)) {
		if (taken(parent, name)) {
			mutex_unlock(&names);
			return -EEXIST;
		}
		r = kobject_add(b->top, parent, "%s", name);
	}
	mutex_unlock(&names);
	b->error = r;
	b->added = !r;
	return r;
}

void skua_build_fail(struct skua_build *b, int error)
{
	if (!b->error)
		b->error = error;
}

/**
 * skua_file_add() - add one file
 * @kobj: the directory
 * @attr: in a struct skua_attr
 *
 * Return: 0, -EEXIST if the name is taken, -ENOMEM.
 */
int skua_file_add(struct kobject *kobj, const struct attribute *attr)
{
	int r;

	mutex_lock(&names);
	r = taken(kobj, attr->name) ? -EEXIST : sysfs_create_file(kobj, attr);
	mutex_unlock(&names);
	return r;
}

/**
 * skua_link_add() - add a link
 * @kobj: the directory
 * @target: what it points to
 * @name: its name
 *
 * Return: 0; -EEXIST if the name is taken; -ENOENT if the target is gone; -ENOMEM.
 */
int skua_link_add(struct kobject *kobj, struct kobject *target, const char *name)
{
	int r = -ENOENT;

	mutex_lock(&names);
	if (kobj && target && kobj->sd)
		r = taken(kobj, name) ? -EEXIST : sysfs_create_link(kobj, target, name);
	mutex_unlock(&names);
	return r;
}

/**
 * skua_link_remove() - remove a link, if its directory is still there
 * @kobj: where the directory's pointer is; NULL there once it is gone
 * @name: its name
 */
void skua_link_remove(struct kobject *const *kobj, const char *name)
{
	mutex_lock(&names);
	if (*kobj && (*kobj)->sd)
		sysfs_remove_link(*kobj, name);
	mutex_unlock(&names);
}

void skua_build_file(struct skua_build *b, struct kobject *kobj, const struct skua_attr *attr)
{
	if (!b->error)
		b->error = skua_file_add(kobj, &attr->attr);
}

void skua_build_files(struct skua_build *b, struct kobject *kobj, const struct skua_attr *table)
{
	for (; table && table->attr.name; table++)
		skua_build_file(b, kobj, table);
}

void skua_build_list(struct skua_build *b, struct kobject *kobj,
		     const struct skua_attr *const *list)
{
	for (; list && *list; list++)
		skua_build_file(b, kobj, *list);
}

void skua_build_link(struct skua_build *b, struct kobject *kobj, struct kobject *target,
		     const char *name)
{
	if (!b->error)
		b->error = skua_link_add(kobj, target, name);
}

/**
 * skua_build_dir() - add a directory to the object
 * @b: the build
 * @parent: where
 * @name: its name
 * @obj: what its files act on
 * @table: its files
 *
 * Return: the directory, which skua_dir_remove() takes away; NULL after an error.
 */
struct kobject *skua_build_dir(struct skua_build *b, struct kobject *parent, const char *name,
			       void *obj, const struct skua_attr *table)
{
	struct skua_folder *dir;

	if (b->error)
		return NULL;
	if (WARN_ON_ONCE(b->nr_dirs == MAX_DIRS)) {
		b->error = -ENOSPC;
		return NULL;
	}
	dir = skua_dir_alloc(obj);
	b->error = dir ? kobject_add(&dir->kobj, parent, "%s", name) : -ENOMEM;
	if (b->error) {
		if (dir)
			kobject_put(&dir->kobj);
		return NULL;
	}
	b->dirs[b->nr_dirs++] = &dir->kobj;
	skua_build_files(b, &dir->kobj, table);
	return b->error ? NULL : &dir->kobj;
}

/**
 * skua_build_end() - all steps are done
 * @b: the build; gone after this
 *
 * After an error what exists is taken out of the tree soon; the directories that
 * skua_build_dir() returned are not the caller's then. Never waits for users.
 *
 * Return: 0 or the first error.
 */
int skua_build_end(struct skua_build *b)
{
	int error = b->error;

	if (error && b->added) {
		kobject_get(b->top);
		queue_work(skua_mgmt_wq, &b->work);
	} else {
		build_free(b);
	}
	return error;
}

static bool is_undone(const struct kobject *kobj)
{
	struct skua_build *b;
	bool found = false;

	spin_lock(&builds_lock);
	list_for_each_entry(b, &builds, link)
		found |= b->top == kobj;
	spin_unlock(&builds_lock);
	return !found;
}

/**
 * skua_node_del() - take an object's directory out of the tree, if it is there
 * @kobj: the object's
 *
 * Waits for users of its files; not for a caller that holds skua_conf.
 */
void skua_node_del(struct kobject *kobj)
{
	wait_event(undone, is_undone(kobj));
	if (kobj->state_in_sysfs)
		kobject_del(kobj);
}

struct skua_folder *skua_dir_alloc(void *obj)
{
	struct skua_folder *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (dir) {
		dir->obj = obj;
		kobject_init(&dir->kobj, &dir_ktype);
	}
	return dir;
}

/**
 * skua_dir_remove() - remove a directory
 * @dir: where its pointer is; set to NULL before it goes
 */
void skua_dir_remove(struct kobject **dir)
{
	struct kobject *kobj;

	mutex_lock(&names);
	kobj = *dir;
	*dir = NULL;
	mutex_unlock(&names);
	if (!kobj)
		return;
	kobject_del(kobj);
	kobject_put(kobj);
}

/* ---- the root --------------------------------------------------------- */

static ssize_t version_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf,
			  "SCST version: " INTERFACE " (interface), Skua " SKUA_VERSION "\n"
			  "SCST build date: %s\n"
			  "SCST build number: %s\n"
			  "SCST git commit sha1: %s\n"
			  "SCST kver: %s\n"
			  "SCST arch type: %s\n",
			  "", "", "", init_utsname()->release, init_utsname()->machine);
}

static ssize_t last_result_show(void *obj, const struct skua_attr *attr, char *buf)
{
	int error, r = skua_mgmt_last(&error);

	return r ?: sysfs_emit(buf, "%d\n", error);
}

static ssize_t setup_id_show(void *obj, const struct skua_attr *attr, char *buf)
{
	u32 id = READ_ONCE(skua_setup_id);

	return skua_emit(buf, id, "0x%x", id);
}

static ssize_t setup_id_store(void *obj, const struct skua_attr *attr, const char *buf,
			      size_t len)
{
	u64 v;

	if (skua_parse_u64(buf, &v) || v > U32_MAX)
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(skua_setup_id, v);
	return len;
}

/* Kept for configurations that set it: commands that sleep run in work queues here. */
static ssize_t threads_show(void *obj, const struct skua_attr *attr, char *buf)
{
	unsigned int v = READ_ONCE(threads), usual = num_online_cpus();

	return skua_emit(buf, v && v != usual, "%u", v ?: usual);
}

static ssize_t threads_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	u64 v;

	if (skua_parse_u64(buf, &v) || !v || v > INT_MAX)
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	WRITE_ONCE(threads, v);
	return skua_mgmt_done(0, len);
}

static ssize_t measure_latency_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", skua_lat_measuring());
}

static ssize_t measure_latency_store(void *obj, const struct skua_attr *attr, const char *buf,
				     size_t len)
{
	bool on;
	int r = skua_parse_bool(buf, &on);

	if (r)
		return skua_bad_value(obj, attr, buf, r);
	return skua_lat_switch(on) ?: len;
}

static const struct skua_attr root_files[] = {
	SKUA_ATTR("version", 0444, version_show, NULL),
	SKUA_ATTR("last_sysfs_mgmt_res", 0444, last_result_show, NULL),
	SKUA_ATTR("measure_latency", 0644, measure_latency_show, measure_latency_store),
	SKUA_ATTR("setup_id", 0644, setup_id_show, setup_id_store),
	SKUA_ATTR("threads", 0644, threads_show, threads_store),
	{ }
};

static const struct skua_attr groups_files[] = {
	SKUA_MGMT(&skua_mgmt_device_groups),
	{ }
};

/* ---- sgv -------------------------------------------------------------- */

static ssize_t cache_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return skua_sgv_show((unsigned long)obj, buf);
}

static ssize_t cache_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	skua_sgv_clear((unsigned long)obj);
	return len;
}

static ssize_t sgv_global_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return skua_sgv_global_show(buf);
}

static ssize_t sgv_global_store(void *obj, const struct skua_attr *attr, const char *buf,
				size_t len)
{
	skua_sgv_clear(skua_sgv_nr_caches());
	return len;
}

static const struct skua_attr cache_files[] = {
	SKUA_ATTR("stats", 0644, cache_show, cache_store),
	{ }
};

static const struct skua_attr sgv_files[] = {
	SKUA_ATTR("global_stats", 0644, sgv_global_show, sgv_global_store),
	{ }
};

static struct kobject *root_dir(struct kobject *parent, const char *name, void *obj,
				const struct skua_attr *table)
{
	struct skua_folder *dir = skua_dir_alloc(obj);
	struct kobject *kobj;

	if (!dir)
		return NULL;
	kobj = &dir->kobj;
	if (kobject_add(kobj, parent, "%s", name))
		goto fail;
	for (; table && table->attr.name; table++)
		if (skua_file_add(kobj, &table->attr))
			goto fail;
	return kobj;
fail:
	skua_dir_remove(&kobj);
	return NULL;
}

static int sgv_dirs_add(void)
{
	unsigned int i, nr = skua_sgv_nr_caches();

	sgv_dir = root_dir(skua_root, "sgv", NULL, sgv_files);
	cache_dirs = kcalloc(nr, sizeof(*cache_dirs), GFP_KERNEL);
	if (!sgv_dir || !cache_dirs)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		cache_dirs[i] = root_dir(sgv_dir, skua_sgv_cache_name(i),
					 (void *)(unsigned long)i, cache_files);
		if (!cache_dirs[i])
			return -ENOMEM;
	}
	return 0;
}

static void sgv_dirs_remove(void)
{
	unsigned int i;

	for (i = 0; cache_dirs && i < skua_sgv_nr_caches(); i++)
		skua_dir_remove(&cache_dirs[i]);
	kfree(cache_dirs);
	cache_dirs = NULL;
	skua_dir_remove(&sgv_dir);
}

/**
 * skua_sysfs_init() - make the empty tree
 *
 * Context: module init, after skua_sgv_init().
 *
 * Return: 0; -EBUSY if the tree is there already, with one line in the log (-EEXIST
 * would make modprobe think that this module is loaded); -ENOMEM.
 */
int skua_sysfs_init(void)
{
	struct kernfs_node *kn = kernfs_find_and_get(kernel_kobj->sd, ROOT_NAME);

	if (kn) {
		kernfs_put(kn);
		pr_err("skua: not loaded: another SCSI target owns /sys/kernel/" ROOT_NAME "\n");
		return -EBUSY;
	}
	skua_root = root_dir(kernel_kobj, ROOT_NAME, NULL, root_files);
	if (!skua_root)
		return -ENOMEM;
	skua_devices_dir = root_dir(skua_root, "devices", NULL, NULL);
	skua_handlers_dir = root_dir(skua_root, "handlers", NULL, NULL);
	skua_targets_dir = root_dir(skua_root, "targets", NULL, NULL);
	groups_dir = root_dir(skua_root, "device_groups", NULL, groups_files);
	if (sgv_dirs_add() || !skua_devices_dir || !skua_handlers_dir || !skua_targets_dir ||
	    !groups_dir) {
		skua_sysfs_exit();
		return -ENOMEM;
	}
	return 0;
}

/**
 * skua_sysfs_exit() - remove the tree
 *
 * Context: module exit, before skua_sgv_exit() and the end of skua_mgmt_wq; all
 * objects are gone.
 */
void skua_sysfs_exit(void)
{
	wait_event(undone, list_empty(&builds));
	sgv_dirs_remove();
	skua_dir_remove(&groups_dir);
	skua_dir_remove(&skua_targets_dir);
	skua_dir_remove(&skua_handlers_dir);
	skua_dir_remove(&skua_devices_dir);
	skua_dir_remove(&skua_root);
}
