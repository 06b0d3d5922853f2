/* bzip2 - streams of blocks with a CRC each, one stream after another. */
#include "config.h"

#include "traces/codec.h"

#include <bzlib.h>
#include <limits.h>
#include <stdint.h>

struct bzip2 {
	bz_stream z;
	bool open; /* z is: closed between streams, where the end may be */
	bool some; /* a stream has ended */
};

static int
bzip2_fail(const struct bzip2 *b, int code, struct rp_err *err)
{
	if (code == BZ_MEM_ERROR)
		rp_fail(err, RP_RESOURCE, "out of memory");
	else if (code == BZ_DATA_ERROR_MAGIC && b->some)
		rp_fail(err, RP_INPUT, "bytes behind the end that are no further stream");
	else
		rp_fail(err, RP_INPUT, "damaged");
	return -1;
}

static bool
next_stream(struct bzip2 *b, struct rp_err *err)
{
	b->z = (bz_stream){ 0 };
	int code = BZ2_bzDecompressInit(&b->z, 0, 0);
	b->open = code == BZ_OK;
	return b->open || bzip2_fail(b, code, err) > 0;
}

static bool
bzip2_open(void *state, struct rp_err *err)
{
	return next_stream(state, err);
}

static unsigned
at_most(ptrdiff_t n)
{
	return n < (ptrdiff_t)UINT_MAX ? (unsigned)n : UINT_MAX;
}

static int
bzip2_step(void *state, struct rp_codec_io *io, struct rp_err *err)
{
	struct bzip2 *b = state;
	for (;;) {
		if (io->in == io->in_end && !b->open)
			return !io->last;
		if (!b->open && !next_stream(b, err))
			return -1;
		b->z.next_in = (char *)(uintptr_t)io->in; /* not written to */
		b->z.avail_in = at_most(io->in_end - io->in);
		b->z.next_out = (char *)io->out;
		b->z.avail_out = at_most(io->out_end - io->out);
		int code = BZ2_bzDecompress(&b->z);
		io->in = (unsigned char *)b->z.next_in;
		io->out = (unsigned char *)b->z.next_out;
		if (code == BZ_STREAM_END) {
			BZ2_bzDecompressEnd(&b->z);
			b->open = false;
			b->some = true;
		} else if (code != BZ_OK) {
			return bzip2_fail(b, code, err);
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
bzip2_close(void *state)
{
	struct bzip2 *b = state;
	if (b->open)
		BZ2_bzDecompressEnd(&b->z);
}

const struct rp_codec rp_codec_bzip2 = {
	.name = "bzip2",
	.magic = { { { 'B', 'Z', 'h' }, 3, 0 } },
	.state_bytes = sizeof(struct bzip2),
	.open = bzip2_open,
	.step = bzip2_step,
	.close = bzip2_close,
};
