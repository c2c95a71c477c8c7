// SPDX-License-Identifier: GPL-2.0
/*
 * The tree: sessions and their LUNs.
 */
#include "latency.h"
#include "sysfs.h"

#define MAX_SUFFIX	12		/* "_" and a number */

/*
 * Sessions that are visible, for what sums over them without skua_conf. An entry's
 * session, and the group that it shows, stay while it is in the list.
 */
LIST_HEAD(skua_tree_sessions);
DEFINE_SPINLOCK(skua_tree_lock);

/**
 * skua_tree_stats() - sum up the counters of a target's visible sessions
 * @tgt: the target
 * @sum: where to
 *
 * Context: process.
 */
void skua_tree_stats(const struct skua_tgt *tgt, struct skua_stats *sum)
{
	struct skua_session *sess;
	struct skua_stats one;
	int i;

	memset(sum, 0, sizeof(*sum));
	spin_lock(&skua_tree_lock);
	list_for_each_entry(sess, &skua_tree_sessions, tree_link) {
		if (sess->tgt != tgt)
			continue;
		skua_session_stats(sess, &one);
		for (i = 0; i < SKUA_NR_STAT; i++) {
			sum->dir[i].cmds += one.dir[i].cmds;
			sum->dir[i].bytes += one.dir[i].bytes;
			sum->dir[i].unaligned += one.dir[i].unaligned;
		}
	}
	spin_unlock(&skua_tree_lock);
}

u64 skua_counter(const struct skua_stats *stats, unsigned long which)
{
	unsigned int dir = which & 0xff;

	switch (which & ~0xffUL) {
	case SKUA_COUNT_KB:
		return stats->dir[dir].bytes >> 10;
	case SKUA_COUNT_UNALIGNED:
		return stats->dir[dir].unaligned;
	}
	return stats->dir[dir].cmds;
}

/* ---- sessions --------------------------------------------------------- */

static ssize_t initiator_name_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", ((struct skua_session *)obj)->initiator);
}

static ssize_t active_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", skua_session_active(obj, NULL));
}

static ssize_t counter_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_stats sum;

	skua_session_stats(obj, &sum);
	return sysfs_emit(buf, "%llu\n", skua_counter(&sum, attr->arg));
}

/* Any write clears all counters of the direction. */
static ssize_t counter_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	skua_session_stats_clear(obj, attr->arg & 0xff);
	return len;
}

/* Only begins: the session takes this very file out of the tree later. */
static ssize_t force_close_store(void *obj, const struct skua_attr *attr, const char *buf,
				 size_t len)
{
	skua_session_close(obj);
	return len;
}

#define COUNTER(name, which)							\
	SKUA_ATTR_ARG(name, 0644, counter_show, counter_store, which)

static const struct skua_attr session_files[] = {
	SKUA_ATTR("initiator_name", 0444, initiator_name_show, NULL),
	SKUA_ATTR("active_commands", 0444, active_show, NULL),
	SKUA_ATTR("commands", 0444, active_show, NULL),
	SKUA_COUNTERS(COUNTER),
	{ }
};

static const struct skua_attr close_files[] = {
	SKUA_ATTR("force_close", 0200, NULL, force_close_store),
	{ }
};

/* ---- latency/ --------------------------------------------------------- */

#define LAT_SIZE_SHIFT	8		/* arg: SKUA_STAT_*, and the size above it */

static ssize_t latency_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return skua_lat_show_sizes(obj, attr->arg & ((1 << LAT_SIZE_SHIFT) - 1),
				   attr->arg >> LAT_SIZE_SHIFT, buf);
}

/* Any write clears all files, and the LUNs' histograms. */
static ssize_t latency_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	return skua_lat_clear(obj) ?: len;
}

#define LAT_FILE(name, kind, size)						\
	SKUA_ATTR_ARG(name, 0644, latency_show, latency_store, (kind) | (size) << LAT_SIZE_SHIFT)
#define LAT_FILES(letter, kind)							\
	LAT_FILE(letter "512", kind, 0), LAT_FILE(letter "1024", kind, 1),	\
	LAT_FILE(letter "2048", kind, 2), LAT_FILE(letter "4096", kind, 3),	\
	LAT_FILE(letter "8192", kind, 4), LAT_FILE(letter "16384", kind, 5),	\
	LAT_FILE(letter "32768", kind, 6), LAT_FILE(letter "65536", kind, 7),	\
	LAT_FILE(letter "131072", kind, 8), LAT_FILE(letter "262144", kind, 9),	\
	LAT_FILE(letter "524288", kind, 10)

