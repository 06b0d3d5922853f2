/* tally.c - outcomes of lookups, added up into counters.
 *
 * Outcomes and kinds are bytes of small numbers, so eight are added at once in a uint64_t, and compilers make vectors of
 * that. What counts accesses is first counted as if each lookup were one, and then set right for those that cross lines:
 * they are few and listed. */
#include "config.h"

#include "sim/tally.h"
#include "sim/classes.h"
#include "sim/gpu/run.h"

#include <string.h>

enum { WORD = 8, WORDS_MOST = 255 }; /* words that can be added before a byte overflows */

#define ONES UINT64_C(0x0101010101010101)

/* Sums over lookups. */
struct sums {
	uint64_t misses, write_misses, evictions, writebacks, unfilled;
	uint64_t present, merged, mshr_full, merge_full, unasked; /* with MSHRs */
};

static uint64_t
add_bytes(uint64_t x)
{
	const uint64_t pairs = UINT64_C(0x00ff00ff00ff00ff);
	x = (x & pairs) + (x >> 8 & pairs);
	return x * UINT64_C(0x0001000100010001) >> 48;
}

static uint64_t
word_at(const uint8_t *p, size_t i)
{
	uint64_t x;
	memcpy(&x, p + i * WORD, sizeof x);
	return x;
}

/* At most WORDS_MOST words. */
static void
sum_words(struct sums *s, const uint8_t *outcome, const uint8_t *store, size_t words)
{
	uint64_t misses = 0, write_misses = 0, evictions = 0, writebacks = 0, unfilled = 0;
	for (size_t i = 0; i < words; i++) {
		uint64_t x = word_at(outcome, i);
		misses += x & ONES;
		write_misses += x & word_at(store, i);
		evictions += x >> 1 & ONES;
		writebacks += x >> 2 & ONES;
		unfilled += x >> 3 & ONES;
	}
	s->misses += add_bytes(misses);
	s->write_misses += add_bytes(write_misses);
	s->evictions += add_bytes(evictions);
	s->writebacks += add_bytes(writebacks);
	s->unfilled += add_bytes(unfilled);
}

/* The same for the bits of MSHRs. */
static void
sum_waiting_words(struct sums *s, const uint8_t *outcome, const uint8_t *store, size_t words)
{
	uint64_t present = 0, merged = 0, mshr_full = 0, merge_full = 0, unasked = 0;
	for (size_t i = 0; i < words; i++) {
		uint64_t x = word_at(outcome, i);
		merged += x >> 4 & ONES;
		mshr_full += x >> 5 & ONES;
		merge_full += x >> 6 & ONES;
		present += x >> 7 & ONES;
		unasked += x >> 3 & word_at(store, i);
	}
	s->merged += add_bytes(merged);
	s->mshr_full += add_bytes(mshr_full);
	s->merge_full += add_bytes(merge_full);
	s->present += add_bytes(present);
	s->unasked += add_bytes(unasked);
}

typedef void sum_fn(struct sums *s, const uint8_t *outcome, const uint8_t *store, size_t words);

static void
sum(struct sums *s, sum_fn *add, const uint8_t *outcome, const uint8_t *store, size_t n)
{
	size_t words = n / WORD, i = 0;
	for (; words - i > WORDS_MOST; i += WORDS_MOST)
		add(s, outcome + i * WORD, store + i * WORD, WORDS_MOST);
	add(s, outcome + i * WORD, store + i * WORD, words - i);
	if (n % WORD) {
		uint8_t tail[2][WORD] = { { 0 } };
		memcpy(tail[0], outcome + words * WORD, n % WORD);
		memcpy(tail[1], store + words * WORD, n % WORD);
		add(s, tail[0], tail[1], 1);
	}
}

static void
sum_class_words(struct rp_counters *to, const uint8_t *class, size_t words)
{
	uint64_t cold = 0, capacity = 0, conflict = 0, anticonflict = 0, full_misses = 0;
	for (size_t i = 0; i < words; i++) {
		uint64_t x = word_at(class, i);
		cold += x & ONES;
		capacity += x >> 1 & ONES;
		conflict += x >> 2 & ONES;
		anticonflict += x >> 3 & ONES;
		full_misses += x >> 4 & ONES;
	}
	to->cold += add_bytes(cold);
	to->capacity += add_bytes(capacity);
	to->conflict += add_bytes(conflict);
	to->anticonflict += add_bytes(anticonflict);
	to->full_misses += add_bytes(full_misses);
}

