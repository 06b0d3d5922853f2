/* table2.c - the 95 static configurations of PASCAL's Table 2. */
#include "config.h"

#include "validate/table2.h"
#include "validate/sdcm.h"

#include <inttypes.h>
#include <string.h>

enum {
	CACHE = 20 << 20, /* bytes: the platform's effective capacity */
	WORKERS_MOST = 48,
	COUNTED = 32 /* rounds */
};

static const uint32_t cluster_counts[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48 };

enum { COINCIDENT, EQUAL, DRAWN, PATTERNS = 7 };
static const char *const pattern_name[PATTERNS] = { "coincident", "equal", "uniform-a", "uniform-b",
	"gauss-0.01", "gauss-0.05", "gauss-0.15" };

static void
make_clusters(size_t i, struct rp_table2_row *row, uint64_t *phase)
{
	enum { COUNTS = sizeof cluster_counts / sizeof *cluster_counts };
	uint32_t c = cluster_counts[i % COUNTS];
	*row = (struct rp_table2_row){ .pattern = "clusters",
		.clusters = c,
		.workers = 48,
		.block = 4096u << i / COUNTS,
		.blocks = 8192 };
	for (uint64_t m = 0; m < row->workers; m++)
		phase[m] = m * c / row->workers * row->blocks / c;
}

/* How many drawn phases stand before those of case i. */
static size_t
drawn_before(size_t i)
{
	size_t n = 0;
	for (size_t k = 0; k < i; k++)
		n += k % PATTERNS >= DRAWN ? 12u << k / PATTERNS / 3 : 0;
	return n;
}

static void
make_pattern(size_t i, struct rp_table2_row *row, uint64_t *phase)
{
	static const uint64_t blocks[] = { 12800, 20480, 40960 };
	const uint16_t *drawn = rp_table2_phases + drawn_before(i);
	size_t pattern = i % PATTERNS;
	*row = (struct rp_table2_row){ .pattern = pattern_name[pattern],
		.workers = 12u << i / PATTERNS / 3,
		.block = 2048,
		.blocks = blocks[i / PATTERNS % 3] };
	for (uint64_t m = 0; m < row->workers; m++)
		phase[m] = pattern == COINCIDENT ? 0
		           : pattern == EQUAL    ? m * row->blocks / row->workers
		                                 : drawn[m];
}

/* ---- Replayed ---- */

/* Misses a round of a cache of `size` blocks or rounds, over the rounds behind the first `warm`. */
static bool
replay(const struct rp_lab *lab, const uint64_t *phase, const struct rp_table2_row *row,
    enum rp_lab_role role, uint64_t size, uint64_t warm, double *misses, struct rp_err *err)
{
	const struct rp_lab_scan scan = { phase, row->workers, row->blocks, warm + COUNTED,
		lab->line };
	uint64_t count;
	bool ok = rp_lab_scan_misses(lab, &scan, role, size, warm, &count, err);
	*misses = ok ? (double)count / COUNTED : 0;
	return ok;
}

/* LRU is warm after N rounds, TTL after as many as it keeps. */
static bool
replay_both(
    const struct rp_lab *lab, const uint64_t *phase, struct rp_table2_row *row, struct rp_err *err)
{
	return replay(lab, phase, row, RP_LAB_LRU, row->capacity, row->blocks, &row->lru, err) &&
	       replay(lab, phase, row, RP_LAB_TTL, row->window, row->window, &row->ttl, err);
}

/* ---- Held against the closed forms ---- */

static bool
tell(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct rp_table2_row *r = it;
	return rp_buf_printf(to, err,
	    "%s%.0d, N = %" PRIu64 ", M = %" PRIu32 ", C = %" PRIu64
	    "\nreprise validate pascal --table2\n",
	    r->pattern, (int)r->clusters, r->blocks, r->workers, r->capacity);
}

static bool
predict(const uint64_t *phase, struct rp_table2_row *row, uint32_t *lru, struct rp_err *err)
{
	struct rp_pascal *p = rp_pascal_new(phase, row->workers, row->blocks, err);
	struct rp_waterline w;
	row->capacity = CACHE / row->block;
	bool ok = p && rp_pascal_distances(p, err);
	if (ok) {
		ok = rp_pascal_waterline(p, row->capacity, &w) ||
		     rp_fail(err, RP_FAILED, "Table 2: C >= N: please report this");
		row->window = ok ? w.window : 0;
		row->pascal = rp_pascal_ttl(p, row->capacity);
		row->sdcm = rp_pascal_sdcm(p, row->capacity, row->capacity);
		row->che =
		    row->workers * rp_fraction_double(rp_che_miss(row->blocks, row->capacity));
		*lru = rp_pascal_lru(p, row->capacity);
	}
	rp_pascal_free(p);
	return ok;
}

struct of {
	const struct rp_suite *s;
	struct rp_table2_row *rows;
};

static bool
run_row(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	const struct of *o = of;
	struct rp_table2_row *row = &o->rows[i];
	uint64_t phase[WORKERS_MOST];
	uint32_t lru;
	(void)state;
	if (i < RP_TABLE2_CLUSTERS)
		make_clusters(i, row, phase);
	else
		make_pattern(i - RP_TABLE2_CLUSTERS, row, phase);
	if (!predict(phase, row, &lru, err) || !replay_both(&o->s->how.lab, phase, row, err))
		return false;
	rp_checks_begin(c, tell, row);
	rp_check_equal(c, RP_TABLE2_PASCAL, lru, row->pascal, "exact LRU against TTL", RP_NOWHERE);
	if (row->clusters)
		rp_check_equal(c, RP_TABLE2_PASCAL, row->pascal, row->clusters,
		    "TTL against the clusters", RP_NOWHERE);
	rp_check(c, RP_TABLE2_PASCAL, row->sdcm == lru, INFINITY,
	    "SDCM-FA %.17g, exact LRU %" PRIu32, row->sdcm, lru);
	rp_check(c, RP_TABLE2_SIMULATED, row->lru == lru && row->ttl == row->pascal, INFINITY,
	    "misses a round: LRU %g, wanted %" PRIu32 "; TTL %g, wanted %" PRIu32, row->lru, lru,
	    row->ttl, row->pascal);
	return rp_checks_end(c, err);
}

bool
rp_suite_table2(struct rp_suite *s, struct rp_table2_row rows[RP_TABLE2_ROWS], struct rp_err *err)
{
	const struct of of = { s, rows };
	const struct rp_cases cases = {
		.n = RP_TABLE2_ROWS, .each = 1, .of = &of, .state_bytes = 1, .run = run_row
	};
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}
