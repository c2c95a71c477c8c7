/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree: what sysfs*.c, mgmt.c and proc.c share.
 *
 * Every directory's kobject uses one sysfs_ops, which finds the object that the
 * directory stands for and calls the struct skua_attr. Files come from tables.
 */
#ifndef SKUA_SYSFS_H
#define SKUA_SYSFS_H

#include <linux/bits.h>
#include <linux/sysfs.h>

#include "priv.h"

#define SKUA_MAX_FILE_NAME	255	/* a directory entry, without NUL */
#define SKUA_TYPE_DISK		"0 - Direct-access device (e.g., magnetic disk)\n"

/* A directory that is no object of its own: luns, initiators, exported, sgv ... */
struct skua_folder {
	struct kobject kobj;
	void *obj;			/* what its attributes act on; outlives the directory */
};

#define SKUA_ATTR_ARG(_name, _mode, _show, _store, _arg) {			\
	.attr = { .name = _name, .mode = _mode },				\
	.show = _show, .store = _store, .arg = (unsigned long)(_arg) }
#define SKUA_ATTR(_name, _mode, _show, _store)	SKUA_ATTR_ARG(_name, _mode, _show, _store, 0)

/* arg of a bool by its place in the object, with the value that is worth saving. */
#define SKUA_KEY_0	BIT(24)
#define SKUA_KEY_1	BIT(25)
#define SKUA_FIELD(type, field, key)	(offsetof(type, field) | (key))
#define SKUA_FIELD_OFFSET(arg)		((arg) & (SKUA_KEY_0 - 1))

ssize_t skua_show_bool(void *obj, const struct skua_attr *attr, char *buf);
ssize_t skua_store_bool(void *obj, const struct skua_attr *attr, const char *buf, size_t len);
__printf(3, 4) ssize_t skua_emit(char *buf, bool key, const char *fmt, ...);
int skua_store_text(const char *buf, char *text, size_t size);

/* Making an object visible in several steps that end together: see sysfs.c. */
struct skua_build;

struct skua_build *skua_build_begin(struct kobject *kobj);
int skua_build_add(struct skua_build *b, struct kobject *parent, const char *name);
void skua_build_fail(struct skua_build *b, int error);
void skua_build_files(struct skua_build *b, struct kobject *kobj, const struct skua_attr *table);
void skua_build_file(struct skua_build *b, struct kobject *kobj, const struct skua_attr *attr);
void skua_build_list(struct skua_build *b, struct kobject *kobj,
		     const struct skua_attr *const *list);
struct kobject *skua_build_dir(struct skua_build *b, struct kobject *parent, const char *name,
			       void *obj, const struct skua_attr *table);
void skua_build_link(struct skua_build *b, struct kobject *kobj, struct kobject *target,
		     const char *name);
int skua_build_end(struct skua_build *b);

struct skua_folder *skua_dir_alloc(void *obj);
void skua_dir_remove(struct kobject **dir);
void skua_node_del(struct kobject *kobj);
int skua_file_add(struct kobject *kobj, const struct attribute *attr);
int skua_link_add(struct kobject *kobj, struct kobject *target, const char *name);
void skua_link_remove(struct kobject *const *kobj, const char *name);

extern struct kobject *skua_devices_dir, *skua_handlers_dir, *skua_targets_dir;

/* mgmt.c */
struct skua_mgmt;
extern const struct skua_mgmt skua_mgmt_handler, skua_mgmt_driver, skua_mgmt_luns,
	skua_mgmt_groups, skua_mgmt_initiators, skua_mgmt_device_groups;

ssize_t skua_mgmt_show(void *obj, const struct skua_attr *attr, char *buf);
ssize_t skua_mgmt_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len);
ssize_t skua_mgmt_done(int error, size_t len);
int skua_mgmt_last(int *error);

#define SKUA_MGMT(which)	SKUA_ATTR_ARG("mgmt", 0644, skua_mgmt_show, skua_mgmt_store, which)

/* Counters: arg is SKUA_STAT_* | one of these. */
#define SKUA_COUNT_CMDS		0x000
#define SKUA_COUNT_KB		0x100
#define SKUA_COUNT_UNALIGNED	0x200

u64 skua_counter(const struct skua_stats *stats, unsigned long which);

/* sysfs_sess.c */
void skua_tree_stats(const struct skua_tgt *tgt, struct skua_stats *sum);
extern spinlock_t skua_tree_lock;
extern struct list_head skua_tree_sessions;

/* The counters that sessions and targets have; @file(name, which) makes an entry. */
#define SKUA_COUNTERS(file)						\
	file("unknown_cmd_count", SKUA_STAT_UNKNOWN | SKUA_COUNT_CMDS),		\
	file("write_cmd_count", SKUA_STAT_WRITE | SKUA_COUNT_CMDS),		\
	file("write_io_count_kb", SKUA_STAT_WRITE | SKUA_COUNT_KB),		\
	file("write_unaligned_cmd_count", SKUA_STAT_WRITE | SKUA_COUNT_UNALIGNED),	\
	file("read_cmd_count", SKUA_STAT_READ | SKUA_COUNT_CMDS),		\
	file("read_io_count_kb", SKUA_STAT_READ | SKUA_COUNT_KB),		\
	file("read_unaligned_cmd_count", SKUA_STAT_READ | SKUA_COUNT_UNALIGNED),	\
	file("bidi_cmd_count", SKUA_STAT_BIDI | SKUA_COUNT_CMDS),		\
	file("bidi_io_count_kb", SKUA_STAT_BIDI | SKUA_COUNT_KB),		\
	file("bidi_unaligned_cmd_count", SKUA_STAT_BIDI | SKUA_COUNT_UNALIGNED),	\
	file("none_cmd_count", SKUA_STAT_NONE | SKUA_COUNT_CMDS)

#endif
