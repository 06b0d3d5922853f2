/* lookup.c - a batch of accesses as line requests.
 *
 * Almost every access lies in one line, so rows are taken in small blocks: lines are computed for all of a block, and only
 * if one of them crosses, or is a mark or left out, the block is done row by row. */
#include "config.h"

#include "sim/lookup.h"
#include "sim/kernels.h"

#include "base/mem.h"

#include <string.h>

struct rp_expand {
	struct rp_lookups out;
	const struct rp_kernels *kernels;
	unsigned line_bits;
	bool want_bytes, keep_bypassed;
	bool open; /* row `next_line` .. `last_line` of the row at hand are still to be done */
	uint64_t next_line, last_line;
	/* What `out` points to. */
	uint64_t line[RP_CHUNK + RP_BLOCK];
	uint32_t row[RP_CHUNK + RP_BLOCK], bytes[RP_CHUNK + RP_BLOCK];
	uint8_t kind[RP_CHUNK + 64], store[RP_CHUNK + 64], dirty[RP_CHUNK + 64];
	struct rp_crossing crossing[RP_CHUNK_ROWS + 1];
};

struct rp_expand *
rp_expand_new(
    unsigned line_bits, bool bytes, bool bypassed, enum rp_level level, struct rp_err *err)
{
	struct rp_expand *e = rp_mem_array(1, sizeof *e, err);
	if (!e)
		return NULL;
	e->line_bits = line_bits;
	e->kernels = rp_kernels_of(level);
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
	if (b->mask[i] == UINT32_MAX && segment >= first && segment + (32 * g - 1) <= last)
		return (uint32_t)(32 * g);
	if (segment >= first && segment + (32 * g - 1) <= last)
		return (uint32_t)((unsigned)__builtin_popcount(b->mask[i]) * g);
	for (uint32_t m = b->mask[i]; m; m &= m - 1) {
		uint64_t low = segment + (unsigned)__builtin_ctz(m) * g, high = low + g - 1;
		low = most_of(low, first);
		high = least(high, last);
		n += high >= low ? high - low + 1 : 0;
	}
	return (uint32_t)n;
}

/* Whether row i is a GPU transaction whose mask says which of its bytes are touched. */
static bool
has_mask(const struct rp_batch *b, size_t i)
{
	return b->mask && b->mask[i] && b->size[i] <= 128;
}

/* Bytes of row i in line `line`. */
static uint32_t
bytes_in_line(const struct rp_expand *e, const struct rp_batch *b, size_t i, uint64_t line)
{
	uint64_t low = line << e->line_bits, high = low + ((UINT64_C(1) << e->line_bits) - 1);
	if (has_mask(b, i))
		return masked_bytes(b, i, low, high);
	return (uint32_t)(least(high, rp_batch_last(b, i)) - most_of(low, b->addr[i]) + 1);
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

/* The same of a masked row: only the lines that it touches. */
static void
put_masked_lines(struct rp_expand *e, const struct rp_batch *b, size_t row, bool begins)
{
	size_t first = e->out.n;
	e->open = false;
	for (uint64_t line = e->next_line;; line++) {
		if (bytes_in_line(e, b, row, line)) {
			e->open = e->out.n == RP_CHUNK;
			e->next_line = line;
			if (e->open)
				break;
			put(e, b, row, line);
		}
		if (line == e->last_line)
			break;
	}
	if (e->out.n == first) /* a mask beside its row: the row is one lookup all the same */
		put(e, b, row, e->next_line);
	size_t n = e->out.n - first;
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
	e->last_line = rp_batch_last(b, row) >> e->line_bits;
	(has_mask(b, row) ? put_masked_lines : put_lines)(e, b, row, true);
}

/* Whole blocks of up to n rows, as long as each row is one lookup: how many rows. */
static size_t
put_blocks(struct rp_expand *e, const struct rp_batch *b, size_t row, size_t n)
{
	size_t at = e->out.n;
	struct rp_rows rows = { b->addr + row, b->size + row, b->kind + row, e->line + at,
		e->row + at, e->kind + at, e->store + at, e->dirty + at };
	size_t done = e->kernels->expand(&rows, row, n, e->line_bits);
	for (size_t i = 0; e->want_bytes && i < done; i++)
		e->bytes[at + i] =
		    e->dirty[at + i] ? bytes_in_line(e, b, row + i, e->line[at + i]) : 0;
	e->out.n += done;
	e->out.accesses += done;
	return done;
}

static uint64_t
word_at(const uint8_t *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

/* The sum of a word's bytes. */
static uint64_t
sum_of_bytes(uint64_t x)
{
	const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
	return ((x & even) + (x >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

/* Lookups of each kind. Most traces only read and write, which is seen from all kinds at once. */
static void
count_kinds(struct rp_expand *e)
{
	struct rp_lookups *o = &e->out;
	size_t n = o->n, end = (n + RP_BLOCK - 1) / RP_BLOCK * RP_BLOCK;
	uint64_t seen = 0, stores[2] = { 0 }; /* bytes, which stay below 256 in a chunk */
	memset(e->kind + n, 0, end - n);
	memset(e->store + n, 0, end - n);
	for (size_t i = 0; i < end; i += RP_BLOCK) {
		stores[0] += word_at(e->store + i);
		stores[1] += word_at(e->store + i + 8);
		seen |= word_at(e->kind + i) | word_at(e->kind + i + 8);
	}
	if (!(seen & ~(RP_WRITE * UINT64_C(0x0101010101010101)))) {
		uint64_t writes = sum_of_bytes(stores[0]) + sum_of_bytes(stores[1]);
		o->kinds[RP_WRITE] = writes;
		o->kinds[RP_READ] = n - writes;
		return;
	}
	for (size_t i = 0; i < n; i++)
		o->kinds[e->kind[i]]++;
}

/* Row by row, up to `stop`, a mark, or when the chunk is full: the row after the last that is done. */
static size_t
put_rows(struct rp_expand *e, const struct rp_batch *b, size_t i, size_t stop, uint64_t most)
{
	while (i < stop && b->kind[i] < RP_MARKS && e->out.n < RP_CHUNK && e->out.accesses < most) {
		put_row(e, b, i);
		if (e->open)
			break;
		i++;
	}
	return i;
}

/* Whether one of these rows bypasses L1. */
static bool
any_bypasses(const struct rp_batch *b, size_t from, size_t to)
{
	uint8_t all = 0;
	for (size_t i = from; i < to; i++)
		all |= b->flags[i];
	return all & RP_BYPASS_L1;
}

const struct rp_lookups *
rp_expand_next(struct rp_expand *e, const struct rp_batch *b, size_t *row, uint64_t most)
{
	struct rp_lookups *o = &e->out;
	o->in = b;
	o->n = o->accesses = o->bypassed = o->crossings = 0;
	memset(o->kinds, 0, sizeof o->kinds);
	size_t i = *row, end = least(b->n, i + RP_CHUNK_ROWS);
	bool plain = !b->marks && (!b->flags || e->keep_bypassed || !any_bypasses(b, i, end)),
	     more = true;
	if (e->open) {
		(has_mask(b, i) ? put_masked_lines : put_lines)(e, b, i, false);
		i += !e->open;
	}
	while (i < end && more && !e->open) {
		if (plain)
			i += put_blocks(
			    e, b, i, least(least(end - i, RP_CHUNK - o->n), most - o->accesses));
		size_t stop = least(end, i + RP_BLOCK);
		i = put_rows(e, b, i, stop, most);
		more = i == stop;
	}
	*row = i;
	count_kinds(e);
	return o;
}
