/* pool.c - items of one size, in chunks. */
#include "config.h"

#include "sim/coherence/pool.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST = 64, HUGE_PAGE = 2 << 20 };

/* A whole chunk. Nothing of it is touched yet. */
static unsigned char *
new_chunk(const struct coh_pool *p, struct rp_err *err)
{
	size_t bytes;
	void *at;
	if (__builtin_mul_overflow(p->stride, (size_t)1 << p->bits, &bytes) ||
	    posix_memalign(&at, HUGE_PAGE, bytes)) {
		rp_fail(err, RP_RESOURCE, "out of memory: %zu bytes more for lines", bytes);
		return NULL;
	}
#ifdef MADV_HUGEPAGE
	madvise(at, bytes, MADV_HUGEPAGE); /* a wish: without it all is as right, and slower */
#endif
	return at;
}

static bool
add_chunk(struct coh_pool *p, struct rp_err *err)
{
	if (p->chunks == p->chunk_room) {
		size_t room = p->chunk_room ? 2 * p->chunk_room : 4;
		unsigned char **more = rp_mem_grow(p->chunk, room, sizeof *more, err);
		if (!more)
			return false;
		p->chunk = more;
		p->chunk_room = room;
	}
	p->chunk[p->chunks] = p->chunks ? new_chunk(p, err) : rp_mem_array(FIRST, p->stride, err);
	if (!p->chunk[p->chunks])
		return false;
	if (!p->chunks++)
		p->first_room = FIRST;
	return true;
}

/* Room in the first chunk for `n` items; when it becomes large it is a whole one. */
static bool
grow_first(struct coh_pool *p, size_t n, struct rp_err *err)
{
	size_t all = (size_t)1 << p->bits, room = p->first_room;
	while (room < n)
		room *= 2;
	bool whole = room * p->stride >= HUGE_PAGE / 2 || room >= all;
	unsigned char *more =
	    whole ? new_chunk(p, err) : rp_mem_grow(p->chunk[0], room, p->stride, err);
	if (!more)
		return false;
	if (whole) {
		memcpy(more, p->chunk[0], p->n * p->stride);
		free(p->chunk[0]);
	}
	p->chunk[0] = more;
	p->first_room = whole ? all : room;
	return true;
}

uint32_t
coh_pool_take_raw(struct coh_pool *p, size_t n, struct rp_err *err)
{
	size_t all = (size_t)1 << p->bits, from = p->n;
	if (from % all + n > all)
		from = (from / all + 1) * all;
	if (from + n >= UINT32_MAX) {
		rp_fail(err, RP_RESOURCE, "more than 2^32 lines, or masks of lines");
		return UINT32_MAX;
	}
	while (from >> p->bits >= p->chunks)
		if (!add_chunk(p, err))
			return UINT32_MAX;
	if (!(from >> p->bits) && from + n > p->first_room && !grow_first(p, from + n, err))
		return UINT32_MAX;
	p->n = from + n;
	return (uint32_t)from;
}

uint32_t
coh_pool_take(struct coh_pool *p, size_t n, struct rp_err *err)
{
	uint32_t from = coh_pool_take_raw(p, n, err);
	if (from != UINT32_MAX)
		memset(coh_pool_at(p, from), 0, n * p->stride);
	return from;
}

void
coh_pool_close(struct coh_pool *p)
{
	for (size_t i = 0; i < p->chunks; i++)
		free(p->chunk[i]);
	free(p->chunk);
	*p = (struct coh_pool){ .bits = p->bits, .stride = p->stride };
}

size_t
coh_pool_bytes(const struct coh_pool *p)
{
	return p->n * p->stride;
}
