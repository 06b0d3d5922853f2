/* batch.c - accesses in trace order, by column. */
#include "config.h"

#include "traces/batch.h"
#include "base/mem.h"

#include <string.h>

enum { SLACK = 64 };

/* Where each column lives and how wide its values are. */
static const struct column {
	unsigned bit; /* enum rp_column; 0: always there */
	size_t offset, width;
} column[] = {
	{ 0, offsetof(struct rp_batch, addr), 8 },
	{ RP_COL_TIME, offsetof(struct rp_batch, time), 8 },
	{ RP_COL_PC, offsetof(struct rp_batch, pc), 8 },
	{ 0, offsetof(struct rp_batch, size), 4 },
	{ RP_COL_STREAM, offsetof(struct rp_batch, stream), 4 },
	{ RP_COL_MASK, offsetof(struct rp_batch, mask), 4 },
	{ 0, offsetof(struct rp_batch, kind), 1 },
	{ RP_COL_FLAGS, offsetof(struct rp_batch, flags), 1 },
};

enum { COLUMNS = sizeof column / sizeof *column };

static unsigned char **
place(const struct rp_batch *b, const struct column *c)
{
	return (unsigned char **)((char *)(uintptr_t)b + c->offset);
}

struct rp_batch *
rp_batch_new(size_t cap, unsigned columns, struct rp_err *err)
{
	struct rp_batch *b = rp_mem_array(1, sizeof *b, err);
	if (!b)
		return NULL;
	b->cap = cap;
	for (const struct column *c = column; c < column + COLUMNS; c++) {
		if (c->bit && !(columns & c->bit))
			continue;
		*place(b, c) = rp_mem_aligned(64, cap + SLACK, c->width, err);
		if (!*place(b, c)) {
			rp_batch_free(b);
			return NULL;
		}
	}
	return b;
}

void
rp_batch_free(struct rp_batch *b)
{
	if (!b)
		return;
	for (const struct column *c = column; c < column + COLUMNS; c++)
		free(*place(b, c));
	free(b);
}

unsigned
rp_batch_columns(const struct rp_batch *b)
{
	unsigned bits = 0;
	for (const struct column *c = column; c < column + COLUMNS; c++)
		if (*place(b, c))
			bits |= c->bit;
	return bits;
}

static size_t
count_marks(const struct rp_batch *b, size_t from, size_t n)
{
	size_t marks = 0;
	for (size_t i = from; i < from + n; i++)
		marks += b->kind[i] >= RP_MARKS;
	return marks;
}

void
rp_batch_append(struct rp_batch *out, const struct rp_batch *in, size_t from, size_t n)
{
	for (const struct column *c = column; c < column + COLUMNS; c++) {
		unsigned char *to = *place(out, c), *at = *place(in, c);
		if (to && at)
			memcpy(to + out->n * c->width, at + from * c->width, n * c->width);
		else if (to)
			memset(to + out->n * c->width, 0, n * c->width);
	}
	out->n += n;
	if (in->marks)
		out->marks += count_marks(in, from, n);
}

void
rp_batch_drop(struct rp_batch *b, size_t n)
{
	if (b->marks)
		b->marks -= count_marks(b, 0, n);
	for (const struct column *c = column; c < column + COLUMNS; c++)
		if (*place(b, c))
			memmove(*place(b, c), *place(b, c) + n * c->width, (b->n - n) * c->width);
	b->n -= n;
}

static const struct {
	const char *name;
	char letter;
} kind[RP_MARKS_END] = {
	[RP_READ] = { "read", 'R' },
	[RP_WRITE] = { "write", 'W' },
	[RP_ATOMIC] = { "atomic", 'A' },
	[RP_PREFETCH] = { "prefetch", 'P' },
	[RP_FETCH] = { "fetch", 'I' },
	[RP_KERNEL_END] = { "kernel_end", 0 },
	[RP_HOST_COPY] = { "host_copy", 0 },
	[RP_COPY_BACK] = { "copy_back", 0 },
	[RP_INVALIDATE] = { "invalidate", 0 },
};

const char *
rp_kind_name(enum rp_kind k)
{
	return (unsigned)k < RP_MARKS_END && kind[k].name ? kind[k].name : "none";
}

char
rp_kind_letter(enum rp_kind k)
{
	return (unsigned)k < RP_MARKS_END ? kind[k].letter : (char)0;
}

enum rp_kind
rp_kind_of_letter(char letter)
{
	for (unsigned k = 0; k < RP_KINDS; k++)
		if (kind[k].letter == (letter & ~32))
			return (enum rp_kind)k;
	return RP_MARKS_END;
}
