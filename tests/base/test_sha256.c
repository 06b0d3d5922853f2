/* test_sha256.c - tests src/base/sha256.c: the examples of FIPS 180-4's companion, and pieces of any length. */
#include "tests/check.h"

#include "base/rng.h"
#include "base/sha256.h"

#include <string.h>

static void
digest(const void *bytes, size_t n, size_t piece, char text[65])
{
	struct rp_sha256 h;
	rp_sha256_begin(&h);
	for (size_t at = 0; at < n; at += piece)
		rp_sha256_add(&h, (const char *)bytes + at, n - at < piece ? n - at : piece);
	rp_sha256_end(&h, text);
}

RP_TEST(sha256, published_examples)
{
	static const struct {
		const char *bytes, *sum;
	} at[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	static char million[1000000];
	char text[65];
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		digest(at[i].bytes, strlen(at[i].bytes), 7, text);
		cr_assert_str_eq(text, at[i].sum);
	}
	memset(million, 'a', sizeof million);
	digest(million, sizeof million, 999, text);
	cr_assert_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RP_TEST(sha256, pieces_do_not_matter)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sha256"), "sha256", 0);
	unsigned char bytes[300];
	char one[65], other[65];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)rp_rng_next(&rng);
	for (size_t n = 0; n < sizeof bytes; n++) {
		digest(bytes, n, sizeof bytes, one);
		digest(bytes, n, 1 + (size_t)rp_rng_below(&rng, 80), other);
		cr_assert_str_eq(one, other);
	}
}
