/* requests.c - what a cache asks of the level below, in trace order. */
#include "config.h"

#include "sim/requests.h"
#include "sim/ways.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool
rp_requests_room(struct rp_requests *r, size_t more, struct rp_err *err)
{
	size_t cap = r->cap ? r->cap : 256;
	if (r->n + more <= r->cap)
		return true;
	while (cap < r->n + more)
		cap *= 2;
#define GROW(column)                                                                               \
	do {                                                                                       \
		void *grown = rp_mem_grow(r->column, cap, sizeof *r->column, err);                 \
		if (!grown)                                                                        \
			return false;                                                              \
		r->column = grown;                                                                 \
	} while (0)
	GROW(addr);
	GROW(bytes);
	GROW(row);
	GROW(what);
	r->cap = cap;
	return true;
}

void
rp_requests_free(struct rp_requests *r)
{
	if (!r)
		return;
	free(r->addr);
	free(r->bytes);
	free(r->row);
	free(r->what);
	*r = (struct rp_requests){ 0 };
}

/* The dirty sectors of a line that left. */
static void
put_back(struct rp_requests *r, const struct rp_cache_spec *s, uint64_t line, uint64_t dirty,
    uint32_t row)
{
	uint64_t addr = line << __builtin_ctz(s->line);
	while (dirty) {
		unsigned first = (unsigned)__builtin_ctzll(dirty);
		uint64_t rest = dirty >> first;
		unsigned n = ~rest ? (unsigned)__builtin_ctzll(~rest) : 64;
		rp_requests_put(
		    r, RP_ASK_BACK, addr + (uint64_t)first * s->sector, n * s->sector, row);
		dirty &= n == 64 ? 0 : ~(((UINT64_C(1) << n) - 1) << first);
	}
}

/* What lookup i sends down. `back`: NULL, or dirty sectors by lookup. */
static void
put_lookup(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    size_t i, uint8_t outcome, const uint64_t *victim, const uint64_t *back)
{
	uint64_t addr = in->line[i] << rp_cache_spec_unit_bits(s);
	bool filled = !(outcome & RP_NO_FILL), through = s->write == RP_WRITE_THROUGH;
	if ((outcome & (RP_MISSED | RP_MERGED)) == RP_MISSED && (filled || !in->store[i]))
		rp_requests_put(r, RP_ASK_FETCH, addr, s->sector, in->row[i]);
	if (in->bytes && in->bytes[i] && (through || !filled))
		rp_requests_put(r, RP_ASK_WRITE, addr, in->bytes[i], in->row[i]);
	if (outcome & RP_WROTE_BACK)
		put_back(r, s, victim[i], back ? back[i] : 1, in->row[i]);
}

enum { WORD = 8, WORDS = 8 };

/* Of 64 lookups, or n if that is less, those that may send something down. Whether eight of them do at all is anybody's
 * guess, so it is not asked. */
static uint64_t
mask_of(const uint8_t *outcome, const uint8_t *passes, size_t n)
{
	uint64_t mask = 0, any, more = 0;
	for (size_t i = 0; i < WORDS && i * WORD < n; i++) {
		memcpy(&any, outcome + i * WORD, WORD);
		if (passes)
			memcpy(&more, passes + i * WORD, WORD);
		mask |= ways_some(any | more) << i * WORD;
	}
	return n < 64 ? mask & ((UINT64_C(1) << n) - 1) : mask;
}

/* The same as put_lookup for the lookups of a mask, of a cache of whole lines that no write passes: at most a line each way,
 * which is quicker written than asked about. */
static void
put_lines(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    size_t from, uint64_t mask, const uint8_t *outcome, const uint64_t *victim)
{
	unsigned bits = rp_cache_spec_unit_bits(s);
	const uint64_t *line = in->line;
	const uint32_t *row = in->row;
	uint64_t *restrict addr = r->addr;
	uint32_t *restrict rows = r->row;
	uint8_t *restrict what = r->what;
	size_t n = r->n;
	for (; mask; mask &= mask - 1) {
		size_t i = from + (size_t)__builtin_ctzll(mask);
		uint8_t o = outcome[i];
		addr[n] = line[i] << bits;
		rows[n] = row[i];
		what[n] = RP_ASK_FETCH;
		n += (o & (RP_MISSED | RP_MERGED)) == RP_MISSED &&
		     (!(o & RP_NO_FILL) || !in->store[i]);
		addr[n] = victim[i] << bits;
		rows[n] = row[i];
		what[n] = RP_ASK_BACK;
		n += (o & RP_WROTE_BACK) != 0;
	}
	for (size_t i = r->n; i < n; i++)
		r->bytes[i] = s->line;
	r->n = n;
}

size_t
rp_requests_most(const struct rp_cache_spec *s, const struct rp_lookups *in)
{
	/* Of a lookup: every other sector that it wrote back was dirty. */
	return (2 + (s->line / s->sector + 1) / 2) * in->n;
}

/* Hits send nothing down, unless they are writes that pass: most outcomes are 0. */
bool
rp_requests_of(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    const uint8_t *outcome, const uint64_t *victim, const uint64_t *back, struct rp_err *err)
{
	const uint8_t *passes = s->write == RP_WRITE_THROUGH ? in->dirty : NULL;
	bool lines = !in->bytes && !back;
	if (!rp_requests_room(r, rp_requests_most(s, in), err))
		return false;
	for (size_t i = 0; i < in->n; i += 64) {
		uint64_t mask = mask_of(outcome + i, passes ? passes + i : NULL, in->n - i);
		if (lines) {
			put_lines(r, s, in, i, mask, outcome, victim);
			continue;
		}
		for (; mask; mask &= mask - 1) {
			size_t k = i + (size_t)__builtin_ctzll(mask);
			put_lookup(r, s, in, k, outcome[k], victim, back);
		}
	}
	return true;
}
