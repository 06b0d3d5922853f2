/* requests.c - what a cache asks of the level below, in trace order. */
#include "config.h"

#include "sim/requests.h"

#include "base/mem.h"

#include <stdlib.h>

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

bool
rp_requests_of(struct rp_requests *r, const struct rp_cache_spec *s, const struct rp_lookups *in,
    const uint8_t *outcome, const uint64_t *victim, struct rp_err *err)
{
	unsigned bits = (unsigned)__builtin_ctz(s->line);
	bool through = s->write == RP_WRITE_THROUGH;
	if (!rp_requests_room(r, 3 * in->n, err))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		uint64_t addr = in->line[i] << bits;
		bool filled = !(outcome[i] & RP_NO_FILL);
		if ((outcome[i] & (RP_MISSED | RP_MERGED)) == RP_MISSED &&
		    (filled || !in->store[i]))
			rp_requests_put(r, RP_ASK_FETCH, addr, s->line, in->row[i]);
		if (in->bytes && in->bytes[i] && (through || !filled))
			rp_requests_put(r, RP_ASK_WRITE, addr, in->bytes[i], in->row[i]);
		if (outcome[i] & RP_WROTE_BACK)
			rp_requests_put(r, RP_ASK_BACK, victim[i] << bits, s->line, in->row[i]);
	}
	return true;
}
