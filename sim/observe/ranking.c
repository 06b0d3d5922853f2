/* ranking.c - see ranking.h. */
#include "config.h"

#include "sim/observe/ranking.h"

#include "base/mem.h"
#include "sim/cache.h"
#include "sim/gpu/cache.h"

#include <stdlib.h>
#include <string.h>

/* The best of an interval. */
struct part {
	struct rp_top_row *rows;
	size_t n;
};

struct rp_ranking {
	size_t n;
	struct rp_top *whole;
	struct rp_top
	    *recent;       /* of the interval at hand, not in `whole` yet; NULL: there are none */
	struct part *part; /* of intervals that ended */
	size_t parts, room;
};

struct rp_ranking *
rp_ranking_new(const struct rp_cache_spec *s, enum rp_top_by by, bool once, size_t n,
    bool intervals, struct rp_err *err)
{
	const struct rp_top_opts o = { .by = by,
		.once = once,
		.classes = s->classify,
		.shift = s->gpu ? (unsigned)__builtin_ctz(s->gpu->string.line / s->line)
		                : rp_cache_spec_shift(s) };
	struct rp_ranking *r = rp_mem_array(1, sizeof *r, err);
	if (!r)
		return NULL;
	r->n = n;
	if ((r->whole = rp_top_new(&o, err)) && (!intervals || (r->recent = rp_top_new(&o, err))))
		return r;
	rp_ranking_free(r);
	return NULL;
}

void
rp_ranking_free(struct rp_ranking *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->parts; i++)
		free(r->part[i].rows);
	free(r->part);
	rp_top_free(r->whole);
	rp_top_free(r->recent);
	free(r);
}

bool
rp_ranking_chunk(struct rp_ranking *r, const struct rp_lookups *in, const uint8_t *outcome,
    const uint8_t *class, const uint64_t *victim, struct rp_err *err)
{
	return rp_top_chunk(r->recent ? r->recent : r->whole, in, outcome, class, victim, err);
}

bool
rp_ranking_close(struct rp_ranking *r, struct rp_err *err)
{
	if (!r->recent)
		return true;
	if (r->parts == r->room) {
		size_t room = r->room ? 2 * r->room : 16;
		struct part *grown = rp_mem_grow(r->part, room, sizeof *grown, err);
		if (!grown)
			return false;
		r->part = grown;
		r->room = room;
	}
	size_t keys = rp_top_keys(r->recent);
	struct part *p = &r->part[r->parts];
	if (!(p->rows = rp_mem_array(keys < r->n ? keys : r->n, sizeof *p->rows, err)))
		return false;
	p->n = rp_top_best(r->recent, r->n, p->rows);
	r->parts++;
	return rp_top_move(r->whole, r->recent, err);
}

size_t
rp_ranking_best(const struct rp_ranking *r, struct rp_top_row *rows)
{
	return rp_top_best(r->whole, r->n, rows);
}

size_t
rp_ranking_interval(const struct rp_ranking *r, size_t interval, struct rp_top_row *rows)
{
	const struct part *p = &r->part[interval];
	if (p->n)
		memcpy(rows, p->rows, p->n * sizeof *rows);
	return p->n;
}

size_t
rp_ranking_keys(const struct rp_ranking *r)
{
	return rp_top_keys(r->whole);
}
