// SPDX-License-Identifier: GPL-2.0
/*
 * CHAP as seen from the target: RFC 7143 12.1.3, RFC 1994. The initiator proves that
 * it knows a secret; if it asks back, the target proves that it knows another one.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "nego.h"

static const u8 chap_algs[] = {
	ISCSI_CHAP_MD5, ISCSI_CHAP_SHA1, ISCSI_CHAP_SHA256, ISCSI_CHAP_SHA3_256
};

/**
 * iscsi_chap_digest_len() - bytes of a response
 * @alg: enum iscsi_chap_alg
 *
 * Return: 0 for an algorithm that does not exist.
 */
u32 iscsi_chap_digest_len(u8 alg)
{
	switch (alg) {
	case ISCSI_CHAP_MD5:
		return 16;
	case ISCSI_CHAP_SHA1:
		return 20;
	case ISCSI_CHAP_SHA256:
	case ISCSI_CHAP_SHA3_256:
		return 32;
	default:
		return 0;
	}
}

/* The time it takes does not depend on where they differ. */
static bool equal(const u8 *a, const u8 *b, size_t len)
{
	volatile u8 diff = 0;
	size_t i;

	for (i = 0; i < len; i++)
		diff |= a[i] ^ b[i];
	return !diff;
}

static bool same_secret(const char *a, const char *b)
{
	size_t len = strlen(a);

	return len == strlen(b) && equal((const u8 *)a, (const u8 *)b, len);
}

static int chap_hash(struct iscsi_chap *chap, const struct iscsi_login_env *env, u8 id,
		     const char *secret, const u8 *challenge, u32 len, u8 *digest)
{
	size_t secret_len = strlen(secret);
	int ret;

	chap->msg[0] = id;
	memcpy(chap->msg + 1, secret, secret_len);
	memcpy(chap->msg + 1 + secret_len, challenge, len);
	ret = env->hash(chap->alg, chap->msg, 1 + secret_len + len, digest);
	memzero_explicit(chap->msg, sizeof(chap->msg));
	return ret;
}

/* The first algorithm of the initiator's list that is there. */
static u8 chap_choose(const struct iscsi_login_env *env, const char *list)
{
	u32 i;

	while (*list) {
		size_t len = strcspn(list, ",");

		for (i = 0; i < ARRAY_SIZE(chap_algs); i++)
			if (len == 1 && list[0] == '0' + chap_algs[i] &&
			    env->chap_algs & BIT(chap_algs[i]))
				return chap_algs[i];
		list += len + (list[len] == ',');
	}
	return 0;
}

static u16 chap_challenge(struct iscsi_chap *chap, const struct iscsi_login_env *env,
			  const struct iscsi_parsed *parsed, struct iscsi_text *out)
{
	u32 len;

	if (!parsed->value[ISCSI_CHAP_A])
		return ISCSI_LOGIN_MISSING_PARAM;
	chap->alg = chap_choose(env, parsed->value[ISCSI_CHAP_A]);
	if (!chap->alg)
		return ISCSI_LOGIN_AUTH_FAILED;
	len = iscsi_chap_digest_len(chap->alg);
	env->random(&chap->id, sizeof(chap->id));
	env->random(chap->challenge, len);
	iscsi_text_add_u32(out, "CHAP_A", chap->alg);
	iscsi_text_add_u32(out, "CHAP_I", chap->id);
	iscsi_text_add_hex(out, "CHAP_C", chap->challenge, len);
	chap->state = ISCSI_CHAP_WANT_R;
	return ISCSI_LOGIN_OK;
}

static bool chap_verify(struct iscsi_chap *chap, const struct iscsi_login_env *env, void *arg,
			const char *name, const char *response)
{
	u8 got[ISCSI_HASH_MAX], want[ISCSI_HASH_MAX];
	u32 len = iscsi_chap_digest_len(chap->alg);
	size_t name_len = strlen(name);
	bool ok;

	if (iscsi_parse_binary(response, got, sizeof(got)) != (int)len ||
	    name_len >= sizeof(chap->user.name))
		return false;
	memcpy(chap->user.name, name, name_len + 1);
	if (!env->secret(arg, &chap->user))
		return false;
	ok = !chap_hash(chap, env, chap->id, chap->user.secret, chap->challenge, len, want) &&
	     equal(got, want, len);
	memzero_explicit(want, sizeof(want));
	return ok;
}

