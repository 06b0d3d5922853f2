/* rpz_order.c - rows of several streams put back into the order of the trace. */
#include "config.h"

#include "traces/format/rpz_block.h"

/* Rows of an out batch that are looked up at once. */
enum { SOME = 1024 };

struct places {
	uint32_t row[SOME], stream[SOME];
	size_t n;
};

static bool
wanted(const struct rp_batch *sorted, const struct rp_rpz_filter *f, uint32_t stream, uint32_t row)
{
	return !f->only || stream == f->stream || sorted->kind[row] >= RP_MARKS;
}

/* The next rows, at most `most`: where they are in `sorted`. */
static void
next_places(struct rp_rpz_decoder *d, const struct rp_batch *sorted, const struct rp_rpz_filter *f,
    size_t most, struct places *p)
{
	p->n = 0;
	while (p->n < most && d->run < d->c->runs) {
		uint32_t k = d->run_stream[d->run], stream = d->stream[k];
		if (f->only && stream != f->stream && !d->marks) {
			d->cursor[k] += d->run_left;
			d->run_left = 0;
		}
		for (; d->run_left && p->n < most; d->run_left--) {
			uint32_t row = d->cursor[k]++;
			p->row[p->n] = row;
			p->stream[p->n] = stream;
			p->n += wanted(sorted, f, stream, row);
		}
		if (!d->run_left && ++d->run < d->c->runs)
			d->run_left = d->run_length[d->run];
	}
}

static void
gather64(uint64_t *to, const uint64_t *from, const struct places *p)
{
	for (size_t i = 0; to && i < p->n; i++)
		to[i] = from[p->row[i]];
}

static void
gather32(uint32_t *to, const uint32_t *from, const struct places *p)
{
	for (size_t i = 0; to && i < p->n; i++)
		to[i] = from[p->row[i]];
}

static void
gather8(uint8_t *to, const uint8_t *from, const struct places *p)
{
	for (size_t i = 0; to && i < p->n; i++)
		to[i] = from[p->row[i]];
}

/* A column from the batch's next free row on; NULL where the trace or the batch has it not. */
#define NEXT(column) (out->column && sorted->column ? out->column + out->n : NULL)

static void
append(struct rp_batch *out, const struct rp_batch *sorted, const struct places *p)
{
	gather64(NEXT(addr), sorted->addr, p);
	gather64(NEXT(time), sorted->time, p);
	gather64(NEXT(pc), sorted->pc, p);
	gather32(NEXT(size), sorted->size, p);
	gather32(NEXT(mask), sorted->mask, p);
	gather8(NEXT(kind), sorted->kind, p);
	gather8(NEXT(flags), sorted->flags, p);
	if (out->stream)
		memcpy(out->stream + out->n, p->stream, p->n * sizeof *p->stream);
	for (size_t i = 0; sorted->marks && i < p->n; i++)
		out->marks += out->kind[out->n + i] >= RP_MARKS;
	out->n += p->n;
}

size_t
rp_rpz_order_next(struct rp_rpz_decoder *d, const struct rp_batch *sorted,
    const struct rp_rpz_filter *f, struct rp_batch *out)
{
	size_t before = out->n;
	struct places p;
	do {
		size_t room = out->cap - out->n;
		next_places(d, sorted, f, room < SOME ? room : SOME, &p);
		append(out, sorted, &p);
	} while (p.n);
	return out->n - before;
}
