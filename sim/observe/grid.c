/* grid.c - misses of all LRU caches of a grid in one pass: lookups, names, order of work. The loops are in grid_kernels.c. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/grid_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t
key_bytes(const struct rp_grid *g)
{
	return g->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static struct rp_stacks *
stacks_of(const struct rp_grid *g, size_t line, size_t set)
{
	return &g->stacks[line * g->o.sets + set];
}

/* Empty stacks: pages that are never used stay the system's. */
static bool
make_stacks(const struct rp_grid *g, size_t set, void **memory, void **keys, struct rp_err *err)
{
	*memory = rp_mem_array(((size_t)1 << g->o.set_bits[set]) + 8, g->lanes * key_bytes(g), err);
	*keys = (void *)(((uintptr_t)*memory + 63) & ~(uintptr_t)63);
	return *memory != NULL;
}

/* Clean, and readable a byte behind the last. */
static bool
make_levels(const struct rp_grid *g, size_t set, struct rp_stacks *k, struct rp_err *err)
{
	size_t sets = (size_t)1 << g->o.set_bits[set];
	k->level = rp_mem_aligned(16, sets + 1, level_stride(g->lanes), err);
	return k->level != NULL;
}

/* Names need the bits that choose sets, of the longest line. */
static unsigned
name_bits(const struct rp_grid_opts *o)
{
	unsigned need = o->line_bits[o->lines - 1] - o->line_bits[0] + o->set_bits[o->sets - 1];
	return need < 20 ? 20 : need;
}

