/* test_synth.c - tests gen/synth.c and gen/profile.c. */
#include "tests/gen/draw.h"

#include "gen/counts.h"
#include "gen/synth.h"

#include "base/rng.h"

#include <inttypes.h>
#include <unistd.h>

/* A profile as a file, and the rows of gen:profile over it with more options. */
static struct rp_batch *
rows_of(const char *json, const char *more, uint64_t seed, size_t n)
{
	char path[] = "/tmp/rp-profile-XXXXXX", text[600];
	int fd = mkstemp(path);
	cr_assert(fd >= 0 && write(fd, json, strlen(json)) == (ssize_t)strlen(json));
	close(fd);
	snprintf(text, sizeof text, "profile,counts=@%s%s", path, more);
	struct rp_batch *b = draw_rows(text, seed, n, RP_BATCH);
	unlink(path);
	return b;
}

static char *
text_of(const struct rp_counts *c)
{
	json_t *o = rp_counts_json(c);
	char *text = json_dumps(o, 0);
	json_decref(o);
	return text;
}

/* Distances by searching backwards; those of the first `from` rows are not counted, but their lines are seen. */
static struct rp_counts
measure(const struct rp_batch *b, size_t from)
{
	struct rp_counts c;
	cr_assert(rp_counts_new(&c, b->n + 1, NULL));
	uint64_t *list = malloc((b->n + 1) * sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		uint64_t line = b->addr[i] / 64;
		size_t d = 0;
		while (d < n && list[d] != line)
			d++;
		if (i >= from) {
			if (d == n)
				c.cold++;
			else
				c.count[d]++;
		}
		memmove(list + 1, list, (d < n ? d : n++) * sizeof *list);
		list[0] = line;
	}
	free(list);
	return c;
}

static uint64_t
fnv1a(const uint64_t *x, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < 8; byte++)
			h = (h ^ (x[i] >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
	return h;
}

RP_TEST(synth, the_golden_traces_come_out)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, "gen/files/mlcrp-synth.json"), 0, NULL), *g,
	       *v;
	size_t k, i;
	json_array_foreach(json_object_get(doc, "golden"), k, g)
	{
		char more[60], hash[20];
		size_t n = (size_t)json_integer_value(json_object_get(g, "L")),
		       warm = (size_t)json_integer_value(json_object_get(g, "prewarm"));
		char *text = json_dumps(g, 0);
		snprintf(more, sizeof more, ",layout=id,prewarm=%zu", warm);
		struct rp_batch *b = rows_of(text, more,
		    (uint64_t)json_integer_value(json_object_get(g, "seed")), n + warm + 1);
		cr_assert_eq(b->n, n + warm);
		for (i = 0; i < b->n; i++) {
			b->addr[i] /= 64;
			cr_assert(i >= warm || b->addr[i] == i);
		}
		json_array_foreach(json_object_get(g, "trace_head"), i, v)
		    cr_assert_eq(b->addr[warm + i], (uint64_t)json_integer_value(v));
		uint64_t lines = 0; /* numbered by first touch */
		for (i = 0; i < b->n; i++)
			lines = b->addr[i] >= lines ? b->addr[i] + 1 : lines;
		cr_assert_eq(lines, (uint64_t)json_integer_value(json_object_get(g, "lines")));
		snprintf(hash, sizeof hash, "%016" PRIx64, fnv1a(b->addr + warm, n));
		cr_assert_str_eq(hash, json_string_value(json_object_get(g, "fnv1a64")));
		rp_batch_free(b);
		free(text);
	}
	cr_assert_eq(k, 4);
	json_decref(doc);
}

/* Counts as {"0": 3, ...} of a fixture, whose other members have other names. */
static void
same_counts(const struct rp_counts *c, const json_t *want, const json_t *cold)
{
	uint64_t sum = (uint64_t)json_integer_value(cold);
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)want, key, v)
	{
		size_t d = (size_t)atoi(key);
		cr_assert(d < c->n && c->count[d] == json_integer_value(v), "distance %zu", d);
		sum += c->count[d];
	}
	cr_assert_eq((json_int_t)c->cold, json_integer_value(cold));
	cr_assert_eq(rp_counts_sum(c), sum);
}

