/* rpz_index.c - the index of an .rpz file and what its footer says. */
#include "config.h"

#include "traces/format/rpz_index.h"
#include "base/hash.h"
#include "base/mem.h"

static bool
set_grow(struct rp_rpz_set *s, struct rp_err *err)
{
	struct rp_rpz_set bigger = {
		.n = s->n, .room = s->room ? 2 * s->room : 256, .zero = s->zero
	};
	bigger.slot = rp_mem_array(bigger.room, sizeof *bigger.slot, err);
	if (!bigger.slot)
		return false;
	for (size_t i = 0; i < s->room; i++) {
		size_t at = (size_t)rp_mix64(s->slot[i]) & (bigger.room - 1);
		while (s->slot[i] && bigger.slot[at])
			at = (at + 1) & (bigger.room - 1);
		if (s->slot[i])
			bigger.slot[at] = s->slot[i];
	}
	free(s->slot);
	*s = bigger;
	return true;
}

bool
rp_rpz_set_add(struct rp_rpz_set *s, uint32_t x, struct rp_err *err)
{
	if (2 * s->n >= s->room && !set_grow(s, err))
		return false;
	if (!x) {
		s->n += !s->zero;
		s->zero = true;
		return true;
	}
	size_t at = (size_t)rp_mix64(x) & (s->room - 1);
	while (s->slot[at] && s->slot[at] != x)
		at = (at + 1) & (s->room - 1);
	s->n += !s->slot[at];
	s->slot[at] = x;
	return true;
}

void
rp_rpz_index_free(struct rp_rpz_index *x)
{
	rp_buf_free(&x->page);
	rp_buf_free(&x->directory);
	free(x->streams.slot);
}

static void
put_entry(unsigned char *to, const struct rp_rpz_summary *s)
{
	rp_put64(to, s->offset);
	rp_put64(to + 8, s->position);
	rp_put32(to + 16, s->n);
	rp_put32(to + 20, s->marks);
	rp_put64(to + 24, s->first_time);
	rp_put64(to + 32, s->last_time);
	rp_put32(to + 40, s->low);
	rp_put32(to + 44, s->high);
}

void
rp_rpz_entry_from(const unsigned char *at, struct rp_rpz_summary *s)
{
	s->offset = rp_get64(at);
	s->position = rp_get64(at + 8);
	s->n = rp_get32(at + 16);
	s->marks = rp_get32(at + 20);
	s->first_time = rp_get64(at + 24);
	s->last_time = rp_get64(at + 32);
	s->low = rp_get32(at + 40);
	s->high = rp_get32(at + 44);
}

/* Widens the ranges of `all` to hold s. */
static void
widen(struct rp_rpz_summary *all, const struct rp_rpz_summary *s, bool first)
{
	if (first || s->first_time < all->first_time)
		all->first_time = s->first_time;
	if (first || s->last_time > all->last_time)
		all->last_time = s->last_time;
	if (first || s->low < all->low)
		all->low = s->low;
	if (first || s->high > all->high)
		all->high = s->high;
}

bool
rp_rpz_index_add(struct rp_rpz_index *x, const struct rp_rpz_summary *s, const uint32_t *stream,
    size_t streams, struct rp_err *err)
{
	struct rp_rpz_totals *t = &x->totals;
	unsigned char entry[RP_RPZ_ENTRY];
	struct rp_rpz_summary file = { .first_time = t->first_time,
		.last_time = t->last_time,
		.low = t->low,
		.high = t->high };
	for (size_t k = 0; k < streams; k++)
		if (!rp_rpz_set_add(&x->streams, stream[k], err))
			return false;
	widen(&file, s, !t->blocks);
	t->first_time = file.first_time;
	t->last_time = file.last_time;
	t->low = file.low;
	t->high = file.high;
	widen(&x->all, s, !x->n);
	if (!x->n++)
		x->all.position = s->position;
	t->blocks++;
	t->rows += s->n;
	t->marks += s->marks;
	t->streams = x->streams.n;
	put_entry(entry, s);
	return rp_buf_add(&x->page, entry, sizeof entry, err);
}

