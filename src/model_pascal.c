/* model_pascal.c - `reprise model pascal`: what a scan with fixed phases misses, in closed form. */
#include "config.h"

#include "model.h"
#include "model_pascal.h"

#include "gen/phases.h"
#include "validate/margin.h"
#include "validate/pascal.h"
#include "validate/sdcm.h"

#include <inttypes.h>
#include <stdio.h>

/* Above so many workers reuse distances only with --exact; above so many values lists only with --lists. */
enum { EXACT_MOST = 2048, LIST_MOST = 65536 };

struct pascal_opts {
	struct model_out out;
	struct rp_phases_params start;
	const char *capacity, *at, *ways, *moved;
	uint64_t blocks, rounds, gap, seed;
	bool exact, lists;
};

/* What is asked, and the law of the phases. */
struct question {
	const struct pascal_opts *o;
	struct model_numbers capacity, at, ways;
	struct rp_pascal *law, *moved; /* moved: NULL if not asked */
	bool left_out;                 /* a list was too long */
};

static struct rp_pascal *
law_of(const struct rp_phases_params *start, uint64_t blocks, uint64_t seed, struct rp_err *err)
{
	struct rp_phases f;
	if (!rp_phases_make(start, blocks, seed, &f, err))
		return NULL;
	struct rp_pascal *p = rp_pascal_new(f.phase, f.workers, blocks, err);
	free(f.phase);
	return p;
}

static bool
ask(struct question *q, const struct pascal_opts *o, struct rp_err *err)
{
	*q = (struct question){ .o = o };
	if (!o->blocks)
		return rp_fail(err, RP_USAGE, "wanted --blocks N, the size of the ring");
	if (!o->capacity && (o->ways || o->rounds || o->moved))
		return rp_fail(err, RP_USAGE, "--ways, --rounds and --moved need --capacity LIST");
	if (!model_numbers("--capacity", o->capacity, 1, &q->capacity, err) ||
	    !model_numbers("--at", o->at, 0, &q->at, err) ||
	    !model_numbers("--ways", o->ways, 1, &q->ways, err))
		return false;
	q->law = law_of(&o->start, o->blocks, o->seed, err);
	if (!q->law)
		return false;
	struct rp_phases_params moved = { o->moved, q->law->workers, o->start.wrap };
	q->moved = o->moved ? law_of(&moved, o->blocks, o->seed + 1, err) : NULL;
	if (o->moved && !q->moved)
		return rp_err_wrap(err, "--moved");
	if (o->rounds > INT64_MAX / q->law->workers)
		return rp_fail(err, RP_USAGE,
		    "--rounds: %" PRIu64 " rounds of %" PRIu32
		    " workers are more than 2^63 requests",
		    o->rounds, q->law->workers);
	if (q->law->workers <= EXACT_MOST || o->exact)
		return rp_pascal_distances(q->law, err) &&
		       (!o->rounds || rp_pascal_horizon(q->law, o->rounds, err));
	return true;
}

static void
forget(struct question *q)
{
	free(q->capacity.x);
	free(q->at.x);
	free(q->ways.x);
	rp_pascal_free(q->law);
	rp_pascal_free(q->moved);
}

/* A list, unless it is too long to be printed unasked. */
static void
add_list(struct question *q, json_t *to, const char *name, const uint64_t *x, size_t n)
{
	if (n <= LIST_MOST || q->o->lists)
		json_object_set_new(to, name, model_list(x, n));
	else
		q->left_out = true;
}

static void
add_footprints(const struct question *q, json_t *doc)
{
	json_t *list = json_array();
	for (size_t i = 0; i < q->at.n; i++)
		json_array_append_new(
		    list, json_pack("[oo]", rp_emit_count(q->at.x[i]),
			      rp_emit_count(rp_pascal_footprint(q->law, q->at.x[i]))));
	json_object_set_new(doc, "U", list);
}

static void
add_previous(struct question *q, json_t *doc)
{
	const struct rp_pascal *p = q->law;
	if (p->workers > LIST_MOST && !q->o->lists) {
		q->left_out = true;
		return;
	}
	json_t *list = json_array();
	for (uint32_t m = 0; m < p->workers; m++)
		json_array_append_new(list, json_pack("[oo]", rp_emit_count(p->previous[m].lag),
						rp_emit_count(p->previous[m].worker)));
	json_object_set_new(doc, "prev_lag_worker", list);
}

