/* replay.h - batches through several caches in one pass, with warm-up, intervals and counters by stream. */
#ifndef RP_SIM_REPLAY_H
#define RP_SIM_REPLAY_H

#include "sim/cache.h"
#include "sim/counters.h"
#include "sim/observe/top.h"

#include "traces/batch.h"
#include "traces/trace.h"

#include <signal.h>

/* All zeroes are the defaults. */
struct rp_replay_opts {
	bool
	    once; /* --crossing once: one count and at most one miss for an access that crosses lines */
	bool by_stream; /* counters by stream too */
	bool flush;     /* at the end, write back what is dirty */
	bool
	    keep_bypassed; /* replay GPU accesses that bypass L1, instead of counting them as skipped */
	uint64_t warmup;     /* accesses that are replayed first and not counted: exactly so many */
	uint64_t interval;   /* counters for every so many counted accesses; 0: none */
	uint32_t top;        /* tables of so many keys that miss most; 0: none */
	enum rp_top_by by;   /* which keys */
	enum rp_level level; /* for tests: which of the loops, that all give the same */
	const volatile sig_atomic_t
	    *stop; /* rp_replay_more ends early when this is not 0; NULL: never */
	const struct rp_trace *trace; /* borrowed: what is known of kernels; NULL: nothing */
};

struct rp_replay;

/* Gives (rp_replay_free). The specs are borrowed until then. RP_RESOURCE: no memory for a cache of that size. */
struct rp_replay *rp_replay_new(const struct rp_cache_spec *specs, size_t n,
    const struct rp_replay_opts *o, struct rp_err *err);
void rp_replay_free(struct rp_replay *r);

/* Replays the rows of a batch through all caches. RP_FAILED: an identity of the counters does not hold, which is our
 * mistake. RP_RESOURCE: no memory for a new stream's or interval's counters.
 *
 * If a policy wants the future (opt), rows are only kept, in a temporary file, and looked at; they are replayed when the
 * trace has ended, by rp_replay_more or else by rp_replay_end. RP_RESOURCE then: no temporary file, or the disk is full. */
bool rp_replay_run(struct rp_replay *r, const struct rp_batch *b, struct rp_err *err);

/* The trace has ended: does some of what is left to do, which is nothing if no policy wants the future. 1: call again; 0:
 * nothing is left, or opts.stop says so; -1: failed. RP_STOPPED: stopped before there is any result. */
int rp_replay_more(struct rp_replay *r, struct rp_err *err);

/* Bytes that went to temporary files. */
uint64_t rp_replay_spilled(const struct rp_replay *r);

/* Crossing: an access that lies in several lines looks all of them up, in order. `once` counts that as one lookup, and as
 * one miss if any line missed, as Cachegrind does (cg_sim.c); lines brought in and replaced are counted as they are, so
 * there may be more fills than misses. Without it each line is a lookup, and a miss of its own. */

/* At the end of the trace: does what rp_replay_more left, flushes if asked, closes the last interval (unless empty), checks every law, and that the
 * streams sum to the total. The flush belongs to no stream: it is in the total and the last interval only. */
bool rp_replay_end(struct rp_replay *r, struct rp_err *err);

/* Results; caches are numbered as the specs. Borrowed until free; whole after rp_replay_end, and good at any time. */
void rp_replay_counters(
    const struct rp_replay *r, size_t cache, struct rp_counters *out); /* after warm-up */
size_t rp_replay_intervals(const struct rp_replay *r);
void rp_replay_interval(
    const struct rp_replay *r, size_t cache, size_t interval, struct rp_counters *out);
/* Streams seen, in ascending order; and counters of the k-th. 0 without by_stream. */
size_t rp_replay_streams(const struct rp_replay *r);
uint32_t rp_replay_stream(const struct rp_replay *r, size_t k);
void rp_replay_stream_counters(
    const struct rp_replay *r, size_t cache, size_t k, struct rp_counters *out);
/* The keys that missed most (sim/observe/top.h) and how many they are, at most opts.top, for which `rows` has room; of one
 * interval; and how many distinct keys there are. */
size_t rp_replay_top(const struct rp_replay *r, size_t cache, struct rp_top_row *rows);
size_t rp_replay_interval_top(
    const struct rp_replay *r, size_t cache, size_t interval, struct rp_top_row *rows);
uint64_t rp_replay_top_keys(const struct rp_replay *r, size_t cache);
uint64_t rp_replay_accesses(
    const struct rp_replay *r); /* replayed, warm-up included, bypassed left out */
uint64_t rp_replay_bypassed(const struct rp_replay *r); /* left out because they bypass L1 */
bool rp_replay_never_replaced(
    const struct rp_replay *r, size_t cache); /* no line was ever replaced, warm-up included */

#endif
