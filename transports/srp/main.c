// SPDX-License-Identifier: GPL-2.0
/*
 * SRP target: module, parameters, the transport's table.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "srpt.h"

#define SRPT_MIN_REQ_SIZE	996
#define SRPT_MAX_REQ_SIZE	65536
#define SRPT_MIN_RSP_SIZE	40
#define SRPT_MAX_RSP_SIZE	65536

struct skua_driver *srpt_driver;
struct workqueue_struct *srpt_wq;
DEFINE_MUTEX(srpt_mutex);		/* devices, ports, targets and who serves whom */

static unsigned short srpt_rdma_cm_port;
module_param_named(rdma_cm_port, srpt_rdma_cm_port, ushort, 0444);
MODULE_PARM_DESC(rdma_cm_port,
		 "port number to listen on through the RDMA/CM, all IPv4 and IPv6 addresses; 0: do not (default 0)");

unsigned int srpt_max_req_size = 8276;
module_param_named(srp_max_req_size, srpt_max_req_size, uint, 0444);
MODULE_PARM_DESC(srp_max_req_size,
		 "longest request IU, bytes, immediate data included (996 to 65536, default 8276)");

unsigned int srpt_max_rsp_size = 256;
unsigned int srpt_max_rdma_size = 16 << 20;
unsigned int srpt_srq_size = 4095;
bool srpt_use_srq;

unsigned int srpt_sq_size = 256;
module_param(srpt_sq_size, uint, 0444);
MODULE_PARM_DESC(srpt_sq_size,
		 "send queue of a channel, work requests; half as many commands may be outstanding (16 to 8192, default 256)");
module_param_named(srp_sq_size, srpt_sq_size, uint, 0444);
MODULE_PARM_DESC(srp_sq_size, "another name of srpt_sq_size, work requests");

/* ---- parameters that are checked on each write ------------------------- */

struct srpt_range {
	unsigned int *value;
	unsigned int min, max;
};

static int srpt_range_set(const char *text, const struct kernel_param *kp)
{
	const struct srpt_range *range = kp->arg;
	unsigned int value;
	int ret = kstrtouint(text, 0, &value);

	if (ret)
		return ret;
	if (value < range->min || value > range->max) {
		pr_err("skua_srp: %s: %u is not in %u..%u\n", kp->name, value, range->min,
		       range->max);
		return -EINVAL;
	}
	*range->value = value;
	return 0;
}

static int srpt_range_get(char *buf, const struct kernel_param *kp)
{
	const struct srpt_range *range = kp->arg;

	return sprintf(buf, "%u\n", *range->value);
}

static const struct kernel_param_ops srpt_range_ops = {
	.set = srpt_range_set,
	.get = srpt_range_get,
};

static struct srpt_range srpt_rsp_range = {
	&srpt_max_rsp_size, SRPT_MIN_RSP_SIZE, SRPT_MAX_RSP_SIZE
};
module_param_cb(srp_max_rsp_size, &srpt_range_ops, &srpt_rsp_range, 0644);
MODULE_PARM_DESC(srp_max_rsp_size,
		 "longest response IU of new channels, bytes (40 to 65536, default 256)");

static struct srpt_range srpt_rdma_range = { &srpt_max_rdma_size, 512, 1 << 30 };
module_param_cb(srp_max_rdma_size, &srpt_range_ops, &srpt_rdma_range, 0644);
MODULE_PARM_DESC(srp_max_rdma_size,
		 "longest transfer as reported to device management, bytes (512 to 1073741824, default 16777216)");

static struct srpt_range srpt_srq_range = { &srpt_srq_size, 4, 65535 };
module_param_cb(srpt_srq_size, &srpt_range_ops, &srpt_srq_range, 0644);
MODULE_PARM_DESC(srpt_srq_size,
		 "shared receive queue of devices found from now on, buffers (4 to 65535, default 4095)");

module_param_named(use_srq, srpt_use_srq, bool, 0644);
MODULE_PARM_DESC(use_srq,
		 "one shared receive queue per device found from now on (default N)");

u64 srpt_service_guid;

static int srpt_guid_set(const char *text, const struct kernel_param *kp)
{
	return kstrtou64(text, 0, &srpt_service_guid);
}