static void
sum_classes(struct rp_counters *to, const uint8_t *class, size_t n)
{
	size_t words = n / WORD, i = 0;
	uint8_t tail[WORD] = { 0 };
	for (; words - i > WORDS_MOST; i += WORDS_MOST)
		sum_class_words(to, class + i * WORD, WORDS_MOST);
	sum_class_words(to, class + i * WORD, words - i);
	memcpy(tail, class + words * WORD, n % WORD);
	sum_class_words(to, tail, 1);
}

/* One lookup's; `times` is 1, or -1 to take it back. */
static void
add_class(struct rp_counters *to, uint8_t class, uint64_t times)
{
	to->cold += class & RP_COLD ? times : 0;
	to->capacity += class & RP_CAPACITY ? times : 0;
	to->conflict += class & RP_CONFLICT ? times : 0;
	to->anticonflict += class & RP_ANTICONFLICT ? times : 0;
	to->full_misses += class & RP_TWIN_MISSED ? times : 0;
}

static uint64_t
kind_misses(const struct rp_lookups *in, const uint8_t *outcome, uint8_t kind)
{
	uint64_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		n += in->kind[i] == kind && (outcome[i] & RP_MISSED);
	return n;
}

/* Bytes that go down past the cache: of every write if it writes through, else of writes that bring no line in. */
static uint64_t
passed_bytes(const struct rp_cache_spec *spec, const struct rp_lookups *in, const uint8_t *outcome)
{
	bool all = spec->write == RP_WRITE_THROUGH;
	uint64_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		n += all || (outcome[i] & RP_NO_FILL) ? in->bytes[i] : 0;
	return n;
}

/* The classes of an access's lookups become one (with `once`): `outcomes` and `classes` are all bits of those in earlier
 * chunks. */
static void
merge_classes(struct rp_tally *t, const struct rp_result *r, const struct rp_crossing *x,
    uint8_t outcomes, uint8_t classes, struct rp_counters *to)
{
	add_class(to, rp_class_of_several(outcomes, classes), UINT64_MAX);
	for (uint32_t i = x->first; i < x->first + x->n; i++)
		add_class(to, r->class[i], UINT64_MAX);
	add_class(to, rp_class_of_several(t->open.outcomes, t->open.classes), 1);
}

/* Bytes that lookup i wrote back. */
static uint64_t
back_bytes(const struct rp_cache_spec *spec, const struct rp_result *r, size_t i)
{
	return r->back ? (uint64_t)__builtin_popcountll(r->back[i]) * spec->sector : spec->line;
}

/* Bytes that go down from a cache with sectors, of lines that leave. */
static uint64_t
sector_bytes(
    const struct rp_cache_spec *spec, const struct rp_lookups *in, const struct rp_result *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		n += r->outcome[i] & RP_WROTE_BACK ? back_bytes(spec, r, i) : 0;
	return n;
}

/* Sets right what an access of several lookups counted as so many accesses, all of one kind. */
static void
merge_crossing(struct rp_tally *t, const struct rp_lookups *in, const struct rp_result *r,
    const struct rp_crossing *x, struct rp_counters *to)
{
	uint8_t kind = in->kind[x->first], outcomes = 0, classes = 0;
	uint64_t missed = 0;
	if (!x->begins) {
		outcomes = t->open.outcomes;
		classes = t->open.classes;
	}
	bool before = outcomes & RP_MISSED;
	t->open.outcomes = outcomes;
	t->open.classes = classes;
	for (uint32_t i = x->first; i < x->first + x->n; i++) {
		missed += r->outcome[i] & RP_MISSED;
		t->open.outcomes |= r->outcome[i];
		t->open.classes |= t->spec->classify ? r->class[i] : 0;
	}
	uint64_t again = missed - (missed && !before), lookups = x->n - x->begins;
	to->accesses -= lookups;
	to->missed_accesses -= again;
	if (!t->once)
		return;
	to->lookups -= lookups;
	to->misses -= again;
	to->hits -= lookups - again;
	*(kind == RP_WRITE ? &to->writes : &to->reads) -= lookups;
	*(kind == RP_WRITE ? &to->write_misses : &to->read_misses) -= again;
	to->ifetches -= kind == RP_FETCH ? lookups : 0;
	to->ifetch_misses -= kind == RP_FETCH ? again : 0;
	to->atomics -= kind == RP_ATOMIC ? lookups : 0;
	to->prefetches -= kind == RP_PREFETCH ? lookups : 0;
	if (t->spec->classify)
		merge_classes(t, r, x, outcomes, classes, to);
}

