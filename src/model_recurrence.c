/* model_recurrence.c - `reprise model recurrence`: issue times of a copy pipeline, and what hits can catch up. */
#include "config.h"

#include "model.h"

#include "base/items.h"
#include "base/mem.h"
#include "validate/recurrence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A worker as typed. */
struct worker_opts {
	uint32_t depth;
	const char *alpha, *beta, *hit, *miss, *init;
};

struct recurrence_opts {
	struct model_out out;
	struct worker_opts first, second;
	const char *latencies;
	uint64_t issues;
};

enum { ISSUES_MOST = 1 << 24 };

/* Times, as typed and then in parts of the unit of all of them. */
struct times {
	struct rp_fraction *typed;
	rp_wide *part;
	size_t n, room;
};

enum { ALPHA, BETA, HIT, MISS, COSTS };

/* A worker: its costs and its first issues. */
struct worker {
	uint32_t depth;
	struct times cost, init;
	struct rp_pipeline line;
};

struct question {
	struct worker worker[2];
	size_t workers;
	struct times latency; /* of each copy; one: of all */
	size_t issues;
	rp_wide unit;
};

static bool
add_time(struct times *t, const char *text, struct rp_err *err)
{
	if (t->n == t->room) {
		void *more = rp_mem_grow(t->typed, t->room * 2 + 8, sizeof *t->typed, err);
		if (!more)
			return false;
		t->typed = more;
		t->room = t->room * 2 + 8;
	}
	return rp_fraction_parse(text, &t->typed[t->n], err) && ++t->n;
}

static bool
parse_times(struct times *t, const char *option, const char *text, struct rp_err *err)
{
	struct rp_items it;
	if (!rp_items_open(&it, text, err))
		return rp_err_wrap(err, "%s", option);
	bool ok = true;
	while (ok && rp_items_next(&it))
		ok = add_time(t, it.item, err) || rp_items_wrap(&it, err);
	rp_items_close(&it);
	return ok || rp_err_wrap(err, "%s", option);
}

static bool
parse_cost(struct worker *w, const char *option, const char *text, struct rp_err *err)
{
	if (!text)
		return rp_fail(err, RP_USAGE, "wanted %s TIME", option);
	return add_time(&w->cost, text, err) || rp_err_wrap(err, "%s", option);
}

static bool
parse_worker(struct worker *w, const struct worker_opts *o, const char *suffix, struct rp_err *err)
{
	const char *const text[] = { o->alpha, o->beta, o->hit, o->miss };
	static const char *const name[] = { "alpha", "beta", "hit", "miss" };
	char option[32];
	w->depth = o->depth;
	for (size_t i = 0; i < COSTS; i++) {
		snprintf(option, sizeof option, "--%s%s", name[i], suffix);
		if (!parse_cost(w, option, text[i], err))
			return false;
	}
	snprintf(option, sizeof option, "--init%s", suffix);
	if (o->init && !parse_times(&w->init, option, o->init, err))
		return false;
	if (o->init && w->init.n + 1 != w->depth)
		return rp_fail(err, RP_USAGE,
		    "%s: %zu issue times for depth %" PRIu32 ": wanted %" PRIu32, option, w->init.n,
		    w->depth, w->depth - 1);
	return true;
}

/* The unit of all times so far and of these: the least common multiple of their denominators. */
static bool
join_unit(rp_wide *unit, const struct times *t, struct rp_err *err)
{
	for (size_t i = 0; i < t->n; i++) {
		*unit *= rp_fraction(*unit, t->typed[i].den).den;
		if (*unit >= (rp_wide)1 << 40)
			return rp_fail(
			    err, RP_USAGE, "the times have no common unit of 2^-40 or more");
	}
	return true;
}

static bool
to_parts(struct times *t, rp_wide unit, struct rp_err *err)
{
	t->part = rp_mem_array(t->n, sizeof *t->part, err);
	for (size_t i = 0; t->part && i < t->n; i++)
		t->part[i] = t->typed[i].num * (unit / t->typed[i].den);
	return t->part != NULL;
}

