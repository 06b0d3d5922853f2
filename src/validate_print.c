/* validate_print.c - the results of `reprise validate` as JSON, as CSV and for people. */
#include "config.h"

#include "validate.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static json_t *
real_or_null(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* Theorems, a row each; or statements that need a condition. */
static json_t *
checks_json(const struct rp_checks *c, bool negative)
{
	json_t *rows = json_array();
	for (unsigned t = 0; t < RP_THEOREMS; t++) {
		const struct rp_theorem_row *row = &rp_theorem_table[t];
		const struct rp_check_count *n = &c->count[t];
		if (!n->cases || rp_theorem_is_negative(t) != negative)
			continue;
		json_t *one = json_pack("{ss ss ss so}", "theorem", row->name,
		    negative ? "condition" : "source", row->source, "what", row->what, "cases",
		    rp_emit_count(n->cases));
		json_object_set_new(
		    one, negative ? "failures" : "violations", rp_emit_count(n->violations));
		if (!negative)
			json_object_set_new(one, "worst_slack", real_or_null(n->slack));
		if (n->first)
			json_object_set_new(one, "counterexample", rp_emit_text(n->first));
		json_array_append_new(rows, one);
	}
	return rows;
}

static json_t *
table2_json(const struct rp_table2_row *rows)
{
	json_t *list = json_array();
	for (size_t i = 0; i < RP_TABLE2_ROWS; i++) {
		const struct rp_table2_row *r = &rows[i];
		json_t *one = json_pack("{ss so so so so so so sf sf sf sf}", "pattern", r->pattern,
		    "N", rp_emit_count(r->blocks), "M", rp_emit_count(r->workers), "C",
		    rp_emit_count(r->capacity), "block", rp_emit_count(r->block), "T_star",
		    rp_emit_count(r->window), "K_pascal", rp_emit_count(r->pascal), "K_sdcm_fa",
		    r->sdcm, "K_che_irm", r->che, "K_lru_simulated", r->lru, "K_ttl_simulated",
		    r->ttl);
		if (r->clusters)
			json_object_set_new(one, "clusters", rp_emit_count(r->clusters));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *
caches_json(const struct validate_results *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->suite.how.n_own; i++) {
		const struct rp_suite_own *o = &r->suite.own[i];
		json_t *one = json_pack("{so so so so so so}", "cache",
		    rp_emit_text(r->suite.how.own[i]), "cases", rp_emit_count(o->cases), "below",
		    rp_emit_count(o->below), "misses", rp_emit_count(o->misses), "bound",
		    rp_emit_count(o->bound), "min", rp_emit_count(o->least));
		if (o->cases) {
			json_object_set_new(
			    one, "misses_per_bound", rp_emit_ratio(o->misses, o->bound));
			json_object_set_new(
			    one, "misses_per_bound_least", real_or_null(o->bound_low));
			json_object_set_new(
			    one, "misses_per_bound_most", real_or_null(o->bound_high));
			json_object_set_new(
			    one, "misses_per_min", rp_emit_ratio(o->misses, o->least));
			json_object_set_new(
			    one, "misses_per_min_least", real_or_null(o->least_low));
			json_object_set_new(
			    one, "misses_per_min_most", real_or_null(o->least_high));
		}
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *
document(const struct validate_results *r, bool partial)
{
	json_t *doc = json_pack("{ss ss ss so}", "reprise", PACKAGE_VERSION, "command", "validate",
	    "suite", "pascal", "seed", rp_emit_count(r->suite.seed));
	json_object_set_new(doc, "checks", checks_json(&r->suite.checks, false));
	json_object_set_new(doc, "conditions", checks_json(&r->suite.checks, true));
	if (r->table2)
		json_object_set_new(doc, "table2", table2_json(r->table2));
	if (r->suite.how.n_own)
		json_object_set_new(doc, "caches", caches_json(r));
	if (r->trace)
		json_object_set(doc, "trace", r->trace);
	json_object_set_new(doc, "passed", rp_emit_count(rp_checks_passed(&r->suite.checks)));
	json_object_set_new(doc, "failed", rp_emit_count(rp_checks_failed(&r->suite.checks)));
	if (partial)
		json_object_set_new(doc, "interrupted", json_true());
	json_object_set_new(doc, "elapsed_s", json_real(r->elapsed));
	return doc;
}

/* ---- CSV ---- */

static bool
print_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "theorem", "theorem", RP_CELL_TEXT },
		{ "source", "source", RP_CELL_TEXT }, { "condition", "condition", RP_CELL_TEXT },
		{ "cases", "cases", RP_CELL_COUNT }, { "violations", "violations", RP_CELL_COUNT },
		{ "failures", "failures", RP_CELL_COUNT },
		{ "worst_slack", "worst_slack", RP_CELL_RATIO } };
	static const struct rp_view table2[] = { { "pattern", "pattern", RP_CELL_TEXT },
		{ "clusters", "clusters", RP_CELL_COUNT }, { "N", "N", RP_CELL_COUNT },
		{ "M", "M", RP_CELL_COUNT }, { "C", "C", RP_CELL_COUNT },
		{ "T_star", "T_star", RP_CELL_COUNT }, { "K_pascal", "K_pascal", RP_CELL_COUNT },
		{ "K_sdcm_fa", "K_sdcm_fa", RP_CELL_RATIO },
		{ "K_che_irm", "K_che_irm", RP_CELL_RATIO },
		{ "K_lru_simulated", "K_lru_simulated", RP_CELL_RATIO },
		{ "K_ttl_simulated", "K_ttl_simulated", RP_CELL_RATIO } };
	json_t *rows = json_array();
	json_array_extend(rows, json_object_get(doc, "checks"));
	json_array_extend(rows, json_object_get(doc, "conditions"));
	bool ok = rp_emit_csv(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	json_t *t2 = json_object_get(doc, "table2");
	return ok && (!t2 || (rp_out_printf(to, err, "\n") &&
				 rp_emit_csv(
				     to, t2, table2, sizeof table2 / sizeof *table2, false, err)));
}

/* ---- For people ---- */

/* Copies of the rows whose numbers under `from` stand as a text under `to`. */
static json_t *
with_text(json_t *rows, const char *from, const char *to, const char *format)
{
	json_t *copies = json_array(), *row;
	size_t i;
	json_array_foreach(rows, i, row)
	{
		json_t *one = json_copy(row), *x = json_object_get(row, from);
		char text[48] = "-";
		if (json_is_number(x))
			snprintf(text, sizeof text, format, json_number_value(x));
		json_object_set_new(one, to, json_string(text));
		json_array_append_new(copies, one);
	}
	return copies;
}

static bool
print_checks(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "theorem", "theorem", RP_CELL_TEXT },
		{ "PASCAL", "source", RP_CELL_TEXT }, { "cases", "cases", RP_CELL_COUNT },
		{ "violations", "violations", RP_CELL_COUNT },
		{ "worst slack", "slack", RP_CELL_HEX } };
	json_t *rows = with_text(json_object_get(doc, "checks"), "worst_slack", "slack", "%.4g");
	bool ok = !json_array_size(rows) ||
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_conditions(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "statement", "theorem", RP_CELL_TEXT },
		{ "which says", "what", RP_CELL_TEXT }, { "without", "condition", RP_CELL_TEXT },
		{ "cases", "cases", RP_CELL_COUNT }, { "fails", "failures", RP_CELL_COUNT } };
	json_t *rows = json_object_get(doc, "conditions");
	return !json_array_size(rows) ||
	       (rp_out_printf(
		    to, err, "\nstatements that must fail somewhere without their condition\n") &&
		   rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err));
}

