// SPDX-License-Identifier: GPL-2.0
/*
 * The PDUs of the full feature phase that carry no SCSI command and no data: NOP-Out,
 * task management, text, logout; and Reject. Runs in io_work.
 */
#include <linux/slab.h>

#include "iscsit.h"

/* ---- command numbers ---------------------------------------------------- */

/**
 * iscsit_cmd_sn() - is it the turn of this request?
 * @conn: the connection
 * @bhs: a PDU that has a CmdSN
 *
 * What is outside the window is passed over silently (4.2.2.1). A gap inside it cannot
 * be: a session has one connection, and that is in order.
 *
 * Return: 1: yes; 0: pass over it; -EPROTO.
 */
int iscsit_cmd_sn(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
	u32 sn = be32_to_cpu(bhs->cmd_sn);

	if (bhs->opcode & ISCSI_IMMEDIATE)
		return 1;
	if (sn == conn->exp_cmd_sn) {
		if (iscsi_sn_before(conn->max_cmd_sn, sn))
			return 0;
		conn->exp_cmd_sn++;
		return 1;
	}
	if (iscsi_sn_before(sn, conn->exp_cmd_sn) || iscsi_sn_before(conn->max_cmd_sn, sn))
		return 0;
	pr_info_ratelimited("skua_iscsi: %s: CmdSN %u where %u was due\n", conn->peer, sn,
			    conn->exp_cmd_sn);
	return -EPROTO;
}

/* ---- Reject --------------------------------------------------------------- */

/**
 * iscsit_reject() - say that a PDU was not taken
 * @conn: the connection; conn->rx.bhs is the PDU
 * @reason: enum iscsi_reject_reason
 *
 * Return: 0 or -ENOMEM.
 */
int iscsit_reject(struct iscsit_conn *conn, u8 reason)
{
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_REJECT);

	if (!ctl)
		return -ENOMEM;
	ctl->bhs.b2 = reason;
	ctl->bhs.itt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->data = kmemdup(&conn->rx.bhs, ISCSI_BHS_LEN, GFP_NOIO);
	ctl->len = ctl->data ? ISCSI_BHS_LEN : 0;
	iscsit_ctl_send(ctl);
	return 0;
}

/* ---- NOP ------------------------------------------------------------------ */

/**
 * iscsit_ask_nop() - ask the initiator whether it is there
 * @conn: the connection
 *
 * Context: any that may sleep. Return: 0 or -ENOMEM.
 */
int iscsit_ask_nop(struct iscsit_conn *conn)
{
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_NOP_IN);

	if (!ctl)
		return -ENOMEM;
	ctl->no_sn = true;
	ctl->bhs.itt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->bhs.ttt = cpu_to_be32(conn->nop_ttt);
	WRITE_ONCE(conn->nop_sent, jiffies ?: 1);
	iscsit_ctl_send(ctl);
	return 0;
}

static int iscsit_nop_out(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	struct iscsit_ctl *ctl;

	if (be32_to_cpu(rx->bhs.ttt) != ISCSI_NO_TAG &&
	    be32_to_cpu(rx->bhs.ttt) == conn->nop_ttt && conn->nop_sent) {
		conn->nop_ttt = (conn->nop_ttt + 1) & 0x7fffffff;
		WRITE_ONCE(conn->nop_sent, 0);
	}
	if (be32_to_cpu(rx->bhs.itt) == ISCSI_NO_TAG)
		return 0;
	ctl = iscsit_ctl_new(conn, ISCSI_NOP_IN);
	if (!ctl)
		return -ENOMEM;
	memcpy(ctl->bhs.lun, rx->bhs.lun, sizeof(ctl->bhs.lun));
	ctl->bhs.itt = rx->bhs.itt;
	ctl->bhs.ttt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->len = min(rx->len, conn->nego.value[ISCSI_MAX_RECV_DSL]);
	ctl->data = rx->buf;
	rx->buf = NULL;			/* its new owner frees it */
	rx->own = false;
	iscsit_ctl_send(ctl);
	return 0;
}

