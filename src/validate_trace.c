/* validate_trace.c - a recorded scan, against the closed forms of what it turns out to be.
 *
 * A static scan is row for row what gen scan makes of its phases, which reading it shows: so that is replayed. One too short to
 * warm a cache, and one whose workers do not keep step, are histories. */
#include "config.h"

#include "validate_trace.h"
#include "input.h"

#include "base/mem.h"
#include "base/parse.h"
#include "validate/history.h"
#include "validate/recorded.h"

#include <inttypes.h>
#include <stdio.h>

/* What a trace is opened with: the usual values of all options. */
struct usual {
	struct rp_input_opts in;
};

static const struct rp_opt usual_rows[] = { RP_INPUT_ROWS(struct usual), { 0 } };

static struct rp_source *
open_trace(const char *path, struct rp_err *err)
{
	struct usual o = { 0 };
	char *trace[] = { (char *)(uintptr_t)path };
	struct rp_source *s = NULL;
	if (rp_opts_default(usual_rows, &o, err))
		s = rp_input_open(&o.in, 1, trace, false, NULL, err);
	rp_opts_free(usual_rows, &o);
	return s;
}

static json_t *
phases_json(const struct rp_recorded *r)
{
	json_t *list = json_array();
	for (uint32_t m = 0; m < r->workers; m++)
		json_array_append_new(list, rp_emit_count(r->phase[m]));
	return list;
}

static json_t *
trace_json(const char *path, const struct rp_recorded *r, bool told)
{
	json_t *t = json_pack("{so ss so so so so so}", "trace", rp_emit_text(path), "kind",
	    r->is_static ? "static" : "history", "N", rp_emit_count(r->blocks), "M",
	    rp_emit_count(r->workers), "block", rp_emit_count(r->step * r->lines), "line",
	    rp_emit_count(r->step), "requests", rp_emit_count(r->requests));
	if (r->is_static)
		json_object_set_new(t, "rounds", rp_emit_count(r->rounds));
	json_object_set_new(t, "phases", phases_json(r));
	if (!r->wraps && !told)
		json_object_set_new(t, "note",
		    json_string("no worker begins anew: there may be more blocks (--blocks)"));
	return t;
}

/* The requests of a static scan, in the order of a history. */
static bool
list_rounds(struct rp_recorded *r, struct rp_err *err)
{
	if (r->worker)
		return true;
	r->worker = rp_mem_array(r->requests, sizeof *r->worker, err);
	for (uint64_t u = 0; r->worker && u < r->requests; u++)
		r->worker[u] = (uint32_t)(u % r->workers);
	return r->worker;
}

static bool
check_history(struct validate_results *r, const char *path, struct rp_recorded *x,
    const char *capacities, struct rp_err *err)
{
	uint64_t *list = NULL, sigma;
	size_t n = 0;
	if (!list_rounds(x, err))
		return false;
	const struct rp_history h = { .blocks = x->blocks,
		.workers = x->workers,
		.phase = x->phase,
		.worker = x->worker,
		.events = x->requests };
	bool ok = rp_history_spread(&h, &sigma, err);
	json_object_set_new(r->trace, "sigma", rp_emit_count(ok ? sigma : 0));
	if (ok && capacities) {
		ok = rp_parse_list(capacities, false, &list, &n, err) ||
		     rp_err_wrap(err, "--capacity");
	} else if (ok) {
		const uint64_t at[] = { 1, x->workers, 2 * sigma > 2 ? 2 * sigma - 2 : 1,
			2 * sigma > 1 ? 2 * sigma - 1 : 1, x->blocks / 2 + 1, x->blocks };
		n = sizeof at / sizeof *at;
		list = rp_mem_array(n, sizeof *list, err);
		ok = list;
		for (size_t i = 0; ok && i < n; i++)
			list[i] = at[i];
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = list[i] || rp_fail(err, RP_USAGE, "--capacity: 0: wanted at least a block");
	ok = ok && rp_suite_recorded(&r->suite, &h, path, list, n, err);
	free(list);
	return ok;
}

bool
validate_trace(struct validate_results *r, const char *path, uint32_t block, uint64_t blocks,
    const char *capacities, struct rp_err *err)
{
	struct rp_recorded x = { 0 };
	struct rp_source *s = open_trace(path, err);
	bool ok = s && (rp_recorded_read(&x, s, block, err) || rp_err_wrap(err, "%s", path));
	rp_source_close(s);
	if (!ok)
		return false;
	if (blocks && blocks != x.blocks) {
		if (x.wraps || blocks < x.blocks) {
			ok = rp_fail(err, RP_INPUT, "%s: %" PRIu64 " blocks, not %" PRIu64, path,
			    x.blocks, blocks);
			rp_recorded_free(&x);
			return ok;
		}
		x.blocks = blocks;
	}
	r->trace = trace_json(path, &x, blocks > 0);
	const struct rp_lab_scan scan = { x.phase, x.workers, x.blocks, x.rounds,
		r->suite.how.lab.line };
	ok = x.is_static && x.rounds > x.blocks ? validate_scan(r, &scan, capacities, err)
	                                        : check_history(r, path, &x, capacities, err);
	rp_recorded_free(&x);
	return ok;
}
