// SPDX-License-Identifier: GPL-2.0
/* RDMA devices, as they come and go. */
#include <linux/slab.h>

#include "iser.h"

static LIST_HEAD(iser_devices);		/* under iser_mutex */
static DEFINE_MUTEX(iser_mutex);

static void iser_device_release(struct kref *refs)
{
	kfree(container_of(refs, struct iser_device, rdma.refs));
}

void iser_device_put(struct iser_device *dev)
{
	kref_put(&dev->rdma.refs, iser_device_release);
}

/**
 * iser_device_get() - the device of a connection request
 * @ib: the device
 *
 * Context: process. Return: with a reference, or NULL if it goes.
 */
struct iser_device *iser_device_get(struct ib_device *ib)
{
	struct iser_device *dev;

	mutex_lock(&iser_mutex);
	list_for_each_entry(dev, &iser_devices, link) {
		if (dev->rdma.ib == ib) {
			kref_get(&dev->rdma.refs);
			goto out;
		}
	}
	dev = NULL;
out:
	mutex_unlock(&iser_mutex);
	return dev;
}

static struct ib_client iser_client;

static int iser_add_one(struct ib_device *ib)
{
	struct iser_device *dev;
	int ret;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	ret = skua_rdma_dev_init(&dev->rdma, ib);
	if (ret) {
		kfree(dev);
		return ret;
	}
	mutex_lock(&iser_mutex);
	list_add_tail(&dev->link, &iser_devices);
	mutex_unlock(&iser_mutex);
	ib_set_client_data(ib, &iser_client, dev);
	return 0;
}

static void iser_remove_one(struct ib_device *ib, void *data)
{
	struct iser_device *dev = data;

	mutex_lock(&iser_mutex);
	list_del(&dev->link);
	mutex_unlock(&iser_mutex);
	skua_rdma_dev_drain(&dev->rdma, iser_rdma_close);
	skua_rdma_dev_exit(&dev->rdma);
	iser_device_put(dev);
}

static struct ib_client iser_client = {
	.name = "skua_iser",
	.add = iser_add_one,
	.remove = iser_remove_one,
};

int iser_devices_init(void)
{
	return ib_register_client(&iser_client);
}

/* Ends all connections' use of their devices. */
void iser_devices_exit(void)
{
	ib_unregister_client(&iser_client);
}
