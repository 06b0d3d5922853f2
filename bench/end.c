/* end.c - the way of a user's run: from a .rpz file through a cache.
 *
 * From memory means decoded columns, cut into the batches that a source would give. By the clock, since decoding may
 * go on in a second thread. */
#include "config.h"

#include "bench/bench.h"
#include "sim/replay.h"
#include "traces/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct run {
	const char *path;
	const struct rp_batch *all;
	const struct rp_cache_spec *spec;
	unsigned threads; /* that decode */
	struct rp_counters counters;
};

static struct rp_replay *
begin(const struct run *r)
{
	static const struct rp_replay_opts o;
	struct rp_err err = { 0 };
	struct rp_replay *replay = rp_replay_new(r->spec, 1, &o, &err);
	if (!replay)
		bench_fail(&err);
	return replay;
}

static void
end(struct run *r, struct rp_replay *replay)
{
	struct rp_err err = { 0 };
	if (!rp_replay_end(replay, &err))
		bench_fail(&err);
	rp_replay_counters(replay, 0, &r->counters);
	rp_replay_free(replay);
}

static void
from_memory(void *to)
{
	struct run *r = to;
	struct rp_err err = { 0 };
	struct rp_replay *replay = begin(r);
	for (size_t i = 0; i < r->all->n; i += RP_BATCH) {
		size_t n = r->all->n - i < RP_BATCH ? r->all->n - i : RP_BATCH;
		struct rp_batch part = { .n = n, .cap = n };
		part.addr = r->all->addr + i;
		part.size = r->all->size + i;
		part.kind = r->all->kind + i;
		if (!rp_replay_run(replay, &part, &err))
			bench_fail(&err);
	}
	end(r, replay);
}

static void
from_file(void *to)
{
	struct run *r = to;
	struct rp_err err = { 0 };
	struct rp_read_opts o = { .threads = r->threads };
	struct rp_replay *replay = begin(r);
	struct rp_source *s = rp_trace_open(r->path, &o, &err);
	struct rp_batch *b = s ? rp_batch_new(RP_BATCH, s->trace->columns, &err) : NULL;
	if (!b)
		bench_fail(&err);
	ptrdiff_t n;
	while ((n = rp_source_pull(s, b, &err)) > 0) {
		if (!rp_replay_run(replay, b, &err))
			bench_fail(&err);
		rp_batch_clear(b);
	}
	if (n < 0)
		bench_fail(&err);
	rp_batch_free(b);
	rp_source_close(s);
	end(r, replay);
}

static void
one(char **argv, const char *trace, const char *cache)
{
	char path[4096], what[200];
	struct rp_err err = { 0 };
	struct rp_cache_spec spec;
	struct rp_batch *all = bench_load(argv, trace, 0, 0);
	if (!all)
		return;
	if (!rp_cache_spec_parse(cache, 64, 1, &spec, &err))
		bench_fail(&err);
	snprintf(path, sizeof path, "%s/%s", argv[1], trace);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct run memory = { NULL, all, &spec, 0, { 0 } };
	struct run file = { path, NULL, &spec, cores > 1 ? (unsigned)cores : 1, { 0 } };
	struct bench_variant v[] = { { from_file, &file, 0 }, { from_memory, &memory, 0 } };
	bench_turns(v, 2, 5, true);
	if (memcmp(&memory.counters, &file.counters, sizeof memory.counters)) {
		rp_fail(&err, RP_FAILED, "%s, %s: other counters from the file than from memory",
		    trace, cache);
		bench_fail(&err);
	}
	snprintf(what, sizeof what, "%s from .rpz, %s", trace, cache);
	bench_row(what, (double)all->n / v[0].best / 1e6, "M/s", "the same from memory",
	    v[1].best / v[0].best, 0.6);
	/* What decoding costs in all: busy machines show it better than the clock does. */
	file.threads = 1;
	bench_turns(v, 2, 3, false);
	snprintf(what, sizeof what, "%s, %s, one thread, processor time", trace, cache);
	bench_row(what, (double)all->n / v[0].best / 1e6, "M/s", "the same from memory",
	    v[1].best / v[0].best, NAN);
	rp_cache_spec_free(&spec);
	rp_batch_free(all);
}

int
main(int argc, char **argv)
{
	(void)argc;
	one(argv, "gzip.rpz", "lru,sets=64,ways=8");
	one(argv, "sqlite.rpz", "lru,sets=64,ways=8");
	one(argv, "zipf.rpz", "lru,sets=1024,ways=16");
	one(argv, "gzip.rpz", "lru,size=32KiB");
	return 0;
}
