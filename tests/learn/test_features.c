/* test_features.c - tests learn/features.c, recency.c, surface.c and logbin.h. */
#include "tests/check.h"

#include "learn/features.h"

#include "base/rng.h"
#include "sim/observe/reuse.h"

#include <jansson.h>
#include <math.h>

static json_t *
fixture(const char *name)
{
	char path[4096], file[100];
	snprintf(file, sizeof file, "learn/files/mlcrp-%s.json", name);
	json_t *doc = json_load_file(rp_test_file(path, file), 0, NULL);
	cr_assert(doc, "%s", path);
	return doc;
}

static uint64_t
whole(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static double
column(const json_t *row, size_t i)
{
	return json_number_value(json_array_get(row, i));
}

static uint64_t *
trace_of(const json_t *o, size_t *n)
{
	const json_t *list = json_object_get(o, "trace");
	*n = json_array_size(list);
	uint64_t *line = malloc((*n + 1) * sizeof *line);
	for (size_t i = 0; i < *n; i++)
		line[i] = (uint64_t)json_integer_value(json_array_get(list, i));
	return line;
}

static struct rp_features
features_of(const uint64_t *line, size_t n, const struct rp_extractor_opts *o)
{
	struct rp_features f = { 0 };
	struct rp_extractor *x = rp_extractor_new(o, NULL);
	cr_assert(rp_extractor_add(x, line, n, NULL) && rp_extractor_take(x, &f, NULL));
	rp_extractor_free(x);
	return f;
}

static void
same_counts(const char *what, const uint32_t *count, size_t n, const json_t *want)
{
	char key[24];
	for (size_t b = 0; b < n; b++) {
		snprintf(key, sizeof key, "%zu", b);
		cr_assert_eq(count[b], json_integer_value(json_object_get(want, key)),
		    "%s: bin %zu", what, b);
	}
}

RP_TEST(features, log_bins_are_the_published_ones)
{
	json_t *doc = fixture("logbin"), *pair;
	size_t i;
	json_array_foreach(json_object_get(doc, "pairs"), i, pair)
	{
		json_int_t rd = json_integer_value(json_array_get(pair, 0));
		unsigned bin = rd < 0 ? RP_LOGBIN_COLD : rp_logbin((uint64_t)rd);
		cr_assert_eq(bin, (unsigned)column(pair, 1), "%lld", (long long)rd);
	}
	cr_assert_eq(i, 25);
	json_decref(doc);
}

/* Bins begin at 2^a times 4, 5, 6, 7. */
RP_TEST(features, log_bins_ascend_and_begin_at_the_capacities_of_caches)
{
	for (uint64_t x = 1; x < 100000; x++) {
		unsigned a = rp_logbin(x - 1), b = rp_logbin(x);
		cr_assert(b == a || b == a + 1);
		uint64_t odd = x;
		while (odd >= 8 && odd % 2 == 0)
			odd /= 2;
		cr_assert_eq(
		    b > a, x <= 65536 && (x < 16 || odd < 8), "%llu", (unsigned long long)x);
	}
	cr_assert_eq(rp_logbin(UINT64_MAX), RP_LOGBIN_OVER);
}

RP_TEST(features, distances_fall_into_the_published_bins)
{
	json_t *doc = fixture("reuse_distance"), *o, *v;
	size_t k, n, i;
	json_array_foreach(json_object_get(doc, "cases"), k, o)
	{
		uint64_t *line = trace_of(o, &n);
		struct rp_extractor_opts how = { .bins = (uint32_t)whole(o, "M") };
		struct rp_features f = features_of(line, n, &how);
		uint32_t most = 0;
		json_array_foreach(json_object_get(o, "counts"), i, v)
		    cr_assert_eq(f.rp[i], json_integer_value(v));
		cr_assert_eq(i, how.bins + 2);
		same_counts("lrp", f.lrp, RP_LOGBINS, json_object_get(o, "logbin_counts"));
		json_array_foreach(json_object_get(o, "rd"), i, v) most =
		    json_integer_value(v) > most ? (uint32_t)json_integer_value(v) : most;
		cr_assert_eq(f.max_rd, most);
		cr_assert(f.n == n && f.cold == f.rp[how.bins + 1]);
		rp_features_free(&f);
		free(line);
	}
	cr_assert_eq(k, 5);
	json_decref(doc);
}

static unsigned
capacity_at(double lines)
{
	unsigned c = 0;
	while (c < RP_CAPACITIES && (double)rp_capacity(c) != lines)
		c++;
	cr_assert_lt(c, RP_CAPACITIES, "%g is no capacity of the grid", lines);
	return c;
}

static unsigned
latency_at(double latency)
{
	unsigned t = (unsigned)log2(latency / RP_LATENCY_LEAST);
	cr_assert_eq(RP_LATENCY_LEAST << t, latency);
	return t;
}

static void
near(double a, double b)
{
	cr_assert(fabs(a - b) <= 1e-9, "%.12g, wanted %.12g", a, b);
}

RP_TEST(features, the_published_ones_come_out)
{
	json_t *doc = fixture("features"), *o, *row;
	size_t k, n, i;
	json_array_foreach(json_object_get(doc, "cases"), k, o)
	{
		uint64_t *line = trace_of(o, &n);
		struct rp_extractor_opts how = { .bins = (uint32_t)whole(o, "M"),
			.window = (uint32_t)whole(o, "srp_window"),
			.sample = 1 };
		struct rp_features f = features_of(line, n, &how);
		const struct rp_surface_counts *h = &f.surface;
		same_counts("srp", f.srp, RP_LOGBINS, json_object_get(o, "srp"));
		same_counts("rtp", f.rtp, RP_LOGBINS, json_object_get(o, "rtp"));
		cr_assert_eq(f.n_peaks, whole(o, "n_peaks"));
		json_array_foreach(json_object_get(o, "conflict"), i, row)
		    near(f.conf[rp_conflict_sets((uint64_t)column(row, 0))]
			       [rp_conflict_ways((uint64_t)column(row, 1))],
			column(row, 2));
		json_array_foreach(json_object_get(o, "dispersion"), i, row)
		{
			int s = rp_conflict_sets((uint64_t)column(row, 0));
			near(f.ratio[s], column(row, 1));
			near(f.disp[s], column(row, 2));
		}
		json_array_foreach(json_object_get(o, "surface"), i, row)
		{
			unsigned c = capacity_at(column(row, 0)), t = latency_at(column(row, 1));
			near((double)h->merged[c][t] / (double)n, column(row, 2));
			near((double)h->primary[c][t] / (double)n, column(row, 3));
		}
		json_array_foreach(json_object_get(o, "envelope"), i, row)
		{
			if (column(row, 0) < RP_LATENCY_LEAST)
				continue;
			unsigned t = latency_at(column(row, 0));
			near((double)h->merged[0][t] / (double)n, column(row, 1));
			near((double)h->merged[RP_CAPACITIES - 1][t] / (double)n, column(row, 2));
		}
		rp_features_free(&f);
		free(line);
	}
	cr_assert_eq(k, 3);
	json_decref(doc);
}

RP_TEST(features, intervals_go_on_or_begin_anew)
{
	json_t *doc = fixture("intervals"), *row;
	size_t n, i, each = whole(doc, "interval");
	uint64_t *line = trace_of(doc, &n);
	struct rp_extractor_opts how = { .bins = (uint32_t)whole(doc, "M") };
	struct rp_extractor *kept = rp_extractor_new(&how, NULL),
			    *reset = rp_extractor_new(&how, NULL);
	json_array_foreach(json_object_get(doc, "rows"), i, row)
	{
		struct rp_features f = { 0 };
		size_t from = i * each, m = n - from < each ? n - from : each;
		cr_assert_eq(m, whole(row, "n"));
		cr_assert(rp_extractor_add(kept, line + from, m, NULL));
		cr_assert(rp_extractor_take(kept, &f, NULL));
		same_counts("kept", f.rp, how.bins + 2, json_object_get(row, "rp_kept"));
		rp_extractor_forget(reset);
		cr_assert(rp_extractor_add(reset, line + from, m, NULL));
		cr_assert(rp_extractor_take(reset, &f, NULL));
		same_counts("reset", f.rp, how.bins + 2, json_object_get(row, "rp_reset"));
		rp_features_free(&f);
	}
	cr_assert_eq(i, 5);
	rp_extractor_free(kept);
	rp_extractor_free(reset);
	free(line);
	json_decref(doc);
}

/* ---- random traces against section 7 and definitions, in the slowest way ---- */

enum { KINDS_OF_TRACE = 4 };

/* Near and far reuses, strides, and what both make together. */
static uint64_t *
some_trace(struct rp_rng *rng, unsigned kind, size_t n)
{
	uint64_t *line = malloc(n * sizeof *line), at = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t u = rp_rng_next(rng);
		at += kind == 1 ? 32 : u % 5;
		line[i] = kind == 0   ? u % 300
		          : kind == 1 ? at % 20000
		          : kind == 2 ? (u % 3 ? u >> 8 & 31 : u >> 8 & 4095)
		                      : (u % 4 ? (uint64_t)(1000 * pow(rp_rng_unit(rng), 4)) : at);
	}
	return line;
}

