/* run.c - a GPGPU-Sim cache behind a module: lookups made into its accesses, its events made into counters. */
#include "config.h"

#include "sim/gpu/run.h"
#include "sim/mshr.h"

#include "base/mem.h"

#include <string.h>

struct rp_gpu {
	const struct rp_gpu_spec *spec;
	const struct rp_trace *trace;
	struct rp_gpu_cache *cache;
	unsigned bits;   /* log2 of what a lookup is of */
	uint64_t kernel; /* number of the one that runs */
	bool told;       /* the cache knows whether it uses shared memory */
	bool far;
	uint32_t *mask; /* of a write */
	uint32_t set[RP_CHUNK];
	struct rp_gpu_result result;
};

struct rp_gpu *
rp_gpu_new(const struct rp_gpu_spec *s, const struct rp_trace *t, struct rp_err *err)
{
	struct rp_gpu *g = rp_mem_array(1, sizeof *g, err);
	if (!g)
		return NULL;
	uint32_t grain = rp_gpu_string_grain(&s->string);
	g->spec = s;
	g->trace = t;
	g->bits = (unsigned)__builtin_ctz(grain);
	g->told = s->string.alloc != 's' || s->shared != RP_GPU_SHARED_TRACE || !t;
	g->mask = rp_mem_array(grain / 32 + 1, sizeof *g->mask, err);
	g->cache = rp_gpu_cache_new(s, err);
	if (!g->mask || !g->cache) {
		rp_gpu_free(g);
		return NULL;
	}
	rp_gpu_among(g, 1);
	return g;
}

void
rp_gpu_among(struct rp_gpu *g, size_t caches)
{
	g->far = rp_gpu_cache_is_far(g->cache, caches);
}

void
rp_gpu_free(struct rp_gpu *g)
{
	if (!g)
		return;
	rp_gpu_cache_free(g->cache);
	free(g->mask);
	free(g);
}

/* Sets bits first..last of a mask. */
static void
set_bits(uint32_t *mask, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++)
		mask[i / 32] |= UINT32_C(1) << i % 32;
}

/* The bytes first..last that a write and [base, base + grain) share, as bits from base on. */
static void
set_span(uint32_t *mask, uint64_t base, uint64_t grain, uint64_t first, uint64_t last)
{
	first = first > base ? first : base;
	last = last < base + (grain - 1) ? last : base + (grain - 1);
	if (first <= last)
		set_bits(mask, first - base, last - base);
}

/* Whether row i is a GPU transaction whose mask says which of its bytes are touched. */
static bool
has_mask(const struct rp_batch *b, size_t i)
{
	return b->mask && b->mask[i] && b->size[i] <= 128;
}

/* Which bytes a write of `bytes` bytes touches of what is looked up at `base`: those of its row. A request whose row is
 * another's (a line written back) is taken to touch the first ones. */
static void
mask_of(struct rp_gpu *g, const struct rp_batch *b, size_t i, uint64_t base, uint32_t bytes)
{
	uint64_t grain = UINT64_C(1) << g->bits, n = 0;
	size_t words = grain / 32 + 1;
	memset(g->mask, 0, words * sizeof *g->mask);
	if (has_mask(b, i)) {
		uint64_t step = b->size[i] > 32 ? b->size[i] / 32 : 1;
		uint64_t segment = b->addr[i] & ~(32 * step - 1);
		for (uint32_t m = b->mask[i]; m; m &= m - 1) {
			uint64_t first = segment + (unsigned)__builtin_ctz(m) * step;
			set_span(g->mask, base, grain, first, first + step - 1);
		}
	} else {
		set_span(g->mask, base, grain, b->addr[i], rp_batch_last(b, i));
	}
	for (size_t k = 0; k < words; k++)
		n += (unsigned)__builtin_popcount(g->mask[k]);
	if (n == bytes)
		return;
	memset(g->mask, 0, words * sizeof *g->mask);
	set_bits(g->mask, 0, bytes - UINT64_C(1));
}

/* Tells a cache that streams whether the kernel at hand uses shared memory, as far as the trace knows. */
static void
tell_kernel(struct rp_gpu *g)
{
	if (g->kernel < g->trace->n_kernels)
		rp_gpu_cache_streams(g->cache, g->trace->kernels[g->kernel].shared_bytes != 0);
	g->told = true;
}

