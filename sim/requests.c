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

/* What lookup i sends down. */
static void
put_lookup(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    size_t i, uint8_t outcome, const uint64_t *victim)
{
	unsigned bits = (unsigned)__builtin_ctz(s->line);
	uint64_t addr = in->line[i] << bits;
	bool filled = !(outcome & RP_NO_FILL), through = s->write == RP_WRITE_THROUGH;
	if ((outcome & (RP_MISSED | RP_MERGED)) == RP_MISSED && (filled || !in->store[i]))
		rp_requests_put(r, RP_ASK_FETCH, addr, s->line, in->row[i]);
	if (in->bytes && in->bytes[i] && (through || !filled))
		rp_requests_put(r, RP_ASK_WRITE, addr, in->bytes[i], in->row[i]);
	if (outcome & RP_WROTE_BACK)
		rp_requests_put(r, RP_ASK_BACK, victim[i] << bits, s->line, in->row[i]);
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
    const uint8_t *outcome, const uint64_t *victim, struct rp_err *err)
{
	const uint8_t *passes = s->write == RP_WRITE_THROUGH ? in->dirty : NULL;
	size_t i = 0, n = in->n;
	if (!rp_requests_room(r, 3 * n, err))
		return false;
	for (; i + WORD <= n; i += WORD)
		if (some(outcome + i, passes ? passes + i : NULL))
			for (size_t k = i; k < i + WORD; k++)
				if (outcome[k] || (passes && passes[k]))
					put_lookup(r, s, in, k, outcome[k], victim);
	for (; i < n; i++)
		if (outcome[i] || (passes && passes[i]))
			put_lookup(r, s, in, i, outcome[i], victim);
	return true;
}
