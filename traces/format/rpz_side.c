/* rpz_side.c - what a block holds beside addresses, sizes and kinds: streams and their runs, times, pcs, masks. */
#include "config.h"

#include "traces/format/rpz_block.h"

enum {
	LENGTH_BITS = 15,
	STEPPED = 16,
	TIME_TOKEN_MOST = 24,
	LENGTH_MOST = 8,
	NEW = 1,
	NUMBERED = 2
};

/* d->rooms by use. */
enum { PC, TABLE, MASK, FOLLOWS, STREAM, START, RUN_STREAM, RUN_LENGTH };

static bool
numbers(const struct rp_rpz_decoder *d, unsigned id, size_t n, struct rp_rpz_reading *out,
    struct rp_err *err)
{
	return rp_rpz_numbers_of(d, id, n, UINT8_MAX, LENGTH_MOST, out, err);
}

/* Room for n numbers of 32 bits, and one more. */
static uint32_t *
room32(struct rp_rpz_decoder *d, unsigned which, size_t n, struct rp_err *err)
{
	return rp_rpz_room(&d->rooms[which], n + 1, sizeof(uint32_t), err) ? d->rooms[which].at
	                                                                   : NULL;
}

static uint64_t *
room64(struct rp_rpz_decoder *d, unsigned which, size_t n, struct rp_err *err)
{
	return rp_rpz_room(&d->rooms[which], n, sizeof(uint64_t), err) ? d->rooms[which].at : NULL;
}

/* Distinct streams, ascending, and the first row of each. */
static bool
read_streams(struct rp_rpz_decoder *d, struct rp_err *err)
{
	size_t n = d->c->streams;
	struct rp_rpz_reading stream, count = { 0 };
	if (!numbers(d, RP_RPZ_STREAMS, n, &stream, err) ||
	    !numbers(d, RP_RPZ_COUNTS, n < 2 ? 0 : n, &count, err))
		return false;
	uint64_t last = 0, row = 0;
	for (size_t k = 0; k < n; k++) {
		uint64_t step = rp_rpz_number_next(&stream);
		if (step > UINT32_MAX - last || (k && !step))
			return rp_rpz_damaged(err, "streams out of order");
		d->stream[k] = (uint32_t)(last += step);
		d->start[k] = (uint32_t)row;
		uint64_t more = n < 2 ? d->c->n - 1 : rp_rpz_number_next(&count);
		if (more >= d->c->n - row)
			return rp_rpz_damaged(err, "streams with more rows than the block");
		row += more + 1;
	}
	if (n && row != d->c->n)
		return rp_rpz_damaged(err, "streams with fewer rows than the block");
	d->start[n ? n : 1] = d->c->n;
	return true;
}

/* Runs, and that they use up each stream exactly. d->follows: the stream foretold after each. */
static bool
read_runs(struct rp_rpz_decoder *d, struct rp_err *err)
{
	uint32_t streams = d->c->streams, before = 0;
	struct rp_rpz_reading stream, length;
	if (!numbers(d, RP_RPZ_RUN_STREAMS, d->c->runs, &stream, err) ||
	    !numbers(d, RP_RPZ_RUN_LENGTHS, d->c->runs, &length, err))
		return false;
	for (uint32_t k = 0; k < streams; k++) {
		d->follows[k] = (k + 1) % streams;
		d->cursor[k] = d->start[k];
	}
	for (uint32_t r = 0; r < d->c->runs; r++) {
		uint64_t k = d->follows[before] + rp_unzigzag(rp_rpz_number_next(&stream));
		uint64_t more = rp_rpz_number_next(&length);
		if (k >= streams || more >= d->start[k + 1] - d->cursor[k])
			return rp_rpz_damaged(err, "runs of streams");
		d->run_stream[r] = (uint32_t)k;
		d->run_length[r] = (uint32_t)more + 1;
		d->cursor[k] += (uint32_t)more + 1;
		d->follows[before] = (uint32_t)k;
		before = (uint32_t)k;
	}
	for (uint32_t k = 0; k < streams; k++) {
		if (d->cursor[k] != d->start[k + 1])
			return rp_rpz_damaged(err, "runs of streams");
		d->cursor[k] = d->start[k];
	}
	d->run = 0;
	d->run_left = d->run_length[0];
	return true;
}

bool
rp_rpz_unpack_streams(struct rp_rpz_decoder *d, struct rp_err *err)
{
	size_t n = d->c->streams ? d->c->streams : 1, runs = d->c->runs;
	d->stream = room32(d, STREAM, 2 * n, err);
	d->start = d->stream ? room32(d, START, n, err) : NULL;
	d->follows = d->start ? room32(d, FOLLOWS, d->c->n, err) : NULL;
	d->run_stream = d->follows ? room32(d, RUN_STREAM, runs, err) : NULL;
	d->run_length = d->run_stream ? room32(d, RUN_LENGTH, runs, err) : NULL;
	if (!d->run_length)
		return false;
	d->cursor = d->stream + n;
	d->start[0] = 0;
	return read_streams(d, err) && (d->c->streams < 2 || read_runs(d, err));
}

