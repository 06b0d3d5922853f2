/* scan - workers that go round and round over the same blocks, one block a round (the static model of PASCAL).
 *
 * In round k worker m requests block (k + s_m) mod N, in the order of the workers; the time of an access is its round, its
 * stream the worker. A block is one access, or, with `line`, one access for each line of it.
 *
 * What is the same in every round is kept in tables, an entry a request, and a batch is filled column by column from them:
 * a phase turns into an address by one addition, and one more for those that are past the last block. A round of few
 * workers is short, so the tables then hold several. */
#include "config.h"

#include "gen/scan.h"
#include "gen/fill.h"

#include <inttypes.h>
#include <string.h>

enum {
	ENTRIES_LEAST = 2048, /* of the tables */
	BLOCKS_AHEAD = 64     /* addresses that are found at a time */
};

struct scan {
	struct rp_source source;
	/* By entry: where its block begins in the first turn of the tables, in bytes less those of all blocks, so that the sign
	 * tells who is past the last block; the worker; rounds since the first of the tables, NULL if they hold one. */
	int64_t *from;
	uint32_t *worker;
	uint64_t *later;
	size_t entries;
	uint64_t blocks, rounds; /* of all; of the tables */
	int64_t span, block;     /* bytes of all blocks, of one */
	uint64_t base, left;     /* accesses still to come; UINT64_MAX: endless */
	uint64_t round;          /* the first of the tables */
	size_t at;               /* entry that is next */
	uint32_t step, lines,
	    line; /* bytes of an access; accesses of a block; the next one of entry `at` */
};

/* As wide as every x86-64 has it: what is wider goes through memory. */
typedef int64_t two_s64 __attribute__((vector_size(16)));

/* Addresses of n entries from `at` on. */
static void
fill_blocks(const struct scan *s, size_t at, size_t n, uint64_t *to)
{
	const int64_t *from = s->from + at;
	int64_t shift = (int64_t)(s->round % s->blocks) * s->block, base = (int64_t)s->base;
	size_t i = 0;
	for (; i + 2 <= n; i += 2) {
		two_s64 a;
		memcpy(&a, from + i, sizeof a);
		a += shift;
		a = (((a >> 63) & s->span) + base) + a;
		memcpy(to + i, &a, sizeof a);
	}
	for (; i < n; i++) {
		int64_t a = from[i] + shift;
		to[i] = (uint64_t)(((a >> 63) & s->span) + a) + s->base;
	}
}

/* to[i] = from[i] + x, for i below n. */
static void
add_to_each(uint64_t *to, const uint64_t *from, size_t n, uint64_t x)
{
	size_t i = 0;
	for (; i + 2 <= n; i += 2) {
		two_s64 a;
		memcpy(&a, from + i, sizeof a);
		a += (int64_t)x;
		memcpy(to + i, &a, sizeof a);
	}
	for (; i < n; i++)
		to[i] = from[i] + x;
}

/* A row an entry: n rows from entry s->at on, without the end of the tables between. */
static void
fill_whole(struct scan *s, struct rp_batch *out, size_t i, size_t n)
{
	fill_blocks(s, s->at, n, out->addr + i);
	if (out->stream)
		memcpy(out->stream + i, s->worker + s->at, n * sizeof *out->stream);
	if (out->time && s->later)
		add_to_each(out->time + i, s->later + s->at, n, s->round);
	else if (out->time)
		rp_fill_rising(out->time + i, n, s->round, 0);
}

/* to[k] = from + k * step, for k below n: few. */
static inline void
rise(uint64_t *to, size_t n, uint64_t from, uint64_t step)
{
	two_s64 a = { (int64_t)from, (int64_t)(from + step) };
	size_t k = 0;
	for (; k + 2 <= n; k += 2) {
		memcpy(to + k, &a, sizeof a);
		a += (int64_t)(2 * step);
	}
	if (k < n)
		to[k] = from + k * step;
}

/* A row a line: up to n rows of the blocks of n_entries entries from s->at on, the first from line s->line on. How many. */
static size_t
fill_lines(struct scan *s, struct rp_batch *out, size_t i, size_t n, size_t n_entries)
{
	uint64_t block[BLOCKS_AHEAD];
	size_t from = i, end = i + n;
	fill_blocks(s, s->at, n_entries, block);
	for (size_t e = 0; e < n_entries && i < end; e++) {
		size_t at = s->at + e, left = s->lines - s->line,
		       m = left < end - i ? left : end - i;
		rise(out->addr + i, m, block[e] + (uint64_t)s->line * s->step, s->step);
		if (out->time)
			rise(out->time + i, m, s->round + (s->later ? s->later[at] : 0), 0);
		if (out->stream)
			for (size_t k = 0; k < m; k++)
				out->stream[i + k] = s->worker[at];
		i += m;
		s->line = m < left ? s->line + (uint32_t)m : 0;
	}
	return i - from;
}

/* Moves on by n entries, not past the end of the tables. */
static void
move(struct scan *s, size_t n)
{
	s->at += n;
	if (s->at == s->entries) {
		s->at = 0;
		s->round += s->rounds;
	}
}

static ptrdiff_t
scan_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct scan *s = (struct scan *)source;
	size_t room = out->cap - out->n, n = s->left < room ? (size_t)s->left : room;
	(void)err;
	for (size_t i = 0; i < n;) {
		size_t entries = s->entries - s->at, m;
		if (s->lines == 1) {
			m = entries < n - i ? entries : n - i;
			fill_whole(s, out, out->n + i, m);
			move(s, m);
		} else {
			uint64_t rows = s->line;
			entries = entries < BLOCKS_AHEAD ? entries : BLOCKS_AHEAD;
			m = fill_lines(s, out, out->n + i, n - i, entries);
			move(s, (size_t)((rows + m) / s->lines));
		}
		i += m;
	}
	rp_fill_same(out->size + out->n, n, s->step);
	memset(out->kind + out->n, RP_READ, n);
	rp_fill_zero(out, RP_COL_TIME | RP_COL_STREAM, n);
	out->n += n;
	if (s->left != UINT64_MAX)
		s->left -= n;
	return (ptrdiff_t)n;
}

