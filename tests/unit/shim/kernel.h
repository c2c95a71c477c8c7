/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before everything else: the few kernel names that the pure sources use,
 * with their meaning in the kernel.
 */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U8_MAX	UINT8_MAX
#define U16_MAX	UINT16_MAX
#define U32_MAX	UINT32_MAX
#define U64_MAX	UINT64_MAX

#define __force
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define fallthrough	__attribute__((__fallthrough__))
#define __packed	__attribute__((__packed__))

#define BIT(nr)		(1UL << (nr))
#define BIT_ULL(nr)	(1ULL << (nr))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define struct_size(p, member, n)	\
	(sizeof(*(p)) + sizeof(*(p)->member) * (size_t)(n))

#define min_t(type, a, b)	({ type a__ = (a), b__ = (b); a__ < b__ ? a__ : b__; })
#define max_t(type, a, b)	({ type a__ = (a), b__ = (b); a__ > b__ ? a__ : b__; })
#define min(a, b)	min_t(__typeof__(a), a, b)
#define max(a, b)	max_t(__typeof__(a), a, b)

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

#define memzero_explicit(p, len)	explicit_bzero(p, len)

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return b[0] << 8 | b[1];
}

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 16 | b[1] << 8 | b[2];
}

static inline u32 get_unaligned_be32(const void *p)
{
	return (u32)get_unaligned_be16(p) << 16 | get_unaligned_be16((const u8 *)p + 2);
}

static inline u64 get_unaligned_be64(const void *p)
{
	return (u64)get_unaligned_be32(p) << 32 | get_unaligned_be32((const u8 *)p + 4);
}

static inline void put_unaligned_be16(u16 v, void *p)
{
	u8 *b = p;

	b[0] = v >> 8;
	b[1] = v;
}

static inline void put_unaligned_be24(u32 v, void *p)
{
	*(u8 *)p = v >> 16;
	put_unaligned_be16(v, (u8 *)p + 1);
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	put_unaligned_be16(v >> 16, p);
	put_unaligned_be16(v, (u8 *)p + 2);
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	put_unaligned_be32(v >> 32, p);
	put_unaligned_be32(v, (u8 *)p + 4);
}

#endif
