/* coherence.c - a coherent system as a whole: made, warmed up, ended; its caches in ascending order. */
#include "config.h"

#include "sim/coherence/coherence.h"
#include "sim/coherence/engine.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HASHED_FROM = 32, /* ways that are no more searched one by one */
	CACHES_FIRST = 8,
	CACHES_MOST = 1 << 20,
	LINE_MOST = 1 << 30
};

bool
rp_coherence_policy_fits(const struct rp_policy *p, const uint64_t *arg, struct rp_err *err)
{
	if (!p->victim || p->future || p->unbounded || (p->admit && arg[0]))
		return rp_fail(err, RP_USAGE,
		    "policy '%s' needs the future or rounds; wanted one that does not", p->name);
	return true;
}

bool
rp_coherence_config_check(const struct rp_coherence_config *c, struct rp_err *err)
{
	if (!c->line || c->line > LINE_MOST)
		return rp_fail(
		    err, RP_USAGE, "line of %" PRIu32 " bytes: wanted 1 to %d", c->line, LINE_MOST);
	if (!c->word_bytes || c->word_bytes > c->line)
		return rp_fail(err, RP_USAGE,
		    "word of %" PRIu32 " bytes: wanted 1 to %" PRIu32 ", the line", c->word_bytes,
		    c->line);
	if ((c->line - 1) / c->word_bytes >= 64 * RP_COHERENCE_MASK_WORDS)
		return rp_fail(err, RP_USAGE,
		    "a line of %" PRIu32 " bytes has more than %d words of %" PRIu32
		    " bytes; wanted longer words",
		    c->line, 64 * RP_COHERENCE_MASK_WORDS, c->word_bytes);
	if (!c->sets || !c->ways || (uint64_t)c->sets * c->ways >= UINT32_MAX)
		return rp_fail(err, RP_USAGE,
		    "a cache of %" PRIu32 " x %" PRIu32 " lines; wanted 1 to 2^32 - 2", c->sets,
		    c->ways);
	if (c->sparse &&
	    (!c->dir_sets || !c->dir_ways || (uint64_t)c->dir_sets * c->dir_ways >= UINT32_MAX))
		return rp_fail(err, RP_USAGE,
		    "a directory of %" PRIu32 " x %" PRIu32 " entries; wanted 1 to 2^32 - 2",
		    c->dir_sets, c->dir_ways);
	if (c->caches > CACHES_MOST)
		return rp_fail(
		    err, RP_USAGE, "%" PRIu32 " caches: wanted %d at most", c->caches, CACHES_MOST);
	return rp_coherence_policy_fits(c->policy, c->arg, err);
}

/* log2 of n, or 64 if it is no power of two. */
static unsigned
shift_of(uint32_t n)
{
	return n & (n - 1) ? 64 : (unsigned)__builtin_ctz(n);
}

static void
set_geometry(struct rp_coherence *k)
{
	struct coh_geometry *g = &k->geometry;
	const struct rp_coherence_config *c = &k->config;
	const struct rp_policy *p = c->policy;
	g->sets = c->sets;
	g->ways = c->ways;
	g->set_mask = shift_of(c->sets) < 64 ? c->sets - 1 : 0;
	g->hashed = c->ways >= HASHED_FROM;
	g->mask_words = (c->line - 1) / c->word_bytes / 64 + 1;
	g->policy = p;
	g->arg = c->arg;
	g->seed = c->seed;
	bool lru = p == rp_policy_find("lru", NULL);
	g->how = lru && c->ways <= COH_WORD_WAYS     ? COH_LRU_WORD
	         : lru                               ? COH_LRU_LINKS
	         : p == rp_policy_find("fifo", NULL) ? COH_FIFO
	                                             : COH_ANY_POLICY;
	if (g->how == COH_LRU_WORD)
		g->set_bytes = sizeof(uint64_t);
	else
		g->set_bytes =
		    p->set_bytes ? (p->set_bytes(c->ways, c->arg) + 15) & ~(size_t)15 : 0;
}

