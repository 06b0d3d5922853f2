/* slow.h - a slow, obvious cache, to hold policies against: every way of a set is looked at, state is plain numbers.
 *
 * A test gives the policy as its published pseudo-code says it, in three functions; slow_compare replays random traces,
 * with invalidations and copies back in between, and expects the same of every single access from all loops. */
#ifndef RP_TESTS_SIM_POLICY_SLOW_H
#define RP_TESTS_SIM_POLICY_SLOW_H

#include "tests/sim/replay_check.h"

#include "base/rng.h"

struct slow_way {
	uint64_t line;
	bool valid, dirty;
	int64_t note; /* the policy's, 0 at first */
};

struct slow {
	const struct rp_cache_spec *spec;
	uint32_t sets, ways;
	const uint64_t *arg;
	struct slow_way *way; /* [sets * ways] */
	int64_t *set, all;    /* the policy's, of each set and of all; 0 at first */
	uint32_t s;           /* the set at hand, */
	struct slow_way *now; /* and its ways */
	struct rp_rng rng;    /* the cache's: drawn from as the policy says */
};

struct slow_policy {
	const char *name;
	const char
	    *params; /* more of the specification, to take turns: "bits=1 bits=3"; NULL: none */
	void (*begin)(struct slow *c); /* NULL: zeroes will do */
	void (*hit)(struct slow *c, uint32_t w);
	void (*fill)(struct slow *c, uint32_t w);
	uint32_t (*victim)(struct slow *c);
};

static inline void
slow_access(
    struct slow *c, const struct slow_policy *p, uint64_t line, uint8_t kind, struct rp_counters *n)
{
	uint32_t w = 0;
	c->s = (uint32_t)(line % c->sets);
	struct slow_way *set = c->now = c->way + (size_t)c->s * c->ways;
	bool dirties = (kind == RP_WRITE || kind == RP_ATOMIC) && c->spec->write == RP_WRITE_BACK;
	while (w < c->ways && !(set[w].valid && set[w].line == line))
		w++;
	if (w < c->ways) {
		set[w].dirty |= dirties;
		p->hit(c, w);
		return;
	}
	n->misses++;
	if (kind == RP_WRITE && c->spec->allocate == RP_ALLOCATE_NO_WRITE)
		return;
	for (w = 0; w < c->ways && set[w].valid;)
		w++;
	if (w == c->ways) {
		w = p->victim(c);
		n->evictions++;
		n->writebacks += set[w].dirty;
	}
	n->fills++;
	set[w].line = line;
	set[w].valid = true;
	set[w].dirty = dirties;
	p->fill(c, w);
}

static inline void
slow_mark(struct slow *c, const struct rp_access *a)
{
	uint64_t first = a->addr / c->spec->line, last = (a->addr + a->size - 1) / c->spec->line;
	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
		struct slow_way *w = &c->way[i];
		if (!w->valid || w->line < first || w->line > last)
			continue;
		w->dirty = false;
		w->valid = a->kind != RP_INVALIDATE;
	}
}

/* Accesses to single lines of 64 bytes, with some locality; now and then a mark over a few lines. */
static inline struct rp_batch *
slow_trace(struct rp_rng *rng, size_t n, uint64_t base, uint64_t lines)
{
	struct rp_batch *b = rp_batch_new(n, 0, NULL);
	uint64_t at = 0;
	while (b->n < n) {
		uint64_t r = rp_rng_next(rng);
		struct rp_access a = { .size = 1, .kind = r >> 8 & 1 ? RP_WRITE : RP_READ };
		at = r % 8 < 2   ? at
		     : r % 8 < 5 ? rp_rng_below(rng, lines / 4 + 1)
		     : r % 8 < 7 ? rp_rng_below(rng, lines)
		                 : (at + 1) % lines;
		a.addr = base + at * 64;
		if ((r >> 16 & 31) == 0)
			a.kind = r >> 24 & 1 ? RP_ATOMIC : RP_FETCH;
		if ((r >> 32 & 63) == 0) {
			a.kind = r >> 40 & 3 ? RP_INVALIDATE : RP_COPY_BACK;
			a.size = 64u << (r >> 48 & 3);
		}
		rp_batch_put(b, &a);
	}
	return b;
}

