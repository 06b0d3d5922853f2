/* tables.c - a data set's columns, and how they are filled. */
#include "config.h"

#include "learn/tables.h"
#include "learn/tables_state.h"

#include "base/mem.h"
#include "gen/mixture.h"
#include "gen/synth.h"
#include "sim/policy.h"

#include <math.h>
#include <string.h>

static const char *const sources[] = { "synthetic", "real", NULL };
static const char *const splits[] = { "train", "validation", "test", NULL };
static const char *const origins[] = { "simulated", "elsewhere", NULL };
static const char *const layouts[] = { "id", "random", "sequential", "strided", "tile2d", "regions",
	"runs", "mixed", NULL };

/* Columns: U4, U8 (scalar, value, names, what), F4 (scalar), MX (matrix of floats: sizes, source). `r` is the row, `tid` its
 * number. */
#define TRACE_COLUMNS(U4, U8, F4, MX)                                                              \
	U4(tid, tid, NULL, "number of the row")                                                    \
	U4(item, r->item, NULL, "number of the trace; intervals of one have the same")             \
	U4(interval, r->interval, NULL, "number of the interval in its trace")                     \
	U8(first, r->first, NULL, "accesses of the trace before the interval")                     \
	U4(source, r->source, sources, "where it comes from")                                      \
	U4(split, r->split, splits, "what it is for")                                              \
	U4(N, r->peaks, NULL, "peaks of its profile; 0: real")                                     \
	U4(max_rd, r->max_rd, NULL, "MaxRD: distances asked for are below it; 0: real")            \
	U4(trace, r->index, NULL, "number of the trace in its pair")                               \
	U8(seed, r->seed, NULL, "of the design")                                                   \
	U4(recipe, r->recipe, rp_recipe_names, "of the profile")                                   \
	F4(sigma_low, r->sigma_low, "standard deviations asked for")                               \
	F4(sigma_high, r->sigma_high, "the same")                                                  \
	U4(layout, r->layout, layouts, "of the lines")                                             \
	U4(streams, r->streams, NULL, "that the trace is made of; 0: not known")                   \
	U4(turns, r->turns, rp_turns_names, "how streams take turns")                              \
	U4(burst, r->burst, NULL, "accesses of a turn, at most")                                   \
	U4(share, r->share, rp_share_names, "what streams share")                                  \
	U4(infeasible, r->infeasible, rp_infeasible_names, "what is done if no trace can be")      \
	U4(prewarm, r->prewarm, NULL, "lines touched before, which is not counted")                \
	U4(moved, r->moved, NULL, "accesses made cold")                                            \
	U4(line, r->line, NULL, "bytes of a line")                                                 \
	U4(L, r->n, NULL, "accesses")                                                              \
	U4(cold, r->cold, NULL, "of these, first ones of a line")                                  \
	U4(n_peaks, r->n_peaks, NULL, "peaks of lrp")                                              \
	U4(rd_max, r->seen_max_rd, NULL, "largest reuse distance")                                 \
	MX(rp, RP_ROW_RP, 0, counts(to, rp, RP_ROW_RP, r->n),                                      \
	    "reuse profile: shares by distance; 4096 or more; cold")                               \
	MX(rp_requested, RP_ROW_RP, 0, requested_counts(to, requested),                            \
	    "the profile asked for, of all streams; zeroes: real")                                 \
	MX(lrp, RP_LOGBINS, 0, counts(to, r->lrp, RP_LOGBINS, r->n), "the same by log bins")       \
	MX(srp, RP_LOGBINS, 0, counts(to, r->srp, RP_LOGBINS, r->n),                               \
	    "lrp of reuses within 256 accesses")                                                   \
	MX(rtp, RP_LOGBINS, 0, counts(to, r->rtp, RP_LOGBINS, r->n), "reuse times by log bins")    \
	MX(conf, RP_SETS, RP_CONFLICT_WAYS, floats(to, r->conf, sizeof r->conf),                   \
	    "conflict profile: 4..1024 sets, 1, 2, 4, 8, 16 ways")                                 \
	MX(disp, RP_SETS, 0, floats(to, r->disp, sizeof r->disp), "dispersion over sets")          \
	MX(ratio, RP_SETS, 0, floats(to, r->ratio, sizeof r->ratio), "conflicts by random ones")   \
	MX(mg, RP_CAPACITIES, RP_LATENCIES, floats(to, r->mg, sizeof r->mg),                       \
	    "merged accesses: 0, 8, 32, 128, 512, 2048, 8192, any lines; T = 4..1024")             \
	MX(pr, RP_CAPACITIES, RP_LATENCIES, floats(to, r->pr, sizeof r->pr), "primaries")          \
	MX(pz, RP_CAPACITIES, RP_LATENCIES, floats(to, r->pz, sizeof r->pz),                       \
	    "dispersion of primaries in windows of T")

