// SPDX-License-Identifier: GPL-2.0
/* The login phase: transports/iscsi/login.c and the key table. */
#include <stdarg.h>

#include "unit.h"
#include "iscsi_hash.h"

#include "../../transports/iscsi/text.c"
#include "../../transports/iscsi/keys.c"
#include "../../transports/iscsi/chap.c"
#include "../../transports/iscsi/login.c"

#define NAMES "InitiatorName=iqn.2020-01.org.example:host", \
	"TargetName=iqn.2020-01.org.example:disk"

static struct iscsi_login login;
static struct iscsi_bhs req, rsp;
static const char *rsp_text;
static u32 rsp_len;

/* What the outside is like */
static bool auth;
static u16 find_status, open_status;
static u32 ours[ISCSI_NR_VALUES];
static int opened;

static u16 env_find(struct iscsi_login *l)
{
	l->auth = auth;
	l->portal_group = 7;
	strcpy(l->alias, "");
	strcpy(l->redirect, "192.0.2.1:3260,1");
	memcpy(l->nego.ours, ours, sizeof(ours));
	return find_status;
}

static bool env_secret(void *arg, struct iscsi_user *user)
{
	strcpy(user->secret, "abcdefghijklmnop");
	return !strcmp(user->name, "joe");
}

static bool env_own(void *arg, struct iscsi_user *own)
{
	strcpy(own->name, "target");
	strcpy(own->secret, "ponmlkjihgfedcba");
	return true;
}

static u16 env_open(struct iscsi_login *l)
{
	opened++;
	l->tsih = 0x1234;
	l->max_cmd_sn = l->cmd_sn + 31;
	return open_status;
}

static void env_random(void *buf, u32 len)
{
	memset(buf, 0x42, len);
}

static const struct iscsi_login_env env = {
	.chap_algs = BIT(5) | BIT(7),
	.find = env_find,
	.secret = env_secret,
	.own = env_own,
	.open = env_open,
	.hash = iscsi_test_hash,
	.random = env_random,
};

static void begin(bool rdma)
{
	memset(&login, 0xa5, sizeof(login));
	iscsi_login_init(&login, &env, NULL, rdma);
	auth = false;
	find_status = open_status = 0;
	opened = 0;
	iscsi_nego_defaults(ours);
	memset(&req, 0, sizeof(req));
	req.opcode = ISCSI_LOGIN_REQ | ISCSI_IMMEDIATE;
	memcpy(req.isid, "\x80\x12\x34\x56\x00\x01", 6);
	req.itt = cpu_to_be32(0x77);
	req.cid = cpu_to_be16(3);
	req.cmd_sn = cpu_to_be32(0x100);
}

static enum iscsi_verdict step_login(u8 flags, const void *data, u32 len)
{
	enum iscsi_verdict v;
	const void *text;
	u8 *copy = malloc(len);		/* exactly as long: ASAN sees what is read behind it */

	memcpy(copy, data, len);
	req.flags = flags;
	iscsi_set_dsl(&req, len);
	v = iscsi_login_step(&login, &req, copy, len, &rsp, &text, &rsp_len);
	rsp_text = text;
	free(copy);
	return v;
}

static enum iscsi_verdict send_bytes(u8 flags, const void *data, u32 len)
{
	enum iscsi_verdict v = step_login(flags, data, len);

	if (v != ISCSI_DROP) {
		CHECK_EQ(rsp.opcode, ISCSI_LOGIN_RSP);
		CHECK_EQ(be32_to_cpu(rsp.itt), 0x77);
		CHECK_EQ(be32_to_cpu(rsp.exp_cmd_sn), 0x100);
		CHECK_EQ(iscsi_dsl(&rsp), rsp_len);
		CHECK(!memcmp(rsp.isid, req.isid, 6));
	}
	return v;
}

#define T(csg, nsg)	(ISCSI_F_TRANSIT | (csg) << 2 | (nsg))
#define AT(csg)		((csg) << 2)

/* Keys, ended by NULL */
static enum iscsi_verdict send_keys(u8 flags, ...)
{
	static char text[20000];
	const char *key;
	u32 len = 0;
	va_list ap;

	va_start(ap, flags);
	while ((key = va_arg(ap, const char *))) {
		strcpy(text + len, key);
		len += strlen(key) + 1;
	}
	va_end(ap);
	return send_bytes(flags, text, len);
}

#define SEND(flags, ...)	send_keys(flags, ##__VA_ARGS__, NULL)

