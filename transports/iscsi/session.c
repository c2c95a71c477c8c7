// SPDX-License-Identifier: GPL-2.0
/*
 * What a login and a text request ask of the outside: targets, secrets, sessions.
 */
#include <linux/ctype.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "iscsit.h"

#define ISCSIT_PORTAL_GROUP	1
#define ISCSIT_DISCOVERY_DEPTH	8

/* ---- login ------------------------------------------------------------------ */

/* What the target is ready for on this connection */
static void iscsit_login_conf(struct iscsit_conn *conn, struct iscsi_login *login)
{
	const struct iscsit_mover *mover = conn->mover;
	struct iscsit_target *target = conn->target;
	const struct iscsit_attr_values *conf = &target->conf;

	spin_lock(&target->lock);
	memcpy(login->nego.ours, conf->ours, sizeof(conf->ours));
	login->nego.max_xmit = conf->max_xmit;
	conn->depth = conf->depth;
	conn->nop_interval = conf->nop_interval;
	conn->nop_timeout = conf->nop_timeout;
	conn->rsp_timeout = conf->rsp_timeout;
	memcpy(login->alias, target->alias, sizeof(login->alias));
	spin_unlock(&target->lock);
	if (mover->rdma) {
		login->nego.ours[ISCSI_TARGET_RECV_DSL] = min(conf->ours[ISCSI_MAX_RECV_DSL],
							      mover->max_recv);
		login->nego.ours[ISCSI_INITIATOR_RECV_DSL] = conf->max_xmit;
		/* What is more than a PDU's worth is fetched by RDMA READ, for less. */
		login->nego.ours[ISCSI_FIRST_BURST] =
			min(conf->ours[ISCSI_FIRST_BURST],
			    login->nego.ours[ISCSI_TARGET_RECV_DSL]);
	}
}

/* The name that groups, access rules and the tree go by */
static void iscsit_login_name(struct iscsit_conn *conn, const struct iscsi_login *login)
{
	size_t n = strscpy(conn->initiator, login->initiator, sizeof(conn->initiator));
	const char *local = conn->local;

	if (!READ_ONCE(conn->target->conf.per_portal_acl))
		return;
	snprintf(conn->initiator + n, sizeof(conn->initiator) - n, "#%.*s",
		 (int)(strrchr(local, ':') ? strrchr(local, ':') - local : 0), local);
}

/* target->login is held. */
static u16 iscsit_login_admit(struct iscsit_conn *conn, struct iscsi_login *login)
{
	struct iscsit_target *target = conn->target;
	bool moved, perm;

	if (target->dead || !skua_tgt_enabled(target->tgt))
		return ISCSI_LOGIN_UNAVAILABLE;
	spin_lock(&target->lock);
	moved = target->redirect[0];
	perm = target->redirect_perm;
	strscpy(login->redirect, target->redirect, sizeof(login->redirect));
	spin_unlock(&target->lock);
	if (moved)
		return perm ? ISCSI_LOGIN_MOVED_PERM : ISCSI_LOGIN_MOVED_TEMP;
	if (conn->mover->rdma && !READ_ONCE(target->conf.rdma))
		return ISCSI_LOGIN_FORBIDDEN;
	iscsit_login_name(conn, login);
	skua_tgt_group_of(target->tgt, conn->initiator, conn->group, sizeof(conn->group));
	return ISCSI_LOGIN_OK;
}

