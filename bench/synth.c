/* synth.c - how fast traces with given reuse profiles are made.
 *
 * Rows of a whole trace, 4,096 a batch; opening (peaks, counts, trees) is timed too. */
#include "config.h"

#include "bench/bench.h"
#include "gen/gen.h"

#include <math.h>
#include <stdio.h>

struct making {
	const char *text;
	uint64_t rows;
};

static void
make(void *to)
{
	struct making *m = to;
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(m->text, 1, &err);
	struct rp_batch *b = s ? rp_batch_new(RP_BATCH, s->trace->columns, &err) : NULL;
	ptrdiff_t n = b ? 1 : -1;
	for (m->rows = 0; n > 0; m->rows += (uint64_t)n) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, &err);
		bench_keep(b->addr[0]);
	}
	if (n < 0)
		bench_fail(&err);
	rp_batch_free(b);
	rp_source_close(s);
}

int
main(void)
{
	static const struct {
		const char *what, *text;
		double floor; /* M rows a second */
	} at[] = {
		{ "synthesis: MaxRD 4,096", "mixture,peaks=8,max-rd=4096,length=2000000", 10 },
		{ "synthesis: MaxRD 4,096, four streams, bursts",
		    "mixture,peaks=8,max-rd=4096,length=500000,streams=4,burst=8", NAN },
		{ "synthesis: traces of 10,000, MaxRD 4,096", "mixture,peaks=8,max-rd=4096", NAN },
		{ "synthesis: MaxRD 10^6",
		    "mixture,peaks=8,max-rd=1000000,recipe=wide,sigma=1000..100000,length=8000000",
		    2 },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct making m = { at[i].text, 0 };
		struct bench_variant v = { make, &m, 0 };
		bench_turns(&v, 1, 3, false);
		bench_row(at[i].what, (double)m.rows / v.best / 1e6, "M/s", "-", NAN, at[i].floor);
	}
	return 0;
}
