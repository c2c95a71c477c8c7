// SPDX-License-Identifier: GPL-2.0
/* Who a device is: generated identities and the device identification page. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "exec.h"
#include "ident.h"

#define SKUA_DEFAULT_REV	"0100"
#define EUI_FALLBACK_LEN	8

/* Code sets, associations and types of designators, SPC-4 */
enum { CODE_BINARY = 1, CODE_ASCII = 2, CODE_UTF8 = 3 };
enum { OF_LUN = 0x00, OF_PORT = 0x10, OF_DEVICE = 0x20 };
enum { TYPE_T10_VENDOR = 1, TYPE_EUI64 = 2, TYPE_NAA = 3, TYPE_REL_PORT = 4, TYPE_NAME = 8 };

/**
 * skua_ident_init() - identity of a new device, as far as it is not told
 * @dev: with its name, backend and configuration in place
 *
 * Everything generated depends on the device's name and on skua_setup_id only.
 */
void skua_ident_init(struct skua_dev *dev)
{
	u64 id = (u64)skua_setup_id << 32 | skua_ident_number(dev->name);
	struct skua_ident *ident = &dev->ident;

	strscpy(ident->vendor, dev->be->vendor_id, sizeof(ident->vendor));
	/* What is too long is cut. */
	snprintf(ident->prod, sizeof(ident->prod), "%.*s", SKUA_PROD_LEN, dev->name);
	strscpy(ident->rev, SKUA_DEFAULT_REV, sizeof(ident->rev));
	snprintf(ident->usn, sizeof(ident->usn), "%llx", id);
	if (dev->config.given & SKUA_P(T10_DEV_ID)) {
		strscpy(ident->t10_dev_id, dev->config.t10_dev_id, sizeof(ident->t10_dev_id));
		ident->set |= 1 << SKUA_ID_T10_DEV;
	} else {
		scnprintf(ident->t10_dev_id, sizeof(ident->t10_dev_id), "%llx-%s", id, dev->name);
	}
	strscpy(ident->vend_specific, ident->t10_dev_id, sizeof(ident->vend_specific));
}

struct skua_designators {
	u8 *buf;
	u32 len, size;
};

/* Returns where @len zeroed bytes of the designator go; NULL if there is no room. */
static u8 *skua_put_designator(struct skua_designators *out, u8 code, u8 type, u32 len)
{
	u8 *p = out->buf + out->len;

	if (len > 255 || out->size - out->len < len + 4)
		return NULL;
	p[0] = code;
	p[1] = type;
	p[2] = 0;
	p[3] = len;
	memset(p + 4, 0, len);
	out->len += len + 4;
	return p + 4;
}

static void skua_put_t10(struct skua_designators *out, const struct skua_ident *ident)
{
	u32 vendor_len = strnlen(ident->vendor, SKUA_VENDOR_LEN);
	u32 id_len = strnlen(ident->t10_dev_id, SKUA_DEV_ID_LEN);
	u8 *p = skua_put_designator(out, CODE_ASCII, OF_LUN | TYPE_T10_VENDOR,
				    SKUA_VENDOR_LEN + id_len);

	if (!p)
		return;
	memset(p, ' ', SKUA_VENDOR_LEN);
	memcpy(p, ident->vendor, vendor_len);
	memcpy(p + SKUA_VENDOR_LEN, ident->t10_dev_id, id_len);
}

/* EUI-64 and NAA; where neither was set, EUI-64 made of the T10 device id. */
static void skua_put_numbers(struct skua_designators *out, const struct skua_ident *ident)
{
	const void *eui = ident->eui64;
	u32 eui_len = ident->eui64_len;
	u8 *p;

	if (!eui_len && !ident->naa_len) {
		eui = ident->t10_dev_id;
		eui_len = EUI_FALLBACK_LEN;
	}
	if (eui_len) {
		p = skua_put_designator(out, CODE_BINARY, OF_LUN | TYPE_EUI64, eui_len);
		if (p)
			memcpy(p, eui, eui_len);
	}
	if (ident->naa_len) {
		p = skua_put_designator(out, CODE_BINARY, OF_LUN | TYPE_NAA, ident->naa_len);
		if (p)
			memcpy(p, ident->naa, ident->naa_len);
	}
}

/* SCSI name string of the target device, NUL padded to a multiple of four. */
static void skua_put_name(struct skua_designators *out, const struct skua_ident *ident)
{
	u32 len = strnlen(ident->scsi_name, SKUA_SCSI_NAME_LEN);
	u8 *p;

	if (!len)
		return;
	len = min_t(u32, len, 251);	/* the designator's length is one byte */
	p = skua_put_designator(out, CODE_UTF8, OF_DEVICE | TYPE_NAME, ALIGN(len + 1, 4));
	if (p)
		memcpy(p, ident->scsi_name, len);
}

/**
 * skua_ident_vpd83() - designators of the device identification page
 * @dev: the device
 * @sess: through which it is looked at; its target's relative port goes in
 * @buf: where to
 * @size: of @buf
 *
 * Context: any. Return: bytes written.
 */
u32 skua_ident_vpd83(struct skua_dev *dev, const struct skua_session *sess, u8 *buf, u32 size)
{
	struct skua_designators out = { .buf = buf, .size = size };
	unsigned long flags;
	u8 *p;

	spin_lock_irqsave(&dev->lock, flags);
	skua_put_t10(&out, &dev->ident);
	skua_put_numbers(&out, &dev->ident);
	p = skua_put_designator(&out, CODE_BINARY, OF_PORT | TYPE_REL_PORT, 4);
	if (p)
		put_unaligned_be16(READ_ONCE(sess->tgt->rel_tgt_id), p + 2);
	skua_put_name(&out, &dev->ident);
	spin_unlock_irqrestore(&dev->lock, flags);
	return out.len;
}
