/* rpz_meta.c - what is known of a trace as the JSON of a metadata chunk, and back. */
#include "config.h"

#include "traces/format/rpz_meta.h"
#include "traces/format/rpz_index.h"
#include "base/emit.h"

#include <errno.h>
#include <string.h>

static bool
add_json(uint32_t magic, json_t *o, struct rp_buf *out, struct rp_err *err)
{
	rp_emit_begin();
	char *text = json_dumps(o, JSON_COMPACT); /* may be cut short where memory was */
	bool whole = text && rp_emit_whole(o, err);
	json_decref(o);
	if (!whole) {
		free(text);
		return rp_fail(err, RP_RESOURCE, "out of memory: metadata");
	}
	bool ok = rp_rpz_chunk_add(magic, 0, text, strlen(text), out, err);
	free(text);
	return ok;
}

bool
rp_rpz_meta_add(const struct rp_trace *t, struct rp_buf *out, struct rp_err *err)
{
	rp_emit_begin();
	json_t *o = rp_trace_json(t, err), *sources = json_array();
	bool ok = o && sources;
	for (size_t i = 0; ok && i < t->n_sources; i++) {
		/* A file name need not be UTF-8; one that is not has no place in JSON. */
		json_t *name = json_string(t->sources[i]);
		ok = !json_array_append_new(sources, name ? name : json_string("?"));
	}
	ok = ok && !json_object_set(o, "sources", sources) &&
	     !json_object_set_new(o, "reprise", json_string(PACKAGE_VERSION));
	json_decref(sources);
	if (ok && rp_emit_whole(o, err))
		return add_json(RP_RPZ_META, o, out, err);
	json_decref(o);
	return rp_fail(err, RP_RESOURCE, "out of memory: metadata");
}

static uint32_t
last_run(const struct rp_kernel_launch *k)
{
	return k->n_early ? k->early[k->n_early - 1].n : 0;
}

/* Whether more of the blocks of the last launch written have turned out early. */
static bool
early_grew(const struct rp_trace *t, const struct rp_rpz_launched *done)
{
	const struct rp_kernel_launch *k = done->n ? &t->kernels[done->n - 1] : NULL;
	return k && (k->n_early != done->early || last_run(k) != done->last);
}

/* The members of `kernels` for these launches. */
static json_t *
kernels_json(const struct rp_trace *t, struct rp_kernel_launch *k, size_t n, struct rp_err *err)
{
	struct rp_trace part = { .format = t->format, .kernels = k, .n_kernels = n };
	json_t *all = rp_trace_json(&part, err);
	json_t *kernels = json_incref(json_object_get(all, "kernels"));
	json_decref(all);
	return kernels;
}

/* Its runs from the last one written on, which may have grown. */
static json_t *
more_early(const struct rp_trace *t, const struct rp_rpz_launched *done, struct rp_err *err)
{
	struct rp_kernel_launch k = t->kernels[done->n - 1];
	size_t from = done->early ? done->early - 1 : 0;
	k.early += from;
	k.n_early -= from;
	json_t *one = kernels_json(t, &k, 1, err);
	json_t *o = json_pack("{sI sO}", "kernel", (json_int_t)done->n - 1, "runs",
	    json_object_get(json_array_get(one, 0), "early"));
	json_decref(one);
	return o;
}

bool
rp_rpz_launches_add(
    const struct rp_trace *t, struct rp_rpz_launched *done, struct rp_buf *out, struct rp_err *err)
{
	bool grew = early_grew(t, done);
	if (!grew && done->n == t->n_kernels)
		return true;
	rp_emit_begin();
	json_t *o = json_pack(
	    "{so}", "kernels", kernels_json(t, t->kernels + done->n, t->n_kernels - done->n, err));
	if (grew)
		json_object_set_new(o, "early", more_early(t, done, err));
	if (!rp_emit_whole(o, err)) {
		json_decref(o);
		return false;
	}
	const struct rp_kernel_launch *k = &t->kernels[t->n_kernels - 1];
	*done = (struct rp_rpz_launched){ t->n_kernels, k->n_early, last_run(k) };
	return add_json(RP_RPZ_LAUNCH, o, out, err);
}

/* Leaves out the first `known` launches. */
static bool
drop_known(json_t *o, size_t known)
{
	json_t *all = json_object_get(o, "kernels"), *rest = json_array();
	bool ok = rest != NULL;
	for (size_t i = known; ok && i < json_array_size(all); i++)
		ok = !json_array_append(rest, json_array_get(all, i));
	ok = ok && !json_object_set(o, "kernels", rest);
	json_decref(rest);
	return ok;
}

bool
rp_rpz_meta_from(struct rp_trace *t, const void *payload, size_t bytes, enum rp_rpz_when when,
    struct rp_err *err)
{
	json_error_t where;
	rp_emit_begin();
	json_t *o = json_loadb(payload, bytes, JSON_REJECT_DUPLICATES, &where);
	if (!o && errno == ENOMEM)
		return rp_fail(err, RP_RESOURCE, "out of memory: metadata");
	if (!o)
		return rp_fail(err, RP_INPUT, "metadata: %s", where.text);
	if (when == RP_RPZ_FIRST_LOOK) {
		json_object_del(o, "skipped");
		json_object_del(o, "kernels");
		json_object_del(o, "gpu");
	}
	if (when == RP_RPZ_LAST_LOOK && !drop_known(o, t->n_kernels)) {
		json_decref(o);
		return rp_fail(err, RP_RESOURCE, "out of memory: metadata");
	}
	bool ok = rp_trace_from_json(t, o, err);
	json_decref(o);
	return ok;
}
