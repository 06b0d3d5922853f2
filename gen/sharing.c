/* sharing - how streams share lines: patterns that coherence is made of, round after round.
 *
 * A round is what all streams do once; it is laid out in memory and then handed over, so its order is exact. Shared data
 * come first, from `base` on, in `lines` objects of which each round uses the next; each stream's own data follow. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"

#include "base/mem.h"

#include <inttypes.h>

enum pattern {
	FALSE_SHARING,
	TRUE_SHARING,
	PRIVATE,
	MIGRATORY,
	PRODUCER_CONSUMER,
	READ_MOSTLY,
	LOCK,
	BARRIER
};

static const char *const pattern_names[] = { "false", "true", "private", "migratory",
	"producer-consumer", "read-mostly", "lock", "barrier", NULL };

enum { STEPS_MOST = 1 << 28 };

struct sharing_params {
	unsigned pattern;
	uint32_t streams, line, size, words, spins, every, work, lines;
	bool pad, rmw, shuffle;
	uint64_t base, rounds, limit;
};

/* An access of a round. */
struct step {
	uint64_t addr;
	uint32_t stream;
	uint8_t kind;
};

struct sharing {
	struct rp_source source;
	struct sharing_params p;
	struct rp_rng rng;
	uint64_t object_bytes; /* of a shared object, whole lines */
	uint64_t own;          /* address of the first stream's own data */
	uint64_t round, left;  /* left: accesses still to come; UINT64_MAX: endless */
	uint32_t *order;       /* streams, as they take turns */
	/* The round at hand; while `step` is NULL it is only counted. */
	struct step *step;
	size_t n, at;
};

static void
put(struct sharing *g, uint32_t stream, uint8_t kind, uint64_t addr)
{
	if (g->step)
		g->step[g->n] = (struct step){ addr, stream, kind };
	g->n++;
}

/* The object that this round uses. */
static uint64_t
object(const struct sharing *g)
{
	return g->p.base + g->round % g->p.lines * g->object_bytes;
}

/* From one thing that is kept apart to the next. */
static uint64_t
apart(const struct sharing *g)
{
	return g->p.pad ? g->p.line : g->p.size;
}

/* What a stream does between its turns: it walks over its own lines, reading and writing. */
static void
work(struct sharing *g, uint32_t s)
{
	uint64_t first = g->own + (uint64_t)s * g->p.lines * g->p.line;
	for (uint32_t i = 0; i < g->p.work; i++) {
		uint64_t turn = g->round * g->p.work + i;
		put(g, s, turn % 2 ? RP_WRITE : RP_READ, first + turn / 2 % g->p.lines * g->p.line);
	}
}

static void
store(struct sharing *g, uint32_t s, uint64_t addr)
{
	if (g->p.rmw)
		put(g, s, RP_READ, addr);
	put(g, s, RP_WRITE, addr);
}

/* Every word of the object, read and then written, or one of them. */
static void
touch_words(struct sharing *g, uint32_t s, uint64_t from, bool read, bool write)
{
	for (uint32_t w = 0; w < g->p.words; w++) {
		uint64_t addr = from + (uint64_t)w * g->p.size;
		if (read)
			put(g, s, RP_READ, addr);
		if (write)
			put(g, s, RP_WRITE, addr);
	}
}

static void
lock_round(struct sharing *g, uint32_t holder)
{
	uint64_t lock = object(g), data = lock + apart(g);
	put(g, holder, RP_ATOMIC, lock);
	for (uint32_t i = 0; i < g->p.spins; i++)
		for (uint32_t s = 0; s < g->p.streams; s++)
			if (g->order[s] != holder)
				put(g, g->order[s], RP_READ, lock);
	touch_words(g, holder, data, true, true);
	put(g, holder, RP_WRITE, lock);
}

static void
barrier_round(struct sharing *g)
{
	uint64_t count = object(g), flag = count + apart(g);
	uint32_t last = g->order[g->p.streams - 1];
	for (uint32_t s = 0; s < g->p.streams; s++) {
		work(g, g->order[s]);
		put(g, g->order[s], RP_ATOMIC, count);
		for (uint32_t i = 0; i < g->p.spins && g->order[s] != last; i++)
			put(g, g->order[s], RP_READ, flag);
	}
	put(g, last, RP_WRITE, count);
	put(g, last, RP_WRITE, flag);
	for (uint32_t s = 0; s + 1 < g->p.streams; s++)
		put(g, g->order[s], RP_READ, flag);
}

