/* full.h - one set of any number of lines: buckets that never fill, and a log instead of a list.
 *
 * A line lies in a bucket of 7, chosen by a hash, and never moves, so its place is a stable name; the few that find their
 * bucket full are nodes in a chain behind it. The order of lru and fifo is a log of places, the newest last: a use appends
 * one, and takes its place out of the entry that it had. The victim is the oldest entry with a place. When the log is long
 * those are copied to its front. For random the log holds places by way, in any order.
 *
 * A key is the line without the bits that choose the bucket ("tag"), and 1 more, so bucket and key give the line back; where
 * it has more than 32 bits the key is folded, and whole lines are kept and compared too ("wide"). */
#ifndef RP_SIM_FULL_H
#define RP_SIM_FULL_H

#include "sim/engine.h"

/* Ways of a bucket; lookups to prefetch; and of a step, the longer of which the more lines leave and come back in it. */
enum { RP_BUCKET_WAYS = 7, RP_FULL_AHEAD = 12, RP_FULL_STEP = 512 };

enum { RP_FULL_LOG_FIRST = 16 }; /* words of the log before it are no entries */

#define RP_FULL_NONE UINT32_MAX /* no place; in the log, that its line has been used since */

/* A cache line. The first half is read as one vector by every lookup and written on a fill only: a store just before such
 * a load would make it wait. The second half is written by every use. */
struct rp_bucket {
	uint32_t key[RP_BUCKET_WAYS]; /* 0: the way is free */
	uint32_t chain;               /* first node, 0: none */
	/* Twice where the way stands in the log, and 1 if it is dirty; 0 of a way that is free. */
	uint32_t at[RP_BUCKET_WAYS];
	uint32_t unused;
};

struct rp_node {
	uint64_t line;
	uint32_t at, next; /* at: as in a bucket */
};

enum rp_full_order { RP_FULL_LRU, RP_FULL_FIFO, RP_FULL_RANDOM };

struct rp_full {
	struct rp_cache cache;
	enum rp_full_order order;
	uint32_t lines, count; /* that fit, that are there */
	/* Whether buckets hold lines that are not there any more too: those that have RP_FULL_GHOST in `at`. */
	bool ghosts;
	/* Called before a line is dropped. */
	void (*dropped)(struct rp_full *c, uint32_t place);
	unsigned bits; /* log2 of the buckets, 1 to 29 */
	bool wide;
	struct rp_bucket *bucket;
	void *memory;          /* that buckets lie in */
	uint64_t *line;        /* by place, if wide */
	struct rp_node *node;  /* from 1 on */
	uint32_t nodes, spare; /* nodes ever used; first that is free again, 0: none */
	/* A place is bucket * 8 + way, or node * 8 + 7. The first words are no entries, so that 0 stands for none. For random
	 * log[way] is the place + 1, or 0. */
	uint32_t *log;
	/* Next entry; entry below which none has a place. Random: ways below are taken. */
	uint32_t pos, oldest;
	struct rp_rng rng;
	/* Of the chunk at hand. */
	uint32_t home[RP_CHUNK + 64], key[RP_CHUNK + 64];
	uint32_t
	    before[RP_CHUNK + 16]; /* word `at` of each lookup's line as it was; 0: it is new */
	/* Of a step: entries that may leave, the oldest first; lookups that may miss. */
	uint32_t leaving[RP_FULL_STEP + 32], missing[RP_FULL_STEP + 16];
	size_t missed, returned; /* lookups of the chunk that did; of these, of such lines */
};

extern const struct rp_engine rp_engine_full_lru, rp_engine_full_fifo, rp_engine_full_random;

enum { RP_FULL_DIRTY = 1, RP_FULL_GHOST = 2 }; /* bits of `at` */

/* For engines that keep an order of their own (sim/queues.h): their functions, or parts of them. `known`: lines that
 * buckets hold, and `passing` more for a while. rp_full_prepare fills in c->home and c->key for a chunk, and keeps whole
 * lines from then on if it has to. RP_RESOURCE: no memory. */
bool rp_full_open(struct rp_full *c, uint32_t known, uint32_t passing, struct rp_err *err);
void rp_full_close(struct rp_full *c);
bool rp_full_prepare(struct rp_full *c, const struct rp_lookups *in, struct rp_err *err);
bool rp_full_ahead(const struct rp_full *c); /* whether buckets should be prefetched */
uint64_t rp_full_clean(struct rp_cache *c, uint64_t first, uint64_t last);
uint64_t rp_full_drop(struct rp_cache *c, uint64_t first, uint64_t last);
void rp_full_walk(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to);
bool rp_full_soil(struct rp_cache *c, uint64_t line);

/* The part of a line that its bucket does not give. */
static inline uint64_t
full_tag(const struct rp_full *c, uint64_t line)
{
	return line >> c->bits;
}

/* Never 0. */
static inline uint32_t
full_key(uint64_t tag)
{
	uint32_t key = (uint32_t)(tag + 1) ^ (uint32_t)((tag + 1) >> 32);
	return key ? key : 1;
}

/* Neighbours stay neighbours; lines a power of two apart are spread by the high bits of a product. */
static inline uint32_t
full_spread(uint32_t key, unsigned bits)
{
	return key * UINT32_C(0x9e3779b1) >> (32 - bits);
}

static inline uint32_t
full_home(uint64_t line, uint32_t key, unsigned bits)
{
	return ((uint32_t)line ^ full_spread(key, bits)) & ((UINT32_C(1) << bits) - 1);
}

/* The line at a place that is in use. */
static inline uint64_t
full_line(const struct rp_full *c, uint32_t place)
{
	uint32_t b = place >> 3, w = place & 7;
	if (w == RP_BUCKET_WAYS)
		return c->node[b].line;
	if (c->wide)
		return c->line[place];
	uint32_t key = c->bucket[b].key[w];
	return (uint64_t)(key - 1) << c->bits |
	       ((b ^ full_spread(key, c->bits)) & ((UINT32_C(1) << c->bits) - 1));
}

/* Takes what is at a place out of its bucket: whether it was dirty. The log is the caller's. */
static inline bool
full_remove(struct rp_full *c, uint32_t place)
{
	uint32_t b = place >> 3, w = place & 7;
	if (w < RP_BUCKET_WAYS) {
		uint32_t at = c->bucket[b].at[w];
		c->bucket[b].key[w] = c->bucket[b].at[w] = 0;
		return at & 1;
	}
	struct rp_node *n = &c->node[b];
	uint32_t *to =
	    &c->bucket[full_home(n->line, full_key(full_tag(c, n->line)), c->bits)].chain;
	while (*to != b)
		to = &c->node[*to].next;
	*to = n->next;
	n->next = c->spare;
	c->spare = b;
	return n->at & 1;
}

static inline uint32_t *
full_at(const struct rp_full *c, uint32_t place)
{
	uint32_t b = place >> 3, w = place & 7;
	return w < RP_BUCKET_WAYS ? &c->bucket[b].at[w] : &c->node[b].at;
}

#endif
