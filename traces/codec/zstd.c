/* zstd - frames of RFC 8878, one after another, skippable ones among them.
 *
 * A frame says how large a window its decoder needs; above WINDOW_LOG it is refused, so that a few bytes cannot ask for
 * gigabytes. 2^27 is what `zstd --ultra -22` uses and what its own decoder takes without being asked. */
#include "config.h"

#include "traces/codec.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG = 27 };

struct zstd {
	ZSTD_DStream *d;
	bool inside; /* a frame: the end may not be here */
	bool some;   /* a frame has ended */
};

static bool
zstd_open(void *state, struct rp_err *err)
{
	struct zstd *z = state;
	z->d = ZSTD_createDStream();
	if (!z->d)
		return rp_fail(err, RP_RESOURCE, "out of memory");
	ZSTD_DCtx_setParameter(z->d, ZSTD_d_windowLogMax, WINDOW_LOG);
	z->inside = true; /* nothing at all would be cut short */
	return true;
}

static int
zstd_fail(const struct zstd *z, size_t code, struct rp_err *err)
{
	ZSTD_ErrorCode e = ZSTD_getErrorCode(code);
	if (e == ZSTD_error_memory_allocation)
		rp_fail(err, RP_RESOURCE, "out of memory");
	else if (e == ZSTD_error_frameParameter_windowTooLarge)
		rp_fail(err, RP_INPUT,
		    "needs a window of more than %d MiB, the most that is allowed",
		    1 << (WINDOW_LOG - 20));
	else if (e == ZSTD_error_prefix_unknown && z->some)
		rp_fail(err, RP_INPUT, "bytes behind the end that are no further frame");
	else
		rp_fail(err, RP_INPUT, "damaged (%s)", ZSTD_getErrorName(code));
	return -1;
}

static int
zstd_step(void *state, struct rp_codec_io *io, struct rp_err *err)
{
	struct zstd *z = state;
	for (;;) {
		if (io->in == io->in_end && !z->inside)
			return !io->last;
		ZSTD_inBuffer in = { io->in, (size_t)(io->in_end - io->in), 0 };
		ZSTD_outBuffer out = { io->out, (size_t)(io->out_end - io->out), 0 };
		size_t code = ZSTD_decompressStream(z->d, &out, &in);
		if (ZSTD_isError(code))
			return zstd_fail(z, code, err);
		io->in += in.pos;
		io->out += out.pos;
		z->inside = code != 0;
		z->some |= code == 0;
		if (io->out == io->out_end)
			return 1;
		if (z->inside && io->in == io->in_end) {
			if (!io->last)
				return 1;
			rp_fail(err, RP_INPUT, "cut short");
			return -1;
		}
	}
}

static void
zstd_close(void *state)
{
	ZSTD_freeDStream(((struct zstd *)state)->d);
}

const struct rp_codec rp_codec_zstd = {
	.name = "zstd",
	/* The second: a skippable frame in front, as pzstd writes. */
	.magic = { { { 0x28, 0xb5, 0x2f, 0xfd }, 4, 0 }, { { 0x50, 0x2a, 0x4d, 0x18 }, 4, 0x0f } },
	.state_bytes = sizeof(struct zstd),
	.open = zstd_open,
	.step = zstd_step,
	.close = zstd_close,
};
