/* report.c - what the counters say: the verdict of a run, the lines that move, what is cached at the end. */
#include "config.h"

#include "sim/coherence/engine.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *const rp_sharing_names[] = {
	[RP_SHARING_NONE] = "none",
	[RP_SHARING_UNBOUND] = "not coherence-bound",
	[RP_SHARING_TRUE] = "true sharing",
	[RP_SHARING_FALSE] = "false sharing",
	[RP_SHARING_FALSE_CANDIDATE] = "false-sharing candidate",
	[RP_SHARING_MIXED] = "mixed",
};

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* The members of a set by their numbers in results, ascending: how many. `to` has room. */
static size_t
list_set(const struct rp_coherence *k, const uint8_t *set, uint32_t *to)
{
	size_t bytes = k->lines.set_bytes, n = 0;
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		for (uint64_t m = coh_word(set, i, bytes); m; m &= m - 1)
			to[n++] = k->rank[i * 64 + (unsigned)__builtin_ctzll(m)];
	qsort(to, n, sizeof *to, by_number);
	return n;
}

static bool
copy_set(
    const struct rp_coherence *k, const uint8_t *set, uint32_t **to, size_t *n, struct rp_err *err)
{
	*to = rp_mem_array(coh_count(set, k->lines.set_bytes), sizeof **to, err);
	if (!*to)
		return false;
	*n = list_set(k, set, *to);
	return true;
}

static int
by_offset(const void *a, const void *b)
{
	const struct rp_coherence_offset *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool
list_offsets(const struct rp_coherence *k, const struct coh_stats *s, struct rp_coherence_line *out,
    struct rp_err *err)
{
	size_t n = 0;
	for (uint32_t o = s->offsets; o; o = coh_offset(&k->lines, o - 1)->next)
		n++;
	if (!(out->offset = rp_mem_array(n, sizeof *out->offset, err)))
		return false;
	for (uint32_t o = s->offsets; o; o = coh_offset(&k->lines, o - 1)->next) {
		const struct coh_offset *from = coh_offset(&k->lines, o - 1);
		struct rp_coherence_offset *to = &out->offset[out->n_offsets++];
		to->offset = from->offset;
		if (!copy_set(k, from->caches, &to->caches, &to->n, err))
			return false;
	}
	qsort(out->offset, n, sizeof *out->offset, by_offset);
	return true;
}

static enum rp_sharing
verdict_of_offsets(const struct rp_coherence *k, const struct coh_stats *s)
{
	if (!s->hitm)
		return RP_SHARING_NONE;
	for (uint32_t o = s->offsets; o; o = coh_offset(&k->lines, o - 1)->next)
		if (coh_count(coh_offset(&k->lines, o - 1)->caches, k->lines.set_bytes) > 1)
			return RP_SHARING_TRUE;
	return RP_SHARING_FALSE_CANDIDATE;
}

static enum rp_sharing
verdict_of_masks(const struct coh_stats *s)
{
	unsigned __int128 t = s->true_sharing, f = s->false_sharing;
	if (!t && !f)
		return RP_SHARING_NONE;
	return 10 * f >= 9 * (t + f)   ? RP_SHARING_FALSE
	       : 10 * t >= 9 * (t + f) ? RP_SHARING_TRUE
	                               : RP_SHARING_MIXED;
}

static bool
describe(struct rp_coherence *k, uint32_t record, struct rp_coherence_line *out, struct rp_err *err)
{
	const struct coh_line *x = coh_line(&k->lines, record);
	const struct coh_stats *s = coh_stats(&k->lines, x);
	*out = (struct rp_coherence_line){ .address = x->number * k->config.line,
		.accesses = s->accesses,
		.misses = s->misses,
		.hitm = s->hitm,
		.true_sharing = s->true_sharing,
		.false_sharing = s->false_sharing,
		.dir = s->dir,
		.upgrades = s->upgrades,
		.inv_sent = s->inv_sent,
		.forwards = s->forwards,
		.by_offsets = verdict_of_offsets(k, s),
		.by_masks = verdict_of_masks(s) };
	return copy_set(
		   k, coh_set(&k->lines, x, COH_WRITERS), &out->writers, &out->n_writers, err) &&
	       copy_set(
		   k, coh_set(&k->lines, x, COH_READERS), &out->readers, &out->n_readers, err) &&
	       list_offsets(k, s, out, err);
}

static uint64_t
coherence_of(const struct coh_stats *s)
{
	return s->true_sharing + s->false_sharing + s->dir;
}

/* Whether record a comes before b: more hit-modified misses, more coherence misses, a lower address. */
static bool
comes_before(const struct coh_lines *l, uint32_t a, uint32_t b)
{
	const struct coh_line *x = coh_line(l, a), *y = coh_line(l, b);
	const struct coh_stats *s = coh_stats(l, x), *t = coh_stats(l, y);
	if (s->hitm != t->hitm)
		return s->hitm > t->hitm;
	if (coherence_of(s) != coherence_of(t))
		return coherence_of(s) > coherence_of(t);
	return x->number < y->number;
}

static void
sift_down(const struct coh_lines *l, uint32_t *heap, size_t n)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && comes_before(l, heap[child], heap[child + 1]);
		if (!comes_before(l, heap[i], heap[child]))
			return;
		uint32_t t = heap[i];
		heap[i] = heap[child];
		heap[child] = t;
	}
}

