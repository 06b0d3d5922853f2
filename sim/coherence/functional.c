/* functional.c - functional mode: batches of accesses, each one atomic transaction, in trace order.
 *
 * What an access needs of a line that is not cached lies anywhere in memory, so some accesses ahead the slot of a line's
 * number is asked for, and its record when the slot has come. */
#include "config.h"

#include "sim/coherence/engine.h"

#include <string.h>

enum { SLOT_AHEAD = 28, RECORD_AHEAD = 18, REST_AHEAD = 8, RING = 32 };

/* Bytes first..last of the line at hand that the mask of a GPU transaction touches (traces/batch.h). */
static void
mask_of_transaction(const struct rp_coherence *k, const struct rp_batch *b, size_t i,
    uint64_t line_start, uint32_t first, uint32_t last, uint64_t *mask)
{
	uint64_t g = b->size[i] > 32 ? b->size[i] / 32 : 1, segment = b->addr[i] & ~(32 * g - 1);
	for (unsigned w = 0; w < k->lines.mask_words; w++)
		mask[w] = 0;
	for (uint32_t m = b->mask[i]; m; m &= m - 1) {
		uint64_t low = segment + (unsigned)__builtin_ctz(m) * g, high = low + g - 1;
		if (high < line_start + first || low > line_start + last)
			continue;
		uint64_t one[RP_COHERENCE_MASK_WORDS];
		low = low < line_start + first ? first : low - line_start;
		high = high > line_start + last ? last : high - line_start;
		coh_mask_range(k, one, (uint32_t)low, (uint32_t)high);
		for (unsigned w = 0; w < k->lines.mask_words; w++)
			mask[w] |= one[w];
	}
}

struct coh_request
coh_request_of(const struct rp_coherence *k, const struct rp_batch *b, size_t i, uint64_t number,
    uint32_t cache, uint64_t *mask)
{
	uint64_t start = number * k->config.line, end = rp_batch_last(b, i);
	uint32_t first = b->addr[i] > start ? (uint32_t)(b->addr[i] - start) : 0,
		 last = end - start < k->config.line ? (uint32_t)(end - start) : k->config.line - 1;
	if (b->kind[i] == RP_PREFETCH)
		for (unsigned w = 0; w < k->lines.mask_words; w++)
			mask[w] = 0;
	else if (b->mask && b->mask[i] && b->size[i] <= 128)
		mask_of_transaction(k, b, i, start, first, last, mask);
	else
		coh_mask_range(k, mask, first, last);
	return (struct coh_request){ .line = number,
		.record = COH_NONE,
		.cache = cache,
		.offset = first,
		.store = coh_is_store(b->kind[i]),
		.mask = mask,
		.pc = b->pc ? b->pc[i] : 0,
		.stream = b->stream ? b->stream[i] : 0,
		.kind = b->kind[i] };
}

/* Room for the streams that came up. Their caches are made at their first access: marks have streams too. */
static bool
know_streams(struct rp_coherence *k, struct rp_err *err)
{
	size_t n = rp_streams_count(k->streams);
	if (n <= k->n_slots)
		return true;
	n *= 2;
	uint32_t *more = rp_mem_grow(k->of_slot, n, sizeof *more, err);
	if (!more)
		return false;
	memset(more + k->n_slots, 0, (n - k->n_slots) * sizeof *more);
	k->of_slot = more;
	k->n_slots = n;
	return true;
}

/* The cache of a stream, which has that slot; COH_NONE: no memory. */
static uint32_t
cache_of(struct rp_coherence *k, uint32_t stream, uint32_t slot, struct rp_err *err)
{
	if (k->config.caches)
		return stream % k->config.caches;
	if (!k->of_slot[slot]) {
		if (!coh_add_cache(k, stream, err))
			return COH_NONE;
		k->of_slot[slot] = (uint32_t)k->n;
	}
	return k->of_slot[slot] - 1;
}

/* A row on its way: what is known of its line. */
struct ahead {
	uint64_t number;
	uint32_t record; /* probably; COH_NONE: not known */
};

