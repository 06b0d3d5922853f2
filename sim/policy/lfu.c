/* lfu - replace the line used least often since it was brought in; of several, the one used longest ago.
 *
 * State of a set: levels, one for each number of uses that some line has, in a queue with the most uses first; at each
 * level its lines in a queue, the last to come first (Shah, Mitra, Matani, "An O(1) algorithm for implementing the LFU
 * cache eviction scheme", 2010). A line comes to a level by its last use, so the order at a level is that of use. */
#include "config.h"

#include "sim/lists.h"
#include "sim/queues.h"
#include "sim/policy.h"
#include "sim/policy/lfu.h"
#include "sim/policy/queue.h"

struct level {
	uint64_t uses;
	struct rp_queue lines;
	uint32_t next_spare; /* level + 1 */
};

struct lfu {
	struct rp_queue levels;
	uint32_t taken, spare; /* levels ever taken; the first that is free again, + 1 */
};

/* Where the parts of a set lie. There are never more levels than lines. */
struct parts {
	struct lfu *l;
	struct level *level;
	struct rp_hook *level_hook, *way_hook;
	uint32_t *level_of; /* a way's level */
};

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return rp_part_bytes(1, sizeof(struct lfu)) +
	       ways * (sizeof(struct level) + 2 * sizeof(struct rp_hook) + sizeof(uint32_t));
}

static struct parts
parts(const struct rp_at *at)
{
	struct parts p = { .l = at->set };
	p.level = (struct level *)(void *)((char *)at->set + rp_part_bytes(1, sizeof *p.l));
	p.level_hook = (struct rp_hook *)(void *)(p.level + at->ways);
	p.way_hook = p.level_hook + at->ways;
	p.level_of = (uint32_t *)(void *)(p.way_hook + at->ways);
	return p;
}

/* A level without lines, in no queue. */
static uint32_t
take_level(const struct parts *p, uint64_t uses)
{
	uint32_t n = p->l->spare ? p->l->spare - 1 : p->l->taken++;
	if (p->l->spare)
		p->l->spare = p->level[n].next_spare;
	p->level[n] = (struct level){ .uses = uses };
	return n;
}

static void
free_level(const struct parts *p, uint32_t n)
{
	rp_queue_take(&p->l->levels, p->level_hook, n);
	p->level[n].next_spare = p->l->spare;
	p->l->spare = n + 1;
}

static void
enter(const struct parts *p, uint32_t way, uint32_t level)
{
	rp_queue_push(&p->level[level].lines, p->way_hook, way);
	p->level_of[way] = level;
}

/* A new level just before level n. */
static uint32_t
level_before(const struct parts *p, uint32_t n, uint64_t uses)
{
	uint32_t new = take_level(p, uses), before = p->level_hook[n].before;
	if (!before) {
		rp_queue_push(&p->l->levels, p->level_hook, new);
		return new;
	}
	p->level_hook[new] = (struct rp_hook){ .before = before, .after = n + 1 };
	p->level_hook[before - 1].after = p->level_hook[n].before = new + 1;
	p->l->levels.n++;
	return new;
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	uint32_t n = p.level_of[way], above = p.level_hook[n].before;
	uint64_t uses = p.level[n].uses + 1;
	if (uses > RP_LFU_USES) {
		rp_queue_take(&p.level[n].lines, p.way_hook, way);
		enter(&p, way, n);
		return;
	}
	bool there = above && p.level[above - 1].uses == uses;
	if (!there && p.level[n].lines.n == 1) {
		p.level[n].uses = uses; /* it stays between the same neighbours */
		return;
	}
	rp_queue_take(&p.level[n].lines, p.way_hook, way);
	enter(&p, way, there ? above - 1 : level_before(&p, n, uses));
	if (!p.level[n].lines.n)
		free_level(&p, n);
}

/* The level of one use is the last one, if it is there. */
static void
fill(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	uint32_t last = p.l->levels.last;
	if (last && p.level[last - 1].uses == 1) {
		enter(&p, way, last - 1);
		return;
	}
	uint32_t new = take_level(&p, 1);
	p.level_hook[new] = (struct rp_hook){ .before = last, .after = 0 };
	*(last ? &p.level_hook[last - 1].after : &p.l->levels.first) = new + 1;
	p.l->levels.last = new + 1;
	p.l->levels.n++;
	enter(&p, way, new);
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	uint32_t n = p.level_of[way];
	rp_queue_take(&p.level[n].lines, p.way_hook, way);
	if (!p.level[n].lines.n)
		free_level(&p, n);
}

static uint32_t
victim(const struct rp_at *at)
{
	struct parts p = parts(at);
	uint32_t way = rp_queue_last(&p.level[rp_queue_last(&p.l->levels)].lines);
	drop(at, way);
	return way;
}

const struct rp_policy rp_policy_lfu = {
	.abi = RP_POLICY_ABI,
	.name = "lfu",
	.what = "replace the line used least often since it was brought in; of several, the one "
		"used longest ago",
	.source = "Shah, Mitra, Matani, An O(1) algorithm for implementing the LFU cache eviction "
		  "scheme, 2010",
	.differs =
	    "of lines used equally often any may go there; here it is the one used longest ago",
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_lists_lfu, &rp_engine_queues_lfu },
};
