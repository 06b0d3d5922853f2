/* check_history.c - histories of workers that progress at their own pace, held against Eq. 15 and Theorem 5 of PASCAL.
 *
 * Who requests next, and what, comes from gen divergent; phases are added to its blocks. Reuse distances are measured by
 * sim/observe, misses by LRU caches. */
#include "config.h"

#include "validate/history.h"
#include "validate/suite.h"

#include "base/mem.h"
#include "base/rng.h"
#include "gen/gen.h"
#include "sim/observe/reuse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 64, CACHES = 6, EVENTS_MOST = 3000 };

/* A history with what it was made from. */
struct history {
	char text[200]; /* gen: text of its paces, or a trace's name */
	bool recorded;
	uint64_t seed;
	uint64_t *phase;
	uint32_t *worker;
	uint64_t *block;    /* requested by each event */
	uint64_t *distance; /* measured: RP_HISTORY_COLD of a first request */
	struct rp_history h;
	uint64_t capacity[CACHES], misses[CACHES]; /* of LRU caches */
	uint64_t sigma;
	bool phased;
};

static void
free_history(struct history *h)
{
	free(h->phase);
	free(h->worker);
	free(h->block);
	free(h->distance);
}

static bool
tell(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct history *h = it;
	bool ok = rp_buf_printf(to, err, "gen:%s, sigma = %" PRIu64 ", phases ", h->text, h->sigma);
	for (uint32_t m = 0; ok && m < h->h.workers; m++)
		ok = rp_buf_printf(to, err, "%s%" PRIu64, m ? "," : "", h->phase[m]);
	if (h->recorded)
		return ok && rp_buf_printf(to, err,
				 "\nreprise validate pascal --trace %s --capacity %" PRIu64 "\n",
				 h->text, h->capacity[0]);
	return ok && rp_buf_printf(to, err,
			 "\nreprise validate pascal --histories 1 --seed %" PRIu64 "\n", h->seed);
}

/* A text for gen divergent, and phases: of every other history all 0, as Theorem 5 wants them. */
static bool
draw(struct history *h, struct rp_rng *rng, struct rp_err *err)
{
	uint32_t M = (uint32_t)(1 + rp_rng_below(rng, 9));
	uint64_t N = 1 + rp_rng_below(rng, 40),
		 lead = 1 + rp_rng_below(rng, rp_rng_below(rng, 2) ? 6 : 60);
	uint64_t scans = 1 + rp_rng_below(rng, EVENTS_MOST / (N * M));
	int at = snprintf(h->text, sizeof h->text,
	    "divergent,workers=%" PRIu32 ",blocks=%" PRIu64 ",scans=%" PRIu64 ",seed=%" PRIu64, M,
	    N, scans, h->seed);
	switch (rp_rng_below(rng, 5)) {
	case 0:
		break;
	case 1:
		at += snprintf(h->text + at, sizeof h->text - (size_t)at, ",model=rates,rates=");
		for (uint32_t m = 0; m < M; m++)
			at += snprintf(h->text + at, sizeof h->text - (size_t)at, "%s%" PRIu64,
			    m ? "," : "", 90 + rp_rng_below(rng, 20));
		break;
	default:
		snprintf(
		    h->text + at, sizeof h->text - (size_t)at, ",model=lead,lead=%" PRIu64, lead);
	}
	h->phased = rp_rng_below(rng, 2);
	h->h.blocks = N;
	h->h.workers = M;
	h->phase = rp_mem_array(M, sizeof *h->phase, err);
	for (uint32_t m = 0; h->phase && h->phased && m < M; m++)
		h->phase[m] = rp_rng_below(rng, N);
	return h->phase;
}

/* ---- The simulated side ---- */

