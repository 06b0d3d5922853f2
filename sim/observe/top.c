/* top.c - which instructions, lines or streams miss most.
 *
 * Keys are numbered as they come up. Their counts are rows of one array, half as wide where nothing is classified; a hash
 * table leads from the key to its number. */
#include "config.h"

#include "sim/observe/top.h"
#include "sim/cache.h"
#include "sim/classes.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

/* Places in a row; COLD + k counts class bit k (enum rp_class). */
enum { KEY, LOOKUPS, MISSES, WRITEBACKS, COLD, CLASSES = 4, NARROW = 4, WIDE = 8 };
enum {
	ROOM = 64 /* rows at first */,
	AHEAD = 8 /* lookups whose rows are prefetched; twice as many: their places */
};

const char *const rp_top_names[] = { "line", "pc", "stream", NULL };

struct rp_top {
	struct rp_top_opts o;
	size_t width; /* of a row */
	uint64_t *row;
	size_t n, room;
	uint32_t *table; /* number + 1, open addressing */
	size_t mask;
	uint8_t outcomes, classes; /* all bits of the access that went on in the next chunk */
	uint64_t key[RP_CHUNK];    /* of the chunk at hand */
};

static bool
grow(struct rp_top *t, struct rp_err *err)
{
	size_t room = t->room ? 2 * t->room : ROOM, size = 2 * room;
	if (room > UINT32_MAX)
		return rp_fail(err, RP_RESOURCE, "--top: 2^32 keys or more");
	uint32_t *table = rp_mem_array(size, sizeof *table, err);
	uint64_t *row = table ? rp_mem_grow(t->row, room, t->width * sizeof *row, err) : NULL;
	if (!row) {
		free(table);
		return false;
	}
	free(t->table);
	t->row = row;
	t->room = room;
	t->table = table;
	t->mask = size - 1;
	for (size_t k = 0; k < t->n; k++) {
		size_t i = rp_mix64(row[k * t->width]) & t->mask;
		while (table[i])
			i = (i + 1) & t->mask;
		table[i] = (uint32_t)k + 1;
	}
	return true;
}

struct rp_top *
rp_top_new(const struct rp_top_opts *o, struct rp_err *err)
{
	struct rp_top *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->o = *o;
	t->width = o->classes ? WIDE : NARROW;
	if (grow(t, err))
		return t;
	rp_top_free(t);
	return NULL;
}

void
rp_top_free(struct rp_top *t)
{
	if (!t)
		return;
	free(t->row);
	free(t->table);
	free(t);
}

/* The row of a key, made if it is new; NULL without memory. Good until the next one is made. */
static uint64_t *
row_of(struct rp_top *t, uint64_t key, struct rp_err *err)
{
	size_t i = rp_mix64(key) & t->mask;
	for (; t->table[i]; i = (i + 1) & t->mask) {
		uint64_t *row = t->row + (t->table[i] - 1) * t->width;
		if (row[KEY] == key)
			return row;
	}
	if (t->n == t->room)
		return grow(t, err) ? row_of(t, key, err) : NULL;
	uint64_t *row = t->row + t->n * t->width;
	memset(row, 0, t->width * sizeof *row);
	row[KEY] = key;
	t->table[i] = (uint32_t)++t->n;
	return row;
}

static uint64_t
key_of(const struct rp_top *t, const struct rp_lookups *in, size_t i)
{
	const struct rp_batch *b = in->in;
	switch (t->o.by) {
	case RP_TOP_PC:
		return b->pc ? b->pc[in->row[i]] : 0;
	case RP_TOP_STREAM:
		return b->stream ? b->stream[in->row[i]] : 0;
	default:
		return in->line[i] >> t->o.shift;
	}
}

/* Adds `times` (1, or -1 to take back) what is a miss, and of its class, to a row. */
static void
add(uint64_t *row, uint8_t outcome, uint8_t class, uint64_t times)
{
	row[MISSES] += outcome & RP_MISSED ? times : 0;
	for (unsigned k = 0; class && k < CLASSES; k++)
		row[COLD + k] += class >> k & 1 ? times : 0;
}

static uint8_t
class_of_open(const struct rp_top *t)
{
	return t->o.classes ? rp_class_of_several(t->outcomes, t->classes) : 0;
}

/* Makes one lookup of those that an access has here. */
static bool
merge_crossing(struct rp_top *t, const uint8_t *outcome, const uint8_t *class,
    const struct rp_crossing *x, struct rp_err *err)
{
	uint64_t *row = row_of(t, t->key[x->first], err);
	if (!row)
		return false;
	if (x->begins)
		t->outcomes = t->classes = 0;
	else
		add(row, t->outcomes, class_of_open(t), UINT64_MAX);
	for (uint32_t i = x->first; i < x->first + x->n; i++) {
		uint8_t of = t->o.classes ? class[i] : 0;
		add(row, outcome[i], of, UINT64_MAX);
		t->outcomes |= outcome[i];
		t->classes |= of;
	}
	row[LOOKUPS] -= x->n - x->begins;
	add(row, t->outcomes, class_of_open(t), 1);
	return true;
}

