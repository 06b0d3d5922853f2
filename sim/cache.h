/* cache.h - one cache: its specification, its state, a chunk of lookups through it. */
#ifndef RP_SIM_CACHE_H
#define RP_SIM_CACHE_H

#include "sim/level.h"
#include "sim/lookup.h"
#include "sim/mshr.h"
#include "sim/policy.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* What a cache does, exactly:
 * - A line brought in is brought in whole, also for a write that covers all of it. An atomic is one read that leaves its
 *   line dirty; a prefetch and an instruction fetch are reads.
 * - write=back: a write makes its line dirty; a dirty line that is replaced goes down whole. write=through: no line is ever
 *   dirty, and the bytes of each write and atomic go down (of a GPU transaction with a mask those that it touches).
 * - allocate=no-write: a write that misses brings nothing in, replaces nothing, and its bytes go down. An atomic that
 *   misses is a read and brings its line in.
 * - A policy may leave a line out (opt,bypass=yes): that misses and brings nothing in; what a write or an atomic touches
 *   goes down.
 * - RP_COPY_BACK writes dirty lines back; they stay, clean. RP_INVALIDATE drops lines, dirty ones too, without writing
 *   them back, as Dinero IV does. Neither is a lookup; a line that is dropped is not counted as evicted.
 * - RP_KERNEL_END and RP_HOST_COPY do nothing to a cache that stands alone. */
enum rp_write { RP_WRITE_BACK, RP_WRITE_THROUGH };
enum rp_allocate { RP_ALLOCATE_WRITE, RP_ALLOCATE_NO_WRITE };

/* Which set a line belongs to (sim/index.h). */
enum rp_index {
	RP_INDEX_MOD,   /* its number modulo the sets */
	RP_INDEX_XOR,   /* the low bits xor the bits above them; a power of two of sets */
	RP_INDEX_IPOLY, /* a remainder over GF(2); 16, 32 or 64 sets */
	RP_INDEX_FERMI, /* GPGPU-Sim's Fermi; 32 or 64 sets of lines of 128 bytes */
	RP_INDEX_HASH   /* a mix of all bits, scaled to the sets */
};

enum { RP_SECTORS_MOST = 64 }; /* of a line */
struct rp_gpu_spec;

/* A cache as the user specified it, complete: what was not said has been filled in. */
struct rp_cache_spec {
	const struct rp_policy *policy;
	uint64_t arg[RP_POLICY_PARAMS]; /* of the policy */
	const char *name;               /* "" if not given; borrowed from `text` */
	uint64_t size;                  /* bytes = sets * ways * line */
	uint32_t sets, ways;            /* 1 set: fully associative */
	uint32_t line;                  /* bytes, a power of two */
	uint32_t
	    sector; /* bytes of what is looked up and brought in: the line, or an equal part of it */
	unsigned index;           /* enum rp_index */
	unsigned write;           /* enum rp_write */
	unsigned allocate;        /* enum rp_allocate: whether a write miss brings the line in */
	struct rp_mshr_spec mshr; /* of `stall`s other than count the cache does them itself */
	uint64_t seed;            /* of the policy's random choices */
	bool classify;            /* misses by class (sim/classes.h) */
	/* A cache of GPGPU-Sim (sim/gpu/cache.h); NULL: it is none. If it is, `line` and `sector` are both what a lookup is of,
	 * a sector or plain line, and index, write, allocate and mshr say nothing. */
	struct rp_gpu_spec *gpu;
	char *text; /* private: holds the strings */
};

/* log2 of the bytes that a lookup is of. */
static inline unsigned
rp_cache_spec_unit_bits(const struct rp_cache_spec *s)
{
	return (unsigned)__builtin_ctz(s->sector);
}

/* log2 of the sectors of a line. */
static inline unsigned
rp_cache_spec_shift(const struct rp_cache_spec *s)
{
	return (unsigned)__builtin_ctz(s->line) - rp_cache_spec_unit_bits(s);
}

static inline bool
rp_cache_spec_sectored(const struct rp_cache_spec *s)
{
	return s->sector < s->line;
}

/* Parses `POLICY[,key=value]...` (design 3: size or sets; ways=N|full, full with size, required with sets; line, write,
 * allocate, sector, index, mshr and its company, seed, name, the policy's own parameters). `line` and `seed` are what a
 * specification that names none gets. A text with gpgpusim= or preset= is a cache of GPGPU-Sim, with keys of its own
 * (sim/gpu/spec.h). Gives *out (rp_cache_spec_free). RP_USAGE names the key and what is wanted. */
bool rp_cache_spec_parse(
    const char *text, uint32_t line, uint64_t seed, struct rp_cache_spec *out, struct rp_err *err);
void rp_cache_spec_free(struct rp_cache_spec *s);