static inline void
access_of(
    struct rp_gpu *g, const struct rp_lookups *in, size_t i, bool masks, struct rp_gpu_access *a)
{
	const struct rp_batch *b = in->in;
	uint32_t row = in->row[i], bytes = in->bytes[i];
	uint64_t base = in->line[i] << g->bits;
	a->place = in->line[i];
	a->set = g->set[i];
	a->write = in->store[i];
	a->atomic = in->kind[i] == RP_ATOMIC;
	a->local = b->flags && (b->flags[row] & RP_SPACE) == RP_LOCAL;
	a->row = row;
	a->bytes = bytes;
	a->first = b->addr[row] > base ? b->addr[row] : base;
	if (g->spec->clock)
		a->time = b->time[row];
	a->whole = bytes == UINT64_C(1) << g->bits;
	if (masks && a->write && !a->whole && bytes)
		mask_of(g, b, row, base, bytes);
}

bool
rp_gpu_run(struct rp_gpu *g, const struct rp_lookups *in, uint8_t *outcome,
    const struct rp_gpu_result **result, struct rp_requests *down, struct rp_err *err)
{
	struct rp_gpu_result *r = &g->result;
	bool masks = rp_gpu_cache_wants_mask(g->cache);
	struct rp_gpu_access a = { .mask = g->mask };
	rp_gpu_cache_sets(g->cache, in->line, in->n, g->set);
	r->refusals = 0;
	*result = r;
	if (g->spec->clock && !rp_mshr_has_time(in, err))
		return false;
	if (!g->told && in->n)
		tell_kernel(g);
	for (size_t i = 0; i < in->n; i++) {
		if (g->far)
			rp_gpu_cache_prefetch(g->cache, in->line, g->set, in->n, i);
		access_of(g, in, i, masks, &a);
		struct rp_gpu_event *e = &r->event[i];
		struct rp_gpu_refusal *f = &r->refusal[r->refusals];
		if (!rp_gpu_cache_access(g->cache, &a, e, f->fail, down, err))
			return false;
		f->lookup = (uint32_t)i;
		r->refusals += !!(e->what & RP_GPU_REFUSED);
		outcome[i] =
		    (uint8_t)(((e->what & RP_GPU_PROBE) != RP_GPU_HIT ? RP_MISSED | RP_NO_FILL
								      : 0) |
			      (e->evictions ? RP_EVICTED : 0));
	}
	return true;
}

struct rp_gpu_written
rp_gpu_mark(struct rp_gpu *g, const struct rp_batch *b, size_t row)
{
	unsigned bits = (unsigned)__builtin_ctz(g->spec->string.line);
	uint64_t first = b->addr[row], last = rp_batch_last(b, row);
	switch (b->kind[row]) {
	case RP_KERNEL_END:
		rp_gpu_cache_kernel_end(g->cache);
		g->kernel = first + 1;
		g->told = g->spec->string.alloc != 's' || g->spec->shared != RP_GPU_SHARED_TRACE ||
		          !g->trace;
		break;
	case RP_HOST_COPY:
		rp_gpu_cache_host_copy(g->cache, first, b->size[row]);
		break;
	case RP_COPY_BACK:
		return rp_gpu_cache_clean(g->cache, first >> bits, last >> bits);
	case RP_INVALIDATE:
		rp_gpu_cache_drop(g->cache, first >> bits, last >> bits);
		break;
	}
	return (struct rp_gpu_written){ 0, 0 };
}

struct rp_gpu_written
rp_gpu_flush(struct rp_gpu *g)
{
	return rp_gpu_cache_clean(g->cache, 0, UINT64_MAX);
}

/* Sums over events. */
struct sums {
	uint64_t time, stall, held, evictions, evicting, back_lines, back_sectors, written;
	uint32_t entries;
};

static inline void
add_event(struct sums *s, const struct rp_gpu_event *e, uint32_t bytes)
{
	s->time += e->time;
	s->stall += e->stall;
	s->held += e->held;
	s->evictions += e->evictions;
	s->evicting += e->evictions != 0;
	s->back_lines += e->back_lines;
	s->back_sectors += e->back_sectors;
	s->written += e->what & RP_GPU_WRITE ? bytes : 0;
	s->entries = e->entries > s->entries ? e->entries : s->entries;
}

