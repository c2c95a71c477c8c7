// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check.h"

#define MAX_LUN		16383
#define MAX_DEVICE_NAME	64
#define MAX_NAME	254

enum type { T_BOOL, T_NUMBER, T_SIGNED, T_WORDS, T_TEXT, T_PATH, T_HEX };

/* Attributes whose values are known; of others only the kernel knows. */
struct known {
	enum kind kind;
	const char *name;
	enum type type;
	unsigned long long min, max;	/* T_TEXT: max is the length */
	const char *words;		/* T_WORDS: separated by blanks */
};

#define DEV_BOOL(name)	{ N_DEVICE, name, T_BOOL, 0, 0, NULL }
#define DEV_TEXT(name, len)	{ N_DEVICE, name, T_TEXT, 0, len, NULL }
#define FLAG(kind, name)	{ kind, name, T_BOOL, 0, 0, NULL }
#define GROUPING	"auto this_group_only never"

static const struct known known[] = {
	{ N_ROOT, "setup_id", T_NUMBER, 0, ~0ULL, NULL },
	{ N_ROOT, "threads", T_NUMBER, 1, ~0ULL, NULL },
	{ N_ROOT, "max_tasklet_cmd", T_NUMBER, 0, ~0ULL, NULL },
	DEV_BOOL("read_only"), DEV_BOOL("removable"), DEV_BOOL("rotational"),
	DEV_BOOL("write_through"), DEV_BOOL("nv_cache"), DEV_BOOL("o_direct"),
	DEV_BOOL("async"), DEV_BOOL("thin_provisioned"), DEV_BOOL("active"),
	DEV_BOOL("bind_alua_state"), DEV_BOOL("cluster_mode"), DEV_BOOL("dummy"),
	DEV_BOOL("tst"), DEV_BOOL("lb_per_pb_exp"), DEV_BOOL("expl_alua"),
	DEV_BOOL("read_zero"),
	{ N_DEVICE, "filename", T_PATH, 0, 0, NULL },
	{ N_DEVICE, "blocksize", T_NUMBER, 512, 1 << 20, NULL },
	{ N_DEVICE, "size", T_NUMBER, 0, ~0ULL, NULL },
	{ N_DEVICE, "size_mb", T_NUMBER, 0, ~0ULL, NULL },
	{ N_DEVICE, "threads_num", T_NUMBER, 0, ~0ULL, NULL },
	{ N_DEVICE, "max_tgt_dev_commands", T_NUMBER, 0, ~0ULL, NULL },
	{ N_DEVICE, "numa_node_id", T_SIGNED, 0, 0, NULL },
	{ N_DEVICE, "threads_pool_type", T_WORDS, 0, 0, "per_initiator shared Async" },
	DEV_TEXT("t10_dev_id", 25), DEV_TEXT("t10_vend_id", 8), DEV_TEXT("prod_id", 16),
	DEV_TEXT("prod_rev_lvl", 4), DEV_TEXT("vend_specific_id", 128), DEV_TEXT("usn", 20),
	DEV_TEXT("scsi_device_name", 256), DEV_TEXT("inq_vend_specific", 160),
	{ N_DEVICE, "eui64_id", T_HEX, 0, 0, NULL },
	{ N_DEVICE, "naa_id", T_HEX, 0, 0, NULL },
	FLAG(N_DRIVER, "enabled"), FLAG(N_DRIVER, "link_local"),
	FLAG(N_TARGET, "enabled"), FLAG(N_TARGET, "forward_src"),
	FLAG(N_TARGET, "forward_dst"), FLAG(N_TARGET, "forwarding"),
	FLAG(N_TARGET, "aen_disabled"), FLAG(N_TARGET, "per_portal_acl"),
	{ N_TARGET, "rel_tgt_id", T_NUMBER, 0, 65535, NULL },
	{ N_TARGET, "black_hole", T_NUMBER, 0, 4, NULL },
	{ N_TARGET, "port_id", T_TEXT, 0, 63, NULL },
	{ N_TARGET, "InitialR2T", T_WORDS, 0, 0, "Yes No" },
	{ N_TARGET, "ImmediateData", T_WORDS, 0, 0, "Yes No" },
	{ N_TARGET, "RDMAExtensions", T_WORDS, 0, 0, "Yes No" },
	{ N_TARGET, "MaxRecvDataSegmentLength", T_NUMBER, 512, 16777215, NULL },
	{ N_TARGET, "MaxXmitDataSegmentLength", T_NUMBER, 512, 16777215, NULL },
	{ N_TARGET, "MaxBurstLength", T_NUMBER, 512, 16777215, NULL },
	{ N_TARGET, "FirstBurstLength", T_NUMBER, 512, 16777215, NULL },
	{ N_TARGET, "MaxOutstandingR2T", T_NUMBER, 1, 65535, NULL },
	{ N_TARGET, "QueuedCommands", T_NUMBER, 1, 2048, NULL },
	{ N_TARGET, "RspTimeout", T_NUMBER, 2, 65535, NULL },
	{ N_TARGET, "NopInInterval", T_NUMBER, 0, 65535, NULL },
	{ N_TARGET, "NopInTimeout", T_NUMBER, 2, 65535, NULL },
	{ N_TARGET, "MaxSessions", T_NUMBER, 0, 65535, NULL },
	{ N_GROUP, "black_hole", T_NUMBER, 0, 4, NULL },
	FLAG(N_GROUP, "per_sess_dedicated_tgt_threads"),
	FLAG(N_LUN, "read_only"),
	{ N_TARGET_GROUP, "group_id", T_NUMBER, 1, 65535, NULL },
	FLAG(N_TARGET_GROUP, "preferred"),
	{ N_TARGET_GROUP, "state", T_WORDS, 0, 0,
	  "active nonoptimized standby unavailable offline transitioning" },
	{ N_TG_TARGET, "rel_tgt_id", T_NUMBER, 1, 65535, NULL },
};

