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

#include "traces/format/rpz.h"
#include "base/hash.h"
#include "base/work.h"
#include "traces/format/rpz_decode.h"
#include "traces/format/rpz_feed.h"
#include "traces/format/rpz_index.h"
#include "traces/format/rpz_layout.h"
#include "traces/format/rpz_meta.h"

#include <inttypes.h>

enum {
	PAYLOAD_ROW = 96,
	PAYLOAD_FIXED = 1 << 16
}; /* no block's payload is longer than these say */

/* A chunk on its way: a block to decode, or launches to take in before the next. */
struct job {
	const struct rp_rpz_head *head;
	const struct rp_rpz_opts *part;
	struct rp_rpz_chunk chunk;
	uint64_t offset;
	struct rp_buf payload;
	struct rp_rpz_decoder *decoder;
	struct rp_batch *
	    rows; /* all of them, in the block's order; unless they are decoded as they are pulled */
	size_t at;       /* rows of it delivered */
	uint64_t wanted; /* accesses of it that a filter by stream let pass */
	bool whole, ok;
	struct rp_err err;
};

/* How reading ahead ended. */
enum end { GOING, ENDED, CUT_SHORT, BROKEN };

struct reader {
	struct rp_source source;
	struct rp_rpz_feed feed;
	struct rp_rpz_head head;
	struct rp_rpz_opts part;
	const volatile sig_atomic_t *stop;
	struct rp_work *work;
	struct job *jobs, *job; /* job: the one being delivered */
	size_t n_jobs;
	struct rp_batch *aside; /* rows of which not all are wanted */
	/* Reading ahead: */
	enum end end;
	struct rp_err why;   /* BROKEN */
	uint64_t loaded;     /* rows of blocks given out or left out */
	bool footed;         /* a footer was found at the end: launches are known */
	bool indexed;        /* going by the index */
	uint64_t block;      /* number of the next one in the index */
	uint64_t skip_ahead; /* accesses still to skip, as far as has been read ahead */
	struct rp_buf footer, page, scratch;
	struct rp_rpz_totals totals;
	uint64_t page_number; /* of the page in memory, + 1 */
	bool ended_by_footer;
	/* Delivered: */
	uint64_t rows, marks, blocks; /* of the file, up to here */
	uint64_t accesses;            /* handed on */
	uint64_t skip_left;
	bool finished; /* the end was reached, and all was well */
	bool pending;  /* an error that waits for the rows before it to be used */
	struct rp_err error;
};

static bool
deep_check(const struct job *j, struct rp_err *err)
{
	uint32_t hash = (uint32_t)rp_hash_bytes(j->rows->addr, j->rows->n * sizeof *j->rows->addr);
	return !j->part->deep || hash == j->chunk.addr_hash ||
	       rp_fail(err, RP_INPUT, "damaged: decoded addresses have another hash");
}

static bool
room_for_all(struct job *j)
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
	struct job *j = p;
	j->ok = rp_rpz_unpack(
	    j->decoder, j->head, &j->chunk, j->payload.bytes, !j->part->unchecked, &j->err);
	j->at = 0;
	j->wanted = 0;
	if (!j->ok || (!j->whole && !rp_rpz_mixed(j->decoder)))
		return;
	j->ok = room_for_all(j) && rp_rpz_rows_next(j->decoder, j->rows, &j->err) >= 0 &&
	        deep_check(j, &j->err);
}

/* Tells of damage that is salvaged around. */
static void
tell(struct reader *r, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rp_trace_warn(r->source.trace, "%s: %s", r->feed.name, text);
	if (r->part.tell)
		r->part.tell(r->part.to, text);
}

/* Reading ahead stops here, with a place. */
static bool
broken(struct reader *r, uint64_t offset, struct rp_err *err)
{
	r->end = BROKEN;
	r->why = *err;
	return rp_err_wrap(&r->why, "%s: offset %" PRIu64, r->feed.name, offset);
}

static bool
damaged(struct reader *r, uint64_t offset, const char *what)
{
	struct rp_err err = { 0 };
	rp_fail(&err, RP_INPUT, "damaged: %s", what);
	return broken(r, offset, &err);
}

/* The input is at its end although more should come: also when the user stopped it. */
static bool
cut_short(struct reader *r)
{
	r->end = r->stop && *r->stop ? ENDED : CUT_SHORT;
	return false;
}