/* The events, as the generator makes them. */
static bool
generate(struct history *h, struct rp_err *err)
{
	struct rp_source *s = rp_gen_open(h->text, h->seed, err);
	struct rp_batch *b = s ? rp_batch_new(EVENTS_MOST, RP_COL_STREAM, err) : NULL;
	h->worker = rp_mem_array(EVENTS_MOST, sizeof *h->worker, err);
	h->block = rp_mem_array(EVENTS_MOST, sizeof *h->block, err);
	h->distance = rp_mem_array(EVENTS_MOST, sizeof *h->distance, err);
	bool ok = b && h->worker && h->block && h->distance && rp_source_pull(s, b, err) > 0;
	for (size_t i = 0; ok && i < b->n; i++) {
		h->worker[i] = b->stream[i];
		h->block[i] = (b->addr[i] / LINE + h->phase[b->stream[i]]) % h->h.blocks;
	}
	h->h.events = ok ? b->n : 0;
	h->h.phase = h->phase;
	h->h.worker = h->worker;
	rp_source_close(s);
	rp_batch_free(b);
	return ok;
}

static bool
measure_distances(struct history *h, struct rp_reuse *reuse, struct rp_err *err)
{
	uint32_t distance[RP_REUSE_CHUNK];
	rp_reuse_reset(reuse);
	for (size_t from = 0, n; from < h->h.events; from += n) {
		n = h->h.events - from < RP_REUSE_CHUNK ? h->h.events - from : RP_REUSE_CHUNK;
		if (!rp_reuse_run(reuse, h->block + from, n, distance, err))
			return false;
		for (size_t i = 0; i < n; i++)
			h->distance[from + i] =
			    distance[i] == RP_COLD ? RP_HISTORY_COLD : distance[i];
	}
	return true;
}

/* Replays events from..  through the caches, which have `capacity` lines each. */
static bool
replay(struct history *h, const struct rp_lab *lab, struct rp_err *err)
{
	const struct rp_replay_opts plain = { 0 };
	struct rp_lab_caches c = { 0 };
	struct rp_replay *r = NULL;
	struct rp_batch *b = rp_batch_new(h->h.events, 0, err);
	bool ok = b;
	for (size_t i = 0; ok && i < CACHES; i++)
		ok = rp_lab_add(lab, &c, RP_LAB_LRU, h->capacity[i], err);
	for (size_t i = 0; ok && i < h->h.events; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = h->block[i] * LINE, .size = LINE });
	ok = ok && (r = rp_replay_new(c.spec, c.n, &plain, err)) && rp_replay_run(r, b, err) &&
	     rp_replay_end(r, err);
	for (size_t i = 0; ok && i < CACHES; i++)
		h->misses[i] = rp_lab_misses(r, i);
	rp_replay_free(r);
	rp_lab_caches_free(&c);
	rp_batch_free(b);
	return ok;
}

/* ---- Held against the closed forms ---- */

static bool
compare_distances(const struct history *h, struct rp_checks *c, struct rp_err *err)
{
	uint64_t *rd = rp_mem_array(h->h.events, sizeof *rd, err);
	bool ok = rd && rp_history_distances(&h->h, rd, err);
	for (size_t u = 0; ok && u < h->h.events; u++)
		rp_check_equal(
		    c, RP_HISTORY_DISTANCES, h->distance[u], rd[u], "reuse distance, event", u);
	for (size_t i = 0; ok && i < CACHES; i++) {
		uint64_t misses = 0;
		for (size_t u = 0; u < h->h.events; u++)
			misses += rd[u] >= h->capacity[i];
		rp_check_equal(c, RP_HISTORY_DISTANCES, h->misses[i], misses,
		    "misses of LRU, C =", h->capacity[i]);
	}
	free(rd);
	return ok;
}

