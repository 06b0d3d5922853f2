/* opcode.h - what a GPU opcode does to memory, and how many bytes a lane. */
#ifndef RP_TRACES_OPCODE_H
#define RP_TRACES_OPCODE_H

#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an opcode goes. The first four are the spaces of struct rp_gpu_stats, in its order. */
enum rp_op_space {
	RP_OP_GLOBAL,
	RP_OP_LOCAL,
	RP_OP_SHARED,
	RP_OP_GENERIC, /* shared, local or global: the address decides */
	RP_OP_CONSTANT,
	RP_OP_TEXTURE,
	RP_OP_UNKNOWN
};

/* "LDG", or another part before the first dot, and what it does. */
struct rp_opcode {
	const char *name;
	enum rp_op_space space;
	enum rp_kind kind; /* of its cache side; without meaning for constant and texture */
	bool bypasses;     /* never looks into L1 */
	bool strong;       /* bypasses L1 when its tokens hold both STRONG and GPU */
};

/* All opcodes that access memory; `*n` of them. The table is the only place that knows them. */
const struct rp_opcode *rp_opcodes(size_t *n);

/* What an instruction's opcode says in full. */
struct rp_op {
	enum rp_op_space space;
	enum rp_kind kind;
	bool bypasses; /* L1 */
	uint32_t size; /* bytes a lane, 1 to RP_OP_MOST */
};

enum { RP_OP_MOST = 32 };

/* Decodes the n bytes of an opcode, as "LDG.E.64.STRONG.GPU". The size is in bits in the first
 * token that is a number or a number behind a U, 4 bytes without one; with narrow_signed S8 and
 * S16 count as 1 and 2 bytes too (the tracer's own rule takes them for 4). A number that is no
 * size (0, above 256 bits, no whole bytes) is passed over. An opcode that is not in the table is
 * RP_OP_UNKNOWN. Cannot fail. */
struct rp_op rp_op_decode(const char *text, size_t n, bool narrow_signed);

#endif
