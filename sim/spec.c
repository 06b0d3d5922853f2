/* spec.c - the specification of a cache as people write it: read, completed, printed.
 *
 * size = sets * ways * line. Any two of size, sets and ways give the third; ways is "full" if only size is given. */
#include "config.h"

#include "sim/cache.h"
#include "sim/counters.h"
#include "sim/gpu/spec.h"
#include "sim/gpu/hash.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const write_names[] = { "back", "through", NULL };
static const char *const allocate_names[] = { "write", "no-write", NULL };
static const char *const index_names[] = { "mod", "xor", "ipoly", "fermi", "hash", NULL };
static const char *const stall_names[] = { "count", "skip", "unit", "drop", NULL };
static const char *const clock_names[] = { "lookups", "time", NULL };

/* Times are sums of stamps and latencies in 64 bits. */
#define LATENCY_MOST (UINT64_C(1) << 40)

/* What was given, before it is completed; 0 and NULL stand for nothing. */
struct given {
	uint64_t size;
	uint32_t sets, line, sector;
	const char *ways, *name;
	unsigned index, write, allocate, stall, clock;
	const char *mshr, *merge;
	const char *waits; /* a key that only says something with MSHRs; NULL: none */
	uint64_t latency;
	bool classify;
	uint64_t seed;
	const struct rp_policy *policy;
	uint64_t arg[RP_POLICY_PARAMS];
	bool given[RP_POLICY_PARAMS];
};

static const struct rp_opt rows[] = {
	{ "size", 0, "SIZE", RP_OPT_SIZE, offsetof(struct given, size), NULL,
	    .what = "capacity: sets * ways * line" },
	{ "sets", 0, "N", RP_OPT_U32, offsetof(struct given, sets), NULL,
	    .what = "sets; a line goes to set line mod sets", .least = 1, .most = UINT32_MAX },
	{ "ways", 0, "N|full", RP_OPT_TEXT, offsetof(struct given, ways), NULL,
	    .what = "lines in a set, or full: one set" },
	{ "line", 0, "SIZE", RP_OPT_SIZE32, offsetof(struct given, line), NULL,
	    .what = "line, a power of two" },
	{ "sector", 0, "SIZE", RP_OPT_SIZE32, offsetof(struct given, sector), NULL,
	    .what = "part of a line that is brought in by itself, a power of two" },
	{ "index", 0, "FUNCTION", RP_OPT_CHOICE, offsetof(struct given, index), "mod",
	    .what = "which set a line belongs to", .choices = index_names },
	{ "write", 0, "POLICY", RP_OPT_CHOICE, offsetof(struct given, write), "back",
	    .what = "where writes go", .choices = write_names },
	{ "allocate", 0, "POLICY", RP_OPT_CHOICE, offsetof(struct given, allocate), "write",
	    .what = "whether a write miss brings its line in", .choices = allocate_names },
	{ "mshr", 0, "ENTRIES|unlimited", RP_OPT_TEXT, offsetof(struct given, mshr), NULL,
	    .what = "misses that may be on their way at a time" },
	{ "merge", 0, "MAX|unlimited", RP_OPT_TEXT, offsetof(struct given, merge), NULL,
	    .what = "lookups that may join one on its way, the first not counted" },
	{ "latency", 0, "T", RP_OPT_U64, offsetof(struct given, latency), "100",
	    .what = "time from a miss to its data", .least = 0, .most = LATENCY_MOST },
	{ "clock", 0, "WHICH", RP_OPT_CHOICE, offsetof(struct given, clock), "lookups",
	    .what = "what time is counted in", .choices = clock_names },
	{ "stall", 0, "HOW", RP_OPT_CHOICE, offsetof(struct given, stall), "count",
	    .what = "what a lookup does that finds no entry", .choices = stall_names },
	{ "classify", 0, NULL, RP_OPT_FLAG, offsetof(struct given, classify), NULL,
	    .what = "misses by class: cold, capacity, conflict" },
	{ "seed", 0, "N", RP_OPT_U64, offsetof(struct given, seed), NULL,
	    .what = "of the policy's random choices" },
	{ "name", 0, "NAME", RP_OPT_TEXT, offsetof(struct given, name), NULL,
	    .what = "what the output calls it" },
	{ 0 },
};

