/* mixture - traces whose reuse profiles are mixtures of normal distributions. */
#include "config.h"

#include "gen/mixture.h"

#include "gen/gen.h"
#include "gen/synth.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct mixture_params {
	struct rp_mixture_params mixture;
	struct rp_synth_params synth;
};

const char *const rp_recipe_names[] = { "plain", "wide", NULL };

/* `LOW..HIGH` */
static bool
parse_sigma(const char *text, struct rp_peaks_recipe *how, struct rp_err *err)
{
	char low[32];
	const char *dots = strstr(text, "..");
	size_t n = dots ? (size_t)(dots - text) : 0;
	if (n && n < sizeof low) {
		memcpy(low, text, n);
		low[n] = 0;
		if (rp_parse_double(low, &how->low, NULL) &&
		    rp_parse_double(dots + 2, &how->high, NULL) && how->low >= 0 &&
		    how->low <= how->high)
			return true;
	}
	return rp_fail(err, RP_USAGE, "sigma=%.40s: wanted LOW..HIGH, as 0..2", text);
}

static bool
parse_cold(const char *text, double *cold, struct rp_err *err)
{
	if (rp_parse_double(text, cold, NULL) && *cold >= 0 && *cold <= 1)
		return true;
	return rp_fail(err, RP_USAGE, "cold=%.40s: wanted a share from 0 to 1", text);
}

/* The peaks that the user gives. */
static bool
parse_peaks(struct rp_mixture *m, const char *text, struct rp_err *err)
{
	double sum = m->cold;
	for (m->n = 0; *text; m->n++) {
		double x[3];
		if (m->n == RP_PEAKS_MOST)
			return rp_fail(err, RP_USAGE, "at=: more than %d peaks", RP_PEAKS_MOST);
		for (int i = 0; i < 3; i++) {
			char *end;
			x[i] = strtod(text, &end);
			if (end == text || !isfinite(x[i]) || (i && x[i] < 0) ||
			    (i < 2 ? *end != ':' : *end && *end != ','))
				return rp_fail(
				    err, RP_USAGE, "at=...%.40s: wanted MU:SIGMA:WEIGHT,...", text);
			text = *end ? end + 1 : end;
		}
		m->peak[m->n] = (struct rp_peak){ x[0], x[1], x[2] };
		sum += x[2];
	}
	return fabs(sum - 1) <= 1e-9 ||
	       rp_fail(err, RP_USAGE, "at=: the weights and cold= sum to %.12g: wanted 1", sum);
}

struct rp_trace_key
rp_mixture_key(const struct rp_mixture_params *p, uint64_t seed)
{
	return (struct rp_trace_key){ seed, p->peaks, p->max_rd, p->index };
}

static bool
parse_recipe(const struct rp_mixture_params *p, struct rp_peaks_recipe *how, struct rp_err *err)
{
	*how = (struct rp_peaks_recipe){ .wide = p->recipe == 1, .cold = -1 };
	return parse_sigma(p->sigma, how, err) &&
	       (!p->cold || parse_cold(p->cold, &how->cold, err));
}

bool
rp_mixture_check(const struct rp_mixture_params *p, double sigma[2], struct rp_err *err)
{
	struct rp_peaks_recipe how;
	if (!parse_recipe(p, &how, err))
		return false;
	sigma[0] = how.low;
	sigma[1] = how.high;
	return true;
}

/* The peaks, drawn or given. */
static bool
find_peaks(struct rp_mixture *m, const struct rp_mixture_params *p, uint64_t seed, uint64_t stream,
    struct rp_err *err)
{
	struct rp_peaks_recipe how;
	struct rp_trace_key key = rp_mixture_key(p, seed);
	struct rp_xoshiro rng = rp_trace_chance(&key, "profile", stream);
	if (!parse_recipe(p, &how, err) ||
	    !(m->peak = rp_mem_array(RP_PEAKS_MOST, sizeof *m->peak, err)))
		return false;
	m->n = p->peaks;
	m->cold = how.cold >= 0 ? how.cold : 0;
	if (p->at)
		return parse_peaks(m, p->at, err);
	rp_peaks_draw(m->peak, m->n, &m->cold, p->max_rd, &how, &rng);
	return true;
}

