/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iSCSI on the wire: RFC 7143 section 11. All numbers are big endian. Pure: no
 * kernel objects; also built for user space by tests/unit.
 */
#ifndef SKUA_ISCSI_PROTO_H
#define SKUA_ISCSI_PROTO_H

#include <linux/types.h>
#include <asm/byteorder.h>

#define ISCSI_BHS_LEN		48
#define ISCSI_DIGEST_LEN	4
#define ISCSI_NO_TAG		0xffffffffU
#define ISCSI_MAX_AHS		(255 * 4)
#define ISCSI_MAX_DSL		0xffffffU	/* what DataSegmentLength can say */
#define ISCSI_LOGIN_DSL		8192		/* longest data segment before a declaration */
#define ISCSI_NAME_MAX		223		/* 4.2.7.1, bytes without NUL */

/* Byte 0: opcode, and I for immediate delivery */
#define ISCSI_OPCODE_MASK	0x3f
#define ISCSI_IMMEDIATE		0x40

enum iscsi_opcode {
	ISCSI_NOP_OUT		= 0x00,
	ISCSI_SCSI_CMD		= 0x01,
	ISCSI_TMF_REQ		= 0x02,
	ISCSI_LOGIN_REQ		= 0x03,
	ISCSI_TEXT_REQ		= 0x04,
	ISCSI_DATA_OUT		= 0x05,
	ISCSI_LOGOUT_REQ	= 0x06,
	ISCSI_SNACK_REQ		= 0x10,
	ISCSI_NOP_IN		= 0x20,
	ISCSI_SCSI_RSP		= 0x21,
	ISCSI_TMF_RSP		= 0x22,
	ISCSI_LOGIN_RSP		= 0x23,
	ISCSI_TEXT_RSP		= 0x24,
	ISCSI_DATA_IN		= 0x25,
	ISCSI_LOGOUT_RSP	= 0x26,
	ISCSI_R2T		= 0x31,
	ISCSI_ASYNC_MSG		= 0x32,
	ISCSI_REJECT		= 0x3f,
};

/* Byte 1 */
#define ISCSI_F_FINAL		0x80
#define ISCSI_F_CONTINUE	0x40	/* text and login */
#define ISCSI_F_TRANSIT		0x80	/* login */
#define ISCSI_LOGIN_CSG(flags)	((flags) >> 2 & 3)
#define ISCSI_LOGIN_NSG(flags)	((flags) & 3)
#define ISCSI_F_READ		0x40	/* SCSI Command */
#define ISCSI_F_WRITE		0x20
#define ISCSI_F_ATTR		0x07
#define ISCSI_F_OVERFLOW	0x04	/* SCSI Response, Data-In */
#define ISCSI_F_UNDERFLOW	0x02
#define ISCSI_F_STATUS		0x01	/* Data-In */

enum iscsi_stage {
	ISCSI_STAGE_SECURITY	= 0,
	ISCSI_STAGE_OPERATIONAL	= 1,
	ISCSI_STAGE_FULL	= 3,
};

/* Status-Class << 8 | Status-Detail of a Login Response: 11.13.5 */
enum iscsi_login_status {
	ISCSI_LOGIN_OK			= 0x0000,
	ISCSI_LOGIN_MOVED_TEMP		= 0x0101,
	ISCSI_LOGIN_MOVED_PERM		= 0x0102,
	ISCSI_LOGIN_INITIATOR_ERR	= 0x0200,
	ISCSI_LOGIN_AUTH_FAILED		= 0x0201,
	ISCSI_LOGIN_FORBIDDEN		= 0x0202,
	ISCSI_LOGIN_NOT_FOUND		= 0x0203,
	ISCSI_LOGIN_TARGET_REMOVED	= 0x0204,
	ISCSI_LOGIN_BAD_VERSION		= 0x0205,
	ISCSI_LOGIN_TOO_MANY_CONNS	= 0x0206,
	ISCSI_LOGIN_MISSING_PARAM	= 0x0207,
	ISCSI_LOGIN_NOT_INCLUDED	= 0x0208,
	ISCSI_LOGIN_BAD_SESSION_TYPE	= 0x0209,
	ISCSI_LOGIN_NO_SESSION		= 0x020a,
	ISCSI_LOGIN_BAD_METHOD		= 0x020b,
	ISCSI_LOGIN_TARGET_ERR		= 0x0300,
	ISCSI_LOGIN_UNAVAILABLE		= 0x0301,
	ISCSI_LOGIN_NO_RESOURCES	= 0x0302,
};

