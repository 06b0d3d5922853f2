/* interleave.h - one order from many streams.
 *
 * `recorded` keeps the order of the trace (several traces: one after the other). The others take the streams apart first;
 * what does not fit in memory goes to an unlinked temporary file, and a warning says so. A source without a stream column
 * is one stream and is read as it goes, so it may be endless. The order depends only on the inputs, the mode and the seed:
 *
 * - time: the earliest access next; of equal times that of the earlier source, then the one recorded first.
 * - rr: each stream QUANTUM accesses (1) in turn, in the order of their numbers, passing by those that are empty.
 * - random: each time one of the streams that are not empty, all alike.
 * - rate: the k-th access of a stream (from 1) is due at k / R, R its rate; the earliest next, then the lower stream.
 *
 * Marks are barriers: no access crosses one. Of several sources, all go up to their next marks, then come the marks of
 * each, source by source, and so on; turns, and k, begin anew. The rows of one instruction (RP_SAME_INSTR) stay together,
 * under the time of the first: a turn that ends within an instruction takes the rest of it too. */
#ifndef RP_TRACES_INTERLEAVE_H
#define RP_TRACES_INTERLEAVE_H

#include "traces/source.h"

#include <signal.h>

enum rp_order { RP_RECORDED, RP_TIME, RP_ROUND_ROBIN, RP_RANDOM, RP_RATE };

struct rp_interleave {
	enum rp_order order;
	uint64_t quantum; /* accesses a turn of round robin, at least 1 */
	uint64_t seed;
	double *rates; /* of stream 0, 1, ...; a stream beyond them has the last one's rate */
	size_t n_rates;
	uint64_t memory; /* bytes before it spills; 0: 64 MiB */
	/* Once *stop, the trace ends with what was pulled before; NULL: never. Not for recorded order. */
	const volatile sig_atomic_t *stop;
};

/* Parses `recorded`, `time`, `rr[:QUANTUM]`, `random`, `rate:R1,R2,...`. Gives rates (free). */
bool rp_interleave_parse(const char *text, struct rp_interleave *out, struct rp_err *err);

/* Joins n sources (taken, also on failure) into one. With several, streams are renumbered to be distinct: source k's
 * stream s becomes s + (sum over the sources before of their streams, where a source without a stream column has 1 and
 * one with it has its greatest number seen + 1; streams that come up behind a mark and are greater than those before it
 * get numbers behind all others); n = 1 keeps the numbers. Kernels are renumbered in the order they become known. Columns
 * are the union of the sources'. RP_USAGE: an endless source whose streams would have to be taken apart.
 * RP_INPUT: under `time`, a trace without times, and from pull a time that falls within a
 * stream (between marks). */
struct rp_source *rp_interleave_open(
    struct rp_source **sources, size_t n, const struct rp_interleave *how, struct rp_err *err);

#endif
