/* spool.c - rows of a trace kept in a temporary file and read again.
 *
 * A block holds up to ROWS rows by column: which columns there are, how many rows, then addresses, times and instructions
 * as steps, the rest as it is, all packed. A new block begins where the columns change. */
#include "config.h"

#include "traces/spool.h"

#include "base/mem.h"
#include "base/pack.h"
#include "base/spill.h"

#include <string.h>

enum { ROWS = 2048 };

struct rp_spool {
	struct rp_spill file;
	struct rp_batch *rows; /* all columns: of the block that is made or read */
	struct rp_batch view;  /* the same without columns that a block lacks */
	unsigned columns;      /* of the block that is made */
	uint64_t number[ROWS];
};

struct head {
	uint32_t columns, rows, marks, unused;
};

struct rp_spool *
rp_spool_new(struct rp_err *err)
{
	struct rp_spool *s = rp_mem_array(1, sizeof *s, err);
	if (!s)
		return NULL;
	if (rp_spill_open(&s->file, err) && (s->rows = rp_batch_new(ROWS, RP_COL_ALL, err)))
		return s;
	rp_spool_free(s);
	return NULL;
}

void
rp_spool_free(struct rp_spool *s)
{
	if (!s)
		return;
	rp_spill_close(&s->file);
	rp_batch_free(s->rows);
	free(s);
}

uint64_t
rp_spool_bytes(const struct rp_spool *s)
{
	return s->file.bytes;
}

static size_t
put_u32(struct rp_spool *s, unsigned char *to, const uint32_t *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->number[i] = x[i];
	return rp_pack(to, s->number, n);
}

static size_t
get_u32(struct rp_spool *s, const unsigned char *from, uint32_t *x, size_t n)
{
	size_t used = rp_unpack(from, s->number, n);
	for (size_t i = 0; i < n; i++)
		x[i] = (uint32_t)s->number[i];
	return used;
}

static bool
write_block(struct rp_spool *s, struct rp_err *err)
{
	struct rp_batch *b = s->rows;
	size_t n = b->n, at = sizeof(struct head);
	unsigned has = s->columns;
	if (!n)
		return true;
	unsigned char *to = rp_spill_room(&s->file, at + 6 * rp_pack_room(n) + 2 * n, err);
	if (!to)
		return false;
	struct head head = { has, (uint32_t)n, (uint32_t)b->marks, 0 };
	memcpy(to, &head, sizeof head);
	at += rp_pack_steps(to + at, b->addr, n);
	if (has & RP_COL_TIME)
		at += rp_pack_steps(to + at, b->time, n);
	if (has & RP_COL_PC)
		at += rp_pack_steps(to + at, b->pc, n);
	at += put_u32(s, to + at, b->size, n);
	if (has & RP_COL_STREAM)
		at += put_u32(s, to + at, b->stream, n);
	if (has & RP_COL_MASK)
		at += put_u32(s, to + at, b->mask, n);
	memcpy(to + at, b->kind, n);
	at += n;
	if (has & RP_COL_FLAGS) {
		memcpy(to + at, b->flags, n);
		at += n;
	}
	rp_spill_push(&s->file, at);
	rp_batch_clear(b);
	return true;
}

bool
rp_spool_put(struct rp_spool *s, const struct rp_batch *b, struct rp_err *err)
{
	unsigned columns = rp_batch_columns(b);
	if (columns != s->columns && !write_block(s, err))
		return false;
	s->columns = columns;
	for (size_t at = 0; at < b->n;) {
		size_t room = ROWS - s->rows->n, n = b->n - at < room ? b->n - at : room;
		rp_batch_append(s->rows, b, at, n);
		at += n;
		if (s->rows->n == ROWS && !write_block(s, err))
			return false;
	}
	return true;
}

bool
rp_spool_rewind(struct rp_spool *s, struct rp_err *err)
{
	return write_block(s, err) && rp_spill_rewind(&s->file, err);
}

const struct rp_batch *
rp_spool_next(struct rp_spool *s, struct rp_err *err)
{
	size_t length, n, at = sizeof(struct head);
	const unsigned char *from = rp_spill_next(&s->file, &length, err);
	struct rp_batch *b = s->rows;
	struct head head;
	if (!from)
		return NULL;
	memcpy(&head, from, sizeof head);
	n = head.rows;
	at += rp_unpack_steps(from + at, b->addr, n);
	if (head.columns & RP_COL_TIME)
		at += rp_unpack_steps(from + at, b->time, n);
	if (head.columns & RP_COL_PC)
		at += rp_unpack_steps(from + at, b->pc, n);
	at += get_u32(s, from + at, b->size, n);
	if (head.columns & RP_COL_STREAM)
		at += get_u32(s, from + at, b->stream, n);
	if (head.columns & RP_COL_MASK)
		at += get_u32(s, from + at, b->mask, n);
	memcpy(b->kind, from + at, n);
	at += n;
	if (head.columns & RP_COL_FLAGS)
		memcpy(b->flags, from + at, n);
	s->view = *b;
	s->view.n = n;
	s->view.marks = head.marks;
	s->view.time = head.columns & RP_COL_TIME ? b->time : NULL;
	s->view.pc = head.columns & RP_COL_PC ? b->pc : NULL;
	s->view.stream = head.columns & RP_COL_STREAM ? b->stream : NULL;
	s->view.mask = head.columns & RP_COL_MASK ? b->mask : NULL;
	s->view.flags = head.columns & RP_COL_FLAGS ? b->flags : NULL;
	return &s->view;
}
