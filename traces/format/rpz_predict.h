/* rpz_predict.h - what writer and reader of predicted addresses share: the slots of predictor 7, the length codes.
 *
 * Predictors 0 to 6 are the address 1 to 7 rows ago; predictor 7 is the address last seen under the same key, the ops of
 * the last six rows or the pc. A token's code is predictor * 8 + length code; length code 7 stands for 8 bytes. */
#ifndef RP_TRACES_FORMAT_RPZ_PREDICT_H
#define RP_TRACES_FORMAT_RPZ_PREDICT_H

#include "traces/format/rpz_layout.h"

enum {
	RP_RPZ_SLOTS = 4096, /* of 8 bytes: a first-level cache's worth */
	RP_RPZ_BACK = 7,     /* predictors that look back */
	RP_RPZ_TABLE = 7,    /* the predictor that looks into the table */
	RP_RPZ_CODES = 64
};

#define RP_RPZ_OP_MUL1 UINT32_C(0x9e3779b1)
#define RP_RPZ_OP_MUL2 UINT32_C(0x85ebca77)
#define RP_RPZ_PC_MUL  UINT64_C(0x9e3779b97f4a7c15)

/* The slot of the row whose class (op + 1) is *class; the five before it stand before it. */
static inline uint32_t
rp_rpz_op_slot(const uint8_t *class)
{
	return (rp_get32(class - 3) * RP_RPZ_OP_MUL1 + rp_get32(class - 5) * RP_RPZ_OP_MUL2) >> 20;
}

static inline uint32_t
rp_rpz_pc_slot(uint64_t pc, bool same)
{
	return (uint32_t)((2 * pc + same + 1) * RP_RPZ_PC_MUL >> 52);
}

#endif
