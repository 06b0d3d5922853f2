/* lab.c - the simulated side of the checks. */
#include "config.h"

#include "validate/lab.h"

#include "base/buf.h"
#include "base/mem.h"
#include "gen/gen.h"
#include "sim/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct rp_source *
rp_lab_open(const struct rp_lab_scan *s, struct rp_err *err)
{
	struct rp_buf text = { 0 };
	struct rp_source *source = NULL;
	bool ok = rp_buf_printf(&text, err,
	    "scan,blocks=%" PRIu64 ",block=%" PRIu32 ",rounds=%" PRIu64 ",phases=", s->blocks,
	    s->block, s->rounds);
	for (uint32_t m = 0; ok && m < s->workers; m++)
		ok = rp_buf_printf(&text, err, "%s%" PRIu64, m ? "," : "", s->phase[m]);
	if (ok)
		source = rp_gen_open((char *)text.bytes, 1, err);
	rp_buf_free(&text);
	return source;
}

void
rp_lab_caches_free(struct rp_lab_caches *c)
{
	for (size_t i = 0; i < c->n; i++)
		rp_cache_spec_free(&c->spec[i]);
	free(c->spec);
	*c = (struct rp_lab_caches){ 0 };
}

static struct rp_cache_spec *
room_for(struct rp_lab_caches *c, struct rp_err *err)
{
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 32;
		struct rp_cache_spec *grown = rp_mem_grow(c->spec, room, sizeof *grown, err);
		if (!grown)
			return NULL;
		c->spec = grown;
		c->room = room;
	}
	return &c->spec[c->n];
}

static bool
add(const struct rp_lab *lab, struct rp_lab_caches *c, enum rp_lab_role role, const char *text,
    struct rp_err *err)
{
	struct rp_cache_spec *s = room_for(c, err);
	if (!s || !rp_cache_spec_parse_with(text, lab->line, lab->seed, lab->plugins, s, err))
		return false;
	if (lab->tamper)
		lab->tamper(lab->to, role, s);
	c->n++;
	return true;
}

enum {
	TEXT = 160,
	WAYS_MOST = 16,
	FULL_MOST = 128 /* ways that a victim is looked for in, way by way */
};

bool
rp_lab_add(const struct rp_lab *lab, struct rp_lab_caches *c, enum rp_lab_role role,
    uint64_t blocks, struct rp_err *err)
{
	static const char *const policy[] = {
		[RP_LAB_LRU] = "lru", [RP_LAB_MIN] = "opt", [RP_LAB_BYPASS] = "opt,bypass=yes"
	};
	char text[TEXT];
	if (role == RP_LAB_TTL)
		snprintf(text, sizeof text, "ttl,window=%" PRIu64, blocks);
	else
		snprintf(text, sizeof text, "%s,sets=1,ways=%" PRIu64, policy[role], blocks);
	return add(lab, c, role, text, err);
}

bool
rp_lab_add_lru_sets(const struct rp_lab *lab, struct rp_lab_caches *c, uint64_t blocks,
    uint64_t ways, struct rp_err *err)
{
	char text[TEXT];
	snprintf(text, sizeof text, "lru,sets=%" PRIu64 ",ways=%" PRIu64, blocks / ways, ways);
	return add(lab, c, RP_LAB_OTHER, text, err);
}

/* Whether a cache is kept in a way of its own, not by the plain loop. */
static bool
has_engine(const struct rp_cache_spec *s)
{
	for (size_t i = 0; i < RP_POLICY_ENGINES && s->policy->engines[i]; i++)
		if (s->policy->engines[i]->fits(s))
			return true;
	return false;
}

/* A policy as one set, and as sets of at most WAYS_MOST ways (0: there are none such). */
static bool
add_policy(const struct rp_lab *lab, struct rp_lab_caches *c, const struct rp_policy *p,
    uint64_t blocks, uint64_t ways, struct rp_err *err)
{
	static const char *const index_name[] = { "mod", "hash" };
	char text[TEXT];
	size_t before = c->n;
	snprintf(text, sizeof text, "%s,sets=1,ways=%" PRIu64, p->name, blocks);
	if (!add(lab, c, RP_LAB_OTHER, text, err)) {
		if (err->code != RP_USAGE)
			return false;
		*err = (struct rp_err){ 0 }; /* there is none of this size */
	} else if (blocks > FULL_MOST && !has_engine(&c->spec[before])) {
		rp_cache_spec_free(&c->spec[--c->n]);
	}
	if (!ways)
		return true;
	snprintf(text, sizeof text, "%s,sets=%" PRIu64 ",ways=%" PRIu64 ",index=%s", p->name,
	    blocks / ways, ways, index_name[c->n % 2]);
	return add(lab, c, RP_LAB_OTHER, text, err);
}