static bool
set_param(struct given *g, size_t i, const char *value, struct rp_err *err)
{
	const struct rp_param *p = &g->policy->params[i];
	uint64_t x;
	g->given[i] = true;
	if (rp_param_is_yes_no(p)) {
		g->arg[i] = !strcmp(value, "yes");
		return g->arg[i] || !strcmp(value, "no") ||
		       rp_fail(err, RP_USAGE, "%s=: '%.40s' is none of yes, no", p->name, value);
	}
	if (!rp_parse_u64(value, &x, err))
		return rp_err_wrap(err, "%s=", p->name);
	if (x < p->least || x > p->most)
		return rp_fail(err, RP_USAGE, "%s=: %" PRIu64 " is not in %" PRIu64 "..%" PRIu64,
		    p->name, x, p->least, p->most);
	g->arg[i] = x;
	return true;
}

/* Keys that only say something with MSHRs. */
static const char *const waiting_keys[] = { "merge", "latency", "clock", "stall", NULL };

static bool
is_any(const char *key, const char *const *names)
{
	while (*names && strcmp(*names, key))
		names++;
	return *names != NULL;
}

/* A built-in policy that has a parameter of that name, or NULL. */
static const struct rp_policy *
owner(const char *key)
{
	for (const struct rp_policy *const *p = rp_policies; *p; p++)
		for (size_t i = 0; i < RP_POLICY_PARAMS && (*p)->params[i].name; i++)
			if (!strcmp((*p)->params[i].name, key))
				return *p;
	return NULL;
}

static bool
set_key(void *to, const char *key, const char *value, struct rp_err *err)
{
	struct given *g = to;
	for (size_t i = 0; g->policy && i < RP_POLICY_PARAMS && g->policy->params[i].name; i++)
		if (!strcmp(g->policy->params[i].name, key))
			return set_param(g, i, value, err);
	if (is_any(key, waiting_keys))
		g->waits = key;
	if (!rp_cache_spec_has_key(key) && rp_gpu_spec_has_key(key))
		return rp_fail(err, RP_USAGE,
		    "no key '%s' of %s: wanted it beside gpgpusim= or preset=", key,
		    g->policy->name);
	const struct rp_policy *other = rp_cache_spec_has_key(key) ? NULL : owner(key);
	if (other)
		return rp_fail(err, RP_USAGE, "no key '%s' of %s, as %s has it", key,
		    g->policy->name, other->name);
	return rp_opts_set(rows, g, key, value, false, err);
}

/* The policy is wanted before the keys, which may be its own. */
static bool
find_policy(struct given *g, const char *text, const struct rp_plugins *plugins, struct rp_err *err)
{
	char word[64];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ","), text);
	if (!*word || strchr(word, '='))
		return rp_fail(err, RP_USAGE, "wanted a policy first, as in lru,size=32KiB,ways=8");
	g->policy = rp_policy_find_with(word, plugins, err);
	for (size_t i = 0; g->policy && i < RP_POLICY_PARAMS; i++)
		g->arg[i] = g->policy->params[i].usual;
	return g->policy != NULL;
}

/* "wanted a multiple of `unit`, like LOW or HIGH" for a size that is none. */
static bool
no_multiple(uint64_t size, uint64_t unit, const char *of, struct rp_err *err)
{
	char found[24], step[24], low[24], high[24];
	uint64_t below = size / unit * unit;
	rp_print_size(found, sizeof found, size);
	rp_print_size(step, sizeof step, unit);
	rp_print_size(low, sizeof low, below);
	rp_print_size(high, sizeof high, below + unit);
	return rp_fail(err, RP_USAGE, "size=%s is no multiple of %s = %s; %s%s%s would fit", found,
	    of, step, below ? low : "", below ? " or " : "", below + unit > below ? high : "less");
}

