/* gen.h - generators: each a source, with its parameters as option rows.
 *
 * A generator is one file in gen/ that ends in one `const struct rp_generator`; the table of all is made by the build. The
 * same rows are the options of `reprise gen KIND` and the keys of `gen:KIND,key=value,...`. */
#ifndef RP_GEN_GEN_H
#define RP_GEN_GEN_H

#include "base/opt.h"
#include "traces/source.h"

struct rp_generator {
	const char *name, *what, *source; /* source: where the pattern is defined; may be NULL */
	const struct rp_opt *opts;  /* the rows, which write into the parameters */
	size_t params_bytes;        /* of the struct they write into */
	/* A source for these parameters, borrowed only during the call; RP_USAGE if they do not fit together. Gives
	 * (rp_source_close). The source is endless unless a parameter bounds it. */
	struct rp_source *(*open)(const void *params, uint64_t seed, struct rp_err *err);
};

extern const struct rp_generator *const rp_generators[]; /* ends in NULL; made by the build */

const struct rp_generator *rp_generator_find(const char *name, struct rp_err *err);

/* A source from `KIND[,key=value]...` (what follows `gen:`). `seed` counts unless the text has seed=. A value `@FILE`
 * is for the generator to read. Gives (rp_source_close). */
struct rp_source *rp_gen_open(const char *text, uint64_t seed, struct rp_err *err);

#endif
