/* rpz_write.c - writes an .rpz file.
 *
 * Rows are gathered in blocks; a full one is a job for whichever thread is free, and blocks are written in order, so
 * the file does not depend on the number of threads. Launches of kernels go out before the block that holds their rows,
 * for readers of a pipe; everything else that is known of the trace stands at the end. */
#include "config.h"

#include "traces/format/rpz.h"
#include "base/work.h"
#include "traces/format/rpz_encode.h"
#include "traces/format/rpz_index.h"
#include "traces/format/rpz_layout.h"
#include "traces/format/rpz_meta.h"

enum {
	LEVEL = 9,
	BLOCK = RP_RPZ_ROWS_MOST, /* each block learns anew what a program repeats */
	SMALL_LEVEL = 19,         /* where size is all that counts */
	LEVEL_MOST = 22,
	PAIRS = 1 << 16,
	PAIRS_MOST = RP_RPZ_OPS_MOST /* of kind and flags, in a block */
};

struct job {
	struct rp_batch *rows;
	uint64_t position;
	struct rp_rpz_encoder *encoder;
	struct rp_buf launches, chunk;
	struct rp_rpz_summary summary;
	bool ok;
	struct rp_err err;
};

struct writer {
	const struct rp_trace *trace;
	struct rp_work *work;
	struct job *jobs, *job; /* the one being filled */
	size_t n_jobs;
	uint64_t position, at; /* rows given out; bytes written */
	struct rp_rpz_launched launched;
	struct rp_rpz_index index;
	struct rp_buf buf;
	unsigned pairs; /* of kind and flags in the block so far */
	uint16_t pair[PAIRS_MOST];
	bool seen[PAIRS];
};

static void
encode(void *p)
{
	struct job *j = p;
	j->chunk.n = 0;
	j->ok = rp_rpz_encode(j->encoder, j->rows, j->position, &j->chunk, &j->summary, &j->err);
}

static bool
put(struct writer *w, struct rp_out *out, const struct rp_buf *b, struct rp_err *err)
{
	w->at += b->n;
	return !b->n || rp_out_write(out, b->bytes, b->n, err);
}

/* Writes and empties w->buf. */
static bool
put_buf(struct writer *w, struct rp_out *out, struct rp_err *err)
{
	bool ok = put(w, out, &w->buf, err);
	w->buf.n = 0;
	return ok;
}

static bool
make_jobs(
    struct writer *w, unsigned threads, uint32_t block, int level, bool table, struct rp_err *err)
{
	w->n_jobs = threads > 1 ? threads + 1 : 1;
	w->jobs = rp_mem_array(w->n_jobs, sizeof *w->jobs, err);
	for (size_t i = 0; w->jobs && i < w->n_jobs; i++) {
		struct job *j = &w->jobs[i];
		j->rows = rp_batch_new(block, w->trace->columns, err);
		j->encoder = j->rows
		                 ? rp_rpz_encoder_new(block, w->trace->columns, level, table, err)
		                 : NULL;
		if (!j->encoder)
			return false;
	}
	if (!w->jobs)
		return false;
	w->work = rp_work_new(threads, encode, w->jobs, sizeof *w->jobs, w->n_jobs, err);
	w->job = w->work ? rp_work_slot(w->work) : NULL;
	return w->job != NULL;
}

static bool
begin(void *state, struct rp_out *out, const struct rp_trace *t, const struct rp_write_opts *o,
    struct rp_err *err)
{
	struct writer *w = state;
	int level = o->level ? o->level : o->small ? SMALL_LEVEL : LEVEL;
	uint32_t block = o->block ? o->block : BLOCK;
	const struct rp_rpz_head head = { block, t->columns & RP_COL_ALL };
	if (level < 1 || level > LEVEL_MOST)
		return rp_fail(
		    err, RP_USAGE, "level %d of .rpz is none of 1 to %d", level, LEVEL_MOST);
	if (block > RP_RPZ_ROWS_MOST)
		return rp_fail(err, RP_USAGE, "blocks of %u accesses: .rpz has at most %d", block,
		    RP_RPZ_ROWS_MOST);
	w->trace = t;
	w->index.totals.level = (uint32_t)level;
	unsigned char *to = rp_buf_reserve(&w->buf, RP_RPZ_HEAD, err);
	if (!to)
		return false;
	rp_rpz_put_head(to, &head);
	w->buf.n += RP_RPZ_HEAD;
	return make_jobs(w, o->threads, block, level, !o->no_table, err) &&
	       rp_rpz_meta_add(t, &w->buf, err) && put_buf(w, out, err);
}

