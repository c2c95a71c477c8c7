// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of RFC 7143 section 13 and RFC 7145 section 6, and how their values are
 * agreed on (6.2).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "nego.h"

static const char *const digests[] = { "None", "CRC32C" };
static const char *const task_reporting[] = { "RFC3720", "ResponseFence", "FastAbort" };

#define SEC	ISCSI_K_SECURITY
#define OPER	ISCSI_K_OPERATIONAL
#define FULL	ISCSI_K_FULL
#define ANY	ISCSI_K_ANY
#define NORMAL	ISCSI_K_NORMAL
#define RDMA	ISCSI_K_RDMA
#define TARGET	ISCSI_K_TARGET
#define LONG	ISCSI_K_LONG
#define NO_OFFER ISCSI_K_NO_OFFER

#define KEY(_id, _name, _type, _flags, ...)	\
	[_id] = { .name = _name, .type = _type, .flags = _flags, __VA_ARGS__ }
#define RANGE(_min, _max, _dflt)	.min = _min, .max = _max, .dflt = _dflt
#define ITEMS(_list, _dflt)		.items = _list, .max = ARRAY_SIZE(_list), .dflt = _dflt

const struct iscsi_key iscsi_keys[ISCSI_NR_KEYS] = {
	KEY(ISCSI_HEADER_DIGEST, "HeaderDigest", ISCSI_LIST, OPER, ITEMS(digests, 0)),
	KEY(ISCSI_DATA_DIGEST, "DataDigest", ISCSI_LIST, OPER, ITEMS(digests, 0)),
	KEY(ISCSI_MAX_CONNECTIONS, "MaxConnections", ISCSI_MIN, OPER | NORMAL,
	    RANGE(1, 65535, 1)),
	KEY(ISCSI_INITIAL_R2T, "InitialR2T", ISCSI_OR, OPER | NORMAL, RANGE(0, 1, 1)),
	KEY(ISCSI_IMMEDIATE_DATA, "ImmediateData", ISCSI_AND, OPER | NORMAL, RANGE(0, 1, 1)),
	KEY(ISCSI_MAX_RECV_DSL, "MaxRecvDataSegmentLength", ISCSI_DECLARE, ANY,
	    RANGE(512, ISCSI_MAX_DSL, ISCSI_LOGIN_DSL)),
	KEY(ISCSI_MAX_BURST, "MaxBurstLength", ISCSI_MIN, OPER | NORMAL,
	    RANGE(512, ISCSI_MAX_DSL, 262144)),
	KEY(ISCSI_FIRST_BURST, "FirstBurstLength", ISCSI_MIN, OPER | NORMAL,
	    RANGE(512, ISCSI_MAX_DSL, 65536)),
	KEY(ISCSI_TIME2WAIT, "DefaultTime2Wait", ISCSI_MAX, OPER, RANGE(0, 3600, 2)),
	/* Without recovery of connections nothing is retained: no reason to insist. */
	KEY(ISCSI_TIME2RETAIN, "DefaultTime2Retain", ISCSI_MIN, OPER | NO_OFFER,
	    RANGE(0, 3600, 20)),
	KEY(ISCSI_MAX_R2T, "MaxOutstandingR2T", ISCSI_MIN, OPER | NORMAL, RANGE(1, 65535, 1)),
	KEY(ISCSI_PDU_IN_ORDER, "DataPDUInOrder", ISCSI_OR, OPER | NORMAL, RANGE(0, 1, 1)),
	KEY(ISCSI_SEQ_IN_ORDER, "DataSequenceInOrder", ISCSI_OR, OPER | NORMAL, RANGE(0, 1, 1)),
	KEY(ISCSI_ERL, "ErrorRecoveryLevel", ISCSI_MIN, OPER, RANGE(0, 2, 0)),
	KEY(ISCSI_TASK_REPORTING, "TaskReporting", ISCSI_LIST, OPER | NORMAL,
	    ITEMS(task_reporting, 0)),
	KEY(ISCSI_PROTOCOL_LEVEL, "iSCSIProtocolLevel", ISCSI_MIN, OPER | NORMAL,
	    RANGE(0, 31, 1)),
	KEY(ISCSI_RDMA_EXTENSIONS, "RDMAExtensions", ISCSI_AND, OPER, RANGE(0, 1, 0)),
	KEY(ISCSI_TARGET_RECV_DSL, "TargetRecvDataSegmentLength", ISCSI_MIN, OPER | RDMA,
	    RANGE(512, ISCSI_MAX_DSL, 8192)),
	KEY(ISCSI_INITIATOR_RECV_DSL, "InitiatorRecvDataSegmentLength", ISCSI_MIN, OPER | RDMA,
	    RANGE(512, ISCSI_MAX_DSL, 8192)),
	KEY(ISCSI_MAX_UNEXPECTED, "MaxOutstandingUnexpectedPDUs", ISCSI_DECLARE, OPER | RDMA,
	    RANGE(0, U32_MAX, 0)),
	KEY(ISCSI_MAX_AHS_LEN, "MaxAHSLength", ISCSI_DECLARE, OPER | RDMA,
	    RANGE(0, U32_MAX, 256)),
	KEY(ISCSI_TAGGED_SOLICITED, "TaggedBufferForSolicitedDataOnly", ISCSI_DECLARE_BOOL,
	    OPER | RDMA, RANGE(0, 1, 0)),
	KEY(ISCSI_HELLO_REQUIRED, "iSERHelloRequired", ISCSI_DECLARE_BOOL, OPER | RDMA,
	    RANGE(0, 1, 0)),

	KEY(ISCSI_SESSION_TYPE, "SessionType", ISCSI_TEXT, SEC | OPER),
	KEY(ISCSI_INITIATOR_NAME, "InitiatorName", ISCSI_TEXT, SEC | OPER),
	KEY(ISCSI_INITIATOR_ALIAS, "InitiatorAlias", ISCSI_TEXT, ANY),
	KEY(ISCSI_TARGET_NAME, "TargetName", ISCSI_TEXT, SEC | OPER),
	KEY(ISCSI_TARGET_ALIAS, "TargetAlias", ISCSI_TEXT, ANY | TARGET),
	KEY(ISCSI_TARGET_ADDRESS, "TargetAddress", ISCSI_TEXT, ANY | TARGET),
	KEY(ISCSI_PORTAL_GROUP, "TargetPortalGroupTag", ISCSI_TEXT, ANY | TARGET),
	KEY(ISCSI_SEND_TARGETS, "SendTargets", ISCSI_TEXT, FULL),
	KEY(ISCSI_AUTH_METHOD, "AuthMethod", ISCSI_TEXT, SEC),
	KEY(ISCSI_CHAP_A, "CHAP_A", ISCSI_TEXT, SEC),
	KEY(ISCSI_CHAP_I, "CHAP_I", ISCSI_TEXT, SEC),
	KEY(ISCSI_CHAP_C, "CHAP_C", ISCSI_TEXT, SEC | LONG),
	KEY(ISCSI_CHAP_N, "CHAP_N", ISCSI_TEXT, SEC),
	KEY(ISCSI_CHAP_R, "CHAP_R", ISCSI_TEXT, SEC | LONG),
	KEY(ISCSI_IF_MARKER, "IFMarker", ISCSI_OBSOLETE, OPER),
	KEY(ISCSI_OF_MARKER, "OFMarker", ISCSI_OBSOLETE, OPER),
	KEY(ISCSI_IF_MARK_INT, "IFMarkInt", ISCSI_OBSOLETE, OPER),
	KEY(ISCSI_OF_MARK_INT, "OFMarkInt", ISCSI_OBSOLETE, OPER),
};

