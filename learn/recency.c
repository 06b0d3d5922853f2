/* recency.c - when each line was used last, and how many of the lines used since then share a set with it. */
#include "config.h"

#include "learn/recency.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

enum { FIRST_CAP = 4096, SPARE = 256, WORD = 64, LINES_MOST = 1 << 30, FREE = 0x80, LANES = 16 };

typedef uint8_t sixteen __attribute__((vector_size(LANES)));

/* ---- rooms ---- */

static bool
make_slots(struct rp_room *m, uint64_t slots, struct rp_err *err)
{
	slots = (slots + WORD - 1) / WORD * WORD;
	uint8_t *low = rp_mem_grow(m->low, slots, sizeof *low, err);
	m->low = low ? low : m->low;
	uint64_t *live = low ? rp_mem_grow(m->live, slots / WORD, sizeof *live, err) : NULL;
	m->live = live ? live : m->live;
	uint64_t *time = live ? rp_mem_grow(m->time, slots, sizeof *time, err) : NULL;
	m->time = time ? time : m->time;
	uint32_t *place = time ? rp_mem_grow(m->place, slots, sizeof *place, err) : NULL;
	m->place = place ? place : m->place;
	if (!place)
		return false;
	memset(m->low + m->slots, FREE, slots - m->slots);
	memset(m->live + m->slots / WORD, 0, (slots - m->slots) / WORD * sizeof *live);
	m->slots = (uint32_t)slots;
	return true;
}

static void
empty(struct rp_room *m)
{
	memset(m->low, FREE, m->slots);
	memset(m->live, 0, m->slots / WORD * sizeof *m->live);
	m->lines = 0;
	m->next = 1;
}

/* The living to the front, in their order. */
static void
pack(struct rp_recency *r, struct rp_room *m)
{
	uint32_t n = 1;
	for (uint32_t w = 0; w < m->slots / WORD; w++)
		for (uint64_t bits = m->live[w]; bits; bits &= bits - 1, n++) {
			uint32_t s = w * WORD + (unsigned)__builtin_ctzll(bits);
			m->low[n] = m->low[s];
			m->time[n] = m->time[s];
			m->place[n] = m->place[s];
			r->table[m->place[n]].slot = n;
		}
	memset(m->low + n, FREE, m->slots - n);
	memset(m->live, 0, m->slots / WORD * sizeof *m->live);
	for (uint32_t s = 1; s < n; s++)
		m->live[s / WORD] |= UINT64_C(1) << s % WORD;
	m->next = n;
}

bool
rp_recency_open(struct rp_recency *r, struct rp_err *err)
{
	*r = (struct rp_recency){ .cap = FIRST_CAP };
	bool ok = (r->table = rp_mem_array(r->cap, sizeof *r->table, err)) != NULL;
	for (int i = 0; ok && i < RP_ROOMS; i++) {
		r->room[i].next = 1;
		ok = make_slots(&r->room[i], 2 * SPARE, err);
	}
	return ok;
}

void
rp_recency_close(struct rp_recency *r)
{
	for (int i = 0; i < RP_ROOMS; i++) {
		free(r->room[i].low);
		free(r->room[i].live);
		free(r->room[i].time);
		free(r->room[i].place);
	}
	free(r->table);
	*r = (struct rp_recency){ 0 };
}

void
rp_recency_forget(struct rp_recency *r)
{
	memset(r->table, 0, r->cap * sizeof *r->table);
	for (int i = 0; i < RP_ROOMS; i++)
		empty(&r->room[i]);
	r->lines = 0;
}

/* ---- the table of all lines ---- */

/* Where the search for a line begins. */
static uint64_t
home(const struct rp_recency *r, uint64_t line)
{
	return rp_mix64(line) & (r->cap - 1);
}

/* The entry of a line, or the free one where it goes. */
static uint64_t
find(const struct rp_recency *r, uint64_t line)
{
	uint64_t at = home(r, line);
	while (r->table[at].slot && r->table[at].line != line)
		at = (at + 1) & (r->cap - 1);
	return at;
}

static bool
grow_table(struct rp_recency *r, struct rp_err *err)
{
	struct rp_seen_line *old = r->table;
	uint64_t cap = r->cap;
	struct rp_seen_line *table = rp_mem_array(2 * cap, sizeof *table, err);
	if (!table)
		return false;
	r->table = table;
	r->cap = 2 * cap;
	for (uint64_t i = 0; i < cap; i++)
		if (old[i].slot) {
			uint64_t at = find(r, old[i].line);
			r->table[at] = old[i];
			r->room[old[i].line % RP_ROOMS].place[old[i].slot] = (uint32_t)at;
		}
	free(old);
	return true;
}

