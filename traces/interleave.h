/* interleave.h - one order from many streams.
 *
 * `recorded` keeps the order of the trace (several traces: one after the other). The others take the streams apart first;
 * what does not fit in memory goes to an unlinked temporary file. Marks are barriers: no access crosses one. The order
 * depends only on the inputs, the mode and the seed. */
#ifndef RP_TRACES_INTERLEAVE_H
#define RP_TRACES_INTERLEAVE_H

#include "traces/source.h"

enum rp_order { RP_RECORDED, RP_TIME, RP_ROUND_ROBIN, RP_RANDOM, RP_RATE };

struct rp_interleave {
	enum rp_order order;
	uint64_t quantum;    /* accesses a turn of round robin, at least 1 */
	uint64_t seed;
	double *rates;       /* of stream 0, 1, ...; a stream beyond them has the last one's rate */
	size_t n_rates;
	uint64_t memory;     /* bytes before it spills; 0: 64 MiB */
};

/* Parses `recorded`, `time`, `rr[:QUANTUM]`, `random`, `rate:R1,R2,...`. Gives rates (free). */
bool rp_interleave_parse(const char *text, struct rp_interleave *out, struct rp_err *err);

/* Joins n sources (taken, also on failure) into one. With several, streams are renumbered to be distinct: source k's
 * stream s becomes s + (sum over the sources before of their streams, where a source without a stream column has 1 and
 * one with it has its greatest number seen + 1), decided as they are read; n = 1 keeps the numbers. Columns are the union
 * of the sources'. RP_INPUT from pull: a time that falls within a stream under `time`, or a trace without times. */
struct rp_source *rp_interleave_open(struct rp_source **sources, size_t n, const struct rp_interleave *how,
    struct rp_err *err);

#endif
