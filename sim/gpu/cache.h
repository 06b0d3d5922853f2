/* cache.h - one cache as GPGPU-Sim and Accel-Sim have it, without their timing: sectors, allocation on miss or on fill, write
 * policies, an MSHR table that fills what it asked for after a fixed time.
 *
 * A cache of several slices is so many caches, each with its own sets, MSHR table, miss queue and clock; an address belongs
 * to one of them (sim/gpu/presets.h). Addresses are those of the whole cache everywhere else. */
#ifndef RP_SIM_GPU_CACHE_H
#define RP_SIM_GPU_CACHE_H

#include "sim/gpu/presets.h"
#include "sim/gpu/string.h"
#include "sim/requests.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an access does that is refused. */
enum rp_gpu_stall {
	RP_GPU_SKIP, /* time moves on to the next fill, and it is tried again */
	RP_GPU_UNIT, /* it is tried again, and refused again, each unit of time */
	RP_GPU_DROP  /* it goes below, and the cache stays as it is */
};

/* Whether kernels use shared memory, which turns streaming allocation (s) to f, or to m if they use none. */
enum rp_gpu_shared { RP_GPU_SHARED_TRACE, RP_GPU_SHARED_SOME, RP_GPU_SHARED_NONE };

enum rp_gpu_level { RP_GPU_L1, RP_GPU_L2 };

/* A cache as specified, complete. */
struct rp_gpu_spec {
	struct rp_gpu_string string;
	uint64_t latency; /* units of time from a request to its fill */
	unsigned stall;   /* enum rp_gpu_stall */
	unsigned level;   /* enum rp_gpu_level: L1 is emptied when a kernel ends */
	unsigned dirty;   /* percent of all lines: below it modified lines are not replaced */
	bool clock;       /* time is the trace's, and an access takes none */
	bool queue;       /* the string's miss queue is modelled */
	bool copies;      /* L2: copies from the host bring their sectors in */
	unsigned shared;  /* enum rp_gpu_shared: whether alloc s is f or m */
	uint32_t slices;
	unsigned slicing; /* enum rp_gpu_slicing */
	bool unified;     /* ways depended on the shared memory in use */
	bool classify;    /* misses by class (sim/classes.h); the cache itself does not know */
	bool bypassed;    /* on that GPU global accesses bypass it */
};

enum rp_gpu_probe { RP_GPU_HIT, RP_GPU_HIT_RESERVED, RP_GPU_MISS, RP_GPU_SECTOR_MISS };

/* Why an attempt was refused. */
enum rp_gpu_fail {
	RP_GPU_LINE_ALLOC_FAIL,
	RP_GPU_MSHR_ENTRY_FAIL,
	RP_GPU_MSHR_MERGE_ENTRY_FAIL,
	RP_GPU_MSHR_RW_PENDING,
	RP_GPU_MISS_QUEUE_FULL,
	RP_GPU_FAILS
};

/* An access to one sector, or to one plain line. */
struct rp_gpu_access {
	uint64_t place; /* address / 32, or address / line of a plain cache */
	uint32_t set;   /* rp_gpu_cache_sets */
	uint64_t time;  /* its stamp, with `clock` */
	bool write, atomic, local;
	bool whole; /* a write of all bytes of the sector, or line */
	/* Bytes that a write touches, a bit each from the lowest on: a word, or line / 32 of a plain cache. Only looked at
	 * where rp_gpu_cache_wants_mask, and not if `whole`. */
	const uint32_t *mask;
	uint32_t row, bytes; /* for requests: of the batch; that a write or an atomic touches */
	uint64_t first;      /* for requests: address of its first byte */
};

/* What became of an access, and what happened since the one before. */
struct rp_gpu_event {
	uint64_t time;    /* units that passed for its slice, its own included */
	uint64_t stall;   /* of these, waited */
	uint64_t held;    /* MSHR entries in use, summed over `time` */
	uint32_t entries; /* most of them in use meanwhile */
	uint32_t evictions, back_lines, back_sectors; /* lines replaced; of these written back */
	uint32_t what;                                /* enum rp_gpu_probe, and enum rp_gpu_what */
};

enum rp_gpu_what {
	RP_GPU_PROBE = 3,    /* these bits: enum rp_gpu_probe */
	RP_GPU_MERGED = 4,   /* joined a pending request */
	RP_GPU_REQUEST = 8,  /* sent a request down */
	RP_GPU_WRITE = 16,   /* sent a write down */
	RP_GPU_DROPPED = 32, /* given up */
	RP_GPU_REFUSED = 64, /* at least once */
	RP_GPU_WHATS = 128
};

struct rp_gpu_cache;

/* An empty cache. Borrows the spec. Gives (rp_gpu_cache_free). RP_RESOURCE: no memory. */
struct rp_gpu_cache *rp_gpu_cache_new(const struct rp_gpu_spec *s, struct rp_err *err);
void rp_gpu_cache_free(struct rp_gpu_cache *c); /* accepts NULL */

/* Whether bytes of writes matter. */
bool rp_gpu_cache_wants_mask(const struct rp_gpu_cache *c);

/* The sets of n places, numbered through all slices. */
void rp_gpu_cache_sets(
    const struct rp_gpu_cache *c, const uint64_t *place, size_t n, uint32_t *set);

/* Whether so many caches of this kind, that take turns, keep so many lines that it pays to call rp_gpu_cache_prefetch
 * before access i of the n at hand: it fetches what those will need that come behind. */
bool rp_gpu_cache_is_far(const struct rp_gpu_cache *c, size_t caches);
void rp_gpu_cache_prefetch(
    const struct rp_gpu_cache *c, const uint64_t *place, const uint32_t *set, size_t n, size_t i);

/* One access: fills *e in, and, if it was refused, fail[] with the attempts refused by reason. What goes below is appended
 * to *down unless NULL, in order; RP_RESOURCE: no memory for it. */
bool rp_gpu_cache_access(struct rp_gpu_cache *c, const struct rp_gpu_access *a,
    struct rp_gpu_event *e, uint64_t fail[RP_GPU_FAILS], struct rp_requests *down,
    struct rp_err *err);

/* From now on alloc s (streaming) is f, for kernels that use shared memory, or m. Other caches take no notice. */
void rp_gpu_cache_streams(struct rp_gpu_cache *c, bool shared);

/* The end of a kernel: its loads have come back, so what is pending is filled, which takes no time; an L1 is then emptied. */
void rp_gpu_cache_kernel_end(struct rp_gpu_cache *c);

/* A copy of `bytes` bytes from the host: its sectors become valid, in lines taken as a miss takes them; with no candidate
 * they are left out. The writes back are those of the next access. */
void rp_gpu_cache_host_copy(struct rp_gpu_cache *c, uint64_t address, uint64_t bytes);

/* What a cache lets go on request. */
struct rp_gpu_written {
	uint64_t lines, sectors;
};

/* The modified sectors of lines first..last (address / line) are written back, unless write policy is T, and become valid;
 * those that are not readable become invalid. */
struct rp_gpu_written rp_gpu_cache_clean(struct rp_gpu_cache *c, uint64_t first, uint64_t last);

/* Drops those lines as they are: how many there were. A fill on its way to one changes nothing. */
uint64_t rp_gpu_cache_drop(struct rp_gpu_cache *c, uint64_t first, uint64_t last);

#endif