/* Takes the payload of a chunk whose header has been taken, and the zeroes behind it. */
static bool
take_payload(struct reader *r, const struct rp_rpz_chunk *c, struct rp_buf *to, struct rp_err *err)
{
	uint64_t padded = rp_rpz_pad(c->stored);
	to->n = 0;
	ptrdiff_t got = rp_rpz_feed_take(&r->feed, padded, to, err);
	if (got < 0)
		return false;
	if ((uint64_t)got < padded) {
		cut_short(r);
		return rp_fail(err, RP_INPUT, "cut short");
	}
	for (uint64_t i = c->stored; i < padded; i++)
		if (to->bytes[i])
			return rp_fail(err, RP_INPUT, "damaged: bytes between two chunks");
	return true;
}

/* The same for chunks other than blocks, with their hash looked at. */
static bool
take_sound(struct reader *r, const struct rp_rpz_chunk *c, struct rp_buf *to, struct rp_err *err)
{
	return take_payload(r, c, to, err) &&
	       (rp_rpz_payload_sound(c, to->bytes) ||
		   rp_fail(err, RP_INPUT, "damaged: its hash is wrong"));
}

/* Reads the chunk at an offset of a seekable file, which must be of this type. */
static bool
chunk_at(struct reader *r, uint64_t offset, uint32_t magic, struct rp_rpz_chunk *c,
    struct rp_buf *to, struct rp_err *err)
{
	const unsigned char *head;
	rp_rpz_feed_seek(&r->feed, offset);
	ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_CHUNK, &head, err);
	if (n < RP_RPZ_CHUNK)
		return n >= 0 &&
		       rp_fail(err, RP_INPUT, "offset %" PRIu64 ": behind the end", offset);
	if (!rp_rpz_get_chunk(head, true, c, err))
		return false;
	if (c->magic != magic || c->stored > r->feed.size)
		return rp_fail(err, RP_INPUT,
		    "offset %" PRIu64 ": damaged: not the chunk that should be here", offset);
	rp_rpz_feed_seek(&r->feed, offset + RP_RPZ_CHUNK);
	return !to || take_sound(r, c, to, err);
}

/* Follows the last bytes of a seekable file to its footer. */
static bool
find_footer(struct reader *r, struct rp_err *err)
{
	const unsigned char *last;
	struct rp_rpz_chunk c;
	uint64_t at;
	if (r->feed.size < RP_RPZ_HEAD + RP_RPZ_TRAILER)
		return rp_fail(err, RP_INPUT, "cut short");
	rp_rpz_feed_seek(&r->feed, r->feed.size - RP_RPZ_TRAILER);
	if (rp_rpz_feed_peek(&r->feed, RP_RPZ_TRAILER, &last, err) < RP_RPZ_TRAILER ||
	    !rp_rpz_get_trailer(last, &at, err))
		return false;
	return chunk_at(r, at, RP_RPZ_FOOTER, &c, &r->footer, err) &&
	       (rp_rpz_totals_from(r->footer.bytes, r->footer.n, &r->totals) ||
		   rp_fail(err, RP_INPUT, "damaged: the footer"));
}

/* Metadata: the last chunk of it where the file can be sought in, else what the first tells. A file without a sound end
 * is read from its start, and the end is then found wanting. */
static bool
learn(struct reader *r, struct rp_err *err)
{
	struct rp_rpz_chunk c;
	const unsigned char *head;
	if (rp_rpz_feed_seekable(&r->feed) && !r->part.piped) {
		struct rp_err end = { 0 };
		r->footed = find_footer(r, &end) &&
		            chunk_at(r, r->totals.meta, RP_RPZ_META, &c, &r->scratch, &end);
		if (!r->footed && end.code == RP_RESOURCE)
			return rp_fail(err, end.code, "%s: %s", r->feed.name, end.text);
		rp_rpz_feed_seek(&r->feed, RP_RPZ_HEAD);
		r->end = GOING;
		if (r->footed)
			return rp_rpz_meta_from(r->source.trace, r->scratch.bytes, c.stored,
				   RP_RPZ_WHOLE, err) ||
			       rp_err_wrap(err, "%s", r->feed.name);
	}
	ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_CHUNK, &head, err);
	if (n < 0)
		return false;
	if (n < RP_RPZ_CHUNK || !rp_rpz_get_chunk(head, true, &c, NULL) || c.magic != RP_RPZ_META)
		return true; /* told when it is read */
	r->scratch.n = 0;
	if (rp_rpz_feed_take(&r->feed, RP_RPZ_CHUNK, &r->scratch, err) < 0)
		return false;
	if (!take_sound(r, &c, &r->scratch, &r->why)) {
		if (r->end == GOING)
			broken(r, RP_RPZ_HEAD,
			    &(struct rp_err){ r->why.code, "damaged: the metadata" });
		return true;
	}
	return rp_rpz_meta_from(
		   r->source.trace, r->scratch.bytes, c.stored, RP_RPZ_FIRST_LOOK, err) ||
	       rp_err_wrap(err, "%s", r->feed.name);
}