static bool
make_line(struct worker *w, rp_wide unit, struct rp_err *err)
{
	if (!to_parts(&w->cost, unit, err) || !to_parts(&w->init, unit, err))
		return false;
	const rp_wide *cost = w->cost.part;
	w->line = (struct rp_pipeline){ w->depth, unit, cost[ALPHA], cost[BETA], cost[HIT],
		cost[MISS], w->init.n ? w->init.part : NULL };
	return rp_pipeline_check(&w->line, err);
}

/* Of typed times, whose terms have at most 60 bits. */
static bool
is_more(struct rp_fraction a, struct rp_fraction b)
{
	return a.num * b.den > b.num * a.den;
}

/* The second worker is like the first where nothing else is said. */
static bool
parse_second(struct question *q, const struct recurrence_opts *o, struct rp_err *err)
{
	struct worker_opts second = o->second;
	const struct worker_opts *first = &o->first;
	if (!second.depth && !second.alpha && !second.beta && !second.hit && !second.miss &&
	    !second.init)
		return true;
	if (!second.depth || second.depth == first->depth)
		second.init = second.init ? second.init : first->init;
	second.depth = second.depth ? second.depth : first->depth;
	second.alpha = second.alpha ? second.alpha : first->alpha;
	second.beta = second.beta ? second.beta : first->beta;
	second.hit = second.hit ? second.hit : first->hit;
	second.miss = second.miss ? second.miss : first->miss;
	q->workers = 2;
	if (!parse_worker(&q->worker[1], &second, "2", err))
		return false;
	/* What its misses take does not matter to the separation. */
	struct rp_fraction *cost = q->worker[1].cost.typed;
	if (!o->second.miss && is_more(cost[HIT], cost[MISS]))
		cost[MISS] = cost[HIT];
	return true;
}

static bool
check_latencies(struct question *q, const struct recurrence_opts *o, struct rp_err *err)
{
	size_t n = q->latency.n, r = q->worker[0].depth - 1;
	if (o->latencies && !n)
		return rp_fail(err, RP_USAGE, "--latencies: wanted at least one");
	q->issues = o->issues ? o->issues : n;
	if (n > 1 && q->issues > r && n < q->issues - r)
		return rp_fail(err, RP_USAGE,
		    "--latencies: %zu of them: wanted one, or one for each of the %zu copies that "
		    "are waited for",
		    n, q->issues - r);
	for (size_t i = 0; i < n; i++)
		if (q->latency.part[i] >= RP_TIME_MOST)
			return rp_fail(
			    err, RP_USAGE, "--latencies: number %zu is too large", i + 1);
	return true;
}

static bool
ask(struct question *q, const struct recurrence_opts *o, struct rp_err *err)
{
	q->workers = 1;
	q->unit = 1;
	if (!o->first.depth)
		return rp_fail(err, RP_USAGE, "wanted --depth D");
	if (!parse_worker(&q->worker[0], &o->first, "", err) || !parse_second(q, o, err) ||
	    (o->latencies && !parse_times(&q->latency, "--latencies", o->latencies, err)) ||
	    !join_unit(&q->unit, &q->latency, err))
		return false;
	for (size_t i = 0; i < q->workers; i++)
		if (!join_unit(&q->unit, &q->worker[i].cost, err) ||
		    !join_unit(&q->unit, &q->worker[i].init, err))
			return false;
	for (size_t i = 0; i < q->workers; i++)
		if (!make_line(&q->worker[i], q->unit, err))
			return rp_err_wrap(err, i ? "worker 2" : "worker 1");
	return to_parts(&q->latency, q->unit, err) && check_latencies(q, o, err);
}

static void
forget_times(struct times *t)
{
	free(t->typed);
	free(t->part);
}

static void
forget(struct question *q)
{
	for (size_t i = 0; i < 2; i++) {
		forget_times(&q->worker[i].cost);
		forget_times(&q->worker[i].init);
	}
	forget_times(&q->latency);
}

/* A time: a whole number where it is one, else a fraction. */
static json_t *
time_json(struct rp_fraction f)
{
	return f.den == 1 ? model_wide(f.num) : model_fraction(f);
}

static json_t *
times_json(const rp_wide *part, size_t n, rp_wide unit)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, time_json(rp_fraction(part[i], unit)));
	return list;
}

