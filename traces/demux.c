/* demux.c - the streams of a source taken apart, each a queue.
 *
 * A queue is a chain of chunks, filled first and then emptied. Each chunk's place in the temporary file is fixed when the
 * chunk is begun, so that the one before can name it whatever becomes of it. Once the memory is used up, every chunk that
 * is full is written there: behind the first written chunk of a queue all but the last are in the file. */
#include "config.h"

#include "traces/demux.h"
#include "base/hash.h"
#include "base/temp.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
	ROWS_LEAST = 4, /* of a queue's first chunk; they double */
	ROWS_MOST = 84, /* then a chunk is some 4 KiB */
	SLOTS_LEAST = 64,
};

#define MEMORY_USUAL (UINT64_C(64) << 20)

struct rp_demux_chunk {
	struct rp_demux_chunk *next; /* NULL: there is none, or it is in the file */
	uint64_t at, next_at;        /* places in the file */
	uint32_t n, cap, next_cap;   /* rows; next_cap 0: the last chunk */
	struct rp_demux_row row[];
};

struct rp_demux_inside {
	struct rp_source *in;
	struct rp_batch *batch; /* what was pulled; rows from `taken` on are still to be queued */
	size_t taken;
	bool ended;
	uint64_t rows; /* queued so far */

	uint32_t *slot; /* hash table: 1 + index of a stream, 0 free */
	size_t slots;   /* a power of two */
	size_t room;    /* streams allocated */

	uint64_t memory, used; /* bytes: allowed, in chunks */
	bool spilling;
	int file; /* -1: none yet */
	uint64_t file_end;
};

static size_t
chunk_bytes(uint32_t cap)
{
	return sizeof(struct rp_demux_chunk) + cap * sizeof(struct rp_demux_row);
}

struct rp_demux *
rp_demux_open(struct rp_source *in, uint64_t memory, struct rp_err *err)
{
	struct rp_demux *d = rp_mem_array(1, sizeof *d, err);
	struct rp_demux_inside *x = d ? rp_mem_array(1, sizeof *x, err) : NULL;
	if (!x) {
		free(d);
		return NULL;
	}
	d->inside = x;
	x->in = in;
	x->file = -1;
	x->memory = memory ? memory : MEMORY_USUAL;
	x->slots = SLOTS_LEAST;
	x->slot = rp_mem_array(x->slots, sizeof *x->slot, err);
	x->batch = x->slot ? rp_batch_new(RP_BATCH, in->trace->columns, err) : NULL;
	d->marks = x->batch ? rp_batch_new(RP_BATCH, in->trace->columns, err) : NULL;
	if (d->marks)
		return d;
	rp_demux_close(d);
	return NULL;
}

static void
free_chunk(struct rp_demux_inside *x, struct rp_demux_chunk *c)
{
	x->used -= chunk_bytes(c->cap);
	free(c);
}

/* The last chunk hangs on the chain from head unless there are chunks in the file between. */
static void
free_queue(struct rp_demux_inside *x, struct rp_demux_stream *s)
{
	bool chained = s->tail == NULL;
	for (struct rp_demux_chunk *c = s->head, *next; c; c = next) {
		next = c->next;
		chained |= c == s->tail;
		free_chunk(x, c);
	}
	if (!chained)
		free_chunk(x, s->tail);
}

void
rp_demux_close(struct rp_demux *d)
{
	if (!d)
		return;
	struct rp_demux_inside *x = d->inside;
	for (size_t i = 0; i < d->n; i++)
		free_queue(x, &d->streams[i]);
	free(d->streams);
	rp_batch_free(d->marks);
	rp_batch_free(x->batch);
	free(x->slot);
	if (x->file >= 0)
		close(x->file);
	free(x);
	free(d);
}

/* Where `stream` is in the table, or should go. */
static size_t
slot_of(const struct rp_demux *d, uint32_t stream)
{
	const struct rp_demux_inside *x = d->inside;
	size_t i = (size_t)rp_mix64(stream) & (x->slots - 1);
	while (x->slot[i] && d->streams[x->slot[i] - 1].stream != stream)
		i = (i + 1) & (x->slots - 1);
	return i;
}

static bool
grow_table(struct rp_demux *d, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	uint32_t *more = rp_mem_array(2 * x->slots, sizeof *more, err);
	if (!more)
		return false;
	free(x->slot);
	x->slot = more;
	x->slots *= 2;
	for (size_t i = 0; i < d->n; i++) {
		d->streams[i].slot = slot_of(d, d->streams[i].stream);
		x->slot[d->streams[i].slot] = (uint32_t)i + 1;
	}
	return true;
}

