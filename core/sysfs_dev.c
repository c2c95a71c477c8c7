// SPDX-License-Identifier: GPL-2.0
/*
 * The tree: handlers and devices.
 */
#include <linux/slab.h>

#include "sysfs.h"

#define MAX_CMDS	64		/* max_tgt_dev_commands until it is written */

/* ---- handlers --------------------------------------------------------- */

static ssize_t type_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, SKUA_TYPE_DISK);
}

static const struct skua_attr handler_files[] = {
	SKUA_ATTR("type", 0444, type_show, NULL),
	SKUA_MGMT(&skua_mgmt_handler),
	{ }
};

/**
 * skua_sysfs_backend_add() - make handlers/NAME
 * @be: the backend; its kobj is set on success
 *
 * Return: 0, -EEXIST, -ENOMEM.
 */
int skua_sysfs_backend_add(struct skua_backend *be)
{
	struct skua_folder *dir = skua_dir_alloc(be);
	struct skua_build *b = dir ? skua_build_begin(&dir->kobj) : NULL;
	int r = -ENOMEM;

	if (b) {
		skua_build_fail(b, skua_build_add(b, skua_handlers_dir, be->name));
		skua_build_files(b, &dir->kobj, handler_files);
		r = skua_build_end(b);
	}
	if (!r)
		be->kobj = &dir->kobj;
	else if (dir)
		kobject_put(&dir->kobj);
	return r;
}

void skua_sysfs_backend_del(struct skua_backend *be)
{
	skua_dir_remove(&be->kobj);
}

/* ---- devices: what add_device was told -------------------------------- */

static ssize_t filename_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_dev *dev = obj;
	ssize_t len;

	spin_lock_irq(&dev->lock);
	/* The additional empty line is what tools know. */
	len = scnprintf(buf, PAGE_SIZE, "%s\n[key]\n\n", dev->config.filename);
	spin_unlock_irq(&dev->lock);
	return len;
}

static ssize_t filename_store(void *obj, const struct skua_attr *attr, const char *buf,
			      size_t len)
{
	struct skua_dev *dev = obj;
	char *path = kmemdup_nul(buf, strcspn(buf, "\n"), GFP_KERNEL);
	int r;

	if (!path)
		return -ENOMEM;
	r = skua_dev_set_filename(dev, path);
	if (r)
		pr_err("skua: %s: filename \"%s\" not taken: %d (inactive devices only)\n",
		       dev->name, path, r);
	kfree(path);
	return skua_mgmt_done(r, len);
}

static u64 dev_size(const struct skua_dev *dev)
{
	return READ_ONCE(dev->limits.nr_blocks) << dev->block_shift;
}

static ssize_t size_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;
	u64 size = dev_size(dev);

	return skua_emit(buf, !dev->be->default_size || size != dev->be->default_size, "%llu",
			 size);
}

static ssize_t size_mb_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", dev_size(obj) >> 20);
}

/* attr->arg: log2 of the unit */
static ssize_t size_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	struct skua_dev *dev = obj;
	u64 v;

	if (skua_parse_u64(buf, &v) || !v || v > S64_MAX >> attr->arg)
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	/* Tools write back what they read, also of a medium that has its own size. */
	v <<= attr->arg;
	return skua_mgmt_done(v == dev_size(dev) ? 0 : skua_dev_resize(dev, v), len);
}

static ssize_t blocksize_show(void *obj, const struct skua_attr *attr, char *buf)
{
	u32 size = skua_block_size(obj);

	return skua_emit(buf, size != 512, "%u", size);
}

static ssize_t active_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;
	bool active = READ_ONCE(dev->config.active);

	return skua_emit(buf, !active, "%d", active);
}

static ssize_t active_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	bool v;

	if (skua_parse_bool(buf, &v))
		return skua_mgmt_done(skua_bad_value(obj, attr, buf, -EINVAL), len);
	return skua_mgmt_done(skua_dev_set_active(obj, v), len);
}

static ssize_t thin_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;

	return skua_emit(buf, dev->config.given & SKUA_P(THIN), "%d",
			 READ_ONCE(dev->limits.thin));
}

static ssize_t rotational_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;
	bool usual = !(dev->be->flags & SKUA_BE_SOLID);

	return skua_emit(buf, dev->config.rotational != usual, "%d", dev->config.rotational);
}

static ssize_t tst_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;

	return skua_emit(buf, !dev->config.tst, "%u", dev->config.tst);
}

static ssize_t numa_node_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;
	int node = READ_ONCE(dev->config.numa_node);

	return skua_emit(buf, node != NUMA_NO_NODE, "%d", node);
}

