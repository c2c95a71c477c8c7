// SPDX-License-Identifier: GPL-2.0
/*
 * The login phase as a function: (state, request) to (state, response, verdict).
 * RFC 7143 section 6.3, 11.12 and 11.13.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "nego.h"

/**
 * iscsi_login_init() - a connection begins
 * @login: state
 * @env: what the outside knows
 * @arg: for @env, in login->arg
 * @rdma: iSER
 */
void iscsi_login_init(struct iscsi_login *login, const struct iscsi_login_env *env, void *arg,
		      bool rdma)
{
	memset(login, 0, offsetof(struct iscsi_login, in));
	login->env = env;
	login->arg = arg;
	login->out.buf = login->out_buf;
	login->out.size = sizeof(login->out_buf);
	iscsi_nego_init(&login->nego, rdma);
}

/**
 * iscsi_login_wipe() - a login has ended in any way: forget secrets
 * @login: state
 */
void iscsi_login_wipe(struct iscsi_login *login)
{
	iscsi_chap_wipe(&login->chap);
	memzero_explicit(login->in, sizeof(login->in));
	memzero_explicit(login->out_buf, sizeof(login->out_buf));
}

/* ---- the header ------------------------------------------------------- */

static void login_first(struct iscsi_login *login, const struct iscsi_bhs *req)
{
	memcpy(login->isid, req->isid, sizeof(login->isid));
	login->tsih = be16_to_cpu(req->tsih);
	login->cid = be16_to_cpu(req->cid);
	login->itt = be32_to_cpu(req->itt);
	login->cmd_sn = be32_to_cpu(req->cmd_sn);
	login->max_cmd_sn = login->cmd_sn;
	login->stage = ISCSI_LOGIN_CSG(req->flags);
	login->begun = true;
}

static bool login_same(const struct iscsi_login *login, const struct iscsi_bhs *req)
{
	return !memcmp(login->isid, req->isid, sizeof(login->isid)) &&
	       login->tsih == be16_to_cpu(req->tsih) && login->cid == be16_to_cpu(req->cid) &&
	       login->itt == be32_to_cpu(req->itt) &&
	       login->stage == ISCSI_LOGIN_CSG(req->flags);
}

static u16 login_header(struct iscsi_login *login, const struct iscsi_bhs *req, u32 len)
{
	u8 csg = ISCSI_LOGIN_CSG(req->flags), nsg = ISCSI_LOGIN_NSG(req->flags);

	if (!login->begun)
		login_first(login, req);
	if (req->b3)			/* Version-min; there is only version 0 */
		return ISCSI_LOGIN_BAD_VERSION;
	if (!login_same(login, req) || req->ahs_words || len != iscsi_dsl(req) ||
	    login->pdus++ == ISCSI_LOGIN_PDUS)
		return ISCSI_LOGIN_INITIATOR_ERR;
	if (csg != ISCSI_STAGE_SECURITY && csg != ISCSI_STAGE_OPERATIONAL)
		return ISCSI_LOGIN_INITIATOR_ERR;
	if (req->flags & ISCSI_F_TRANSIT &&
	    (req->flags & ISCSI_F_CONTINUE || nsg <= csg ||
	     (nsg != ISCSI_STAGE_OPERATIONAL && nsg != ISCSI_STAGE_FULL)))
		return ISCSI_LOGIN_INITIATOR_ERR;
	return ISCSI_LOGIN_OK;
}

/* ---- the text --------------------------------------------------------- */

/* Names are used in the tree and in the log: no blanks, no control characters. */
static bool login_name(char *name, const char *value)
{
	const char *c;

	for (c = value; *c; c++)
		if ((u8)*c <= ' ' || *c == 0x7f)
			return false;
	if (c == value || c - value > ISCSI_NAME_MAX)
		return false;
	memcpy(name, value, c - value + 1);
	return true;
}

/* The first whole text says who wants to talk to whom. */
static u16 login_names(struct iscsi_login *login, const struct iscsi_parsed *parsed)
{
	const char *type = parsed->value[ISCSI_SESSION_TYPE];
	const char *initiator = parsed->value[ISCSI_INITIATOR_NAME];
	const char *target = parsed->value[ISCSI_TARGET_NAME];
	u16 status;

	if (login->known)
		return type || initiator || target ? ISCSI_LOGIN_INITIATOR_ERR : ISCSI_LOGIN_OK;
	if (type && strcmp(type, "Normal")) {
		if (strcmp(type, "Discovery"))
			return ISCSI_LOGIN_BAD_SESSION_TYPE;
		login->nego.discovery = true;
	}
	if (!initiator || (!target && !login->nego.discovery))
		return ISCSI_LOGIN_MISSING_PARAM;
	if (!login_name(login->initiator, initiator) ||
	    (target && !login_name(login->target, target)))
		return ISCSI_LOGIN_INITIATOR_ERR;
	login->known = true;
	status = login->env->find(login);
	login->secure = !login->auth;
	if (!status && !login->secure && login->stage != ISCSI_STAGE_SECURITY)
		status = ISCSI_LOGIN_AUTH_FAILED;	/* the stage that it left out is needed */
	return status;
}

