/* profile - traces with exactly the reuse profile, or profiles, of a file. */
#include "config.h"

#include "gen/gen.h"
#include "gen/mixture.h"
#include "gen/synth.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct profile_params {
	const char *counts;
	uint64_t length;
	struct rp_synth_params synth;
};

/* What is being read: a document, and who asked. */
struct reading {
	const struct profile_params *params;
	uint64_t seed;
	struct rp_synth_stream *stream;
	size_t n, room; /* streams read, and there is room for */
};

/* The counts of `length` accesses in the proportions of c. */
static bool
scale(struct rp_counts *c, uint64_t length, struct rp_err *err)
{
	double sum = (double)rp_counts_sum(c);
	double *share = rp_mem_array(c->n, sizeof *share, err);
	struct rp_counts scaled = { 0 };
	if (!share)
		return false;
	for (size_t d = 0; d < c->n; d++)
		share[d] = c->count[d] / sum;
	bool ok = rp_counts_apportion(&scaled, share, c->n, (double)c->cold / sum, length, err);
	free(share);
	rp_counts_free(c);
	*c = scaled;
	return ok;
}

/* The profile that `peaks=2,max-rd=64,...` names. */
static bool
from_mixture(
    struct rp_synth_stream *t, const char *text, uint64_t seed, uint64_t stream, struct rp_err *err)
{
	char *copy = rp_mem_string(text, err);
	struct rp_mixture_params p;
	struct rp_mixture m;
	bool ok = copy && rp_mixture_parse(copy, &p, &seed, err) &&
	          rp_mixture_make(&m, &p, seed, stream, err);
	if (ok) {
		t->counts = m.counts;
		t->about = rp_mixture_json(&m, err);
		m.counts = (struct rp_counts){ 0 };
		rp_mixture_free(&m);
		ok = t->about != NULL;
	}
	free(copy);
	return ok;
}

/* ---- {"streams": [...]} ---- */

static bool
text_member(const json_t *o, const char *key, const char **out, struct rp_err *err)
{
	const json_t *v = json_object_get(o, key);
	*out = json_string_value(v);
	return !v || *out || rp_fail(err, RP_INPUT, "\"%s\": wanted a text", key);
}

static bool
number_member(const json_t *o, const char *key, uint64_t most, uint64_t *out, struct rp_err *err)
{
	const json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > most)
		return rp_fail(
		    err, RP_INPUT, "\"%s\": wanted a whole number from 0 to %" PRIu64, key, most);
	*out = (uint64_t)json_integer_value(v);
	return true;
}

static bool
known_members(const json_t *o, struct rp_err *err)
{
	static const char *const names[] = { "counts", "cold", "histogram", "mixture", "length",
		"layout", "prewarm", "weight", "stream", "share", "group" };
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)o, key, v)
	{
		size_t i = 0;
		while (i < sizeof names / sizeof *names && strcmp(names[i], key))
			i++;
		if (i == sizeof names / sizeof *names)
			return rp_fail(err, RP_INPUT, "no member \"%.40s\" is known", key);
	}
	return true;
}

static bool
share_of(struct rp_synth_stream *t, const json_t *o, struct rp_err *err)
{
	const char *share;
	if (!text_member(o, "share", &share, err) || !text_member(o, "group", &t->group, err))
		return false;
	if (share) {
		unsigned i = 0;
		while (rp_share_names[i] && strcmp(rp_share_names[i], share))
			i++;
		if (!rp_share_names[i])
			return rp_fail(err, RP_INPUT,
			    "\"share\": \"%.40s\" is none of none, stack, alias", share);
		t->share = i;
	} else if (t->group) {
		return rp_fail(err, RP_INPUT, "\"group\" without \"share\"");
	}
	if (share && !t->group)
		t->group = "";
	return true;
}

