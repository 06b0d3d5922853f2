/* test_profile.c - reuse profiles against counts of a slow stack, the fixtures, and laws. */
#include "sim/observe/profile.h"

#include "sim/observe/sample.h"

#include "base/rng.h"
#include "tests/check.h"
#include "tests/sim/observe/slow_stack.h"
#include "traces/format.h"
#include "traces/source.h"

#include <jansson.h>
#include <math.h>

static struct rp_profile *
new_profile(struct rp_profile_opts o)
{
	struct rp_err err = { 0 };
	struct rp_profile *p = rp_profile_new(&o, &err);
	cr_assert_not_null(p, "%s", err.text);
	return p;
}

/* In pieces. */
static void
run(struct rp_profile *p, const uint64_t *line, const uint8_t *store, size_t n)
{
	struct rp_err err = { 0 };
	for (size_t i = 0; i < n; i += 3001)
		cr_assert(rp_profile_run(p, line + i, store ? store + i : NULL,
			      n - i < 3001 ? n - i : 3001, &err),
		    "%s", err.text);
}

static void
settle(struct rp_profile *p)
{
	struct rp_err err = { 0 };
	cr_assert(rp_profile_settle(p, &err));
}

/* What the slow stack counts: by distance, `most` and above together, then cold. */
struct counted {
	double *count;
	uint64_t most, cold, lookups;
};

static struct counted
new_counted(uint64_t most)
{
	struct counted c = { calloc(most + 1, sizeof *c.count), most, 0, 0 };
	cr_assert_not_null(c.count);
	return c;
}

static void
count(struct counted *c, uint32_t d)
{
	c->lookups++;
	if (d == RP_COLD)
		c->cold++;
	else
		c->count[d < c->most ? d : c->most]++;
}

static void
same(const struct rp_profile *p, enum rp_part part, const struct counted *c)
{
	struct rp_walk w;
	struct rp_row row;
	uint64_t next = 0;
	cr_assert_eq(rp_profile_lookups(p, part), c->lookups);
	cr_assert_eq(rp_profile_cold(p, part), c->cold);
	rp_walk_begin(&w, p, part);
	while (rp_walk_next(&w, &row)) {
		cr_assert_eq(row.low, row.high);
		for (; next < row.low; next++)
			cr_assert_eq(c->count[next], 0);
		cr_assert_eq(row.count, c->count[next], "distance %llu", (unsigned long long)next);
		next++;
	}
	for (; next < c->most; next++)
		cr_assert_eq(c->count[next], 0);
}

RP_TEST(profile, counts_are_those_of_a_slow_stack_by_kind_and_after_a_warm_up)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("profile"), "profile", 0);
	enum { N = 9000, LINES = 800 };
	uint64_t line[N], list[LINES + 1];
	uint8_t store[N];
	struct rp_err err = { 0 };
	for (unsigned k = 0; k < 6 * rp_test_scale(); k++) {
		uint64_t lines = 1 + rp_rng_below(&rng, LINES);
		size_t n = rp_rng_below(&rng, N), warmup = k % 2 ? n / 3 : 0, distinct = 0;
		struct rp_profile *p = new_profile((struct rp_profile_opts){ .kinds = true });
		struct counted c[3] = { new_counted(LINES), new_counted(LINES),
			new_counted(LINES) };
		struct slow_stack s = { list, 0 };
		bool seen[LINES] = { false };
		for (size_t i = 0; i < n; i++) {
			line[i] = rp_rng_below(&rng, lines) >> rp_rng_below(&rng, 8);
			store[i] = (uint8_t)rp_rng_below(&rng, 2);
			uint32_t d = slow_distance(&s, line[i]);
			if (i < warmup)
				continue;
			count(&c[0], d);
			count(&c[1 + store[i]], d);
			distinct += !seen[line[i]];
			seen[line[i]] = true;
		}
		run(p, line, store, warmup);
		if (warmup)
			cr_assert(rp_profile_start(p, &err));
		run(p, line + warmup, store + warmup, n - warmup);
		settle(p);
		for (unsigned part = 0; part < 3; part++) {
			same(p, RP_PART_ALL + part, &c[part]);
			free(c[part].count);
		}
		cr_assert_eq(rp_profile_footprint(p, RP_PART_ALL), distinct);
		rp_profile_free(p);
	}
}

