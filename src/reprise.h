/* reprise.h - the public interface of libreprise: read and write memory traces, replay them through caches.
 *
 * A trace is opened by name (a file in any format that `reprise help formats` lists, compressed or not, "-" for standard
 * input, or a generator as `gen:KIND,key=value,...`) and gives its accesses in batches of columns. A replay takes batches
 * and counts. Options are text, `key=value,key=value`, with the keys that the commands have as long options, so whatever
 * reprise(1) documents can be said here, and new options change nothing in this file.
 *
 * What can fail takes a `struct reprise_error *` last, which may be NULL, and returns NULL, false or -1. What an open or
 * new function gives is released by the function its comment names; those accept NULL. Objects are independent of each
 * other: each may be used by one thread at a time. Structs may grow at their end in later versions; their members keep
 * place and meaning as long as the library keeps its soname. */
#ifndef REPRISE_H
#define REPRISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RP_API __attribute__((visibility("default")))

/* The library's version, "MAJOR.MINOR.PATCH". */
RP_API const char *reprise_version(void);

/* What kind of failure it was; also the exit code of the program for it. */
enum reprise_code {
	REPRISE_OK = 0,
	REPRISE_FAILED =
	    1, /* an identity of the counters does not hold: a mistake of the library's */
	REPRISE_USAGE = 2,   /* the caller asked for what does not exist or does not fit together */
	REPRISE_INPUT = 3,   /* a trace is missing, unreadable or wrong */
	REPRISE_RESOURCE = 4 /* no memory, disk full, pipe closed */
};

/* The caller's; need not be set before. `text` is one line without a newline: place, what was found, what was wanted. */
struct reprise_error {
	enum reprise_code code;
	char text[512];
};

/* Kinds of rows. Up to REPRISE_FETCH they are accesses; the others are marks, things that happen between two accesses and
 * concern caches. */
enum reprise_kind {
	REPRISE_READ,
	REPRISE_WRITE,
	REPRISE_ATOMIC,
	REPRISE_PREFETCH,
	REPRISE_FETCH, /* of an instruction */

	REPRISE_KERNEL_END = 8, /* of a GPU kernel; address: its number in the trace, from 0 */
	REPRISE_HOST_COPY,      /* from host to device: these bytes */
	REPRISE_COPY_BACK,      /* write these bytes back if they are dirty */
	REPRISE_INVALIDATE      /* drop these bytes from every cache */
};

/* Bits of `flags`. */
enum reprise_flag {
	REPRISE_SPACE = 7,       /* these three bits: enum reprise_space */
	REPRISE_BYPASS_L1 = 8,   /* a GPU access that does not look into the first level */
	REPRISE_SAME_INSTR = 16, /* of the same instruction as the row before of this stream */
	REPRISE_FLAGS = 31
};
enum reprise_space { REPRISE_NO_SPACE, REPRISE_GLOBAL, REPRISE_LOCAL };

/* n rows in trace order, by column. A column that the trace does not have is NULL: all of it counts as 0. */
struct reprise_batch {
	size_t n;
	const uint64_t *address; /* bytes */
	const uint32_t *size;    /* bytes, at least 1 */
	const uint8_t *kind;     /* enum reprise_kind */
	const uint32_t *stream;  /* core, SM, block, warp or thread, as the trace says */
	const uint64_t *time;    /* the trace's clock */
	const uint64_t *pc;      /* the instruction's address */
	const uint32_t *
	    mask; /* bytes touched of a GPU transaction: bit i for byte i of the aligned 32; 0: not known */
	const uint8_t *flags; /* enum reprise_flag */
	const void *inside;   /* the library's; NULL in a batch of one's own */
};

/* ---- Reading ---- */

struct reprise_trace;

/* Opens n traces, at least one, joined into one order. `options` (NULL: none) are those of `reprise sim` that say which
 * accesses it sees, such as "from=lackey,limit=1000000,interleave=rr:4,kinds=read,write". Gives (reprise_trace_close). */
RP_API struct reprise_trace *reprise_trace_open(
    const char *const *names, size_t n, const char *options, struct reprise_error *err);

/* The next rows: how many, 0 at the end, -1 on error. *batch is the trace's own, good until the next pull or close. After
 * the end or an error the trace may only be asked and closed. */
RP_API ptrdiff_t reprise_trace_pull(
    struct reprise_trace *t, const struct reprise_batch **batch, struct reprise_error *err);

