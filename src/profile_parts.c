/* profile_parts.c - the parts of a profile's results, wherever they are kept. */
#include "config.h"

#include "profile.h"

#include <inttypes.h>
#include <stdio.h>

const char *const profile_list_name[] = { "streams", "kinds", "intervals" };

static struct profile_part
part_of(const struct rp_profile *p, enum rp_part part)
{
	return (struct profile_part){ .lookups = rp_profile_lookups(p, part),
		.footprint = rp_profile_footprint(p, part),
		.cold = rp_profile_cold(p, part),
		.profile = p,
		.part = part };
}

struct profile_part
profile_whole(const struct profile_run *run)
{
	struct profile_part p = part_of(run->whole, RP_PART_ALL);
	p.accesses = run->accesses;
	p.has_accesses = true;
	return p;
}

size_t
profile_parts(const struct profile_run *run, enum profile_list list)
{
	switch (list) {
	case PROFILE_STREAMS:
		return run->n_streams;
	case PROFILE_KINDS:
		return run->o->by_kind ? 2 : 0;
	default:
		return run->n_intervals;
	}
}

struct profile_part
profile_part(const struct profile_run *run, enum profile_list list, size_t i)
{
	struct profile_part p;
	if (list == PROFILE_STREAMS) {
		p = part_of(run->streams[i].profile, RP_PART_ALL);
		p.key = "stream";
		p.number = run->streams[i].stream;
	} else if (list == PROFILE_KINDS) {
		p = part_of(run->whole, RP_PART_READS + (enum rp_part)i);
		p.key = "kind";
		p.kind = i ? "write" : "read";
		p.footprint = -1;
	} else {
		const struct profile_interval *v = &run->intervals[i];
		p = (struct profile_part){ .key = "interval",
			.number = i,
			.accesses = v->accesses,
			.has_accesses = true,
			.lookups = v->lookups,
			.footprint = v->footprint,
			.cold = v->cold,
			.rows = run->rows + v->first,
			.n_rows = v->n };
	}
	return p;
}

void
profile_rows_begin(
    struct profile_rows *r, const struct profile_part *part, const struct rp_bins *bins)
{
	*r = (struct profile_rows){ .part = part, .bins = bins };
	if (part->profile)
		rp_walk_begin(&r->walk, part->profile, part->part);
}

bool
profile_rows_next(struct profile_rows *r, struct rp_row *row)
{
	const struct profile_part *part = r->part;
	if (part->profile)
		return r->bins ? rp_walk_next_bin(&r->walk, r->bins, row)
		               : rp_walk_next(&r->walk, row);
	if (r->at == part->n_rows)
		return false;
	*row = part->rows[r->at++];
	return true;
}

bool
profile_has_curve(const struct profile_run *run, const struct profile_part *part)
{
	return part->profile || run->bins.kind == RP_BINS_EXACT;
}

void
profile_misses(const struct profile_part *part, const uint64_t *lines, size_t n, double *ratio)
{
	struct profile_rows r;
	struct rp_row row = { 0 };
	double all = (double)part->lookups, hits = 0;
	profile_rows_begin(&r, part, NULL);
	bool more = profile_rows_next(&r, &row);
	for (size_t i = 0; i < n; i++) {
		for (; more && row.high < lines[i]; more = profile_rows_next(&r, &row))
			hits += row.count;
		ratio[i] = all > 0 ? (all - hits) / all : 0;
	}
}

unsigned
profile_windows(const struct profile_run *run)
{
	uint64_t n = rp_times_lookups(rp_profile_times(run->whole));
	return rp_log_bin(n, RP_TIME_BITS) + 1;
}

const char *
profile_bins_name(const struct profile_run *run, char *to)
{
	static const char *const name[] = { "exact", "linear", "log" };
	if (run->bins.kind == RP_BINS_LINEAR)
		snprintf(to, 40, "linear:%" PRIu64, run->bins.width);
	else
		snprintf(to, 40, "%s", name[run->bins.kind]);
	return to;
}
