/* model_pascal_print.c - the results of `reprise model pascal`, for people and as CSV. */
#include "config.h"

#include "model.h"
#include "model_pascal.h"

#include <string.h>

enum { WORKERS_SHOWN = 32, GAPS_SHOWN = 12, VIEWS_MOST = 64 };

/* One row for each capacity: the document itself if there is one. Fractions flat, the certificate as "lo..hi". Gives. */
static json_t *
capacity_rows(json_t *doc)
{
	static const char *const fractions[] = { "theta", "V", "bound", NULL };
	static const char *const changes[] = { "theta_moved", "theta_change", NULL };
	json_t *rows = json_array(), *all = json_object_get(doc, "capacities"), *row;
	size_t i;
	if (!all && !json_object_get(doc, "C"))
		return rows;
	json_t *one = all ? json_incref(all) : json_pack("[O]", doc);
	json_array_foreach(one, i, row)
	{
		json_t *flat = model_flat(row, fractions), *c = json_object_get(row, "thm3"),
		       *s = json_object_get(row, "stability");
		json_object_set_new(flat, "thm3_text",
		    json_is_object(c)
			? json_sprintf("%" JSON_INTEGER_FORMAT "..%" JSON_INTEGER_FORMAT,
			      json_integer_value(json_object_get(c, "lo_sharp")),
			      json_integer_value(json_object_get(c, "hi")))
			: json_null());
		if (json_is_object(s))
			json_object_set_new(flat, "stability", model_flat(s, changes));
		json_object_set(flat, "N", json_object_get(doc, "N"));
		json_object_set(flat, "M", json_object_get(doc, "M"));
		json_object_set(flat, "distinct", json_object_get(doc, "distinct"));
		json_array_append_new(rows, flat);
	}
	json_decref(one);
	return rows;
}

/* The columns of SDCM, whose names hold the ways: how many. `names` keeps their headings. */
static size_t
sdcm_views(json_t *rows, struct rp_view *view, size_t most)
{
	size_t n = 0;
	const char *key;
	json_t *v;
	json_object_foreach(json_array_get(rows, 0), key, v)
	{
		if (!strncmp(key, "K_sdcm_A", 8) && n < most)
			view[n++] = (struct rp_view){ key, key, RP_CELL_RATIO };
	}
	return n;
}

bool
model_pascal_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view fixed[] = { { "N", "N", RP_CELL_COUNT },
		{ "M", "M", RP_CELL_COUNT }, { "distinct", "distinct", RP_CELL_COUNT },
		{ "C", "C", RP_CELL_COUNT }, { "theta", "theta", RP_CELL_RATIO },
		{ "theta_num", "theta_num", RP_CELL_COUNT },
		{ "theta_den", "theta_den", RP_CELL_COUNT }, { "T_star", "T_star", RP_CELL_COUNT },
		{ "K_ttl", "K_ttl", RP_CELL_COUNT }, { "rho_ttl", "rho_ttl", RP_CELL_RATIO },
		{ "thm3_lo", "thm3.lo", RP_CELL_COUNT },
		{ "thm3_lo_sharp", "thm3.lo_sharp", RP_CELL_COUNT },
		{ "thm3_hi", "thm3.hi", RP_CELL_COUNT }, { "K_lru", "K_lru", RP_CELL_COUNT },
		{ "K_che", "K_che", RP_CELL_RATIO }, { "V", "V", RP_CELL_RATIO },
		{ "V_num", "V_num", RP_CELL_COUNT }, { "V_den", "V_den", RP_CELL_COUNT },
		{ "bound", "bound", RP_CELL_RATIO }, { "bound_num", "bound_num", RP_CELL_COUNT },
		{ "bound_den", "bound_den", RP_CELL_COUNT },
		{ "rounds", "cold.rounds", RP_CELL_COUNT },
		{ "cold_ttl", "cold.ttl", RP_CELL_COUNT },
		{ "cold_lru", "cold.lru", RP_CELL_COUNT },
		{ "cold_bound", "cold.bound", RP_CELL_COUNT },
		{ "e", "stability.e", RP_CELL_COUNT },
		{ "theta_moved", "stability.theta_moved", RP_CELL_RATIO },
		{ "theta_change", "stability.theta_change", RP_CELL_RATIO },
		{ "theta_change_most", "stability.theta_change_most", RP_CELL_COUNT },
		{ "theta_change_sharp", "stability.theta_change_sharp", RP_CELL_COUNT },
		{ "K_ttl_moved", "stability.K_ttl_moved", RP_CELL_COUNT },
		{ "K_ttl_change", "stability.K_ttl_change", RP_CELL_COUNT },
		{ "K_ttl_change_most", "stability.K_ttl_change_most", RP_CELL_COUNT },
		{ "K_ttl_change_sharp", "stability.K_ttl_change_sharp", RP_CELL_COUNT } };
	enum { FIXED = sizeof fixed / sizeof *fixed };
	struct rp_view view[FIXED + VIEWS_MOST];
	json_t *rows = capacity_rows(doc);
	memcpy(view, fixed, sizeof fixed);
	size_t n = FIXED + sdcm_views(rows, view + FIXED, VIEWS_MOST);
	bool ok = rp_emit_csv(to, rows, view, n, false, err);
	json_decref(rows);
	return ok;
}