/* Tag misses of an LRU cache, a list for each set. */
static size_t
lru_misses(const uint64_t *line, size_t n, uint64_t sets, uint64_t ways)
{
	uint64_t *tag = malloc(sets * ways * sizeof *tag);
	size_t misses = 0;
	memset(tag, 0xff, sets * ways * sizeof *tag);
	for (size_t i = 0; i < n; i++) {
		uint64_t *set = tag + line[i] % sets * ways, w = 0;
		while (w < ways && set[w] != line[i])
			w++;
		misses += w == ways;
		w = w < ways ? w : ways - 1;
		memmove(set + 1, set, w * sizeof *set);
		set[0] = line[i];
	}
	free(tag);
	return misses;
}

RP_TEST(features, with_every_reuse_used_the_conflict_profile_is_the_miss_ratio)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("features"), "tests/features", 0);
	enum { N = 6000 };
	for (unsigned kind = 0; kind < KINDS_OF_TRACE; kind++) {
		struct rp_extractor_opts how = { .sample = 1 };
		uint64_t *line = some_trace(&rng, kind, N);
		struct rp_features f = features_of(line, N, &how);
		for (int k = 0; k < RP_SETS; k++)
			for (int w = 0; w < RP_CONFLICT_WAYS; w++)
				near(f.conf[k][w] * N,
				    (double)lru_misses(line, N, 4u << k, 1u << w));
		rp_features_free(&f);
		free(line);
	}
}