/* ---- task management -------------------------------------------------------- */

enum {
	ISCSI_TMF_COMPLETE	= 0,
	ISCSI_TMF_NO_TASK	= 1,
	ISCSI_TMF_NO_LUN	= 2,
	ISCSI_TMF_NO_REASSIGN	= 4,
	ISCSI_TMF_UNSUPPORTED	= 5,
	ISCSI_TMF_REJECTED	= 255,
};

static int iscsit_tmf_function(u8 function)
{
	static const s8 functions[] = {
		[1] = SKUA_TMF_ABORT_TASK, [2] = SKUA_TMF_ABORT_TASK_SET,
		[3] = SKUA_TMF_CLEAR_ACA, [4] = SKUA_TMF_CLEAR_TASK_SET,
		[5] = SKUA_TMF_LUN_RESET, [6] = SKUA_TMF_TARGET_RESET,
	};

	return function && function < ARRAY_SIZE(functions) ? functions[function] : -1;
}

/**
 * iscsit_respond_tmf() - send the response of a task management function
 * @tmf: done
 */
void iscsit_respond_tmf(struct skua_tmf *tmf)
{
	struct iscsit_ctl *ctl = container_of(tmf, struct iscsit_ctl, tmf);

	switch (tmf->response) {
	case SKUA_TMF_COMPLETE:
	case SKUA_TMF_SUCCEEDED:
		ctl->bhs.b2 = ISCSI_TMF_COMPLETE;
		break;
	case SKUA_TMF_NO_LUN:
		ctl->bhs.b2 = ISCSI_TMF_NO_LUN;
		break;
	case SKUA_TMF_NOT_SUPPORTED:
		ctl->bhs.b2 = ISCSI_TMF_UNSUPPORTED;
		break;
	default:
		ctl->bhs.b2 = ISCSI_TMF_REJECTED;
		break;
	}
	iscsit_ctl_send(ctl);
}

/*
 * 11.5.1, 11.6.1: a task that is not here was ended, if its number says that it was
 * or will be received; else there is none.
 */
static bool iscsit_tmf_no_task(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
	u32 ref = be32_to_cpu(bhs->ref_cmd_sn);

	return !iscsit_slot_find(conn, bhs->rtt) && (iscsi_sn_before(ref, conn->exp_cmd_sn) ||
						     iscsi_sn_before(conn->max_cmd_sn, ref));
}

static int iscsit_tmf_pdu(struct iscsit_conn *conn)
{
	const struct iscsi_bhs *bhs = &conn->rx.bhs;
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_TMF_RSP);
	u8 code = bhs->flags & 0x7f;
	int function = iscsit_tmf_function(code);

	if (!ctl)
		return -ENOMEM;
	ctl->bhs.itt = bhs->itt;
	if (function < 0) {
		ctl->bhs.b2 = code == 8 ? ISCSI_TMF_NO_REASSIGN : ISCSI_TMF_UNSUPPORTED;
		iscsit_ctl_send(ctl);
		return 0;
	}
	if (function == SKUA_TMF_ABORT_TASK && iscsit_tmf_no_task(conn, bhs)) {
		ctl->bhs.b2 = ISCSI_TMF_NO_TASK;
		iscsit_ctl_send(ctl);
		return 0;
	}
	ctl->tmf.queue = &conn->q->queue;
	memcpy(&ctl->tmf.lun, bhs->lun, sizeof(ctl->tmf.lun));
	ctl->tmf.tag = be32_to_cpu(bhs->rtt);
	ctl->tmf.function = function;
	ctl->is_tmf = true;
	/* The core may answer, and the answer leave, before skua_tmf_submit() returns. */
	{
		const struct skua_tmf hits = {
			.lun = ctl->tmf.lun, .tag = ctl->tmf.tag, .function = function,
		};

		if (skua_tmf_submit(&ctl->tmf)) {
			ctl->is_tmf = false;
			iscsit_ctl_free(ctl);
			return -ESHUTDOWN;
		}
		iscsit_slots_fail(conn, &hits);
	}
	return 0;
}