/**
 * iscsi_key_find() - a key by its name
 * @name: where it begins
 * @len: its length
 *
 * Return: the row of the table, or NULL.
 */
const struct iscsi_key *iscsi_key_find(const char *name, size_t len)
{
	const struct iscsi_key *key;

	for (key = iscsi_keys; key < iscsi_keys + ISCSI_NR_KEYS; key++)
		if (strlen(key->name) == len && !memcmp(key->name, name, len))
			return key;
	return NULL;
}

/* ---- the negotiation --------------------------------------------------- */

/**
 * iscsi_nego_defaults() - what this target is ready for, unless configured otherwise
 * @ours: result
 */
void iscsi_nego_defaults(u32 *ours)
{
	int id;

	for (id = 0; id < ISCSI_NR_VALUES; id++) {
		const struct iscsi_key *key = &iscsi_keys[id];

		ours[id] = key->type == ISCSI_LIST ? BIT(key->dflt) : key->dflt;
	}
}

/**
 * iscsi_nego_init() - begin: nothing has been said, so defaults hold
 * @nego: all of it is set
 * @rdma: the connection is an RDMA one
 */
void iscsi_nego_init(struct iscsi_nego *nego, bool rdma)
{
	int id;

	memset(nego, 0, sizeof(*nego));
	nego->rdma = rdma;
	nego->max_xmit = ISCSI_MAX_DSL;
	iscsi_nego_defaults(nego->ours);
	for (id = 0; id < ISCSI_NR_VALUES; id++)
		nego->value[id] = iscsi_keys[id].dflt;
}

