// SPDX-License-Identifier: GPL-2.0
/* iSCSI target: module, the transport's table. */
#include <linux/build_bug.h>
#include <linux/module.h>

#include "tcp.h"

struct skua_driver *iscsit_driver;	/* under iscsit_mutex */
struct workqueue_struct *iscsit_wq;
bool iscsit_enabled;

static const struct iscsit_mover *iscsit_mover_of(const struct skua_queue *queue)
{
	return container_of(queue, struct iscsit_queue, queue)->mover;
}

static struct iscsit_conn *iscsit_conn_of(struct skua_queue *queue)
{
	return container_of(queue, struct iscsit_queue, queue)->conn;
}

static void iscsit_start(struct skua_cmd *cmd, bool may_sleep)
{
	iscsit_mover_of(cmd->queue)->start(cmd, may_sleep);
}

static void iscsit_respond(struct skua_cmd *cmd)
{
	iscsit_mover_of(cmd->queue)->respond(cmd);
}

static void iscsit_close_queue(struct skua_queue *queue)
{
	iscsit_ask_logout(iscsit_conn_of(queue));
}

static void iscsit_aborted(struct skua_queue *queue)
{
	const struct iscsit_mover *mover = iscsit_mover_of(queue);

	if (mover->aborted)
		mover->aborted(iscsit_conn_of(queue));
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
	.drv_help = iscsit_drv_help,
	.aborted = iscsit_aborted,
	.luns_changed = iscsit_luns_changed,
	.group_gone = iscsit_group_gone,
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

/* Targets first, so that initiators are told; what backends keep is waited for, then left. */
static void iscsit_end(void)
{
	struct skua_driver *drv = iscsit_driver;

	iscsit_targets_end();
	iscsit_mover_unregister(&itcp_mover);
	iscsit_portals_exit();
	skua_driver_unregister(drv);
	iscsit_users_free(&iscsit_discovery_users);
}

static int __init iscsit_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct iscsi_bhs) != ISCSI_BHS_LEN);
	iscsit_wq = alloc_workqueue("skua_iscsi", WQ_MEM_RECLAIM, 0);
	if (!iscsit_wq)
		return -ENOMEM;
	iscsit_login_init(iscsit_hash_init());
	ret = iscsit_register();
	if (ret) {
		iscsit_hash_exit();
		destroy_workqueue(iscsit_wq);
		return ret;
	}
	iscsit_portals_init();
	iscsit_mover_register(&itcp_mover);
	return 0;
}

static void __exit iscsit_exit(void)
{
	iscsit_end();
	iscsit_hash_exit();
	destroy_workqueue(iscsit_wq);
}

module_init(iscsit_init);
module_exit(iscsit_exit);

MODULE_DESCRIPTION("Skua: iSCSI target over TCP");
/* For CHAP; what is missing is not offered. */
MODULE_SOFTDEP("pre: md5 sha1 sha256 sha3-256");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
