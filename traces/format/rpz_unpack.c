/* rpz_unpack.c - a block's payload taken apart into tables and columns. */
#include "config.h"

#include "traces/format/rpz_block.h"
#include "base/mem.h"

#include <inttypes.h>

enum { SKIP_IF_UNKNOWN = 1, REST_BYTES = 6, CODE_BYTES = 8 };

bool
rp_rpz_damaged(struct rp_err *err, const char *what)
{
	return rp_fail(err, RP_INPUT, "damaged: %s", what);
}

bool
rp_rpz_room(struct rp_rpz_room *r, size_t n, size_t size, struct rp_err *err)
{
	size_t need =
	    n * size + RP_RPZ_SLACK; /* n is at most 2^18 and a few bytes each: no overflow */
	if (need <= r->bytes)
		return true;
	free(r->at);
	r->bytes = 0;
	r->at = rp_mem_array(need, 1, err);
	if (r->at)
		r->bytes = need;
	return r->at != NULL;
}

static bool
header_is_sound(const struct rp_rpz_decoder *d, const struct rp_rpz_head *head, struct rp_err *err)
{
	const struct rp_rpz_chunk *c = d->c;
	bool streams = head->columns & RP_COL_STREAM, frame = c->coding == RP_RPZ_FRAME;
	if (c->n < 1 || c->n > head->limit)
		return rp_rpz_damaged(err, "a block with more rows than the file allows, or none");
	if (c->coding > RP_RPZ_FRAME || c->shift > 63 || c->key > RP_RPZ_PC_KEY ||
	    (frame && c->key) || (c->key == RP_RPZ_PC_KEY && !(head->columns & RP_COL_PC)))
		return rp_rpz_damaged(err, "a block with an unknown coding");
	if (c->ops < 1 || c->ops > RP_RPZ_OPS_MOST || c->tokens >= RP_RPZ_TOKENS_MOST ||
	    (frame && c->tokens))
		return rp_rpz_damaged(err, "a block with too many ops or tokens");
	if (c->streams > c->n || (c->streams > 0) != streams ||
	    (c->streams < 2 ? c->runs > 0 : c->runs < c->streams || c->runs > c->n))
		return rp_rpz_damaged(err, "a block whose number of streams or runs cannot be");
	return true;
}

/* Ids are used in groups of four, but for the planes; the last of a group may hold 6 bytes a row. */
static size_t
length_most(unsigned id, size_t n)
{
	bool planes = id >= RP_RPZ_PLANES && id < RP_RPZ_PLANES + 8;
	bool rest = id == RP_RPZ_REST || (id >= RP_RPZ_SIZES && !planes && id % 4 == 3);
	return rest ? REST_BYTES * n : n;
}

static bool
known_id(unsigned id)
{
	return (id >= RP_RPZ_TOKENS && id <= RP_RPZ_REST) ||
	       (id >= RP_RPZ_SIZES && id < RP_RPZ_MASK_CODES + 4);
}

/* One entry of the directory. */
struct entry {
	unsigned id, codec;
	size_t raw, stored;
	bool skip;
};

static struct entry
entry_at(const unsigned char *at)
{
	return (struct entry){ at[0], at[1], rp_get32(at + 4), rp_get32(at + 8), !known_id(at[0]) };
}

static bool
entry_is_sound(const struct rp_rpz_decoder *d, const unsigned char *at, const struct entry *e,
    struct rp_err *err)
{
	if (e->skip)
		return rp_get16(at + 2) & SKIP_IF_UNKNOWN ||
		       rp_rpz_damaged(err, "a column that this program does not know");
	if (e->codec > RP_RPZ_ZSTD || e->stored > e->raw ||
	    (e->codec == RP_RPZ_STORED && e->stored != e->raw) || e->raw < 1 ||
	    e->raw > length_most(e->id, d->c->n) || d->length[e->id])
		return rp_rpz_damaged(err, "the directory of a block's columns");
	return true;
}

static bool
unpack_column(struct rp_rpz_decoder *d, const struct entry *e, const unsigned char *from,
    uint8_t *to, struct rp_err *err)
{
	if (e->codec == RP_RPZ_STORED) {
		memcpy(to, from, e->raw);
	} else {
		size_t got = ZSTD_decompressDCtx(d->zstd, to, e->raw, from, e->stored);
		if (ZSTD_isError(got) || got != e->raw)
			return rp_rpz_damaged(err, "a column that zstd cannot decode");
	}
	d->column[e->id] = to;
	return true;
}