/* What does not depend on a capacity. */
static json_t *
ring_json(struct question *q)
{
	const struct rp_pascal *p = q->law;
	char clusters[48];
	json_t *doc = model_document("pascal");
	snprintf(clusters, sizeof clusters, "clusters_gap%" PRIu64, q->o->gap);
	json_object_set_new(doc, "N", rp_emit_count(p->blocks));
	json_object_set_new(doc, "M", rp_emit_count(p->workers));
	json_object_set_new(doc, "distinct", rp_emit_count(p->distinct));
	json_object_set_new(doc, clusters, rp_emit_count(rp_pascal_clusters(p, q->o->gap)));
	add_list(q, doc, "phases", p->phase, p->workers);
	add_list(q, doc, "gaps", p->gap, p->distinct);
	add_list(q, doc, "sorted_gaps", p->sorted, p->distinct);
	if (q->at.n)
		add_footprints(q, doc);
	add_previous(q, doc);
	if (p->rd)
		add_list(q, doc, "rd", p->rd, p->workers);
	add_list(q, doc, "delta_times_M", p->delta, p->workers);
	return doc;
}

static json_t *
certificate_json(const struct rp_pascal *p, uint64_t capacity)
{
	struct rp_pascal_certificate c;
	if (!rp_pascal_certificate(p, capacity, &c))
		return json_null();
	return json_pack("{so so so}", "lo", rp_emit_count(c.lo), "hi", rp_emit_count(c.hi),
	    "lo_sharp", rp_emit_count(c.lo_sharp));
}

static void
add_lru(struct question *q, uint64_t capacity, json_t *row)
{
	const struct rp_pascal *p = q->law;
	char name[48];
	json_object_set_new(row, "K_lru", rp_emit_count(rp_pascal_lru(p, capacity)));
	for (size_t i = 0; i < q->ways.n; i++) {
		uint64_t ways = q->ways.x[i];
		snprintf(name, sizeof name, "K_sdcm_A%" PRIu64, ways);
		json_object_set_new(row, name,
		    ways <= capacity ? json_real(rp_pascal_sdcm(p, ways, capacity)) : json_null());
	}
	if (q->capacity.n > LIST_MOST / p->workers && q->capacity.n > 1 && !q->o->lists) {
		q->left_out = true;
		return;
	}
	json_t *missing = json_array();
	for (uint32_t m = 0; m < p->workers; m++)
		if (p->rd[m] >= capacity)
			json_array_append_new(missing, rp_emit_count(m));
	json_object_set_new(row, "lru_miss_workers", missing);
}

static json_t *
cold_json(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	json_t *cold = json_pack("{so so}", "rounds", rp_emit_count(rounds), "ttl",
	    rp_emit_count(rp_pascal_cold_ttl(p, capacity, rounds)));
	if (p->rd)
		json_object_set_new(cold, "lru", rp_emit_count(rp_pascal_cold_lru(p, capacity)));
	json_object_set_new(
	    cold, "bound", rp_emit_count(rp_pascal_cold_bound(p, capacity, rounds)));
	return cold;
}

/* NULL with *err filled: the two vectors of phases have no common proposition. */
static json_t *
stability_json(const struct question *q, uint64_t capacity, struct rp_err *err)
{
	struct rp_margin m;
	if (capacity >= q->law->blocks)
		return json_null();
	if (!rp_pascal_margin(q->law, q->moved, capacity, &m, err))
		return NULL;
	return json_pack("{so so so so so so so so so}", "e", rp_emit_count(m.e), "theta_moved",
	    model_fraction(m.other), "theta_change", model_fraction(m.moved), "theta_change_most",
	    rp_emit_count(m.moved_most), "theta_change_sharp", rp_emit_count(m.moved_sharp),
	    "K_ttl_moved", rp_emit_count(m.other_misses), "K_ttl_change",
	    rp_emit_count(
		m.misses > m.other_misses ? m.misses - m.other_misses : m.other_misses - m.misses),
	    "K_ttl_change_most", rp_emit_count(m.change_most), "K_ttl_change_sharp",
	    rp_emit_count(m.change_sharp));
}

