/* codec.h - what a compression is. A codec is one file in traces/codec/ that ends in one `const struct rp_codec`. */
#ifndef RP_TRACES_CODEC_H
#define RP_TRACES_CODEC_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What a step has to work with; both ends move. */
struct rp_codec_io {
	const unsigned char *in, *in_end;
	unsigned char *out, *out_end;
	bool last; /* nothing comes behind in_end */
};

enum { RP_MAGICS = 5, RP_MAGIC_MOST = 8 };

/* The first `n` bytes of an input, 0: no magic. Bits of the first byte that are set in `any` may be either. */
struct rp_magic {
	unsigned char bytes[RP_MAGIC_MOST];
	unsigned char n, any;
};

struct rp_codec {
	const char *name;
	struct rp_magic magic[RP_MAGICS]; /* any of them begins such an input */
	size_t state_bytes;               /* zeroed before open(), freed after close() */
	bool (*open)(void *state, struct rp_err *err); /* false: nothing is left to close */
	/* Decodes as much as fits: on 1 either all input is taken or there is no room left, and there may be more; 0 at the
	 * end of the compressed data (concatenated members have been followed, nothing else may come behind), -1 when it is
	 * damaged, cut short or wants too much memory: *err then says how, without the file's name. Input comes in pieces of
	 * any size. */
	int (*step)(void *state, struct rp_codec_io *io, struct rp_err *err);
	void (*close)(void *state);
};

extern const struct rp_codec *const rp_codecs[]; /* ends in NULL; made by the build */

#endif