RP_TEST(synth, what_is_not_feasible_is_repaired_as_published)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, "gen/files/mlcrp-synth.json"), 0, NULL), *g;
	size_t k;
	json_array_foreach(json_object_get(doc, "infeasible"), k, g)
	{
		struct rp_counts c = { 0 };
		cr_assert(rp_counts_from_json(&c, g, NULL));
		cr_assert_eq(
		    rp_counts_depth(&c) <= c.cold, json_is_true(json_object_get(g, "feasible")));
		rp_counts_repair(&c, 0);
		same_counts(
		    &c, json_object_get(g, "repaired_counts"), json_object_get(g, "repaired_cold"));
		/* And so is the trace made of it. */
		char *text = json_dumps(g, 0);
		struct rp_batch *b = rows_of(text, "", 1, 100);
		struct rp_counts made = measure(b, 0);
		cr_assert_eq(rp_counts_l1(&made, &c), 0);
		rp_counts_free(&made);
		rp_batch_free(b);
		free(text);
		rp_counts_free(&c);
	}
	cr_assert_eq(k, 3);
	json_decref(doc);
}

/* Section 6 as it stands: a list for the stack, sums over all counts. */
static void
slow_trace(const struct rp_counts *counts, uint64_t prewarm, uint64_t seed, uint64_t *to)
{
	struct rp_counts c;
	struct rp_xoshiro rng = rp_xoshiro_seed(seed);
	uint64_t length = rp_counts_sum(counts), n = 0, id = 0;
	uint64_t *list = malloc((length + prewarm + 1) * sizeof *list);
	cr_assert(rp_counts_copy(&c, counts, NULL));
	for (; n < prewarm; n++) {
		memmove(list + 1, list, n * sizeof *list);
		*to++ = list[0] = id++;
	}
	for (uint64_t i = 0; i < length; i++) {
		uint64_t feasible = 0, d = 0;
		for (size_t k = 0; k < c.n && k < n; k++)
			feasible += c.count[k];
		uint64_t u = rp_xoshiro_below(&rng, feasible + c.cold), line;
		if (u < c.cold) {
			c.cold--;
			d = n++;
			line = id++;
		} else {
			for (u -= c.cold; u >= c.count[d]; d++)
				u -= c.count[d];
			c.count[d]--;
			line = list[d];
		}
		memmove(list + 1, list, d * sizeof *list);
		*to++ = list[0] = line;
	}
	free(list);
	rp_counts_free(&c);
}

static struct rp_counts
some_counts(struct rp_rng *rng, size_t depth)
{
	struct rp_counts c;
	cr_assert(rp_counts_new(&c, depth, NULL));
	for (size_t d = 0; d < depth; d++)
		c.count[d] = rp_rng_below(rng, 4) ? 0 : (uint32_t)rp_rng_below(rng, 30);
	c.cold = 1 + rp_rng_below(rng, depth + 20);
	return c;
}

RP_TEST(synth, the_lines_are_those_of_a_slow_model_and_the_counts_are_kept)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("synth"), "tests/synth", 0);
	for (unsigned round = 0; round < 40 * rp_test_scale(); round++) {
		struct rp_counts c =
		    some_counts(&rng, 1 + rp_rng_below(&rng, round % 4 ? 40 : 700));
		uint64_t seed = rp_rng_next(&rng),
			 prewarm = rp_rng_below(&rng, 3) * rp_rng_below(&rng, 50);
		char more[60], *text = text_of(&c);
		snprintf(more, sizeof more, ",layout=id,prewarm=%" PRIu64, prewarm);
		rp_counts_repair(&c, prewarm);
		size_t n = rp_counts_sum(&c) + prewarm;
		uint64_t *want = malloc(n * sizeof *want);
		slow_trace(&c, prewarm, seed, want);
		struct rp_batch *b = rows_of(text, more, seed, n + 1);
		cr_assert_eq(b->n, n);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(b->addr[i], 64 * want[i], "row %zu", i);
		struct rp_counts got = measure(b, prewarm);
		cr_assert_eq(rp_counts_l1(&got, &c), 0);
		rp_counts_free(&got);
		rp_counts_free(&c);
		rp_batch_free(b);
		free(want);
		free(text);
	}
}

