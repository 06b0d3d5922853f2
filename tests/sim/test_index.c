/* test_index.c - tests sim/index.h, and index= with every loop. */
#include "tests/sim/replay_check.h"

#include "sim/index.h"

#include "base/rng.h"

static uint32_t
set_of(const char *index, uint32_t sets, uint32_t line_size, uint64_t address)
{
	char text[96];
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	snprintf(text, sizeof text, "lru,sets=%u,ways=1,line=%u,index=%s", sets, line_size, index);
	cr_assert(rp_cache_spec_parse(text, 64, 1, &s, &err), "%s", err.text);
	uint32_t set = rp_index_of(&s, address / line_size);
	rp_cache_spec_free(&s);
	return set;
}

/* The table of GPGPU-Sim's hashes: lines of 128 bytes. -1: not defined. */
RP_TEST(index, of_the_hashes_of_gpus)
{
	static const struct {
		uint64_t address;
		uint32_t sets;
		int mod, xor, ipoly, fermi;
	} row[] = {
		{ 0x2000, 32, 0, 2, 10, 1 },
		{ 0x12345680, 16, 13, 7, 10, -1 },
		{ 0x12345680, 32, 13, 8, 25, 15 },
		{ 0x12345680, 64, 45, 15, 34, 47 },
		{ UINT64_C(0x7fb0fc430e00), 64, 28, 4, 8, 20 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint64_t a = row[i].address;
		cr_assert_eq(set_of("mod", row[i].sets, 128, a), (uint32_t)row[i].mod);
		cr_assert_eq(set_of("xor", row[i].sets, 128, a), (uint32_t)row[i].xor);
		cr_assert_eq(set_of("ipoly", row[i].sets, 128, a), (uint32_t)row[i].ipoly);
		if (row[i].fermi >= 0)
			cr_assert_eq(set_of("fermi", row[i].sets, 128, a), (uint32_t)row[i].fermi);
	}
}

/* Lines a power of two apart, which the modulus puts into one set, are spread evenly: 64 lines a set on average, and a
 * chi-square of 255 degrees of freedom stays under 360 (less than 1 in 50,000 random spreads are above). Any number of
 * sets. */
RP_TEST(index, by_hash_spreads_strides)
{
	static const uint32_t sets[] = { 256, 256, 255, 250 };
	for (unsigned shift = 0; shift < 40; shift += 3)
		for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
			uint32_t count[256] = { 0 };
			double chi = 0, mean = 64.0 * 256 / sets[k];
			for (uint64_t i = 0; i < 64 * 256; i++)
				count[set_of("hash", sets[k], 64, (i << shift) * 64)]++;
			for (uint32_t s = 0; s < sets[k]; s++)
				chi += (count[s] - mean) * (count[s] - mean) / mean;
			cr_assert_lt(chi, 360, "shift %u, %u sets: %f", shift, sets[k], chi);
		}
}

/* Long division over GF(2), bit by bit. */
static uint32_t
remainder_of(uint64_t line, unsigned bits)
{
	static const uint64_t modulus[] = { 19, 37, 67 }, low[] = { 17, 20, 25 };
	line &= (UINT64_C(1) << low[bits - 4]) - 1;
	for (unsigned i = 40; i >= bits; i--)
		if (line >> i & 1)
			line ^= modulus[bits - 4] << (i - bits);
	return (uint32_t)line;
}

static uint32_t
fermi_of(uint64_t line, uint32_t sets)
{
	static const unsigned from[] = { 13, 14, 15, 17, 19 };
	uint64_t a = line * 128, low = a >> 7 & 31, high = 0;
	for (unsigned i = 0; i < 5; i++)
		high |= (a >> from[i] & 1) << i;
	return (uint32_t)((low ^ high) + (sets == 64 ? (a >> 12 & 1) * 32 : 0));
}

static uint32_t
expected(const char *index, uint64_t line, uint32_t sets, const struct rp_cache_spec *s)
{
	unsigned bits = (unsigned)__builtin_ctz(sets);
	if (!strcmp(index, "xor"))
		return (uint32_t)(line % sets ^ line / sets % sets);
	if (!strcmp(index, "ipoly"))
		return remainder_of(line, bits);
	if (!strcmp(index, "fermi"))
		return fermi_of(line, sets);
	return rp_index_of(s, line); /* hash: its own definition */
}

/* A cache with an index function is one without whose lines have other numbers: what the function gives is the remainder
 * modulo the sets, and the line as it was the quotient. Random traces with marks, every policy, every loop. */
static void
compare_random(struct rp_rng *rng)
{
	static const struct {
		const char *index;
		uint32_t sets;
	} as[] = { { "xor", 1 }, { "xor", 2 }, { "xor", 64 }, { "ipoly", 16 }, { "ipoly", 32 },
		{ "ipoly", 64 }, { "fermi", 32 }, { "fermi", 64 }, { "hash", 1 }, { "hash", 3 },
		{ "hash", 16 }, { "hash", 57 } };
	static const uint8_t marks[] = { RP_COPY_BACK, RP_INVALIDATE };
	uint64_t r = rp_rng_next(rng);
	size_t k = r % (sizeof as / sizeof *as), policies = 0;
	uint32_t sets = as[k].sets, ways = 1 + (uint32_t)rp_rng_below(rng, r >> 8 & 3 ? 9 : 40);
	while (rp_policies[policies])
		policies++;
	const struct rp_policy *p = rp_policies[(r >> 16 & 0xff) % policies];
	char text[2][160];
	for (int mod = 0; mod < 2; mod++)
		snprintf(text[mod], sizeof text[mod], "%s,sets=%u,ways=%u,line=128,index=%s",
		    p->name, sets, ways, mod ? "mod" : as[k].index);
	struct rp_cache_spec s;
	if (!rp_cache_spec_parse(text[0], 64, 1, &s, NULL))
		return; /* the policy is not for so many ways, or has no sets */
	struct rp_batch *b = rp_batch_new(6000, 0, NULL), *same = rp_batch_new(6000, 0, NULL);
	uint64_t lines = 1 + 2 * sets * ways, step = r >> 32 & 1 ? 1 : sets;
	while (b->n < 6000) {
		uint64_t x = rp_rng_next(rng), line = (1000 + (x >> 8 & 0xffffff) % lines) * step;
		struct rp_access a = { .size = 4, .kind = x & 1 ? RP_WRITE : RP_READ };
		if ((x >> 40 & 63) == 0)
			a.kind = marks[x >> 50 & 1];
		a.addr = line * 128 + (x >> 60) * 8;
		rp_batch_put(b, &a);
		a.addr =
		    (line * sets + expected(as[k].index, line, sets, &s)) * 128 + (x >> 60) * 8;
		rp_batch_put(same, &a);
	}
	for (enum rp_level level = 0; level < RP_LEVELS; level++) {
		struct rp_replay_opts o = { .level = level, .flush = true };
		if (!rp_level_runs(level))
			continue;
		struct rp_counters found = replay_one(text[0], b, &o),
				   want = replay_one(text[1], same, &o);
		expect_same(&found, &want, text[0]);
	}
	rp_cache_spec_free(&s);
	rp_batch_free(b);
	rp_batch_free(same);
}

RP_TEST(index, renames_lines_and_no_more)
{
	struct rp_rng rng = { rp_test_seed("index") };
	for (unsigned i = 0; i < 200 * rp_test_scale(); i++)
		compare_random(&rng);
}
