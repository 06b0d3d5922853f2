/* test_cross.c - the cross product of policy, writes, allocation, sectors, set index, MSHRs, stalls and classes on random
 * traces: the laws of the counters hold (replay checks them after every batch), what must be true of any cache is, and
 * batches, company and streams change nothing. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

enum { ROWS = 1500 };

static const char *const writes[] = { "back", "through" };
static const char *const allocates[] = { "write", "no-write" };
static const char *const sectors[] = { "", ",sector=64", ",sector=32", ",sector=16" };
static const char *const indexes[] = { "mod", "xor", "ipoly", "fermi", "hash" };
static const char *const stalls[] = { "", ",stall=count", ",stall=skip", ",stall=unit",
	",stall=drop" };

#define PICK(list, x) list[(x) % (sizeof(list) / sizeof *(list))]

/* A random specification with that policy, stall and sectors; false: such a cache is refused, as it may be. */
static bool
spec_of(char to[256], struct rp_rng *rng, const struct rp_policy *p, const char *stall,
    const char *sector, struct rp_cache_spec *s)
{
	uint64_t r = rp_rng_next(rng);
	const char *index = PICK(indexes, r & 0xff);
	unsigned sets = r >> 8 & 1 ? 32 : 16, ways = 1 + (unsigned)(r >> 9 & 7);
	int n = snprintf(to, 256, "%s", p->name);
	if (strcmp(index, "fermi") == 0)
		sets = 32;
	if (!p->unbounded)
		n += snprintf(
		    to + n, 256 - (size_t)n, ",sets=%u,ways=%u,index=%s", sets, ways, index);
	for (size_t i = 0; i < RP_POLICY_PARAMS && p->params[i].name; i++)
		if (p->params[i].wanted)
			n += snprintf(to + n, 256 - (size_t)n, ",%s=1000000", p->params[i].name);
	n += snprintf(to + n, 256 - (size_t)n, ",line=128%s,write=%s,allocate=%s,classify=%s",
	    sector, PICK(writes, r >> 16 & 0xff), PICK(allocates, r >> 24 & 0xff),
	    r >> 12 & 1 && !p->unbounded ? "yes" : "no");
	if (*stall)
		snprintf(to + n, 256 - (size_t)n, ",mshr=%d,merge=%d,latency=%d,clock=%s%s",
		    (int)(r >> 32 & 7), (int)(r >> 36 & 3), 1 + (int)(r >> 40 & 31),
		    r >> 48 & 3 ? "lookups" : "time", stall);
	struct rp_err err = { 0 };
	bool ok = rp_cache_spec_parse(to, 64, 1, s, &err);
	cr_assert(ok || err.code == RP_USAGE);
	return ok;
}

static struct rp_batch *
trace_of(struct rp_rng *rng)
{
	static const uint8_t marks[] = { RP_KERNEL_END, RP_HOST_COPY, RP_COPY_BACK, RP_INVALIDATE };
	struct rp_batch *b =
	    rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME | RP_COL_FLAGS | RP_COL_MASK, NULL);
	uint64_t lines = 1 + rp_rng_below(rng, 500), stamp = 0;
	while (b->n < ROWS) {
		uint64_t r = rp_rng_next(rng);
		struct rp_access a = { .stream = (uint32_t)(r & 3), .time = stamp };
		a.addr =
		    128 * rp_rng_below(rng, r >> 2 & 1 ? lines / 8 + 1 : lines) + (r >> 8 & 127);
		a.size = 1 + (uint32_t)(r >> 16 & 31) + (r >> 24 & 31 ? 0 : 700);
		a.kind = (uint8_t)(r >> 32 & 1                 ? RP_WRITE
				   : (r >> 33 & 31) < RP_KINDS ? r >> 33 & 31
							       : 0);
		if ((r >> 40 & 63) == 0)
			a.kind = marks[r >> 46 & 3];
		if ((r >> 40 & 63) == 1) {
			a.addr &= ~(uint64_t)31;
			a.size = 32;
			a.mask = (uint32_t)rp_rng_next(rng);
		}
		stamp += r >> 48 & 7 ? r >> 51 & 1 : r >> 51 & 63;
		rp_batch_put(b, &a);
	}
	return b;
}