/* Every request whose number some worker has had before hits from 2 sigma - 1 blocks on. */
static bool
compare_theorem5(const struct history *h, struct rp_checks *c, struct rp_err *err)
{
	uint64_t most = 0, least = 2 * h->sigma > 1 ? 2 * h->sigma - 1 : 1;
	uint64_t *count = rp_mem_array(h->h.workers, sizeof *count, err);
	if (!count)
		return false;
	for (size_t u = 0; u < h->h.events; u++) {
		uint64_t k = count[h->h.worker[u]]++;
		if (k < most)
			rp_check(c, RP_HISTORY_THEOREM5, h->distance[u] < least,
			    (double)least - 1 - (double)h->distance[u],
			    "event %zu, request %" PRIu64 " of worker %" PRIu32
			    ": distance %" PRIu64 ", wanted less than 2 sigma - 1 = %" PRIu64,
			    u, k, h->h.worker[u], h->distance[u], least);
		most = k + 1 > most ? k + 1 : most;
	}
	for (size_t i = 0; i < CACHES; i++)
		if (h->capacity[i] >= least)
			rp_check(c, RP_HISTORY_THEOREM5, h->misses[i] <= most,
			    (double)most - (double)h->misses[i],
			    "LRU of %" PRIu64 " blocks: %" PRIu64
			    " misses, wanted max n_i = %" PRIu64 " at most",
			    h->capacity[i], h->misses[i], most);
	free(count);
	return true;
}

struct state {
	struct rp_reuse *reuse;
};

static bool
open_state(void *state, const void *of, struct rp_err *err)
{
	(void)of;
	return (((struct state *)state)->reuse = rp_reuse_new(RP_LEVEL_BEST, err));
}

static void
close_state(void *state)
{
	rp_reuse_free(((struct state *)state)->reuse);
}

static bool
check_one(struct history *h, const struct rp_lab *lab, struct rp_reuse *reuse, struct rp_checks *c,
    struct rp_err *err)
{
	rp_checks_begin(c, tell, h);
	return measure_distances(h, reuse, err) && replay(h, lab, err) &&
	       compare_distances(h, c, err) && (h->phased || compare_theorem5(h, c, err)) &&
	       rp_checks_end(c, err);
}

static bool
run_history(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	const struct rp_suite *s = of;
	struct history h = { .seed = s->seed + i };
	struct rp_rng rng = rp_rng_for(h.seed, "validate/history", 0);
	bool ok =
	    draw(&h, &rng, err) && generate(&h, err) && rp_history_spread(&h.h, &h.sigma, err);
	for (size_t k = 0; k < CACHES; k++)
		h.capacity[k] = 1 + rp_rng_below(&rng, h.h.blocks + 1);
	h.capacity[0] = 2 * h.sigma > 1 ? 2 * h.sigma - 1 : 1;
	h.capacity[1] = h.capacity[0] + 1;
	ok = ok && check_one(&h, &s->how.lab, ((struct state *)state)->reuse, c, err);
	free_history(&h);
	return ok;
}

/* The schedule for s = i + 2 on rings of 2 s blocks and more: the last request's distance is 2 s - 2. */
static bool
run_sharpness(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	const struct rp_suite *s = of;
	uint64_t lead = 2 + i / 2;
	struct history h = { .seed = s->seed, .h = { .blocks = 2 * lead + (i & 1), .workers = 2 } };
	snprintf(h.text, sizeof h.text,
	    "divergent,model=sharpness,lead=%" PRIu64 ",blocks=%" PRIu64, lead, h.h.blocks);
	h.phase = rp_mem_array(2, sizeof *h.phase, err);
	for (size_t k = 0; k < CACHES; k++)
		h.capacity[k] = 2 * lead - 2 + k % 2;
	bool ok = h.phase && generate(&h, err) && rp_history_spread(&h.h, &h.sigma, err) &&
	          check_one(&h, &s->how.lab, ((struct state *)state)->reuse, c, err);
	if (ok) {
		rp_checks_begin(c, tell, &h);
		rp_check_equal(c, RP_HISTORY_SHARP, h.sigma, lead, "sigma", RP_NOWHERE);
		rp_check_equal(c, RP_HISTORY_SHARP, h.distance[h.h.events - 1], 2 * lead - 2,
		    "distance of the last request", RP_NOWHERE);
		rp_check_equal(c, RP_HISTORY_SHARP, h.misses[0], h.misses[1] + 1,
		    "misses of LRU of 2 s - 2 blocks, against 2 s - 1", RP_NOWHERE);
		ok = rp_checks_end(c, err);
	}
	free_history(&h);
	return ok;
}

