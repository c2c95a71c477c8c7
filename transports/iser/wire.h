/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iSER on the wire: RFC 7145 section 9 and annex A (InfiniBand). Pure: no kernel
 * objects; also built for user space by tests/unit.
 */
#ifndef SKUA_ISER_WIRE_H
#define SKUA_ISER_WIRE_H

#include "../iscsi/proto.h"

/* Byte 0 of the header: the kind of PDU, and what else is valid */
#define ISER_OPCODE_MASK	0xf0
#define ISER_CTRL		0x10	/* carries an iSCSI control-type PDU */
#define ISER_HELLO		0x20
#define ISER_WSV		0x08	/* write_stag and write_base are valid */
#define ISER_RSV		0x04	/* the same for reads */

/**
 * struct iser_hdr - header of a PDU on an RDMA connection
 * @write_base: address of the data that is not sent unsolicited
 */
struct iser_hdr {
	u8 flags;
	u8 rsvd[3];
	__be32 write_stag;
	__be64 write_base;
	__be32 read_stag;
	__be64 read_base;
} __packed;

#define ISER_HDR_LEN	28
#define ISER_HEADERS	(ISER_HDR_LEN + ISCSI_BHS_LEN)

/* Flags in the private data of connection request and reply: what is not there */
#define ISER_CM_NO_ZBVA		0x80	/* addresses that begin at zero */
#define ISER_CM_NO_SEND_INV	0x40	/* SEND with invalidate */

struct iser_cm_hdr {
	u8 flags;
	u8 rsvd[3];
};

/**
 * struct iser_pdu - a received PDU, taken apart
 * @hdr, @bhs: in the receive buffer, which is aligned for them
 * @ahs: bhs->ahs_words * 4 bytes
 * @data: data segment
 * @len: bytes of it
 */
struct iser_pdu {
	const struct iser_hdr *hdr;
	const struct iscsi_bhs *bhs;
	const u8 *ahs;
	const u8 *data;
	u32 len;
};

bool iser_parse(const void *buf, u32 len, struct iser_pdu *pdu);

#endif