/* Lines of the first accesses of a recorded program; each access is of one. */
static size_t
recorded(const char *name, uint64_t *line, size_t most)
{
	char path[4096];
	struct rp_err err = { 0 };
	snprintf(path, sizeof path, "%s/examples/traces/%s", RP_TOP_SRCDIR, name);
	struct rp_source *s = rp_trace_open(path, &(struct rp_read_opts){ 0 }, &err);
	struct rp_batch *b = rp_batch_new(RP_BATCH, 0, &err);
	size_t n = 0;
	cr_assert(s && b, "%s", err.text);
	while (n < most && rp_source_pull(s, b, &err) > 0) {
		for (size_t i = 0; i < b->n && n < most; i++)
			line[n++] = b->addr[i] >> 6;
		rp_batch_clear(b);
	}
	cr_assert_eq(err.code, RP_OK);
	rp_batch_free(b);
	rp_source_close(s);
	return n;
}

RP_TEST(profile, counts_of_recorded_programs_are_those_of_a_slow_stack)
{
	static const char *const name[] = { "matmul.lackey.xz", "gzip.lackey.xz" };
	enum { N = 60000 };
	uint64_t *line = malloc(N * sizeof *line), *list = malloc((N + 1) * sizeof *list);
	cr_assert(line && list);
	for (unsigned k = 0; k < 2; k++) {
		size_t n = recorded(name[k], line, N);
		struct counted c = new_counted(N);
		struct slow_stack s = { list, 0 };
		struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 });
		cr_assert_eq(n, N);
		for (size_t i = 0; i < n; i++)
			count(&c, slow_distance(&s, line[i]));
		run(p, line, NULL, n);
		same(p, RP_PART_ALL, &c);
		cr_assert_eq(rp_profile_footprint(p, RP_PART_ALL), s.n);
		rp_profile_free(p);
		free(c.count);
	}
	free(line);
	free(list);
}

static json_t *
fixture(const char *name)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, name), 0, NULL);
	cr_assert_not_null(doc, "%s", path);
	return doc;
}

static size_t
lines_of(json_t *trace, uint64_t **line)
{
	size_t n = json_array_size(trace);
	*line = malloc((n + 1) * sizeof **line);
	cr_assert_not_null(*line);
	for (size_t i = 0; i < n; i++)
		(*line)[i] = (uint64_t)json_integer_value(json_array_get(trace, i));
	return n;
}

/* Counts by distance 0 .. M - 1, then M and above, then cold: spec-mlcrp 1. */
static void
reuse_profile(const struct rp_profile *p, enum rp_part part, json_int_t *to, size_t m)
{
	struct rp_walk w;
	struct rp_row row;
	memset(to, 0, (m + 2) * sizeof *to);
	rp_walk_begin(&w, p, part);
	while (rp_walk_next(&w, &row))
		to[row.low < m ? row.low : m] += (json_int_t)row.count;
	to[m + 1] = (json_int_t)rp_profile_cold(p, part);
}

