/* cache.h - one cache: its specification, its state, a batch through it. */
#ifndef RP_SIM_CACHE_H
#define RP_SIM_CACHE_H

#include "sim/counters.h"
#include "sim/policy.h"

#include "base/opt.h"

enum rp_write { RP_WRITE_BACK, RP_WRITE_THROUGH };
enum rp_allocate { RP_ALLOCATE_WRITE, RP_ALLOCATE_NO_WRITE };

/* A cache as the user specified it, complete: what was not said has been filled in. */
struct rp_cache_spec {
	const struct rp_policy *policy;
	uint64_t arg[RP_POLICY_PARAMS]; /* of the policy */
	const char *name;       /* "" if not given; borrowed from `text` */
	uint64_t size;          /* bytes = sets * ways * line */
	uint32_t sets, ways;    /* 1 set: fully associative */
	uint32_t line;          /* bytes, a power of two */
	unsigned write;         /* enum rp_write */
	unsigned allocate;      /* enum rp_allocate: whether a write miss brings the line in */
	uint64_t seed;          /* of the policy's random choices */
	char *text;             /* private: holds the strings */
};

/* Parses `POLICY[,key=value]...` (design 3: size or sets; ways=N|full, full with size, required with sets; line, write,
 * allocate, seed, name, the policy's own parameters). `line` and `seed` are what a specification that names none gets.
 * Gives *out (rp_cache_spec_free). RP_USAGE names the key and what is wanted; keys of later stages of the design
 * (sector, index, mshr, ...) are unknown until built. */
bool rp_cache_spec_parse(const char *text, uint32_t line, uint64_t seed, struct rp_cache_spec *out, struct rp_err *err);
void rp_cache_spec_free(struct rp_cache_spec *s);

/* The canonical specification, complete: parses to the same cache. Gives (free). */
char *rp_cache_spec_print(const struct rp_cache_spec *s, struct rp_err *err);

#endif
