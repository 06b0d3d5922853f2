/* layout.c - where the lines of a synthesised trace lie. */
#include "config.h"

#include "gen/layout.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BITS_MOST = 56, SPREAD_BITS = 20, REGIONS_MOST = 1 << 20, RUN_MOST = 1 << 20 };

const char rp_layout_wanted[] = "id, random[:BITS[:KEY]], sequential, strided:S, "
				"tile2d:WIDTH:PITCH:ROWS, regions:R or runs:M";

/* Names, how many numbers follow, at least and at most, and the largest of the first. */
static const struct kind {
	const char *name;
	unsigned least, most;
	uint64_t largest;
} kinds[] = {
	[RP_LAYOUT_ID] = { "id", 0, 0, 0 },
	[RP_LAYOUT_RANDOM] = { "random", 0, 2, BITS_MOST },
	[RP_LAYOUT_SEQUENTIAL] = { "sequential", 0, 0, 0 },
	[RP_LAYOUT_STRIDED] = { "strided", 1, 1, UINT64_C(1) << 32 },
	[RP_LAYOUT_TILE2D] = { "tile2d", 3, 3, UINT64_C(1) << 32 },
	[RP_LAYOUT_REGIONS] = { "regions", 1, 1, REGIONS_MOST },
	[RP_LAYOUT_RUNS] = { "runs", 1, 1, RUN_MOST },
};

/* Up to three numbers behind colons: how many, or -1. */
static int
numbers(const char *text, uint64_t *to)
{
	int n = 0;
	for (; *text == ':'; n++) {
		char one[24];
		size_t len = strcspn(++text, ":");
		if (n == 3 || len >= sizeof one)
			return -1;
		memcpy(one, text, len);
		one[len] = 0;
		if (!rp_parse_u64(one, to + n, NULL))
			return -1;
		text += len;
	}
	return *text ? -1 : n;
}

static bool
fits(const struct rp_layout_spec *s, int n)
{
	switch (s->kind) {
	case RP_LAYOUT_RANDOM:
		return !n || (s->a >= 2 && s->a % 2 == 0 && s->a <= BITS_MOST);
	case RP_LAYOUT_TILE2D:
		return s->a && s->a <= s->b && s->b <= kinds[s->kind].largest && s->c &&
		       s->c <= kinds[s->kind].largest;
	default:
		return !n || (s->a && s->a <= kinds[s->kind].largest);
	}
}

bool
rp_layout_parse(const char *text, struct rp_layout_spec *out, struct rp_err *err)
{
	size_t name = strcspn(text, ":");
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		uint64_t x[3] = { 0 };
		if (strncmp(kinds[k].name, text, name) || kinds[k].name[name])
			continue;
		int n = numbers(text + name, x);
		*out = (struct rp_layout_spec){ k, x[0], x[1], x[2], n == 2 };
		if (n >= (int)kinds[k].least && n <= (int)kinds[k].most && fits(out, n))
			return true;
		break;
	}
	return rp_fail(err, RP_USAGE,
	    "'%.60s' is no layout: wanted %s (BITS even, 2 to %d; PITCH at least WIDTH)", text,
	    rp_layout_wanted, BITS_MOST);
}

uint64_t
rp_layout_scatter(uint64_t x, unsigned bits, uint64_t key)
{
	const uint64_t mask = (UINT64_C(1) << bits) - 1,
		       a = (UINT64_C(0x9e3779b97f4a7c15) & mask) | 1,
		       b = (UINT64_C(0xd1b54a32d192ed03) & mask) | 1;
	x = (x ^ key) & mask;
	x = x * a & mask;
	x ^= x >> bits / 2;
	x = x * b & mask;
	x ^= x >> bits / 2;
	return (x + (key >> 7)) & mask;
}

