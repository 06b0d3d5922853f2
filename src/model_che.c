/* model_che.c - `reprise model che`: misses of independent requests, all blocks being equally likely. */
#include "config.h"

#include "model.h"
#include "model_profile.h"

#include "validate/sdcm.h"

#include <math.h>
#include <stdlib.h>

struct che_opts {
	struct model_out out;
	const char *capacity;
	uint64_t blocks;
	uint32_t workers;
};

struct question {
	uint64_t blocks;
	uint32_t workers; /* 0: not told */
	struct model_numbers capacity;
	struct model_profile profile; /* no bins and no lookups: none */
	const char *path;             /* NULL: no profile */
};

/* The time t with N (1 - exp(-t / N)) = C, in requests; null for C >= N. */
static json_t *
characteristic_time(uint64_t blocks, uint64_t capacity)
{
	double n = (double)blocks;
	return capacity < blocks ? json_real(-n * log1p(-(double)capacity / n)) : json_null();
}

static json_t *
row_json(const struct question *q, uint64_t capacity)
{
	struct rp_fraction miss = rp_che_miss(q->blocks, capacity);
	double ratio = rp_fraction_double(miss);
	json_t *row = json_pack("{so so so so}", "C", rp_emit_count(capacity),
	    "characteristic_time", characteristic_time(q->blocks, capacity), "miss",
	    model_fraction(miss), "miss_ratio", json_real(ratio));
	if (q->workers)
		json_object_set_new(row, "K_che", json_real(q->workers * ratio));
	if (q->path && q->profile.lookups > 0) {
		double all = q->profile.lookups;
		json_object_set_new(row, "misses", json_real(all * ratio));
		json_object_set_new(row, "lru_miss_ratio",
		    json_real(model_profile_lru(&q->profile, capacity) / all));
	}
	return row;
}

static json_t *
document(const struct question *q)
{
	json_t *doc = model_document("che"), *rows = json_array();
	if (q->path)
		json_object_set_new(doc, "profile", rp_emit_text(q->path));
	json_object_set_new(doc, "N", rp_emit_count(q->blocks));
	if (q->workers)
		json_object_set_new(doc, "M", rp_emit_count(q->workers));
	for (size_t i = 0; i < q->capacity.n; i++)
		json_array_append_new(rows, row_json(q, q->capacity.x[i]));
	json_object_set_new(doc, "capacities", rows);
	return doc;
}

static bool
csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "C", "C", RP_CELL_COUNT },
		{ "characteristic_time", "characteristic_time", RP_CELL_RATIO },
		{ "miss_ratio", "miss_ratio", RP_CELL_RATIO }, { "K_che", "K_che", RP_CELL_RATIO },
		{ "misses", "misses", RP_CELL_RATIO },
		{ "lru_miss_ratio", "lru_miss_ratio", RP_CELL_RATIO } };
	return rp_emit_csv(
	    to, json_object_get(doc, "capacities"), view, sizeof view / sizeof *view, false, err);
}

static bool
text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "capacity C", "C", RP_CELL_COUNT },
		{ "time", "characteristic_time", RP_CELL_COUNT },
		{ "miss ratio", "miss_ratio", RP_CELL_RATIO },
		{ "K, misses a round", "K_che", RP_CELL_RATIO },
		{ "misses", "misses", RP_CELL_COUNT },
		{ "of full LRU", "lru_miss_ratio", RP_CELL_RATIO } };
	char n[32];
	rp_print_count(n, (uint64_t)json_integer_value(json_object_get(doc, "N")));
	return rp_out_printf(to, err, "%s blocks, equally likely\n\n", n) &&
	       rp_emit_table(to, json_object_get(doc, "capacities"), view,
		   sizeof view / sizeof *view, false, err);
}

static bool
ask(struct question *q, const struct che_opts *o, int n, char **argv, struct rp_err *err)
{
	if (!o->capacity)
		return rp_fail(err, RP_USAGE, "wanted --capacity LIST");
	if (!n == !o->blocks)
		return rp_fail(err, RP_USAGE,
		    "wanted --blocks N, or a PROFILE of 'reprise profile --json'%s",
		    n ? ", not both" : "");
	q->workers = o->workers;
	q->blocks = o->blocks;
	if (!model_numbers("--capacity", o->capacity, 1, &q->capacity, err))
		return false;
	if (!n)
		return true;
	q->path = argv[0];
	if (!model_profile_read(&q->profile, argv[0], err))
		return false;
	q->blocks = q->profile.footprint;
	return q->blocks ||
	       rp_fail(err, RP_INPUT, "%s: wanted \"footprint_lines\", at least 1", argv[0]);
}

static bool
run_che(void *opts, int n, char **argv, struct rp_err *err)
{
	const struct che_opts *o = opts;
	struct question q = { 0 };
	bool ok = model_takes(&o->out, n, argv, 1, err) && ask(&q, o, n, argv, err);
	rp_emit_begin();
	ok = ok && model_print(&o->out, document(&q), text, csv, err);
	free(q.capacity.x);
	model_profile_free(&q.profile);
	return ok;
}

#define OPT(field) offsetof(struct che_opts, field)
static const struct rp_opt opts[] = {
	{ "blocks", 0, "N", RP_OPT_U64, OPT(blocks), NULL,
	    "blocks, all equally likely; of a profile, its distinct lines", 1, UINT64_C(1) << 62 },
	{ "capacity", 'C', "LIST", RP_OPT_TEXT, OPT(capacity), NULL,
	    "capacities in blocks: 6, 4,8 or 1..1000:+1" },
	{ "workers", 0, "M", RP_OPT_U32, OPT(workers), NULL,
	    "print K, the misses of so many requests, too", 1, UINT32_MAX },
	MODEL_OUT_ROWS(struct che_opts),
	{ 0 },
};

const struct rp_command rp_command_model_che = {
	.name = "che",
	.what = "misses of independent, equally likely requests (Che)",
	.operands = "[PROFILE]",
	.example = "reprise model che --blocks 8192 --workers 48 --capacity 1280,2560,5120",
	.opts = opts,
	.bytes = sizeof(struct che_opts),
	.run = run_che,
};
