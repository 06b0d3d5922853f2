/* rpz_encode.c - makes one block of an .rpz file from rows.
 *
 * Rows are first sorted stably by stream, since streams mixed access by access hide what each of them repeats; runs of
 * streams keep the order. Then ops, then the columns one by one, each compressed as soon as it is made. */
#include "config.h"

#include "traces/format/rpz_encode.h"
#include "base/hash.h"
#include "base/mem.h"
#include "traces/format/rpz_address.h"
#include "traces/format/rpz_map.h"
#include "traces/format/rpz_pack.h"

enum {
	EXPLICIT = 0
}; /* a size that no access has: of an op whose sizes are in a column of their own */

struct rp_rpz_encoder {
	size_t rows;
	unsigned columns;
	bool table;
	struct rp_rpz_pack pack;
	struct rp_rpz_map map;
	struct rp_rpz_address address;
	struct rp_rpz_numbers numbers;
	struct rp_batch *sorted;        /* NULL without streams */
	uint8_t *before, *class;        /* class: RP_RPZ_SLACK zeroes behind `before` */
	uint32_t *count, *next, *which; /* by number of a value, or by row */
	uint32_t *order, *spare;        /* rows by stream */
	uint32_t *stream, *start; /* distinct ones, ascending; first row of each, and the end */
	size_t streams, runs;
	uint32_t marks, pcs, masks, flags;
	size_t ops;
	struct {
		uint32_t size;
		uint8_t kind, flags;
	} op[RP_RPZ_OPS_MOST];
};

static bool
room_for_numbers(struct rp_rpz_numbers *c, size_t rows, struct rp_err *err)
{
	c->token = rp_mem_array(rows, 1, err);
	c->first = c->token ? rp_mem_array(rows, 1, err) : NULL;
	c->second = c->first ? rp_mem_array(rows, 1, err) : NULL;
	c->rest = c->second ? rp_mem_array(rows, 6, err) : NULL;
	return c->rest != NULL;
}

static bool
room_for_rows(struct rp_rpz_encoder *e, size_t rows, struct rp_err *err)
{
	uint32_t **array[] = { &e->count, &e->next, &e->which, &e->order, &e->spare, &e->stream,
		&e->start };
	for (size_t i = 0; i < sizeof array / sizeof *array; i++)
		if (!(*array[i] = rp_mem_array(rows + 1, sizeof **array[i], err)))
			return false;
	e->before = rp_mem_array(rows + 2 * RP_RPZ_SLACK, 1, err);
	if (!e->before)
		return false;
	e->class = e->before + RP_RPZ_SLACK;
	if (e->columns & RP_COL_STREAM)
		e->sorted = rp_batch_new(rows, e->columns, err);
	return e->sorted || !(e->columns & RP_COL_STREAM);
}

struct rp_rpz_encoder *
rp_rpz_encoder_new(uint32_t rows, unsigned columns, int level, bool table, struct rp_err *err)
{
	struct rp_rpz_encoder *e = rp_mem_array(1, sizeof *e, err);
	if (!e)
		return NULL;
	e->rows = rows;
	e->columns = columns;
	e->table = table;
	if (rp_rpz_pack_new(&e->pack, level, err) && rp_rpz_map_new(&e->map, rows, err) &&
	    rp_rpz_address_new(&e->address, rows, err) &&
	    room_for_numbers(&e->numbers, rows, err) && room_for_rows(e, rows, err))
		return e;
	rp_rpz_encoder_free(e);
	return NULL;
}

void
rp_rpz_encoder_free(struct rp_rpz_encoder *e)
{
	if (!e)
		return;
	rp_rpz_pack_free(&e->pack);
	rp_rpz_map_free(&e->map);
	rp_rpz_address_free(&e->address);
	free(e->numbers.token);
	free(e->numbers.first);
	free(e->numbers.second);
	free(e->numbers.rest);
	rp_batch_free(e->sorted);
	free(e->before);
	free(e->count);
	free(e->next);
	free(e->which);
	free(e->order);
	free(e->spare);
	free(e->stream);
	free(e->start);
	free(e);
}

