/* measure.c - a stream of accesses made into rows of a data set. */
#include "config.h"

#include "learn/measure.h"

#include "base/mem.h"

#include <inttypes.h>

enum { INTERVAL_MOST = UINT32_MAX }; /* counts of features are 32 bits */

struct rp_measure {
	struct rp_measure_opts o;
	struct rp_buf *out;
	struct rp_extractor *extractor;
	struct rp_labeller *labeller;
	struct rp_label *label;
	struct rp_features features;
	uint64_t interval, rows, accesses; /* its number; appended; before it */
	bool warm;                         /* accesses are in that do not count */
};

struct rp_measure *
rp_measure_new(const struct rp_measure_opts *o, struct rp_buf *out, struct rp_err *err)
{
	struct rp_extractor_opts how = {
		.bins = RP_ROW_BINS, .sample = o->sample, .seed = o->seed
	};
	struct rp_measure *m = rp_mem_array(1, sizeof *m, err);
	if (!m)
		return NULL;
	m->o = *o;
	m->out = out;
	if (!(m->extractor = rp_extractor_new(&how, err)) ||
	    !(m->label = rp_mem_array(o->caches, sizeof *m->label, err)) ||
	    !(m->labeller = rp_labeller_new(o->cache, o->caches, o->seed, err))) {
		rp_measure_free(m);
		return NULL;
	}
	return m;
}

void
rp_measure_free(struct rp_measure *m)
{
	if (!m)
		return;
	rp_extractor_free(m->extractor);
	rp_labeller_free(m->labeller);
	rp_features_free(&m->features);
	free(m->label);
	free(m);
}

uint64_t
rp_measure_rows(const struct rp_measure *m)
{
	return m->rows;
}

static bool
see(struct rp_measure *m, const uint64_t *line, size_t n, struct rp_err *err)
{
	return rp_extractor_add(m->extractor, line, n, err) &&
	       rp_labeller_add(m->labeller, line, n, err);
}

/* Ends what is counted at once. */
static bool
cut(struct rp_measure *m, struct rp_err *err)
{
	rp_labeller_take(m->labeller, m->label);
	return rp_extractor_take(m->extractor, &m->features, err);
}

bool
rp_measure_warm(struct rp_measure *m, const uint64_t *line, size_t n, struct rp_err *err)
{
	m->warm |= n > 0;
	return see(m, line, n, err);
}

static bool
put_rows(struct rp_measure *m, struct rp_err *err)
{
	struct rp_trace_row row = m->o.row;
	row.interval = m->interval;
	row.first = m->accesses;
	row.samples = (uint32_t)m->o.caches;
	rp_row_features(&row, &m->features);
	if (!rp_row_put(m->out, &row, m->features.rp, m->o.requested, err))
		return false;
	for (size_t i = 0; i < m->o.caches; i++) {
		const struct rp_label_cache *c = m->o.cache + i;
		struct rp_prior_cache like = { c->sets, c->ways, c->latency, c->entries };
		struct rp_sample_row sample = { .cache = *c,
			.count = m->label[i],
			.rates = rp_label_rates(m->label + i),
			.prior = rp_prior(&m->features, &like) };
		if (!rp_sample_put(m->out, &sample, err))
			return false;
	}
	m->rows++;
	return true;
}

static bool
end_interval(struct rp_measure *m, struct rp_err *err)
{
	if (!cut(m, err) ||
	    ((m->o.every <= 1 || m->interval % m->o.every == 0) && !put_rows(m, err)))
		return false;
	m->accesses += m->features.n;
	m->interval++;
	if (!m->o.reset)
		return true;
	rp_extractor_forget(m->extractor);
	return rp_labeller_reset(m->labeller, err);
}

bool
rp_measure_add(struct rp_measure *m, const uint64_t *line, size_t n, struct rp_err *err)
{
	if (m->warm && !cut(m, err))
		return false;
	m->warm = false;
	while (n) {
		uint64_t most = m->o.interval ? m->o.interval : INTERVAL_MOST,
			 left = most - rp_extractor_accesses(m->extractor);
		size_t some = n < left ? n : (size_t)left;
		if (!m->o.interval && !left)
			return rp_fail(err, RP_USAGE,
			    "more than %" PRIu64 " accesses in one interval: say --interval N",
			    most);
		if (!see(m, line, some, err) ||
		    (m->o.interval && some == left && !end_interval(m, err)))
			return false;
		line += some;
		n -= some;
	}
	return true;
}

bool
rp_measure_end(struct rp_measure *m, struct rp_err *err)
{
	return m->warm || !rp_extractor_accesses(m->extractor) || end_interval(m, err);
}
