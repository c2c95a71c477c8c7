/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MATH_H
#define SHIM_LINUX_MATH_H

static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

#endif