/* The stack is packed, what is below the deepest distance is forgotten, and the preamble is deeper than that. */
RP_TEST(synth, counts_are_kept_in_every_layout_over_a_large_footprint)
{
	static const char *const layout[] = { "id", "random", "sequential", "strided:7",
		"tile2d:4:64:8", "regions:5", "runs:12" };
	const char json[] = "{\"counts\": {\"0\": 5000, \"3\": 4000, \"90\": 9000, \"91\": 1000}, "
			    "\"cold\": 3000}";
	for (size_t i = 0; i < sizeof layout / sizeof *layout; i++) {
		char more[60];
		snprintf(more, sizeof more, ",prewarm=500,layout=%s", layout[i]);
		struct rp_batch *b = rows_of(json, more, rp_test_seed("synth"), 30000);
		struct rp_counts c = measure(b, 500);
		cr_assert_eq(b->n, 22500);
		cr_assert(c.count[0] == 5000 && c.count[3] == 4000 && c.count[90] == 9000 &&
			      c.count[91] == 1000 && c.cold == 3000,
		    "%s", layout[i]);
		rp_counts_free(&c);
		rp_batch_free(b);
	}
}

RP_TEST(synth, prewarm_keeps_what_was_asked_for)
{
	struct rp_batch *b =
	    rows_of("{\"counts\": {\"9\": 50}, \"cold\": 2}", ",infeasible=prewarm", 7, 100);
	struct rp_counts c = measure(b, 8);
	cr_assert_eq(b->n, 60);
	cr_assert(c.count[9] == 50 && c.cold == 2);
	rp_counts_free(&c);
	rp_batch_free(b);
}

/* Rows of one stream, in a batch of their own. */
static struct rp_batch *
only(const struct rp_batch *b, uint32_t stream)
{
	struct rp_batch *one = rp_batch_new(b->n, RP_COL_ALL, NULL);
	for (size_t i = 0; i < b->n; i++)
		if (b->stream[i] == stream)
			rp_batch_append(one, b, i, 1);
	return one;
}

RP_TEST(synth, each_stream_has_its_profile_on_lines_of_its_own)
{
	static const char *const turns[] = { "rr", "rr,burst=9", "random", "random,burst=4",
		"random,weights=1,5,2", "phases" };
	const char json[] = "{\"counts\": {\"0\": 300, \"5\": 200}, \"cold\": 40}";
	for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
		char more[90];
		snprintf(more, sizeof more, ",streams=3,layout=sequential,turns=%s", turns[k]);
		struct rp_batch *b = rows_of(json, more, rp_test_seed("synth"), 5000);
		cr_assert_eq(b->n, 1620);
		uint64_t end = 0;
		for (uint32_t s = 0; s < 3; s++) {
			struct rp_batch *one = only(b, s);
			struct rp_counts c = measure(one, 0);
			cr_assert(
			    one->n == 540 && c.count[0] == 300 && c.count[5] == 200 && c.cold == 40,
			    "%s", turns[k]);
			for (size_t i = 0; i < one->n; i++)
				cr_assert_geq(one->addr[i], end);
			for (size_t i = 0; i < one->n; i++)
				end = one->addr[i] >= end ? one->addr[i] + 1 : end;
			rp_counts_free(&c);
			rp_batch_free(one);
		}
		rp_batch_free(b);
	}
}

/* Longest run of rows of one stream, and how often the stream changes. */
static void
bursts(const struct rp_batch *b, size_t upto, size_t *longest, size_t *changes)
{
	size_t run = 1;
	*longest = 1;
	*changes = 0;
	for (size_t i = 1; i < upto; i++) {
		run = b->stream[i] == b->stream[i - 1] ? run + 1 : 1;
		*changes += run == 1;
		*longest = run > *longest ? run : *longest;
	}
}

RP_TEST(synth, turns_are_as_they_are_described)
{
	const char json[] = "{\"counts\": {\"0\": 3000}, \"cold\": 40}";
	size_t longest, changes;
	struct rp_batch *b = rows_of(json, ",streams=3", 1, 10000);
	for (size_t i = 0; i < b->n; i++)
		cr_assert_eq(b->stream[i], i % 3);
	rp_batch_free(b);
	b = rows_of(json, ",streams=3,burst=6", 1, 10000);
	bursts(b, 8000, &longest, &changes);
	/* 3.5 on average: 2,286 turns. */
	cr_assert(longest == 6 && changes > 2150 && changes < 2420, "%zu %zu", longest, changes);
	rp_batch_free(b);
	b = rows_of(json, ",streams=3,turns=phases", 1, 10000);
	bursts(b, b->n, &longest, &changes);
	cr_assert(longest == 3040 && changes == 2);
	rp_batch_free(b);
	b = rows_of(json, ",streams=2,turns=random,weights=1,3", 1, 10000);
	size_t second = 0;
	for (size_t i = 0; i < 3000; i++)
		second += b->stream[i];
	cr_assert(second > 2150 && second < 2350, "%zu", second); /* 2,250, four times 24 */
	rp_batch_free(b);
}

