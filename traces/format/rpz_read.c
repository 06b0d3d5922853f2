/* rpz_read.c - a source over an .rpz file.
 *
 * The caller's thread reads chunks in order and gives blocks out as jobs; whoever is free checks and unpacks them; the
 * caller's thread takes them back in order and hands on their rows. What goes wrong while reading ahead is told only
 * when all rows before it are delivered.
 *
 * Rows of one stream are decoded straight into the caller's batches, with any number of threads: the unpacked columns
 * of a block are small, but its rows are 1.7 MB, which cost more to bring from one core's cache to another's than to
 * make. Rows of several streams are needed as a whole to be put in order; that is part of the job. */
#include "config.h"

#include "traces/format/rpz_reader.h"
#include "base/hash.h"

#include <inttypes.h>

static bool
deep_check(const struct rp_rpz_job *j, struct rp_err *err)
{
	uint32_t hash = (uint32_t)rp_hash_bytes(j->rows->addr, j->rows->n * sizeof *j->rows->addr);
	return !j->part->deep || hash == j->chunk.addr_hash ||
	       rp_fail(err, RP_INPUT, "damaged: decoded addresses have another hash");
}

static bool
room_for_all(struct rp_rpz_job *j)
{
	if (j->rows && j->rows->cap >= j->chunk.n) {
		rp_batch_clear(j->rows);
		return true;
	}
	rp_batch_free(j->rows);
	j->rows = rp_batch_new(j->chunk.n, j->head->columns, &j->err);
	return j->rows != NULL;
}

/* A job, in whichever thread. */
static void
decode(void *p)
{
	struct rp_rpz_job *j = p;
	j->ok = rp_rpz_unpack(
	    j->decoder, j->head, &j->chunk, j->payload.bytes, !j->part->unchecked, &j->err);
	j->at = 0;
	j->wanted = 0;
	if (!j->ok || (!j->whole && !rp_rpz_mixed(j->decoder)))
		return;
	j->ok = room_for_all(j) && rp_rpz_rows_next(j->decoder, j->rows, &j->err) >= 0 &&
	        deep_check(j, &j->err);
}

/* The next block's rows are at hand, or are to be decoded as they are pulled. */
static bool
take_job(struct rp_rpz_reader *r, struct rp_err *err)
{
	for (;;) {
		rp_rpz_reader_read_ahead(r);
		struct rp_rpz_job *j = rp_work_take(r->work);
		if (!j)
			return false;
		if (r->part.salvage && j->chunk.position > r->rows) {
			uint64_t lost = j->chunk.position - r->rows;
			rp_trace_skip(r->source.trace, "damaged", lost);
			rp_rpz_reader_tell(r, "%" PRIu64 " rows are missing after access %" PRIu64,
			    lost, r->accesses);
		}
		r->rows = j->chunk.position;
		if (j->ok) {
			r->job = j;
			return true;
		}
		if (!r->part.salvage || j->err.code != RP_INPUT) {
			*err = j->err;
			return rp_err_wrap(err,
			    "%s: block %" PRIu64 " at offset %" PRIu64 ", after access %" PRIu64,
			    r->feed.name, r->blocks, j->offset, r->accesses);
		}
		rp_rpz_reader_tell(r,
		    "block at offset %" PRIu64 ": %s; %" PRIu32 " rows are left out", j->offset,
		    j->err.text, j->chunk.n);
		rp_trace_skip(r->source.trace, "damaged", j->chunk.n);
		r->rows += j->chunk.n;
		rp_work_return(r->work);
	}
}

/* What the index should say of a block, for verifying it. */
static bool
observe(struct rp_rpz_reader *r, const struct rp_rpz_job *j, struct rp_err *err)
{
	size_t streams;
	const uint32_t *stream = rp_rpz_decoder_streams(j->decoder, &streams);
	struct rp_rpz_summary s = { .offset = j->offset };
	rp_rpz_summarise(j->rows, j->chunk.position, stream, streams, &s);
	return rp_rpz_index_add(r->part.observed, &s, stream, streams, err);
}