struct rp_grid *
rp_grid_new(const struct rp_grid_opts *o, struct rp_err *err)
{
	struct rp_grid *g = rp_mem_array(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->o = *o;
	g->lanes = o->ways <= 8 ? 8 : o->ways <= 16 ? 16 : (o->ways + 7) / 8 * 8;
	g->kernels = rp_kernels_of(o->level)->grid;
	g->wide = name_bits(o) > 28;
	for (size_t l = 0; l < o->lines; l++)
		g->some |= o->wanted[l] != 0;
	g->stacks = rp_mem_array(o->lines * o->sets, sizeof *g->stacks, err);
	if (!g->stacks || (!g->wide && !rp_names_open(&g->names, name_bits(o), o->level, err)))
		goto bad;
	for (size_t l = 0; l < o->lines; l++)
		for (size_t s = 0; s < o->sets; s++) {
			struct rp_stacks *k = stacks_of(g, l, s);
			if (!make_stacks(g, s, &k->memory, &k->keys, err) ||
			    (o->writes && !make_levels(g, s, k, err)))
				goto bad;
		}
	return g;
bad:
	rp_grid_free(g);
	return NULL;
}

void
rp_grid_free(struct rp_grid *g)
{
	if (!g)
		return;
	for (size_t i = 0; g->stacks && i < g->o.lines * g->o.sets; i++) {
		free(g->stacks[i].memory);
		free(g->stacks[i].level);
	}
	free(g->stacks);
	rp_names_close(&g->names);
	free(g);
}

/* The key of line numbers for one of names, both of lines `shift` doublings longer than the smallest. */
static uint64_t
widened(const struct rp_grid *g, uint32_t name, unsigned shift)
{
	unsigned bits = g->names.bits - shift;
	uint64_t region = g->names.region[name >> bits];
	return (region << bits | (name & ((UINT32_C(1) << bits) - 1))) | RP_GRID_WIDE >> shift;
}

/* From here on keys are line numbers: names have run out. */
static bool
widen(struct rp_grid *g, struct rp_err *err)
{
	g->wide = true;
	for (size_t l = 0; l < g->o.lines; l++) {
		unsigned shift = g->o.line_bits[l] - g->o.line_bits[0];
		if (g->last[l])
			g->last[l] = widened(g, (uint32_t)g->last[l], shift);
		for (size_t s = 0; s < g->o.sets; s++) {
			struct rp_stacks *k = stacks_of(g, l, s);
			const uint32_t *from = k->keys;
			void *memory, *keys;
			if (!make_stacks(g, s, &memory, &keys, err))
				return false;
			for (size_t i = 0; i < (size_t)g->lanes << g->o.set_bits[s]; i++)
				if (from[i])
					((uint64_t *)keys)[i] = widened(g, from[i], shift);
			free(k->memory);
			k->memory = memory;
			k->keys = keys;
		}
	}
	return true;
}

static bool
is_wanted(const struct rp_grid *g, size_t line, size_t set)
{
	return !g->some || (g->o.wanted[line] >> set & 1);
}

/* One set count of some line sizes. */
static void
run_sets(struct rp_grid *g, size_t set, struct rp_visit *v, size_t lines)
{
	unsigned size = g->lanes == 8 ? 0 : g->lanes == 16 ? 1 : 2;
	struct rp_visit some[RP_GRID_MAX];
	size_t n = 0;
	for (size_t l = 0; l < lines; l++) {
		if (!is_wanted(g, v[l].line, set))
			continue;
		some[n] = v[l];
		some[n].stacks = stacks_of(g, v[l].line, set);
		some[n++].mask = (UINT32_C(1) << g->o.set_bits[set]) - 1;
		g->visits += v[l].n;
	}
	g->kernels->visit[g->o.writes][g->wide][size](some, n, g->lanes);
	for (size_t l = 0, k = 0; l < lines; l++)
		if (is_wanted(g, v[l].line, set))
			v[l].n = some[k++].n;
}

/* Pairs dropped, `shift` doublings of the line ago: those whose lines are one now were repeats, and are forgotten. */
static size_t
count_pairs(struct rp_grid *g, size_t line, size_t pairs, unsigned shift)
{
	size_t kept = 0;
	for (size_t i = 0; i < pairs; i++) {
		uint64_t differ = g->pair[i] >> shift;
		g->pair[kept] = differ;
		kept += differ != 0;
		g->pairs[line][differ ? __builtin_ctzll(differ) : 63] += differ != 0;
	}
	return kept;
}

/* The list of line size number l from that of the one before: its length. */
static size_t
lengthened(struct rp_grid *g, size_t l, size_t n)
{
	unsigned shift = g->o.line_bits[l] - g->o.line_bits[l - 1];
	if (!g->o.writes)
		return g->kernels->lengthen[g->wide](
		    g->list[l - 1], n, shift, &g->last[l], g->list[l]);
	return g->kernels->lengthen_bits[g->wide](
	    g->list[l - 1], g->bits[l - 1], n, shift, &g->last[l], g->list[l], g->bits[l]);
}

static size_t
stripped(struct rp_grid *g, size_t l, size_t n, size_t *pairs)
{
	return g->o.writes
	           ? g->kernels->strip_bits[g->wide](g->list[l], g->bits[l], n, g->pair, pairs)
	           : g->kernels->strip[g->wide](g->list[l], n, g->pair, pairs);
}

/* Lookups list[0][0..n), without repeats, of the smallest line size through everything. */
static void
run_list(struct rp_grid *g, size_t n)
{
	const struct rp_grid_opts *o = &g->o;
	struct rp_visit v[RP_GRID_MAX];
	size_t pairs = 0;
	for (size_t l = 0; l < o->lines; l++) {
		size_t before = 0;
		if (l) {
			n = lengthened(g, l, n);
			before = pairs =
			    count_pairs(g, l, pairs, o->line_bits[l] - o->line_bits[l - 1]);
		}
		n = stripped(g, l, n, &pairs);
		for (size_t i = before; i < pairs; i++)
			g->pairs[l][__builtin_ctzll(g->pair[i])]++;
		v[l] = (struct rp_visit){ .line = l,
			.list = g->list[l],
			.bits = g->bits[l],
			.n = n,
			.fallen = g->fallen,
			.enter = g->enter };
	}
	size_t few = 0;
	while (few < o->sets && o->set_bits[few] <= RP_GRID_FEW)
		few++;
	for (size_t s = 0; s < few; s++)
		run_sets(g, s, v, o->lines);
	for (size_t l = 0; l < o->lines; l++)
		for (size_t s = few; s < o->sets; s++)
			run_sets(g, s, v + l, 1);
}

/* line[from..from + n), line numbers or names, as keys without repeats. */
static size_t
keys_of(struct rp_grid *g, size_t from, size_t n)
{
	uint64_t before = g->last[0], high = g->wide ? RP_GRID_WIDE : 0;
	uint32_t *narrow = (uint32_t *)(void *)g->list[0];
	size_t kept = 0;
	for (size_t i = from; i < from + n; i++) {
		uint64_t key = g->line[i] | high;
		if (g->wide)
			g->list[0][kept] = key;
		else
			narrow[kept] = (uint32_t)key;
		kept += g->o.writes || key != before;
		before = key;
	}
	if (g->o.writes)
		return g->kernels->lengthen_bits[g->wide](
		    g->list[0], g->line_bits + from, n, 0, &g->last[0], g->list[0], g->bits[0]);
	g->last[0] = before;
	return kept;
}

/* line[0..n), line numbers of the smallest size. */
static bool
run_lines(struct rp_grid *g, size_t n, struct rp_err *err)
{
	size_t named = g->wide ? n : rp_names_give(&g->names, g->line, n);
	run_list(g, keys_of(g, 0, named));
	if (named == n)
		return true;
	if (!widen(g, err))
		return false;
	run_list(g, keys_of(g, named, n - named));
	return true;
}

/* Lookups beyond the first of a row, of each line size. */
static void
count_more(struct rp_grid *g, uint64_t first, uint64_t last, uint8_t kind)
{
	for (size_t l = 0; l < g->o.lines; l++)
		g->more[l][kind] += (last >> g->o.line_bits[l]) - (first >> g->o.line_bits[l]);
}

/* A mark, as far as it concerns stacks. */
static void
see_mark(struct rp_grid *g, uint8_t kind)
{
	g->drops |= kind == RP_INVALIDATE || (kind == RP_COPY_BACK && g->o.writes);
}

static uint8_t
bits_of(uint8_t kind)
{
	return (uint8_t)((kind == RP_WRITE ? RP_GRID_FIRST | RP_GRID_DIRTIES : 0) |
			 (kind == RP_ATOMIC ? RP_GRID_DIRTIES : 0));
}

/* Rows of a batch, crossing lines or not, from *row on, to up to a chunk of lines of the smallest size. *next: where in the
 * row at hand to go on, if not from its beginning. */
static size_t
fill_chunk(struct rp_grid *g, const struct rp_batch *b, size_t *row, uint64_t *next)
{
	unsigned bits = g->o.line_bits[0];
	size_t n = 0, i = *row;
	for (; i < b->n && n < RP_GRID_CHUNK; i++) {
		if (__builtin_expect(b->kind[i] >= RP_MARKS, 0)) {
			see_mark(g, b->kind[i]);
			continue;
		}
		uint64_t first = b->addr[i], last = rp_batch_last(b, i);
		uint64_t line = first >> bits, end = last >> bits;
		g->line_bits[n] = bits_of(b->kind[i]);
		if (__builtin_expect(line == end, 1)) {
			g->line[n++] = line;
			continue;
		}
		if (*next)
			line = *next;
		while (line <= end && n < RP_GRID_CHUNK) {
			g->line_bits[n] = bits_of(b->kind[i]);
			g->line[n++] = line++;
		}
		*next = line <= end ? line : 0;
		if (*next)
			break;
		count_more(g, first, last, b->kind[i]);
	}
	*row = i;
	return n;
}

static size_t
count_kind(const struct rp_batch *b, unsigned kind)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		n += b->kind[i] == kind;
	return n;
}