bool
rp_recency_room(struct rp_recency *r, const uint64_t *line, size_t n, struct rp_err *err)
{
	uint32_t more[RP_ROOMS] = { 0 };
	if (r->lines + n > LINES_MOST)
		return rp_fail(err, RP_RESOURCE, "more than %d lines", LINES_MOST);
	while (r->lines + n > r->cap / 2)
		if (!grow_table(r, err))
			return false;
	for (size_t i = 0; i < n; i++)
		more[line[i] % RP_ROOMS]++;
	for (int i = 0; i < RP_ROOMS; i++) {
		struct rp_room *m = &r->room[i];
		if (m->next + (uint64_t)more[i] <= m->slots)
			continue;
		pack(r, m);
		/* At least as many slots again as are alive: packing costs a constant a use. */
		uint64_t want = 2 * (uint64_t)m->lines + more[i] + SPARE;
		if (want > m->slots && !make_slots(m, want, err))
			return false;
	}
	return true;
}

void
rp_recency_prefetch(const struct rp_recency *r, uint64_t line)
{
	__builtin_prefetch(&r->table[home(r, line)], 1);
}

/* ---- who came in between ---- */

/* The first slot used after `time`: by steps that double from the end, since most reuses are recent, then halving. */
static uint32_t
first_after(const struct rp_room *m, uint64_t time)
{
	uint32_t high = m->next, low, step = 1;
	do {
		low = high > step ? high - step : 1;
		if (low == 1 || m->time[low] <= time)
			break;
		high = low;
		step *= 2;
	} while (true);
	/* All from `high` on are later; low may be. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (m->time[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

static uint32_t
ones(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Living slots from `from` on: those before it are fewer to count, if it lies in the first half. */
static uint32_t
living_from(const struct rp_room *m, uint32_t from)
{
	uint32_t n = 0, last = (m->next - 1) / WORD, w = from / WORD;
	if (from >= m->next)
		return 0;
	if (w < last / 2) {
		for (uint32_t i = 0; i < w; i++)
			n += ones(m->live[i]);
		return m->lines - n - ones(m->live[w] & ~(UINT64_MAX << from % WORD));
	}
	n = ones(m->live[w] & UINT64_MAX << from % WORD);
	while (++w <= last)
		n += ones(m->live[w]);
	return n;
}

/* Adds to count[k], of k + 1 bits, the slots from..end - 1 whose low bits agree with `low` in so many. A free one has a bit
 * that never agrees. */
static void
count_agreeing(const struct rp_room *m, uint32_t from, uint8_t low, uint32_t count[4])
{
	sixteen mine = (sixteen){ 0 } + low;
	uint32_t at = from, end = m->next;
	while (end - at >= LANES) {
		sixteen in[4] = { { 0 } };
		/* A lane counts to 255. */
		for (int i = 0; i < 255 && end - at >= LANES; i++, at += LANES) {
			sixteen x;
			memcpy(&x, m->low + at, sizeof x);
			x ^= mine;
			in[0] -= (sixteen)((x & (FREE | 1)) == 0);
			in[1] -= (sixteen)((x & (FREE | 3)) == 0);
			in[2] -= (sixteen)((x & (FREE | 7)) == 0);
			in[3] -= (sixteen)(x == 0);
		}
		for (int k = 0; k < 4; k++)
			for (int i = 0; i < LANES; i++)
				count[k] += in[k][i];
	}
	for (; at < end; at++)
		for (unsigned k = 0; k < 4; k++)
			count[k] += ((m->low[at] ^ low) & (FREE | ((2u << k) - 1))) == 0;
}

/* Of lines used after slot `slot` of the room of `line`. */
static void
count_sets(const struct rp_recency *r, uint64_t line, uint32_t slot, uint32_t *count)
{
	const struct rp_room *own = &r->room[line % RP_ROOMS];
	uint64_t time = own->time[slot];
	memset(count, 0, RP_SETS * sizeof *count);
	for (uint64_t i = line % (1 << RP_SETS_FIRST); i < RP_ROOMS; i += 1 << RP_SETS_FIRST) {
		const struct rp_room *m = &r->room[i];
		uint32_t in = living_from(m, m == own ? slot + 1 : first_after(m, time));
		/* It agrees in 2 bits, and maybe in more. */
		unsigned bits = (unsigned)__builtin_ctzll((i ^ line) | RP_ROOMS);
		for (unsigned k = RP_SETS_FIRST; k <= bits; k++)
			count[k - RP_SETS_FIRST] += in;
	}
	count_agreeing(
	    own, slot + 1, line >> RP_ROOM_BITS & 15, count + RP_ROOM_BITS + 1 - RP_SETS_FIRST);
}

uint64_t
rp_recency_use(struct rp_recency *r, uint64_t line, uint32_t count[RP_SETS])
{
	struct rp_room *m = &r->room[line % RP_ROOMS];
	uint64_t at = find(r, line), since = 0;
	uint32_t old = r->table[at].slot, slot = m->next++;
	/* Nobody is there yet. */
	m->time[slot] = r->now;
	if (old) {
		since = r->now - m->time[old];
		if (count)
			count_sets(r, line, old, count);
		m->low[old] = FREE;
		m->live[old / WORD] &= ~(UINT64_C(1) << old % WORD);
	} else {
		r->table[at].line = line;
		r->lines++;
		m->lines++;
	}
	r->table[at].slot = slot;
	m->low[slot] = line >> RP_ROOM_BITS & 15;
	m->live[slot / WORD] |= UINT64_C(1) << slot % WORD;
	m->place[slot] = (uint32_t)at;
	r->now++;
	return since;
}
