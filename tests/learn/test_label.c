/* test_label.c - tests learn/label.c: published counts, and an obvious model. */
#include "tests/check.h"

#include "learn/label.h"

#include "base/rng.h"
#include "sim/cache.h"

#include <jansson.h>
#include <string.h>

static uint32_t
policy_number(const char *name)
{
	uint32_t i = 0;
	while (rp_policies[i] && strcmp(rp_policies[i]->name, name))
		i++;
	cr_assert(rp_policies[i] != NULL, "no policy %s", name);
	return i;
}

/* ---- the model: lists that are searched end to end, as section 7 of the specification says it ---- */

enum { MOST_LINES = 4096 };

struct model {
	struct rp_label_cache c;
	uint64_t line[MOST_LINES]; /* resident, of all sets, the least recently used first */
	size_t lines;
	struct {
		uint64_t line, ready, joined;
	} entry[MOST_LINES];
	size_t entries;
	uint64_t now;
	struct rp_label count;
};

static uint64_t
set_of(const struct model *m, uint64_t line)
{
	return line % m->c.sets;
}

/* Whether it was there; it is the most recent one then, and the oldest of its set is gone if that has too many. */
static bool
use_tags(struct model *m, uint64_t line)
{
	bool was = false;
	size_t in_set = 0;
	for (size_t i = 0; i < m->lines; i++)
		if (m->line[i] == line) {
			was = true;
			memmove(m->line + i, m->line + i + 1, (--m->lines - i) * sizeof *m->line);
			break;
		}
	for (size_t i = 0; i < m->lines; i++)
		in_set += set_of(m, m->line[i]) == set_of(m, line);
	for (size_t i = 0; in_set == m->c.ways && i < m->lines; i++)
		if (set_of(m, m->line[i]) == set_of(m, line)) {
			memmove(m->line + i, m->line + i + 1, (--m->lines - i) * sizeof *m->line);
			break;
		}
	m->line[m->lines++] = line;
	return was;
}

static void
release(struct model *m)
{
	size_t kept = 0;
	for (size_t i = 0; i < m->entries; i++)
		if (m->entry[i].ready > m->now)
			m->entry[kept++] = m->entry[i];
	m->entries = kept;
}

static void
step(struct model *m, uint64_t line)
{
	release(m);
	bool was = use_tags(m, line);
	m->count.n++;
	for (size_t i = 0; i < m->entries; i++)
		if (m->entry[i].line == line) {
			if (m->c.max_merge && m->entry[i].joined == m->c.max_merge) {
				m->count.primary++;
				m->count.merge_full++;
			} else {
				m->entry[i].joined++;
				m->count.merged++;
			}
			m->now++;
			return;
		}
	if (was) {
		m->count.hit++;
	} else {
		m->count.primary++;
		bool full = m->c.entries && m->entries == m->c.entries && m->c.latency;
		if (full) {
			m->count.mshr_full++;
			if (m->c.stall == RP_LABEL_WAIT) {
				uint64_t first = UINT64_MAX;
				for (size_t i = 0; i < m->entries; i++)
					if (m->entry[i].ready < first)
						first = m->entry[i].ready;
				m->count.stall_ticks += first - m->now;
				m->now = first;
				release(m);
				full = false;
			}
		}
		if (!full && m->c.latency) {
			m->entry[m->entries].line = line;
			m->entry[m->entries].joined = 0;
			m->entry[m->entries++].ready = m->now + m->c.latency;
		}
	}
	m->now++;
}

static void
same(const struct rp_label *a, const struct rp_label *b, const struct rp_label_cache *c)
{
	cr_assert(!memcmp(a, b, sizeof *a),
	    "%u x %u, T %u, E %u, G %u, stall %u: hit %lu primary %lu merged %lu full %lu %lu "
	    "waited %lu, wanted %lu %lu %lu %lu %lu %lu",
	    c->sets, c->ways, c->latency, c->entries, c->max_merge, c->stall, a->hit, a->primary,
	    a->merged, a->mshr_full, a->merge_full, a->stall_ticks, b->hit, b->primary, b->merged,
	    b->mshr_full, b->merge_full, b->stall_ticks);
}

