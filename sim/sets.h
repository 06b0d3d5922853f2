/* sets.h - sets of up to 64 ways, each a few vectors of keys.
 *
 * A key is 1 + the line without its set: line / sets; 0 is an empty way. Keys have 32 bits until a line comes that needs
 * more, then all are widened to 64. For lru and fifo the ways are in order, the next victim last and empty ones behind, and
 * the dirty bits in the same order: a hit and a miss are the same step, "rotate ways 0..k by one", without a branch. For
 * random, and for what is beside them in sim/words.h, they stay where they were filled. */
#ifndef RP_SIM_SETS_H
#define RP_SIM_SETS_H

#include "sim/engine.h"

enum rp_sets_order { RP_SETS_LRU, RP_SETS_FIFO, RP_SETS_PLACED };
enum { RP_SETS_WAYS = 64, RP_AHEAD = 16 /* lookups to prefetch */ };

struct rp_sets {
	struct rp_cache cache;
	enum rp_sets_order order;
	bool wide;            /* keys of 64 bits */
	unsigned ways, lanes; /* lanes: ways rounded up to whole vectors */
	uint32_t sets;
	/* line / sets and line mod sets: by shift, or by a multiplication (see sets_prepare). */
	bool power;
	unsigned shift;
	uint64_t magic;
	unsigned char *keys; /* [sets][lanes] */
	uint64_t *dirty;     /* bits by way; of up to 16 ways they are uint16_t */
	uint8_t *
	    taken; /* ways in use, of each set; NULL: nobody asks. Of PLACED only, owned by who asks */
	/* Called before a way of a set is dropped; NULL: nobody asks. */
	void (*dropped)(struct rp_sets *c, uint32_t s, unsigned way);
	void *memory;      /* that keys lie in */
	unsigned mru_rest; /* chunks to go without looking at the first way first */
	struct rp_rng rng;
	/* Of the chunk at hand. */
	uint32_t set[RP_CHUNK + 64];
	uint64_t key[RP_CHUNK + 64];
};

/* What divides a line by `sets`, no power of two, by a multiplication: the factor, and *shift. */
uint64_t rp_sets_division(uint32_t sets, unsigned *shift);

/* For engines that keep more beside such sets (sim/words.h): their functions, or parts of them. */
bool rp_sets_fits(const struct rp_cache_spec *s);
bool rp_sets_open(struct rp_cache *c, enum rp_sets_order order, struct rp_err *err);
void rp_sets_close(struct rp_cache *c);
uint64_t rp_sets_clean(struct rp_cache *c, uint64_t first, uint64_t last);
uint64_t rp_sets_drop(struct rp_cache *c, uint64_t first, uint64_t last);
void rp_sets_walk(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to);
bool rp_sets_soil(struct rp_cache *c, uint64_t line);

/* Fills in c->set and c->key for a chunk, and widens the keys if they have to be. RP_RESOURCE: no memory for that. */
bool rp_sets_prepare(struct rp_sets *c, const struct rp_lookups *in, struct rp_err *err);

/* Loops tell victims as if a set had neighbouring lines, by hash key - 1 and the set together: makes n of them lines. */
void rp_sets_victims(const struct rp_sets *c, size_t n, uint64_t *victim);

/* Whether the keys are so many that a loop should prefetch them. */
bool rp_sets_ahead(const struct rp_sets *c);

extern const struct rp_engine rp_engine_sets_lru, rp_engine_sets_fifo, rp_engine_sets_random;

#endif
