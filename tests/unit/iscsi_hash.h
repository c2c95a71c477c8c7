/* SPDX-License-Identifier: GPL-2.0 */
/* The digests of CHAP for user space, after RFC 1321, FIPS 180-4 and FIPS 202. */
#ifndef ISCSI_HASH_H
#define ISCSI_HASH_H

static inline u32 rol32(u32 v, int n)
{
	return v << (n & 31) | v >> (-n & 31);
}

static inline u64 rol64(u64 v, int n)
{
	return v << (n & 63) | v >> (-n & 63);
}

/* Constants of the digests by their definitions: sines, and cube roots of primes */
static inline double hash_abs_sin(double x)
{
	const double pi = 3.14159265358979323846;
	double term, sum;
	int i;

	while (x > pi)			/* the sign does not matter */
		x -= pi;
	for (term = sum = x, i = 2; i < 40; i += 2)
		sum += term *= -x * x / (i * (i + 1));
	return sum;
}

static inline double hash_frac_cbrt(u32 n)
{
	double x = 1;
	int i;

	for (i = 0; i < 80; i++)
		x = x - (x * x * x - n) / (3 * x * x);
	return x - (u32)x;
}

static inline u32 hash_prime(int nr)
{
	u32 p, d;

	for (p = 2;; p++) {
		for (d = 2; d * d <= p && p % d; d++)
			;
		if (d * d > p && !nr--)
			return p;
	}
}

static inline void md5_block(u32 *h, const u32 *w)
{
	static const u8 shift[] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21 };
	u32 a = h[0], b = h[1], c = h[2], d = h[3], f, g, t;
	int i;

	for (i = 0; i < 64; i++) {
		switch (i / 16) {
		case 0:
			f = (b & c) | (~b & d), g = i;
			break;
		case 1:
			f = (d & b) | (~d & c), g = (5 * i + 1) % 16;
			break;
		case 2:
			f = b ^ c ^ d, g = (3 * i + 5) % 16;
			break;
		default:
			f = c ^ (b | ~d), g = 7 * i % 16;
			break;
		}
		t = d;
		d = c;
		c = b;
		f += a + (u32)(hash_abs_sin(i + 1) * 4294967296.0) + w[g];
		b += rol32(f, shift[i / 16 * 4 + i % 4]);
		a = t;
	}
	h[0] += a, h[1] += b, h[2] += c, h[3] += d;
}

static inline void sha1_block(u32 *h, const u32 *in)
{
	static const u32 k[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	u32 w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f, t;
	int i;

	for (i = 0; i < 80; i++) {
		w[i] = i < 16 ? in[i] : rol32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
		if (i < 20)
			f = (b & c) | (~b & d);
		else if (i >= 40 && i < 60)
			f = (b & c) | (b & d) | (c & d);
		else
			f = b ^ c ^ d;
		t = rol32(a, 5) + f + e + k[i / 20] + w[i];
		e = d, d = c, c = rol32(b, 30), b = a, a = t;
	}
	h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

static inline void sha256_block(u32 *h, const u32 *in)
{
	static u32 k[64];
	u32 w[64], v[8], t1, t2;
	int i;

	for (i = 0; !k[63] && i < 64; i++)
		k[i] = hash_frac_cbrt(hash_prime(i)) * 4294967296.0;
	memcpy(v, h, sizeof(v));
	for (i = 0; i < 64; i++) {
		if (i < 16)
			w[i] = in[i];
		else
			w[i] = w[i - 16] + w[i - 7] +
			       (rol32(w[i - 15], 25) ^ rol32(w[i - 15], 14) ^ w[i - 15] >> 3) +
			       (rol32(w[i - 2], 15) ^ rol32(w[i - 2], 13) ^ w[i - 2] >> 10);
		t1 = v[7] + (rol32(v[4], 26) ^ rol32(v[4], 21) ^ rol32(v[4], 7)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		t2 = (rol32(v[0], 30) ^ rol32(v[0], 19) ^ rol32(v[0], 10)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		h[i] += v[i];
}

/* Merkle-Damgard: the length in bits is the last block's end */
static inline void hash_md(u32 *h, void (*block)(u32 *h, const u32 *w), bool big, const u8 *data,
			   size_t len)
{
	size_t total = (len + 8) / 64 * 64 + 64, at, i;
	u8 *msg = calloc(1, total);
	u64 bits = (u64)len * 8;
	u32 w[16];

	memcpy(msg, data, len);
	msg[len] = 0x80;
	for (i = 0; i < 8; i++)
		msg[total - 8 + i] = bits >> (big ? 56 - 8 * i : 8 * i);
	for (at = 0; at < total; at += 64) {
		for (i = 0; i < 16; i++) {
			memcpy(&w[i], msg + at + 4 * i, 4);
			w[i] = big ? __builtin_bswap32(w[i]) : w[i];
		}
		block(h, w);
	}
	free(msg);
}

static inline void keccak(u64 *s)
{
	u64 c[5], b[25], d;
	u8 lfsr = 1;
	int round, x, y, t, i;

	for (round = 0; round < 24; round++) {
		for (x = 0; x < 5; x++)
			c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
		for (x = 0; x < 5; x++) {
			d = c[(x + 4) % 5] ^ rol64(c[(x + 1) % 5], 1);
			for (y = 0; y < 25; y += 5)
				s[x + y] ^= d;
		}
		b[0] = s[0];
		for (x = 1, y = 0, t = 0; t < 24; t++) {
			int next = (2 * x + 3 * y) % 5;

			b[y + 5 * next] = rol64(s[x + 5 * y], (t + 1) * (t + 2) / 2);
			x = y;
			y = next;
		}
		for (y = 0; y < 25; y += 5)
			for (x = 0; x < 5; x++)
				s[x + y] = b[x + y] ^ (~b[(x + 1) % 5 + y] & b[(x + 2) % 5 + y]);
		for (i = 0; i < 7; i++) {
			if (lfsr & 1)
				s[0] ^= 1ULL << ((1 << i) - 1);
			lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x71 : 0);
		}
	}
}

static inline void sha3_256(const u8 *data, size_t len, u8 *digest)
{
	const size_t rate = 136;
	u8 s[200] = {}, *p = s;
	u64 lanes[25];

	for (;; len -= rate, data += rate) {
		size_t i, n = len < rate ? len : rate;

		for (i = 0; i < n; i++)
			p[i] ^= data[i];
		if (n < rate) {
			p[n] ^= 0x06;
			p[rate - 1] ^= 0x80;
		}
		memcpy(lanes, s, sizeof(s));
		keccak(lanes);
		memcpy(s, lanes, sizeof(s));
		if (n < rate)
			break;
	}
	memcpy(digest, s, 32);
}

/* As struct iscsi_login_env wants it */
static inline int iscsi_test_hash(u8 alg, const void *data, u32 len, u8 *digest)
{
	u32 h[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	static const u32 sha256[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
	};
	int i, words = alg == 5 ? 4 : alg == 6 ? 5 : 8;

	switch (alg) {
	case 5:
		hash_md(h, md5_block, false, data, len);
		break;
	case 6:
		hash_md(h, sha1_block, true, data, len);
		break;
	case 7:
		memcpy(h, sha256, sizeof(h));
		hash_md(h, sha256_block, true, data, len);
		break;
	case 8:
		sha3_256(data, len, digest);
		return 0;
	default:
		return -EINVAL;
	}
	for (i = 0; i < words; i++) {
		u32 w = alg == 5 ? h[i] : __builtin_bswap32(h[i]);

		memcpy(digest + 4 * i, &w, 4);
	}
	return 0;
}

#endif
