/* mshr_loop.h - the pass of MSHRs that are not many (sim/mshr.h), by windows; part of kernels.c.
 *
 * An entry is pending for the `latency` lookups from the one on that began it, and those of its line among them join it. So
 * when it begins they are looked for at once, among keys of 16 bits, many at a time: a hit of another line costs nothing. What
 * is left are the misses, one after the other. When an entry ends is known before: it began in an earlier block of 64 lookups,
 * or `latency` lookups ago. */
#ifndef RP_SIM_MSHR_LOOP_H
#define RP_SIM_MSHR_LOOP_H

#include "sim/mshr_state.h"
#include "sim/ways.h"

/* Latencies up to this are looked through for every miss, whether it begins an entry or not, which nobody could predict. */
enum { MSHR_QUICK = 128 };

/* The first n of 64 bits. */
RP_INLINE uint64_t
mshr_first(uint64_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Those of lookups from + 0..63 whose key is an entry's, a bit each: the ones of its line join it. */
static __attribute__((noinline)) void
mshr_join(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_pending *e,
    size_t from, uint64_t found)
{
	for (; found; found &= found - 1) {
		size_t i = from + (size_t)__builtin_ctzll(found);
		if (i >= in->n)
			break;
		if (in->line[i] != e->line || rp_mshr_passes(in, i, outcome[i]))
			continue;
		outcome[i] = rp_mshr_joined(m, e, outcome[i]);
		m->ask[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

/* The same of lookups [from, to). */
RP_INLINE void
mshr_window(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_pending *e,
    uint16_t key, size_t from, size_t to)
{
	for (; from < to; from += 64) {
		uint64_t found = ways_among16(m->key + from, key) & mshr_first(to - from);
		if (found)
			mshr_join(m, in, outcome, e, from, found);
	}
}

RP_INLINE uint16_t
mshr_key(uint64_t line)
{
	return (uint16_t)(rp_pendings_mix(line) >> 16);
}

/* Keys, and the misses that ask for their lines. */
RP_INLINE void
mshr_prepare(struct rp_mshr *m, const struct rp_lookups *in, const uint8_t *outcome)
{
	size_t n = in->n;
	for (size_t i = 0; i < n; i += RP_BLOCK) {
		const uint64_t *line = in->line + i;
		uint16_t *restrict key = m->key + i;
		for (size_t j = 0; j < RP_BLOCK; j++)
			key[j] = mshr_key(line[j]);
	}
	for (size_t i = 0; i < n; i += 64) {
		uint64_t in_chunk = mshr_first(n - i), ask = ways_with(outcome + i, RP_MISSED),
			 out = ways_with(outcome + i, RP_NO_FILL) & in_chunk;
		for (; out; out &= out - 1) {
			size_t k = (size_t)__builtin_ctzll(out);
			ask &= ~((uint64_t)rp_mshr_passes(in, i + k, outcome[i + k]) << k);
		}
		m->ask[i / 64] = ask & in_chunk;
	}
}

/* Entries that end with lookups 0 .. n - 1, a bit each, the first of which is at `now`. */
RP_INLINE uint64_t
mshr_ends(const struct rp_pendings *p, uint64_t now, size_t n)
{
	uint64_t ends = 0;
	for (uint64_t k = p->first; k < p->end; k++) {
		uint64_t left = p->ring[k & p->mask].due - now;
		if (left >= n)
			break;
		ends |= UINT64_C(1) << left;
	}
	return ends;
}

/* Lookups of entries that are pending when the chunk begins; units of time until all of them have ended. */
RP_INLINE uint64_t
mshr_go_on(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome)
{
	struct rp_pendings *p = &m->pending;
	uint64_t units = 0;
	for (uint64_t k = p->first; k < p->end; k++) {
		struct rp_pending *e = &p->ring[k & p->mask];
		uint64_t left = e->due - m->now;
		mshr_window(m, in, outcome, e, mshr_key(e->line), 0, left < in->n ? left : in->n);
		units += left;
	}
	return units;
}

/* Units of time that the entries have left at `now`. */
RP_INLINE uint64_t
mshr_left(const struct rp_pendings *p, uint64_t now)
{
	uint64_t units = 0;
	for (uint64_t k = p->first; k < p->end; k++)
		units += p->ring[k & p->mask].due - now;
	return units;
}

/* Wants a latency of at least 1, and room for an entry for each lookup or all there may be, and one more. `quick` is a
 * constant. */
RP_INLINE void
mshr_pass(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits,
    bool quick)
{
	const uint64_t latency = m->latency, near = mshr_first(latency - 1),
		       far = latency > 64 ? mshr_first(latency - 65) : 0;
	const size_t n = in->n;
	mshr_prepare(m, in, outcome);
	uint64_t held = mshr_go_on(m, in, outcome), begun = 0, most = 0;
	struct rp_pendings p = m->pending;
	for (size_t b = 0; b < n; b += 64) {
		size_t size = n - b < 64 ? n - b : 64;
		uint64_t ends = mshr_ends(&p, m->now + b, size), began = 0, mask,
			 after = UINT64_MAX;
		if (!b)
			most = rp_pendings_count(&p) - (ends & 1);
		while ((mask = m->ask[b / 64] & after)) {
			unsigned k = (unsigned)__builtin_ctzll(mask);
			size_t i = b + k;
			after = UINT64_MAX << k << 1;
			uint64_t count = rp_pendings_count(&p) -
			                 (uint64_t)__builtin_popcountll(ends & ~after),
				 begins = count < m->entries;
			outcome[i] |= (uint8_t)((begins ^ 1) * RP_MSHR_FULL);
			if (!quick && !begins)
				continue;
			struct rp_pending *e =
			    rp_pendings_put(&p, in->line[i], m->now + i + latency, begins);
			if (quick) {
				uint64_t all = -begins;
				uint64_t x = ways_among16(m->key + i + 1, m->key[i]) & near & all;
				uint64_t y = ways_among16(m->key + i + 65, m->key[i]) & far & all;
				if (x | y) {
					mshr_join(m, in, outcome, e, i + 1, x);
					mshr_join(m, in, outcome, e, i + 65, y);
				}
			} else {
				size_t to = n - i < latency ? n : i + (size_t)latency;
				mshr_window(m, in, outcome, e, m->key[i], i + 1, to);
			}
			most = count + begins > most ? count + begins : most;
			began |= begins << k;
			if (latency < size - k)
				ends |= begins << (k + latency);
		}
		begun += (uint64_t)__builtin_popcountll(began);
		p.first += (uint64_t)__builtin_popcountll(ends);
		waits->began[b / 64] = began;
		waits->ended[b / 64] = ends;
	}
	waits->held = held + begun * latency - mshr_left(&p, m->now + n);
	waits->most = (uint32_t)most;
	m->pending = p;
}

static void
mshr_run(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	if (m->latency <= MSHR_QUICK)
		mshr_pass(m, in, outcome, waits, true);
	else
		mshr_pass(m, in, outcome, waits, false);
}

#endif