/* e->order: rows by stream, stably, by one counting pass for each byte in which streams differ. */
static void
sort_rows(struct rp_rpz_encoder *e, const uint32_t *stream, size_t n, uint32_t differ)
{
	for (size_t i = 0; i < n; i++)
		e->order[i] = (uint32_t)i;
	for (unsigned bit = 0; bit < 32; bit += 8) {
		size_t at[257] = { 0 };
		if (!(differ >> bit & 255))
			continue;
		for (size_t i = 0; i < n; i++)
			at[(stream[i] >> bit & 255) + 1]++;
		for (unsigned k = 1; k < 257; k++)
			at[k] += at[k - 1];
		for (size_t i = 0; i < n; i++)
			e->spare[at[stream[e->order[i]] >> bit & 255]++] = e->order[i];
		uint32_t *swap = e->order;
		e->order = e->spare;
		e->spare = swap;
	}
}

static void
permute(struct rp_rpz_encoder *e, const struct rp_batch *b)
{
	struct rp_batch *s = e->sorted;
	rp_batch_clear(s);
	for (size_t i = 0; i < b->n; i++) {
		struct rp_access a = rp_batch_get(b, e->order[i]);
		rp_batch_put(s, &a);
	}
}

/* The distinct streams of sorted rows and where each starts. */
static void
list_streams(struct rp_rpz_encoder *e, const struct rp_batch *b)
{
	e->streams = 0;
	for (size_t i = 0; i < b->n; i++)
		if (!i || b->stream[i] != b->stream[i - 1]) {
			e->stream[e->streams] = b->stream[i];
			e->start[e->streams++] = (uint32_t)i;
		}
	e->start[e->streams] = (uint32_t)b->n;
}

/* The rows in the order of the block: b itself when it is of one stream. */
static const struct rp_batch *
by_stream(struct rp_rpz_encoder *e, const struct rp_batch *b)
{
	uint32_t differ = 0;
	e->streams = e->runs = 0;
	e->start[0] = 0;
	e->start[1] = (uint32_t)b->n;
	if (!b->stream)
		return b;
	for (size_t i = 1; i < b->n; i++)
		differ |= b->stream[i] ^ b->stream[0];
	if (differ) {
		sort_rows(e, b->stream, b->n, differ);
		permute(e, b);
		b = e->sorted;
	}
	list_streams(e, b);
	return b;
}

static uint32_t
stream_number(const struct rp_rpz_encoder *e, uint32_t stream)
{
	size_t low = 0, high = e->streams;
	while (high - low > 1) {
		size_t mid = (low + high) / 2;
		if (e->stream[mid] <= stream)
			low = mid;
		else
			high = mid;
	}
	return (uint32_t)low;
}

static bool
put_streams(struct rp_rpz_encoder *e, struct rp_err *err)
{
	uint32_t last = 0;
	for (size_t k = 0; k < e->streams; k++) {
		rp_rpz_number_add(&e->numbers, e->stream[k] - last);
		last = e->stream[k];
	}
	if (!rp_rpz_pack_numbers(&e->pack, RP_RPZ_STREAMS, &e->numbers, err))
		return false;
	if (e->streams < 2)
		return true;
	for (size_t k = 0; k < e->streams; k++)
		rp_rpz_number_add(&e->numbers, e->start[k + 1] - e->start[k] - 1);
	return rp_rpz_pack_numbers(&e->pack, RP_RPZ_COUNTS, &e->numbers, err);
}

/* Runs of the original order. A run's stream is foretold to be the one that came after the last run of the stream
 * before it, at first the next one. */