static struct rp_label_cache
any_cache(struct rp_rng *rng)
{
	static const uint32_t ways[] = { 1, 2, 3, 4, 8, 16, 65 };
	return (struct rp_label_cache){ .sets = 1u << rp_rng_below(rng, 5),
		.ways = ways[rp_rng_below(rng, 7)],
		.line = 64,
		.latency = rp_rng_below(rng, 4) ? (uint32_t)rp_rng_below(rng, 60) : 0,
		.entries = rp_rng_below(rng, 3) ? 1 + (uint32_t)rp_rng_below(rng, 12) : 0,
		.max_merge = rp_rng_below(rng, 2) ? 1 + (uint32_t)rp_rng_below(rng, 3) : 0,
		.policy = policy_number("lru"),
		.stall = (uint32_t)rp_rng_below(rng, 2) };
}

RP_TEST(label, counts_of_many_caches_are_those_of_an_obvious_model)
{
	enum { CACHES = 24, N = 3000 };
	for (unsigned round = 0; round < 3 * rp_test_scale(); round++) {
		struct rp_rng rng = rp_rng_for(rp_test_seed("label"), "label", round);
		struct rp_label_cache cache[CACHES];
		struct rp_label got[CACHES];
		static uint64_t line[N];
		static struct model m;
		for (int i = 0; i < CACHES; i++)
			cache[i] = any_cache(&rng);
		uint64_t far = 1 + rp_rng_below(&rng, 300);
		for (int i = 0; i < N; i++)
			line[i] = rp_rng_below(&rng, 3) ? rp_rng_below(&rng, 12)
			                                : UINT64_MAX / 2 - rp_rng_below(&rng, far);
		struct rp_labeller *l = rp_labeller_new(cache, CACHES, 1, NULL);
		cr_assert(l != NULL);
		size_t cut = (size_t)rp_rng_below(&rng, N), at = 0;
		/* State goes on over the cut. */
		for (int part = 0; part < 2; part++) {
			size_t end = part ? N : cut;
			cr_assert(rp_labeller_add(l, line + at, end - at, NULL));
			rp_labeller_take(l, got);
			for (int i = 0; i < CACHES; i++) {
				memset(&m, 0, sizeof m);
				m.c = cache[i];
				for (size_t k = 0; k < end; k++) {
					if (k == at)
						m.count = (struct rp_label){ 0 };
					step(&m, line[k]);
				}
				if (at < end)
					same(got + i, &m.count, cache + i);
			}
			at = end;
		}
		rp_labeller_free(l);
	}
}

RP_TEST(label, a_reset_labeller_is_a_new_one)
{
	enum { N = 5000 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("label"), "label/reset", 0);
	struct rp_label_cache cache[8];
	struct rp_label first[8], again[8];
	uint64_t line[N];
	for (int i = 0; i < 8; i++)
		cache[i] = any_cache(&rng);
	cache[7].policy = policy_number("srrip");
	for (int i = 0; i < N; i++)
		line[i] = rp_rng_below(&rng, 200);
	struct rp_labeller *l = rp_labeller_new(cache, 8, 1, NULL);
	cr_assert(rp_labeller_add(l, line, N, NULL));
	rp_labeller_take(l, first);
	cr_assert(rp_labeller_reset(l, NULL));
	cr_assert(rp_labeller_add(l, line, N, NULL));
	rp_labeller_take(l, again);
	rp_labeller_free(l);
	for (int i = 0; i < 8; i++)
		same(again + i, first + i, cache + i);
}

static uint64_t
number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* ---- published counts ---- */

static json_t *
fixture(const char *name)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, name), 0, NULL);
	cr_assert(doc != NULL, "%s", path);
	return doc;
}

static struct rp_label_cache
cache_of(const json_t *o)
{
	return (struct rp_label_cache){ .sets = (uint32_t)number(o, "sets"),
		.ways = (uint32_t)number(o, "ways"),
		.line = 64,
		.latency = (uint32_t)number(o, "latency"),
		.entries = (uint32_t)number(o, "entries"),
		.max_merge = (uint32_t)number(o, "max_merge"),
		.policy = policy_number("lru") };
}

static void
same_as_published(const struct rp_label *got, const json_t *o)
{
	struct rp_label_rates r = rp_label_rates(got);
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)o, key, v)
	{
		double x = !strcmp(key, "n")            ? (double)got->n
		           : !strcmp(key, "hit")        ? (double)got->hit
		           : !strcmp(key, "primary")    ? (double)got->primary
		           : !strcmp(key, "merged")     ? (double)got->merged
		           : !strcmp(key, "mshr_full")  ? (double)got->mshr_full
		           : !strcmp(key, "merge_full") ? (double)got->merge_full
		           : !strcmp(key, "miss_rate")  ? r.miss_rate
		           : !strcmp(key, "merge_rate") ? r.merge_rate
		           : !strcmp(key, "fetch_rate") ? r.fetch_rate
		                                        : json_number_value(v);
		double apart = x - json_number_value(v);
		cr_assert(apart < 1e-12 && apart > -1e-12, "%s: %.12g, wanted %.12g", key, x,
		    json_number_value(v));
	}
}

