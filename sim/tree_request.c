/* tree_request.c - lookups and requests of a slice as those of its level: what it asks for, as an access of the level below;
 * what misses most. */
#include "config.h"

#include "sim/tree_state.h"

/* The mask of bytes lo..hi of a GPU transaction, for an access that has only those (traces/batch.h). */
static uint32_t
clip_mask(const struct rp_access *a, uint64_t lo, uint64_t hi)
{
	uint64_t size = hi - lo + 1, g = a->size > 32 ? a->size / 32 : 1,
		 of = a->addr & ~(32 * g - 1);
	uint64_t unit = size > 32 ? size / 32 : 1, segment = lo & ~(32 * unit - 1);
	uint32_t mask = 0;
	for (uint64_t i = 0; i < 32; i++) {
		uint64_t byte = segment + i * unit;
		if (byte >= lo && byte <= hi && byte - of < 32 * g &&
		    a->mask >> (byte - of) / g & 1)
			mask |= UINT32_C(1) << i;
	}
	return mask;
}

struct rp_access
tree_clip(const struct rp_batch *b, size_t row, uint64_t first, uint64_t last)
{
	struct rp_access a = rp_batch_get(b, row);
	uint64_t end = rp_batch_last(b, row), lo = a.addr > first ? a.addr : first,
		 hi = end < last ? end : last;
	if (lo == a.addr && hi == end)
		return a;
	if (a.mask && a.size <= 128)
		a.mask = clip_mask(&a, lo, hi);
	a.addr = lo;
	a.size = (uint32_t)(hi - lo + 1);
	return a;
}

bool
tree_touches(const struct level *l, const struct rp_batch *b, size_t row, uint64_t line)
{
	uint64_t start = line << (l->line_bits + l->slices.sectors);
	if (!b->mask || !b->mask[row] || b->size[row] > 128)
		return true;
	return tree_clip(b, row, start, start + (l->spec->cache.line - 1)).mask;
}

uint64_t
tree_bytes(const struct rp_access *a)
{
	if (!a->mask || a->size > 128)
		return a->size;
	return (uint64_t)__builtin_popcount(a->mask) * (a->size > 32 ? a->size / 32 : 1);
}

struct rp_access
tree_request(const struct level *l, const struct unit *u, const struct rp_requests *asks, size_t k,
    const struct rp_batch *rows)
{
	size_t row = asks->row[k];
	uint64_t at = asks->addr[k], in_line = l->spec->cache.sector - 1, start = at & ~in_line;
	uint64_t home = tree_line(l, u, at >> l->line_bits) << l->line_bits;
	struct rp_access a;
	if (asks->what[k] == RP_ASK_WRITE) {
		a = tree_clip(rows, row, start, start | in_line);
		a.addr = home + (a.addr - start);
		a.kind = RP_WRITE;
	} else {
		uint8_t kind = rows->kind[row];
		a = rp_batch_get(rows, row);
		a.addr = home + (at - start);
		a.size = asks->bytes[k];
		a.mask = 0;
		a.kind = asks->what[k] == RP_ASK_BACK              ? RP_WRITE
		         : kind == RP_FETCH || kind == RP_PREFETCH ? kind
		                                                   : RP_READ;
	}
	a.flags &= RP_SPACE;
	return a;
}

bool
tree_rank(struct rp_tree *t, struct level *l, const struct unit *u, const struct rp_lookups *in,
    const struct rp_result *r, struct rp_err *err)
{
	unsigned sectors = l->slices.sectors;
	if (l->slices.n == 1)
		return rp_ranking_chunk(l->ranking, in, r->outcome, r->class, r->victim, err);
	if (!t->ranked && !(t->ranked = rp_mem_array(2 * RP_CHUNK, sizeof *t->ranked, err)))
		return false;
	struct rp_lookups look = *in;
	uint64_t *line = t->ranked, *victim = line + RP_CHUNK;
	look.line = line;
	for (size_t i = 0; i < in->n; i++) {
		line[i] = tree_line(l, u, in->line[i]);
		if (r->outcome[i] & RP_EVICTED)
			victim[i] = tree_line(l, u, r->victim[i] << sectors) >> sectors;
	}
	return rp_ranking_chunk(l->ranking, &look, r->outcome, r->class, victim, err);
}