static ssize_t numa_node_store(void *obj, const struct skua_attr *attr, const char *buf,
			       size_t len)
{
	struct skua_dev *dev = obj;
	int node;

	if (skua_parse_node(buf, &node))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(dev->config.numa_node, node);
	return len;
}

static ssize_t max_cmds_show(void *obj, const struct skua_attr *attr, char *buf)
{
	u32 v = READ_ONCE(((struct skua_dev *)obj)->max_cmds);

	return skua_emit(buf, v != MAX_CMDS, "%u", v);
}

static ssize_t max_cmds_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	struct skua_dev *dev = obj;
	u64 v;

	if (skua_parse_u64(buf, &v) || v > INT_MAX)
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(dev->max_cmds, v);
	return len;
}

static ssize_t opt_trans_len_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_dev *dev = obj;
	u32 medium = READ_ONCE(dev->limits.opt_blocks) << dev->block_shift;
	bool given = READ_ONCE(dev->opt_len_given);

	return skua_emit(buf, given, "%u",
			 !given && medium ? medium : READ_ONCE(dev->opt_trans_len));
}

static ssize_t opt_trans_len_store(void *obj, const struct skua_attr *attr, const char *buf,
				   size_t len)
{
	struct skua_dev *dev = obj;
	u64 v;

	if (skua_parse_u64(buf, &v) || !v || v > U32_MAX || v & (skua_block_size(dev) - 1))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(dev->opt_trans_len, v);
	WRITE_ONCE(dev->opt_len_given, true);
	skua_ua_dev(dev, NULL, 0x3f, 0x03);	/* INQUIRY DATA HAS CHANGED */
	return len;
}

static ssize_t resync_size_store(void *obj, const struct skua_attr *attr, const char *buf,
				 size_t len)
{
	return skua_mgmt_done(skua_dev_resync(obj), len);
}

static ssize_t sync_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	return skua_mgmt_done(skua_dev_sync(obj), len);
}

/* ---- devices: identity ------------------------------------------------ */

struct ident_text {
	size_t offset;			/* in struct skua_ident */
	u16 len;			/* at most, without NUL */
	bool optional;			/* may be empty, and is worth saving when it is not */
};

#define AT(member)	offsetof(struct skua_ident, member)

static const struct ident_text ident_texts[] = {
	[SKUA_ID_VENDOR]	= { AT(vendor), SKUA_VENDOR_LEN },
	[SKUA_ID_PROD]		= { AT(prod), SKUA_PROD_LEN },
	[SKUA_ID_REV]		= { AT(rev), SKUA_REV_LEN },
	[SKUA_ID_T10_DEV]	= { AT(t10_dev_id), SKUA_DEV_ID_LEN },
	[SKUA_ID_VEND_SPEC]	= { AT(vend_specific), SKUA_VEND_SPECIFIC_LEN },
	[SKUA_ID_USN]		= { AT(usn), SKUA_USN_LEN },
	[SKUA_ID_SCSI_NAME]	= { AT(scsi_name), SKUA_SCSI_NAME_LEN, true },
	[SKUA_ID_INQ_VENDOR]	= { AT(inq_vendor), SKUA_INQ_VENDOR_LEN, true },
};

/**
 * skua_ident_ok() - is a text fit for an identification field?
 * @text: without newline
 *
 * SPC-4 4.4.1: printable ASCII.
 */
bool skua_ident_ok(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

static ssize_t ident_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct ident_text *t = &ident_texts[attr->arg];
	struct skua_dev *dev = obj;
	char text[SKUA_SCSI_NAME_LEN + 1];
	unsigned long flags;
	bool set;

	spin_lock_irqsave(&dev->lock, flags);
	memcpy(text, (char *)&dev->ident + t->offset, t->len + 1);
	set = dev->ident.set & 1U << attr->arg;
	spin_unlock_irqrestore(&dev->lock, flags);
	return skua_emit(buf, t->optional ? *text : set, "%s", text);
}

static ssize_t ident_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	const struct ident_text *t = &ident_texts[attr->arg];
	struct skua_dev *dev = obj;
	char text[SKUA_SCSI_NAME_LEN + 1] = "";
	unsigned long flags;
	int n = skua_store_text(buf, text, t->len + 1);

	if (n < 0 || (!n && !t->optional) || !skua_ident_ok(text))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	spin_lock_irqsave(&dev->lock, flags);
	memcpy((char *)&dev->ident + t->offset, text, t->len + 1);
	dev->ident.set |= 1U << attr->arg;
	spin_unlock_irqrestore(&dev->lock, flags);
	skua_ua_dev(dev, NULL, 0x3f, 0x03);	/* INQUIRY DATA HAS CHANGED */
	return len;
}