static const char *said(const char *key)
{
	u32 at;

	for (at = 0; at < rsp_len; at += strlen(rsp_text + at) + 1)
		if (!strncmp(rsp_text + at, key, strlen(key)) && rsp_text[at + strlen(key)] == '=')
			return rsp_text + at + strlen(key) + 1;
	return NULL;
}

static u16 status(void)
{
	return rsp.status_class << 8 | rsp.status_detail;
}

static void refused(enum iscsi_verdict v, u16 why)
{
	CHECK_EQ(v, ISCSI_REFUSED);
	CHECK_EQ(status(), why);
	CHECK_EQ(rsp.flags & ISCSI_F_TRANSIT, 0);
	CHECK_EQ(opened && !open_status, 0);
}

/* ---- stages ------------------------------------------------------------ */

TEST(straight)
{
	begin(false);
	CHECK_EQ(SEND(T(1, 3), NAMES), ISCSI_LOGGED_IN);
	CHECK_EQ(rsp.flags, T(1, 3));
	CHECK_EQ(status(), 0);
	CHECK_EQ(be16_to_cpu(rsp.tsih), 0x1234);
	CHECK_EQ(be32_to_cpu(rsp.max_cmd_sn), 0x100 + 31);
	CHECK_STR(said("TargetPortalGroupTag"), "7");
	CHECK_STR(said("MaxRecvDataSegmentLength"), "8192");
	CHECK_STR(login.initiator, "iqn.2020-01.org.example:host");
	CHECK_STR(login.target, "iqn.2020-01.org.example:disk");
	CHECK_EQ(login.cid, 3);
	CHECK_EQ(opened, 1);
}

TEST(two_stages)
{
	begin(false);
	CHECK_EQ(SEND(T(0, 1), NAMES, "AuthMethod=CHAP,None"), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, T(0, 1));
	CHECK_EQ(be32_to_cpu(rsp.stat_sn), 0);
	CHECK_EQ(rsp.tsih, 0);
	CHECK_STR(said("AuthMethod"), "None");
	CHECK_STR(said("TargetPortalGroupTag"), "7");
	CHECK_STR(said("MaxRecvDataSegmentLength"), NULL);
	CHECK_EQ(SEND(AT(1), "HeaderDigest=None"), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, AT(1));
	CHECK_STR(said("HeaderDigest"), "None");
	CHECK_STR(said("TargetPortalGroupTag"), NULL);
	CHECK_EQ(SEND(T(1, 3), "DataDigest=None"), ISCSI_LOGGED_IN);
	CHECK_EQ(be32_to_cpu(rsp.stat_sn), 2);
	CHECK_STR(said("MaxRecvDataSegmentLength"), NULL);	/* was sent before */
	CHECK_EQ(opened, 1);
}

TEST(security_to_full)
{
	begin(false);
	CHECK_EQ(SEND(T(0, 3), NAMES), ISCSI_LOGGED_IN);
	CHECK_EQ(rsp.flags, T(0, 3));
	CHECK_STR(said("MaxRecvDataSegmentLength"), "8192");
}

