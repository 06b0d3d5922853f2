/* listed.h - holds every loop of a policy that keeps lists against a slow, obvious model: lookup by lookup, and the line that leaves. */
#ifndef RP_TESTS_SIM_POLICY_LISTED_H
#define RP_TESTS_SIM_POLICY_LISTED_H

#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "sim/cache.h"

/* Lines in order, the newest first; searched end to end. */
struct list {
	size_t n;
	uint64_t *x;
};

static inline size_t
list_find(const struct list *l, uint64_t line)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->x[i] == line)
			return i;
	return SIZE_MAX;
}

static inline bool
list_has(const struct list *l, uint64_t line)
{
	return list_find(l, line) != SIZE_MAX;
}

/* Whether it was there. */
static inline bool
list_remove(struct list *l, uint64_t line)
{
	size_t i = list_find(l, line);
	if (i == SIZE_MAX)
		return false;
	memmove(l->x + i, l->x + i + 1, (--l->n - i) * sizeof *l->x);
	return true;
}

static inline void
list_push(struct list *l, uint64_t line)
{
	memmove(l->x + 1, l->x, l->n++ * sizeof *l->x);
	l->x[0] = line;
}

static inline uint64_t
list_pop(struct list *l)
{
	return l->x[--l->n];
}

/* A set of the model: lists, as many as the policy wants, and numbers of its own. Lines below LINES_MOST. */
enum { LISTS_MOST = 4, LINES_MOST = 1 << 15 };
struct listed_set {
	const uint64_t *arg; /* the policy's parameters */
	size_t ways;
	struct list list[LISTS_MOST];
	__int128 number;
	uint8_t *note; /* of a line */
	uint64_t *count;
};

enum { NO_LINE = -1 };
struct listed_policy {
	const char *spec;  /* how a specification starts: "arc" */
	unsigned resident; /* the first so many lists are lines in the cache */
	void (*hit)(struct listed_set *s, uint64_t line);
	int64_t (*miss)(
	    struct listed_set *s, uint64_t line);          /* brings it in: what left, or NO_LINE */
	void (*drop)(struct listed_set *s, uint64_t line); /* NULL: leaves its list */
};

static inline bool
listed_has(const struct listed_policy *p, const struct listed_set *s, uint64_t line)
{
	for (unsigned i = 0; i < p->resident; i++)
		if (list_has(&s->list[i], line))
			return true;
	return false;
}

/* What a lookup does to the set: its outcome byte. */
static inline uint8_t
listed_look(const struct listed_policy *p, struct listed_set *s, uint64_t line, bool no_fill,
    bool dirties, bool *dirty, int64_t *victim)
{
	*victim = NO_LINE;
	if (listed_has(p, s, line)) {
		p->hit(s, line);
		dirty[line] |= dirties;
		return 0;
	}
	if (no_fill)
		return RP_MISSED | RP_NO_FILL;
	*victim = p->miss(s, line);
	bool back = *victim != NO_LINE && dirty[*victim];
	dirty[line] = dirties;
	return (uint8_t)(RP_MISSED | (*victim != NO_LINE ? RP_EVICTED : 0) |
			 (back ? RP_WROTE_BACK : 0));
}

/* One specification, by every loop and by the model. */
struct listed_run {
	struct rp_cache_spec spec;
	struct rp_cache *cache[8];
	size_t caches;
	struct listed_set *set;
	bool *dirty;
	struct rp_expand *expand;
};

static inline void
listed_open(struct listed_run *r, const char *text)
{
	static const enum rp_level levels[] = { RP_LEVEL_MODEL, RP_LEVEL_C, RP_LEVEL_V3 };
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 1, &r->spec, &err), "%s", err.text);
	for (int i = 0; i < 6; i++)
		if (rp_level_runs(levels[i / 2]))
			cr_assert(r->cache[r->caches++] =
				      rp_cache_new(&r->spec, levels[i / 2], i % 2, NULL));
	r->set = calloc(r->spec.sets, sizeof *r->set);
	r->dirty = calloc(LINES_MOST, sizeof *r->dirty);
	for (uint32_t s = 0; s < r->spec.sets; s++) {
		struct listed_set *set = &r->set[s];
		set->arg = r->spec.arg;
		set->ways = r->spec.ways;
		set->note = calloc(LINES_MOST, 1);
		set->count = calloc(LINES_MOST, sizeof *set->count);
		for (int k = 0; k < LISTS_MOST; k++)
			set->list[k].x = calloc(2 * set->ways + 2, sizeof(uint64_t));
	}
	r->expand =
	    rp_expand_new((unsigned)__builtin_ctz(r->spec.line), false, true, RP_LEVEL_BEST, NULL);
}

static inline void
listed_close(struct listed_run *r)
{
	for (uint32_t s = 0; s < r->spec.sets; s++) {
		for (int k = 0; k < LISTS_MOST; k++)
			free(r->set[s].list[k].x);
		free(r->set[s].note);
		free(r->set[s].count);
	}
	for (size_t i = 0; i < r->caches; i++)
		rp_cache_free(r->cache[i]);
	free(r->set);
	free(r->dirty);
	rp_expand_free(r->expand);
	rp_cache_spec_free(&r->spec);
}

