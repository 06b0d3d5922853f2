/* surface.c - the merge surface. */
#include "config.h"

#include "learn/surface.h"

#include "base/mem.h"
#include "sim/observe/reuse.h"

#include <string.h>

/* A vector has all capacities for one latency. */
typedef int16_t eight __attribute__((vector_size(2 * RP_CAPACITIES)));

enum { NO_WINDOW = 8192 }; /* an age beyond any latency, to which another 1023 can be added */

struct rp_surface {
	eight age[RP_LATENCY_MOST][RP_LATENCIES]; /* of windows, by access modulo RP_LATENCY_MOST */
	eight none[RP_LATENCIES];                 /* no window is open */
	eight merged[RP_LATENCIES], primary[RP_LATENCIES]; /* of the accesses at hand */
	eight window[RP_LATENCIES];                        /* primaries of the T accesses at hand */
	uint64_t now, begin;               /* accesses; of them before what is counted */
	uint64_t level[RP_CAPACITIES + 1]; /* accesses that miss so many of the capacities */
	uint64_t sum[RP_LATENCIES][RP_CAPACITIES], square[RP_LATENCIES][RP_CAPACITIES];
	struct rp_surface_counts counts;
};

uint64_t
rp_capacity(unsigned i)
{
	return i + 1 == RP_CAPACITIES ? UINT64_MAX : i ? UINT64_C(2) << 2 * i : 0;
}

struct rp_surface *
rp_surface_new(struct rp_err *err)
{
	struct rp_surface *s = rp_mem_aligned(64, 1, sizeof *s, err);
	for (int t = 0; s && t < RP_LATENCIES; t++)
		s->none[t] = (eight){ 0 } + NO_WINDOW;
	return s;
}

void
rp_surface_free(struct rp_surface *s)
{
	free(s);
}

/* How many of the capacities an access misses; they ascend, so it is the first ones. */
static unsigned
missed(uint32_t distance)
{
	return 1u + (distance >= 8) + (distance >= 32) + (distance >= 128) + (distance >= 512) +
	       (distance >= 2048) + (distance >= 8192) + (distance == RP_COLD);
}

/* From lane 8 - k on, k lanes are set and those behind not. */
static const int16_t set_before[2 * RP_CAPACITIES] = { -1, -1, -1, -1, -1, -1, -1, -1 };

static void
step(struct rp_surface *s, unsigned k, uint64_t since)
{
	const eight *before =
	    since && since < RP_LATENCY_MOST ? s->age[(s->now - since) % RP_LATENCY_MOST] : s->none;
	eight *after = s->age[s->now % RP_LATENCY_MOST], miss;
	eight later = (eight){ 0 } + (int16_t)(since < RP_LATENCY_MOST ? since : 0);
	memcpy(&miss, set_before + RP_CAPACITIES - k, sizeof miss);
	eight closed = ~miss & NO_WINDOW; /* what a hit outside any window leaves */
	for (int t = 0; t < RP_LATENCIES; t++) {
		eight age = before[t] + later, in = age < (int16_t)(RP_LATENCY_LEAST << t),
		      primary = miss & ~in;
		after[t] = (age & in) | (closed & ~in);
		s->merged[t] -= in;
		s->primary[t] -= primary;
		s->window[t] -= primary;
	}
}

/* Ends the windows that end with this access. */
static void
end_windows(struct rp_surface *s)
{
	uint64_t at = s->now + 1 - s->begin;
	for (unsigned t = 0; t < RP_LATENCIES && at % ((uint64_t)RP_LATENCY_LEAST << t) == 0; t++) {
		for (int c = 0; c < RP_CAPACITIES; c++) {
			uint64_t x = (uint16_t)s->window[t][c];
			s->sum[t][c] += x;
			s->square[t][c] += x * x;
		}
		s->window[t] = (eight){ 0 };
	}
}

void
rp_surface_add(struct rp_surface *s, const uint32_t *distance, const uint64_t *since, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned k = missed(distance[i]);
		s->level[k]++;
		step(s, k, since[i]);
		if ((s->now + 1 - s->begin) % RP_LATENCY_LEAST == 0)
			end_windows(s);
		s->now++;
	}
	for (int t = 0; t < RP_LATENCIES; t++) {
		for (int c = 0; c < RP_CAPACITIES; c++) {
			s->counts.merged[c][t] += (uint16_t)s->merged[t][c];
			s->counts.primary[c][t] += (uint16_t)s->primary[t][c];
		}
		s->merged[t] = s->primary[t] = (eight){ 0 };
	}
}

void
rp_surface_take(struct rp_surface *s, struct rp_surface_counts *out)
{
	*out = s->counts;
	out->n = s->now - s->begin;
	for (unsigned c = RP_CAPACITIES, k = c; k > 0; k--)
		out->missed[k - 1] = s->level[k] + (k < c ? out->missed[k] : 0);
	for (int t = 0; t < RP_LATENCIES; t++)
		for (int c = 0; c < RP_CAPACITIES; c++) {
			double windows = (double)(out->n / ((uint64_t)RP_LATENCY_LEAST << t)),
			       sum = (double)s->sum[t][c], square = (double)s->square[t][c];
			out->dispersion[c][t] = sum > 0 ? square / sum - sum / windows : 1;
		}
	memset(&s->counts, 0, sizeof s->counts);
	memset(s->level, 0, sizeof s->level);
	memset(s->sum, 0, sizeof s->sum);
	memset(s->square, 0, sizeof s->square);
	memset(s->window, 0, sizeof s->window);
	s->begin = s->now;
}
