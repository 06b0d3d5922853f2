/* rpz_decode.c - rows from a block that has been taken apart. */
#include "config.h"

#include "traces/format/rpz_block.h"
#include "base/mem.h"

struct rp_rpz_decoder *
rp_rpz_decoder_new(const char *passes, struct rp_err *err)
{
	struct rp_rpz_decoder *d = rp_mem_array(1, sizeof *d, err);
	if (!d)
		return NULL;
	d->passes = rp_rpz_passes_find(passes);
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd || !d->passes) {
		rp_fail(err, RP_RESOURCE,
		    d->passes ? "out of memory: a zstd context" : "no such machine");
		rp_rpz_decoder_free(d);
		return NULL;
	}
	for (unsigned mask = 0; mask < 256; mask++)
		for (unsigned k = 0, below = 0; k < 8; k++)
			d->rows.spread[mask][k] = mask >> k & 1 ? (uint8_t)below++ : 0x80;
	return d;
}

void
rp_rpz_decoder_free(struct rp_rpz_decoder *d)
{
	if (!d)
		return;
	ZSTD_freeDCtx(d->zstd);
	free(d->address.at);
	free(d->others.at);
	for (size_t i = 0; i < sizeof d->rooms / sizeof *d->rooms; i++)
		free(d->rooms[i].at);
	free(d);
}

uint32_t
rp_rpz_decoder_marks(const struct rp_rpz_decoder *d)
{
	return d->marks;
}

const uint32_t *
rp_rpz_decoder_streams(const struct rp_rpz_decoder *d, size_t *n)
{
	*n = d->c->streams;
	return d->stream;
}

bool
rp_rpz_mixed(const struct rp_rpz_decoder *d)
{
	return d->c->streams > 1;
}

/* slot and from of rows whose key is the pc. */
static void
slots_of_pcs(struct rp_rpz_decoder *d, size_t n)
{
	struct rp_rpz_rows_state *s = &d->rows;
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	for (size_t i = 0; i < n; i++) {
		bool same = s->op_flags[class[i] - 1u] & RP_SAME_INSTR;
		unsigned slot = rp_rpz_pc_slot(d->pc[d->row + i], same);
		s->slot[i] = (uint16_t)slot;
		s->from[i] = rp_rpz_from(i, s->how[i], slot);
	}
}

static void
predicted(struct rp_rpz_decoder *d, size_t n, uint64_t *addr)
{
	struct rp_rpz_rows_state *s = &d->rows;
	if (s->key == RP_RPZ_OP_KEY) {
		d->passes->keyed(s, n);
	} else {
		d->passes->spread(s, n);
		if (s->key == RP_RPZ_PC_KEY)
			slots_of_pcs(d, n);
		rp_rpz_rows_predict(s, n);
	}
	rp_rpz_rows_take(s, n, addr);
}

/* Plane by plane: loops that any compiler makes wide. */
static void
framed(const struct rp_rpz_decoder *d, size_t n, uint64_t *addr)
{
	uint64_t base = d->c->base;
	unsigned shift = d->c->shift;
	for (size_t i = 0; i < n; i++)
		addr[i] = 0;
	for (unsigned k = 0; k < 8 && d->column[RP_RPZ_PLANES + k]; k++) {
		const uint8_t *plane = d->column[RP_RPZ_PLANES + k] + d->row;
		for (size_t i = 0; i < n; i++)
			addr[i] |= (uint64_t)plane[i] << 8 * k;
	}
	for (size_t i = 0; i < n; i++)
		addr[i] = (addr[i] << shift) + base;
}

static bool
explicit_sizes(struct rp_rpz_decoder *d, size_t n, uint32_t *size)
{
	const struct rp_rpz_rows_state *s = &d->rows;
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	for (size_t i = 0; i < n; i++) {
		if (s->op_size[class[i] - 1u])
			continue;
		if (!d->length[RP_RPZ_SIZES])
			continue; /* all of size 0, which readers of other formats never give */
		if (!d->sizes_left--)
			return false;
		size[i] = (uint32_t)rp_rpz_number_next(&d->size);
	}
	return true;
}

static bool
has_explicit(const struct rp_rpz_rows_state *s)
{
	for (unsigned op = 0; op < s->ops; op++)
		if (!s->op_size[op])
			return true;
	return false;
}

static size_t
count_marks(const struct rp_rpz_decoder *d, const uint8_t *kind, size_t n)
{
	size_t marks = 0;
	for (size_t i = 0; d->mark_ops && i < n; i++)
		marks += kind[i] >= RP_MARKS;
	return marks;
}

static void
copy_side(struct rp_rpz_decoder *d, size_t n, struct rp_batch *out)
{
	size_t at = out->n;
	if (out->time && d->columns & RP_COL_TIME)
		rp_rpz_times_next(d, n, out->time + at);
	if (out->pc && d->pc)
		memcpy(out->pc + at, d->pc + d->row, n * sizeof *out->pc);
	if (out->mask && d->mask)
		memcpy(out->mask + at, d->mask + d->row, n * sizeof *out->mask);
	for (size_t i = 0; out->stream && d->c->streams == 1 && i < n; i++)
		out->stream[at + i] = d->stream[0];
}

/* The next n rows, at most RP_RPZ_STEP. */
static bool
step(struct rp_rpz_decoder *d, size_t n, struct rp_batch *out)
{
	struct rp_rpz_rows_state *s = &d->rows;
	size_t at = out->n;
	d->passes->split(s, n, out->size + at, out->kind + at, out->flags ? out->flags + at : NULL);
	if (s->bad & RP_RPZ_BAD)
		return false;
	if (d->c->coding == RP_RPZ_PREDICTED)
		predicted(d, n, out->addr + at);
	else
		framed(d, n, out->addr + at);
	if (has_explicit(s) && !explicit_sizes(d, n, out->size + at))
		return false;
	copy_side(d, n, out);
	rp_rpz_rows_step(s, n);
	size_t marks = count_marks(d, out->kind + at, n);
	d->seen_marks += (uint32_t)marks;
	out->marks += marks;
	out->n += n;
	d->row += (uint32_t)n;
	return true;
}

/* What could only be known after the last row. */
static bool
ended_well(const struct rp_rpz_decoder *d)
{
	const struct rp_rpz_rows_state *s = &d->rows;
	const uint8_t *place = d->address.at;
	size_t apart = (size_t)d->c->n + RP_RPZ_SLACK;
	return s->first == place + apart + d->length[RP_RPZ_FIRST] &&
	       s->second == place + 2 * apart + d->length[RP_RPZ_SECOND] &&
	       s->rest == place + 3 * apart + d->length[RP_RPZ_REST] && !d->sizes_left &&
	       d->seen_marks == d->marks;
}

ptrdiff_t
rp_rpz_rows_next(struct rp_rpz_decoder *d, struct rp_batch *out, struct rp_err *err)
{
	size_t before = out->n;
	while (d->row < d->c->n && out->n < out->cap) {
		size_t n = d->c->n - d->row, room = out->cap - out->n;
		n = n < room ? n : room;
		if (!step(d, n < RP_RPZ_STEP ? n : RP_RPZ_STEP, out)) {
			rp_rpz_damaged(err, "a token that there is not");
			return -1;
		}
	}
	if (d->row == d->c->n && !ended_well(d)) {
		rp_rpz_damaged(err, "tokens that do not fit what they stand for");
		return -1;
	}
	return (ptrdiff_t)(out->n - before);
}
