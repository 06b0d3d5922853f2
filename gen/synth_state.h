/* synth_state.h - what a source of synthesised traces keeps; private to gen/synth*. */
#ifndef RP_GEN_SYNTH_STATE_H
#define RP_GEN_SYNTH_STATE_H

#include "gen/stack.h"
#include "gen/synth.h"

/* A line in the stack: its number, which kinds of access it gets, and which comes next if it gets both. */
enum { RP_LINE_BITS = 61 };
enum rp_line_kind { RP_LINE_READ, RP_LINE_WRITE, RP_LINE_BOTH };
#define RP_LINE_NUMBER  ((UINT64_C(1) << RP_LINE_BITS) - 1)
#define RP_LINE_WRITTEN (UINT64_C(1) << 63)

/* Lines that streams share, or one has for itself. */
struct rp_heap {
	struct rp_stack stack;
	struct rp_layout layout;
	uint64_t base;           /* line of memory that the layout begins at */
	uint64_t prewarm, lines; /* touched first; in all */
	uint64_t warm;           /* of prewarm, still to be touched */
	uint32_t top, stream;    /* deepest distance of any member, and 1; who touches them first */
};

/* Draws that are known before they are due. */
enum { RP_DRAWN_AHEAD = 8 };

/* A stream. */
struct rp_member {
	struct rp_heap *heap;
	struct rp_xoshiro order;
	uint64_t drawn[RP_DRAWN_AHEAD]; /* the next words of `order`, a ring */
	unsigned next;
	struct rp_ranks budget; /* accesses left, by distance */
	uint64_t cold, left;    /* first accesses left; accesses left */
	uint64_t feasible;      /* left at distances that the stack can serve */
	size_t depth, seen;     /* deepest distance, and 1; up to where `feasible` has looked */
	struct rp_counts requested, counts; /* asked for, and feasible */
	uint64_t moved;                     /* made cold to be feasible */
	double weight;
	json_t *about;
	uint32_t id;
};

struct rp_synth {
	struct rp_source source;
	struct rp_member *member;
	struct rp_heap *heap;
	size_t members, heaps;
	size_t warming; /* the heap whose preamble is under way */
	enum rp_turns turns;
	struct rp_xoshiro mix, kind, place;
	size_t turn; /* whose it is */
	uint64_t burst, burst_left;
	uint64_t write_below;               /* of 2^32 */
	uint64_t class_below[2], class_key; /* of 2^64: read, read or written; 0, 0: no classes */
	bool classes, scattered;
	uint32_t line_bits, size, offset, places;
	uint64_t base;
};

/* The source's functions. */
ptrdiff_t rp_synth_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err);
void rp_synth_close(struct rp_source *source);
json_t *rp_synth_report(const void *reporter, bool whole);

#endif
