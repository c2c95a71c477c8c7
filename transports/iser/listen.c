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

/**
 * struct iser_portal - a portal
 * @addr: where
 * @id: listens; NULL: to be made by @work. Belongs to iser_listen(), then to @work
 *	while @open, then to iser_unlisten(): they destroy it. The handler of its events
 *	returns 0 for them, so the CM never does
 * @lock: @open, @lost
 * @open: @work may be queued
 * @lost: @id listens no more
 * @work: makes it anew
 */
struct iser_portal {
	struct sockaddr_storage addr;
	struct rdma_cm_id *id;
	spinlock_t lock;		/* open, lost */
	bool open;
	bool lost;
	struct delayed_work work;
};

/* Without effect once the portal is being closed. Lock held. */
static void iser_portal_queue(struct iser_portal *portal, unsigned long delay)
{
	if (portal->open)
		mod_delayed_work(iser_wq, &portal->work, delay);
}

static void iser_portal_lost(struct iser_portal *portal)
{
	unsigned long flags;

	spin_lock_irqsave(&portal->lock, flags);
	portal->lost = true;
	iser_portal_queue(portal, 0);
	spin_unlock_irqrestore(&portal->lock, flags);
}

static int iser_portal_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct iser_portal *portal = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/*
		 * A new id, which has our context and handler until it gets its own. The
		 * CM destroys it, and not the portal's, if this is not 0.
		 */
		return iser_connect(id, event);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		iser_portal_lost(portal);
		return 0;
	default:
		return 0;
	}
}

/* The caller owns portal->id, which is NULL. */
static int iser_portal_bind(struct iser_portal *portal)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, iser_portal_event, portal, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	/* It has no device yet: an event from here on is one of this id. */
	spin_lock_irq(&portal->lock);
	portal->lost = false;
	spin_unlock_irq(&portal->lock);
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

/* When it returns no handler runs for the id, nor for connection requests to it. */
static void iser_portal_unbind(struct iser_portal *portal)
{
	if (portal->id)
		rdma_destroy_id(portal->id);
	portal->id = NULL;
}

static bool iser_portal_is_lost(struct iser_portal *portal)
{
	bool lost;

	spin_lock_irq(&portal->lock);
	lost = portal->lost;
	spin_unlock_irq(&portal->lock);
	return lost;
}

static void iser_portal_work(struct work_struct *work)
{
	struct iser_portal *portal = container_of(work, struct iser_portal, work.work);

	if (iser_portal_is_lost(portal))
		iser_portal_unbind(portal);
	if (portal->id)
		return;
	if (!iser_portal_bind(portal)) {
		pr_info("skua_iser: portal %pISpc: listening again\n", &portal->addr);
		return;
	}
	spin_lock_irq(&portal->lock);
	iser_portal_queue(portal, ISER_REBIND);
	spin_unlock_irq(&portal->lock);
}

/* From now on the work owns the id. */
static void iser_portal_open(struct iser_portal *portal)
{
	spin_lock_irq(&portal->lock);
	portal->open = true;
	if (portal->lost)
		iser_portal_queue(portal, 0);
	else if (!portal->id)
		iser_portal_queue(portal, ISER_REBIND);
	spin_unlock_irq(&portal->lock);
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
	spin_lock_init(&portal->lock);
	INIT_DELAYED_WORK(&portal->work, iser_portal_work);
	ret = iser_portal_bind(portal);
	switch (ret) {
	case 0:
		break;
	case -EADDRNOTAVAIL:
	case -ENODEV:
		pr_info("skua_iser: portal %pISpc: waiting for an RDMA device with this address\n",
			addr);
		break;
	default:
		kfree(portal);
		return ERR_PTR(ret);
	}
	iser_portal_open(portal);
	return portal;
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

	spin_lock_irq(&portal->lock);
	portal->open = false;
	spin_unlock_irq(&portal->lock);
	cancel_delayed_work_sync(&portal->work);
	iser_portal_unbind(portal);
	kfree(portal);
}