/* A distance drawn from the common stack is one of the combined stream. */
RP_TEST(synth, streams_of_a_shared_stack_add_up)
{
	struct rp_batch *b = rows_of("{\"streams\": [{\"counts\": {\"2\": 500}, \"cold\": 9, "
				     "\"share\": \"stack\", \"stream\": 4},"
				     " {\"counts\": {\"30\": 70, \"1\": 5}, \"cold\": 60, "
				     "\"share\": \"stack\", \"prewarm\": 3}]}",
	    ",turns=random,layout=id", 5, 1000);
	struct rp_counts c = measure(b, 3);
	cr_assert_eq(b->n, 647);
	cr_assert(c.count[2] == 500 && c.count[30] == 70 && c.count[1] == 5 && c.cold == 69);
	for (size_t i = 0; i < b->n; i++)
		cr_assert(b->stream[i] == 4 || b->stream[i] == 1);
	rp_counts_free(&c);
	rp_batch_free(b);
}

RP_TEST(synth, an_alias_keeps_to_the_lines_of_the_first)
{
	struct rp_batch *b =
	    rows_of("{\"streams\": [{\"counts\": {\"0\": 10}, \"cold\": 25}, "
		    "{\"counts\": {\"0\": 10}, \"cold\": 20}, {\"counts\": {\"0\": 10}, "
		    "\"cold\": 50}]}",
		",share=alias,layout=regions:3,turns=phases", 5, 1000);
	uint64_t seen[200];
	size_t lines = 0;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = 0;
		while (k < lines && seen[k] != b->addr[i])
			k++;
		if (k == lines)
			seen[lines++] = b->addr[i];
	}
	cr_assert_eq(b->n, 125);
	cr_assert_eq(lines, 25);
	rp_batch_free(b);
}

RP_TEST(synth, kinds_do_not_move_lines)
{
	const char json[] = "{\"counts\": {\"0\": 3000, \"4\": 3000}, \"cold\": 400}";
	struct rp_batch *plain = rows_of(json, "", 3, 7000),
			*some = rows_of(json, ",writes=0.3", 3, 7000),
			*lines = rows_of(json, ",line-kinds=0.5,0.2,0.3", 3, 7000);
	size_t writes = 0, wrote = 0;
	cr_assert_eq(memcmp(plain->addr, some->addr, plain->n * 8), 0);
	cr_assert_eq(memcmp(plain->addr, lines->addr, plain->n * 8), 0);
	for (size_t i = 0; i < plain->n; i++) {
		cr_assert_eq(plain->kind[i], RP_READ);
		writes += some->kind[i] == RP_WRITE;
		wrote += lines->kind[i] == RP_WRITE;
	}
	cr_assert(writes > 1700 && writes < 2140, "%zu", writes); /* 1,920, six times 37 */
	cr_assert(wrote > 1000 && wrote < 3500, "%zu", wrote);
	/* A line that is read and written is so in turn, and every line has one of the three ways. */
	size_t of[3] = { 0 };
	for (size_t i = 0; i < lines->n; i++) {
		size_t first = 0;
		while (lines->addr[first] != lines->addr[i])
			first++;
		if (first < i)
			continue;
		unsigned reads = 0, all = 0, turned = 1;
		for (size_t k = i; k < lines->n; k++)
			if (lines->addr[k] == lines->addr[i]) {
				turned &= lines->kind[k] == (all % 2 ? RP_WRITE : RP_READ);
				reads += lines->kind[k] == RP_READ;
				all++;
			}
		cr_assert(!reads || reads == all || turned);
		of[reads == all && all > 1 ? 0 : reads ? 2 : 1]++;
	}
	cr_assert(of[0] > 120 && of[1] > 40 && of[2] > 60);
	rp_batch_free(plain);
	rp_batch_free(some);
	rp_batch_free(lines);
}