/* eui64_id and naa_id: attr->arg is which. */
static u8 *binary_id(struct skua_dev *dev, unsigned long which, u8 **len)
{
	*len = which == SKUA_ID_NAA ? &dev->ident.naa_len : &dev->ident.eui64_len;
	return which == SKUA_ID_NAA ? dev->ident.naa : dev->ident.eui64;
}

static bool binary_id_ok(unsigned long which, const u8 *id, unsigned int len)
{
	if (!len)
		return true;
	if (which == SKUA_ID_EUI64)
		return len == 8 || len == 12 || len == 16;
	switch (id[0] >> 4) {		/* SPC-4 7.8.6.6: NAA formats */
	case 2:
	case 3:
	case 5:
		return len == 8;
	case 6:
		return len == 16;
	}
	return false;
}

static ssize_t binary_id_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct skua_dev *dev = obj;
	u8 copy[16], *id, *len, n;
	unsigned long flags;

	id = binary_id(dev, attr->arg, &len);
	spin_lock_irqsave(&dev->lock, flags);
	n = *len;
	memcpy(copy, id, sizeof(copy));
	spin_unlock_irqrestore(&dev->lock, flags);
	return n ? skua_emit(buf, true, "0x%*phN", n, copy) : sysfs_emit(buf, "\n");
}

static ssize_t binary_id_store(void *obj, const struct skua_attr *attr, const char *buf,
			       size_t len)
{
	struct skua_dev *dev = obj;
	u8 copy[16] = { }, *id, *id_len;
	unsigned long flags;
	char text[40];
	int n = skua_store_text(buf, text, sizeof(text));

	if (n >= 0)
		n = skua_parse_hex(text, copy, sizeof(copy));
	if (n < 0 || !binary_id_ok(attr->arg, copy, n))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	id = binary_id(dev, attr->arg, &id_len);
	spin_lock_irqsave(&dev->lock, flags);
	memcpy(id, copy, sizeof(copy));
	*id_len = n;
	if (n)
		dev->ident.set |= 1U << attr->arg;
	else
		dev->ident.set &= ~(1U << attr->arg);
	spin_unlock_irqrestore(&dev->lock, flags);
	skua_ua_dev(dev, NULL, 0x3f, 0x03);	/* INQUIRY DATA HAS CHANGED */
	return len;
}

/* ---- devices: the tables ---------------------------------------------- */

static const struct skua_attr all_files[] = {
	SKUA_ATTR("type", 0444, type_show, NULL),
	SKUA_ATTR("max_tgt_dev_commands", 0644, max_cmds_show, max_cmds_store),
	SKUA_ATTR("numa_node_id", 0644, numa_node_show, numa_node_store),
	{ }
};

/* Of devices that are made here; others identify themselves. */
static const struct skua_attr virtual_files[] = {
	SKUA_ATTR_ARG("t10_vend_id", 0644, ident_show, ident_store, SKUA_ID_VENDOR),
	SKUA_ATTR_ARG("prod_id", 0644, ident_show, ident_store, SKUA_ID_PROD),
	SKUA_ATTR_ARG("prod_rev_lvl", 0644, ident_show, ident_store, SKUA_ID_REV),
	SKUA_ATTR_ARG("t10_dev_id", 0644, ident_show, ident_store, SKUA_ID_T10_DEV),
	SKUA_ATTR_ARG("vend_specific_id", 0644, ident_show, ident_store, SKUA_ID_VEND_SPEC),
	SKUA_ATTR_ARG("usn", 0644, ident_show, ident_store, SKUA_ID_USN),
	SKUA_ATTR_ARG("scsi_device_name", 0644, ident_show, ident_store, SKUA_ID_SCSI_NAME),
	SKUA_ATTR_ARG("inq_vend_specific", 0644, ident_show, ident_store, SKUA_ID_INQ_VENDOR),
	SKUA_ATTR_ARG("eui64_id", 0644, binary_id_show, binary_id_store, SKUA_ID_EUI64),
	SKUA_ATTR_ARG("naa_id", 0644, binary_id_show, binary_id_store, SKUA_ID_NAA),
	SKUA_ATTR("opt_trans_len", 0644, opt_trans_len_show, opt_trans_len_store),
	{ }
};

static const struct skua_attr size_rw_files[] = {
	SKUA_ATTR_ARG("size", 0644, size_show, size_store, 0),
	SKUA_ATTR_ARG("size_mb", 0644, size_mb_show, size_store, 20),
	{ }
};

static const struct skua_attr size_ro_files[] = {
	SKUA_ATTR("size", 0444, size_show, NULL),
	SKUA_ATTR("size_mb", 0444, size_mb_show, NULL),
	{ }
};

