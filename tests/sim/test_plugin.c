/* test_plugin.c - tests sim/plugin.c with the example's policy (examples/tworandom.c), and that against an obvious model. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "sim/plugin.h"

static const char example[] = RP_TOP_BUILDDIR "/examples/.libs/tworandom.so";

static bool
is_built(void)
{
	FILE *f = fopen(example, "rb");
	if (f)
		fclose(f);
	return f != NULL;
}

/* One set, searched end to end: when each way was used last, by the number of the access. */
struct way {
	uint64_t line, used;
	bool valid;
};

static uint64_t
obvious_misses(
    const struct rp_batch *b, uint32_t sets, uint32_t ways, uint64_t draws, uint64_t seed)
{
	struct way *all = calloc((size_t)sets * ways, sizeof *all);
	struct rp_rng rng = rp_rng_for(seed, "sim/policy", 0);
	uint64_t misses = 0;
	for (size_t i = 0; i < b->n; i++) {
		uint64_t line = b->addr[i] / 64;
		struct way *set = all + line % sets * ways;
		uint32_t w = 0;
		while (w < ways && !(set[w].valid && set[w].line == line))
			w++;
		if (w == ways) {
			uint64_t k = 1;
			misses++;
			for (w = 0; w < ways && set[w].valid;)
				w++;
			if (w == ways)
				w = (uint32_t)rp_rng_below(&rng, ways);
			else
				k = draws;
			for (; k < draws; k++) {
				uint32_t drawn = (uint32_t)rp_rng_below(&rng, ways);
				if (set[drawn].used < set[w].used)
					w = drawn;
			}
		}
		set[w] = (struct way){ line, i + 1, true };
	}
	free(all);
	return misses;
}

static uint64_t
plugin_misses(const struct rp_batch *b, const char *spec, const struct rp_plugins *plugins)
{
	struct rp_cache_spec s;
	struct rp_counters c;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse_with(spec, 64, 1, plugins, &s, &err), "%s", err.text);
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ 0 }, &err);
	cr_assert(r && rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s", err.text);
	rp_replay_counters(r, 0, &c);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	return c.misses;
}

RP_TEST(plugin, the_example_replaces_as_an_obvious_model_of_it)
{
	struct rp_rng rng = { rp_test_seed("plugin") };
	struct rp_plugins plugins = { 0 };
	struct rp_err err = { 0 };
	if (!is_built())
		cr_skip_test("no shared objects are built");
	cr_assert(rp_plugins_load(&plugins, example, &err), "%s", err.text);
	struct rp_batch *b = rp_batch_new(5000, 0, NULL);
	for (unsigned i = 0; i < 40 * rp_test_scale(); i++) {
		uint32_t sets = 1 + (uint32_t)rp_rng_below(&rng, 20),
			 ways = 1 + (uint32_t)rp_rng_below(&rng, i % 4 ? 32 : 200);
		uint64_t lines = 1 + 2 * (uint64_t)sets * ways, draws = 1 + rp_rng_below(&rng, 5);
		char spec[128];
		rp_batch_clear(b);
		while (b->n < b->cap)
			rp_batch_put(b, &(struct rp_access){
					    .addr = rp_rng_below(&rng, lines) * 64, .size = 1 });
		snprintf(spec, sizeof spec, "two-random,sets=%u,ways=%u,draws=%u,seed=%u", sets,
		    ways, (unsigned)draws, i);
		cr_assert_eq(plugin_misses(b, spec, &plugins),
		    obvious_misses(b, sets, ways, draws, i), "%s", spec);
		/* With one way drawn it is random replacement, draw by draw. */
		snprintf(
		    spec, sizeof spec, "two-random,sets=%u,ways=%u,draws=1,seed=9", sets, ways);
		uint64_t one = plugin_misses(b, spec, &plugins);
		snprintf(spec, sizeof spec, "random,sets=%u,ways=%u,seed=9", sets, ways);
		cr_assert_eq(plugin_misses(b, spec, NULL), one, "%s", spec);
	}
	rp_batch_free(b);
	rp_plugins_free(&plugins);
}

RP_TEST(plugin, a_specification_knows_its_policy_and_its_parameters)
{
	struct rp_plugins plugins = { 0 };
	struct rp_err err = { 0 };
	struct rp_cache_spec s;
	if (!is_built())
		cr_skip_test("no shared objects are built");
	cr_assert_not(rp_cache_spec_parse("two-random,size=1k", 64, 1, &s, &err));
	cr_assert(rp_plugins_load(&plugins, example, &err), "%s", err.text);
	cr_assert(rp_cache_spec_parse_with("two-random,size=1k", 64, 1, &plugins, &s, &err));
	char *text = rp_cache_spec_print(&s, &err);
	cr_assert_str_eq(text, "two-random,size=1KiB,sets=1,ways=16,line=64,write=back,"
			       "allocate=write,draws=2,seed=1");
	free(text);
	rp_cache_spec_free(&s);
	cr_assert_not(
	    rp_cache_spec_parse_with("two-random,size=1k,draws=65", 64, 1, &plugins, &s, &err));
	cr_assert(strstr(err.text, "draws=: 65 is not in 1..64"), "%s", err.text);
	cr_assert_not(rp_cache_spec_parse_with("tow-random,size=1k", 64, 1, &plugins, &s, &err));
	cr_assert(strstr(err.text, "did you mean 'two-random'?"), "%s", err.text);
	/* Twice the same name, and what was loaded first is still there. */
	cr_assert_not(rp_plugins_load(&plugins, example, &err));
	cr_assert(strstr(err.text, "there is a policy 'two-random' already"), "%s", err.text);
	cr_assert_eq(plugins.n, 1);
	cr_assert(rp_policy_find_with("two-random", &plugins, &err));
	rp_plugins_free(&plugins);
}
