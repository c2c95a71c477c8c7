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

static void iscsit_login_conf(struct iscsit_conn *conn, struct iscsi_login *login)
{
	struct iscsit_target *target = conn->target;
	const struct iscsit_attr_values *conf = &target->conf;

	spin_lock(&target->lock);
	memcpy(login->nego.ours, conf->ours, sizeof(conf->ours));
	login->nego.max_xmit = conf->max_xmit;
	conn->depth = conf->depth;
	conn->nop_interval = conf->nop_interval;
	conn->nop_timeout = conf->nop_timeout;
	memcpy(login->alias, target->alias, sizeof(login->alias));
	spin_unlock(&target->lock);
}

static u16 iscsit_login_find(struct iscsi_login *login)
{
	struct iscsit_conn *conn = login->arg;
	struct iscsit_target *target;
	bool enabled;

	if (!READ_ONCE(iscsit_enabled))
		return ISCSI_LOGIN_UNAVAILABLE;
	if (login->tsih)		/* MaxConnections=1: no session takes another one */
		return ISCSI_LOGIN_NO_SESSION;
	if (login->nego.discovery) {
		login->auth = iscsit_users_any(&iscsit_discovery_users, false);
		conn->depth = ISCSIT_DISCOVERY_DEPTH;
		return ISCSI_LOGIN_OK;
	}
	target = iscsit_target_get(login->target);
	if (!target)
		return ISCSI_LOGIN_NOT_FOUND;
	conn->target = target;
	mutex_lock(&target->login);
	enabled = !target->dead && skua_tgt_enabled(target->tgt);
	mutex_unlock(&target->login);
	if (!enabled)
		return ISCSI_LOGIN_UNAVAILABLE;
	iscsit_login_conf(conn, login);
	login->portal_group = ISCSIT_PORTAL_GROUP;
	login->auth = iscsit_users_any(&target->users, false);
	return ISCSI_LOGIN_OK;
}

static struct iscsit_users *iscsit_login_users(struct iscsit_conn *conn)
{
	return conn->target ? &conn->target->users : &iscsit_discovery_users;
}

static bool iscsit_login_secret(void *arg, struct iscsi_user *user)
{
	return iscsit_user_find(iscsit_login_users(arg), false, user);
}

static bool iscsit_login_own(void *arg, struct iscsi_user *own)
{
	return iscsit_user_find(iscsit_login_users(arg), true, own);
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

static int iscsit_login_attach(struct iscsit_conn *conn, struct iscsi_login *login)
{
	char key[ISCSI_NAME_MAX + sizeof(login->isid)];
	u8 id[SKUA_MAX_TRANSPORT_ID] = {};
	struct skua_session_params params = {
		.initiator = login->initiator,
		.key = key,
		.transport_id = id,
	};
	struct skua_session *sess;
	int ret;

	for (params.key_len = 0; login->initiator[params.key_len]; params.key_len++)
		key[params.key_len] = tolower(login->initiator[params.key_len]);
	memcpy(key + params.key_len, login->isid, sizeof(login->isid));
	params.key_len += sizeof(login->isid);
	params.transport_id_len = iscsit_transport_id(login, id);

	skua_session_close_key(conn->target->tgt, key, params.key_len);
	sess = skua_session_get(conn->target->tgt, &params);
	if (IS_ERR(sess))
		return PTR_ERR(sess);
	ret = skua_queue_attach(&conn->q->queue, sess);
	skua_session_put(sess);
	if (ret)
		return ret;
	kref_get(&conn->refs);		/* until drained() */
	conn->attached = true;
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
		return ISCSI_LOGIN_OK;
	if (iscsit_conn_alloc_queue(conn))
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
	iscsi_login_init(conn->login, &iscsit_login_env, conn, false);
	return 0;
}

/* The full feature phase begins. */
static void iscsit_login_done(struct iscsit_conn *conn)
{
	struct iscsi_login *login = conn->login;

	conn->nego = login->nego;
	conn->cid = login->cid;
	conn->tsih = login->tsih;
	memcpy(conn->isid, login->isid, sizeof(conn->isid));
	conn->stat_sn = login->stat_sn;
	conn->exp_cmd_sn = login->cmd_sn;
	conn->max_cmd_sn = login->max_cmd_sn;
	conn->max_recv = login->nego.ours[ISCSI_MAX_RECV_DSL];
	conn->header_digest = login->nego.value[ISCSI_HEADER_DIGEST];
	conn->data_digest = login->nego.value[ISCSI_DATA_DIGEST];
	pr_info("skua_iscsi: %s: %s logged in to %s\n", conn->peer, login->initiator,
		login->nego.discovery ? "discovery" : login->target);
	iscsi_login_wipe(login);
	kvfree(login);
	conn->login = NULL;
	iscsit_half_open_end(conn);
	mod_delayed_work(iscsit_wq, &conn->timer, HZ);
}

static void iscsit_login_log(const struct iscsit_conn *conn, const struct iscsi_bhs *rsp)
{
	pr_info_ratelimited("skua_iscsi: %s: login of %s to %s refused: status %02x%02x\n",
			    conn->peer, conn->login->initiator, conn->login->target,
			    rsp->status_class, rsp->status_detail);
}

/**
 * iscsit_rx_login() - a whole PDU of the login phase is there
 * @conn: the connection
 *
 * Return: 0, or -errno: the connection has to end.
 */
int iscsit_rx_login(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	enum iscsi_verdict verdict;
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_LOGIN_RSP);
	const void *data;
	u32 len;

	if (!ctl)
		return -ENOMEM;
	verdict = iscsi_login_step(conn->login, &rx->bhs, rx->buf, rx->len, &ctl->bhs, &data,
				   &len);
	if (verdict != ISCSI_DROP && len) {
		ctl->data = kmemdup(data, len, GFP_NOIO);
		ctl->len = len;
	}
	if (verdict == ISCSI_DROP || (len && !ctl->data)) {
		iscsit_ctl_free(ctl);
		return -EPROTO;
	}
	ctl->login = true;
	ctl->close = verdict == ISCSI_REFUSED;
	conn->logout = ctl->close;
	if (verdict == ISCSI_REFUSED)
		iscsit_login_log(conn, &ctl->bhs);
	else if (verdict == ISCSI_LOGGED_IN)
		iscsit_login_done(conn);
	iscsit_ctl_send(ctl);
	return 0;
}

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
	if (!skua_tgt_enabled(target->tgt))
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
