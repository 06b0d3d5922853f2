/* fill.c - what generators share that draw kinds and streams at random. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

bool
rp_fill_init(struct rp_fill *f, const struct rp_fill_params *p, const char *name, uint64_t seed,
    struct rp_err *err)
{
	if (!(p->writes >= 0 && p->writes <= 1))
		return rp_fail(err, RP_USAGE, "writes=%g: wanted a share from 0 to 1", p->writes);
	f->rng = rp_rng_for(seed, name, 1);
	f->write_below = (uint64_t)(p->writes * 0x1p32 + 0.5);
	f->streams = p->streams;
	f->size = p->size;
	f->left = p->limit ? p->limit : UINT64_MAX;
	return true;
}

bool
rp_fill_lines(const struct rp_fill_params *p, uint64_t lines, uint32_t line, struct rp_err *err)
{
	if (p->size > line)
		return rp_fail(
		    err, RP_USAGE, "size=%" PRIu32 " is more than line=%" PRIu32, p->size, line);
	return rp_gen_fits(p->base, lines, line, line, err);
}

unsigned
rp_fill_columns(const struct rp_fill *f)
{
	return f->streams > 1 ? RP_COL_STREAM : 0;
}

size_t
rp_fill_room(const struct rp_fill *f, const struct rp_batch *out)
{
	size_t room = out->cap - out->n;
	return f->left < room ? (size_t)f->left : room;
}

static void
zero(void *column, size_t from, size_t n, size_t width)
{
	if (column)
		memset((char *)column + from * width, 0, n * width);
}

void
rp_fill_zero(struct rp_batch *out, unsigned columns, size_t n)
{
	if (!(columns & RP_COL_STREAM))
		zero(out->stream, out->n, n, sizeof *out->stream);
	if (!(columns & RP_COL_TIME))
		zero(out->time, out->n, n, sizeof *out->time);
	if (!(columns & RP_COL_PC))
		zero(out->pc, out->n, n, sizeof *out->pc);
	if (!(columns & RP_COL_MASK))
		zero(out->mask, out->n, n, sizeof *out->mask);
	if (!(columns & RP_COL_FLAGS))
		zero(out->flags, out->n, n, sizeof *out->flags);
}

typedef uint64_t eight_u64 __attribute__((vector_size(64)));
typedef uint32_t eight_u32 __attribute__((vector_size(32)));

void
rp_fill_rising(uint64_t *to, size_t n, uint64_t from, uint64_t step)
{
	const eight_u64 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
	eight_u64 at = from + lane * step;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		memcpy(to + i, &at, sizeof at);
		at += 8 * step;
	}
	for (; i < n; i++)
		to[i] = from + i * step;
}

void
rp_fill_same(uint32_t *to, size_t n, uint32_t x)
{
	const eight_u32 all = x - (eight_u32){ 0 };
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		memcpy(to + i, &all, sizeof all);
	for (; i < n; i++)
		to[i] = x;
}

/* Draws once an access; not at all when nothing is left to chance. */
static void
draw(struct rp_fill *f, uint8_t *kind, uint32_t *stream, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t r = rp_rng_next(&f->rng);
		kind[i] = (uint32_t)r < f->write_below ? RP_WRITE : RP_READ;
		if (stream)
			stream[i] = (uint32_t)((r >> 32) * f->streams >> 32);
	}
}

void
rp_fill_rows(struct rp_fill *f, struct rp_batch *out, size_t n)
{
	unsigned columns = rp_fill_columns(f);
	rp_fill_same(out->size + out->n, n, f->size);
	rp_fill_zero(out, columns, n);
	if (!columns && (f->write_below == 0 || f->write_below >> 32))
		memset(out->kind + out->n, f->write_below ? RP_WRITE : RP_READ, n);
	else
		draw(
		    f, out->kind + out->n, columns && out->stream ? out->stream + out->n : NULL, n);
	out->n += n;
	if (f->left != UINT64_MAX)
		f->left -= n;
}
