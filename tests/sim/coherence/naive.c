/* naive.c - coherence as its definition says it. */
#include "config.h"

#include "tests/sim/coherence/naive.h"

#include <stdlib.h>
#include <string.h>

struct naive *
naive_new(const struct rp_coherence_config *config, uint32_t n)
{
	struct naive *m = calloc(1, sizeof *m);
	if (!m)
		abort();
	m->config = *config;
	m->n = n;
	return m;
}

static size_t
line_of(struct naive *m, uint64_t number)
{
	for (size_t i = 0; i < m->lines; i++)
		if (m->line[i].number == number)
			return i;
	if (m->lines == NAIVE_LINES)
		abort();
	m->line[m->lines].number = number;
	return m->lines++;
}

/* Takes a line out of the reference list of c. */
static void
unlist(struct naive *m, uint32_t c, size_t x)
{
	size_t *list = m->list[c], i = 0;
	while (i < m->listed[c] && list[i] != x)
		i++;
	if (i == m->listed[c])
		return;
	m->listed[c]--;
	memmove(list + i, list + i + 1, (m->listed[c] - i) * sizeof *list);
}

/* Looks a line up in the reference list and makes it the first: whether it was there. */
static bool
reference(struct naive *m, uint32_t c, size_t x)
{
	size_t before = m->listed[c], *list = m->list[c];
	unlist(m, c, x);
	bool there = m->listed[c] < before;
	memmove(list + 1, list, m->listed[c] * sizeof *list);
	list[0] = x;
	m->listed[c]++;
	if (m->listed[c] > (size_t)m->config.sets * m->config.ways)
		m->listed[c]--;
	return there;
}

static void
lose(struct naive *m, uint32_t c, struct naive_line *x, char cause)
{
	struct naive_copy *y = &x->copy[c];
	if (y->open) {
		m->count[c].coherence_false++;
		x->false_sharing++;
		y->open = false;
	}
	y->state = 0;
	y->cause = cause;
	y->lost = m->now;
}

static void
inv(struct naive *m, uint32_t c, struct naive_line *x, bool back)
{
	m->home.inv_sent++;
	m->home.inv_acks++;
	x->inv_sent++;
	m->count[c].inv_received++;
	if (back) {
		m->home.inv_sent_back++;
		m->home.back_invalidations++;
		m->count[c].back_inv_received++;
		unlist(m, c, (size_t)(x - m->line));
	} else {
		m->home.inv_sent_demand++;
	}
	if (!x->copy[c].state) {
		m->count[c].inv_received_stale++;
		return;
	}
	if (x->copy[c].state == 'M') {
		m->home.mem_writes++;
		m->home.wb_back_inv++;
		x->memory_stale = false;
	}
	lose(m, c, x, back ? 'b' : 'i');
}

static uint64_t
entries(const struct naive *m, const uint64_t *set)
{
	uint64_t n = 0;
	for (size_t i = 0; i < m->lines; i++)
		n += m->line[i].state && (!set || m->line[i].number % m->config.dir_sets == *set);
	return n;
}

static void
free_entry(struct naive_line *x)
{
	x->state = 0;
	memset(x->sharer, 0, sizeof x->sharer);
}

static void
allocate(struct naive *m, struct naive_line *x)
{
	uint64_t set = m->config.sparse ? x->number % m->config.dir_sets : 0;
	if (m->config.sparse && entries(m, &set) == m->config.dir_ways) {
		struct naive_line *v = NULL;
		for (size_t i = 0; i < m->lines; i++) {
			struct naive_line *y = &m->line[i];
			if (y->state && y->number % m->config.dir_sets == set &&
			    (!v || y->entry_used < v->entry_used))
				v = y;
		}
		m->home.dir_evictions++;
		for (uint32_t c = 0; c < m->n; c++)
			if (v->sharer[c])
				inv(m, c, v, true);
		free_entry(v);
	}
	m->home.dir_allocs++;
	x->entry_used = m->now;
	uint64_t now = entries(m, NULL) + 1;
	if (now > m->home.dir_peak_entries)
		m->home.dir_peak_entries = now;
}

