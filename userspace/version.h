/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SKUAADM_VERSION_H
#define SKUAADM_VERSION_H

#define SKUAADM_VERSION	"0.1"

#endif
