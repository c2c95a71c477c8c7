// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the driver and its targets. A value that was configured is followed by the
 * line "[key]" and an empty one.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "iscsit.h"

/* ---- values of a target --------------------------------------------------- */

enum iscsit_form { ISCSIT_NUMBER, ISCSIT_YES_NO, ISCSIT_DIGESTS };

/**
 * struct iscsit_value - a value of struct iscsit_attr_values that users set
 * @name: file, and parameter of add_target
 * @form: enum iscsit_form
 * @off: place in the struct
 * @min: least
 * @max: most
 * @dflt: of a new target
 */
struct iscsit_value {
	const char *name;
	u8 form;
	u32 off;
	u32 min, max, dflt;
};

#define OURS(id)	(offsetof(struct iscsit_attr_values, ours) + (id) * sizeof(u32))
#define FIELD(field)	offsetof(struct iscsit_attr_values, field)

static const struct iscsit_value iscsit_values[] = {
	{ "InitialR2T", ISCSIT_YES_NO, OURS(ISCSI_INITIAL_R2T), 0, 1, 0 },
	{ "ImmediateData", ISCSIT_YES_NO, OURS(ISCSI_IMMEDIATE_DATA), 0, 1, 1 },
	{ "MaxRecvDataSegmentLength", ISCSIT_NUMBER, OURS(ISCSI_MAX_RECV_DSL), 512, ISCSIT_MAX_DSL,
	  ISCSIT_MAX_DSL },
	{ "MaxXmitDataSegmentLength", ISCSIT_NUMBER, FIELD(max_xmit), 512, ISCSIT_MAX_DSL,
	  ISCSIT_MAX_DSL },
	{ "MaxBurstLength", ISCSIT_NUMBER, OURS(ISCSI_MAX_BURST), 512, ISCSIT_MAX_DSL,
	  ISCSIT_MAX_DSL },
	{ "FirstBurstLength", ISCSIT_NUMBER, OURS(ISCSI_FIRST_BURST), 512, ISCSIT_MAX_DSL, 65536 },
	{ "MaxOutstandingR2T", ISCSIT_NUMBER, OURS(ISCSI_MAX_R2T), 1, 65535, 32 },
	{ "HeaderDigest", ISCSIT_DIGESTS, OURS(ISCSI_HEADER_DIGEST), 1, 3, 1 },
	{ "DataDigest", ISCSIT_DIGESTS, OURS(ISCSI_DATA_DIGEST), 1, 3, 1 },
	{ "QueuedCommands", ISCSIT_NUMBER, FIELD(depth), 1, ISCSIT_MAX_DEPTH, 32 },
	{ "RspTimeout", ISCSIT_NUMBER, FIELD(rsp_timeout), 2, 65535, 90 },
	{ "NopInInterval", ISCSIT_NUMBER, FIELD(nop_interval), 0, 65535, 30 },
	{ "NopInTimeout", ISCSIT_NUMBER, FIELD(nop_timeout), 2, 65535, 30 },
	{ "MaxSessions", ISCSIT_NUMBER, FIELD(max_sessions), 0, 65535, 0 },
	{ "RDMAExtensions", ISCSIT_YES_NO, FIELD(rdma), 0, 1, 1 },
	{ "per_portal_acl", ISCSIT_NUMBER, FIELD(per_portal_acl), 0, 1, 0 },
};

static u32 *iscsit_value_at(struct iscsit_attr_values *conf, const struct iscsit_value *value)
{
	return (u32 *)((u8 *)conf + value->off);
}

/**
 * iscsit_conf_defaults() - the values of a new target
 * @conf: all of it is set
 */
void iscsit_conf_defaults(struct iscsit_attr_values *conf)
{
	int i;

	memset(conf, 0, sizeof(*conf));
	iscsi_nego_defaults(conf->ours);
	for (i = 0; i < ARRAY_SIZE(iscsit_values); i++)
		*iscsit_value_at(conf, &iscsit_values[i]) = iscsit_values[i].dflt;
}

