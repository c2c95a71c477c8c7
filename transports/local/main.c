// SPDX-License-Identifier: GPL-2.0
/*
 * Driver scst_local: targets whose initiator is this machine. Here: targets, the
 * mgmt commands, the files of the tree.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "local.h"

#define LOCAL_SAS_VERSION	0x0be0	/* version descriptor: SAS, no version claimed */

static bool add_default_tgt = true;
module_param(add_default_tgt, bool, 0444);
MODULE_PARM_DESC(add_default_tgt,
		 "make target scst_local_tgt with session scst_local_host when loaded (default Y)");

DEFINE_SPINLOCK(local_lock);
LIST_HEAD(local_tgts);
struct local_stats local_stats;
static struct skua_driver *local_driver;
static DEFINE_MUTEX(local_making);	/* a target is in the tree and not in local_tgts yet */
static u32 local_cmds;			/* commands of the mgmt file that run, under local_lock */
static bool local_exiting;		/* the same */

/* ---- commands and the end ---------------------------------------------- */

static bool local_cmd_begin(void)
{
	bool ok;

	spin_lock(&local_lock);
	ok = !local_exiting;
	local_cmds += ok;
	spin_unlock(&local_lock);
	return ok;
}

static void local_cmd_end(void)
{
	spin_lock(&local_lock);
	local_cmds--;
	spin_unlock(&local_lock);
	wake_up_all(&local_gone);
}

static bool local_cmds_none(void)
{
	bool none;

	spin_lock(&local_lock);
	none = !local_cmds;
	spin_unlock(&local_lock);
	return none;
}

/* ---- targets ----------------------------------------------------------- */

/* With @users raised, which keeps it; -> local_tgt_put(). */
static struct local_tgt *local_tgt_get(const char *name)
{
	struct local_tgt *ltgt, *found = NULL;

	spin_lock(&local_lock);
	list_for_each_entry(ltgt, &local_tgts, link) {
		if (!strcmp(skua_tgt_name(ltgt->tgt), name)) {
			ltgt->users++;
			found = ltgt;
			break;
		}
	}
	spin_unlock(&local_lock);
	return found;
}

static void local_tgt_put(struct local_tgt *ltgt)
{
	spin_lock(&local_lock);
	ltgt->users--;
	spin_unlock(&local_lock);
	wake_up_all(&local_gone);
}

static bool local_tgt_unused(struct local_tgt *ltgt)
{
	bool unused;

	spin_lock(&local_lock);
	unused = !ltgt->users;
	spin_unlock(&local_lock);
	return unused;
}

static struct local_tgt *local_tgt_add(const char *name)
{
	struct local_tgt *ltgt = kzalloc(sizeof(*ltgt), GFP_KERNEL);
	struct skua_driver *drv;
	struct skua_tgt *tgt;

	if (!ltgt)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&ltgt->hosts);
	ltgt->users = 1;
	/* Pairs with local_init(): the mgmt file is there before we know our driver. */
	drv = smp_load_acquire(&local_driver);
	mutex_lock(&local_making);
	tgt = drv ? skua_tgt_register(drv, name, ltgt) : ERR_PTR(-EAGAIN);
	if (!IS_ERR(tgt)) {
		spin_lock(&local_lock);
		ltgt->tgt = tgt;
		list_add_tail(&ltgt->link, &local_tgts);
		spin_unlock(&local_lock);
	}
	mutex_unlock(&local_making);
	if (IS_ERR(tgt)) {
		kfree(ltgt);
		return ERR_CAST(tgt);
	}
	return ltgt;
}

/* Whoever gets the target here deletes it; NULL: somebody else does. */
static struct local_tgt *local_tgt_unlink(const struct skua_tgt *tgt)
{
	struct local_tgt *ltgt, *found = NULL;

	mutex_lock(&local_making);
	spin_lock(&local_lock);
	list_for_each_entry(ltgt, &local_tgts, link) {
		if (ltgt->tgt == tgt) {
			list_del(&ltgt->link);
			found = ltgt;
			break;
		}
	}
	spin_unlock(&local_lock);
	mutex_unlock(&local_making);
	return found;
}

/* Sessions may come until the target is out of the list and nobody uses it. */
static void local_tgt_del(struct local_tgt *ltgt)
{
	wait_event(local_gone, local_tgt_unused(ltgt));
	local_hosts_del(ltgt);
	skua_tgt_unregister(ltgt->tgt);
	kfree(ltgt);
}

/* The parameter session_name of add_target may be repeated. */
static int local_add_sessions(struct local_tgt *ltgt, char *params)
{
	const char *tgt_name = skua_tgt_name(ltgt->tgt);
	char *name, *value;
	int ret;

	while ((ret = skua_next_param(&params, &name, &value)) > 0) {
		if (strcasecmp(name, "session_name")) {
			pr_err("skua_local: %s: no parameter \"%s\"\n", tgt_name, name);
			return -EINVAL;
		}
		ret = local_host_add(ltgt, value);
		if (ret)
			return ret;
	}
	if (ret)
		skua_log_param(tgt_name, name, value);
	return ret;
}

