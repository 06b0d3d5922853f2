/* stride - passes over an array, a fixed number of bytes from one element to the next. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"

#include <inttypes.h>

struct stride_params {
	struct rp_fill_params fill;
	uint64_t stride, count, length, passes;
	bool rmw;
};

struct stride {
	struct rp_source source;
	struct rp_fill fill;
	uint64_t base, stride, count;
	uint64_t element;  /* the next one */
	bool rmw, written; /* the next access is the write of `element` */
};

/* Addresses of n accesses. */
static void
walk(struct stride *s, uint64_t *addr, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint64_t left = s->count - s->element;
		size_t m = left < n - i ? (size_t)left : n - i;
		rp_fill_rising(addr + i, m, s->base + s->element * s->stride, s->stride);
		i += m;
		s->element = m < left ? s->element + m : 0;
	}
}

static void
walk_rmw(struct stride *s, struct rp_batch *out, size_t n)
{
	for (size_t i = out->n; i < out->n + n; i++) {
		out->addr[i] = s->base + s->element * s->stride;
		out->kind[i] = s->written ? RP_WRITE : RP_READ;
		if (s->written)
			s->element = s->element + 1 < s->count ? s->element + 1 : 0;
		s->written = !s->written;
	}
}

static ptrdiff_t
stride_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct stride *s = (struct stride *)source;
	size_t n = rp_fill_room(&s->fill, out), from = out->n;
	(void)err;
	rp_fill_rows(&s->fill, out, n);
	out->n = from;
	if (s->rmw)
		walk_rmw(s, out, n);
	else
		walk(s, out->addr + from, n);
	out->n = from + n;
	return (ptrdiff_t)n;
}

/* Completes what the user gave: elements of a pass from the length of the array, a limit from the passes. */
static bool
complete(struct stride_params *p, struct rp_err *err)
{
	uint64_t each = p->rmw ? 2 : 1, all;
	if (p->count && p->length)
		return rp_fail(
		    err, RP_USAGE, "count= and length= say the same thing: wanted one of them");
	if (p->rmw && p->fill.writes != 0)
		return rp_fail(err, RP_USAGE,
		    "rmw=yes and writes=%g: a read-modify-write decides what writes",
		    p->fill.writes);
	if (p->length)
		p->count = (p->length - 1) / p->stride + 1;
	if (!p->count)
		p->count = 1 << 20;
	if (p->passes && !__builtin_mul_overflow(p->passes, p->count, &all) &&
	    !__builtin_mul_overflow(all, each, &all) && (!p->fill.limit || all < p->fill.limit))
		p->fill.limit = all;
	return rp_gen_fits(p->fill.base, p->count, p->stride, p->fill.size, err);
}

static struct rp_source *
stride_open(const void *params, uint64_t seed, struct rp_err *err)
{
	struct stride_params p = *(const struct stride_params *)params;
	struct rp_fill fill;
	if (!complete(&p, err) || !rp_fill_init(&fill, &p.fill, "gen/stride", seed, err))
		return NULL;
	struct stride *s =
	    rp_gen_source_new(sizeof *s, "stride", rp_fill_columns(&fill), stride_pull, err);
	if (!s)
		return NULL;
	s->fill = fill;
	s->base = p.fill.base;
	s->stride = p.stride;
	s->count = p.count;
	s->rmw = p.rmw;
	s->source.trace->endless = s->fill.left == UINT64_MAX;
	return &s->source;
}

static const struct rp_opt opts[] = {
	{ "stride", 0, "BYTES", RP_OPT_SIZE, offsetof(struct stride_params, stride), "64",
	    "from one element to the next" },
	{ "count", 0, "N", RP_OPT_U64, offsetof(struct stride_params, count), NULL,
	    "elements of a pass; 1048576 without length", 1, UINT64_MAX },
	{ "length", 0, "BYTES", RP_OPT_SIZE, offsetof(struct stride_params, length), NULL,
	    "length of the array, instead of count: as many elements as begin in it" },
	{ "passes", 0, "N", RP_OPT_U64, offsetof(struct stride_params, passes), "0",
	    "end after N passes; 0: endless" },
	{ "rmw", 0, NULL, RP_OPT_FLAG, offsetof(struct stride_params, rmw), "no",
	    "read each element and then write it" },
	RP_FILL_ROWS(struct stride_params),
	{ 0 },
};

const struct rp_generator rp_generator_stride = {
	.name = "stride",
	.what = "passes over an array with a fixed stride",
	.opts = opts,
	.params_bytes = sizeof(struct stride_params),
	.open = stride_open,
};
