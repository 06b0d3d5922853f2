/* zip - the members of an archive, one after another, as one stream of bytes (APPNOTE.TXT 6.3, PKWARE).
 *
 * Read from the front by the local headers, so that a pipe will do: a header, the data, where bit 3 is set a descriptor
 * with what the header could not know. The directory behind them is only walked, to see that nothing is missing. */
#include "config.h"

#include "traces/codec.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum {
	LOCAL = 0x04034b50,
	CENTRAL = 0x02014b50,
	END64 = 0x06064b50,
	LOCATOR = 0x07064b50,
	END = 0x06054b50,
	DESCRIPTOR = 0x08074b50,
	LOCAL_BYTES = 30,
	CENTRAL_BYTES = 46,
	END64_BYTES = 56, /* at least */
	LOCATOR_BYTES = 20,
	END_BYTES = 22,
	ZIP64_EXTRA = 1,
	ENCRYPTED = 1,
	SIZES_BEHIND = 8,
	STORED = 0,
	DEFLATED = 8,
	NAME_SHOWN = 60,
};

enum part { SIGNATURE, HEADER, NAME, EXTRA, DATA, TRAILER, SKIP, DONE };

struct zip {
	enum part part;
	unsigned char head[64]; /* what is being gathered: `have` of `want` bytes */
	size_t have, want;
	uint32_t signature;
	uint64_t skip; /* bytes that do not matter here */

	/* The member being read. */
	char name[NAME_SHOWN + 1];
	unsigned char extra[65536];
	uint16_t flags, method, extra_bytes;
	uint32_t name_bytes, name_at;
	uint32_t crc, want_crc;
	uint64_t packed, unpacked;           /* bytes seen */
	uint64_t want_packed, want_unpacked; /* as told */
	bool inflating, zip64;
	z_stream z;

	uint64_t members, entries; /* local headers and directory entries so far */
};