/* The first `top` records that have something to tell, first ones first: how many. A heap keeps them, the last at its top. */
static size_t
first_lines(const struct coh_lines *l, uint32_t *heap, size_t top)
{
	size_t n = 0;
	for (uint32_t r = 0; top && r < l->records.n; r++) {
		const struct coh_stats *s = coh_stats(l, coh_line(l, r));
		if (!s->hitm && !coherence_of(s))
			continue;
		if (n < top) {
			size_t i = n++;
			for (; i && comes_before(l, heap[(i - 1) / 2], r); i = (i - 1) / 2)
				heap[i] = heap[(i - 1) / 2];
			heap[i] = r;
		} else if (comes_before(l, r, heap[0])) {
			heap[0] = r;
			sift_down(l, heap, n);
		}
	}
	for (size_t left = n; left > 1; left--) {
		uint32_t t = heap[0];
		heap[0] = heap[left - 1];
		heap[left - 1] = t;
		sift_down(l, heap, left - 1);
	}
	return n;
}

static bool
list_lines(struct rp_coherence *k, size_t top, struct rp_coherence_report *out, struct rp_err *err)
{
	size_t room = top < k->lines.records.n ? top : k->lines.records.n;
	uint32_t hot, *heap = rp_mem_array(room, sizeof *heap, err);
	if (!heap)
		return false;
	size_t n = first_lines(&k->lines, heap, room);
	bool ok = (out->line = rp_mem_array(n, sizeof *out->line, err));
	for (size_t i = 0; ok && i < n; i++) {
		out->n++;
		ok = describe(k, heap[i], &out->line[i], err);
	}
	free(heap);
	if (ok && out->coherence_bound && first_lines(&k->lines, &hot, 1)) {
		const struct coh_line *x = coh_line(&k->lines, hot);
		out->has_hot = true;
		out->hot_line = x->number * k->config.line;
		out->by_offsets = verdict_of_offsets(k, coh_stats(&k->lines, x));
		out->by_masks = verdict_of_masks(coh_stats(&k->lines, x));
	}
	return ok;
}

bool
rp_coherence_report(
    struct rp_coherence *k, size_t top, struct rp_coherence_report *out, struct rp_err *err)
{
	struct rp_coherence_counters t;
	rp_coherence_totals(k, &t);
	uint64_t sharing = t.coherence - t.coherence_dir;
	*out = (struct rp_coherence_report){
		.naive_flag = t.misses > t.accesses - t.misses,
		.coherence_bound = t.misses && t.hitm >= t.misses - t.hitm &&
		                   (sharing >= t.misses || sharing >= t.misses - sharing),
		.directory_bound = t.misses && (t.coherence_dir >= t.misses ||
						   t.coherence_dir >= t.misses - t.coherence_dir),
		.by_offsets = RP_SHARING_UNBOUND,
		.by_masks = RP_SHARING_UNBOUND,
	};
	if (!k->lines.stats) {
		if (out->coherence_bound)
			out->by_offsets = out->by_masks = RP_SHARING_NONE;
		return true;
	}
	if (coh_sort_caches(k, err) && list_lines(k, top, out, err))
		return true;
	rp_coherence_report_free(out);
	return false;
}

void
rp_coherence_report_free(struct rp_coherence_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct rp_coherence_line *x = &r->line[i];
		free(x->writers);
		free(x->readers);
		for (size_t o = 0; x->offset && o < x->n_offsets; o++)
			free(x->offset[o].caches);
		free(x->offset);
	}
	free(r->line);
	r->line = NULL;
	r->n = 0;
}

static int
by_address(const void *a, const void *b)
{
	const struct rp_coherence_copy *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

bool
rp_coherence_copies(
    struct rp_coherence *k, size_t i, struct rp_coherence_copy **out, size_t *n, struct rp_err *err)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	*n = 0;
	if (!coh_sort_caches(k, err) || !(*out = rp_mem_array(places, sizeof **out, err)))
		return false;
	const struct coh_cache *c = &k->cache[k->sorted[i]];
	for (size_t p = 0; p < places; p++)
		if (c->way[p].state)
			(*out)[(*n)++] =
			    (struct rp_coherence_copy){ .address = c->tag[p] * k->config.line,
				    .state = k->protocol->cache_state[c->way[p].state].name };
	qsort(*out, *n, sizeof **out, by_address);
	return true;
}

bool
rp_coherence_entries(
    struct rp_coherence *k, struct rp_coherence_copy **out, size_t *n, struct rp_err *err)
{
	size_t members = 0;
	*n = 0;
	for (uint32_t i = 0; i < k->lines.records.n; i++)
		members += coh_count(
		    coh_set(&k->lines, coh_line(&k->lines, i), COH_SHARERS), k->lines.set_bytes);
	free(k->listed);
	k->listed = rp_mem_array(members, sizeof *k->listed, err);
	if (!k->listed || !coh_sort_caches(k, err) ||
	    !(*out = rp_mem_array(k->entries, sizeof **out, err)))
		return false;
	uint32_t *at = k->listed;
	for (uint32_t i = 0; i < k->lines.records.n; i++) {
		const struct coh_line *x = coh_line(&k->lines, i);
		if (!x->state)
			continue;
		size_t listed = list_set(k, coh_set(&k->lines, x, COH_SHARERS), at);
		(*out)[(*n)++] = (struct rp_coherence_copy){ .address = x->number * k->config.line,
			.state = k->protocol->home_state[x->state].name,
			.caches = at,
			.n = listed };
		at += listed;
	}
	qsort(*out, *n, sizeof **out, by_address);
	return true;
}