static json_t *
bounds_json(const struct rp_pipeline *p, rp_wide latency)
{
	return json_pack("{so so}", "lower", model_fraction(rp_pipeline_lower(p, latency)), "upper",
	    model_fraction(rp_pipeline_upper(p, latency)));
}

/* What the theorem says of one worker. */
static void
add_worker(const struct worker *w, json_t *to)
{
	const struct rp_pipeline *p = &w->line;
	json_object_set_new(to, "d", rp_emit_count(p->depth));
	json_object_set_new(to, "alpha", time_json(rp_fraction(p->alpha, p->unit)));
	json_object_set_new(to, "beta", time_json(rp_fraction(p->beta, p->unit)));
	json_object_set_new(to, "lam_hit", time_json(rp_fraction(p->hit, p->unit)));
	json_object_set_new(to, "lam_miss", time_json(rp_fraction(p->miss, p->unit)));
	json_object_set_new(to, "P_hit", model_fraction(rp_pipeline_period(p, p->hit)));
	json_object_set_new(to, "P_miss", model_fraction(rp_pipeline_period(p, p->miss)));
	json_object_set_new(to, "theta", time_json(rp_pipeline_overlap(p)));
	json_object_set_new(to, "G", model_fraction(rp_pipeline_gain(p)));
	json_object_set_new(to, "bounds",
	    json_pack("{so so}", "hit", bounds_json(p, p->hit), "miss", bounds_json(p, p->miss)));
	if (w->init.n)
		json_object_set_new(to, "init", times_json(w->init.part, w->init.n, p->unit));
}

/* From which copy on the second worker is behind: the least n with n eps > slack, and not before its own bound holds; null if
 * it need not be behind at all. */
static json_t *
behind_from(struct rp_separation s, uint32_t depth)
{
	rp_wide num, den, n = 0;
	if (s.eps.num <= 0)
		return json_null();
	if (__builtin_mul_overflow(s.slack.num, s.eps.den, &num) ||
	    __builtin_mul_overflow(s.eps.num, s.slack.den, &den))
		return json_real(rp_fraction_double(s.slack) / rp_fraction_double(s.eps));
	if (num >= 0)
		n = rp_wide_floor(num, den) + 1;
	return model_wide(n > depth - 1 ? n : depth - 1);
}

static json_t *
separation_json(const struct question *q)
{
	struct rp_separation s = rp_pipeline_separation(&q->worker[0].line, &q->worker[1].line);
	json_t *o = json_object();
	json_object_set_new(o, "eps", model_fraction(s.eps));
	json_object_set_new(o, "slack", model_fraction(s.slack));
	json_object_set_new(o, "separated", json_boolean(s.eps.num > 0));
	json_object_set_new(o, "behind_from", behind_from(s, q->worker[1].depth));
	json_t *second = json_object();
	add_worker(&q->worker[1], second);
	json_object_set_new(o, "second", second);
	return o;
}

/* Issue times with the latencies given (else each copy misses), and of the clocks of hits and of misses only. */
static bool
add_issues(const struct question *q, json_t *doc, struct rp_err *err)
{
	const struct rp_pipeline *p = &q->worker[0].line;
	rp_wide *issue = rp_mem_array(q->issues, sizeof *issue, err);
	if (!issue)
		return false;
	const rp_wide *latency = q->latency.n ? q->latency.part : &p->miss;
	rp_pipeline_issues(p, latency, q->latency.n > 1, q->issues, issue);
	json_object_set_new(doc, "I", times_json(issue, q->issues, p->unit));
	rp_pipeline_issues(p, &p->hit, 0, q->issues, issue);
	json_object_set_new(doc, "I_hit", times_json(issue, q->issues, p->unit));
	rp_pipeline_issues(p, &p->miss, 0, q->issues, issue);
	json_object_set_new(doc, "I_miss", times_json(issue, q->issues, p->unit));
	free(issue);
	return true;
}

static json_t *
document(const struct question *q, struct rp_err *err)
{
	json_t *doc = model_document("recurrence");
	add_worker(&q->worker[0], doc);
	if (q->workers > 1)
		json_object_set_new(doc, "separation", separation_json(q));
	if (!q->issues || add_issues(q, doc, err))
		return doc;
	json_decref(doc);
	return NULL;
}

