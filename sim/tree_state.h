/* tree_state.h - a hierarchy while it runs: what sim/tree.c (streams, counting), sim/tree_marks.c, sim/tree_results.c,
 * sim/tree_flow.c (a batch at a time) and sim/tree_single.c (an access at a time) share. */
#ifndef RP_SIM_TREE_STATE_H
#define RP_SIM_TREE_STATE_H

#include "sim/module.h"
#include "sim/observe/ranking.h"
#include "sim/slices.h"
#include "sim/streams.h"
#include "sim/tally.h"
#include "sim/tree.h"

#include "base/map.h"

/* Numbers, as many as there is room for. */
struct tree_numbers {
	uint32_t *at;
	size_t room;
};

/* Rows on their way, each with the row of the trace's batch that caused it. */
struct feed {
	struct rp_batch *rows;
	uint32_t *origin; /* by row */
	uint32_t *key;    /* by row: a number to sort by (tree_flow.c) */
	size_t cap;
};

/* A cache: a slice of an instance. */
struct unit {
	struct rp_module *module;
	struct rp_tally tally;
	struct rp_counters total;
	uint64_t most; /* mshr_occupancy_max of closed intervals; the total has the open one's */
	uint32_t slice;
};

struct instance {
	uint32_t number;
	size_t level;
	struct unit *unit; /* the slices */
	bool linked;
	uint32_t slot;           /* the first of its streams; good if linked */
	struct instance *below;  /* NULL: memory; good if linked */
	struct instance **above; /* those that send to it */
	size_t n_above;
};

/* A lookup, in columns that the loops may read past. */
struct single {
	struct rp_lookups look;
	uint64_t line[64];
	uint32_t row[64], bytes[64];
	uint8_t kind[64], store[64], dirty[64];
};

struct level {
	const struct rp_level_spec *spec;
	unsigned
	    line_bits; /* of a level with sectors: of those, which are its lines to all that is here */
	struct rp_slices slices;
	bool wants_bytes; /* writes may pass it */
	struct rp_expand *expand;
	struct rp_coherence *coherence; /* what keeps its caches coherent; NULL: nothing */
	struct instance **instance;
	size_t instances;
	struct rp_map index; /* of an instance's number: its place in `instance` + 1 */
	/* By a stream's number. */
	uint32_t *of;                 /* place of its instance + 1, 0: it passes the level by */
	int *below;                   /* the next level, or RP_MEMORY */
	struct rp_counters *stream;   /* by_stream only */
	struct rp_counters *snapshot; /* by interval: the level's counters at its end */
	struct rp_ranking *ranking;   /* NULL: not asked for */
	/* Of the batch at hand, in tree_flow.c. */
	struct tree_numbers enter; /* rows of the trace that enter here */
	size_t entering;
	struct feed arrived, sorted;
	size_t seen;      /* rows of `arrived` that are in a run counted by: */
	unsigned sources; /* that `arrived` has runs of, each in order */
	/* Of the access at hand, in tree_single.c. */
	struct rp_batch *one; /* a row */
	struct single single; /* its lookup, if it is one */
	struct rp_requests asks;
};

struct rp_tree {
	const struct rp_tree_spec *spec;
	struct rp_tree_opts o;
	struct level *level;
	size_t levels;
	size_t *order;    /* levels, those above before those below */
	unsigned columns; /* of batches; known from the first one on */
	bool started;
	bool one_by_one;
	bool no_groups; /* every stream comes by every level on its way */
	int only;       /* the level where everything enters, or RP_MEMORY: it depends */
	struct rp_streams *streams;
	size_t slots, slot_room; /* streams known to the levels */
	int *entry;              /* by stream's number and kind: the level where it enters */
	struct rp_memory memory;
	uint64_t entered;         /* lookups that entered at a level with others above it */
	uint64_t *entered_stream; /* by stream's number */
	uint64_t began;           /* accesses, warm-up included */
	size_t intervals, interval_room;
	size_t rows_most;    /* that are done at once */
	unsigned least_bits; /* log2 of the shortest line */
	bool count;          /* what is at hand is counted */
	bool ended;
	bool warmed;          /* end_warmup was */
	const uint32_t *slot; /* of the batch at hand, by row */
	struct rp_requests asks;
	struct rp_batch *row; /* of one row: an access to be clipped */
	struct rp_result result;
	uint64_t *
	    ranked; /* by lookup of a slice: the line, and behind all of them the victim, in its level */
	struct tree_numbers scratch, ends, by_row, cause; /* tree_flow.c's */
	uint32_t *listed;                                 /* what rp_tree_cache gives */
};

static inline size_t
tree_units(const struct level *l)
{
	return l->instances * l->slices.n;
}

