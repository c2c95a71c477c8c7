/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_STDDEF_H
#define SHIM_LINUX_STDDEF_H

#if __has_include_next(<linux/stddef.h>)
#include_next <linux/stddef.h>
#endif

#endif
