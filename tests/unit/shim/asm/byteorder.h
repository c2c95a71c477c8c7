/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BYTEORDER_H
#define SHIM_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>

#define be16_to_cpu(v)	__be16_to_cpu(v)
#define be32_to_cpu(v)	__be32_to_cpu(v)
#define cpu_to_be16(v)	__cpu_to_be16(v)
#define cpu_to_be32(v)	__cpu_to_be32(v)

#endif
