/* requests.c - what a cache asks of the level below, in trace order. */
#include "config.h"

#include "sim/requests.h"

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

enum { WORD = 8 };

/* Whether some of WORD lookups send something down. */
static bool
some(const uint8_t *outcome, const uint8_t *passes)
{
	uint64_t any = 0, dirty = 0;
	memcpy(&any, outcome, WORD);
	if (passes)
		memcpy(&dirty, passes, WORD);
	return any | dirty;
}

/* Hits send nothing down, unless they are writes that pass: most outcomes are 0, which is seen of eight at once. */
bool
rp_requests_of(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    const uint8_t *outcome, const uint64_t *victim, const uint64_t *back, struct rp_err *err)
{
	const uint8_t *passes = s->write == RP_WRITE_THROUGH ? in->dirty : NULL;
	size_t i = 0, n = in->n;
	size_t most = 2 + (s->line / s->sector + 1) / 2; /* of a lookup: every other sector dirty */
	if (!rp_requests_room(r, most * n, err))
		return false;
	for (; i + WORD <= n; i += WORD)
		if (some(outcome + i, passes ? passes + i : NULL))
			for (size_t k = i; k < i + WORD; k++)
				if (outcome[k] || (passes && passes[k]))
					put_lookup(r, s, in, k, outcome[k], victim, back);
	for (; i < n; i++)
		if (outcome[i] || (passes && passes[i]))
			put_lookup(r, s, in, i, outcome[i], victim, back);
	return true;
}