/* Of an Asynchronous Message: 11.9.1 */
enum iscsi_async_event {
	ISCSI_ASYNC_SCSI	= 0,	/* sense data follows */
	ISCSI_ASYNC_LOGOUT	= 1,	/* the target asks for a logout */
};

/* Reasons of a Reject PDU: 11.17.1 */
enum iscsi_reject_reason {
	ISCSI_REJECT_DATA_DIGEST	= 0x02,
	ISCSI_REJECT_SNACK		= 0x03,
	ISCSI_REJECT_PROTOCOL		= 0x04,
	ISCSI_REJECT_UNSUPPORTED	= 0x05,
	ISCSI_REJECT_IMMEDIATE		= 0x06,
	ISCSI_REJECT_IN_PROGRESS	= 0x07,
	ISCSI_REJECT_INVALID_FIELD	= 0x09,
	ISCSI_REJECT_RESOURCES		= 0x0a,
	ISCSI_REJECT_RESET		= 0x0b,
};

enum iscsi_ahs_type {
	ISCSI_AHS_CDB		= 1,	/* extended CDB */
	ISCSI_AHS_BIDI		= 2,	/* expected bidirectional read length */
};

/**
 * struct iscsi_bhs - basic header segment of any PDU
 *
 * Names of the fields that only some PDUs have follow the PDU's: byte 2 is
 * Version-max of a Login Request, Response of a SCSI Response and Reason of a Reject.
 */
struct iscsi_bhs {
	u8 opcode;
	u8 flags;
	u8 b2;
	u8 b3;
	u8 ahs_words;
	u8 dsl[3];
	union {
		u8 lun[8];
		struct {
			u8 isid[6];
			__be16 tsih;
		};
	};
	__be32 itt;
	union {
		__be32 ttt;
		__be32 edtl;
		__be32 rtt;		/* Referenced Task Tag */
		__be16 cid;
	};
	union {
		__be32 cmd_sn;
		__be32 stat_sn;
	};
	union {
		__be32 exp_stat_sn;
		__be32 exp_cmd_sn;
	};
	union {
		u8 cdb[16];
		struct {
			union {
				__be32 max_cmd_sn;
				__be32 ref_cmd_sn;
			};
			union {
				__be32 data_sn;
				__be32 r2t_sn;
				struct {
					u8 status_class;
					u8 status_detail;
					__be16 rsvd38;
				};
				struct {
					u8 event;
					u8 vcode;
					__be16 param1;
				};
			};
			union {
				__be32 offset;
				__be32 beg_run;
				struct {
					__be16 param2, param3;
				};
				__be32 bidi_residual;
				__be16 time2wait;
			};
			union {
				__be32 desired_len;
				__be32 run_len;
				__be32 residual;
			};
		};
	};
};

/**
 * iscsi_dsl() - DataSegmentLength
 * @bhs: any PDU
 */
static inline u32 iscsi_dsl(const struct iscsi_bhs *bhs)
{
	return (u32)bhs->dsl[0] << 16 | bhs->dsl[1] << 8 | bhs->dsl[2];
}

static inline void iscsi_set_dsl(struct iscsi_bhs *bhs, u32 len)
{
	bhs->dsl[0] = len >> 16;
	bhs->dsl[1] = len >> 8;
	bhs->dsl[2] = len;
}

/* Data segments are padded to a multiple of four. */
static inline u32 iscsi_pad(u32 len)
{
	return -len & 3;
}

/**
 * iscsi_sn_before() - is a serial number before another one? (RFC 1982)
 * @a, @b: CmdSN or StatSN values
 */
static inline bool iscsi_sn_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

#endif
