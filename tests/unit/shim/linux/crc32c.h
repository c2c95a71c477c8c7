/* SPDX-License-Identifier: GPL-2.0 */
/* CRC-32C as the kernel's: Castagnoli, reflected, the seed and the result as they are. */
#ifndef SHIM_LINUX_CRC32C_H
#define SHIM_LINUX_CRC32C_H

static inline u32 crc32c(u32 crc, const void *data, unsigned int len)
{
	const u8 *p = data;
	int i;

	while (len--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

#endif
