/* rpz_address.c - the address column of a block, on its way out: which predictor and how many bytes, row by row.
 *
 * Addresses are taken from the first and divided by the power of two they share: y. Every choice depends on nothing but
 * the y before, so choosing again with fewer codes to choose from replays exactly. */
#include "config.h"

#include "traces/format/rpz_address.h"
#include "base/mem.h"
#include "traces/batch.h"

enum { CODE_ANY = RP_RPZ_BACK /* length code 7 */, LENGTH_MASK = 7 };

bool
rp_rpz_address_new(struct rp_rpz_address *a, size_t rows, struct rp_err *err)
{
	a->code = rp_mem_array(rows, sizeof *a->code, err);
	a->residual = a->code ? rp_mem_array(rows, sizeof *a->residual, err) : NULL;
	a->y = a->residual ? rp_mem_array(rows + RP_RPZ_BACK, sizeof *a->y, err) : NULL;
	a->table = a->y ? rp_mem_array(RP_RPZ_SLOTS, sizeof *a->table, err) : NULL;
	a->slot = a->table ? rp_mem_array(rows, sizeof *a->slot, err) : NULL;
	return a->slot != NULL;
}

void
rp_rpz_address_free(struct rp_rpz_address *a)
{
	free(a->code);
	free(a->residual);
	free(a->y);
	free(a->table);
	free(a->slot);
}

static unsigned
length_code(uint64_t residual)
{
	unsigned length = rp_rpz_length(residual);
	return length < 7 ? length : 7;
}

static unsigned
length_of(unsigned code)
{
	return (code & LENGTH_MASK) < 7 ? code & LENGTH_MASK : 8;
}

/* The number of zero bits at the end of all x at once; 0 when all are 0. */
static uint8_t
common_zeros(uint64_t all)
{
	return all ? (uint8_t)__builtin_ctzll(all) : 0;
}

static void
normalise(struct rp_rpz_address *a, const struct rp_rpz_rows *rows)
{
	uint64_t all = 0;
	a->base = rows->addr[0];
	for (size_t i = 0; i < rows->n; i++)
		all |= rows->addr[i] - a->base;
	a->shift = common_zeros(all);
	for (size_t i = 0; i < rows->n; i++)
		a->y[RP_RPZ_BACK + i] = (rows->addr[i] - a->base) >> a->shift;
}

static void
find_slots(struct rp_rpz_address *a, const struct rp_rpz_rows *rows)
{
	if (a->key == RP_RPZ_OP_KEY)
		for (size_t i = 0; i < rows->n; i++)
			a->slot[i] = (uint16_t)rp_rpz_op_slot(rows->class + i);
	else if (a->key == RP_RPZ_PC_KEY)
		for (size_t i = 0; i < rows->n; i++)
			a->slot[i] = (uint16_t)rp_rpz_pc_slot(
			    rows->pc[i], rows->flags && rows->flags[i] & RP_SAME_INSTR);
}

/* Residual of y[0] under predictor p. */
static uint64_t
residual(const uint64_t *y, unsigned p, uint64_t table)
{
	return rp_zigzag(*y - (p < RP_RPZ_BACK ? y[-1 - (int)p] : table));
}

/* The best code of all, and its residual. */
static unsigned
choose_any(const uint64_t *y, bool keyed, uint64_t table, uint64_t *least)
{
	unsigned best = 8, code = 0;
	unsigned predictors = keyed ? RP_RPZ_TABLE + 1 : RP_RPZ_BACK;
	for (unsigned p = 0; p < predictors; p++) {
		uint64_t r = residual(y, p, table);
		unsigned length = length_code(r);
		if (length >= best)
			continue;
		best = length;
		code = p << 3 | length;
		*least = r;
		if (!length)
			break;
	}
	return code;
}

/* The shortest code of `set` that has room for its residual. Predictor 0 with 8 bytes is in every set. */
static unsigned
choose_of(uint64_t set, const uint64_t *y, uint64_t table, uint64_t *least)
{
	unsigned code = CODE_ANY;
	*least = residual(y, 0, table);
	for (uint64_t left = set; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctzll(left);
		uint64_t r = residual(y, c >> 3, table);
		if (length_code(r) <= (c & LENGTH_MASK) &&
		    (c & LENGTH_MASK) < (code & LENGTH_MASK)) {
			code = c;
			*least = r;
		}
	}
	return code;
}

/* Chooses for all rows; with `kept`, rows whose code it lacks take another. Returns bytes of residuals. */
static size_t
choose(struct rp_rpz_address *a, const struct rp_rpz_rows *rows, const uint64_t *kept)
{
	bool keyed = a->key != RP_RPZ_NO_KEY;
	size_t bytes = 0;
	if (keyed)
		memset(a->table, 0, RP_RPZ_SLOTS * sizeof *a->table);
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t *y = a->y + RP_RPZ_BACK + i;
		uint64_t table = keyed ? a->table[a->slot[i]] : 0;
		uint64_t set = kept ? kept[rows->class[i] - 1] : 0;
		if (!kept)
			a->code[i] = (uint8_t)choose_any(y, keyed, table, &a->residual[i]);
		else if (!(set >> a->code[i] & 1))
			a->code[i] = (uint8_t)choose_of(set, y, table, &a->residual[i]);
		bytes += length_of(a->code[i]);
		if (keyed)
			a->table[a->slot[i]] = *y;
	}
	return bytes;
}