RP_TEST(profile, the_fixtures_of_reuse_distances)
{
	json_t *doc = fixture("sim/observe/files/mlcrp-reuse-distance.json"), *c;
	size_t i;
	cr_assert_gt(json_array_size(json_object_get(doc, "cases")), 3);
	json_array_foreach(json_object_get(doc, "cases"), i, c)
	{
		uint64_t *line;
		size_t n = lines_of(json_object_get(c, "trace"), &line);
		size_t m = (size_t)json_integer_value(json_object_get(c, "M"));
		json_t *want = json_object_get(c, "counts"), *v;
		json_int_t *got = malloc((m + 2) * sizeof *got);
		struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 });
		run(p, line, NULL, n);
		settle(p);
		reuse_profile(p, RP_PART_ALL, got, m);
		cr_assert_eq(json_array_size(want), m + 2);
		for (size_t k = 0; k < m + 2; k++)
			cr_assert_eq(got[k], json_integer_value(json_array_get(want, k)));
		/* In logarithmic bins; those from 64 on are one. */
		static const struct rp_bins log = { RP_BINS_LOG, 0 };
		json_int_t bins[66] = { 0 };
		struct rp_walk w;
		struct rp_row row;
		const char *key;
		rp_walk_begin(&w, p, RP_PART_ALL);
		while (rp_walk_next_bin(&w, &log, &row)) {
			unsigned bin = rp_log_bin(row.low, RP_LOG_BITS);
			bins[bin < 64 ? bin : 64] += (json_int_t)row.count;
		}
		bins[65] = (json_int_t)rp_profile_cold(p, RP_PART_ALL);
		json_object_foreach(json_object_get(c, "logbin_counts"), key, v)
		{
			cr_assert_eq(bins[atoi(key)], json_integer_value(v));
			bins[atoi(key)] = 0;
		}
		for (unsigned k = 0; k < 66; k++)
			cr_assert_eq(bins[k], 0);
		rp_profile_free(p);
		free(got);
		free(line);
	}
	json_decref(doc);
}

static void
same_profile(json_t *want, const json_int_t *got, size_t m)
{
	char key[32];
	for (size_t k = 0; k < m + 2; k++) {
		snprintf(key, sizeof key, "%zu", k);
		cr_assert_eq(got[k], json_integer_value(json_object_get(want, key)));
	}
}

RP_TEST(profile, the_fixture_of_intervals_that_keep_or_reset_their_state)
{
	json_t *doc = fixture("sim/observe/files/mlcrp-intervals.json"), *row;
	uint64_t *line;
	size_t n = lines_of(json_object_get(doc, "trace"), &line), i;
	size_t m = (size_t)json_integer_value(json_object_get(doc, "M"));
	size_t length = (size_t)json_integer_value(json_object_get(doc, "interval"));
	json_int_t *got = malloc((m + 2) * sizeof *got);
	struct rp_err err = { 0 };
	for (unsigned reset = 0; reset < 2; reset++) {
		struct rp_profile *p = new_profile((struct rp_profile_opts){ .intervals = true });
		json_array_foreach(json_object_get(doc, "rows"), i, row)
		{
			size_t some = n - i * length < length ? n - i * length : length;
			bool seen[4096] = { false };
			double distinct = 0;
			run(p, line + i * length, NULL, some);
			settle(p);
			for (size_t k = 0; k < some; k++) {
				cr_assert_lt(line[i * length + k], 4096);
				distinct += !seen[line[i * length + k]];
				seen[line[i * length + k]] = true;
			}
			cr_assert_eq((json_int_t)rp_profile_lookups(p, RP_PART_INTERVAL),
			    json_integer_value(json_object_get(row, "n")));
			cr_assert_eq(rp_profile_footprint(p, RP_PART_INTERVAL), distinct);
			reuse_profile(p, RP_PART_INTERVAL, got, m);
			same_profile(json_object_get(row, reset ? "rp_reset" : "rp_kept"), got, m);
			rp_profile_cut(p);
			if (reset)
				cr_assert(rp_profile_forget(p, &err));
		}
		cr_assert_eq(i * length >= n, true);
		rp_profile_free(p);
	}
	free(got);
	free(line);
	json_decref(doc);
}

/* Lines under other names, and with their high bits shuffled, have the same distances. */
RP_TEST(profile, the_names_of_lines_do_not_matter)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("profile"), "profile", 1);
	enum { N = 20000 };
	uint64_t *line = malloc(N * sizeof *line), *other = malloc(N * sizeof *other);
	struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 }),
			  *q = new_profile((struct rp_profile_opts){ 0 });
	cr_assert(line && other);
	for (size_t i = 0; i < N; i++) {
		line[i] = rp_rng_below(&rng, 3000) >> rp_rng_below(&rng, 12);
		other[i] = rp_mix64(line[i]);
	}
	run(p, line, NULL, N);
	run(q, other, NULL, N);
	struct rp_walk a, b;
	struct rp_row x, y;
	rp_walk_begin(&a, p, RP_PART_ALL);
	rp_walk_begin(&b, q, RP_PART_ALL);
	while (rp_walk_next(&a, &x)) {
		cr_assert(rp_walk_next(&b, &y));
		cr_assert(x.low == y.low && x.count == y.count);
	}
	cr_assert_not(rp_walk_next(&b, &y));
	rp_profile_free(p);
	rp_profile_free(q);
	free(line);
	free(other);
}

