// SPDX-License-Identifier: GPL-2.0
/* INQUIRY: standard data and vital product data pages (SPC-4, SBC-3). */
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "exec.h"

#define STD_LEN		96
#define STD_MAX		(STD_LEN + SKUA_INQ_VENDOR_LEN)
#define STD_SHORT_VENDOR 20	/* vendor specific bytes 36 to 55 */
#define VPD_MAX		1024
#define VPD_PAGE_LEN	0x3c	/* of the fixed size pages 86h, B0h, B1h */

#define PQ_NOT_CONNECTED	0x20
#define PQ_NO_LUN		0x7f	/* with the type: no device here */

/* A string, padded with blanks. */
static void skua_put_text(u8 *p, const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	memcpy(p, text, len);
	memset(p + len, ' ', size - len);
}

static u8 skua_peripheral(const struct skua_cmd *cmd)
{
	if (!cmd->nexus)
		return PQ_NO_LUN;
	return TYPE_DISK | (cmd->nexus->dev->config.dummy ? PQ_NOT_CONNECTED : 0);
}

/* ---- standard data ---------------------------------------------------- */

/* Version descriptors, SPC-4; the transport's only where it is known. */
static void skua_put_versions(const struct skua_cmd *cmd, u8 *p)
{
	put_unaligned_be16(0x00a0, p);		/* SAM-5 */
	put_unaligned_be16(0x0460, p + 2);	/* SPC-4 */
	put_unaligned_be16(0x04c0, p + 4);	/* SBC-3 */
	switch (cmd->queue->session->tgt->drv->ops->protocol) {
	case SCSI_PROTOCOL_SRP:
		put_unaligned_be16(0x0940, p + 6);
		break;
	case SCSI_PROTOCOL_ISCSI:
		put_unaligned_be16(0x0960, p + 6);
		break;
	}
}

/* The same of all logical units, also of those that are not there. */
static void skua_inquiry_common(const struct skua_cmd *cmd, u8 *d)
{
	d[0] = skua_peripheral(cmd);
	d[2] = 0x06;		/* SPC-4 */
	d[3] = 0x10 | 0x02;	/* HISUP, response data format */
	d[4] = STD_LEN - 5;
	d[6] = 0x10;		/* MULTIP */
	d[7] = 0x02;		/* CMDQUE */
	skua_put_versions(cmd, d + 58);
}