static struct rp_counters
replay_pieces(const struct rp_cache_spec *s, size_t n, size_t which, const struct rp_batch *b,
    size_t piece, const struct rp_replay_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_counters c;
	struct rp_batch *part = rp_batch_new(piece, rp_batch_columns(b), NULL);
	struct rp_replay *r = rp_replay_new(s, n, o, &err);
	cr_assert(r && part, "%s", err.text);
	for (size_t at = 0; at < b->n; at += piece) {
		rp_batch_clear(part);
		rp_batch_append(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_replay_counters(r, which, &c);
	rp_batch_free(part);
	rp_replay_free(r);
	return c;
}

/* What holds of any cache beside the laws. Without `once`. */
static void
expect_sane(const struct rp_counters *c, const struct rp_cache_spec *s, const char *spec)
{
	cr_assert_eq(c->bytes_filled, c->fills * s->sector, "%s", spec);
	if (s->write == RP_WRITE_THROUGH)
		cr_assert_eq(c->writebacks, 0, "%s", spec);
	cr_assert_leq(c->evictions, c->fills, "%s", spec);
	cr_assert_leq(c->fills, c->misses, "%s", spec);
	if (!s->mshr.on)
		return;
	if (s->allocate == RP_ALLOCATE_WRITE && s->mshr.stall != RP_STALL_DROP && !s->policy->admit)
		cr_assert_eq(c->fetches + c->merged, c->misses, "%s", spec);
	if (s->mshr.entries)
		cr_assert_leq(c->mshr_occupancy_max, s->mshr.entries, "%s", spec);
	if (s->mshr.merge && s->mshr.stall == RP_STALL_COUNT)
		cr_assert_leq(c->merged, c->fetches * s->mshr.merge, "%s", spec);
	if (!s->mshr.clock)
		cr_assert_eq(c->mshr_time, c->lookups + c->stall_units, "%s", spec);
	if (s->mshr.stall == RP_STALL_UNIT)
		cr_assert_eq(
		    c->mshr_full + c->merge_full + c->ways_full, c->stall_units, "%s", spec);
	if (s->mshr.stall == RP_STALL_COUNT || s->mshr.stall == RP_STALL_DROP)
		cr_assert_eq(c->stall_units, 0, "%s", spec);
}

static void
cross(struct rp_rng *rng, const struct rp_policy *p, const char *stall, const char *sector)
{
	char text[2][256];
	struct rp_cache_spec s[2];
	if (!spec_of(text[0], rng, p, stall, sector, &s[0]))
		return;
	struct rp_batch *b = trace_of(rng);
	struct rp_replay_opts o = { .by_stream = true, .flush = true, .interval = 400 };
	struct rp_counters whole = replay_pieces(s, 1, 0, b, 4096, &o),
			   single = replay_pieces(s, 1, 0, b, 1, &o);
	expect_sane(&whole, &s[0], text[0]);
	expect_same(&single, &whole, text[0]);
	struct rp_replay_opts once = { .once = true, .by_stream = true };
	replay_pieces(s, 1, 0, b, 97, &once); /* for its laws */
	if (spec_of(text[1], rng, rp_policies[0], stall, PICK(sectors, rp_rng_next(rng)), &s[1])) {
		struct rp_counters together = replay_pieces(s, 2, 0, b, 97, &o);
		expect_same(&together, &whole, text[0]);
		rp_cache_spec_free(&s[1]);
	}
	rp_cache_spec_free(&s[0]);
	rp_batch_free(b);
}

RP_TEST(cross, laws_hold_of_every_combination)
{
	struct rp_rng rng = { rp_test_seed("cross") };
	for (unsigned i = 0; i < rp_test_scale(); i++)
		for (size_t p = 0; rp_policies[p]; p++)
			for (size_t k = 0; k < sizeof stalls / sizeof *stalls; k++)
				for (size_t n = 0; n < sizeof sectors / sizeof *sectors; n++)
					cross(&rng, rp_policies[p], stalls[k], sectors[n]);
}
