/* rows.c - what a data set has of a trace, as bytes.
 *
 * A row is its struct as it is in memory, then the bytes that its counts take packed, then these. Blocks are read again by the
 * same program only (src/label_journal.c), which checks their hash. */
#include "config.h"

#include "learn/rows.h"

#include "base/pack.h"

#include <string.h>

void
rp_row_features(struct rp_trace_row *row, const struct rp_features *f)
{
	double n = f->n ? (double)f->n : 1;
	row->n = f->n;
	row->cold = f->cold;
	row->n_peaks = f->n_peaks;
	row->seen_max_rd = f->max_rd;
	for (int s = 0; s < RP_SETS; s++) {
		for (int w = 0; w < RP_CONFLICT_WAYS; w++)
			row->conf[s][w] = (float)f->conf[s][w];
		row->ratio[s] = (float)f->ratio[s];
		row->disp[s] = (float)f->disp[s];
	}
	for (int c = 0; c < RP_CAPACITIES; c++)
		for (int t = 0; t < RP_LATENCIES; t++) {
			row->mg[c][t] = (float)((double)f->surface.merged[c][t] / n);
			row->pr[c][t] = (float)((double)f->surface.primary[c][t] / n);
			row->pz[c][t] = (float)f->surface.dispersion[c][t];
		}
	memcpy(row->lrp, f->lrp, sizeof row->lrp);
	memcpy(row->srp, f->srp, sizeof row->srp);
	memcpy(row->rtp, f->rtp, sizeof row->rtp);
}

static bool
put_counts(struct rp_buf *to, const uint32_t *counts, struct rp_err *err)
{
	size_t room = rp_pack_room(RP_ROW_RP);
	uint64_t packed[room / 8 + 1];
	/* What packing leaves out is written to files, and hashed. */
	memset(packed, 0, sizeof packed);
	uint32_t bytes =
	    counts ? (uint32_t)rp_pack32((unsigned char *)packed, counts, RP_ROW_RP) : 0;
	return rp_buf_add(to, &bytes, sizeof bytes, err) && rp_buf_add(to, packed, bytes, err);
}

bool
rp_row_put(struct rp_buf *to, const struct rp_trace_row *row, const uint32_t *rp,
    const uint32_t *requested, struct rp_err *err)
{
	return rp_buf_add(to, row, sizeof *row, err) && put_counts(to, rp, err) &&
	       put_counts(to, requested, err);
}

bool
rp_sample_put(struct rp_buf *to, const struct rp_sample_row *row, struct rp_err *err)
{
	return rp_buf_add(to, row, sizeof *row, err);
}

static bool
take(const unsigned char **at, const unsigned char *end, void *to, size_t n)
{
	if ((size_t)(end - *at) < n)
		return false;
	memcpy(to, *at, n);
	*at += n;
	return true;
}

static bool
get_counts(const unsigned char **at, const unsigned char *end, uint32_t *counts)
{
	uint32_t bytes;
	if (!take(at, end, &bytes, sizeof bytes) || (size_t)(end - *at) < bytes)
		return false;
	if (!bytes)
		memset(counts, 0, RP_ROW_RP * sizeof *counts);
	else
		rp_unpack32(*at, counts, RP_ROW_RP);
	*at += bytes;
	return true;
}

bool
rp_row_get(const unsigned char **at, const unsigned char *end, struct rp_trace_row *row,
    uint32_t *rp, uint32_t *requested)
{
	return take(at, end, row, sizeof *row) && get_counts(at, end, rp) &&
	       get_counts(at, end, requested);
}

bool
rp_sample_get(const unsigned char **at, const unsigned char *end, struct rp_sample_row *row)
{
	return take(at, end, row, sizeof *row);
}