/* The name of the format or generator; of several traces, the first one's. The trace's own. */
RP_API const char *reprise_trace_format(const struct reprise_trace *t);

/* How many of the first accesses the trace itself wants replayed but not counted. */
RP_API uint64_t reprise_trace_preamble(const struct reprise_trace *t);

/* What the reader left out so far: the i-th reason, one word, and how many; NULL when there are no more. */
RP_API const char *reprise_trace_skipped(const struct reprise_trace *t, size_t i, uint64_t *count);

/* The i-th warning so far, one line; NULL when there are no more. */
RP_API const char *reprise_trace_warning(const struct reprise_trace *t, size_t i);

RP_API void reprise_trace_close(struct reprise_trace *t);

/* ---- Writing ---- */

struct reprise_writer;

/* Begins a trace file; "-" is standard output. `like` (borrowed until commit, or NULL) is the trace whose columns and
 * description it takes over. `options` (NULL: none): "to=FORMAT" where the path's ending does not name it, those of
 * `reprise convert` that say how it is written ("level=19,block=65536"), and without `like` "columns=", a list of those
 * there will be beside address, size and kind: stream, time, pc, mask, flags. Gives (reprise_writer_commit or
 * reprise_writer_abort). */
RP_API struct reprise_writer *reprise_writer_open(const char *path,
    const struct reprise_trace *like, const char *options, struct reprise_error *err);

/* Appends the rows of a batch: one from a pull, or one's own. Columns that the writer does not have are left out. */
RP_API bool reprise_writer_put(
    struct reprise_writer *w, const struct reprise_batch *batch, struct reprise_error *err);

/* Ends the file, which appears under its name now, and releases the writer in any case. On failure nothing appears. */
RP_API bool reprise_writer_commit(struct reprise_writer *w, struct reprise_error *err);

/* Releases the writer; nothing appears under the file's name. */
RP_API void reprise_writer_abort(struct reprise_writer *w);

/* ---- Replaying ---- */

struct reprise_replay;

/* n caches, at least one, that each see every access. A specification is `POLICY[,key=value]...`, as in
 * "lru,size=48KiB,ways=12,line=128" (reprise-cache(7)). `options` (NULL: none) are those of `reprise sim`:
 * crossing=split|once, flush=yes, keep-bypassed=yes, warmup=N, interval=N, by-stream=yes, seed=S, line=BYTES, plugin=FILE.
 * Gives (reprise_replay_free). */
RP_API struct reprise_replay *reprise_replay_new(
    const char *const *specs, size_t n, const char *options, struct reprise_error *err);

/* Replays the rows of a batch: one from a pull, or one's own. */
RP_API bool reprise_replay_run(
    struct reprise_replay *r, const struct reprise_batch *batch, struct reprise_error *err);

/* At the end of the trace: flushes if that was asked for, closes the last interval, checks every identity of the
 * counters. */
RP_API bool reprise_replay_end(struct reprise_replay *r, struct reprise_error *err);

/* All of a trace from where it is, and reprise_replay_end. */
RP_API bool reprise_replay_trace(
    struct reprise_replay *r, struct reprise_trace *t, struct reprise_error *err);

/* The complete specification of a cache, with what was not said filled in. The replay's own. NULL: no such cache. */
RP_API const char *reprise_replay_spec(const struct reprise_replay *r, size_t cache);

/* Which counters: of all, of the index-th stream in ascending order (with by-stream), of the index-th interval. */
enum reprise_part { REPRISE_ALL, REPRISE_STREAM, REPRISE_INTERVAL };

/* How many streams or intervals there are (1 of REPRISE_ALL), and the number of the index-th stream. */
RP_API size_t reprise_replay_parts(const struct reprise_replay *r, enum reprise_part part);
RP_API uint32_t reprise_replay_stream(const struct reprise_replay *r, size_t index);

/* A counter by its name, such as "misses". REPRISE_USAGE: no such cache, part or counter, or it is a ratio. Good at any
 * time; whole after reprise_replay_end. */
RP_API bool reprise_replay_count(const struct reprise_replay *r, size_t cache,
    enum reprise_part part, size_t index, const char *name, uint64_t *value,
    struct reprise_error *err);

/* A ratio by its name, such as "miss_ratio"; not a number when it is over 0. A counter's value is given too, rounded
 * beyond 2^53. */
RP_API bool reprise_replay_ratio(const struct reprise_replay *r, size_t cache,
    enum reprise_part part, size_t index, const char *name, double *value,
    struct reprise_error *err);