/* Members that a table shows as fractions. */
static const char *const fractions[] = { "alpha", "beta", "lam_hit", "lam_miss", "P_hit", "P_miss",
	"theta", "G", NULL };

/* A row for each issue, with real numbers in place of fractions. Gives. */
static json_t *
issue_rows(json_t *doc)
{
	static const char *const times[] = { "I", "I_hit", "I_miss", NULL };
	json_t *rows = json_array(), *row;
	for (size_t n = 0; n < json_array_size(json_object_get(doc, "I")); n++) {
		row = json_pack("{so}", "n", rp_emit_count(n));
		for (size_t i = 0; times[i]; i++)
			json_object_set(
			    row, times[i], json_array_get(json_object_get(doc, times[i]), n));
		json_array_append_new(rows, model_flat(row, times));
		json_decref(row);
	}
	return rows;
}

/* The workers, one or two rows. Gives. */
static json_t *
worker_rows(json_t *doc)
{
	static const char *const distance[] = { "eps", "slack", NULL };
	json_t *rows = json_array(), *separation = json_object_get(doc, "separation"),
	       *first = model_flat(doc, fractions);
	json_array_append_new(rows, first);
	if (separation) {
		json_t *second = model_flat(json_object_get(separation, "second"), fractions);
		json_object_del(first, "separation");
		json_object_set_new(second, "separation", model_flat(separation, distance));
		json_array_append_new(rows, second);
	}
	return rows;
}

static bool
csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view issue[] = { { "n", "n", RP_CELL_COUNT },
		{ "I", "I", RP_CELL_RATIO }, { "I_hit", "I_hit", RP_CELL_RATIO },
		{ "I_miss", "I_miss", RP_CELL_RATIO } };
	static const struct rp_view worker[] = { { "d", "d", RP_CELL_COUNT },
		{ "alpha", "alpha", RP_CELL_RATIO }, { "beta", "beta", RP_CELL_RATIO },
		{ "lam_hit", "lam_hit", RP_CELL_RATIO }, { "lam_miss", "lam_miss", RP_CELL_RATIO },
		{ "P_hit", "P_hit", RP_CELL_RATIO }, { "P_miss", "P_miss", RP_CELL_RATIO },
		{ "theta", "theta", RP_CELL_RATIO }, { "G", "G", RP_CELL_RATIO },
		{ "eps", "separation.eps", RP_CELL_RATIO },
		{ "slack", "separation.slack", RP_CELL_RATIO } };
	bool issues = json_object_get(doc, "I") != NULL;
	json_t *rows = issues ? issue_rows(doc) : worker_rows(doc);
	bool ok = rp_emit_csv(to, rows, issues ? issue : worker,
	    issues ? sizeof issue / sizeof *issue : sizeof worker / sizeof *worker, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_separation(struct rp_out *to, json_t *separation, struct rp_err *err)
{
	json_t *from = json_object_get(separation, "behind_from");
	char n[32];
	if (!json_is_true(json_object_get(separation, "separated")))
		return rp_out_printf(to, err,
		    "\nnot separated: worker 2, at its fastest, is no slower than worker 1,\n"
		    "at its slowest\n");
	if (!json_is_integer(from))
		return rp_out_printf(to, err, "\nseparated: worker 2 falls behind without end\n");
	return rp_out_printf(to, err,
	    "\nseparated: worker 2 falls behind without end, whatever hits and misses;\n"
	    "it is behind from copy %s on\n",
	    rp_print_count(n, (uint64_t)json_integer_value(from)));
}

static bool
text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "depth d", "d", RP_CELL_COUNT },
		{ "issue to wait, alpha", "alpha_text", RP_CELL_TEXT },
		{ "release to issue, beta", "beta_text", RP_CELL_TEXT },
		{ "latency of a hit", "lam_hit_text", RP_CELL_TEXT },
		{ "latency of a miss", "lam_miss_text", RP_CELL_TEXT },
		{ "time for each copy, all hits", "P_hit_text", RP_CELL_TEXT },
		{ "time for each copy, all misses", "P_miss_text", RP_CELL_TEXT },
		{ "latency that is hidden, theta", "theta_text", RP_CELL_TEXT },
		{ "saved for each copy by hits, G", "G_text", RP_CELL_TEXT },
		{ "time lost for each copy, eps", "separation.eps_text", RP_CELL_TEXT },
		{ "less, in all, at most", "separation.slack_text", RP_CELL_TEXT } };
	static const struct rp_view issue[] = { { "copy", "n", RP_CELL_COUNT },
		{ "issued", "I", RP_CELL_COUNT }, { "with hits only", "I_hit", RP_CELL_COUNT },
		{ "with misses only", "I_miss", RP_CELL_COUNT } };
	json_t *rows = worker_rows(doc), *separation = json_object_get(doc, "separation");
	bool ok = rp_emit_table(to, rows, view, sizeof view / sizeof *view, true, err) &&
	          (!separation || print_separation(to, separation, err));
	json_decref(rows);
	if (!ok || !json_object_get(doc, "I"))
		return ok;
	rows = issue_rows(doc);
	ok = rp_out_printf(to, err, "\n") &&
	     rp_emit_table(to, rows, issue, sizeof issue / sizeof *issue, false, err);
	json_decref(rows);
	return ok;
}

