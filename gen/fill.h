/* fill.h - what generators share that draw kinds and streams at random: rows of options, and columns. */
#ifndef RP_GEN_FILL_H
#define RP_GEN_FILL_H

#include "base/opt.h"
#include "base/rng.h"
#include "traces/batch.h"

/* Part of a generator's parameters. */
struct rp_fill_params {
	double writes; /* share of the accesses, in [0, 1] */
	uint32_t streams;
	uint32_t size;  /* bytes of an access */
	uint64_t base;  /* address of the first byte */
	uint64_t limit; /* accesses; 0: endless */
};

/* The rows for them, where `type` has a member `fill` of that type. */
#define RP_FILL_ROWS(type)                                                                         \
	{ "size", 0, "BYTES", RP_OPT_SIZE32, offsetof(type, fill.size), "8", "size of an access",  \
		1, UINT32_MAX },                                                                   \
	    { "writes", 0, "SHARE", RP_OPT_DOUBLE, offsetof(type, fill.writes), "0",               \
		    "share of the accesses that write, 0 to 1, drawn at random" },                 \
	    { "streams", 0, "N", RP_OPT_U32, offsetof(type, fill.streams), "1",                    \
		    "streams that the accesses are dealt to at random", 1, UINT32_MAX },           \
	    { "base", 0, "ADDRESS", RP_OPT_U64, offsetof(type, fill.base), "0",                    \
		    "address of the first byte" },                                                 \
	{                                                                                          \
		"limit", 0, "N", RP_OPT_U64, offsetof(type, fill.limit), "0",                      \
		    "end after N accesses; 0: endless"                                             \
	}

/* The state. Kind and stream of an access come from one draw, the low and the high half of it. */
struct rp_fill {
	struct rp_rng rng;
	uint64_t write_below; /* of 2^32 */
	uint32_t streams, size;
	uint64_t left; /* accesses still to come; UINT64_MAX: endless */
};

/* false, with RP_USAGE: the share of writes is none. `name` names the random stream ("gen/zipf"). */
bool rp_fill_init(struct rp_fill *f, const struct rp_fill_params *p, const char *name,
    uint64_t seed, struct rp_err *err);

/* Fails with RP_USAGE unless an access fits in a line and `lines` of them, `line` bytes each, below 2^64. */
bool rp_fill_lines(
    const struct rp_fill_params *p, uint64_t lines, uint32_t line, struct rp_err *err);

unsigned rp_fill_columns(const struct rp_fill *f); /* optional columns that such a trace has */

/* How many rows to append to `out` now; 0 at the end. */
size_t rp_fill_room(const struct rp_fill *f, const struct rp_batch *out);

/* Fills every column but the addresses for n rows (at most rp_fill_room) behind those in use, and counts them in. */
void rp_fill_rows(struct rp_fill *f, struct rp_batch *out, size_t n);

/* Zeroes, in n rows behind those in use, the optional columns that `out` has beyond `columns`. */
void rp_fill_zero(struct rp_batch *out, unsigned columns, size_t n);

/* to[i] = from + i * step, and to[i] = x, for i below n: eight at a time, whatever the compiler is asked to optimise. */
void rp_fill_rising(uint64_t *to, size_t n, uint64_t from, uint64_t step);
void rp_fill_same(uint32_t *to, size_t n, uint32_t x);

#endif
