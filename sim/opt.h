/* opt.h - Belady's MIN: engines that are told when each line is used next.
 *
 * Keys are those of sim/future.h, and no line need be looked for: a lookup hits if its own number is the key of a line that
 * is there. All lookups have different numbers, and a line that is dropped before its next use has the key of one that is
 * never used again. */
#ifndef RP_SIM_OPT_H
#define RP_SIM_OPT_H

#include "sim/engine.h"

enum { RP_OPT_BYPASS }; /* the policy's parameters */

/* ---- Sets of up to 64 ways ----
 *
 * A way holds the complement of its line's key: 0 is an empty way, and the victim, or the way to fill, is the least. They
 * have 32 bits if the trace has fewer than 2^31 lookups. */
struct rp_opt_sets {
	struct rp_cache cache;
	bool begun, wide; /* memory is there; 64 bits */
	unsigned lanes;   /* ways, rounded up to whole vectors */
	bool power;       /* set of a line: as in sim/sets.h */
	unsigned shift;
	uint64_t magic;
	unsigned char *keys;         /* [sets][lanes] */
	void *memory;                /* that keys lie in */
	uint64_t *line;              /* [sets][ways]: of a valid way */
	uint64_t *dirty;             /* bits by way; of valid ways only */
	uint32_t set[RP_CHUNK + 64]; /* of the chunk at hand */
};

/* ---- One set ----
 *
 * A line has a byte at its key, in a window of two halves of the time to come: the half at hand and the next. Two levels of
 * bits say which words of 64 bytes are not 0, to find the last line. Keys behind the window are a heap;
 * they are few, as lines wanted so late are the ones replaced. When a half is over it is cleared and becomes the one after
 * the next: keys of the heap that lie there move in. Lines that are never used again wait in a ring, in order.
 *
 * Most lines are wanted soon, long before the last: words below a floor are not told of by the upper levels. It rises to the
 * end of a half that begins, and sinks when nothing lies above it; so all of the next half is above it.
 *
 * Bytes in the past are not cleared: a victim is looked for from the far end, and there is always one ahead. No line is known
 * by its number, so a trace with marks that clean or drop lines is left to the plain loop. */
enum { RP_OPT_LIVE = 1, RP_OPT_DIRTY = 2 };

struct rp_opt_full {
	struct rp_cache cache;
	struct rp_cache *plain; /* runs instead, if there are such marks */
	uint32_t lines, count;  /* that fit, that are there */
	unsigned bits;          /* log2 of the lookups of a half, at least 12 */
	unsigned
	    fold; /* log2 of the lookups that a word of `more` stands for: no more than a half */
	uint64_t now;   /* number of the last lookup */
	uint64_t base;  /* number where the half at hand begins, a multiple of a half */
	uint64_t floor; /* key from which on `some` and `more` are kept */
	uint64_t ahead; /* lines in the next half */
	uint8_t *here; /* by place, number modulo both halves: RP_OPT_LIVE and RP_OPT_DIRTY, or 0 */
	uint64_t *some, *more; /* bits: word is not 0; word of `some` is not 0 */
	uint64_t high[2];      /* words of `more` behind this one are 0, by half */
	uint64_t *far;         /* heap: key * 2 + dirty; the greatest first */
	size_t n_far, far_room;
	uint8_t *dead; /* ring, from dead_at on, n_dead of them: whether dirty */
	size_t n_dead, dead_at, dead_room; /* room: a power of two */
};

extern const struct rp_engine rp_engine_opt_sets, rp_engine_opt_full;

/* The heap of a full cache. There is room. */
void rp_opt_far_push(struct rp_opt_full *c, uint64_t entry);
uint64_t rp_opt_far_pop(struct rp_opt_full *c);

static inline uint64_t
opt_place(const struct rp_opt_full *c, uint64_t key)
{
	return key & ((UINT64_C(2) << c->bits) - 1);
}

/* Puts a line in, wanted at `key`, which is not below the floor. */
static inline void
opt_insert(struct rp_opt_full *c, uint64_t key, uint64_t dirty)
{
	uint64_t half = (key - c->base) >> c->bits;
	if (half > 1) {
		if (key >> 63)
			c->dead[(c->dead_at + c->n_dead++) & (c->dead_room - 1)] = (uint8_t)dirty;
		else
			rp_opt_far_push(c, key << 1 | dirty);
		return;
	}
	uint64_t at = opt_place(c, key), some = at >> 12, more = at >> c->fold, was = c->some[some];
	c->here[at] = (uint8_t)(RP_OPT_LIVE | dirty * RP_OPT_DIRTY);
	c->some[some] = was | UINT64_C(1) << (at >> 6 & 63);
	c->ahead += half;
	if (was) /* as good as always; whether the word was 0 is anybody's guess */
		return;
	c->more[more] |= UINT64_C(1) << (some & 63);
	uint64_t *high = &c->high[at >> c->bits];
	if (more > *high)
		*high = more;
}

#endif
