/* check_scan.c - one scan with fixed phases, replayed and held against its closed forms.
 *
 * The scan is replayed once, a round at a time, through LRU and the slotted TTL, whose misses are compared round by round,
 * and in long batches through all other policies, of which only totals are. Beside the caches two things are measured from the
 * rows themselves: when each block was requested last, and reuse distances. */
#include "config.h"

#include "validate/check_scan_state.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

struct rp_scan_bench *
rp_scan_bench_new(const struct rp_scan_how *how, struct rp_err *err)
{
	struct rp_scan_bench *b = rp_mem_array(1, sizeof *b, err);
	if (!b)
		return NULL;
	b->how = *how;
	b->reuse = rp_reuse_new(RP_LEVEL_BEST, err);
	b->rows = rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME, err);
	b->request = rp_mem_array(SHORT, sizeof *b->request, err);
	b->next = rp_mem_array(SHORT, sizeof *b->next, err);
	if (b->reuse && b->rows && b->request && b->next)
		return b;
	rp_scan_bench_free(b);
	return NULL;
}

static void
free_caches(struct scan_caches *c)
{
	rp_lab_caches_free(&c->lru);
	rp_lab_caches_free(&c->policy);
	rp_lab_caches_free(&c->min);
	free(c->fits);
	*c = (struct scan_caches){ 0 };
}

void
rp_scan_bench_free(struct rp_scan_bench *b)
{
	if (!b)
		return;
	for (size_t i = 0; i <= SMALL; i++)
		free_caches(&b->small[i]);
	free_caches(&b->large);
	rp_reuse_free(b->reuse);
	rp_batch_free(b->rows);
	free(b->last);
	free(b->request);
	free(b->next);
	free(b);
}

uint64_t
rp_scan_rounds(uint64_t blocks, uint32_t workers)
{
	return blocks <= (UINT64_C(1) << 24) / 6 / workers ? 6 * blocks : 2 * blocks;
}

/* The caches of this capacity, made when they are first wanted. */
static struct scan_caches *
caches_of(struct rp_scan_bench *b, uint64_t blocks, struct rp_err *err)
{
	struct scan_caches *c = blocks <= SMALL ? &b->small[blocks] : &b->large;
	const struct rp_lab *lab = &b->how.lab;
	if (c == &b->large)
		free_caches(c);
	if (c->made)
		return c;
	if (!rp_lab_add(lab, &c->lru, RP_LAB_LRU, blocks, err) ||
	    !rp_lab_add(lab, &c->min, RP_LAB_MIN, blocks, err) ||
	    !rp_lab_add(lab, &c->min, RP_LAB_BYPASS, blocks, err) ||
	    (!b->how.only_own && !rp_lab_add_policies(lab, &c->policy, blocks, err)))
		return NULL;
	c->built_in = c->policy.n;
	c->fits = rp_mem_array(b->how.n_own, sizeof *c->fits, err);
	if (!c->fits)
		return NULL;
	for (size_t i = 0; i < b->how.n_own; i++)
		if (!rp_lab_add_own(lab, &c->policy, b->how.own[i], blocks, &c->fits[i], err))
			return NULL;
	c->made = true;
	return c;
}

/* ---- The closed forms, and what needs no replay ---- */

static bool
open_forms(struct scan_run *r, struct rp_err *err)
{
	const struct rp_lab_scan *s = &r->c->scan;
	uint64_t C = r->c->capacity, sum = 0;
	r->p = rp_pascal_new(s->phase, s->workers, s->blocks, err);
	if (!r->p || !rp_pascal_distances(r->p, err) || !rp_pascal_horizon(r->p, s->rounds, err))
		return false;
	r->below = rp_pascal_waterline(r->p, C, &r->line);
	if (!r->below)
		r->line.window = s->blocks;
	else
		rp_check(r->checks, RP_WATERLINE,
		    rp_pascal_footprint(r->p, r->line.window) <= C &&
			C < rp_pascal_footprint(r->p, r->line.window + 1),
		    (double)C - (double)rp_pascal_footprint(r->p, r->line.window),
		    "T* = %" PRIu64 ": U(T*) = %" PRIu64 ", U(T* + 1) = %" PRIu64, r->line.window,
		    rp_pascal_footprint(r->p, r->line.window),
		    rp_pascal_footprint(r->p, r->line.window + 1));
	for (uint32_t m = 0; m < s->workers; m++)
		sum += r->p->delta[m];
	rp_check_equal(
	    r->checks, RP_INTERVALS, sum, s->blocks * s->workers, "sum of Delta", RP_NOWHERE);
	return true;
}

