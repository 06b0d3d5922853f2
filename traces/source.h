/* source.h - anything that fills batches: a file's reader, a generator, a filter around another source. */
#ifndef RP_TRACES_SOURCE_H
#define RP_TRACES_SOURCE_H

#include "traces/batch.h"
#include "traces/trace.h"

#include <stddef.h>

/* First member of every kind of source. */
struct rp_source {
	/* Appends rows until *out is full or the trace ends: how many (marks count as rows), 0 at the end, -1 on error. It
	 * may return with room left (a live pipe). out's columns must include the trace's, or those are lost. After an
	 * error or the end the source may only be closed. */
	ptrdiff_t (*pull)(struct rp_source *s, struct rp_batch *out, struct rp_err *err);
	void (*close)(struct rp_source *s);
	/* Borrowed from the source until it is closed; skipped, warnings and kernels grow while pulling. A filter shares
	 * its inner source's. */
	struct rp_trace *trace;
};

static inline ptrdiff_t
rp_source_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	return s->pull(s, out, err);
}

static inline void
rp_source_close(struct rp_source *s) /* accepts NULL */
{
	if (s)
		s->close(s);
}

#endif
