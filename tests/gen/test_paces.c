/* test_paces.c - tests gen/paces.c. */
#include "tests/gen/draw.h"

#include "base/rng.h"
#include "gen/paces.h"

/* All events of a history, or the first `most`; pulled `cap` at a time. */
static uint32_t *
events(const struct rp_paces_params *p, size_t most, size_t cap, size_t *n)
{
	struct rp_err err = { 0 };
	struct rp_paces *h = rp_paces_new(p, &err);
	uint32_t *who = rp_mem_array(most, sizeof *who, &err);
	uint64_t *time = rp_mem_array(most, sizeof *time, &err);
	cr_assert(h && who && time, "%s", err.text);
	*n = 0;
	for (ptrdiff_t got = 1; got > 0 && *n < most; *n += (size_t)got) {
		size_t want = most - *n < cap ? most - *n : cap;
		got = rp_paces_next(h, who + *n, time + *n, want, &err);
		cr_assert_geq(got, 0);
	}
	for (size_t i = 0; i < *n; i++)
		cr_assert_eq(time[i], p->model == RP_LOCKSTEP ? i / p->workers : i);
	rp_paces_free(h);
	free(time);
	return who;
}

/* sigma of PASCAL, section 8: the largest difference between two workers' counts after any number of events. Fails unless
 * every worker has `requests` in the end, where that is not UINT64_MAX. */
static uint64_t
sigma_of(const uint32_t *who, size_t n, uint32_t workers, uint64_t requests)
{
	uint64_t *count = calloc(workers, sizeof *count), sigma = 0;
	for (size_t u = 0; u < n; u++) {
		uint64_t least = UINT64_MAX, most = 0;
		count[who[u]]++;
		for (uint32_t i = 0; i < workers; i++) {
			least = count[i] < least ? count[i] : least;
			most = count[i] > most ? count[i] : most;
		}
		sigma = most - least > sigma ? most - least : sigma;
	}
	for (uint32_t i = 0; i < workers && requests != UINT64_MAX; i++)
		cr_assert_eq(count[i], requests);
	free(count);
	return sigma;
}

RP_TEST(paces, lockstep_goes_round)
{
	size_t n;
	const struct rp_paces_params p = { .workers = 3, .requests = 5 };
	for (size_t cap = 1; cap < 20; cap++) {
		uint32_t *who = events(&p, 100, cap, &n);
		cr_assert_eq(n, 15);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(who[i], i % 3);
		free(who);
	}
}

/* PASCAL, section 8: for s = 3 worker 1 requests 0 1 2, worker 2 0 1, worker 1 3 4, worker 2 2. */
RP_TEST(paces, sharpness_is_the_schedule_of_theorem_5)
{
	static const uint32_t three[] = { 0, 0, 0, 1, 1, 0, 0, 1 };
	size_t n;
	struct rp_paces_params p = {
		.model = RP_SHARPNESS, .workers = 2, .lead = 3, .requests = UINT64_MAX
	};
	uint32_t *who = events(&p, 100, 3, &n);
	cr_assert_eq(n, 8);
	cr_assert_arr_eq(who, three, sizeof three);
	free(who);
	for (p.lead = 2; p.lead < 40; p.lead++) {
		who = events(&p, 1000, 1000, &n);
		cr_assert_eq(n, 3 * p.lead - 1);
		cr_assert_eq(sigma_of(who, n, 2, UINT64_MAX), p.lead);
		free(who);
	}
}

RP_TEST(paces, lead_is_kept_and_reached)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("lead"), "tests/paces", 0);
	for (unsigned i = 0; i < 200 * rp_test_scale(); i++) {
		struct rp_paces_params p = { .model = RP_LEAD,
			.workers = 1 + (uint32_t)rp_rng_below(&rng, 9),
			.lead = 1 + (uint32_t)rp_rng_below(&rng, 12),
			.requests = 1 + rp_rng_below(&rng, 100),
			.seed = i };
		size_t n;
		uint32_t *who = events(&p, 2000, 1 + rp_rng_below(&rng, 300), &n);
		cr_assert_eq(n, p.workers * p.requests);
		uint64_t sigma = sigma_of(who, n, p.workers, p.requests);
		uint64_t most = p.workers == 1 ? 0 : p.lead < p.requests ? p.lead : p.requests;
		cr_assert_leq(sigma, most);
		cr_assert(p.workers == 1 || p.lead > 3 || p.requests < 50 || sigma == most,
		    "a lead of %u is never reached", p.lead);
		free(who);
	}
}

/* Which of those that may step is drawn: counted over many events, by who may. Two workers, lead 2: where they are level
 * each comes next half of the time. */
RP_TEST(paces, whoever_may_step_is_drawn_as_often)
{
	const struct rp_paces_params p = {
		.model = RP_LEAD, .workers = 4, .lead = 2, .requests = UINT64_MAX, .seed = 7
	};
	size_t n;
	uint32_t *who = events(&p, 200000, 1000, &n);
	uint64_t count[4] = { 0 }, picked[5][4] = { { 0 } }, total[5] = { 0 };
	for (size_t u = 0; u < n; u++) {
		uint64_t least = UINT64_MAX, at_least = 0;
		unsigned may = 0, place = 0, mine = 0;
		for (unsigned i = 0; i < 4; i++)
			least = count[i] < least ? count[i] : least;
		for (unsigned i = 0; i < 4; i++)
			at_least += count[i] == least;
		for (unsigned i = 0; i < 4; i++) {
			/* The only one that is last takes the others' limit along. */
			uint64_t bound = least + 2 + (count[i] == least && at_least == 1);
			bool can = count[i] + 1 <= bound;
			if (i == who[u])
				mine = place;
			cr_assert(i != who[u] || can);
			place += can;
			may += can;
		}
		picked[may][mine]++;
		total[may]++;
		count[who[u]]++;
	}
	for (unsigned may = 2; may <= 4; may++) {
		static const long double half[] = { 0.5, 0.5 },
					 third[] = { 1.0L / 3, 1.0L / 3, 1.0L / 3 },
					 fourth[] = { 0.25, 0.25, 0.25, 0.25 };
		draw_follows("lead", picked[may],
		    may == 2   ? half
		    : may == 3 ? third
			       : fourth,
		    may, total[may]);
	}
	free(who);
}

RP_TEST(paces, rates_are_in_proportion)
{
	static const double rate[] = { 1, 2.5, 0.5, 4 };
	static const long double share[] = { 1 / 8.0L, 2.5L / 8, 0.5L / 8, 4 / 8.0L };
	const struct rp_paces_params p = {
		.model = RP_RATES, .workers = 4, .rate = rate, .requests = UINT64_MAX, .seed = 3
	};
	size_t n;
	uint64_t count[4] = { 0 };
	uint32_t *who = events(&p, 100000, 999, &n);
	for (size_t i = 0; i < n; i++)
		count[who[i]]++;
	draw_follows("rates", count, share, 4, n);
	free(who);
}

RP_TEST(paces, who_has_stopped_is_not_drawn_again)
{
	double rate[50];
	for (size_t i = 0; i < 50; i++)
		rate[i] = i % 2 ? 1e-6 : (double)(1 + i * i);
	const struct rp_paces_params p = {
		.model = RP_RATES, .workers = 50, .rate = rate, .requests = 40, .seed = 3
	};
	size_t n;
	uint32_t *who = events(&p, 10000, 123, &n);
	cr_assert_eq(n, 50 * 40);
	sigma_of(who, n, 50, 40);
	free(who);
}