static bool
put_runs(struct rp_rpz_encoder *e, const struct rp_batch *b, struct rp_err *err)
{
	uint32_t before = 0;
	if (e->streams < 2)
		return true;
	for (size_t k = 0; k < e->streams; k++)
		e->next[k] = (uint32_t)((k + 1) % e->streams);
	for (size_t i = 0, end; i < b->n; i = end) {
		for (end = i + 1; end < b->n && b->stream[end] == b->stream[i];)
			end++;
		uint32_t k = stream_number(e, b->stream[i]);
		rp_rpz_number_add(&e->numbers, rp_zigzag((uint64_t)k - e->next[before]));
		e->next[before] = k;
		before = k;
		e->which[e->runs++] = (uint32_t)(end - i);
	}
	if (!rp_rpz_pack_numbers(&e->pack, RP_RPZ_RUN_STREAMS, &e->numbers, err))
		return false;
	for (size_t r = 0; r < e->runs; r++)
		rp_rpz_number_add(&e->numbers, e->which[r] - 1);
	return rp_rpz_pack_numbers(&e->pack, RP_RPZ_RUN_LENGTHS, &e->numbers, err);
}

static uint64_t
op_key(const struct rp_batch *b, size_t i, bool sized)
{
	return (sized ? (uint64_t)b->size[i] << 16 : 0) | (uint64_t)b->kind[i] << 8 |
	       (b->flags ? b->flags[i] : 0);
}

static uint8_t
op_add(struct rp_rpz_encoder *e, uint64_t key)
{
	e->op[e->ops].size = (uint32_t)(key >> 16);
	e->op[e->ops].kind = (uint8_t)(key >> 8);
	e->op[e->ops].flags = (uint8_t)key;
	return (uint8_t)e->ops++;
}

/* Too many sizes: the ops that are used most keep theirs in the table, the others get one with an explicit size for each
 * kind and flags. On entry e->which tells the key of each row, on return its op. */
static void
ops_by_use(struct rp_rpz_encoder *e, const struct rp_batch *b, size_t pairs)
{
	for (uint32_t k = 0; k < e->map.n; k++)
		e->next[k] = RP_RPZ_OPS_MOST;
	for (size_t n = RP_RPZ_OPS_MOST - pairs; n; n--) {
		uint32_t best = 0;
		for (uint32_t k = 1; k < e->map.n; k++)
			if (e->count[k] > e->count[best])
				best = k;
		e->next[best] = op_add(e, e->map.value[best]);
		e->count[best] = 0;
	}
	for (size_t i = 0; i < b->n; i++)
		e->which[i] = e->next[e->which[i]];
	rp_rpz_map_clear(&e->map);
	for (size_t i = 0; i < b->n; i++) {
		if (e->which[i] < RP_RPZ_OPS_MOST)
			continue;
		uint64_t key = op_key(b, i, false);
		uint32_t before = e->map.n, k = rp_rpz_map_of(&e->map, key);
		if (k == before)
			e->count[k] = op_add(e, key);
		e->which[i] = e->count[k];
	}
}

/* Numbers the distinct ops, counts them, and notes which each row is. */
static void
count_ops(struct rp_rpz_encoder *e, const struct rp_batch *b)
{
	uint64_t last = UINT64_MAX;
	uint32_t k = 0;
	rp_rpz_map_clear(&e->map);
	for (size_t i = 0; i < b->n; i++) {
		uint64_t key = op_key(b, i, true);
		if (key != last) {
			uint32_t before = e->map.n;
			k = rp_rpz_map_of(&e->map, last = key);
			if (k == before)
				e->count[k] = 0;
		}
		e->count[k]++;
		e->which[i] = k;
	}
}

/* Distinct pairs of kind and flags. */
static size_t
count_pairs(const struct rp_rpz_map *ops)
{
	bool seen[1 << 16] = { false };
	size_t pairs = 0;
	for (uint32_t k = 0; k < ops->n; k++) {
		size_t pair = ops->value[k] & 0xffff;
		pairs += !seen[pair];
		seen[pair] = true;
	}
	return pairs;
}

/* Fills the op table and the class of every row. */
static void
find_ops(struct rp_rpz_encoder *e, const struct rp_batch *b)
{
	e->ops = 0;
	count_ops(e, b);
	if (e->map.n > RP_RPZ_OPS_MOST)
		ops_by_use(e, b, count_pairs(&e->map));
	else
		for (uint32_t k = 0; k < e->map.n; k++)
			op_add(e, e->map.value[k]);
	for (size_t i = 0; i < b->n; i++)
		e->class[i] = (uint8_t)(e->which[i] + 1);
}