/* The gaps, or the range of them where there are many. */
static bool
print_gaps(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *gaps = json_object_get(doc, "gaps"), *sorted = json_object_get(doc, "sorted_gaps"),
	       *g;
	size_t n = json_array_size(gaps), i;
	char low[32], middle[32], high[32];
	if (!n)
		return true;
	if (n > GAPS_SHOWN)
		return rp_out_printf(to, err, "gaps      %s to %s, median %s\n",
		    rp_print_count(low, (uint64_t)json_integer_value(json_array_get(sorted, 0))),
		    rp_print_count(
			high, (uint64_t)json_integer_value(json_array_get(sorted, n - 1))),
		    rp_print_count(
			middle, (uint64_t)json_integer_value(json_array_get(sorted, n / 2))));
	bool ok = rp_out_printf(to, err, "gaps     ");
	json_array_foreach(gaps, i, g)
	{
		ok = ok && rp_out_printf(to, err, " %" JSON_INTEGER_FORMAT, json_integer_value(g));
	}
	return ok && rp_out_printf(to, err, "\n");
}

static bool
print_ring(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	char n[32], m[32], d[32], c[32];
	const char *key, *gap = "";
	json_t *v, *clusters = NULL;
	json_object_foreach(doc, key, v)
	{
		if (!strncmp(key, "clusters_gap", 12)) {
			gap = key + 12;
			clusters = v;
		}
	}
	rp_print_count(n, (uint64_t)json_integer_value(json_object_get(doc, "N")));
	rp_print_count(m, (uint64_t)json_integer_value(json_object_get(doc, "M")));
	rp_print_count(d, (uint64_t)json_integer_value(json_object_get(doc, "distinct")));
	rp_print_count(c, (uint64_t)json_integer_value(clusters));
	return rp_out_printf(to, err,
		   "ring      %s blocks\nworkers   %s, at %s distinct phase%s\n"
		   "clusters  %s, linked by gaps of at most %s\n",
		   n, m, d, strcmp(d, "1") ? "s" : "", c, gap) &&
	       print_gaps(to, doc, err);
}

