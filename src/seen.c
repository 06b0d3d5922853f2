/* seen.c - which streams a trace has, and whether their times rise, seen as batches go by. */
#include "config.h"

#include "seen.h"

#include "base/mem.h"

#include <string.h>

enum { PAGE_BITS = 15, PAGE_WORDS = (1 << PAGE_BITS) / 64 };

/* Room for the page that holds `stream`. */
static bool
make_page(struct rp_seen *s, uint32_t stream, bool timed, struct rp_err *err)
{
	size_t p = stream >> PAGE_BITS;
	if (p >= s->pages) {
		size_t n = p + 1 > 2 * s->pages ? p + 1 : 2 * s->pages;
		uint64_t **page = rp_mem_array(2 * n, sizeof *page, err);
		if (!page)
			return false;
		if (s->pages) {
			memcpy(page, s->page, s->pages * sizeof *page);
			memcpy(page + n, s->time, s->pages * sizeof *page);
		}
		free(s->page);
		s->page = page;
		s->time = page + n;
		s->pages = n;
	}
	if (!s->page[p] && !(s->page[p] = rp_mem_array(PAGE_WORDS, sizeof **s->page, err)))
		return false;
	return !timed || s->time[p] ||
	       (s->time[p] = rp_mem_array(1 << PAGE_BITS, sizeof **s->time, err));
}

static bool
see(struct rp_seen *s, uint32_t stream, bool timed, uint64_t time, struct rp_err *err)
{
	size_t p = stream >> PAGE_BITS;
	if ((p >= s->pages || !s->page[p] || (timed && !s->time[p])) &&
	    !make_page(s, stream, timed, err))
		return false;
	uint32_t bit = stream & ((1u << PAGE_BITS) - 1);
	uint64_t *word = &s->page[p][bit / 64], one = UINT64_C(1) << bit % 64;
	s->streams += !(*word & one);
	*word |= one;
	if (timed) {
		s->times_fall += time < s->time[p][bit];
		s->time[p][bit] = time;
	}
	return true;
}

bool
rp_seen_batch(struct rp_seen *s, const struct rp_batch *b, struct rp_err *err)
{
	s->accesses += b->n - b->marks;
	s->marks += b->marks;
	if (!b->stream && !b->time) {
		s->streams = s->accesses > 0;
		return true;
	}
	bool fresh = true;
	for (size_t i = 0; i < b->n; i++) {
		uint32_t stream = b->stream ? b->stream[i] : 0;
		if (b->marks && b->kind[i] >= RP_MARKS)
			continue;
		/* Streams come in runs: without times only the first of a run is news. */
		if (!fresh && !b->time && stream == b->stream[i - 1])
			continue;
		if (!see(s, stream, b->time != NULL, b->time ? b->time[i] : 0, err))
			return false;
		fresh = b->marks > 0;
	}
	return true;
}

void
rp_seen_free(struct rp_seen *s)
{
	for (size_t i = 0; i < 2 * s->pages; i++)
		free(s->page[i]);
	free(s->page);
	*s = (struct rp_seen){ 0 };
}
