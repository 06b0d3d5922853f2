/* spool.c - rows of a trace kept in a temporary file and read again.
 *
 * A block holds up to ROWS rows: which columns there are, how many rows, then the columns, packed. A new block begins where
 * the columns change. */
#include "config.h"

#include "traces/spool.h"

#include "base/mem.h"
#include "base/pack.h"
#include "base/spill.h"

#include <string.h>

enum { ROWS = 2048, KEPT = 2 /* mebibytes in memory */ };

struct rp_spool {
	struct rp_spill file;
	struct rp_batch *rows; /* all columns: of the block that is made or read */
	struct rp_batch view;  /* the same without columns that a block lacks */
	unsigned columns;      /* of the block that is made */
	bool rewound;          /* it is read */
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
	if (rp_spill_open(&s->file, err) && (s->rows = rp_batch_new(ROWS, RP_COL_ALL, err))) {
		rp_spill_keep(&s->file, KEPT);
		return s;
	}
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
	return rp_spill_bytes(&s->file);
}

/* Rows [from, from + n) of a batch as a block. */
static bool
write_rows(struct rp_spool *s, const struct rp_batch *b, size_t from, size_t n, struct rp_err *err)
{
	struct head head = { s->columns, (uint32_t)n, 0, 0 };
	size_t at = sizeof head;
	unsigned char *to = rp_spill_room(&s->file, at + 8 * rp_pack_room(n), err);
	if (!to)
		return false;
	for (size_t i = from; b->marks && i < from + n; i++)
		head.marks += b->kind[i] >= RP_MARKS;
	memcpy(to, &head, sizeof head);
	at += rp_pack(to + at, b->addr + from, n);
	at += b->time ? rp_pack(to + at, b->time + from, n) : 0;
	at += b->pc ? rp_pack(to + at, b->pc + from, n) : 0;
	at += rp_pack32(to + at, b->size + from, n);
	at += b->stream ? rp_pack32(to + at, b->stream + from, n) : 0;
	at += b->mask ? rp_pack32(to + at, b->mask + from, n) : 0;
	at += rp_pack8(to + at, b->kind + from, n);
	at += b->flags ? rp_pack8(to + at, b->flags + from, n) : 0;
	rp_spill_push(&s->file, at);
	return true;
}

static bool
write_block(struct rp_spool *s, struct rp_err *err)
{
	bool ok = !s->view.n || write_rows(s, &s->view, 0, s->view.n, err);
	rp_batch_clear(&s->view);
	return ok;
}

/* s->view: the rows, without columns that are not in `columns`. */
static void
show(struct rp_spool *s, unsigned columns)
{
	struct rp_batch *b = s->rows;
	s->view =
	    (struct rp_batch){ .cap = ROWS, .addr = b->addr, .size = b->size, .kind = b->kind };
	s->view.time = columns & RP_COL_TIME ? b->time : NULL;
	s->view.pc = columns & RP_COL_PC ? b->pc : NULL;
	s->view.stream = columns & RP_COL_STREAM ? b->stream : NULL;
	s->view.mask = columns & RP_COL_MASK ? b->mask : NULL;
	s->view.flags = columns & RP_COL_FLAGS ? b->flags : NULL;
	s->columns = columns;
}

bool
rp_spool_put(struct rp_spool *s, const struct rp_batch *b, struct rp_err *err)
{
	unsigned columns = rp_batch_columns(b);
	if (!s->view.addr || columns != s->columns) {
		if (!write_block(s, err))
			return false;
		show(s, columns);
	}
	for (size_t at = 0; at < b->n;) {
		size_t room = ROWS - s->view.n, n = b->n - at < room ? b->n - at : room;
		bool ok = true;
		if (n == ROWS) {
			ok = write_rows(s, b, at, n, err);
		} else {
			rp_batch_append(&s->view, b, at, n);
			ok = s->view.n < ROWS || write_block(s, err);
		}
		if (!ok)
			return false;
		at += n;
	}
	return true;
}

/* No more rows come. */
static bool
finish(struct rp_spool *s, struct rp_err *err)
{
	if (!s->rewound && !write_block(s, err))
		return false;
	s->rewound = true;
	return true;
}

bool
rp_spool_rewind(struct rp_spool *s, struct rp_err *err)
{
	return finish(s, err) && rp_spill_rewind(&s->file, err);
}

bool
rp_spool_unwind(struct rp_spool *s, struct rp_err *err)
{
	return finish(s, err) && rp_spill_unwind(&s->file, err);
}

/* The rows of a block; NULL of none. */
static const struct rp_batch *
read_rows(struct rp_spool *s, const unsigned char *from)
{
	size_t n, at = sizeof(struct head);
	struct rp_batch *b = &s->view;
	struct head head;
	if (!from)
		return NULL;
	memcpy(&head, from, sizeof head);
	show(s, head.columns);
	b->n = n = head.rows;
	b->marks = head.marks;
	at += rp_unpack(from + at, b->addr, n);
	at += b->time ? rp_unpack(from + at, b->time, n) : 0;
	at += b->pc ? rp_unpack(from + at, b->pc, n) : 0;
	at += rp_unpack32(from + at, b->size, n);
	at += b->stream ? rp_unpack32(from + at, b->stream, n) : 0;
	at += b->mask ? rp_unpack32(from + at, b->mask, n) : 0;
	at += rp_unpack8(from + at, b->kind, n);
	at += b->flags ? rp_unpack8(from + at, b->flags, n) : 0;
	return b;
}

const struct rp_batch *
rp_spool_next(struct rp_spool *s, struct rp_err *err)
{
	size_t length;
	return read_rows(s, rp_spill_next(&s->file, &length, err));
}

const struct rp_batch *
rp_spool_before(struct rp_spool *s, struct rp_err *err)
{
	size_t length;
	return read_rows(s, rp_spill_before(&s->file, &length, err));
}
