// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as an SRP_CMD, an SRP_TSK_MGMT and a login: whatever is let through
 * lies within the bytes that were received.
 */
#include "../../transports/srp/iu.c"
#include "../../transports/srp/login.c"

u32 fuzz_sum;		/* of bytes, so that they are read */

static void require(bool cond)
{
	if (!cond)
		abort();
}

/* Descriptors or immediate data of one direction, read to the last byte */
static u32 check_buf(const u8 *iu, u32 len, const struct srpt_buf *buf)
{
	u32 i, bytes, sum = 0;

	switch (buf->fmt) {
	case SRP_NO_DATA_DESC:
		require(!buf->len && !buf->nr && !buf->total);
		return 0;
	case SRP_DATA_DESC_IMM:
		bytes = buf->len;
		break;
	case SRP_DATA_DESC_DIRECT:
		require(buf->nr == 1 && buf->total == 1);
		bytes = 16;
		break;
	case SRP_DATA_DESC_INDIRECT:
		require(buf->nr <= buf->total && buf->total <= SRPT_MAX_DESC);
		require(buf->nr < buf->total || srpt_descs_cover(iu + buf->off, buf->nr, buf->len));
		bytes = buf->nr * 16;
		break;
	default:
		abort();
	}
	require(buf->off >= 48 && buf->off <= len && bytes <= len - buf->off);
	for (i = 0; i < bytes; i++)
		sum += iu[buf->off + i];
	return sum;
}

static void fuzz_cmd(const u8 *iu, u32 len, u32 imm_off)
{
	struct srpt_iu_cmd cmd;
	enum srpt_verdict verdict = srpt_iu_cmd(iu, len, imm_off, &cmd);

	if (verdict == SRPT_BROKEN)
		return;
	require(len >= 48);
	require(cmd.cdb == iu + 32 && cmd.cdb_len >= 16 && cmd.cdb_len <= len - 32);
	require(cmd.lun == iu + 20 && cmd.task_attr < 8);
	if (verdict == SRPT_BAD_DATA)
		require(!cmd.in.fmt && !cmd.out.fmt && !cmd.in.len && !cmd.out.len);
	require(cmd.in.fmt != SRP_DATA_DESC_IMM);
	require(cmd.out.fmt != SRP_DATA_DESC_IMM || (imm_off && cmd.out.off == imm_off));
	fuzz_sum += check_buf(iu, len, &cmd.in) + check_buf(iu, len, &cmd.out);
}

static void fuzz_login(const u8 *data, u32 len, bool rdma_cm)
{
	static const u8 guid[8];
	struct srpt_login login;
	u32 reason;

	if (!srpt_login_parse(data, len, rdma_cm, &login))
		return;
	require(len >= (rdma_cm ? 56 : 64));
	reason = srpt_login_check(&login, 8276, guid);
	if (reason) {
		require(reason >= 0x10000 && reason <= 0x10006);
		return;
	}
	require(login.iu_len >= 64 && login.iu_len <= 8276);
	require(!login.imm_off || (login.imm_off >= 52 && login.imm_off < login.iu_len));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct srpt_iu_tmf tmf;
	u32 imm_off;
	u8 *iu;

	if (size < 1)
		return 0;
	/* What a login can have negotiated: nothing, or an offset from 52 on */
	imm_off = data[0] & 3 ? 52 + (data[0] >> 2) : 0;
	size--;
	/* A copy of just that length: the sanitizer sees what is read behind it. */
	iu = malloc(size ?: 1);
	if (!iu)
		abort();
	memcpy(iu, data + 1, size);
	fuzz_cmd(iu, size, imm_off);
	if (srpt_iu_tmf(iu, size, &tmf) == SRPT_OK)
		require(size >= 48);
	fuzz_login(iu, size, true);
	fuzz_login(iu, size, false);
	free(iu);
	return 0;
}
