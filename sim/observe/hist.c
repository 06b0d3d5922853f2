/* hist.c - how often each reuse distance occurs. */
#include "config.h"

#include "sim/observe/hist.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 64, FIRST_CAP = 1024, AHEAD = 16 };

static uint64_t
words(uint64_t cap)
{
	return (cap / GROUP + 63) / 64;
}

/* Calls for each group of 64 distances with a count in it; `g` is its number. */
#define EACH_GROUP(h, w, bits, g)                                                                  \
	for (uint64_t w = 0, bits, g; w < words((h)->cap); w++)                                    \
		for (bits = (h)->used[w];                                                          \
		     bits && (g = w * 64 + (unsigned)__builtin_ctzll(bits), true);                 \
		     bits &= bits - 1)

/* Room for distances up to `most`. */
static bool
reserve(struct rp_hist *h, uint64_t most, struct rp_err *err)
{
	uint64_t cap = h->cap ? h->cap : FIRST_CAP;
	while (cap <= most)
		cap *= 2;
	if (cap == h->cap)
		return true;
	/* Fresh zeroes, not grown: only what is in use is touched. */
	struct rp_hist to = { h->cold, h->total, rp_mem_array(cap, sizeof *to.count, err), NULL,
		cap };
	if (to.count)
		to.used = rp_mem_array(words(cap), sizeof *to.used, err);
	if (!to.used) {
		free(to.count);
		return false;
	}
	EACH_GROUP(h, w, bits, g)
	memcpy(to.count + g * GROUP, h->count + g * GROUP, GROUP * sizeof *to.count);
	if (h->cap)
		memcpy(to.used, h->used, words(h->cap) * sizeof *to.used);
	free(h->count);
	free(h->used);
	*h = to;
	return true;
}

/* One more. Whether its group is in use needs to be told once. */
static inline void
count_one(struct rp_hist *h, uint32_t d)
{
	if (!h->count[d]++)
		h->used[d / GROUP / 64] |= UINT64_C(1) << d / GROUP % 64;
}

bool
rp_hist_add(
    struct rp_hist *h, const uint32_t *distance, size_t n, uint32_t most, struct rp_err *err)
{
	uint64_t cold = 0;
	if (!reserve(h, most, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t d = distance[i];
		if (i + AHEAD < n)
			__builtin_prefetch(&h->count[distance[i + AHEAD] & (h->cap - 1)], 1);
		if (d == RP_COLD) {
			cold++;
			continue;
		}
		count_one(h, d);
	}
	h->cold += cold;
	h->total += n;
	return true;
}

bool
rp_hist_add_kind(struct rp_hist *h, const uint32_t *distance, const uint8_t *kind, uint8_t which,
    size_t n, uint32_t most, struct rp_err *err)
{
	if (!reserve(h, most, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t d = distance[i];
		if (kind[i] != which)
			continue;
		h->total++;
		if (d == RP_COLD) {
			h->cold++;
			continue;
		}
		count_one(h, d);
	}
	return true;
}

void
rp_hist_clear(struct rp_hist *h)
{
	EACH_GROUP(h, w, bits, g)
	memset(h->count + g * GROUP, 0, GROUP * sizeof *h->count);
	if (h->cap)
		memset(h->used, 0, words(h->cap) * sizeof *h->used);
	h->cold = h->total = 0;
}

void
rp_hist_free(struct rp_hist *h)
{
	free(h->count);
	free(h->used);
	*h = (struct rp_hist){ 0 };
}

uint64_t
rp_hist_next(const struct rp_hist *h, uint64_t from, uint64_t *distance)
{
	while (from < h->cap) {
		uint64_t group = from / GROUP, bits = h->used[group / 64] >> group % 64;
		if (!bits) { /* on to the next word */
			from = (group / 64 + 1) * 64 * GROUP;
			continue;
		}
		if (!(bits & 1)) {
			from = (group + (unsigned)__builtin_ctzll(bits)) * GROUP;
			continue;
		}
		for (uint64_t end = (group + 1) * GROUP; from < end; from++)
			if (h->count[from]) {
				*distance = from;
				return h->count[from];
			}
	}
	return 0;
}

uint64_t
rp_hist_misses(const struct rp_hist *h, uint64_t lines)
{
	uint64_t hits = 0, d = 0, n;
	for (uint64_t from = 0; (n = rp_hist_next(h, from, &d)) && d < lines; from = d + 1)
		hits += n;
	return h->total - hits;
}

uint64_t
rp_hist_bytes(const struct rp_hist *h)
{
	return h->cap * sizeof *h->count + words(h->cap) * sizeof *h->used;
}
