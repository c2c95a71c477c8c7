// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a LUN: what is understood is a LUN, and means the same however written. */
#include "../../core/lunfmt.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct scsi_lun wire, again;
	u8 method;
	int lun;

	if (size < sizeof(wire))
		return 0;
	memcpy(&wire, data, sizeof(wire));
	lun = skua_lun_decode(&wire);
	if (lun < -1 || lun > 16383)
		abort();
	for (method = SKUA_ADDR_PERIPHERAL; lun >= 0 && method <= SKUA_ADDR_LUN; method++) {
		skua_lun_encode(lun, method, &again);
		if (skua_lun_decode(&again) != lun)
			abort();
	}
	return 0;
}