/* What the target is ready for on this connection. */
static u32 nego_ours(const struct iscsi_nego *nego, int id)
{
	switch (id) {
	case ISCSI_HEADER_DIGEST:
	case ISCSI_DATA_DIGEST:
		return nego->rdma ? BIT(0) : nego->ours[id];	/* RFC 7145 6.1 */
	case ISCSI_RDMA_EXTENSIONS:
		return nego->rdma;
	case ISCSI_FIRST_BURST:
		return min(nego->ours[id], nego->value[ISCSI_MAX_BURST]);
	default:
		return nego->ours[id];
	}
}

static bool nego_relevant(const struct iscsi_nego *nego, int id)
{
	u8 flags = iscsi_keys[id].flags;

	if (flags & ISCSI_K_NORMAL && nego->discovery)
		return false;
	if (flags & ISCSI_K_RDMA && !nego->rdma)
		return false;
	return id != ISCSI_FIRST_BURST || !nego->value[ISCSI_INITIAL_R2T] ||
	       nego->value[ISCSI_IMMEDIATE_DATA];
}

/* May this be the result? */
static bool nego_fits(const struct iscsi_nego *nego, int id, u32 value)
{
	u32 ours = nego_ours(nego, id);

	switch (iscsi_keys[id].type) {
	case ISCSI_AND:
	case ISCSI_MIN:
		return value <= ours;
	case ISCSI_OR:
	case ISCSI_MAX:
		return value >= ours;
	case ISCSI_LIST:
		return ours & BIT(value);
	default:
		return true;
	}
}

static int list_index(const struct iscsi_key *key, const char *item, size_t len)
{
	u32 i;

	for (i = 0; i < key->max; i++)
		if (strlen(key->items[i]) == len && !memcmp(key->items[i], item, len))
			return i;
	return -EINVAL;
}

/* The first item of the list that is possible here. */
static int nego_choose(const struct iscsi_nego *nego, int id, const char *list, u32 *value)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		int i = list_index(&iscsi_keys[id], list, len);

		if (i >= 0 && nego_fits(nego, id, i)) {
			*value = i;
			return 0;
		}
		if (!list[len])
			return -EINVAL;
		list += len + 1;
	}
}

static int parse_bool(const char *text, u32 *value)
{
	if (strcmp(text, "Yes") && strcmp(text, "No"))
		return -EINVAL;
	*value = text[0] == 'Y';
	return 0;
}

static int nego_parse(const struct iscsi_nego *nego, int id, const char *text, u32 *value)
{
	const struct iscsi_key *key = &iscsi_keys[id];

	switch (key->type) {
	case ISCSI_LIST:
		return nego_choose(nego, id, text, value);
	case ISCSI_AND:
	case ISCSI_OR:
	case ISCSI_DECLARE_BOOL:
		return parse_bool(text, value);
	default:
		if (iscsi_parse_number(text, value) || *value < key->min || *value > key->max)
			return -EINVAL;
		return 0;
	}
}

static void nego_say(int id, u32 value, struct iscsi_text *out)
{
	const struct iscsi_key *key = &iscsi_keys[id];

	switch (key->type) {
	case ISCSI_LIST:
		iscsi_text_add(out, key->name, key->items[value]);
		break;
	case ISCSI_AND:
	case ISCSI_OR:
		iscsi_text_add(out, key->name, value ? "Yes" : "No");
		break;
	default:
		iscsi_text_add_u32(out, key->name, value);
		break;
	}
}

static int nego_reject(const struct iscsi_nego *nego, int id, struct iscsi_text *out)
{
	iscsi_text_add(out, iscsi_keys[id].name, "Reject");
	return nego_fits(nego, id, iscsi_keys[id].dflt) ? 0 : -EPROTO;
}

/* The initiator's answer to what this side began with is the result. */
static int nego_answer(struct iscsi_nego *nego, int id, const char *text)
{
	u32 value;

	nego->open &= ~BIT_ULL(id);
	if (nego_parse(nego, id, text, &value) || !nego_fits(nego, id, value))
		return -EPROTO;
	nego->value[id] = value;
	return 0;
}

static int nego_value(struct iscsi_nego *nego, int id, const char *text, struct iscsi_text *out)
{
	u32 value, ours = nego_ours(nego, id);

	if (nego->open & BIT_ULL(id))
		return nego_answer(nego, id, text);
	if (!nego_relevant(nego, id)) {
		if (iscsi_keys[id].type < ISCSI_DECLARE)
			iscsi_text_add(out, iscsi_keys[id].name, "Irrelevant");
		return 0;
	}
	if (nego_parse(nego, id, text, &value))
		return nego_reject(nego, id, out);
	switch (iscsi_keys[id].type) {
	case ISCSI_AND:
	case ISCSI_MIN:
		value = min(value, ours);
		break;
	case ISCSI_OR:
	case ISCSI_MAX:
		value = max(value, ours);
		break;
	case ISCSI_DECLARE:
		if (id == ISCSI_MAX_RECV_DSL)
			value = min(value, nego->max_xmit);
		break;
	}
	nego->value[id] = value;
	if (iscsi_keys[id].type < ISCSI_DECLARE)
		nego_say(id, value, out);
	return 0;
}

