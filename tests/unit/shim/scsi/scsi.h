/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SCSI_SCSI_H
#define SHIM_SCSI_SCSI_H

struct scsi_lun {
	u8 scsi_lun[8];
};

#endif
