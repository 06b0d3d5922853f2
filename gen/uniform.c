/* uniform - lines drawn independently, all with the same probability. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"

struct uniform_params {
	struct rp_fill_params fill;
	uint64_t lines;
	uint32_t line;
};

struct uniform {
	struct rp_source source;
	struct rp_fill fill;
	struct rp_rng rng;
	uint64_t base, lines;
	uint32_t line;
};

static ptrdiff_t
uniform_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct uniform *u = (struct uniform *)source;
	size_t n = rp_fill_room(&u->fill, out);
	uint64_t *addr = out->addr + out->n;
	(void)err;
	for (size_t i = 0; i < n; i++)
		addr[i] = u->base + rp_rng_below(&u->rng, u->lines) * u->line;
	rp_fill_rows(&u->fill, out, n);
	return (ptrdiff_t)n;
}

static struct rp_source *
uniform_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct uniform_params *p = params;
	struct rp_fill fill;
	if (!rp_fill_init(&fill, &p->fill, "gen/uniform", seed, err) ||
	    !rp_fill_lines(&p->fill, p->lines, p->line, err))
		return NULL;
	struct uniform *u =
	    rp_gen_source_new(sizeof *u, "uniform", rp_fill_columns(&fill), uniform_pull, err);
	if (!u)
		return NULL;
	u->fill = fill;
	u->rng = rp_rng_for(seed, "gen/uniform", 0);
	u->base = p->fill.base;
	u->lines = p->lines;
	u->line = p->line;
	u->source.trace->endless = u->fill.left == UINT64_MAX;
	return &u->source;
}

static const struct rp_opt opts[] = {
	{ "lines", 0, "N", RP_OPT_U64, offsetof(struct uniform_params, lines), "1048576",
	    "different lines", 1, UINT64_MAX },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct uniform_params, line), "64",
	    "from one line to the next", 1, UINT32_MAX },
	RP_FILL_ROWS(struct uniform_params),
	{ 0 },
};

const struct rp_generator rp_generator_uniform = {
	.name = "uniform",
	.what = "accesses to lines that are all equally popular",
	.opts = opts,
	.params_bytes = sizeof(struct uniform_params),
	.open = uniform_open,
};
