/* tree.h - batches through a hierarchy of caches.
 *
 * Accesses enter at the top and what a level sends down (sim/requests.h) goes to the level below, in the order of the
 * trace; what leaves the last goes to memory, which only counts. Where every level is neither inclusive nor exclusive
 * nothing flows up, and a level has its turn for a batch at a time; else it is done access by access. */
#ifndef RP_SIM_TREE_H
#define RP_SIM_TREE_H

#include "sim/counters.h"
#include "sim/observe/top.h"
#include "sim/tree_spec.h"

#include "traces/batch.h"

/* All zeroes are the defaults. */
struct rp_tree_opts {
	/* At levels with none above, an access that crosses lines counts as one lookup and at most one miss. */
	bool once;
	bool by_stream;               /* counters by stream too */
	bool flush;                   /* at the end, what is dirty goes down to memory */
	bool keep_bypassed;           /* GPU accesses that bypass L1 do not */
	uint64_t warmup;              /* accesses that are replayed first and not counted */
	uint64_t interval;            /* counters for every so many counted accesses; 0: none */
	uint32_t top;                 /* tables of so many keys that miss most; 0: none */
	enum rp_top_by by;            /* which keys */
	const struct rp_trace *trace; /* borrowed: what it knows of kernels; NULL: nothing */
	enum rp_level level;          /* for tests: which of the loops, that all give the same */
	bool single; /* for tests: access by access, also where batches are exact */
	/* For tests: told of every access that comes to memory, in order. NULL: nobody is. */
	void (*told)(void *to, const struct rp_access *a);
	void *told_to;
};

struct rp_coherence;
struct rp_trace;
struct rp_tree;

/* Gives (rp_tree_free). The spec is borrowed until then. Caches are made when a stream that they serve comes up. */
struct rp_tree *rp_tree_new(
    const struct rp_tree_spec *s, const struct rp_tree_opts *o, struct rp_err *err);
void rp_tree_free(struct rp_tree *t); /* accepts NULL */

/* Replays the rows of a batch. RP_FAILED: a law of the counters does not hold, which is our mistake. RP_RESOURCE: no
 * memory. RP_INPUT: streams that share a cache do not share one below (only found for groups of streams). */
bool rp_tree_run(struct rp_tree *t, const struct rp_batch *b, struct rp_err *err);

/* At the end of the trace: flushes if asked, closes the last interval, checks every law. */
bool rp_tree_end(struct rp_tree *t, struct rp_err *err);

/* What came to memory. */
struct rp_memory {
	uint64_t reads, writes;             /* requests */
	uint64_t bytes_read, bytes_written; /* bytes of them */
};

/* A cache of a level: a slice of an instance. */
struct rp_tree_cache {
	uint32_t instance, slice;
	const uint32_t *
	    streams; /* that the instance serves, ascending; borrowed until the next call for a cache */
	size_t n_streams;
};

/* Results, good at any time. Counters of a level are the sums of its caches'; `entered` is the tree's. */
const struct rp_tree_spec *rp_tree_spec(const struct rp_tree *t);
void rp_tree_counters(const struct rp_tree *t, size_t level, struct rp_counters *out);
void rp_tree_memory(const struct rp_tree *t, struct rp_memory *out);
size_t rp_tree_caches(const struct rp_tree *t, size_t level);
/* The k-th cache, in ascending order of instance and slice. RP_RESOURCE: no memory. */
bool rp_tree_cache(struct rp_tree *t, size_t level, size_t k, struct rp_tree_cache *what,
    struct rp_counters *out, struct rp_err *err);
size_t rp_tree_intervals(const struct rp_tree *t);
void rp_tree_interval(
    const struct rp_tree *t, size_t level, size_t interval, struct rp_counters *out);
/* Streams seen, ascending, and counters of the k-th. 0 without by_stream. */
size_t rp_tree_streams(const struct rp_tree *t);
uint32_t rp_tree_stream(const struct rp_tree *t, size_t k);
void rp_tree_stream_counters(
    const struct rp_tree *t, size_t level, size_t k, struct rp_counters *out);
/* The keys that missed most in the caches of a level together (sim/observe/top.h) and how many they are, at most opts.top,
 * for which `rows` has room; of one interval; and how many keys there are. */
size_t rp_tree_top(const struct rp_tree *t, size_t level, struct rp_top_row *rows);
size_t rp_tree_interval_top(
    const struct rp_tree *t, size_t level, size_t interval, struct rp_top_row *rows);
uint64_t rp_tree_top_keys(const struct rp_tree *t, size_t level);
uint64_t rp_tree_accesses(const struct rp_tree *t); /* replayed, warm-up included */

/* What keeps the caches of a level coherent, with its own counters and report; NULL: nothing does. The tree's. */
struct rp_coherence *rp_tree_coherence(const struct rp_tree *t, size_t level);

/* Groups of counters that apply to a level (enum rp_counter_group). */
unsigned rp_tree_counts(const struct rp_tree *t, size_t level);

/* The lines that are in the caches of a level now, by the address of their first byte, in any order. */
void rp_tree_walk(struct rp_tree *t, size_t level,
    void (*f)(void *to, uint32_t instance, uint64_t address, bool dirty), void *to);

#endif
