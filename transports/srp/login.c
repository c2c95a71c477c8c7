// SPDX-License-Identifier: GPL-2.0
/*
 * The SRP login as a pure function of its bytes (SRP 6.2 to 6.4). The RDMA/CM has
 * less room for private data than the IB/CM, so there the same fields come in
 * another order.
 */
#include <linux/string.h>

#include "iu.h"

static void srpt_login_flags(struct srpt_login *login, u8 flags, u16 imm_off)
{
	login->multi = (flags & 3) == SRP_MULTICHAN_MULTI;
	/* Immediate data begins behind the shortest command and its length field. */
	if (flags & SRP_IMMED_REQUESTED && imm_off >= sizeof(struct srp_cmd) + 4 &&
	    imm_off < login->iu_len)
		login->imm_off = imm_off;
}

/**
 * srpt_login_parse() - read a login request
 * @data: private data of the connection request
 * @len: its length
 * @rdma_cm: it came through the RDMA/CM
 * @login: result
 *
 * Return: false if it is no login request.
 */
bool srpt_login_parse(const void *data, u32 len, bool rdma_cm, struct srpt_login *login)
{
	memset(login, 0, sizeof(*login));
	if (rdma_cm) {
		const struct srp_login_req_rdma *req = data;

		if (!data || len < sizeof(*req) || req->opcode != SRP_LOGIN_REQ)
			return false;
		login->tag = req->tag;
		login->iu_len = be32_to_cpu(req->req_it_iu_len);
		login->buf_fmt = be16_to_cpu(req->req_buf_fmt);
		memcpy(login->iport, req->initiator_port_id, sizeof(login->iport));
		memcpy(login->tport, req->target_port_id, sizeof(login->tport));
		srpt_login_flags(login, req->req_flags, be16_to_cpu(req->imm_data_offset));
	} else {
		const struct srp_login_req *req = data;

		if (!data || len < sizeof(*req) || req->opcode != SRP_LOGIN_REQ)
			return false;
		login->tag = req->tag;
		login->iu_len = be32_to_cpu(req->req_it_iu_len);
		login->buf_fmt = be16_to_cpu(req->req_buf_fmt);
		memcpy(login->iport, req->initiator_port_id, sizeof(login->iport));
		memcpy(login->tport, req->target_port_id, sizeof(login->tport));
		srpt_login_flags(login, req->req_flags, be16_to_cpu(req->imm_data_offset));
	}
	return true;
}

/**
 * srpt_login_check() - what a login says against what this target takes
 * @login: the request
 * @max_iu_len: longest IU we take
 * @service_guid: 8 bytes; both halves of the target port identifier
 *
 * Return: 0, or the reason of an SRP_LOGIN_REJ.
 */
u32 srpt_login_check(const struct srpt_login *login, u32 max_iu_len, const u8 *service_guid)
{
	if (login->iu_len > max_iu_len)
		return SRP_LOGIN_REJ_REQ_IT_IU_LENGTH_TOO_LARGE;
	if (login->iu_len < SRPT_MIN_IT_IU)
		return SRP_LOGIN_REJ_UNABLE_ESTABLISH_CHANNEL;
	if (login->buf_fmt & ~(SRP_BUF_FORMAT_DIRECT | SRP_BUF_FORMAT_INDIRECT))
		return SRP_LOGIN_REJ_UNSUPPORTED_DESCRIPTOR_FMT;
	if (memcmp(login->tport, service_guid, 8) || memcmp(login->tport + 8, service_guid, 8))
		return SRP_LOGIN_REJ_UNABLE_ASSOCIATE_CHANNEL;
	return 0;
}