static void
count_codes(struct rp_rpz_address *a, const struct rp_rpz_rows *rows)
{
	memset(a->count, 0, sizeof a->count);
	memset(a->set, 0, sizeof a->set);
	for (size_t i = 0; i < rows->n; i++) {
		unsigned op = rows->class[i] - 1u;
		a->count[op * RP_RPZ_CODES + a->code[i]]++;
		a->set[op] |= UINT64_C(1) << a->code[i];
	}
	a->tokens = 0;
	for (size_t op = 0; op < rows->ops; op++)
		a->tokens += (unsigned)__builtin_popcountll(a->set[op]);
}

/* Keeps predictor 0 with 8 bytes for each op and, up to 256 tokens, the codes that are used most. */
static void
keep_most(struct rp_rpz_address *a, const struct rp_rpz_rows *rows)
{
	uint64_t kept[RP_RPZ_OPS_MOST] = { 0 };
	for (size_t op = 0; op < rows->ops; op++)
		kept[op] = UINT64_C(1) << CODE_ANY;
	for (size_t n = rows->ops; n < RP_RPZ_TOKENS_MOST;) {
		size_t best = 0;
		uint32_t most = 0;
		for (size_t k = 0; k < rows->ops * RP_RPZ_CODES; k++)
			if (a->count[k] > most &&
			    !(kept[k / RP_RPZ_CODES] >> k % RP_RPZ_CODES & 1)) {
				most = a->count[k];
				best = k;
			}
		if (!most)
			break;
		kept[best / RP_RPZ_CODES] |= UINT64_C(1) << best % RP_RPZ_CODES;
		n++;
	}
	choose(a, rows, kept);
	count_codes(a, rows);
}

/* The key, of those possible, with the fewest bytes. Leaves the codes of that choice. */
static void
choose_key(struct rp_rpz_address *a, const struct rp_rpz_rows *rows, bool table)
{
	a->key = table ? RP_RPZ_OP_KEY : RP_RPZ_NO_KEY;
	find_slots(a, rows);
	size_t bytes = choose(a, rows, NULL);
	if (!table || !rows->pc)
		return;
	a->key = RP_RPZ_PC_KEY;
	find_slots(a, rows);
	if (choose(a, rows, NULL) < bytes)
		return;
	a->key = RP_RPZ_OP_KEY;
	find_slots(a, rows);
	choose(a, rows, NULL);
}

static bool
uses_table(const struct rp_rpz_address *a, size_t ops)
{
	uint64_t all = 0;
	for (size_t op = 0; op < ops; op++)
		all |= a->set[op];
	return all >> RP_RPZ_TABLE * 8 != 0;
}

/* Tokens are numbered op by op, code by code. */
static void
emit(const struct rp_rpz_address *a, const struct rp_rpz_rows *rows, struct rp_rpz_numbers *to)
{
	uint8_t token[RP_RPZ_OPS_MOST * RP_RPZ_CODES], next = 0;
	for (size_t op = 0; op < rows->ops; op++)
		for (uint64_t left = a->set[op]; left; left &= left - 1)
			token[op * RP_RPZ_CODES + (unsigned)__builtin_ctzll(left)] = next++;
	for (size_t i = 0; i < rows->n; i++) {
		unsigned op = rows->class[i] - 1u, code = a->code[i];
		rp_rpz_number_put(
		    to, token[op * RP_RPZ_CODES + code], length_of(code), a->residual[i]);
	}
}

void
rp_rpz_address_predict(
    struct rp_rpz_address *a, const struct rp_rpz_rows *rows, bool table, struct rp_rpz_numbers *to)
{
	normalise(a, rows);
	choose_key(a, rows, table);
	count_codes(a, rows);
	if (a->tokens > RP_RPZ_TOKENS_MOST)
		keep_most(a, rows);
	if (!uses_table(a, rows->ops))
		a->key = RP_RPZ_NO_KEY; /* same codes, and a reader that need not keep the table */
	emit(a, rows, to);
}

unsigned
rp_rpz_address_frame(const struct rp_rpz_rows *rows, uint64_t *base, uint8_t *shift)
{
	uint64_t least = UINT64_MAX, most = 0, all = 0;
	for (size_t i = 0; i < rows->n; i++) {
		least = rows->addr[i] < least ? rows->addr[i] : least;
		most = rows->addr[i] > most ? rows->addr[i] : most;
	}
	for (size_t i = 0; i < rows->n; i++)
		all |= rows->addr[i] - least;
	*base = least;
	*shift = common_zeros(all);
	return rp_rpz_length((most - least) >> *shift);
}