/* Section 7 as it stands with one set, C ways and unlimited entries: t - ready for each line. */
static void
slow_label(const uint64_t *line, size_t n, uint64_t capacity, uint64_t latency, size_t *merged,
    size_t *primary, unsigned char *is_primary)
{
	uint64_t *list = malloc(n * sizeof *list), *ready = calloc(1 << 16, sizeof *ready);
	size_t lines = 0;
	*merged = *primary = 0;
	for (size_t t = 0; t < n; t++) {
		size_t d = 0;
		while (d < lines && list[d] != line[t])
			d++;
		bool resident = d < lines && d < capacity;
		memmove(list + 1, list, (d < lines ? d : lines++) * sizeof *list);
		list[0] = line[t];
		is_primary[t] = false;
		if (ready[line[t]] > t) {
			++*merged;
		} else if (!resident) {
			++*primary;
			is_primary[t] = true;
			ready[line[t]] = t + latency;
		}
	}
	free(list);
	free(ready);
}

static double
slow_dispersion(const unsigned char *primary, size_t n, uint64_t window)
{
	double sum = 0, square = 0, windows = (double)(n / window);
	for (size_t w = 0; w + window <= n; w += window) {
		double x = 0;
		for (size_t i = w; i < w + window; i++)
			x += primary[i];
		sum += x;
		square += x * x;
	}
	double mean = sum / windows;
	return sum > 0 ? (square / windows - mean * mean) / mean : 1;
}

