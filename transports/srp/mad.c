// SPDX-License-Identifier: GPL-2.0
/*
 * Device management agent (InfiniBand Architecture 1.4, volume 1, 16.3): tells
 * srp_daemon and its like that there is an I/O unit with one controller, this
 * target, and how to log in. Only where the port has management datagrams.
 */
#include <rdma/ib_mad.h>

#include "srpt.h"

#define SRPT_DM_CLASS_VERSION	1

/* Attributes */
#define DM_CLASS_PORT_INFO	cpu_to_be16(0x0001)
#define DM_IO_UNIT_INFO		cpu_to_be16(0x0010)
#define DM_IOC_PROFILE		cpu_to_be16(0x0011)
#define DM_SERVICE_ENTRIES	cpu_to_be16(0x0012)

/* MAD status */
#define DM_UNSUPPORTED_METHOD	cpu_to_be16(0x0008)
#define DM_UNSUPPORTED_ATTR	cpu_to_be16(0x000c)
#define DM_INVALID_FIELD	cpu_to_be16(0x001c)
#define DM_NO_IOC		cpu_to_be16(0x0100)

/* I/O controller profile */
#define DM_IO_CLASS		0x0100	/* SRP revision 16a */
#define DM_IO_SUBCLASS		0x609e	/* T10 */
#define DM_PROTOCOL		0x0108	/* SRP */
#define DM_PROTOCOL_VERSION	0x0001
#define DM_SEND_TO_IOC		0x01
#define DM_SEND_FROM_IOC	0x02
#define DM_READ_FROM_IOC	0x08
#define DM_WRITE_FROM_IOC	0x20

struct srpt_dm_mad {
	struct ib_mad_hdr hdr;
	u8 rmpp[12];
	u8 reserved[28];
	u8 data[192];
} __packed;

struct srpt_iou_info {
	__be16 change_id;
	u8 max_controllers;
	u8 diag_option_rom;
	u8 slots[128];			/* four bits each, 1: an I/O controller */
} __packed;

struct srpt_ioc_profile {
	__be64 guid;
	__be32 vendor_id;
	__be32 device_id;
	__be16 device_version;
	__be16 reserved1;
	__be32 subsys_vendor_id;
	__be32 subsys_device_id;
	__be16 io_class;
	__be16 io_subclass;
	__be16 protocol;
	__be16 protocol_version;
	__be16 service_connections;
	__be16 initiators;
	__be16 send_depth;
	u8 reserved2;
	u8 rdma_read_depth;
	__be32 send_size;
	__be32 rdma_size;
	u8 operations;
	u8 services;
	u8 service_entries;
	u8 reserved3[9];
	char id[64];
} __packed;

struct srpt_service_entry {
	char name[40];
	__be64 id;
} __packed;

/* ---- replies ---------------------------------------------------------- */

static void srpt_dm_class_port_info(struct srpt_dm_mad *mad)
{
	struct ib_class_port_info *info = (void *)mad->data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = SRPT_DM_CLASS_VERSION;
	/* Response time: 4.096 us << 20, about 4 s. */
	info->cap_mask2_resp_time = cpu_to_be32(20);
	mad->hdr.status = 0;
}

static void srpt_dm_iou_info(struct srpt_dm_mad *mad)
{
	struct srpt_iou_info *info = (void *)mad->data;

	info->change_id = cpu_to_be16(1);
	info->max_controllers = 1;
	info->slots[0] = 1 << 4;
	mad->hdr.status = 0;
}

static void srpt_dm_ioc_profile(struct srpt_port *port, u32 slot, struct srpt_dm_mad *mad)
{
	const struct ib_device_attr *attrs = &port->dev->rdma.ib->attrs;
	struct srpt_ioc_profile *ioc = (void *)mad->data;
	struct srpt_target *target = port->target;

	if (slot != 1) {
		mad->hdr.status = slot && slot <= 16 ? DM_NO_IOC : DM_INVALID_FIELD;
		return;
	}
	ioc->guid = cpu_to_be64(srpt_service_guid);
	ioc->vendor_id = cpu_to_be32(attrs->vendor_id);
	ioc->device_id = cpu_to_be32(attrs->vendor_part_id);
	ioc->device_version = cpu_to_be16(attrs->hw_ver);
	ioc->subsys_vendor_id = cpu_to_be32(attrs->vendor_id);
	ioc->io_class = cpu_to_be16(DM_IO_CLASS);
	ioc->io_subclass = cpu_to_be16(DM_IO_SUBCLASS);
	ioc->protocol = cpu_to_be16(DM_PROTOCOL);
	ioc->protocol_version = cpu_to_be16(DM_PROTOCOL_VERSION);
	ioc->send_depth = cpu_to_be16(srpt_sq_size / 2);
	ioc->rdma_read_depth = min(attrs->max_qp_init_rd_atom, 255);
	ioc->send_size = cpu_to_be32(srpt_max_req_size);
	ioc->rdma_size = cpu_to_be32(srpt_max_rdma_size);
	ioc->operations = DM_SEND_TO_IOC | DM_SEND_FROM_IOC | DM_READ_FROM_IOC |
			  DM_WRITE_FROM_IOC;
	ioc->service_entries = 1;
	if (target) {
		spin_lock(&target->lock);
		memcpy(ioc->id, target->port_id, min(sizeof(ioc->id), sizeof(target->port_id)));
		spin_unlock(&target->lock);
	}
	mad->hdr.status = 0;
}