/* Strings of the device; returns the length of the data. */
static u32 skua_inquiry_ident(struct skua_dev *dev, u8 *d)
{
	unsigned long flags;
	u32 len = STD_LEN;
	size_t vendor_len;

	spin_lock_irqsave(&dev->lock, flags);
	skua_put_text(d + 8, dev->ident.vendor, SKUA_VENDOR_LEN);
	skua_put_text(d + 16, dev->ident.prod, SKUA_PROD_LEN);
	skua_put_text(d + 32, dev->ident.rev, SKUA_REV_LEN);
	vendor_len = strnlen(dev->ident.inq_vendor, SKUA_INQ_VENDOR_LEN);
	if (vendor_len <= STD_SHORT_VENDOR) {
		memcpy(d + 36, dev->ident.inq_vendor, vendor_len);
	} else {
		memcpy(d + STD_LEN, dev->ident.inq_vendor, vendor_len);
		len += vendor_len;
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	return len;
}

static void skua_inquiry_standard(struct skua_cmd *cmd)
{
	u32 len = STD_LEN;
	u8 *d;

	if (cmd->cdb[2]) {	/* a page without EVPD */
		skua_cmd_bad_field(cmd, 2, -1, true);
		return;
	}
	d = kzalloc(STD_MAX, GFP_NOIO);
	if (!d) {
		skua_cmd_error(cmd, -ENOMEM);
		return;
	}
	skua_inquiry_common(cmd, d);
	if (cmd->nexus) {
		if (cmd->nexus->dev->config.removable)
			d[1] = 0x80;
		len = skua_inquiry_ident(cmd->nexus->dev, d);
		d[4] = len - 5;
	} else {
		memset(d + 8, ' ', 28);
	}
	skua_cmd_reply(cmd, d, len);
	kfree(d);
}

/* ---- vital product data ------------------------------------------------ */

/* Each writes what follows the page header and returns its length. */
typedef u32 (*skua_vpd_fn)(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p);

static u32 skua_vpd_supported(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p);

/* Unit serial number */
static u32 skua_vpd_serial(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	unsigned long flags;
	u32 len;

	spin_lock_irqsave(&dev->lock, flags);
	len = strnlen(dev->ident.usn, SKUA_USN_LEN);
	memcpy(p, dev->ident.usn, len);
	spin_unlock_irqrestore(&dev->lock, flags);
	return len;
}

/* Device identification */
static u32 skua_vpd_ident(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	return skua_ident_vpd83(dev, cmd->queue->session, p, VPD_MAX - 4);
}

/* Extended INQUIRY data */
static u32 skua_vpd_extended(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	p[1] = 0x07;		/* HEADSUP, ORDSUP, SIMPSUP */
	if (READ_ONCE(dev->limits.write_cache))
		p[2] = dev->config.nv_cache ? 0x02 : 0x01;	/* NV_SUP or V_SUP */
	return VPD_PAGE_LEN;
}

static u32 skua_optimal_blocks(const struct skua_dev *dev)
{
	u32 blocks = READ_ONCE(dev->limits.opt_blocks);

	if (dev->opt_len_given || !blocks)
		blocks = READ_ONCE(dev->opt_trans_len) >> dev->block_shift;
	return min(blocks, SKUA_MAX_XFER >> dev->block_shift);
}

/* Block limits, SBC-3 */
static u32 skua_vpd_limits(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	const struct skua_limits *lim = &dev->limits;

	p[0] = 0x01;		/* WSNZ */
	put_unaligned_be16(min_t(u32, READ_ONCE(lim->opt_granularity), 0xffff), p + 2);
	put_unaligned_be32(SKUA_MAX_XFER >> dev->block_shift, p + 4);
	put_unaligned_be32(skua_optimal_blocks(dev), p + 8);
	if (skua_dev_thin(dev)) {
		put_unaligned_be32(READ_ONCE(lim->max_unmap_blocks), p + 16);
		put_unaligned_be32(SKUA_MAX_UNMAP_DESC, p + 20);
		put_unaligned_be32(READ_ONCE(lim->unmap_granularity), p + 24);
		if (READ_ONCE(lim->unmap_granularity))	/* UGAVALID */
			put_unaligned_be32(1U << 31 | READ_ONCE(lim->unmap_alignment), p + 28);
	}
	put_unaligned_be64(SKUA_MAX_WRITE_SAME >> dev->block_shift, p + 32);
	return VPD_PAGE_LEN;
}

/* Block device characteristics, SBC-3 */
static u32 skua_vpd_characteristics(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	put_unaligned_be16(READ_ONCE(dev->limits.rotational) ? 5400 : 1, p);
	return VPD_PAGE_LEN;
}

/* Logical block provisioning, SBC-3 */
static u32 skua_vpd_provisioning(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	if (skua_dev_thin(dev)) {	/* else all zero: fully provisioned */
		p[1] = 0x80;		/* LBPU */
		p[2] = 0x02;		/* thin provisioned */
	}
	if (skua_dev_ws_unmaps(dev))
		p[1] |= 0x60;		/* LBPWS, LBPWS10 */
	if (skua_dev_unmaps_to_zero(dev))
		p[1] |= 0x04;		/* LBPRZ */
	return 4;
}

static const struct {
	u8 code;
	skua_vpd_fn fill;
} skua_vpd[] = {
	{ 0x00, skua_vpd_supported },
	{ 0x80, skua_vpd_serial },
	{ 0x83, skua_vpd_ident },
	{ 0x86, skua_vpd_extended },
	{ 0xb0, skua_vpd_limits },
	{ 0xb1, skua_vpd_characteristics },
	{ 0xb2, skua_vpd_provisioning },
};

/* Without a logical unit only the list itself is served. */
static bool skua_vpd_served(const struct skua_dev *dev, int i)
{
	return dev || !skua_vpd[i].code;
}

static u32 skua_vpd_supported(struct skua_cmd *cmd, struct skua_dev *dev, u8 *p)
{
	u32 len = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(skua_vpd); i++)
		if (skua_vpd_served(dev, i))
			p[len++] = skua_vpd[i].code;
	return len;
}

static void skua_inquiry_vpd(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus ? cmd->nexus->dev : NULL;
	u32 len;
	u8 *d;
	int i;

	for (i = 0; i < ARRAY_SIZE(skua_vpd); i++)
		if (skua_vpd[i].code == cmd->cdb[2] && skua_vpd_served(dev, i))
			break;
	if (i == ARRAY_SIZE(skua_vpd)) {
		skua_cmd_bad_field(cmd, 2, -1, true);
		return;
	}
	d = kzalloc(VPD_MAX, GFP_NOIO);
	if (!d) {
		skua_cmd_error(cmd, -ENOMEM);
		return;
	}
	d[0] = skua_peripheral(cmd);
	d[1] = skua_vpd[i].code;
	len = skua_vpd[i].fill(cmd, dev, d + 4);
	put_unaligned_be16(len, d + 2);
	skua_cmd_reply(cmd, d, len + 4);
	kfree(d);
}

void skua_exec_inquiry(struct skua_cmd *cmd)
{
	if (cmd->cdb[1] & 0x01)
		skua_inquiry_vpd(cmd);
	else
		skua_inquiry_standard(cmd);
}
