/* slow.h - a second model of a GPGPU-Sim cache, from the text of its definition alone, to hold the first against.
 *
 * Everything is a list searched end to end, and every byte of every line is kept. */
#ifndef RP_TESTS_SIM_GPU_SLOW_H
#define RP_TESTS_SIM_GPU_SLOW_H

#include "sim/gpu/cache.h"

#include <stdbool.h>
#include <stdint.h>

struct slow;

/* What one access did, and the fills before it. */
struct slow_event {
	const char *result; /* "HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS" */
	bool mshr_hit, dropped;
	uint64_t fails[RP_GPU_FAILS], stall, end; /* end: the clock after it */
	uint64_t fetches, writes, replaced, back_lines, back_sectors;
	uint64_t below; /* sum of 3 * address + what for all that was sent down */
};

struct slow *slow_new(const struct rp_gpu_spec *s);
void slow_free(struct slow *c);

/* Bytes [address, address + size), which lie in one sector or plain line; kind 'r', 'w' or 'a'. */
struct slow_event slow_access(
    struct slow *c, char kind, bool local, uint64_t address, uint32_t size, uint64_t time);
void slow_kernel_end(struct slow *c);
void slow_host_copy(struct slow *c, uint64_t address, uint64_t bytes);
void slow_invalidate(struct slow *c, uint64_t line);

#endif
