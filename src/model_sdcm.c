/* model_sdcm.c - `reprise model sdcm`: hit probabilities of set-associative caches from reuse distances. */
#include "config.h"

#include "model.h"
#include "model_profile.h"

#include "base/parse.h"
#include "validate/sdcm.h"

#include <stdlib.h>

struct sdcm_opts {
	struct model_out out;
	const char *ways, *capacity, *distance;
};

/* What to evaluate: each of the ways with each number of lines. */
struct grid {
	struct model_numbers ways, lines, distance;
	struct model_profile profile;
};

/* Distances by themselves: the probability of a hit at each. */
static json_t *
points_json(const struct grid *g)
{
	json_t *list = json_array();
	for (size_t a = 0; a < g->ways.n; a++)
		for (size_t b = 0; b < g->lines.n; b++)
			for (size_t r = 0; r < g->distance.n; r++) {
				uint64_t ways = g->ways.x[a], lines = g->lines.x[b],
					 rd = g->distance.x[r];
				bool is = ways <= lines;
				json_array_append_new(list,
				    json_pack("{so so so so so}", "A", rp_emit_count(ways), "B",
					rp_emit_count(lines), "R", rp_emit_count(rd), "p_hit",
					is ? json_real(rp_sdcm_hit(rd, ways, lines)) : json_null(),
					"p_hit_ppt",
					is ? json_real(rp_ppt_hit(rd, ways, lines)) : json_null()));
			}
	return list;
}

/* A profile: expected misses. */
static json_t *
results_json(const struct grid *g)
{
	json_t *list = json_array();
	for (size_t a = 0; a < g->ways.n; a++)
		for (size_t b = 0; b < g->lines.n; b++) {
			uint64_t ways = g->ways.x[a], lines = g->lines.x[b];
			double all = g->profile.lookups,
			       misses =
				   ways <= lines ? model_profile_sdcm(&g->profile, ways, lines) : 0;
			bool is = ways <= lines;
			json_array_append_new(list,
			    json_pack("{so so so so so}", "A", rp_emit_count(ways), "B",
				rp_emit_count(lines), "misses",
				is ? json_real(misses) : json_null(), "miss_ratio",
				is && all > 0 ? json_real(misses / all) : json_null(),
				"lru_miss_ratio",
				all > 0 ? json_real(model_profile_lru(&g->profile, lines) / all)
					: json_null()));
		}
	return list;
}

static json_t *
document(const struct grid *g, const char *path)
{
	json_t *doc = model_document("sdcm");
	if (path) {
		json_object_set_new(doc, "profile", rp_emit_text(path));
		json_object_set_new(doc, "lookups", model_count(g->profile.lookups));
		json_object_set_new(doc, "cold", model_count(g->profile.cold));
		json_object_set_new(doc, "results", results_json(g));
	} else
		json_object_set_new(doc, "points", points_json(g));
	return doc;
}

static const struct rp_view point_view[] = { { "A", "A", RP_CELL_COUNT },
	{ "B", "B", RP_CELL_COUNT }, { "R", "R", RP_CELL_COUNT },
	{ "p_hit", "p_hit", RP_CELL_RATIO }, { "p_hit_ppt", "p_hit_ppt", RP_CELL_RATIO } };
static const struct rp_view result_view[] = { { "A", "A", RP_CELL_COUNT },
	{ "B", "B", RP_CELL_COUNT }, { "misses", "misses", RP_CELL_COUNT },
	{ "miss_ratio", "miss_ratio", RP_CELL_RATIO },
	{ "lru_miss_ratio", "lru_miss_ratio", RP_CELL_RATIO } };

static bool
csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *points = json_object_get(doc, "points");
	return rp_emit_csv(to, points ? points : json_object_get(doc, "results"),
	    points ? point_view : result_view, 5, false, err);
}

static bool
text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view points[] = { { "ways A", "A", RP_CELL_COUNT },
		{ "lines B", "B", RP_CELL_COUNT }, { "distance R", "R", RP_CELL_COUNT },
		{ "P(hit)", "p_hit", RP_CELL_RATIO }, { "PPT's map", "p_hit_ppt", RP_CELL_RATIO } };
	static const struct rp_view results[] = { { "ways A", "A", RP_CELL_COUNT },
		{ "lines B", "B", RP_CELL_COUNT }, { "misses expected", "misses", RP_CELL_COUNT },
		{ "miss ratio", "miss_ratio", RP_CELL_RATIO },
		{ "of full LRU", "lru_miss_ratio", RP_CELL_RATIO } };
	json_t *list = json_object_get(doc, "points");
	return rp_emit_table(to, list ? list : json_object_get(doc, "results"),
	    list ? points : results, 5, false, err);
}

static bool
ask(struct grid *g, const struct sdcm_opts *o, int n, char **argv, struct rp_err *err)
{
	if (!o->ways || !o->capacity)
		return rp_fail(err, RP_USAGE, "wanted --ways LIST and --capacity LIST");
	if (!n == !o->distance)
		return rp_fail(err, RP_USAGE,
		    "wanted a PROFILE of 'reprise profile --json', or --distance LIST%s",
		    n ? ", not both" : "");
	return model_numbers("--ways", o->ways, 1, &g->ways, err) &&
	       model_numbers("--capacity", o->capacity, 1, &g->lines, err) &&
	       model_numbers("--distance", o->distance, 0, &g->distance, err) &&
	       (!n || model_profile_read(&g->profile, argv[0], err));
}

static bool
run_sdcm(void *opts, int n, char **argv, struct rp_err *err)
{
	const struct sdcm_opts *o = opts;
	struct grid g = { 0 };
	bool ok = model_takes(&o->out, n, argv, 1, err) && ask(&g, o, n, argv, err);
	rp_emit_begin();
	ok = ok && model_print(&o->out, document(&g, n ? argv[0] : NULL), text, csv, err);
	free(g.ways.x);
	free(g.lines.x);
	free(g.distance.x);
	model_profile_free(&g.profile);
	return ok;
}

#define OPT(field) offsetof(struct sdcm_opts, field)
static const struct rp_opt opts[] = {
	{ "ways", 0, "LIST", RP_OPT_TEXT, OPT(ways), NULL, "ways of a set, A: 1,4 or 1..16" },
	{ "capacity", 'C', "LIST", RP_OPT_TEXT, OPT(capacity), NULL, "lines of the cache, B" },
	{ "distance", 0, "LIST", RP_OPT_TEXT, OPT(distance), NULL,
	    "reuse distances in lines, R, in place of a profile" },
	MODEL_OUT_ROWS(struct sdcm_opts),
	{ 0 },
};

const struct rp_command rp_command_model_sdcm = {
	.name = "sdcm",
	.what = "hits of set-associative caches expected from reuse distances",
	.operands = "[PROFILE]",
	.example = "reprise model sdcm --ways 1,4,16 --capacity 1280 --distance 640,1280",
	.opts = opts,
	.bytes = sizeof(struct sdcm_opts),
	.run = run_sdcm,
};
