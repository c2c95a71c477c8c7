/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SRP information units and logins as bytes: what they say, and whether they may
 * say it. Pure: no kernel objects, no locks; also built for user space by
 * tests/unit.
 */
#ifndef SKUA_SRP_IU_H
#define SKUA_SRP_IU_H

#include <linux/types.h>
#include <scsi/srp.h>

#define SRPT_MIN_IT_IU		64	/* SRP 6.2: an initiator may count on it */
#define SRPT_MAX_DESC		8192	/* descriptors of one command, at most */
#define SRPT_DESC_LEN		16	/* bytes of a descriptor */

/**
 * struct srpt_buf - one direction's data buffer
 * @fmt: SRP_NO_DATA_DESC, SRP_DATA_DESC_DIRECT, _INDIRECT or _IMM
 * @off: where in the IU the first descriptor or the immediate data is
 * @nr: descriptors in the IU
 * @total: descriptors in all; if more than @nr, the table must be fetched
 * @len: bytes of data
 * @table_key: key of the initiator's memory that has the table (indirect)
 * @table_va: where in it
 */
struct srpt_buf {
	u8 fmt;
	u32 off;
	u32 nr;
	u32 total;
	u32 len;
	u32 table_key;
	u64 table_va;
};

/* An SRP_CMD. @cdb points into the IU and has @cdb_len bytes. */
struct srpt_iu_cmd {
	u64 tag;
	const u8 *lun;
	const u8 *cdb;
	u32 cdb_len;
	u8 task_attr;
	struct srpt_buf out, in;
};

/* An SRP_TSK_MGMT. */
struct srpt_iu_tmf {
	u64 tag, task_tag;
	const u8 *lun;
	u8 function;
};

enum srpt_verdict {
	SRPT_OK,
	SRPT_BAD_DATA,		/* the header is good, its buffers are not: CHECK CONDITION */
	SRPT_BROKEN,		/* protocol error: end the channel */
};

enum srpt_verdict srpt_iu_cmd(const void *iu, u32 len, u32 imm_off, struct srpt_iu_cmd *cmd);
enum srpt_verdict srpt_iu_tmf(const void *iu, u32 len, struct srpt_iu_tmf *tmf);
bool srpt_descs_cover(const void *descs, u32 nr, u32 len);

/**
 * struct srpt_login - an SRP_LOGIN_REQ
 * @tag: echoed
 * @iu_len: longest IU that the initiator wants to send
 * @buf_fmt: buffer formats that it needs
 * @multi: SRP_MULTICHAN_MULTI: another channel of the same nexus
 * @imm_off: offset of immediate data, 0 if it did not ask for it or cannot have it
 * @iport: initiator port identifier
 * @tport: target port identifier
 */
struct srpt_login {
	u64 tag;
	u32 iu_len;
	u16 buf_fmt;
	bool multi;
	u16 imm_off;
	u8 iport[16];
	u8 tport[16];
};

bool srpt_login_parse(const void *data, u32 len, bool rdma_cm, struct srpt_login *login);
u32 srpt_login_check(const struct srpt_login *login, u32 max_iu_len, const u8 *service_guid);

#endif
