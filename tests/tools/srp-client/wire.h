/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SRP information units as bytes (T10 SRP r16a, and SRP-2 for immediate data).
 * Nothing here is shared with the target: a misunderstanding must not be common
 * to both.
 */
#ifndef SRP_CLIENT_WIRE_H
#define SRP_CLIENT_WIRE_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* Opcodes */
enum {
	OP_LOGIN_REQ = 0x00, OP_TSK_MGMT = 0x01, OP_CMD = 0x02, OP_I_LOGOUT = 0x03,
	OP_CRED_RSP = 0x41, OP_AER_RSP = 0x42,
	OP_T_LOGOUT = 0x80, OP_CRED_REQ = 0x81, OP_AER_REQ = 0x82,
	OP_LOGIN_RSP = 0xc0, OP_RSP = 0xc1, OP_LOGIN_REJ = 0xc2,
};

/* Buffer formats of SRP_CMD, data-out in the upper nibble, data-in in the lower */
enum { FMT_NONE, FMT_DIRECT, FMT_INDIRECT, FMT_IMM };

/* SRP_CMD */
enum {
	CMD_FMT = 5, CMD_OUT_CNT = 6, CMD_IN_CNT = 7, CMD_TAG = 8, CMD_LUN = 20,
	CMD_ATTR = 29, CMD_ADD_CDB = 31, CMD_CDB = 32, CMD_LEN = 48,
};

/* SRP_TSK_MGMT */
enum { TMF_FUNC = 30, TMF_TASK_TAG = 32, TMF_LEN = 48 };

/* SRP_RSP */
enum {
	RSP_DELTA = 4, RSP_TAG = 8, RSP_FLAGS = 18, RSP_STATUS = 19, RSP_OUT_RES = 20,
	RSP_IN_RES = 24, RSP_SENSE_LEN = 28, RSP_DATA_LEN = 32, RSP_LEN = 36,
};

enum {
	RSPVALID = 1, SNSVALID = 2, DOOVER = 4, DOUNDER = 8, DIOVER = 16, DIUNDER = 32,
};

/* Login request as RDMA/CM private data: another order than in the standard */
enum {
	REQ_TAG = 0, REQ_FMT = 8, REQ_FLAGS = 10, REQ_OPCODE = 11, REQ_IU_LEN = 12,
	REQ_IPORT = 16, REQ_TPORT = 32, REQ_IMM_OFF = 48, REQ_LEN = 56,
};

enum { REQ_F_MULTI = 1, REQ_F_IMM = 0x80 };

/* SRP_LOGIN_RSP, SRP_LOGIN_REJ */
enum {
	LRSP_DELTA = 4, LRSP_TAG = 8, LRSP_MAX_IT = 16, LRSP_MAX_TI = 20, LRSP_FMT = 24,
	LRSP_FLAGS = 26, LRSP_LEN = 52,
	LREJ_REASON = 4, LREJ_TAG = 8, LREJ_LEN = 32,
};

#define DESC_LEN	16	/* memory descriptor */
#define INDIRECT_LEN	20	/* table's descriptor and total length */

static inline void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static inline void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static inline void put64(u8 *p, u64 v)
{
	put32(p, v >> 32);
	put32(p + 4, v);
}

static inline u32 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

static inline u32 get32(const u8 *p)
{
	return (u32)get16(p) << 16 | get16(p + 2);
}

static inline u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

static inline void put_desc(u8 *p, u64 va, u32 key, u32 len)
{
	put64(p, va);
	put32(p + 8, key);
	put32(p + 12, len);
}

/* Random numbers that only depend on what they were seeded with (splitmix64). */
struct rng {
	u64 state;
};

static inline u64 rnd64(struct rng *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 to n - 1 */
static inline u32 rnd(struct rng *r, u32 n)
{
	return (rnd64(r) >> 32) * n >> 32;
}

static inline void rnd_bytes(struct rng *r, u8 *p, u32 len)
{
	while (len--)
		*p++ = rnd64(r) >> 56;
}

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline u32 rnd_index(struct rng *r, size_t all, size_t one)
{
	return rnd(r, all / one);
}

#define PICK(r, array)	((array)[rnd_index(r, sizeof(array), sizeof((array)[0]))])

#endif
