/* lookup.c - a batch of accesses as line requests.
 *
 * Almost every access lies in one line, so rows are taken in small blocks: lines are computed for all of a block, and only
 * if one of them crosses, or is a mark or left out, the block is done row by row. */
#include "config.h"

#include "sim/lookup.h"

#include "base/mem.h"

#include <string.h>

enum { BLOCK = 16 }; /* rows */

struct rp_expand {
	struct rp_lookups out;
	unsigned line_bits;
	bool want_bytes, keep_bypassed;
	bool open; /* row `next_line` .. `last_line` of the row at hand are still to be done */
	uint64_t next_line, last_line;
	/* What `out` points to. */
	uint64_t line[RP_CHUNK + BLOCK];
	uint32_t row[RP_CHUNK + BLOCK], bytes[RP_CHUNK + BLOCK];
	uint8_t kind[RP_CHUNK + 64], store[RP_CHUNK + 64], dirty[RP_CHUNK + 64];
	struct rp_crossing crossing[RP_CHUNK_ROWS + 1];
};

struct rp_expand *
rp_expand_new(unsigned line_bits, bool bytes, bool bypassed, struct rp_err *err)
{
	struct rp_expand *e = rp_mem_array(1, sizeof *e, err);
	if (!e)
		return NULL;
	e->line_bits = line_bits;
	e->want_bytes = bytes;
	e->keep_bypassed = bypassed;
	e->out.line = e->line;
	e->out.kind = e->kind;
	e->out.store = e->store;
	e->out.dirty = e->dirty;
	e->out.row = e->row;
	e->out.bytes = bytes ? e->bytes : NULL;
	e->out.crossing = e->crossing;
	return e;
}

void
rp_expand_free(struct rp_expand *e)
{
	free(e);
}

bool
rp_expand_open(const struct rp_expand *e)
{
	return e->open;
}