static void srpt_dm_service_entries(u32 modifier, struct srpt_dm_mad *mad)
{
	struct srpt_service_entry *entry = (void *)mad->data;
	u32 slot = modifier >> 16, last = modifier >> 8 & 0xff, first = modifier & 0xff;

	if (slot != 1) {
		mad->hdr.status = slot && slot <= 16 ? DM_NO_IOC : DM_INVALID_FIELD;
		return;
	}
	if (first > last || first > 0) {
		mad->hdr.status = DM_INVALID_FIELD;
		return;
	}
	snprintf(entry->name, sizeof(entry->name), "SRP.T10:%016llx", srpt_service_guid);
	entry->id = cpu_to_be64(srpt_service_guid);
	mad->hdr.status = 0;
}

static void srpt_dm_get(struct srpt_port *port, struct srpt_dm_mad *mad)
{
	u32 modifier = be32_to_cpu(mad->hdr.attr_mod);

	memset(mad->data, 0, sizeof(mad->data));
	switch (mad->hdr.attr_id) {
	case DM_CLASS_PORT_INFO:
		srpt_dm_class_port_info(mad);
		break;
	case DM_IO_UNIT_INFO:
		srpt_dm_iou_info(mad);
		break;
	case DM_IOC_PROFILE:
		mutex_lock(&srpt_mutex);
		srpt_dm_ioc_profile(port, modifier, mad);
		mutex_unlock(&srpt_mutex);
		break;
	case DM_SERVICE_ENTRIES:
		srpt_dm_service_entries(modifier, mad);
		break;
	default:
		mad->hdr.status = DM_UNSUPPORTED_ATTR;
		break;
	}
}

/* ---- agent ------------------------------------------------------------ */

static void srpt_mad_send_done(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	rdma_destroy_ah(wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(wc->send_buf);
}

static void srpt_mad_recv(struct ib_mad_agent *agent, struct ib_mad_send_buf *send_buf,
			  struct ib_mad_recv_wc *wc)
{
	struct srpt_port *port = agent->context;
	struct ib_mad_send_buf *rsp;
	struct srpt_dm_mad *mad;
	struct ib_ah *ah;

	if (!wc || !wc->recv_buf.mad)
		return;
	ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc, wc->recv_buf.grh, agent->port_num);
	if (IS_ERR(ah))
		goto out;
	rsp = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index, 0,
				 IB_MGMT_DEVICE_HDR, IB_MGMT_DEVICE_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(rsp))
		goto out_ah;
	rsp->ah = ah;
	mad = rsp->mad;
	memcpy(mad, wc->recv_buf.mad, sizeof(*mad));
	mad->hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (wc->recv_buf.mad->mad_hdr.method == IB_MGMT_METHOD_GET)
		srpt_dm_get(port, mad);
	else
		mad->hdr.status = DM_UNSUPPORTED_METHOD;
	if (!ib_post_send_mad(rsp, NULL))
		goto out;		/* send_done frees both */
	ib_free_send_mad(rsp);
out_ah:
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
out:
	ib_free_recv_mad(wc);
}

/* So that discovery asks us at all. Not every device can. */
static bool srpt_mad_set_cap(struct srpt_port *port, bool on)
{
	struct ib_port_modify modify = {
		.set_port_cap_mask = on ? IB_PORT_DEVICE_MGMT_SUP : 0,
		.clr_port_cap_mask = on ? 0 : IB_PORT_DEVICE_MGMT_SUP,
	};

	return !ib_modify_port(port->dev->rdma.ib, port->num, 0, &modify);
}

/**
 * srpt_mad_register() - answer device management on a port, if it has MADs
 * @port: the port
 */
void srpt_mad_register(struct srpt_port *port)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = IB_MGMT_CLASS_DEVICE_MGMT,
		.mgmt_class_version = SRPT_DM_CLASS_VERSION,
	};
	struct ib_device *ib = port->dev->rdma.ib;
	struct ib_mad_agent *agent;

	BUILD_BUG_ON(sizeof(struct srpt_dm_mad) != sizeof(struct ib_mad));
	BUILD_BUG_ON(sizeof(struct srpt_ioc_profile) > sizeof_field(struct srpt_dm_mad, data));
	if (!rdma_cap_ib_mad(ib, port->num))
		return;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	set_bit(IB_MGMT_METHOD_SET, req.method_mask);
	agent = ib_register_mad_agent(ib, port->num, IB_QPT_GSI, &req, 0, srpt_mad_send_done,
				      srpt_mad_recv, port, 0);
	if (IS_ERR(agent)) {
		pr_notice("skua_srp: %s port %u: no device management: %ld\n", dev_name(&ib->dev),
			  port->num, PTR_ERR(agent));
		return;
	}
	port->agent = agent;
	port->cap_set = srpt_mad_set_cap(port, true);
}

/**
 * srpt_mad_unregister() - undo srpt_mad_register()
 * @port: the port
 */
void srpt_mad_unregister(struct srpt_port *port)
{
	if (!port->agent)
		return;
	if (port->cap_set)
		srpt_mad_set_cap(port, false);
	ib_unregister_mad_agent(port->agent);
	port->agent = NULL;
}
