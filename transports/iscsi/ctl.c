// SPDX-License-Identifier: GPL-2.0
/*
 * The PDUs of the full feature phase that carry no SCSI command and no data: NOP-Out,
 * task management, text, logout; and what the target says by itself: Reject,
 * asynchronous messages, NOP-In.
 */
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "iscsit.h"

#define ISCSIT_LOGOUT_TIME	2	/* seconds that an initiator has to log out */

/* ---- PDUs to send ------------------------------------------------------- */

static struct iscsit_ctl *iscsit_ctl_alloc(struct iscsit_conn *conn, u8 opcode, gfp_t gfp)
{
	struct iscsit_ctl *ctl = kzalloc(sizeof(*ctl), gfp);

	if (!ctl)
		return NULL;
	ctl->conn = conn;
	ctl->bhs.opcode = opcode;
	ctl->bhs.flags = ISCSI_F_FINAL;
	return ctl;
}

/**
 * iscsit_ctl_new() - a PDU for the mover to send
 * @conn: the connection
 * @opcode: enum iscsi_opcode
 *
 * Context: process. Return: NULL if memory is short.
 */
struct iscsit_ctl *iscsit_ctl_new(struct iscsit_conn *conn, u8 opcode)
{
	return iscsit_ctl_alloc(conn, opcode, GFP_NOIO);
}
EXPORT_SYMBOL_GPL(iscsit_ctl_new);

/**
 * iscsit_ctl_free() - it was sent, or will never be
 * @ctl: the PDU; of a task management function: the core has it from its start to here
 *
 * Context: any.
 */
void iscsit_ctl_free(struct iscsit_ctl *ctl)
{
	if (ctl->is_tmf)
		skua_tmf_release(&ctl->tmf);
	kvfree(ctl->data);
	kfree(ctl);
}
EXPORT_SYMBOL_GPL(iscsit_ctl_free);

/* ---- command numbers ---------------------------------------------------- */

/**
 * iscsit_window_open() - a request that had a place in the window has left it
 * @conn: the connection
 *
 * For those that end without an iscsit_stamp() of ISCSIT_STAMP_CREDIT. Context: any.
 */
void iscsit_window_open(struct iscsit_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->sn_lock, flags);
	conn->max_cmd_sn++;
	spin_unlock_irqrestore(&conn->sn_lock, flags);
}
EXPORT_SYMBOL_GPL(iscsit_window_open);

/**
 * iscsit_cmd_sn() - is it the turn of this request?
 * @conn: the connection
 * @bhs: a PDU that has a CmdSN
 *
 * What is outside the window is passed over silently (4.2.2.1). A gap inside it cannot
 * be: a session has one connection, and that is in order.
 *
 * Context: any; in the order in which PDUs come.
 * Return: 1: yes; 0: pass over it; -EPROTO: end the connection.
 */
int iscsit_cmd_sn(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
	u32 sn = be32_to_cpu(bhs->cmd_sn), due;
	unsigned long flags;
	bool high;

	if (bhs->opcode & ISCSI_IMMEDIATE)
		return 1;
	spin_lock_irqsave(&conn->sn_lock, flags);
	due = conn->exp_cmd_sn;
	high = iscsi_sn_before(conn->max_cmd_sn, sn);
	if (sn == due && !high)
		conn->exp_cmd_sn++;
	spin_unlock_irqrestore(&conn->sn_lock, flags);
	if (high || iscsi_sn_before(sn, due))
		return 0;
	if (sn == due)
		return 1;
	pr_info_ratelimited("skua_iscsi: %s: CmdSN %u where %u was due\n", conn->peer, sn, due);
	return -EPROTO;
}
EXPORT_SYMBOL_GPL(iscsit_cmd_sn);

/* ---- Reject --------------------------------------------------------------- */

/**
 * iscsit_reject_pdu() - a Reject, not sent yet
 * @conn: the connection
 * @bhs: header of the PDU that was not taken
 * @reason: enum iscsi_reject_reason
 *
 * Context: process. Return: NULL if memory is short.
 */
struct iscsit_ctl *iscsit_reject_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs,
				     u8 reason)
{
	struct iscsit_ctl *ctl = iscsit_ctl_new(conn, ISCSI_REJECT);

	if (!ctl)
		return NULL;
	ctl->bhs.b2 = reason;
	ctl->bhs.itt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->data = kmemdup(bhs, ISCSI_BHS_LEN, GFP_NOIO);
	ctl->len = ctl->data ? ISCSI_BHS_LEN : 0;
	return ctl;
}

/**
 * iscsit_reject() - say that a PDU was not taken
 * @conn: the connection
 * @bhs: header of the PDU
 * @reason: enum iscsi_reject_reason
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int iscsit_reject(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, u8 reason)
{
	struct iscsit_ctl *ctl = iscsit_reject_pdu(conn, bhs, reason);

	if (!ctl)
		return -ENOMEM;
	iscsit_ctl_send(ctl);
	return 0;
}
EXPORT_SYMBOL_GPL(iscsit_reject);

/* ---- asynchronous messages ------------------------------------------------ */