/*
 * The initiator asks back. What it sends must not be our own challenge, and our secret
 * not the one it just used: else it could have us answer for it on another connection.
 */
static u16 chap_answer(struct iscsi_chap *chap, const struct iscsi_login_env *env, void *arg,
		       const char *id_text, const char *challenge, struct iscsi_text *out)
{
	u32 id, digest_len = iscsi_chap_digest_len(chap->alg);
	u8 digest[ISCSI_HASH_MAX];
	int len;

	len = iscsi_parse_binary(challenge, chap->peer, sizeof(chap->peer));
	if (iscsi_parse_number(id_text, &id) || id > 255 || len < 0)
		return ISCSI_LOGIN_INITIATOR_ERR;
	if ((u32)len == digest_len && !memcmp(chap->peer, chap->challenge, len))
		return ISCSI_LOGIN_AUTH_FAILED;
	if (!env->own(arg, &chap->own) || same_secret(chap->own.secret, chap->user.secret))
		return ISCSI_LOGIN_AUTH_FAILED;
	if (chap_hash(chap, env, id, chap->own.secret, chap->peer, len, digest))
		return ISCSI_LOGIN_TARGET_ERR;
	iscsi_text_add(out, "CHAP_N", chap->own.name);
	iscsi_text_add_hex(out, "CHAP_R", digest, digest_len);
	return ISCSI_LOGIN_OK;
}

static u16 chap_response(struct iscsi_chap *chap, const struct iscsi_login_env *env, void *arg,
			 const struct iscsi_parsed *parsed, struct iscsi_text *out)
{
	const char *name = parsed->value[ISCSI_CHAP_N], *response = parsed->value[ISCSI_CHAP_R];
	const char *id = parsed->value[ISCSI_CHAP_I], *challenge = parsed->value[ISCSI_CHAP_C];
	u16 status = ISCSI_LOGIN_OK;

	if (!name || !response || !id != !challenge)
		return ISCSI_LOGIN_MISSING_PARAM;
	if (!chap_verify(chap, env, arg, name, response))
		return ISCSI_LOGIN_AUTH_FAILED;
	if (id)
		status = chap_answer(chap, env, arg, id, challenge, out);
	memzero_explicit(chap->user.secret, sizeof(chap->user.secret));
	memzero_explicit(&chap->own, sizeof(chap->own));
	if (!status)
		chap->state = ISCSI_CHAP_DONE;
	return status;
}

/**
 * iscsi_chap_step() - take one text of the security stage
 * @chap: state; ISCSI_CHAP_DONE when the initiator is who it says
 * @env: digests, random bytes, secrets
 * @arg: for @env
 * @parsed: the text
 * @out: gets our part
 *
 * A failure is final: the login ends, so a secret can be tried once per connection.
 *
 * Return: ISCSI_LOGIN_OK or why the login fails.
 */
u16 iscsi_chap_step(struct iscsi_chap *chap, const struct iscsi_login_env *env, void *arg,
		    const struct iscsi_parsed *parsed, struct iscsi_text *out)
{
	switch (chap->state) {
	case ISCSI_CHAP_WANT_A:
		return chap_challenge(chap, env, parsed, out);
	case ISCSI_CHAP_WANT_R:
		return chap_response(chap, env, arg, parsed, out);
	default:
		if (parsed->value[ISCSI_CHAP_A] || parsed->value[ISCSI_CHAP_N] ||
		    parsed->value[ISCSI_CHAP_R] || parsed->value[ISCSI_CHAP_I] ||
		    parsed->value[ISCSI_CHAP_C])
			return ISCSI_LOGIN_INITIATOR_ERR;
		return ISCSI_LOGIN_OK;
	}
}

/**
 * iscsi_chap_wipe() - forget all secrets
 * @chap: state; of no use after
 */
void iscsi_chap_wipe(struct iscsi_chap *chap)
{
	memzero_explicit(chap, sizeof(*chap));
}
