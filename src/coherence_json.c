/* coherence_json.c - the results of `reprise coherence` as one document, which all output is printed from. */
#include "config.h"

#include "coherence.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

json_t *
coherence_counters_json(enum rp_coherence_group group, const void *counters)
{
	json_t *o = json_object();
	for (const struct rp_coherence_counter *row = rp_coherence_tables[group]; row->name; row++)
		json_object_set_new(o, row->name,
		    rp_emit_count(*(const uint64_t *)((const char *)counters + row->offset)));
	return o;
}

/* An address. One that JSON's integers cannot hold is a text. */
static json_t *
address_json(uint64_t address)
{
	return address <= INT64_MAX ? json_integer((json_int_t)address)
	                            : json_sprintf("0x%" PRIx64, address);
}

static json_t *
numbers_json(const uint32_t *x, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(x[i]));
	return list;
}

static json_t *
offsets_json(const struct rp_coherence_line *x)
{
	json_t *list = json_array();
	for (size_t i = 0; i < x->n_offsets; i++)
		json_array_append_new(list, json_pack("[Io]", (json_int_t)x->offset[i].offset,
						numbers_json(x->offset[i].caches, x->offset[i].n)));
	return list;
}

static json_t *
line_json(const struct rp_coherence_line *x)
{
	return json_pack("{so so so so so so so so so so so so so so ss ss}", "line",
	    address_json(x->address), "accesses", rp_emit_count(x->accesses), "misses",
	    rp_emit_count(x->misses), "hitm", rp_emit_count(x->hitm), "coherence",
	    rp_emit_count(x->true_sharing + x->false_sharing + x->dir), "true",
	    rp_emit_count(x->true_sharing), "false", rp_emit_count(x->false_sharing), "dir",
	    rp_emit_count(x->dir), "upgrades", rp_emit_count(x->upgrades), "inv_sent",
	    rp_emit_count(x->inv_sent), "forwards", rp_emit_count(x->forwards), "writers",
	    numbers_json(x->writers, x->n_writers), "readers",
	    numbers_json(x->readers, x->n_readers), "offsets", offsets_json(x), "offsets_verdict",
	    rp_sharing_names[x->by_offsets], "mask_verdict", rp_sharing_names[x->by_masks]);
}

static json_t *
report_json(struct rp_coherence *k, size_t top, struct rp_err *err)
{
	struct rp_coherence_report r = { 0 };
	if (!rp_coherence_report(k, top, &r, err))
		return NULL;
	json_t *lines = json_array();
	for (size_t i = 0; i < r.n; i++)
		json_array_append_new(lines, line_json(&r.line[i]));
	json_t *o =
	    json_pack("{sb sb so ss ss sb so}", "naive_flag", r.naive_flag, "coherence_bound",
		r.coherence_bound, "hot_line", r.has_hot ? address_json(r.hot_line) : json_null(),
		"offsets_verdict", rp_sharing_names[r.by_offsets], "mask_verdict",
		rp_sharing_names[r.by_masks], "directory_bound", r.directory_bound, "lines", lines);
	rp_coherence_report_free(&r);
	return o;
}

static json_t *
times_json(const struct rp_coherence_times *t)
{
	json_t *o = coherence_counters_json(RP_COHERENCE_TIMED, &t->count), *finish = json_array();
	for (size_t i = 0; i < t->n; i++)
		json_array_append_new(finish, rp_emit_count(t->finish[i]));
	json_object_set_new(o, "finish", finish);
	json_object_set_new(o, "table_verdict", json_string(t->table_verdict));
	return o;
}

/* [[address, state], ...] of a cache. */
static json_t *
copies_json(struct rp_coherence *k, size_t i, struct rp_err *err)
{
	struct rp_coherence_copy *copy = NULL;
	size_t n;
	if (!rp_coherence_copies(k, i, &copy, &n, err))
		return NULL;
	json_t *list = json_array();
	for (size_t c = 0; c < n; c++)
		json_array_append_new(
		    list, json_pack("[os]", address_json(copy[c].address), copy[c].state));
	free(copy);
	return list;
}

static json_t *
final_json(struct rp_coherence *k, size_t n, struct rp_err *err)
{
	json_t *caches = json_array(), *directory = json_array();
	struct rp_coherence_copy *entry = NULL;
	size_t entries = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++) {
		json_t *one = copies_json(k, i, err);
		ok = one && !json_array_append_new(caches, one);
	}
	ok = ok && rp_coherence_entries(k, &entry, &entries, err);
	for (size_t i = 0; ok && i < entries; i++)
		json_array_append_new(
		    directory, json_pack("[oso]", address_json(entry[i].address), entry[i].state,
				   numbers_json(entry[i].caches, entry[i].n)));
	free(entry);
	if (ok)
		return json_pack("{so so}", "caches", caches, "directory", directory);
	json_decref(caches);
	json_decref(directory);
	return NULL;
}