/* Writes the oldest block given out; true when there is none. */
static bool
put_oldest(struct writer *w, struct rp_out *out, struct rp_err *err)
{
	struct job *j = rp_work_take(w->work);
	size_t streams;
	if (!j)
		return true;
	if (!j->ok) {
		*err = j->err;
		return false;
	}
	const uint32_t *stream = rp_rpz_encoder_streams(j->encoder, &streams);
	if (!put(w, out, &j->launches, err))
		return false;
	j->summary.offset = w->at;
	bool ok = put(w, out, &j->chunk, err) &&
	          rp_rpz_index_add(&w->index, &j->summary, stream, streams, err);
	if (ok && w->index.n == RP_RPZ_PAGE)
		ok = rp_rpz_index_page(&w->index, w->at, &w->buf, err) && put_buf(w, out, err);
	rp_batch_clear(j->rows);
	j->launches.n = 0;
	rp_work_return(w->work);
	return ok;
}

/* Gives out the block that is being filled. */
static bool
give(struct writer *w, struct rp_out *out, struct rp_err *err)
{
	struct job *j = w->job;
	if (!rp_rpz_launches_add(w->trace, &w->launched, &j->launches, err))
		return false;
	j->position = w->position;
	w->position += j->rows->n;
	for (; w->pairs; w->pairs--)
		w->seen[w->pair[w->pairs - 1]] = false;
	rp_work_give(w->work);
	while (!(w->job = rp_work_slot(w->work)))
		if (!put_oldest(w, out, err))
			return false;
	return true;
}

/* How many rows of b from `from` on the block can take: its room, and no more pairs of kind and flags than ops. */
static size_t
fitting(struct writer *w, const struct rp_batch *b, size_t from)
{
	size_t room = w->job->rows->cap - w->job->rows->n, n = b->n - from, i;
	n = n < room ? n : room;
	for (i = 0; i < n; i++) {
		unsigned pair = b->kind[from + i] * 256u + (b->flags ? b->flags[from + i] : 0);
		if (w->seen[pair])
			continue;
		if (w->pairs == PAIRS_MOST)
			break;
		w->seen[pair] = true;
		w->pair[w->pairs++] = (uint16_t)pair;
	}
	return i;
}

static bool
write_rows(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	struct writer *w = state;
	for (size_t from = 0; from < b->n;) {
		size_t n = fitting(w, b, from);
		rp_batch_append(w->job->rows, b, from, n);
		from += n;
		if ((from < b->n || w->job->rows->n == w->job->rows->cap) && !give(w, out, err))
			return false;
	}
	return true;
}

/* Metadata, the rest of the index, the footer, where the footer is. */
static bool
put_end(struct writer *w, struct rp_out *out, struct rp_err *err)
{
	unsigned char trailer[RP_RPZ_TRAILER];
	if (!rp_rpz_launches_add(w->trace, &w->launched, &w->buf, err))
		return false;
	w->index.totals.meta = w->at + w->buf.n;
	if (!rp_rpz_meta_add(w->trace, &w->buf, err) ||
	    !rp_rpz_index_page(&w->index, w->at + w->buf.n, &w->buf, err))
		return false;
	rp_rpz_put_trailer(trailer, w->at + w->buf.n);
	return rp_rpz_index_footer(&w->index, &w->buf, err) &&
	       rp_buf_add(&w->buf, trailer, sizeof trailer, err) && put_buf(w, out, err);
}

static bool
end(void *state, struct rp_out *out, struct rp_err *err)
{
	struct writer *w = state;
	if (w->job->rows->n && !give(w, out, err))
		return false;
	while (w->index.totals.rows < w->position)
		if (!put_oldest(w, out, err))
			return false;
	return put_end(w, out, err);
}

static void
release(void *state)
{
	struct writer *w = state;
	rp_work_free(w->work);
	for (size_t i = 0; w->jobs && i < w->n_jobs; i++) {
		rp_batch_free(w->jobs[i].rows);
		rp_rpz_encoder_free(w->jobs[i].encoder);
		rp_buf_free(&w->jobs[i].launches);
		rp_buf_free(&w->jobs[i].chunk);
	}
	free(w->jobs);
	rp_rpz_index_free(&w->index);
	rp_buf_free(&w->buf);
}

const struct rp_writer rp_rpz_writer = {
	.state_bytes = sizeof(struct writer),
	.begin = begin,
	.write = write_rows,
	.end = end,
	.release = release,
	.keeps = RP_COL_ALL,
	.sizes = true,
};