/* ---- text ------------------------------------------------------------------- */

static int iscsit_text_begin(struct iscsit_conn *conn)
{
	if (conn->text)
		return 0;
	conn->text = kvzalloc(sizeof(*conn->text) + ISCSIT_TEXT_ROOM, GFP_NOIO);
	if (!conn->text)
		return -ENOMEM;
	iscsi_exchange_init(conn->text, &conn->nego, &iscsit_exchange_env, conn,
			    (char *)(conn->text + 1), ISCSIT_TEXT_ROOM);
	return 0;
}

static int iscsit_text_pdu(struct iscsit_conn *conn)
{
	struct iscsit_rx *rx = &conn->rx;
	struct iscsit_ctl *ctl;
	struct iscsi_bhs rsp;
	const void *data;
	u8 reason;

	if (iscsit_text_begin(conn))
		return -ENOMEM;
	reason = iscsi_exchange_step(conn->text, &rx->bhs, rx->buf, rx->len,
				     conn->nego.value[ISCSI_MAX_RECV_DSL], &rsp, &data);
	if (reason)
		return iscsit_reject(conn, reason);
	ctl = iscsit_ctl_new(conn, ISCSI_TEXT_RSP);
	if (!ctl)
		return -ENOMEM;
	ctl->bhs = rsp;
	ctl->len = iscsi_dsl(&rsp);
	if (ctl->len) {
		ctl->data = kvmalloc(ctl->len, GFP_NOIO);
		if (!ctl->data) {
			iscsit_ctl_free(ctl);
			return -ENOMEM;
		}
		memcpy(ctl->data, data, ctl->len);
	}
	iscsit_ctl_send(ctl);
	return 0;
}

/* ---- logout ----------------------------------------------------------------- */

static int iscsit_logout_pdu(struct iscsit_conn *conn)
{
	const struct iscsi_bhs *bhs = &conn->rx.bhs;
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_LOGOUT_RSP);
	u8 reason = bhs->flags & 0x7f;

	if (!ctl)
		return -ENOMEM;
	ctl->bhs.itt = bhs->itt;
	if (reason == 1 && be16_to_cpu(bhs->cid) != conn->cid)
		ctl->bhs.b2 = 1;	/* no such connection */
	else if (reason > 1)
		ctl->bhs.b2 = 2;	/* recovery of connections is not supported */
	else
		ctl->close = true;
	conn->logout = ctl->close;
	iscsit_ctl_send(ctl);
	return 0;
}

/**
 * iscsit_ctl_pdu() - a whole PDU without a SCSI command or data is there
 * @conn: the connection
 *
 * Return: 0, or -errno: the connection has to end.
 */
int iscsit_ctl_pdu(struct iscsit_conn *conn)
{
	const struct iscsi_bhs *bhs = &conn->rx.bhs;
	int ret;

	if (!iscsi_from_initiator(bhs->opcode) || bhs->ahs_words)
		return iscsit_reject(conn, ISCSI_REJECT_PROTOCOL);
	if (iscsi_has_cmd_sn(bhs->opcode)) {
		ret = iscsit_cmd_sn(conn, bhs);
		if (ret <= 0)
			return ret;
		if (!(bhs->opcode & ISCSI_IMMEDIATE))
			conn->max_cmd_sn++;
	}
	switch (bhs->opcode & ISCSI_OPCODE_MASK) {
	case ISCSI_NOP_OUT:
		return iscsit_nop_out(conn);
	case ISCSI_TEXT_REQ:
		return iscsit_text_pdu(conn);
	case ISCSI_LOGOUT_REQ:
		return iscsit_logout_pdu(conn);
	case ISCSI_SNACK_REQ:
		return iscsit_reject(conn, ISCSI_REJECT_SNACK);
	default:
		return conn->attached ? iscsit_tmf_pdu(conn) :
		       iscsit_reject(conn, ISCSI_REJECT_PROTOCOL);
	}
}
