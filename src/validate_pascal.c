/* validate_pascal.c - `reprise validate pascal`: scans, histories and pipelines against PASCAL's closed forms. */
#include "config.h"

#include "command.h"
#include "validate.h"
#include "validate_trace.h"

#include "base/mem.h"
#include "base/parse.h"
#include "gen/phases.h"
#include "sim/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct pascal_opts {
	struct validate_out out;
	struct rp_phases_params start;
	struct rp_texts caches, plugins;
	uint64_t random, histories, blocks, rounds;
	uint32_t block;
	const char *capacity, *rings, *teams, *trace;
	bool exhaustive, table2, recurrence, conditions, all;
};

enum { RANDOM = 500, HISTORIES = 300, PIPELINES = 300 };

#define OPT(field) offsetof(struct pascal_opts, field)
static const struct rp_opt opts[] = {
	{ "all", 0, NULL, RP_OPT_FLAG, OPT(all), NULL,
	    "all of the next six; this is what is done if nothing is asked" },
	{ "exhaustive", 0, NULL, RP_OPT_FLAG, OPT(exhaustive), NULL,
	    "the 2,254 scans of up to 6 blocks and 3 workers" },
	{ "random", 0, "N", RP_OPT_U64, OPT(random), NULL,
	    "N random scans, pairs of scans, and sets mapped at random; 500 with --all", 1,
	    UINT64_MAX },
	{ "table2", 0, NULL, RP_OPT_FLAG, OPT(table2), NULL,
	    "the 33 and 62 configurations of PASCAL's Table 2, with every prediction" },
	{ "histories", 0, "N", RP_OPT_U64, OPT(histories), NULL,
	    "N random histories of workers at their own pace: Eq. 15, Theorem 5; 300 with --all", 1,
	    UINT64_MAX },
	{ "recurrence", 0, NULL, RP_OPT_FLAG, OPT(recurrence), NULL,
	    "300 random pipelines of copies: section 3.6, Theorem 6" },
	{ "conditions", 0, NULL, RP_OPT_FLAG, OPT(conditions), NULL,
	    "that statements fail where their condition is left out" },
	{ "trace", 0, "FILE", RP_OPT_TEXT, OPT(trace), NULL,
	    "a recorded scan: finds out blocks, workers, phases, whether they are static" },
	{ "cache", 'c', "SPEC", RP_OPT_TEXTS, OPT(caches), NULL,
	    "hold a cache of yours against the residency bound and MIN; without a size it gets "
	    "that of each scan; may be given several times" },
	{ "plugin", 0, "FILE", RP_OPT_TEXTS, OPT(plugins), NULL,
	    "a shared object with a policy of yours, for --cache" },
	{ "blocks", 0, "N", RP_OPT_U64, OPT(blocks), NULL,
	    "one scan, of N blocks; --phases and --workers say of whom; of --trace: that there are "
	    "N",
	    1, UINT64_C(1) << 32 },
	RP_PHASES_ROWS(struct pascal_opts),
	{ "capacity", 0, "LIST", RP_OPT_TEXT, OPT(capacity), NULL,
	    "blocks of the caches for that scan; else some at boundaries" },
	{ "rounds", 0, "H", RP_OPT_U64, OPT(rounds), NULL,
	    "rounds of that scan; else 6 times its blocks, or 2 where that is much" },
	{ "block", 0, "BYTES", RP_OPT_SIZE32, OPT(block), NULL,
	    "size of a block in --trace; else found out", 1, UINT32_MAX, NULL, NULL, true },
	{ "random-blocks", 0, "LOW..HIGH", RP_OPT_TEXT, OPT(rings), "7..48",
	    "blocks of random scans", 0, 0, NULL, NULL, true },
	{ "random-workers", 0, "LOW..HIGH", RP_OPT_TEXT, OPT(teams), "1..12",
	    "workers of random scans", 0, 0, NULL, NULL, true },
	VALIDATE_OUT_ROWS(struct pascal_opts),
	{ 0 },
};

/* ---- What is asked ---- */

static bool
parse_range(
    const char *option, const char *text, uint64_t most, uint64_t range[2], struct rp_err *err)
{
	const char *end = text + strlen(text);
	bool ok = rp_scan_dec(&text, end, &range[0]);
	range[1] = range[0];
	if (ok && end - text > 2 && text[0] == '.' && text[1] == '.') {
		text += 2;
		ok = rp_scan_dec(&text, end, &range[1]);
	}
	if (ok && text == end && range[0] >= 1 && range[0] <= range[1] && range[1] <= most)
		return true;
	return rp_fail(err, RP_USAGE, "%s: wanted LOW..HIGH, from 1 to %" PRIu64, option, most);
}

/* Whether some part is asked for by name. */
static bool
asks(const struct pascal_opts *o)
{
	return o->exhaustive || o->random || o->table2 || o->histories || o->recurrence ||
	       o->conditions || o->trace || o->blocks;
}