/* What was simulated, as complete as it can be said again. */
static json_t *
config_json(const struct rp_coherence_config *c, size_t caches)
{
	json_t *o = json_pack("{ss sI sI sI s{sI sI ss} ss}", "protocol", c->protocol->name,
	    "caches", (json_int_t)caches, "line_size", (json_int_t)c->line, "word_bytes",
	    (json_int_t)c->word_bytes, "cache", "sets", (json_int_t)c->sets, "ways",
	    (json_int_t)c->ways, "policy", c->policy->name, "clean_eviction",
	    c->silent ? "silent" : "explicit");
	json_object_set_new(o, "directory",
	    c->sparse
		? json_pack("{ss sI sI ss}", "kind", "sparse", "sets", (json_int_t)c->dir_sets,
		      "ways", (json_int_t)c->dir_ways, "policy", c->dir_fifo ? "fifo" : "lru")
		: json_pack("{ss}", "kind", "full"));
	const struct rp_coherence_timing *t = &c->timing;
	if (c->timed)
		json_object_set_new(o, "timing",
		    json_pack("{so so so so so so ss ss so so so so}", "l1", rp_emit_count(t->l1),
			"net", rp_emit_count(t->net), "home", rp_emit_count(t->home), "mem",
			rp_emit_count(t->mem), "resp", rp_emit_count(t->resp), "pending_entries",
			rp_emit_count(t->pending), "busy_policy", t->busy_nack ? "nack" : "stall",
			"full_policy", t->full_nack ? "nack" : "stall", "backoff",
			rp_emit_count(t->backoff), "backoff_mult", rp_emit_count(t->backoff_mult),
			"backoff_max", rp_emit_count(t->backoff_max), "mshrs",
			rp_emit_count(t->mshrs)));
	return o;
}

bool
coherence_add(json_t *doc, struct rp_coherence *k, size_t top, struct rp_err *err)
{
	struct rp_coherence_counters c;
	struct rp_coherence_home home;
	size_t n;
	json_t *each = json_array(), *report, *streams = json_array();
	rp_coherence_totals(k, &c);
	rp_coherence_home(k, &home);
	json_object_set_new(doc, "totals", coherence_counters_json(RP_COHERENCE_CACHE, &c));
	json_object_set_new(doc, "per_cache", each);
	json_object_set_new(doc, "streams", streams);
	json_object_set_new(doc, "home", coherence_counters_json(RP_COHERENCE_HOME, &home));
	if (!rp_coherence_caches(k, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		rp_coherence_count(k, i, &c);
		json_array_append_new(each, coherence_counters_json(RP_COHERENCE_CACHE, &c));
		json_array_append_new(streams, json_integer(rp_coherence_stream(k, i)));
	}
	if (!(report = report_json(k, top, err)))
		return false;
	return !json_object_set_new(doc, "report", report);
}

/* "totals", "per_cache", "home", "report", "timed", "final". */
static bool
add_results(struct coherence_run *run, json_t *doc, size_t n, struct rp_err *err)
{
	json_t *final;
	if (!coherence_add(doc, run->k, run->top, err))
		return false;
	if (run->times)
		json_object_set_new(doc, "timed", times_json(run->times));
	if (run->o->no_final)
		return true;
	if (!(final = final_json(run->k, n, err)))
		return false;
	json_object_set_new(doc, "final", final);
	return true;
}

static bool
add_trace(const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	json_t *trace, *warnings;
	if (run->scenario.root) {
		json_object_set_new(doc, "scenario", rp_emit_text(run->o->scenario));
		json_object_set_new(doc, "warnings", json_array());
		return true;
	}
	if (!(trace = rp_input_json(run->source->trace, &run->seen, err)))
		return false;
	json_object_set_new(trace, "interleave", rp_emit_text(run->o->in.interleave));
	json_object_set_new(doc, "trace", trace);
	if (!(warnings = rp_input_warnings(run->source->trace, err)))
		return false;
	if (run->seen.marks)
		json_array_append_new(warnings,
		    json_sprintf("%" PRIu64 " marks (ends of kernels, copies, flushes) have no "
				 "effect on coherent caches",
			run->seen.marks));
	json_object_set_new(doc, "warnings", warnings);
	return true;
}

json_t *
coherence_document(struct coherence_run *run, struct rp_err *err)
{
	size_t n;
	if (!rp_coherence_caches(run->k, &n, err))
		return NULL;
	json_t *doc = json_pack("{ss ss}", "reprise", PACKAGE_VERSION, "command", "coherence");
	if (doc && add_trace(run, doc, err)) {
		json_object_set_new(doc, "config", config_json(rp_coherence_config(run->k), n));
		json_object_set_new(doc, "warmup", rp_emit_count(run->warmup));
		if (add_results(run, doc, n, err)) {
			if (run->intervals)
				json_object_set(doc, "intervals", run->intervals);
			json_object_set_new(
			    doc, "footprint_lines", rp_emit_count(rp_coherence_footprint(run->k)));
			json_object_set_new(doc, "elapsed_s", json_real(run->elapsed));
			json_object_set_new(doc, "accesses_per_s",
			    run->elapsed > 0 ? json_real((double)run->replayed / run->elapsed)
					     : json_null());
			return doc;
		}
	}
	json_decref(doc);
	if (!err->code)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return NULL;
}