/* ---- What the rows themselves tell ---- */

/* Requests since the last one of each row's block, and its reuse distance: those of its worker, once the block was seen. */
static bool
look_at_rows(struct scan_run *r, const struct rp_batch *in, struct rp_err *err)
{
	uint64_t line[RP_REUSE_CHUNK], M = r->p->workers;
	uint32_t distance[RP_REUSE_CHUNK];
	for (size_t from = 0, n; from < in->n; from += n) {
		n = in->n - from < RP_REUSE_CHUNK ? in->n - from : RP_REUSE_CHUNK;
		for (size_t i = 0; i < n; i++)
			line[i] = in->addr[from + i] / r->c->scan.block;
		if (!rp_reuse_run(r->b->reuse, line, n, distance, err))
			return false;
		for (size_t i = 0; i < n; i++, r->row++) {
			uint64_t m = r->row % M, k = r->row / M, before = r->b->last[line[i]];
			bool first = k < r->p->previous[m].lag;
			r->b->last[line[i]] = r->row + 1;
			if (r->row < SHORT)
				r->b->request[r->row] = line[i];
			rp_check_equal(r->checks, RP_INTERVALS, before ? r->row + 1 - before : 0,
			    first ? 0 : r->p->delta[m],
			    "M times the time since the last request, worker", m);
			rp_check_equal(r->checks, RP_DISTANCES, distance[i],
			    first ? RP_COLD : r->p->rd[m], "reuse distance, worker", m);
		}
	}
	return true;
}

/* Distinct blocks of the last t rounds, for every t: counted by when each block was requested last. */
static bool
look_at_footprints(struct scan_run *r, struct rp_err *err)
{
	uint64_t N = r->p->blocks, M = r->p->workers, H = r->row / M, blocks = 0;
	uint64_t *in_round = rp_mem_array(N, sizeof *in_round, err); /* by rounds before the last */
	if (!in_round)
		return false;
	for (uint64_t i = 0; i < N; i++) {
		uint64_t ago = r->b->last[i] ? H - 1 - (r->b->last[i] - 1) / M : N;
		if (ago < N)
			in_round[ago]++;
	}
	for (uint64_t t = 0; t < N; t++) {
		blocks += in_round[t];
		rp_check_equal(r->checks, RP_FOOTPRINT, blocks, rp_pascal_footprint(r->p, t + 1),
		    "distinct blocks, rounds", t + 1);
	}
	free(in_round);
	return true;
}

/* ---- Replaying ---- */

/* A part of a batch's rows, without marks. */
static struct rp_batch
slice(const struct rp_batch *b, size_t from, size_t n)
{
	struct rp_batch s = { .n = n,
		.cap = n,
		.addr = b->addr + from,
		.size = b->size + from,
		.kind = b->kind + from };
	s.time = b->time + from;
	s.stream = b->stream + from;
	return s;
}

/* A round has been replayed by LRU and TTL. */
static void
end_round(struct scan_run *r, uint64_t k)
{
	uint64_t misses[2] = { rp_lab_misses(r->pair, LRU), rp_lab_misses(r->pair, TTL) };
	r->lru = (uint32_t)(misses[LRU] - r->misses[LRU]);
	r->ttl = (uint32_t)(misses[TTL] - r->misses[TTL]);
	memcpy(r->misses, misses, sizeof misses);
	if (k >= r->p->blocks)
		rp_check_equal(r->checks, RP_LRU_ROUNDS, r->lru,
		    rp_pascal_lru(r->p, r->c->capacity), "misses of LRU, round", k);
	if (k >= r->line.window)
		rp_check_equal(r->checks, RP_TTL_ROUNDS, r->ttl,
		    rp_pascal_ttl(r->p, r->c->capacity), "misses of TTL, round", k);
}

/* Rows go to the pair round by round. */
static bool
replay_rounds(struct scan_run *r, const struct rp_batch *in, uint64_t row, struct rp_err *err)
{
	uint64_t M = r->p->workers;
	for (size_t from = 0, n; from < in->n; from += n) {
		uint64_t left = M - (row + from) % M;
		n = left < in->n - from ? (size_t)left : in->n - from;
		struct rp_batch part = slice(in, from, n);
		if (!rp_replay_run(r->pair, &part, err))
			return false;
		if (n == left)
			end_round(r, (row + from) / M);
	}
	return true;
}