static bool
check_opts(const struct pascal_opts *o, int n, char **argv, struct rp_err *err)
{
	if (n)
		return rp_fail(
		    err, RP_USAGE, "'%.40s': a recorded scan is given by --trace", argv[0]);
	if (o->out.json && o->out.csv)
		return rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
	if ((o->start.phases || o->start.workers || o->rounds) && (!o->blocks || o->trace))
		return rp_fail(err, RP_USAGE,
		    "--phases, --workers and --rounds are of one scan: wanted --blocks N too, and "
		    "no --trace");
	if (o->capacity && !o->blocks && !o->trace)
		return rp_fail(
		    err, RP_USAGE, "--capacity is of one scan: wanted --blocks N, or --trace FILE");
	if (o->block && !o->trace)
		return rp_fail(err, RP_USAGE, "--block is of a recorded scan: wanted --trace FILE");
	return true;
}

/* ---- The user's caches ---- */

static bool
load_plugins(const struct pascal_opts *o, struct rp_plugins *plugins, struct rp_err *err)
{
	for (size_t i = 0; i < o->plugins.n; i++)
		if (!rp_plugins_load(plugins, o->plugins.text[i], err))
			return rp_err_wrap(err, "--plugin");
	return true;
}

/* All must have one line size, and one capacity if they name any. */
static bool
take_caches(struct rp_suite *s, const struct pascal_opts *o, const struct rp_plugins *plugins,
    struct rp_err *err)
{
	s->how.lab.plugins = plugins;
	s->how.own = o->caches.text;
	s->how.n_own = o->caches.n;
	s->how.plugin_files = o->plugins.text;
	s->how.n_plugin_files = o->plugins.n;
	s->own = rp_mem_array(o->caches.n, sizeof *s->own, err);
	for (size_t i = 0; s->own && i < o->caches.n; i++) {
		uint64_t capacity;
		uint32_t line;
		if (!rp_lab_own_capacity(&s->how.lab, o->caches.text[i], &capacity, &line, err))
			return rp_err_wrap(err, "--cache");
		if (i && line != s->how.lab.line)
			return rp_fail(err, RP_USAGE,
			    "--cache: lines of %" PRIu32 " and %" PRIu32 " bytes: wanted one size",
			    s->how.lab.line, line);
		s->how.lab.line = line;
		if (capacity && s->capacity && capacity != s->capacity)
			return rp_fail(err, RP_USAGE,
			    "--cache: capacities of %" PRIu64 " and %" PRIu64 " lines: wanted one",
			    s->capacity, capacity);
		s->capacity = capacity ? capacity : s->capacity;
	}
	s->how.only_own = o->caches.n > 0;
	return s->own;
}

/* Random scans on rings larger than the caches that name a size, and how many of them. */
static bool
random_for_caches(struct validate_results *r, const struct pascal_opts *o, struct rp_err *err)
{
	enum { WORK = 20000000, EACH = 100, LEAST = 5 };
	struct rp_suite *s = &r->suite;
	uint64_t n = o->random ? o->random : RANDOM;
	if (s->capacity) {
		uint64_t some = WORK / EACH / s->capacity;
		some = some < LEAST ? LEAST : some;
		n = o->random ? n : some < n ? some : n;
		if (s->blocks[1] <= s->capacity) {
			s->blocks[0] = s->capacity + 1;
			s->blocks[1] = 4 * s->capacity;
		}
	}
	return ((s->capacity || o->random) ? true : rp_suite_exhaustive(s, err)) &&
	       rp_suite_random(s, n, err);
}

/* ---- One scan ---- */

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Capacities where something changes: ends, D, half of the ring, footprints around it. */
static bool
usual_capacities(const struct rp_lab_scan *scan, uint64_t **list, size_t *n, struct rp_err *err)
{
	struct rp_pascal *p = rp_pascal_new(scan->phase, scan->workers, scan->blocks, err);
	uint64_t *c = p ? rp_mem_array(12, sizeof *c, err) : NULL, N = scan->blocks;
	if (c) {
		uint64_t D = p->distinct, half = rp_pascal_footprint(p, N / D / 2 + 1);
		const uint64_t at[] = { 1, D, D + 1, D - 1, N / 2, half, half + 1, half - 1, N - 1,
			N, N + 1 };
		size_t all = sizeof at / sizeof *at;
		memcpy(c, at, sizeof at);
		qsort(c, all, sizeof *c, by_value);
		*n = 0;
		for (size_t i = 0; i < all; i++)
			if (c[i] && (!*n || c[i] != c[*n - 1]))
				c[(*n)++] = c[i];
	}
	*list = c;
	rp_pascal_free(p);
	return c;
}

bool
validate_scan(struct validate_results *r, const struct rp_lab_scan *scan, const char *capacities,
    struct rp_err *err)
{
	uint64_t *list = NULL;
	size_t n = 0;
	bool ok = capacities ? rp_parse_list(capacities, false, &list, &n, err) ||
	                           rp_err_wrap(err, "--capacity")
	                     : usual_capacities(scan, &list, &n, err);
	for (size_t i = 0; ok && i < n; i++) {
		const struct rp_scan_case c = { .scan = *scan, .capacity = list[i] };
		ok = list[i] ? rp_suite_one(&r->suite, &c, err)
		             : rp_fail(err, RP_USAGE, "--capacity: 0: wanted at least a block");
	}
	free(list);
	return ok;
}

