// SPDX-License-Identifier: GPL-2.0
/* The digests of CHAP through the kernel's crypto API. */
#include <crypto/hash.h>

#include "iscsit.h"

static struct {
	u8 alg;
	const char *name;
	struct crypto_shash *tfm;
} iscsit_hashes[] = {
	{ ISCSI_CHAP_MD5, "md5" },
	{ ISCSI_CHAP_SHA1, "sha1" },
	{ ISCSI_CHAP_SHA256, "sha256" },
	{ ISCSI_CHAP_SHA3_256, "sha3-256" },
};

/**
 * iscsit_hash_init() - find out what the kernel has
 *
 * Return: bits of enum iscsi_chap_alg.
 */
u32 iscsit_hash_init(void)
{
	u32 algs = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(iscsit_hashes); i++) {
		struct crypto_shash *tfm = crypto_alloc_shash(iscsit_hashes[i].name, 0, 0);

		if (IS_ERR(tfm)) {
			pr_info("skua_iscsi: no %s: CHAP does without it\n",
				iscsit_hashes[i].name);
			continue;
		}
		iscsit_hashes[i].tfm = tfm;
		algs |= BIT(iscsit_hashes[i].alg);
	}
	return algs;
}

void iscsit_hash_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(iscsit_hashes); i++)
		if (iscsit_hashes[i].tfm)
			crypto_free_shash(iscsit_hashes[i].tfm);
}

/**
 * iscsit_hash() - a digest, for struct iscsi_login_env
 * @alg: enum iscsi_chap_alg
 * @data: what to hash
 * @len: bytes of it
 * @digest: result
 *
 * Context: process. Return: 0 or -errno.
 */
int iscsit_hash(u8 alg, const void *data, u32 len, u8 *digest)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(iscsit_hashes); i++)
		if (iscsit_hashes[i].alg == alg && iscsit_hashes[i].tfm)
			return crypto_shash_tfm_digest(iscsit_hashes[i].tfm, data, len, digest);
	return -EOPNOTSUPP;
}
