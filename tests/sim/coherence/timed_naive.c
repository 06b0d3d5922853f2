/* timed_naive.c - timed mode cycle by cycle. */
#include "tests/check.h"
#include "tests/sim/coherence/timed_naive.h"

#include "sim/coherence/engine.h"

enum { PIECES = 4 * NAIVE_ROWS };

enum where { NOWHERE, UNDERWAY, HELD, ACCEPTED, JOINED };

/* A line access. */
struct piece {
	struct rp_access row;
	uint64_t line, gap;
	enum where where;
	uint64_t tried, time; /* time: of arrival, or of completion */
	uint64_t refusals;
	bool store, had_copy;
	size_t with; /* of JOINED: the piece whose request it joined */
	size_t turn; /* of JOINED: in which order they did */
};

struct lane {
	struct piece piece[PIECES];
	size_t n, next;
	uint64_t issue; /* when the next is issued, or tried again */
	bool waits, stalled;
	size_t joins;
};

struct naive {
	struct rp_coherence *k;
	const struct rp_coherence_config *config;
	struct lane lane[NAIVE_STREAMS];
	size_t streams;
	uint64_t now;
	struct rp_coherence_timed *count;
	uint64_t *finish;
};

static void
split(struct naive *x, const struct naive_trace *t)
{
	uint64_t line = x->config->line;
	for (size_t s = 0; s < t->streams; s++)
		for (size_t i = 0; i < t->n[s]; i++) {
			struct rp_access row = t->row[s][i];
			uint64_t at = row.addr, end = row.addr + row.size, gap = t->gap[s][i];
			for (uint64_t to; at < end; at = to, gap = 0) {
				to = (at / line + 1) * line < end ? (at / line + 1) * line : end;
				struct piece p = { .row = row, .line = at / line, .gap = gap };
				p.row.addr = at;
				p.row.size = (uint32_t)(to - at);
				p.store = row.kind == RP_WRITE;
				x->lane[s].piece[x->lane[s].n++] = p;
			}
		}
}

static bool
is_busy(const struct naive *x, uint64_t line)
{
	for (size_t s = 0; s < x->streams; s++)
		for (size_t i = 0; i < x->lane[s].n; i++)
			if (x->lane[s].piece[i].where == ACCEPTED &&
			    x->lane[s].piece[i].line == line)
				return true;
	return false;
}

static uint64_t
in_table(const struct naive *x)
{
	uint64_t n = 0;
	for (size_t s = 0; s < x->streams; s++)
		for (size_t i = 0; i < x->lane[s].n; i++)
			n += x->lane[s].piece[i].where == ACCEPTED;
	return n;
}

static bool
is_mshr(const struct piece *p)
{
	return p->where == UNDERWAY || p->where == HELD || p->where == ACCEPTED;
}

static bool
naive_pinned(void *to, uint32_t cache, uint64_t line)
{
	struct naive *x = to;
	for (size_t i = 0; i < x->lane[cache].n; i++)
		if (is_mshr(&x->lane[cache].piece[i]) && x->lane[cache].piece[i].line == line)
			return true;
	return false;
}

static bool
naive_may_recall(void *to, uint32_t record)
{
	struct naive *x = to;
	return !is_busy(x, coh_line(&x->k->lines, record)->number);
}

/* No entry of its own, no free way, and all entries of the set busy. */
static bool
set_is_busy(const struct naive *x, uint64_t line)
{
	struct rp_coherence_copy *e;
	size_t n, in_set = 0;
	bool free_one = false, own = false;
	cr_assert(rp_coherence_entries(x->k, &e, &n, NULL));
	for (size_t i = 0; i < n; i++) {
		uint64_t other = e[i].address / x->config->line;
		own |= other == line;
		if (other % x->config->dir_sets != line % x->config->dir_sets)
			continue;
		in_set++;
		free_one |= !is_busy(x, other);
	}
	free(e);
	return !own && in_set == x->config->dir_ways && !free_one;
}

static int
reason(const struct naive *x, const struct piece *p)
{
	if (is_busy(x, p->line))
		return 1;
	if (in_table(x) == x->config->timing.pending)
		return 2;
	return x->config->sparse && set_is_busy(x, p->line) ? 3 : 0;
}