/* The block at hand has been delivered. */
static bool
return_job(struct rp_rpz_reader *r, struct rp_err *err)
{
	struct rp_rpz_job *j = r->job;
	uint32_t marks = rp_rpz_decoder_marks(j->decoder);
	if (r->part.only && rp_rpz_mixed(j->decoder))
		rp_trace_skip(r->source.trace, "stream", j->chunk.n - marks - j->wanted);
	bool ok = !r->part.observed || observe(r, j, err);
	r->rows += j->chunk.n;
	r->marks += marks;
	r->blocks++;
	r->job = NULL;
	rp_work_return(r->work);
	return ok;
}

/* The block's next rows into `out`: how many, 0 at its end, -1 on error. */
static ptrdiff_t
next_rows(struct rp_rpz_reader *r, struct rp_batch *out, struct rp_err *err)
{
	struct rp_rpz_job *j = r->job;
	if (rp_rpz_mixed(j->decoder)) {
		const struct rp_rpz_filter f = { r->part.only, r->part.stream };
		size_t marks = out->marks, got = rp_rpz_order_next(j->decoder, j->rows, &f, out);
		j->wanted += got - (out->marks - marks);
		return (ptrdiff_t)got;
	}
	if (!j->whole) {
		ptrdiff_t n = rp_rpz_rows_next(j->decoder, out, err);
		if (n < 0)
			rp_err_wrap(err,
			    "%s: block %" PRIu64 " at offset %" PRIu64 ", after access %" PRIu64,
			    r->feed.name, r->blocks, j->offset, r->accesses);
		return n;
	}
	size_t n = j->rows->n - j->at, room = out->cap - out->n;
	n = n < room ? n : room;
	rp_batch_append(out, j->rows, j->at, n);
	j->at += n;
	return (ptrdiff_t)n;
}

/* Of the rows aside, those that are wanted, into `out`. */
static void
sift(struct rp_rpz_reader *r, struct rp_batch *out)
{
	const struct rp_batch *b = r->aside;
	for (size_t i = 0; i < b->n; i++) {
		uint32_t stream = b->stream ? b->stream[i] : 0;
		if (b->kind[i] >= RP_MARKS)
			rp_batch_append(out, b, i, 1);
		else if (r->part.only && stream != r->part.stream)
			rp_trace_skip(r->source.trace, "stream", 1);
		else if (r->skip_left)
			r->skip_left--;
		else
			rp_batch_append(out, b, i, 1);
	}
}

/* Delivers from the block at hand; *n rows, which may be 0 while there are more. false at its end. */
static bool
deliver(struct rp_rpz_reader *r, struct rp_batch *out, ptrdiff_t *n, struct rp_err *err)
{
	size_t before = out->n;
	if (!r->skip_left && !r->part.only) {
		*n = next_rows(r, out, err);
		return *n > 0;
	}
	/* Aside only as many rows as `out` has room for. */
	size_t room = out->cap - out->n;
	rp_batch_clear(r->aside);
	r->aside->cap = room < RP_BATCH ? room : RP_BATCH;
	*n = next_rows(r, r->aside, err);
	if (*n <= 0)
		return false;
	sift(r, out);
	*n = (ptrdiff_t)(out->n - before);
	return true;
}

/* What the footer says of the rows that were read. */
static bool
totals_agree(struct rp_rpz_reader *r, struct rp_err *err)
{
	if (!r->ended_by_footer)
		return true;
	const struct rp_rpz_totals *t = &r->totals;
	if (r->part.salvage) {
		if (t->rows > r->rows) {
			rp_trace_skip(r->source.trace, "damaged", t->rows - r->rows);
			rp_rpz_reader_tell(r, "%" PRIu64 " rows are missing after access %" PRIu64,
			    t->rows - r->rows, r->accesses);
		}
		return true;
	}
	if (t->rows == r->rows && t->marks == r->marks && t->blocks == r->blocks)
		return true;
	return rp_fail(err, RP_INPUT,
	    "%s: damaged: %" PRIu64 " rows in %" PRIu64 " blocks, but the footer tells of %" PRIu64
	    " in %" PRIu64,
	    r->feed.name, r->rows, r->blocks, t->rows, t->blocks);
}

