/* gen.h - generators: each a source, with its parameters as option rows.
 *
 * A generator is one file in gen/ that ends in one `const struct rp_generator`; the table of all is made by the build. The
 * same rows are the options of `reprise gen KIND` and the keys of `gen:KIND,key=value,...`.
 *
 * The same parameters and seed give the same rows on every machine, however large the batches are that are pulled: what
 * decides an address is whole-number arithmetic, and each kind of choice draws from a random stream of its own. */
#ifndef RP_GEN_GEN_H
#define RP_GEN_GEN_H

#include "base/opt.h"
#include "traces/source.h"

struct rp_generator {
	const char *name, *what, *source; /* source: where the pattern is defined; may be NULL */
	const struct rp_opt *opts;        /* the rows, which write into the parameters */
	const char *operand;              /* option that `gen KIND OPERAND` sets too; NULL: none */
	size_t params_bytes; /* of the struct they write into; zeroed, then the defaults */
	/* A source for these parameters, borrowed only during the call; RP_USAGE if they do not fit together. Gives
	 * (rp_source_close). The source is endless unless a parameter bounds it. */
	struct rp_source *(*open)(const void *params, uint64_t seed, struct rp_err *err);
};

extern const struct rp_generator *const rp_generators[]; /* ends in NULL; made by the build */

/* The generator called `name`; NULL with *err (RP_USAGE, with the nearest name). */
const struct rp_generator *rp_generator_find(const char *name, struct rp_err *err);

/* A source from `KIND[,key=value]...` (what follows `gen:`), whose trace names "gen:" and the text as its source. `seed`
 * counts unless the text has seed=. A value `@FILE` is for the generator to read. Gives (rp_source_close). RP_USAGE: no
 * such kind or key, a value that is wrong, values that do not fit together. */
struct rp_source *rp_gen_open(const char *text, uint64_t seed, struct rp_err *err);

/* Parses the same text and calls `use` with what it says, which lasts as long as the call. Whether that, and `use`, went
 * well; RP_USAGE as rp_gen_open. */
typedef bool rp_gen_use(
    void *to, const struct rp_generator *g, const void *params, uint64_t seed, struct rp_err *err);
bool rp_gen_with(const char *text, uint64_t seed, rp_gen_use *use, void *to, struct rp_err *err);

/* For generators: a source of `bytes` zeroed bytes that begins with a struct rp_source, with `pull`, a trace of this
 * name and these columns. Gives (rp_gen_source_free, which is also its `close` until the generator puts one of its own
 * there that ends in it). NULL with *err filled without memory. */
void *rp_gen_source_new(size_t bytes, const char *name, unsigned columns,
    ptrdiff_t (*pull)(struct rp_source *s, struct rp_batch *out, struct rp_err *err),
    struct rp_err *err);
void rp_gen_source_free(struct rp_source *s);

/* Fails with RP_USAGE unless n items, `step` bytes apart and the last of them `size` bytes long, fit in the 2^64 bytes of
 * memory from `base` on. n at least 1. */
bool rp_gen_fits(uint64_t base, uint64_t n, uint64_t step, uint64_t size, struct rp_err *err);

#endif