/* Mean of |K - c| / M over rows of one kind, in points, for one prediction. */
static double
mean_gap(const struct rp_table2_row *rows, size_t from, size_t n, bool che)
{
	double sum = 0;
	for (size_t i = from; i < from + n; i++)
		sum += fabs((che ? rows[i].che : rows[i].pascal) - rows[i].lru) / rows[i].workers;
	return 100 * sum / (double)n;
}

static bool
print_table2(struct rp_out *to, const struct rp_table2_row *rows, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "phases", "phases", RP_CELL_TEXT },
		{ "N", "N", RP_CELL_COUNT }, { "M", "M", RP_CELL_COUNT },
		{ "C", "C", RP_CELL_COUNT }, { "T*", "T_star", RP_CELL_COUNT },
		{ "PASCAL", "K_pascal", RP_CELL_COUNT }, { "SDCM-FA", "sdcm", RP_CELL_HEX },
		{ "Che-IRM", "che", RP_CELL_HEX }, { "LRU", "lru", RP_CELL_HEX },
		{ "TTL", "ttl", RP_CELL_HEX } };
	json_t *list = json_array(), *one;
	size_t i;
	for (i = 0; i < RP_TABLE2_ROWS; i++) {
		char text[5][32];
		snprintf(text[0], sizeof text[0], rows[i].clusters ? "%s:%u" : "%s",
		    rows[i].pattern, rows[i].clusters);
		snprintf(text[1], sizeof text[1], "%.4g", rows[i].sdcm);
		snprintf(text[2], sizeof text[2], "%.4g", rows[i].che);
		snprintf(text[3], sizeof text[3], "%.4g", rows[i].lru);
		snprintf(text[4], sizeof text[4], "%.4g", rows[i].ttl);
		one = json_copy(json_array_get(json_object_get(doc, "table2"), i));
		json_object_set_new(one, "phases", json_string(text[0]));
		json_object_set_new(one, "sdcm", json_string(text[1]));
		json_object_set_new(one, "che", json_string(text[2]));
		json_object_set_new(one, "lru", json_string(text[3]));
		json_object_set_new(one, "ttl", json_string(text[4]));
		json_array_append_new(list, one);
	}
	bool ok =
	    rp_out_printf(to, err,
		"\nmisses a round: predicted (PASCAL, SDCM-FA, Che-IRM) and replayed (LRU, "
		"TTL)\n") &&
	    rp_emit_table(to, list, view, sizeof view / sizeof *view, false, err) &&
	    rp_out_printf(to, err,
		"mean distance from LRU, points: PASCAL %.3f and %.3f, Che-IRM %.3f and %.3f\n",
		mean_gap(rows, 0, RP_TABLE2_CLUSTERS, false),
		mean_gap(rows, RP_TABLE2_CLUSTERS, RP_TABLE2_PATTERNS, false),
		mean_gap(rows, 0, RP_TABLE2_CLUSTERS, true),
		mean_gap(rows, RP_TABLE2_CLUSTERS, RP_TABLE2_PATTERNS, true));
	json_decref(list);
	return ok;
}