/* Markers are gone, but not "not understood": 13.25. */
static void nego_obsolete(int id, const char *text, struct iscsi_text *out)
{
	bool no = !strcmp(text, "No") && (id == ISCSI_IF_MARKER || id == ISCSI_OF_MARKER);

	iscsi_text_add(out, iscsi_keys[id].name, no ? "No" : "Reject");
}

/**
 * iscsi_nego_step() - take one text of the initiator
 * @nego: the negotiation
 * @phase: ISCSI_K_SECURITY, _OPERATIONAL or _FULL
 * @parsed: the text; keys that are wrong here are answered and taken out of it. What
 *	is left behind ISCSI_NR_VALUES is for the caller
 * @out: gets the answers
 *
 * Return: 0; -EEXIST: a key came for the second time; -EPROTO: no agreement.
 */
int iscsi_nego_step(struct iscsi_nego *nego, u8 phase, struct iscsi_parsed *parsed,
		    struct iscsi_text *out)
{
	int id, ret = 0;

	for (id = 0; id < ISCSI_NR_KEYS && !ret; id++) {
		const struct iscsi_key *key = &iscsi_keys[id];
		const char *value = parsed->value[id];

		if (!value)
			continue;
		if (nego->seen & BIT_ULL(id))
			return -EEXIST;
		nego->seen |= BIT_ULL(id);
		if (!(key->flags & phase) || key->flags & ISCSI_K_TARGET) {
			iscsi_text_add(out, key->name, "Reject");
			parsed->value[id] = NULL;
		} else if (key->type == ISCSI_OBSOLETE) {
			nego_obsolete(id, value, out);
		} else if (id < ISCSI_NR_VALUES) {
			ret = nego_value(nego, id, value, out);
		}
	}
	/* Both came in their own time, and what was agreed on contradicts. */
	if (!ret && nego->value[ISCSI_FIRST_BURST] > nego->value[ISCSI_MAX_BURST]) {
		if (nego->seen & BIT_ULL(ISCSI_FIRST_BURST))
			ret = -EPROTO;
		else
			nego->value[ISCSI_FIRST_BURST] = nego->value[ISCSI_MAX_BURST];
	}
	return ret;
}

static void nego_say_ours(const struct iscsi_nego *nego, int id, struct iscsi_text *out)
{
	const struct iscsi_key *key = &iscsi_keys[id];
	u32 ours = nego_ours(nego, id), i;
	char list[ISCSI_KEY_MAX + 1] = "";

	if (key->type != ISCSI_LIST) {
		nego_say(id, ours, out);
		return;
	}
	for (i = 0; i < key->max; i++) {
		if (!(ours & BIT(i)))
			continue;
		if (list[0])
			strcat(list, ",");
		strcat(list, key->items[i]);
	}
	iscsi_text_add(out, key->name, list);
}

/* A value that was left at its default, and that is not possible here. */
static bool nego_unfit(const struct iscsi_nego *nego, int id)
{
	return !(nego->seen & BIT_ULL(id)) && nego_relevant(nego, id) &&
	       !(iscsi_keys[id].flags & ISCSI_K_NO_OFFER) &&
	       !nego_fits(nego, id, nego->value[id]);
}

/**
 * iscsi_nego_settled() - do all values agree with what the target is ready for?
 * @nego: the negotiation
 */
bool iscsi_nego_settled(const struct iscsi_nego *nego)
{
	int id;

	for (id = 0; id < ISCSI_NR_VALUES; id++)
		if (nego_unfit(nego, id))
			return false;
	return !nego->open;
}

/**
 * iscsi_nego_offer() - begin with the keys that the initiator left at defaults which
 *	are not possible here
 * @nego: the negotiation; @nego->open tells whether an answer is needed
 * @out: gets the keys
 */
void iscsi_nego_offer(struct iscsi_nego *nego, struct iscsi_text *out)
{
	int id;

	for (id = 0; id < ISCSI_NR_VALUES; id++) {
		u64 bit = BIT_ULL(id);

		if (nego->offered & bit || !nego_unfit(nego, id))
			continue;
		nego->offered |= bit;
		nego->open |= bit;
		nego_say_ours(nego, id, out);
	}
}