bool
rp_grid_run(struct rp_grid *g, const struct rp_batch *b, struct rp_err *err)
{
	uint64_t next = 0;
	for (unsigned k = 0; k < RP_KINDS; k++)
		g->rows[k] += count_kind(b, k);
	for (size_t row = 0; row < b->n;)
		if (!run_lines(g, fill_chunk(g, b, &row, &next), err))
			return false;
	return true;
}

bool
rp_grid_drops(const struct rp_grid *g)
{
	return g->drops;
}

uint64_t
rp_grid_kind(const struct rp_grid *g, size_t line, enum rp_kind kind)
{
	return g->rows[kind] + g->more[line][kind];
}

uint64_t
rp_grid_lookups(const struct rp_grid *g, size_t line)
{
	uint64_t n = 0;
	for (unsigned k = 0; k < RP_KINDS; k++)
		n += rp_grid_kind(g, line, k);
	return n;
}

static uint64_t
found_behind(const struct rp_stacks *k, unsigned write, unsigned ways, unsigned lanes)
{
	uint64_t n = 0;
	for (unsigned p = ways; p <= lanes; p++)
		n += k->at[write][p];
	return n;
}

uint64_t
rp_grid_misses(const struct rp_grid *g, size_t line, size_t set, unsigned ways)
{
	const struct rp_stacks *k = stacks_of(g, line, set);
	uint64_t n = found_behind(k, 0, ways, g->lanes) + found_behind(k, 1, ways, g->lanes);
	/* Each of a pair dropped is found behind the other, if they share a set, and first if not. */
	for (unsigned bit = g->o.set_bits[set]; ways == 1 && bit < 64; bit++)
		n += 2 * g->pairs[line][bit];
	return n;
}

uint64_t
rp_grid_write_misses(const struct rp_grid *g, size_t line, size_t set, unsigned ways)
{
	return found_behind(stacks_of(g, line, set), 1, ways, g->lanes);
}

uint64_t
rp_grid_writebacks(const struct rp_grid *g, size_t line, size_t set, unsigned ways)
{
	return stacks_of(g, line, set)->back[ways - 1];
}

uint64_t
rp_grid_there(const struct rp_grid *g, size_t line, size_t set, unsigned ways)
{
	const struct rp_stacks *k = stacks_of(g, line, set);
	const uint32_t *narrow = k->keys;
	const uint64_t *wide = k->keys;
	uint64_t n = 0;
	for (size_t s = 0; s < (size_t)1 << g->o.set_bits[set]; s++)
		for (size_t i = s * g->lanes; i < s * g->lanes + ways; i++)
			n += g->wide ? wide[i] != 0 : narrow[i] != 0;
	return n;
}

uint64_t
rp_grid_dirty(const struct rp_grid *g, size_t line, size_t set, unsigned ways)
{
	const uint8_t *level = stacks_of(g, line, set)->level;
	size_t stride = level_stride(g->lanes);
	uint64_t n = 0;
	for (size_t s = 0; s < (size_t)1 << g->o.set_bits[set]; s++)
		for (unsigned j = 0; j < ways; j++)
			n += level[s * stride + j] && level[s * stride + j] <= ways;
	return n;
}

uint64_t
rp_grid_visits(const struct rp_grid *g)
{
	return g->visits;
}
