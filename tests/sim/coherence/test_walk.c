/* test_walk.c - every state that few caches and lines can reach, and every way from each to the next.
 *
 * A state is, for each cache, its lines in order of use with their states; the directory's entries, in order if there are
 * few of them; and whether memory has the latest of the lines that were ever stored to. It is reached again by the
 * shortest row of operations that led to it. */
#include "tests/sim/coherence/drive.h"
#include "tests/sim/coherence/naive.h"

enum { STATES_MOST = 1024, PATH_MOST = 24, TEXT = 128 };

enum what { LOAD, STORE, EVICT, WHATS };

struct op {
	uint8_t what, cache, line;
};

struct node {
	char text[TEXT];
	struct op path[PATH_MOST];
	unsigned n;
};

static void
do_op(struct rp_coherence *k, struct naive *m, struct op o)
{
	struct rp_err err = { 0 };
	uint64_t mask = 0xff, address = o.line * 64;
	struct coh_outcome out;
	if (o.what == EVICT) {
		cr_assert(coh_evict(k, o.cache, o.line, &err), "%s", err.text);
		naive_evict(m, o.cache, o.line);
		return;
	}
	const struct coh_request q = { .line = o.line,
		.record = COH_NONE,
		.cache = o.cache,
		.store = o.what == STORE,
		.mask = &mask };
	cr_assert(coh_access(k, &q, &out, &err), "%s", err.text);
	naive_access(m, o.cache, o.what == STORE, address, 8);
}

static char *
put(char *to, const char *format, unsigned long long x)
{
	return to + sprintf(to, format, x);
}

/* The state as text. */
static void
describe(const struct rp_coherence *k, unsigned lines, char *to)
{
	for (size_t c = 0; c < k->n; c++) {
		uint64_t order = *coh_order(&k->cache[c], 0);
		for (uint32_t i = 0; i < k->cache[c].valid[0]; i++) {
			uint32_t w = coh_order_at(order, i);
			to = put(to, "%llu", k->cache[c].tag[w]);
			to = put(to, ":%llu ", k->cache[c].way[w].state);
		}
		to = put(to, "|", 0);
	}
	for (uint32_t i = 0; i < lines; i++) {
		uint32_t r = coh_lines_find(&k->lines, i);
		const struct coh_line *x = r == COH_NONE ? NULL : coh_line(&k->lines, r);
		to = put(to, " %llu", x ? x->state : 0);
		to = put(to, "/%llx", x ? *coh_set(&k->lines, x, COH_SHARERS) : 0);
		to = put(
		    to, "%llu", !x || !k->version[r] ? 2 : k->memory_version[r] == k->version[r]);
	}
	if (!k->config.sparse)
		return;
	const struct rp_links *l = (const struct rp_links *)k->directory.order;
	for (uint32_t w = l->first; w; w = l->way[w - 1].after)
		to = put(to, " d%llu", coh_line(&k->lines, k->directory.entry[w - 1])->number);
}

/* After a transition: the invariants, and every counter. */
static void
check(struct rp_coherence *k, const struct naive *m)
{
	struct rp_err err = { 0 };
	cr_assert(rp_coherence_check(k, &err), "%s", err.text);
	for (uint32_t c = 0; c < k->n; c++)
		drive_same(RP_COHERENCE_CACHE, &k->cache[c].count, &m->count[c], "a cache");
	drive_same(RP_COHERENCE_HOME, &k->home, &m->home, "home");
}

/* Goes from a node by one operation: adds where it leads, if that is new. How many nodes there are. */
static size_t
step(const struct rp_coherence_config *c, unsigned lines, struct node *node, size_t n, size_t from,
    struct op o)
{
	struct rp_coherence *k = drive_new(c);
	struct naive *m = naive_new(c, c->caches);
	struct node *next = &node[n];
	for (unsigned i = 0; i < node[from].n; i++)
		do_op(k, m, node[from].path[i]);
	do_op(k, m, o);
	check(k, m);
	describe(k, lines, next->text);
	rp_coherence_free(k);
	free(m);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(node[i].text, next->text))
			return n;
	cr_assert_lt(n, STATES_MOST - 1);
	cr_assert_lt(node[from].n, PATH_MOST - 1);
	memcpy(next->path, node[from].path, sizeof next->path);
	next->n = node[from].n;
	next->path[next->n++] = o;
	return n + 1;
}

static size_t
walk(uint32_t caches, unsigned lines, uint32_t ways, bool silent, uint32_t dir_ways)
{
	struct rp_coherence_config c = drive_config();
	c.caches = caches;
	c.ways = ways;
	c.silent = silent;
	c.sparse = dir_ways;
	c.dir_sets = 1;
	c.dir_ways = dir_ways;
	struct node *node = calloc(STATES_MOST, sizeof *node);
	struct rp_coherence *k = drive_new(&c);
	cr_assert(node);
	describe(k, lines, node[0].text);
	rp_coherence_free(k);
	size_t n = 1;
	for (size_t from = 0; from < n; from++)
		for (unsigned what = 0; what < WHATS; what++)
			for (uint32_t i = 0; i < caches * lines; i++)
				n = step(&c, lines, node, n, from,
				    (struct op){ (uint8_t)what, (uint8_t)(i / lines),
					(uint8_t)(i % lines) });
	free(node);
	return n;
}

RP_TEST(walk, two_caches_and_two_lines_reach_as_many_states_as_are_known)
{
	cr_assert_eq(walk(2, 2, 2, false, 0), 154);
	cr_assert_eq(walk(2, 2, 2, true, 0), 502);
	cr_assert_eq(walk(2, 2, 2, false, 2), 272);
}

RP_TEST(walk, three_caches_reach_as_many_states_as_are_known)
{
	cr_assert_eq(walk(3, 1, 1, false, 0), 19);
	cr_assert_eq(walk(3, 1, 1, true, 0), 57);
	cr_assert_eq(walk(3, 2, 2, false, 0), 656);
}

RP_TEST(walk, no_way_between_states_of_other_small_systems_breaks_an_invariant)
{
	for (uint32_t caches = 2; caches <= 3; caches++)
		for (unsigned lines = 1; lines <= 2; lines++)
			for (uint32_t dir_ways = 0; dir_ways <= 2; dir_ways++)
				for (unsigned silent = 0; silent < 2; silent++)
					if (caches * lines <= 4)
						cr_assert_gt(
						    walk(caches, lines, 1, silent, dir_ways), 5);
}
