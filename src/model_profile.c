/* model_profile.c - a histogram of reuse distances, as `reprise profile --json` prints it. */
#include "config.h"

#include "model_profile.h"

#include "base/mem.h"
#include "validate/sdcm.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static bool
is_count(const json_t *v)
{
	return json_is_number(v) && json_number_value(v) >= 0;
}

static bool
is_distance(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool
read_bin(struct model_profile *p, size_t i, const json_t *v, const char *path, struct rp_err *err)
{
	const json_t *low = json_array_get(v, 0), *high = json_array_get(v, 1),
		     *count = json_array_get(v, 2);
	if (json_array_size(v) != 3 || !is_distance(low) || !is_distance(high) || !is_count(count))
		return rp_fail(err, RP_INPUT,
		    "%s: histogram[%zu]: wanted [low, high, count], whole numbers from 0", path, i);
	p->bin[i] = (struct model_bin){ (uint64_t)json_integer_value(low),
		(uint64_t)json_integer_value(high), json_number_value(count) };
	if (p->bin[i].low > p->bin[i].high || (i && p->bin[i].low <= p->bin[i - 1].high))
		return rp_fail(
		    err, RP_INPUT, "%s: histogram[%zu]: its distances do not rise", path, i);
	p->lookups += p->bin[i].count;
	return true;
}

static bool
read_members(struct model_profile *p, const json_t *doc, const char *path, struct rp_err *err)
{
	const json_t *histogram = json_object_get(doc, "histogram"), *v,
		     *cold = json_object_get(doc, "cold"),
		     *footprint = json_object_get(doc, "footprint_lines"),
		     *convention = json_object_get(doc, "convention");
	size_t i;
	if (!json_is_array(histogram) || !is_count(cold))
		return rp_fail(err, RP_INPUT,
		    "%s: wanted what 'reprise profile --json' prints: an object with \"histogram\" "
		    "and \"cold\"",
		    path);
	if (convention &&
	    (!json_is_string(convention) || strcmp(json_string_value(convention), "exclusive")))
		return rp_fail(err, RP_INPUT, "%s: convention: wanted exclusive distances", path);
	p->bins = json_array_size(histogram);
	p->bin = rp_mem_array(p->bins, sizeof *p->bin, err);
	if (!p->bin)
		return false;
	json_array_foreach(histogram, i, v)
	{
		if (!read_bin(p, i, v, path, err))
			return false;
	}
	p->cold = json_number_value(cold);
	p->lookups += p->cold;
	if (is_count(footprint))
		p->footprint = (uint64_t)json_number_value(footprint);
	return true;
}

bool
model_profile_read(struct model_profile *p, const char *path, struct rp_err *err)
{
	bool standard = !strcmp(path, "-");
	json_error_t why;
	*p = (struct model_profile){ 0 };
	FILE *f = standard ? stdin : fopen(path, "rb");
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	errno = 0;
	json_t *doc = json_loadf(f, 0, &why);
	bool out = errno == ENOMEM; /* which jansson's own error does not tell */
	if (!standard)
		fclose(f);
	if (out || !doc) {
		json_decref(doc);
		return out ? rp_fail(err, RP_RESOURCE, "out of memory: reading %s", path)
		           : rp_fail(
				 err, RP_INPUT, "%s:%d: %s: wanted JSON", path, why.line, why.text);
	}
	bool ok = read_members(p, doc, path, err);
	json_decref(doc);
	if (!ok)
		model_profile_free(p);
	return ok;
}

void
model_profile_free(struct model_profile *p)
{
	free(p->bin);
	*p = (struct model_profile){ 0 };
}

double
model_profile_lru(const struct model_profile *p, uint64_t lines)
{
	double misses = p->cold;
	for (size_t i = 0; i < p->bins; i++) {
		const struct model_bin *b = &p->bin[i];
		uint64_t from = b->low > lines ? b->low : lines;
		if (from <= b->high)
			misses += b->count *
			          ((double)(b->high - from + 1) / (double)(b->high - b->low + 1));
	}
	return misses;
}

double
model_profile_sdcm(const struct model_profile *p, uint64_t ways, uint64_t lines)
{
	double misses = p->cold;
	for (size_t i = 0; i < p->bins; i++) {
		const struct model_bin *b = &p->bin[i];
		double width = (double)(b->high - b->low + 1),
		       hits = rp_sdcm_hits(b->low, b->high, ways, lines);
		misses += b->count * ((width - hits) / width);
	}
	return misses;
}