static int srpt_guid_get(char *buf, const struct kernel_param *kp)
{
	return sprintf(buf, "0x%016llx\n", srpt_service_guid);
}

static const struct kernel_param_ops srpt_guid_ops = {
	.set = srpt_guid_set,
	.get = srpt_guid_get,
};
module_param_cb(srpt_service_guid, &srpt_guid_ops, NULL, 0444);
MODULE_PARM_DESC(srpt_service_guid,
		 "id_ext, ioc_guid and service id of the target (default: node GUID of the first RDMA device)");

/* ---- module ----------------------------------------------------------- */

static void srpt_close_queue(struct skua_queue *queue)
{
	srpt_chan_close(container_of(queue, struct srpt_queue, queue)->ch);
}

static const struct skua_transport srpt_transport = {
	.name = "ib_srpt",
	.owner = THIS_MODULE,
	.protocol = 0x04,
	.max_lun_sg = 65536,
	.tgt_attrs = srpt_tgt_attrs,
	.sess_attrs = srpt_sess_attrs,
	.start = srpt_start,
	.respond = srpt_respond,
	.respond_tmf = srpt_respond_tmf,
	.close_queue = srpt_close_queue,
};

static int srpt_check_params(void)
{
	if (srpt_max_req_size < SRPT_MIN_REQ_SIZE || srpt_max_req_size > SRPT_MAX_REQ_SIZE) {
		pr_err("skua_srp: srp_max_req_size: %u is not in %u..%u\n", srpt_max_req_size,
		       SRPT_MIN_REQ_SIZE, SRPT_MAX_REQ_SIZE);
		return -EINVAL;
	}
	if (srpt_sq_size < 16 || srpt_sq_size > 8192) {
		pr_err("skua_srp: srpt_sq_size: %u is not in 16..8192\n", srpt_sq_size);
		return -EINVAL;
	}
	return 0;
}

static int __init srpt_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct srp_login_req) != 64);
	BUILD_BUG_ON(sizeof(struct srp_login_req_rdma) != 56);
	BUILD_BUG_ON(sizeof(struct srp_login_rsp) != 52);
	BUILD_BUG_ON(sizeof(struct srp_login_rej) != 32);
	BUILD_BUG_ON(sizeof(struct srp_rsp) != SRPT_RSP_HDR);
	BUILD_BUG_ON(sizeof(struct srp_cmd) != 48);
	BUILD_BUG_ON(sizeof(struct skua_rdma_desc) != SRPT_DESC_LEN);
	BUILD_BUG_ON(offsetof(struct srp_cmd, add_data) !=
		     offsetof(struct srp_cmd, cdb) + sizeof_field(struct srp_cmd, cdb));

	ret = srpt_check_params();
	if (ret)
		return ret;
	srpt_wq = alloc_workqueue("skua_srp", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!srpt_wq)
		return -ENOMEM;
	srpt_driver = skua_driver_register(&srpt_transport);
	if (IS_ERR(srpt_driver)) {
		ret = PTR_ERR(srpt_driver);
		goto err_wq;
	}
	ret = srpt_devices_init();
	if (ret)
		goto err_driver;
	if (srpt_rdma_cm_port) {
		ret = srpt_rdma_listen(srpt_rdma_cm_port);
		if (ret)
			goto err_devices;
	}
	return 0;

err_devices:
	srpt_devices_exit();
	srpt_chans_wait();
	srpt_targets_unregister();
err_driver:
	skua_driver_unregister(srpt_driver);
err_wq:
	destroy_workqueue(srpt_wq);
	return ret;
}

/*
 * Listeners first, so that no login comes; then the devices, which ends all
 * channels; then what backends still have; only then the targets.
 */
static void __exit srpt_exit(void)
{
	srpt_rdma_unlisten();
	srpt_devices_exit();
	srpt_chans_wait();
	srpt_targets_unregister();
	skua_driver_unregister(srpt_driver);
	destroy_workqueue(srpt_wq);
}

module_init(srpt_init);
module_exit(srpt_exit);

MODULE_DESCRIPTION("Skua: SCSI RDMA Protocol (SRP) target");
MODULE_LICENSE("GPL");
MODULE_VERSION(SKUA_VERSION);