/* A trace behind itself: cold lookups do not come again, and each of the second turn is as far as the others that it touched
 * since, so the two turns have the same counts but for these. */
RP_TEST(profile, a_trace_behind_itself_is_cold_once)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("profile"), "profile", 2);
	enum { N = 4000, LINES = 500 };
	uint64_t line[2 * N], list[LINES + 1];
	struct counted c = new_counted(LINES);
	struct slow_stack s = { list, 0 };
	struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 });
	for (size_t i = 0; i < N; i++)
		line[i] = line[N + i] = rp_rng_below(&rng, LINES);
	for (size_t i = 0; i < 2 * N; i++)
		count(&c, slow_distance(&s, line[i]));
	run(p, line, NULL, 2 * N);
	same(p, RP_PART_ALL, &c);
	cr_assert_eq(rp_profile_cold(p, RP_PART_ALL), rp_profile_footprint(p, RP_PART_ALL));
	cr_assert_eq(rp_profile_lookups(p, RP_PART_ALL), 2 * N);
	free(c.count);
	rp_profile_free(p);
}

/* The curve against caches of a slow stack: hits are what it has among its first lines. */
RP_TEST(profile, the_curve_is_that_of_caches_of_so_many_lines)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("profile"), "profile", 3);
	enum { N = 6000, LINES = 300, SIZES = 9 };
	static const uint64_t lines[SIZES] = { 0, 1, 2, 15, 16, 17, 100, 299, 5000 };
	uint64_t line[N], list[LINES + 1], misses[SIZES] = { 0 };
	double ratio[SIZES];
	struct slow_stack s = { list, 0 };
	struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 });
	for (size_t i = 0; i < N; i++) {
		line[i] = rp_rng_below(&rng, 1 + rp_rng_below(&rng, LINES));
		size_t at = 0;
		while (at < s.n && list[at] != line[i])
			at++;
		for (unsigned k = 0; k < SIZES; k++)
			misses[k] += at == s.n || at >= lines[k];
		slow_distance(&s, line[i]);
	}
	run(p, line, NULL, N);
	rp_profile_misses(p, RP_PART_ALL, lines, SIZES, ratio);
	for (unsigned k = 0; k < SIZES; k++)
		cr_assert_lt(fabs(ratio[k] - (double)misses[k] / N), 1e-12);
	rp_profile_free(p);
}

RP_TEST(profile, a_bound_leaves_the_curve_below_it_as_it_is)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("profile"), "profile", 4);
	enum { N = 30000, BOUND = 200 };
	uint64_t *line = malloc(N * sizeof *line);
	struct rp_profile *p = new_profile((struct rp_profile_opts){ 0 }),
			  *q = new_profile((struct rp_profile_opts){ .bound = BOUND });
	for (size_t i = 0; i < N; i++)
		line[i] = rp_rng_below(&rng, 1 + rp_rng_below(&rng, 2000));
	run(p, line, NULL, N);
	run(q, line, NULL, N);
	uint64_t lines[BOUND];
	double a[BOUND], b[BOUND];
	for (unsigned k = 0; k < BOUND; k++)
		lines[k] = k + 1;
	rp_profile_misses(p, RP_PART_ALL, lines, BOUND, a);
	rp_profile_misses(q, RP_PART_ALL, lines, BOUND, b);
	for (unsigned k = 0; k < BOUND; k++)
		cr_assert_eq(a[k], b[k]);
	cr_assert_eq(rp_profile_footprint(q, RP_PART_ALL), -1);
	rp_profile_free(p);
	rp_profile_free(q);
	free(line);
}