static bool
one_stream(struct reading *r, const json_t *o, struct rp_err *err)
{
	struct rp_synth_stream *t = r->stream + r->n;
	const char *mixture, *layout;
	uint64_t length = r->params->length, id = r->n;
	const json_t *weight = json_object_get(o, "weight");
	if (!json_is_object(o))
		return rp_fail(err, RP_INPUT, "wanted an object");
	if (!known_members(o, err) || !text_member(o, "mixture", &mixture, err) ||
	    !text_member(o, "layout", &layout, err) || !share_of(t, o, err) ||
	    !number_member(o, "length", RP_ACCESSES_MOST, &length, err) ||
	    !number_member(o, "prewarm", RP_ACCESSES_MOST, &t->prewarm, err) ||
	    !number_member(o, "stream", UINT32_MAX, &id, err))
		return false;
	if (weight && !(json_is_number(weight) && json_number_value(weight) > 0))
		return rp_fail(err, RP_INPUT, "\"weight\": wanted a number above 0");
	t->weight = json_number_value(weight);
	t->id = (uint32_t)id;
	t->has_layout = layout != NULL;
	if (layout && !rp_layout_parse(layout, &t->layout, err))
		return false;
	if (!(mixture ? from_mixture(t, mixture, r->seed, r->n, err)
		      : rp_counts_from_json(&t->counts, o, err)))
		return false;
	return !length || scale(&t->counts, length, err);
}

static bool
all_streams(struct reading *r, const json_t *list, struct rp_err *err)
{
	size_t i;
	json_t *o;
	if (!json_is_array(list) || !json_array_size(list) || json_array_size(list) > 4096)
		return rp_fail(err, RP_INPUT, "\"streams\": wanted a list of 1 to 4096");
	if (r->params->synth.streams > 1)
		return rp_fail(err, RP_USAGE, "streams=: the file says what streams there are");
	r->room = json_array_size(list);
	r->stream = rp_mem_array(r->room, sizeof *r->stream, err);
	if (!r->stream)
		return false;
	json_array_foreach(list, i, o)
	{
		if (!one_stream(r, o, err))
			return rp_err_wrap(err, "\"streams\"[%zu]", i);
		r->n++;
	}
	return true;
}

/* ---- one profile for all streams ---- */

static bool
repeated(struct reading *r, struct rp_counts *c, struct rp_err *err)
{
	r->room = r->params->synth.streams;
	r->stream = rp_mem_array(r->room, sizeof *r->stream, err);
	if (!r->stream)
		return false;
	for (; r->n < r->params->synth.streams; r->n++) {
		r->stream[r->n].id = (uint32_t)r->n;
		if (!rp_counts_copy(&r->stream[r->n].counts, c, err))
			return false;
	}
	return true;
}

static bool
from_document(struct reading *r, const json_t *doc, struct rp_err *err)
{
	struct rp_counts c = { 0 };
	const json_t *list = json_object_get(doc, "streams");
	if (!json_is_object(doc))
		return rp_fail(err, RP_INPUT,
		    "wanted an object, {\"counts\": {\"0\": 3, ...}, "
		    "\"cold\": 6}");
	if (list)
		return all_streams(r, list, err);
	bool ok = rp_counts_from_json(&c, doc, err) &&
	          (!r->params->length || scale(&c, r->params->length, err)) && repeated(r, &c, err);
	rp_counts_free(&c);
	return ok;
}

/* Opens what the document says while that is there, since texts are borrowed from it. */
static struct rp_source *
open_streams(struct reading *r, struct rp_err *err)
{
	struct rp_trace_key key = { .seed = r->seed };
	for (size_t i = 0; i < r->n; i++) {
		r->stream[i].key = key;
		r->stream[i].bare_seed = i == 0;
	}
	return rp_synth_open("profile", r->stream, r->n, &r->params->synth, &key, err);
}

static void
forget(struct reading *r)
{
	for (size_t i = 0; r->stream && i < r->room; i++) {
		rp_counts_free(&r->stream[i].counts);
		json_decref(r->stream[i].about);
	}
	free(r->stream);
}