static const struct skua_attr latency_files[] = {
	LAT_FILES("n", SKUA_STAT_NONE),
	LAT_FILES("r", SKUA_STAT_READ),
	LAT_FILES("w", SKUA_STAT_WRITE),
	LAT_FILES("b", SKUA_STAT_BIDI),
	{ }
};

/* ---- directories of sessions ------------------------------------------ */

/* What a login sent is no file name yet. */
static void clean_name(char *name, const char *initiator)
{
	char *c;

	strscpy(name, initiator, SKUA_MAX_FILE_NAME + 1 - MAX_SUFFIX);
	for (c = name; *c; c++)
		if (*c == '/' || *(u8 *)c <= ' ' || *c == 0x7f)
			*c = '_';
	if (!skua_name_ok(name, SKUA_MAX_FILE_NAME + 1))
		strscpy(name, "unnamed", SKUA_MAX_FILE_NAME + 1);
}

static int add_under_free_name(struct skua_build *b, struct skua_session *sess)
{
	char name[SKUA_MAX_FILE_NAME + 1];
	unsigned int i = 0;
	size_t len;
	int r;

	clean_name(name, sess->initiator);
	len = strlen(name);
	while ((r = skua_build_add(b, sess->tgt->sessions_kobj, name)) == -EEXIST)
		snprintf(name + len, sizeof(name) - len, "_%u", ++i);
	return r;
}

/* The group that a session shows has to stay; a target's own stays with the target. */
static struct skua_group *get_group(struct skua_group *grp)
{
	if (grp && !grp->own)
		kobject_get(&grp->kobj);
	return grp;
}

static void put_group(struct skua_group *grp)
{
	if (grp && !grp->own)
		kobject_put(&grp->kobj);
}

/**
 * skua_sysfs_session_add() - make sessions/NAME, or NAME_1 ... if that is taken
 * @sess: the session
 * @params: what the login says
 *
 * Context: process; skua_conf held (@sess->grp).
 *
 * Return: 0, -ENOMEM, -EINVAL if the target is not in the tree; nothing stays after
 * an error.
 */
int skua_sysfs_session_add(struct skua_session *sess,
			   const struct skua_session_params *params)
{
	struct skua_build *b = skua_build_begin(&sess->kobj);
	struct kobject *dir = NULL, *lat_dir;
	int r;

	INIT_LIST_HEAD(&sess->tree_link);
	if (!b)
		return -ENOMEM;
	skua_build_fail(b, add_under_free_name(b, sess));
	skua_build_files(b, &sess->kobj, session_files);
	if (sess->tgt->drv->ops->close_queue)
		skua_build_files(b, &sess->kobj, close_files);
	skua_build_list(b, &sess->kobj, sess->tgt->drv->ops->sess_attrs);
	lat_dir = skua_build_dir(b, &sess->kobj, "latency", sess, latency_files);
	if (params->dir_name) {
		dir = skua_build_dir(b, &sess->kobj, params->dir_name, sess, NULL);
		skua_build_list(b, dir, params->dir_attrs);
	}
	if (sess->grp)
		skua_build_link(b, &sess->kobj, sess->grp->luns_kobj, "luns");
	r = skua_build_end(b);
	if (r)
		return r;
	sess->dir = dir;
	sess->lat_dir = lat_dir;
	sess->tree_grp = get_group(sess->grp);
	spin_lock(&skua_tree_lock);
	list_add_tail(&sess->tree_link, &skua_tree_sessions);
	spin_unlock(&skua_tree_lock);
	return 0;
}

/**
 * skua_sysfs_session_relink() - the session has another group now
 * @sess: the session
 *
 * Context: process; skua_conf held (@sess->grp).
 */