#define CACHE_COLUMNS(U4)                                                                          \
	U4(sets, r->cache.sets, NULL, "of the cache")                                              \
	U4(ways, r->cache.ways, NULL, "of the cache")                                              \
	U4(line, r->cache.line, NULL, "bytes of a line")                                           \
	U4(latency, r->cache.latency, NULL, "accesses that a fill takes")                          \
	U4(entries, r->cache.entries, NULL, "MSHR entries; 0: unlimited")                          \
	U4(max_merge, r->cache.max_merge, NULL, "accesses that may join one; 0: unlimited")        \
	U4(policy, r->cache.policy, policies, "replacement policy")                                \
	U4(index, r->cache.index, rp_label_indexes, "which set a line is in")                      \
	U4(stall, r->cache.stall, rp_label_stalls, "what is done if all MSHRs are taken")

#define SAMPLE_COLUMNS(U4, U8, F4)                                                                 \
	U4(tid, tid, NULL, "row of traces")                                                        \
	CACHE_COLUMNS(U4)                                                                          \
	F4(miss_rate, r->rates.miss_rate, "accesses not served by data present, of all")           \
	F4(merge_rate, r->rates.merge_rate, "those that joined a fetch, of these")                 \
	F4(fetch_rate, r->rates.fetch_rate, "accesses that went below, of all")                    \
	F4(merged, merged(r), "accesses that joined a fetch, of all")                              \
	F4(mshr_full, ours(r, r->count.mshr_full), "that found all MSHRs taken, of all")           \
	U8(stall_ticks, r->count.stall_ticks, NULL, "accesses' time waited; 0 with stall=count")   \
	U4(n, r->count.n, NULL, "accesses; this and the counts below are of our own simulation")   \
	U4(hits, r->count.hit, NULL, "served by data present")                                     \
	U4(primary, r->count.primary, NULL, "that went below")                                     \
	U4(merged_count, r->count.merged, NULL, "that joined a fetch")                             \
	U4(mshr_full_count, r->count.mshr_full, NULL, "of primaries: all MSHRs were taken")        \
	U4(merge_full_count, r->count.merge_full, NULL, "of primaries: the line's MSHR was full")  \
	F4(prior_tag, r->prior.tag_miss, "prior: tag miss ratio")                                  \
	F4(prior_miss, r->prior.miss_rate, "prior: miss_rate")                                     \
	F4(prior_merge, r->prior.merge_rate, "prior: merge_rate")                                  \
	F4(prior_fetch, r->prior.fetch_rate, "prior: fetch_rate")                                  \
	U4(origin, r->origin, origins, "who made the labels")                                      \
	U4(split, split, splits, "that of its trace")

#define AGGREGATE_COLUMNS(U4, U8, F4)                                                              \
	U4(item, item, NULL, "number of the trace")                                                \
	CACHE_COLUMNS(U4)                                                                          \
	U4(intervals, a->intervals, NULL, "rows of the trace")                                     \
	U8(n, a->n, NULL, "accesses in them")                                                      \
	F4(miss_rate, over(a->missed, (double)a->n), "by accesses")                                \
	F4(merge_rate, over(a->merged, a->missed), "merged by missed")                             \
	F4(fetch_rate, over(a->missed - a->merged, (double)a->n), "by accesses")                   \
	F4(miss_error, standard_error(a), "standard error of miss_rate, over the intervals")       \
	F4(prior_miss, over(a->prior_missed, (double)a->n), "the same of the prior")               \
	F4(prior_merge, over(a->prior_merged, a->prior_missed), "the same")                        \
	F4(prior_fetch, over(a->prior_missed - a->prior_merged, (double)a->n), "the same")

/* ---- the lists of columns ---- */