/* Popular and rare lines, and runs over new ones. */
static uint64_t *
mixed(size_t n, uint64_t seed)
{
	struct rp_rng rng = rp_rng_for(seed, "profile", 5);
	uint64_t *line = malloc(n * sizeof *line);
	cr_assert_not_null(line);
	for (size_t i = 0; i < n; i++)
		line[i] = rp_rng_below(&rng, 20) ? rp_rng_below(&rng, 1 + rp_rng_below(&rng, 30000))
		                                 : 100000 + i / 3;
	return line;
}

/* Distances of the sampled lines by a slow stack, scaled; what is missing at the first. */
RP_TEST(profile, a_sample_is_the_profile_of_its_lines_scaled)
{
	enum { N = 20000 };
	const double rate = 0.05;
	uint64_t *line = mixed(N, rp_test_seed("profile")), *list = malloc(N * sizeof *list);
	struct rp_sample sample = rp_sample_of(rate, 3, RP_LEVEL_BEST);
	struct slow_stack s = { list, 0 };
	struct counted c = new_counted(N);
	for (size_t i = 0; i < N; i++)
		if (rp_sample_hash(&sample, line[i]) < sample.below)
			count(&c, slow_distance(&s, line[i]));
	struct rp_profile *p =
	    new_profile((struct rp_profile_opts){ .rate = rate, .seed = 3, .error = true });
	run(p, line, NULL, N);
	settle(p);
	double scale = 1 / rp_profile_rate(p), owed = N - (double)c.lookups * scale, sum = 0;
	cr_assert_eq(rp_profile_sampled(p), c.lookups);
	cr_assert_eq(rp_profile_lines(p), s.n);
	cr_assert_eq(rp_profile_cold(p, RP_PART_ALL), (double)c.cold * scale);
	struct rp_walk w;
	struct rp_row row;
	uint64_t d = 0;
	double left = owed;
	rp_walk_begin(&w, p, RP_PART_ALL);
	while (rp_walk_next(&w, &row)) {
		sum += row.count;
		if (!row.low && left > 0) {
			row.count -= left;
			left = 0;
		}
		for (; left < 0; d++) { /* too much: the first are fewer, or are not told */
			left += c.count[d] * scale;
			if (left > 0) {
				cr_assert_lt(fabs(row.count - left), 1e-6);
				row.count = c.count[d] * scale;
				break;
			}
		}
		while (c.count[d] == 0 && d < c.most && (double)d * scale + 0.5 < (double)row.low)
			d++;
		cr_assert_eq(row.low, (uint64_t)((double)d * scale + 0.5));
		cr_assert_lt(fabs(row.count - c.count[d] * scale), 1e-6);
		d++;
	}
	/* All of it adds up to all lookups. */
	cr_assert_lt(fabs(sum + rp_profile_cold(p, RP_PART_ALL) - N), 1e-6);
	rp_profile_free(p);
	free(c.count);
	free(line);
	free(list);
}

/* Mean over a hundred sizes in equal steps up to the footprint. */
static double
curve_error(const struct rp_profile *exact, const struct rp_profile *p)
{
	enum { SIZES = 100 };
	uint64_t lines[SIZES];
	double a[SIZES], b[SIZES], sum = 0;
	size_t n = 0;
	double footprint = rp_profile_footprint(exact, RP_PART_ALL);
	for (; n < SIZES; n++)
		lines[n] = 1 + (uint64_t)(footprint * (double)n / SIZES);
	rp_profile_misses(exact, RP_PART_ALL, lines, n, a);
	rp_profile_misses(p, RP_PART_ALL, lines, n, b);
	for (size_t k = 0; k < n; k++)
		sum += fabs(a[k] - b[k]);
	return sum / (double)n;
}