/* The batch, whose accesses lie in one line each. */
static inline void
listed_batch(
    struct listed_run *r, const struct listed_policy *p, const struct rp_batch *b, const char *text)
{
	static uint8_t outcome[8][RP_CHUNK + 64];
	static uint64_t victim[8][RP_CHUNK + 64];
	for (size_t row = 0; row < b->n;) {
		const struct rp_lookups *in = rp_expand_next(r->expand, b, &row, UINT64_MAX);
		for (size_t k = 0; k < r->caches; k++)
			cr_assert(rp_cache_run(
			    r->cache[k], in, outcome[k], k % 2 ? victim[k] : NULL, NULL));
		for (size_t i = 0; i < in->n; i++) {
			int64_t left;
			bool no_fill = r->spec.allocate == RP_ALLOCATE_NO_WRITE && in->store[i];
			bool dirties = r->spec.write == RP_WRITE_BACK && in->dirty[i];
			uint8_t want = listed_look(p, &r->set[in->line[i] % r->spec.sets],
			    in->line[i], no_fill, dirties, r->dirty, &left);
			for (size_t k = 0; k < r->caches; k++) {
				const char *engine = rp_cache_engine(r->cache[k]);
				cr_assert_eq(outcome[k][i], want, "%s: %s says %d, not %d", text,
				    engine, outcome[k][i], want);
				if (k % 2 && (want & RP_EVICTED))
					cr_assert_eq(victim[k][i], (uint64_t)left,
					    "%s: %s replaces %d, not %d", text, engine,
					    (int)victim[k][i], (int)left);
			}
		}
	}
}

/* Lines first..last go, from the caches and the model. */
static inline void
listed_drop(struct listed_run *r, const struct listed_policy *p, uint64_t first, uint64_t last)
{
	for (uint64_t line = first; line <= last; line++) {
		struct listed_set *s = &r->set[line % r->spec.sets];
		r->dirty[line] = false;
		if (!listed_has(p, s, line))
			continue;
		if (p->drop)
			p->drop(s, line);
		for (unsigned i = 0; i < p->resident; i++)
			list_remove(&s->list[i], line);
	}
	for (size_t k = 0; k < r->caches; k++)
		rp_cache_drop(r->cache[k], first, last);
}

/* A line with some locality: often a recent one, else a loop over more than fits, or any. */
static inline uint64_t
listed_line(struct rp_rng *rng, uint64_t i, uint64_t lines, unsigned taste)
{
	uint64_t r = rp_rng_next(rng), any = rp_rng_below(rng, lines);
	switch ((r + taste) % 4) {
	case 0:
		return any * any / lines; /* low ones are more frequent */
	case 1:
		return i / (1 + taste % 3) % lines;
	case 2:
		return any * any / lines * any / lines;
	default:
		return (i / 7 + r / 16 % 8) % lines;
	}
}

/* `n` accesses through one geometry; `drops`: with invalidations in between. */
static inline void
listed_compare(const struct listed_policy *p, struct rp_rng *rng, const char *text, size_t n,
    uint64_t lines, bool drops)
{
	struct listed_run r = { 0 };
	struct rp_batch *b = rp_batch_new(4096, 0, NULL);
	unsigned taste = (unsigned)rp_rng_below(rng, 16);
	listed_open(&r, text);
	for (size_t i = 0; i < n;) {
		size_t piece = 1 + rp_rng_below(rng, drops ? 200 : 4096);
		rp_batch_clear(b);
		for (; b->n < piece && i < n; i++)
			rp_batch_put(
			    b, &(struct rp_access){ .addr = 64 * listed_line(rng, i, lines, taste),
				   .size = 1,
				   .kind = rp_rng_below(rng, 4) ? RP_READ : RP_WRITE });
		listed_batch(&r, p, b, text);
		if (drops) {
			uint64_t first = rp_rng_below(rng, lines), more = rp_rng_below(rng, 8);
			listed_drop(&r, p, first, more == 7 ? lines - 1 : first + more / 3);
		}
	}
	listed_close(&r);
	rp_batch_free(b);
}

/* Random geometries, some fully associative, some with invalidations; 10^5 accesses and more in all. */
static inline void
listed_random(const struct listed_policy *p, const char *test)
{
	struct rp_rng rng = { rp_test_seed(test) };
	static const uint32_t some[] = { 1, 2, 3, 4, 8, 12, 16, 24, 32 };
	for (unsigned i = 0; i < 60 * rp_test_scale(); i++) {
		char text[128];
		bool full = i % 5 == 4;
		uint32_t sets = full ? 1 : 1 + (uint32_t)rp_rng_below(&rng, i % 2 ? 64 : 4);
		uint32_t ways = full    ? 33 + (uint32_t)rp_rng_below(&rng, 400)
		                : i % 3 ? some[rp_rng_below(&rng, 9)]
		                        : 1 + (uint32_t)rp_rng_below(&rng, 32);
		uint64_t lines = (uint64_t)sets * ways * (3 + rp_rng_below(&rng, 6)) / 3 + 2;
		uint64_t r = rp_rng_next(&rng);
		snprintf(text, sizeof text, "%s,sets=%u,ways=%u,write=%s,allocate=%s", p->spec,
		    sets, ways, r & 6 ? "back" : "through", r & 24 ? "write" : "no-write");
		listed_compare(p, &rng, text, 4000, lines, i % 4 == 3);
	}
}

#endif
