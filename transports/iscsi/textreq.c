// SPDX-License-Identifier: GPL-2.0
/*
 * Text requests of the full feature phase: SendTargets, and the few keys that may
 * change there. RFC 7143 6.4, 11.10, 11.11 and appendix C.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "nego.h"

/**
 * iscsi_exchange_init() - no exchange is open
 * @x: state
 * @nego: of the connection
 * @env: targets
 * @arg: for @env
 * @buf: room for answers
 * @size: bytes of it
 */
void iscsi_exchange_init(struct iscsi_exchange *x, struct iscsi_nego *nego,
			 const struct iscsi_exchange_env *env, void *arg, char *buf, u32 size)
{
	memset(x, 0, offsetof(struct iscsi_exchange, in));
	x->nego = nego;
	x->env = env;
	x->arg = arg;
	x->out.buf = buf;
	x->out.size = size;
	x->ttt = ISCSI_NO_TAG;
}

static void exchange_reset(struct iscsi_exchange *x, u32 itt)
{
	x->itt = itt;
	x->in_len = 0;
	x->out.len = 0;
	x->out.full = false;
	x->sent = 0;
	x->answering = false;
	x->ttt = ISCSI_NO_TAG;
	x->nego->seen = 0;
}

/* All targets only in discovery sessions; an empty value is this session's: appendix C */
static int exchange_targets(struct iscsi_exchange *x, const char *which)
{
	bool all = !strcmp(which, "All");

	if ((all && !x->nego->discovery) || (!*which && x->nego->discovery)) {
		iscsi_text_add(&x->out, "SendTargets", "Reject");
		return 0;
	}
	return x->env->targets(x->arg, all ? NULL : which, &x->out);
}

static u8 exchange_text(struct iscsi_exchange *x)
{
	struct iscsi_parsed parsed;
	const char *which;
	u32 len = x->in_len;

	x->in_len = 0;
	x->out.len = 0;
	x->sent = 0;
	if (iscsi_text_parse(x->in, len, &parsed, &x->out))
		return ISCSI_REJECT_INVALID_FIELD;
	if (iscsi_nego_step(x->nego, ISCSI_K_FULL, &parsed, &x->out))
		return ISCSI_REJECT_PROTOCOL;
	which = parsed.value[ISCSI_SEND_TARGETS];
	if (which && exchange_targets(x, which))
		return ISCSI_REJECT_RESOURCES;
	return x->out.full ? ISCSI_REJECT_RESOURCES : 0;
}

static u8 exchange_take(struct iscsi_exchange *x, const struct iscsi_bhs *req, const void *data,
			u32 len)
{
	u32 itt = be32_to_cpu(req->itt), ttt = be32_to_cpu(req->ttt);

	if (ttt == ISCSI_NO_TAG)
		exchange_reset(x, itt);
	else if (ttt != x->ttt || itt != x->itt)
		return ISCSI_REJECT_PROTOCOL;
	if (req->ahs_words || len != iscsi_dsl(req) ||
	    (req->flags & ISCSI_F_FINAL && req->flags & ISCSI_F_CONTINUE))
		return ISCSI_REJECT_INVALID_FIELD;
	if (x->answering)
		return len ? ISCSI_REJECT_PROTOCOL : 0;
	if (len > ISCSI_TEXT_MAX - x->in_len)
		return ISCSI_REJECT_RESOURCES;
	memcpy(x->in + x->in_len, data, len);
	x->in_len += len;
	return req->flags & ISCSI_F_CONTINUE ? 0 : exchange_text(x);
}

/**
 * iscsi_exchange_step() - take a Text Request
 * @x: state
 * @req: its header
 * @data: data segment
 * @len: bytes of it
 * @most: longest data segment that the initiator takes
 * @rsp: gets opcode, flags, tags and length of the response
 * @rsp_data: its data segment, valid until the next step
 *
 * Return: 0, or the reason of a Reject: the exchange is over then.
 */
u8 iscsi_exchange_step(struct iscsi_exchange *x, const struct iscsi_bhs *req, const void *data,
		       u32 len, u32 most, struct iscsi_bhs *rsp, const void **rsp_data)
{
	u8 reason = exchange_take(x, req, data, len);
	u32 n;

	if (reason) {
		exchange_reset(x, ISCSI_NO_TAG);
		return reason;
	}
	n = min(x->out.len - x->sent, most);
	*rsp_data = x->out.buf + x->sent;
	x->sent += n;
	x->answering = x->sent < x->out.len;
	memset(rsp, 0, sizeof(*rsp));
	rsp->opcode = ISCSI_TEXT_RSP;
	memcpy(rsp->lun, req->lun, sizeof(rsp->lun));
	rsp->itt = req->itt;
	iscsi_set_dsl(rsp, n);
	if (x->answering) {
		rsp->flags = ISCSI_F_CONTINUE;
	} else if (req->flags & ISCSI_F_FINAL) {
		rsp->flags = ISCSI_F_FINAL;
		exchange_reset(x, ISCSI_NO_TAG);
	}
	if (!(rsp->flags & ISCSI_F_FINAL))
		x->ttt = x->next_ttt++ & 0x7fffffff;
	rsp->ttt = cpu_to_be32(x->ttt);
	return 0;
}