/* All blocks are delivered: true if that is all there should be. */
static bool
ended_well(struct rp_rpz_reader *r, struct rp_err *err)
{
	if (r->end == RP_RPZ_ENDED)
		return totals_agree(r, err);
	if (r->part.salvage && (r->end == RP_RPZ_CUT_SHORT || r->why.code == RP_INPUT)) {
		rp_rpz_reader_tell(r, "cut short after access %" PRIu64, r->accesses);
		r->end = RP_RPZ_ENDED;
		return true;
	}
	if (r->end == RP_RPZ_CUT_SHORT)
		return rp_fail(err, RP_INPUT, "%s: cut short after access %" PRIu64, r->feed.name,
		    r->accesses);
	*err = r->why;
	size_t n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, ", after access %" PRIu64, r->accesses);
	return false;
}

static ptrdiff_t
pull_rows(struct rp_rpz_reader *r, struct rp_batch *out, struct rp_err *err)
{
	size_t before = out->n;
	while (out->n < out->cap) {
		struct rp_err bad = { 0 };
		size_t marks = out->marks;
		ptrdiff_t n = 0;
		if (!r->job && !take_job(r, &bad)) {
			r->finished = !bad.code && ended_well(r, &bad);
			if (r->finished)
				break;
			n = -1;
		} else if (deliver(r, out, &n, &bad)) {
			r->accesses += (uint64_t)n - (out->marks - marks);
			continue;
		} else if (n >= 0) {
			if (return_job(r, &bad))
				continue;
		}
		r->pending = true;
		r->error = bad;
		break;
	}
	if (out->n == before && r->pending) {
		*err = r->error;
		return -1;
	}
	r->source.trace->part = r->part.skip + r->accesses;
	return (ptrdiff_t)(out->n - before);
}

static ptrdiff_t
pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct rp_rpz_reader *r = (struct rp_rpz_reader *)s;
	if (r->pending) {
		*err = r->error;
		return -1;
	}
	return r->finished ? 0 : pull_rows(r, out, err);
}

static void
close_reader(struct rp_source *s)
{
	struct rp_rpz_reader *r = (struct rp_rpz_reader *)s;
	rp_work_free(r->work);
	for (size_t i = 0; r->jobs && i < r->n_jobs; i++) {
		rp_rpz_decoder_free(r->jobs[i].decoder);
		rp_batch_free(r->jobs[i].rows);
		rp_buf_free(&r->jobs[i].payload);
	}
	free(r->jobs);
	rp_batch_free(r->aside);
	rp_buf_free(&r->footer);
	rp_buf_free(&r->page);
	rp_buf_free(&r->scratch);
	rp_rpz_feed_close(&r->feed);
	rp_trace_free(r->source.trace);
	free(r);
}

static bool
make_jobs(struct rp_rpz_reader *r, unsigned threads, struct rp_err *err)
{
	r->n_jobs = threads > 1 ? threads + 1 : 1;
	r->jobs = rp_mem_array(r->n_jobs, sizeof *r->jobs, err);
	for (size_t i = 0; r->jobs && i < r->n_jobs; i++) {
		struct rp_rpz_job *j = &r->jobs[i];
		j->head = &r->head;
		j->part = &r->part;
		j->whole = r->part.deep || r->part.salvage;
		j->decoder = rp_rpz_decoder_new(r->part.passes, err);
		if (!j->decoder)
			return false;
	}
	r->aside = r->jobs ? rp_batch_new(RP_BATCH, r->head.columns, err) : NULL;
	r->work = r->aside ? rp_work_new(threads, decode, r->jobs, sizeof *r->jobs, r->n_jobs, err)
	                   : NULL;
	return r->work != NULL;
}

static bool
open_head(struct rp_rpz_reader *r, struct rp_err *err)
{
	const unsigned char *head;
	ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_HEAD, &head, err);
	if (n < 0)
		return false;
	if (n < RP_RPZ_HEAD)
		return rp_fail(err, RP_INPUT, "%s: cut short in the file header", r->feed.name);
	if (!rp_rpz_get_head(head, &r->head, err))
		return rp_err_wrap(err, "%s", r->feed.name);
	r->source.trace->columns = r->head.columns;
	return rp_rpz_feed_take(&r->feed, RP_RPZ_HEAD, &r->scratch, err) == RP_RPZ_HEAD;
}