static u16 iscsit_login_find(struct iscsi_login *login)
{
	struct iscsit_conn *conn = login->arg;
	struct iscsit_target *target;
	u16 status;

	if (!READ_ONCE(iscsit_enabled))
		return ISCSI_LOGIN_UNAVAILABLE;
	if (login->tsih)		/* MaxConnections=1: no session takes another one */
		return ISCSI_LOGIN_NO_SESSION;
	if (login->nego.discovery) {
		login->auth = iscsit_users_any(&iscsit_discovery_users, "");
		conn->depth = ISCSIT_DISCOVERY_DEPTH;
		return ISCSI_LOGIN_OK;
	}
	target = iscsit_target_get(login->target);
	if (!target)
		return ISCSI_LOGIN_NOT_FOUND;
	conn->target = target;
	if (!iscsit_portal_allowed(&target->users, conn->local))
		return ISCSI_LOGIN_NOT_FOUND;
	mutex_lock(&target->login);
	status = iscsit_login_admit(conn, login);
	mutex_unlock(&target->login);
	if (status)
		return status;
	iscsit_login_conf(conn, login);
	login->portal_group = ISCSIT_PORTAL_GROUP;
	login->auth = iscsit_users_any(&target->users, conn->group);
	return ISCSI_LOGIN_OK;
}

static struct iscsit_users *iscsit_login_users(struct iscsit_conn *conn)
{
	return conn->target ? &conn->target->users : &iscsit_discovery_users;
}

static bool iscsit_login_secret(void *arg, struct iscsi_user *user)
{
	struct iscsit_conn *conn = arg;

	return iscsit_user_find(iscsit_login_users(conn), conn->group, false, user);
}

static bool iscsit_login_own(void *arg, struct iscsi_user *own)
{
	struct iscsit_conn *conn = arg;

	return iscsit_user_find(iscsit_login_users(conn), conn->group, true, own);
}

/* SPC-5 7.6.4.6: the name, and the ISID if there is room */
static u32 iscsit_transport_id(const struct iscsi_login *login, u8 *id)
{
	int n = snprintf(id + 4, SKUA_MAX_TRANSPORT_ID - 4, "%s,i,0x%*phN", login->initiator,
			 (int)sizeof(login->isid), login->isid) + 1;

	id[0] = 0x45;
	if (n > SKUA_MAX_TRANSPORT_ID - 4) {
		id[0] = 0x05;
		n = snprintf(id + 4, SKUA_MAX_TRANSPORT_ID - 4, "%s", login->initiator) + 1;
	}
	n = max(ALIGN(n, 4), 20);
	put_unaligned_be16(n, id + 2);
	return 4 + n;
}

/* Name in any case, ISID: the initiator port. */
static u32 iscsit_login_key(const struct iscsi_login *login, char *key)
{
	u32 n;

	for (n = 0; login->initiator[n]; n++)
		key[n] = tolower(login->initiator[n]);
	memcpy(key + n, login->isid, sizeof(login->isid));
	return n + sizeof(login->isid);
}

static int iscsit_login_attach(struct iscsit_conn *conn, struct iscsi_login *login)
{
	char key[ISCSI_NAME_MAX + sizeof(login->isid)];
	u8 id[SKUA_MAX_TRANSPORT_ID] = {};
	struct skua_session_params params = {
		.initiator = conn->initiator,
		.key = key,
		.key_len = iscsit_login_key(login, key),
		.transport_id = id,
		.transport_id_len = iscsit_transport_id(login, id),
		.dir_name = conn->peer_ip,
		.dir_attrs = iscsit_conn_attrs,
	};
	u32 most = READ_ONCE(conn->target->conf.max_sessions);
	struct skua_session *sess;
	int ret;

	BUILD_BUG_ON(sizeof(key) > SKUA_MAX_KEY);
	memcpy(conn->isid, login->isid, sizeof(conn->isid));
	iscsit_conns_reinstate(conn);
	/* The initiator port's own old session takes no place. */
	if (most && atomic_read(&conn->target->nr_sessions) >= most)
		return -EUSERS;
	skua_session_close_key(conn->target->tgt, key, params.key_len);
	sess = skua_session_get(conn->target->tgt, &params);
	if (IS_ERR(sess))
		return PTR_ERR(sess);
	ret = skua_queue_attach(&conn->q->queue, sess);
	skua_session_put(sess);
	if (ret)
		return ret;
	iscsit_conn_get(conn);		/* until drained() */
	conn->attached = true;
	atomic_inc(&conn->target->nr_sessions);
	atomic_set(&conn->counted, 1);
	return 0;
}