/* Adds what depends on the capacity to `row`. */
static bool
add_capacity(struct question *q, uint64_t capacity, json_t *row, struct rp_err *err)
{
	const struct rp_pascal *p = q->law;
	struct rp_waterline w;
	bool has = rp_pascal_waterline(p, capacity, &w);
	struct rp_fraction bound = rp_pascal_bound(p, capacity);
	uint32_t ttl = rp_pascal_ttl(p, capacity);
	json_object_set_new(row, "C", rp_emit_count(capacity));
	json_object_set_new(row, "theta", has ? model_fraction(w.theta) : json_null());
	json_object_set_new(row, "T_star", has ? rp_emit_count(w.window) : json_null());
	json_object_set_new(row, "K_ttl", rp_emit_count(ttl));
	json_object_set_new(row, "rho_ttl", rp_emit_ratio(ttl, p->workers));
	json_object_set_new(row, "thm3", certificate_json(p, capacity));
	if (p->rd)
		add_lru(q, capacity, row);
	json_object_set_new(row, "K_che",
	    json_real(p->workers * rp_fraction_double(rp_che_miss(p->blocks, capacity))));
	json_object_set_new(row, "V", model_fraction(rp_pascal_hits_most(p, capacity)));
	json_object_set_new(row, "bound", model_fraction(bound));
	json_object_set_new(row, "bound_float", json_real(rp_fraction_double(bound)));
	if (q->o->rounds)
		json_object_set_new(row, "cold", cold_json(p, capacity, q->o->rounds));
	json_t *stability = q->moved ? stability_json(q, capacity, err) : NULL;
	if (stability)
		json_object_set_new(row, "stability", stability);
	return stability || !q->moved;
}

static json_t *
warnings_json(const struct question *q)
{
	json_t *list = json_array();
	if (!q->law->rd)
		json_array_append_new(list,
		    json_sprintf("reuse distances, and so LRU and SDCM, of more than %d workers "
				 "only with --exact",
			EXACT_MOST));
	if (q->left_out)
		json_array_append_new(list,
		    json_sprintf("lists of more than %d values only with --lists", LIST_MOST));
	return list;
}

static json_t *
document(struct question *q, struct rp_err *err)
{
	json_t *doc = ring_json(q), *all = q->capacity.n > 1 ? json_array() : NULL;
	bool ok = true;
	for (size_t i = 0; ok && i < q->capacity.n; i++) {
		json_t *row = all ? json_object() : doc;
		ok = add_capacity(q, q->capacity.x[i], row, err);
		if (all)
			json_array_append_new(all, row);
	}
	if (all)
		json_object_set_new(doc, "capacities", all);
	json_object_set_new(doc, "warnings", warnings_json(q));
	if (ok)
		return doc;
	json_decref(doc);
	return NULL;
}

static bool
run_pascal(void *opts, int n, char **argv, struct rp_err *err)
{
	const struct pascal_opts *o = opts;
	struct question q = { 0 };
	bool ok = model_takes(&o->out, n, argv, 0, err) && ask(&q, o, err);
	rp_emit_begin();
	ok =
	    ok && model_print(&o->out, document(&q, err), model_pascal_text, model_pascal_csv, err);
	forget(&q);
	return ok;
}

#define OPT(field) offsetof(struct pascal_opts, field)
static const struct rp_opt opts[] = {
	{ "blocks", 0, "N", RP_OPT_U64, OPT(blocks), NULL, "blocks of the ring that is scanned", 1,
	    UINT64_C(1) << 62 },
	RP_PHASES_ROWS(struct pascal_opts),
	{ "capacity", 'C', "LIST", RP_OPT_TEXT, OPT(capacity), NULL,
	    "capacities in blocks: 6, 4,8 or 1..1000:+1" },
	{ "at", 0, "LIST", RP_OPT_TEXT, OPT(at), NULL,
	    "print the footprint U(t) of t rounds, for each t of the list" },
	{ "ways", 0, "LIST", RP_OPT_TEXT, OPT(ways), NULL,
	    "print what SDCM expects of caches of so many ways" },
	{ "rounds", 0, "H", RP_OPT_U64, OPT(rounds), NULL,
	    "print the misses of the first H rounds from an empty cache" },
	{ "moved", 0, "LIST", RP_OPT_TEXT, OPT(moved), NULL,
	    "phases to move to: print how far theta and K can change (Prop. 7)" },
	{ "gap", 0, "BLOCKS", RP_OPT_U64, OPT(gap), "32", "longest gap within a phase cluster" },
	{ "exact", 0, NULL, RP_OPT_FLAG, OPT(exact), NULL,
	    "reuse distances of more than 2048 workers too" },
	{ "lists", 0, NULL, RP_OPT_FLAG, OPT(lists), NULL,
	    "print lists of workers and gaps however long they are" },
	{ "seed", 0, "S", RP_OPT_U64, OPT(seed), "1",
	    "of random phases; those of --moved have S + 1" },
	MODEL_OUT_ROWS(struct pascal_opts),
	{ 0 },
};

const struct rp_command rp_command_model_pascal = {
	.name = "pascal",
	.what = "misses of parallel scans with fixed phases (PASCAL)",
	.example = "reprise model pascal --blocks 12 --capacity 6 --phases 0,1,5",
	.opts = opts,
	.bytes = sizeof(struct pascal_opts),
	.run = run_pascal,
};