static struct coh_outcome
access_now(struct naive *x, size_t s, const struct piece *p)
{
	uint64_t mask[RP_COHERENCE_MASK_WORDS];
	struct rp_access row = p->row;
	struct rp_batch b = { .n = 1,
		.cap = 1,
		.addr = &row.addr,
		.size = &row.size,
		.stream = &row.stream,
		.kind = &row.kind };
	struct coh_request q = coh_request_of(x->k, &b, 0, p->line, (uint32_t)s, mask);
	struct coh_outcome out;
	struct rp_err err = { 0 };
	cr_assert(coh_access(x->k, &q, &out, &err), "%s", err.text);
	return out;
}

static void
completes(struct naive *x, size_t s, const struct piece *p, uint64_t at)
{
	x->count->sum_access_latency += at - p->tried;
	if (at > x->finish[s])
		x->finish[s] = at;
}

static void
naive_accept(struct naive *x, size_t s, struct piece *p)
{
	const struct rp_coherence_timing *c = &x->config->timing;
	struct coh_outcome out = access_now(x, s, p);
	uint64_t b = c->home, d;
	if (out.back_invs)
		b += c->net + c->resp + c->net;
	if (out.forwarded)
		d = b + c->net + c->resp + c->net;
	else
		d = b + (out.memory ? c->mem : 0) + c->net;
	if (out.invs && d < b + c->net + c->resp + c->net)
		d = b + c->net + c->resp + c->net;
	if (p->where == HELD)
		x->count->hold_cycles += x->now - p->time;
	x->count->upgrade_races += p->had_copy && out.how == COH_MISS;
	p->where = ACCEPTED;
	p->time = x->now + d;
	x->count->transactions++;
	x->count->sum_residence += d;
	if (d > x->count->max_residence)
		x->count->max_residence = d;
}

/* The held requests by arrival, stream, number; each gets one chance. */
static void
scan(struct naive *x)
{
	struct piece *held[NAIVE_STREAMS * PIECES];
	size_t of[NAIVE_STREAMS * PIECES], n = 0;
	for (size_t s = 0; s < x->streams; s++)
		for (size_t i = 0; i < x->lane[s].n; i++) {
			struct piece *p = &x->lane[s].piece[i];
			size_t at = n;
			if (p->where != HELD)
				continue;
			for (; at && held[at - 1]->time > p->time; at--) {
				held[at] = held[at - 1];
				of[at] = of[at - 1];
			}
			held[at] = p;
			of[at] = s;
			n++;
		}
	for (size_t i = 0; i < n; i++)
		if (!reason(x, held[i]))
			naive_accept(x, of[i], held[i]);
}

static void
naive_complete(struct naive *x, size_t s, size_t i)
{
	struct lane *l = &x->lane[s];
	l->piece[i].where = NOWHERE;
	completes(x, s, &l->piece[i], x->now);
	for (size_t turn = 0; turn < l->joins; turn++)
		for (size_t j = 0; j < l->n; j++) {
			struct piece *p = &l->piece[j];
			if (p->where != JOINED || p->with != i || p->turn != turn)
				continue;
			cr_assert(access_now(x, s, p).how == COH_HIT);
			completes(x, s, p, x->now);
			p->where = NOWHERE;
		}
	if (!x->config->timing.mshrs) {
		l->waits = false;
		l->issue = x->now + (l->next < l->n ? l->piece[l->next].gap : 0);
	} else if (l->stalled) {
		l->issue = x->now;
	}
	scan(x);
}

static void
naive_arrive(struct naive *x, size_t s, struct piece *p)
{
	const struct rp_coherence_timing *c = &x->config->timing;
	struct rp_coherence_timed *n = x->count;
	int why = reason(x, p);
	if (!why) {
		naive_accept(x, s, p);
		return;
	}
	if (why == 1 ? !c->busy_nack : !c->full_nack) {
		*(why == 1 ? &n->holds_busy : why == 2 ? &n->holds_full : &n->holds_dirset) += 1;
		p->where = HELD;
		return;
	}
	*(why == 1 ? &n->nacks_busy : why == 2 ? &n->nacks_full : &n->nacks_dirset) += 1;
	n->nacks++;
	n->retries++;
	uint64_t wait = c->backoff;
	for (uint64_t k = 0; k < p->refusals && wait < c->backoff_max; k++)
		wait *= c->backoff_mult;
	wait = wait < c->backoff_max ? wait : c->backoff_max;
	p->refusals++;
	p->time = x->now + c->home + c->net + wait + c->net;
}

