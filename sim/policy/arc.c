/* arc - two lists, of lines used once and of lines used again, whose shares follow from misses of lines that were in them.
 *
 * With c ways a set knows up to 2c lines: T1 and T2 are in the cache, B1 and B2 were until lately; in T1 and B1 are lines
 * used once, in T2 and B2 those used more often. A list is in order of use, the latest first. p, the share that T1 is to
 * have, is a real number in the source; here it is a whole number of parts of which a way has so many (parts_of_way) that
 * every quotient of two numbers up to 32 is whole: so p is exact up to 32 ways, and rounded down to 2^-30 ways or less beyond.
 *
 * The source finds a line's case, moves a line out of the cache and brings the new one in as one step. Here victim() does
 * the first two and fill() the last; in a set with room, which after an invalidation may have ghosts, fill() does all. */
#include "config.h"

#include "sim/lists.h"
#include "sim/queues.h"
#include "sim/policy.h"
#include "sim/policy/arc.h"
#include "sim/policy/ghosts.h"
#include "sim/policy/queue.h"

enum { T1, T2, B1, B2, LISTS };

struct arc {
	struct rp_queue list[LISTS];
	uint32_t ready; /* the list, + 1, where victim() found that its line belongs; 0: none did */
	uint64_t p;     /* parts */
};

/* Where the parts of a set lie. Hooks are by way, and from `ways` on by ghost. */
struct parts {
	struct arc *a;
	struct rp_hook *hook;
	uint64_t *line; /* of a way */
	uint8_t *list;  /* of a way or a ghost */
	struct rp_ghosts ghosts;
	uint32_t ways;
};

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return rp_part_bytes(1, sizeof(struct arc)) + rp_ghosts_bytes(ways) +
	       ways * (2 * sizeof(struct rp_hook) + sizeof(uint64_t) + 2 * sizeof(uint8_t));
}

static struct parts
parts(const struct rp_at *at)
{
	struct parts p = { .a = at->set, .ways = at->ways };
	char *more = (char *)at->set + rp_part_bytes(1, sizeof *p.a);
	p.ghosts = rp_ghosts_in(more, at->ways);
	p.hook = (struct rp_hook *)(void *)(more + rp_ghosts_bytes(at->ways));
	p.line = (uint64_t *)(void *)(p.hook + 2 * (size_t)at->ways);
	p.list = (uint8_t *)(p.line + at->ways);
	return p;
}

static void
enter(const struct parts *p, uint32_t i, unsigned list)
{
	p->list[i] = (uint8_t)list;
	rp_queue_push(&p->a->list[list], p->hook, i);
}

static void
leave(const struct parts *p, uint32_t i)
{
	rp_queue_take(&p->a->list[p->list[i]], p->hook, i);
}

static void
forget(struct parts *p, uint32_t ghost)
{
	leave(p, p->ways + ghost);
	rp_ghosts_forget(&p->ghosts, ghost);
}

static void
forget_last(struct parts *p, unsigned list)
{
	forget(p, rp_queue_last(&p->a->list[list]) - p->ways);
}

/* Finds the case of a line that misses: the list it goes to. *ghost is the list it was remembered in, or LISTS. Of a new
 * line's case IV only that something is to be forgotten is done here, and not where the last of T1 leaves for good. */
static unsigned
find_case(struct parts *p, uint64_t line, unsigned *ghost)
{
	struct arc *a = p->a;
	uint32_t n = rp_ghosts_find(&p->ghosts, line);
	*ghost = LISTS;
	if (n != RP_NO_GHOST) {
		*ghost = p->list[p->ways + n];
		a->p = rp_arc_adapted(a->p, *ghost == B2, a->list[B1].n, a->list[B2].n,
		    rp_arc_part(p->ways), p->ways);
		forget(p, n);
		return T2;
	}
	uint64_t l1 = (uint64_t)a->list[T1].n + a->list[B1].n,
		 l2 = (uint64_t)a->list[T2].n + a->list[B2].n;
	if (l1 == p->ways) {
		if (a->list[B1].n)
			forget_last(p, B1);
	} else if (l1 + l2 == 2 * (uint64_t)p->ways) {
		forget_last(p, B2);
	}
	return T1;
}

/* REPLACE of the source: the last of T1 or T2 goes, and is remembered. */
static uint32_t
replace(struct parts *p, unsigned ghost)
{
	struct arc *a = p->a;
	uint64_t t1 = rp_arc_part(p->ways) * a->list[T1].n;
	unsigned from = t1 && ((ghost == B2 && t1 == a->p) || t1 > a->p) ? T1 : T2;
	uint32_t way = rp_queue_last(&a->list[from]);
	leave(p, way);
	enter(p, p->ways + rp_ghosts_add(&p->ghosts, p->line[way]), from == T1 ? B1 : B2);
	return way;
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	leave(&p, way);
	enter(&p, way, T2);
}

static uint32_t
victim(const struct rp_at *at)
{
	struct parts p = parts(at);
	unsigned ghost;
	bool all_once =
	    p.a->list[T1].n == at->ways; /* then B1 is empty: T1 and B1 have c at most */
	p.a->ready = find_case(&p, at->line, &ghost) + 1;
	if (!all_once || ghost != LISTS)
		return replace(&p, ghost);
	uint32_t way = rp_queue_last(&p.a->list[T1]);
	leave(&p, way);
	return way;
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	unsigned ghost, list = p.a->ready ? p.a->ready - 1 : find_case(&p, at->line, &ghost);
	p.a->ready = 0;
	p.line[way] = at->line;
	enter(&p, way, list);
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	struct parts p = parts(at);
	leave(&p, way);
}

const struct rp_policy rp_policy_arc = {
	.abi = RP_POLICY_ABI,
	.name = "arc",
	.what = "balance lines used once against lines used again, by what was missed of each",
	.source = "Megiddo, Modha, ARC: a self-tuning, low overhead replacement cache, FAST 2003, "
		  "Figure 4",
	.differs = "p, a real number there, is exact up to 32 ways and rounded down to a part in "
		   "10^9 or finer beyond; a set that has room again after an invalidation replaces "
		   "nothing, and still learns from the lines it remembers",
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_lists_arc, &rp_engine_queues_arc },
};
