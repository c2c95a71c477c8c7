// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading of the core.
 */
#include <linux/module.h>

#include "priv.h"

DEFINE_MUTEX(skua_conf);		/* see priv.h */
struct workqueue_struct *skua_wq;
struct workqueue_struct *skua_mgmt_wq;

static int __init skua_init(void)
{
	int ret = -ENOMEM;

	skua_wq = alloc_workqueue("skua", WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	if (!skua_wq)
		return ret;
	skua_mgmt_wq = alloc_workqueue("skua_mgmt", WQ_MEM_RECLAIM | WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!skua_mgmt_wq)
		goto free_wq;
	ret = skua_sgv_init();
	if (ret)
		goto free_mgmt_wq;
	ret = skua_sysfs_init();
	if (ret)
		goto exit_sgv;
	ret = skua_proc_init();
	if (ret)
		goto exit_sysfs;
	pr_info("skua: version %s\n", SKUA_VERSION);
	return 0;

exit_sysfs:
	skua_sysfs_exit();
exit_sgv:
	skua_sgv_exit();
free_mgmt_wq:
	destroy_workqueue(skua_mgmt_wq);
free_wq:
	destroy_workqueue(skua_wq);
	return ret;
}

static void __exit skua_exit(void)
{
	skua_proc_exit();
	skua_sysfs_exit();
	destroy_workqueue(skua_mgmt_wq);
	destroy_workqueue(skua_wq);
	skua_sgv_exit();
	rcu_barrier();
}

module_init(skua_init);
module_exit(skua_exit);
MODULE_DESCRIPTION("Skua SCSI target: core");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
