// SPDX-License-Identifier: GPL-2.0
/* CHAP of iSCSI: transports/iscsi/chap.c, with digests of the test's own. */
#include "unit.h"
#include "iscsi_hash.h"

#include "../../transports/iscsi/text.c"
#include "../../transports/iscsi/keys.c"
#include "../../transports/iscsi/chap.c"

static u8 next_random;
static bool have_own, have_user;
static const char *own_secret;

static bool get_secret(void *arg, struct iscsi_user *user)
{
	if (!have_user || strcmp(user->name, "joe"))
		return false;
	strcpy(user->secret, "abcdefghijklmnop");
	return true;
}

static bool get_own(void *arg, struct iscsi_user *own)
{
	strcpy(own->name, "target");
	strcpy(own->secret, own_secret);
	return have_own;
}

static void get_random(void *buf, u32 len)
{
	u8 *p = buf;

	while (len--)
		*p++ = next_random++;
}

static const struct iscsi_login_env env = {
	.chap_algs = BIT(5) | BIT(6) | BIT(7) | BIT(8),
	.secret = get_secret,
	.own = get_own,
	.hash = iscsi_test_hash,
	.random = get_random,
};

static struct iscsi_chap chap;
static char out_buf[4096];
static struct iscsi_text out = { .buf = out_buf, .size = sizeof(out_buf) };

/* What we said under a key */
static const char *said(const char *key)
{
	u32 at;

	for (at = 0; at < out.len; at += strlen(out.buf + at) + 1)
		if (!strncmp(out.buf + at, key, strlen(key)) && out.buf[at + strlen(key)] == '=')
			return out.buf + at + strlen(key) + 1;
	return NULL;
}

static u16 step(const char *a, const char *n, const char *r, const char *i, const char *c)
{
	struct iscsi_parsed parsed = {};

	parsed.value[ISCSI_CHAP_A] = (char *)a;
	parsed.value[ISCSI_CHAP_N] = (char *)n;
	parsed.value[ISCSI_CHAP_R] = (char *)r;
	parsed.value[ISCSI_CHAP_I] = (char *)i;
	parsed.value[ISCSI_CHAP_C] = (char *)c;
	out.len = 0;
	return iscsi_chap_step(&chap, &env, NULL, &parsed, &out);
}

static void begin(const char *algs)
{
	memset(&chap, 0, sizeof(chap));
	chap.state = ISCSI_CHAP_WANT_A;
	next_random = 0x10;
	have_user = true;
	have_own = true;
	own_secret = "ponmlkjihgfedcba";
	CHECK_EQ(step(algs, NULL, NULL, NULL, NULL), ISCSI_LOGIN_OK);
}

static void to_hex(const u8 *bytes, u32 len, char *text)
{
	strcpy(text, "0x");
	while (len--)
		text += 2, sprintf(text, "%02x", *bytes++);
}

/* The initiator's side, from what the target said */
static void respond(const char *secret, char *text)
{
	u8 msg[1500], digest[32];
	u32 id, len = strlen(secret);

	iscsi_parse_number(said("CHAP_I"), &id);
	msg[0] = id;
	memcpy(msg + 1, secret, len);
	len += iscsi_parse_binary(said("CHAP_C"), msg + 1 + len, 1024);
	iscsi_test_hash(chap.alg, msg, 1 + len, digest);
	to_hex(digest, iscsi_chap_digest_len(chap.alg), text);
}

static void check_digest(u8 alg, const char *text, const char *want)
{
	char got[70];
	u8 digest[32];

	iscsi_test_hash(alg, text, strlen(text), digest);
	to_hex(digest, iscsi_chap_digest_len(alg), got);
	CHECK_STR(got, want);
}