#define COLUMN_U4(id, value, of, text)                                                             \
	{ .name = #id, .type = RP_NPY_U32, .names = of, .what = text, .width = 4 },
#define COLUMN_U8(id, value, of, text)                                                             \
	{ .name = #id, .type = RP_NPY_U64, .names = of, .what = text, .width = 8 },
#define COLUMN_F4(id, value, text) { .name = #id, .type = RP_NPY_F32, .what = text, .width = 4 },
#define COLUMN_MX(id, rows, columns, value, text)                                                  \
	{ .name = #id,                                                                             \
		.type = RP_NPY_F32,                                                                \
		.what = text,                                                                      \
		.dims = (columns) ? 2 : 1,                                                         \
		.shape = { rows, columns },                                                        \
		.width = 4 * (size_t)(rows) * ((columns) ? (columns) : 1) },

static const char *const policies[] = { NULL }; /* told apart by its address */
static const struct rp_table_column trace_columns[] = { TRACE_COLUMNS(
    COLUMN_U4, COLUMN_U8, COLUMN_F4, COLUMN_MX) };
static const struct rp_table_column sample_columns[] = { SAMPLE_COLUMNS(
    COLUMN_U4, COLUMN_U8, COLUMN_F4) };
static const struct rp_table_column aggregate_columns[] = { AGGREGATE_COLUMNS(
    COLUMN_U4, COLUMN_U8, COLUMN_F4) };
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const struct {
	const struct rp_table_column *column;
	size_t n;
} tables[] = { { trace_columns, LENGTH(trace_columns) }, { sample_columns, LENGTH(sample_columns) },
	{ aggregate_columns, LENGTH(aggregate_columns) } };

const struct rp_table_column *
rp_tables_list(enum rp_table which, size_t *n)
{
	*n = tables[which].n;
	return tables[which].column;
}

const char *
rp_tables_name(const struct rp_table_column *c, uint64_t code)
{
	return c->names == policies ? rp_policies[code]->name : c->names[code];
}

bool
rp_tables_of_policies(const struct rp_table_column *c)
{
	return c->names == policies;
}

/* ---- values ---- */

static void
counts(float *to, const uint32_t *count, size_t n, uint64_t of)
{
	for (size_t i = 0; i < n; i++)
		to[i] = of ? (float)((double)count[i] / (double)of) : 0;
}

static void
requested_counts(float *to, const uint32_t *count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < RP_ROW_RP; i++)
		sum += count[i];
	counts(to, count, RP_ROW_RP, sum);
}

static void
floats(float *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static double
over(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double
ours(const struct rp_sample_row *r, uint64_t count)
{
	return r->origin == RP_LABEL_OURS ? over((double)count, (double)r->count.n) : NAN;
}

static double
merged(const struct rp_sample_row *r)
{
	return r->origin == RP_LABEL_OURS ? over((double)r->count.merged, (double)r->count.n)
	                                  : r->rates.miss_rate - r->rates.fetch_rate;
}

static void
put_u32(void *to, uint64_t x)
{
	uint32_t y = x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
	memcpy(to, &y, sizeof y);
}

static void
put_f32(void *to, double x)
{
	float y = (float)x;
	memcpy(to, &y, sizeof y);
}

#define PUT_U4(id, value, of, text) put_u32(rp_tables_cell(c++, k), value);
#define PUT_U8(id, value, of, text) memcpy(rp_tables_cell(c++, k), &(uint64_t){ value }, 8);
#define PUT_F4(id, value, text)     put_f32(rp_tables_cell(c++, k), value);
#define PUT_MX(id, rows, columns, value, text)                                                     \
	to = (float *)(void *)rp_tables_cell(c++, k);                                              \
	value;

static void
put_trace(const struct rp_table_column *c, size_t k, const struct rp_trace_row *r,
    const uint32_t *rp, const uint32_t *requested)
{
	size_t tid = k;
	float *to;
	TRACE_COLUMNS(PUT_U4, PUT_U8, PUT_F4, PUT_MX)
}

static void
put_sample(const struct rp_table_column *c, size_t k, const struct rp_sample_row *r, size_t tid,
    uint32_t split)
{
	SAMPLE_COLUMNS(PUT_U4, PUT_U8, PUT_F4)
}

/* Sums of a trace and cache over intervals (section 8). */
struct aggregate {
	uint64_t n, intervals;
	double missed, merged, prior_missed, prior_merged;
	double rates, squares; /* sums of the intervals' miss rates */
	struct rp_sample_row row;
};

static void
aggregate(struct aggregate *a, const struct rp_trace_row *trace, const struct rp_sample_row *r)
{
	double n = (double)trace->n;
	a->row = *r;
	a->n += trace->n;
	a->intervals++;
	a->missed += r->rates.miss_rate * n;
	a->merged += r->rates.miss_rate * r->rates.merge_rate * n;
	a->prior_missed += r->prior.miss_rate * n;
	a->prior_merged += r->prior.miss_rate * r->prior.merge_rate * n;
	a->rates += r->rates.miss_rate;
	a->squares += r->rates.miss_rate * r->rates.miss_rate;
}

static double
standard_error(const struct aggregate *a)
{
	double n = (double)a->intervals;
	return n < 2 ? NAN : sqrt(fmax(0, a->squares - a->rates * a->rates / n) / (n - 1) / n);
}

static void
put_aggregate(const struct rp_table_column *c, size_t k, const struct aggregate *a, size_t item)
{
	const struct rp_sample_row *r = &a->row;
	AGGREGATE_COLUMNS(PUT_U4, PUT_U8, PUT_F4)
}

/* ---- reading the blocks ---- */

/* A block as it is read. */
struct reading {
	const unsigned char *at, *end;
	struct rp_trace_row row;
	uint32_t rp[RP_ROW_RP], requested[RP_ROW_RP];
	struct rp_sample_row sample;
	struct aggregate *sum; /* of a real trace: of each cache */
	size_t sums;           /* room for them */
};

static bool
damaged(size_t item, struct rp_err *err)
{
	return rp_fail(err, RP_INPUT, "the rows of item %zu are damaged", item);
}

/* The sum of a cache: most often the one at `guess`. One that is new begins with nothing. */
static struct aggregate *
sum_of(struct reading *r, size_t *sums, size_t guess, struct rp_err *err)
{
	const struct rp_label_cache *c = &r->sample.cache;
	if (guess < *sums && !memcmp(&r->sum[guess].row.cache, c, sizeof *c))
		return r->sum + guess;
	for (size_t i = 0; i < *sums; i++)
		if (!memcmp(&r->sum[i].row.cache, c, sizeof *c))
			return r->sum + i;
	if (*sums == r->sums) {
		size_t room = 2 * r->sums + 16;
		struct aggregate *more = rp_mem_grow(r->sum, room, sizeof *more, err);
		if (!more)
			return NULL;
		r->sum = more;
		r->sums = room;
	}
	r->sum[*sums] = (struct aggregate){ .row = r->sample };
	return r->sum + (*sums)++;
}

static bool
count_block(struct rp_tables *t, struct reading *r, size_t item, struct rp_err *err)
{
	const struct rp_block *b = t->block + item;
	size_t sums = 0;
	r->at = b->bytes;
	r->end = b->bytes + b->n;
	while (r->at < r->end) {
		if (!rp_row_get(&r->at, r->end, &r->row, r->rp, r->requested))
			return damaged(item, err);
		for (uint32_t i = 0; i < r->row.samples; i++) {
			if (!rp_sample_get(&r->at, r->end, &r->sample))
				return damaged(item, err);
			if (b->name && !sum_of(r, &sums, i, err))
				return false;
		}
		t->traces++;
		t->samples += r->row.samples;
	}
	t->aggregates += sums;
	return true;
}

static bool
take_block(struct rp_tables *t, struct reading *r, size_t item, struct rp_err *err)
{
	const struct rp_block *b = t->block + item;
	size_t sums = 0;
	r->at = b->bytes;
	r->end = b->bytes + b->n;
	while (r->at < r->end) {
		if (!rp_row_get(&r->at, r->end, &r->row, r->rp, r->requested))
			return damaged(item, err);
		put_trace(t->column[0], t->traces, &r->row, r->rp, r->requested);
		for (uint32_t i = 0; i < r->row.samples; i++) {
			if (!rp_sample_get(&r->at, r->end, &r->sample))
				return damaged(item, err);
			put_sample(t->column[1], t->samples++, &r->sample, t->traces, r->row.split);
			struct aggregate *a = b->name ? sum_of(r, &sums, i, err) : NULL;
			if (b->name && !a)
				return false;
			if (a)
				aggregate(a, &r->row, &r->sample);
		}
		t->traces++;
	}
	for (size_t i = 0; i < sums; i++)
		put_aggregate(t->column[2], t->aggregates++, r->sum + i, item);
	return true;
}

static bool
make_columns(struct rp_tables *t, struct rp_err *err)
{
	size_t rows[] = { t->traces, t->samples, t->aggregates };
	for (int i = 0; i < 3; i++) {
		t->columns[i] = tables[i].n;
		if (!(t->column[i] = rp_mem_array(tables[i].n, sizeof **t->column, err)))
			return false;
		memcpy(t->column[i], tables[i].column, tables[i].n * sizeof **t->column);
		for (size_t k = 0; k < tables[i].n; k++)
			if (!(t->column[i][k].data =
				    rp_mem_array(rows[i], t->column[i][k].width, err)))
				return false;
	}
	return true;
}

bool
rp_tables_make(struct rp_tables *t, const struct rp_block *block, size_t blocks, struct rp_err *err)
{
	struct reading *r = rp_mem_array(1, sizeof *r, err);
	bool ok = r;
	t->block = block;
	t->blocks = blocks;
	for (size_t i = 0; ok && i < blocks; i++)
		ok = count_block(t, r, i, err);
	ok = ok && make_columns(t, err);
	t->traces = t->samples = t->aggregates = 0;
	for (size_t i = 0; ok && i < blocks; i++)
		ok = take_block(t, r, i, err);
	if (r)
		free(r->sum);
	free(r);
	return ok;
}

void
rp_tables_free(struct rp_tables *t)
{
	for (int i = 0; i < 3; i++) {
		for (size_t k = 0; t->column[i] && k < t->columns[i]; k++)
			free(t->column[i][k].data);
		free(t->column[i]);
	}
	*t = (struct rp_tables){ 0 };
}