/* Sets and ways from the size, and from the one of them that is given, if any. */
static bool
divide(const struct given *g, uint64_t ways, struct rp_cache_spec *s, struct rp_err *err)
{
	uint64_t unit = s->line, product;
	const char *of = ways && g->sets ? "sets * ways * line"
	                 : ways          ? "ways * line"
	                 : g->sets       ? "sets * line"
	                                 : "line";
	if (__builtin_mul_overflow(unit,
		ways      ? ways
		: g->sets ? g->sets
			  : 1,
		&unit) ||
	    unit > g->size) {
		char found[24];
		return rp_fail(err, RP_USAGE, "size=%s is less than %s",
		    rp_print_size(found, sizeof found, g->size), of);
	}
	if (g->size % unit)
		return no_multiple(g->size, unit, of, err);
	uint64_t other = g->size / unit;
	if (ways && g->sets &&
	    (__builtin_mul_overflow(unit, g->sets, &product) || product != g->size)) {
		char found[24], want[24];
		return rp_fail(err, RP_USAGE,
		    "size=%s is not sets * ways * line = %" PRIu32 " * %" PRIu64 " * %" PRIu32
		    "; sets=%" PRIu64 " or size=%s would fit",
		    rp_print_size(found, sizeof found, g->size), g->sets, ways, s->line, other,
		    rp_print_size(want, sizeof want, unit * g->sets));
	}
	if (other > UINT32_MAX)
		return rp_fail(err, RP_USAGE, "size=: %" PRIu64 " %s; wanted fewer than 2^32",
		    other, ways ? "sets" : "lines in a set");
	s->size = g->size;
	s->sets = ways ? (uint32_t)other : g->sets ? g->sets : 1;
	s->ways = ways ? (uint32_t)ways : (uint32_t)other;
	return true;
}

/* Parameters that the policy wants. */
static bool
all_given(const struct given *g, struct rp_err *err)
{
	for (size_t i = 0; i < RP_POLICY_PARAMS && g->policy->params[i].name; i++)
		if (g->policy->params[i].wanted && !g->given[i])
			return rp_fail(err, RP_USAGE, "wanted %s=: %s", g->policy->params[i].name,
			    g->policy->params[i].what);
	return true;
}

/* Of a policy that has no capacity. */
static bool
no_geometry(const struct given *g, struct rp_cache_spec *s, struct rp_err *err)
{
	const char *key = g->size ? "size" : g->sets ? "sets" : g->ways ? "ways" : NULL;
	if (key)
		return rp_fail(err, RP_USAGE, "%s=: %s has no capacity: no size, sets, ways", key,
		    g->policy->name);
	if (g->classify)
		return rp_fail(err, RP_USAGE,
		    "classify=yes: %s has no capacity that another cache could have too",
		    g->policy->name);
	s->sets = 1;
	return true;
}

