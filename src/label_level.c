/* label_level.c - the stream that reaches a level of a hierarchy: what the levels above it send down. */
#include "config.h"

#include "label_real.h"

#include "base/mem.h"
#include "sim/tree.h"

#include <string.h>

struct label_level {
	struct rp_tree_spec all, above; /* the file's; of it the levels above the one */
	uint32_t line;                  /* of the one */
};

/* What comes out of the levels above. */
struct label_down {
	const struct label_level *level;
	struct rp_tree *tree;
	unsigned line_bits;
	struct rp_buf lines; /* numbers, of the batch at hand */
	bool full;           /* no memory for them */
};

static int
find(const struct rp_tree_spec *t, const char *name)
{
	for (size_t i = 0; i < t->levels; i++)
		if (!strcmp(t->level[i].name, name))
			return (int)i;
	return -1;
}

/* Whether what leaves level i comes to `at`. */
static bool
leads_to(const struct rp_tree_spec *t, int i, int at)
{
	while (i != RP_MEMORY && i != at)
		i = t->level[i].parent;
	return i == at;
}

/* The levels above `at`, by themselves, with memory in its place. */
static bool
cut_off(struct label_level *l, int at, struct rp_err *err)
{
	struct rp_level_spec *to = rp_mem_array(l->all.levels, sizeof *to, err);
	int *number = rp_mem_array(l->all.levels, sizeof *number, err);
	l->above = (struct rp_tree_spec){ .level = to, .path = l->all.path };
	for (size_t i = 0; to && number && i < l->all.levels; i++)
		if ((int)i != at && leads_to(&l->all, (int)i, at)) {
			number[i] = (int)l->above.levels;
			to[l->above.levels++] = l->all.level[i];
		}
	for (size_t i = 0; to && number && i < l->above.levels; i++)
		to[i].parent = to[i].parent == at ? RP_MEMORY : number[to[i].parent];
	free(number);
	return to && number;
}

static bool
check(const struct label_level *l, int at, const char *name, struct rp_err *err)
{
	const struct rp_tree_spec *t = &l->all;
	if (!rp_tree_flows_down(t))
		return rp_fail(err, RP_INPUT,
		    "%s: levels are inclusive, exclusive or coherent, so what reaches %s depends "
		    "on "
		    "it: wanted levels that are not",
		    t->path, name);
	if (t->level[at].share != RP_SHARE_ALL)
		return rp_fail(err, RP_INPUT,
		    "%s: %s has several caches: wanted a level that all streams share", t->path,
		    name);
	if (!l->above.levels)
		return rp_fail(err, RP_INPUT,
		    "%s: %s has no level above it: all accesses reach it, without --config",
		    t->path, name);
	for (size_t i = 0; i < t->levels; i++)
		if (!leads_to(t, (int)i, at) && !leads_to(t, at, (int)i))
			return rp_fail(err, RP_INPUT,
			    "%s: what level %s sends down does not reach %s: wanted a tree in "
			    "which "
			    "all does",
			    t->path, t->level[i].name, name);
	return true;
}

struct label_level *
label_level_open(const struct label_opts *o, struct rp_err *err)
{
	struct label_level *l = rp_mem_array(1, sizeof *l, err);
	if (!l)
		return NULL;
	bool ok = rp_tree_spec_read(o->config, 64, o->in.seed, NULL, &l->all, err);
	int at = ok ? find(&l->all, o->level) : -1;
	if (ok && at < 0)
		ok = rp_fail(err, RP_USAGE, "--level: %s has no level '%.40s', but %s%s", o->config,
		    o->level, l->all.level[0].name, l->all.levels > 1 ? " and others" : "");
	if (ok && cut_off(l, at, err) && check(l, at, o->level, err)) {
		l->line = l->all.level[at].cache.line;
		return l;
	}
	label_level_close(l);
	return NULL;
}

void
label_level_close(struct label_level *l)
{
	if (!l)
		return;
	free(l->above.level);
	rp_tree_spec_free(&l->all);
	free(l);
}

uint32_t
label_level_line(const struct label_level *l)
{
	return l->line;
}

/* ---- the stream ---- */

static void
told(void *to, const struct rp_access *a)
{
	struct label_down *d = to;
	uint64_t last = a->addr + (a->size ? a->size - 1 : 0);
	for (uint64_t line = a->addr >> d->line_bits; line <= last >> d->line_bits; line++)
		d->full |= !rp_buf_add(&d->lines, &line, sizeof line, NULL);
}

struct label_down *
label_down_new(
    const struct label_level *l, uint32_t line, const struct rp_trace *trace, struct rp_err *err)
{
	struct label_down *d = rp_mem_array(1, sizeof *d, err);
	if (!d)
		return NULL;
	d->level = l;
	d->line_bits = (unsigned)__builtin_ctz(line);
	struct rp_tree_opts o = { .trace = trace, .told = told, .told_to = d };
	if ((d->tree = rp_tree_new(&l->above, &o, err)))
		return d;
	free(d);
	return NULL;
}

void
label_down_free(struct label_down *d)
{
	if (!d)
		return;
	rp_tree_free(d->tree);
	rp_buf_free(&d->lines);
	free(d);
}

const uint64_t *
label_down_run(struct label_down *d, const struct rp_batch *b, size_t *n, struct rp_err *err)
{
	d->lines.n = 0;
	if (!rp_buf_reserve(&d->lines, 1, err) || !rp_tree_run(d->tree, b, err))
		return NULL;
	if (d->full) {
		rp_fail(err, RP_RESOURCE, "out of memory: accesses of a level");
		return NULL;
	}
	*n = d->lines.n / sizeof(uint64_t);
	return (const uint64_t *)(const void *)d->lines.bytes;
}
