/* test_gpu_random.c - sim/gpu/cache.c against the second model (slow.c), on random traces, over all that a string can say. */
#include "tests/check.h"
#include "tests/sim/gpu/slow.h"

#include "base/rng.h"

static uint32_t
below(struct rp_rng *r, uint32_t n)
{
	return (uint32_t)rp_rng_below(r, n);
}

#define PICK(r, array) (array)[below(r, sizeof(array) / sizeof *(array))]

/* A specification of any kind; false: the string is one of those that are refused. */
static bool
draw_spec(struct rp_rng *r, struct rp_gpu_spec *s, char text[RP_GPU_STRING_ROOM])
{
	static const uint32_t plain_line[] = { 8, 32, 64, 128, 256 };
	static const uint32_t small_sets[] = { 1, 2, 4, 8 };
	static const uint32_t ways[] = { 1, 2, 3, 4, 5, 8, 70 };
	static const uint32_t entries[] = { 1, 2, 3, 4, 8, 32 };
	static const uint32_t merges[] = { 1, 2, 3, 8 };
	static const uint64_t latencies[] = { 1, 2, 3, 5, 10, 40 };
	static const uint32_t slices[] = { 1, 1, 1, 2, 4, 6, 16 };
	static const unsigned dirty[] = { 0, 0, 25, 50, 100 };
	char type = "SN"[below(r, 2)], hash = "LXPH"[below(r, 4)];
	uint32_t sets = hash == 'P'   ? 16u << below(r, 3)
	                : hash == 'H' ? 32u << below(r, 2)
	                              : PICK(r, small_sets);
	snprintf(text, RP_GPU_STRING_ROOM, "%c:%u:%u:%u,%c:%c:%c:%c:%c,A:%u:%u,%u", type, sets,
	    type == 'S' ? 128 : PICK(r, plain_line), PICK(r, ways), "LF"[below(r, 2)],
	    "BBTELR"[below(r, 6)], "mmmfs"[below(r, 5)], "NWFL"[below(r, 4)], hash,
	    PICK(r, entries), PICK(r, merges), 3 + below(r, 4));
	*s = (struct rp_gpu_spec){ .latency = PICK(r, latencies),
		.stall = below(r, 3),
		.level = below(r, 2),
		.dirty = PICK(r, dirty),
		.clock = below(r, 4) == 0,
		.queue = below(r, 3) == 0,
		.copies = below(r, 2),
		.shared = below(r, 3),
		.slices = PICK(r, slices),
		.slicing = below(r, 2) };
	return rp_gpu_string_parse(text, &s->string, NULL);
}

struct drawn {
	char kind; /* 'r', 'w', 'a' */
	bool local;
	uint64_t address, time;
	uint32_t size;
};

/* A few lines are used often, the others of the footprint now and then; what is used comes again soon. */
static struct drawn
draw_access(struct rp_rng *r, const struct rp_gpu_string *g, uint32_t lines, struct drawn *last)
{
	uint32_t grain = rp_gpu_string_grain(g);
	struct drawn d = { .kind = "rrrwwa"[below(r, 6)], .local = below(r, 3) == 0 };
	uint64_t line = below(r, 3) ? below(r, lines / 4 + 1) : below(r, lines);
	uint64_t unit = line * g->line + below(r, g->line / grain) * grain;
	if (below(r, 3) == 0)
		unit = last->address / grain * grain;
	uint32_t first = below(r, 3) ? below(r, grain) : 0;
	d.size = below(r, 3) ? 1 + below(r, grain - first) : grain - first;
	d.address = unit + first;
	d.time = last->time + (below(r, 3) ? below(r, 3) : below(r, 30));
	*last = d;
	return d;
}

/* The same access through the first model. */
static struct rp_gpu_event
through(struct rp_gpu_cache *c, const struct rp_gpu_string *g, const struct drawn *d,
    uint64_t fail[RP_GPU_FAILS], struct rp_requests *down)
{
	uint32_t grain = rp_gpu_string_grain(g), mask[9] = { 0 };
	uint32_t first = (uint32_t)(d->address % grain);
	for (uint32_t b = first; b < first + d->size; b++)
		mask[b / 32] |= UINT32_C(1) << b % 32;
	struct rp_gpu_access a = { .place = d->address / grain,
		.time = d->time,
		.write = d->kind == 'w',
		.atomic = d->kind == 'a',
		.local = d->local,
		.whole = d->size == grain,
		.mask = mask,
		.bytes = d->size,
		.first = d->address };
	struct rp_gpu_event e;
	struct rp_err err = { 0 };
	rp_gpu_cache_sets(c, &a.place, 1, &a.set);
	cr_assert(rp_gpu_cache_access(c, &a, &e, fail, down, &err), "%s", err.text);
	return e;
}