static u16 iscsit_login_open(struct iscsi_login *login)
{
	static atomic_t tsih = ATOMIC_INIT(0);
	struct iscsit_conn *conn = login->arg;
	int ret;

	login->tsih = (u32)atomic_inc_return(&tsih) % 65535 + 1;
	login->max_cmd_sn = login->cmd_sn + conn->depth - 1;
	if (login->nego.discovery)
		return iscsit_discovery_begin(conn) ? ISCSI_LOGIN_OK : ISCSI_LOGIN_NO_RESOURCES;
	if (conn->mover->alloc_queue(conn))
		return ISCSI_LOGIN_NO_RESOURCES;
	mutex_lock(&conn->target->login);
	ret = conn->target->dead ? -ENOENT : iscsit_login_attach(conn, login);
	mutex_unlock(&conn->target->login);
	switch (ret) {
	case 0:
		return ISCSI_LOGIN_OK;
	case -ENOENT:
		return ISCSI_LOGIN_TARGET_REMOVED;
	case -EACCES:
		return ISCSI_LOGIN_UNAVAILABLE;
	default:
		return ISCSI_LOGIN_NO_RESOURCES;
	}
}

static void iscsit_login_random(void *buf, u32 len)
{
	get_random_bytes(buf, len);
}

static struct iscsi_login_env iscsit_login_env = {
	.find = iscsit_login_find,
	.secret = iscsit_login_secret,
	.own = iscsit_login_own,
	.open = iscsit_login_open,
	.hash = iscsit_hash,
	.random = iscsit_login_random,
};

void iscsit_login_init(u32 chap_algs)
{
	iscsit_login_env.chap_algs = chap_algs;
}

/**
 * iscsit_login_begin() - a connection enters the login phase
 * @conn: new
 *
 * Return: 0 or -ENOMEM.
 */
int iscsit_login_begin(struct iscsit_conn *conn)
{
	conn->login = kvmalloc(sizeof(*conn->login), GFP_KERNEL);
	if (!conn->login)
		return -ENOMEM;
	iscsi_login_init(conn->login, &iscsit_login_env, conn, conn->mover->rdma);
	return 0;
}

/* The full feature phase begins. */
static void iscsit_login_done(struct iscsit_conn *conn)
{
	struct iscsi_login *login = conn->login;

	conn->nego = login->nego;
	conn->cid = login->cid;
	conn->tsih = login->tsih;
	conn->stat_sn = login->stat_sn;
	conn->exp_cmd_sn = login->cmd_sn;
	conn->max_cmd_sn = login->max_cmd_sn;
	if (!conn->mover->rdma)
		conn->max_recv = login->nego.ours[ISCSI_MAX_RECV_DSL];
	else if (!login->nego.discovery)
		conn->max_recv = login->nego.value[ISCSI_TARGET_RECV_DSL];
	conn->header_digest = login->nego.value[ISCSI_HEADER_DIGEST];
	conn->data_digest = login->nego.value[ISCSI_DATA_DIGEST];
	pr_info_ratelimited("skua_iscsi: %s: %s logged in to %s over %s\n", conn->peer,
			    login->initiator,
			    login->nego.discovery ? "discovery" : login->target,
			    conn->mover->name);
	iscsi_login_wipe(login);
	kvfree(login);
	conn->login = NULL;
}

