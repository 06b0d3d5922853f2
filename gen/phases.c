/* phases.c - where the workers of a scan stand. */
#include "config.h"

#include "gen/phases.h"
#include "base/items.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* What a pattern works with: its numbers behind the name, and the ring. */
struct ring {
	uint64_t blocks, workers;
	uint64_t count, offset; /* groups; where the first one stands */
	double sd;              /* of the ring */
	struct rp_rng rng;
};

/* x times y / z, rounded down; less than 2^64 if x is at most z. */
static uint64_t
share(uint64_t x, uint64_t y, uint64_t z)
{
	return (uint64_t)((u128)x * y / z);
}

static uint64_t
grouped(struct ring *r, uint64_t m)
{
	return share(share(m, r->count, r->workers), r->blocks, r->count);
}

static uint64_t
coincident(struct ring *r, uint64_t m)
{
	(void)r;
	(void)m;
	return 0;
}

static uint64_t
equal(struct ring *r, uint64_t m)
{
	return (uint64_t)(((u128)r->offset + share(m, r->blocks, r->workers)) % r->blocks);
}

static uint64_t
uniform(struct ring *r, uint64_t m)
{
	(void)m;
	return rp_rng_below(&r->rng, r->blocks);
}

/* True with probability exp(-p / 2^64): the length of a falling run of uniform numbers that starts at p is even so often
 * (von Neumann, NBS Applied Mathematics Series 12, 1951). */
static bool
with_exp(struct rp_rng *rng, uint64_t p)
{
	for (bool even = true;; even = !even) {
		uint64_t u = rp_rng_next(rng);
		if (u >= p)
			return even;
		p = u;
	}
}

/* The size of a standard normal deviation, by comparisons of whole numbers alone (Karney, ACM TOMS 42(1), 2016,
 * algorithm N), as whole + fraction / 2^64. Wholes above 15, one in 10^51, are drawn again. */
static unsigned
normal_size(struct rp_rng *rng, uint64_t *fraction)
{
	for (;;) {
		unsigned k = 0, i = 0;
		while (k < 16 && with_exp(rng, UINT64_C(1) << 63))
			k++;
		/* Accepted with exp(-k (k - 1) / 2). */
		while (i < k * (k - 1) && with_exp(rng, UINT64_C(1) << 63))
			i++;
		if (k == 16 || i < k * (k - 1))
			continue;
		/* And x with exp(-x (2 k + x) / 2): k + 1 times exp(-p), p = x (2 k + x) / (2 k + 2). */
		uint64_t x = rp_rng_next(rng);
		u128 p = ((u128)x * (2 * k) + (u128)(((u128)x * x) >> 64)) / (2 * k + 2);
		for (i = 0; i <= k && with_exp(rng, (uint64_t)p);)
			i++;
		if (i <= k)
			continue;
		*fraction = x;
		return k;
	}
}

static uint64_t
gaussian(struct ring *r, uint64_t m)
{
	uint64_t fraction, centre = grouped(r, m);
	unsigned whole = normal_size(&r->rng, &fraction);
	bool ahead = rp_rng_next(&r->rng) >> 63;
	/* One product of doubles, which is the same everywhere, and no sum that a compiler could join to it. */
	double sd = r->sd * (double)r->blocks;
	double size = ((double)fraction * 0x1p-64 + whole) * sd;
	uint64_t far = (uint64_t)llround(size) % r->blocks;
	uint64_t away = ahead || !far ? far : r->blocks - far;
	return (uint64_t)(((u128)centre + away) % r->blocks);
}

struct pattern {
	const char *name;
	uint64_t (*phase)(struct ring *r, uint64_t m);
	const char *takes; /* what stands behind the name */
	bool (*parse)(struct ring *r, char *numbers, struct rp_err *err);
};

static bool
parse_nothing(struct ring *r, char *numbers, struct rp_err *err)
{
	(void)r;
	return !numbers || rp_fail(err, RP_USAGE, "':%.40s': wanted nothing there", numbers);
}

static bool
parse_offset(struct ring *r, char *numbers, struct rp_err *err)
{
	return !numbers || rp_parse_u64(numbers, &r->offset, err);
}

static bool
parse_count(struct ring *r, char *numbers, struct rp_err *err)
{
	if (!rp_parse_u64(numbers ? numbers : "", &r->count, err))
		return false;
	if (r->count < 1 || r->count > r->blocks)
		return rp_fail(err, RP_USAGE, "%" PRIu64 " groups on a ring of %" PRIu64 " blocks",
		    r->count, r->blocks);
	return true;
}

static bool
parse_gaussian(struct ring *r, char *numbers, struct rp_err *err)
{
	char *count = numbers ? strchr(numbers, ':') : NULL;
	if (count)
		*count++ = 0;
	if (!rp_parse_double(numbers ? numbers : "", &r->sd, err))
		return false;
	if (!(r->sd >= 0 && r->sd <= 1))
		return rp_fail(
		    err, RP_USAGE, "a standard deviation of %g rings: wanted 0 to 1", r->sd);
	return !count || parse_count(r, count, err);
}

