/* recorded.h - what scan a recorded trace is: its blocks, workers, phases, and whether they keep step.
 *
 * Every stream is a worker, in the order in which they come up. A worker goes from the first address to the last in equal
 * steps, over and over, from anywhere. A step is a line, the size of a block, or several make one that a worker takes in one
 * turn. The scan is static if workers take turns in one order, a block each; else it is a history. */
#ifndef RP_VALIDATE_RECORDED_H
#define RP_VALIDATE_RECORDED_H

#include "base/err.h"
#include "traces/source.h"

#include <stdbool.h>
#include <stdint.h>

struct rp_recorded {
	uint64_t base, step; /* address of the first block; bytes from one line to the next */
	uint64_t lines;      /* of a block */
	uint64_t blocks;     /* N */
	bool wraps;          /* a worker was seen to begin anew; else there may be more blocks */
	uint32_t workers;    /* M */
	uint32_t *stream;    /* M: each worker's stream */
	uint64_t *phase;     /* M: the block it begins at */
	uint64_t requests;   /* of whole blocks */
	bool is_static;
	uint64_t rounds;  /* whole ones, if it is static */
	uint32_t *worker; /* of each request, if it is not; else NULL */
};

/* Pulls all of the source. `block`: bytes of a block; 0: a turn's. RP_INPUT: the access that is no scan's, with its number;
 * RP_RESOURCE: a history of too many requests to keep. */
bool rp_recorded_read(
    struct rp_recorded *r, struct rp_source *s, uint64_t block, struct rp_err *err);
void rp_recorded_free(struct rp_recorded *r); /* what it holds, not itself */

#endif
