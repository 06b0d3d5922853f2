/* counts.c - reuse profiles in whole accesses. */
#include "config.h"

#include "gen/counts.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool
rp_counts_new(struct rp_counts *c, size_t n, struct rp_err *err)
{
	*c = (struct rp_counts){ .n = n };
	return (c->count = rp_mem_array(n, sizeof *c->count, err)) != NULL;
}

bool
rp_counts_copy(struct rp_counts *to, const struct rp_counts *from, struct rp_err *err)
{
	if (!rp_counts_new(to, from->n, err))
		return false;
	if (from->n)
		memcpy(to->count, from->count, from->n * sizeof *to->count);
	to->cold = from->cold;
	return true;
}

void
rp_counts_free(struct rp_counts *c)
{
	free(c->count);
	*c = (struct rp_counts){ 0 };
}

uint64_t
rp_counts_sum(const struct rp_counts *c)
{
	uint64_t sum = c->cold;
	for (size_t d = 0; d < c->n; d++)
		sum += c->count[d];
	return sum;
}

size_t
rp_counts_depth(const struct rp_counts *c)
{
	size_t n = c->n;
	while (n && !c->count[n - 1])
		n--;
	return n;
}

static uint64_t
apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint64_t
rp_counts_l1(const struct rp_counts *a, const struct rp_counts *b)
{
	uint64_t l1 = apart(a->cold, b->cold);
	for (size_t d = 0; d < a->n || d < b->n; d++)
		l1 += apart(d < a->n ? a->count[d] : 0, d < b->n ? b->count[d] : 0);
	return l1;
}

/* A number of accesses: a whole one, not negative, of 32 bits. */
static bool
count_of(const json_t *v, const char *what, uint64_t *out, struct rp_err *err)
{
	if (json_is_integer(v) && json_integer_value(v) >= 0 &&
	    json_integer_value(v) <= RP_ACCESSES_MOST) {
		*out = (uint64_t)json_integer_value(v);
		return true;
	}
	char *found = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	rp_fail(err, RP_INPUT, "%s is %.40s: wanted a whole number from 0 to %" PRIu32, what,
	    found ? found : "?", RP_ACCESSES_MOST);
	free(found);
	return false;
}

/* Adds to a distance, making room for it. */
static bool
add(struct rp_counts *c, uint64_t distance, const json_t *v, const char *what, struct rp_err *err)
{
	uint64_t n;
	if (!count_of(v, what, &n, err))
		return false;
	if (distance >= RP_COUNTS_MOST)
		return rp_fail(err, RP_INPUT, "distance %" PRIu64 ": wanted less than %d", distance,
		    RP_COUNTS_MOST);
	if (distance >= c->n) {
		size_t room = distance < RP_COUNTS_MOST / 2 ? 2 * (size_t)distance + 16
		                                            : (size_t)RP_COUNTS_MOST;
		uint32_t *more = rp_mem_grow(c->count, room, sizeof *more, err);
		if (!more)
			return false;
		memset(more + c->n, 0, (room - c->n) * sizeof *more);
		c->count = more;
		c->n = room;
	}
	if (n > (uint32_t)RP_ACCESSES_MOST - c->count[distance])
		return rp_fail(
		    err, RP_INPUT, "%s: more than %" PRIu32 " accesses", what, RP_ACCESSES_MOST);
	c->count[distance] += (uint32_t)n;
	return true;
}

static bool
from_counts(struct rp_counts *c, const json_t *counts, struct rp_err *err)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)counts, key, v)
	{
		uint64_t distance;
		char what[64];
		snprintf(what, sizeof what, "\"counts\": \"%.40s\"", key);
		if (*key < '0' || *key > '9' || (*key == '0' && key[1]) ||
		    !rp_parse_u64(key, &distance, NULL))
			return rp_fail(
			    err, RP_INPUT, "%s: wanted a reuse distance, a whole number", what);
		if (!add(c, distance, v, what, err))
			return false;
	}
	return true;
}