static bool
geometry(struct given *g, struct rp_cache_spec *s, struct rp_err *err)
{
	uint64_t ways = 0;
	bool full = g->ways && !strcmp(g->ways, "full");
	if (s->line & (s->line - 1))
		return rp_fail(err, RP_USAGE,
		    "line=: %" PRIu32 " is no power of two, like 64 or 128", s->line);
	if (g->policy->unbounded)
		return no_geometry(g, s, err);
	if (g->ways && !full && !rp_parse_u64(g->ways, &ways, NULL))
		return rp_fail(
		    err, RP_USAGE, "ways=: '%.40s' is neither a whole number nor full", g->ways);
	if (g->ways && !full && (!ways || ways > UINT32_MAX))
		return rp_fail(
		    err, RP_USAGE, "ways=: %" PRIu64 " is not in 1..%" PRIu32, ways, UINT32_MAX);
	if (full && g->sets > 1)
		return rp_fail(err, RP_USAGE, "ways=full is one set, and sets=%" PRIu32, g->sets);
	if (full)
		g->sets = 1;
	if (g->size)
		return divide(g, ways, s, err);
	if (!g->sets)
		return rp_fail(err, RP_USAGE,
		    "wanted size= or sets=, as in size=32KiB,ways=8 or sets=64,ways=8");
	if (!ways)
		return rp_fail(
		    err, RP_USAGE, full ? "ways=full: wanted size=" : "sets=: wanted ways= too");
	if (__builtin_mul_overflow((uint64_t)g->sets * ways, s->line, &s->size))
		return rp_fail(err, RP_USAGE, "sets * ways * line is 2^64 bytes or more");
	s->sets = g->sets;
	s->ways = (uint32_t)ways;
	return true;
}

/* What a policy keeps of a set is rounded up where it is made (sim/tags.c), which must not come to nothing. */
static bool
state(const struct rp_cache_spec *s, struct rp_err *err)
{
	const struct rp_policy *p = s->policy;
	size_t bytes = p->set_bytes && !p->unbounded ? p->set_bytes(s->ways, s->arg) : 0;
	return bytes <= SIZE_MAX / 2 ||
	       rp_fail(err, RP_USAGE, "policy '%s' wants %zu bytes for a set", p->name, bytes);
}

static bool
sectors(const struct given *g, struct rp_cache_spec *s, struct rp_err *err)
{
	char sector[24], line[24];
	s->sector = g->sector ? g->sector : s->line;
	rp_print_size(sector, sizeof sector, s->sector);
	rp_print_size(line, sizeof line, s->line);
	if (s->sector & (s->sector - 1))
		return rp_fail(
		    err, RP_USAGE, "sector=: %s is no power of two, like 32 or 64", sector);
	if (s->sector > s->line)
		return rp_fail(err, RP_USAGE, "sector=: %s is more than line = %s", sector, line);
	if (s->policy->unbounded && s->sector < s->line)
		return rp_fail(err, RP_USAGE, "sector=: %s keeps whole lines", s->policy->name);
	if (s->line / s->sector > RP_SECTORS_MOST)
		return rp_fail(err, RP_USAGE,
		    "sector=: a line of %s has more than %d sectors of %s", line, RP_SECTORS_MOST,
		    sector);
	return true;
}

static bool
set_index(const struct given *g, struct rp_cache_spec *s, struct rp_err *err)
{
	unsigned bits = (unsigned)__builtin_ctz(s->sets);
	bool power = s->sets == UINT32_C(1) << bits;
	s->index = g->index;
	switch (s->index) {
	case RP_INDEX_XOR:
		return power || rp_fail(err, RP_USAGE,
				    "index=xor: %" PRIu32 " sets; wanted a power of two", s->sets);
	case RP_INDEX_IPOLY:
		return (power && rp_gpu_hash_fits(RP_GPU_POLYNOMIAL, bits)) ||
		       rp_fail(err, RP_USAGE, "index=ipoly: %" PRIu32 " sets; wanted 16, 32 or 64",
			   s->sets);
	case RP_INDEX_FERMI:
		if (s->line != 128)
			return rp_fail(err, RP_USAGE,
			    "index=fermi: lines of %" PRIu32 " bytes; wanted 128", s->line);
		return (power && rp_gpu_hash_fits(RP_GPU_FERMI, bits)) ||
		       rp_fail(err, RP_USAGE, "index=fermi: %" PRIu32 " sets; wanted 32 or 64",
			   s->sets);
	default:
		return true;
	}
}

