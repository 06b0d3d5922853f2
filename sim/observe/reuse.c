/* reuse.c - exact reuse distances: names, the first lines, room for more. The loops are in reuse_kernels.c. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/reuse_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 128, FIRST_SLOTS = 512, SPARE_SLOTS = 65536 };
enum { LINES_MOST = 1 << 29 }; /* slot numbers have 32 bits, and there are four for each line */

/* Entries that a table of `cap` may hold: two of three. */
static uint64_t
load_of(uint64_t cap)
{
	return cap - cap / 3;
}

static size_t
entry_bytes(const struct rp_reuse *r)
{
	return r->wide ? sizeof(struct rp_numbered) : sizeof(struct rp_named);
}

static size_t
nodes(uint64_t slots, unsigned bits, unsigned row)
{
	return (size_t)((((slots >> bits) + 1) + row - 1) / row * row);
}

/* Slots 0..slots - 1, none of them live, in place of those there were; `place` is kept. Pages that are never used stay the
 * system's. */
static bool
make_slots(struct rp_reuse *r, uint32_t slots, struct rp_err *err)
{
	size_t words = nodes(slots, 6, RP_WORDS), blocks = nodes(slots, 11, RP_BLOCKS),
	       groups = nodes(slots, 16, RP_GROUPS), megas = nodes(slots, 20, 1);
	size_t bytes = words * 8 + words * 2 + blocks * 2 + groups * 4 + megas * 4;
	uint32_t *place = rp_mem_grow(r->place, slots, sizeof *place, err);
	if (!place)
		return false;
	r->place = place;
	char *m = rp_mem_array(1, bytes, err);
	if (!m)
		return false;
	free(r->memory);
	r->memory = m;
	r->live = (uint64_t *)(void *)m;
	r->group = (uint32_t *)(void *)(m += words * 8);
	r->mega = (uint32_t *)(void *)(m += groups * 4);
	r->word = (uint16_t *)(void *)(m += megas * 4);
	r->block = (uint16_t *)(void *)(m + words * 2);
	r->slots = slots;
	r->bytes = r->cap * entry_bytes(r) + (uint64_t)slots * sizeof *place + bytes;
	return true;
}

/* Slots below `end` that are live when 1..live are. */
static uint32_t
live_below(uint64_t end, uint64_t live)
{
	return (uint32_t)(end <= 1 ? 0 : end - 1 < live ? end - 1 : live);
}

/* Marks slots 1..live, and counts them for every node: of those before it, within its parent. */
static void
count_live(struct rp_reuse *r, uint64_t live)
{
	for (uint64_t s = 1; s <= live; s++)
		r->live[s >> 6] |= UINT64_C(1) << s % 64;
	for (uint64_t w = 0; w < nodes(r->slots, 6, RP_WORDS); w++)
		r->word[w] = (uint16_t)(live_below(w << 6, live) - live_below(w >> 5 << 11, live));
	for (uint64_t b = 0; b < nodes(r->slots, 11, RP_BLOCKS); b++)
		r->block[b] =
		    (uint16_t)(live_below(b << 11, live) - live_below(b >> 5 << 16, live));
	for (uint64_t g = 0; g < nodes(r->slots, 16, RP_GROUPS); g++)
		r->group[g] = live_below(g << 16, live) - live_below(g >> 4 << 20, live);
	for (uint64_t m = 0; m < nodes(r->slots, 20, 1); m++)
		r->mega[m] = live_below(m << 20, live);
}

static uint32_t *
slot_at(const struct rp_reuse *r, uint64_t at)
{
	return r->wide ? &((struct rp_numbered *)r->table)[at].slot
	               : &((struct rp_named *)r->table)[at].slot;
}

/* The living in order to the front, in slots enough for four times as many, and for those that come next. */
static bool
compact(struct rp_reuse *r, size_t next, struct rp_err *err)
{
	uint32_t n = 1;
	for (size_t w = 0; w < nodes(r->slots, 6, RP_WORDS); w++)
		for (uint64_t bits = r->live[w]; bits; bits &= bits - 1)
			r->place[n++] = r->place[w * 64 + (unsigned)__builtin_ctzll(bits)];
	uint64_t slots = 4 * (uint64_t)n + (n < SPARE_SLOTS ? FIRST_SLOTS + 4 * next : SPARE_SLOTS);
	if (slots < r->slots)
		slots = r->slots;
	if (!make_slots(r, (uint32_t)slots, err))
		return false;
	for (uint32_t s = 1; s < n; s++)
		*slot_at(r, r->place[s]) = s;
	count_live(r, n - 1);
	r->now = n;
	r->tail = 0;
	return true;
}