RP_TEST(features, the_surface_is_the_simulation_on_its_grid)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("features"), "tests/features", 1);
	enum { N = 5000 };
	unsigned char *primary = malloc(N);
	for (unsigned kind = 0; kind < KINDS_OF_TRACE; kind++) {
		struct rp_extractor_opts how = { 0 };
		uint64_t *line = some_trace(&rng, kind, N);
		struct rp_features f = features_of(line, N, &how);
		for (unsigned c = 0; c < RP_CAPACITIES; c++)
			for (unsigned t = 0; t < RP_LATENCIES; t++) {
				size_t merges, primaries;
				slow_label(
				    line, N, rp_capacity(c), 4u << t, &merges, &primaries, primary);
				cr_assert_eq(
				    f.surface.merged[c][t], merges, "%u %u %u", kind, c, t);
				cr_assert_eq(
				    f.surface.primary[c][t], primaries, "%u %u %u", kind, c, t);
				near(f.surface.dispersion[c][t],
				    slow_dispersion(primary, N, 4u << t));
			}
		for (unsigned c = 0; c < RP_CAPACITIES; c++) {
			size_t merges, primaries;
			slow_label(line, N, rp_capacity(c), 0, &merges, &primaries, primary);
			cr_assert_eq(f.surface.missed[c], primaries);
		}
		rp_features_free(&f);
		free(line);
	}
	free(primary);
}

/* Everything from the definitions: a list for distances, searching back for times, counting lines set by set. */
static void
slow_features(const uint64_t *line, size_t n, struct rp_features *f)
{
	double count[RP_SETS] = { 0 }, expected[RP_SETS] = { 0 }, square[RP_SETS] = { 0 },
	       variance[RP_SETS] = { 0 };
	for (size_t i = 0; i < n; i++) {
		size_t p = i;
		while (p > 0 && line[p - 1] != line[i])
			p--;
		if (!p) {
			f->lrp[RP_LOGBIN_COLD]++;
			f->rtp[RP_LOGBIN_COLD]++;
			f->srp[RP_LOGBIN_COLD]++;
			continue;
		}
		uint32_t rd = 0, in[RP_SETS] = { 0 };
		for (size_t k = p; k < i; k++) {
			size_t again = k + 1; /* its last use before i counts */
			while (again < i && line[again] != line[k])
				again++;
			if (again < i)
				continue;
			rd++;
			for (int s = 0; s < RP_SETS; s++)
				in[s] += line[k] % (4u << s) == line[i] % (4u << s);
		}
		f->lrp[rp_logbin(rd)]++;
		f->rtp[rp_logbin(i - p)]++;
		f->srp[i - p < 256 ? rp_logbin(rd) : RP_LOGBIN_COLD]++;
		for (int s = 0; s < RP_SETS; s++) {
			double want = rd / (4.0 * (1 << s));
			if (want < 0.5)
				continue;
			count[s] += in[s];
			expected[s] += want;
			square[s] += (in[s] - want) * (in[s] - want);
			variance[s] += want * (1 - 1 / (4.0 * (1 << s)));
		}
	}
	for (int s = 0; s < RP_SETS; s++) {
		f->ratio[s] = expected[s] > 3 ? count[s] / expected[s] : 1;
		f->disp[s] = expected[s] > 3 ? square[s] / variance[s] : 1;
	}
}

RP_TEST(features, they_are_what_the_definitions_say)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("features"), "tests/features", 2);
	enum { N = 1500 };
	for (unsigned kind = 0; kind < KINDS_OF_TRACE; kind++) {
		struct rp_extractor_opts how = { .sample = 1 };
		uint64_t *line = some_trace(&rng, kind, N);
		struct rp_features f = features_of(line, N, &how), slow = { 0 };
		slow_features(line, N, &slow);
		cr_assert_eq(memcmp(f.lrp, slow.lrp, sizeof f.lrp), 0);
		cr_assert_eq(memcmp(f.rtp, slow.rtp, sizeof f.rtp), 0);
		cr_assert_eq(memcmp(f.srp, slow.srp, sizeof f.srp), 0);
		for (int s = 0; s < RP_SETS; s++) {
			near(f.ratio[s], slow.ratio[s]);
			near(f.disp[s], slow.disp[s]);
		}
		rp_features_free(&f);
		free(line);
	}
}