static bool list_has(const char *list, const char *item)
{
	for (;;) {
		size_t len = strcspn(list, ",");

		if (len == strlen(item) && !memcmp(list, item, len))
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

static u16 login_security(struct iscsi_login *login, const struct iscsi_parsed *parsed)
{
	const char *methods = parsed->value[ISCSI_AUTH_METHOD];
	const char *method = login->auth ? "CHAP" : "None";
	u16 status;

	if (!methods) {
		status = iscsi_chap_step(&login->chap, login->env, login->arg, parsed,
					 &login->out);
		if (login->chap.state == ISCSI_CHAP_DONE)
			login->secure = true;
		return status;
	}
	if (!list_has(methods, method))
		return ISCSI_LOGIN_AUTH_FAILED;
	iscsi_text_add(&login->out, "AuthMethod", method);
	if (login->auth)
		login->chap.state = ISCSI_CHAP_WANT_A;
	return ISCSI_LOGIN_OK;
}

/* What the target says of itself, each once. */
static void login_greet(struct iscsi_login *login, u8 flags)
{
	bool last = login->stage == ISCSI_STAGE_OPERATIONAL ||
		    (flags & ISCSI_F_TRANSIT && ISCSI_LOGIN_NSG(flags) == ISCSI_STAGE_FULL);

	if (!login->greeted && !login->nego.discovery) {
		if (login->alias[0])
			iscsi_text_add(&login->out, "TargetAlias", login->alias);
		iscsi_text_add_u32(&login->out, "TargetPortalGroupTag", login->portal_group);
	}
	login->greeted = true;
	if (last && !login->declared && !login->nego.rdma) {
		iscsi_text_add_u32(&login->out, "MaxRecvDataSegmentLength",
				   login->nego.ours[ISCSI_MAX_RECV_DSL]);
		login->declared = true;
	}
}

/* A whole text is in login->in. */
static u16 login_text(struct iscsi_login *login, u8 flags)
{
	bool security = login->stage == ISCSI_STAGE_SECURITY;
	struct iscsi_parsed parsed;
	u32 len = login->in_len;
	u16 status;

	login->in_len = 0;
	login->out.len = 0;
	login->sent = 0;
	if (iscsi_text_parse(login->in, len, &parsed, &login->out))
		return ISCSI_LOGIN_INITIATOR_ERR;
	status = login_names(login, &parsed);
	if (status)
		return status;
	if (iscsi_nego_step(&login->nego, security ? ISCSI_K_SECURITY : ISCSI_K_OPERATIONAL,
			    &parsed, &login->out))
		return ISCSI_LOGIN_INITIATOR_ERR;
	if (security)
		status = login_security(login, &parsed);
	if (status)
		return status;
	if (!login->secure && login->chap.state == ISCSI_CHAP_OFF && flags & ISCSI_F_TRANSIT)
		return ISCSI_LOGIN_AUTH_FAILED;
	login_greet(login, flags);
	if (!security && flags & ISCSI_F_TRANSIT)
		iscsi_nego_offer(&login->nego, &login->out);
	return login->out.full ? ISCSI_LOGIN_INITIATOR_ERR : ISCSI_LOGIN_OK;
}

/* ---- the response ----------------------------------------------------- */

/* The initiator wants to go on to the next stage, and all it was told has been said. */
static u16 login_transit(struct iscsi_login *login, u8 flags, struct iscsi_bhs *rsp)
{
	u8 nsg = ISCSI_LOGIN_NSG(flags);
	bool settled = iscsi_nego_settled(&login->nego);
	u16 status;

	if (!login->secure || (!settled && login->stage == ISCSI_STAGE_OPERATIONAL))
		return ISCSI_LOGIN_OK;
	if (nsg == ISCSI_STAGE_FULL && !settled)
		nsg = ISCSI_STAGE_OPERATIONAL;
	if (nsg == ISCSI_STAGE_FULL) {
		if (login->nego.rdma && !login->nego.discovery &&
		    !login->nego.value[ISCSI_RDMA_EXTENSIONS])
			return ISCSI_LOGIN_MISSING_PARAM;
		status = login->env->open(login);
		if (status)
			return status;
		rsp->tsih = cpu_to_be16(login->tsih);
	}
	rsp->flags |= ISCSI_F_TRANSIT | nsg;
	login->stage = nsg;
	return ISCSI_LOGIN_OK;
}

static u16 login_answer(struct iscsi_login *login, u8 flags, struct iscsi_bhs *rsp, u32 *rsp_len)
{
	u32 most = min_t(u32, login->nego.value[ISCSI_MAX_RECV_DSL], ISCSI_LOGIN_DSL);

	*rsp_len = min(login->out.len - login->sent, most);
	login->answering = login->sent + *rsp_len < login->out.len;
	if (login->answering)
		rsp->flags |= ISCSI_F_CONTINUE;
	else if (flags & ISCSI_F_TRANSIT)
		return login_transit(login, flags, rsp);
	return ISCSI_LOGIN_OK;
}

static u16 login_take(struct iscsi_login *login, const struct iscsi_bhs *req, const void *data,
		      u32 len, struct iscsi_bhs *rsp, u32 *rsp_len)
{
	u16 status = login_header(login, req, len);

	rsp->flags = login->stage << 2;
	if (status)
		return status;
	if (login->answering) {
		/* The initiator fetches the rest of our text with empty requests. */
		if (len || req->flags & ISCSI_F_CONTINUE)
			return ISCSI_LOGIN_INITIATOR_ERR;
		return login_answer(login, req->flags, rsp, rsp_len);
	}
	if (len > ISCSI_TEXT_MAX - login->in_len)
		return ISCSI_LOGIN_INITIATOR_ERR;
	memcpy(login->in + login->in_len, data, len);
	login->in_len += len;
	if (req->flags & ISCSI_F_CONTINUE)
		return ISCSI_LOGIN_OK;
	status = login_text(login, req->flags);
	return status ?: login_answer(login, req->flags, rsp, rsp_len);
}

static void login_refuse(struct iscsi_login *login, u16 status, struct iscsi_bhs *rsp,
			 u32 *rsp_len)
{
	rsp->flags = 0;
	rsp->status_class = status >> 8;
	rsp->status_detail = status;
	login->out.len = 0;
	login->out.full = false;
	login->sent = 0;
	if (status == ISCSI_LOGIN_MOVED_TEMP || status == ISCSI_LOGIN_MOVED_PERM)
		iscsi_text_add(&login->out, "TargetAddress", login->redirect);
	*rsp_len = login->out.len;
}

/**
 * iscsi_login_step() - take a request of the login phase
 * @login: state
 * @req: header, as received
 * @data: data segment, without padding
 * @len: bytes of it
 * @rsp: gets the response's header, unless the verdict is ISCSI_DROP
 * @rsp_data: its data segment, valid until the next step
 * @rsp_len: bytes of that
 *
 * Return: enum iscsi_verdict. After anything but ISCSI_GO_ON the phase is over.
 */
enum iscsi_verdict iscsi_login_step(struct iscsi_login *login, const struct iscsi_bhs *req,
				    const void *data, u32 len, struct iscsi_bhs *rsp,
				    const void **rsp_data, u32 *rsp_len)
{
	u16 status;

	if ((req->opcode & ISCSI_OPCODE_MASK) != ISCSI_LOGIN_REQ)
		return ISCSI_DROP;
	memset(rsp, 0, sizeof(*rsp));
	*rsp_len = 0;
	memcpy(rsp->isid, req->isid, sizeof(rsp->isid));
	rsp->tsih = req->tsih;
	rsp->itt = req->itt;
	status = login_take(login, req, data, len, rsp, rsp_len);
	if (status)
		login_refuse(login, status, rsp, rsp_len);
	rsp->opcode = ISCSI_LOGIN_RSP;
	rsp->stat_sn = cpu_to_be32(login->stat_sn++);
	rsp->exp_cmd_sn = cpu_to_be32(login->cmd_sn);
	rsp->max_cmd_sn = cpu_to_be32(login->max_cmd_sn);
	*rsp_data = login->out_buf + login->sent;
	login->sent += *rsp_len;
	iscsi_set_dsl(rsp, *rsp_len);
	if (status)
		return ISCSI_REFUSED;
	return login->stage == ISCSI_STAGE_FULL ? ISCSI_LOGGED_IN : ISCSI_GO_ON;
}