/* Where a column of the addresses goes: each has room for whatever tokens may ask of it. */
static uint8_t *
address_place(const struct rp_rpz_decoder *d, unsigned id)
{
	return (uint8_t *)d->address.at + (id - RP_RPZ_TOKENS) * ((size_t)d->c->n + RP_RPZ_SLACK);
}

static bool
room_for_columns(
    struct rp_rpz_decoder *d, const unsigned char *directory, size_t *stored, struct rp_err *err)
{
	size_t others = 0;
	memset(d->column, 0, sizeof d->column);
	memset(d->length, 0, sizeof d->length);
	*stored = 0;
	for (unsigned k = 0; k < d->c->columns; k++) {
		const unsigned char *at = directory + k * RP_RPZ_COLUMN;
		struct entry e = entry_at(at);
		if (!entry_is_sound(d, at, &e, err))
			return false;
		*stored += e.stored;
		if (e.skip)
			continue;
		d->length[e.id] = (uint32_t)e.raw;
		if (e.id > RP_RPZ_REST)
			others += e.raw + RP_RPZ_SLACK;
	}
	size_t n = d->c->n;
	return rp_rpz_room(&d->address, 9 * n + 4 * RP_RPZ_SLACK, 1, err) &&
	       rp_rpz_room(&d->others, others, 1, err);
}

static bool
unpack_all(struct rp_rpz_decoder *d, const unsigned char *directory, const unsigned char *from,
    struct rp_err *err)
{
	uint8_t *other = d->others.at;
	for (unsigned k = 0; k < d->c->columns; k++) {
		struct entry e = entry_at(directory + k * RP_RPZ_COLUMN);
		uint8_t *to = e.id <= RP_RPZ_REST ? address_place(d, e.id) : other;
		if (!e.skip && !unpack_column(d, &e, from, to, err))
			return false;
		if (!e.skip && e.id > RP_RPZ_REST)
			other += e.raw + RP_RPZ_SLACK;
		from += e.stored;
	}
	return true;
}

static bool
read_ops(struct rp_rpz_decoder *d, const unsigned char *at, struct rp_err *err)
{
	struct rp_rpz_rows_state *s = &d->rows;
	s->ops = d->c->ops;
	s->small_sizes = true;
	d->mark_ops = false;
	memset(s->op_size, 0, sizeof s->op_size);
	memset(s->op_kind, 0, sizeof s->op_kind);
	memset(s->op_flags, 0, sizeof s->op_flags);
	for (unsigned op = 0; op < s->ops; op++, at += RP_RPZ_OP) {
		s->op_size[op] = rp_get32(at);
		s->op_kind[op] = at[4];
		s->op_flags[op] = at[5];
		s->small_sizes &= s->op_size[op] < 256;
		d->mark_ops |= s->op_kind[op] >= RP_MARKS;
		if (at[5] && !(d->columns & RP_COL_FLAGS))
			return rp_rpz_damaged(err, "an op with flags in a file without");
	}
	return true;
}

/* Tokens of predicted addresses are numbered through the sets of codes; those of a frame are ops. */
static bool
read_tokens(struct rp_rpz_decoder *d, const unsigned char *set, struct rp_err *err)
{
	struct rp_rpz_rows_state *s = &d->rows;
	unsigned n = 0;
	memset(s->token_op, 0, sizeof s->token_op);
	memset(s->token_code, RP_RPZ_BAD, sizeof s->token_code);
	for (unsigned op = 0; op < s->ops; op++) {
		uint64_t codes =
		    d->c->coding == RP_RPZ_PREDICTED ? rp_get64(set + CODE_BYTES * op) : 1;
		if (!d->c->key && d->c->coding == RP_RPZ_PREDICTED && codes >> 8 * RP_RPZ_TABLE)
			return rp_rpz_damaged(err, "predictor 7 in a block without a key");
		for (; codes; codes &= codes - 1, n++) {
			if (n == RP_RPZ_TOKENS_MOST)
				return rp_rpz_damaged(err, "a block with more than 256 tokens");
			s->token_op[n] = (uint8_t)op;
			s->token_code[n] = (uint8_t)__builtin_ctzll(codes);
		}
	}
	s->tokens = n;
	rp_rpz_rows_tables(s);
	if (!n || (d->c->coding == RP_RPZ_PREDICTED && n != d->c->tokens + 1u))
		return rp_rpz_damaged(err, "a block's number of tokens");
	return true;
}

