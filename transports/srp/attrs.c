// SPDX-License-Identifier: GPL-2.0
/*
 * Files of SRP targets and sessions. A value that was configured is followed by
 * the line "[key]".
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "srpt.h"

#define SRPT_DEFAULT_PORT_ID	"Skua SRP target"

/* ---- targets ---------------------------------------------------------- */

static ssize_t srpt_login_info_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct srpt_target *target = skua_tgt_priv(obj);

	const __be64 *half = (const void *)&target->gid;
	u64 guid = srpt_service_guid;
	int len;

	len = sysfs_emit(buf, "tid_ext=%016llx,ioc_guid=%016llx,pkey=ffff,", guid, guid);
	len += sysfs_emit_at(buf, len, "dgid=%016llx%016llx,service_id=%016llx\n",
			     be64_to_cpu(half[0]), be64_to_cpu(half[1]), guid);
	return len;
}

static ssize_t srpt_device_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct srpt_target *target = skua_tgt_priv(obj);
	ssize_t len;

	spin_lock(&target->lock);
	len = sysfs_emit(buf, "%s\n", target->dev_name);
	spin_unlock(&target->lock);
	return len;
}

static ssize_t srpt_link_layer_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct srpt_target *target = skua_tgt_priv(obj);

	switch (READ_ONCE(target->link_layer)) {
	case IB_LINK_LAYER_INFINIBAND:
		return sysfs_emit(buf, "InfiniBand\n");
	case IB_LINK_LAYER_ETHERNET:
		return sysfs_emit(buf, "Ethernet\n");
	default:
		return sysfs_emit(buf, "Unknown\n");
	}
}

static ssize_t srpt_port_id_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct srpt_target *target = skua_tgt_priv(obj);
	ssize_t len;

	spin_lock(&target->lock);
	len = sysfs_emit(buf, "%s\n%s", target->port_id,
			 strcmp(target->port_id, SRPT_DEFAULT_PORT_ID) ? "[key]\n" : "");
	spin_unlock(&target->lock);
	return len;
}

static ssize_t srpt_port_id_store(void *obj, const struct skua_attr *attr, const char *buf,
				  size_t len)
{
	struct srpt_target *target = skua_tgt_priv(obj);
	size_t n = len;

	while (n && (buf[n - 1] == '\n' || buf[n - 1] == ' ' || buf[n - 1] == '\t'))
		n--;
	if (n >= sizeof(target->port_id))
		return skua_bad_value(obj, attr, buf, -E2BIG);
	spin_lock(&target->lock);
	memcpy(target->port_id, buf, n);
	target->port_id[n] = '\0';
	spin_unlock(&target->lock);
	return len;
}

static ssize_t srpt_comp_v_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct srpt_target *target = skua_tgt_priv(obj);
	ssize_t len;

	spin_lock(&target->lock);
	len = sysfs_emit(buf, "%*pb\n[key]\n", (int)target->nr_vectors, target->vectors);
	spin_unlock(&target->lock);
	return len;
}

static ssize_t srpt_comp_v_store(void *obj, const struct skua_attr *attr, const char *buf,
				 size_t len)
{
	struct srpt_target *target = skua_tgt_priv(obj);
	DECLARE_BITMAP(vectors, SRPT_MAX_VECTORS);
	int ret;

	ret = bitmap_parse(buf, len, vectors, SRPT_MAX_VECTORS);
	if (ret)
		return skua_bad_value(obj, attr, buf, ret);
	spin_lock(&target->lock);
	if (bitmap_empty(vectors, SRPT_MAX_VECTORS) ||
	    find_last_bit(vectors, SRPT_MAX_VECTORS) >= target->nr_vectors)
		ret = -EINVAL;
	else
		bitmap_copy(target->vectors, vectors, SRPT_MAX_VECTORS);
	spin_unlock(&target->lock);
	return ret ? skua_bad_value(obj, attr, buf, ret) : len;
}

#define SRPT_ATTR(_var, _name, _mode, _show, _store)				\
	static const struct skua_attr _var = {					\
		.attr = { .name = _name, .mode = _mode },			\
		.show = _show, .store = _store,					\
	}

SRPT_ATTR(srpt_attr_login_info, "login_info", 0444, srpt_login_info_show, NULL);
SRPT_ATTR(srpt_attr_device, "device", 0444, srpt_device_show, NULL);
SRPT_ATTR(srpt_attr_link_layer, "link_layer", 0444, srpt_link_layer_show, NULL);
SRPT_ATTR(srpt_attr_port_id, "port_id", 0644, srpt_port_id_show, srpt_port_id_store);
SRPT_ATTR(srpt_attr_comp_v, "comp_v_mask", 0644, srpt_comp_v_show, srpt_comp_v_store);

const struct skua_attr *const srpt_tgt_attrs[] = {
	&srpt_attr_login_info,
	&srpt_attr_device,
	&srpt_attr_link_layer,
	&srpt_attr_port_id,
	&srpt_attr_comp_v,
	NULL
};

/* ---- sessions: a line per channel --------------------------------------- */

enum { SRPT_CH_STATE, SRPT_REQ_LIM, SRPT_REQ_LIM_DELTA, SRPT_COMP_VECTOR };

struct srpt_show {
	char *buf;
	int len;
	unsigned long what;
};

static void srpt_show_queue(struct skua_queue *queue, void *arg)
{
	const struct srpt_chan *ch = container_of(queue, struct srpt_queue, queue)->ch;
	struct srpt_show *show = arg;

	switch (show->what) {
	case SRPT_CH_STATE:
		show->len += sysfs_emit_at(show->buf, show->len, "%s\n", srpt_state_name(ch));
		break;
	case SRPT_REQ_LIM:
		show->len += sysfs_emit_at(show->buf, show->len, "%d\n",
					   atomic_read(&ch->req_lim));
		break;
	case SRPT_REQ_LIM_DELTA:
		show->len += sysfs_emit_at(show->buf, show->len, "%d\n", atomic_read(&ch->delta));
		break;
	default:
		show->len += sysfs_emit_at(show->buf, show->len, "%u\n", ch->conn.comp_vector);
		break;
	}
}

static ssize_t srpt_sess_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct srpt_show show = { .buf = buf, .what = attr->arg };

	skua_session_for_each_queue(obj, srpt_show_queue, &show);
	return show.len;
}

#define SRPT_SESS_ATTR(_var, _name, _arg)					\
	static const struct skua_attr _var = {					\
		.attr = { .name = _name, .mode = 0444 },			\
		.show = srpt_sess_show, .arg = _arg,				\
	}

SRPT_SESS_ATTR(srpt_attr_ch_state, "ch_state", SRPT_CH_STATE);
SRPT_SESS_ATTR(srpt_attr_req_lim, "req_lim", SRPT_REQ_LIM);
SRPT_SESS_ATTR(srpt_attr_req_lim_delta, "req_lim_delta", SRPT_REQ_LIM_DELTA);
SRPT_SESS_ATTR(srpt_attr_comp_vector, "comp_vector", SRPT_COMP_VECTOR);

const struct skua_attr *const srpt_sess_attrs[] = {
	&srpt_attr_ch_state,
	&srpt_attr_req_lim,
	&srpt_attr_req_lim_delta,
	&srpt_attr_comp_vector,
	NULL
};
