/* streams.c - the streams that have been seen, numbered in the order they came up.
 *
 * Any 32 bits may name a stream: a hash table leads from the name to the number. Rows of one stream tend to follow each
 * other, so the last answer is tried first. */
#include "config.h"

#include "sim/streams.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

struct rp_streams {
	uint32_t *name;  /* by number */
	uint32_t *order; /* numbers in ascending order of name: of the first `sorted` */
	size_t n, room, sorted;
	uint32_t *table; /* number + 1, open addressing */
	size_t mask;
	uint32_t *slots; /* of the last batch */
	size_t slots_room;
	uint32_t at; /* number of the last row's */
};

static bool
grow(struct rp_streams *s, struct rp_err *err)
{
	size_t room = s->room ? 2 * s->room : 16, size = 2 * room;
	uint32_t *table = rp_mem_array(size, sizeof *table, err);
	uint32_t *name = table ? rp_mem_grow(s->name, room, sizeof *name, err) : NULL;
	if (name)
		s->name = name;
	uint32_t *order = name ? rp_mem_grow(s->order, room, sizeof *order, err) : NULL;
	if (!order) {
		free(table);
		return false;
	}
	s->order = order;
	s->room = room;
	free(s->table);
	s->table = table;
	s->mask = size - 1;
	for (size_t k = 0; k < s->n; k++) {
		size_t i = rp_mix64(s->name[k]) & s->mask;
		while (table[i])
			i = (i + 1) & s->mask;
		table[i] = (uint32_t)k + 1;
	}
	return true;
}

struct rp_streams *
rp_streams_new(struct rp_err *err)
{
	struct rp_streams *s = rp_mem_array(1, sizeof *s, err);
	if (s && !grow(s, err)) {
		rp_streams_free(s);
		return NULL;
	}
	return s;
}

void
rp_streams_free(struct rp_streams *s)
{
	if (!s)
		return;
	free(s->name);
	free(s->order);
	free(s->table);
	free(s->slots);
	free(s);
}

static bool
number_of(struct rp_streams *s, uint32_t name, uint32_t *out, struct rp_err *err)
{
	size_t i = rp_mix64(name) & s->mask;
	for (; s->table[i]; i = (i + 1) & s->mask)
		if (s->name[s->table[i] - 1] == name) {
			*out = s->table[i] - 1;
			return true;
		}
	if (s->n == s->room) {
		if (!grow(s, err))
			return false;
		return number_of(s, name, out, err);
	}
	*out = (uint32_t)s->n;
	s->name[s->n++] = name;
	s->table[i] = (uint32_t)s->n;
	return true;
}

const uint32_t *
rp_streams_slots(struct rp_streams *s, const struct rp_batch *b, struct rp_err *err)
{
	if (s->slots_room < b->n || !s->slots) {
		uint32_t *p = rp_mem_grow(s->slots, b->n, sizeof *p, err);
		if (!p)
			return NULL;
		s->slots = p;
		s->slots_room = b->n;
	}
	uint32_t last = 0, number = s->at;
	bool any = false;
	if (!b->stream && s->n == 1 && s->name[0] == 0) {
		memset(s->slots, 0, b->n * sizeof *s->slots); /* as those before */
		return s->slots;
	}
	for (size_t i = 0; i < b->n; i++) {
		uint32_t name = b->stream ? b->stream[i] : 0;
		bool mark = b->marks && b->kind[i] >= RP_MARKS; /* goes with the row before */
		if (!mark && (!any || name != last)) {
			if (!number_of(s, name, &number, err))
				return NULL;
			last = name;
			any = true;
		}
		s->slots[i] = number;
	}
	s->at = number;
	return s->slots;
}

size_t
rp_streams_count(const struct rp_streams *s)
{
	return s->n;
}

uint32_t
rp_streams_name(const struct rp_streams *s, uint32_t number)
{
	return s->name[number];
}

static int
by_name(const void *a, const void *b, void *names)
{
	const uint32_t *name = names, x = name[*(const uint32_t *)a],
		       y = name[*(const uint32_t *)b];
	return (x > y) - (x < y);
}

uint32_t
rp_streams_sorted(struct rp_streams *s, size_t k, uint32_t *number)
{
	if (s->sorted != s->n) {
		for (size_t i = 0; i < s->n; i++)
			s->order[i] = (uint32_t)i;
		qsort_r(s->order, s->n, sizeof *s->order, by_name, s->name);
		s->sorted = s->n;
	}
	*number = s->order[k];
	return s->name[s->order[k]];
}
