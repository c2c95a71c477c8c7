// SPDX-License-Identifier: GPL-2.0
/*
 * Mode pages (SPC-4, SBC-3). Pages live as long as the
 * device; nothing is saved. dev->lock guards them; the I/O path looks at single
 * bytes without it.
 */
#include <linux/slab.h>
#include <scsi/scsi_proto.h>

#include "exec.h"

#define WCE		0x04	/* caching page, byte 2 */
#define D_SENSE		0x04	/* control page, byte 2 */
#define SWP		0x08	/* control page, byte 4 */
#define TAS		0x40	/* control page, byte 5 */
#define DEXCPT		0x08	/* informational exceptions page, byte 2 */

#define SPF		0x40	/* subpage format */
#define ALL_PAGES	0x3f
#define ALL_SUBPAGES	0xff

#define MODE_MAX	512	/* header, block descriptor and all pages */

enum { PC_CURRENT, PC_CHANGEABLE, PC_DEFAULT, PC_SAVED };

static void skua_page_init(struct skua_mode_page *mp, u8 page, u8 subpage, u8 len)
{
	memset(mp, 0, sizeof(*mp));
	mp->page = page;
	mp->subpage = subpage;
	mp->len = len;
	if (subpage) {
		mp->def[0] = SPF | page;
		mp->def[1] = subpage;
		put_unaligned_be16(len - 4, mp->def + 2);
	} else {
		mp->def[0] = page;
		mp->def[1] = len - 2;
	}
}

/**
 * skua_mode_init() - mode pages of a new device
 * @dev: with its configuration in place; what open() finds out is not needed yet
 */
void skua_mode_init(struct skua_dev *dev)
{
	struct skua_mode_page *mp = dev->mp;
	int i;

	skua_page_init(&mp[SKUA_MP_CACHING], 0x08, 0, 20);
	if (!dev->config.write_through) {
		mp[SKUA_MP_CACHING].def[2] = WCE;
		mp[SKUA_MP_CACHING].mask[2] = WCE;
	}

	skua_page_init(&mp[SKUA_MP_CONTROL], 0x0a, 0, 12);
	mp[SKUA_MP_CONTROL].def[2] = dev->config.tst << 5 | 0x02;	/* GLTSD */
	mp[SKUA_MP_CONTROL].def[3] = 0x10;	/* unrestricted reordering */
	mp[SKUA_MP_CONTROL].mask[2] = D_SENSE;
	mp[SKUA_MP_CONTROL].mask[4] = SWP;
	mp[SKUA_MP_CONTROL].mask[5] = TAS;

	skua_page_init(&mp[SKUA_MP_CONTROL_EXT], 0x0a, 0x01, 32);

	skua_page_init(&mp[SKUA_MP_IEC], 0x1c, 0, 12);
	mp[SKUA_MP_IEC].def[2] = DEXCPT;

	for (i = 0; i < SKUA_NR_MP; i++)
		memcpy(mp[i].cur, mp[i].def, sizeof(mp[i].cur));
	dev->swp = false;
}

/* Does sense data of this device have descriptor format? */
bool skua_mode_d_sense(const struct skua_dev *dev)
{
	return READ_ONCE(dev->mp[SKUA_MP_CONTROL].cur[2]) & D_SENSE;
}

/* Are commands that another initiator aborted to be answered with TASK ABORTED? */
bool skua_mode_tas(const struct skua_dev *dev)
{
	return READ_ONCE(dev->mp[SKUA_MP_CONTROL].cur[5]) & TAS;
}

/* May writes stay in a volatile cache? */
bool skua_mode_wce(const struct skua_dev *dev)
{
	return READ_ONCE(dev->mp[SKUA_MP_CACHING].cur[2]) & WCE;
}

/*
 * A page as the initiator sees it. WCE says what the medium's cache does, so it
 * is clear, and stays so, where there is no cache that would lose data.
 */
static u8 skua_page_byte(const struct skua_dev *dev, const struct skua_mode_page *mp, u8 pc, int i)
{
	u8 byte = pc == PC_CURRENT ? mp->cur[i] : pc == PC_DEFAULT ? mp->def[i] : mp->mask[i];

	if (mp->page == 0x08 && i == 2 && !skua_dev_flushes(dev))
		byte &= ~WCE;
	/* The header is no changeable value. */
	if (pc == PC_CHANGEABLE && i < (mp->subpage ? 4 : 2))
		byte = mp->def[i];
	return byte;
}

/* ---- MODE SENSE -------------------------------------------------------- */

/* Block descriptor, SBC-3; returns its length. */
static u32 skua_put_block_desc(const struct skua_dev *dev, u8 *p, bool longlba)
{
	u64 blocks = READ_ONCE(dev->limits.nr_blocks);

	if (longlba) {
		put_unaligned_be64(blocks, p);
		put_unaligned_be32(skua_block_size(dev), p + 12);
		return 16;
	}
	put_unaligned_be32(min_t(u64, blocks, U32_MAX), p);
	put_unaligned_be24(skua_block_size(dev), p + 5);
	return 8;
}