/* A number, or "unlimited", which is 0 inside. NULL: unlimited. */
static bool
parse_limit(const char *key, const char *text, uint64_t *to, struct rp_err *err)
{
	*to = 0;
	if (!text || !strcmp(text, "unlimited") || rp_parse_u64(text, to, NULL))
		return true;
	return rp_fail(
	    err, RP_USAGE, "%s=: '%.40s' is neither a whole number nor unlimited", key, text);
}

static bool
waiting(const struct given *g, struct rp_cache_spec *s, struct rp_err *err)
{
	struct rp_mshr_spec *m = &s->mshr;
	if (!g->mshr)
		return !g->waits ||
		       rp_fail(err, RP_USAGE, "%s=: wanted mshr= too, as in mshr=32", g->waits);
	m->on = true;
	m->clock = g->clock;
	m->stall = g->stall;
	m->latency = g->latency;
	if (m->stall != RP_STALL_COUNT && g->policy->future)
		return rp_fail(err, RP_USAGE,
		    "stall=%s: %s goes with stall=count only: what waits changes what comes next",
		    stall_names[m->stall], g->policy->name);
	if (m->stall != RP_STALL_COUNT && g->policy->unbounded)
		return rp_fail(err, RP_USAGE,
		    "stall=%s: %s has no ways that could wait; wanted stall=count",
		    stall_names[m->stall], g->policy->name);
	if (m->stall != RP_STALL_COUNT && !m->latency)
		return rp_fail(err, RP_USAGE, "latency=: 0; wanted at least 1 with stall=%s",
		    stall_names[m->stall]);
	return parse_limit("mshr", g->mshr, &m->entries, err) &&
	       parse_limit("merge", g->merge, &m->merge, err);
}

/* What the rest of the program looks at in any cache. */
static bool
parse_gpu(struct rp_cache_spec *s, struct rp_err *err)
{
	if (!(s->gpu = rp_gpu_spec_parse(s->text, &s->name, err)))
		return false;
	const struct rp_gpu_string *g = &s->gpu->string;
	s->policy = rp_policy_find(g->repl == 'F' ? "fifo" : "lru", err);
	s->line = s->sector = rp_gpu_string_grain(g);
	s->sets = s->gpu->slices * g->sets;
	s->ways = g->ways;
	s->size = (uint64_t)s->sets * s->ways * g->line;
	s->classify = s->gpu->classify;
	return s->policy != NULL;
}

