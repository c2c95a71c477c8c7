// SPDX-License-Identifier: GPL-2.0
/*
 * SRP information units (SRP 6, SRP-2 for immediate data). All that an IU says of
 * itself is checked against the number of bytes received; what it says of the
 * initiator's memory is the initiator's business.
 */
#include <linux/string.h>

#include "iu.h"

/* The initiator's table of descriptors and their number of bytes: 20 bytes. */
#define SRPT_INDIRECT_LEN	20
#define SRPT_IMM_LEN		4

/**
 * srpt_descs_cover() - are there enough descriptors for the data?
 * @descs: SRP memory descriptors, @nr of them
 * @nr: number
 * @len: bytes of data
 */
bool srpt_descs_cover(const void *descs, u32 nr, u32 len)
{
	const u8 *p = descs;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr && sum < len; i++)
		sum += get_unaligned_be32(p + i * SRPT_DESC_LEN + 12);
	return sum >= len;
}

static bool srpt_indirect(const u8 *iu, u32 len, u32 *pos, u32 cnt, struct srpt_buf *buf)
{
	u32 table_len;

	if (len - *pos < SRPT_INDIRECT_LEN)
		return false;
	buf->table_va = get_unaligned_be64(iu + *pos);
	buf->table_key = get_unaligned_be32(iu + *pos + 8);
	table_len = get_unaligned_be32(iu + *pos + 12);
	buf->len = get_unaligned_be32(iu + *pos + 16);
	*pos += SRPT_INDIRECT_LEN;
	if (cnt > (len - *pos) / SRPT_DESC_LEN)
		return false;
	buf->off = *pos;
	buf->nr = cnt;
	*pos += cnt * SRPT_DESC_LEN;
	if (table_len % SRPT_DESC_LEN || table_len / SRPT_DESC_LEN > SRPT_MAX_DESC)
		return false;
	buf->total = table_len / SRPT_DESC_LEN;
	if (buf->nr > buf->total)
		return false;
	return buf->nr < buf->total || srpt_descs_cover(iu + buf->off, buf->nr, buf->len);
}

/* One direction's descriptor at *pos; advances *pos. */
static bool srpt_buf(const u8 *iu, u32 len, u32 *pos, u8 fmt, u32 cnt, struct srpt_buf *buf)
{
	buf->fmt = fmt;
	switch (fmt) {
	case SRP_NO_DATA_DESC:
		return true;
	case SRP_DATA_DESC_DIRECT:
		if (len - *pos < SRPT_DESC_LEN)
			return false;
		buf->off = *pos;
		buf->nr = 1;
		buf->total = 1;
		buf->len = get_unaligned_be32(iu + *pos + 12);
		*pos += SRPT_DESC_LEN;
		return true;
	case SRP_DATA_DESC_INDIRECT:
		return srpt_indirect(iu, len, pos, cnt, buf);
	case SRP_DATA_DESC_IMM:
		if (len - *pos < SRPT_IMM_LEN)
			return false;
		buf->len = get_unaligned_be32(iu + *pos);
		*pos += SRPT_IMM_LEN;
		return true;
	default:
		return false;
	}
}

static bool srpt_bufs(const u8 *iu, u32 len, u32 pos, u32 imm_off, struct srpt_iu_cmd *cmd)
{
	const struct srp_cmd *hdr = (const void *)iu;
	u8 fmt_out = hdr->buf_fmt >> 4, fmt_in = hdr->buf_fmt & 15;

	if (fmt_out == SRP_DATA_DESC_IMM && !imm_off)
		return false;
	if (fmt_in == SRP_DATA_DESC_IMM)
		return false;
	if (!srpt_buf(iu, len, &pos, fmt_out, hdr->data_out_desc_cnt, &cmd->out) ||
	    !srpt_buf(iu, len, &pos, fmt_in, hdr->data_in_desc_cnt, &cmd->in))
		return false;
	if (fmt_out != SRP_DATA_DESC_IMM)
		return true;
	cmd->out.off = imm_off;
	return imm_off >= pos && imm_off <= len && cmd->out.len <= len - imm_off;
}

/**
 * srpt_iu_cmd() - parse an SRP_CMD
 * @iu: the bytes received
 * @len: their number
 * @imm_off: offset of immediate data as negotiated by the login, 0 if it was not
 * @cmd: result; with SRPT_BAD_DATA all but the buffers is valid
 */
enum srpt_verdict srpt_iu_cmd(const void *iu, u32 len, u32 imm_off, struct srpt_iu_cmd *cmd)
{
	const struct srp_cmd *hdr = iu;
	u32 add_cdb;

	memset(cmd, 0, sizeof(*cmd));
	if (len < sizeof(*hdr))
		return SRPT_BROKEN;
	add_cdb = hdr->add_cdb_len & ~3U;	/* the two low bits are reserved */
	if (add_cdb > len - sizeof(*hdr))
		return SRPT_BROKEN;
	cmd->tag = hdr->tag;
	cmd->lun = (const u8 *)&hdr->lun;
	cmd->cdb = hdr->cdb;
	cmd->cdb_len = sizeof(hdr->cdb) + add_cdb;
	cmd->task_attr = hdr->task_attr & 7;
	if (likely(srpt_bufs(iu, len, sizeof(*hdr) + add_cdb, imm_off, cmd)))
		return SRPT_OK;
	memset(&cmd->out, 0, sizeof(cmd->out));
	memset(&cmd->in, 0, sizeof(cmd->in));
	return SRPT_BAD_DATA;
}

/**
 * srpt_iu_tmf() - parse an SRP_TSK_MGMT
 * @iu: the bytes received
 * @len: their number
 * @tmf: result
 */
enum srpt_verdict srpt_iu_tmf(const void *iu, u32 len, struct srpt_iu_tmf *tmf)
{
	const struct srp_tsk_mgmt *hdr = iu;

	if (len < sizeof(*hdr))
		return SRPT_BROKEN;
	tmf->tag = hdr->tag;
	tmf->task_tag = hdr->task_tag;
	tmf->lun = (const u8 *)&hdr->lun;
	tmf->function = hdr->tsk_mgmt_func;
	return SRPT_OK;
}