static bool skua_page_wanted(const struct skua_mode_page *mp, u8 page, u8 subpage)
{
	if (page != ALL_PAGES && page != mp->page)
		return false;
	return subpage == ALL_SUBPAGES || subpage == mp->subpage;
}

static u32 skua_put_pages(struct skua_dev *dev, const u8 *cdb, u8 *p)
{
	unsigned long flags;
	u32 len = 0;
	int i, j;

	spin_lock_irqsave(&dev->lock, flags);
	for (i = 0; i < SKUA_NR_MP; i++) {
		if (!skua_page_wanted(&dev->mp[i], cdb[2] & 0x3f, cdb[3]))
			continue;
		for (j = 0; j < dev->mp[i].len; j++)
			p[len++] = skua_page_byte(dev, &dev->mp[i], cdb[2] >> 6, j);
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	return len;
}

/* Is the page there? If not, says which field is wrong. */
static int skua_mode_fault(const struct skua_dev *dev, const u8 *cdb)
{
	u8 page = cdb[2] & 0x3f;
	bool known = page == ALL_PAGES;
	int i;

	for (i = 0; i < SKUA_NR_MP; i++) {
		if (skua_page_wanted(&dev->mp[i], page, cdb[3]))
			return 0;
		known |= dev->mp[i].page == page;
	}
	return known ? 3 : 2;
}

void skua_exec_mode_sense(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	bool ten = cmd->op->len == 10, longlba = ten && cmd->cdb[1] & 0x10;
	u32 header = ten ? 8 : 4, desc = 0, len;
	int fault = skua_mode_fault(dev, cmd->cdb);
	u8 data[MODE_MAX] = {};
	u8 specific = 0x10;	/* DPOFUA */

	if (fault) {
		skua_cmd_bad_field(cmd, fault, fault == 2 ? 5 : 7, true);
		return;
	}
	if (cmd->cdb[2] >> 6 == PC_SAVED) {
		/* SAVING PARAMETERS NOT SUPPORTED */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x39, 0x00);
		return;
	}
	if (!(cmd->cdb[1] & 0x08))	/* DBD */
		desc = skua_put_block_desc(dev, data + header, longlba);
	len = header + desc;
	len += skua_put_pages(dev, cmd->cdb, data + len);
	if (skua_dev_write_protected(cmd->nexus))
		specific |= 0x80;
	if (ten) {
		put_unaligned_be16(len - 2, data);
		data[3] = specific;
		data[4] = longlba && desc;
		put_unaligned_be16(desc, data + 6);
	} else {
		data[0] = len - 1;
		data[2] = specific;
		data[3] = desc;
	}
	skua_cmd_reply(cmd, data, len);
}

/* ---- MODE SELECT ------------------------------------------------------- */

/* Pages as MODE SELECT wants them, and which it named. */
struct skua_mode_new {
	u32 named;
	u8 page[SKUA_NR_MP][SKUA_MP_MAX];
};

/*
 * Skips header and block descriptor. Returns where the pages begin, or 0 after
 * the command was ended.
 */
static u32 skua_select_header(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	bool ten = cmd->op->len == 10, longlba;
	u32 header = ten ? 8 : 4, size, desc, length_at;
	const u8 *buf = cmd->buf, *d = buf + header;
	u64 blocks;

	if (cmd->buf_len < cmd->data_len || cmd->buf_len < header)
		goto too_short;
	longlba = ten && buf[4] & 0x01;
	desc = ten ? get_unaligned_be16(buf + 6) : buf[3];
	if (buf[ten ? 2 : 1]) {		/* medium type */
		skua_cmd_bad_field(cmd, ten ? 2 : 1, -1, false);
		return 0;
	}
	if (!desc)
		return header;
	if (desc != (longlba ? 16 : 8)) {
		skua_cmd_bad_field(cmd, ten ? 6 : 3, -1, false);
		return 0;
	}
	if (desc > cmd->buf_len - header)
		goto too_short;
	/* Neither capacity nor block size can be changed; zero leaves the capacity alone. */
	blocks = longlba ? get_unaligned_be64(d) : get_unaligned_be32(d);
	length_at = longlba ? 12 : 5;
	size = longlba ? get_unaligned_be32(d + 12) : get_unaligned_be24(d + 5);
	if (size != skua_block_size(dev)) {
		skua_cmd_bad_field(cmd, header + length_at, -1, false);
		return 0;
	}
	if (blocks && blocks != READ_ONCE(dev->limits.nr_blocks) &&
	    blocks != (longlba ? U64_MAX : U32_MAX)) {
		skua_cmd_bad_field(cmd, header, -1, false);
		return 0;
	}
	return header + desc;

too_short:
	/* PARAMETER LIST LENGTH ERROR */
	skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x1a, 0x00);
	return 0;
}

