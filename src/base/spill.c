/* spill.c - blocks of bytes in a temporary file.
 *
 * A block has its length before and behind it, so it can be found from either side. Segments of equal size are written as
 * a whole; no block lies in two. The last 8 bytes of a segment say how much of it is used. */
#include "config.h"

#include "base/spill.h"
#include "base/mem.h"
#include "base/temp.h"

#include <string.h>
#include <unistd.h>

enum { SEGMENT = 1 << 20, END = SEGMENT - 16, FRAME = 8 };

bool
rp_spill_open(struct rp_spill *s, struct rp_err *err)
{
	s->fd = -1;
	s->segment = rp_mem_grow(NULL, SEGMENT, 1, err); /* which need not be cleared */
	return s->segment;
}

void
rp_spill_close(struct rp_spill *s)
{
	if (s->segment && s->fd >= 0)
		close(s->fd);
	free(s->segment);
	*s = (struct rp_spill){ 0 };
}

static bool
write_segment(struct rp_spill *s, struct rp_err *err)
{
	uint64_t used = s->used;
	memcpy(s->segment + SEGMENT - sizeof used, &used, sizeof used);
	if (s->fd < 0 && (s->fd = rp_temp_open(err)) < 0)
		return false;
	if (!rp_temp_write(s->fd, s->segment, SEGMENT, s->segments * SEGMENT, err))
		return false;
	s->segments++;
	s->used = 0;
	return true;
}

static bool
read_segment(struct rp_spill *s, uint64_t number, struct rp_err *err)
{
	uint64_t used;
	if (!rp_temp_read(s->fd, s->segment, SEGMENT, number * SEGMENT, err))
		return false;
	memcpy(&used, s->segment + SEGMENT - sizeof used, sizeof used);
	s->used = (size_t)used;
	s->at = 0;
	return true;
}

static size_t
whole(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

uint64_t
rp_spill_bytes(const struct rp_spill *s)
{
	return s->segment && s->fd >= 0 ? s->bytes : 0;
}

void *
rp_spill_room(struct rp_spill *s, size_t n, struct rp_err *err)
{
	if (s->used + whole(n) + 2 * (size_t)FRAME > END && !write_segment(s, err))
		return NULL;
	return s->segment + s->used + FRAME;
}

void
rp_spill_push(struct rp_spill *s, size_t n)
{
	uint64_t length = n;
	memcpy(s->segment + s->used, &length, FRAME);
	s->used += FRAME + whole(n);
	memcpy(s->segment + s->used, &length, FRAME);
	s->used += FRAME;
	s->bytes += n;
}

const void *
rp_spill_pop(struct rp_spill *s, size_t *n, struct rp_err *err)
{
	uint64_t length;
	if (!s->used) {
		if (!s->segments || !read_segment(s, s->segments - 1, err))
			return NULL;
		s->segments--;
		/* Gives the disk back early; if that fails it is given back later. */
		(void)!ftruncate(s->fd, (off_t)(s->segments * SEGMENT));
	}
	memcpy(&length, s->segment + s->used - FRAME, FRAME);
	*n = (size_t)length;
	s->used -= 2 * (size_t)FRAME + whole(*n);
	return s->segment + s->used + FRAME;
}

bool
rp_spill_rewind(struct rp_spill *s, struct rp_err *err)
{
	if (!s->rewound && s->segments && s->used && !write_segment(s, err))
		return false;
	s->rewound = true;
	s->next = 0;
	s->at = 0;
	return !s->segments || read_segment(s, s->next++, err);
}

const void *
rp_spill_next(struct rp_spill *s, size_t *n, struct rp_err *err)
{
	uint64_t length;
	if (s->at == s->used && (s->next >= s->segments || !read_segment(s, s->next++, err)))
		return NULL;
	memcpy(&length, s->segment + s->at, FRAME);
	*n = (size_t)length;
	const void *block = s->segment + s->at + FRAME;
	s->at += 2 * (size_t)FRAME + whole(*n);
	return block;
}