/* One capacity: a line for each figure. */
static bool
print_one(struct rp_out *to, json_t *rows, struct rp_err *err)
{
	static const struct rp_view fixed[] = { { "capacity C, blocks", "C", RP_CELL_COUNT },
		{ "waterline theta, rounds", "theta_text", RP_CELL_TEXT },
		{ "window T*, rounds", "T_star", RP_CELL_COUNT },
		{ "misses a round: slotted TTL, K", "K_ttl", RP_CELL_COUNT },
		{ "  of the M requests, rho", "rho_ttl", RP_CELL_RATIO },
		{ "  LRU is within (Theorem 3)", "thm3_text", RP_CELL_TEXT },
		{ "  LRU, exactly", "K_lru", RP_CELL_COUNT },
		{ "  no demand policy below", "bound_text", RP_CELL_TEXT },
		{ "  Che-IRM", "K_che", RP_CELL_RATIO },
		{ "most hits a round, V(C)", "V_text", RP_CELL_TEXT },
		{ "rounds from an empty cache, H", "cold.rounds", RP_CELL_COUNT },
		{ "  misses of slotted TTL", "cold.ttl", RP_CELL_COUNT },
		{ "  of LRU", "cold.lru", RP_CELL_COUNT },
		{ "  of any demand policy, at least", "cold.bound", RP_CELL_COUNT },
		{ "moved: a gap changes by at most, e", "stability.e", RP_CELL_COUNT },
		{ "  theta then", "stability.theta_moved_text", RP_CELL_TEXT },
		{ "  theta changes by", "stability.theta_change_text", RP_CELL_TEXT },
		{ "  at most D e", "stability.theta_change_most", RP_CELL_COUNT },
		{ "  at most floor(D/2) e", "stability.theta_change_sharp", RP_CELL_COUNT },
		{ "  K of slotted TTL then", "stability.K_ttl_moved", RP_CELL_COUNT },
		{ "  K changes by", "stability.K_ttl_change", RP_CELL_COUNT },
		{ "  at most (Prop. 7)", "stability.K_ttl_change_most", RP_CELL_COUNT },
		{ "  at most, with floor(D/2)", "stability.K_ttl_change_sharp", RP_CELL_COUNT } };
	enum { FIXED = sizeof fixed / sizeof *fixed };
	struct rp_view view[FIXED + VIEWS_MOST];
	memcpy(view, fixed, sizeof fixed);
	size_t n = FIXED + sdcm_views(rows, view + FIXED, VIEWS_MOST);
	return rp_out_printf(to, err, "\n") && rp_emit_table(to, rows, view, n, true, err);
}

/* SDCM of each capacity, as many ways side by side as 80 columns hold. */
static bool
print_sdcm(struct rp_out *to, json_t *rows, struct rp_err *err)
{
	enum { ACROSS = 5 };
	struct rp_view all[VIEWS_MOST], view[1 + ACROSS] = { { "C", "C", RP_CELL_COUNT } };
	size_t n = sdcm_views(rows, all, VIEWS_MOST);
	bool ok = true;
	for (size_t i = 0; ok && i < n; i += ACROSS) {
		size_t some = n - i < ACROSS ? n - i : ACROSS;
		memcpy(view + 1, all + i, some * sizeof *all);
		ok = rp_out_printf(to, err, "\nmisses a round expected by SDCM\n") &&
		     rp_emit_table(to, rows, view, 1 + some, false, err);
	}
	return ok;
}

/* One line for each capacity. */
static bool
print_many(struct rp_out *to, json_t *rows, struct rp_err *err)
{
	static const struct rp_view law[] = { { "C", "C", RP_CELL_COUNT },
		{ "theta", "theta", RP_CELL_COUNT }, { "T*", "T_star", RP_CELL_COUNT },
		{ "K_ttl", "K_ttl", RP_CELL_COUNT }, { "Thm. 3", "thm3_text", RP_CELL_HEX },
		{ "K_lru", "K_lru", RP_CELL_COUNT }, { "bound", "bound", RP_CELL_COUNT },
		{ "K_che", "K_che", RP_CELL_COUNT } };
	static const struct rp_view cold[] = { { "C", "C", RP_CELL_COUNT },
		{ "rounds", "cold.rounds", RP_CELL_COUNT },
		{ "TTL misses", "cold.ttl", RP_CELL_COUNT },
		{ "LRU misses", "cold.lru", RP_CELL_COUNT },
		{ "at least", "cold.bound", RP_CELL_COUNT } };
	static const struct rp_view moved[] = { { "C", "C", RP_CELL_COUNT },
		{ "e", "stability.e", RP_CELL_COUNT },
		{ "theta by", "stability.theta_change", RP_CELL_COUNT },
		{ "<= D e", "stability.theta_change_most", RP_CELL_COUNT },
		{ "<= D/2 e", "stability.theta_change_sharp", RP_CELL_COUNT },
		{ "K by", "stability.K_ttl_change", RP_CELL_COUNT },
		{ "<= Prop. 7", "stability.K_ttl_change_most", RP_CELL_COUNT },
		{ "<= sharp", "stability.K_ttl_change_sharp", RP_CELL_COUNT } };
	json_t *first = json_array_get(rows, 0);
	bool ok = rp_out_printf(to, err, "\nmisses a round\n") &&
	          rp_emit_table(to, rows, law, sizeof law / sizeof *law, false, err) &&
	          print_sdcm(to, rows, err);
	if (ok && json_object_get(first, "cold"))
		ok = rp_out_printf(to, err, "\nmisses from an empty cache\n") &&
		     rp_emit_table(to, rows, cold, sizeof cold / sizeof *cold, false, err);
	if (ok && json_object_get(first, "stability"))
		ok =
		    rp_out_printf(to, err, "\nwhen the phases move: changes, and their bounds\n") &&
		    rp_emit_table(to, rows, moved, sizeof moved / sizeof *moved, false, err);
	return ok;
}