static bool
add_writebacks(
    struct rp_top *t, size_t n, const uint8_t *outcome, const uint64_t *victim, struct rp_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!(outcome[i] & RP_WROTE_BACK))
			continue;
		uint64_t *row = row_of(t, t->o.by == RP_TOP_LINE ? victim[i] : t->key[i], err);
		if (!row)
			return false;
		row[WRITEBACKS]++;
	}
	return true;
}

/* Places and rows are anywhere in memory: they are asked for before they are needed. */
static void
prefetch(const struct rp_top *t, size_t i, size_t n)
{
	if (i + 2 * AHEAD < n)
		__builtin_prefetch(&t->table[rp_mix64(t->key[i + 2 * AHEAD]) & t->mask]);
	if (i + AHEAD < n) {
		uint32_t number = t->table[rp_mix64(t->key[i + AHEAD]) & t->mask];
		if (number)
			__builtin_prefetch(t->row + (number - 1) * t->width, 1);
	}
}

bool
rp_top_chunk(struct rp_top *t, const struct rp_lookups *in, const uint8_t *outcome,
    const uint8_t *class, const uint64_t *victim, struct rp_err *err)
{
	uint64_t *row = NULL;
	for (size_t i = 0; i < in->n; i++)
		t->key[i] = key_of(t, in, i);
	for (size_t i = 0; i < in->n; i++) {
		uint64_t key = t->key[i];
		prefetch(t, i, in->n);
		if ((!row || row[KEY] != key) && !(row = row_of(t, key, err)))
			return false;
		row[LOOKUPS]++;
		add(row, outcome[i], t->o.classes ? class[i] : 0, 1);
	}
	for (size_t i = 0; t->o.once && t->o.by != RP_TOP_LINE && i < in->crossings; i++)
		if (!merge_crossing(t, outcome, class, &in->crossing[i], err))
			return false;
	return (t->o.by == RP_TOP_LINE && !victim) ||
	       add_writebacks(t, in->n, outcome, victim, err);
}

/* Forgets all. Few keys in a large table: only their places are cleared. From where a key should stand to the first empty
 * place everything goes, so what a key had to step over takes it along. */
static void
clear(struct rp_top *t)
{
	if (t->n > t->mask / 8)
		memset(t->table, 0, (t->mask + 1) * sizeof *t->table);
	for (size_t k = 0; k < t->n && t->n <= t->mask / 8; k++)
		for (size_t i = rp_mix64(t->row[k * t->width]) & t->mask; t->table[i];
		     i = (i + 1) & t->mask)
			t->table[i] = 0;
	t->n = 0;
}

bool
rp_top_move(struct rp_top *to, struct rp_top *from, struct rp_err *err)
{
	for (size_t k = 0; k < from->n; k++) {
		const uint64_t *more = from->row + k * from->width;
		uint64_t *row = row_of(to, more[KEY], err);
		if (!row)
			return false;
		for (size_t i = KEY + 1; i < to->width; i++)
			row[i] += more[i];
	}
	clear(from);
	return true;
}

size_t
rp_top_keys(const struct rp_top *t)
{
	return t->n;
}

static struct rp_top_row
get(const struct rp_top *t, size_t k)
{
	const uint64_t *row = t->row + k * t->width;
	struct rp_top_row out = { row[KEY], row[LOOKUPS], row[MISSES], row[WRITEBACKS], 0, 0, 0,
		0 };
	if (t->width == WIDE) {
		out.cold = row[COLD];
		out.capacity = row[COLD + 1];
		out.conflict = row[COLD + 2];
		out.anticonflict = row[COLD + 3];
	}
	return out;
}

/* Whether a comes before b. */
static bool
before(const struct rp_top_row *a, const struct rp_top_row *b)
{
	return a->misses != b->misses ? a->misses > b->misses : a->key < b->key;
}

/* rows[0..n) is a heap with the last in order on top, but for the one at `at`: puts that right. */
static void
sift(struct rp_top_row *rows, size_t at, size_t n)
{
	struct rp_top_row x = rows[at];
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && before(&rows[child], &rows[child + 1]))
			child++;
		if (!before(&x, &rows[child]))
			break;
		rows[at] = rows[child];
	}
	rows[at] = x;
}

size_t
rp_top_best(const struct rp_top *t, size_t n, struct rp_top_row *rows)
{
	size_t found = n < t->n ? n : t->n;
	for (size_t k = 0; k < found; k++)
		rows[k] = get(t, k);
	for (size_t k = found / 2; k-- > 0;)
		sift(rows, k, found);
	for (size_t k = found; found && k < t->n; k++) {
		struct rp_top_row one = get(t, k);
		if (!before(&one, &rows[0]))
			continue;
		rows[0] = one;
		sift(rows, 0, found);
	}
	for (size_t left = found; left > 1; left--) {
		struct rp_top_row last = rows[0];
		rows[0] = rows[left - 1];
		rows[left - 1] = last;
		sift(rows, 0, left - 1);
	}
	return found;
}