/* The greatest divisor of n that is at most `most` and below n; 0: only 1 is. */
static uint64_t
divisor(uint64_t n, uint64_t most)
{
	for (uint64_t d = most < n - 1 ? most : n - 1; d > 1; d--)
		if (n % d == 0)
			return d;
	return 0;
}

bool
rp_lab_add_policies(
    const struct rp_lab *lab, struct rp_lab_caches *c, uint64_t blocks, struct rp_err *err)
{
	uint64_t ways = divisor(blocks, WAYS_MOST);
	for (const struct rp_policy *const *p = rp_policies; *p; p++)
		if (!(*p)->unbounded && !(*p)->future && !add_policy(lab, c, *p, blocks, ways, err))
			return false;
	return true;
}

/* Lines of a cache of whole lines; 0: it is none. */
static uint64_t
lines_of(const struct rp_cache_spec *s)
{
	return s->gpu || rp_cache_spec_sectored(s) || s->policy->unbounded
	           ? 0
	           : (uint64_t)s->sets * s->ways;
}

/* The user's text with a size of so many lines behind it. false: there is no such cache, or no memory. */
static bool
parse_sized(const struct rp_lab *lab, const char *text, uint64_t lines, struct rp_cache_spec *s,
    struct rp_err *err)
{
	struct rp_buf sized = { 0 };
	bool ok = rp_buf_printf(&sized, err, "%s,size=%" PRIu64, text, lines * lab->line) &&
	          rp_cache_spec_parse_with(
		      (char *)sized.bytes, lab->line, lab->seed, lab->plugins, s, err);
	rp_buf_free(&sized);
	return ok;
}

bool
rp_lab_add_own(const struct rp_lab *lab, struct rp_lab_caches *c, const char *text, uint64_t blocks,
    bool *fits, struct rp_err *err)
{
	struct rp_err none = { 0 };
	struct rp_cache_spec *s = room_for(c, err);
	*fits = false;
	if (!s)
		return false;
	bool parsed =
	    rp_cache_spec_parse_with(text, lab->line, lab->seed, lab->plugins, s, &none) ||
	    (none.code == RP_USAGE && parse_sized(lab, text, blocks, s, &none));
	if (!parsed && none.code != RP_USAGE) {
		*err = none;
		return false;
	}
	*fits = parsed && lines_of(s) == blocks;
	if (*fits)
		c->n++;
	else if (parsed)
		rp_cache_spec_free(s);
	return true;
}

enum { SIZES_TRIED = 4096 };

bool
rp_lab_own_capacity(const struct rp_lab *lab, const char *text, uint64_t *capacity, uint32_t *line,
    struct rp_err *err)
{
	struct rp_cache_spec s;
	struct rp_err later = { 0 };
	bool named = rp_cache_spec_parse_with(text, lab->line, lab->seed, lab->plugins, &s, err),
	     parsed = named;
	for (uint64_t n = 1; !parsed && err->code == RP_USAGE && n <= SIZES_TRIED; n++)
		parsed = parse_sized(lab, text, n, &s, &later);
	if (!parsed)
		return false;
	*err = (struct rp_err){ 0 };
	uint64_t lines = lines_of(&s);
	*capacity = named ? lines : 0;
	*line = s.line;
	rp_cache_spec_free(&s);
	return lines ||
	       rp_fail(err, RP_USAGE,
		   "'%.80s': the bound is about caches of whole lines that have a capacity", text);
}

uint64_t
rp_lab_misses(const struct rp_replay *r, size_t cache)
{
	struct rp_counters c;
	rp_replay_counters(r, cache, &c);
	return c.misses;
}

enum { ROWS = 4096 };

bool
rp_lab_scan_misses(const struct rp_lab *lab, const struct rp_lab_scan *scan, enum rp_lab_role role,
    uint64_t size, uint64_t warm, uint64_t *misses, struct rp_err *err)
{
	const struct rp_replay_opts opts = { .warmup = warm * scan->workers };
	struct rp_lab_caches c = { 0 };
	struct rp_replay *r = NULL;
	struct rp_source *s = rp_lab_open(scan, err);
	struct rp_batch *b = s ? rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME, err) : NULL;
	bool open = b && rp_lab_add(lab, &c, role, size, err) &&
	            (r = rp_replay_new(c.spec, c.n, &opts, err));
	ptrdiff_t n = open ? 1 : -1;
	while (n > 0) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		if (n > 0 && !rp_replay_run(r, b, err))
			n = -1;
	}
	bool ok = n == 0 && rp_replay_end(r, err);
	if (ok)
		*misses = rp_lab_misses(r, 0);
	rp_replay_free(r);
	rp_lab_caches_free(&c);
	rp_batch_free(b);
	rp_source_close(s);
	return ok;
}
