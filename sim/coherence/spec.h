/* spec.h - private caches and directories as people write them. */
#ifndef RP_SIM_COHERENCE_SPEC_H
#define RP_SIM_COHERENCE_SPEC_H

#include "sim/cache.h"
#include "sim/coherence/coherence.h"

#include "base/opt.h"

/* What a directory is given by: `KIND[,key=value]...`. */
struct rp_coherence_directory {
	unsigned kind, policy; /* full or sparse; lru or fifo */
	uint32_t sets, ways;
};

/* The keys, which write into that struct. */
extern const struct rp_opt rp_coherence_directory_keys[];

/* Sets the directory of a config. RP_USAGE: what is given does not fit together, or a text is wrong. */
bool rp_coherence_take_directory(
    const struct rp_coherence_directory *d, struct rp_coherence_config *config, struct rp_err *err);
bool rp_coherence_parse_directory(
    const char *text, struct rp_coherence_config *config, struct rp_err *err);

/* Sets the private caches of a config: geometry, line, policy and its parameters, seed. RP_USAGE names what such a cache
 * cannot have. */
bool rp_coherence_take_cache(
    const struct rp_cache_spec *s, struct rp_coherence_config *config, struct rp_err *err);

#endif
