/* tree_marks.c - what happens in a hierarchy between accesses: ends of kernels, copies from the host, lines written back or
 * dropped, the flush at the end. */
#include "config.h"

#include "sim/tree_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A line that is dirty goes to the next level that has it, or to memory; no lookup is made for it. Of an instance's lines
 * from `address` on, `bytes` of them. */
static void
settle(struct rp_tree *t, const struct instance *from, uint64_t address, uint64_t bytes)
{
	const struct instance *to = from->below;
	if (!to) {
		struct rp_access a = { .addr = address, .size = (uint32_t)bytes, .kind = RP_WRITE };
		tree_remember(t, &a);
		return;
	}
	const struct level *l = &t->level[to->level];
	uint64_t line = address >> l->line_bits, last = (address + (bytes - 1)) >> l->line_bits;
	for (;; line++) {
		uint64_t local,
		    part = l->spec->cache.sector < bytes ? l->spec->cache.sector : bytes;
		struct unit *u = tree_slice(l, to, line, &local);
		if (l->spec->cache.write != RP_WRITE_BACK || !rp_module_soil(u->module, local))
			settle(t, to,
			    line == address >> l->line_bits ? address : line << l->line_bits, part);
		if (line == last)
			return;
	}
}

/* Addresses of dirty lines of a unit. */
struct dirty_lines {
	const struct level *l;
	const struct unit *u;
	uint64_t first, last; /* of the bytes asked for */
	uint64_t *address;
	size_t n, room;
	struct rp_err *err;
	bool failed;
};

static void
note_dirty(void *to, uint64_t line, bool dirty)
{
	struct dirty_lines *d = to;
	uint64_t address = tree_line(d->l, d->u, line) << d->l->line_bits;
	if (!dirty || d->failed || address > d->last ||
	    address + (d->l->spec->cache.sector - 1) < d->first)
		return;
	if (d->n == d->room) {
		size_t room = d->room ? 2 * d->room : 256;
		uint64_t *grown = rp_mem_grow(d->address, room, sizeof *grown, d->err);
		d->failed = !grown;
		if (!grown)
			return;
		d->address = grown;
		d->room = room;
	}
	d->address[d->n++] = address;
}

static int
by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Lines of a unit that have bytes first..last: as numbers there, all of them if it is a slice. */
static void
range_of(const struct level *l, uint64_t *first, uint64_t *last)
{
	*first = l->slices.n > 1 ? 0 : *first >> l->line_bits;
	*last = l->slices.n > 1 ? UINT64_MAX : *last >> l->line_bits;
}

/* Writes an instance's dirty lines of bytes first..last back, in ascending order; they stay, clean. They count for no
 * stream. */
static bool
write_back(
    struct rp_tree *t, struct instance *in, uint64_t first, uint64_t last, struct rp_err *err)
{
	struct level *l = &t->level[in->level];
	bool ok = true;
	for (uint32_t s = 0; ok && s < l->slices.n; s++) {
		struct unit *u = &in->unit[s];
		struct dirty_lines d = { .l = l, .u = u, .first = first, .last = last, .err = err };
		uint64_t low = first, high = last, local, lines = 0;
		range_of(l, &low, &high);
		rp_module_walk(u->module, low, high, note_dirty, &d);
		if (d.n)
			qsort(d.address, d.n, sizeof *d.address, by_address);
		for (size_t i = 0; i < d.n; i++) {
			tree_slice(l, in, d.address[i] >> l->line_bits, &local);
			rp_module_clean(u->module, local, local);
			settle(t, in, d.address[i], l->spec->cache.sector);
			lines += !i || (d.address[i] ^ d.address[i - 1]) >= l->spec->cache.line;
		}
		u->total.writebacks += t->count ? lines : 0;
		u->total.bytes_written += t->count ? d.n * l->spec->cache.sector : 0;
		free(d.address);
		ok = !d.failed;
	}
	return ok;
}

/* Drops an instance's lines of bytes first..last. */
static void
drop(struct rp_tree *t, struct instance *in, uint64_t first, uint64_t last)
{
	struct level *l = &t->level[in->level];
	if (l->slices.n == 1 || last - first == UINT64_MAX) {
		for (uint32_t s = 0; s < l->slices.n; s++)
			rp_module_drop(in->unit[s].module, first >> l->line_bits,
			    l->slices.n > 1 ? UINT64_MAX : last >> l->line_bits);
		return;
	}
	for (uint64_t line = first >> l->line_bits;; line++) {
		uint64_t local;
		struct unit *u = tree_slice(l, in, line, &local);
		rp_module_drop(u->module, local, local);
		if (line == last >> l->line_bits)
			return;
	}
}

/* Brings the lines of a copy from the host into an instance. */
static bool
warm(struct rp_tree *t, struct instance *in, uint64_t first, uint64_t last, struct rp_err *err)
{
	struct level *l = &t->level[in->level];
	for (uint64_t line = first >> l->line_bits;; line++) {
		if (!tree_warm(t, in, line, err))
			return false;
		if (line == last >> l->line_bits)
			return true;
	}
}

/* Lines that a cache of GPGPU-Sim wrote back, of so many bytes together; it tells not which, so they go to memory. */
static void
written_back(struct rp_tree *t, struct unit *u, uint64_t lines, uint64_t bytes)
{
	if (!t->count)
		return;
	rp_tally_back(&u->tally, lines, bytes, &u->total);
	t->memory.writes += lines;
	t->memory.bytes_written += bytes;
}

static bool
mark_instance(struct rp_tree *t, struct instance *in, const struct rp_batch *b, size_t row,
    struct rp_err *err)
{
	const struct rp_level_spec *l = t->level[in->level].spec;
	uint64_t first = b->addr[row], last = rp_batch_last(b, row), lines;
	if (l->cache.gpu) {
		struct unit *u = &in->unit[0];
		if (!rp_module_mark(u->module, b, row, &lines, err))
			return false;
		written_back(t, u, lines, rp_module_back_bytes(u->module));
		return true;
	}
	switch (b->kind[row]) {
	case RP_KERNEL_END:
		if (!l->empties)
			return true;
		if (!write_back(t, in, 0, UINT64_MAX, err))
			return false;
		drop(t, in, 0, UINT64_MAX);
		return true;
	case RP_HOST_COPY:
		return !l->warms || warm(t, in, first, last, err);
	case RP_COPY_BACK:
		return write_back(t, in, first, last, err);
	default:
		drop(t, in, first, last);
		return true;
	}
}

bool
tree_mark(struct rp_tree *t, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[t->order[i]];
		for (size_t k = 0; k < l->instances; k++)
			if (!mark_instance(t, l->instance[k], b, row, err))
				return false;
	}
	return true;
}

static bool
flush(struct rp_tree *t, struct instance *in, struct rp_err *err)
{
	if (!t->level[in->level].spec->cache.gpu)
		return write_back(t, in, 0, UINT64_MAX, err);
	struct unit *u = &in->unit[0];
	uint64_t lines = rp_module_flush(u->module);
	written_back(t, u, lines, rp_module_back_bytes(u->module));
	return true;
}

bool
tree_flush(struct rp_tree *t, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[t->order[i]];
		for (size_t k = 0; k < l->instances; k++)
			if (!flush(t, l->instance[k], err))
				return false;
	}
	return true;
}