/* A block's header and payload become the next job. */
static bool
give_block(struct reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct job *j = rp_work_slot(r->work);
	struct rp_err err = { 0 };
	if (c->n > r->head.limit || c->position > UINT64_MAX - c->n ||
	    c->stored > (uint64_t)c->n * PAYLOAD_ROW + PAYLOAD_FIXED || c->stored < RP_RPZ_PREFIX)
		return damaged(r, offset, "a block of an impossible length");
	if (c->position != r->loaded && !(r->part.salvage && c->position > r->loaded))
		return damaged(r, offset, "a block that does not follow the one before");
	if (!take_payload(r, c, &j->payload, &err))
		return r->end != GOING ? false : broken(r, offset, &err);
	j->chunk = *c;
	j->offset = offset;
	j->err = (struct rp_err){ 0 };
	r->loaded = c->position + c->n;
	rp_work_give(r->work);
	return true;
}

/* Launches come as the rows that need them do: all blocks before are delivered first. */
static bool
launches(struct reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct rp_err err = { 0 };
	if (!take_sound(r, c, &r->scratch, &err))
		return r->end != GOING ? false : broken(r, offset, &err);
	if (!r->footed &&
	    !rp_rpz_meta_from(r->source.trace, r->scratch.bytes, c->stored, RP_RPZ_WHOLE, &err))
		return broken(r, offset, &err);
	return true;
}

/* Metadata, an index page or the footer, on the way through. */
static bool
other_chunk(struct reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct rp_err err = { 0 };
	if (!take_sound(r, c, &r->scratch, &err))
		return r->end != GOING ? false : broken(r, offset, &err);
	if (c->magic == RP_RPZ_META && !r->footed &&
	    !rp_rpz_meta_from(r->source.trace, r->scratch.bytes, c->stored, RP_RPZ_LAST_LOOK, &err))
		return broken(r, offset, &err);
	if (c->magic == RP_RPZ_INDEX &&
	    (c->n < 1 || c->n > RP_RPZ_PAGE || c->stored != c->n * (uint32_t)RP_RPZ_ENTRY))
		return damaged(r, offset, "a page of the index");
	return true;
}

/* The footer, what it sums up, and that nothing but its own offset follows. */
static bool
foot(struct reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	const unsigned char *last;
	struct rp_err err = { 0 };
	uint64_t at;
	if (!other_chunk(r, c, offset))
		return false;
	if (!rp_rpz_totals_from(r->scratch.bytes, c->stored, &r->totals))
		return damaged(r, offset, "the footer");
	ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_TRAILER + 1, &last, &err);
	if (n < 0)
		return broken(r, r->feed.at, &err);
	if (n < RP_RPZ_TRAILER)
		return cut_short(r);
	if (!rp_rpz_get_trailer(last, &at, &err))
		return broken(r, r->feed.at, &err);
	if (at != offset || n > RP_RPZ_TRAILER)
		return damaged(
		    r, r->feed.at, n > RP_RPZ_TRAILER ? "bytes behind the end" : "the last bytes");
	r->end = ENDED;
	r->ended_by_footer = true;
	return false;
}

/* Goes on to the next sound header after damage, when salvaging. */
static bool
resume(struct reader *r)
{
	uint64_t from = r->feed.at;
	const unsigned char *head;
	struct rp_rpz_chunk c;
	if (r->end != BROKEN || !r->part.salvage || r->why.code != RP_INPUT)
		return false;
	tell(r, "%s", r->why.text + strlen(r->feed.name) + 2);
	r->end = GOING;
	for (;;) {
		ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_CHUNK, &head, &r->why);
		if (n < RP_RPZ_CHUNK) {
			if (n >= 0)
				return cut_short(r);
			r->end = BROKEN;
			return false;
		}
		if (rp_rpz_get_chunk(head, true, &c, NULL))
			break;
		r->scratch.n = 0;
		if (rp_rpz_feed_take(&r->feed, 8, &r->scratch, &r->why) != 8)
			return cut_short(r);
	}
	if (r->feed.at > from)
		tell(r, "offset %" PRIu64 ": %" PRIu64 " bytes that are no chunk", from,
		    r->feed.at - from);
	return true;
}