/* The number of the page that begins at @p with two bytes, or -1. */
static int skua_select_find(const struct skua_dev *dev, const u8 *p)
{
	u8 subpage = p[0] & SPF ? p[1] : 0;
	int i;

	for (i = 0; i < SKUA_NR_MP; i++)
		if (dev->mp[i].page == (p[0] & 0x3f) && dev->mp[i].subpage == subpage &&
		    !(p[0] & SPF) == !dev->mp[i].subpage)
			return i;
	return -1;
}

/*
 * Copies one page after a look at every byte: only changeable bits may differ.
 * Returns its length; 0 after the command was ended. PS is reserved here.
 */
static u32 skua_select_page(struct skua_cmd *cmd, u32 pos, struct skua_mode_new *new)
{
	const u8 *p = (u8 *)cmd->buf + pos;
	struct skua_dev *dev = cmd->nexus->dev;
	u32 left = cmd->buf_len - pos, i;
	int nr = left < 2 ? -1 : skua_select_find(dev, p);
	struct skua_mode_page *mp;
	u8 diff;

	if (left < 2) {
		/* PARAMETER LIST LENGTH ERROR */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x1a, 0x00);
		return 0;
	}
	if (nr < 0) {
		skua_cmd_bad_field(cmd, pos, 5, false);
		return 0;
	}
	mp = &dev->mp[nr];
	if (left < mp->len) {
		/* PARAMETER LIST LENGTH ERROR */
		skua_cmd_sense(cmd, ILLEGAL_REQUEST, 0x1a, 0x00);
		return 0;
	}
	for (i = 0; i < mp->len; i++) {
		diff = p[i] ^ skua_page_byte(dev, mp, PC_CURRENT, i);
		if (i < (mp->subpage ? 4 : 2))
			diff &= i ? 0xff : 0x7f;
		else
			diff &= ~skua_page_byte(dev, mp, PC_CHANGEABLE, i);
		if (diff) {
			skua_cmd_bad_field(cmd, pos + i, fls(diff) - 1, false);
			return 0;
		}
	}
	memcpy(new->page[nr], p, mp->len);
	new->named |= 1 << nr;
	return mp->len;
}

/* Makes the changes, changeable bits only. Returns whether there were any. */
static bool skua_select_commit(struct skua_dev *dev, const struct skua_mode_new *new)
{
	bool changed = false;
	unsigned long flags;
	u8 mask, byte;
	int nr, i;

	spin_lock_irqsave(&dev->lock, flags);
	for (nr = 0; nr < SKUA_NR_MP; nr++) {
		struct skua_mode_page *mp = &dev->mp[nr];

		if (!(new->named & 1 << nr))
			continue;
		for (i = mp->subpage ? 4 : 2; i < mp->len; i++) {
			mask = skua_page_byte(dev, mp, PC_CHANGEABLE, i);
			byte = (mp->cur[i] & ~mask) | (new->page[nr][i] & mask);
			changed |= byte != mp->cur[i];
			WRITE_ONCE(mp->cur[i], byte);
		}
	}
	WRITE_ONCE(dev->swp, dev->mp[SKUA_MP_CONTROL].cur[4] & SWP);
	spin_unlock_irqrestore(&dev->lock, flags);
	return changed;
}

/*
 * MODE SELECT: all pages are checked before the first is changed. When caching is
 * switched off what is in the cache is written before the status is sent.
 */
void skua_exec_mode_select(struct skua_cmd *cmd)
{
	struct skua_dev *dev = cmd->nexus->dev;
	bool wce = skua_mode_wce(dev);
	struct skua_mode_new new = {};
	u32 pos, len;

	if (!cmd->data_len) {
		skua_cmd_good(cmd);
		return;
	}
	if (!(cmd->cdb[1] & 0x10)) {	/* PF: there are no vendor specific pages */
		skua_cmd_bad_field(cmd, 1, 4, true);
		return;
	}
	pos = skua_select_header(cmd);
	if (!pos)
		return;
	for (; pos < cmd->buf_len; pos += len) {
		len = skua_select_page(cmd, pos, &new);
		if (!len)
			return;
	}
	if (skua_select_commit(dev, &new))	/* MODE PARAMETERS CHANGED */
		skua_ua_dev(dev, cmd->nexus, 0x2a, 0x01);
	if (wce && !skua_mode_wce(dev)) {
		cmd->io.pos = 0;
		cmd->io.len = READ_ONCE(dev->limits.nr_blocks) << dev->block_shift;
		skua_flush_then_good(cmd, &cmd->io);
	} else {
		skua_cmd_good(cmd);
	}
}