/* The turn of one stream, of the patterns where all take turns alike. */
static void
turn(struct sharing *g, uint32_t s)
{
	uint64_t at = object(g);
	switch (g->p.pattern) {
	case FALSE_SHARING:
		store(g, s, at + s * apart(g));
		break;
	case TRUE_SHARING:
		store(g, s, at);
		break;
	case PRIVATE:
		store(
		    g, s, g->own + ((uint64_t)s * g->p.lines + g->round % g->p.lines) * g->p.line);
		break;
	case MIGRATORY:
		touch_words(g, s, at, true, true);
		break;
	case PRODUCER_CONSUMER:
		touch_words(g, s, at, s != 0, s == 0);
		break;
	case READ_MOSTLY:
		touch_words(g, s, at, true, false);
		break;
	default: /* those that take no turns */
		break;
	}
}

static void
shuffle(struct sharing *g)
{
	for (uint32_t i = g->p.streams; g->p.shuffle && i > 1; i--) {
		uint32_t j = (uint32_t)rp_rng_below(&g->rng, i), t = g->order[i - 1];
		g->order[i - 1] = g->order[j];
		g->order[j] = t;
	}
}

/* A producer comes first: what the others read is then what it wrote. */
static void
producer_first(struct sharing *g)
{
	for (uint32_t i = 1; i < g->p.streams; i++)
		if (!g->order[i]) {
			g->order[i] = g->order[0];
			g->order[0] = 0;
		}
}

static void
lay_out(struct sharing *g)
{
	g->n = g->at = 0;
	shuffle(g);
	if (g->p.pattern == PRODUCER_CONSUMER)
		producer_first(g);
	if (g->p.pattern == BARRIER) {
		barrier_round(g);
		return;
	}
	for (uint32_t i = 0; i < g->p.streams; i++) {
		work(g, g->order[i]);
		turn(g, g->order[i]);
	}
	if (g->p.pattern == LOCK)
		lock_round(g, g->order[g->round % g->p.streams]);
	/* One word is written now and then, by each stream in turn. */
	if (g->p.pattern == READ_MOSTLY && (!g->step || g->round % g->p.every == g->p.every - 1)) {
		uint64_t nth = g->round / g->p.every;
		put(g, (uint32_t)(nth % g->p.streams), RP_WRITE,
		    object(g) + nth / g->p.streams % g->p.words * g->p.size);
	}
}

static ptrdiff_t
pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct sharing *g = (struct sharing *)source;
	size_t n = 0, from = out->n;
	(void)err;
	for (; out->n + n < out->cap && g->left; n++) {
		if (g->at == g->n) {
			if (g->p.rounds && g->round == g->p.rounds)
				break;
			lay_out(g);
			g->round++;
		}
		const struct step *s = &g->step[g->at++];
		out->addr[from + n] = s->addr;
		out->size[from + n] = g->p.size;
		out->kind[from + n] = s->kind;
		if (out->stream)
			out->stream[from + n] = s->stream;
		g->left -= g->left != UINT64_MAX;
	}
	rp_fill_zero(out, RP_COL_STREAM, n);
	out->n += n;
	return (ptrdiff_t)n;
}

static void
close_sharing(struct rp_source *source)
{
	struct sharing *g = (struct sharing *)source;
	free(g->order);
	free(g->step);
	rp_gen_source_free(source);
}

/* Bytes that the parts of an object take. */
static uint64_t
bytes_of_object(const struct sharing_params *p)
{
	uint64_t gap = p->pad ? p->line : p->size, words = (uint64_t)p->words * p->size;
	switch (p->pattern) {
	case FALSE_SHARING:
		return (p->streams - 1) * gap + p->size;
	case TRUE_SHARING:
		return p->size;
	case LOCK:
		return gap + words;
	case BARRIER:
		return gap + p->size;
	default:
		return words;
	}
}

static bool
check(const struct sharing_params *p, uint64_t object_bytes, struct rp_err *err)
{
	uint64_t shared = object_bytes * p->lines, bytes;
	if (p->size > p->line)
		return rp_fail(
		    err, RP_USAGE, "size=%" PRIu32 " is more than line=%" PRIu32, p->size, p->line);
	if (p->pattern == PRODUCER_CONSUMER && p->streams < 2)
		return rp_fail(err, RP_USAGE,
		    "pattern=producer-consumer: wanted streams=2 or more, stream 0 produces");
	if ((uint64_t)p->streams * (2 * (uint64_t)p->words + p->spins + p->work + 4) > STEPS_MOST)
		return rp_fail(err, RP_USAGE,
		    "a round of more than %d accesses: wanted fewer streams, words, spins or work",
		    STEPS_MOST);
	bytes = shared + (uint64_t)p->streams * p->lines * p->line;
	return rp_gen_fits(p->base, 1, 0, bytes, err);
}

