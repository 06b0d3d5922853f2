/* rpz_rows.c - from tokens and residual bytes to addresses, sizes and kinds: the passes in plain C. */
#include "config.h"

#include "traces/format/rpz_rows.h"

enum { CODE = RP_RPZ_CODES - 1, LENGTH = 7 };

static const uint16_t masks[8] = { 0, 0xff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff };
static const uint8_t more[8] = { 0, 0, 0, 1, 2, 3, 4, 6 };

static uint8_t
how(unsigned predictor, unsigned length)
{
	unsigned x = predictor | (predictor == RP_RPZ_TABLE ? RP_RPZ_OF_TABLE : 0);
	x |= length > 0 ? RP_RPZ_FIRST_BYTE : 0;
	x |= length > 1 ? RP_RPZ_SECOND_BYTE : 0;
	x |= length > 2 ? RP_RPZ_LONG : 0;
	return (uint8_t)x;
}

void
rp_rpz_rows_tables(struct rp_rpz_rows_state *s)
{
	for (unsigned t = 0; t < 256; t++) {
		unsigned code = s->token_code[t] & CODE, length = code & LENGTH, p = code >> 3;
		s->token_size[t] = s->op_size[s->token_op[t]];
		s->token_kind[t] = s->op_kind[s->token_op[t]];
		s->token_how[t] = how(p, length);
		s->token_address[t] =
		    (struct rp_rpz_token){ masks[length], length > 0, length > 1, more[length],
			    (uint8_t)(p ? p : RP_RPZ_BACK), !p, p == RP_RPZ_TABLE ? -1 : 0 };
	}
}

static void
split(struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	uint8_t *class = s->class + RP_RPZ_SLACK, bad = 0;
	const uint8_t *token = s->token;
	for (size_t i = 0; i < n; i++) {
		unsigned t = token[i];
		size[i] = s->token_size[t];
		kind[i] = s->token_kind[t];
		class[i] = (uint8_t)(s->token_op[t] + 1);
		bad |= s->token_code[t];
	}
	for (size_t i = 0; s->key != RP_RPZ_OP_KEY && i < n; i++)
		s->how[i] = s->token_how[token[i]];
	for (size_t i = 0; flags && i < n; i++)
		flags[i] = s->op_flags[class[i] - 1u];
	s->bad |= bad;
	s->token = token + n;
}

/* The next residual. Only the few that are longer than two bytes take the branch. */
static inline uint64_t
next_residual(const struct rp_rpz_token *t, const uint8_t **first, const uint8_t **second,
    const uint8_t **rest)
{
	uint64_t r = (**first | (unsigned)**second << 8) & t->mask;
	*first += t->first;
	*second += t->second;
	if (__builtin_expect(t->more, 0)) {
		uint64_t bits = rp_get64(*rest) & ((UINT64_C(1) << 8 * t->more) - 1);
		r |= bits << 16;
		*rest += t->more;
	}
	return r;
}

static void
spread(struct rp_rpz_rows_state *s, size_t n)
{
	const uint8_t *token = s->token - n, *first = s->first, *second = s->second,
		      *rest = s->rest;
	for (size_t i = 0; i < n; i++) {
		const struct rp_rpz_token *t = &s->token_address[token[i]];
		s->change[i] = rp_unzigzag(next_residual(t, &first, &second, &rest)) << s->shift;
	}
	s->first = first;
	s->second = second;
	s->rest = rest;
}

/* All in one. The row before is taken from a register: its own store is too young to be loaded without a wait. */
static void
keyed(struct rp_rpz_rows_state *s, size_t n)
{
	const uint8_t *token = s->token - n, *class = s->class + RP_RPZ_SLACK;
	const uint8_t *first = s->first, *second = s->second, *rest = s->rest;
	uint64_t *memory = s->memory, last = memory[RP_RPZ_NOW - 1];
	const uint64_t scale = UINT64_C(1) << s->shift;
	for (size_t i = 0; i < n; i++) {
		const struct rp_rpz_token *t = &s->token_address[token[i]];
		size_t slot = rp_rpz_op_slot(class + i);
		size_t back = RP_RPZ_NOW - 1 + i - t->back;
		uint64_t r = next_residual(t, &first, &second, &rest);
		uint64_t far = memory[back ^ ((back ^ slot) & (size_t)t->table)];
		last = (t->last ? last : far) + rp_unzigzag(r) * scale;
		memory[RP_RPZ_NOW + i] = last;
		memory[slot] = last;
	}
	s->first = first;
	s->second = second;
	s->rest = rest;
}

const struct rp_rpz_passes rp_rpz_passes_plain = { split, spread, keyed };

const struct rp_rpz_passes *
rp_rpz_passes_find(const char *name)
{
#ifdef __x86_64__
	bool avx2 = __builtin_cpu_supports("avx2") != 0;
	bool avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	              __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
	if (avx512 && (!name || !strcmp(name, "avx512")))
		return &rp_rpz_passes_avx512;
	if (avx2 && (!name || !strcmp(name, "avx2")))
		return &rp_rpz_passes_avx2;
#endif
	return !name || !strcmp(name, "plain") ? &rp_rpz_passes_plain : NULL;
}

void
rp_rpz_rows_begin(struct rp_rpz_rows_state *s, uint64_t base)
{
	memset(s->class, 0, sizeof s->class);
	for (size_t i = 0; i < RP_RPZ_NOW; i++)
		s->memory[i] = base;
	s->bad = 0;
}

/* Without a key nothing reads the table. */
static void
predict_back(uint64_t *memory, const uint8_t *how, const uint64_t *change, size_t n)
{
	uint64_t last = memory[RP_RPZ_NOW - 1];
	for (size_t i = 0; i < n; i++) {
		size_t p = how[i] & RP_RPZ_PREDICTOR;
		uint64_t far = memory[RP_RPZ_NOW - 1 + i - p];
		last = (p ? far : last) + change[i];
		memory[RP_RPZ_NOW + i] = last;
	}
}

/* The row before is taken from a register, and something old is loaded in its place: its own store is too young to be
 * loaded without a wait. */
static void
predict_keyed(
    uint64_t *memory, const uint16_t *from, const uint16_t *slot, const uint64_t *change, size_t n)
{
	uint64_t last = memory[RP_RPZ_NOW - 1];
	for (size_t i = 0; i < n; i++) {
		size_t at = from[i];
		uint64_t far = memory[at];
		last = (at == RP_RPZ_LAST ? last : far) + change[i];
		memory[RP_RPZ_NOW + i] = last;
		memory[slot[i]] = last;
	}
}

void
rp_rpz_rows_predict(struct rp_rpz_rows_state *s, size_t n)
{
	if (s->key == RP_RPZ_NO_KEY)
		predict_back(s->memory, s->how, s->change, n);
	else
		predict_keyed(s->memory, s->from, s->slot, s->change, n);
}

void
rp_rpz_rows_take(struct rp_rpz_rows_state *s, size_t n, uint64_t *addr)
{
	memcpy(addr, s->memory + RP_RPZ_NOW, n * sizeof *addr);
	memmove(
	    s->memory + RP_RPZ_SLOTS, s->memory + RP_RPZ_SLOTS + n, RP_RPZ_HISTORY * sizeof *addr);
}

void
rp_rpz_rows_step(struct rp_rpz_rows_state *s, size_t n)
{
	memmove(s->class + RP_RPZ_SLACK - RP_RPZ_HISTORY,
	    s->class + RP_RPZ_SLACK + n - RP_RPZ_HISTORY, RP_RPZ_HISTORY);
}
