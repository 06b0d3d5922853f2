/* kernels.c - the hot loops: this file is compiled once for each level of the instruction set.
 *
 * RP_KERNELS is the name of the table it defines. Loops are one source, inlined with constants for what differs. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/full_loop.h"
#include "sim/mshr_loop.h"
#include "sim/observe/names_loop.h"
#include "sim/full_steps.h"
#include "sim/sets_loop.h"
#include "sim/ways.h"

/* Rows may come straight from memory, and the loops over caches leave it idle: the next chunk's are asked for. May point
 * behind the last row, where it does nothing. */
RP_INLINE void
prefetch_rows(const uint64_t *addr, const uint32_t *size, const uint8_t *kind)
{
	__builtin_prefetch(addr + RP_CHUNK_ROWS);
	__builtin_prefetch(addr + RP_CHUNK_ROWS + RP_BLOCK / 2);
	__builtin_prefetch(size + RP_CHUNK_ROWS);
	__builtin_prefetch(kind + RP_CHUNK_ROWS);
}

static bool
expand_block(const struct rp_rows *r, size_t at, size_t first, unsigned line_bits)
{
	const uint64_t *restrict addr = r->addr + at;
	const uint32_t *restrict size = r->size + at;
	const uint8_t *restrict kind = r->kind + at;
	uint64_t *restrict line = r->line + at, crosses = 0;
	uint32_t *restrict row = r->row + at;
	uint8_t *restrict kind_out = r->kind_out + at, *restrict store = r->store + at,
			  *restrict dirty = r->dirty + at;
	prefetch_rows(addr, size, kind);
	for (size_t i = 0; i < RP_BLOCK; i++) {
		line[i] = addr[i] >> line_bits;
		crosses |= addr[i] ^ (addr[i] + size[i] - 1);
	}
	for (uint32_t i = 0; i < RP_BLOCK; i++)
		row[i] = (uint32_t)first + i;
	for (size_t i = 0; i < RP_BLOCK; i++)
		kind_out[i] = kind[i];
	for (size_t i = 0; i < RP_BLOCK; i++)
		store[i] = kind[i] == RP_WRITE;
	for (size_t i = 0; i < RP_BLOCK; i++)
		dirty[i] = (uint8_t)((kind[i] == RP_WRITE) | (kind[i] == RP_ATOMIC));
	return !(crosses >> line_bits);
}

static size_t
expand(const struct rp_rows *r, size_t first, size_t n, unsigned line_bits)
{
	size_t at = 0;
	while (at + RP_BLOCK <= n && expand_block(r, at, first + at, line_bits))
		at += RP_BLOCK;
	return at;
}

/* line / sets for sets no power of two, exact for 64 bits: a multiplication by 2^64 * (2^shift / sets - 1), rounded up, and
 * an addition in two halves that cannot overflow (Granlund and Montgomery, PLDI 1994, figure 4.1). */
RP_INLINE uint64_t
divide(uint64_t line, uint64_t magic, unsigned shift)
{
	uint64_t q = (uint64_t)((unsigned __int128)line * magic >> 64);
	return (q + ((line - q) >> 1)) >> shift;
}

static uint64_t
prepare_power(struct rp_sets *c, const struct rp_lookups *in)
{
	uint64_t all = 0;
	uint32_t mask = c->sets - 1;
	unsigned shift = c->shift;
	for (size_t i = 0; i < in->n; i += RP_BLOCK) {
		const uint64_t *line = in->line + i;
		uint64_t *restrict key = c->key + i;
		uint32_t *restrict set = c->set + i;
		for (size_t j = 0; j < RP_BLOCK; j++) {
			key[j] = (line[j] >> shift) + 1;
			all |= key[j];
		}
		for (size_t j = 0; j < RP_BLOCK; j++)
			set[j] = (uint32_t)line[j] & mask;
	}
	return all;
}

static uint64_t
prepare_any(struct rp_sets *c, const struct rp_lookups *in)
{
	uint64_t all = 0, sets = c->sets, magic = c->magic;
	unsigned shift = c->shift;
	for (size_t i = 0; i < in->n; i++) {
		uint64_t line = in->line[i], q = divide(line, magic, shift);
		c->set[i] = (uint32_t)(line - q * sets);
		c->key[i] = q + 1;
		all |= q + 1;
	}
	return all;
}