static uint64_t
sum_below(struct rp_requests *down)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < down->n; i++)
		sum += 3 * down->addr[i] + down->what[i];
	down->n = 0;
	return sum;
}

#define SAME(a, b, what)                                                                           \
	cr_assert_eq(a, b, "%s, access %u: %s %llu, not %llu", place, i, what,                     \
	    (unsigned long long)(a), (unsigned long long)(b))

static void
compare(const struct rp_gpu_event *e, const uint64_t *fail, uint64_t sent, uint64_t end,
    const struct slow_event *w, const char *place, unsigned i)
{
	static const char *const names[] = { "HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS" };
	cr_assert_str_eq(names[e->what & RP_GPU_PROBE], w->result, "%s, access %u: %s, not %s",
	    place, i, names[e->what & RP_GPU_PROBE], w->result);
	for (unsigned k = 0; k < RP_GPU_FAILS; k++)
		SAME(e->what & RP_GPU_REFUSED ? fail[k] : 0, w->fails[k], "fails");
	SAME(!!(e->what & RP_GPU_MERGED), w->mshr_hit, "MSHR_HIT");
	SAME(!!(e->what & RP_GPU_DROPPED), w->dropped, "dropped");
	SAME(e->stall, w->stall, "stall");
	SAME(!!(e->what & RP_GPU_REQUEST), w->fetches, "requests");
	SAME(!!(e->what & RP_GPU_WRITE), w->writes, "writes");
	SAME(e->evictions, w->replaced, "lines replaced");
	SAME(e->back_lines, w->back_lines, "lines written back");
	SAME(e->back_sectors, w->back_sectors, "sectors written back");
	SAME(sent, w->below, "sum of what is sent below");
	SAME(end, w->end, "time");
}

/* Marks between accesses, to both. */
static void
mark(struct rp_rng *r, struct rp_gpu_cache *c, struct slow *w, const struct rp_gpu_string *g,
    uint32_t lines)
{
	uint64_t line = below(r, lines);
	switch (below(r, 3)) {
	case 0:
		rp_gpu_cache_kernel_end(c);
		slow_kernel_end(w);
		break;
	case 1: {
		uint64_t at = line * g->line + below(r, g->line), bytes = 1 + below(r, 4 * g->line);
		rp_gpu_cache_host_copy(c, at, bytes);
		slow_host_copy(w, at, bytes);
		break;
	}
	default:
		rp_gpu_cache_drop(c, line, line);
		slow_invalidate(w, line * g->line);
	}
}

static void
run_one(struct rp_rng *r, const struct rp_gpu_spec *s, const char *place, unsigned n)
{
	struct rp_err err = { 0 };
	struct rp_gpu_cache *c = rp_gpu_cache_new(s, &err);
	struct slow *w = slow_new(s);
	struct rp_requests down = { 0 };
	struct drawn last = { 0 };
	uint64_t *end = calloc(s->slices, sizeof *end);
	uint32_t all = s->string.sets * s->string.ways * s->slices;
	uint32_t lines = 2 + below(r, 3 * (all < 200 ? all : 200));
	cr_assert(c, "%s", err.text);
	for (unsigned i = 0; i < n; i++) {
		struct drawn d = draw_access(r, &s->string, lines, &last);
		uint64_t fail[RP_GPU_FAILS];
		struct rp_gpu_event e = through(c, &s->string, &d, fail, &down);
		struct slow_event x = slow_access(w, d.kind, d.local, d.address, d.size, d.time);
		uint64_t line = d.address / s->string.line * s->string.line;
		uint32_t slice =
		    rp_gpu_slice((enum rp_gpu_slicing)s->slicing, s->slices, s->string.line, line)
			.slice;
		end[slice] += e.time;
		compare(&e, fail, sum_below(&down), end[slice], &x, place, i);
		if (below(r, 100) == 0)
			mark(r, c, w, &s->string, lines);
	}
	free(end);
	rp_requests_free(&down);
	rp_gpu_cache_free(c);
	slow_free(w);
}

RP_TEST(gpu_random, both_models_agree_on_every_access)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("gpu_random"), "specs", 0);
	unsigned run = 0;
	while (run < 1500 * rp_test_scale()) {
		struct rp_gpu_spec s;
		char text[RP_GPU_STRING_ROOM], place[2 * RP_GPU_STRING_ROOM];
		if (!draw_spec(&r, &s, text))
			continue;
		snprintf(place, sizeof place,
		    "%s latency %llu stall %u level %u dirty %u clock %d missq %d copies %d shared "
		    "%u slices %u %u (%u)",
		    text, (unsigned long long)s.latency, s.stall, s.level, s.dirty, s.clock,
		    s.queue, s.copies, s.shared, s.slices, s.slicing, run);
		run_one(&r, &s, place, 400);
		run++;
	}
}
