/* mem.c - memory: checked arrays and an arena. */
#include "config.h"

#include "base/mem.h"

#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

static void *
no_memory(struct rp_err *err, size_t n, size_t size)
{
	rp_fail(err, RP_RESOURCE, "out of memory: %zu elements of %zu bytes", n, size);
	return NULL;
}

void *
rp_mem_array(size_t n, size_t size, struct rp_err *err)
{
	void *p = calloc(n ? n : 1, size ? size : 1); /* checks the product */
	return p ? p : no_memory(err, n, size);
}

/* Not zeroed. `huge`: in huge pages, if the system likes. */
static void *
aligned(size_t align, size_t n, size_t size, bool huge, struct rp_err *err)
{
	size_t bytes;
	void *p = NULL;
	if (__builtin_mul_overflow(n, size, &bytes) || posix_memalign(&p, align, bytes ? bytes : 1))
		return no_memory(err, n, size);
#ifdef MADV_HUGEPAGE
	if (huge)
		(void)madvise(p, bytes, MADV_HUGEPAGE);
#else
	(void)huge;
#endif
	return p;
}

static void *
zeroed(void *p, size_t bytes)
{
	return p ? memset(p, 0, bytes) : NULL;
}

void *
rp_mem_aligned(size_t align, size_t n, size_t size, struct rp_err *err)
{
	return zeroed(aligned(align, n, size, false, err), n * size);
}

void *
rp_mem_table(size_t n, size_t size, struct rp_err *err)
{
	bool huge = size && n >= 2 * (size_t)HUGE_PAGE / size;
	return zeroed(aligned(huge ? HUGE_PAGE : 64, n, size, huge, err), n * size);
}

void *
rp_mem_pages(size_t bytes, struct rp_err *err)
{
	return aligned(HUGE_PAGE, bytes, 1, true, err);
}

void *
rp_mem_grow(void *old, size_t n, size_t size, struct rp_err *err)
{
	size_t bytes;
	void *p = NULL;
	if (!__builtin_mul_overflow(n, size, &bytes))
		p = realloc(old, bytes ? bytes : 1);
	return p ? p : no_memory(err, n, size);
}

char *
rp_mem_string(const char *text, struct rp_err *err)
{
	size_t n = strlen(text) + 1;
	char *p = rp_mem_array(n, 1, err);
	if (p)
		memcpy(p, text, n);
	return p;
}

struct rp_arena_block {
	struct rp_arena_block *before;
	size_t used, room;
	max_align_t bytes[];
};

void *
rp_arena_take(struct rp_arena *arena, size_t size, struct rp_err *err)
{
	size_t need = (size + 15) & ~(size_t)15;
	struct rp_arena_block *b = arena->last;
	if (need < size || need > SIZE_MAX - sizeof *b)
		return no_memory(err, 1, size);
	if (!b || b->room - b->used < need) {
		size_t room = need > 65536 ? need : 65536;
		b = rp_mem_array(1, sizeof *b + room, err);
		if (!b)
			return NULL;
		b->before = arena->last;
		b->room = room;
		arena->last = b;
	}
	void *p = (char *)b->bytes + b->used;
	b->used += need;
	return p;
}

char *
rp_arena_string(struct rp_arena *arena, const char *text, struct rp_err *err)
{
	size_t n = strlen(text) + 1;
	char *p = rp_arena_take(arena, n, err);
	if (p)
		memcpy(p, text, n);
	return p;
}

void
rp_arena_free(struct rp_arena *arena)
{
	while (arena->last) {
		struct rp_arena_block *b = arena->last;
		arena->last = b->before;
		free(b);
	}
}
