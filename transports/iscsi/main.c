// SPDX-License-Identifier: GPL-2.0
/* iSCSI target over TCP: module, parameters, the transport's table. */
#include <linux/build_bug.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "iscsit.h"

struct skua_driver *iscsit_driver;	/* under iscsit_mutex */
struct workqueue_struct *iscsit_wq;
bool iscsit_enabled;

static char *portals = "0.0.0.0:3260,[::]:3260";
module_param(portals, charp, 0444);
MODULE_PARM_DESC(portals,
		 "comma separated addresses and ports to listen on (default 0.0.0.0:3260,[::]:3260)");

static void iscsit_close_queue(struct skua_queue *queue)
{
	iscsit_conn_close(container_of(queue, struct iscsit_queue, queue)->conn);
}

static const struct skua_transport iscsit_transport = {
	.name = "iscsi",
	.owner = THIS_MODULE,
	.protocol = 0x05,
	.max_lun_sg = 65536,
	.drv_attrs = iscsit_drv_attrs,
	.tgt_attrs = iscsit_tgt_attrs,
	.sess_attrs = iscsit_sess_attrs,
	.start = iscsit_start,
	.respond = iscsit_respond,
	.respond_tmf = iscsit_respond_tmf,
	.close_queue = iscsit_close_queue,
	.add_target = iscsit_add_target,
	.del_target = iscsit_del_target,
	.drv_cmd = iscsit_drv_cmd,
};

static int __init iscsit_register(void)
{
	struct skua_driver *drv = skua_driver_register(&iscsit_transport);

	if (IS_ERR(drv))
		return PTR_ERR(drv);
	mutex_lock(&iscsit_mutex);
	iscsit_driver = drv;
	mutex_unlock(&iscsit_mutex);
	return 0;
}

/* Sessions have ended; what backends still have is waited for, then left behind. */
static void iscsit_end(struct skua_driver *drv)
{
	iscsit_conns_close_all();
	iscsit_targets_end();
	iscsit_conns_wait();
	skua_driver_unregister(drv);
	iscsit_users_free(&iscsit_discovery_users);
}

static int __init iscsit_init(void)
{
	struct skua_driver *drv;
	int ret;

	BUILD_BUG_ON(sizeof(struct iscsi_bhs) != ISCSI_BHS_LEN);
	iscsit_wq = alloc_workqueue("skua_iscsi", WQ_MEM_RECLAIM, 0);
	if (!iscsit_wq)
		return -ENOMEM;
	iscsit_login_init(iscsit_hash_init());
	ret = iscsit_register();
	if (ret)
		goto err_wq;
	ret = iscsit_listen(portals);
	if (!ret)
		return 0;
	drv = iscsit_driver;
	iscsit_end(drv);
err_wq:
	iscsit_hash_exit();
	destroy_workqueue(iscsit_wq);
	return ret;
}

/* Portals first, so that no connection comes. */
static void __exit iscsit_exit(void)
{
	struct skua_driver *drv = iscsit_driver;

	iscsit_unlisten();
	iscsit_end(drv);
	iscsit_hash_exit();
	destroy_workqueue(iscsit_wq);
}

module_init(iscsit_init);
module_exit(iscsit_exit);

MODULE_DESCRIPTION("Skua: iSCSI target over TCP");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