static const struct pattern patterns[] = {
	{ "coincident", coincident, "", parse_nothing },
	{ "equal", equal, "[:OFFSET]", parse_offset },
	{ "clusters", grouped, ":COUNT", parse_count },
	{ "uniform", uniform, "", parse_nothing },
	{ "gaussian", gaussian, ":SD[:COUNT]", parse_gaussian },
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

static const struct pattern *
find(const char *name, struct rp_err *err)
{
	const char *names[PATTERNS];
	for (size_t i = 0; i < PATTERNS; i++) {
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
		names[i] = patterns[i].name;
	}
	const char *near = rp_nearest(name, names, PATTERNS);
	rp_fail(err, RP_USAGE,
	    "phases '%.40s'%s%s%s: wanted a list, @FILE, or one of coincident, equal[:OFFSET], "
	    "clusters:COUNT, uniform, gaussian:SD[:COUNT]",
	    name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

static bool
by_pattern(char *text, struct ring *r, struct rp_phases *out, struct rp_err *err)
{
	char *numbers = strchr(text, ':');
	if (numbers)
		*numbers++ = 0;
	const struct pattern *p = find(text, err);
	if (!p)
		return false;
	if (!p->parse(r, numbers, err))
		return rp_err_wrap(err, "phases %s%s", p->name, p->takes);
	out->workers = (uint32_t)r->workers;
	out->phase = rp_mem_array(out->workers, sizeof *out->phase, err);
	for (uint64_t m = 0; out->phase && m < r->workers; m++)
		out->phase[m] = p->phase(r, m);
	return out->phase != NULL;
}

static bool
add(struct rp_phases *out, size_t *room, uint64_t phase, struct rp_err *err)
{
	if (out->workers == UINT32_MAX)
		return rp_fail(err, RP_USAGE, "more than %" PRIu32 " phases", UINT32_MAX);
	if (out->workers == *room) {
		uint64_t *more = rp_mem_grow(out->phase, *room * 2 + 64, sizeof *out->phase, err);
		if (!more)
			return false;
		*room = *room * 2 + 64;
		out->phase = more;
	}
	out->phase[out->workers++] = phase;
	return true;
}

/* The phases of an item: a number, or a range of them. */
static bool
add_item(struct rp_phases *out, size_t *room, const char *item, uint64_t blocks, bool wrap,
    struct rp_err *err)
{
	uint64_t one, *x = &one;
	size_t n = 1;
	bool range = strstr(item, "..") != NULL;
	bool ok = range ? rp_parse_list(item, false, &x, &n, err) : rp_parse_u64(item, x, err);
	for (size_t i = 0; ok && i < n; i++) {
		if (x[i] >= blocks && !wrap)
			ok = rp_fail(err, RP_USAGE,
			    "phase %" PRIu64 ": wanted a block, 0 to %" PRIu64, x[i], blocks - 1);
		ok = ok && add(out, room, x[i] % blocks, err);
	}
	if (range && x != &one)
		free(x);
	return ok;
}

static bool
by_list(
    const struct rp_phases_params *p, uint64_t blocks, struct rp_phases *out, struct rp_err *err)
{
	struct rp_items it;
	size_t room = 0;
	if (!rp_items_open(&it, p->phases, err))
		return false;
	bool ok = true;
	while (ok && rp_items_next(&it))
		ok = add_item(out, &room, it.item, blocks, p->wrap, err) || rp_items_wrap(&it, err);
	if (ok && !out->workers)
		ok = rp_fail(err, it.path ? RP_INPUT : RP_USAGE, "%s%swanted at least one phase",
		    it.path ? it.path : "", it.path ? ": " : "");
	if (ok && p->workers && p->workers != out->workers)
		ok = rp_fail(err, RP_USAGE, "%" PRIu32 " phases for %" PRIu32 " workers",
		    out->workers, p->workers);
	rp_items_close(&it);
	return ok;
}

bool
rp_phases_make(const struct rp_phases_params *p, uint64_t blocks, uint64_t seed,
    struct rp_phases *out, struct rp_err *err)
{
	struct ring r = {
		.blocks = blocks,
		.workers = p->workers ? p->workers : 1,
		.count = 1,
		.rng = rp_rng_for(seed, "gen/phases", 0),
	};
	const char *text = p->phases ? p->phases : "coincident";
	*out = (struct rp_phases){ 0 };
	bool ok;
	if ((*text | 32) >= 'a' && (*text | 32) <= 'z') {
		char *copy = rp_mem_string(text, err);
		ok = copy && by_pattern(copy, &r, out, err);
		free(copy);
	} else
		ok = by_list(p, blocks, out, err);
	if (!ok) {
		free(out->phase);
		*out = (struct rp_phases){ 0 };
	}
	return ok;
}