struct rp_coherence *
rp_coherence_new(const struct rp_coherence_config *config, struct rp_err *err)
{
	if (!rp_coherence_config_check(config, err))
		return NULL;
	struct rp_coherence *k = rp_mem_array(1, sizeof *k, err);
	if (!k)
		return NULL;
	k->config = *config;
#ifdef SANITIZED
	k->config.verify = true;
#endif
	k->protocol = config->protocol;
	k->line_shift = shift_of(config->line);
	k->mask_shift = shift_of(config->word_bytes);
	set_geometry(k);
	k->lines.mask_words = k->geometry.mask_words;
	k->lines.stats = config->lines;
	k->lines.narrow_hints = (uint64_t)config->sets * config->ways <= COH_HINTED_LINES;
	k->room = config->caches ? config->caches : CACHES_FIRST;
	k->cache = rp_mem_array(k->room, sizeof *k->cache, err);
	k->pinned = rp_mem_array((config->ways + 63) / 64, sizeof *k->pinned, err);
	k->streams = rp_streams_new(err);
	bool ok = k->cache && k->pinned && k->streams &&
	          coh_lines_open(&k->lines, config->caches ? config->caches : 2, err) &&
	          (!config->sparse || coh_directory_open(&k->directory, config->dir_sets,
					  config->dir_ways, config->dir_fifo, err));
	for (uint32_t i = 0; ok && i < config->caches; i++)
		ok = coh_add_cache(k, i, err);
	if (ok)
		return k;
	rp_coherence_free(k);
	return NULL;
}

void
rp_coherence_free(struct rp_coherence *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		coh_cache_close(&k->cache[i]);
	coh_lines_close(&k->lines);
	coh_directory_close(&k->directory);
	rp_streams_free(k->streams);
	free(k->of_slot);
	free(k->row_cache);
	free(k->cache);
	free(k->before);
	free(k->version);
	free(k->memory_version);
	free(k->sorted);
	free(k->rank);
	free(k->listed);
	free(k->pinned);
	free(k);
}

const struct rp_coherence_config *
rp_coherence_config(const struct rp_coherence *k)
{
	return &k->config;
}

bool
coh_add_cache(struct rp_coherence *k, uint32_t stream, struct rp_err *err)
{
	if (k->n == CACHES_MOST)
		return rp_fail(err, RP_USAGE,
		    "more than %d streams; wanted --caches, which several streams share",
		    CACHES_MOST);
	if (k->n == k->room) {
		struct coh_cache *more = rp_mem_grow(k->cache, 2 * k->room, sizeof *more, err);
		if (!more)
			return false;
		memset(more + k->room, 0, k->room * sizeof *more);
		k->cache = more;
		k->room *= 2;
	}
	bool hinted = k->lines.hints_at;
	if (!coh_lines_widen(&k->lines, k->n + 1, err))
		return false;
	for (size_t i = 0; hinted && !k->lines.hints_at && i < k->n; i++)
		if (!coh_reference_unhint(
			&k->cache[i].reference, k->geometry.sets * k->geometry.ways, err))
			return false;
	struct coh_cache *c = &k->cache[k->n++];
	return coh_cache_open(c, &k->geometry, stream, k->lines.hints_at, k->config.verify, err);
}

/* Lifetimes that began before are not those of misses that count. How many there are. */
static uint64_t
forget_lives(struct coh_cache *c, size_t places)
{
	uint64_t n = 0;
	for (size_t p = 0; p < places; p++) {
		n += c->way[p].state && c->way[p].open;
		c->way[p].open = false;
	}
	return n;
}