static struct rp_source *
sharing_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct sharing_params *p = params;
	uint64_t object_bytes = (bytes_of_object(p) + p->line - 1) / p->line * p->line;
	if (!check(p, object_bytes, err))
		return NULL;
	struct sharing *g = rp_gen_source_new(sizeof *g, "sharing", RP_COL_STREAM, pull, err);
	if (!g)
		return NULL;
	g->source.close = close_sharing;
	g->p = *p;
	g->rng = rp_rng_for(seed, "gen/sharing", 0);
	g->object_bytes = object_bytes;
	g->own = p->base + (p->pattern == PRIVATE ? 0 : object_bytes * p->lines);
	g->left = p->limit ? p->limit : UINT64_MAX;
	g->order = rp_mem_array(p->streams, sizeof *g->order, err);
	for (uint32_t i = 0; g->order && i < p->streams; i++)
		g->order[i] = i;
	if (g->order) {
		bool shuffled = g->p.shuffle;
		g->p.shuffle = false;
		lay_out(g); /* counts only */
		g->p.shuffle = shuffled;
		g->step = rp_mem_array(g->n, sizeof *g->step, err);
		g->n = g->at = 0;
	}
	if (!g->step) {
		close_sharing(&g->source);
		return NULL;
	}
	g->source.trace->endless = !p->limit && !p->rounds;
	return &g->source;
}

#define PARAM(field) offsetof(struct sharing_params, field)
static const struct rp_opt opts[] = {
	{ "pattern", 0, "PATTERN", RP_OPT_CHOICE, PARAM(pattern), "false",
	    "false, true, private, migratory, producer-consumer, read-mostly, lock or barrier", 0,
	    0, pattern_names },
	{ "streams", 0, "N", RP_OPT_U32, PARAM(streams), "4", "streams that take turns", 1,
	    1 << 20 },
	{ "lines", 0, "N", RP_OPT_U32, PARAM(lines), "1",
	    "shared objects, one a round in turn; of private: lines of each stream", 1, 1 << 24 },
	{ "words", 0, "N", RP_OPT_U32, PARAM(words), "4",
	    "words of an object that migrates, is produced, mostly read or locked", 1, 1 << 20 },
	{ "size", 0, "BYTES", RP_OPT_SIZE32, PARAM(size), "8", "size of a word and of an access", 1,
	    1 << 20 },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, PARAM(line), "64",
	    "line that objects begin at and that --pad keeps apart", 1, 1 << 30 },
	{ "pad", 0, NULL, RP_OPT_FLAG, PARAM(pad), NULL,
	    "false: each stream's word, lock: lock and data, barrier: count and flag have a line "
	    "each" },
	{ "rmw", 0, NULL, RP_OPT_FLAG, PARAM(rmw), NULL,
	    "false, true, private: read each word before writing it" },
	{ "spins", 0, "N", RP_OPT_U32, PARAM(spins), "1",
	    "lock, barrier: how often who waits looks again", 0, 1 << 16 },
	{ "every", 0, "N", RP_OPT_U32, PARAM(every), "16",
	    "read-mostly: rounds from one write to the next", 1, UINT32_MAX },
	{ "work", 0, "N", RP_OPT_U32, PARAM(work), "0",
	    "accesses to a stream's own lines before each of its turns", 0, 1 << 16 },
	{ "shuffle", 0, NULL, RP_OPT_FLAG, PARAM(shuffle), NULL,
	    "take turns in another order each round" },
	{ "rounds", 0, "N", RP_OPT_U64, PARAM(rounds), "0", "end after N rounds; 0: endless" },
	{ "base", 0, "ADDRESS", RP_OPT_U64, PARAM(base), "0", "address of the first byte" },
	{ "limit", 0, "N", RP_OPT_U64, PARAM(limit), "0", "end after N accesses; 0: endless" },
	{ 0 },
};

const struct rp_generator rp_generator_sharing = {
	.name = "sharing",
	.what = "streams that share lines: falsely, truly, by locks, or not",
	.source = "classes of sharing as in Weber and Gupta, ASPLOS 1989",
	.opts = opts,
	.params_bytes = sizeof(struct sharing_params),
	.open = sharing_open,
};
