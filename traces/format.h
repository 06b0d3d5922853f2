/* format.h - what a trace format is, and how one is found and opened.
 *
 * A format is one file in traces/format/ that ends in one `const struct rp_format`; the table of all is made by the
 * build from the list in traces/local.mk. */
#ifndef RP_TRACES_FORMAT_H
#define RP_TRACES_FORMAT_H

#include "base/out.h"
#include "traces/bytes.h"
#include "traces/source.h"

enum rp_stream_by { RP_BY_BLOCK, RP_BY_WARP, RP_BY_SM };

/* What the user may say about reading. All zeroes are the defaults. */
struct rp_read_opts {
	const char *from;                  /* name of the format; NULL: by content */
	unsigned threads;                  /* for decoding; 0: one */
	const volatile sig_atomic_t *stop; /* see bytes.h; may be NULL */
	uint32_t size;   /* of accesses whose format tells none; 0: the format's own default */
	bool salvage;    /* .rpz: pass over what is damaged, with a warning for each gap */
	bool keep_empty; /* oracleGeneral: keep records of size 0, as size 1 */
	uint32_t
	    object; /* libCacheSim, vscsi: 0: objects are whole, each a line of 64 bytes at 64 * id, size 1;
	                         * else blocks of so many bytes: address object * id, size as recorded */
	bool cloudsuite; /* ChampSim: 96-byte records */
	const char *
	    csv; /* libCacheSim csv: columns, as "time=1,id=2,size=3,op=4,delimiter=,,header=yes" */
	/* GPU */
	unsigned
	    arch; /* coalescing of this SM number (20..38: Fermi and Kepler); 0: 32-byte segments */
	bool descending;        /* transactions of an instruction from the highest address down */
	bool narrow_signed;     /* S8 and S16 in an opcode are 1 and 2 bytes, not 4 */
	uint64_t local_threads; /* threads between which local memory is interleaved; 0: 163,840 */
};

struct rp_write_opts {
	int level;      /* zstd level of `.rpz`; 0: default */
	uint32_t block; /* accesses in a block of `.rpz`; 0: default */
	bool small;     /* the smallest `.rpz`: zstd 19, unless said otherwise */
	unsigned threads;
	bool no_table; /* `.rpz`: without predictor 7, for speed of reading */
};

/* Writes batches in one format. The state is zeroed before begin() and freed after end() or after a failure, when
 * `release` is called first. The trace's metadata may still grow until end(). */
struct rp_writer {
	size_t state_bytes;
	bool (*begin)(void *state, struct rp_out *out, const struct rp_trace *t,
	    const struct rp_write_opts *o, struct rp_err *err); /* NULL: no header */
	bool (*write)(
	    void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err);
	bool (*end)(void *state, struct rp_out *out, struct rp_err *err); /* NULL: no footer */
	void (*release)(void *state);                                     /* NULL: nothing */
	unsigned keeps; /* optional columns that survive (enum rp_column) */
	bool sizes;     /* sizes survive */
	/* How the writer tells of what the format cannot say (an atomic as a read, a size too large): counts in
	 * lost[reason]; printed by `convert`. */
	void (*lost)(const void *state, void (*tell)(void *to, const char *reason, uint64_t n),
	    void *to); /* NULL */
};

struct rp_format {
	const char *name, *what, *source; /* what the user types; one line; where it is defined */
	int (*probe)(const unsigned char *head,
	    size_t n); /* decoded bytes; 0 not mine .. 100 certain; NULL: never found */
	/* A format of one stream of bytes gives these; */
	size_t state_bytes; /* zeroed before open(), freed after close() */
	/* Sets t->columns, t->warps; borrows all until close(). NULL: nothing to do, no optional columns. */
	bool (*open)(void *state, struct rp_bytes *in, const struct rp_read_opts *o,
	    struct rp_trace *t, struct rp_err *err);
	ptrdiff_t (*read)(void *state, struct rp_bytes *in, struct rp_batch *out,
	    struct rp_err *err);    /* as pull */
	void (*close)(void *state); /* NULL: nothing to release. Called also when open() failed. */
	/* one that reads several files or seeks gives this instead, and opens `path` itself ("-" may be refused). `in`,
	 * where not NULL, is `path` already opened, at its start: taken in any case. */
	struct rp_source *(*open_file)(const char *path, struct rp_bytes *in,
	    const struct rp_read_opts *o, struct rp_err *err);
	const struct rp_writer *writer; /* NULL: not written */
};

extern const struct rp_format *const rp_formats[]; /* ends in NULL; made by the build */

/* The format called `name`; NULL with *err (RP_USAGE, with the nearest name). */
const struct rp_format *rp_format_find(const char *name, struct rp_err *err);

/* Opens a trace: o->from, or the format whose probe is surest of what the input begins with (4 KiB at least, unless it ends
 * before; from a pipe they are waited for). Gives (rp_source_close). RP_INPUT: nothing reads it, and what was tried. */
struct rp_source *rp_trace_open(const char *path, const struct rp_read_opts *o, struct rp_err *err);

/* A source over `in` (taken, also on failure) with a given format that has read(): for tests and fuzzing. */
struct rp_source *rp_format_open(const struct rp_format *f, struct rp_bytes *in,
    const struct rp_read_opts *o, struct rp_err *err);

/* A trace being written. Gives (rp_trace_commit or rp_trace_abort). t is borrowed until then. */
struct rp_trace_out;
struct rp_trace_out *rp_trace_create(const char *path, const struct rp_format *f,
    const struct rp_trace *t, const struct rp_write_opts *o, struct rp_err *err);
bool rp_trace_write(struct rp_trace_out *w, const struct rp_batch *b, struct rp_err *err);
/* tell may be NULL: called for each thing the format could not say. */
bool rp_trace_commit(struct rp_trace_out *w, void (*tell)(void *to, const char *reason, uint64_t n),
    void *to, struct rp_err *err);
void rp_trace_abort(struct rp_trace_out *w); /* accepts NULL */

#endif