static bool
replay(struct scan_run *r, struct rp_err *err)
{
	struct rp_source *s = rp_lab_open(&r->c->scan, err);
	struct rp_batch *in = r->b->rows;
	ptrdiff_t n = s ? 1 : -1;
	while (n > 0) {
		rp_batch_clear(in);
		uint64_t row = r->row;
		n = rp_source_pull(s, in, err);
		if (n > 0 &&
		    (!look_at_rows(r, in, err) || !replay_rounds(r, in, row, err) ||
			!rp_replay_run(r->policies, in, err) || !rp_replay_run(r->min, in, err)))
			n = -1;
	}
	rp_source_close(s);
	return n == 0 && rp_replay_end(r->policies, err) && rp_replay_end(r->min, err);
}

static bool
open_replays(struct scan_run *r, struct rp_err *err)
{
	const struct rp_replay_opts by_worker = { .by_stream = true }, plain = { 0 };
	struct scan_caches *c = r->caches;
	if (!rp_lab_add(&r->b->how.lab, &r->window, RP_LAB_TTL, r->line.window, err))
		return false;
	r->spec[LRU] = c->lru.spec[0];
	r->spec[TTL] = r->window.spec[0];
	return (r->pair = rp_replay_new(r->spec, 2, &by_worker, err)) &&
	       (r->policies = rp_replay_new(c->policy.spec, c->policy.n, &plain, err)) &&
	       (r->min = rp_replay_new(c->min.spec, c->min.n, &plain, err));
}

/* ---- Between rounds, and from warm contents ---- */

/* What TTL holds between two rounds: a last round that requests every block finds just that. */
static bool
compare_held(struct scan_run *r, struct rp_err *err)
{
	uint64_t N = r->p->blocks, misses = r->misses[TTL];
	struct rp_batch *in = r->b->rows;
	for (uint64_t block = 0; block < N;) {
		rp_batch_clear(in);
		for (; in->n < in->cap && block < N; block++)
			rp_batch_put(in, &(struct rp_access){ .addr = block * r->c->scan.block,
					     .size = r->c->scan.block,
					     .time = r->c->scan.rounds });
		if (!rp_replay_run(r->pair, in, err))
			return false;
	}
	if (r->below)
		rp_check_equal(r->checks, RP_TTL_HELD, N - (rp_lab_misses(r->pair, TTL) - misses),
		    rp_pascal_footprint(r->p, r->line.window), "blocks held by TTL", RP_NOWHERE);
	return true;
}

/* ---- A warm start ---- */

/* Rows that bring in the first `n` blocks that the scan requests: the contents that help MIN most. */
static bool
warm_up(struct scan_run *r, struct rp_replay *warm, uint64_t n, struct rp_err *err)
{
	struct rp_source *s = rp_lab_open(&r->c->scan, err);
	struct rp_batch *in = r->b->rows,
			*out = rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME, err);
	memset(r->b->last, 0, r->p->blocks * sizeof *r->b->last);
	bool ok = s && out;
	while (ok && n) {
		rp_batch_clear(in);
		rp_batch_clear(out);
		ok = rp_source_pull(s, in, err) > 0;
		for (size_t i = 0; ok && n && i < in->n; i++) {
			uint64_t *seen = &r->b->last[in->addr[i] / r->c->scan.block];
			if (!*seen) {
				rp_batch_append(out, in, i, 1);
				n--;
			}
			*seen = 1;
		}
		ok = ok && rp_replay_run(warm, out, err);
	}
	rp_source_close(s);
	rp_batch_free(out);
	return ok;
}

