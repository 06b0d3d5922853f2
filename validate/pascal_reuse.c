/* pascal_reuse.c - exact reuse distances and LRU of scans with fixed phases, for all workers in O(M log M).
 *
 * Between worker m's request and the previous one of its block, g rounds before by worker j, worker i requests the blocks
 * from s_i - g + [i <= j] up to, not including, s_i + [i < m]; the distance is the size of the union over all workers
 * (section 3.3 of the paper, which merges intervals for each m anew: O(M^2 log M)).
 *
 * For g = 0 a worker requests its own block if j < i < m and nothing else, so the distance is the number of different phases
 * there. For g > 0 the intervals of the workers at one phase y join to [y - g + a, y + b): a = 1 if all of them are <= j, b = 1
 * if one of them is < m. From phase to phase both ends rise, so that a phase adds what lies beyond the end of the one before
 * it, a gap h behind:
 *
 *	min(g - a + b, h + b - b'),   b' being the b of the phase before.
 *
 * The sum of min(g, h) is U(g). In the rest each b cancels with the b' of the next phase where h < g, and what is left is
 *
 *	RD = U(g) + #{h > g, b' = 1} - #{h > g, a = 1} - #{h = g, a = 1, b' = 0}.
 *
 * Only the lowest worker m at a phase has g > 0, and then j is the highest one at the next phase. So the queries are the
 * gaps themselves, each with its m and j, and #{h > g, b' = 1} counts the longer gaps whose m is lower, and so on: Fenwick
 * trees over the workers, gaps from the longest on. */
#include "config.h"

#include "validate/pascal_state.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* Counts of workers, by prefix. */
struct tree {
	uint32_t *node, n;
};

static bool
tree_new(struct tree *t, uint32_t n, struct rp_err *err)
{
	t->n = n;
	t->node = rp_mem_array((size_t)n + 1, sizeof *t->node, err);
	return t->node != NULL;
}

/* Counts worker x once more, or with `by` of UINT32_MAX, which is -1, once less. */
static void
tree_add(struct tree *t, uint32_t x, uint32_t by)
{
	for (size_t i = (size_t)x + 1; i <= t->n; i += i & -i)
		t->node[i] += by;
}

/* How many workers below x are counted. */
static uint32_t
tree_below(const struct tree *t, uint32_t x)
{
	uint32_t sum = 0;
	for (; x; x &= x - 1)
		sum += t->node[x];
	return sum;
}

/* A gap: the lowest worker behind it, the highest ahead of it. */
struct span {
	uint64_t gap;
	uint32_t first, last;
};

/* The distances over the n gaps of one length; the trees count first and last of all longer ones. `same` is empty before and
 * after. */
static void
equal_gaps(struct rp_pascal *p, const struct span *s, size_t n, const struct tree *first,
    const struct tree *last, struct tree *same)
{
	for (size_t i = 0; i < n; i++) {
		tree_add(same, s[i].first, 1);
		/* Those of the same length with a = 1 are the ones up to here. */
		uint32_t behind = (uint32_t)i + 1 - tree_below(same, s[i].first);
		p->rd[s[i].first] = rp_pascal_footprint(p, s[i].gap) +
		                    tree_below(first, s[i].first) -
		                    tree_below(last, s[i].last + 1) - behind;
	}
	for (size_t i = 0; i < n; i++)
		tree_add(same, s[i].first, UINT32_MAX);
}

/* The gaps, the longest first; of equals the one whose `last` is lowest. Gives (free). */
static struct span *
spans(const struct rp_pascal *p, struct rp_err *err)
{
	uint32_t n = p->distinct;
	struct span *s = rp_mem_array(n, sizeof *s, err);
	struct rp_keyed *order = rp_mem_array(n, sizeof *order, err);
	bool ok = s && order;
	for (uint32_t i = 0; ok && i < n; i++)
		order[i] = (struct rp_keyed){ p->group[(i + 1) % n].last, i };
	ok = ok && rp_sort(order, n, err);
	for (uint32_t i = 0; ok && i < n; i++)
		order[i].key = p->blocks - p->gap[order[i].value];
	ok = ok && rp_sort(order, n, err);
	for (uint32_t k = 0; ok && k < n; k++) {
		uint32_t i = order[k].value;
		s[k] = (struct span){ p->gap[i], p->group[i].first, p->group[(i + 1) % n].last };
	}
	free(order);
	if (ok)
		return s;
	free(s);
	return NULL;
}