TEST(stage_rules)
{
	static const u8 bad[] = {
		AT(2), AT(3), T(2, 3), T(3, 3), T(0, 0), T(1, 1), T(1, 0), T(0, 2), T(1, 2),
		T(1, 3) | ISCSI_F_CONTINUE,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(false);
		refused(SEND(bad[i], NAMES), ISCSI_LOGIN_INITIATOR_ERR);
	}
	begin(false);				/* back to what was left */
	SEND(T(0, 1), NAMES);
	refused(SEND(AT(0)), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);				/* ahead of what was agreed on */
	SEND(AT(0), NAMES);
	refused(SEND(T(1, 3)), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(header_stays_the_same)
{
	begin(false);
	SEND(AT(1), NAMES);
	req.isid[5]++;
	refused(SEND(T(1, 3)), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES);
	req.tsih = cpu_to_be16(1);
	refused(SEND(T(1, 3)), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES);
	req.cid = cpu_to_be16(4);
	refused(SEND(T(1, 3)), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES);
	req.itt = cpu_to_be32(0x78);
	CHECK_EQ(step_login(T(1, 3), "", 0), ISCSI_REFUSED);
	CHECK_EQ(status(), ISCSI_LOGIN_INITIATOR_ERR);
	CHECK_EQ(opened, 0);
}

TEST(version)
{
	begin(false);
	req.b2 = 5;				/* Version-max */
	CHECK_EQ(SEND(T(1, 3), NAMES), ISCSI_LOGGED_IN);
	begin(false);
	req.b3 = 1;				/* Version-min */
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_BAD_VERSION);
}

TEST(no_login_pdu)
{
	begin(false);
	req.opcode = ISCSI_SCSI_CMD;
	CHECK_EQ(SEND(T(1, 3), NAMES), ISCSI_DROP);
	begin(false);
	req.ahs_words = 1;
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(never_ending)
{
	enum iscsi_verdict v = ISCSI_GO_ON;
	int i;

	begin(false);
	SEND(AT(1), NAMES);
	for (i = 0; i < 1000 && v == ISCSI_GO_ON; i++)
		v = SEND(AT(1));
	refused(v, ISCSI_LOGIN_INITIATOR_ERR);
	CHECK_EQ(i, ISCSI_LOGIN_PDUS);
}

TEST(outside_says_no)
{
	begin(false);
	find_status = ISCSI_LOGIN_NOT_FOUND;
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_NOT_FOUND);
	CHECK_EQ(rsp_len, 0);
	begin(false);
	open_status = ISCSI_LOGIN_UNAVAILABLE;
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_UNAVAILABLE);
	CHECK_EQ(rsp_len, 0);
	begin(false);
	find_status = ISCSI_LOGIN_MOVED_TEMP;
	refused(SEND(T(0, 1), NAMES), ISCSI_LOGIN_MOVED_TEMP);
	CHECK_STR(said("TargetAddress"), "192.0.2.1:3260,1");
}

/* ---- names -------------------------------------------------------------- */

