/* presets.h - the caches of known GPUs, as Accel-Sim's configurations have them. */
#ifndef RP_SIM_GPU_PRESETS_H
#define RP_SIM_GPU_PRESETS_H

#include "sim/gpu/string.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { RP_GPU_SHARES = 8 };

struct rp_gpu_preset {
	const char *name, *what; /* what the user types; the board */
	const char *l1, *l2;     /* strings; that of one L2 slice */
	/* L1 and shared memory of an SM in one, and how much of it may be shared memory, in KiB; 0: L1 is as its string says.
	 * The list ends in -1. */
	uint32_t unified_kib;
	int share_kib[RP_GPU_SHARES];
	uint32_t channels, slices; /* of memory; of L2 in each channel */
	uint32_t sms;
	unsigned dirty;     /* percent of an L1's lines: its dirty limit; 0: none */
	bool global_bypass; /* global accesses bypass L1 */
};

extern const struct rp_gpu_preset rp_gpu_presets[]; /* a NULL name ends them */

/* The preset of that name; large letters, blanks and punctuation do not matter ("RTX 3070", "qv100"). NULL with *err
 * (RP_USAGE, with the nearest name). */
const struct rp_gpu_preset *rp_gpu_preset_find(const char *name, struct rp_err *err);

/* The L1 of a preset beside `shared` bytes of shared memory, those of a block times the blocks resident on an SM. Of a
 * preset with unified memory U, the smallest option o that holds them is set aside, and the ways are those of the string
 * times U / its size * (1 - o / U), rounded. RP_USAGE: no option is that large. */
bool rp_gpu_preset_l1(
    const struct rp_gpu_preset *p, uint64_t shared, struct rp_gpu_string *out, struct rp_err *err);

/* A slice of its L2. */
void rp_gpu_preset_l2(const struct rp_gpu_preset *p, struct rp_gpu_string *out);

/* How addresses are dealt to the slices of an L2. */
enum rp_gpu_slicing {
	/* Memory is dealt to channels by 256 bytes, and the bit above picks one of a channel's two slices. With 16, 32 or 64
	 * slices in all, 2 * channel + bit is replaced by the polynomial remainder of what is above, joined with it, which
	 * spreads strides. In a slice an address is (address mod 256) + 256 * what is above. */
	RP_GPU_SLICE_HASH,
	RP_GPU_SLICE_MOD /* slice = line mod slices; in it, the line is line / slices */
};

struct rp_gpu_place {
	uint32_t slice;
	uint64_t address; /* within it */
};

/* Where an address of an L2 of so many slices goes; with one slice it stays as it is. RP_GPU_SLICE_HASH: an even number of
 * slices, or one. */
struct rp_gpu_place rp_gpu_slice(
    enum rp_gpu_slicing how, uint32_t slices, uint32_t line, uint64_t address);

#endif
