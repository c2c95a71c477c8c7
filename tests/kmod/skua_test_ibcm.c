// SPDX-License-Identifier: GPL-2.0
/*
 * An SRP initiator over the IB/CM for soft-RoCE, where ib_srp cannot use it for
 * want of a subnet administrator: makes the path itself, logs in to a target on
 * the same port, sends an INQUIRY, and stays connected until it is unloaded.
 *
 * insmod fails if anything is not as it should be: with "bad" set if the login is
 * not rejected with an SRP_LOGIN_REJ of that reason.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_verbs.h>
#include <scsi/srp.h>

static char *device = "rxe0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "RDMA device, port 1");

static unsigned long long guid;
module_param(guid, ullong, 0444);
MODULE_PARM_DESC(guid, "service GUID of the target");

static unsigned int bad;
module_param(bad, uint, 0444);
MODULE_PARM_DESC(bad, "log in to a wrong target port and expect this reason of SRP_LOGIN_REJ");

#define IU_LEN	512

struct chan {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_cm_id *id;
	struct ib_cqe recv_cqe, send_cqe;
	void *recv, *send, *data;
	u64 recv_dma, send_dma, data_dma;
	struct completion connected, answered, gone;
	int status;
	u32 reason, byte_len;
	struct srp_login_rsp rsp;
};

static struct ib_device *found;
static struct chan first, second;

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct chan *ch = container_of(wc->wr_cqe, struct chan, recv_cqe);

	if (wc->status == IB_WC_SUCCESS) {
		ch->byte_len = wc->byte_len;
		complete(&ch->answered);
	}
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
}

static int post_recv(struct chan *ch)
{
	struct ib_sge sge = {
		.addr = ch->recv_dma, .length = IU_LEN, .lkey = ch->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_cqe = &ch->recv_cqe, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(ch->qp, &wr, NULL);
}

static int modify(struct chan *ch, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, ret;

	ret = ib_cm_init_qp_attr(ch->id, &attr, &mask);
	return ret ?: ib_modify_qp(ch->qp, &attr, mask);
}

static int rep_received(struct chan *ch, const void *data)
{
	int ret;

	memcpy(&ch->rsp, data, sizeof(ch->rsp));
	ret = modify(ch, IB_QPS_RTR) ?: post_recv(ch) ?: modify(ch, IB_QPS_RTS);
	return ret ?: ib_send_cm_rtu(ch->id, NULL, 0);
}

static int handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	struct chan *ch = id->context;
	const struct srp_login_rej *rej = event->private_data;

	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		ch->status = rep_received(ch, event->private_data);
		break;
	case IB_CM_REJ_RECEIVED:
		ch->status = -ECONNREFUSED;
		if (event->param.rej_rcvd.reason == IB_CM_REJ_CONSUMER_DEFINED &&
		    rej->opcode == SRP_LOGIN_REJ)
			ch->reason = be32_to_cpu(rej->reason);
		break;
	case IB_CM_REQ_ERROR:
		ch->status = -ETIMEDOUT;
		break;
	case IB_CM_DREQ_RECEIVED:
		ib_send_cm_drep(id, NULL, 0);
		complete(&ch->gone);
		return 0;
	default:
		return 0;
	}
	complete(&ch->connected);
	return 0;
}

static int make_qp(struct chan *ch)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
	};
	struct ib_qp_init_attr init = {
		.send_cq = ch->cq, .recv_cq = ch->cq, .qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	ch->qp = ib_create_qp(ch->pd, &init);
	if (IS_ERR(ch->qp))
		return PTR_ERR(ch->qp);
	return ib_modify_qp(ch->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    IB_QP_ACCESS_FLAGS);
}

static int make(struct chan *ch)
{
	ch->ib = found;
	init_completion(&ch->connected);
	init_completion(&ch->answered);
	init_completion(&ch->gone);
	ch->recv_cqe.done = recv_done;
	ch->send_cqe.done = send_done;
	ch->recv = kzalloc(IU_LEN, GFP_KERNEL);
	ch->send = kzalloc(IU_LEN, GFP_KERNEL);
	ch->data = kzalloc(IU_LEN, GFP_KERNEL);
	if (!ch->recv || !ch->send || !ch->data)
		return -ENOMEM;
	ch->recv_dma = ib_dma_map_single(ch->ib, ch->recv, IU_LEN, DMA_FROM_DEVICE);
	ch->send_dma = ib_dma_map_single(ch->ib, ch->send, IU_LEN, DMA_TO_DEVICE);
	ch->data_dma = ib_dma_map_single(ch->ib, ch->data, IU_LEN, DMA_FROM_DEVICE);
	ch->pd = ib_alloc_pd(ch->ib, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(ch->pd))
		return PTR_ERR(ch->pd);
	ch->cq = ib_alloc_cq(ch->ib, NULL, 32, 0, IB_POLL_SOFTIRQ);
	if (IS_ERR(ch->cq))
		return PTR_ERR(ch->cq);
	ch->id = ib_create_cm_id(ch->ib, handler, ch);
	if (IS_ERR(ch->id))
		return PTR_ERR(ch->id);
	return make_qp(ch);
}

static void unmake(struct chan *ch)
{
	if (!ch->ib)
		return;
	if (!IS_ERR_OR_NULL(ch->id)) {
		ib_send_cm_dreq(ch->id, NULL, 0);
		msleep(200);
		ib_destroy_cm_id(ch->id);
	}
	if (!IS_ERR_OR_NULL(ch->qp)) {
		ib_drain_qp(ch->qp);
		ib_destroy_qp(ch->qp);
	}
	if (!IS_ERR_OR_NULL(ch->cq))
		ib_free_cq(ch->cq);
	if (!IS_ERR_OR_NULL(ch->pd))
		ib_dealloc_pd(ch->pd);
	if (ch->recv_dma)
		ib_dma_unmap_single(ch->ib, ch->recv_dma, IU_LEN, DMA_FROM_DEVICE);
	if (ch->send_dma)
		ib_dma_unmap_single(ch->ib, ch->send_dma, IU_LEN, DMA_TO_DEVICE);
	if (ch->data_dma)
		ib_dma_unmap_single(ch->ib, ch->data_dma, IU_LEN, DMA_FROM_DEVICE);
	kfree(ch->recv);
	kfree(ch->send);
	kfree(ch->data);
	ch->ib = NULL;
}

static void fill_login(struct srp_login_req *req, u8 flags, u64 tport)
{
	__be64 half = cpu_to_be64(tport);

	req->opcode = SRP_LOGIN_REQ;
	req->tag = 7;
	req->req_it_iu_len = cpu_to_be32(256);
	req->req_buf_fmt = cpu_to_be16(SRP_BUF_FORMAT_DIRECT | SRP_BUF_FORMAT_INDIRECT);
	req->req_flags = flags;
	memset(req->initiator_port_id, 0x5a, 16);
	memcpy(req->target_port_id, &half, 8);
	memcpy(req->target_port_id + 8, &half, 8);
}

static int connect(struct chan *ch, u8 flags, u64 tport)
{
	struct srp_login_req login = {};
	struct sa_path_rec path = {
		.rec_type = SA_PATH_REC_TYPE_ROCE_V2, .hop_limit = 64, .reversible = 1,
		.numb_path = 1, .pkey = cpu_to_be16(0xffff), .mtu_selector = IB_SA_EQ,
		.mtu = IB_MTU_1024, .rate_selector = IB_SA_EQ, .rate = IB_RATE_10_GBPS,
		.packet_life_time_selector = IB_SA_EQ, .packet_life_time = 14,
		.service_id = cpu_to_be64(guid),
	};
	struct ib_cm_req_param param = {
		.primary_path = &path, .service_id = cpu_to_be64(guid), .qp_num = ch->qp->qp_num,
		.qp_type = IB_QPT_RC, .private_data = &login, .private_data_len = sizeof(login),
		.flow_control = 1, .responder_resources = 4, .remote_cm_response_timeout = 18,
		.local_cm_response_timeout = 18, .retry_count = 7, .rnr_retry_count = 7,
		.max_cm_retries = 5,
	};
	int ret;

	param.ppath_sgid_attr = rdma_get_gid_attr(ch->ib, 1, 0);
	if (IS_ERR(param.ppath_sgid_attr))
		return PTR_ERR(param.ppath_sgid_attr);
	path.sgid = param.ppath_sgid_attr->gid;
	path.dgid = path.sgid;
	rdma_get_ll_mac((struct in6_addr *)path.dgid.raw, path.roce.dmac);
	path.roce.route_resolved = true;
	fill_login(&login, flags, tport);
	ret = ib_send_cm_req(ch->id, &param);
	rdma_put_gid_attr(param.ppath_sgid_attr);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&ch->connected, 30 * HZ))
		return -ETIME;
	return ch->status;
}

static int inquiry(struct chan *ch)
{
	struct ib_sge sge = {
		.addr = ch->send_dma, .length = sizeof(struct srp_cmd) + 16,
		.lkey = ch->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &ch->send_cqe, .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	struct srp_cmd *cmd = ch->send;
	struct srp_direct_buf *buf = (void *)(cmd + 1);
	struct srp_rsp *rsp = ch->recv;
	int ret;

	cmd->opcode = SRP_CMD;
	cmd->tag = 0x1234;
	cmd->buf_fmt = SRP_DATA_DESC_DIRECT;
	cmd->data_in_desc_cnt = 1;
	cmd->cdb[0] = 0x12;
	cmd->cdb[4] = 36;
	buf->va = cpu_to_be64(ch->data_dma);
	buf->key = cpu_to_be32(ch->pd->unsafe_global_rkey);
	buf->len = cpu_to_be32(36);
	ib_dma_sync_single_for_device(ch->ib, ch->send_dma, IU_LEN, DMA_TO_DEVICE);
	ret = ib_post_send(ch->qp, &wr, NULL);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&ch->answered, 20 * HZ))
		return -ETIME;
	ib_dma_sync_single_for_cpu(ch->ib, ch->recv_dma, IU_LEN, DMA_FROM_DEVICE);
	ib_dma_sync_single_for_cpu(ch->ib, ch->data_dma, IU_LEN, DMA_FROM_DEVICE);
	if (rsp->opcode != SRP_RSP || rsp->tag != cmd->tag || rsp->status || rsp->flags ||
	    be32_to_cpu(rsp->req_lim_delta) != 1 || ch->byte_len != sizeof(*rsp)) {
		pr_err("skua_test_ibcm: wrong response: opcode %x status %x flags %x len %u\n",
		       rsp->opcode, rsp->status, rsp->flags, ch->byte_len);
		return -EPROTO;
	}
	pr_info("skua_test_ibcm: product %.16s\n", (char *)ch->data + 16);
	return 0;
}

static int run(void)
{
	int ret = make(&first);

	if (ret)
		return ret;
	if (bad) {
		ret = connect(&first, SRP_MULTICHAN_SINGLE, guid + 1);
		pr_info("skua_test_ibcm: rejected with %x\n", first.reason);
		return ret == -ECONNREFUSED && first.reason == bad ? 0 : -EPROTO;
	}
	ret = connect(&first, SRP_MULTICHAN_SINGLE, guid) ?: inquiry(&first);
	if (ret)
		return ret;
	pr_info("skua_test_ibcm: first channel: flags %x, %u requests\n", first.rsp.rsp_flags,
		be32_to_cpu(first.rsp.req_lim_delta));
	ret = make(&second) ?: connect(&second, SRP_MULTICHAN_MULTI, guid) ?: inquiry(&second);
	if (ret)
		return ret;
	pr_info("skua_test_ibcm: second channel: flags %x\n", second.rsp.rsp_flags);
	return first.rsp.rsp_flags == SRP_LOGIN_RSP_MULTICHAN_NO_CHAN &&
	       second.rsp.rsp_flags == SRP_LOGIN_RSP_MULTICHAN_MAINTAINED ? 0 : -EPROTO;
}

static int add_one(struct ib_device *ib)
{
	if (!strcmp(dev_name(&ib->dev), device))
		found = ib;
	return 0;
}

static void remove_one(struct ib_device *ib, void *data)
{
	if (ib == found) {
		unmake(&second);
		unmake(&first);
		found = NULL;
	}
}

static struct ib_client client = {
	.name = "skua_test_ibcm", .add = add_one, .remove = remove_one,
};

static int __init test_init(void)
{
	int ret = ib_register_client(&client);

	if (ret)
		return ret;
	ret = found ? run() : -ENODEV;
	if (ret) {
		pr_err("skua_test_ibcm: failed: %d\n", ret);
		ib_unregister_client(&client);
	}
	return ret;
}

static void __exit test_exit(void)
{
	ib_unregister_client(&client);
}

module_init(test_init);
module_exit(test_exit);

MODULE_DESCRIPTION("SRP login through the IB/CM, for tests of Skua");
MODULE_LICENSE("GPL");