/* Many lines and many uses: slots are packed, tables grow. Distances in between are those of rp_reuse. */
RP_TEST(features, counts_by_sets_are_right_when_slots_are_packed)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("features"), "tests/features", 3);
	enum { N = 60000 };
	for (unsigned kind = 0; kind < KINDS_OF_TRACE; kind++) {
		struct rp_extractor_opts how = { .sample = 1 };
		uint64_t *line = some_trace(&rng, kind, N);
		for (size_t i = 0; i < N; i++) /* and far apart */
			line[i] = line[i] + (line[i] << 40);
		struct rp_features f = features_of(line, N, &how);
		near(f.conf[0][0] * N, (double)lru_misses(line, N, 4, 1));
		near(f.conf[4][3] * N, (double)lru_misses(line, N, 64, 8));
		near(f.conf[8][1] * N, (double)lru_misses(line, N, 1024, 2));
		rp_features_free(&f);
		free(line);
	}
}

/* In any pieces, over any intervals: sums are the same, and one reuse of 16 is near all of them. */
RP_TEST(features, pieces_add_up_and_samples_are_near)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("features"), "tests/features", 4);
	enum { N = 40000 };
	struct rp_extractor_opts all = { .sample = 1 }, some = { .seed = 5 };
	uint64_t *line = some_trace(&rng, 3, N);
	struct rp_features f = features_of(line, N, &all), g = features_of(line, N, &some),
			   sum = { 0 }, part = { 0 };
	struct rp_extractor *x = rp_extractor_new(&all, NULL);
	for (size_t at = 0, take = 0; at < N; take++) {
		size_t n = 1 + rp_rng_below(&rng, 5000);
		n = n < N - at ? n : N - at;
		cr_assert(rp_extractor_add(x, line + at, n, NULL));
		at += n;
		if (take % 3 && at < N)
			continue;
		cr_assert(rp_extractor_take(x, &part, NULL));
		sum.n += part.n;
		sum.cold += part.cold;
		for (int b = 0; b < RP_LOGBINS; b++)
			sum.lrp[b] += part.lrp[b];
		for (int c = 0; c < RP_CAPACITIES; c++)
			for (int t = 0; t < RP_LATENCIES; t++)
				sum.surface.merged[c][t] += part.surface.merged[c][t];
	}
	cr_assert(sum.n == N && sum.cold == f.cold);
	cr_assert_eq(memcmp(sum.lrp, f.lrp, sizeof f.lrp), 0);
	cr_assert_eq(memcmp(sum.surface.merged, f.surface.merged, sizeof f.surface.merged), 0);
	cr_assert_eq(memcmp(g.lrp, f.lrp, sizeof f.lrp), 0);
	for (int k = 0; k < RP_SETS; k++)
		for (int w = 0; w < RP_CONFLICT_WAYS;
		     w++) /* of some 2,400: six standard deviations */
			cr_assert(fabs(f.conf[k][w] - g.conf[k][w]) < 0.06);
	rp_extractor_free(x);
	rp_features_free(&part);
	rp_features_free(&f);
	rp_features_free(&g);
	free(line);
}

RP_TEST(features, an_empty_interval_has_none)
{
	struct rp_extractor_opts how = { 0 };
	struct rp_features f = features_of(NULL, 0, &how);
	cr_assert(
	    f.n == 0 && f.cold == 0 && f.n_peaks == 0 && f.conf[0][0] == 0 && f.ratio[0] == 1);
	cr_assert_eq(f.surface.dispersion[0][0], 1);
	rp_features_free(&f);
}