/* What lies behind the last lookup is prepared too: it is older lookups, or zeroes, and only prefetched. */
static uint64_t
sets_prepare(struct rp_sets *c, const struct rp_lookups *in)
{
	return c->power ? prepare_power(c, in) : prepare_any(c, in);
}

/* lru and fifo. `lru`: a hit rotates. `first`: look at the first way first, where lru has nothing to do on a hit. `keep`:
 * fill `victim` in. */
RP_INLINE size_t
ordered(struct rp_sets *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool keep, bool lru, bool wide, unsigned lanes, bool first,
    bool ahead, bool no_write)
{
	const struct loop l = loop_over(c, in, wide, lanes);
	size_t firsts = 0;
	uint64_t last = UINT64_C(1) << (l.ways - 1);
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		if (ahead)
			prefetch_set(&l, i + RP_AHEAD, lanes);
		if (first && ways_key(set, 0, wide) == key) {
			if (w && !(dirty_get(&l, s, lanes) & 1))
				dirty_set(&l, s, lanes, dirty_get(&l, s, lanes) | 1);
			outcome[i] = 0;
			firsts++;
			continue;
		}
		uint64_t d = dirty_get(&l, s, lanes), m = ways_match(set, key, wide, lanes),
			 miss = !m;
		uint64_t oldest = ways_key(set, l.ways - 1, wide), kept = oldest != 0, move;
		int k;
		if (lru) {
			uint64_t to = m | last;
			move = to ^ (to - 1); /* ways 0..k */
			k = __builtin_ctzll(to);
		} else {
			move = (last | (last - 1)) & -miss;
			k = miss ? (int)l.ways - 1 : -1;
		}
		if (no_write && (miss & l.store[i])) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		if (keep) /* always: cheaper than to ask whether one leaves */
			victim[i] = (oldest - 1) * l.sets + s;
		ways_rotate(set, key, wide, lanes, k);
		uint64_t moved = (d & ~move) | (d << 1 & move);
		moved |= lru ? w | ((d & m) != 0) : (m & -w) | (miss & w);
		dirty_set(&l, s, lanes, moved);
		outcome[i] = (uint8_t)(miss | (miss & kept) << 1 | (miss & d >> (l.ways - 1)) << 2);
	}
	return firsts;
}

RP_INLINE size_t
placed(struct rp_sets *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, unsigned lanes, bool ahead, bool no_write)
{
	const struct loop l = loop_over(c, in, wide, lanes);
	uint64_t all = UINT64_MAX >> (64 - l.ways);
	struct rp_rng rng = c->rng;
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		if (ahead)
			prefetch_set(&l, i + RP_AHEAD, lanes);
		uint64_t d = dirty_get(&l, s, lanes), m = ways_match(set, key, wide, lanes);
		if (m) {
			dirty_set(&l, s, lanes, d | (m & -w));
			outcome[i] = 0;
			continue;
		}
		if (no_write && l.store[i]) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		uint64_t empty = ways_match(set, 0, wide, lanes) & all;
		unsigned way =
		    empty ? (unsigned)__builtin_ctzll(empty) : (unsigned)rp_rng_below(&rng, l.ways);
		if (victim)
			victim[i] = (ways_key(set, way, wide) - 1) * l.sets + s;
		ways_put(set, way, key, wide);
		dirty_set(&l, s, lanes, (d & ~(UINT64_C(1) << way)) | w << way);
		outcome[i] = (uint8_t)(RP_MISSED | (uint64_t)!empty << 1 | (d >> way & 1) << 2);
	}
	c->rng = rng;
	return 0;
}

/* A function of each combination that is used, named by it. */
#define SETS_RUN(name, call)                                                                       \
	static size_t name(struct rp_sets *c, const struct rp_lookups *in,                         \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		(void)victim;                                                                      \
		return call;                                                                       \
	}