RP_API void reprise_replay_free(struct reprise_replay *r);

/* ---- Policies of one's own ----
 *
 * A replacement policy is a shared object that exports `RP_API const struct rp_policy rp_plugin`, built against this header
 * alone (cc -shared -fPIC policy.c -o policy.so). `reprise sim --plugin policy.so --cache NAME,...` and the option
 * plugin=policy.so of reprise_replay_new load it; it can then be named in specifications. The built-in policies are such
 * structs too. A policy allocates nothing, keeps nothing outside of the bytes it is given, and cannot fail: the cache owns
 * its state, and asks it only what happens in one set. */

enum { RP_POLICY_ABI = 1, RP_POLICY_PARAMS = 4, RP_POLICY_ENGINES = 3 };

/* A number of the policy's: a key in the specification ("srrip,bits=3"). One of 0..1 is written, and printed, as no or yes. */
struct rp_param {
	const char *name, *what;
	uint64_t least, most, usual;
	bool wanted; /* must be given: there is no usual value */
};

/* Where in the cache a call happens, and for what. */
struct rp_at {
	void *set, *all;     /* bytes of the set, and of all sets; zero at first; aligned to 16 */
	const uint64_t *arg; /* values of `params`, in its order */
	uint32_t sets, ways; /* of the cache */
	uint32_t index;      /* of this set */
	uint32_t stream;     /* of the access; it and the next two are 0 in init() and drop() */
	uint64_t pc;         /* its instruction; 0: the trace has none */
	uint8_t kind;        /* enum reprise_kind */
	uint64_t line;       /* address / line size, of the access or of what is dropped */
	struct rp_rng *rng;  /* the cache's random numbers, by the specification's seed */
	uint64_t (*draw)(struct rp_rng *rng, uint64_t n); /* one of 0 .. n - 1, n at least 1 */
	/* Ways that wait for their data and may not be replaced: bit w % 64 of word w / 64; never all. NULL: none. If victim()
	 * names one all the same, the next that may be replaced takes its part: its line leaves, and the line that waits
	 * moves there and has the standing of the one that left. */
	const uint64_t *pinned;
	/* The library's own: when the line is looked up again, of a policy with `future`. */
	uint64_t next;
};

typedef void rp_touch(const struct rp_at *at, uint32_t way);
typedef uint32_t rp_pick(const struct rp_at *at);

struct rp_engine;
struct rp_policy {
	uint32_t abi; /* RP_POLICY_ABI; what was built for another is refused */
	/* What the user types: small letters, digits and -; one line; where it is defined; in what it differs from that.
	 * The last two may be NULL. */
	const char *name, *what, *source, *differs;
	struct rp_param params[RP_POLICY_PARAMS];                /* a NULL name ends them */
	size_t (*set_bytes)(uint32_t ways, const uint64_t *arg); /* state of a set; NULL: none */
	size_t (*all_bytes)(
	    uint32_t sets, uint32_t ways, const uint64_t *arg); /* common; NULL: none */
	void (*init)(const struct rp_at *at);                   /* a set; NULL: zeroes will do */
	rp_touch *hit;  /* the line of a way was looked up; NULL: nothing to do */
	rp_touch *fill; /* a line came into a way; NULL: nothing to do */
	rp_touch *drop; /* the way was invalidated from outside; NULL: fill resets it */
	/* The way to replace. Called with every way valid; fill() follows for the same line and the way that it names. */
	rp_pick *victim;
	bool chance; /* draws random numbers: the seed is part of the specification */
	/* The library's own, 0 in a plug-in. `admit`: whether to bring the line in, or let the access pass; called before
	 * `victim` if the first parameter is not 0. `future`: wants `next`, so the trace is gone through twice. `unbounded`:
	 * no capacity, so no size, sets, ways; the specification has 0, 1 and 0. `engines`: specialised loops, each for
	 * some geometries, that give what the plain one gives with the functions above; the first that fits is taken, and the
	 * plain one if none does; NULL ends them. */
	bool (*admit)(const struct rp_at *at);
	bool future;
	bool unbounded;
	const struct rp_engine *engines[RP_POLICY_ENGINES];
};

/* The table of the counters and ratios: the i-th, NULL when there are no more. The library's own, for ever. */
struct reprise_counter {
	const char *name, *unit, *what; /* unit: "" of a ratio; what: one line */
	bool ratio;
};
RP_API const struct reprise_counter *reprise_counter(size_t i);

#ifdef __cplusplus
}
#endif

#endif