static void
count_refusal(const struct rp_refusal *f, struct rp_counters *to)
{
	to->mshr_full += f->mshr_full;
	to->merge_full += f->merge_full;
	to->ways_full += f->ways_full;
	to->stall_units += f->stall;
}

/* What MSHRs say beside the outcomes. */
static void
count_waits(const struct rp_waits *w, struct rp_counters *to)
{
	to->mshr_time += w->time;
	to->mshr_held += w->held;
	if (w->most > to->mshr_occupancy_max)
		to->mshr_occupancy_max = w->most;
	for (size_t i = 0; i < w->refusals; i++)
		count_refusal(&w->refusal[i], to);
}

static void
count_mshr(const struct sums *s, const struct rp_result *r, struct rp_counters *to)
{
	to->merged += s->merged;
	to->fetches += s->misses - s->merged - s->unasked;
	to->mshr_asked += s->misses - s->unasked;
	to->mshr_full += s->mshr_full;
	to->merge_full += s->merge_full;
	count_waits(r->waits, to);
}

/* Adds what the outcome of one lookup says. */
static void
add_lookup(const struct rp_cache_spec *spec, const struct rp_lookups *in, const struct rp_result *r,
    size_t i, struct rp_counters *to)
{
	uint8_t outcome = r->outcome[i];
	uint64_t miss = outcome & RP_MISSED, write = in->store[i],
		 fill = miss && !(outcome & (RP_NO_FILL | RP_PRESENT));
	uint64_t back = !!(outcome & RP_WROTE_BACK);
	uint8_t kind = in->kind[i];
	to->accesses++;
	to->lookups++;
	to->hits += !miss;
	to->misses += miss;
	to->reads += !write;
	to->read_misses += miss & !write;
	to->writes += write;
	to->write_misses += miss & write;
	to->ifetches += kind == RP_FETCH;
	to->ifetch_misses += kind == RP_FETCH && miss;
	to->atomics += kind == RP_ATOMIC;
	to->prefetches += kind == RP_PREFETCH;
	to->missed_accesses += miss;
	to->fills += fill;
	to->evictions += !!(outcome & RP_EVICTED);
	to->writebacks += back;
	to->bytes_filled += fill ? spec->sector : 0;
	to->bytes_written += back ? back_bytes(spec, r, i) : 0;
	if (!spec->gpu && in->bytes && (spec->write == RP_WRITE_THROUGH || (outcome & RP_NO_FILL)))
		to->bytes_written += in->bytes[i];
}