static int local_add_target(const char *name, char *params)
{
	struct local_tgt *ltgt, *undo = NULL;
	int ret;

	if (!local_cmd_begin())
		return -ENODEV;
	ltgt = local_tgt_add(name);
	ret = PTR_ERR_OR_ZERO(ltgt);
	if (!ret) {
		ret = local_add_sessions(ltgt, params);
		if (ret)
			undo = local_tgt_unlink(ltgt->tgt);
		local_tgt_put(ltgt);
		if (undo)
			local_tgt_del(undo);
	}
	local_cmd_end();
	return ret;
}

static int local_del_target(struct skua_tgt *tgt)
{
	struct local_tgt *ltgt;

	if (!local_cmd_begin())
		return -ENODEV;
	ltgt = local_tgt_unlink(tgt);
	if (ltgt)
		local_tgt_del(ltgt);
	local_cmd_end();
	return ltgt ? 0 : -ENOENT;
}

static int local_session_cmd(bool add, const char *tgt_name, const char *name)
{
	struct local_tgt *ltgt = local_tgt_get(tgt_name);
	int ret;

	if (!ltgt) {
		pr_err("skua_local: no target %s\n", tgt_name);
		return -ENOENT;
	}
	ret = add ? local_host_add(ltgt, name) : local_host_del(ltgt, name);
	if (ret)
		pr_err("skua_local: %s: session %s not %s: %d\n", tgt_name, name,
		       add ? "added" : "deleted", ret);
	local_tgt_put(ltgt);
	return ret;
}

/* add_session TGT NAME, del_session TGT NAME */
static int local_drv_cmd(const char *cmd, char *words)
{
	bool add = !strcasecmp(cmd, "add_session");
	char *tgt_name, *name, *more;
	int ret;

	if (!add && strcasecmp(cmd, "del_session"))
		return -ENOIOCTLCMD;
	tgt_name = skua_next_word(&words);
	name = skua_next_word(&words);
	more = skua_next_word(&words);
	if (!tgt_name || !name || more) {
		pr_err("skua_local: usage: %s TARGET SESSION\n", cmd);
		return -EINVAL;
	}
	if (!local_cmd_begin())
		return -ENODEV;
	ret = local_session_cmd(add, tgt_name, name);
	local_cmd_end();
	return ret;
}

/* ---- files of the tree --------------------------------------------------- */

static ssize_t local_stats_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "Aborts: %d, Device Resets: %d, Target Resets: %d\n",
			  atomic_read(&local_stats.aborts), atomic_read(&local_stats.lun_resets),
			  atomic_read(&local_stats.tgt_resets));
}

static ssize_t local_version_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, SKUA_VERSION "\n");
}

static const struct skua_attr local_stats_attr = {
	.attr = { .name = "stats", .mode = 0444 },
	.show = local_stats_show,
};

static const struct skua_attr local_version_attr = {
	.attr = { .name = "version", .mode = 0444 },
	.show = local_version_show,
};

static const struct skua_attr *const local_drv_attrs[] = {
	&local_stats_attr, &local_version_attr, NULL
};

static ssize_t local_host_no_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%lu\n", (unsigned long)skua_session_priv(obj));
}

static ssize_t local_transport_id_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return local_transport_id(obj, buf);
}

static const struct skua_attr local_host_no_attr = {
	.attr = { .name = "host_no", .mode = 0444 },
	.show = local_host_no_show,
};

static const struct skua_attr local_transport_id_attr = {
	.attr = { .name = "transport_id", .mode = 0444 },
	.show = local_transport_id_show,
};

static const struct skua_attr *const local_sess_attrs[] = {
	&local_host_no_attr, &local_transport_id_attr, NULL
};

/* ---- module --------------------------------------------------------------- */

static const struct skua_transport local_transport = {
	.name		= "scst_local",
	.owner		= THIS_MODULE,
	.protocol	= 6,		/* SAS */
	.max_lun_sg	= LOCAL_SEGMENTS,
	.no_enable	= true,
	.drv_attrs	= local_drv_attrs,
	.sess_attrs	= local_sess_attrs,
	.tgt_params	= "session_name",
	.start		= local_start,
	.respond	= local_respond,
	.respond_tmf	= local_respond_tmf,
	.close_queue	= local_close_queue,
	.add_target	= local_add_target,
	.del_target	= local_del_target,
	.drv_cmd	= local_drv_cmd,
};

static int __init local_init(void)
{
	char session[] = "session_name=scst_local_host";
	struct skua_driver *drv;
	int ret;

	ret = local_hosts_init();
	if (ret)
		return ret;
	drv = skua_driver_register(&local_transport);
	if (IS_ERR(drv)) {
		local_hosts_exit();
		return PTR_ERR(drv);
	}
	smp_store_release(&local_driver, drv);	/* see local_tgt_add() */
	if (add_default_tgt) {
		ret = local_add_target("scst_local_tgt", session);
		if (ret)
			pr_err("skua_local: no default target: %d\n", ret);
	}
	return 0;
}

static void __exit local_exit(void)
{
	struct local_tgt *ltgt;

	spin_lock(&local_lock);
	local_exiting = true;
	spin_unlock(&local_lock);
	wait_event(local_gone, local_cmds_none());
	while ((ltgt = list_first_entry_or_null(&local_tgts, struct local_tgt, link))) {
		local_tgt_unlink(ltgt->tgt);
		local_tgt_del(ltgt);
	}
	skua_driver_unregister(local_driver);
	local_hosts_exit();
}

module_init(local_init);
module_exit(local_exit);
MODULE_DESCRIPTION("Skua SCSI target: local SCSI hosts");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
