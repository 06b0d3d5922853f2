/* test_history.c - tests validate/history.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "validate/history.h"

#include <jansson.h>

enum { EVENTS = 400, WORKERS = 8 };

/* Distances by looking back and counting; cold is RP_HISTORY_COLD. */
static void
check_distances(const struct rp_history *h, const uint64_t *rd)
{
	uint64_t block[EVENTS], done[WORKERS] = { 0 };
	for (size_t u = 0; u < h->events; u++) {
		uint32_t i = h->worker[u];
		block[u] = ((h->phase ? h->phase[i] : 0) + done[i]++) % h->blocks;
		uint64_t n = 0;
		size_t s = u;
		while (s > 0 && block[s - 1] != block[u]) {
			size_t seen = s--;
			while (seen < u && block[seen] != block[s])
				seen++;
			n += seen == u;
		}
		cr_assert_eq(rd[u], s ? n : RP_HISTORY_COLD, "event %zu", u);
	}
}

static uint64_t
slow_spread(const struct rp_history *h)
{
	uint64_t done[WORKERS] = { 0 }, spread = 0;
	for (size_t u = 0; u < h->events; u++) {
		done[h->worker[u]]++;
		for (uint32_t i = 0; i < h->workers; i++)
			for (uint32_t j = 0; j < h->workers; j++)
				if (done[i] > done[j] && done[i] - done[j] > spread)
					spread = done[i] - done[j];
	}
	return spread;
}

/* Theorem 5 where it applies: only first requests to a number miss. */
static void
check_theorem(const struct rp_history *h, const uint64_t *rd, uint64_t sigma)
{
	uint64_t done[WORKERS] = { 0 }, first = 0;
	for (size_t u = 0; u < h->events; u++) {
		uint64_t number = done[h->worker[u]]++;
		if (number == first)
			first++; /* nobody had it */
		else
			cr_assert(
			    rd[u] != RP_HISTORY_COLD && rd[u] < 2 * sigma - 1, "event %zu", u);
	}
}

RP_TEST(history, distances_and_spread_are_as_counted)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("history"), "test", 0);
	for (unsigned round = 0; round < 60 * rp_test_scale(); round++) {
		uint32_t worker[EVENTS], workers = 1 + (uint32_t)rp_rng_below(&rng, WORKERS),
					 near = 1 + (uint32_t)rp_rng_below(&rng, workers);
		uint64_t phase[WORKERS], rd[EVENTS], sigma;
		struct rp_history h = { 1 + rp_rng_below(&rng, 40), workers, NULL, worker, EVENTS };
		for (size_t u = 0; u < EVENTS; u++)
			worker[u] = (uint32_t)rp_rng_below(&rng, u % 3 ? workers : near);
		for (uint32_t i = 0; i < workers; i++)
			phase[i] = rp_rng_below(&rng, h.blocks);
		cr_assert(
		    rp_history_distances(&h, rd, NULL) && rp_history_spread(&h, &sigma, NULL));
		check_distances(&h, rd);
		check_theorem(&h, rd, sigma);
		cr_assert_eq(sigma, slow_spread(&h));
		h.phase = phase;
		cr_assert(rp_history_distances(&h, rd, NULL));
		check_distances(&h, rd);
	}
}

/* Members of a case of the fixture. */
static void
check_case(const json_t *one)
{
	uint32_t worker[4096];
	uint64_t phase[256], rd[4096], sigma;
	size_t i;
	const json_t *x;
	struct rp_history h = {
		(uint64_t)json_integer_value(json_object_get(one, "N")),
		(uint32_t)json_integer_value(json_object_get(one, "M")),
		phase,
		worker,
		json_array_size(json_object_get(one, "history")),
	};
	cr_assert(h.events && h.events <= 4096 && h.workers <= 256);
	json_array_foreach(json_object_get(one, "history"), i, x) worker[i] =
	    (uint32_t)json_integer_value(x);
	json_array_foreach(json_object_get(one, "phi"), i, x) phase[i] =
	    (uint64_t)json_integer_value(x);
	cr_assert(rp_history_distances(&h, rd, NULL) && rp_history_spread(&h, &sigma, NULL));
	cr_assert_eq(sigma, (uint64_t)json_integer_value(json_object_get(one, "sigma")));
	json_array_foreach(json_object_get(one, "rd"), i, x) cr_assert_eq(
	    rd[i], json_is_null(x) ? RP_HISTORY_COLD : (uint64_t)json_integer_value(x));
	const char *capacity;
	json_t *wanted;
	json_object_foreach(json_object_get(one, "lru_misses"), capacity, wanted)
	{
		json_int_t misses = 0;
		for (size_t u = 0; u < h.events; u++)
			misses += rd[u] >= strtoull(capacity, NULL, 10);
		cr_assert_eq(misses, json_integer_value(wanted));
	}
}

RP_TEST(history, cases_of_the_fixture_come_out)
{
	char path[4096];
	json_t *all = json_load_file(
		   rp_test_file(path, "validate/files/progress_cases.json"), 0, NULL),
	       *one;
	size_t i;
	cr_assert(json_array_size(all) > 10);
	json_array_foreach(all, i, one) check_case(one);
	json_decref(all);
}