static bool
put_sizes(struct rp_rpz_encoder *e, const struct rp_batch *b, struct rp_err *err)
{
	for (size_t i = 0; i < b->n; i++)
		if (e->op[e->class[i] - 1].size == EXPLICIT)
			rp_rpz_number_add(&e->numbers, b->size[i]);
	return rp_rpz_pack_numbers(&e->pack, RP_RPZ_SIZES, &e->numbers, err);
}

/* Times: what is left after the better of two guesses, the time before, or that and the step before. */
static bool
put_times(struct rp_rpz_encoder *e, const struct rp_batch *b, struct rp_err *err)
{
	uint64_t last = 0, step = 0;
	for (size_t i = 0; b->time && i < b->n; i++) {
		uint64_t same = rp_zigzag(b->time[i] - last),
			 on = rp_zigzag(b->time[i] - last - step);
		unsigned length = rp_rpz_length(same), stepped = rp_rpz_length(on);
		if (stepped < length)
			rp_rpz_number_put(&e->numbers, (uint8_t)(16 | stepped), stepped, on);
		else
			rp_rpz_number_put(&e->numbers, (uint8_t)length, length, same);
		step = b->time[i] - last;
		last = b->time[i];
	}
	return rp_rpz_pack_numbers(&e->pack, RP_RPZ_TIMES, &e->numbers, err);
}

/* Values that repeat: a table of the distinct ones as they appear, and a code a value: 0 when it is what came last time
 * after the value before, 1 when it is the next new one, else its number + 2. Before a stream's first value stands
 * "none". value(b, i, out) is false for rows that are left out. */
static bool
put_dictionary(struct rp_rpz_encoder *e, const struct rp_batch *b, unsigned table_id,
    unsigned code_id,
    bool (*value)(
	const struct rp_rpz_encoder *e, const struct rp_batch *b, size_t i, uint64_t *out),
    struct rp_err *err)
{
	size_t parts = e->streams ? e->streams : 1;
	rp_rpz_map_clear(&e->map);
	e->next[0] = 0; /* by number + 1, as is what it holds; 0: none */
	for (size_t part = 0; part < parts; part++) {
		uint32_t before = 0;
		for (size_t i = e->start[part]; i < e->start[part + 1]; i++) {
			uint64_t x;
			if (!value(e, b, i, &x))
				continue;
			uint32_t old = e->map.n, k = rp_rpz_map_of(&e->map, x) + 1;
			uint32_t code = k > old ? 1 : e->next[before] == k ? 0 : k + 1;
			rp_rpz_number_add(&e->numbers, code);
			if (k > old)
				e->next[k] = 0;
			e->next[before] = k;
			before = k;
		}
	}
	if (!rp_rpz_pack_numbers(&e->pack, code_id, &e->numbers, err))
		return false;
	uint64_t last = 0;
	for (uint32_t k = 0; k < e->map.n; k++) {
		rp_rpz_number_add(&e->numbers, rp_zigzag(e->map.value[k] - last));
		last = e->map.value[k];
	}
	return rp_rpz_pack_numbers(&e->pack, table_id, &e->numbers, err);
}

static bool
same_instruction(const struct rp_batch *b, size_t i)
{
	return b->flags && b->flags[i] & RP_SAME_INSTR;
}

static bool
pc_value(const struct rp_rpz_encoder *e, const struct rp_batch *b, size_t i, uint64_t *out)
{
	*out = b->pc[i];
	return e->flags & RP_RPZ_PC_ALWAYS || !same_instruction(b, i);
}

static bool
mask_value(const struct rp_rpz_encoder *e, const struct rp_batch *b, size_t i, uint64_t *out)
{
	(void)e;
	*out = b->mask[i];
	return true;
}

/* A row of the same instruction as the one before need not repeat its pc, unless a trace contradicts itself. */
static uint32_t
pc_flags(const struct rp_batch *b)
{
	uint64_t last = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (same_instruction(b, i) && b->pc[i] != last)
			return RP_RPZ_PC_ALWAYS;
		last = b->pc[i];
	}
	return 0;
}