/* `n` events that are alike in what they say. */
static void
count_what(unsigned what, uint64_t n, uint64_t grain, struct rp_counters *to)
{
	uint64_t merged = what & RP_GPU_MERGED ? n : 0, request = what & RP_GPU_REQUEST ? n : 0;
	uint64_t fills = what & RP_GPU_DROPPED ? 0 : request;
	uint64_t *const probe[] = { &to->HIT, &to->HIT_RESERVED, &to->MISS, &to->SECTOR_MISS };
	*probe[what & RP_GPU_PROBE] += n;
	to->TOTAL_ACCESS += n;
	to->MSHR_HIT += merged;
	to->merged += merged;
	to->requests += request;
	to->fetches += request;
	to->mshr_asked += merged + request;
	to->fills += fills;
	to->bytes_filled += fills * grain;
	to->write_through += what & RP_GPU_WRITE ? n : 0;
}

static void
count_rest(const struct sums *s, uint64_t grain, struct rp_counters *to)
{
	to->stall += s->stall;
	to->stall_units += s->stall;
	to->end_time += s->time;
	to->mshr_time += s->time;
	to->mshr_held += s->held;
	to->evictions +=
	    s->evictions - s->evicting; /* one of a lookup is counted from its outcome */
	to->writebacks += s->back_lines;
	to->writeback_lines += s->back_lines;
	to->writeback_sectors += s->back_sectors;
	to->bytes_written += s->written + s->back_sectors * grain;
	if (s->entries > to->mshr_occupancy_max)
		to->mshr_occupancy_max = s->entries;
}

void
rp_gpu_count_one(const struct rp_gpu_spec *s, const struct rp_lookups *in,
    const struct rp_gpu_result *r, size_t i, struct rp_counters *to)
{
	const struct rp_gpu_event *e = &r->event[i];
	uint64_t grain = rp_gpu_string_grain(&s->string);
	struct sums sum = { 0 };
	add_event(&sum, e, in->bytes[i]);
	count_what(e->what, 1, grain, to);
	count_rest(&sum, grain, to);
}

void
rp_gpu_count(const struct rp_gpu_spec *s, const struct rp_lookups *in,
    const struct rp_gpu_result *r, struct rp_counters *to)
{
	uint64_t grain = rp_gpu_string_grain(&s->string);
	struct sums sum = { 0 };
	uint32_t n[RP_GPU_WHATS] = { 0 };
	for (size_t i = 0; i < in->n; i++) {
		n[r->event[i].what]++;
		add_event(&sum, &r->event[i], in->bytes[i]);
	}
	for (unsigned what = 0; what < RP_GPU_WHATS; what++)
		if (n[what])
			count_what(what, n[what], grain, to);
	count_rest(&sum, grain, to);
	for (size_t i = 0; i < r->refusals; i++)
		rp_gpu_count_refusal(&r->refusal[i], to);
}

void
rp_gpu_count_refusal(const struct rp_gpu_refusal *r, struct rp_counters *to)
{
	for (unsigned k = 0; k < RP_GPU_FAILS; k++)
		to->RESERVATION_FAIL += r->fail[k];
	to->LINE_ALLOC_FAIL += r->fail[RP_GPU_LINE_ALLOC_FAIL];
	to->MSHR_ENTRY_FAIL += r->fail[RP_GPU_MSHR_ENTRY_FAIL];
	to->MSHR_MERGE_ENTRY_FAIL += r->fail[RP_GPU_MSHR_MERGE_ENTRY_FAIL];
	to->MSHR_RW_PENDING += r->fail[RP_GPU_MSHR_RW_PENDING];
	to->MISS_QUEUE_FULL += r->fail[RP_GPU_MISS_QUEUE_FULL];
	to->ways_full += r->fail[RP_GPU_LINE_ALLOC_FAIL];
	to->mshr_full += r->fail[RP_GPU_MSHR_ENTRY_FAIL];
	to->merge_full += r->fail[RP_GPU_MSHR_MERGE_ENTRY_FAIL];
}