struct rp_source *
rp_rpz_open(const char *path, struct rp_bytes *in, const struct rp_read_opts *o,
    const struct rp_rpz_opts *part, struct rp_err *err)
{
	struct rp_rpz_reader *r = rp_mem_array(1, sizeof *r, err);
	if (!r) {
		rp_bytes_close(in);
		return NULL;
	}
	r->source.pull = pull;
	r->source.close = close_reader;
	r->stop = o->stop;
	if (part)
		r->part = *part;
	r->skip_left = r->skip_ahead = r->part.skip;
	bool opened = rp_rpz_feed_open(&r->feed, path, in, o->stop, err);
	r->source.trace = opened ? rp_trace_new("rpz", err) : NULL;
	if (!r->source.trace || !open_head(r, err) || !rp_rpz_reader_learn(r, err) ||
	    !make_jobs(r, o->threads, err)) {
		close_reader(&r->source);
		return NULL;
	}
	if (r->footed)
		r->source.trace->whole = r->totals.rows - r->totals.marks;
	r->indexed = r->footed && !r->part.salvage && (r->part.skip || r->part.only);
	return &r->source;
}

/* Holds the pages of the index against what was observed; a page at a time. */
static bool
pages_agree(struct rp_rpz_reader *r, const struct rp_rpz_index *seen, struct rp_err *err)
{
	struct rp_rpz_summary s;
	for (r->block = 0; r->block < r->totals.blocks; r->block += RP_RPZ_PAGE) {
		if (!rp_rpz_reader_entry(r, &s, err))
			return false;
		uint64_t at = r->block * RP_RPZ_ENTRY, n = seen->page.n - at;
		n = n < RP_RPZ_PAGE * RP_RPZ_ENTRY ? n : RP_RPZ_PAGE * RP_RPZ_ENTRY;
		/* Behind the entries stand at most 7 zeroes. */
		if (r->page.n != rp_rpz_pad(n) ||
		    memcmp(r->page.bytes, seen->page.bytes + at, n) != 0)
			return rp_fail(err, RP_INPUT, "damaged: the index differs from the blocks");
	}
	return true;
}

bool
rp_rpz_index_agrees(struct rp_source *s, const struct rp_rpz_index *seen,
    void (*tell_of)(void *to, const char *text), void *to, struct rp_err *err)
{
	struct rp_rpz_reader *r = (struct rp_rpz_reader *)s;
	const struct rp_rpz_totals *t = &r->totals, *o = &seen->totals;
	struct rp_err why = { 0 };
	if (t->rows != o->rows || t->marks != o->marks || t->blocks != o->blocks ||
	    t->streams != o->streams || t->first_time != o->first_time ||
	    t->last_time != o->last_time || t->low != o->low || t->high != o->high)
		rp_fail(&why, RP_INPUT, "damaged: the footer differs from the blocks");
	else if (r->footed)
		pages_agree(r, seen, &why);
	if (why.code == RP_INPUT)
		tell_of(to, why.text);
	else if (why.code)
		*err = why;
	return why.code == RP_OK || why.code == RP_INPUT;
}

bool
rp_rpz_read_info(const char *path, struct rp_rpz_info *info, struct rp_err *err)
{
	const struct rp_read_opts o = { 0 };
	struct rp_source *s = rp_rpz_open(path, NULL, &o, NULL, err);
	struct rp_rpz_reader *r = (struct rp_rpz_reader *)s;
	bool ok = s != NULL;
	if (ok && !rp_rpz_feed_seekable(&r->feed))
		ok = rp_fail(err, RP_INPUT,
		    "%s: only a file by itself can be looked at from its end", r->feed.name);
	else if (ok && !r->footed)
		ok = rp_rpz_reader_find_footer(r, err)
		         ? rp_fail(err, RP_INPUT, "%s: damaged: the metadata", r->feed.name)
		         : rp_err_wrap(err, "%s", r->feed.name);
	if (ok) {
		const struct rp_rpz_totals *t = &r->totals;
		*info = (struct rp_rpz_info){ r->feed.size, t->rows - t->marks, t->marks, t->blocks,
			t->pages, t->streams, t->low, t->high, t->first_time, t->last_time,
			r->head.columns, (int)t->level, r->head.limit, RP_RPZ_MAJOR, RP_RPZ_MINOR };
	}
	rp_source_close(s);
	return ok;
}