bool
rp_rpz_chunk_add(uint32_t magic, uint32_t n, const void *payload, size_t bytes, struct rp_buf *out,
    struct rp_err *err)
{
	const unsigned char zero[8] = { 0 };
	struct rp_rpz_chunk c = { .magic = magic, .n = n, .stored = (uint32_t)bytes };
	unsigned char head[RP_RPZ_CHUNK];
	if (bytes > UINT32_MAX)
		return rp_fail(err, RP_RESOURCE,
		    "metadata of %zu bytes, more than an .rpz file can hold", bytes);
	c.payload_hash = rp_hash_bytes(payload, bytes);
	rp_rpz_put_chunk(head, &c);
	return rp_buf_add(out, head, sizeof head, err) && rp_buf_add(out, payload, bytes, err) &&
	       rp_buf_add(out, zero, (size_t)(rp_rpz_pad(bytes) - bytes), err);
}

bool
rp_rpz_index_page(struct rp_rpz_index *x, uint64_t offset, struct rp_buf *out, struct rp_err *err)
{
	unsigned char entry[RP_RPZ_ENTRY];
	if (!x->n)
		return true;
	x->all.offset = offset;
	x->all.n = x->n;
	x->all.marks = 0;
	put_entry(entry, &x->all);
	if (!rp_buf_add(&x->directory, entry, sizeof entry, err) ||
	    !rp_rpz_chunk_add(RP_RPZ_INDEX, x->n, x->page.bytes, x->page.n, out, err))
		return false;
	x->totals.pages++;
	x->page.n = 0;
	x->n = 0;
	return true;
}

bool
rp_rpz_index_footer(struct rp_rpz_index *x, struct rp_buf *out, struct rp_err *err)
{
	const struct rp_rpz_totals *t = &x->totals;
	unsigned char fixed[RP_RPZ_TOTALS] = { 0 };
	struct rp_buf payload = { 0 };
	rp_put64(fixed, t->rows);
	rp_put64(fixed + 8, t->marks);
	rp_put64(fixed + 16, t->blocks);
	rp_put64(fixed + 24, t->streams);
	rp_put64(fixed + 32, t->meta);
	rp_put64(fixed + 40, t->first_time);
	rp_put64(fixed + 48, t->last_time);
	rp_put32(fixed + 56, t->low);
	rp_put32(fixed + 60, t->high);
	rp_put32(fixed + 64, t->level);
	rp_put32(fixed + 68, t->pages);
	bool ok = rp_buf_add(&payload, fixed, sizeof fixed, err) &&
	          rp_buf_add(&payload, x->directory.bytes, x->directory.n, err) &&
	          rp_rpz_chunk_add(RP_RPZ_FOOTER, t->pages, payload.bytes, payload.n, out, err);
	rp_buf_free(&payload);
	return ok;
}

bool
rp_rpz_totals_from(const unsigned char *payload, size_t bytes, struct rp_rpz_totals *t)
{
	if (bytes < RP_RPZ_TOTALS)
		return false;
	t->rows = rp_get64(payload);
	t->marks = rp_get64(payload + 8);
	t->blocks = rp_get64(payload + 16);
	t->streams = rp_get64(payload + 24);
	t->meta = rp_get64(payload + 32);
	t->first_time = rp_get64(payload + 40);
	t->last_time = rp_get64(payload + 48);
	t->low = rp_get32(payload + 56);
	t->high = rp_get32(payload + 60);
	t->level = rp_get32(payload + 64);
	t->pages = rp_get32(payload + 68);
	uint64_t pages = (t->blocks + RP_RPZ_PAGE - 1) / RP_RPZ_PAGE;
	return bytes == RP_RPZ_TOTALS + (uint64_t)t->pages * RP_RPZ_ENTRY && t->pages == pages &&
	       t->marks <= t->rows && t->blocks <= t->rows && rp_get64(payload + 72) == 0;
}

uint64_t
rp_rpz_page_offset(const unsigned char *footer, uint64_t k)
{
	return rp_get64(footer + RP_RPZ_TOTALS + k * RP_RPZ_ENTRY);
}