/* None, CRC32C, or both in any order and case */
static int iscsit_parse_digests(const char *text, u32 *bits)
{
	*bits = 0;
	for (;;) {
		size_t len = strcspn(text, ",");

		if (len == 4 && !strncasecmp(text, "None", len))
			*bits |= BIT(0);
		else if (len == 6 && !strncasecmp(text, "CRC32C", len))
			*bits |= BIT(1);
		else
			return -EINVAL;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

static int iscsit_parse_value(const struct iscsit_value *value, const char *text, u32 *v)
{
	switch (value->form) {
	case ISCSIT_YES_NO:
		if (strcmp(text, "Yes") && strcmp(text, "No"))
			return -EINVAL;
		*v = text[0] == 'Y';
		return 0;
	case ISCSIT_DIGESTS:
		return iscsit_parse_digests(text, v);
	default:
		return kstrtouint(text, 0, v) ? -EINVAL : 0;
	}
}

static int iscsit_set_value(struct iscsit_target *target, const struct iscsit_value *value,
			    const char *text)
{
	u32 v;

	if (iscsit_parse_value(value, text, &v) || v < value->min || v > value->max) {
		pr_err("skua_iscsi: %s: %s: \"%s\" is not possible\n", target->name, value->name,
		       text);
		return -EINVAL;
	}
	spin_lock(&target->lock);
	*iscsit_value_at(&target->conf, value) = v;
	spin_unlock(&target->lock);
	return 0;
}

/**
 * iscsit_set_param() - a parameter of add_target
 * @target: the target
 * @name: of a value
 * @text: the value
 *
 * Return: 0 or -EINVAL.
 */
int iscsit_set_param(struct iscsit_target *target, const char *name, const char *text)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(iscsit_values); i++)
		if (!strcasecmp(iscsit_values[i].name, name))
			return iscsit_set_value(target, &iscsit_values[i], text);
	pr_err("skua_iscsi: %s: no parameter \"%s\"\n", target->name, name);
	return -EINVAL;
}

static const char *iscsit_digest_name(u32 bits)
{
	return bits == 1 ? "None" : bits == 2 ? "CRC32C" : "None,CRC32C";
}

static ssize_t iscsit_emit_value(const struct iscsit_value *value, u32 v, char *buf)
{
	switch (value->form) {
	case ISCSIT_YES_NO:
		return sysfs_emit(buf, "%s\n", v ? "Yes" : "No");
	case ISCSIT_DIGESTS:
		return sysfs_emit(buf, "%s\n", iscsit_digest_name(v));
	default:
		return sysfs_emit(buf, "%u\n", v);
	}
}

static ssize_t iscsit_value_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct iscsit_value *value = &iscsit_values[attr->arg];
	struct iscsit_target *target = skua_tgt_priv(obj);
	u32 v = READ_ONCE(*iscsit_value_at(&target->conf, value));
	ssize_t n = iscsit_emit_value(value, v, buf);

	if (v != value->dflt)
		n += sysfs_emit_at(buf, n, "[key]\n\n");
	return n;
}

/* One word, maybe with a newline behind it */
static int iscsit_word(const char *buf, size_t len, char *word, size_t size)
{
	while (len && (buf[len - 1] == '\n' || buf[len - 1] == ' '))
		len--;
	if (!len || len >= size)
		return -EINVAL;
	memcpy(word, buf, len);
	word[len] = '\0';
	return 0;
}

static ssize_t iscsit_value_store(void *obj, const struct skua_attr *attr, const char *buf,
				  size_t len)
{
	struct iscsit_target *target = skua_tgt_priv(obj);
	char word[32];
	int ret;

	if (iscsit_word(buf, len, word, sizeof(word)))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	ret = iscsit_set_value(target, &iscsit_values[attr->arg], word);
	return ret ?: len;
}

static ssize_t iscsit_tid_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct iscsit_target *target = skua_tgt_priv(obj);

	return sysfs_emit(buf, "%u\n", target->tid);
}

static ssize_t iscsit_redirect_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct iscsit_target *target = skua_tgt_priv(obj);
	ssize_t n = 0;

	spin_lock(&target->lock);
	if (target->redirect[0])
		n = sysfs_emit(buf, "%s %s\n[key]\n\n", target->redirect,
			       target->redirect_perm ? "perm" : "temp");
	spin_unlock(&target->lock);
	return n ?: sysfs_emit(buf, "\n");
}

