// SPDX-License-Identifier: GPL-2.0
/*
 * Portals. The RDMA/CM carries a listener on a wildcard address over devices and
 * addresses that come and go. One on a certain address is bound to a device, and is made
 * anew when that has gone or the address moves: until it succeeds, however long.
 */
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "iser.h"

#define ISER_BACKLOG	128
#define ISER_REBIND	HZ

struct iser_portal {
	struct sockaddr_storage addr;
	struct rdma_cm_id *id;		/* NULL: to be made by work */
	bool lost;			/* id listens no more */
	struct delayed_work work;
};

static int iser_portal_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct iser_portal *portal = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/* A new id, which has our context and handler until it gets its own. */
		return iser_connect(id, event);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		WRITE_ONCE(portal->lost, true);
		mod_delayed_work(iser_wq, &portal->work, 0);
		return 0;
	default:
		return 0;
	}
}

static int iser_portal_bind(struct iser_portal *portal)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, iser_portal_event, portal, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	/* The events of one that is made anew are those of the new one. */
	WRITE_ONCE(portal->lost, false);
	ret = rdma_set_afonly(id, 1) ?:
	      rdma_bind_addr(id, (struct sockaddr *)&portal->addr) ?:
	      rdma_listen(id, ISER_BACKLOG);
	if (ret) {
		rdma_destroy_id(id);
		return ret;
	}
	portal->id = id;
	return 0;
}

static void iser_portal_unbind(struct iser_portal *portal)
{
	if (portal->id)
		rdma_destroy_id(portal->id);
	portal->id = NULL;
}

static void iser_portal_work(struct work_struct *work)
{
	struct iser_portal *portal = container_of(work, struct iser_portal, work.work);

	if (READ_ONCE(portal->lost))
		iser_portal_unbind(portal);
	if (portal->id)
		return;
	if (iser_portal_bind(portal))
		queue_delayed_work(iser_wq, &portal->work, ISER_REBIND);
	else
		pr_info("skua_iser: portal %pISpc: listening again\n", &portal->addr);
}

/**
 * iser_listen() - open a portal
 * @addr: where
 *
 * An address that no RDMA device has is waited for.
 *
 * Context: process. Return: cookie for iser_unlisten(), or an error pointer.
 */
void *iser_listen(const struct sockaddr_storage *addr)
{
	struct iser_portal *portal = kzalloc(sizeof(*portal), GFP_KERNEL);
	int ret;

	if (!portal)
		return ERR_PTR(-ENOMEM);
	portal->addr = *addr;
	INIT_DELAYED_WORK(&portal->work, iser_portal_work);
	ret = iser_portal_bind(portal);
	switch (ret) {
	case 0:
		return portal;
	case -EADDRNOTAVAIL:
	case -ENODEV:
		pr_info("skua_iser: portal %pISpc: waiting for an RDMA device with this address\n",
			addr);
		queue_delayed_work(iser_wq, &portal->work, ISER_REBIND);
		return portal;
	default:
		kfree(portal);
		return ERR_PTR(ret);
	}
}

/**
 * iser_unlisten() - close a portal
 * @cookie: from iser_listen()
 *
 * Returns when no handler of a connection request runs any more. Context: process.
 */
void iser_unlisten(void *cookie)
{
	struct iser_portal *portal = cookie;

	cancel_delayed_work_sync(&portal->work);
	iser_portal_unbind(portal);
	/* Its last event may have queued it again. */
	cancel_delayed_work_sync(&portal->work);
	iser_portal_unbind(portal);
	kfree(portal);
}