bool
rp_cache_spec_has_key(const char *name)
{
	for (const struct rp_opt *o = rows; o->name; o++)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

bool
rp_cache_spec_parse(
    const char *text, uint32_t line, uint64_t seed, struct rp_cache_spec *out, struct rp_err *err)
{
	return rp_cache_spec_parse_with(text, line, seed, NULL, out, err);
}

bool
rp_cache_spec_parse_with(const char *text, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_cache_spec *out, struct rp_err *err)
{
	struct given g = { .line = line, .seed = seed, .name = "" };
	struct rp_cache_spec s = { .text = rp_mem_string(text, err) };
	const char *word;
	if (!s.text)
		return false;
	if (rp_gpu_spec_is(text)) {
		if (!parse_gpu(&s, err))
			goto bad;
		*out = s;
		return true;
	}
	if (!rp_opts_default(rows, &g, err) || !find_policy(&g, text, plugins, err) ||
	    !rp_spec_split(s.text, &word, set_key, &g, err))
		goto bad;
	s.policy = g.policy;
	memcpy(s.arg, g.arg, sizeof s.arg);
	s.name = g.name;
	s.line = g.line;
	s.write = g.write;
	s.allocate = g.allocate;
	s.classify = g.classify;
	s.seed = g.seed;
	if (!geometry(&g, &s, err) || !all_given(&g, err) || !state(&s, err) ||
	    !sectors(&g, &s, err) || !set_index(&g, &s, err) || !waiting(&g, &s, err))
		goto bad;
	*out = s;
	return true;
bad:
	rp_cache_spec_free(&s);
	return rp_err_wrap(err, "cache '%.80s'", text);
}

void
rp_cache_spec_free(struct rp_cache_spec *s)
{
	free(s->text);
	free(s->gpu);
	*s = (struct rp_cache_spec){ 0 };
}

unsigned
rp_cache_spec_counts(const struct rp_cache_spec *s)
{
	unsigned groups = RP_COUNT_ALWAYS | (s->classify ? RP_COUNT_CLASS : 0u);
	if (s->gpu)
		return groups | RP_COUNT_MSHR | RP_COUNT_GPGPUSIM;
	return groups | (s->mshr.on ? RP_COUNT_MSHR : 0u);
}

const char *
rp_cache_spec_index(const struct rp_cache_spec *s)
{
	return index_names[s->index];
}

static bool
print_limit(struct rp_buf *b, const char *key, uint64_t x, struct rp_err *err)
{
	return x ? rp_buf_printf(b, err, ",%s=%" PRIu64, key, x)
	         : rp_buf_printf(b, err, ",%s=unlimited", key);
}

static bool
print_waiting(struct rp_buf *b, const struct rp_mshr_spec *m, struct rp_err *err)
{
	return print_limit(b, "mshr", m->entries, err) && print_limit(b, "merge", m->merge, err) &&
	       rp_buf_printf(b, err, ",latency=%" PRIu64 ",clock=%s,stall=%s", m->latency,
		   clock_names[m->clock], stall_names[m->stall]);
}

/* All but the name. */
static bool
print_plain(const struct rp_cache_spec *s, struct rp_buf *b, struct rp_err *err)
{
	char size[24], line[24], sector[24];
	rp_print_size(size, sizeof size, s->size);
	rp_print_size(line, sizeof line, s->line);
	bool ok = rp_buf_printf(b, err, "%s", s->policy->name);
	if (!s->policy->unbounded)
		ok = ok && rp_buf_printf(b, err, ",size=%s,sets=%" PRIu32 ",ways=%" PRIu32, size,
			       s->sets, s->ways);
	ok = ok && rp_buf_printf(b, err, ",line=%s", line);
	if (rp_cache_spec_sectored(s))
		ok = ok && rp_buf_printf(b, err, ",sector=%s",
			       rp_print_size(sector, sizeof sector, s->sector));
	if (s->index != RP_INDEX_MOD)
		ok = ok && rp_buf_printf(b, err, ",index=%s", rp_cache_spec_index(s));
	ok = ok && rp_buf_printf(b, err, ",write=%s,allocate=%s", write_names[s->write],
		       allocate_names[s->allocate]);
	if (s->mshr.on)
		ok = ok && print_waiting(b, &s->mshr, err);
	for (size_t i = 0; i < RP_POLICY_PARAMS && s->policy->params[i].name; i++) {
		const struct rp_param *p = &s->policy->params[i];
		ok = ok &&
		     (rp_param_is_yes_no(p)
			     ? rp_buf_printf(b, err, ",%s=%s", p->name, s->arg[i] ? "yes" : "no")
			     : rp_buf_printf(b, err, ",%s=%" PRIu64, p->name, s->arg[i]));
	}
	if (s->policy->chance)
		ok = ok && rp_buf_printf(b, err, ",seed=%" PRIu64, s->seed);
	if (s->classify)
		ok = ok && rp_buf_printf(b, err, ",classify=yes");
	return ok;
}

char *
rp_cache_spec_print(const struct rp_cache_spec *s, struct rp_err *err)
{
	struct rp_buf b = { 0 };
	bool ok = s->gpu ? rp_gpu_spec_print(s->gpu, &b, err) : print_plain(s, &b, err);
	if (*s->name)
		ok = ok && rp_buf_printf(&b, err, ",name=%s", s->name);
	char *text = ok ? rp_mem_string((const char *)b.bytes, err) : NULL;
	rp_buf_free(&b);
	return text;
}
