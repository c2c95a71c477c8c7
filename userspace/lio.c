// SPDX-License-Identifier: GPL-2.0
/*
 * LIO has storage objects, and targets with portal groups, of which each has LUNs, ACLs
 * and portals. Here an ACL is a group with one initiator; a portal group beyond the first
 * has no counterpart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lio.h"

#define NOWHERE		((struct pos){ 0, 0 })

#ifdef HAVE_JSON
#include <json-c/json.h>

static const char *text_of(struct json_object *o, const char *name)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, name, &v) || !v ||
	    json_object_is_type(v, json_type_object) || json_object_is_type(v, json_type_array))
		return NULL;
	return json_object_get_string(v);
}

static struct json_object *list_of(struct json_object *o, const char *name)
{
	struct json_object *v;

	return json_object_object_get_ex(o, name, &v) && json_object_is_type(v, json_type_array) ?
	       v : NULL;
}

static struct json_object *object_of(struct json_object *o, const char *name)
{
	struct json_object *v;

	return json_object_object_get_ex(o, name, &v) && json_object_is_type(v, json_type_object) ?
	       v : NULL;
}

static bool is_true(struct json_object *o, const char *name)
{
	struct json_object *v;

	return o && json_object_object_get_ex(o, name, &v) && json_object_get_boolean(v);
}

static struct node *ensure(struct node *parent, enum kind kind, const char *name)
{
	struct node *node = node_find(parent, kind, name);

	if (!node) {
		node = node_new(kind, name);
		node_add(parent, node);
	}
	return node;
}

/* ---- storage objects -------------------------------------------------- */

static const struct {
	const char *plugin, *handler;
} plugins[] = {
	{ "block", "vdisk_blockio" }, { "fileio", "vdisk_fileio" },
	{ "ramdisk", "vdisk_ramdisk" },
};

static void storage_attrs(struct node *dev, struct json_object *so, struct diags *d)
{
	struct json_object *attrs = object_of(so, "attributes");
	const char *block = attrs ? text_of(attrs, "block_size") : NULL;
	const char *size = text_of(so, "size"), *wwn = text_of(so, "wwn");
	char short_id[26];

	if (block && strcmp(block, "512"))
		attr_add(dev, "blocksize", block);
	if (size && strcmp(dev->parent->name, "vdisk_blockio") &&
	    strcmp(dev->parent->name, "vdisk_fileio"))
		attr_add(dev, "size", size);
	if (is_true(so, "readonly"))
		attr_add(dev, "read_only", "1");
	if (is_true(attrs, "emulate_tpu"))
		attr_add(dev, "thin_provisioned", "1");
	if (attrs && text_of(attrs, "is_nonrot") && is_true(attrs, "is_nonrot"))
		attr_add(dev, "rotational", "0");
	if (!strcmp(dev->parent->name, "vdisk_fileio") && !is_true(so, "write_back"))
		attr_add(dev, "write_through", "1");
	if (!wwn)
		return;
	snprintf(short_id, sizeof(short_id), "%.20s", wwn);
	attr_add(dev, "usn", short_id);
	if (strlen(wwn) > 20)
		diag_warn(d, NOWHERE,
			  "DEVICE %s: the serial number %s is longer than 20 characters and was cut; initiators see another disk",
			  dev->name, wwn);
	else
		diag_warn(d, NOWHERE,
			  "DEVICE %s: LIO derives the NAA identifier from the serial number %s; set naa_id if initiators use it",
			  dev->name, wwn);
}

static void read_storage(struct node *root, struct json_object *so, struct diags *d)
{
	const char *plugin = text_of(so, "plugin"), *name = text_of(so, "name");
	const char *path = text_of(so, "dev"), *handler = NULL;
	struct node *dev;
	size_t i;

	if (!plugin || !name) {
		diag_warn(d, NOWHERE, "a storage object without plugin or name: left out");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(plugins); i++)
		if (!strcmp(plugin, plugins[i].plugin))
			handler = plugins[i].handler;
	if (handler && !strcmp(plugin, "ramdisk") && is_true(so, "nullio"))
		handler = "vdisk_nullio";
	if (!handler) {
		diag_warn(d, NOWHERE, "storage object %s: there is no counterpart of %s; left out",
			  name, plugin);
		return;
	}
	if (node_device(root, name)) {
		diag_error(d, NOWHERE,
			   "two storage objects are called %s, of different plugins: rename one first",
			   name);
		return;
	}
	dev = ensure(ensure(root, N_HANDLER, handler), N_DEVICE, name);
	if (path && strcmp(plugin, "ramdisk"))
		attr_add(dev, "filename", path);
	storage_attrs(dev, so, d);
}