static uint64_t
key_at(const struct rp_reuse *r, uint64_t at)
{
	return r->wide ? ((struct rp_numbered *)r->table)[at].line
	               : ((struct rp_named *)r->table)[at].name;
}

/* The free entry where a line goes that is not there. */
static uint64_t
free_entry(const struct rp_reuse *r, uint64_t key)
{
	uint64_t i = rp_reuse_home(key, r->wide, r->cap);
	while (*slot_at(r, i))
		i = i + 1 < r->cap ? i + 1 : 0;
	return i;
}

static void
put_entry(struct rp_reuse *r, uint64_t key, uint32_t slot)
{
	uint64_t at = free_entry(r, key);
	if (r->wide)
		((struct rp_numbered *)r->table)[at] = (struct rp_numbered){ key, slot, 0 };
	else
		((struct rp_named *)r->table)[at] = (struct rp_named){ (uint32_t)key, slot };
	if (slot != RP_SLOT_TOP)
		r->place[slot] = (uint32_t)at;
}

/* The table anew, with room for `cap` entries, of line numbers if `wide`. */
static bool
make_table(struct rp_reuse *r, uint64_t cap, bool wide, struct rp_err *err)
{
	struct rp_reuse old = { .wide = r->wide, .table = r->table, .cap = r->cap };
	void *table =
	    rp_mem_array(cap, wide ? sizeof(struct rp_numbered) : sizeof(struct rp_named), err);
	if (!table)
		return false;
	r->table = table;
	r->wide = wide;
	r->cap = cap;
	for (uint64_t i = 0; i < old.cap; i++) {
		uint32_t slot = *slot_at(&old, i);
		uint64_t key = key_at(&old, i);
		if (slot)
			put_entry(r,
			    wide && !old.wide ? rp_names_line(&r->names, (uint32_t)key) : key,
			    slot);
	}
	r->bytes += cap * entry_bytes(r) - old.cap * entry_bytes(&old);
	free(old.table);
	return true;
}

/* Room for n more lines and n more slots. */
static bool
make_room(struct rp_reuse *r, size_t n, struct rp_err *err)
{
	if (r->lines + n > LINES_MOST)
		return rp_fail(err, RP_RESOURCE, "reuse distances of more than 2^29 lines");
	if (r->lines + n > load_of(r->cap)) {
		uint64_t cap = r->cap < 1 << 20 ? 2 * r->cap : r->cap + r->cap / 2;
		while (load_of(cap) < r->lines + n)
			cap *= 2;
		if (!make_table(r, cap, r->wide, err))
			return false;
	}
	return r->now + n < r->slots || compact(r, n, err);
}

struct rp_reuse *
rp_reuse_new(enum rp_level level, struct rp_err *err)
{
	struct rp_reuse *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
	if (!r) {
		rp_fail(err, RP_RESOURCE, "out of memory: reuse distances");
		return NULL;
	}
	*r = (struct rp_reuse){ .now = 1 };
	r->kernels = rp_kernels_of(level)->reuse;
	if (!rp_names_open(&r->names, RP_REGION_BITS, level, err) ||
	    !make_table(r, FIRST_CAP, false, err) || !make_slots(r, FIRST_SLOTS, err)) {
		rp_reuse_free(r);
		return NULL;
	}
	rp_reuse_reset(r);
	return r;
}

void
rp_reuse_free(struct rp_reuse *r)
{
	if (!r)
		return;
	free(r->table);
	free(r->place);
	free(r->memory);
	rp_names_close(&r->names);
	free(r);
}

void
rp_reuse_reset(struct rp_reuse *r)
{
	memset(r->table, 0, r->cap * entry_bytes(r));
	memset(r->live, 0, nodes(r->slots, 6, RP_WORDS) * sizeof *r->live);
	count_live(r, 0);
	r->lines = r->deep = r->top_lines = 0;
	r->now = 1;
	r->tail = 0;
	r->any = false;
	rp_names_reset(&r->names);
}

void
rp_reuse_bound(struct rp_reuse *r, uint64_t lines)
{
	r->deep_most = lines > RP_TOP ? lines - RP_TOP : 1;
}

/* From here on lines go by their numbers. */
static bool
widen(struct rp_reuse *r, struct rp_err *err)
{
	uint32_t name[RP_TOP];
	uint64_t line[RP_TOP];
	if (!make_table(r, r->cap, true, err))
		return false;
	memcpy(name, r->top, sizeof name);
	for (unsigned i = 0; i < r->top_lines; i++)
		line[i] = rp_names_line(&r->names, name[i]);
	memcpy(r->top, line, r->top_lines * sizeof *line);
	return true;
}

