// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: creation, deletion, change of size, coming and going of the medium.
 *
 * The end of a device: unlinked from the configuration (no new LUN map), its maps
 * unlinked (their sessions' nexuses end), taken out of the tree, the
 * configuration's reference dropped. The last reference, that of the nexus whose
 * last command came back, queues close_work, which closes the backend. A backend
 * that does not give commands back delays only this: the deleter waits for
 * SKUA_CLOSE_WAIT seconds, then says so and lets it happen later.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "priv.h"

#define SKUA_CLOSE_WAIT		10	/* seconds */

LIST_HEAD(skua_backends);
LIST_HEAD(skua_devs);
u32 skua_setup_id;

/* ---- backends --------------------------------------------------------- */

/**
 * skua_backend_register() - a backend arrives
 * @be: its table, valid until skua_backend_unregister()
 *
 * Context: process. Return: 0 or -errno.
 */
int skua_backend_register(struct skua_backend *be)
{
	int ret;

	mutex_lock(&skua_conf);
	ret = skua_sysfs_backend_add(be);
	if (!ret)
		list_add_tail(&be->link, &skua_backends);
	mutex_unlock(&skua_conf);
	if (ret)
		pr_err("skua: handler %s not registered: %d\n", be->name, ret);
	return ret;
}
EXPORT_SYMBOL_GPL(skua_backend_register);

/**
 * skua_backend_unregister() - a backend leaves
 * @be: without devices; each of them holds a reference to the module
 *
 * Context: process.
 */
void skua_backend_unregister(struct skua_backend *be)
{
	mutex_lock(&skua_conf);
	list_del(&be->link);
	mutex_unlock(&skua_conf);
	skua_sysfs_backend_del(be);
}
EXPORT_SYMBOL_GPL(skua_backend_unregister);

/* ---- lifetime --------------------------------------------------------- */

/* The kobject's release. */
void skua_dev_free(struct skua_dev *dev)
{
	kfree(dev->config.filename);
	kfree(dev);
}

static void skua_dev_close_work(struct work_struct *work)
{
	struct skua_dev *dev = container_of(work, struct skua_dev, close_work);
	struct module *owner = dev->be->owner;
	bool late;

	skua_dev_close_medium(dev);
	kvfree(dev->priv);
	spin_lock_irq(&dev->lock);
	late = dev->close_late;
	if (dev->closed)
		complete(dev->closed);
	spin_unlock_irq(&dev->lock);
	if (late) {
		pr_info("skua: %s: closed at last\n", dev->name);
		skua_mgmt_result(0);
		skua_mgmt_pending(-1);
	}
	kobject_put(&dev->kobj);
	module_put(owner);
}

static void skua_dev_last_put(struct kref *refs)
{
	struct skua_dev *dev = container_of(refs, struct skua_dev, refs);

	queue_work(skua_mgmt_wq, &dev->close_work);
}

void skua_dev_get(struct skua_dev *dev)
{
	kref_get(&dev->refs);
}

/**
 * skua_dev_put() - drop a reference
 * @dev: the device; closed from a work item after the last one
 *
 * Context: any.
 */
void skua_dev_put(struct skua_dev *dev)
{
	kref_put(&dev->refs, skua_dev_last_put);
}

/* Drop the configuration's reference and wait for the close; @dev stays valid. */
static int skua_dev_put_and_wait(struct skua_dev *dev)
{
	DECLARE_COMPLETION_ONSTACK(closed);
	u32 waiting = 0;
	struct list_head *pos;

	spin_lock_irq(&dev->lock);
	dev->closed = &closed;
	spin_unlock_irq(&dev->lock);
	skua_dev_put(dev);
	if (wait_for_completion_timeout(&closed, SKUA_CLOSE_WAIT * HZ))
		return 0;

	mutex_lock(&skua_conf);
	list_for_each(pos, &dev->nexuses)
		waiting++;
	mutex_unlock(&skua_conf);
	skua_mgmt_pending(1);
	spin_lock_irq(&dev->lock);
	dev->closed = NULL;
	if (completion_done(&closed)) {
		spin_unlock_irq(&dev->lock);
		skua_mgmt_pending(-1);
		return 0;
	}
	dev->close_late = true;
	spin_unlock_irq(&dev->lock);
	if (waiting)
		pr_warn("skua: %s: deleted; %u LUN(s) still wait for commands that the backend has not ended\n",
			dev->name, waiting);
	else
		pr_warn("skua: %s: deleted; the backend is still opening, flushing or closing it\n",
			dev->name);
	return -EAGAIN;
}

/* ---- creation and deletion -------------------------------------------- */

/**
 * skua_dev_find() - a device by its name
 * @name: the name
 *
 * Context: skua_conf held.
 */
struct skua_dev *skua_dev_find(const char *name)
{
	struct skua_dev *dev;

	list_for_each_entry(dev, &skua_devs, link)
		if (!dev->creating && !strcmp(dev->name, name))
			return dev;
	return NULL;
}

static int skua_dev_check_name(const char *name)
{
	if (skua_name_ok(name, SKUA_MAX_DEV_NAME))
		return 0;
	pr_err("skua: \"%s\" is no device name\n", name);
	return -EINVAL;
}

static struct skua_dev *skua_dev_alloc(struct skua_backend *be, const char *name)
{
	struct skua_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->priv = kvzalloc(be->priv_size ?: 1, GFP_KERNEL);
	if (!dev->priv) {
		kfree(dev);
		return NULL;
	}
	strscpy(dev->name, name, sizeof(dev->name));
	dev->be = be;
	spin_lock_init(&dev->lock);
	kref_init(&dev->refs);
	INIT_LIST_HEAD(&dev->nexuses);
	INIT_LIST_HEAD(&dev->maps);
	INIT_WORK(&dev->close_work, skua_dev_close_work);
	kobject_init(&dev->kobj, &skua_dev_ktype);
	dev->started = true;
	dev->creating = true;
	dev->max_cmds = 64;
	dev->opt_trans_len = 512 << 10;
	dev->lb_per_pb_exp = true;
	dev->config.block_size = 512;
	dev->config.numa_node = NUMA_NO_NODE;
	dev->config.rotational = true;
	dev->config.active = true;
	dev->config.tst = 1;
	dev->config.size = be->default_size;
	return dev;
}

/* Reserve the name and the unit serial number. */
static int skua_dev_reserve(struct skua_dev *dev)
{
	struct skua_dev *other;
	int ret = 0;

	mutex_lock(&skua_conf);
	list_for_each_entry(other, &skua_devs, link) {
		if (!strcmp(other->name, dev->name)) {
			pr_err("skua: device %s exists\n", dev->name);
			ret = -EEXIST;
		} else if (!strcmp(other->ident.usn, dev->ident.usn)) {
			pr_err("skua: %s: its unit serial number is that of %s\n", dev->name,
			       other->name);
			ret = -EEXIST;
		}
	}
	if (!ret)
		list_add_tail(&dev->link, &skua_devs);
	mutex_unlock(&skua_conf);
	return ret;
}

/**
 * skua_dev_bring_up() - open a new device and put it into the tree
 * @dev: reserved; skua_dev_unreserve() follows if this fails
 *
 * Context: process; waits for the backend. Return: 0 or -errno.
 */
int skua_dev_bring_up(struct skua_dev *dev)
{
	int ret = 0;

	dev->block_shift = ilog2(dev->config.block_size);
	skua_mode_init(dev);
	if (dev->config.active)
		ret = skua_dev_open_medium(dev);
	if (ret)
		return ret;
	mutex_lock(&skua_conf);
	ret = skua_sysfs_dev_add(dev);
	if (!ret) {
		dev->creating = false;
		pr_info("skua: %s: created by %s, %llu blocks of %u bytes\n", dev->name,
			dev->be->name, dev->limits.nr_blocks, dev->config.block_size);
	}
	/* From here on another command may delete it. */
	mutex_unlock(&skua_conf);
	return ret;
}

/**
 * skua_dev_unreserve() - give up a device that could not be brought up
 * @dev: the device; the configuration's reference goes
 *
 * Context: process.
 */
void skua_dev_unreserve(struct skua_dev *dev)
{
	mutex_lock(&skua_conf);
	list_del(&dev->link);
	mutex_unlock(&skua_conf);
	skua_dev_put(dev);
}

/**
 * skua_dev_create() - the command add_device
 * @be: the handler
 * @name: the device's name
 * @params: "name=value;...", modifiable
 *
 * Context: process. Return: 0; -EEXIST: the name or the serial number is taken;
 * -EINVAL: a parameter is wrong; -EAGAIN: the backend is still opening it, the result
 * comes by skua_mgmt_result(); or the backend's error.
 */
int skua_dev_create(struct skua_backend *be, const char *name, char *params)
{
	struct skua_dev *dev;
	int ret;

	ret = skua_dev_check_name(name);
	if (ret)
		return ret;
	if (!try_module_get(be->owner))
		return -ENODEV;
	dev = skua_dev_alloc(be, name);
	if (!dev) {
		module_put(be->owner);
		return -ENOMEM;
	}
	ret = skua_params_parse(be, params, &dev->config);
	if (!ret) {
		skua_ident_init(dev);
		ret = skua_dev_reserve(dev);
	}
	if (ret) {
		skua_dev_put(dev);
		return ret;
	}
	ret = skua_dev_start(dev);
	if (ret && ret != -EAGAIN)
		skua_dev_unreserve(dev);
	return ret;
}

/**
 * skua_dev_delete() - the command del_device
 * @be: the handler
 * @name: the device
 *
 * Context: process. Return: 0; -EINVAL: no such device of this handler; -EAGAIN:
 * it is gone from the tree, its backend will be closed when its commands end.
 */
int skua_dev_delete(struct skua_backend *be, const char *name)
{
	struct skua_dev *dev;
	LIST_HEAD(reap);
	int ret;

	mutex_lock(&skua_conf);
	dev = skua_dev_find(name);
	if (dev && dev->be == be) {
		WRITE_ONCE(dev->dead, true);
		list_del(&dev->link);
		skua_map_clear_dev(dev, &reap);
	} else {
		dev = NULL;
	}
	mutex_unlock(&skua_conf);
	if (!dev) {
		pr_err("skua: %s: no device %s\n", be->name, name);
		return -EINVAL;
	}
	skua_jobs_leave();
	skua_settle(NULL, &reap);
	skua_sysfs_dev_del(dev);		/* waits for writers in its files */
	kobject_get(&dev->kobj);
	ret = skua_dev_put_and_wait(dev);
	pr_info("skua: %s: deleted\n", name);
	kobject_put(&dev->kobj);
	return ret;
}

/* ---- changes ---------------------------------------------------------- */

void skua_dev_apply_limits(struct skua_dev *dev, const struct skua_limits *limits)
{
	bool resized = limits->nr_blocks != dev->limits.nr_blocks;

	WRITE_ONCE(dev->limits.nr_blocks, limits->nr_blocks);
	WRITE_ONCE(dev->limits.read_only, limits->read_only);
	WRITE_ONCE(dev->limits.write_cache, limits->write_cache);
	WRITE_ONCE(dev->limits.fua, limits->fua);
	if (!resized)
		return;
	pr_info("skua: %s: now %llu blocks\n", dev->name, limits->nr_blocks);
	skua_ua_dev(dev, NULL, 0x2a, 0x09);	/* CAPACITY DATA HAS CHANGED */
}

/**
 * skua_dev_changed() - read size and limits of a device's medium anew
 * @dev: an open device
 *
 * Context: process; calls the backend's refresh().
 */
void skua_dev_changed(struct skua_dev *dev)
{
	struct skua_limits limits = dev->limits;

	if (dev->be->refresh && !dev->be->refresh(dev, &limits))
		skua_dev_apply_limits(dev, &limits);
}
EXPORT_SYMBOL_GPL(skua_dev_changed);

/**
 * skua_dev_set_online() - a medium vanished or is back
 * @dev: the device
 * @online: whether commands that need the medium are served; else NOT READY
 *
 * Context: any.
 */
void skua_dev_set_online(struct skua_dev *dev, bool online)
{
	/* The backend has noted what it saw before: see skua_dev_go_online(). */
	smp_mb();
	if (READ_ONCE(dev->online) == online)
		return;
	WRITE_ONCE(dev->online, online);
	pr_warn("skua: %s: %s\n", dev->name, online ? "online" : "offline: its medium is gone");
}
EXPORT_SYMBOL_GPL(skua_dev_set_online);

/**
 * skua_dev_lost() - writes that said GOOD never got to the medium
 * @dev: the device
 *
 * Whose writes they were is not known. So each initiator is told, once, by the next
 * command of its own that vouches for earlier writes (SYNCHRONIZE CACHE, a write with
 * FUA, a stop): MEDIUM ERROR, WRITE ERROR. That includes initiators that log in within
 * ten minutes: they may be some whose connection broke before. To be called before a
 * flush or FUA write that begins later can say GOOD.
 *
 * Context: any.
 */
void skua_dev_lost(struct skua_dev *dev)
{
	WRITE_ONCE(dev->lost_at, get_jiffies_64());
	atomic_inc(&dev->lost);
}
EXPORT_SYMBOL_GPL(skua_dev_lost);

/* ---- accessors for backends ------------------------------------------- */

const char *skua_dev_name(const struct skua_dev *dev)
{
	return dev->name;
}
EXPORT_SYMBOL_GPL(skua_dev_name);

const struct skua_dev_config *skua_dev_config(const struct skua_dev *dev)
{
	return &dev->config;
}
EXPORT_SYMBOL_GPL(skua_dev_config);

struct skua_limits *skua_dev_limits(struct skua_dev *dev)
{
	return &dev->limits;
}
EXPORT_SYMBOL_GPL(skua_dev_limits);

void *skua_dev_priv(struct skua_dev *dev)
{
	return dev->priv;
}
EXPORT_SYMBOL_GPL(skua_dev_priv);
