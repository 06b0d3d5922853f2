/* sha256.c - SHA-256, by the book: FIPS 180-4, section 6.2. */
#include "config.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constant[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
	0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t
turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void
take_block(struct rp_sha256 *h)
{
	uint32_t w[64], s[8];
	for (int i = 0; i < 16; i++) {
		const unsigned char *b = h->block + 4 * i;
		w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	}
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] +
		       (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
	memcpy(s, h->state, sizeof s);
	for (int i = 0; i < 64; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t one = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
		               ((e & s[5]) ^ (~e & s[6])) + constant[i] + w[i],
			 two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
		               ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof *s);
		s[4] += one;
		s[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		h->state[i] += s[i];
}

void
rp_sha256_begin(struct rp_sha256 *h)
{
	*h = (struct rp_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void
rp_sha256_add(struct rp_sha256 *h, const void *bytes, size_t n)
{
	const unsigned char *from = bytes;
	while (n) {
		size_t at = h->bytes % sizeof h->block, some = sizeof h->block - at;
		some = some < n ? some : n;
		memcpy(h->block + at, from, some);
		h->bytes += some;
		from += some;
		n -= some;
		if (at + some == sizeof h->block)
			take_block(h);
	}
}

void
rp_sha256_end(struct rp_sha256 *h, char text[65])
{
	static const unsigned char pad[64] = { 0x80 };
	uint64_t bits = h->bytes * 8;
	unsigned char length[8];
	rp_sha256_add(h, pad, 1 + (119 - h->bytes % 64) % 64);
	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	rp_sha256_add(h, length, sizeof length);
	for (int i = 0; i < 8; i++)
		snprintf(text + 8 * i, 9, "%08x", h->state[i]);
}

bool
rp_sha256_file(const char *path, char text[65], struct rp_err *err)
{
	unsigned char bytes[1 << 14];
	struct rp_sha256 h;
	size_t n;
	FILE *f = fopen(path, "rb");
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	rp_sha256_begin(&h);
	while ((n = fread(bytes, 1, sizeof bytes, f)))
		rp_sha256_add(&h, bytes, n);
	bool ok = !ferror(f) || rp_fail_errno(err, RP_INPUT, "reading %s", path);
	fclose(f);
	rp_sha256_end(&h, text);
	return ok;
}
