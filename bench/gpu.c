/* gpu.c - how fast accesses of a GPU go through caches of GPGPU-Sim.
 *
 * The rows are drawn here, since recorded kernels are not part of the project: warps that stream through arrays four
 * sectors at a time, come back to a small table, and scatter partial writes, as the recorded ones do. */
#include "config.h"

#include "bench/bench.h"

#include "base/rng.h"
#include "sim/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 2000000, ROUNDS = 5, WARPS = 64 };

static const struct {
	const char *name, *spec;
} figures[] = {
	{ "V100 L1, 64 ways", "preset=v100,shared=96" },
	{ "V100 L1, 256 ways", "preset=v100" },
	{ "RTX 2060 Super L1, 512 ways in a set", "preset=rtx2060super" },
	{ "GTX 480 L1, plain lines", "preset=gtx480" },
	{ "V100 L2, 64 slices", "preset=v100,level=l2" },
	{ "a slice of A100 L2", "preset=a100,level=l2,slices=1" },
	{ "4 ways, 8 MSHRs that fill up", "gpgpusim=S:4:128:4,L:B:m:L:L,A:8:4,latency=20" },
	{ "the same, alloc on fill", "gpgpusim=S:4:128:4,L:T:f:N:L,A:8:4,latency=20" },
};

/* An instruction of 32 lanes, 4 bytes each, side by side: four rows. */
static void
put_stream(struct rp_batch *b, uint64_t addr, enum rp_kind kind)
{
	for (unsigned k = 0; k < 4; k++)
		rp_batch_put(b, &(struct rp_access){ .addr = addr + 32 * k,
				    .size = 32,
				    .kind = (uint8_t)kind,
				    .mask = UINT32_MAX,
				    .flags = RP_GLOBAL });
}

static struct rp_batch *
draw(void)
{
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(ROWS + 16, RP_COL_MASK | RP_COL_FLAGS, &err);
	struct rp_rng r = rp_rng_for(1, "bench/gpu", 0);
	uint64_t step = 0;
	if (!b)
		bench_fail(&err);
	while (b->n < ROWS) {
		uint64_t warp = step % WARPS, at = (step / WARPS * WARPS + warp) * 128;
		put_stream(b, 0x10000000 + at, RP_READ);
		put_stream(b, 0x20000000 + at / 4, RP_READ);
		for (unsigned k = 0; k < 4; k++) {
			uint32_t byte = 4 * (uint32_t)rp_rng_below(&r, 8);
			bool write = rp_rng_below(&r, 3) == 0;
			uint64_t table = write ? 0x50000000 + 32 * rp_rng_below(&r, 1 << 20)
			                       : 0x40000000 + 32 * rp_rng_below(&r, 1 << 11);
			rp_batch_put(b, &(struct rp_access){ .addr = table + byte,
					    .size = 4,
					    .kind = write ? RP_WRITE : RP_READ,
					    .mask = 15u << byte,
					    .flags = RP_GLOBAL });
		}
		put_stream(b, 0x30000000 + at, RP_WRITE);
		step++;
	}
	return b;
}

struct job {
	struct rp_cache_spec spec;
	const struct rp_batch *rows;
	struct rp_counters c;
};

static void
run(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(&j->spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < j->rows->n; at += RP_BATCH) {
		size_t left = j->rows->n - at;
		const struct rp_batch part = { .n = left < RP_BATCH ? left : RP_BATCH,
			.addr = j->rows->addr + at,
			.size = j->rows->size + at,
			.kind = j->rows->kind + at,
			.mask = j->rows->mask + at,
			.flags = j->rows->flags + at };
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_counters(r, 0, &j->c);
	rp_replay_free(r);
}

/* usage: gpu FOLDER [PART]: only figures of which PART is part of the name. */
int
main(int argc, char **argv)
{
	struct rp_batch *rows = draw();
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct job j = { .rows = rows };
		struct rp_err err = { 0 };
		char what[128];
		if (argc > 2 && !strstr(figures[i].name, argv[2]))
			continue;
		if (!rp_cache_spec_parse(figures[i].spec, 128, 1, &j.spec, &err))
			bench_fail(&err);
		struct bench_variant v = { run, &j, 0 };
		bench_turns(&v, 1, ROUNDS, false);
		snprintf(what, sizeof what, "gpu %s (%.0f%% hits)", figures[i].name,
		    100 * (double)j.c.hits / (double)j.c.lookups);
		bench_row(what, (double)j.c.lookups / v.best / 1e6, "M/s", "-", NAN, 10);
		rp_cache_spec_free(&j.spec);
	}
	rp_batch_free(rows);
	return 0;
}
