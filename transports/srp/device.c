// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices and their ports, as they come and go.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "srpt.h"

#define SRPT_PORT_DOWN_TIMEOUT	(20 * HZ)

static LIST_HEAD(srpt_devices);		/* under srpt_mutex */

static void srpt_device_release(struct kref *refs)
{
	kfree(container_of(refs, struct srpt_device, rdma.refs));
}

void srpt_device_put(struct srpt_device *dev)
{
	kref_put(&dev->rdma.refs, srpt_device_release);
}

/* ---- ports ------------------------------------------------------------ */

/* iWARP has its MAC address in front and nothing behind. */
static bool srpt_gid_known(const struct srpt_port *port, const union ib_gid *gid)
{
	if (rdma_protocol_iwarp(port->dev->rdma.ib, port->num))
		return memchr_inv(gid->raw, 0, sizeof(gid->raw));
	return gid->global.interface_id;
}

/* So that a configuration can be applied that waits for the target. */
static void srpt_tell_udev(struct ib_device *ib, const struct srpt_target *target)
{
	char text[sizeof("SKUA_TARGET=") + SRPT_NAME_LEN];
	char *envp[] = { text, NULL };

	snprintf(text, sizeof(text), "SKUA_TARGET=%s", target->name);
	kobject_uevent_env(&ib->dev.kobj, KOBJ_CHANGE, envp);
}

/* A port serves once its GID is known, which may be long after the device came. */
static void srpt_port_refresh(struct srpt_port *port)
{
	struct ib_device *ib = port->dev->rdma.ib;
	struct srpt_target *target;
	union ib_gid gid;

	if (port->target || rdma_query_gid(ib, port->num, 0, &gid) ||
	    !srpt_gid_known(port, &gid))
		return;
	target = srpt_target_serve(port, &gid);
	if (IS_ERR(target))
		pr_warn("skua_srp: %s port %u is not served: %s (%ld)\n", dev_name(&ib->dev),
			port->num, target == ERR_PTR(-EBUSY) ?
			"another port has the same GID" : "no target for it",
			PTR_ERR(target));
	else
		srpt_tell_udev(ib, target);
}

static void srpt_refresh_work(struct work_struct *work)
{
	struct srpt_port *port = container_of(work, struct srpt_port, refresh);

	mutex_lock(&srpt_mutex);
	srpt_port_refresh(port);
	mutex_unlock(&srpt_mutex);
}

/* Down for long: nobody would tell idle channels that their peers are gone. */
static void srpt_down_work(struct work_struct *work)
{
	struct srpt_port *port = container_of(work, struct srpt_port, down.work);
	struct ib_device *ib = port->dev->rdma.ib;
	struct ib_port_attr attr;

	if (!ib_query_port(ib, port->num, &attr) && attr.state == IB_PORT_ACTIVE)
		return;
	pr_info("skua_srp: %s port %u is down: ending its sessions\n", dev_name(&ib->dev),
		port->num);
	skua_rdma_dev_for_each(&port->dev->rdma, port->num, srpt_conn_close);
}

static void srpt_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct srpt_device *dev = container_of(handler, struct srpt_device, events);
	u32 num = event->element.port_num;
	struct srpt_port *port;

	switch (event->event) {
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
		break;
	default:
		return;
	}
	if (num < 1 || num > dev->nr_ports)
		return;
	port = &dev->ports[num - 1];
	if (event->event == IB_EVENT_PORT_ERR) {
		mod_delayed_work(srpt_wq, &port->down, SRPT_PORT_DOWN_TIMEOUT);
		return;
	}
	/* Down for a moment only: the next time counts from its own beginning. */
	if (event->event == IB_EVENT_PORT_ACTIVE)
		cancel_delayed_work(&port->down);
	queue_work(srpt_wq, &port->refresh);
}

/**
 * srpt_port_get() - who serves this port?
 * @ib: device
 * @num: port number
 * @dev: set on success, with a reference
 *
 * Context: process. Return: the target, or NULL.
 */
struct srpt_target *srpt_port_get(struct ib_device *ib, u32 num, struct srpt_device **dev)
{
	struct srpt_target *target = NULL;
	struct srpt_device *it;

	mutex_lock(&srpt_mutex);
	list_for_each_entry(it, &srpt_devices, link) {
		if (it->rdma.ib != ib || num < 1 || num > it->nr_ports)
			continue;
		target = it->ports[num - 1].target;
		if (target) {
			kref_get(&it->rdma.refs);
			*dev = it;
		}
		break;
	}
	mutex_unlock(&srpt_mutex);
	return target;
}

/* ---- shared receive queue --------------------------------------------- */

static void srpt_srq_destroy(struct srpt_device *dev)
{
	if (dev->srq)
		ib_destroy_srq(dev->srq);
	dev->srq = NULL;
	srpt_recvs_unmap(dev->rdma.ib, dev->srq_recvs, dev->srq_recvs ? dev->srq_size : 0);
	srpt_recvs_free(dev->srq_recvs, dev->srq_size);
	dev->srq_recvs = NULL;
}

