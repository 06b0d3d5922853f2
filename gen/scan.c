/* scan - a worker that goes round and round over blocks, one block a round (the static model of PASCAL).
 *
 * In round k the block is k mod N; the time of an access is its round. A block is one access, or, with `line`, one access
 * for each line of it. Within a pass over the blocks addresses just rise, whatever the expansion, so that a batch is
 * filled a pass, not a block, at a time. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

struct scan_params {
	uint64_t blocks, rounds, base, limit;
	uint32_t block, line; /* bytes; line 0: a block is one access */
};

struct scan {
	struct rp_source source;
	uint64_t base, pass; /* accesses of a pass: all lines of all blocks */
	uint64_t left;       /* accesses still to come; UINT64_MAX: endless */
	uint64_t at;         /* of the pass */
	uint64_t round;
	uint32_t step;        /* bytes of an access */
	uint32_t lines, line; /* of a block; the next one */
};

static void
fill_addresses(struct scan *s, uint64_t *addr, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint64_t left = s->pass - s->at;
		size_t m = left < n - i ? (size_t)left : n - i;
		rp_fill_rising(addr + i, m, s->base + s->at * s->step, s->step);
		i += m;
		s->at = m < left ? s->at + m : 0;
	}
}

static void
fill_rounds(struct scan *s, uint64_t *time, size_t n)
{
	if (s->lines == 1) {
		if (time)
			rp_fill_rising(time, n, s->round, 1);
		s->round += n;
		return;
	}
	for (size_t i = 0; i < n;) {
		uint32_t left = s->lines - s->line;
		size_t m = left < n - i ? left : n - i;
		for (size_t k = 0; time && k < m; k++)
			time[i + k] = s->round;
		i += m;
		s->line = m < left ? s->line + (uint32_t)m : 0;
		s->round += m == left;
	}
}

static ptrdiff_t
scan_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct scan *s = (struct scan *)source;
	size_t room = out->cap - out->n, n = s->left < room ? (size_t)s->left : room;
	(void)err;
	fill_addresses(s, out->addr + out->n, n);
	fill_rounds(s, out->time ? out->time + out->n : NULL, n);
	rp_fill_same(out->size + out->n, n, s->step);
	memset(out->kind + out->n, RP_READ, n);
	rp_fill_zero(out, RP_COL_TIME, n);
	out->n += n;
	if (s->left != UINT64_MAX)
		s->left -= n;
	return (ptrdiff_t)n;
}

/* Accesses of the whole trace; UINT64_MAX if it is endless. */
static uint64_t
total(const struct scan_params *p, uint64_t lines)
{
	uint64_t all;
	if (!p->rounds || __builtin_mul_overflow(p->rounds, lines, &all))
		all = UINT64_MAX;
	return p->limit && p->limit < all ? p->limit : all;
}

static struct rp_source *
scan_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct scan_params *p = params;
	uint32_t line = p->line ? p->line : p->block;
	uint64_t pass;
	(void)seed;
	if (p->block % line) {
		rp_fail(err, RP_USAGE, "block=%" PRIu32 " is no multiple of line=%" PRIu32,
		    p->block, line);
		return NULL;
	}
	if (!rp_gen_fits(p->base, p->blocks, p->block, p->block, err))
		return NULL;
	/* Fits: a line has at least a byte, and the bytes of all blocks are below 2^64. */
	pass = p->blocks * (p->block / line);
	struct scan *s = rp_gen_source_new(sizeof *s, "scan", RP_COL_TIME, scan_pull, err);
	if (!s)
		return NULL;
	s->base = p->base;
	s->pass = pass;
	s->step = line;
	s->lines = p->block / line;
	s->left = total(p, s->lines);
	s->source.trace->endless = s->left == UINT64_MAX;
	return &s->source;
}

static const struct rp_opt opts[] = {
	{ "blocks", 0, "N", RP_OPT_U64, offsetof(struct scan_params, blocks), "65536",
	    "blocks of the scanned data", 1, UINT64_MAX },
	{ "block", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct scan_params, block), "64",
	    "size of a block", 1, UINT32_MAX },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct scan_params, line), NULL,
	    "make an access of each line of a block, instead of one of the whole", 1, UINT32_MAX },
	{ "rounds", 0, "N", RP_OPT_U64, offsetof(struct scan_params, rounds), "0",
	    "end after N rounds, a block each; 0: endless" },
	{ "base", 0, "ADDRESS", RP_OPT_U64, offsetof(struct scan_params, base), "0",
	    "address of the first byte" },
	{ "limit", 0, "N", RP_OPT_U64, offsetof(struct scan_params, limit), "0",
	    "end after N accesses; 0: endless" },
	{ 0 },
};

const struct rp_generator rp_generator_scan = {
	.name = "scan",
	.what = "a worker that requests block after block, round and round",
	.source = "PASCAL: A Phase-Aware Shared-Cache Model for Parallel Scans, Algorithm 1",
	.opts = opts,
	.params_bytes = sizeof(struct scan_params),
	.open = scan_open,
};
