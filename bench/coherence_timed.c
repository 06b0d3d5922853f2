/* coherence_timed.c - timed coherence: transactions a second, beside the same accesses in functional mode.
 *
 * The workload is the hard one of bench/coherence.c: nine of ten accesses miss, and what the home knows of their lines lies
 * anywhere in memory. Streams come from memory, each in its own order. */
#include "config.h"

#include "bench/bench.h"

#include "base/mem.h"
#include "gen/gen.h"
#include "sim/coherence/timed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4000000, ROUNDS = 3, STREAMS = 8, KIB_32_SETS = 64, KIB_32_WAYS = 8 };

struct job {
	const struct rp_batch *all;
	struct rp_batch *lane[STREAMS];
	size_t at[STREAMS];
	uint64_t mshrs;
	struct rp_coherence_times times;
};

static struct rp_coherence *
caches(const struct job *j, bool timed)
{
	struct rp_err err = { 0 };
	const struct rp_coherence_config config = { .protocol = &rp_protocol_msi,
		.caches = STREAMS,
		.line = 64,
		.word_bytes = 1,
		.sets = KIB_32_SETS,
		.ways = KIB_32_WAYS,
		.policy = rp_policy_find("lru", &err),
		.timed = timed,
		.timing = { .l1 = 4,
		    .net = 20,
		    .home = 10,
		    .mem = 150,
		    .resp = 5,
		    .pending = 16,
		    .backoff_mult = 1,
		    .mshrs = j->mshrs } };
	struct rp_coherence *k = rp_coherence_new(&config, &err);
	if (!k)
		bench_fail(&err);
	return k;
}

static void
functional(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_coherence *k = caches(j, false);
	for (size_t at = 0; at < j->all->n; at += RP_BATCH) {
		size_t left = j->all->n - at;
		struct rp_batch part = { .n = left < RP_BATCH ? left : RP_BATCH,
			.addr = j->all->addr + at,
			.size = j->all->size + at,
			.kind = j->all->kind + at,
			.stream = j->all->stream + at };
		if (!rp_coherence_run(k, &part, &err))
			bench_fail(&err);
	}
	rp_coherence_free(k);
}

static ptrdiff_t
pull(void *to, size_t i, struct rp_batch *out, uint64_t *gap, struct rp_err *err)
{
	struct job *j = to;
	size_t left = j->lane[i]->n - j->at[i], n = left < out->cap ? left : out->cap;
	(void)err;
	rp_batch_append(out, j->lane[i], j->at[i], n);
	for (size_t r = 0; r < n; r++)
		gap[r] = 0;
	j->at[i] += n;
	return (ptrdiff_t)n;
}

static void
timed(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	uint32_t streams[STREAMS];
	struct rp_timed_feed feed = { j, RP_COL_STREAM, pull };
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = i;
		j->at[i] = 0;
	}
	free(j->times.finish);
	struct rp_coherence *k = caches(j, true);
	struct rp_timed *t = rp_timed_new(k, streams, STREAMS, &feed, &err);
	if (!t || rp_timed_run(t, UINT64_MAX, &err) || !rp_timed_check(t, &err) ||
	    !rp_timed_results(t, &j->times, &err))
		bench_fail(&err);
	rp_timed_free(t);
	rp_coherence_free(k);
}

static void
deal(struct job *j)
{
	struct rp_err err = { 0 };
	for (size_t i = 0; i < STREAMS; i++)
		if (!(j->lane[i] = rp_batch_new(j->all->n, RP_COL_STREAM, &err)))
			bench_fail(&err);
	for (size_t r = 0; r < j->all->n; r++) {
		struct rp_access a = rp_batch_get(j->all, r);
		rp_batch_put(j->lane[a.stream], &a);
	}
}

int
main(void)
{
	struct rp_err err = { 0 };
	struct rp_source *s =
	    rp_gen_open("zipf,exponent=0.9,lines=1048576,writes=0.2,streams=8", 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *all = bench_collect(s, RP_COL_STREAM, ROWS);
	rp_source_close(s);
	struct job blocking = { .all = all }, mshrs;
	deal(&blocking);
	mshrs = blocking;
	mshrs.mshrs = 4;
	struct bench_variant v[3] = { { functional, &blocking, 0 }, { timed, &blocking, 0 },
		{ timed, &mshrs, 0 } };
	bench_turns(v, 3, ROUNDS, false);
	double of = (double)blocking.times.count.transactions / 1e6,
	       of_mshrs = (double)mshrs.times.count.transactions / 1e6;
	bench_row("timed coherence, 8 x 32 KiB, zipf 1 M lines: transactions", of / v[1].best,
	    "M/s", "-", NAN, 2);
	bench_row("the same: accesses, beside functional mode", (double)all->n / 1e6 / v[1].best,
	    "M/s", "functional", v[0].best / v[1].best, NAN);
	bench_row("the same, 4 MSHRs each: transactions", of_mshrs / v[2].best, "M/s", "-", NAN, 2);
	for (size_t i = 0; i < STREAMS; i++)
		rp_batch_free(blocking.lane[i]);
	free(blocking.times.finish);
	free(mshrs.times.finish);
	rp_batch_free(all);
	return 0;
}
