// SPDX-License-Identifier: GPL-2.0
/* iSER: module, parameters, the mover's table. */
#include <linux/build_bug.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "iser.h"

struct workqueue_struct *iser_wq;

unsigned int iser_queue_depth = 128;
module_param_named(queue_depth, iser_queue_depth, uint, 0444);
MODULE_PARM_DESC(queue_depth,
		 "most commands in progress on a connection, whatever QueuedCommands of its target says (1 to 2048, default 128)");

unsigned int iser_sq_size = 256;
module_param_named(sq_size, iser_sq_size, uint, 0444);
MODULE_PARM_DESC(sq_size,
		 "send queue of a connection, work requests (16 to 8192, default 256)");

const struct iscsit_mover iser_mover = {
	.name = "iSER",
	.portal = "iser",
	.owner = THIS_MODULE,
	.rdma = true,
	.max_recv = ISER_MAX_DATA,
	.listen = iser_listen,
	.unlisten = iser_unlisten,
	.alloc_queue = iser_alloc_queue,
	.start = iser_start,
	.respond = iser_respond,
	.send = iser_send,
	.close = iser_mover_close,
	.free = iser_mover_free,
	.orphan = iser_mover_orphan,
	.has_task = iser_has_task,
	.aborted = iser_aborted,
};

static int iser_check_params(void)
{
	if (iser_queue_depth < 1 || iser_queue_depth > ISCSIT_MAX_DEPTH) {
		pr_err("skua_iser: queue_depth: %u is not in 1..%u\n", iser_queue_depth,
		       ISCSIT_MAX_DEPTH);
		return -EINVAL;
	}
	if (iser_sq_size < 16 || iser_sq_size > 8192) {
		pr_err("skua_iser: sq_size: %u is not in 16..8192\n", iser_sq_size);
		return -EINVAL;
	}
	return 0;
}

static int __init iser_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct iser_hdr) != ISER_HDR_LEN);
	BUILD_BUG_ON(sizeof(struct iscsi_bhs) != ISCSI_BHS_LEN);
	BUILD_BUG_ON(sizeof(struct iser_cm_hdr) != 4);

	ret = iser_check_params();
	if (ret)
		return ret;
	iser_wq = alloc_workqueue("skua_iser", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!iser_wq)
		return -ENOMEM;
	ret = iser_devices_init();
	if (ret)
		goto err_wq;
	ret = iscsit_mover_register(&iser_mover);
	if (!ret)
		return 0;
	iser_devices_exit();
err_wq:
	destroy_workqueue(iser_wq);
	return ret;
}

/* The portals go first, then the connections, then what they used. */
static void __exit iser_exit(void)
{
	iscsit_mover_unregister(&iser_mover);
	iser_devices_exit();
	destroy_workqueue(iser_wq);
}

module_init(iser_init);
module_exit(iser_exit);

MODULE_DESCRIPTION("Skua: iSER target (iSCSI extensions for RDMA)");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
