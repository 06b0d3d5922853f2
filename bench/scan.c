/* scan.c - a parallel scan through LRU, and the checks of all small ones.
 *
 * 192 workers at random phases over 4,096 blocks, in a cache of 1,280: as it is generated, and from memory beside the plain
 * loop. The checks are those of `reprise validate pascal --exhaustive --random 500`, on one thread. */
#include "config.h"

#include "bench/bench.h"
#include "bench/plain.h"
#include "gen/gen.h"
#include "sim/replay.h"
#include "validate/suite.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4 << 20 };

static const char scan[] = "scan,blocks=4096,block=16KiB,phases=uniform,workers=192";

struct through {
	struct rp_cache_spec spec;
	struct rp_batch *rows; /* NULL: as they are generated */
	uint64_t misses;
};

static struct rp_source *
open_scan(void)
{
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(scan, 1, &err);
	if (!s)
		bench_fail(&err);
	return s;
}

static void
replay(void *to)
{
	struct through *t = to;
	struct rp_err err = { 0 };
	const struct rp_replay_opts opts = { 0 };
	struct rp_replay *r = rp_replay_new(&t->spec, 1, &opts, &err);
	struct rp_source *s = t->rows ? NULL : open_scan();
	struct rp_batch *b = s ? rp_batch_new(RP_BATCH, s->trace->columns, &err) : NULL;
	struct rp_counters c;
	bool ok = r && (t->rows || b);
	if (ok && t->rows)
		ok = rp_replay_run(r, t->rows, &err);
	for (size_t n = 0; ok && b && n < ROWS; n += b->n) {
		rp_batch_clear(b);
		ok = rp_source_pull(s, b, &err) > 0 && rp_replay_run(r, b, &err);
	}
	if (!ok || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_counters(r, 0, &c);
	t->misses = c.misses;
	rp_replay_free(r);
	rp_source_close(s);
	rp_batch_free(b);
}

static void
plain(void *to)
{
	struct through *t = to;
	struct rp_counters c;
	plain_replay(&t->spec, t->rows, &c);
	t->misses = c.misses;
}

static void
replays(void)
{
	struct rp_err err = { 0 };
	struct through made = { 0 }, held = { 0 };
	if (!rp_cache_spec_parse("lru,size=20MiB,line=16KiB", 64, 1, &made.spec, &err))
		bench_fail(&err);
	held.spec = made.spec;
	struct rp_source *s = open_scan();
	held.rows = bench_collect(s, RP_COL_STREAM | RP_COL_TIME, ROWS);
	rp_source_close(s);
	struct bench_variant v[] = { { replay, &made, 0 }, { replay, &held, 0 },
		{ plain, &held, 0 } };
	bench_turns(v, 3, 5, false);
	double M = ROWS / 1e6;
	bench_row("scan through LRU: 1,280 blocks, 192 workers", M / v[1].best, "M/s", "plain loop",
	    v[2].best / v[1].best, NAN);
	bench_row("the same as it is generated, at least", M / v[0].best, "M/s", "-", NAN, 50);
	rp_batch_free(held.rows);
	rp_cache_spec_free(&made.spec);
}

static void
checks(void *to)
{
	struct rp_err err = { 0 };
	struct rp_suite s = { .how.lab = { .line = 64, .seed = 1 },
		.seed = 1,
		.cases = { .threads = 1 },
		.blocks = { 7, 48 },
		.workers = { 1, 12 } };
	(void)to;
	rp_checks_init(&s.checks);
	if (!rp_suite_exhaustive(&s, &err) || !rp_suite_random(&s, 500, &err))
		bench_fail(&err);
	bench_keep(rp_checks_failed(&s.checks));
	rp_checks_free(&s.checks);
}

int
main(void)
{
	struct bench_variant v = { checks, NULL, 0 };
	replays();
	bench_turns(&v, 1, 2, false);
	bench_row_most("validate pascal --exhaustive --random 500", v.best, "s", "-", NAN, 5);
	return 0;
}
