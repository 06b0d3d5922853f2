/* recency.h - when each line was used last, and how many of the lines used since then share a set with it.
 *
 * Lines are dealt to 64 rooms by their low six bits. In its room a line has a slot, later ones later, which keeps the next four
 * bits and the time of its last use; a reuse frees a slot and takes the next one, and when a room's slots are used up the
 * living are packed to its front. Lines used since a time are those in the living slots behind it, and those of the rooms that
 * agree with a line in 2 to 6 bits are the lines of its set of 4 to 64 sets; of its own room those that agree in more bits make
 * up its set of more sets. So counting looks at single slots of one room only, and at bits of sixteen. */
#ifndef RP_LEARN_RECENCY_H
#define RP_LEARN_RECENCY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets are counted for 2^2 to 2^10 at once. */
enum { RP_SETS_FIRST = 2, RP_SETS_LAST = 10, RP_SETS = RP_SETS_LAST - RP_SETS_FIRST + 1 };
enum { RP_ROOM_BITS = 6, RP_ROOMS = 1 << RP_ROOM_BITS };

/* Slots 1 .. next - 1 have been taken. */
struct rp_room {
	uint32_t slots, next, lines; /* there are; the next one; living */
	uint8_t *low;                /* bits 6 to 9 of the line; the highest: nobody is there */
	uint64_t *live;              /* the same as bits */
	uint64_t *time;              /* of use; ascending */
	uint32_t *place;             /* in the table */
};

struct rp_recency {
	uint64_t now; /* uses so far */
	/* private to recency.c */
	struct rp_seen_line {
		uint64_t line;
		uint32_t slot; /* in its room; 0: free */
	} * table;
	uint64_t cap, lines;
	struct rp_room room[RP_ROOMS];
};

/* Starts as zeroes; rp_recency_close also after a failure. RP_RESOURCE. */
bool rp_recency_open(struct rp_recency *r, struct rp_err *err);
void rp_recency_close(struct rp_recency *r);
void rp_recency_forget(struct rp_recency *r); /* all lines; keeps its memory, and `now` goes on */

/* Room for the uses of these lines: before them. RP_RESOURCE: no memory, or 2^30 lines. */
bool rp_recency_room(struct rp_recency *r, const uint64_t *line, size_t n, struct rp_err *err);

/* Fetches what a use of a line will need. */
void rp_recency_prefetch(const struct rp_recency *r, uint64_t line);

/* A line is used: the accesses since its last use, this one counted too (1: it was used just before); 0: it is its first.
 * count, if not NULL, becomes for 2^2, 2^3 ... 2^10 sets how many different lines used in between are in the same set, line
 * modulo sets. */
uint64_t rp_recency_use(struct rp_recency *r, uint64_t line, uint32_t count[RP_SETS]);

#endif
