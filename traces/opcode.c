/* opcode.c - what a GPU opcode does to memory, and how many bytes a lane.
 *
 * The rules are those of Accel-Sim's trace reader, which derives the size from the opcode
 * although the trace has a column for it. */
#include "config.h"

#include "traces/opcode.h"

#include <string.h>

static const struct rp_opcode table[] = {
	{ "LDG", RP_OP_GLOBAL, RP_READ, false, true },
	{ "LDGSTS", RP_OP_GLOBAL, RP_READ, false,
	    true }, /* its write to shared memory is not cached */
	{ "STG", RP_OP_GLOBAL, RP_WRITE, false, false },
	{ "LDL", RP_OP_LOCAL, RP_READ, false, false },
	{ "STL", RP_OP_LOCAL, RP_WRITE, false, false },
	{ "ATOM", RP_OP_GLOBAL, RP_ATOMIC, true, false },
	{ "ATOMG", RP_OP_GLOBAL, RP_ATOMIC, true, false },
	{ "RED", RP_OP_GLOBAL, RP_ATOMIC, true, false },
	{ "LDS", RP_OP_SHARED, RP_READ, false, false },
	{ "LDSM", RP_OP_SHARED, RP_READ, false, false },
	{ "STS", RP_OP_SHARED, RP_WRITE, false, false },
	{ "ATOMS", RP_OP_SHARED, RP_ATOMIC, false, false },
	{ "LD", RP_OP_GENERIC, RP_READ, false, false },
	{ "ST", RP_OP_GENERIC, RP_WRITE, false, false },
	{ "LDC", RP_OP_CONSTANT, RP_READ, false, false },
	{ "ULDC", RP_OP_CONSTANT, RP_READ, false, false },
	{ "TEX", RP_OP_TEXTURE, RP_READ, false, false },
	{ "SULD", RP_OP_TEXTURE, RP_READ, false, false },
	{ "SUST", RP_OP_TEXTURE, RP_WRITE, false, false },
	{ "SUATOM", RP_OP_TEXTURE, RP_ATOMIC, false, false },
	{ "SURED", RP_OP_TEXTURE, RP_ATOMIC, false, false },
};

enum { OPCODES = sizeof table / sizeof *table, USUAL_BYTES = 4 };

const struct rp_opcode *
rp_opcodes(size_t *n)
{
	*n = OPCODES;
	return table;
}

static bool
is(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(word, text, n); /* the text may hold a NUL */
}

static const struct rp_opcode *
find(const char *name, size_t n)
{
	for (size_t i = 0; i < OPCODES; i++)
		if (table[i].name[0] == *name && is(name, n, table[i].name))
			return &table[i];
	return NULL;
}

/* Bytes that a token stands for, 0 if it names no size. */
static uint32_t
token_bytes(const char *t, size_t n, bool narrow_signed)
{
	if (narrow_signed && is(t, n, "S8"))
		return 1;
	if (narrow_signed && is(t, n, "S16"))
		return 2;
	if (n && *t == 'U') {
		t++;
		n--;
	}
	uint32_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		if (t[i] < '0' || t[i] > '9' || bits > 8 * RP_OP_MOST)
			return 0;
		bits = 10 * bits + (uint32_t)(t[i] - '0');
	}
	return bits <= 8 * RP_OP_MOST && bits % 8 == 0 ? bits / 8 : 0;
}

struct rp_op
rp_op_decode(const char *text, size_t n, bool narrow_signed)
{
	const char *end = text + n, *t = memchr(text, '.', n);
	const struct rp_opcode *o = n ? find(text, t ? (size_t)(t - text) : n) : NULL;
	struct rp_op op = { .space = RP_OP_UNKNOWN };
	bool strong = false, gpu = false;
	while (t) {
		const char *first = t + 1;
		t = memchr(first, '.', (size_t)(end - first));
		size_t len = (size_t)((t ? t : end) - first);
		if (!op.size)
			op.size = token_bytes(first, len, narrow_signed);
		strong |= is(first, len, "STRONG");
		gpu |= is(first, len, "GPU");
	}
	if (!op.size)
		op.size = USUAL_BYTES;
	if (o) {
		op.space = o->space;
		op.kind = o->kind;
		op.bypasses = o->bypasses || (o->strong && strong && gpu);
	}
	return op;
}