enum { SHARP_CASES = 60 };

bool
rp_suite_histories(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	struct rp_cases cases = { .n = n,
		.of = s,
		.state_bytes = sizeof(struct state),
		.open = open_state,
		.run = run_history,
		.close = close_state };
	if (!rp_cases_run(&cases, &s->cases, &s->checks, err))
		return false;
	cases.n = SHARP_CASES;
	cases.run = run_sharpness;
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}

/* ---- Recorded ---- */

bool
rp_suite_recorded(struct rp_suite *s, const struct rp_history *given, const char *name,
    const uint64_t *capacity, size_t n, struct rp_err *err)
{
	struct history h = { .recorded = true, .h = *given };
	struct rp_reuse *reuse = rp_reuse_new(RP_LEVEL_BEST, err);
	uint64_t *count = rp_mem_array(given->workers, sizeof *count, err);
	h.phase = rp_mem_array(given->workers, sizeof *h.phase, err);
	h.block = rp_mem_array(given->events, sizeof *h.block, err);
	h.distance = rp_mem_array(given->events, sizeof *h.distance, err);
	bool ok = reuse && count && h.phase && h.block && h.distance &&
	          rp_history_spread(given, &h.sigma, err);
	snprintf(h.text, sizeof h.text, "%s", name);
	for (uint32_t m = 0; ok && m < given->workers; m++) {
		h.phase[m] = given->phase[m];
		h.phased |= h.phase[m] != h.phase[0];
	}
	for (size_t u = 0; ok && u < given->events; u++) {
		uint32_t w = given->worker[u];
		h.block[u] = (h.phase[w] + count[w]++) % given->blocks;
	}
	for (size_t i = 0; ok && i < n; i++) {
		for (size_t k = 0; k < CACHES; k++)
			h.capacity[k] = capacity[i];
		ok = check_one(&h, &s->how.lab, reuse, &s->checks, err);
	}
	rp_reuse_free(reuse);
	free(count);
	free_history(&h);
	return ok;
}

/* ---- Where Theorem 5 needs its conditions ---- */

/* A history of two workers: whether LRU of `capacity` blocks misses more than max n_i times. */
static bool
loses(const struct rp_suite *s, uint64_t blocks, uint64_t other_phase, const char *workers,
    uint64_t capacity, bool *yes, struct rp_err *err)
{
	uint64_t phase[2] = { 0, other_phase }, count[2] = { 0 }, block[64];
	size_t n = strlen(workers);
	struct history h = { .block = block, .h = { .events = n } };
	for (size_t u = 0; u < n; u++) {
		size_t w = (size_t)(workers[u] - '0');
		block[u] = (phase[w] + count[w]++) % blocks;
	}
	for (size_t i = 0; i < CACHES; i++)
		h.capacity[i] = capacity;
	if (!replay(&h, &s->how.lab, err))
		return false;
	*yes = h.misses[0] > (count[0] > count[1] ? count[0] : count[1]);
	return true;
}

bool
rp_suite_history_conditions(struct rp_suite *s, struct rp_err *err)
{
	bool start, counts;
	/* In lockstep sigma = 1, and C = 1 would do; but half a ring apart nothing is shared. */
	if (!loses(s, 8, 4, "0101010101010101", 1, &start, err))
		return false;
	/* Counted anew in each scan nobody is ever more than one ahead on two blocks; but one is a whole scan behind. */
	if (!loses(s, 2, 0, "0011", 1, &counts, err))
		return false;
	rp_checks_begin(&s->checks, NULL, NULL);
	rp_check_without(&s->checks, RP_WITHOUT_EQUAL_START, start);
	rp_check_without(&s->checks, RP_WITHOUT_WHOLE_COUNTS, counts);
	return rp_checks_end(&s->checks, err);
}