static uint32_t
owner_of(const struct naive *m, const struct naive_line *x)
{
	uint32_t c = 0;
	while (c < m->n && x->copy[c].state != 'M')
		c++;
	return c;
}

static void
get_shared(struct naive *m, uint32_t c, struct naive_line *x)
{
	m->home.gets++;
	if (!x->state)
		allocate(m, x);
	else if (!m->config.dir_fifo)
		x->entry_used = m->now;
	if (x->state == 'M') {
		uint32_t o = owner_of(m, x);
		m->home.fwd_gets++;
		m->home.forwards++;
		x->forwards++;
		m->home.mem_writes++;
		m->home.wb_fwd_gets++;
		x->memory_stale = false;
		m->count[o].fwd_gets_received++;
		x->copy[o].state = 'S';
		m->count[c].hitm++;
		x->hitm++;
	} else {
		m->home.mem_reads++;
	}
	x->state = 'S';
	x->sharer[c] = true;
}

static void
get_modified(struct naive *m, uint32_t c, struct naive_line *x, bool copy)
{
	m->home.getm++;
	m->home.upgrades += copy;
	if (!x->state)
		allocate(m, x);
	else if (!m->config.dir_fifo)
		x->entry_used = m->now;
	for (uint32_t d = 0; d < m->n; d++)
		if (d != c)
			unlist(m, d, (size_t)(x - m->line));
	if (x->state == 'M') {
		uint32_t o = owner_of(m, x);
		m->home.fwd_getm++;
		m->home.forwards++;
		x->forwards++;
		m->count[o].fwd_getm_received++;
		lose(m, o, x, 'f');
		m->count[c].hitm++;
		x->hitm++;
	} else {
		m->home.mem_reads += !copy;
		/* Where the home is told of everything, looking into the caches does as well. */
		for (uint32_t d = 0; d < m->n; d++)
			if (d != c && (m->config.silent ? x->sharer[d] : x->copy[d].state != 0))
				inv(m, d, x, false);
	}
	x->state = 'M';
	memset(x->sharer, 0, sizeof x->sharer);
	x->sharer[c] = true;
}

static void
evict(struct naive *m, uint32_t c, struct naive_line *x)
{
	bool dirty = x->copy[c].state == 'M';
	lose(m, c, x, 'e');
	*(dirty ? &m->count[c].evict_dirty : &m->count[c].evict_clean) += 1;
	if (dirty) {
		m->home.putm++;
		m->home.mem_writes++;
		m->home.wb_putm++;
		m->home.dir_frees++;
		x->memory_stale = false;
		free_entry(x);
	} else if (!m->config.silent) {
		m->home.puts++;
		x->sharer[c] = false;
		bool any = false;
		for (uint32_t d = 0; d < m->n; d++)
			any |= x->sharer[d];
		if (!any) {
			m->home.dir_frees++;
			free_entry(x);
		}
	}
}

void
naive_evict(struct naive *m, uint32_t c, uint64_t number)
{
	m->now++;
	struct naive_line *x = &m->line[line_of(m, number)];
	if (x->copy[c].state)
		evict(m, c, x);
}

/* Room for a line of that number in cache c. */
static void
make_room(struct naive *m, uint32_t c, uint64_t number)
{
	struct naive_line *v = NULL;
	uint32_t n = 0;
	bool fifo = !strcmp(m->config.policy->name, "fifo");
	for (size_t i = 0; i < m->lines; i++) {
		struct naive_line *y = &m->line[i];
		if (!y->copy[c].state || y->number % m->config.sets != number % m->config.sets)
			continue;
		n++;
		if (!v || (fifo ? y->copy[c].filled < v->copy[c].filled
				: y->copy[c].used < v->copy[c].used))
			v = y;
	}
	if (n == m->config.ways)
		evict(m, c, v);
}