static bool
put_repeating(struct rp_rpz_encoder *e, const struct rp_batch *b, struct rp_err *err)
{
	e->pcs = e->masks = e->flags = 0;
	if (b->pc) {
		e->flags = pc_flags(b);
		if (!put_dictionary(e, b, RP_RPZ_PCS, RP_RPZ_PC_CODES, pc_value, err))
			return false;
		e->pcs = e->map.n;
	}
	if (b->mask) {
		if (!put_dictionary(e, b, RP_RPZ_MASKS, RP_RPZ_MASK_CODES, mask_value, err))
			return false;
		e->masks = e->map.n;
	}
	return true;
}

static bool
put_predicted(struct rp_rpz_encoder *e, const struct rp_rpz_rows *rows, struct rp_rpz_chunk *c,
    size_t *bytes, struct rp_err *err)
{
	struct rp_rpz_numbers *to = &e->numbers;
	rp_rpz_address_predict(&e->address, rows, e->table, to);
	c->coding = RP_RPZ_PREDICTED;
	c->base = e->address.base;
	c->shift = e->address.shift;
	c->key = e->address.key;
	c->tokens = (uint16_t)(e->address.tokens - 1);
	*bytes = to->n_first + to->n_second + to->n_rest;
	to->some = true; /* these tokens are always there */
	return rp_rpz_pack_numbers(&e->pack, RP_RPZ_TOKENS, to, err);
}

static bool
put_frame(struct rp_rpz_encoder *e, const struct rp_rpz_rows *rows, struct rp_rpz_chunk *c,
    struct rp_err *err)
{
	uint8_t *plane = e->numbers.token;
	unsigned planes = rp_rpz_address_frame(rows, &c->base, &c->shift);
	c->coding = RP_RPZ_FRAME;
	c->key = RP_RPZ_NO_KEY;
	c->tokens = 0;
	for (size_t i = 0; i < rows->n; i++)
		plane[i] = (uint8_t)(rows->class[i] - 1);
	if (!rp_rpz_pack_add(&e->pack, RP_RPZ_TOKENS, plane, rows->n, err))
		return false;
	for (unsigned k = 0; k < planes; k++) {
		for (size_t i = 0; i < rows->n; i++)
			plane[i] = (uint8_t)((rows->addr[i] - c->base) >> c->shift >> 8 * k);
		if (!rp_rpz_pack_add(&e->pack, RP_RPZ_PLANES + k, plane, rows->n, err))
			return false;
	}
	return true;
}

/* Frame of reference is read several times faster, so where predictions are poor (more than 1.5 bytes a row are left of
 * an address) it is taken unless it costs 3 % more. */
static bool
put_addresses(
    struct rp_rpz_encoder *e, const struct rp_batch *b, struct rp_rpz_chunk *c, struct rp_err *err)
{
	const struct rp_rpz_rows rows = { b->n, e->ops, b->addr, b->pc, e->class, b->flags };
	struct rp_rpz_pack *p = &e->pack;
	struct rp_rpz_chunk frame = *c;
	size_t bytes;
	struct rp_rpz_mark before = rp_rpz_pack_mark(p);
	if (!put_predicted(e, &rows, c, &bytes, err))
		return false;
	if (bytes <= rows.n + rows.n / 2)
		return true;
	struct rp_rpz_mark between = rp_rpz_pack_mark(p);
	if (!put_frame(e, &rows, &frame, err))
		return false;
	struct rp_rpz_mark after = rp_rpz_pack_mark(p);
	size_t predicted = between.bytes - before.bytes, framed = after.bytes - between.bytes;
	if (predicted < framed - framed * 3 / 100) {
		rp_rpz_pack_drop(p, between, after);
	} else {
		rp_rpz_pack_drop(p, before, between);
		*c = frame;
	}
	return true;
}

/* The op table and, for predicted addresses, the set of codes of each op. */
static size_t
put_tables(struct rp_rpz_encoder *e, const struct rp_rpz_chunk *c, unsigned char *to)
{
	unsigned char *at = to;
	for (size_t op = 0; op < e->ops; op++, at += RP_RPZ_OP) {
		rp_put32(at, e->op[op].size);
		at[4] = e->op[op].kind;
		at[5] = e->op[op].flags;
	}
	for (size_t op = 0; c->coding == RP_RPZ_PREDICTED && op < e->ops; op++, at += 8)
		rp_put64(at, e->address.set[op]);
	return (size_t)(at - to);
}