#define ORDERED_RUN(name, ...)                                                                     \
	SETS_RUN(name, ordered(c, in, outcome, NULL, false, __VA_ARGS__))                          \
	SETS_RUN(name##_keep, ordered(c, in, outcome, victim, true, __VA_ARGS__))
/* lru or not; lanes; look at the first way first. */
#define ORDERED_RUNS(name, lru, lanes, first)                                                      \
	ORDERED_RUN(name##_32, lru, false, lanes, first, false, false)                             \
	ORDERED_RUN(name##_64, lru, true, lanes, first, false, false)                              \
	ORDERED_RUN(name##_32_ahead, lru, false, lanes, first, true, false)                        \
	ORDERED_RUN(name##_64_ahead, lru, true, lanes, first, true, false)
#define PLACED_RUN(name, ...) SETS_RUN(name, placed(c, in, outcome, victim, __VA_ARGS__))
#define SETS_RUNS(size, lanes)                                                                     \
	ORDERED_RUNS(lru_##size, true, lanes, false)                                               \
	ORDERED_RUNS(lru_first_##size, true, lanes, true)                                          \
	ORDERED_RUNS(fifo_##size, false, lanes, false)                                             \
	PLACED_RUN(random_##size##_32, false, lanes, false, false)                                 \
	PLACED_RUN(random_##size##_64, true, lanes, false, false)                                  \
	PLACED_RUN(random_##size##_32_ahead, false, lanes, true, false)                            \
	PLACED_RUN(random_##size##_64_ahead, true, lanes, true, false)

SETS_RUNS(8, 8)
SETS_RUNS(16, 16)
SETS_RUNS(more, c->lanes)
ORDERED_RUN(lru_no_write_32, true, false, c->lanes, false, false, true)
ORDERED_RUN(lru_no_write_64, true, true, c->lanes, false, false, true)
ORDERED_RUN(fifo_no_write_32, false, false, c->lanes, false, false, true)
ORDERED_RUN(fifo_no_write_64, false, true, c->lanes, false, false, true)
PLACED_RUN(random_no_write_32, false, c->lanes, false, true)
PLACED_RUN(random_no_write_64, true, c->lanes, false, true)

#define SETS_TABLE(name, keep)                                                                     \
	{                                                                                          \
		{ { name##_8_32##keep, name##_8_32_ahead##keep },                                  \
			{ name##_16_32##keep, name##_16_32_ahead##keep },                          \
			{ name##_more_32##keep, name##_more_32_ahead##keep } },                    \
		    { { name##_8_64##keep, name##_8_64_ahead##keep },                              \
			    { name##_16_64##keep, name##_16_64_ahead##keep },                      \
			    { name##_more_64##keep, name##_more_64_ahead##keep } },                \
	}
#define ORDERED_TABLES(name)                                                                       \
	{                                                                                          \
		SETS_TABLE(name, ), SETS_TABLE(name, _keep)                                        \
	}

#include "sim/opt_loop.h" /* wants divide() */

extern const struct rp_words_kernels RP_KERNELS_PART(words);
extern const struct rp_lists_kernels RP_KERNELS_PART(lists);
extern const struct rp_queues_kernels RP_KERNELS_PART(queues);
extern const struct rp_grid_kernels RP_KERNELS_PART(grid);
extern const struct rp_reuse_kernels RP_KERNELS_PART(reuse);
extern const struct rp_kernels RP_KERNELS;
const struct rp_kernels RP_KERNELS = {
	.expand = expand,
	.sets_prepare = sets_prepare,
	.lru = ORDERED_TABLES(lru),
	.lru_first = ORDERED_TABLES(lru_first),
	.fifo = ORDERED_TABLES(fifo),
	.random = SETS_TABLE(random, ),
	.lru_no_write = { { lru_no_write_32, lru_no_write_64 },
	    { lru_no_write_32_keep, lru_no_write_64_keep } },
	.fifo_no_write = { { fifo_no_write_32, fifo_no_write_64 },
	    { fifo_no_write_32_keep, fifo_no_write_64_keep } },
	.random_no_write = { random_no_write_32, random_no_write_64 },
	.words = &RP_KERNELS_PART(words),
	.lists = &RP_KERNELS_PART(lists),
	.queues = &RP_KERNELS_PART(queues),
	.grid = &RP_KERNELS_PART(grid),
	.reuse = &RP_KERNELS_PART(reuse),
	.mshr = mshr_run,
	.names = names_near,
	.full_prepare = full_prepare,
	.full_compact = full_compact,
	.full = { FULL_TABLE(full_lru), FULL_TABLE(full_fifo), FULL_TABLE(full_random) },
	.full_steps = FULL_TABLE(full_steps),
	.opt_prepare = opt_prepare,
	.opt_sets = OPT_TABLE,
	.opt_full = opt_full_run,
};