RP_TEST(profile, samples_come_near_and_say_how_near)
{
	enum { N = 300000 };
	uint64_t *line = mixed(N, rp_test_seed("profile"));
	struct rp_profile *exact = new_profile((struct rp_profile_opts){ 0 });
	run(exact, line, NULL, N);
	settle(exact);
	double sum = 0, said = 0;
	enum { SEEDS = 8 };
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct rp_profile *p = new_profile(
		    (struct rp_profile_opts){ .rate = 0.05, .seed = seed, .error = true });
		struct rp_profile_error e;
		run(p, line, NULL, N);
		settle(p);
		double is = curve_error(exact, p);
		cr_assert(rp_profile_error(p, &e));
		cr_assert(e.mean > 0 && e.most >= e.mean && e.at > 0);
		cr_assert_lt(is, 0.06, "%g", is);
		cr_assert_lt(fabs(rp_profile_footprint(p, RP_PART_ALL) /
				      rp_profile_footprint(exact, RP_PART_ALL) -
				  1),
		    0.15);
		sum += is;
		said += e.mean;
		rp_profile_free(p);
	}
	/* The mean of an error's amount is 0.8 of its standard deviation; over eight samples. */
	cr_assert(said < 4 * sum && sum < 4 * said, "said %g, is %g", said / SEEDS, sum / SEEDS);
	rp_profile_free(exact);
	free(line);
}

RP_TEST(profile, all_lines_are_a_sample_without_error)
{
	enum { N = 20000 };
	uint64_t *line = mixed(N, rp_test_seed("profile"));
	struct rp_profile *exact = new_profile((struct rp_profile_opts){ 0 }),
			  *one = new_profile((struct rp_profile_opts){ .rate = 1 }),
			  *many = new_profile((struct rp_profile_opts){ .lines = N });
	run(exact, line, NULL, N);
	run(one, line, NULL, N);
	run(many, line, NULL, N);
	settle(one);
	settle(many);
	cr_assert_eq(curve_error(exact, one), 0);
	cr_assert_eq(curve_error(exact, many), 0);
	cr_assert_eq(rp_profile_rate(many), 1);
	rp_profile_free(exact);
	rp_profile_free(one);
	rp_profile_free(many);
	free(line);
}

RP_TEST(profile, limited_samples_stay_small_and_come_near)
{
	enum { N = 300000 };
	static const uint64_t most[] = { 1, 10, 1000, 4000 };
	uint64_t *line = mixed(N, rp_test_seed("profile"));
	struct rp_profile *exact = new_profile((struct rp_profile_opts){ 0 });
	run(exact, line, NULL, N);
	settle(exact);
	for (unsigned k = 0; k < 4; k++)
		for (uint64_t seed = 0; seed < 3; seed++) {
			struct rp_profile *p = new_profile((struct rp_profile_opts){
			    .lines = most[k], .seed = seed, .error = true });
			struct rp_walk w;
			struct rp_row row;
			double sum = 0;
			run(p, line, NULL, N);
			settle(p);
			cr_assert_leq(rp_profile_lines(p), most[k]);
			cr_assert_lt(rp_profile_rate(p), 0.2);
			rp_walk_begin(&w, p, RP_PART_ALL);
			while (rp_walk_next(&w, &row)) {
				cr_assert(row.low <= row.high && row.count > 0);
				sum += row.count;
			}
			sum += rp_profile_cold(p, RP_PART_ALL);
			cr_assert_lt(fabs(sum - N), 1e-3);
			if (most[k] >= 1000)
				cr_assert_lt(
				    curve_error(exact, p), 0.08, "%g", curve_error(exact, p));
			rp_profile_free(p);
		}
	rp_profile_free(exact);
	free(line);
}

RP_TEST(profile, nothing_at_all_has_no_numbers)
{
	struct rp_profile_error e;
	struct rp_walk w;
	struct rp_row row;
	struct rp_profile *p = new_profile((struct rp_profile_opts){
	    .rate = 0.5, .kinds = true, .intervals = true, .times = true, .error = true });
	settle(p);
	rp_walk_begin(&w, p, RP_PART_ALL);
	cr_assert_not(rp_walk_next(&w, &row));
	cr_assert_not(rp_profile_error(p, &e));
	cr_assert_eq(rp_profile_footprint(p, RP_PART_ALL), 0);
	rp_times_close(rp_profile_times(p));
	cr_assert_eq(rp_times_footprint(rp_profile_times(p), 0), 0);
	rp_profile_free(p);
}
