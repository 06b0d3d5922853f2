/* memory.c - what memory `reprise sim` takes, whatever the length of the trace.
 *
 * A program of its own that stays small: a child's peak begins with what its parent had when it was forked. */
#include "config.h"

#include "bench/bench.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct ran {
	double mib, rate; /* most memory it had; millions of accesses a second, as it says itself */
	double accesses;
};

/* Runs `reprise sim --json` on a trace and reads what it prints. */
static bool
sim(const char *cache, const char *limit, const char *trace, struct ran *r)
{
	const char *words[] = { "./reprise", "sim", "--json", "--cache", cache, "--limit", limit,
		trace, NULL };
	struct rusage used;
	int ends[2], status;
	pid_t child = pipe(ends) ? -1 : fork();
	if (child < 0)
		return false;
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(words[0], (char *const *)words);
		_exit(127);
	}
	close(ends[1]);
	json_t *doc = json_loadfd(ends[0], 0, NULL);
	close(ends[0]);
	bool ok = wait4(child, &status, 0, &used) == child && status == 0 && doc;
	r->mib = (double)used.ru_maxrss / 1024;
	r->rate = json_number_value(json_object_get(doc, "accesses_per_s")) / 1e6;
	r->accesses = json_number_value(json_object_get(json_object_get(doc, "trace"), "accesses"));
	json_decref(doc);
	return ok && r->accesses > 0;
}

static void
grows_not(char **argv, const char *trace, const char *cache, double most)
{
	char path[4096], what[200];
	struct ran tenth, all;
	snprintf(path, sizeof path, "%s/%s", argv[1], trace);
	if (access(path, R_OK)) {
		bench_skip(trace, "not made: see bench/run.sh");
		return;
	}
	if (!sim(cache, "2000000", path, &tenth) || !sim(cache, "20000000", path, &all)) {
		bench_skip(trace, "reprise sim failed");
		return;
	}
	snprintf(what, sizeof what, "memory: %s, %s", trace, cache);
	bench_row_most(what, all.mib, "MiB", "-", NAN, most);
	snprintf(what, sizeof what, "memory: %s, %.3g M accesses", trace, all.accesses / 1e6);
	bench_row_most(what, all.mib, "MiB", "a tenth of them", all.mib / tenth.mib, 1.1);
	snprintf(what, sizeof what, "reprise sim %s, as it says itself", trace);
	bench_row(what, all.rate, "M/s", "-", NAN, NAN);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	grows_not(argv, "gzip.rpz", "lru,sets=64,ways=8", 64);
	grows_not(argv, "zipf.rpz", "lru,sets=1024,ways=16", 64);
	return 0;
}
