/* phases.h - where the workers of a scan stand on the ring of its blocks: listed, or by a pattern.
 *
 * N blocks 0 .. N - 1, M workers; in round k worker m requests block (k + phase[m]) mod N (PASCAL, Eq. 1). The patterns are
 * those of the static experiments of the paper:
 *
 *	coincident           all at 0
 *	equal[:OFFSET]       worker m at (OFFSET + floor(m N / M)) mod N
 *	clusters:COUNT       worker m at floor(c N / COUNT) with c = floor(m COUNT / M): COUNT groups, evenly spread
 *	uniform              each drawn from all blocks
 *	gaussian:SD[:COUNT]  a normal deviation of SD times the ring, rounded to a block, from the centre of its group, of which
 *	                     there are COUNT (1) as with clusters, wrapped round the ring
 *
 * Draws are whole-number arithmetic on one random stream, so that a seed gives the same phases on every machine. */
#ifndef RP_GEN_PHASES_H
#define RP_GEN_PHASES_H

#include "base/opt.h"

#include <stdint.h>

/* Part of a generator's parameters, or of a command's options. */
struct rp_phases_params {
	const char *phases; /* `0,1,5`, `@FILE` or a pattern; NULL: coincident */
	uint32_t workers;   /* 0: as many as are listed */
	bool wrap;          /* listed phases are taken mod N, else refused from N on */
};

/* The rows for them, where `type` has a member `start` of that type. */
#define RP_PHASES_ROWS(type)                                                                       \
	{ "phases", 0, "LIST", RP_OPT_TEXT, offsetof(type, start.phases), NULL,                    \
		"blocks the workers begin at: 0,1,5, @FILE, coincident, equal[:OFFSET], "          \
		"clusters:N, uniform or gaussian:SD[:N], SD in rings" },                           \
	    { "workers", 0, "M", RP_OPT_U32, offsetof(type, start.workers), NULL,                  \
		    "number of workers; else as many as are listed, or one", 1, UINT32_MAX },      \
	{                                                                                          \
		"wrap", 0, NULL, RP_OPT_FLAG, offsetof(type, start.wrap), NULL,                    \
		    "take listed phases modulo the number of blocks"                               \
	}

struct rp_phases {
	uint64_t *phase;  /* of each worker, below N */
	uint32_t workers; /* at least 1 */
};

/* The phases for these parameters on a ring of `blocks` (at least 1). A pattern without `workers` is for one worker. Gives
 * out->phase (free). RP_USAGE: no such pattern, a phase that is no block, a list that is not `workers` long or empty;
 * RP_INPUT: the same in a file, with its place, or a file that cannot be read. */
bool rp_phases_make(const struct rp_phases_params *p, uint64_t blocks, uint64_t seed,
    struct rp_phases *out, struct rp_err *err);

#endif