static size_t
lines_of(const json_t *list, uint64_t *line, size_t room)
{
	size_t i;
	json_t *v;
	json_array_foreach(list, i, v)
	{
		cr_assert(i < room);
		line[i] = (uint64_t)json_integer_value(v);
	}
	return i;
}

RP_TEST(label, published_cases)
{
	json_t *doc = fixture("learn/files/mlcrp-labels.json"), *one, *o;
	uint64_t line[4096];
	size_t i, k, checked = 0;
	json_array_foreach(json_object_get(doc, "cases"), i, one)
	{
		size_t n = lines_of(json_object_get(one, "trace"), line, 4096);
		json_array_foreach(json_object_get(one, "labels"), k, o)
		{
			struct rp_label_cache c = cache_of(o);
			struct rp_label got;
			struct rp_labeller *l = rp_labeller_new(&c, 1, 1, NULL);
			cr_assert(rp_labeller_add(l, line, n, NULL));
			rp_labeller_take(l, &got);
			rp_labeller_free(l);
			same_as_published(&got, o);
			checked++;
		}
	}
	json_decref(doc);
	cr_assert(checked > 20);
}

RP_TEST(label, published_intervals)
{
	json_t *doc = fixture("learn/files/mlcrp-intervals.json"), *row;
	uint64_t line[4096];
	size_t n = lines_of(json_object_get(doc, "trace"), line, 4096), at = 0, i;
	struct rp_label_cache c = cache_of(doc);
	struct rp_labeller *l = rp_labeller_new(&c, 1, 1, NULL);
	json_array_foreach(json_object_get(doc, "rows"), i, row)
	{
		struct rp_label got;
		size_t some = number(row, "n");
		cr_assert(rp_labeller_add(l, line + at, some, NULL));
		rp_labeller_take(l, &got);
		same_as_published(&got, json_object_get(row, "label"));
		at += some;
	}
	rp_labeller_free(l);
	json_decref(doc);
	cr_assert_eq(at, n);
}

RP_TEST(label, other_policies_and_indexes_miss_as_their_caches_do)
{
	static const char *const policies[] = { "lru", "fifo", "random", "srrip", "s3fifo" };
	enum { N = 4000 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("label"), "label/policies", 0);
	uint64_t line[N];
	for (int i = 0; i < N; i++)
		line[i] = rp_rng_below(&rng, 700) * 3;
	for (int p = 0; p < 5; p++)
		for (unsigned index = 0; rp_label_indexes[index]; index++) {
			struct rp_label_cache c = { .sets = 32,
				.ways = 4,
				.line = 128,
				.policy = policy_number(policies[p]),
				.index = index };
			struct rp_label got;
			struct rp_cache_spec spec;
			uint8_t outcome[64];
			uint64_t misses = 0;
			char text[96];
			snprintf(text, sizeof text, "%s,sets=32,ways=4,line=128,index=%s,seed=9",
			    policies[p], rp_label_indexes[index]);
			cr_assert(rp_cache_spec_parse(text, 128, 9, &spec, NULL));
			struct rp_cache *cache = rp_cache_new(&spec, RP_LEVEL_MODEL, false, NULL);
			struct rp_labeller *l = rp_labeller_new(&c, 1, 9, NULL);
			struct rp_batch *b = rp_batch_new(1, 0, NULL);
			static const uint8_t zero[1];
			static const uint32_t row[1];
			b->n = 1;
			cr_assert(l && cache && b);
			for (int i = 0; i < N; i++) {
				struct rp_lookups in = { .in = b,
					.n = 1,
					.accesses = 1,
					.kinds = { 1 },
					.line = line + i,
					.kind = zero,
					.store = zero,
					.dirty = zero,
					.row = row };
				cr_assert(rp_cache_run(cache, &in, outcome, NULL, NULL));
				misses += outcome[0] & RP_MISSED;
			}
			cr_assert(rp_labeller_add(l, line, N, NULL));
			rp_labeller_take(l, &got);
			cr_assert_eq(got.primary, misses, "%s", text);
			cr_assert_eq(got.hit + got.primary, N);
			rp_labeller_free(l);
			rp_cache_free(cache);
			rp_cache_spec_free(&spec);
			rp_batch_free(b);
		}
}