static bool
add_stream(struct rp_demux *d, uint32_t stream, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	if (2 * (d->n + 1) > x->slots && !grow_table(d, err))
		return false;
	if (d->n == x->room) {
		size_t room = x->room ? 2 * x->room : SLOTS_LEAST;
		void *p = rp_mem_grow(d->streams, room, sizeof *d->streams, err);
		if (!p)
			return false;
		d->streams = p;
		x->room = room;
	}
	size_t slot = slot_of(d, stream);
	d->streams[d->n] = (struct rp_demux_stream){ .stream = stream, .slot = slot };
	x->slot[slot] = (uint32_t)++d->n;
	return true;
}

/* Writes the last chunk of a queue, which is full, to the file. */
static bool
spill_tail(struct rp_demux *d, struct rp_demux_stream *s, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	struct rp_demux_chunk *c = s->tail;
	size_t n = chunk_bytes(c->cap);
	if (x->file < 0 && (x->file = rp_temp_open(err)) < 0)
		return false;
	c->next = NULL;
	if (!rp_temp_write(x->file, c, n, c->at, err))
		return false;
	d->spilled += n;
	if (s->before) {
		s->before->next = NULL;
	} else if (c == s->head) {
		s->head = NULL;
		s->head_at = c->at;
		s->head_cap = c->cap;
	}
	s->tail = NULL;
	free_chunk(x, c);
	return true;
}

/* Chunks are smaller where there are many streams: the last one of each is in memory, full or not. */
static uint32_t
next_cap(const struct rp_demux *d, const struct rp_demux_chunk *tail)
{
	uint64_t most = d->inside->memory / (4 * sizeof(struct rp_demux_row) * d->n);
	uint64_t cap = tail ? 2 * (uint64_t)tail->cap : ROWS_LEAST;
	if (cap > ROWS_MOST)
		cap = ROWS_MOST;
	if (cap > most)
		cap = most;
	return cap < ROWS_LEAST ? ROWS_LEAST : (uint32_t)cap;
}

static bool
add_chunk(struct rp_demux *d, struct rp_demux_stream *s, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	uint32_t cap = next_cap(d, s->tail);
	struct rp_demux_chunk *c = rp_mem_array(1, chunk_bytes(cap), err), *tail = s->tail;
	if (!c)
		return false;
	c->cap = cap;
	c->at = x->file_end;
	x->file_end += chunk_bytes(cap);
	x->used += chunk_bytes(cap);
	x->spilling |= x->used > x->memory;
	if (!tail) {
		s->head = s->tail = c;
		return true;
	}
	tail->next_at = c->at;
	tail->next_cap = cap;
	if (x->spilling && !spill_tail(d, s, err)) {
		tail->next_cap = 0;
		free_chunk(x, c);
		return false;
	}
	if (s->tail)
		tail->next = c;
	s->before = s->tail;
	s->tail = c;
	return true;
}

static bool
time_rises(const struct rp_demux *d, struct rp_demux_stream *s, uint64_t time, struct rp_err *err)
{
	const struct rp_trace *t = d->inside->in->trace;
	if (time < s->last_time)
		return rp_fail(err, RP_INPUT,
		    "%s: time %" PRIu64 " after %" PRIu64 " in stream %" PRIu32
		    ": times that fall within a stream give no order",
		    t->n_sources ? t->sources[0] : t->format, time, s->last_time, s->stream);
	s->last_time = time;
	return true;
}

/* Queues rows [from, to) of the batch, none of them a mark. */
static bool
queue(struct rp_demux *d, size_t from, size_t to, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	const struct rp_batch *b = x->batch;
	struct rp_demux_stream *s = NULL;
	for (size_t i = from; i < to; i++) {
		uint32_t stream = b->stream ? b->stream[i] : 0;
		if (!s || s->stream != stream) {
			size_t slot = slot_of(d, stream);
			size_t known = x->slot[slot];
			if (!known && !add_stream(d, stream, err))
				return false;
			s = &d->streams[(known ? known : d->n) - 1];
		}
		if ((!s->tail || s->tail->n == s->tail->cap) && !add_chunk(d, s, err))
			return false;
		if (d->by_time && !time_rises(d, s, b->time ? b->time[i] : 0, err))
			return false;
		s->tail->row[s->tail->n++] = (struct rp_demux_row){
			.addr = b->addr[i],
			.time = b->time ? b->time[i] : 0,
			.pc = b->pc ? b->pc[i] : 0,
			.order = x->rows++,
			.size = b->size[i],
			.mask = b->mask ? b->mask[i] : 0,
			.kind = b->kind[i],
			.flags = b->flags ? b->flags[i] : (uint8_t)0,
		};
		s->left++;
	}
	return true;
}