enum class { COLD, TAKEN, BACK, REPLACED };

static enum class classify(struct naive *m, uint32_t c, const struct naive_line *x, bool listed) {
	const struct naive_copy *y = &x->copy[c]; struct rp_coherence_counters *n = &m->count[c];
	if (!y->ever){ n->cold++; return COLD; }
if (y->cause == 'i' || y->cause == 'f')
{
	n->coherence++;
	return TAKEN;
}
if (y->cause == 'b') {
	n->coherence++;
	n->coherence_dir++;
	return BACK;
}
*(listed ? &n->conflict : &n->capacity) += 1;
n->repl_remote_written += x->stored > y->lost && x->stored_by != c;
return REPLACED;
}

/* One line access: bytes first..last of the line. */
static void
piece(struct naive *m, uint32_t c, bool store, uint64_t number, uint32_t first, uint32_t last)
{
	m->now++;
	size_t place = line_of(m, number);
	struct naive_line *x = &m->line[place];
	struct naive_copy *y = &x->copy[c];
	struct rp_coherence_counters *n = &m->count[c];
	uint32_t lo = first / m->config.word_bytes, hi = last / m->config.word_bytes;
	bool listed = reference(m, c, place), missed = !y->state;
	enum class class = REPLACED;
	n->accesses++;
	*(store ? &n->writes : &n->reads) += 1;
	x->accesses++;
	*(store ? &x->writer[c] : &x->reader[c]) = true;
	if (!missed && store && y->state == 'S') {
		n->upgrades++;
		x->upgrades++;
		get_modified(m, c, x, true);
		y->state = 'M';
	} else if (!missed) {
		*(store ? &n->write_hits : &n->read_hits) += 1;
	} else {
		n->misses++;
		*(store ? &n->write_misses : &n->read_misses) += 1;
		x->misses++;
		bool elsewhere = false;
		for (uint32_t d = 0; d < m->n; d++)
			elsewhere |= d != c && x->copy[d].state;
		n->remote_present += elsewhere;
		class = classify(m, c, x, listed);
		x->dir += class == BACK;
		make_room(m, c, number);
		if (store)
			get_modified(m, c, x, false);
		else
			get_shared(m, c, x);
		y->state = store ? 'M' : 'S';
		y->ever = true;
		y->filled = m->now;
	}
	y->used = m->now;
	bool news = false;
	for (uint32_t w = lo; w <= hi; w++)
		news |= y->unseen[w];
	if (missed && class == TAKEN && !news) {
		y->open = true;
	} else if ((missed && class == TAKEN) || (!missed && y->open && news)) {
		n->coherence_true++;
		n->first_ref_true += missed;
		x->true_sharing++;
		y->open = false;
		memset(y->unseen, 0, sizeof y->unseen);
	} else if (missed) {
		memset(y->unseen, 0, sizeof y->unseen);
	}
	if (!store)
		return;
	x->memory_stale = true;
	x->stored = m->now;
	x->stored_by = c;
	for (uint32_t d = 0; d < m->n; d++)
		for (uint32_t w = lo; d != c && x->copy[d].ever && w <= hi; w++)
			x->copy[d].unseen[w] = true;
}

void
naive_access(struct naive *m, uint32_t c, bool store, uint64_t address, uint32_t size)
{
	uint32_t line = m->config.line;
	for (uint64_t at = address, end = address + size; at < end;) {
		uint64_t stop = (at / line + 1) * line;
		stop = stop < end ? stop : end;
		piece(m, c, store, at / line, (uint32_t)(at % line), (uint32_t)((stop - 1) % line));
		at = stop;
	}
}

void
naive_end(struct naive *m)
{
	for (size_t i = 0; i < m->lines; i++)
		for (uint32_t c = 0; c < m->n; c++)
			if (m->line[i].copy[c].open) {
				m->count[c].coherence_false++;
				m->count[c].open_at_end++;
				m->line[i].false_sharing++;
			}
}