/* Attributes that may have several values, whichever driver has them. */
static const char *const several[] = {
	"IncomingUser", "OutgoingUser", "allowed_portal", "session_name",
};

static const struct known *find_known(const struct node *node, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].kind == node->kind && !strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static bool in_words(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at = words;

	for (; (at = strstr(at, word)); at += len)
		if (len && (at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static bool is_signed(const char *s)
{
	unsigned long long v;

	return !strcmp(s, "-1") || parse_u64(s, &v);
}

static void check_value(const struct known *k, const struct attr *attr, struct diags *d)
{
	const char *v = attr->value;
	unsigned long long n;

	switch (k->type) {
	case T_BOOL:
		if (!parse_u64(v, &n) || n > 1)
			diag_error(d, attr->pos, "%s is 0 or 1, not \"%s\"", attr->name, v);
		break;
	case T_NUMBER:
		if (!parse_u64(v, &n))
			diag_error(d, attr->pos, "%s is a number, not \"%s\"", attr->name, v);
		else if (n < k->min || n > k->max)
			diag_error(d, attr->pos, "%s is %llu to %llu, not %s", attr->name, k->min,
				   k->max, v);
		break;
	case T_SIGNED:
		if (!is_signed(v))
			diag_error(d, attr->pos, "%s is a number or -1, not \"%s\"", attr->name, v);
		break;
	case T_WORDS:
		if (!in_words(k->words, v))
			diag_error(d, attr->pos, "%s is one of: %s; not \"%s\"", attr->name,
				   k->words, v);
		break;
	case T_TEXT:
		if (strlen(v) > k->max)
			diag_error(d, attr->pos, "%s has at most %llu characters, not %zu",
				   attr->name, k->max, strlen(v));
		break;
	case T_PATH:
		if (*v != '/')
			diag_error(d, attr->pos, "%s is an absolute path, not \"%s\"", attr->name, v);
		break;
	case T_HEX:
		v += !strncasecmp(v, "0x", 2) ? 2 : 0;
		if (v[strspn(v, "0123456789abcdefABCDEF")])
			diag_error(d, attr->pos, "%s is hexadecimal, not \"%s\"", attr->name,
				   attr->value);
		break;
	}
}

static bool may_be_several(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(several); i++)
		if (!strcmp(several[i], name))
			return true;
	return false;
}

static void check_attrs(const struct node *node, struct diags *d)
{
	const struct known *k;
	struct attr *attr, *first;

	for_each_attr(attr, node) {
		k = find_known(node, attr->name);
		if (k)
			check_value(k, attr, d);
		first = attr_find(node, attr->name);
		if (k && first != attr && !may_be_several(attr->name))
			diag_error(d, attr->pos, "%s is \"%s\" here and \"%s\" in line %u",
				   attr->name, attr->value, first->value, first->pos.line);
		if (!strcmp(attr->name, "OutgoingUser") && first != attr)
			diag_error(d, attr->pos, "only one OutgoingUser is possible");
	}
}

static void check_name(const struct node *node, struct diags *d)
{
	const char *keyword = kinds[node->kind].keyword;
	size_t max = node->kind == N_DEVICE ? MAX_DEVICE_NAME : MAX_NAME;

	if (!node->name || node->kind == N_LUN)
		return;
	if (strchr(node->name, '/'))
		diag_error(d, node->pos, "%s \"%s\": a name has no \"/\"", keyword, node->name);
	else if (strpbrk(node->name, " \t=;"))
		diag_error(d, node->pos, "%s \"%s\": a name has no blank, \"=\" or \";\"", keyword,
			   node->name);
	else if (!strcmp(node->name, ".") || !strcmp(node->name, "..") ||
		 !strcmp(node->name, "mgmt"))
		diag_error(d, node->pos, "\"%s\" is no name for a %s", node->name, keyword);
	else if (strlen(node->name) > max)
		diag_error(d, node->pos, "%s: the name is longer than %zu characters", keyword, max);
}

static void check_lun(const struct node *root, const struct node *lun, struct diags *d)
{
	unsigned long long n;

	if (!parse_u64(lun->name, &n) || n > MAX_LUN)
		diag_error(d, lun->pos, "\"%s\" is no LUN (0 to %u)", lun->name, MAX_LUN);
	if (!node_device(root, lun->device))
		diag_warn(d, lun->pos, "LUN %s: no HANDLER of this file has a DEVICE %s", lun->name,
			  lun->device);
}

static void check_lun_zero(const struct node *node, struct diags *d)
{
	if (node_find(node, N_LUN, NULL) && !node_find(node, N_LUN, "0"))
		diag_warn(d, node->pos, "%s %s has no LUN 0: many initiators look there first",
			  kinds[node->kind].keyword, node->name);
}

/* No pattern in two groups of a target */
static void check_initiator(const struct node *ini, struct diags *d)
{
	const struct node *grp, *other;

	for_each_child(grp, ini->parent->parent) {
		if (grp->kind != N_GROUP)
			continue;
		if (grp == ini->parent)
			return;
		other = node_find(grp, N_INITIATOR, ini->name);
		if (other)
			diag_error(d, ini->pos, "INITIATOR %s is in GROUP %s too (line %u)",
				   ini->name, grp->name, other->pos.line);
	}
}

static void check_device(const struct node *root, const struct node *dev, struct diags *d)
{
	const struct node *other = node_device(root, dev->name);
	const char *handler = dev->parent->name;

	if (other && other != dev)
		diag_error(d, dev->pos, "DEVICE %s belongs to HANDLER %s too (line %u)", dev->name,
			   other->parent->name, other->pos.line);
	if ((!strcmp(handler, "vdisk_blockio") || !strcmp(handler, "vdisk_fileio")) &&
	    !attr_find(dev, "filename"))
		diag_warn(d, dev->pos,
			  "DEVICE %s has no filename and cannot be created, only changed", dev->name);
}

/* A device is in one device group, a target in one target group of each. */
static void check_member(const struct node *root, const struct node *node, struct diags *d)
{
	const struct node *i;

	for_each_node(i, root) {
		if (i == node)
			break;
		if (i->kind != node->kind || strcmp(i->name, node->name) != 0)
			continue;
		if (node->kind == N_DG_DEVICE)
			diag_error(d, node->pos, "DEVICE %s is in DEVICE_GROUP %s too (line %u)",
				   node->name, i->parent->name, i->pos.line);
		else if (i->parent->parent == node->parent->parent)
			diag_error(d, node->pos, "TARGET %s is in TARGET_GROUP %s too (line %u)",
				   node->name, i->parent->name, i->pos.line);
	}
	if (node->kind == N_DG_DEVICE && !node_device(root, node->name))
		diag_warn(d, node->pos, "no HANDLER of this file has a DEVICE %s", node->name);
}

/* An initiator cannot tell two target groups with the same number apart. */
static void check_group_id(const struct node *tg, struct diags *d)
{
	const char *id = attr_value(tg, "group_id"), *other;
	unsigned long long v, w;
	const struct node *i;

	if (!id)
		diag_warn(d, tg->pos, "TARGET_GROUP %s has no group_id: initiators do not see it",
			  tg->name);
	if (!id || !parse_u64(id, &v))
		return;
	for_each_child(i, tg->parent) {
		if (i == tg)
			return;
		if (i->kind != N_TARGET_GROUP)
			continue;
		other = attr_value(i, "group_id");
		if (other && parse_u64(other, &w) && v == w)
			diag_error(d, attr_find(tg, "group_id")->pos,
				   "group_id %llu is that of TARGET_GROUP %s too (line %u)", v,
				   i->name, i->pos.line);
	}
}

/* One of this file or none is a port of another node, which needs its number told. */
static void check_remote(const struct node *root, const struct node *port, struct diags *d)
{
	const struct node *i;

	if (attr_find(port, "rel_tgt_id"))
		return;
	for_each_node(i, root)
		if (i->kind == N_TARGET && !strcmp(i->name, port->name))
			return;
	diag_warn(d, port->pos,
		  "TARGET %s is none of this file; one of another node needs a rel_tgt_id",
		  port->name);
}

static bool is_off(const struct node *tgt)
{
	const char *enabled = attr_value(tgt, "enabled");

	return enabled && !strcmp(enabled, "0");
}

/* Targets that are to be enabled need different numbers. */
static void check_rel_id(const struct node *root, const struct node *tgt, struct diags *d)
{
	const char *id = attr_value(tgt, "rel_tgt_id"), *other;
	const struct node *i;
	unsigned long long v, w;

	if (!id || !parse_u64(id, &v) || !v || is_off(tgt))
		return;
	for_each_node(i, root) {
		if (i == tgt)
			return;
		if (i->kind != N_TARGET || is_off(i))
			continue;
		other = attr_value(i, "rel_tgt_id");
		if (other && parse_u64(other, &w) && v == w)
			diag_error(d, attr_find(tgt, "rel_tgt_id")->pos,
				   "rel_tgt_id %llu is that of TARGET %s too (line %u)", v, i->name,
				   i->pos.line);
	}
}

/**
 * conf_check() - look for what is wrong in itself
 * @root: a configuration that was parsed without errors
 * @diags: gets the findings
 */
void conf_check(const struct node *root, struct diags *diags)
{
	const struct node *i;

	for_each_node(i, root) {
		check_name(i, diags);
		check_attrs(i, diags);
		switch (i->kind) {
		case N_DEVICE:
			check_device(root, i, diags);
			break;
		case N_TARGET:
			check_lun_zero(i, diags);
			check_rel_id(root, i, diags);
			break;
		case N_GROUP:
			check_lun_zero(i, diags);
			break;
		case N_LUN:
			check_lun(root, i, diags);
			break;
		case N_INITIATOR:
			check_initiator(i, diags);
			break;
		case N_TARGET_GROUP:
			check_group_id(i, diags);
			break;
		case N_TG_TARGET:
			check_remote(root, i, diags);
			check_member(root, i, diags);
			break;
		case N_DG_DEVICE:
			check_member(root, i, diags);
			break;
		default:
			break;
		}
	}
	if (!node_find(root, N_HANDLER, NULL) && !node_find(root, N_DRIVER, NULL))
		diag_warn(diags, (struct pos){ 0, 0 }, "there is no HANDLER and no TARGET_DRIVER");
}

/* "None,CRC32C" in any order and case */
static unsigned int digests(const char *v)
{
	return (strcasestr(v, "none") ? 1 : 0) | (strcasestr(v, "crc32c") ? 2 : 0);
}

/**
 * same_value() - do two spellings of a value mean the same?
 * @name: the attribute
 * @a: a value
 * @b: another
 */
bool same_value(const char *name, const char *a, const char *b)
{
	unsigned long long x, y;

	if (!strcmp(a, b))
		return true;
	if (!strcmp(name, "HeaderDigest") || !strcmp(name, "DataDigest"))
		return digests(a) && digests(a) == digests(b);
	if (!strcmp(name, "addr_method"))
		return *a && *b && !strncasecmp(a, b, strlen(a) < strlen(b) ? strlen(a) : strlen(b));
	if (!strcmp(name, "eui64_id") || !strcmp(name, "naa_id")) {
		a += !strncasecmp(a, "0x", 2) ? 2 : 0;
		b += !strncasecmp(b, "0x", 2) ? 2 : 0;
		return !strcasecmp(a, b);
	}
	if (!strcmp(name, "cpu_mask") || !strcmp(name, "comp_v_mask")) {
		a += strspn(a, "0,");
		b += strspn(b, "0,");
		return !strcasecmp(a, b);
	}
	/* Texts that look like numbers are texts. */
	if (strstr(name, "_id") && strcmp(name, "rel_tgt_id") && strcmp(name, "setup_id") &&
	    strcmp(name, "group_id") && strcmp(name, "numa_node_id"))
		return false;
	if (!strcmp(name, "usn") || !strcmp(name, "prod_rev_lvl") || !strcmp(name, "comment") ||
	    !strcmp(name, "filename") || !strcmp(name, "inq_vend_specific") ||
	    !strcmp(name, "scsi_device_name") || !strcmp(name, "alias"))
		return false;
	return parse_u64(a, &x) && parse_u64(b, &y) && x == y;
}