/* Address of the last byte of a row. Readers refuse what wraps; here it would end at the top. */
static uint64_t
last_byte(const struct rp_batch *b, size_t i)
{
	uint64_t more = b->size[i] ? b->size[i] - 1 : 0;
	return b->addr[i] + more < more ? UINT64_MAX : b->addr[i] + more;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
most_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Bytes from `first` to `last` that the mask of a GPU transaction touches (traces/batch.h). */
static uint32_t
masked_bytes(const struct rp_batch *b, size_t i, uint64_t first, uint64_t last)
{
	uint64_t g = b->size[i] > 32 ? b->size[i] / 32 : 1, segment = b->addr[i] & ~(32 * g - 1);
	uint64_t n = 0;
	for (uint32_t m = b->mask[i]; m; m &= m - 1) {
		uint64_t low = segment + (unsigned)__builtin_ctz(m) * g, high = low + g - 1;
		low = most_of(low, first);
		high = least(high, last);
		n += high >= low ? high - low + 1 : 0;
	}
	return (uint32_t)n;
}

/* Bytes of row i in line `line`. */
static uint32_t
bytes_in_line(const struct rp_expand *e, const struct rp_batch *b, size_t i, uint64_t line)
{
	uint64_t low = line << e->line_bits, high = low + ((UINT64_C(1) << e->line_bits) - 1);
	if (b->mask && b->mask[i])
		return masked_bytes(b, i, low, high);
	return (uint32_t)(least(high, last_byte(b, i)) - most_of(low, b->addr[i]) + 1);
}

static void
put(struct rp_expand *e, const struct rp_batch *b, size_t row, uint64_t line)
{
	size_t n = e->out.n++;
	uint8_t kind = b->kind[row];
	e->line[n] = line;
	e->row[n] = (uint32_t)row;
	e->kind[n] = kind;
	e->store[n] = kind == RP_WRITE;
	e->dirty[n] = kind == RP_WRITE || kind == RP_ATOMIC;
	if (e->want_bytes)
		e->bytes[n] = e->dirty[n] ? bytes_in_line(e, b, row, line) : 0;
}

/* As many lines of the row at hand as there is room for. */
static void
put_lines(struct rp_expand *e, const struct rp_batch *b, size_t row, bool begins)
{
	size_t first = e->out.n;
	uint64_t room = RP_CHUNK - first,
		 left = e->last_line - e->next_line; /* without the last: cannot overflow */
	uint64_t n = least(room, left < UINT64_MAX ? left + 1 : left);
	for (uint64_t i = 0; i < n; i++)
		put(e, b, row, e->next_line + i);
	e->open = n <= left;
	e->next_line += n;
	if (n > 1 || e->open || !begins)
		e->crossing[e->out.crossings++] = (struct rp_crossing){
			.first = (uint32_t)first, .n = (uint32_t)n, .begins = begins
		};
}

/* One row that is no mark. */
static void
put_row(struct rp_expand *e, const struct rp_batch *b, size_t row)
{
	if (b->flags && (b->flags[row] & RP_BYPASS_L1) && !e->keep_bypassed) {
		e->out.bypassed++;
		return;
	}
	e->out.accesses++;
	e->next_line = b->addr[row] >> e->line_bits;
	e->last_line = last_byte(b, row) >> e->line_bits;
	put_lines(e, b, row, true);
}

/* BLOCK rows at once, if each is one lookup. */
static bool
put_block(struct rp_expand *e, const struct rp_batch *b, size_t row)
{
	size_t n = e->out.n;
	unsigned line_bits = e->line_bits;
	const uint64_t *addr = b->addr + row;
	const uint32_t *size = b->size + row;
	const uint8_t *kind = b->kind + row;
	uint64_t crosses = 0;
	for (size_t i = 0; i < BLOCK; i++) {
		e->line[n + i] = addr[i] >> line_bits;
		crosses |= addr[i] ^ (addr[i] + size[i] - 1);
	}
	if (crosses >> line_bits)
		return false;
	for (size_t i = 0; i < BLOCK; i++)
		e->row[n + i] = (uint32_t)(row + i);
	for (size_t i = 0; i < BLOCK; i++) {
		e->kind[n + i] = kind[i];
		e->store[n + i] = kind[i] == RP_WRITE;
		e->dirty[n + i] = (uint8_t)((kind[i] - 1) & 0xfe) == 0; /* RP_WRITE or RP_ATOMIC */
	}
	if (e->want_bytes)
		for (size_t i = 0; i < BLOCK; i++)
			e->bytes[n + i] =
			    e->dirty[n + i] ? bytes_in_line(e, b, row + i, e->line[n + i]) : 0;
	e->out.n += BLOCK;
	e->out.accesses += BLOCK;
	return true;
}

static void
count_kinds(struct rp_lookups *o)
{
	for (size_t i = 0; i < o->n; i++)
		o->kinds[o->kind[i]]++;
}

const struct rp_lookups *
rp_expand_next(struct rp_expand *e, const struct rp_batch *b, size_t *row, uint64_t most)
{
	struct rp_lookups *o = &e->out;
	o->in = b;
	o->n = o->accesses = o->bypassed = o->crossings = 0;
	memset(o->kinds, 0, sizeof o->kinds);
	size_t i = *row, end = b->n - i > RP_CHUNK_ROWS ? i + RP_CHUNK_ROWS : b->n;
	bool plain = !b->marks && (!b->flags || e->keep_bypassed);
	if (e->open) {
		put_lines(e, b, i, false);
		i += !e->open;
	}
	while (i < end && !e->open && o->n < RP_CHUNK && o->accesses < most) {
		size_t stop = i + BLOCK;
		if (plain && stop <= end && o->n + BLOCK <= RP_CHUNK &&
		    o->accesses + BLOCK <= most && put_block(e, b, i)) {
			i = stop;
			continue;
		}
		if (stop > end)
			stop = end;
		while (i < stop && b->kind[i] < RP_MARKS && o->n < RP_CHUNK && o->accesses < most) {
			put_row(e, b, i);
			if (e->open)
				break;
			i++;
		}
		if (i < stop)
			break;
	}
	*row = i;
	count_kinds(o);
	return o;
}
