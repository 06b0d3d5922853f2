/* s3fifo - three queues: new lines wait in a small one; those used there, or missed again soon, go to the main one.
 *
 * State of a set: the small and the main queue of its ways, each way's uses (0 to 3) and line, and the ghost queue: lines
 * that left the small queue for good. Queues are in order of filling, the newest first. Sizes are compared exactly, without
 * rounding: the small queue gives a line when it has at least `small` percent of the ways, else the main queue does. */
#include "config.h"

#include "sim/lists.h"
#include "sim/queues.h"
#include "sim/policy.h"
#include "sim/policy/ghosts.h"
#include "sim/policy/queue.h"

enum { SMALL, HITS }; /* parameters */
enum { USES_MOST = 3 };

struct s3fifo {
	struct rp_queue small, main, ghost;
};

/* Where the parts of a set lie. */
struct parts {
	struct s3fifo *s;
	struct rp_hook *way_hook, *ghost_hook;
	uint64_t *line; /* of a way */
	uint8_t *uses, *in_main;
	struct rp_ghosts ghosts;
	uint32_t remembered; /* at most: as many as the main queue holds */
};

static uint32_t
ghosts_most(uint32_t ways, const uint64_t *arg)
{
	return (uint32_t)((100 - arg[SMALL]) * ways / 100);
}

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	uint32_t ghosts = ghosts_most(ways, arg);
	return rp_part_bytes(1, sizeof(struct s3fifo)) + rp_ghosts_bytes(ghosts) +
	       ((size_t)ways + ghosts) * sizeof(struct rp_hook) +
	       ways * (sizeof(uint64_t) + 2 * sizeof(uint8_t));
}

static struct parts
parts(const struct rp_at *at)
{
	struct parts p = { .s = at->set, .remembered = ghosts_most(at->ways, at->arg) };
	char *more = (char *)at->set + rp_part_bytes(1, sizeof *p.s);
	p.ghosts = rp_ghosts_in(more, p.remembered);
	p.way_hook = (struct rp_hook *)(void *)(more + rp_ghosts_bytes(p.remembered));
	p.ghost_hook = p.way_hook + at->ways;
	p.line = (uint64_t *)(void *)(p.ghost_hook + p.remembered);
	p.uses = (uint8_t *)(p.line + at->ways);
	p.in_main = p.uses + at->ways;
	return p;
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	if (p.uses[way] < USES_MOST)
		p.uses[way]++;
}

static void
enter(const struct parts *p, uint32_t way, bool in_main)
{
	p->uses[way] = 0;
	p->in_main[way] = in_main;
	rp_queue_push(in_main ? &p->s->main : &p->s->small, p->way_hook, way);
}

static void
forget(struct parts *p, uint32_t ghost)
{
	rp_queue_take(&p->s->ghost, p->ghost_hook, ghost);
	rp_ghosts_forget(&p->ghosts, ghost);
}

static void
remember(struct parts *p, uint64_t line)
{
	if (!p->remembered)
		return;
	if (p->s->ghost.n == p->remembered)
		forget(p, rp_queue_last(&p->s->ghost));
	rp_queue_push(&p->s->ghost, p->ghost_hook, rp_ghosts_add(&p->ghosts, line));
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	uint32_t ghost = rp_ghosts_find(&p.ghosts, at->line);
	if (ghost != RP_NO_GHOST)
		forget(&p, ghost);
	p.line[way] = at->line;
	enter(&p, way, ghost != RP_NO_GHOST);
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	rp_queue_take(p.in_main[way] ? &p.s->main : &p.s->small, p.way_hook, way);
}

/* EVICTS of the source: lines with enough uses go over to the main queue until one has fewer; that one is remembered.
 * false: all went over. */
static bool
evict_small(struct parts *p, uint64_t hits, uint32_t *way)
{
	while (p->s->small.n) {
		*way = rp_queue_last(&p->s->small);
		rp_queue_take(&p->s->small, p->way_hook, *way);
		if (p->uses[*way] < hits) {
			remember(p, p->line[*way]);
			return true;
		}
		enter(p, *way, true);
	}
	return false;
}

/* EVICTM: a used line goes round again, with a use less. */
static uint32_t
evict_main(struct parts *p)
{
	for (;;) {
		uint32_t way = rp_queue_last(&p->s->main);
		rp_queue_take(&p->s->main, p->way_hook, way);
		if (!p->uses[way])
			return way;
		p->uses[way]--;
		rp_queue_push(&p->s->main, p->way_hook, way);
	}
}

static uint32_t
victim(const struct rp_at *at)
{
	struct parts p = parts(at);
	uint32_t way;
	if (p.s->small.n * UINT64_C(100) >= at->arg[SMALL] * at->ways &&
	    evict_small(&p, at->arg[HITS], &way))
		return way;
	return evict_main(&p);
}

const struct rp_policy rp_policy_s3fifo = {
	.abi = RP_POLICY_ABI,
	.name = "s3fifo",
	.what = "new lines wait in a small queue; those used there, or missed again soon, go to "
		"the main one",
	.source = "Yang et al., FIFO queues are all you need for cache eviction, SOSP 2023, "
		  "Algorithm 1",
	.differs =
	    "one line leaves for each that is brought in, where the pseudo-code also takes one of "
	    "a main queue that has become too long: that one goes at the next miss, as in the "
	    "authors' simulator; a line that comes back is not remembered any more; "
	    "one that moves to the main queue begins there unused, as the source's text says "
	    "and the pseudo-code does not",
	.params = { { "small", "percent of the ways that the small queue gets", 1, 99, 10 },
	    { "hits", "hits in the small queue that take a line to the main one", 1, USES_MOST,
		2 } },
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_lists_s3fifo, &rp_engine_queues_s3fifo },
};
