/* functional.c - functional mode: which cache each row of a batch is for, and rows as requests. */
#include "config.h"

#include "sim/coherence/engine.h"

#include <string.h>

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

/* The cache of each row, if all streams have low numbers and came up before. false: not so. */
static bool
caches_are_known(struct rp_coherence *k, const struct rp_batch *b)
{
	if (b->marks || !b->stream)
		return false;
	for (size_t i = 0; i < b->n; i++) {
		uint32_t stream = b->stream[i];
		if (stream >= COH_LOW_STREAMS || !k->of_low[stream])
			return false;
		k->row_cache[i] = k->of_low[stream] - 1;
	}
	return true;
}

/* The cache of each row; marks have none. */
static bool
find_caches(struct rp_coherence *k, const struct rp_batch *b, struct rp_err *err)
{
	if (b->n > k->row_room) {
		uint32_t *more = rp_mem_grow(k->row_cache, b->n, sizeof *more, err);
		if (!more)
			return false;
		k->row_cache = more;
		k->row_room = b->n;
	}
	if (caches_are_known(k, b))
		return true;
	const uint32_t *slot = rp_streams_slots(k->streams, b, err);
	if (!slot || !know_streams(k, err))
		return false;
	for (size_t i = 0; i < b->n; i++) {
		k->row_cache[i] = COH_NONE;
		if (b->kind[i] < RP_MARKS &&
		    (k->row_cache[i] = cache_of(k, b->stream ? b->stream[i] : 0, slot[i], err)) ==
			COH_NONE)
			return false;
		if (b->stream && b->stream[i] < COH_LOW_STREAMS)
			k->of_low[b->stream[i]] = k->row_cache[i] + 1;
	}
	return true;
}

bool
rp_coherence_run(struct rp_coherence *k, const struct rp_batch *b, struct rp_err *err)
{
	return find_caches(k, b, err) && coh_rows(k, b, k->row_cache, err) &&
	       (!k->config.verify || rp_coherence_check(k, err));
}