/* Files that are there if the backend's add_device takes the parameter. */
struct param_file {
	enum skua_param param;
	struct skua_attr file;
};

#define CONFIG_BOOL(name, field, key)						\
	SKUA_ATTR_ARG(name, 0444, skua_show_bool, NULL,				\
		      SKUA_FIELD(struct skua_dev, config.field, key))

static const struct param_file param_files[] = {
	{ SKUA_P_FILENAME, SKUA_ATTR("filename", 0644, filename_show, filename_store) },
	{ SKUA_P_FILENAME, SKUA_ATTR("resync_size", 0200, NULL, resync_size_store) },
	{ SKUA_P_FILENAME, SKUA_ATTR("sync", 0200, NULL, sync_store) },
	{ SKUA_P_FILENAME, SKUA_ATTR_ARG("lb_per_pb_exp", 0644, skua_show_bool, skua_store_bool,
					 SKUA_FIELD(struct skua_dev, lb_per_pb_exp, SKUA_KEY_0)) },
	{ SKUA_P_BLOCKSIZE, SKUA_ATTR("blocksize", 0444, blocksize_show, NULL) },
	{ SKUA_P_READ_ONLY, CONFIG_BOOL("read_only", read_only, SKUA_KEY_1) },
	{ SKUA_P_REMOVABLE, CONFIG_BOOL("removable", removable, SKUA_KEY_1) },
	{ SKUA_P_ROTATIONAL, SKUA_ATTR("rotational", 0444, rotational_show, NULL) },
	{ SKUA_P_WRITE_THROUGH, CONFIG_BOOL("write_through", write_through, SKUA_KEY_1) },
	{ SKUA_P_NV_CACHE, CONFIG_BOOL("nv_cache", nv_cache, SKUA_KEY_1) },
	{ SKUA_P_O_DIRECT, CONFIG_BOOL("o_direct", o_direct, SKUA_KEY_1) },
	{ SKUA_P_DUMMY, CONFIG_BOOL("dummy", dummy, SKUA_KEY_1) },
	{ SKUA_P_THIN, SKUA_ATTR("thin_provisioned", 0444, thin_show, NULL) },
	{ SKUA_P_ACTIVE, SKUA_ATTR("active", 0644, active_show, active_store) },
	{ SKUA_P_TST, SKUA_ATTR("tst", 0444, tst_show, NULL) },
};

/* A backend that has its size from add_device for good has read-only files for it. */
static bool size_changes(const struct skua_backend *be)
{
	if (be->flags & SKUA_BE_SIZE_FIXED)
		return false;
	return be->refresh || be->params & SKUA_P(FILENAME);
}

static void add_param_files(struct skua_build *b, struct skua_dev *dev)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(param_files); i++)
		if (dev->be->params & 1U << param_files[i].param)
			skua_build_file(b, &dev->kobj, &param_files[i].file);
}

/**
 * skua_sysfs_dev_add() - make devices/NAME and the links between it and its handler
 * @dev: the device
 *
 * Context: process; skua_conf may be held.
 *
 * Return: 0; -EEXIST; -EINVAL: no such name can be; -ENOMEM. Nothing stays after an
 * error.
 */
int skua_sysfs_dev_add(struct skua_dev *dev)
{
	struct skua_build *b = skua_build_begin(&dev->kobj);
	struct kobject *exported;
	int r;

	if (!b)
		return -ENOMEM;
	skua_build_fail(b, skua_build_add(b, skua_devices_dir, dev->name));
	skua_build_files(b, &dev->kobj, all_files);
	if (!dev->be->exec_cdb) {
		skua_build_files(b, &dev->kobj, virtual_files);
		skua_build_files(b, &dev->kobj,
				 size_changes(dev->be) ? size_rw_files : size_ro_files);
	}
	if (dev->be->link_to)
		skua_build_link(b, &dev->kobj, dev->be->link_to(dev), dev->be->link_name);
	add_param_files(b, dev);
	skua_build_list(b, &dev->kobj, dev->be->attrs);
	exported = skua_build_dir(b, &dev->kobj, "exported", dev, NULL);
	skua_build_link(b, &dev->kobj, dev->be->kobj, "handler");
	skua_build_link(b, dev->be->kobj, &dev->kobj, dev->name);
	r = skua_build_end(b);
	if (r)
		pr_err("skua: device %s cannot be put into the tree: %d\n", dev->name, r);
	else
		dev->exported = exported;
	return r;
}

void skua_sysfs_dev_del(struct skua_dev *dev)
{
	if (dev->exported)		/* else the name may be another's */
		skua_link_remove(&dev->be->kobj, dev->name);
	skua_dir_remove(&dev->exported);
	skua_node_del(&dev->kobj);
}
