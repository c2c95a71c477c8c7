/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include_next <linux/kernel.h>

#endif
