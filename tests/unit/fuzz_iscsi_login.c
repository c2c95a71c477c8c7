// SPDX-License-Identifier: GPL-2.0
/*
 * Any logins. The input is a list of requests: two bytes that choose flags and other
 * header fields, one the length, then that many bytes of text. Half of the inputs
 * begin with a good first request, so that what follows is looked at.
 */
#include "iscsi_hash.h"

#include "../../transports/iscsi/text.c"
#include "../../transports/iscsi/keys.c"
#include "../../transports/iscsi/chap.c"
#include "../../transports/iscsi/login.c"

static u8 choice;
static bool proved;

static u16 env_find(struct iscsi_login *login)
{
	if (login->tsih)
		return ISCSI_LOGIN_NO_SESSION;
	if (!strcmp(login->target, "moved")) {
		strcpy(login->redirect, "192.0.2.1");
		return ISCSI_LOGIN_MOVED_PERM;
	}
	login->auth = choice & 1;
	if (choice & 2) {
		login->nego.ours[ISCSI_MAX_BURST] = 65536;
		login->nego.ours[ISCSI_DATA_DIGEST] = BIT(1);
	}
	strcpy(login->alias, "alias");
	return 0;
}

static bool env_secret(void *arg, struct iscsi_user *user)
{
	strcpy(user->secret, "secret");
	return user->name[0] == 'j';
}

static bool env_own(void *arg, struct iscsi_user *own)
{
	strcpy(own->name, "target");
	strcpy(own->secret, choice & 4 ? "other" : "secret");
	return true;
}

/* A hash whose results a fuzzer can guess: the proof is all zeroes. */
static int env_hash(u8 alg, const void *data, u32 len, u8 *digest)
{
	memset(digest, 0, iscsi_chap_digest_len(alg));
	proved = true;
	return 0;
}

static u16 env_open(struct iscsi_login *login)
{
	if (login->auth && !proved)
		abort();
	if (!login->initiator[0] || (!login->target[0] && !login->nego.discovery))
		abort();
	if (login->nego.value[ISCSI_FIRST_BURST] > login->nego.value[ISCSI_MAX_BURST])
		abort();
	if (choice & 2 && !login->nego.rdma && login->nego.value[ISCSI_DATA_DIGEST] != 1)
		abort();
	login->tsih = 1;
	return 0;
}

static void env_random(void *buf, u32 len)
{
	memset(buf, 0x42, len);
}

static const struct iscsi_login_env env = {
	.chap_algs = BIT(5) | BIT(6) | BIT(7) | BIT(8),
	.find = env_find,
	.secret = env_secret,
	.own = env_own,
	.open = env_open,
	.hash = env_hash,
	.random = env_random,
};

static struct iscsi_login login;

static enum iscsi_verdict feed(struct iscsi_bhs *req, const void *data, u32 len)
{
	struct iscsi_bhs rsp;
	const void *text;
	u32 rsp_len, i;
	enum iscsi_verdict v;

	iscsi_set_dsl(req, len);
	v = iscsi_login_step(&login, req, data, len, &rsp, &text, &rsp_len);
	if (v == ISCSI_DROP)
		return v;
	if (rsp_len > ISCSI_LOGIN_DSL || rsp_len > ISCSI_MAX_DSL)
		abort();
	for (i = 0; i < rsp_len; i++)		/* all of it can be read */
		choice ^= ((const u8 *)text)[i] & 0x80;
	if (rsp.flags & ISCSI_F_TRANSIT && !(req->flags & ISCSI_F_TRANSIT))
		abort();
	if (rsp.flags & ISCSI_F_TRANSIT && rsp.flags & ISCSI_F_CONTINUE)
		abort();
	if ((v == ISCSI_REFUSED) != (rsp.status_class != 0))
		abort();
	return v;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char hello[] = "InitiatorName=i\0TargetName=t\0AuthMethod=CHAP,None";
	struct iscsi_bhs req = { .opcode = ISCSI_LOGIN_REQ | ISCSI_IMMEDIATE };
	enum iscsi_verdict v = ISCSI_GO_ON;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	proved = false;
	iscsi_login_init(&login, &env, NULL, choice & 8);
	if (choice & 16)
		v = feed(&req, hello, sizeof(hello));
	while (size >= 3 && v == ISCSI_GO_ON) {
		size_t len = data[2] < size - 3 ? data[2] : size - 3;
		u8 *copy = malloc(len * (data[1] & 0x40 ? 100 : 1));
		size_t n;

		req.flags = data[0];
		req.ahs_words = data[1] & 1;
		req.tsih = data[1] & 2;
		for (n = 0; n < (data[1] & 0x40 ? 100 : 1); n++)
			memcpy(copy + n * len, data + 3, len);
		v = feed(&req, copy, len * n);
		free(copy);
		data += 3 + len;
		size -= 3 + len;
	}
	iscsi_login_wipe(&login);
	return 0;
}
