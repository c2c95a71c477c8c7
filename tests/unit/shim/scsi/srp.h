/* SPDX-License-Identifier: GPL-2.0 */
/* SRP (T10 SRP r16a; immediate data: SRP-2), by the names the kernel has for it. */
#ifndef SHIM_SCSI_SRP_H
#define SHIM_SCSI_SRP_H

#include <assert.h>
#include <linux/types.h>
#include <scsi/scsi.h>

#ifndef be32_to_cpu
#define be32_to_cpu	__builtin_bswap32
#define be16_to_cpu	__builtin_bswap16
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "byte order"
#endif
#endif

enum { SRP_LOGIN_REQ, SRP_TSK_MGMT, SRP_CMD, SRP_I_LOGOUT };

enum { SRP_BUF_FORMAT_DIRECT = 2, SRP_BUF_FORMAT_INDIRECT = 4 };

enum {
	SRP_NO_DATA_DESC, SRP_DATA_DESC_DIRECT, SRP_DATA_DESC_INDIRECT, SRP_DATA_DESC_IMM,
};

enum { SRP_MULTICHAN_SINGLE, SRP_MULTICHAN_MULTI, SRP_IMMED_REQUESTED = 0x80 };

enum {
	SRP_LOGIN_REJ_UNABLE_ESTABLISH_CHANNEL = 0x10000,
	SRP_LOGIN_REJ_INSUFFICIENT_RESOURCES,
	SRP_LOGIN_REJ_REQ_IT_IU_LENGTH_TOO_LARGE,
	SRP_LOGIN_REJ_UNABLE_ASSOCIATE_CHANNEL,
	SRP_LOGIN_REJ_UNSUPPORTED_DESCRIPTOR_FMT,
};

struct srp_cmd {
	u8 opcode, sol_not, reserved1[3], buf_fmt, data_out_desc_cnt, data_in_desc_cnt;
	u64 tag;
	u8 reserved2[4];
	struct scsi_lun lun;
	u8 reserved3, task_attr, reserved4, add_cdb_len, cdb[16];
};

struct srp_tsk_mgmt {
	u8 opcode, sol_not, reserved1[6];
	u64 tag;
	u8 reserved2[4];
	struct scsi_lun lun;
	u8 reserved3[2], tsk_mgmt_func, reserved4;
	u64 task_tag;
	u8 reserved5[8];
};

/* As private data of the IB/CM and of the RDMA/CM */
struct srp_login_req {
	u8 opcode, reserved1[7];
	u64 tag;
	__be32 req_it_iu_len;
	u8 reserved2[4];
	__be16 req_buf_fmt;
	u8 req_flags, reserved3;
	__be16 imm_data_offset;
	u8 reserved4[2], initiator_port_id[16], target_port_id[16];
};

struct srp_login_req_rdma {
	u64 tag;
	__be16 req_buf_fmt;
	u8 req_flags, opcode;
	__be32 req_it_iu_len;
	u8 initiator_port_id[16], target_port_id[16];
	__be16 imm_data_offset;
	u8 reserved[6];
};

static_assert(sizeof(struct srp_cmd) == 48, "SRP_CMD");
static_assert(sizeof(struct srp_tsk_mgmt) == 48, "SRP_TSK_MGMT");
static_assert(sizeof(struct srp_login_req) == 64, "SRP_LOGIN_REQ");
static_assert(sizeof(struct srp_login_req_rdma) == 56, "SRP_LOGIN_REQ over RDMA/CM");

#endif