/* Reads the next chunk in order. false: reading ahead ends, r->end tells how. */
static bool
next_chunk(struct reader *r)
{
	struct rp_rpz_chunk c;
	const unsigned char *head;
	struct rp_err err = { 0 };
	uint64_t offset = r->feed.at;
	ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_CHUNK, &head, &err);
	if (n < 0)
		return broken(r, offset, &err);
	if (n < RP_RPZ_CHUNK)
		return cut_short(r);
	if (!rp_rpz_get_chunk(head, true, &c, &err))
		return broken(r, offset, &err);
	r->scratch.n = 0;
	if (rp_rpz_feed_take(&r->feed, RP_RPZ_CHUNK, &r->scratch, &err) < RP_RPZ_CHUNK)
		return broken(r, offset, &err);
	if (c.magic == RP_RPZ_BLOCK)
		return give_block(r, &c, offset);
	if (c.magic == RP_RPZ_LAUNCH)
		return launches(r, &c, offset);
	return c.magic == RP_RPZ_FOOTER ? foot(r, &c, offset) : other_chunk(r, &c, offset);
}

/* Entry `block` of the index, with its page in memory. */
static bool
entry(struct reader *r, struct rp_rpz_summary *s, struct rp_err *err)
{
	uint64_t page = r->block / RP_RPZ_PAGE;
	struct rp_rpz_chunk c;
	if (r->page_number != page + 1) {
		if (!chunk_at(r, rp_rpz_page_offset(r->footer.bytes, page), RP_RPZ_INDEX, &c,
			&r->page, err))
			return false;
		r->page_number = page + 1;
	}
	uint64_t at = r->block % RP_RPZ_PAGE * RP_RPZ_ENTRY;
	if (at + RP_RPZ_ENTRY > r->page.n)
		return rp_fail(err, RP_INPUT, "damaged: a page of the index");
	rp_rpz_entry_from(r->page.bytes + at, s);
	return true;
}

/* Whether no row of a block is wanted, as far as the index tells. */
static bool
unwanted(struct reader *r, const struct rp_rpz_summary *s)
{
	uint64_t accesses = s->n - s->marks;
	if (s->marks > s->n)
		return false;
	if (r->part.only && (r->part.stream < s->low || r->part.stream > s->high)) {
		if (!s->marks)
			rp_trace_skip(r->source.trace, "stream", accesses);
		return !s->marks;
	}
	if (r->part.only || !r->skip_ahead)
		return false;
	if (accesses > r->skip_ahead) {
		r->skip_ahead = 0;
		return false;
	}
	r->skip_ahead -= accesses;
	if (!s->marks)
		r->skip_left -= accesses;
	return !s->marks;
}

/* Goes on to the next block that may hold something wanted. */
static bool
next_indexed(struct reader *r)
{
	struct rp_rpz_summary s;
	struct rp_rpz_chunk c;
	struct rp_err err = { 0 };
	if (r->block == r->totals.blocks) {
		r->end = ENDED;
		return false;
	}
	if (!entry(r, &s, &err))
		return broken(r, rp_rpz_page_offset(r->footer.bytes, r->block / RP_RPZ_PAGE), &err);
	r->block++;
	if (s.position != r->loaded)
		return damaged(r, s.offset, "the index");
	if (unwanted(r, &s)) {
		r->loaded += s.n;
		return true;
	}
	if (!chunk_at(r, s.offset, RP_RPZ_BLOCK, &c, NULL, &err))
		return broken(r, s.offset, &err);
	if (c.n != s.n)
		return damaged(r, s.offset, "the index");
	return give_block(r, &c, s.offset);
}

/* Reads ahead as far as there are free jobs. */
static void
read_ahead(struct reader *r)
{
	resume(r); /* from damage found while opening */
	while (r->end == GOING && rp_work_slot(r->work))
		if (!(r->indexed ? next_indexed(r) : next_chunk(r)))
			resume(r);
}