/* Header, prefix, directory, tables and columns, one behind the other. */
static bool
put_chunk(struct rp_rpz_encoder *e, struct rp_rpz_chunk *c, struct rp_buf *out, struct rp_err *err)
{
	unsigned char prefix[RP_RPZ_PREFIX], tables[RP_RPZ_OPS_MOST * (RP_RPZ_OP + 8)];
	size_t n_tables = put_tables(e, c, tables), at = out->n;
	size_t directory = e->pack.n * RP_RPZ_COLUMN;
	size_t stored = sizeof prefix + directory + n_tables + e->pack.body.n;
	unsigned char head[RP_RPZ_CHUNK] = { 0 };
	rp_put32(prefix, e->marks);
	rp_put32(prefix + 4, e->pcs);
	rp_put32(prefix + 8, e->masks);
	rp_put32(prefix + 12, e->flags);
	if (!rp_buf_add(out, head, sizeof head, err) ||
	    !rp_buf_add(out, prefix, sizeof prefix, err) ||
	    !rp_buf_add(out, e->pack.entry, directory, err) ||
	    !rp_buf_add(out, tables, n_tables, err) ||
	    !rp_buf_add(out, e->pack.body.bytes, e->pack.body.n, err))
		return false;
	c->stored = (uint32_t)stored;
	c->payload_hash = rp_hash_bytes(out->bytes + at + RP_RPZ_CHUNK, stored);
	rp_rpz_put_chunk(out->bytes + at, c);
	const unsigned char zero[8] = { 0 };
	return rp_buf_add(out, zero, (size_t)(rp_rpz_pad(stored) - stored), err);
}

void
rp_rpz_summarise(const struct rp_batch *b, uint64_t position, const uint32_t *stream,
    size_t streams, struct rp_rpz_summary *s)
{
	s->position = position;
	s->n = (uint32_t)b->n;
	s->marks = 0;
	for (size_t i = 0; i < b->n; i++)
		s->marks += b->kind[i] >= RP_MARKS;
	s->low = streams ? stream[0] : 0;
	s->high = streams ? stream[streams - 1] : 0;
	s->first_time = b->time ? UINT64_MAX : 0;
	s->last_time = 0;
	for (size_t i = 0; b->time && i < b->n; i++) {
		s->first_time = b->time[i] < s->first_time ? b->time[i] : s->first_time;
		s->last_time = b->time[i] > s->last_time ? b->time[i] : s->last_time;
	}
}

bool
rp_rpz_encode(struct rp_rpz_encoder *e, const struct rp_batch *b, uint64_t position,
    struct rp_buf *out, struct rp_rpz_summary *s, struct rp_err *err)
{
	struct rp_rpz_chunk c = {
		.magic = RP_RPZ_BLOCK, .n = (uint32_t)b->n, .position = position
	};
	rp_rpz_pack_clear(&e->pack);
	rp_rpz_numbers_clear(&e->numbers);
	const struct rp_batch *rows = by_stream(e, b);
	find_ops(e, rows);
	if (!put_streams(e, err) || !put_runs(e, b, err) || !put_sizes(e, rows, err) ||
	    !put_times(e, rows, err) || !put_repeating(e, rows, err) ||
	    !put_addresses(e, rows, &c, err))
		return false;
	rp_rpz_summarise(b, position, e->stream, e->streams, s);
	e->marks = s->marks;
	c.ops = (uint16_t)e->ops;
	c.streams = (uint32_t)e->streams;
	c.runs = (uint32_t)e->runs;
	c.columns = (uint8_t)e->pack.n;
	c.addr_hash = (uint32_t)rp_hash_bytes(rows->addr, rows->n * sizeof *rows->addr);
	return put_chunk(e, &c, out, err);
}

const uint32_t *
rp_rpz_encoder_streams(const struct rp_rpz_encoder *e, size_t *n)
{
	*n = e->streams;
	return e->stream;
}