void
rp_tally_chunk(struct rp_tally *t, const struct rp_lookups *in, const struct rp_result *r,
    struct rp_counters *to)
{
	const uint8_t *outcome = r->outcome;
	struct sums s = { 0 };
	if (in->n == 1 && !in->crossings && !r->waits && !r->gpu) { /* nothing to sum */
		add_lookup(t->spec, in, r, 0, to);
		add_class(to, t->spec->classify ? *r->class : 0, 1);
		t->was = t->open;
		return;
	}
	sum(&s, sum_words, outcome, in->store, in->n);
	if (r->waits)
		sum(&s, sum_waiting_words, outcome, in->store, in->n);
	uint64_t fills = s.misses - s.unfilled - s.present, writes = in->kinds[RP_WRITE];
	to->accesses += in->n;
	to->lookups += in->n;
	to->hits += in->n - s.misses;
	to->misses += s.misses;
	to->reads += in->n - writes;
	to->read_misses += s.misses - s.write_misses;
	to->writes += writes;
	to->write_misses += s.write_misses;
	to->ifetches += in->kinds[RP_FETCH];
	to->ifetch_misses += in->kinds[RP_FETCH] ? kind_misses(in, outcome, RP_FETCH) : 0;
	to->atomics += in->kinds[RP_ATOMIC];
	to->prefetches += in->kinds[RP_PREFETCH];
	to->missed_accesses += s.misses;
	to->fills += fills;
	to->evictions += s.evictions;
	to->writebacks += s.writebacks;
	to->bytes_filled += fills * t->spec->sector;
	to->bytes_written += r->back ? sector_bytes(t->spec, in, r) : s.writebacks * t->spec->line;
	if (r->gpu)
		rp_gpu_count(t->spec->gpu, in, r->gpu, to);
	else if (in->bytes)
		to->bytes_written += passed_bytes(t->spec, in, outcome);
	if (r->waits)
		count_mshr(&s, r, to);
	if (t->spec->classify)
		sum_classes(to, r->class, in->n);
	t->was = t->open;
	for (size_t i = 0; i < in->crossings; i++)
		merge_crossing(t, in, r, &in->crossing[i], to);
}

/* `entries`: in use after the lookup before, and then after this one. */
static void
add_waits(const struct rp_waits *w, const struct rp_lookups *in, size_t i, uint8_t outcome,
    uint64_t *entries, struct rp_counters *to)
{
	uint64_t merged = !!(outcome & RP_MERGED),
		 fetch =
		     (outcome & RP_MISSED) && !merged && !((outcome & RP_NO_FILL) && in->store[i]);
	to->merged += merged;
	to->fetches += fetch;
	to->mshr_asked += merged + fetch;
	to->mshr_full += !!(outcome & RP_MSHR_FULL);
	to->merge_full += !!(outcome & RP_MERGE_FULL);
	if (w->timed)
		*entries = w->most_of[i];
	else
		*entries += (w->began[i / 64] >> i % 64 & 1) - (w->ended[i / 64] >> i % 64 & 1);
	to->mshr_time += w->timed ? w->time_of[i] : 1;
	to->mshr_held += w->timed ? w->held_of[i] : *entries;
	if (*entries > to->mshr_occupancy_max)
		to->mshr_occupancy_max = *entries;
}

void
rp_tally_streams(struct rp_tally *t, const struct rp_lookups *in, const struct rp_result *r,
    const uint32_t *slot, struct rp_counters *to)
{
	const uint8_t *outcome = r->outcome;
	const struct rp_waits *w = r->waits;
	uint64_t entries = w && !w->timed ? w->before : 0;
	for (size_t i = 0; w && i < w->refusals; i++)
		count_refusal(&w->refusal[i], &to[slot[in->row[w->refusal[i].lookup]]]);
	for (size_t i = 0; r->gpu && i < r->gpu->refusals; i++) {
		const struct rp_gpu_refusal *f = &r->gpu->refusal[i];
		rp_gpu_count_refusal(f, &to[slot[in->row[f->lookup]]]);
	}
	for (size_t i = 0; i < in->n;) {
		uint32_t of = slot[in->row[i]];
		struct rp_counters sum = { 0 };
		for (; i < in->n && slot[in->row[i]] == of; i++) {
			add_lookup(t->spec, in, r, i, &sum);
			add_class(&sum, t->spec->classify ? r->class[i] : 0, 1);
			if (r->gpu)
				rp_gpu_count_one(t->spec->gpu, in, r->gpu, i, &sum);
			if (w)
				add_waits(w, in, i, outcome[i], &entries, &sum);
		}
		rp_counters_add(&to[of], &sum);
	}
	struct rp_tally again = *t;
	again.open = t->was;
	for (size_t i = 0; i < in->crossings; i++)
		merge_crossing(
		    &again, in, r, &in->crossing[i], &to[slot[in->row[in->crossing[i].first]]]);
}

void
rp_tally_back(const struct rp_tally *t, uint64_t lines, uint64_t bytes, struct rp_counters *to)
{
	to->writebacks += lines;
	to->bytes_written += bytes;
	if (t->spec->gpu) {
		to->writeback_lines += lines;
		to->writeback_sectors += bytes / t->spec->line;
	}
}