RP_TEST(synth, accesses_lie_where_they_are_asked_to_in_their_lines)
{
	const char json[] = "{\"counts\": {\"0\": 300}, \"cold\": 40}";
	struct rp_batch *b =
	    rows_of(json, ",line=128,size=8,offset=24,base=0x1000,layout=id", 3, 7000);
	unsigned seen[16] = { 0 };
	for (size_t i = 0; i < b->n; i++)
		cr_assert(b->addr[i] >= 0x1000 && b->addr[i] % 128 == 24 && b->size[i] == 8);
	rp_batch_free(b);
	b = rows_of(json, ",size=16,offset=random", 3, 7000);
	for (size_t i = 0; i < b->n; i++) {
		cr_assert_eq(b->addr[i] % 16, 0);
		seen[b->addr[i] % 64 / 16]++;
	}
	cr_assert(seen[0] > 40 && seen[1] > 40 && seen[2] > 40 && seen[3] > 40);
	rp_batch_free(b);
}

RP_TEST(synth, what_cannot_be_is_refused)
{
	static const char *const bad[][2] = {
		{ "infeasible=strict,at=8:0:0.5,cold=0.5,length=4",
		    "stream 0: a distance of 8 needs 9 lines touched before, and there are 2 cold "
		    "accesses and 0 lines of a preamble: 7 are missing" },
		{ "writes=2", "writes=2: wanted a share from 0 to 1" },
		{ "writes=0.5,line-kinds=1,0,0",
		    "writes= and line-kinds= both say what writes: wanted one of them" },
		{ "line-kinds=1,0", "line-kinds=1,0: wanted three shares from 0 to 1, R,W,M" },
		{ "line-kinds=1,0,0.5", "line-kinds=1,0,0.5 sums to 1.5: wanted 1" },
		{ "line=96", "line=96: wanted a power of two" },
		{ "size=128", "size=128 is more than line=64" },
		{ "base=100", "base=100: wanted a multiple of line=64" },
		{ "offset=6",
		    "offset=6: wanted random, or a multiple of size=4 that leaves the access "
		    "in its line" },
		{ "offset=64", "offset=64: wanted random, or a multiple of size=4 that leaves the "
			       "access in its line" },
		{ "streams=2,weights=1,0", "weights=...0: wanted numbers above 0" },
		{ "weights=1,2", "weights=: more than there are streams" },
		{ "line=1048576,layout=random:46", "the lines of stream 0 do not fit below 2^64" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[200], want[600];
		snprintf(text, sizeof text, "mixture,%s", bad[i][0]);
		snprintf(want, sizeof want, "gen:mixture: %s", bad[i][1]);
		struct rp_err err = { 0 };
		cr_assert_null(rp_gen_open(text, 1, &err), "%s", text);
		cr_assert_str_eq(err.text, want);
	}
}

RP_TEST(synth, what_was_made_is_told)
{
	struct rp_err err = { 0 };
	struct rp_source *s =
	    rp_gen_open("mixture,peaks=3,max-rd=40,length=5000,streams=2", 7, &err);
	struct rp_batch *b = rp_batch_new(8000, RP_COL_STREAM, &err);
	cr_assert_eq(rp_source_pull(s, b, &err), 8000);
	json_t *half = s->trace->report(s->trace->reporter, true), *o;
	cr_assert_eq(json_integer_value(json_object_get(half, "l1")), 2000);
	rp_batch_clear(b);
	cr_assert_eq(rp_source_pull(s, b, &err), 2000);
	json_t *all = s->trace->report(s->trace->reporter, true);
	cr_assert_eq(json_integer_value(json_object_get(all, "l1")), 0);
	cr_assert_eq(json_integer_value(json_object_get(all, "accesses")), 10000);
	size_t i;
	json_array_foreach(json_object_get(all, "streams"), i, o)
	{
		cr_assert_eq(json_integer_value(json_object_get(o, "stream")), (json_int_t)i);
		cr_assert_eq(json_array_size(json_object_get(o, "peaks")), 3);
		if (json_is_true(json_object_get(o, "feasible")))
			cr_assert(json_equal(
			    json_object_get(o, "requested"), json_object_get(o, "realised")));
	}
	json_decref(half);
	json_decref(all);
	rp_batch_free(b);
	rp_source_close(s);
}