/* As they are asked for: all of a block's would not stay in the cache. */
void
rp_rpz_times_next(struct rp_rpz_decoder *d, size_t n, uint64_t *time)
{
	struct rp_rpz_times t = d->times;
	for (size_t i = 0; i < n; i++) {
		uint8_t token = t.codes.token ? *t.codes.token++ : 0;
		uint64_t left = rp_unzigzag(rp_rpz_number_get(&t.codes, token & LENGTH_BITS));
		t.step = left + (token & STEPPED ? t.step : 0);
		time[i] = t.last += t.step;
	}
	d->times = t;
}

static bool
read_table(struct rp_rpz_decoder *d, unsigned id, uint32_t n, struct rp_err *err)
{
	struct rp_rpz_reading r;
	uint64_t last = 0;
	d->table = room64(d, TABLE, n, err);
	if (!d->table || !numbers(d, id, n, &r, err))
		return false;
	for (uint32_t k = 0; k < n; k++)
		d->table[k] = last += rp_unzigzag(rp_rpz_number_next(&r));
	return true;
}

/* A value of a dictionary, as its number + 1. `follows` is by number + 1 what came after it last time; 0: none. */
struct dictionary {
	struct rp_rpz_reading codes;
	uint32_t *follows, n, used, before;
};

/* 0: there is no such value. */
static inline uint32_t
next_value(struct dictionary *t)
{
	uint64_t code = rp_rpz_number_next(&t->codes);
	uint32_t k = 0;
	if (code == 0)
		k = t->follows[t->before];
	else if (code == NEW)
		k = t->used < t->n ? ++t->used : 0;
	else if (code - NUMBERED < t->used)
		k = (uint32_t)(code - NUMBERED) + 1;
	if (code == NEW)
		t->follows[k] = 0;
	t->follows[t->before] = k;
	t->before = k;
	return k;
}

/* Rows of the same instruction share a pc with the row before unless flags say that all are stored. */
static bool
row_has_pc(const struct rp_rpz_decoder *d, uint32_t i)
{
	uint8_t op = d->rows.token_op[d->column[RP_RPZ_TOKENS][i]];
	return d->flags & RP_RPZ_PC_ALWAYS || !(d->rows.op_flags[op] & RP_SAME_INSTR);
}

static bool
read_pcs(struct rp_rpz_decoder *d, struct rp_err *err)
{
	struct dictionary t = { .follows = d->follows, .n = d->pcs };
	size_t stored = 0, parts = d->c->streams ? d->c->streams : 1;
	for (uint32_t i = 0; i < d->c->n; i++)
		stored += row_has_pc(d, i);
	if (!read_table(d, RP_RPZ_PCS, d->pcs, err) ||
	    !numbers(d, RP_RPZ_PC_CODES, stored, &t.codes, err))
		return false;
	uint64_t last = 0;
	t.follows[0] = 0;
	for (size_t part = 0; part < parts; part++) {
		t.before = 0;
		for (uint32_t i = d->start[part]; i < d->start[part + 1]; i++) {
			if (row_has_pc(d, i)) {
				uint32_t k = next_value(&t);
				if (!k)
					return rp_rpz_damaged(err, "a pc that is not in its table");
				last = d->table[k - 1];
			}
			d->pc[i] = last;
		}
	}
	return t.used == t.n || rp_rpz_damaged(err, "pcs that no row uses");
}

static bool
read_masks(struct rp_rpz_decoder *d, struct rp_err *err)
{
	struct dictionary t = { .follows = d->follows, .n = d->masks };
	size_t parts = d->c->streams ? d->c->streams : 1;
	if (!read_table(d, RP_RPZ_MASKS, d->masks, err) ||
	    !numbers(d, RP_RPZ_MASK_CODES, d->c->n, &t.codes, err))
		return false;
	t.follows[0] = 0;
	for (size_t part = 0; part < parts; part++) {
		t.before = 0;
		for (uint32_t i = d->start[part]; i < d->start[part + 1]; i++) {
			uint32_t k = next_value(&t);
			if (!k || d->table[k - 1] > UINT32_MAX)
				return rp_rpz_damaged(err, "a mask that is not in its table");
			d->mask[i] = (uint32_t)d->table[k - 1];
		}
	}
	return t.used == t.n || rp_rpz_damaged(err, "masks that no row uses");
}

static bool
has_any(const struct rp_rpz_decoder *d, unsigned id, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (d->length[id + k])
			return true;
	return false;
}

bool
rp_rpz_unpack_side(struct rp_rpz_decoder *d, struct rp_err *err)
{
	bool time = d->columns & RP_COL_TIME, pc = d->columns & RP_COL_PC,
	     mask = d->columns & RP_COL_MASK;
	size_t n = d->c->n;
	if ((!time && has_any(d, RP_RPZ_TIMES, 4)) ||
	    (!pc && (d->pcs || has_any(d, RP_RPZ_PCS, 8))) ||
	    (!mask && (d->masks || has_any(d, RP_RPZ_MASKS, 8))))
		return rp_rpz_damaged(err, "a column that the file has not");
	d->times = (struct rp_rpz_times){ 0 };
	if (time && !rp_rpz_numbers_of(
			d, RP_RPZ_TIMES, n, LENGTH_BITS, TIME_TOKEN_MOST, &d->times.codes, err))
		return false;
	d->pc = pc ? room64(d, PC, n, err) : NULL;
	if (pc && (!d->pc || !read_pcs(d, err)))
		return false;
	d->mask = mask ? room32(d, MASK, n, err) : NULL;
	return !mask || (d->mask && read_masks(d, err));
}