static void
scan_close(struct rp_source *source)
{
	struct scan *s = (struct scan *)source;
	free(s->from);
	free(s->worker);
	free(s->later);
	rp_gen_source_free(source);
}

/* The tables, of as many rounds as make them long enough. */
static bool
build(struct scan *s, const struct rp_phases *p, struct rp_err *err)
{
	s->rounds = p->workers < ENTRIES_LEAST ? (ENTRIES_LEAST + p->workers - 1) / p->workers : 1;
	s->entries = (size_t)s->rounds * p->workers;
	s->from = rp_mem_array(s->entries, sizeof *s->from, err);
	s->worker = rp_mem_array(s->entries, sizeof *s->worker, err);
	if (s->rounds > 1)
		s->later = rp_mem_array(s->entries, sizeof *s->later, err);
	if (!s->from || !s->worker || (s->rounds > 1 && !s->later))
		return false;
	for (size_t i = 0; i < s->entries; i++) {
		uint64_t later = i / p->workers, phase = p->phase[i % p->workers];
		/* Of two numbers below N; their sum may be past 64 bits. */
		uint64_t ahead = later % s->blocks, left = s->blocks - phase;
		uint64_t block = ahead < left ? phase + ahead : ahead - left;
		s->from[i] = (int64_t)(block - s->blocks) * s->block;
		s->worker[i] = (uint32_t)(i % p->workers);
		if (s->later)
			s->later[i] = later;
	}
	return true;
}

/* Accesses of the whole trace; UINT64_MAX if it is endless. */
static uint64_t
total(const struct rp_scan_params *p, uint64_t workers, uint64_t lines)
{
	uint64_t all;
	if (!p->rounds || __builtin_mul_overflow(workers, lines, &all) ||
	    __builtin_mul_overflow(p->rounds, all, &all))
		all = UINT64_MAX;
	return p->limit && p->limit < all ? p->limit : all;
}

static bool
check(const struct rp_scan_params *p, struct rp_err *err)
{
	uint64_t span;
	if (p->line && p->block % p->line)
		return rp_fail(err, RP_USAGE, "block=%" PRIu32 " is no multiple of line=%" PRIu32,
		    p->block, p->line);
	if (!rp_gen_fits(p->base, p->blocks, p->block, p->block, err))
		return false;
	return (!__builtin_mul_overflow(p->blocks, p->block, &span) && span <= INT64_MAX) ||
	       rp_fail(err, RP_USAGE,
		   "%" PRIu64 " blocks of %" PRIu32 " bytes are 2^63 bytes or more", p->blocks,
		   p->block);
}

static struct rp_source *
open_with(const struct rp_scan_params *p, const struct rp_phases *phases, struct rp_err *err)
{
	unsigned columns = RP_COL_TIME | (phases->workers > 1 ? RP_COL_STREAM : 0);
	struct scan *s = rp_gen_source_new(sizeof *s, "scan", columns, scan_pull, err);
	if (!s)
		return NULL;
	s->source.close = scan_close;
	s->step = p->line ? p->line : p->block;
	s->lines = p->block / s->step;
	s->base = p->base;
	s->blocks = p->blocks;
	s->block = p->block;
	s->span = (int64_t)p->blocks * p->block;
	s->left = total(p, phases->workers, s->lines);
	s->source.trace->endless = s->left == UINT64_MAX;
	if (build(s, phases, err))
		return &s->source;
	scan_close(&s->source);
	return NULL;
}

static struct rp_source *
scan_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct rp_scan_params *p = params;
	struct rp_phases phases = { 0 };
	if (!check(p, err) || !rp_phases_make(&p->start, p->blocks, seed, &phases, err))
		return NULL;
	struct rp_source *s = open_with(p, &phases, err);
	free(phases.phase);
	return s;
}

static const struct rp_opt opts[] = {
	{ "blocks", 0, "N", RP_OPT_U64, offsetof(struct rp_scan_params, blocks), "65536",
	    "blocks of the scanned data", 1, UINT64_MAX },
	RP_PHASES_ROWS(struct rp_scan_params),
	{ "rounds", 0, "H", RP_OPT_U64, offsetof(struct rp_scan_params, rounds), "0",
	    "end after H rounds, in each of which every worker requests a block; 0: endless" },
	{ "block", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct rp_scan_params, block), "64",
	    "size of a block", 1, UINT32_MAX },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct rp_scan_params, line), NULL,
	    "make an access of each line of a block, instead of one of the whole", 1, UINT32_MAX },
	{ "base", 0, "ADDRESS", RP_OPT_U64, offsetof(struct rp_scan_params, base), "0",
	    "address of the first byte" },
	{ "limit", 0, "N", RP_OPT_U64, offsetof(struct rp_scan_params, limit), "0",
	    "end after N accesses; 0: endless" },
	{ 0 },
};

const struct rp_generator rp_generator_scan = {
	.name = "scan",
	.what = "workers that request block after block, round and round",
	.source = "PASCAL: A Phase-Aware Shared-Cache Model for Parallel Scans, Algorithm 1",
	.opts = opts,
	.params_bytes = sizeof(struct rp_scan_params),
	.open = scan_open,
};