static struct iscsit_ctl *iscsit_async(struct iscsit_conn *conn, u8 event, gfp_t gfp)
{
	struct iscsit_ctl *ctl = iscsit_ctl_alloc(conn, ISCSI_ASYNC_MSG, gfp);

	if (!ctl)
		return NULL;
	ctl->bhs.itt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->bhs.event = event;
	return ctl;
}

/**
 * iscsit_ask_logout() - the session has ended here: let the initiator log out
 * @conn: the connection; the core keeps its queue meanwhile
 *
 * From now on nothing of it is taken but a logout. It ends soon in any case.
 *
 * Context: process.
 */
void iscsit_ask_logout(struct iscsit_conn *conn)
{
	struct iscsit_ctl *ctl = iscsit_async(conn, ISCSI_ASYNC_LOGOUT, GFP_NOIO);

	if (!ctl) {
		iscsit_conn_close(conn);
		return;
	}
	if (!iscsit_conn_dying(conn)) {		/* asked before, or still in the login */
		iscsit_ctl_free(ctl);
		return;
	}
	ctl->bhs.param3 = cpu_to_be16(ISCSIT_LOGOUT_TIME);
	iscsit_ctl_send(ctl);
}

/* Called with a spinlock of the core's. */
static void iscsit_tell_luns(struct skua_queue *queue, void *arg)
{
	/* UNIT ATTENTION, REPORTED LUNS DATA HAS CHANGED, fixed format */
	static const u8 event[] = {
		0, 18, 0x70, 0, UNIT_ATTENTION, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x3f, 0x0e, 0, 0, 0, 0,
	};
	struct iscsit_conn *conn = container_of(queue, struct iscsit_queue, queue)->conn;
	struct iscsit_ctl *ctl;

	/* Before the full feature phase it has not seen any LUN. */
	if (!smp_load_acquire(&conn->full))
		return;
	ctl = iscsit_async(conn, ISCSI_ASYNC_SCSI, GFP_ATOMIC);
	if (!ctl)
		return;			/* there is a unit attention as well */
	ctl->data = kmemdup(event, sizeof(event), GFP_ATOMIC);
	if (!ctl->data) {
		iscsit_ctl_free(ctl);
		return;
	}
	ctl->len = sizeof(event);
	iscsit_ctl_send(ctl);
}

/**
 * iscsit_luns_changed() - tell an initiator to look at its LUNs again
 * @sess: its session
 */
void iscsit_luns_changed(struct skua_session *sess)
{
	skua_session_for_each_queue(sess, iscsit_tell_luns, NULL);
}

