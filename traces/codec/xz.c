/* xz - streams of the .xz format (tukaani.org/xz/xz-file-format.txt), one after another, zero padding between them.
 *
 * The dictionary's size stands in the file, up to 4 GiB; MEMORY_MOST takes every preset (`xz -9` needs 65 MiB). */
#include "config.h"

#include "traces/codec.h"

#include <inttypes.h>
#include <lzma.h>

#define MEMORY_MOST (UINT64_C(256) << 20)

struct xz {
	lzma_stream x;
	bool between;     /* streams: the end may be here, if the padding is a multiple of four */
	unsigned padding; /* bytes of it since the last stream */
};

static bool
next_stream(struct xz *z, struct rp_err *err)
{
	z->between = false;
	z->padding = 0;
	lzma_ret code = lzma_stream_decoder(&z->x, MEMORY_MOST, LZMA_TELL_UNSUPPORTED_CHECK);
	return code == LZMA_OK || rp_fail(err, RP_RESOURCE, "out of memory");
}

static bool
xz_open(void *state, struct rp_err *err)
{
	struct xz *z = state;
	z->x = (lzma_stream)LZMA_STREAM_INIT;
	return next_stream(z, err);
}

static int
xz_fail(const lzma_stream *x, lzma_ret code, struct rp_err *err)
{
	switch (code) {
	case LZMA_MEM_ERROR:
		rp_fail(err, RP_RESOURCE, "out of memory");
		break;
	case LZMA_MEMLIMIT_ERROR:
		rp_fail(err, RP_INPUT,
		    "needs %" PRIu64 " MiB of memory; %" PRIu64 " MiB is the most that is allowed",
		    lzma_memusage(x) >> 20, MEMORY_MOST >> 20);
		break;
	case LZMA_UNSUPPORTED_CHECK:
	case LZMA_OPTIONS_ERROR:
		rp_fail(err, RP_INPUT, "damaged, or made with options that liblzma does not know");
		break;
	case LZMA_FORMAT_ERROR:
		rp_fail(err, RP_INPUT, "bytes behind the end that are no further stream");
		break;
	case LZMA_BUF_ERROR:
		rp_fail(err, RP_INPUT, "cut short");
		break;
	default:
		rp_fail(err, RP_INPUT, "damaged");
	}
	return -1;
}

/* Between streams: 1 when the next one begins, 0 when there is no more input for now, -1 on error. */
static int
xz_padding(struct xz *z, struct rp_codec_io *io, struct rp_err *err)
{
	for (; io->in < io->in_end && *io->in == 0; io->in++)
		z->padding = (z->padding + 1) % 4;
	if (io->in == io->in_end) {
		if (!io->last || !z->padding)
			return 0;
		rp_fail(err, RP_INPUT, "cut short");
		return -1;
	}
	if (!z->padding)
		return next_stream(z, err) ? 1 : -1;
	return xz_fail(&z->x, LZMA_FORMAT_ERROR, err);
}

static int
xz_step(void *state, struct rp_codec_io *io, struct rp_err *err)
{
	struct xz *z = state;
	for (;;) {
		int next = z->between ? xz_padding(z, io, err) : 1;
		if (next <= 0)
			return next < 0 ? -1 : !io->last;
		z->x.next_in = io->in;
		z->x.avail_in = (size_t)(io->in_end - io->in);
		z->x.next_out = io->out;
		z->x.avail_out = (size_t)(io->out_end - io->out);
		lzma_ret code = lzma_code(&z->x, LZMA_RUN);
		io->in = z->x.next_in;
		io->out = z->x.next_out;
		if (code == LZMA_STREAM_END)
			z->between = true;
		else if (code != LZMA_OK &&
			 code != LZMA_BUF_ERROR) /* which is: no progress, twice */
			return xz_fail(&z->x, code, err);
		else if (io->out == io->out_end || (io->in == io->in_end && !io->last))
			return 1;
		else if (io->in == io->in_end)
			return xz_fail(&z->x, LZMA_BUF_ERROR, err);
	}
}

static void
xz_close(void *state)
{
	lzma_end(&((struct xz *)state)->x);
}

const struct rp_codec rp_codec_xz = {
	.name = "xz",
	.magic = { { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, 0 } },
	.state_bytes = sizeof(struct xz),
	.open = xz_open,
	.step = xz_step,
	.close = xz_close,
};