/* ---- targets ---------------------------------------------------------- */

static const struct {
	const char *fabric, *driver;
} fabrics[] = {
	{ "iscsi", "iscsi" }, { "srpt", "ib_srpt" }, { "loopback", "scst_local" },
};

/* "/backstores/block/disk" is of device "disk". */
static const char *device_of(struct json_object *lun)
{
	const char *path = text_of(lun, "storage_object");
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void add_lun(struct node *root, struct node *holder, const char *nr, const char *device,
		    bool read_only, struct diags *d)
{
	struct node *lun;

	if (!nr || !device || !node_device(root, device)) {
		diag_warn(d, NOWHERE, "%s: LUN %s shows %s, which is left out too", holder->name,
			  nr ? nr : "?", device ? device : "nothing");
		return;
	}
	lun = ensure(holder, N_LUN, nr);
	free(lun->device);
	lun->device = xstrdup(device);
	if (read_only && !attr_find(lun, "read_only"))
		attr_add(lun, "read_only", "1");
}

static const char *tpg_lun_device(struct json_object *tpg, const char *index)
{
	struct json_object *luns = list_of(tpg, "luns"), *lun;
	size_t i;

	for (i = 0; luns && i < json_object_array_length(luns); i++) {
		lun = json_object_array_get_idx(luns, i);
		if (index && text_of(lun, "index") && !strcmp(text_of(lun, "index"), index))
			return device_of(lun);
	}
	return NULL;
}

/* "fe80..." of 32 digits, or with 0x, as eight groups; others as they are; for free() */
static char *initiator_name(const char *driver, const char *wwn)
{
	struct text t = { 0 };
	const char *s = wwn;
	size_t i;

	if (strcmp(driver, "ib_srpt"))
		return xstrdup(wwn);
	if (!strncmp(s, "ib.", 3))
		s += 3;
	if (!strncmp(s, "0x", 2))
		s += 2;
	if (strlen(s) != 32 || s[strspn(s, "0123456789abcdefABCDEF")])
		return xstrdup(wwn);
	for (i = 0; i < 32; i += 4)
		text_add(&t, "%s%.4s", i ? ":" : "", s + i);
	return text_take(&t);
}

static void add_user(struct node *tgt, struct json_object *auth, const char *whose,
		     struct diags *d)
{
	static const char *const kinds_of[][3] = {
		{ "chap_userid", "chap_password", "IncomingUser" },
		{ "chap_mutual_userid", "chap_mutual_password", "OutgoingUser" },
		{ "userid", "password", "IncomingUser" },
		{ "mutual_userid", "mutual_password", "OutgoingUser" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds_of); i++) {
		const char *user = text_of(auth, kinds_of[i][0]);
		const char *secret = text_of(auth, kinds_of[i][1]);
		struct attr *old = attr_find(tgt, kinds_of[i][2]);
		char *value;

		if (!user || !*user || !secret)
			continue;
		value = xprintf("%s %s", user, secret);
		if (old && i % 2 && strcmp(old->value, value))
			diag_warn(d, NOWHERE, "%s: another OutgoingUser; only the first one is kept",
				  whose);
		else if (!old || strcmp(old->value, value))
			attr_add(tgt, kinds_of[i][2], value);
		free(value);
	}
}

static void read_acl(struct node *root, struct node *tgt, struct json_object *tpg,
		     struct json_object *acl, struct diags *d)
{
	const char *wwn = text_of(acl, "node_wwn"), *nr, *index;
	struct json_object *maps = list_of(acl, "mapped_luns"), *map;
	struct node *group;
	char *name;
	size_t i;

	if (!wwn)
		return;
	name = initiator_name(tgt->parent->name, wwn);
	group = ensure(tgt, N_GROUP, name);
	for (i = 0; maps && i < json_object_array_length(maps); i++) {
		char *own;

		map = json_object_array_get_idx(maps, i);
		nr = text_of(map, "index");
		own = nr ? xstrdup(nr) : NULL;
		index = text_of(map, "tpg_lun");
		add_lun(root, group, own, tpg_lun_device(tpg, index ? index : own),
			is_true(map, "write_protect"), d);
		free(own);
	}
	ensure(group, N_INITIATOR, name);
	add_user(tgt, acl, name, d);
	if (text_of(acl, "chap_userid") && *text_of(acl, "chap_userid"))
		diag_warn(d, NOWHERE,
			  "%s: users belong to the target here: each initiator may log in as any of them",
			  name);
	free(name);
}

static void read_tpg(struct node *root, struct node *tgt, struct json_object *tpg,
		     struct diags *d)
{
	struct json_object *attrs = object_of(tpg, "attributes"), *list;
	bool open = is_true(attrs, "generate_node_acls");
	size_t i;

	if (strcmp(tgt->parent->name, "scst_local"))
		attr_add(tgt, "enabled", is_true(tpg, "enable") ? "1" : "0");
	if (object_of(tpg, "parameters"))
		diag_warn(d, NOWHERE, "%s: negotiated parameters are not carried over", tgt->name);
	list = list_of(tpg, "portals");
	for (i = 0; list && i < json_object_array_length(list); i++) {
		const char *ip = text_of(json_object_array_get_idx(list, i), "ip_address");

		if (ip && strcmp(ip, "0.0.0.0") && strcmp(ip, "::") && strcmp(ip, "[::0]"))
			attr_add(tgt, "allowed_portal", ip);
	}
	list = list_of(tpg, "luns");
	for (i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *lun = json_object_array_get_idx(list, i);

		/* Without generate_node_acls only those with an ACL see anything. */
		if (open || !strcmp(tgt->parent->name, "scst_local"))
			add_lun(root, tgt, text_of(lun, "index"), device_of(lun),
				is_true(attrs, "demo_mode_write_protect") && open, d);
	}
	list = list_of(tpg, "node_acls");
	for (i = 0; list && i < json_object_array_length(list); i++)
		read_acl(root, tgt, tpg, json_object_array_get_idx(list, i), d);
	add_user(tgt, tpg, tgt->name, d);
}

static void read_target(struct node *root, struct json_object *o, struct diags *d)
{
	const char *fabric = text_of(o, "fabric"), *wwn = text_of(o, "wwn"), *driver = NULL;
	struct json_object *tpgs = list_of(o, "tpgs");
	struct node *tgt;
	char *name;
	size_t i;

	for (i = 0; fabric && i < ARRAY_SIZE(fabrics); i++)
		if (!strcmp(fabric, fabrics[i].fabric))
			driver = fabrics[i].driver;
	if (!driver || !wwn) {
		diag_warn(d, NOWHERE, "target %s: there is no counterpart of fabric %s; left out",
			  wwn ? wwn : "?", fabric ? fabric : "?");
		return;
	}
	name = initiator_name(driver, wwn);
	tgt = ensure(ensure(root, N_DRIVER, driver), N_TARGET, name);
	free(name);
	if (!strcmp(driver, "iscsi") && !attr_find(tgt->parent, "enabled"))
		attr_add(tgt->parent, "enabled", "1");
	if (!strcmp(driver, "scst_local"))
		attr_add(tgt, "session_name", "local");
	for (i = 0; tpgs && i < json_object_array_length(tpgs); i++) {
		if (!i)
			read_tpg(root, tgt, json_object_array_get_idx(tpgs, i), d);
		else
			diag_warn(d, NOWHERE,
				  "%s: only the first portal group is carried over", wwn);
	}
}

/**
 * lio_read() - read what targetcli saves
 * @path: the file
 * @diags: gets what cannot be carried over
 *
 * Return: a configuration; NULL after an error, which is in @diags.
 */
struct node *lio_read(const char *path, struct diags *diags)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *top = NULL, *list;
	struct node *root = NULL;
	size_t len = 0, i;
	char *text = read_all(path, &len);

	if (text && tok && len < 1 << 28)
		top = json_tokener_parse_ex(tok, text, len);
	if (!text)
		diag_error(diags, NOWHERE, "%s", strerror(errno));
	else if (!top || !json_object_is_type(top, json_type_object))
		diag_error(diags, NOWHERE, "this is no JSON object%s%s", top ? "" : ": ",
			   top ? "" : json_tokener_error_desc(json_tokener_get_error(tok)));
	else if (!list_of(top, "storage_objects") && !list_of(top, "targets"))
		diag_error(diags, NOWHERE, "this is no saveconfig.json: no storage_objects, no targets");
	else
		root = node_new(N_ROOT, NULL);
	list = root ? list_of(top, "storage_objects") : NULL;
	for (i = 0; list && i < json_object_array_length(list); i++)
		read_storage(root, json_object_array_get_idx(list, i), diags);
	list = root ? list_of(top, "targets") : NULL;
	for (i = 0; list && i < json_object_array_length(list); i++)
		read_target(root, json_object_array_get_idx(list, i), diags);
	if (top)
		json_object_put(top);
	json_tokener_free(tok);
	free(text);
	return root;
}

#else

struct node *lio_read(const char *path, struct diags *diags)
{
	(void)path;
	diag_error(diags, NOWHERE, "skuaadm was built without json-c and cannot read JSON");
	return NULL;
}

#endif
