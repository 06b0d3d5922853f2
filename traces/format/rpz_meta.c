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

bool
rp_rpz_launches_add(const struct rp_trace *t, size_t from, struct rp_buf *out, struct rp_err *err)
{
	if (from >= t->n_kernels)
		return true;
	struct rp_trace part = {
		.format = t->format, .kernels = t->kernels + from, .n_kernels = t->n_kernels - from
	};
	rp_emit_begin();
	json_t *all = rp_trace_json(&part, err);
	json_t *o = all ? json_pack("{sO}", "kernels", json_object_get(all, "kernels")) : NULL;
	json_decref(all);
	if (rp_emit_whole(o, err))
		return add_json(RP_RPZ_LAUNCH, o, out, err);
	json_decref(o);
	return false;
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
