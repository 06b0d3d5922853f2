/* gen.c - generators by name, and what they share as sources. */
#include "config.h"

#include "gen/gen.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KINDS_MOST = 64 };

const struct rp_generator *
rp_generator_find(const char *name, struct rp_err *err)
{
	const char *names[KINDS_MOST];
	size_t n = 0;
	for (; rp_generators[n]; n++) {
		if (!strcmp(rp_generators[n]->name, name))
			return rp_generators[n];
		if (n < KINDS_MOST)
			names[n] = rp_generators[n]->name;
	}
	const char *near = rp_nearest(name, names, n < KINDS_MOST ? n : KINDS_MOST);
	rp_fail(err, RP_USAGE, "no generator '%.40s'%s%s%s (reprise help generators)", name,
	    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

/* What the pairs of a text fill in. */
struct pairs {
	const struct rp_generator *g;
	void *params;
	uint64_t seed;
};

static bool
set_pair(void *to, const char *key, const char *value, struct rp_err *err)
{
	struct pairs *p = to;
	if (!strcmp(key, "seed"))
		return rp_parse_u64(value, &p->seed, err) || rp_err_wrap(err, "seed=");
	return rp_opts_set(p->g->opts, p->params, key, value, false, err);
}

/* Finds the kind without changing the text, so that its parameters' room is known before the pairs are read. */
static const struct rp_generator *
kind_of(const char *text, struct rp_err *err)
{
	char name[64];
	size_t n = strcspn(text, ",");
	if (!n || memchr(text, '=', n)) {
		rp_fail(err, RP_USAGE,
		    "gen:%.40s: wanted gen:KIND[,key=value]... (reprise help generators)", text);
		return NULL;
	}
	snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name - 1, text);
	return rp_generator_find(name, err);
}

/* Calls `use` with the parameters of a text, which is changed. */
static bool
with_params(const struct rp_generator *g, char *copy, uint64_t seed, rp_gen_use *use, void *to,
    struct rp_err *err)
{
	const char *word;
	struct pairs p = { g, rp_mem_array(1, g->params_bytes, err), seed };
	bool ok = p.params && rp_opts_default(g->opts, p.params, err) &&
	          rp_spec_split(copy, &word, set_pair, &p, err) &&
	          use(to, g, p.params, p.seed, err);
	if (p.params)
		rp_opts_free(g->opts, p.params);
	free(p.params);
	return ok;
}

bool
rp_gen_with(const char *text, uint64_t seed, rp_gen_use *use, void *to, struct rp_err *err)
{
	const struct rp_generator *g = kind_of(text, err);
	char *copy = g ? rp_mem_string(text, err) : NULL;
	bool ok = copy &&
	          (with_params(g, copy, seed, use, to, err) || rp_err_wrap(err, "gen:%s", g->name));
	free(copy);
	return ok;
}

static bool
open_it(
    void *to, const struct rp_generator *g, const void *params, uint64_t seed, struct rp_err *err)
{
	struct rp_source **s = to;
	*s = g->open(params, seed, err);
	return *s;
}

struct rp_source *
rp_gen_open(const char *text, uint64_t seed, struct rp_err *err)
{
	const struct rp_generator *g = kind_of(text, err);
	struct rp_buf copy = { 0 };
	struct rp_source *s = NULL;
	if (!g)
		return NULL;
	if (rp_buf_printf(&copy, err, "gen:%s%c%s", text, 0, text))
		with_params(g, (char *)copy.bytes + strlen("gen:") + strlen(text) + 1, seed,
		    open_it, &s, err);
	if (!s) {
		rp_err_wrap(err, "gen:%.*s", (int)strlen(g->name), text);
	} else if (!rp_trace_source(s->trace, (char *)copy.bytes, err)) {
		rp_source_close(s);
		s = NULL;
	}
	rp_buf_free(&copy);
	return s;
}

void *
rp_gen_source_new(size_t bytes, const char *name, unsigned columns,
    ptrdiff_t (*pull)(struct rp_source *s, struct rp_batch *out, struct rp_err *err),
    struct rp_err *err)
{
	struct rp_source *s = rp_mem_array(1, bytes, err);
	if (!s)
		return NULL;
	s->trace = rp_trace_new(name, err);
	if (!s->trace) {
		free(s);
		return NULL;
	}
	s->trace->columns = columns;
	s->pull = pull;
	s->close = rp_gen_source_free;
	return s;
}

void
rp_gen_source_free(struct rp_source *s)
{
	if (!s)
		return;
	rp_trace_free(s->trace);
	free(s);
}

bool
rp_gen_fits(uint64_t base, uint64_t n, uint64_t step, uint64_t size, struct rp_err *err)
{
	uint64_t last;
	if (!__builtin_mul_overflow(n - 1, step, &last) &&
	    !__builtin_add_overflow(last, base, &last) &&
	    !__builtin_add_overflow(last, size - 1, &last))
		return true;
	return rp_fail(err, RP_USAGE,
	    "%" PRIu64 " items %" PRIu64 " bytes apart from address 0x%" PRIx64
	    " on do not fit below 2^64",
	    n, step, base);
}