void skua_sysfs_session_relink(struct skua_session *sess)
{
	struct kobject *kobj = &sess->kobj;
	struct skua_group *grp;

	if (!kobj->state_in_sysfs || sess->tree_grp == sess->grp)
		return;
	skua_link_remove(&kobj, "luns");
	if (sess->grp && skua_link_add(kobj, sess->grp->luns_kobj, "luns"))
		pr_err("skua: session %s: no memory for its luns link\n", kobject_name(kobj));
	grp = get_group(sess->grp);
	spin_lock(&skua_tree_lock);
	swap(sess->tree_grp, grp);
	spin_unlock(&skua_tree_lock);
	put_group(grp);
}

void skua_sysfs_session_del(struct skua_session *sess)
{
	struct skua_group *grp;

	spin_lock(&skua_tree_lock);
	list_del_init(&sess->tree_link);
	grp = sess->tree_grp;
	sess->tree_grp = NULL;
	spin_unlock(&skua_tree_lock);
	skua_dir_remove(&sess->dir);
	skua_dir_remove(&sess->lat_dir);
	skua_node_del(&sess->kobj);
	put_group(grp);
}

/* ---- a session's LUNs ------------------------------------------------- */

static ssize_t lun_active_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_nexus *nx = obj;

	return sysfs_emit(buf, "%u\n", skua_session_active(nx->sess, nx));
}

/* No LUN has threads of its own. */
static ssize_t thread_index_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "-1\n");
}

static ssize_t thread_pid_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "\n");
}

static u64 lun_count(const struct skua_nexus *nx, int dir, bool bytes)
{
	const struct skua_nexus_stats *stats;
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		stats = per_cpu_ptr(nx->stats, cpu);
		sum += bytes ? READ_ONCE(stats->dir[dir].bytes) : READ_ONCE(stats->dir[dir].cmds);
	}
	return sum;
}

static ssize_t lun_cmds_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", lun_count(obj, attr->arg, false));
}

/* All that are neither reads nor writes */
static ssize_t lun_others_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", lun_count(obj, SKUA_STAT_NONE, false) +
			  lun_count(obj, SKUA_STAT_BIDI, false) +
			  lun_count(obj, SKUA_STAT_UNKNOWN, false));
}

static ssize_t lun_kb_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", lun_count(obj, attr->arg, true) >> 10);
}

static ssize_t lun_latency_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return skua_lat_show_nexus(obj, attr->arg, buf);
}

static const struct skua_attr nexus_files[] = {
	SKUA_ATTR("active_commands", 0444, lun_active_show, NULL),
	SKUA_ATTR_ARG("read_cmd_count", 0444, lun_cmds_show, NULL, SKUA_STAT_READ),
	SKUA_ATTR_ARG("write_cmd_count", 0444, lun_cmds_show, NULL, SKUA_STAT_WRITE),
	SKUA_ATTR("other_cmd_count", 0444, lun_others_show, NULL),
	SKUA_ATTR_ARG("read_io_count_kb", 0444, lun_kb_show, NULL, SKUA_STAT_READ),
	SKUA_ATTR_ARG("write_io_count_kb", 0444, lun_kb_show, NULL, SKUA_STAT_WRITE),
	SKUA_ATTR_ARG("read_latency", 0444, lun_latency_show, NULL, SKUA_STAT_READ),
	SKUA_ATTR_ARG("write_latency", 0444, lun_latency_show, NULL, SKUA_STAT_WRITE),
	SKUA_ATTR_ARG("other_latency", 0444, lun_latency_show, NULL, SKUA_STAT_NONE),
	SKUA_ATTR("thread_index", 0444, thread_index_show, NULL),
	SKUA_ATTR("thread_pid", 0444, thread_pid_show, NULL),
	{ }
};

/**
 * skua_sysfs_nexus_add() - make sessions/NAME/lunN
 * @nx: the nexus; its session is in the tree
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0; -EEXIST; -ENOMEM. Nothing stays after an error.
 */
int skua_sysfs_nexus_add(struct skua_nexus *nx)
{
	struct skua_build *b = skua_build_begin(&nx->kobj);
	char name[16];
	int r;

	if (!b)
		return -ENOMEM;
	snprintf(name, sizeof(name), "lun%u", nx->lun);
	skua_build_fail(b, skua_build_add(b, &nx->sess->kobj, name));
	skua_build_files(b, &nx->kobj, nexus_files);
	r = skua_build_end(b);
	nx->visible = !r;
	return r;
}

void skua_sysfs_nexus_del(struct skua_nexus *nx)
{
	skua_node_del(&nx->kobj);
}
