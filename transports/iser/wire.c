// SPDX-License-Identifier: GPL-2.0
/* Taking received PDUs apart. */
#include <linux/kernel.h>

#include "wire.h"

/**
 * iser_parse() - cut a received message into its parts
 * @buf: the message
 * @len: bytes that were received
 * @pdu: result
 *
 * RFC 7145 leaves the padding of data segments to the sender: initiators that send
 * none are as right as those that do.
 *
 * Return: false: it is no iSCSI PDU, or says that it is longer than it is.
 */
bool iser_parse(const void *buf, u32 len, struct iser_pdu *pdu)
{
	u32 ahs, left;

	if (len < ISER_HEADERS)
		return false;
	pdu->hdr = buf;
	pdu->bhs = buf + ISER_HDR_LEN;
	if ((pdu->hdr->flags & ISER_OPCODE_MASK) != ISER_CTRL)
		return false;
	left = len - ISER_HEADERS;
	ahs = pdu->bhs->ahs_words * 4;
	if (ahs > left)
		return false;
	left -= ahs;
	pdu->ahs = buf + ISER_HEADERS;
	pdu->data = pdu->ahs + ahs;
	pdu->len = iscsi_dsl(pdu->bhs);
	return pdu->len <= left;
}