/* Whether the access was issued; else it stalls. */
static bool
try(struct naive *x, size_t s, struct piece *p)
{
	const struct rp_coherence_timing *c = &x->config->timing;
	struct lane *l = &x->lane[s];
	size_t own = l->n, used = 0, in_set = 0;
	for (size_t i = 0; i < l->n; i++)
		if (is_mshr(&l->piece[i])) {
			used++;
			in_set += l->piece[i].line % x->config->sets == p->line % x->config->sets;
			if (l->piece[i].line == p->line)
				own = i;
		}
	if (own < l->n) {
		if (p->store && !l->piece[own].store)
			return false;
		x->count->mshr_merges++;
		p->where = JOINED;
		p->with = own;
		p->turn = l->joins++;
		return true;
	}
	enum coh_how how = coh_peek(x->k, (uint32_t)s, p->line, p->store);
	if (how == COH_HIT) {
		access_now(x, s, p);
		completes(x, s, p, x->now + c->l1);
		return true;
	}
	if (c->mshrs && (used == c->mshrs || in_set >= x->config->ways))
		return false;
	p->had_copy = how == COH_UPGRADE;
	p->where = UNDERWAY;
	p->time = x->now + c->l1 + c->net;
	return true;
}

static void
naive_issue(struct naive *x, size_t s)
{
	struct lane *l = &x->lane[s];
	struct piece *p = &l->piece[l->next];
	if (!l->stalled)
		p->tried = x->now;
	if (!try(x, s, p)) {
		x->count->mshr_stalls += !l->stalled;
		l->stalled = true;
		return;
	}
	if (l->stalled)
		x->count->mshr_stall_cycles += x->now - p->tried;
	l->stalled = false;
	uint64_t gap = ++l->next < l->n ? l->piece[l->next].gap : 0;
	if (x->config->timing.mshrs)
		l->issue = x->now + 1 + gap;
	else if (p->where == NOWHERE)
		l->issue = x->now + x->config->timing.l1 + gap;
	else
		l->waits = true;
}

static bool
is_over(const struct naive *x)
{
	for (size_t s = 0; s < x->streams; s++) {
		if (x->lane[s].next < x->lane[s].n)
			return false;
		for (size_t i = 0; i < x->lane[s].n; i++)
			if (x->lane[s].piece[i].where != NOWHERE)
				return false;
	}
	return true;
}

static void
cycle(struct naive *x)
{
	for (size_t s = 0; s < x->streams; s++)
		for (size_t i = 0; i < x->lane[s].n; i++)
			if (x->lane[s].piece[i].where == ACCEPTED &&
			    x->lane[s].piece[i].time == x->now)
				naive_complete(x, s, i);
	for (size_t s = 0; s < x->streams; s++)
		for (size_t i = 0; i < x->lane[s].n; i++)
			if (x->lane[s].piece[i].where == UNDERWAY &&
			    x->lane[s].piece[i].time == x->now)
				naive_arrive(x, s, &x->lane[s].piece[i]);
	for (size_t s = 0; s < x->streams; s++) {
		struct lane *l = &x->lane[s];
		if (l->next < l->n && !l->waits && l->issue == x->now)
			naive_issue(x, s);
	}
	uint64_t n = in_table(x);
	x->count->occupancy_integral += n;
	if (n > x->count->occupancy_max)
		x->count->occupancy_max = n;
	x->count->full_cycles += n == x->config->timing.pending;
}

void
naive_timed(struct rp_coherence *k, const struct naive_trace *t, struct rp_coherence_timed *count,
    uint64_t *finish, const char **verdict)
{
	struct naive *x = calloc(1, sizeof *x);
	*x = (struct naive){ .k = k,
		.config = rp_coherence_config(k),
		.streams = t->streams,
		.count = count,
		.finish = finish };
	memset(count, 0, sizeof *count);
	memset(finish, 0, t->streams * sizeof *finish);
	k->hooks =
	    (struct coh_hooks){ .to = x, .pinned = naive_pinned, .may_recall = naive_may_recall };
	split(x, t);
	for (size_t s = 0; s < t->streams; s++)
		x->lane[s].issue = x->lane[s].n ? x->lane[s].piece[0].gap : 0;
	for (; !is_over(x); x->now++)
		cycle(x);
	for (size_t s = 0; s < t->streams; s++)
		if (finish[s] > count->cycles)
			count->cycles = finish[s];
	double share = count->cycles ? (double)count->occupancy_integral / (double)count->cycles /
	                                   (double)x->config->timing.pending
	                             : 0;
	*verdict = !count->holds_full && !count->nacks_full ? "not limiting"
	           : share > 0.9 - 1e-9                     ? "bottleneck"
	                                                    : "bursts";
	k->hooks = (struct coh_hooks){ 0 };
	free(x);
}