/* The documents' own examples: else the rest proves nothing. */
TEST(digests)
{
	check_digest(5, "", "0xd41d8cd98f00b204e9800998ecf8427e");
	check_digest(5, "abc", "0x900150983cd24fb0d6963f7d28e17f72");
	check_digest(5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		     "0x57edf4a22be3c955ac49da2e2107b67a");
	check_digest(6, "abc", "0xa9993e364706816aba3e25717850c26c9cd0d89d");
	check_digest(6, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		     "0x84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	check_digest(7, "abc",
		     "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_digest(7, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		     "0x248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check_digest(8, "",
		     "0xa7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
	check_digest(8, "abc",
		     "0x3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
	check_digest(8, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		     "0x41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376");
}

/* Known answers, made with another implementation: two challenges, two secrets. */
static const char *const proof[] = {
	[5] = "0xb5e044cdd06ab57753551688c289750f",
	[6] = "0x45e97f8f927d734bdf7c57a93b0c94093bf43738",
	[7] = "0x5296fdf552b28a23ac16daa2a6a897917ce17e26bfe042be7927512dbb249375",
	[8] = "0x9fab77847c145d97e715c5e14b2b669a5795bdf4a2a260e00b1fb5062df4ed65",
};

static const char *const answer[] = {
	[5] = "0x2e78d8afb897edaf4c3b63c23650a455",
	[6] = "0xf5439f16e20a77e2fb9f558bae5a4054aea630ac",
	[7] = "0x15fbb1a9021233147ca52ceac1a240059e233b24f4c0ef0411923cbb02dd23d0",
	[8] = "0x326ccc275259379f7ca6e66c57b45c25bccbb336b9d6ea13fce1486172e584f2",
};

#define PEER "0xa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7"
#define PEER64 "0boKGio6SlpqeoqaqrrK2ur7CxsrO0tba3"

static void begin_with(u8 alg)
{
	const char list[] = { '0' + alg, '\0' };

	begin(list);
	CHECK_STR(said("CHAP_A"), list);
	CHECK_STR(said("CHAP_I"), "16");
	CHECK(!strncmp(said("CHAP_C"), "0x1112131415161718191a1b1c1d1e1f20", 34));
	CHECK_EQ(strlen(said("CHAP_C")), 2 + 2 * iscsi_chap_digest_len(alg));
}

TEST(one_way)
{
	u8 alg;

	for (alg = 5; alg <= 8; alg++) {
		begin_with(alg);
		CHECK_EQ(step(NULL, "joe", proof[alg], NULL, NULL), ISCSI_LOGIN_OK);
		CHECK_EQ(chap.state, ISCSI_CHAP_DONE);
		CHECK_EQ(out.len, 0);
	}
}

TEST(mutual)
{
	u8 alg;

	for (alg = 5; alg <= 8; alg++) {
		begin_with(alg);
		CHECK_EQ(step(NULL, "joe", proof[alg], "127", PEER), ISCSI_LOGIN_OK);
		CHECK_EQ(chap.state, ISCSI_CHAP_DONE);
		CHECK_STR(said("CHAP_N"), "target");
		CHECK_STR(said("CHAP_R"), answer[alg]);
		begin_with(alg);
		CHECK_EQ(step(NULL, "joe", proof[alg], "0x7f", PEER64), ISCSI_LOGIN_OK);
		CHECK_STR(said("CHAP_R"), answer[alg]);
	}
}

static bool in_state(const char *bytes)
{
	size_t len = strlen(bytes), at;

	for (at = 0; at + len <= sizeof(chap); at++)
		if (!memcmp((u8 *)&chap + at, bytes, len))
			return true;
	return false;
}

TEST(no_secret_stays)
{
	begin_with(7);
	strcpy(chap.user.secret, "ponmlkjihgfedcba");
	CHECK(in_state("ponmlkjihgfedcba"));
	CHECK_EQ(step(NULL, "joe", proof[7], "127", PEER), ISCSI_LOGIN_OK);
	CHECK(!in_state("abcdefgh"));
	CHECK(!in_state("ponmlkji"));
}

/* Every bit of the proof counts, each time. */
TEST(wrong_secret)
{
	char text[80];
	int alg, i;

	for (alg = 5; alg <= 8; alg++) {
		for (i = 0; i < 2 * (int)iscsi_chap_digest_len(alg); i++) {
			begin_with(alg);
			strcpy(text, proof[alg]);
			text[2 + i] = text[2 + i] == '0' ? '1' : '0';
			CHECK_EQ(step(NULL, "joe", text, "127", PEER), ISCSI_LOGIN_AUTH_FAILED);
			CHECK(chap.state != ISCSI_CHAP_DONE);
			CHECK_EQ(out.len, 0);		/* no answer to who proved nothing */
		}
		begin_with(alg);
		respond("abcdefghijklmno", text);
		CHECK_EQ(step(NULL, "joe", text, NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
	}
}

TEST(wrong_user)
{
	begin_with(5);
	CHECK_EQ(step(NULL, "jim", proof[5], NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
	begin_with(5);
	have_user = false;
	CHECK_EQ(step(NULL, "joe", proof[5], NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
}

TEST(length_of_the_proof)
{
	static const char *const bad[] = {
		"0x", "0xb5", "0xb5e044cdd06ab57753551688c28975", "12",
		"0xb5e044cdd06ab57753551688c289750f00", "b5e044cdd06ab57753551688c289750f",
		"0xb5e044cdd06ab57753551688c289750g", "0b====", "0b", "",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		begin_with(5);
		CHECK_EQ(step(NULL, "joe", bad[i], NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
	}
}

/* The answer of a connection to its own challenge, or with the secret it got. */
TEST(reflection)
{
	char challenge[80];

	begin_with(5);
	strcpy(challenge, said("CHAP_C"));
	CHECK_EQ(step(NULL, "joe", proof[5], "16", challenge), ISCSI_LOGIN_AUTH_FAILED);
	CHECK_EQ(out.len, 0);
	begin_with(5);
	own_secret = "abcdefghijklmnop";
	CHECK_EQ(step(NULL, "joe", proof[5], "127", PEER), ISCSI_LOGIN_AUTH_FAILED);
	CHECK_EQ(out.len, 0);
}

TEST(mutual_refused)
{
	begin_with(5);
	have_own = false;
	CHECK_EQ(step(NULL, "joe", proof[5], "127", PEER), ISCSI_LOGIN_AUTH_FAILED);
	begin_with(5);
	CHECK_EQ(step(NULL, "joe", proof[5], "127", NULL), ISCSI_LOGIN_MISSING_PARAM);
	begin_with(5);
	CHECK_EQ(step(NULL, "joe", proof[5], NULL, PEER), ISCSI_LOGIN_MISSING_PARAM);
	begin_with(5);
	CHECK_EQ(step(NULL, "joe", proof[5], "256", PEER), ISCSI_LOGIN_INITIATOR_ERR);
	begin_with(5);
	CHECK_EQ(step(NULL, "joe", proof[5], "1", "0xzz"), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(longest_challenge)
{
	char text[2 + 2 * 1025 + 1];

	strcpy(text, "0x");
	memset(text + 2, 'a', 2 * 1025);
	text[2 + 2 * 1024] = '\0';
	begin_with(8);
	CHECK_EQ(step(NULL, "joe", proof[8], "1", text), ISCSI_LOGIN_OK);
	text[2 + 2 * 1024] = 'a';
	text[2 + 2 * 1025] = '\0';
	begin_with(8);
	CHECK_EQ(step(NULL, "joe", proof[8], "1", text), ISCSI_LOGIN_INITIATOR_ERR);
}

TEST(algorithm)
{
	memset(&chap, 0, sizeof(chap));
	begin("9,8,5");
	CHECK_STR(said("CHAP_A"), "8");
	begin("55,6");
	CHECK_STR(said("CHAP_A"), "6");
	begin(",,7");
	CHECK_STR(said("CHAP_A"), "7");
	memset(&chap, 0, sizeof(chap));
	chap.state = ISCSI_CHAP_WANT_A;
	CHECK_EQ(step("9,4,05,", NULL, NULL, NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
	CHECK_EQ(step(NULL, NULL, NULL, NULL, NULL), ISCSI_LOGIN_MISSING_PARAM);
}

TEST(order)
{
	begin_with(5);
	CHECK_EQ(step("5", NULL, NULL, NULL, NULL), ISCSI_LOGIN_MISSING_PARAM);
	begin_with(5);
	CHECK_EQ(step(NULL, "joe", proof[5], NULL, NULL), ISCSI_LOGIN_OK);
	CHECK_EQ(step(NULL, NULL, NULL, "1", PEER), ISCSI_LOGIN_INITIATOR_ERR);
	CHECK_EQ(step(NULL, NULL, NULL, NULL, NULL), ISCSI_LOGIN_OK);
	memset(&chap, 0, sizeof(chap));
	CHECK_EQ(step("5", NULL, NULL, NULL, NULL), ISCSI_LOGIN_INITIATOR_ERR);
}

/* The random bytes of a login are its own. */
TEST(fresh_challenges)
{
	char first[80];

	begin_with(5);
	strcpy(first, said("CHAP_C"));
	memset(&chap, 0, sizeof(chap));
	chap.state = ISCSI_CHAP_WANT_A;
	CHECK_EQ(step("5", NULL, NULL, NULL, NULL), ISCSI_LOGIN_OK);
	CHECK(strcmp(first, said("CHAP_C")));
	CHECK_EQ(step(NULL, "joe", proof[5], NULL, NULL), ISCSI_LOGIN_AUTH_FAILED);
}