bool
rp_mixture_make(struct rp_mixture *m, const struct rp_mixture_params *p, uint64_t seed,
    uint64_t stream, struct rp_err *err)
{
	*m = (struct rp_mixture){ 0 };
	double *share = rp_mem_array(p->max_rd, sizeof *share, err);
	bool ok = share && find_peaks(m, p, seed, stream, err);
	if (ok) {
		rp_peaks_share(m->peak, m->n, share, p->max_rd);
		ok = rp_counts_apportion(&m->counts, share, p->max_rd, m->cold, p->length, err);
	}
	free(share);
	if (!ok)
		rp_mixture_free(m);
	return ok;
}

void
rp_mixture_free(struct rp_mixture *m)
{
	free(m->peak);
	rp_counts_free(&m->counts);
	*m = (struct rp_mixture){ 0 };
}

json_t *
rp_mixture_json(const struct rp_mixture *m, struct rp_err *err)
{
	rp_emit_begin();
	json_t *peaks = json_array();
	for (size_t i = 0; i < m->n; i++)
		json_array_append_new(peaks, json_pack("{sf sf sf}", "mu", m->peak[i].mu, "sigma",
						 m->peak[i].sigma, "weight", m->peak[i].weight));
	json_t *o = json_pack("{so sf}", "peaks", peaks, "cold_weight", m->cold);
	if (rp_emit_whole(o, err))
		return o;
	json_decref(o);
	return NULL;
}

static const struct rp_opt opts[] = {
	RP_MIXTURE_ROWS(struct mixture_params),
	RP_SYNTH_ROWS(struct mixture_params),
	{ 0 },
};

struct pairs {
	struct mixture_params all;
	uint64_t seed;
};

static bool
set_pair(void *to, const char *key, const char *value, struct rp_err *err)
{
	struct pairs *p = to;
	size_t first = offsetof(struct mixture_params, mixture), i = 0;
	if (!strcmp(key, "seed"))
		return rp_parse_u64(value, &p->seed, err) || rp_err_wrap(err, "seed=");
	while (opts[i].name && strcmp(opts[i].name, key))
		i++;
	if (opts[i].name && opts[i].offset >= first + sizeof(struct rp_mixture_params))
		return rp_fail(err, RP_USAGE, "%.40s=: is no matter of the profile", key);
	return rp_opts_set(opts, &p->all, key, value, false, err);
}

bool
rp_mixture_parse(char *text, struct rp_mixture_params *p, uint64_t *seed, struct rp_err *err)
{
	struct pairs pairs = { .seed = *seed };
	const char *word;
	if (!rp_opts_default(opts, &pairs.all, err))
		return false;
	if (*text && (!rp_spec_split(text, &word, set_pair, &pairs, err) ||
			 (*word && !rp_fail(err, RP_USAGE, "'%.40s': wanted key=value,...", word))))
		return false;
	*p = pairs.all.mixture;
	*seed = pairs.seed;
	return true;
}

static bool
open_stream(struct rp_synth_stream *t, const struct mixture_params *p, uint64_t seed, uint32_t id,
    struct rp_err *err)
{
	struct rp_mixture m;
	if (!rp_mixture_make(&m, &p->mixture, seed, id, err))
		return false;
	*t = (struct rp_synth_stream){ .counts = m.counts,
		.key = rp_mixture_key(&p->mixture, seed),
		.about = rp_mixture_json(&m, err),
		.id = id };
	m.counts = (struct rp_counts){ 0 };
	rp_mixture_free(&m);
	return t->about != NULL;
}

static struct rp_source *
mixture_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct mixture_params *p = params;
	struct rp_trace_key key = rp_mixture_key(&p->mixture, seed);
	uint32_t n = p->synth.streams, made = 0;
	struct rp_synth_stream *streams = rp_mem_array(n, sizeof *streams, err);
	struct rp_source *s = NULL;
	while (streams && made < n && open_stream(&streams[made], p, seed, made, err))
		made++;
	if (streams && made == n)
		s = rp_synth_open("mixture", streams, n, &p->synth, &key, err);
	for (uint32_t i = 0; streams && i < n;
	     i++) { /* where they were taken there is nothing left */
		rp_counts_free(&streams[i].counts);
		json_decref(streams[i].about);
	}
	free(streams);
	return s;
}

const struct rp_generator rp_generator_mixture = {
	.name = "mixture",
	.what = "reuse distances drawn from a mixture of normal distributions",
	.source = "M. Cho, E.-Y. Chung, MLCRP, IEEE Access, 2025",
	.opts = opts,
	.params_bytes = sizeof(struct mixture_params),
	.open = mixture_open,
};