static bool
from_histogram(struct rp_counts *c, const json_t *bins, struct rp_err *err)
{
	size_t i;
	json_t *bin;
	json_array_foreach(bins, i, bin)
	{
		json_t *low = json_array_get(bin, 0), *high = json_array_get(bin, 1);
		char what[64];
		snprintf(what, sizeof what, "\"histogram\": bin %zu", i);
		if (json_array_size(bin) != 3 || !json_is_integer(low) || !json_is_integer(high) ||
		    json_integer_value(low) < 0)
			return rp_fail(err, RP_INPUT, "%s: wanted [low, high, count]", what);
		if (json_integer_value(low) != json_integer_value(high))
			return rp_fail(err, RP_INPUT,
			    "%s holds distances %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
			    ": wanted a distance a bin (profile without --bins)",
			    what, json_integer_value(low), json_integer_value(high));
		if (!add(c, (uint64_t)json_integer_value(low), json_array_get(bin, 2), what, err))
			return false;
	}
	return true;
}

bool
rp_counts_from_json(struct rp_counts *c, const json_t *from, struct rp_err *err)
{
	const json_t *counts = json_object_get(from, "counts"),
		     *bins = json_object_get(from, "histogram"),
		     *cold = json_object_get(from, "cold");
	if (!json_is_object(counts) && !json_is_array(bins))
		return rp_fail(err, RP_INPUT,
		    "found neither \"counts\" nor \"histogram\": wanted {\"counts\": {\"0\": 3, "
		    "...}, \"cold\": 6}");
	if ((cold && !count_of(cold, "\"cold\"", &c->cold, err)) ||
	    !(json_is_object(counts) ? from_counts(c, counts, err) : from_histogram(c, bins, err)))
		return false;
	uint64_t sum = rp_counts_sum(c);
	if (sum == 0 || sum > RP_ACCESSES_MOST)
		return rp_fail(err, RP_INPUT,
		    "the counts sum to %" PRIu64 ": wanted 1 to %" PRIu32 " accesses", sum,
		    RP_ACCESSES_MOST);
	return true;
}

json_t *
rp_counts_json(const struct rp_counts *c)
{
	json_t *counts = json_object();
	char key[24];
	for (size_t d = 0; d < c->n; d++)
		if (c->count[d]) {
			snprintf(key, sizeof key, "%zu", d);
			json_object_set_new(counts, key, json_integer(c->count[d]));
		}
	return json_pack("{so sI}", "counts", counts, "cold", (json_int_t)c->cold);
}

struct remainder {
	double part;
	size_t at;
};

static int
larger_first(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;
	if (x->part != y->part)
		return x->part < y->part ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

bool
rp_counts_apportion(struct rp_counts *c, const double *share, size_t n, double cold,
    uint64_t length, struct rp_err *err)
{
	struct remainder *left = rp_mem_array(n + 1, sizeof *left, err);
	if (!left || !rp_counts_new(c, n, err)) {
		free(left);
		return false;
	}
	uint64_t given = 0;
	for (size_t d = 0; d <= n; d++) {
		double x = (d < n ? share[d] : cold) * (double)length, whole = floor(x);
		left[d] = (struct remainder){ x - whole, d };
		given += (uint64_t)whole;
		if (d < n)
			c->count[d] = (uint32_t)whole;
		else
			c->cold = (uint64_t)whole;
	}
	qsort(left, n + 1, sizeof *left, larger_first);
	for (size_t i = 0; given < length; i = i < n ? i + 1 : 0, given++) {
		if (left[i].at < n)
			c->count[left[i].at]++;
		else
			c->cold++;
	}
	free(left);
	return true;
}

uint64_t
rp_counts_repair(struct rp_counts *c, uint64_t prewarm)
{
	uint64_t moved = 0;
	for (size_t depth = rp_counts_depth(c); depth > c->cold + prewarm;) {
		uint64_t missing = depth - c->cold - prewarm, n = c->count[depth - 1];
		/* The depth stays while some are left there; with the last one it may fall, and then less is missing. */
		n = n < missing ? n : missing;
		c->count[depth - 1] -= (uint32_t)n;
		c->cold += n;
		moved += n;
		while (depth && !c->count[depth - 1])
			depth--;
	}
	return moved;
}
