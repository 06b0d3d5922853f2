/* columns.c - features as columns of numbers. */
#include "config.h"

#include "learn/columns.h"

#include <string.h>

/* Shares of the accesses; without any all are 0. */
static void
shares(const uint32_t *count, size_t n, uint64_t accesses, float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = accesses ? (float)((double)count[i] / (double)accesses) : 0;
}

static void
fill_rp(const struct rp_features *f, float *to)
{
	shares(f->rp, (size_t)f->bins + 2, f->n, to);
}

static void
fill_lrp(const struct rp_features *f, float *to)
{
	shares(f->lrp, RP_LOGBINS, f->n, to);
}

static void
fill_srp(const struct rp_features *f, float *to)
{
	shares(f->srp, RP_LOGBINS, f->n, to);
}

static void
fill_rtp(const struct rp_features *f, float *to)
{
	shares(f->rtp, RP_LOGBINS, f->n, to);
}

static void
narrow(const double *from, size_t n, float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)from[i];
}

static void
fill_conf(const struct rp_features *f, float *to)
{
	narrow(f->conf[0], RP_SETS * RP_CONFLICT_WAYS, to);
}

static void
fill_ratio(const struct rp_features *f, float *to)
{
	narrow(f->ratio, RP_SETS, to);
}

static void
fill_disp(const struct rp_features *f, float *to)
{
	narrow(f->disp, RP_SETS, to);
}

static void
for_each_access(const uint64_t table[][RP_LATENCIES], uint64_t n, float *to)
{
	for (size_t c = 0; c < RP_CAPACITIES; c++)
		for (size_t t = 0; t < RP_LATENCIES; t++)
			*to++ = n ? (float)((double)table[c][t] / (double)n) : 0;
}

static void
fill_mg(const struct rp_features *f, float *to)
{
	for_each_access(f->surface.merged, f->n, to);
}

static void
fill_pr(const struct rp_features *f, float *to)
{
	for_each_access(f->surface.primary, f->n, to);
}

static void
fill_pz(const struct rp_features *f, float *to)
{
	narrow(f->surface.dispersion[0], RP_CAPACITIES * RP_LATENCIES, to);
}

const struct rp_feature_column rp_feature_columns[] = {
	{ "rp", "share by reuse distance; beyond the bins; first accesses", { 0, 0 }, fill_rp },
	{ "lrp", "share by logarithmic bin of the reuse distance", { RP_LOGBINS, 0 }, fill_lrp },
	{ "srp", "the same of reuses within the window", { RP_LOGBINS, 0 }, fill_srp },
	{ "rtp", "share by logarithmic bin of the reuse time", { RP_LOGBINS, 0 }, fill_rtp },
	{ "conf", "miss ratio by sets and ways", { RP_SETS, RP_CONFLICT_WAYS }, fill_conf },
	{ "ratio", "lines in a set beside those of random placement", { RP_SETS, 0 }, fill_ratio },
	{ "disp", "their dispersion beside that", { RP_SETS, 0 }, fill_disp },
	{ "mg", "merges by capacity and latency", { RP_CAPACITIES, RP_LATENCIES }, fill_mg },
	{ "pr", "primaries by capacity and latency", { RP_CAPACITIES, RP_LATENCIES }, fill_pr },
	{ "pz", "dispersion of primaries by capacity and latency", { RP_CAPACITIES, RP_LATENCIES },
	    fill_pz },
	{ 0 },
};

const struct rp_feature_column *
rp_feature_column(const char *name)
{
	for (const struct rp_feature_column *c = rp_feature_columns; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

size_t
rp_feature_width(const struct rp_feature_column *c, uint32_t bins)
{
	if (!c->shape[0])
		return (size_t)bins + 2;
	return c->shape[0] * (c->shape[1] ? c->shape[1] : 1);
}