/* ADDRESS[:PORT] temp|perm; an empty line clears it. */
static ssize_t iscsit_redirect_store(void *obj, const struct skua_attr *attr, const char *buf,
				     size_t len)
{
	struct iscsit_target *target = skua_tgt_priv(obj);
	char word[sizeof(target->redirect) + 8] = "", *rest = word, *where, *how;
	bool perm;

	if (iscsit_word(buf, len, word, sizeof(word)) && len >= sizeof(word))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	where = skua_next_word(&rest) ?: "";
	how = skua_next_word(&rest);
	perm = how && !strcasecmp(how, "perm");
	if (*where && (!how || (!perm && strcasecmp(how, "temp")) || skua_next_word(&rest) ||
		       strlen(where) >= sizeof(target->redirect)))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	spin_lock(&target->lock);
	strscpy(target->redirect, where, sizeof(target->redirect));
	target->redirect_perm = perm;
	spin_unlock(&target->lock);
	return len;
}

static ssize_t iscsit_alias_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct iscsit_target *target = skua_tgt_priv(obj);
	ssize_t n;

	spin_lock(&target->lock);
	n = sysfs_emit(buf, "%s\n%s", target->alias, target->alias[0] ? "[key]\n\n" : "");
	spin_unlock(&target->lock);
	return n;
}

static ssize_t iscsit_alias_store(void *obj, const struct skua_attr *attr, const char *buf,
				  size_t len)
{
	struct iscsit_target *target = skua_tgt_priv(obj);
	char word[sizeof(target->alias)] = "";

	if (iscsit_word(buf, len, word, sizeof(word)) && len >= sizeof(word))
		return skua_bad_value(obj, attr, buf, -EINVAL);
	spin_lock(&target->lock);
	strcpy(target->alias, word);
	spin_unlock(&target->lock);
	return len;
}

#define ISCSIT_VALUE(_name, _index)	\
	ISCSIT_ATTR(_name, 0644, iscsit_value_show, iscsit_value_store, _index)

/* In the order of iscsit_values */
const struct skua_attr *const iscsit_tgt_attrs[] = {
	ISCSIT_VALUE("InitialR2T", 0),
	ISCSIT_VALUE("ImmediateData", 1),
	ISCSIT_VALUE("MaxRecvDataSegmentLength", 2),
	ISCSIT_VALUE("MaxXmitDataSegmentLength", 3),
	ISCSIT_VALUE("MaxBurstLength", 4),
	ISCSIT_VALUE("FirstBurstLength", 5),
	ISCSIT_VALUE("MaxOutstandingR2T", 6),
	ISCSIT_VALUE("HeaderDigest", 7),
	ISCSIT_VALUE("DataDigest", 8),
	ISCSIT_VALUE("QueuedCommands", 9),
	ISCSIT_VALUE("RspTimeout", 10),
	ISCSIT_VALUE("NopInInterval", 11),
	ISCSIT_VALUE("NopInTimeout", 12),
	ISCSIT_VALUE("MaxSessions", 13),
	ISCSIT_VALUE("RDMAExtensions", 14),
	ISCSIT_VALUE("per_portal_acl", 15),
	ISCSIT_ATTR("redirect", 0644, iscsit_redirect_show, iscsit_redirect_store, 0),
	ISCSIT_ATTR("tid", 0444, iscsit_tid_show, NULL, 0),
	ISCSIT_ATTR("alias", 0644, iscsit_alias_show, iscsit_alias_store, 0),
	NULL
};

/* ---- the driver ------------------------------------------------------------- */

static ssize_t iscsit_enabled_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(iscsit_enabled));
}

static ssize_t iscsit_enabled_store(void *obj, const struct skua_attr *attr, const char *buf,
				    size_t len)
{
	unsigned int v;

	if (kstrtouint(buf, 0, &v) || v > 1)
		return skua_bad_value(obj, attr, buf, -EINVAL);
	WRITE_ONCE(iscsit_enabled, v);
	return len;
}

static ssize_t iscsit_version_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, SKUA_VERSION "\n");
}

static ssize_t iscsit_state_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "open\n");	/* there is no daemon to wait for */
}

static ssize_t iscsit_half_open_show(void *obj, const struct skua_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%u of %u\n", iscsit_half_open_now(), iscsit_half_open_limit());
}

const struct skua_attr *const iscsit_drv_attrs[] = {
	ISCSIT_ATTR("enabled", 0644, iscsit_enabled_show, iscsit_enabled_store, 0),
	ISCSIT_ATTR("version", 0444, iscsit_version_show, NULL, 0),
	ISCSIT_ATTR("open_state", 0444, iscsit_state_show, NULL, 0),
	ISCSIT_ATTR("half_open", 0444, iscsit_half_open_show, NULL, 0),
	NULL
};
