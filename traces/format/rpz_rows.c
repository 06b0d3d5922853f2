/* rpz_rows.c - from tokens and residual bytes to addresses, sizes and kinds: the passes in plain C. */
#include "config.h"

#include "traces/format/rpz_rows.h"

enum { CODE = RP_RPZ_CODES - 1, LENGTH = 7 };

static void
split(struct rp_rpz_rows_state *s, size_t n)
{
	uint8_t *class = s->class + RP_RPZ_SLACK, bad = 0;
	const uint8_t *token = s->token;
	for (size_t i = 0; i < n; i++) {
		uint8_t t = token[i], code = s->token_code[t];
		bad |= code;
		s->code[i] = code & CODE;
		class[i] = (uint8_t)(s->token_op[t] + 1);
	}
	s->bad |= bad;
	s->token = token + n;
}

static void
spread(struct rp_rpz_rows_state *s, size_t n)
{
	static const uint16_t mask[8] = { 0, 0xff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff };
	static const uint8_t more[8] = { 0, 0, 0, 1, 2, 3, 4, 6 };
	const uint8_t *first = s->first, *second = s->second, *rest = s->rest;
	for (size_t i = 0; i < n; i++) {
		unsigned length = s->code[i] & LENGTH;
		uint64_t r = (*first | (unsigned)*second << 8) & mask[length];
		first += length > 0;
		second += length > 1;
		if (length > 2) {
			uint64_t bits = rp_get64(rest) & ((UINT64_C(1) << 8 * more[length]) - 1);
			r |= bits << 16;
			rest += more[length];
		}
		s->change[i] = rp_unzigzag(r) << s->shift;
	}
	s->first = first;
	s->second = second;
	s->rest = rest;
}

static void
slots(struct rp_rpz_rows_state *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned slot = rp_rpz_op_slot(s->class + RP_RPZ_SLACK + i);
		s->slot[i] = (uint16_t)slot;
		s->from[i] = rp_rpz_from(i, s->code[i], slot);
	}
}

static void
look(const struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	for (size_t i = 0; i < n; i++) {
		unsigned op = class[i] - 1u;
		size[i] = s->op_size[op];
		kind[i] = s->op_kind[op];
	}
	for (size_t i = 0; flags && i < n; i++)
		flags[i] = s->op_flags[class[i] - 1u];
}

const struct rp_rpz_passes rp_rpz_passes_plain = { split, spread, slots, look };

const struct rp_rpz_passes *
rp_rpz_passes_find(const char *name)
{
#ifdef __x86_64__
	bool avx2 = __builtin_cpu_supports("avx2") != 0;
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
predict_back(uint64_t *memory, const uint8_t *code, const uint64_t *change, size_t n)
{
	uint64_t last = memory[RP_RPZ_NOW - 1];
	for (size_t i = 0; i < n; i++) {
		size_t p = code[i] >> 3;
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
rp_rpz_rows_predict(struct rp_rpz_rows_state *s, size_t n, uint64_t *addr)
{
	if (s->key == RP_RPZ_NO_KEY)
		predict_back(s->memory, s->code, s->change, n);
	else
		predict_keyed(s->memory, s->from, s->slot, s->change, n);
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
