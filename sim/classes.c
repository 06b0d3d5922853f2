/* classes.c - why lookups missed: cold, capacity, conflict. */
#include "config.h"

#include "sim/classes.h"
#include "sim/gpu/cache.h"
#include "sim/module.h"
#include "sim/touched.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <string.h>

/* A specification that owns what it points to. */
struct own_spec {
	struct rp_cache_spec spec;
	struct rp_gpu_spec gpu;
};

struct rp_twin {
	struct own_spec own;
	unsigned shift; /* log2 of the lookups that a line is of: sectors */
	/* What each user asks for is done when the first of them asks; how many have asked. */
	unsigned users, classified, marked, flushed;
	struct rp_module *module;
	struct rp_touched *touched;
	/* Of the chunk at hand. */
	struct rp_result result;
	uint32_t missed[RP_CHUNK + 64]; /* numbers of lookups */
	uint8_t fresh[RP_CHUNK + 64];   /* by lookup; 1: its line was never touched before */
};

static void
twin_of_gpu(const struct rp_gpu_spec *s, struct rp_gpu_spec *out)
{
	*out = *s;
	out->string.sets = 1;
	out->string.ways = s->string.sets * s->string.ways;
	out->string.repl = 'L';
	out->string.hash = 'L';
	out->classify = false;
}

/* The twin's specification; it borrows texts of `s`. */
static bool
twin_of(const struct rp_cache_spec *s, struct own_spec *out, struct rp_err *err)
{
	uint64_t lines = (uint64_t)s->sets * s->ways;
	out->spec = *s;
	out->spec.policy = rp_policy_find("lru", err);
	if (lines > UINT32_MAX)
		return rp_fail(err, RP_USAGE,
		    "classify=yes: %" PRIu64 " lines; wanted fewer than 2^32", lines);
	memset(out->spec.arg, 0, sizeof out->spec.arg);
	out->spec.sets = 1;
	out->spec.index = RP_INDEX_MOD;
	out->spec.ways = (uint32_t)lines;
	out->spec.seed = 0;
	out->spec.name = "";
	out->spec.classify = false;
	if (s->gpu) {
		twin_of_gpu(s->gpu, &out->gpu);
		out->spec.gpu = &out->gpu;
	}
	return out->spec.policy != NULL;
}

struct rp_twin *
rp_twin_new(const struct rp_cache_spec *s, const struct rp_module_opts *like, struct rp_err *err)
{
	struct rp_twin *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->users = 1;
	const struct rp_module_opts o = { .level = like->level, .trace = like->trace };
	t->shift = s->gpu ? (unsigned)__builtin_ctz(s->gpu->string.line / s->line)
	                  : rp_cache_spec_shift(s);
	if (twin_of(s, &t->own, err) && (t->module = rp_module_new(&t->own.spec, &o, err)) &&
	    (t->touched = rp_touched_new(err)))
		return t;
	rp_twin_free(t);
	return NULL;
}

void
rp_twin_free(struct rp_twin *t)
{
	if (!t || --t->users)
		return;
	rp_module_free(t->module);
	rp_touched_free(t->touched);
	free(t);
}

bool
rp_twin_join(struct rp_twin *t, const struct rp_cache_spec *s, bool *yes, struct rp_err *err)
{
	struct own_spec other;
	if (!twin_of(s, &other, err))
		return false;
	char *ours = rp_cache_spec_print(&t->own.spec, err);
	char *theirs = ours ? rp_cache_spec_print(&other.spec, err) : NULL;
	*yes = theirs && !strcmp(ours, theirs);
	t->users += *yes;
	free(ours);
	free(theirs);
	return theirs;
}

/* Whether the first of the users asks; `asked` have before. */
static bool
first(const struct rp_twin *t, unsigned *asked)
{
	bool is = *asked == 0;
	*asked = (*asked + 1) % t->users;
	return is;
}

/* A line that was never touched is in no cache: it is asked only of what missed in the twin and one of its users. */
static bool
mark_fresh(
    struct rp_twin *t, const struct rp_lookups *in, const uint8_t *outcome, struct rp_err *err)
{
	size_t n = 0;
	memset(t->fresh, 0, in->n);
	for (size_t i = 0; i < in->n; i++) {
		t->missed[n] = (uint32_t)i;
		n += outcome[i] & t->result.outcome[i] & RP_MISSED;
	}
	return rp_touched_put(t->touched, in->line, t->shift, t->missed, n, t->fresh, 1, err);
}

/* Eight lookups at a time, a byte each. */
enum { WORD = 8 };
#define ONES UINT64_C(0x0101010101010101)

/* Of lookups that missed, or did not, in the cache and in the twin: 1 or 0 in each byte. */
static inline uint64_t
class_of(uint64_t missed, uint64_t twin, uint64_t fresh)
{
	return (missed & fresh) * RP_COLD | (missed & twin & ~fresh) * RP_CAPACITY |
	       (missed & ~twin) * RP_CONFLICT | (twin & ~missed) * RP_ANTICONFLICT |
	       twin * RP_TWIN_MISSED;
}

bool
rp_twin_classify(struct rp_twin *t, const struct rp_lookups *in, const uint8_t *outcome,
    uint8_t *class, struct rp_err *err)
{
	if (first(t, &t->classified) && (!rp_module_run(t->module, in, &t->result, NULL, err) ||
					    !mark_fresh(t, in, outcome, err)))
		return false;
	for (size_t i = 0; i < in->n; i += WORD) {
		uint64_t missed, twin, fresh, word;
		memcpy(&missed, outcome + i, WORD);
		memcpy(&twin, t->result.outcome + i, WORD);
		memcpy(&fresh, t->fresh + i, WORD);
		word = class_of(missed & ONES, twin & ONES, fresh & ONES);
		memcpy(class + i, &word, WORD);
	}
	return true;
}

/* What a copy from the host brings in. */
static bool
touch_bytes(struct rp_twin *t, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint64_t first, last;
	const uint32_t at = 0;
	uint8_t fresh;
	rp_mark_lines(b, row, (unsigned)__builtin_ctz(t->own.spec.line) + t->shift, &first, &last);
	for (uint64_t line = first; line <= last && line >= first; line++)
		if (!rp_touched_put(t->touched, &line, 0, &at, 1, &fresh, 0, err))
			return false;
	return true;
}

bool
rp_twin_mark(struct rp_twin *t, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint64_t writebacks;
	if (!first(t, &t->marked))
		return true;
	const struct rp_gpu_spec *g = t->own.spec.gpu;
	if (b->kind[row] == RP_HOST_COPY && g && g->level == RP_GPU_L2 && g->copies &&
	    !touch_bytes(t, b, row, err))
		return false;
	return rp_module_mark(t->module, b, row, &writebacks, err);
}

void
rp_twin_flush(struct rp_twin *t)
{
	if (first(t, &t->flushed))
		rp_module_flush(t->module);
}

void
rp_twin_drop(struct rp_twin *t, uint64_t first, uint64_t last)
{
	rp_module_drop(t->module, first, last);
}

uint8_t
rp_class_of_several(uint8_t outcomes, uint8_t classes)
{
	return (uint8_t)class_of(
	    outcomes & RP_MISSED, !!(classes & RP_TWIN_MISSED), classes & RP_COLD);
}

size_t
rp_twin_touched_bytes(const struct rp_twin *t)
{
	return rp_touched_bytes(t->touched);
}