/* The k-th cache of a level. */
static inline struct unit *
tree_unit(const struct level *l, size_t k)
{
	return &l->instance[k / l->slices.n]->unit[k % l->slices.n];
}

/* The part of a row from byte `first` to `last`, in which it has some. */
struct rp_access tree_clip(const struct rp_batch *b, size_t row, uint64_t first, uint64_t last);

/* Whether a row touches a line, whole, that lies in it: not so if its mask says otherwise. */
bool tree_touches(const struct level *l, const struct rp_batch *b, size_t row, uint64_t line);

/* Bytes that an access touches. */
uint64_t tree_bytes(const struct rp_access *a);

/* The access that request k of `asks` is for the level below; it was caused by its row of `rows`. */
struct rp_access tree_request(const struct level *l, const struct unit *u,
    const struct rp_requests *asks, size_t k, const struct rp_batch *rows);

/* Where an access enters that is not left to a level above, by stream and kind; of one that bypasses L1, the level below
 * the first. */
static inline int
tree_entry(const struct rp_tree *t, const struct rp_batch *b, size_t row, uint32_t slot)
{
	int level = t->entry[(size_t)slot * RP_KINDS + b->kind[row]];
	if (b->flags && (b->flags[row] & RP_BYPASS_L1) && !t->o.keep_bypassed &&
	    level != RP_MEMORY && t->level[level].spec->depth == 1)
		return t->level[level].below[slot];
	return level;
}

/* Counts an access that comes to memory; an atomic is both read and write. */
static inline void
tree_remember(struct rp_tree *t, const struct rp_access *a)
{
	bool write = a->kind == RP_WRITE || a->kind == RP_ATOMIC, read = a->kind != RP_WRITE;
	uint64_t bytes = tree_bytes(a);
	if (t->o.told)
		t->o.told(t->o.told_to, a);
	if (!t->count)
		return;
	t->memory.reads += read;
	t->memory.writes += write;
	t->memory.bytes_read += read ? bytes : 0;
	t->memory.bytes_written += write ? bytes : 0;
}

/* Counts the lookups that an access makes which enters at a level below the top. */
bool tree_count_entering(struct rp_tree *t, struct level *l, const struct rp_access *a,
    uint32_t slot, struct rp_err *err);

/* Adds a chunk to the ranking of a level, where lines have the numbers that they have in the level. RP_RESOURCE: no memory.
 */
bool tree_rank(struct rp_tree *t, struct level *l, const struct unit *u,
    const struct rp_lookups *in, const struct rp_result *r, struct rp_err *err);

/* Adds a chunk to the counters of a unit, and of the streams: slot[r] is the stream's number of row r. */
static inline bool
tree_tally(struct rp_tree *t, struct level *l, struct unit *u, const struct rp_lookups *in,
    const struct rp_result *r, const uint32_t *slot, struct rp_err *err)
{
	if (!t->count)
		return true;
	rp_tally_chunk(&u->tally, in, r, &u->total);
	if (l->stream)
		rp_tally_streams(&u->tally, in, r, slot, l->stream);
	return !l->ranking || tree_rank(t, l, u, in, r, err);
}

/* Rows [from, to) of the batch, none of them a mark, through all levels. */
bool tree_flow(
    struct rp_tree *t, const struct rp_batch *b, size_t from, size_t to, struct rp_err *err);
void tree_flow_free(struct level *l);

/* One row of the batch, likewise; of any size. */
bool tree_single(struct rp_tree *t, const struct rp_batch *b, size_t row, struct rp_err *err);

/* Row `row` of the batch, a mark, level by level from the top, so that what is dirty goes all the way. */
bool tree_mark(struct rp_tree *t, const struct rp_batch *b, size_t row, struct rp_err *err);

/* Writes back all that is dirty, level by level from the top. */
bool tree_flush(struct rp_tree *t, struct rp_err *err);

/* Counters of a level, summed: since the last interval's end was marked, as to occupancy, or `ever`. */
struct rp_counters tree_sum(const struct rp_tree *t, size_t level, bool ever);

/* Lookups that entered the tree. */
uint64_t tree_entered(const struct rp_tree *t);

/* Puts a line of a copy from the host into an instance, without a lookup being counted. */
bool tree_warm(struct rp_tree *t, struct instance *in, uint64_t line, struct rp_err *err);

/* The unit of an instance that has a line, and in *local its number there. */
static inline struct unit *
tree_slice(const struct level *l, const struct instance *in, uint64_t line, uint64_t *local)
{
	*local = line;
	return &in->unit[l->slices.n > 1 ? rp_slice_of(&l->slices, line, local) : 0];
}

static inline uint64_t
tree_line(const struct level *l, const struct unit *u, uint64_t local)
{
	return l->slices.n > 1 ? rp_slice_line(&l->slices, u->slice, local) : local;
}

#endif