bool
rp_coherence_warm(struct rp_coherence *k, struct rp_err *err)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	free(k->before);
	if (!(k->before = rp_mem_array(k->n, sizeof *k->before, err)))
		return false;
	k->n_before = k->n;
	coh_settle(k);
	for (size_t i = 0; i < k->n; i++) {
		k->forgotten += forget_lives(&k->cache[i], places);
		k->before[i] = k->cache[i].count;
	}
	k->home.dir_peak_entries = k->entries;
	k->home_before = k->home;
	k->home_before.dir_peak_entries = 0;
	coh_lines_forget(&k->lines);
	return true;
}

void
rp_coherence_end(struct rp_coherence *k)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	coh_settle(k);
	for (size_t i = 0; i < k->n && !k->ended; i++)
		for (size_t p = 0; p < places; p++) {
			struct coh_way *w = &k->cache[i].way[p];
			if (!w->state || !w->open)
				continue;
			w->open = false;
			k->cache[i].count.coherence_false++;
			k->cache[i].count.open_at_end++;
			if (k->lines.stats)
				coh_stats(&k->lines, coh_line(&k->lines, w->line))->false_sharing++;
		}
	k->ended = true;
}

static int
by_stream(const void *a, const void *b, void *cache)
{
	const struct coh_cache *c = cache;
	uint32_t x = c[*(const uint32_t *)a].stream, y = c[*(const uint32_t *)b].stream;
	return (x > y) - (x < y);
}

bool
coh_sort_caches(struct rp_coherence *k, struct rp_err *err)
{
	if (k->n_sorted == k->n && k->sorted)
		return true;
	free(k->sorted);
	free(k->rank);
	k->sorted = rp_mem_array(k->n, sizeof *k->sorted, err);
	k->rank = rp_mem_array(k->n, sizeof *k->rank, err);
	k->n_sorted = k->n;
	if (!k->sorted || !k->rank) {
		free(k->sorted);
		k->sorted = NULL;
		return false;
	}
	for (uint32_t i = 0; i < k->n; i++)
		k->sorted[i] = i;
	qsort_r(k->sorted, k->n, sizeof *k->sorted, by_stream, k->cache);
	for (uint32_t i = 0; i < k->n; i++)
		k->rank[k->sorted[i]] = i;
	return true;
}

bool
rp_coherence_caches(struct rp_coherence *k, size_t *n, struct rp_err *err)
{
	*n = k->n;
	return coh_sort_caches(k, err);
}

uint32_t
rp_coherence_stream(const struct rp_coherence *k, size_t i)
{
	return k->cache[k->sorted[i]].stream;
}

static void
count_of(const struct rp_coherence *k, size_t i, struct rp_coherence_counters *out)
{
	*out = k->cache[i].count;
	if (i < k->n_before)
		rp_coherence_counters_sub(out, out, &k->before[i]);
}

void
rp_coherence_count(const struct rp_coherence *k, size_t i, struct rp_coherence_counters *out)
{
	count_of(k, k->sorted[i], out);
}

void
rp_coherence_totals(const struct rp_coherence *k, struct rp_coherence_counters *out)
{
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < k->n; i++) {
		struct rp_coherence_counters one;
		count_of(k, i, &one);
		rp_coherence_counters_add(out, &one);
	}
}

void
rp_coherence_home(const struct rp_coherence *k, struct rp_coherence_home *out)
{
	*out = k->home;
	rp_coherence_home_sub(out, out, &k->home_before);
}

uint64_t
rp_coherence_footprint(const struct rp_coherence *k)
{
	return k->lines.records.n;
}

size_t
rp_coherence_bytes(const struct rp_coherence *k)
{
	const struct coh_geometry *g = &k->geometry;
	size_t places = (size_t)g->sets * g->ways;
	size_t of_place = sizeof(uint64_t) + sizeof(struct coh_way) +
	                  2 * g->mask_words * sizeof(uint64_t) + sizeof(struct coh_node);
	return coh_lines_bytes(&k->lines) + k->n * (places * of_place + g->sets * g->set_bytes);
}
