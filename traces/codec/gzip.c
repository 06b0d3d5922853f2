/* gzip - members of deflated data (RFC 1952), one after another, each with a CRC and its length; or zlib streams (RFC
 * 1950) with an Adler checksum, as compress() writes them. */
#include "config.h"

#include "traces/codec.h"

#include <limits.h>
#include <stdint.h>
#include <zlib.h>

struct gzip {
	z_stream z;
	bool started; /* the first byte has told which of the two it is */
	bool between; /* members: the end may be here */
	bool padded;  /* zeroes have followed a member: nothing else may come */
	uint64_t members;
};

/* inflateInit2: which header is wanted. */
enum { GZIP_ONLY = 16 + MAX_WBITS, ZLIB_ONLY = MAX_WBITS, ZLIB_FIRST = 0x78 };

static int
behind(struct rp_err *err)
{
	rp_fail(err, RP_INPUT, "bytes behind the end that are no further member");
	return -1;
}

static int
gzip_fail(const struct gzip *g, int code, struct rp_err *err)
{
	if (code == Z_MEM_ERROR)
		rp_fail(err, RP_RESOURCE, "out of memory");
	else if (g->members && g->z.total_in <= 2 && g->z.total_out == 0)
		return behind(err);
	else
		rp_fail(err, RP_INPUT, "damaged (%s)", g->z.msg ? g->z.msg : "bad data");
	return -1;
}

static bool
gzip_open(void *state, struct rp_err *err)
{
	struct gzip *g = state;
	int code = inflateInit2(&g->z, GZIP_ONLY);
	return code == Z_OK || gzip_fail(g, code, err) > 0;
}

/* All members have the header that the first begins with. */
static void
choose(struct gzip *g, unsigned char first)
{
	inflateReset2(&g->z, first == ZLIB_FIRST ? ZLIB_ONLY : GZIP_ONLY);
	g->started = true;
}

static uInt
at_most(ptrdiff_t n)
{
	return n < (ptrdiff_t)UINT_MAX ? (uInt)n : UINT_MAX;
}

/* Zeroes up to the end are what a tape or a disk image leaves behind; gzip(1) ignores them too. */
static void
skip_padding(struct gzip *g, struct rp_codec_io *io)
{
	for (; io->in < io->in_end && !*io->in; io->in++)
		g->padded = true;
}

static int
gzip_step(void *state, struct rp_codec_io *io, struct rp_err *err)
{
	struct gzip *g = state;
	for (;;) {
		if (g->between)
			skip_padding(g, io);
		if (io->in == io->in_end && g->between)
			return !io->last;
		if (g->padded)
			return behind(err);
		if (!g->started && io->in < io->in_end)
			choose(g, *io->in);
		if (g->between)
			inflateReset(&g->z);
		g->between = false;
		g->z.next_in = (unsigned char *)(uintptr_t)io->in; /* zlib does not write to it */
		g->z.avail_in = at_most(io->in_end - io->in);
		g->z.next_out = io->out;
		g->z.avail_out = at_most(io->out_end - io->out);
		int code = inflate(&g->z, Z_NO_FLUSH);
		io->in = g->z.next_in;
		io->out = g->z.next_out;
		if (code == Z_STREAM_END) {
			g->between = true;
			g->members++;
		} else if (code != Z_OK && code != Z_BUF_ERROR) {
			return gzip_fail(g, code, err);
		} else if (io->out == io->out_end) {
			return 1;
		} else if (io->in == io->in_end) {
			if (!io->last)
				return 1;
			rp_fail(err, RP_INPUT, "cut short");
			return -1;
		}
	}
}

static void
gzip_close(void *state)
{
	inflateEnd(&((struct gzip *)state)->z);
}

const struct rp_codec rp_codec_gzip = {
	.name = "gzip",
	/* 8: deflate, the only method there is. The others: zlib with a window of 32 KiB, its four levels. */
	.magic = { { { 0x1f, 0x8b, 8 }, 3, 0 }, { { ZLIB_FIRST, 0x01 }, 2, 0 },
	    { { ZLIB_FIRST, 0x5e }, 2, 0 }, { { ZLIB_FIRST, 0x9c }, 2, 0 },
	    { { ZLIB_FIRST, 0xda }, 2, 0 } },
	.state_bytes = sizeof(struct gzip),
	.open = gzip_open,
	.step = gzip_step,
	.close = gzip_close,
};