/* The same, and the policy may be one of the plug-ins (NULL: none), which are borrowed as long as the specification. */
bool rp_cache_spec_parse_with(const char *text, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_cache_spec *out, struct rp_err *err);

/* Whether `name` is a key of every specification, whatever its policy. */
bool rp_cache_spec_has_key(const char *name);

/* The canonical specification, complete: parses to the same cache. Gives (free). */
char *rp_cache_spec_print(const struct rp_cache_spec *s, struct rp_err *err);

/* Whether the bytes of some writes go down past such a cache; a cache of GPGPU-Sim looks at those of all. */
static inline bool
rp_cache_spec_passes(const struct rp_cache_spec *s)
{
	return s->gpu || s->write == RP_WRITE_THROUGH || s->allocate == RP_ALLOCATE_NO_WRITE ||
	       (s->policy->admit && s->arg[0]) || (s->mshr.on && s->mshr.stall == RP_STALL_DROP);
}

/* The value of its key `index`: "mod", "xor" ... */
const char *rp_cache_spec_index(const struct rp_cache_spec *s);

/* What became of a lookup: a byte of these bits. */
enum rp_outcome {
	RP_MISSED = 1,
	RP_EVICTED = 2,    /* and a valid line was replaced */
	RP_WROTE_BACK = 4, /* which was dirty */
	RP_NO_FILL = 8,    /* and no line was brought in */
	/* With MSHRs (sim/mshr.h): */
	RP_MERGED = 16,     /* a miss that joined a request on its way */
	RP_MSHR_FULL = 32,  /* it found every entry taken, */
	RP_MERGE_FULL = 64, /* or its line's entry full; it went below all the same */
	RP_PRESENT =
	    128 /* a miss of a line that has its way, but not its data yet: nothing was brought in */
};

struct rp_cache;

/* Counters that apply to such a cache: bits of enum rp_counter_group (sim/counters.h). */
unsigned rp_cache_spec_counts(const struct rp_cache_spec *s);

/* An empty cache. Borrows the spec. `victims`: rp_cache_run will be asked for them, or
 * one of the functions below that are for such a cache be called. Gives (rp_cache_free). RP_RESOURCE: no
 * memory; what is never used is only reserved. */
struct rp_cache *rp_cache_new(
    const struct rp_cache_spec *s, enum rp_level level, bool victims, struct rp_err *err);
void rp_cache_free(struct rp_cache *c); /* accepts NULL */

/* The lookups in order; outcome[i] (enum rp_outcome) tells of lookup i. `outcome` has room for the chunk's n, rounded up
 * to a multiple of 64. victim[i], unless NULL: the line that left, where outcome[i] says RP_EVICTED. RP_RESOURCE: the
 * addresses need more memory than there is. */
bool rp_cache_run(struct rp_cache *c, const struct rp_lookups *in, uint8_t *outcome,
    uint64_t *victim, struct rp_err *err);

/* Of the last chunk: back[i], if lookup i wrote back (RP_WROTE_BACK) are the dirty sectors of the line that left, a bit each.
 * NULL: lines are whole. */
const uint64_t *rp_cache_back(const struct rp_cache *c);

/* Of the last chunk: what its lookups waited for. NULL: the cache has no MSHRs, or sim/mshr.h does them. */
const struct rp_waits *rp_cache_waits(const struct rp_cache *c);

/* Tells the cache of a mark (traces/batch.h), row `row` of the batch, that is more to it than lines to clean or drop: the
 * end of a kernel, a copy from the host. Caches of whole lines leave both alone. */
bool rp_cache_mark(struct rp_cache *c, const struct rp_batch *b, size_t row, struct rp_err *err);

/* Lines first..last (numbers: address / line; here and below: address / sector, if it has sectors): the dirty ones among
 * them become clean; how many lines were. Everything is 0..UINT64_MAX. Takes time in proportion to the range or to the cache, whichever is less. */
uint64_t rp_cache_clean(struct rp_cache *c, uint64_t first, uint64_t last);

/* Bytes that the last rp_cache_clean wrote back. */
uint64_t rp_cache_cleaned(const struct rp_cache *c);

/* Drops lines first..last without writing them back, so that their next lookups miss; how many there were. */
uint64_t rp_cache_drop(struct rp_cache *c, uint64_t first, uint64_t last);

/* Calls f for each of lines first..last that is there, in any order; f must leave the cache alone. These two are for caches
 * made with `victims`. */
typedef void rp_line_fn(void *to, uint64_t line, bool dirty);
void rp_cache_walk(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to);

/* Makes a line dirty if it is there, without a lookup: whether it is. */
bool rp_cache_soil(struct rp_cache *c, uint64_t line);

/* Name of the loop that runs it ("model", "sets", "full" ...). */
const char *rp_cache_engine(const struct rp_cache *c);

#endif