static struct rp_source *
open_file(struct reading *r, const char *path, struct rp_err *err)
{
	bool standard = !strcmp(path, "-");
	FILE *f = standard ? stdin : fopen(path, "r");
	if (!f) {
		rp_fail_errno(err, RP_INPUT, "%s", path);
		return NULL;
	}
	json_error_t at;
	errno = 0;
	json_t *doc = json_loadf(f, JSON_REJECT_DUPLICATES, &at);
	bool no_memory =
	    errno == ENOMEM; /* which jansson's own errors do not tell, if it makes any */
	if (!standard)
		fclose(f);
	struct rp_source *s = NULL;
	if (no_memory)
		rp_fail(err, RP_RESOURCE, "%s: out of memory", path);
	else if (!doc)
		rp_fail(err, RP_INPUT, "%s:%d: %s: wanted a reuse profile as JSON", path, at.line,
		    at.text);
	else if (!from_document(r, doc, err))
		rp_err_wrap(err, "%s", path);
	else
		s = open_streams(r, err);
	json_decref(doc);
	return s;
}

static struct rp_source *
open_mixture(struct reading *r, const char *text, struct rp_err *err)
{
	size_t n = r->params->synth.streams;
	if (*text && *text != ',') {
		rp_fail(
		    err, RP_USAGE, "'gen:mixture%.40s': wanted gen:mixture,key=value,...", text);
		return NULL;
	}
	r->room = n;
	r->stream = rp_mem_array(n, sizeof *r->stream, err);
	for (; r->stream && r->n < n; r->n++) {
		struct rp_synth_stream *t = r->stream + r->n;
		t->id = (uint32_t)r->n;
		if (!from_mixture(t, *text ? text + 1 : "", r->seed, r->n, err) ||
		    (r->params->length && !scale(&t->counts, r->params->length, err))) {
			rp_err_wrap(err, "gen:mixture");
			return NULL;
		}
	}
	return r->stream ? open_streams(r, err) : NULL;
}

static struct rp_source *
profile_open(const void *params, uint64_t seed, struct rp_err *err)
{
	static const char mixture[] = "gen:mixture", any[] = "gen:";
	const struct profile_params *p = params;
	struct reading r = { .params = p, .seed = seed };
	struct rp_source *s;
	if (!p->counts) {
		rp_fail(err, RP_USAGE, "wanted a profile: a FILE, or gen:mixture,...");
		return NULL;
	}
	if (!strncmp(p->counts, any, sizeof any - 1) &&
	    strncmp(p->counts, mixture, sizeof mixture - 1)) {
		rp_fail(err, RP_USAGE, "%.60s: wanted gen:mixture,... or a file", p->counts);
		return NULL;
	}
	if (!strncmp(p->counts, mixture, sizeof mixture - 1))
		s = open_mixture(&r, p->counts + sizeof mixture - 1, err);
	else
		s = open_file(&r, p->counts + (*p->counts == '@'), err);
	forget(&r);
	return s;
}

static const struct rp_opt opts[] = {
	{ "counts", 0, "@FILE", RP_OPT_TEXT, offsetof(struct profile_params, counts), NULL,
	    "the profile: {\"counts\": {\"0\": 3, ...}, \"cold\": 6}, or what `profile --json` "
	    "prints, or a list of streams; or gen:mixture,..." },
	{ "length", 0, "N", RP_OPT_U64, offsetof(struct profile_params, length), "0",
	    "scale the counts to N accesses of each stream; 0: as they are", 0, RP_ACCESSES_MOST },
	RP_SYNTH_ROWS(struct profile_params),
	{ 0 },
};

const struct rp_generator rp_generator_profile = {
	.name = "profile",
	.what = "accesses with exactly the reuse distances of a profile",
	.source = "stack synthesis without replacement, after M. Cho, E.-Y. Chung, MLCRP, IEEE "
		  "Access, 2025",
	.opts = opts,
	.operand = "counts",
	.params_bytes = sizeof(struct profile_params),
	.open = profile_open,
};