static int srpt_srq_post(struct srpt_device *dev, struct srpt_recv *recv)
{
	struct ib_sge sge = {
		.addr = recv->dma,
		.length = srpt_max_req_size,
		.lkey = dev->rdma.pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_srq_recv(dev->srq, &wr, NULL);
}

/* Without one each channel has its own receive queue. */
static void srpt_srq_create(struct srpt_device *dev)
{
	struct ib_device *ib = dev->rdma.ib;
	struct ib_srq_init_attr attr = {
		.srq_type = IB_SRQT_BASIC,
		.attr = { .max_sge = 1 },
	};
	struct ib_srq *srq;
	int ret;
	u32 i;

	if (!srpt_use_srq || ib->attrs.max_srq <= 0)
		return;
	dev->srq_size = min_t(u32, srpt_srq_size, ib->attrs.max_srq_wr);
	attr.attr.max_wr = dev->srq_size;
	dev->srq_recvs = kvcalloc(dev->srq_size, sizeof(*dev->srq_recvs), GFP_KERNEL);
	ret = dev->srq_recvs ? srpt_recvs_alloc(ib, dev->srq_recvs, dev->srq_size) : -ENOMEM;
	if (ret)
		goto err;
	srq = ib_create_srq(dev->rdma.pd, &attr);
	if (IS_ERR(srq)) {
		ret = PTR_ERR(srq);
		goto err;
	}
	dev->srq = srq;
	for (i = 0; i < dev->srq_size && !ret; i++)
		ret = srpt_srq_post(dev, &dev->srq_recvs[i]);
	if (!ret)
		return;
err:
	pr_warn("skua_srp: %s: no shared receive queue: %d\n", dev_name(&ib->dev), ret);
	srpt_srq_destroy(dev);
}

/* ---- devices ---------------------------------------------------------- */

static void srpt_ports_init(struct srpt_device *dev)
{
	u32 i;

	for (i = 0; i < dev->nr_ports; i++) {
		struct srpt_port *port = &dev->ports[i];

		port->dev = dev;
		port->num = i + 1;
		INIT_WORK(&port->refresh, srpt_refresh_work);
		INIT_DELAYED_WORK(&port->down, srpt_down_work);
	}
}

static struct ib_client srpt_client;

static int srpt_add_one(struct ib_device *ib)
{
	struct srpt_device *dev;
	u32 i;
	int ret;

	dev = kzalloc(struct_size(dev, ports, ib->phys_port_cnt), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	ret = skua_rdma_dev_init(&dev->rdma, ib);
	if (ret) {
		kfree(dev);
		return ret;
	}
	dev->nr_ports = ib->phys_port_cnt;
	srpt_ports_init(dev);
	srpt_srq_create(dev);

	mutex_lock(&srpt_mutex);
	if (!srpt_service_guid)
		srpt_service_guid = be64_to_cpu(ib->node_guid);
	list_add_tail(&dev->link, &srpt_devices);
	for (i = 0; i < dev->nr_ports; i++)
		srpt_port_refresh(&dev->ports[i]);
	mutex_unlock(&srpt_mutex);

	/* All is there: from here on others may look at it. */
	ib_set_client_data(ib, &srpt_client, dev);
	INIT_IB_EVENT_HANDLER(&dev->events, ib, srpt_event);
	ib_register_event_handler(&dev->events);
	for (i = 0; i < dev->nr_ports; i++) {
		srpt_mad_register(&dev->ports[i]);
		/* What changed before the handler was there. */
		queue_work(srpt_wq, &dev->ports[i].refresh);
	}
	ret = srpt_ib_listen(dev);
	if (ret)
		pr_warn("skua_srp: %s: no IB/CM logins: %d\n", dev_name(&ib->dev), ret);
	return 0;
}

static void srpt_remove_one(struct ib_device *ib, void *data)
{
	struct srpt_device *dev = data;
	u32 i;

	srpt_ib_unlisten(dev);
	ib_unregister_event_handler(&dev->events);
	for (i = 0; i < dev->nr_ports; i++)
		srpt_mad_unregister(&dev->ports[i]);

	mutex_lock(&srpt_mutex);
	list_del(&dev->link);
	mutex_unlock(&srpt_mutex);
	for (i = 0; i < dev->nr_ports; i++) {
		cancel_work_sync(&dev->ports[i].refresh);
		cancel_delayed_work_sync(&dev->ports[i].down);
	}
	mutex_lock(&srpt_mutex);
	for (i = 0; i < dev->nr_ports; i++)
		srpt_target_leave(&dev->ports[i]);
	mutex_unlock(&srpt_mutex);

	skua_rdma_dev_drain(&dev->rdma, srpt_conn_close);
	srpt_srq_destroy(dev);
	skua_rdma_dev_exit(&dev->rdma);
	srpt_device_put(dev);
}

static struct ib_client srpt_client = {
	.name = "skua_srp",
	.add = srpt_add_one,
	.remove = srpt_remove_one,
};

int srpt_devices_init(void)
{
	return ib_register_client(&srpt_client);
}

void srpt_devices_exit(void)
{
	ib_unregister_client(&srpt_client);
}