/* Array `name` of the document into member `name` of each row. */
static void
add_column(json_t *rows, json_t *doc, const char *name, const char *as)
{
	size_t i;
	json_t *v;
	json_array_foreach(json_object_get(doc, name), i, v)
	{
		if (i >= json_array_size(rows))
			json_array_append_new(rows, json_object());
		json_object_set(json_array_get(rows, i), as, v);
	}
}

static bool
print_workers(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "worker", "worker", RP_CELL_COUNT },
		{ "phase", "phase", RP_CELL_COUNT }, { "lag", "lag", RP_CELL_COUNT },
		{ "by worker", "by", RP_CELL_COUNT }, { "reuse distance", "rd", RP_CELL_COUNT },
		{ "M delta", "delta", RP_CELL_COUNT }, { "LRU", "lru", RP_CELL_TEXT } };
	json_t *rows = json_array(), *row, *missing = json_object_get(doc, "lru_miss_workers"), *v;
	size_t i;
	add_column(rows, doc, "phases", "phase");
	add_column(rows, doc, "rd", "rd");
	add_column(rows, doc, "delta_times_M", "delta");
	json_array_foreach(rows, i, row)
	{
		json_t *previous = json_array_get(json_object_get(doc, "prev_lag_worker"), i);
		json_object_set_new(row, "worker", rp_emit_count(i));
		json_object_set(row, "lag", json_array_get(previous, 0));
		json_object_set(row, "by", json_array_get(previous, 1));
		if (missing)
			json_object_set_new(row, "lru", json_string("hit"));
	}
	json_array_foreach(missing, i, v)
	{
		json_object_set_new(json_array_get(rows, (size_t)json_integer_value(v)), "lru",
		    json_string("miss"));
	}
	bool ok = rp_out_printf(to, err, "\n") &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_footprints(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "rounds t", "t", RP_CELL_COUNT },
		{ "footprint U(t)", "u", RP_CELL_COUNT } };
	json_t *rows = json_array(), *pair;
	size_t i;
	json_array_foreach(json_object_get(doc, "U"), i, pair)
	{
		json_array_append_new(rows, json_pack("{sO sO}", "t", json_array_get(pair, 0), "u",
						json_array_get(pair, 1)));
	}
	bool ok = rp_out_printf(to, err, "\n") &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

bool
model_pascal_text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *rows = capacity_rows(doc);
	size_t n = json_array_size(rows);
	bool ok = print_ring(to, doc, err);
	if (ok && json_object_get(doc, "U"))
		ok = print_footprints(to, doc, err);
	if (ok && n)
		ok = n == 1 ? print_one(to, rows, err) : print_many(to, rows, err);
	size_t workers = json_array_size(json_object_get(doc, "phases"));
	if (ok && workers && workers <= WORKERS_SHOWN)
		ok = print_workers(to, doc, err);
	json_decref(rows);
	return ok && model_warn(to, doc, err);
}
