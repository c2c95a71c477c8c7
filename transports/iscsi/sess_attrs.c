// SPDX-License-Identifier: GPL-2.0
/* Files of sessions and of their connection: what was agreed on. */
#include <linux/sysfs.h>

#include "iscsit.h"

enum {
	ISCSIT_S_MAX_XMIT = ISCSI_NR_VALUES,
	ISCSIT_S_SID,
	ISCSIT_S_REINSTATING,
	ISCSIT_S_THREADS,
	ISCSIT_C_CID,
	ISCSIT_C_IP,
	ISCSIT_C_TARGET_IP,
	ISCSIT_C_STATE,
	ISCSIT_C_TRANSPORT,
};

struct iscsit_sess_show {
	char *buf;
	ssize_t len;
	unsigned long what;
};

static ssize_t iscsit_show_nego(const struct iscsit_conn *conn, unsigned long id, char *buf)
{
	const struct iscsi_key *key = &iscsi_keys[id];
	u32 v = conn->nego.value[id];

	switch (key->type) {
	case ISCSI_LIST:
		return sysfs_emit(buf, "%s\n", key->items[v]);
	case ISCSI_AND:
	case ISCSI_OR:
		return sysfs_emit(buf, "%s\n", v ? "Yes" : "No");
	default:
		return sysfs_emit(buf, "%u\n", v);
	}
}

/* Address here without port */
static ssize_t iscsit_show_local(const struct iscsit_conn *conn, char *buf)
{
	const char *port = strrchr(conn->local, ':');

	if (conn->mover->rdma)
		return -ENOENT;		/* as tools know it */
	return sysfs_emit(buf, "%.*s", (int)(port ? port - conn->local : 0), conn->local);
}

static ssize_t iscsit_show_max_xmit(const struct iscsit_conn *conn, char *buf)
{
	int id = conn->mover->rdma ? ISCSI_INITIATOR_RECV_DSL : ISCSI_MAX_RECV_DSL;

	return sysfs_emit(buf, "%u\n", conn->nego.value[id]);
}

static ssize_t iscsit_show_one(const struct iscsit_conn *conn, unsigned long what, char *buf)
{
	switch (what) {
	case ISCSIT_S_SID:
		/* TSIH and ISID, as one number */
		return sysfs_emit(buf, "%04x%*phN\n", conn->tsih, 6, conn->isid);
	case ISCSIT_S_REINSTATING:
		return sysfs_emit(buf, "0\n");	/* the old session is gone by then */
	case ISCSIT_S_THREADS:
		return sysfs_emit(buf, "\n");	/* there are none */
	case ISCSIT_S_MAX_XMIT:
		return iscsit_show_max_xmit(conn, buf);
	case ISCSI_MAX_RECV_DSL:		/* ours; the initiator's is the other one */
		return sysfs_emit(buf, "%u\n", conn->max_recv);
	case ISCSIT_C_CID:
		return sysfs_emit(buf, "%u", conn->cid);
	case ISCSIT_C_IP:
		return sysfs_emit(buf, "%s", conn->peer_ip);
	case ISCSIT_C_TARGET_IP:
		return iscsit_show_local(conn, buf);
	case ISCSIT_C_STATE:
		return sysfs_emit(buf, "%s", READ_ONCE(conn->dying) || READ_ONCE(conn->ended) ?
				  "closing" : "established idle ");
	case ISCSIT_C_TRANSPORT:
		return sysfs_emit(buf, "%s\n", conn->mover->name);
	default:
		return iscsit_show_nego(conn, what, buf);
	}
}

/* MaxConnections=1: there is one, or none any more. During the login nothing is there. */
static void iscsit_show_queue(struct skua_queue *queue, void *arg)
{
	const struct iscsit_conn *conn = container_of(queue, struct iscsit_queue, queue)->conn;
	struct iscsit_sess_show *show = arg;

	show->len = iscsit_show_one(conn, show->what, show->buf);
}

static ssize_t iscsit_sess_attr_show(void *obj, const struct skua_attr *attr, char *buf)
{
	struct iscsit_sess_show show = { .buf = buf, .what = attr->arg };

	skua_session_for_each_queue(obj, iscsit_show_queue, &show);
	return show.len;
}

#define ISCSIT_SESS(_name, _arg)	ISCSIT_ATTR(_name, 0444, iscsit_sess_attr_show, NULL, _arg)

const struct skua_attr *const iscsit_sess_attrs[] = {
	ISCSIT_SESS("InitialR2T", ISCSI_INITIAL_R2T),
	ISCSIT_SESS("ImmediateData", ISCSI_IMMEDIATE_DATA),
	ISCSIT_SESS("MaxRecvDataSegmentLength", ISCSI_MAX_RECV_DSL),
	ISCSIT_SESS("MaxXmitDataSegmentLength", ISCSIT_S_MAX_XMIT),
	ISCSIT_SESS("MaxBurstLength", ISCSI_MAX_BURST),
	ISCSIT_SESS("FirstBurstLength", ISCSI_FIRST_BURST),
	ISCSIT_SESS("MaxOutstandingR2T", ISCSI_MAX_R2T),
	ISCSIT_SESS("HeaderDigest", ISCSI_HEADER_DIGEST),
	ISCSIT_SESS("DataDigest", ISCSI_DATA_DIGEST),
	ISCSIT_SESS("sid", ISCSIT_S_SID),
	ISCSIT_SESS("reinstating", ISCSIT_S_REINSTATING),
	ISCSIT_SESS("thread_pid", ISCSIT_S_THREADS),
	NULL
};

const struct skua_attr *const iscsit_conn_attrs[] = {
	ISCSIT_SESS("cid", ISCSIT_C_CID),
	ISCSIT_SESS("ip", ISCSIT_C_IP),
	ISCSIT_SESS("target_ip", ISCSIT_C_TARGET_IP),
	ISCSIT_SESS("state", ISCSIT_C_STATE),
	ISCSIT_SESS("transport", ISCSIT_C_TRANSPORT),
	NULL
};
