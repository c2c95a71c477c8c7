// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/scsi_tgt: the files of older releases that monitoring scripts still read.
 */
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/proc_fs.h>
#include <linux/utsname.h>

#include "sysfs.h"

#define DIR	"scsi_tgt"

static struct proc_dir_entry *dir;

static int version_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "Skua %s\nkernel %s\n", SKUA_VERSION, init_utsname()->release);
	return 0;
}

static int sgv_show(struct seq_file *seq, void *v)
{
	skua_sgv_seq_show(seq);
	return 0;
}

static int sgv_open(struct inode *inode, struct file *file)
{
	return single_open(file, sgv_show, NULL);
}

/* Any write clears the counters of all caches and the global ones. */
static ssize_t sgv_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	unsigned int i;

	for (i = 0; i <= skua_sgv_nr_caches(); i++)
		skua_sgv_clear(i);
	return size;
}

static const struct proc_ops sgv_ops = {
	.proc_open = sgv_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_write = sgv_write,
	.proc_release = single_release,
};

static void *sessions_start(struct seq_file *seq, loff_t *pos)
	__acquires(&skua_tree_lock)
{
	spin_lock(&skua_tree_lock);
	return seq_list_start_head(&skua_tree_sessions, *pos);
}

static void *sessions_next(struct seq_file *seq, void *v, loff_t *pos)
{
	return seq_list_next(v, &skua_tree_sessions, pos);
}

static void sessions_stop(struct seq_file *seq, void *v)
	__releases(&skua_tree_lock)
{
	spin_unlock(&skua_tree_lock);
}

static int sessions_show(struct seq_file *seq, void *v)
{
	const struct skua_group *grp;
	struct skua_session *sess;
	u32 active;

	if (v == &skua_tree_sessions) {
		seq_printf(seq, "%-20s %-45s %-35s %s\n", "Target name", "Initiator name",
			   "Group name", "Active/All Commands Count");
		return 0;
	}
	sess = list_entry(v, struct skua_session, tree_link);
	grp = sess->tree_grp;
	active = skua_session_active(sess, NULL);
	seq_printf(seq, "%-20s %-45s %-35s %u/%u\n", sess->tgt->drv->ops->name, sess->initiator,
		   !grp || grp->own ? "Default" : grp->name, active, active);
	return 0;
}

static const struct seq_operations sessions_ops = {
	.start = sessions_start,
	.next = sessions_next,
	.stop = sessions_stop,
	.show = sessions_show,
};

/**
 * skua_proc_init() - make /proc/scsi_tgt
 *
 * Context: module init, after skua_sysfs_init().
 *
 * Return: 0; -EBUSY if the directory is there already; -ENOMEM.
 */
int skua_proc_init(void)
{
	struct path path;

	/* proc_mkdir() would warn with a stack dump. */
	if (!kern_path("/proc/" DIR, 0, &path)) {
		path_put(&path);
		pr_err("skua: not loaded: another SCSI target owns /proc/" DIR "\n");
		return -EBUSY;
	}
	dir = proc_mkdir(DIR, NULL);
	if (!dir)
		return -ENOMEM;
	if (proc_create_single("version", 0444, dir, version_show) &&
	    proc_create_seq("sessions", 0444, dir, &sessions_ops) &&
	    proc_create("sgv", 0644, dir, &sgv_ops))
		return 0;
	skua_proc_exit();
	return -ENOMEM;
}

void skua_proc_exit(void)
{
	proc_remove(dir);
	dir = NULL;
}
