/* window.h - a part of a trace: by stream, kind and space; then skip and limit. Each is a source around another. */
#ifndef RP_TRACES_WINDOW_H
#define RP_TRACES_WINDOW_H

#include "traces/source.h"

#include <signal.h>

/* All zeroes: the whole trace. */
struct rp_window {
	unsigned kinds;   /* bit 1 << enum rp_kind; 0: all */
	unsigned spaces;  /* bit 1 << enum rp_space; 0: all. Rows without a space always pass */
	bool no_bypassed; /* leave out rows that bypass L1 */
	const uint64_t *streams; /* only these (any order); n_streams 0: all */
	size_t n_streams;
	uint64_t skip;                     /* then leave out so many accesses */
	uint64_t limit;                    /* and end after so many; 0: no limit */
	bool has_limit;                    /* limit counts, even when 0 */
	const volatile sig_atomic_t *stop; /* once *stop, no more is read; NULL: never */
};

/* What is selected out is counted in the trace's skipped ("kind", "space", "bypass_l1", "stream"; not skip and limit, which the user
 * asked for by number). Marks always pass within the window; those among the skipped ones pass too, so that state that
 * they set up is right. Takes `in`, also on failure. Returns `in` itself when there is nothing to do. */
struct rp_source *rp_window_open(
    struct rp_source *in, const struct rp_window *w, struct rp_err *err);

#endif