/* A record whose hash is that of the line: probably the line's. */
static uint32_t
probable(const struct coh_lines *l, uint64_t number)
{
	uint64_t hash = coh_lines_hash(number);
	size_t at = coh_lines_slot(l, hash), last = ((size_t)1 << l->slot_bits) - 1;
	while (l->slot[at] && l->slot[at] >> 32 != (uint32_t)hash)
		at = (at + 1) & last;
	return (uint32_t)l->slot[at] - 1;
}

/* Asks for what the access of row i, whose record has come, will need besides: its masks, the record of the victim. */
static void
ask_for_rest(const struct rp_coherence *k, const struct ahead *a, uint32_t cache)
{
	const struct coh_geometry *g = &k->geometry;
	if (a->record != COH_NONE && coh_line(&k->lines, a->record)->room)
		__builtin_prefetch(
		    coh_pool_at(&k->lines.masks, coh_line(&k->lines, a->record)->unseen));
	if (cache == COH_NONE || g->how == COH_ANY_POLICY)
		return;
	const struct coh_cache *c = &k->cache[cache];
	uint32_t set = coh_set_of(g, a->number);
	if (c->valid[set] < g->ways)
		return;
	const struct coh_way *w = &c->way[(size_t)set * g->ways + coh_order(g, c, set)->last - 1];
	__builtin_prefetch(coh_line(&k->lines, w->line));
}

/* Row i has come near. */
static void
look_ahead(const struct rp_coherence *k, const struct rp_batch *b, size_t i, struct ahead *ring,
    const uint32_t *slot)
{
	const struct coh_lines *l = &k->lines;
	if (i + SLOT_AHEAD < b->n) {
		struct ahead *a = &ring[(i + SLOT_AHEAD) % RING];
		a->number = coh_line_number(k, b->addr[i + SLOT_AHEAD]);
		a->record = COH_NONE;
		__builtin_prefetch(&l->slot[coh_lines_slot(l, coh_lines_hash(a->number))]);
	}
	if (i + RECORD_AHEAD < b->n) {
		struct ahead *a = &ring[(i + RECORD_AHEAD) % RING];
		a->record = probable(l, a->number);
		if (a->record != COH_NONE)
			__builtin_prefetch(coh_line(l, a->record));
	}
	if (i + REST_AHEAD < b->n) {
		size_t r = i + REST_AHEAD;
		uint32_t cache = k->config.caches
		                     ? (b->stream ? b->stream[r] : 0) % k->config.caches
		                     : k->of_slot[slot[r]] - 1;
		ask_for_rest(k, &ring[r % RING], cache);
	}
}

/* One row: a transaction for each line. */
static bool
run_row(struct rp_coherence *k, const struct rp_batch *b, size_t i, uint32_t cache,
    const struct ahead *a, struct rp_err *err)
{
	uint64_t mask[RP_COHERENCE_MASK_WORDS], last = coh_line_number(k, rp_batch_last(b, i));
	struct coh_outcome out;
	for (uint64_t number = a->number;; number++) {
		struct coh_request q = coh_request_of(k, b, i, number, cache, mask);
		q.record = number == a->number ? a->record : COH_NONE;
		if (!coh_access(k, &q, &out, err))
			return false;
		if (number == last)
			return true;
	}
}

bool
rp_coherence_run(struct rp_coherence *k, const struct rp_batch *b, struct rp_err *err)
{
	const uint32_t *slot = rp_streams_slots(k->streams, b, err);
	struct ahead ring[RING];
	if (!slot || !know_streams(k, err))
		return false;
	for (size_t i = 0; i < RING; i++)
		ring[i] = (struct ahead){ i < b->n ? coh_line_number(k, b->addr[i]) : 0, COH_NONE };
	for (size_t i = 0; i < b->n; i++) {
		look_ahead(k, b, i, ring, slot);
		if (b->kind[i] >= RP_MARKS)
			continue;
		uint32_t cache = cache_of(k, b->stream ? b->stream[i] : 0, slot[i], err);
		if (cache == COH_NONE || !run_row(k, b, i, cache, &ring[i % RING], err))
			return false;
	}
	return !k->config.verify || rp_coherence_check(k, err);
}