static inline void
slow_one(
    const struct slow_policy *p, const char *text, const struct rp_batch *b, enum rp_level level)
{
	struct rp_cache_spec spec;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 9, &spec, &err), "%s", err.text);
	struct slow c = { .spec = &spec, .sets = spec.sets, .ways = spec.ways, .arg = spec.arg };
	c.way = calloc((size_t)c.sets * c.ways, sizeof *c.way);
	c.set = calloc(c.sets, sizeof *c.set);
	c.rng = rp_rng_for(spec.seed, "sim/policy", 0);
	if (p->begin)
		p->begin(&c);
	struct rp_replay_opts o = { .interval = 1, .level = level };
	struct rp_replay *r = rp_replay_new(&spec, 1, &o, &err);
	cr_assert(r && rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s", err.text);
	size_t k = 0;
	struct rp_counters found, want, total = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		struct rp_access a = rp_batch_get(b, i);
		if (a.kind >= RP_MARKS) {
			for (size_t w = 0; a.kind == RP_COPY_BACK && w < (size_t)c.sets * c.ways;
			     w++)
				total.writebacks += c.way[w].valid && c.way[w].dirty &&
				                    c.way[w].line * 64 + 63 >= a.addr &&
				                    c.way[w].line * 64 < a.addr + a.size;
			slow_mark(&c, &a);
			continue;
		}
		want = (struct rp_counters){ 0 };
		slow_access(&c, p, a.addr / 64, a.kind, &want);
		rp_replay_interval(r, 0, k++, &found);
		cr_assert_eq(found.misses, want.misses, "%s, level %d: row %zu", text, level, i);
		cr_assert_eq(found.fills, want.fills, "%s, level %d: row %zu", text, level, i);
		cr_assert_eq(
		    found.evictions, want.evictions, "%s, level %d: row %zu", text, level, i);
		total.writebacks += want.writebacks;
	}
	rp_replay_counters(r, 0, &found);
	cr_assert_eq(found.writebacks, total.writebacks, "%s, level %d", text, level);
	rp_replay_free(r);
	rp_cache_spec_free(&spec);
	free(c.way);
	free(c.set);
}

/* The k-th of the words in `list`, going round; "" if there are none. `to` needs 64 bytes. */
static inline const char *
slow_word(const char *list, unsigned k, char *to)
{
	unsigned n = 1;
	for (const char *at = list; at && *at; at++)
		n += *at == ' ';
	for (k %= n; list && k > 0; k--)
		list = strchr(list, ' ') + 1;
	snprintf(to, 64, "%s%.*s", list ? "," : "", list ? (int)strcspn(list, " ") : 0,
	    list ? list : "");
	return to;
}

/* 10^5 accesses in traces of 2,000: sets 1..64 of 1..32 ways, and one set of up to 300. */
static inline void
slow_compare(const struct slow_policy *p)
{
	static const enum rp_level levels[] = { RP_LEVEL_MODEL, RP_LEVEL_C, RP_LEVEL_V3,
		RP_LEVEL_V4 };
	static const uint64_t bases[] = { 0, UINT64_C(0x7f1234567000), UINT64_C(1) << 60 };
	struct rp_rng rng = { rp_test_seed(p->name) };
	for (unsigned i = 0; i < 50 * rp_test_scale(); i++) {
		uint64_t r = rp_rng_next(&rng);
		uint32_t sets = i % 5 == 4 ? 1 : 1 + (uint32_t)rp_rng_below(&rng, i % 3 ? 64 : 9);
		uint32_t ways = 1 + (uint32_t)rp_rng_below(&rng, i % 5 == 4 ? 300
								 : i % 2    ? 32
									    : 16);
		char text[256], word[64];
		snprintf(text, sizeof text, "%s,sets=%u,ways=%u,write=%s,allocate=%s%s", p->name,
		    sets, ways, r >> 8 & 3 ? "back" : "through", r >> 10 & 3 ? "write" : "no-write",
		    slow_word(p->params, i, word));
		struct rp_batch *b = slow_trace(&rng, 2000, bases[(r >> 16 & 3) % 3],
		    2 + (uint64_t)sets * ways * (1 + (r >> 20 & 3)) / 2);
		for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
			if (rp_level_runs(levels[l]))
				slow_one(p, text, b, levels[l]);
		rp_batch_free(b);
	}
}

/* Misses of a short trace (put_text), the same whichever loop runs. */
static inline uint64_t
slow_misses(const char *spec, const char *text)
{
	uint64_t n = replay_text(spec, text, NULL).misses;
	for (int level = 0; level < RP_LEVELS; level++)
		if (rp_level_runs((enum rp_level)level)) {
			struct rp_replay_opts o = { .level = (enum rp_level)level };
			cr_assert_eq(
			    replay_text(spec, text, &o).misses, n, "%s at level %d", spec, level);
		}
	return n;
}

#endif