/* Bits that numbers below n need. */
static unsigned
bits_of(uint64_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

static bool
too_many(const struct rp_layout *l, struct rp_err *err)
{
	return rp_fail(err, RP_USAGE, "layout %s has no room for %" PRIu64 " lines",
	    kinds[l->spec.kind].name, l->lines);
}

static bool
open_random(struct rp_layout *l, struct rp_err *err)
{
	unsigned bits = l->spec.a ? (unsigned)l->spec.a : 40;
	l->spec.a = bits;
	l->key = l->spec.keyed ? l->spec.b : rp_xoshiro_next(&l->rng);
	l->span = UINT64_C(1) << bits;
	return l->lines <= l->span || too_many(l, err);
}

/* Tiles stand side by side until a row is full, then one band of rows lower. */
static uint64_t
tile(const struct rp_layout_spec *s, uint64_t id)
{
	uint64_t width = s->a, pitch = s->b, rows = s->c, beside = pitch / width;
	uint64_t t = id / (width * rows), row = id / width % rows, band = t / beside;
	return (band * rows + row) * pitch + t % beside * width + id % width;
}

static bool
open_tiles(struct rp_layout *l, struct rp_err *err)
{
	const struct rp_layout_spec *s = &l->spec;
	uint64_t each = s->a * s->c, bands; /* up to 2^64 - 1 for width and rows of 2^32 less 1 */
	if (each / s->c != s->a)
		return too_many(l, err);
	bands = (l->lines - 1) / each / (s->b / s->a) + 1;
	return (!__builtin_mul_overflow(bands, s->c, &l->span) &&
		   !__builtin_mul_overflow(l->span, s->b, &l->span)) ||
	       too_many(l, err);
}

/* Regions begin at a random line of room of their own, enough for all lines. */
static bool
open_regions(struct rp_layout *l, struct rp_err *err)
{
	l->spread = UINT64_C(1) << bits_of(l->lines + (UINT64_C(1) << SPREAD_BITS));
	if (__builtin_mul_overflow(l->spread, l->spec.a, &l->span))
		return too_many(l, err);
	if (!l->region)
		l->region = rp_mem_array(l->spec.a, sizeof *l->region, err);
	for (uint64_t i = 0; l->region && i < l->spec.a; i++)
		l->region[i] =
		    i * l->spread + rp_xoshiro_below(&l->rng, UINT64_C(1) << SPREAD_BITS);
	return l->region != NULL;
}

/* Run number r has a place of twice its longest length, the one that the bijection sends r to. */
static bool
open_runs(struct rp_layout *l, struct rp_err *err)
{
	unsigned room = bits_of(l->spec.a) + 1, bits = room < 38 ? (40 - room) & ~1u : 2;
	while (bits < bits_of(l->lines))
		bits += 2;
	l->spread = UINT64_C(1) << room;
	l->spec.b = bits;
	l->key = rp_xoshiro_next(&l->rng);
	l->span = UINT64_C(1) << (bits + room);
	return bits + room <= BITS_MOST || too_many(l, err);
}

static bool
begin(struct rp_layout *l, struct rp_err *err)
{
	l->next = l->run = l->left = 0;
	l->rng = l->first;
	l->span = l->lines;
	switch (l->spec.kind) {
	case RP_LAYOUT_RANDOM:
		return open_random(l, err);
	case RP_LAYOUT_STRIDED:
		return !__builtin_mul_overflow(l->lines, l->spec.a, &l->span) || too_many(l, err);
	case RP_LAYOUT_TILE2D:
		return open_tiles(l, err);
	case RP_LAYOUT_REGIONS:
		return open_regions(l, err);
	case RP_LAYOUT_RUNS:
		return open_runs(l, err);
	default:
		return true;
	}
}

bool
rp_layout_open(struct rp_layout *l, const struct rp_layout_spec *spec, uint64_t lines,
    struct rp_xoshiro rng, struct rp_err *err)
{
	*l = (struct rp_layout){ .spec = *spec, .first = rng, .lines = lines ? lines : 1 };
	return begin(l, err);
}

void
rp_layout_close(struct rp_layout *l)
{
	free(l->region);
	*l = (struct rp_layout){ 0 };
}

static uint64_t
next_of_run(struct rp_layout *l)
{
	if (!l->left) {
		l->left = 1 + rp_xoshiro_below(&l->rng, l->spec.a);
		l->at = rp_layout_scatter(l->run++, (unsigned)l->spec.b, l->key) * l->spread +
		        rp_xoshiro_below(&l->rng, l->spread - l->left + 1);
	}
	l->left--;
	return l->at++;
}

uint64_t
rp_layout_next(struct rp_layout *l)
{
	/* It was possible before, and takes no memory now. */
	if (l->next == l->lines && !begin(l, NULL))
		return 0;
	uint64_t id = l->next++;
	switch (l->spec.kind) {
	case RP_LAYOUT_RANDOM:
		return rp_layout_scatter(id, (unsigned)l->spec.a, l->key);
	case RP_LAYOUT_STRIDED:
		return id * l->spec.a;
	case RP_LAYOUT_TILE2D:
		return tile(&l->spec, id);
	case RP_LAYOUT_REGIONS:
		return l->region[rp_xoshiro_below(&l->rng, l->spec.a)]++;
	case RP_LAYOUT_RUNS:
		return next_of_run(l);
	default:
		return id;
	}
}

uint64_t
rp_layout_span(const struct rp_layout *l)
{
	return l->span;
}