static void
forget_streams(struct rp_demux *d)
{
	struct rp_demux_inside *x = d->inside;
	for (size_t i = 0; i < d->n; i++) {
		free_queue(x, &d->streams[i]);
		x->slot[d->streams[i].slot] = 0;
	}
	d->n = 0;
	x->spilling = false;
	x->file_end = 0;
	if (x->file >= 0 && ftruncate(x->file, 0))
		x->file_end = 0; /* the disk keeps the room; what is there is written over */
	rp_batch_clear(d->marks);
}

/* The end of the run of marks, or of other rows, that begins at row i. */
static size_t
run_end(const struct rp_batch *b, size_t i, bool marks)
{
	if (!marks && !b->marks)
		return b->n;
	while (i < b->n && (b->kind[i] >= RP_MARKS) == marks)
		i++;
	return i;
}

int
rp_demux_segment(struct rp_demux *d, struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	struct rp_batch *b = x->batch;
	forget_streams(d);
	for (;;) {
		if (x->taken == b->n) {
			rp_batch_clear(b);
			x->taken = 0;
			x->ended |= d->stop && *d->stop;
			ptrdiff_t n = x->ended ? 0 : rp_source_pull(x->in, b, err);
			if (n < 0)
				return -1;
			x->ended |= n == 0;
			if (x->ended)
				return d->n || d->marks->n;
		}
		size_t end = d->marks->n ? x->taken : run_end(b, x->taken, false);
		if (end > x->taken && !queue(d, x->taken, end, err))
			return -1;
		x->taken = end;
		end = run_end(b, x->taken, true);
		if (end - x->taken > d->marks->cap - d->marks->n)
			end = x->taken + d->marks->cap - d->marks->n;
		rp_batch_append(d->marks, b, x->taken, end - x->taken);
		x->taken = end;
		if (end < b->n)
			return 1;
	}
}

static struct rp_demux_chunk *
load(struct rp_demux *d, const struct rp_demux_stream *s, uint64_t at, uint32_t cap,
    struct rp_err *err)
{
	struct rp_demux_inside *x = d->inside;
	struct rp_demux_chunk *c = rp_mem_array(1, chunk_bytes(cap), err);
	if (!c || !rp_temp_read(x->file, c, chunk_bytes(cap), at, err)) {
		free(c);
		return NULL;
	}
	x->used += chunk_bytes(cap);
	c->next = c->next_at == s->tail->at ? s->tail : NULL;
	return c;
}

/* Makes head the chunk that holds the next row; there is one. */
static bool
next_chunk(struct rp_demux *d, struct rp_demux_stream *s, struct rp_err *err)
{
	struct rp_demux_chunk *c = s->head, *next;
	if (!c)
		next = load(d, s, s->head_at, s->head_cap, err);
	else
		next = c->next ? c->next : load(d, s, c->next_at, c->next_cap, err);
	if (!next)
		return false;
	if (c)
		free_chunk(d->inside, c);
	s->head = next;
	s->used = 0;
	return true;
}

int
rp_demux_peek(struct rp_demux *d, size_t i, const struct rp_demux_row **row, struct rp_err *err)
{
	struct rp_demux_stream *s = &d->streams[i];
	if (!s->left)
		return 0;
	if ((!s->head || s->used == s->head->n) && !next_chunk(d, s, err))
		return -1;
	*row = &s->head->row[s->used];
	return 1;
}

static void
put(struct rp_batch *out, const struct rp_demux_row *r, uint32_t number)
{
	rp_batch_put(out, &(struct rp_access){ .addr = r->addr,
			      .time = r->time,
			      .pc = r->pc,
			      .size = r->size,
			      .stream = number,
			      .mask = r->mask,
			      .kind = r->kind,
			      .flags = r->flags });
}

ptrdiff_t
rp_demux_pull(struct rp_demux *d, size_t i, uint64_t most, uint32_t number, struct rp_batch *out,
    struct rp_err *err)
{
	struct rp_demux_stream *s = &d->streams[i];
	uint64_t n = 0;
	while (s->left && out->n < out->cap) {
		const struct rp_demux_row *row;
		if (rp_demux_peek(d, i, &row, err) < 0)
			return -1;
		if (n >= most && !(row->flags & RP_SAME_INSTR))
			break;
		put(out, row, number);
		s->used++;
		s->left--;
		n++;
		/* The next row of this stream, when its turn comes: until then thousands of others may go by. */
		uintptr_t next = (uintptr_t)(row + 1);
		__builtin_prefetch((const void *)next);
		__builtin_prefetch((const void *)(next + sizeof *row - 1));
	}
	return (ptrdiff_t)n;
}