static bool
across_rounds(struct rp_pascal *p, struct rp_err *err)
{
	struct span *s = spans(p, err);
	struct tree first = { 0 }, last = { 0 }, same = { 0 };
	bool ok = s && tree_new(&first, p->workers, err) && tree_new(&last, p->workers, err) &&
	          tree_new(&same, p->workers, err);
	for (size_t i = 0, to; ok && i < p->distinct; i = to) {
		for (to = i + 1; to < p->distinct && s[to].gap == s[i].gap;)
			to++;
		equal_gaps(p, s + i, to - i, &first, &last, &same);
		for (size_t k = i; k < to; k++) {
			tree_add(&first, s[k].first, 1);
			tree_add(&last, s[k].last, 1);
		}
	}
	free(s);
	free(first.node);
	free(last.node);
	free(same.node);
	return ok;
}

/* Requests whose block was requested before in the same round: different phases among the workers between the two. The tree
 * counts, of the workers so far, the last one at each phase. */
static bool
within_a_round(struct rp_pascal *p, struct rp_err *err)
{
	struct tree latest;
	if (!tree_new(&latest, p->workers, err))
		return false;
	for (uint32_t m = 0; m < p->workers; m++) {
		const struct rp_pascal_reuse *r = &p->previous[m];
		if (!r->lag) {
			p->rd[m] = tree_below(&latest, m) - tree_below(&latest, r->worker + 1);
			tree_add(&latest, r->worker, UINT32_MAX);
		}
		tree_add(&latest, m, 1);
	}
	free(latest.node);
	return true;
}

static bool
sort_distances(struct rp_pascal *p, struct rp_err *err)
{
	struct rp_keyed *d = rp_mem_array(p->workers, sizeof *d, err);
	p->by_rd = rp_mem_array(p->workers, sizeof *p->by_rd, err);
	bool ok = d && p->by_rd;
	for (uint32_t m = 0; ok && m < p->workers; m++)
		d[m] = (struct rp_keyed){ p->rd[m], m };
	ok = ok && rp_sort(d, p->workers, err);
	for (uint32_t i = 0; ok && i < p->workers; i++)
		p->by_rd[i] = d[i].value;
	free(d);
	return ok;
}

bool
rp_pascal_distances(struct rp_pascal *p, struct rp_err *err)
{
	if (p->rd)
		return true;
	p->rd = rp_mem_array(p->workers, sizeof *p->rd, err);
	if (p->rd && within_a_round(p, err) && across_rounds(p, err) && sort_distances(p, err))
		return true;
	free(p->rd);
	free(p->by_rd);
	p->rd = NULL;
	p->by_rd = NULL;
	return false;
}

/* How many workers hit in LRU of that capacity: the first ones of by_rd. */
static uint32_t
hits(const struct rp_pascal *p, uint64_t capacity)
{
	uint32_t low = 0, high = p->workers;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->rd[p->by_rd[middle]] < capacity)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t
rp_pascal_lru(const struct rp_pascal *p, uint64_t capacity)
{
	return p->workers - hits(p, capacity);
}

bool
rp_pascal_horizon(struct rp_pascal *p, uint64_t rounds, struct rp_err *err)
{
	if (!p->cold_sum)
		p->cold_sum = rp_mem_array((size_t)p->workers + 1, sizeof *p->cold_sum, err);
	if (!p->cold_sum)
		return false;
	for (uint32_t i = 0; i < p->workers; i++) {
		uint64_t lag = p->previous[p->by_rd[i]].lag;
		p->cold_sum[i + 1] = p->cold_sum[i] + (lag < rounds ? lag : rounds);
	}
	p->rounds = rounds;
	return true;
}

uint64_t
rp_pascal_cold_lru(const struct rp_pascal *p, uint64_t capacity)
{
	uint32_t n = hits(p, capacity);
	return p->cold_sum[n] + (p->workers - n) * p->rounds;
}