static bool
run_recurrence(void *opts, int n, char **argv, struct rp_err *err)
{
	const struct recurrence_opts *o = opts;
	struct question q = { 0 };
	bool ok = model_takes(&o->out, n, argv, 0, err) && ask(&q, o, err);
	rp_emit_begin();
	ok = ok && model_print(&o->out, document(&q, err), text, csv, err);
	forget(&q);
	return ok;
}

#define OPT(field) offsetof(struct recurrence_opts, field)
static const struct rp_opt opts[] = {
	{ "depth", 0, "D", RP_OPT_U32, OPT(first.depth), NULL, "buffers; copies under way and one",
	    1, RP_DEPTH_MOST },
	{ "alpha", 0, "TIME", RP_OPT_TEXT, OPT(first.alpha), NULL,
	    "from an issue to the next wait; times may be 20, 0.5 or 1/3" },
	{ "beta", 0, "TIME", RP_OPT_TEXT, OPT(first.beta), NULL,
	    "from the end of a wait to the issue that refills the buffer" },
	{ "hit", 0, "TIME", RP_OPT_TEXT, OPT(first.hit), NULL, "latency of a hit" },
	{ "miss", 0, "TIME", RP_OPT_TEXT, OPT(first.miss), NULL, "latency of a miss" },
	{ "init", 0, "LIST", RP_OPT_TEXT, OPT(first.init), NULL,
	    "issue times of the first D - 1 copies; else all 0" },
	{ "issues", 0, "N", RP_OPT_U64, OPT(issues), NULL,
	    "print the first N issue times; else as many as there are latencies", 1, ISSUES_MOST },
	{ "latencies", 0, "LIST", RP_OPT_TEXT, OPT(latencies), NULL,
	    "of each copy, or one for all, or @FILE; else each copy misses" },
	{ "depth2", 0, "D", RP_OPT_U32, OPT(second.depth), NULL,
	    "of a second worker, that falls behind if its hits are slower than the misses of the "
	    "first; these are as the first's where they are not given",
	    1, RP_DEPTH_MOST },
	{ "alpha2", 0, "TIME", RP_OPT_TEXT, OPT(second.alpha), NULL, "of the second worker" },
	{ "beta2", 0, "TIME", RP_OPT_TEXT, OPT(second.beta), NULL, "of the second worker" },
	{ "hit2", 0, "TIME", RP_OPT_TEXT, OPT(second.hit), NULL, "of the second worker" },
	{ "miss2", 0, "TIME", RP_OPT_TEXT, OPT(second.miss), NULL, "of the second worker" },
	{ "init2", 0, "LIST", RP_OPT_TEXT, OPT(second.init), NULL, "of the second worker" },
	MODEL_OUT_ROWS(struct recurrence_opts),
	{ 0 },
};

const struct rp_command rp_command_model_recurrence = {
	.name = "recurrence",
	.what = "issue times of a copy pipeline, and what hits can catch up",
	.example = "reprise model recurrence --depth 3 --alpha 2 --beta 9 --hit 9 --miss 60",
	.opts = opts,
	.bytes = sizeof(struct recurrence_opts),
	.run = run_recurrence,
};
