/* mini.c - miss ratios of any policy at several sizes, in one pass. */
#include "config.h"

#include "sim/observe/mini.h"

#include "sim/replay.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = RP_BATCH };

struct rp_mini {
	struct rp_sample sample;
	unsigned line_bits;
	size_t policies, sizes, caches;
	uint64_t *lines; /* of a cache, by size; 0: less than one */
	size_t *cache;   /* by policy and size: its number, SIZE_MAX: there is none */
	struct rp_cache_spec *spec;
	struct rp_replay *replay;
	bool foresees;    /* a policy needs the future */
	uint64_t lookups; /* counted, in the sample or not */
	uint64_t *before; /* misses of each cache before that */
	struct rp_batch *batch;
	uint32_t *index;
};

static bool
add_cache(
    struct rp_mini *m, const struct rp_mini_opts *o, size_t policy, size_t size, struct rp_err *err)
{
	char text[256];
	size_t *at = &m->cache[policy * m->sizes + size];
	*at = SIZE_MAX;
	if (!m->lines[size])
		return true;
	int n = snprintf(text, sizeof text, "%s,size=%" PRIu64 ",line=%" PRIu32, o->policy[policy],
	    m->lines[size] * o->line, o->line);
	if (n < 0 || (size_t)n >= sizeof text)
		return rp_fail(err, RP_USAGE, "'%.40s...': too long", o->policy[policy]);
	if (!rp_cache_spec_parse(text, o->line, o->seed, &m->spec[m->caches], err))
		return false;
	m->foresees = m->foresees || m->spec[m->caches].policy->future;
	*at = m->caches++;
	return true;
}

static bool
scale_size(struct rp_mini *m, const struct rp_mini_opts *o, size_t i, struct rp_err *err)
{
	char size[24], line[24];
	if (o->size[i] % o->line)
		return rp_fail(err, RP_USAGE, "%s: wanted a multiple of the line, %s",
		    rp_print_size(size, sizeof size, o->size[i]),
		    rp_print_size(line, sizeof line, o->line));
	double lines = (double)(o->size[i] / o->line) * rp_sample_rate(&m->sample);
	m->lines[i] = lines < 1 ? 0 : (uint64_t)(lines + 0.5);
	return true;
}

struct rp_mini *
rp_mini_new(const struct rp_mini_opts *o, struct rp_err *err)
{
	static const struct rp_replay_opts replay = { .keep_bypassed = true };
	struct rp_mini *m = rp_mem_array(1, sizeof *m, err);
	size_t most = o->policies * o->sizes;
	if (!m)
		return NULL;
	m->sample = o->sample;
	m->line_bits = (unsigned)__builtin_ctz(o->line);
	m->policies = o->policies;
	m->sizes = o->sizes;
	bool ok = (m->lines = rp_mem_array(o->sizes, sizeof *m->lines, err)) &&
	          (m->cache = rp_mem_array(most, sizeof *m->cache, err)) &&
	          (m->spec = rp_mem_array(most, sizeof *m->spec, err)) &&
	          (m->before = rp_mem_array(most, sizeof *m->before, err)) &&
	          (m->index = rp_mem_array(ROWS, sizeof *m->index, err)) &&
	          (m->batch = rp_batch_new(ROWS, 0, err));
	for (size_t i = 0; ok && i < o->sizes; i++)
		ok = scale_size(m, o, i, err);
	for (size_t i = 0; ok && i < o->policies; i++)
		for (size_t k = 0; ok && k < o->sizes; k++)
			ok = add_cache(m, o, i, k, err);
	if (ok && m->caches)
		ok = (m->replay = rp_replay_new(m->spec, m->caches, &replay, err));
	if (ok) {
		/* Rows differ in address and kind only. */
		for (size_t i = 0; i < ROWS; i++)
			m->batch->size[i] = 1;
		return m;
	}
	rp_mini_free(m);
	return NULL;
}

void
rp_mini_free(struct rp_mini *m)
{
	if (!m)
		return;
	rp_replay_free(m->replay);
	for (size_t i = 0; m->spec && i < m->caches; i++)
		rp_cache_spec_free(&m->spec[i]);
	rp_batch_free(m->batch);
	free(m->lines);
	free(m->cache);
	free(m->spec);
	free(m->before);
	free(m->index);
	free(m);
}

static bool
flush(struct rp_mini *m, struct rp_err *err)
{
	bool ok = !m->batch->n || rp_replay_run(m->replay, m->batch, err);
	rp_batch_clear(m->batch);
	return ok;
}

bool
rp_mini_run(
    struct rp_mini *m, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err)
{
	struct rp_batch *b = m->batch;
	m->lookups += n;
	if (!m->replay)
		return true;
	for (size_t from = 0; from < n; from += ROWS) {
		size_t some = n - from < ROWS ? n - from : ROWS;
		size_t k = rp_sample_take(&m->sample, line + from, some, 0, m->index);
		if (b->n + k > ROWS && !flush(m, err))
			return false;
		for (size_t i = 0; i < k; i++) {
			size_t at = from + m->index[i];
			b->addr[b->n + i] = line[at] << m->line_bits;
			b->kind[b->n + i] = store[at] ? RP_WRITE : RP_READ;
		}
		b->n += k;
	}
	return true;
}

bool
rp_mini_start(struct rp_mini *m, struct rp_err *err)
{
	struct rp_counters c;
	if (m->foresees)
		return rp_fail(err, RP_USAGE,
		    "a policy that needs the future cannot tell a warm-up's misses apart");
	m->lookups = 0;
	if (m->replay && !flush(m, err))
		return false;
	for (size_t i = 0; i < m->caches; i++) {
		rp_replay_counters(m->replay, i, &c);
		m->before[i] = c.misses;
	}
	return true;
}

bool
rp_mini_end(struct rp_mini *m, struct rp_err *err)
{
	return !m->replay || (flush(m, err) && rp_replay_end(m->replay, err));
}

double
rp_mini_ratio(const struct rp_mini *m, size_t policy, size_t size)
{
	struct rp_counters c;
	size_t cache = m->cache[policy * m->sizes + size];
	if (cache == SIZE_MAX || !m->lookups)
		return -1;
	rp_replay_counters(m->replay, cache, &c);
	double misses = (double)(c.misses - m->before[cache]) / rp_sample_rate(&m->sample);
	double all = (double)m->lookups;
	return misses < all ? misses / all : 1;
}

uint64_t
rp_mini_lines(const struct rp_mini *m, size_t size)
{
	return m->lines[size];
}
