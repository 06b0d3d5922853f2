/* tags.h - which line lies in which way, and what the policy knows of it.
 *
 * Ways stay where they were filled. In a small set a line is searched end to end; large sets share a hash table of chains
 * from line to place (set * ways + way). */
#ifndef RP_SIM_TAGS_H
#define RP_SIM_TAGS_H

#include "sim/cache.h"
#include "sim/index.h"

#include "base/err.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_NO_PLACE = -1 };

struct rp_tags {
	const struct rp_cache_spec *spec;
	uint32_t sets, ways;
	uint64_t *line; /* [sets * ways] */
	bool *valid;    /* [sets * ways] */
	struct {
		uint32_t valid, taken; /* ways in use; ways below this are in use */
	} * set;
	/* First place + 1 of each chain, and behind each place the next + 1; NULL: sets are searched. */
	uint32_t *table, *next;
	uint64_t table_mask;
	char *set_state;
	size_t set_bytes;
	void *all_state;
	struct rp_rng rng;
	uint64_t
	    wrong; /* 1 + a way that a plug-in wanted to replace and that there is not; 0: none */
};

/* Empty tags of such a cache, whose spec is borrowed. On failure rp_tags_close() is due too. */
bool rp_tags_open(struct rp_tags *t, const struct rp_cache_spec *s, struct rp_err *err);
void rp_tags_close(struct rp_tags *t);

/* Where a call to the policy happens. */
static inline struct rp_at
rp_tags_at(struct rp_tags *t, uint64_t line)
{
	uint32_t index = rp_index_of(t->spec, line);
	return (struct rp_at){ .set = t->set_state + index * t->set_bytes,
		.all = t->all_state,
		.arg = t->spec->arg,
		.sets = t->sets,
		.ways = t->ways,
		.index = index,
		.line = line,
		.rng = &t->rng,
		.draw = rp_rng_below };
}

/* The chain that a line is in. */
static inline uint32_t *
rp_tags_chain(const struct rp_tags *t, uint64_t line)
{
	return &t->table[rp_mix64(line) & t->table_mask];
}

/* Place of a line of set s, or RP_NO_PLACE. */
static inline int64_t
rp_tags_find(const struct rp_tags *t, uint32_t s, uint64_t line)
{
	if (t->table) {
		uint32_t place = *rp_tags_chain(t, line);
		while (place && t->line[place - 1] != line)
			place = t->next[place - 1];
		return (int64_t)place - 1;
	}
	uint64_t base = (uint64_t)s * t->ways;
	for (uint64_t p = base; p < base + t->ways; p++)
		if (t->valid[p] && t->line[p] == line)
			return (int64_t)p;
	return RP_NO_PLACE;
}

/* Whether a way of set s is free. */
static inline bool
rp_tags_room(const struct rp_tags *t, uint32_t s)
{
	return t->set[s].valid < t->ways;
}

/* Takes a free way of set s, which has one: the first. */
uint32_t rp_tags_take(struct rp_tags *t, uint32_t s);

/* The way of a full set that the policy wants to replace; 0, and t->wrong is set, if there is no such way. */
uint32_t rp_tags_victim(struct rp_tags *t, const struct rp_at *at);

/* Fails with RP_USAGE if a policy, which a plug-in may be, named a way that there is not. */
bool rp_tags_right(const struct rp_tags *t, struct rp_err *err);

/* Puts a line into a way that was taken, or whose line left. */
void rp_tags_put(struct rp_tags *t, uint64_t place, uint64_t line);

/* The line of a place leaves; its way is still taken. */
void rp_tags_leave(struct rp_tags *t, uint64_t place);

/* Two places that hold lines change them. */
void rp_tags_swap(struct rp_tags *t, uint64_t a, uint64_t b);

/* The line of a place is invalidated: the way is free, and the policy is told. */
void rp_tags_drop(struct rp_tags *t, uint64_t place);

#endif
