/* zipf - lines drawn independently, the k-th most popular with a probability in proportion to k^-exponent.
 *
 * One slot a line of an alias table, numbered by line, not by rank: a draw gives the address at once, and where the hot
 * lines lie costs nothing. Eight bytes a line while it runs, sixteen while the table is built. */
#include "config.h"

#include "gen/alias.h"
#include "gen/fill.h"
#include "gen/gen.h"
#include "gen/power.h"

#include <inttypes.h>

struct zipf_params {
	struct rp_fill_params fill;
	double exponent;
	uint32_t lines, line;
	bool scatter;
};

struct zipf {
	struct rp_source source;
	struct rp_fill fill;
	struct rp_rng rng;
	struct rp_alias alias;
	uint64_t base;
	uint32_t line;
};

enum { AHEAD = 256, LINES_MOST = 1 << 30 }; /* slots on their way from memory at once */

static ptrdiff_t
zipf_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct zipf *z = (struct zipf *)source;
	struct rp_alias_draw draw[AHEAD];
	size_t n = rp_fill_room(&z->fill, out);
	uint64_t *addr = out->addr + out->n;
	(void)err;
	for (size_t from = 0; from < n; from += AHEAD) {
		size_t m = n - from < AHEAD ? n - from : AHEAD;
		for (size_t i = 0; i < m; i++) {
			draw[i] = rp_alias_aim(&z->alias, rp_rng_next(&z->rng));
			__builtin_prefetch(&z->alias.slot[draw[i].slot]);
		}
		for (size_t i = 0; i < m; i++)
			addr[from + i] =
			    z->base + (uint64_t)rp_alias_take(&z->alias, draw[i]) * z->line;
	}
	rp_fill_rows(&z->fill, out, n);
	return (ptrdiff_t)n;
}

static void
zipf_close(struct rp_source *source)
{
	rp_alias_free(&((struct zipf *)source)->alias);
	rp_gen_source_free(source);
}

/* Where rank `x` of n lies: a fixed bijection of 0 .. n - 1. Each step is one of the next power of two; what falls
 * outside steps on until it is inside. */
static uint32_t
scattered(uint32_t x, uint32_t n)
{
	unsigned bits = n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 1;
	uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
	unsigned shift = (bits + 1) / 2;
	do {
		x = (x * 0x9e3779b1u + 0x7f4a7c15u) & mask;
		x ^= x >> shift;
		x = x * 0x85ebca6bu & mask;
		x ^= x >> shift;
	} while (x >= n);
	return x;
}

static bool
build(struct zipf *z, const struct zipf_params *p, struct rp_err *err)
{
	uint64_t *weight = rp_mem_array(p->lines, sizeof *weight, err);
	struct rp_power power;
	if (!weight)
		return false;
	rp_power_init(&power, p->exponent);
	for (uint32_t rank = 0; rank < p->lines; rank++)
		weight[p->scatter ? scattered(rank, p->lines) : rank] = rp_power(&power, rank + 1);
	bool ok = rp_alias_build(&z->alias, weight, p->lines, err);
	free(weight);
	return ok;
}

static struct rp_source *
zipf_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct zipf_params *p = params;
	struct rp_fill fill;
	if (!(p->exponent >= 0 && p->exponent <= RP_POWER_MOST)) {
		rp_fail(err, RP_USAGE, "exponent=%g: wanted 0 to %d", p->exponent, RP_POWER_MOST);
		return NULL;
	}
	if (!rp_fill_init(&fill, &p->fill, "gen/zipf", seed, err) ||
	    !rp_fill_lines(&p->fill, p->lines, p->line, err))
		return NULL;
	struct zipf *z =
	    rp_gen_source_new(sizeof *z, "zipf", rp_fill_columns(&fill), zipf_pull, err);
	if (!z)
		return NULL;
	z->source.close = zipf_close;
	z->fill = fill;
	z->rng = rp_rng_for(seed, "gen/zipf", 0);
	z->base = p->fill.base;
	z->line = p->line;
	if (!build(z, p, err)) {
		zipf_close(&z->source);
		return NULL;
	}
	z->source.trace->endless = z->fill.left == UINT64_MAX;
	return &z->source;
}

static const struct rp_opt opts[] = {
	{ "exponent", 0, "S", RP_OPT_DOUBLE, offsetof(struct zipf_params, exponent), "0.9",
	    "the k-th most popular line has a weight of k^-S, S from 0 to 16" },
	{ "lines", 0, "N", RP_OPT_U32, offsetof(struct zipf_params, lines), "1048576",
	    "different lines", 1, LINES_MOST },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct zipf_params, line), "64",
	    "from one line to the next", 1, UINT32_MAX },
	{ "scatter", 0, NULL, RP_OPT_FLAG, offsetof(struct zipf_params, scatter), "yes",
	    "spread popular lines over the addresses, always in the same way, instead of by rank" },
	RP_FILL_ROWS(struct zipf_params),
	{ 0 },
};

const struct rp_generator rp_generator_zipf = {
	.name = "zipf",
	.what = "accesses to lines whose popularity falls with a power of their rank",
	.source = "G. K. Zipf, Human Behavior and the Principle of Least Effort, 1949",
	.opts = opts,
	.params_bytes = sizeof(struct zipf_params),
	.open = zipf_open,
};
