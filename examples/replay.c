/* replay.c - replays traces through one cache and prints its counters.
 *
 *     replay lru,size=32KiB,ways=8 trace.rpz
 *     replay lru,size=4MiB gen:zipf,lines=1000000 limit=1000000
 *
 * Build: cc replay.c $(pkg-config --cflags --libs reprise) */
#include <inttypes.h>
#include <reprise.h>
#include <stdio.h>

static int
fail(const struct reprise_error *err)
{
	fprintf(stderr, "replay: %s\n", err->text);
	return err->code;
}

/* Counts the accesses by kind on the way: a batch can be looked at before it is replayed. */
static bool
replay(struct reprise_trace *trace, struct reprise_replay *cache, uint64_t kinds[16],
    struct reprise_error *err)
{
	const struct reprise_batch *batch;
	ptrdiff_t n;
	while ((n = reprise_trace_pull(trace, &batch, err)) > 0) {
		for (size_t i = 0; i < batch->n; i++)
			kinds[batch->kind[i]]++;
		if (!reprise_replay_run(cache, batch, err))
			return false;
	}
	return n == 0 && reprise_replay_end(cache, err);
}

static bool
print(const struct reprise_replay *cache, const uint64_t kinds[16], struct reprise_error *err)
{
	const struct reprise_counter *c;
	printf("%s\n", reprise_replay_spec(cache, 0));
	for (size_t i = 0; (c = reprise_counter(i)); i++) {
		uint64_t count;
		double ratio;
		if (c->ratio &&
		    reprise_replay_ratio(cache, 0, REPRISE_ALL, 0, c->name, &ratio, err))
			printf("%-16s %.6f\n", c->name, ratio);
		else if (!c->ratio &&
			 reprise_replay_count(cache, 0, REPRISE_ALL, 0, c->name, &count, err))
			printf("%-16s %" PRIu64 "\n", c->name, count);
		else
			return false;
	}
	printf("of the accesses, %" PRIu64 " read and %" PRIu64 " write\n", kinds[REPRISE_READ],
	    kinds[REPRISE_WRITE]);
	return true;
}

int
main(int argc, char **argv)
{
	struct reprise_error err = { 0 };
	if (argc < 3) {
		fprintf(stderr, "usage: replay CACHE TRACE [OPTIONS]\n");
		return REPRISE_USAGE;
	}
	const char *spec = argv[1], *name = argv[2];
	uint64_t kinds[16] = { 0 };
	struct reprise_replay *cache = reprise_replay_new(&spec, 1, NULL, &err);
	struct reprise_trace *trace = cache ? reprise_trace_open(&name, 1, argv[3], &err) : NULL;
	bool ok = trace && replay(trace, cache, kinds, &err) && print(cache, kinds, &err);
	reprise_trace_close(trace);
	reprise_replay_free(cache);
	return ok ? 0 : fail(&err);
}