static bool
print_caches(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "cache", RP_CELL_TEXT },
		{ "cases", "cases", RP_CELL_COUNT }, { "below", "below", RP_CELL_COUNT },
		{ "misses", "misses", RP_CELL_COUNT },
		{ "/ bound", "misses_per_bound", RP_CELL_RATIO },
		{ "most", "misses_per_bound_most", RP_CELL_RATIO },
		{ "/ MIN", "misses_per_min", RP_CELL_RATIO },
		{ "most", "misses_per_min_most", RP_CELL_RATIO } };
	json_t *rows = json_object_get(doc, "caches");
	return !rows || (rp_out_printf(to, err,
			     "\ncaches of yours against the residency bound and MIN, over all "
			     "cases they fit\n") &&
			    rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err));
}

static bool
print_first(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *row;
	size_t i;
	json_array_foreach(json_object_get(doc, "checks"), i, row)
	{
		const char *first = json_string_value(json_object_get(row, "counterexample"));
		if (first && !rp_out_printf(to, err, "\n%s (%s) does not hold: %s\n%s\n",
				 json_string_value(json_object_get(row, "theorem")),
				 json_string_value(json_object_get(row, "source")),
				 json_string_value(json_object_get(row, "what")), first))
			return false;
	}
	return true;
}

static bool
print_trace(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *t = json_object_get(doc, "trace"), *v;
	const char *key;
	bool ok = true;
	json_object_foreach(t, key, v)
	{
		char *text = json_dumps(v, JSON_ENCODE_ANY);
		bool plain = json_is_string(v);
		ok = ok && text &&
		     rp_out_printf(to, err, "%-12s  %.*s%s\n", key,
			 plain ? (int)strlen(json_string_value(v)) : 60,
			 plain ? json_string_value(v) : text,
			 !plain && strlen(text) > 60 ? "..." : "");
		free(text);
	}
	return ok && (!t || rp_out_printf(to, err, "\n"));
}

static bool
print_text(struct rp_out *to, const struct validate_results *r, json_t *doc, struct rp_err *err)
{
	return print_trace(to, doc, err) && print_checks(to, doc, err) &&
	       print_conditions(to, doc, err) &&
	       (!r->table2 || print_table2(to, r->table2, doc, err)) &&
	       print_caches(to, doc, err) && print_first(to, doc, err) &&
	       (!json_object_get(doc, "interrupted") ||
		   rp_out_printf(to, err, "\ninterrupted: this is of a part of the cases\n")) &&
	       rp_out_printf(to, err, "\n%.2f s\n%" PRIu64 " passed, %" PRIu64 " failed\n",
		   r->elapsed, rp_checks_passed(&r->suite.checks),
		   rp_checks_failed(&r->suite.checks));
}

bool
validate_print(struct validate_results *r, struct rp_err *err)
{
	struct rp_err own = { 0 };
	bool partial = err->code == RP_STOPPED;
	uint64_t failed = rp_checks_failed(&r->suite.checks);
	rp_emit_begin();
	json_t *doc = document(r, partial);
	struct rp_out *to = rp_emit_whole(doc, &own) ? rp_out_open(r->o->output, &own) : NULL;
	rp_emit_begin();
	bool ok = to && (r->o->json     ? rp_emit_json(to, doc, &own)
			    : r->o->csv ? print_csv(to, doc, &own)
					: print_text(to, r, doc, &own));
	ok = rp_emit_close(to, doc, ok, &own);
	json_decref(doc);
	if (!ok) {
		*err = own;
		return false;
	}
	if (partial)
		return false;
	return !failed || rp_fail(err, RP_FAILED, "%" PRIu64 " check%s failed", failed,
			      failed == 1 ? "" : "s");
}