static bool
check_warm(struct scan_run *r, struct rp_err *err)
{
	const struct scan_caches *c = r->caches;
	uint64_t C = r->c->capacity, N = r->p->blocks, held = C < N ? C : N,
		 bound = scan_cold_bound(r);
	const struct rp_replay_opts opts = { .warmup = held };
	struct rp_replay *warm = rp_replay_new(c->min.spec, c->min.n, &opts, err);
	struct rp_source *s = NULL;
	ptrdiff_t n =
	    warm && warm_up(r, warm, held, err) && (s = rp_lab_open(&r->c->scan, err)) ? 1 : -1;
	while (n > 0) {
		rp_batch_clear(r->b->rows);
		n = rp_source_pull(s, r->b->rows, err);
		if (n > 0 && !rp_replay_run(warm, r->b->rows, err))
			n = -1;
	}
	bool ok = n == 0 && rp_replay_end(warm, err);
	for (size_t i = 0; ok && i < c->min.n; i++) {
		uint64_t misses = rp_lab_misses(warm, i);
		rp_check(r->checks, RP_BOUND_WARM, misses + held >= bound,
		    (double)(misses + held) - (double)bound,
		    "MIN%s of warm contents: %" PRIu64 " misses, the bound is %" PRIu64
		    " - %" PRIu64,
		    i ? " with bypass" : "", misses, bound, held);
		if (r->b->how.without && i == MIN)
			rp_check_without(r->checks, RP_WITHOUT_CORRECTION, misses < bound);
	}
	rp_source_close(s);
	rp_replay_free(warm);
	return ok;
}

/* ---- The case ---- */

/* What makes a part of a command: `option` before each text, which is quoted. */
static bool
tell_texts(
    const char *option, const char *const *text, size_t n, struct rp_buf *to, struct rp_err *err)
{
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++)
		ok = rp_buf_printf(to, err, " %s '%s'", option, text[i]);
	return ok;
}

static bool
tell(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct scan_run *r = it;
	const struct rp_scan_how *how = &r->b->how;
	const struct rp_scan_case *c = r->c;
	const struct rp_lab_scan *s = &c->scan;
	bool ok = rp_buf_printf(to, err,
	    "N = %" PRIu64 ", M = %" PRIu32 ", C = %" PRIu64 ", %" PRIu64 " rounds, phases ",
	    s->blocks, s->workers, c->capacity, s->rounds);
	for (int pass = 0; ok && pass < 2; pass++) {
		if (pass)
			ok = rp_buf_printf(to, err,
			    "\nreprise validate pascal --blocks %" PRIu64 " --capacity %" PRIu64
			    " --rounds %" PRIu64 " --phases ",
			    s->blocks, c->capacity, s->rounds);
		for (uint32_t m = 0; ok && m < s->workers; m++)
			ok = rp_buf_printf(to, err, "%s%" PRIu64, m ? "," : "", s->phase[m]);
	}
	return ok && tell_texts("--plugin", how->plugin_files, how->n_plugin_files, to, err) &&
	       tell_texts("--cache", how->own, how->n_own, to, err) && rp_buf_printf(to, err, "\n");
}

static bool
make_room(struct rp_scan_bench *b, uint64_t blocks, struct rp_err *err)
{
	if (blocks > b->last_room) {
		uint64_t *grown = rp_mem_grow(b->last, blocks, sizeof *grown, err);
		if (!grown)
			return false;
		b->last = grown;
		b->last_room = blocks;
	}
	memset(b->last, 0, blocks * sizeof *b->last);
	rp_reuse_reset(b->reuse);
	return true;
}

static void
close_run(struct scan_run *r)
{
	rp_pascal_free(r->p);
	rp_replay_free(r->pair);
	rp_replay_free(r->policies);
	rp_replay_free(r->min);
	rp_lab_caches_free(&r->window);
}

bool
rp_scan_check(struct rp_scan_bench *b, const struct rp_scan_case *c, struct rp_checks *checks,
    struct rp_scan_own *own, struct rp_scan_result *result, struct rp_err *err)
{
	struct scan_run r = { .b = b, .c = c, .checks = checks };
	if (c->scan.rounds <= c->scan.blocks)
		return rp_fail(err, RP_USAGE,
		    "%" PRIu64 " rounds of %" PRIu64
		    " blocks: wanted more rounds than blocks, so that caches are warm",
		    c->scan.rounds, c->scan.blocks);
	rp_checks_begin(checks, tell, &r);
	bool ok = make_room(b, c->scan.blocks, err) &&
	          (r.caches = caches_of(b, c->capacity, err)) && open_forms(&r, err) &&
	          open_replays(&r, err) && replay(&r, err) && look_at_footprints(&r, err);
	if (ok) {
		scan_compare(&r, own);
		*result = (struct rp_scan_result){ .lru = r.lru,
			.ttl = r.ttl,
			.certified = r.below && r.p->distinct <= c->capacity };
		ok = compare_held(&r, err) && check_warm(&r, err);
	}
	close_run(&r);
	return ok && rp_checks_end(checks, err);
}