static uint16_t
u16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t
u32(const unsigned char *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t
u64(const unsigned char *p)
{
	return u32(p) | (uint64_t)u32(p + 4) << 32;
}

static bool
zip_open(void *state, struct rp_err *err)
{
	struct zip *z = state;
	z->want = 4;
	return inflateInit2(&z->z, -MAX_WBITS) == Z_OK ||
	       rp_fail(err, RP_RESOURCE, "out of memory");
}

static void
gather(struct zip *z, enum part part, size_t want)
{
	z->part = part;
	z->have = 0;
	z->want = want;
}

static void
skip(struct zip *z, uint64_t bytes)
{
	z->part = SKIP;
	z->skip = bytes;
}

/* All `want` bytes of head are there, those of *io included. */
static bool
gathered(struct zip *z, struct rp_codec_io *io)
{
	size_t n = (size_t)(io->in_end - io->in), miss = z->want - z->have;
	if (n > miss)
		n = miss;
	memcpy(z->head + z->have, io->in, n);
	z->have += n;
	io->in += n;
	return z->have == z->want;
}

/* Which record begins; its rest is gathered behind the signature. */
static bool
signature(struct zip *z, struct rp_err *err)
{
	static const struct {
		uint32_t signature;
		size_t bytes;
	} record[] = { { LOCAL, LOCAL_BYTES }, { CENTRAL, CENTRAL_BYTES }, { END64, END64_BYTES },
		{ LOCATOR, LOCATOR_BYTES }, { END, END_BYTES } };
	z->signature = u32(z->head);
	for (size_t i = 0; i < sizeof record / sizeof *record; i++) {
		if (record[i].signature != z->signature)
			continue;
		if (z->signature == LOCAL && z->entries)
			return rp_fail(err, RP_INPUT, "damaged (a member behind the directory)");
		z->part = HEADER;
		z->want = record[i].bytes;
		return true;
	}
	return rp_fail(
	    err, RP_INPUT, "damaged (record of unknown type %08" PRIx32 ")", z->signature);
}

static bool
local_header(struct zip *z, struct rp_err *err)
{
	const unsigned char *h = z->head;
	z->flags = u16(h + 6);
	z->method = u16(h + 8);
	z->want_crc = u32(h + 14);
	z->want_packed = u32(h + 18);
	z->want_unpacked = u32(h + 22);
	z->name_bytes = u16(h + 26);
	z->extra_bytes = u16(h + 28);
	z->name_at = 0;
	memset(z->name, 0, sizeof z->name);
	z->crc = 0;
	z->packed = z->unpacked = 0;
	z->zip64 = false;
	z->members++;
	z->part = NAME;
	if (z->flags & ENCRYPTED)
		return rp_fail(err, RP_INPUT, "member %" PRIu64 " is encrypted", z->members);
	if (z->method != STORED && z->method != DEFLATED)
		return rp_fail(err, RP_INPUT,
		    "member %" PRIu64
		    " is packed by method %u; stored (0) and deflated (8) ones are read",
		    z->members, z->method);
	return true;
}

static bool
header(struct zip *z, struct rp_err *err)
{
	const unsigned char *h = z->head;
	switch (z->signature) {
	case LOCAL:
		return local_header(z, err);
	case CENTRAL:
		z->entries++;
		skip(z, (uint64_t)u16(h + 28) + u16(h + 30) + u16(h + 32));
		return true;
	case END64:
		if (u64(h + 4) < END64_BYTES - 12)
			return rp_fail(
			    err, RP_INPUT, "damaged (end record of %" PRIu64 " bytes)", u64(h + 4));
		skip(z,
		    u64(h + 4) -
			(END64_BYTES - 12)); /* the size does not count itself and the signature */
		return true;
	case LOCATOR:
		skip(z, 0);
		return true;
	default: /* END */
		if (z->entries != z->members ||
		    ((uint16_t)z->members != u16(h + 10) && u16(h + 10) != UINT16_MAX))
			return rp_fail(err, RP_INPUT,
			    "damaged (%" PRIu64 " members, %" PRIu64
			    " in the directory, %u said at the end)",
			    z->members, z->entries, u16(h + 10));
		skip(z, u16(h + 20));
		return true;
	}
}

/* Sizes above 32 bits: in the extra field, those of the two that the header gives as all ones. */
static bool
extra(struct zip *z, struct rp_err *err)
{
	const unsigned char *p = z->extra, *end = p + z->extra_bytes;
	while (end - p >= 4) {
		unsigned id = u16(p), n = u16(p + 2);
		p += 4;
		if (n > end - p)
			break; /* some writers pad; what is not understood does not matter */
		const unsigned char *v = p, *v_end = p + n;
		p += n;
		if (id != ZIP64_EXTRA)
			continue;
		z->zip64 = true;
		if (z->want_unpacked == UINT32_MAX && v_end - v >= 8) {
			z->want_unpacked = u64(v);
			v += 8;
		}
		if (z->want_packed == UINT32_MAX && v_end - v >= 8)
			z->want_packed = u64(v);
	}
	if (z->method == STORED && (z->flags & SIZES_BEHIND) && !z->want_packed &&
	    !z->want_unpacked)
		return rp_fail(err, RP_INPUT,
		    "member '%s' is stored with its size behind it, so its end cannot be found",
		    z->name);
	z->inflating = z->method == DEFLATED;
	if (z->inflating)
		inflateReset(&z->z);
	z->part = DATA;
	return true;
}

static bool
finish_member(struct zip *z, struct rp_err *err)
{
	if (z->crc != z->want_crc || z->packed != z->want_packed || z->unpacked != z->want_unpacked)
		return rp_fail(err, RP_INPUT, "damaged (%s of member '%s' does not fit)",
		    z->crc != z->want_crc ? "checksum" : "size", z->name);
	gather(z, SIGNATURE, 4);
	return true;
}

/* The descriptor: an optional signature, CRC, both sizes in 4 or 8 bytes. Which, no flag says: what was seen decides. */
static bool
trailer(struct zip *z, struct rp_err *err)
{
	size_t at = u32(z->head) == DESCRIPTOR ? 4 : 0;
	if (z->have < at + 12) {
		z->want = at + 12;
		return true;
	}
	const unsigned char *sizes = z->head + at + 4;
	bool short_fits =
	    u32(sizes) == (uint32_t)z->packed && u32(sizes + 4) == (uint32_t)z->unpacked;
	bool is_long =
	    !short_fits || (z->unpacked == 0 && z->extra_bytes && u16(z->extra) == ZIP64_EXTRA);
	if (is_long && z->have < at + 20) {
		z->want = at + 20;
		return true;
	}
	z->want_crc = u32(z->head + at);
	z->want_packed = is_long ? u64(sizes) : z->packed;
	z->want_unpacked = is_long ? u64(sizes + 8) : z->unpacked;
	return finish_member(z, err);
}

static bool
end_of_data(struct zip *z, struct rp_err *err)
{
	if (!(z->flags & SIZES_BEHIND))
		return finish_member(z, err);
	gather(z, TRAILER, 4);
	return true;
}

static size_t
least(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

static bool
stored(struct zip *z, struct rp_codec_io *io, struct rp_err *err)
{
	size_t n = least(z->want_packed - z->packed, (size_t)(io->in_end - io->in));
	n = least(n, (size_t)(io->out_end - io->out));
	memcpy(io->out, io->in, n);
	z->crc = (uint32_t)crc32_z(z->crc, io->out, n);
	io->in += n;
	io->out += n;
	z->packed += n;
	z->unpacked += n;
	return z->packed < z->want_packed || end_of_data(z, err);
}

static bool
deflated(struct zip *z, struct rp_codec_io *io, struct rp_err *err)
{
	bool told = !(z->flags & SIZES_BEHIND);
	uint64_t left = told ? z->want_packed - z->packed : UINT64_MAX;
	size_t in = least(least(left, UINT_MAX), (size_t)(io->in_end - io->in));
	size_t out = least(UINT_MAX, (size_t)(io->out_end - io->out));
	z->z.next_in = (unsigned char *)(uintptr_t)io->in; /* not written to */
	z->z.avail_in = (uInt)in;
	z->z.next_out = io->out;
	z->z.avail_out = (uInt)out;
	int code = inflate(&z->z, Z_NO_FLUSH);
	in -= z->z.avail_in;
	out -= z->z.avail_out;
	z->crc = (uint32_t)crc32_z(z->crc, io->out, out);
	io->in += in;
	io->out += out;
	z->packed += in;
	z->unpacked += out;
	if (code == Z_STREAM_END)
		return end_of_data(z, err);
	if (code == Z_MEM_ERROR)
		return rp_fail(err, RP_RESOURCE, "out of memory");
	if (code != Z_OK && code != Z_BUF_ERROR)
		return rp_fail(err, RP_INPUT, "damaged (member '%s': %s)", z->name,
		    z->z.msg ? z->z.msg : "bad data");
	if (told && z->packed == z->want_packed && io->out < io->out_end)
		return rp_fail(
		    err, RP_INPUT, "damaged (member '%s' is longer than its header says)", z->name);
	return true;
}

static bool
name(struct zip *z, struct rp_codec_io *io)
{
	for (; z->name_at < z->name_bytes && io->in < io->in_end; z->name_at++, io->in++)
		if (z->name_at < NAME_SHOWN)
			z->name[z->name_at] = (char)*io->in;
	return z->name_at == z->name_bytes;
}

/* One step of the record at hand; false on error. */
static bool
advance(struct zip *z, struct rp_codec_io *io, struct rp_err *err)
{
	size_t n = (size_t)(io->in_end - io->in);
	switch (z->part) {
	case SIGNATURE:
		return !gathered(z, io) || signature(z, err);
	case HEADER:
		return !gathered(z, io) || header(z, err);
	case NAME:
		if (name(z, io)) {
			z->part = EXTRA;
			z->have = 0;
		}
		return true;
	case EXTRA:
		n = least(z->extra_bytes - z->have, n);
		memcpy(z->extra + z->have, io->in, n);
		z->have += n;
		io->in += n;
		return z->have < z->extra_bytes || extra(z, err);
	case DATA:
		return z->inflating ? deflated(z, io, err) : stored(z, io, err);
	case TRAILER:
		return !gathered(z, io) || trailer(z, err);
	case SKIP:
		n = least(z->skip, n);
		z->skip -= n;
		io->in += n;
		if (z->skip)
			return true;
		gather(z, SIGNATURE, 4);
		if (z->signature == END)
			z->part = DONE;
		return true;
	default:
		return rp_fail(err, RP_INPUT, "bytes behind the end of the archive");
	}
}

static int
zip_step(void *state, struct rp_codec_io *io, struct rp_err *err)
{
	struct zip *z = state;
	for (;;) {
		enum part part = z->part;
		const unsigned char *in = io->in, *out = io->out;
		if (part == DONE && io->in == io->in_end)
			return !io->last;
		if (part == DATA && io->out == io->out_end &&
		    (z->inflating || z->packed < z->want_packed))
			return 1;
		if (!advance(z, io, err))
			return -1;
		bool moved = z->part != part || io->in > in || io->out > out;
		if (moved || io->in < io->in_end)
			continue;
		if (!io->last)
			return 1;
		rp_fail(err, RP_INPUT, "cut short");
		return -1;
	}
}

static void
zip_close(void *state)
{
	inflateEnd(&((struct zip *)state)->z);
}

const struct rp_codec rp_codec_zip = {
	.name = "zip",
	.magic = { { { 'P', 'K', 3, 4 }, 4, 0 } },
	.state_bytes = sizeof(struct zip),
	.open = zip_open,
	.step = zip_step,
	.close = zip_close,
};