/* Lookups that are no repeats of the one before, with their lines as keys; a repeat has distance 0. */
static size_t
drop_repeats(struct rp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance)
{
	size_t kept = 0;
	uint64_t last = r->any ? r->last : ~line[0];
	for (size_t i = 0; i < n; i++) {
		r->key[kept] = line[i];
		r->index[kept] = (uint32_t)i;
		distance[i] = 0;
		kept += line[i] != last;
		last = line[i];
	}
	r->last = last;
	r->any = true;
	return kept;
}

static uint64_t
top_key(const struct rp_reuse *r, unsigned i)
{
	return r->wide ? ((const uint64_t *)(const void *)r->top)[i]
	               : ((const uint32_t *)(const void *)r->top)[i];
}

static void
set_top(struct rp_reuse *r, unsigned i, uint64_t key)
{
	if (r->wide)
		((uint64_t *)(void *)r->top)[i] = key;
	else
		((uint32_t *)(void *)r->top)[i] = (uint32_t)key;
}

/* Until the top is full: how many of key[0..n). */
static size_t
fill_top(struct rp_reuse *r, size_t n, uint32_t *distance)
{
	size_t done = 0;
	for (; done < n && r->top_lines < RP_TOP; done++) {
		uint64_t key = r->key[done];
		unsigned at = 0;
		while (at < r->top_lines && top_key(r, at) != key)
			at++;
		distance[r->index[done]] = at < r->top_lines ? at : RP_COLD;
		if (at == r->top_lines) {
			put_entry(r, key, RP_SLOT_TOP);
			r->lines++;
			r->top_lines++;
		}
		for (; at; at--)
			set_top(r, at, top_key(r, at - 1));
		set_top(r, 0, key);
	}
	return done;
}

/* key[from..from + n) through top and table. */
static bool
run_keys(struct rp_reuse *r, size_t from, size_t n, uint32_t *distance, struct rp_err *err)
{
	if (!make_room(r, n, err))
		return false;
	memmove(r->key, r->key + from, n * sizeof *r->key);
	memmove(r->index, r->index + from, n * sizeof *r->index);
	size_t done = fill_top(r, n, distance);
	memmove(r->key, r->key + done, (n - done) * sizeof *r->key);
	memmove(r->index, r->index + done, (n - done) * sizeof *r->index);
	size_t deep = r->kernels->top[r->wide](r, n - done, distance);
	r->kernels->deep[r->wide][r->deep_most > 0](r, deep, distance);
	return true;
}

bool
rp_reuse_run(
    struct rp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance, struct rp_err *err)
{
	if (!n)
		return true;
	size_t kept = drop_repeats(r, line, n, distance);
	size_t named = r->wide ? kept : rp_names_give(&r->names, r->key, kept);
	if (named < kept) {
		/* What has a name goes first; the rest waits as numbers. */
		uint64_t rest[RP_REUSE_CHUNK];
		uint32_t index[RP_REUSE_CHUNK];
		size_t left = kept - named;
		memcpy(rest, r->key + named, left * sizeof *rest);
		memcpy(index, r->index + named, left * sizeof *index);
		if (!run_keys(r, 0, named, distance, err) || !widen(r, err))
			return false;
		memcpy(r->key, rest, left * sizeof *rest);
		memcpy(r->index, index, left * sizeof *index);
		return run_keys(r, 0, left, distance, err);
	}
	return run_keys(r, 0, kept, distance, err);
}

static uint64_t
line_of(const struct rp_reuse *r, uint64_t key)
{
	return r->wide ? key : rp_names_line(&r->names, (uint32_t)key);
}

void
rp_reuse_walk(const struct rp_reuse *r, void (*f)(void *to, uint64_t line), void *to)
{
	for (size_t w = 0; w < nodes(r->slots, 6, RP_WORDS); w++)
		for (uint64_t bits = r->live[w]; bits; bits &= bits - 1) {
			uint32_t slot = (uint32_t)w * 64 + (unsigned)__builtin_ctzll(bits);
			f(to, line_of(r, key_at(r, r->place[slot])));
		}
	for (unsigned i = r->top_lines; i--;)
		f(to, line_of(r, top_key(r, i)));
}

uint64_t
rp_reuse_lines(const struct rp_reuse *r)
{
	return r->lines;
}

uint64_t
rp_reuse_bytes(const struct rp_reuse *r)
{
	return r->bytes + sizeof *r + rp_names_bytes(&r->names);
}