TEST(names)
{
	char name[300] = "InitiatorName=";

	begin(false);
	refused(SEND(T(1, 3)), ISCSI_LOGIN_MISSING_PARAM);
	begin(false);
	refused(SEND(T(1, 3), "TargetName=t"), ISCSI_LOGIN_MISSING_PARAM);
	begin(false);
	refused(SEND(T(1, 3), "InitiatorName=i"), ISCSI_LOGIN_MISSING_PARAM);
	begin(false);
	refused(SEND(T(1, 3), "InitiatorName=", "TargetName=t"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	refused(SEND(T(1, 3), "InitiatorName=a b", "TargetName=t"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	refused(SEND(T(1, 3), "InitiatorName=a\n", "TargetName=t"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	memset(name + 14, 'a', 223);
	name[14 + 223] = '\0';
	CHECK_EQ(SEND(T(1, 3), name, "TargetName=t"), ISCSI_LOGGED_IN);
	begin(false);
	name[14 + 223] = 'a';
	name[14 + 224] = '\0';
	refused(SEND(T(1, 3), name, "TargetName=t"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES);
	refused(SEND(T(1, 3), "TargetName=other"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES);
	refused(SEND(T(1, 3), "SessionType=Discovery"), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(session_type)
{
	begin(false);
	CHECK_EQ(SEND(T(1, 3), "InitiatorName=i", "SessionType=Discovery", "MaxBurstLength=512",
		      "HeaderDigest=None", "DefaultTime2Wait=0"), ISCSI_LOGGED_IN);
	CHECK(login.nego.discovery);
	CHECK_STR(said("TargetPortalGroupTag"), NULL);
	CHECK_STR(said("MaxBurstLength"), "Irrelevant");
	CHECK_STR(said("HeaderDigest"), "None");
	CHECK_STR(said("DefaultTime2Wait"), "2");
	begin(false);
	CHECK_EQ(SEND(T(1, 3), NAMES, "SessionType=Normal"), ISCSI_LOGGED_IN);
	CHECK(!login.nego.discovery);
	begin(false);
	refused(SEND(T(1, 3), NAMES, "SessionType=normal"), ISCSI_LOGIN_BAD_SESSION_TYPE);
}

/* ---- CHAP --------------------------------------------------------------- */

static const char *proof(const char *secret)
{
	static char text[80] = "CHAP_R=";
	u8 msg[64], digest[32];
	u32 i, len = strlen(secret);

	msg[0] = 0x42;
	memcpy(msg + 1, secret, len);
	memset(msg + 1 + len, 0x42, 32);
	iscsi_test_hash(7, msg, 1 + len + 32, digest);
	strcpy(text, "CHAP_R=0x");
	for (i = 0; i < 32; i++)
		sprintf(text + strlen(text), "%02x", digest[i]);
	return text;
}

static void chap_begin(void)
{
	begin(false);
	auth = true;
	CHECK_EQ(SEND(T(0, 1), NAMES, "AuthMethod=None,CHAP"), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, AT(0));		/* not yet */
	CHECK_STR(said("AuthMethod"), "CHAP");
	CHECK_EQ(SEND(AT(0), "CHAP_A=8,7,5"), ISCSI_GO_ON);
	CHECK_STR(said("CHAP_A"), "7");
	CHECK_STR(said("CHAP_I"), "66");
}

TEST(chap)
{
	chap_begin();
	CHECK_EQ(SEND(T(0, 1), "CHAP_N=joe", proof("abcdefghijklmnop")), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, T(0, 1));
	CHECK_EQ(SEND(T(1, 3)), ISCSI_LOGGED_IN);
	CHECK_STR(login.chap.user.name, "joe");
}

TEST(chap_mutual)
{
	chap_begin();
	CHECK_EQ(SEND(T(0, 3), "CHAP_N=joe", proof("abcdefghijklmnop"), "CHAP_I=1", "CHAP_C=0x01"),
		 ISCSI_LOGGED_IN);
	CHECK_STR(said("CHAP_N"), "target");
	CHECK(said("CHAP_R"));
}

TEST(chap_wrong)
{
	int i;

	for (i = 0; i < 100; i++) {
		chap_begin();
		refused(SEND(T(0, 1), "CHAP_N=joe", proof("abcdefghijklmnoq")),
			ISCSI_LOGIN_AUTH_FAILED);
		CHECK_EQ(rsp_len, 0);
	}
}

/* All ways around it */
TEST(chap_evaded)
{
	begin(false);
	auth = true;
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_AUTH_FAILED);
	begin(false);
	auth = true;
	refused(SEND(T(0, 3), NAMES), ISCSI_LOGIN_AUTH_FAILED);
	begin(false);
	auth = true;
	refused(SEND(T(0, 1), NAMES, "AuthMethod=None"), ISCSI_LOGIN_AUTH_FAILED);
	begin(false);
	auth = true;
	refused(SEND(T(0, 1), NAMES, "CHAP_N=joe", proof("abcdefghijklmnop")),
		ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	auth = true;
	CHECK_EQ(SEND(AT(0), NAMES), ISCSI_GO_ON);
	refused(SEND(T(0, 1)), ISCSI_LOGIN_AUTH_FAILED);
	chap_begin();
	refused(SEND(T(0, 3)), ISCSI_LOGIN_MISSING_PARAM);
	chap_begin();
	refused(SEND(T(1, 3)), ISCSI_LOGIN_INITIATOR_ERR);
	/* A second choice of the method, once authenticated or not */
	chap_begin();
	refused(SEND(T(0, 1), "AuthMethod=None"), ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);				/* asked for where it is not wanted */
	refused(SEND(T(0, 1), NAMES, "AuthMethod=CHAP"), ISCSI_LOGIN_AUTH_FAILED);
	begin(false);
	refused(SEND(T(0, 1), NAMES, "AuthMethod=KRB5,SRP"), ISCSI_LOGIN_AUTH_FAILED);
}

TEST(wipe)
{
	size_t at;
	bool found = false;

	chap_begin();
	SEND(T(0, 1), "CHAP_N=joe", proof("abcdefghijklmnop"));
	iscsi_login_wipe(&login);
	for (at = 0; at < sizeof(login) - 4; at++)
		found |= !memcmp((char *)&login + at, "CHAP", 4);
	CHECK(!found);
}

/* ---- keys --------------------------------------------------------------- */

struct nego_case {
	const char *key, *offer;
	u32 ours;
	const char *reply;
	u32 value;
};

static const struct nego_case cases[] = {
	{ "HeaderDigest", "CRC32C,None", 1, "None", 0 },
	{ "HeaderDigest", "CRC32C,None", 3, "CRC32C", 1 },
	{ "HeaderDigest", "None,CRC32C", 3, "None", 0 },
	{ "HeaderDigest", "None,CRC32C", 2, "CRC32C", 1 },
	{ "HeaderDigest", "X-md5,None", 3, "None", 0 },
	{ "HeaderDigest", "crc32c", 3, "Reject", 0 },
	{ "DataDigest", "CRC32C", 2, "CRC32C", 1 },
	{ "DataDigest", "CRC32C", 1, "Reject", 0 },
	{ "MaxConnections", "8", 1, "1", 1 },
	{ "MaxConnections", "0", 1, "Reject", 1 },
	{ "MaxConnections", "65536", 1, "Reject", 1 },
	{ "InitialR2T", "No", 0, "No", 0 },
	{ "InitialR2T", "Yes", 0, "Yes", 1 },
	{ "InitialR2T", "No", 1, "Yes", 1 },
	{ "InitialR2T", "no", 0, "Reject", 1 },
	{ "ImmediateData", "Yes", 1, "Yes", 1 },
	{ "ImmediateData", "Yes", 0, "No", 0 },
	{ "ImmediateData", "No", 1, "No", 0 },
	{ "MaxRecvDataSegmentLength", "65536", 8192, NULL, 65536 },
	{ "MaxRecvDataSegmentLength", "511", 8192, "Reject", 8192 },
	{ "MaxRecvDataSegmentLength", "16777216", 8192, "Reject", 8192 },
	{ "MaxBurstLength", "16776192", 1048576, "1048576", 1048576 },
	{ "MaxBurstLength", "0x1000", 1048576, "4096", 4096 },
	{ "MaxBurstLength", "4096k", 1048576, "Reject", 262144 },
	{ "MaxBurstLength", "99999999999999999999", 1048576, "Reject", 262144 },
	{ "FirstBurstLength", "1048576", 65536, "65536", 65536 },
	{ "FirstBurstLength", "1048576", 1048576, "262144", 262144 },
	{ "DefaultTime2Wait", "0", 2, "2", 2 },
	{ "DefaultTime2Wait", "5", 2, "5", 5 },
	{ "DefaultTime2Wait", "3601", 2, "Reject", 2 },
	{ "DefaultTime2Retain", "20", 0, "0", 0 },
	{ "MaxOutstandingR2T", "16", 32, "16", 16 },
	{ "DataPDUInOrder", "No", 1, "Yes", 1 },
	{ "DataSequenceInOrder", "No", 1, "Yes", 1 },
	{ "ErrorRecoveryLevel", "2", 0, "0", 0 },
	{ "ErrorRecoveryLevel", "3", 0, "Reject", 0 },
	{ "TaskReporting", "FastAbort,ResponseFence,RFC3720", 1, "RFC3720", 0 },
	{ "TaskReporting", "FastAbort", 1, "Reject", 0 },
	{ "iSCSIProtocolLevel", "2", 1, "1", 1 },
	{ "RDMAExtensions", "Yes", 1, "No", 0 },
	{ "TargetRecvDataSegmentLength", "65536", 8192, "Irrelevant", 8192 },
	{ "MaxOutstandingUnexpectedPDUs", "10", 0, NULL, 0 },
};

TEST(values)
{
	const struct iscsi_key *key;
	char text[100];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct nego_case *c = &cases[i];

		begin(false);
		key = iscsi_key_find(c->key, strlen(c->key));
		ours[key - iscsi_keys] = c->ours;
		sprintf(text, "%s=%s", c->key, c->offer);
		if (SEND(AT(1), NAMES, text) != ISCSI_GO_ON)
			unit_fail(__FILE__, __LINE__, "%s", text);
		if (key != &iscsi_keys[ISCSI_MAX_RECV_DSL] || c->reply)
			CHECK_STR(said(c->key), c->reply);
		if (login.nego.value[key - iscsi_keys] != c->value)
			unit_fail(__FILE__, __LINE__, "%s: %u", text,
				  login.nego.value[key - iscsi_keys]);
	}
}

TEST(first_burst)
{
	begin(false);
	ours[ISCSI_FIRST_BURST] = 1048576;
	ours[ISCSI_MAX_BURST] = 1048576;
	SEND(AT(1), NAMES, "FirstBurstLength=131072", "MaxBurstLength=65536");
	CHECK_STR(said("MaxBurstLength"), "65536");
	CHECK_STR(said("FirstBurstLength"), "65536");
	begin(false);
	SEND(AT(1), NAMES, "FirstBurstLength=65536", "InitialR2T=Yes", "ImmediateData=No");
	CHECK_STR(said("FirstBurstLength"), "Irrelevant");
	begin(false);				/* the default is longer than what was agreed on */
	CHECK_EQ(SEND(T(1, 3), NAMES, "MaxBurstLength=4096"), ISCSI_LOGGED_IN);
	CHECK_EQ(login.nego.value[ISCSI_FIRST_BURST], 4096);
	begin(false);
	SEND(AT(1), NAMES, "FirstBurstLength=65536");
	refused(SEND(T(1, 3), "MaxBurstLength=4096"), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(unknown_and_obsolete)
{
	begin(false);
	CHECK_EQ(SEND(AT(1), NAMES, "X-com.example.thing=1", "X#foo=2", "Wonder=3",
		      "hEADERDigest=None", "IFMarker=No", "OFMarker=Yes", "IFMarkInt=1~2",
		      "Old=NotUnderstood"), ISCSI_REFUSED);	/* # is no part of a name */
	begin(false);
	CHECK_EQ(SEND(AT(1), NAMES, "X-com.example.thing=1", "Wonder=3",
		      "hEADERDigest=None", "IFMarker=No", "OFMarker=Yes", "IFMarkInt=1~2",
		      "Old=NotUnderstood"), ISCSI_GO_ON);
	CHECK_STR(said("X-com.example.thing"), "NotUnderstood");
	CHECK_STR(said("Wonder"), "NotUnderstood");
	CHECK_STR(said("hEADERDigest"), "NotUnderstood");
	CHECK_STR(said("IFMarker"), "No");
	CHECK_STR(said("OFMarker"), "Reject");
	CHECK_STR(said("IFMarkInt"), "Reject");
	CHECK_STR(said("Old"), NULL);
}

TEST(wrong_place)
{
	begin(false);
	SEND(AT(0), NAMES, "HeaderDigest=None", "SendTargets=All", "TargetAlias=x",
	     "MaxRecvDataSegmentLength=512");
	CHECK_STR(said("HeaderDigest"), "Reject");
	CHECK_STR(said("SendTargets"), "Reject");
	CHECK_STR(said("TargetAlias"), "Reject");
	CHECK_EQ(login.nego.value[ISCSI_MAX_RECV_DSL], 512);
	begin(false);
	SEND(AT(1), NAMES, "AuthMethod=None", "CHAP_A=5", "SendTargets=All");
	CHECK_STR(said("AuthMethod"), "Reject");
	CHECK_STR(said("CHAP_A"), "Reject");
	CHECK_STR(said("SendTargets"), "Reject");
}

TEST(twice)
{
	begin(false);
	refused(SEND(T(1, 3), NAMES, "MaxBurstLength=512", "MaxBurstLength=512"),
		ISCSI_LOGIN_INITIATOR_ERR);
	begin(false);
	SEND(AT(1), NAMES, "MaxBurstLength=512");
	refused(SEND(T(1, 3), "MaxBurstLength=512"), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(syntax)
{
	static const char *const bad[] = { "novalue", "=x", "a b=c", "\x01=x" };
	char text[400];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(false);
		refused(SEND(T(1, 3), NAMES, bad[i]), ISCSI_LOGIN_INITIATOR_ERR);
	}
	memset(text, 'k', sizeof(text));
	strcpy(text + 63, "=v");
	begin(false);
	CHECK_EQ(SEND(AT(1), NAMES, text), ISCSI_GO_ON);
	memset(text, 'k', sizeof(text));
	strcpy(text + 64, "=v");
	begin(false);
	refused(SEND(AT(1), NAMES, text), ISCSI_LOGIN_INITIATOR_ERR);
	memset(text, 'v', sizeof(text));
	memcpy(text, "Key=", 4);
	text[4 + 255] = '\0';
	begin(false);
	CHECK_EQ(SEND(AT(1), NAMES, text), ISCSI_GO_ON);
	text[4 + 255] = 'v';
	text[4 + 256] = '\0';
	begin(false);
	refused(SEND(AT(1), NAMES, text), ISCSI_LOGIN_INITIATOR_ERR);
}

/* ---- what the target insists on ----------------------------------------- */

TEST(offer)
{
	begin(false);
	ours[ISCSI_MAX_BURST] = 65536;
	ours[ISCSI_FIRST_BURST] = 16384;
	ours[ISCSI_IMMEDIATE_DATA] = 0;
	ours[ISCSI_DATA_DIGEST] = 2;
	CHECK_EQ(SEND(T(1, 3), NAMES, "InitialR2T=No"), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, AT(1));
	CHECK_STR(said("InitialR2T"), "Yes");
	CHECK_STR(said("MaxBurstLength"), "65536");
	CHECK_STR(said("FirstBurstLength"), "16384");
	CHECK_STR(said("ImmediateData"), "No");
	CHECK_STR(said("DataDigest"), "CRC32C");
	CHECK_STR(said("HeaderDigest"), NULL);
	CHECK_EQ(SEND(T(1, 3)), ISCSI_GO_ON);	/* no answer yet, no second offer */
	CHECK_EQ(rsp.flags, AT(1));
	CHECK_EQ(rsp_len, 0);
	CHECK_EQ(SEND(T(1, 3), "MaxBurstLength=32768", "FirstBurstLength=512", "ImmediateData=No",
		      "DataDigest=CRC32C"), ISCSI_LOGGED_IN);
	CHECK_EQ(rsp_len, 0);			/* answers are not answered */
	CHECK_EQ(login.nego.value[ISCSI_MAX_BURST], 32768);
	CHECK_EQ(login.nego.value[ISCSI_FIRST_BURST], 512);
	CHECK_EQ(login.nego.value[ISCSI_IMMEDIATE_DATA], 0);
	CHECK_EQ(login.nego.value[ISCSI_DATA_DIGEST], 1);
}

TEST(offer_refused)
{
	static const char *const bad[] = {
		"MaxBurstLength=262144", "MaxBurstLength=Reject", "MaxBurstLength=NotUnderstood",
		"MaxBurstLength=Irrelevant",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(false);
		ours[ISCSI_MAX_BURST] = 131072;
		CHECK_EQ(SEND(T(1, 3), NAMES), ISCSI_GO_ON);
		refused(SEND(T(1, 3), bad[i]), ISCSI_LOGIN_INITIATOR_ERR);
	}
	begin(false);				/* digests wanted, and refused */
	ours[ISCSI_HEADER_DIGEST] = 2;
	refused(SEND(T(1, 3), NAMES, "HeaderDigest=None"), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(offer_after_security)
{
	begin(false);
	ours[ISCSI_HEADER_DIGEST] = 2;
	CHECK_EQ(SEND(T(0, 3), NAMES), ISCSI_GO_ON);
	CHECK_EQ(rsp.flags, T(0, 1));
	CHECK_EQ(SEND(T(1, 3), "HeaderDigest=CRC32C"), ISCSI_LOGGED_IN);
	CHECK_EQ(login.nego.value[ISCSI_HEADER_DIGEST], 1);
}

/* ---- iSER ---------------------------------------------------------------- */

TEST(rdma)
{
	begin(true);
	ours[ISCSI_TARGET_RECV_DSL] = 16384;
	ours[ISCSI_INITIATOR_RECV_DSL] = 65536;
	ours[ISCSI_HEADER_DIGEST] = 2;		/* of TCP; never here */
	CHECK_EQ(SEND(T(1, 3), NAMES, "TargetRecvDataSegmentLength=65536",
		      "InitiatorRecvDataSegmentLength=262144", "RDMAExtensions=Yes",
		      "MaxOutstandingUnexpectedPDUs=9", "MaxAHSLength=0", "iSERHelloRequired=No",
		      "TaggedBufferForSolicitedDataOnly=Yes", "HeaderDigest=CRC32C,None"),
		 ISCSI_LOGGED_IN);
	CHECK_STR(said("RDMAExtensions"), "Yes");
	CHECK_STR(said("TargetRecvDataSegmentLength"), "16384");
	CHECK_STR(said("InitiatorRecvDataSegmentLength"), "65536");
	CHECK_STR(said("HeaderDigest"), "None");
	CHECK_STR(said("MaxOutstandingUnexpectedPDUs"), NULL);
	CHECK_STR(said("MaxAHSLength"), NULL);
	CHECK_STR(said("iSERHelloRequired"), NULL);
	CHECK_STR(said("MaxRecvDataSegmentLength"), NULL);
	CHECK_EQ(login.nego.value[ISCSI_MAX_UNEXPECTED], 9);
	CHECK_EQ(login.nego.value[ISCSI_TAGGED_SOLICITED], 1);
	begin(true);
	refused(SEND(T(1, 3), NAMES), ISCSI_LOGIN_MISSING_PARAM);
	begin(true);
	refused(SEND(T(1, 3), NAMES, "RDMAExtensions=No"), ISCSI_LOGIN_MISSING_PARAM);
	begin(true);			/* discovery needs no RDMA */
	CHECK_EQ(SEND(T(1, 3), "InitiatorName=i", "SessionType=Discovery"), ISCSI_LOGGED_IN);
}

/* ---- texts over several PDUs --------------------------------------------- */

TEST(continued_request)
{
	static const char text[] = "InitiatorName=i\0TargetName=t\0MaxBurstLength=4096";
	u32 at;

	/* Cut at every place, also within a key */
	for (at = 0; at <= sizeof(text); at++) {
		begin(false);
		CHECK_EQ(send_bytes(AT(1) | ISCSI_F_CONTINUE, text, at), ISCSI_GO_ON);
		CHECK_EQ(rsp_len, 0);
		CHECK_EQ(rsp.flags, AT(1));
		CHECK_EQ(send_bytes(T(1, 3), text + at, sizeof(text) - at), ISCSI_LOGGED_IN);
		CHECK_STR(said("MaxBurstLength"), "4096");
	}
}

TEST(too_long_a_request)
{
	static char text[8192];
	u32 i;

	memset(text, 'a', sizeof(text));
	begin(false);
	for (i = 0; i < ISCSI_TEXT_MAX / sizeof(text); i++)
		CHECK_EQ(send_bytes(AT(1) | ISCSI_F_CONTINUE, text, sizeof(text)), ISCSI_GO_ON);
	CHECK_EQ(send_bytes(AT(1) | ISCSI_F_CONTINUE, text, 0), ISCSI_GO_ON);
	refused(send_bytes(AT(1) | ISCSI_F_CONTINUE, text, 1), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(continued_response)
{
	char text[2000] = "", all[4000];
	u32 len = 0, all_len, i, pdus = 0;

	for (i = 0; i < 100; i++)
		len += sprintf(text + len, "X-key%u=v", i) + 1;
	begin(false);
	SEND(AT(1), NAMES, "MaxRecvDataSegmentLength=512");
	CHECK_EQ(send_bytes(T(1, 3), text, len), ISCSI_GO_ON);
	for (all_len = 0; rsp.flags & ISCSI_F_CONTINUE; pdus++) {
		CHECK_EQ(rsp.flags, AT(1) | ISCSI_F_CONTINUE);
		CHECK_EQ(rsp_len, 512);
		memcpy(all + all_len, rsp_text, rsp_len);
		all_len += rsp_len;
		send_bytes(T(1, 3), "", 0);
	}
	CHECK_EQ(rsp.flags, T(1, 3));
	CHECK_EQ(pdus, all_len / 512);
	CHECK(pdus > 2);
	memcpy(all + all_len, rsp_text, rsp_len);
	all_len += rsp_len;
	for (i = 0, len = 0; len < all_len; i++) {
		char want[64];

		sprintf(want, "X-key%u=NotUnderstood", i);
		CHECK_STR(all + len, want);
		len += strlen(want) + 1;
	}
	CHECK_EQ(i, 100);

	begin(false);				/* anything but an empty request is wrong then */
	SEND(AT(1), NAMES, "MaxRecvDataSegmentLength=512");
	send_bytes(T(1, 3), text, 1900);
	refused(send_bytes(T(1, 3), "a=b", 4), ISCSI_LOGIN_INITIATOR_ERR);
}

/* An answer that would be longer than anything is no answer. */
TEST(too_long_a_response)
{
	static char text[ISCSI_TEXT_MAX];
	u32 len = 0, i;

	len += sprintf(text, "InitiatorName=i") + 1;
	len += sprintf(text + len, "TargetName=t") + 1;
	for (i = 0; i < 1000; i++)
		len += sprintf(text + len, "X%u=v", i) + 1;
	begin(false);
	refused(send_bytes(T(1, 3), text, len), ISCSI_LOGIN_INITIATOR_ERR);
	CHECK_EQ(rsp_len, 0);
}

TEST(table)
{
	int id;

	for (id = 0; id < ISCSI_NR_KEYS; id++) {
		const struct iscsi_key *key = &iscsi_keys[id];

		CHECK(key->name && strlen(key->name) <= ISCSI_KEY_MAX);
		CHECK(iscsi_key_find(key->name, strlen(key->name)) == key);
		CHECK(key->flags & ISCSI_K_ANY);
		if (key->type < ISCSI_LIST || key->type == ISCSI_DECLARE)
			CHECK(key->min <= key->dflt && key->dflt <= key->max);
	}
	CHECK_EQ(sizeof(struct iscsi_bhs), ISCSI_BHS_LEN);
	CHECK_EQ(offsetof(struct iscsi_bhs, itt), 16);
	CHECK_EQ(offsetof(struct iscsi_bhs, stat_sn), 24);
	CHECK_EQ(offsetof(struct iscsi_bhs, cdb), 32);
	CHECK_EQ(offsetof(struct iscsi_bhs, status_class), 36);
	CHECK_EQ(offsetof(struct iscsi_bhs, event), 36);
	CHECK_EQ(offsetof(struct iscsi_bhs, offset), 40);
	CHECK_EQ(offsetof(struct iscsi_bhs, residual), 44);
}