/* The next block's rows are at hand, or are to be decoded as they are pulled. */
static bool
take_job(struct reader *r, struct rp_err *err)
{
	for (;;) {
		read_ahead(r);
		struct job *j = rp_work_take(r->work);
		if (!j)
			return false;
		if (r->part.salvage && j->chunk.position > r->rows) {
			uint64_t lost = j->chunk.position - r->rows;
			rp_trace_skip(r->source.trace, "damaged", lost);
			tell(r, "%" PRIu64 " rows are missing after access %" PRIu64, lost,
			    r->accesses);
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
		tell(r, "block at offset %" PRIu64 ": %s; %" PRIu32 " rows are left out", j->offset,
		    j->err.text, j->chunk.n);
		rp_trace_skip(r->source.trace, "damaged", j->chunk.n);
		r->rows += j->chunk.n;
		rp_work_return(r->work);
	}
}

/* What the index should say of a block, for verifying it. */
static bool
observe(struct reader *r, const struct job *j, struct rp_err *err)
{
	size_t streams;
	const uint32_t *stream = rp_rpz_decoder_streams(j->decoder, &streams);
	struct rp_rpz_summary s = { .offset = j->offset };
	rp_rpz_summarise(j->rows, j->chunk.position, stream, streams, &s);
	return rp_rpz_index_add(r->part.observed, &s, stream, streams, err);
}

/* The block at hand has been delivered. */
static bool
return_job(struct reader *r, struct rp_err *err)
{
	struct job *j = r->job;
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
next_rows(struct reader *r, struct rp_batch *out, struct rp_err *err)
{
	struct job *j = r->job;
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
sift(struct reader *r, struct rp_batch *out)
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
deliver(struct reader *r, struct rp_batch *out, ptrdiff_t *n, struct rp_err *err)
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
totals_agree(struct reader *r, struct rp_err *err)
{
	if (!r->ended_by_footer)
		return true;
	const struct rp_rpz_totals *t = &r->totals;
	if (r->part.salvage) {
		if (t->rows > r->rows) {
			rp_trace_skip(r->source.trace, "damaged", t->rows - r->rows);
			tell(r, "%" PRIu64 " rows are missing after access %" PRIu64,
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
ended_well(struct reader *r, struct rp_err *err)
{
	if (r->end == ENDED)
		return totals_agree(r, err);
	if (r->part.salvage && (r->end == CUT_SHORT || r->why.code == RP_INPUT)) {
		tell(r, "cut short after access %" PRIu64, r->accesses);
		r->end = ENDED;
		return true;
	}
	if (r->end == CUT_SHORT)
		return rp_fail(err, RP_INPUT, "%s: cut short after access %" PRIu64, r->feed.name,
		    r->accesses);
	*err = r->why;
	size_t n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, ", after access %" PRIu64, r->accesses);
	return false;
}

static ptrdiff_t
pull_rows(struct reader *r, struct rp_batch *out, struct rp_err *err)
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
	struct reader *r = (struct reader *)s;
	if (r->pending) {
		*err = r->error;
		return -1;
	}
	return r->finished ? 0 : pull_rows(r, out, err);
}

static void
close_reader(struct rp_source *s)
{
	struct reader *r = (struct reader *)s;
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
make_jobs(struct reader *r, unsigned threads, struct rp_err *err)
{
	r->n_jobs = threads > 1 ? threads + 2 : 1;
	r->jobs = rp_mem_array(r->n_jobs, sizeof *r->jobs, err);
	for (size_t i = 0; r->jobs && i < r->n_jobs; i++) {
		struct job *j = &r->jobs[i];
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
open_head(struct reader *r, struct rp_err *err)
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
	struct reader *r = rp_mem_array(1, sizeof *r, err);
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
	if (!r->source.trace || !open_head(r, err) || !learn(r, err) ||
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
pages_agree(struct reader *r, const struct rp_rpz_index *seen, struct rp_err *err)
{
	struct rp_rpz_summary s;
	for (r->block = 0; r->block < r->totals.blocks; r->block += RP_RPZ_PAGE) {
		if (!entry(r, &s, err))
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
	struct reader *r = (struct reader *)s;
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
	struct reader *r = (struct reader *)s;
	bool ok = s != NULL;
	if (ok && !rp_rpz_feed_seekable(&r->feed))
		ok = rp_fail(err, RP_INPUT,
		    "%s: only a file by itself can be looked at from its end", r->feed.name);
	else if (ok && !r->footed)
		ok = find_footer(r, err)
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