/* One rule set, one line, whatever the mover. */
static void iscsit_login_log(const struct iscsit_conn *conn, const struct iscsi_bhs *rsp)
{
	static const struct {
		u16 status;
		const char *why;
	} reasons[] = {
		{ ISCSI_LOGIN_MOVED_TEMP, "redirected" },
		{ ISCSI_LOGIN_MOVED_PERM, "redirected" },
		{ ISCSI_LOGIN_AUTH_FAILED, "authentication failed" },
		{ ISCSI_LOGIN_FORBIDDEN, "RDMAExtensions=No" },
		{ ISCSI_LOGIN_NOT_FOUND, "no such target, or not through this portal" },
		{ ISCSI_LOGIN_TARGET_REMOVED, "the target was deleted" },
		{ ISCSI_LOGIN_NO_SESSION, "a session has one connection" },
		{ ISCSI_LOGIN_UNAVAILABLE, "target or driver is not enabled" },
		{ ISCSI_LOGIN_NO_RESOURCES, "MaxSessions is reached, or memory is short" },
	};
	u16 status = rsp->status_class << 8 | rsp->status_detail;
	const char *why = "protocol error";
	int i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].status == status)
			why = reasons[i].why;
	pr_info_ratelimited("skua_iscsi: %s: login of %s to %s refused: status %04x, %s\n",
			    conn->peer, conn->login->initiator, conn->login->target, status, why);
}

/**
 * iscsit_login_pdu() - a whole PDU of the login phase is there
 * @conn: the connection
 * @bhs: its header
 * @data: its data segment
 * @len: bytes of that
 *
 * conn->login is NULL when it was the last one; numbers and values are in place then.
 *
 * Context: process, one PDU at a time.
 * Return: 0, or -errno: the connection has to end.
 */
int iscsit_login_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, const void *data,
		     u32 len)
{
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_LOGIN_RSP);
	enum iscsi_verdict verdict;
	const void *answer;
	u32 n;

	if (!ctl)
		return -ENOMEM;
	verdict = iscsi_login_step(conn->login, bhs, data, len, &ctl->bhs, &answer, &n);
	if (verdict != ISCSI_DROP && n) {
		ctl->data = kmemdup(answer, n, GFP_NOIO);
		ctl->len = n;
	}
	if (verdict == ISCSI_DROP || (n && !ctl->data)) {
		iscsit_ctl_free(ctl);
		return -EPROTO;
	}
	ctl->login = true;
	ctl->close = verdict == ISCSI_REFUSED;
	ctl->full = verdict == ISCSI_LOGGED_IN;
	conn->logout = ctl->close;
	if (verdict == ISCSI_REFUSED)
		iscsit_login_log(conn, &ctl->bhs);
	else if (verdict == ISCSI_LOGGED_IN)
		iscsit_login_done(conn);
	iscsit_ctl_send(ctl);
	if (verdict == ISCSI_LOGGED_IN)
		iscsit_conn_full(conn);
	return 0;
}
EXPORT_SYMBOL_GPL(iscsit_login_pdu);

/* ---- SendTargets ------------------------------------------------------------ */

struct iscsit_listing {
	struct iscsit_conn *conn;
	const char *which;
	struct iscsi_text *out;
};

static void iscsit_list_target(struct iscsit_target *target, void *arg)
{
	struct iscsit_listing *listing = arg;
	char address[ISCSIT_ADDR_LEN + 8];

	if (listing->which && strcasecmp(listing->which, target->name))
		return;
	if (!skua_tgt_enabled(target->tgt) ||
	    !iscsit_portal_allowed(&target->users, listing->conn->local))
		return;
	iscsi_text_add(listing->out, "TargetName", target->name);
	snprintf(address, sizeof(address), "%s,%u", listing->conn->local, ISCSIT_PORTAL_GROUP);
	iscsi_text_add(listing->out, "TargetAddress", address);
}

static int iscsit_send_targets(void *arg, const char *which, struct iscsi_text *out)
{
	struct iscsit_listing listing = { .conn = arg, .which = which, .out = out };

	if (which && !*which)
		listing.which = listing.conn->target->name;
	iscsit_targets_visit(iscsit_list_target, &listing);
	return 0;
}

const struct iscsi_exchange_env iscsit_exchange_env = { .targets = iscsit_send_targets };
