/* names.h - 32-bit names for lines, exactly: no two lines share one, and low bits stay.
 *
 * A name is the number of a region of 2^bits lines, handed out from 1 on in the order regions come up, and the line within
 * it. So a name is never 0, and its low bits are those of the line: sets can be chosen by them, and halving a name gives a
 * name of the line twice as long. */
#ifndef RP_SIM_OBSERVE_NAMES_H
#define RP_SIM_OBSERVE_NAMES_H

#include "sim/level.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RP_NAME_HOT = 64, /* regions kept at hand, */
	RP_NAME_NEAR = 16 /* and those that loops of a level find at once */
};

/* Starts as zeroes. */
struct rp_names {
	unsigned bits;
	/* private: */
	uint32_t given, most, room; /* numbers; room for those below, a power of two */
	uint64_t *region;           /* by number */
	uint32_t *number;           /* by open addressing; 0: free */
	struct {
		uint64_t region;
		uint32_t number; /* 0: nothing here */
	} hot[RP_NAME_HOT];
	const struct rp_kernels *kernels;
	/* By the low bits of the region: it, or UINT64_MAX, which is none; name of its first line. */
	uint64_t near_region[RP_NAME_NEAR], near_name[RP_NAME_NEAR];
};

/* Regions of 2^bits lines, 12 to 28. RP_RESOURCE: no memory. rp_names_close also after a failure. */
bool rp_names_open(struct rp_names *n, unsigned bits, enum rp_level level, struct rp_err *err);
void rp_names_close(struct rp_names *n);
void rp_names_reset(struct rp_names *n);

/* Line numbers key[0..count) become names: how many, up to the first that gets none because all numbers are taken. */
size_t rp_names_give(struct rp_names *n, uint64_t *key, size_t count);

/* The line that a name stands for. */
uint64_t rp_names_line(const struct rp_names *n, uint32_t name);

/* Bytes it holds. */
uint64_t rp_names_bytes(const struct rp_names *n);

#endif