bool
rp_rpz_unpack_columns(struct rp_rpz_decoder *d, const unsigned char *payload, struct rp_err *err)
{
	const struct rp_rpz_chunk *c = d->c;
	size_t directory = (size_t)c->columns * RP_RPZ_COLUMN, stored;
	size_t sets = c->coding == RP_RPZ_PREDICTED ? (size_t)c->ops * CODE_BYTES : 0;
	size_t fixed = RP_RPZ_PREFIX + directory + (size_t)c->ops * RP_RPZ_OP + sets;
	if (fixed > c->stored)
		return rp_rpz_damaged(err, "a block shorter than its tables");
	d->marks = rp_get32(payload);
	d->pcs = rp_get32(payload + 4);
	d->masks = rp_get32(payload + 8);
	d->flags = rp_get32(payload + 12);
	payload += RP_RPZ_PREFIX;
	if (d->marks > c->n || d->pcs > c->n || d->masks > c->n ||
	    d->flags & ~(uint32_t)RP_RPZ_PC_ALWAYS)
		return rp_rpz_damaged(err, "a block with more marks, pcs or masks than rows");
	if (!room_for_columns(d, payload, &stored, err))
		return false;
	if (fixed + stored != c->stored)
		return rp_rpz_damaged(err, "lengths of columns that do not add up");
	const unsigned char *ops = payload + directory, *set = ops + c->ops * RP_RPZ_OP;
	return read_ops(d, ops, err) && read_tokens(d, set, err) &&
	       unpack_all(d, payload, set + sets, err);
}

bool
rp_rpz_numbers_of(const struct rp_rpz_decoder *d, unsigned id, size_t n, uint8_t mask, uint8_t most,
    struct rp_rpz_reading *out, struct rp_err *err)
{
	*out = (struct rp_rpz_reading){ d->column[id], d->column[id + 1], d->column[id + 2],
		d->column[id + 3] };
	if ((out->token && d->length[id] != n) ||
	    !rp_rpz_numbers_fit(
		out->token, n, mask, most, d->length[id + 1], d->length[id + 2], d->length[id + 3]))
		return rp_rpz_damaged(err, "a column of numbers");
	return true;
}

/* Tokens are there for every row; residual bytes at most as many as rows; or the planes. */
static bool
address_columns_fit(const struct rp_rpz_decoder *d, struct rp_err *err)
{
	const uint32_t *length = d->length;
	bool frame = d->c->coding == RP_RPZ_FRAME, planes = length[RP_RPZ_PLANES] > 0;
	if (length[RP_RPZ_TOKENS] != d->c->n)
		return rp_rpz_damaged(err, "a block's number of tokens");
	if (length[RP_RPZ_SECOND] > length[RP_RPZ_FIRST] ||
	    length[RP_RPZ_REST] > REST_BYTES * length[RP_RPZ_SECOND])
		return rp_rpz_damaged(err, "residual bytes");
	if (frame ? length[RP_RPZ_FIRST] > 0 : planes)
		return rp_rpz_damaged(err, "columns of another coding");
	for (unsigned k = 0; k < 8; k++) {
		bool before = !k || length[RP_RPZ_PLANES + k - 1], here = length[RP_RPZ_PLANES + k];
		if (here && (!before || length[RP_RPZ_PLANES + k] != d->c->n || !frame))
			return rp_rpz_damaged(err, "byte planes");
	}
	return true;
}

static void
set_cursors(struct rp_rpz_decoder *d)
{
	struct rp_rpz_rows_state *s = &d->rows;
	s->shift = d->c->shift;
	s->key = d->c->key;
	s->token = d->column[RP_RPZ_TOKENS];
	s->first = address_place(d, RP_RPZ_FIRST);
	s->second = address_place(d, RP_RPZ_SECOND);
	s->rest = address_place(d, RP_RPZ_REST);
	rp_rpz_rows_begin(s, d->c->base);
	d->row = d->seen_marks = 0;
}

bool
rp_rpz_unpack(struct rp_rpz_decoder *d, const struct rp_rpz_head *head,
    const struct rp_rpz_chunk *c, const unsigned char *payload, bool check, struct rp_err *err)
{
	d->c = c;
	d->columns = head->columns;
	if (check && !rp_rpz_payload_sound(c, payload))
		return rp_rpz_damaged(err, "its hash is wrong");
	if (!header_is_sound(d, head, err) || !rp_rpz_unpack_columns(d, payload, err) ||
	    !address_columns_fit(d, err))
		return false;
	d->sizes_left = d->length[RP_RPZ_SIZES];
	if (!rp_rpz_numbers_of(d, RP_RPZ_SIZES, d->sizes_left, UINT8_MAX, 4, &d->size, err) ||
	    !rp_rpz_unpack_streams(d, err) || !rp_rpz_unpack_side(d, err))
		return false;
	set_cursors(d);
	return true;
}