/* Longest data segment that the initiator takes with a PDU of this kind */
static u32 iscsit_max_send(const struct iscsit_conn *conn)
{
	if (!conn->mover->rdma)
		return conn->nego.value[ISCSI_MAX_RECV_DSL];
	return conn->nego.discovery ? ISCSI_LOGIN_DSL :
	       conn->nego.value[ISCSI_INITIATOR_RECV_DSL];
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

static int iscsit_nop_out(struct iscsit_conn *conn, const struct iscsi_bhs *bhs,
			  const void *data, u32 len)
{
	struct iscsit_ctl *ctl;

	if (be32_to_cpu(bhs->ttt) != ISCSI_NO_TAG &&
	    be32_to_cpu(bhs->ttt) == conn->nop_ttt && conn->nop_sent) {
		conn->nop_ttt = (conn->nop_ttt + 1) & 0x7fffffff;
		WRITE_ONCE(conn->nop_sent, 0);
	}
	if (be32_to_cpu(bhs->itt) == ISCSI_NO_TAG)
		return 0;
	ctl = iscsit_ctl_new(conn, ISCSI_NOP_IN);
	if (!ctl)
		return -ENOMEM;
	memcpy(ctl->bhs.lun, bhs->lun, sizeof(ctl->bhs.lun));
	ctl->bhs.itt = bhs->itt;
	ctl->bhs.ttt = cpu_to_be32(ISCSI_NO_TAG);
	ctl->len = min(len, iscsit_max_send(conn));
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

static u8 iscsit_tmf_response(u8 response)
{
	switch (response) {
	case SKUA_TMF_COMPLETE:
	case SKUA_TMF_SUCCEEDED:
		return ISCSI_TMF_COMPLETE;
	case SKUA_TMF_NO_LUN:
		return ISCSI_TMF_NO_LUN;
	case SKUA_TMF_NOT_SUPPORTED:
		return ISCSI_TMF_UNSUPPORTED;
	default:
		return ISCSI_TMF_REJECTED;
	}
}

/* A logout that came behind task management functions is answered behind them. */
static struct iscsit_ctl *iscsit_tmf_done(struct iscsit_conn *conn)
{
	struct iscsit_ctl *late = NULL;
	unsigned long flags;

	spin_lock_irqsave(&conn->sn_lock, flags);
	if (!--conn->nr_tmf)
		swap(late, conn->late);
	spin_unlock_irqrestore(&conn->sn_lock, flags);
	return late;
}

/**
 * iscsit_respond_tmf() - send the response of a task management function
 * @tmf: done
 *
 * Context: any.
 */
void iscsit_respond_tmf(struct skua_tmf *tmf)
{
	struct iscsit_ctl *ctl = container_of(tmf, struct iscsit_ctl, tmf), *late;
	struct iscsit_conn *conn = ctl->conn;

	iscsit_conn_get(conn);
	ctl->bhs.b2 = iscsit_tmf_response(tmf->response);
	iscsit_ctl_send(ctl);
	late = iscsit_tmf_done(conn);
	if (late)
		iscsit_ctl_send(late);
	iscsit_conn_put(conn);
}

/*
 * 11.5.1, 11.6.1: a task that is not here was ended, if its number says that it was
 * or will be received; else there is none.
 */
static bool iscsit_tmf_no_task(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
	u32 ref = be32_to_cpu(bhs->ref_cmd_sn);

	return !conn->mover->has_task(conn, bhs->rtt) &&
	       (iscsi_sn_before(ref, conn->exp_cmd_sn) ||
		iscsi_sn_before(conn->max_cmd_sn, ref));
}

static int iscsit_tmf_start(struct iscsit_conn *conn, struct iscsit_ctl *ctl)
{
	ctl->is_tmf = true;
	spin_lock_irq(&conn->sn_lock);
	conn->nr_tmf++;
	spin_unlock_irq(&conn->sn_lock);
	if (!skua_tmf_submit(&ctl->tmf))
		return 0;
	iscsit_tmf_done(conn);
	ctl->is_tmf = false;
	iscsit_ctl_free(ctl);
	return -ESHUTDOWN;
}

static int iscsit_tmf_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
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
	return iscsit_tmf_start(conn, ctl);
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

static int iscsit_text_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs,
			   const void *data, u32 len)
{
	struct iscsit_ctl *ctl;
	struct iscsi_bhs rsp;
	const void *answer;
	u8 reason;

	if (iscsit_text_begin(conn))
		return -ENOMEM;
	reason = iscsi_exchange_step(conn->text, bhs, data, len, iscsit_max_send(conn), &rsp,
				     &answer);
	if (reason)
		return iscsit_reject(conn, bhs, reason);
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
		memcpy(ctl->data, answer, ctl->len);
	}
	iscsit_ctl_send(ctl);
	return 0;
}

/* ---- logout ----------------------------------------------------------------- */

static int iscsit_logout_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs)
{
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
	spin_lock_irq(&conn->sn_lock);
	if (ctl->close && conn->nr_tmf) {
		conn->late = ctl;
		ctl = NULL;
	}
	spin_unlock_irq(&conn->sn_lock);
	if (ctl)
		iscsit_ctl_send(ctl);
	return 0;
}

/**
 * iscsit_ctl_pdu() - a whole PDU without a SCSI command or its data is there
 * @conn: the connection, in the full feature phase
 * @bhs: header; iscsit_cmd_sn() was 1 for it if it has a CmdSN
 * @data: data segment
 * @len: bytes of that
 *
 * Context: process, one PDU at a time, in order.
 * Return: 0, or -errno: the connection has to end.
 */
int iscsit_ctl_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, const void *data,
		   u32 len)
{
	u8 opcode = bhs->opcode & ISCSI_OPCODE_MASK;

	if (iscsi_has_cmd_sn(bhs->opcode) && !(bhs->opcode & ISCSI_IMMEDIATE))
		iscsit_window_open(conn);
	if (!iscsi_from_initiator(bhs->opcode) || bhs->ahs_words)
		return iscsit_reject(conn, bhs, ISCSI_REJECT_PROTOCOL);
	if (READ_ONCE(conn->dying) && opcode != ISCSI_LOGOUT_REQ)
		return 0;
	switch (opcode) {
	case ISCSI_NOP_OUT:
		return iscsit_nop_out(conn, bhs, data, len);
	case ISCSI_TEXT_REQ:
		return iscsit_text_pdu(conn, bhs, data, len);
	case ISCSI_LOGOUT_REQ:
		return iscsit_logout_pdu(conn, bhs);
	case ISCSI_SNACK_REQ:
		return iscsit_reject(conn, bhs, ISCSI_REJECT_SNACK);
	default:
		return conn->attached ? iscsit_tmf_pdu(conn, bhs) :
		       iscsit_reject(conn, bhs, ISCSI_REJECT_PROTOCOL);
	}
}
EXPORT_SYMBOL_GPL(iscsit_ctl_pdu);

/* Of pdu.c, which is pure */
EXPORT_SYMBOL_GPL(iscsi_check_data_out);
EXPORT_SYMBOL_GPL(iscsi_check_scsi);
EXPORT_SYMBOL_GPL(iscsi_has_cmd_sn);
EXPORT_SYMBOL_GPL(iscsi_parse_scsi);
