// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices: which connections use one, so that its removal can end them and
 * wait until none has a resource of it.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

/**
 * skua_rdma_dev_init() - take a device into use
 * @dev: zeroed memory, with @refs at one when it returns 0
 * @ib: the device
 *
 * Context: process, usually ib_client.add(). Return: 0 or -errno.
 */
int skua_rdma_dev_init(struct skua_rdma_dev *dev, struct ib_device *ib)
{
	struct ib_pd *pd = ib_alloc_pd(ib, 0);

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	dev->ib = ib;
	dev->pd = pd;
	kref_init(&dev->refs);
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->conns);
	init_waitqueue_head(&dev->idle);
	return 0;
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_init);

/**
 * skua_rdma_dev_link() - count a connection in, before it makes its resources
 * @dev: the device
 * @conn: the connection
 *
 * Return: 0, or -ENODEV if the device is being removed.
 */
int skua_rdma_dev_link(struct skua_rdma_dev *dev, struct skua_rdma_conn *conn)
{
	int ret = -ENODEV;

	spin_lock(&dev->lock);
	if (!dev->gone) {
		list_add_tail(&conn->link, &dev->conns);
		ret = 0;
	}
	spin_unlock(&dev->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_link);

/**
 * skua_rdma_dev_unlink() - count it out again: it has no resource of the device left
 * @dev: the device
 * @conn: a linked connection
 */
void skua_rdma_dev_unlink(struct skua_rdma_dev *dev, struct skua_rdma_conn *conn)
{
	spin_lock(&dev->lock);
	list_del_init(&conn->link);
	if (list_empty(&dev->conns))
		wake_up(&dev->idle);
	spin_unlock(&dev->lock);
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_unlink);

/**
 * skua_rdma_dev_for_each() - call a function for each connection
 * @dev: the device
 * @port: only those of this port, if not 0
 * @fn: must not sleep and not unlink
 */
void skua_rdma_dev_for_each(struct skua_rdma_dev *dev, u32 port,
			    void (*fn)(struct skua_rdma_conn *conn))
{
	struct skua_rdma_conn *conn;

	spin_lock(&dev->lock);
	list_for_each_entry(conn, &dev->conns, link)
		if (!port || conn->port == port)
			fn(conn);
	spin_unlock(&dev->lock);
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_for_each);

static bool skua_rdma_dev_idle(struct skua_rdma_dev *dev)
{
	bool idle;

	spin_lock(&dev->lock);
	idle = list_empty(&dev->conns);
	spin_unlock(&dev->lock);
	return idle;
}

/**
 * skua_rdma_dev_drain() - end all connections of a device
 * @dev: the device
 * @close: starts to close a connection; must not sleep
 *
 * Returns when no connection has a resource of the device. Commands that are with
 * a backend keep their slots, which have no tie to the device. Context: process,
 * usually ib_client.remove(), with skua_rdma_dev_exit() to follow.
 */
void skua_rdma_dev_drain(struct skua_rdma_dev *dev, void (*close)(struct skua_rdma_conn *conn))
{
	spin_lock(&dev->lock);
	dev->gone = true;
	spin_unlock(&dev->lock);
	skua_rdma_dev_for_each(dev, 0, close);
	while (!wait_event_timeout(dev->idle, skua_rdma_dev_idle(dev), 10 * HZ))
		pr_warn("skua_rdma: %s: waiting for connections to release it\n",
			dev_name(&dev->ib->dev));
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_drain);

/**
 * skua_rdma_dev_exit() - undo skua_rdma_dev_init()
 * @dev: a drained device
 */
void skua_rdma_dev_exit(struct skua_rdma_dev *dev)
{
	ib_dealloc_pd(dev->pd);
	dev->pd = NULL;
}
EXPORT_SYMBOL_GPL(skua_rdma_dev_exit);

MODULE_DESCRIPTION("Skua: what the RDMA transports share");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