static bool
one_scan(struct validate_results *r, const struct pascal_opts *o, struct rp_err *err)
{
	struct rp_phases f;
	char sized[32];
	const char *capacity = o->capacity;
	if (!rp_phases_make(&o->start, o->blocks, o->out.seed, &f, err))
		return false;
	if (!capacity && r->suite.capacity) {
		snprintf(sized, sizeof sized, "%" PRIu64, r->suite.capacity);
		capacity = sized;
	}
	const struct rp_lab_scan scan = { f.phase, f.workers, o->blocks,
		o->rounds ? o->rounds : rp_scan_rounds(o->blocks, f.workers),
		r->suite.how.lab.line };
	bool ok = validate_scan(r, &scan, capacity, err);
	free(f.phase);
	return ok;
}

/* ---- The parts ---- */

static bool
table2(struct validate_results *r, struct rp_err *err)
{
	r->table2 = rp_mem_array(RP_TABLE2_ROWS, sizeof *r->table2, err);
	return r->table2 && rp_suite_table2(&r->suite, r->table2, err);
}

/* Scans, pairs of them, and sets: a set of mappings for every hundred. */
static bool
random_scans(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	return rp_suite_random(s, n, err) && rp_suite_margins(s, n, err) &&
	       rp_suite_sets(s, (n + 99) / 100, err);
}

bool
validate_pascal_all(struct validate_results *r, struct rp_err *err)
{
	struct rp_suite *s = &r->suite;
	if (!s->blocks[0]) {
		s->blocks[0] = 7;
		s->blocks[1] = 48;
		s->workers[0] = 1;
		s->workers[1] = 12;
	}
	return rp_suite_exhaustive(s, err) && random_scans(s, RANDOM, err) && table2(r, err) &&
	       rp_suite_histories(s, HISTORIES, err) && rp_suite_recurrence(s, PIPELINES, err) &&
	       rp_suite_conditions(s, err);
}

static bool
run_parts(struct validate_results *r, const struct pascal_opts *o, struct rp_err *err)
{
	struct rp_suite *s = &r->suite;
	if (o->all && !validate_pascal_all(r, err))
		return false;
	if (s->how.n_own && !o->blocks && !o->trace && !random_for_caches(r, o, err))
		return false;
	if (!asks(o))
		return o->all || s->how.n_own || validate_pascal_all(r, err);
	return (!o->exhaustive || rp_suite_exhaustive(s, err)) &&
	       (!o->random || s->how.n_own || random_scans(s, o->random, err)) &&
	       (!o->table2 || table2(r, err)) &&
	       (!o->histories || rp_suite_histories(s, o->histories, err)) &&
	       (!o->recurrence || rp_suite_recurrence(s, PIPELINES, err)) &&
	       (!o->conditions || rp_suite_conditions(s, err)) &&
	       (!o->blocks || o->trace || one_scan(r, o, err)) &&
	       (!o->trace || validate_trace(r, o->trace, o->block, o->blocks, o->capacity, err));
}

/* A cache of the user's that fits no scan has been held to nothing. */
static bool
all_held(const struct rp_suite *s, struct rp_err *err)
{
	for (size_t i = 0; i < s->how.n_own; i++)
		if (!s->own[i].cases)
			return rp_fail(err, RP_USAGE,
			    "--cache %s fits no scan, so it was held to nothing: wanted no size or "
			    "ways, or those of a scan's capacity, below its blocks",
			    s->how.own[i]);
	return true;
}

static bool
run_pascal(void *options, int n, char **argv, struct rp_err *err)
{
	struct pascal_opts *o = options;
	struct validate_results r = { 0 };
	struct rp_plugins plugins = { 0 };
	struct rp_progress p;
	struct timespec from, to;
	if (!check_opts(o, n, argv, err))
		return false;
	validate_begin(&r, &p, &o->out);
	clock_gettime(CLOCK_MONOTONIC, &from);
	bool ok =
	    parse_range("--random-blocks", o->rings, UINT64_C(1) << 32, r.suite.blocks, err) &&
	    parse_range("--random-workers", o->teams, 1 << 20, r.suite.workers, err) &&
	    load_plugins(o, &plugins, err) && take_caches(&r.suite, o, &plugins, err) &&
	    run_parts(&r, o, err) && all_held(&r.suite, err);
	clock_gettime(CLOCK_MONOTONIC, &to);
	r.elapsed = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	rp_progress_end(&p);
	ok = (ok || err->code == RP_STOPPED) && validate_print(&r, err);
	json_decref(r.trace);
	free(r.table2);
	free(r.suite.own);
	rp_checks_free(&r.suite.checks);
	rp_plugins_free(&plugins);
	return ok;
}

const struct rp_command rp_command_validate_pascal = {
	.name = "pascal",
	.what = "scans, histories and pipelines against the closed forms of PASCAL",
	.operands = "",
	.example = "reprise validate pascal --random 1000 --seed 7",
	.opts = opts,
	.bytes = sizeof(struct pascal_opts),
	.run = run_pascal,
};
