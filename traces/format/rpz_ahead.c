/* rpz_ahead.c - an .rpz file read ahead: chunk by chunk, or by its index, and on behind damage when salvaging.
 *
 * Blocks become jobs for whoever is free (rpz_read.c). What goes wrong here is told only when all rows before it are
 * delivered. */
#include "config.h"

#include "traces/format/rpz_reader.h"
#include "traces/format/rpz_meta.h"

#include <inttypes.h>
#include <stdarg.h>

enum {
	PAYLOAD_ROW = 96,
	PAYLOAD_FIXED = 1 << 16
}; /* no block's payload is longer than these say */

void
rp_rpz_reader_tell(struct rp_rpz_reader *r, const char *format, ...)
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
broken(struct rp_rpz_reader *r, uint64_t offset, struct rp_err *err)
{
	r->end = RP_RPZ_BROKEN;
	r->why = *err;
	return rp_err_wrap(&r->why, "%s: offset %" PRIu64, r->feed.name, offset);
}

static bool
damaged(struct rp_rpz_reader *r, uint64_t offset, const char *what)
{
	struct rp_err err = { 0 };
	rp_fail(&err, RP_INPUT, "damaged: %s", what);
	return broken(r, offset, &err);
}

/* The input is at its end although more should come: also when the user stopped it. */
static bool
cut_short(struct rp_rpz_reader *r)
{
	r->end = r->stop && *r->stop ? RP_RPZ_ENDED : RP_RPZ_CUT_SHORT;
	return false;
}

/* Takes the payload of a chunk whose header has been taken, and the zeroes behind it. */
static bool
take_payload(
    struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, struct rp_buf *to, struct rp_err *err)
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
take_sound(
    struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, struct rp_buf *to, struct rp_err *err)
{
	return take_payload(r, c, to, err) &&
	       (rp_rpz_payload_sound(c, to->bytes) ||
		   rp_fail(err, RP_INPUT, "damaged: its hash is wrong"));
}

/* Reads the chunk at an offset of a seekable file, which must be of this type. */
static bool
chunk_at(struct rp_rpz_reader *r, uint64_t offset, uint32_t magic, struct rp_rpz_chunk *c,
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

bool
rp_rpz_reader_find_footer(struct rp_rpz_reader *r, struct rp_err *err)
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

bool
rp_rpz_reader_learn(struct rp_rpz_reader *r, struct rp_err *err)
{
	struct rp_rpz_chunk c;
	const unsigned char *head;
	if (rp_rpz_feed_seekable(&r->feed) && !r->part.piped) {
		struct rp_err end = { 0 };
		r->footed = rp_rpz_reader_find_footer(r, &end) &&
		            chunk_at(r, r->totals.meta, RP_RPZ_META, &c, &r->scratch, &end);
		if (!r->footed && end.code == RP_RESOURCE)
			return rp_fail(err, end.code, "%s: %s", r->feed.name, end.text);
		rp_rpz_feed_seek(&r->feed, RP_RPZ_HEAD);
		r->end = RP_RPZ_GOING;
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
		if (r->end == RP_RPZ_GOING)
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
give_block(struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct rp_rpz_job *j = rp_work_slot(r->work);
	struct rp_err err = { 0 };
	if (c->n > r->head.limit || c->position > UINT64_MAX - c->n ||
	    c->stored > (uint64_t)c->n * PAYLOAD_ROW + PAYLOAD_FIXED || c->stored < RP_RPZ_PREFIX)
		return damaged(r, offset, "a block of an impossible length");
	if (c->position != r->loaded && !(r->part.salvage && c->position > r->loaded))
		return damaged(r, offset, "a block that does not follow the one before");
	if (!take_payload(r, c, &j->payload, &err))
		return r->end != RP_RPZ_GOING ? false : broken(r, offset, &err);
	j->chunk = *c;
	j->offset = offset;
	j->err = (struct rp_err){ 0 };
	r->loaded = c->position + c->n;
	rp_work_give(r->work);
	return true;
}

/* Launches come as the rows that need them do: all blocks before are delivered first. */
static bool
launches(struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct rp_err err = { 0 };
	if (!take_sound(r, c, &r->scratch, &err))
		return r->end != RP_RPZ_GOING ? false : broken(r, offset, &err);
	if (!r->footed &&
	    !rp_rpz_meta_from(r->source.trace, r->scratch.bytes, c->stored, RP_RPZ_WHOLE, &err))
		return broken(r, offset, &err);
	return true;
}

/* Metadata, an index page or the footer, on the way through. */
static bool
other_chunk(struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
{
	struct rp_err err = { 0 };
	if (!take_sound(r, c, &r->scratch, &err))
		return r->end != RP_RPZ_GOING ? false : broken(r, offset, &err);
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
foot(struct rp_rpz_reader *r, const struct rp_rpz_chunk *c, uint64_t offset)
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
	r->end = RP_RPZ_ENDED;
	r->ended_by_footer = true;
	return false;
}

/* Goes on to the next sound header after damage, when salvaging. */
static bool
resume(struct rp_rpz_reader *r)
{
	uint64_t from = r->feed.at;
	const unsigned char *head;
	struct rp_rpz_chunk c;
	if (r->end != RP_RPZ_BROKEN || !r->part.salvage || r->why.code != RP_INPUT)
		return false;
	rp_rpz_reader_tell(r, "%s", r->why.text + strlen(r->feed.name) + 2);
	r->end = RP_RPZ_GOING;
	for (;;) {
		ptrdiff_t n = rp_rpz_feed_peek(&r->feed, RP_RPZ_CHUNK, &head, &r->why);
		if (n < RP_RPZ_CHUNK) {
			if (n >= 0)
				return cut_short(r);
			r->end = RP_RPZ_BROKEN;
			return false;
		}
		if (rp_rpz_get_chunk(head, true, &c, NULL))
			break;
		r->scratch.n = 0;
		if (rp_rpz_feed_take(&r->feed, 8, &r->scratch, &r->why) != 8)
			return cut_short(r);
	}
	if (r->feed.at > from)
		rp_rpz_reader_tell(r, "offset %" PRIu64 ": %" PRIu64 " bytes that are no chunk",
		    from, r->feed.at - from);
	return true;
}

/* Reads the next chunk in order. false: reading ahead ends, r->end tells how. */
static bool
next_chunk(struct rp_rpz_reader *r)
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

bool
rp_rpz_reader_entry(struct rp_rpz_reader *r, struct rp_rpz_summary *s, struct rp_err *err)
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
unwanted(struct rp_rpz_reader *r, const struct rp_rpz_summary *s)
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
next_indexed(struct rp_rpz_reader *r)
{
	struct rp_rpz_summary s;
	struct rp_rpz_chunk c;
	struct rp_err err = { 0 };
	if (r->block == r->totals.blocks) {
		r->end = RP_RPZ_ENDED;
		return false;
	}
	if (!rp_rpz_reader_entry(r, &s, &err))
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

void
rp_rpz_reader_read_ahead(struct rp_rpz_reader *r)
{
	resume(r); /* from damage found while opening */
	while (r->end == RP_RPZ_GOING && rp_work_slot(r->work))
		if (!(r->indexed ? next_indexed(r) : next_chunk(r)))
			resume(r);
}
