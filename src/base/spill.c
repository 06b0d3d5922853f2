/* spill.c - blocks of bytes in a temporary file.
 *
 * A block has its length before and behind it, so it can be found from either side. Segments of equal size are written as
 * a whole, the first few kept in memory if they are to be; no block lies in two. The last 8 bytes of a segment say how much
 * of it is used. */
#include "config.h"

#include "base/spill.h"
#include "base/mem.h"
#include "base/temp.h"

#include <string.h>
#include <unistd.h>

enum { SEGMENT = 2 << 20, END = SEGMENT - 16, FRAME = 8 };

bool
rp_spill_open(struct rp_spill *s, struct rp_err *err)
{
	s->fd = -1;
	s->segment = rp_mem_pages(SEGMENT, err);
	return s->segment;
}

void
rp_spill_close(struct rp_spill *s)
{
	if (s->segment && s->fd >= 0)
		close(s->fd);
	for (size_t i = 0; s->kept && i < s->keep; i++)
		free(s->kept[i]);
	free(s->kept);
	free(s->segment);
	*s = (struct rp_spill){ 0 };
}

void
rp_spill_keep(struct rp_spill *s, size_t mebibytes)
{
	s->keep = (mebibytes << 20) / SEGMENT;
}

/* The segment is put aside in memory, and a new one begun. */
static bool
keep_segment(struct rp_spill *s, struct rp_err *err)
{
	if (!s->kept && !(s->kept = rp_mem_array(s->keep, sizeof *s->kept, err)))
		return false;
	unsigned char *fresh = rp_mem_pages(SEGMENT, err);
	if (!fresh)
		return false;
	s->kept[s->segments] = s->segment;
	s->segment = fresh;
	return true;
}

static bool
file_segment(struct rp_spill *s, struct rp_err *err)
{
	if (s->fd < 0 && (s->fd = rp_temp_open(err)) < 0)
		return false;
	s->filed += s->used;
	return rp_temp_write(s->fd, s->segment, SEGMENT, (s->segments - s->keep) * SEGMENT, err);
}

static bool
write_segment(struct rp_spill *s, struct rp_err *err)
{
	uint64_t used = s->used;
	memcpy(s->segment + SEGMENT - sizeof used, &used, sizeof used);
	if (!(s->segments < s->keep ? keep_segment : file_segment)(s, err))
		return false;
	s->segments++;
	s->used = 0;
	return true;
}

/* The segment of that number: the one kept, or s->segment, into which it is read. */
static unsigned char *
find_segment(struct rp_spill *s, uint64_t number, struct rp_err *err)
{
	uint64_t used;
	unsigned char *found = number < s->keep ? s->kept[number] : s->segment;
	if (number >= s->keep &&
	    !rp_temp_read(s->fd, found, SEGMENT, (number - s->keep) * SEGMENT, err))
		return NULL;
	memcpy(&used, found + SEGMENT - sizeof used, sizeof used);
	s->used = (size_t)used;
	s->at = 0;
	return found;
}

/* The last segment is the one at hand again. */
static bool
take_segment(struct rp_spill *s, struct rp_err *err)
{
	unsigned char *last = find_segment(s, s->segments - 1, err);
	if (!last)
		return false;
	s->segments--;
	if (s->segments < s->keep) {
		free(s->segment);
		s->segment = last;
		s->kept[s->segments] = NULL;
		return true;
	}
	/* Gives the disk back early; if that fails it is given back later. */
	(void)!ftruncate(s->fd, (off_t)((s->segments - s->keep) * SEGMENT));
	return true;
}

static bool
view_segment(struct rp_spill *s, struct rp_err *err)
{
	s->view = find_segment(s, s->next, err);
	s->next++;
	return s->view;
}

static size_t
whole(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

uint64_t
rp_spill_bytes(const struct rp_spill *s)
{
	return s->filed;
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
	if (!s->used && (!s->segments || !take_segment(s, err)))
		return NULL;
	memcpy(&length, s->segment + s->used - FRAME, FRAME);
	*n = (size_t)length;
	s->used -= 2 * (size_t)FRAME + whole(*n);
	return s->segment + s->used + FRAME;
}

/* No more blocks come: the last segment is put aside too, unless it is the only one. */
static bool
finish(struct rp_spill *s, struct rp_err *err)
{
	if (!s->rewound && s->segments && s->used && !write_segment(s, err))
		return false;
	s->rewound = true;
	s->view = s->segment;
	return true;
}

bool
rp_spill_rewind(struct rp_spill *s, struct rp_err *err)
{
	if (!finish(s, err))
		return false;
	s->next = 0;
	s->at = 0;
	return !s->segments || view_segment(s, err);
}

const void *
rp_spill_next(struct rp_spill *s, size_t *n, struct rp_err *err)
{
	uint64_t length;
	if (s->at == s->used && (s->next >= s->segments || !view_segment(s, err)))
		return NULL;
	memcpy(&length, s->view + s->at, FRAME);
	*n = (size_t)length;
	const void *block = s->view + s->at + FRAME;
	s->at += 2 * (size_t)FRAME + whole(*n);
	return block;
}

bool
rp_spill_unwind(struct rp_spill *s, struct rp_err *err)
{
	if (!finish(s, err))
		return false;
	s->next = s->segments;
	s->at = s->segments ? 0 : s->used;
	return true;
}

const void *
rp_spill_before(struct rp_spill *s, size_t *n, struct rp_err *err)
{
	uint64_t length;
	if (!s->at) {
		if (!s->next || !(s->view = find_segment(s, s->next - 1, err)))
			return NULL;
		s->next--;
		s->at = s->used;
	}
	memcpy(&length, s->view + s->at - FRAME, FRAME);
	*n = (size_t)length;
	s->at -= 2 * (size_t)FRAME + whole(*n);
	return s->view + s->at + FRAME;
}
