/* spec.h - the specification of a GPGPU-Sim cache: `gpgpusim=STRING[,key=value]...` or `preset=NAME[,key=value]...`. */
#ifndef RP_SIM_GPU_SPEC_H
#define RP_SIM_GPU_SPEC_H

#include "sim/gpu/cache.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

/* Whether a cache specification has one of the two keys. */
bool rp_gpu_spec_is(const char *text);

/* Whether such a specification has a key of that name. */
bool rp_gpu_spec_has_key(const char *name);

/* Parses one, which is changed in place and then borrowed by *name ("" if it has none). Gives (free). RP_USAGE names the
 * key or field and what is wanted. */
struct rp_gpu_spec *rp_gpu_spec_parse(char *text, const char **name, struct rp_err *err);

/* Appends the canonical specification, but for the name: always with the string, complete. */
bool rp_gpu_spec_print(const struct rp_gpu_spec *s, struct rp_buf *to, struct rp_err *err);

/* What to tell the user of it: the k-th warning, NULL when there are no more. */
const char *rp_gpu_spec_warning(const struct rp_gpu_spec *s, unsigned k);

/* The keys, for help and manual. */
extern const struct rp_opt rp_gpu_keys[];

#endif
