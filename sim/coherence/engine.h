/* engine.h - one line access as an atomic transaction: what functional and timed mode share.
 *
 * For the timed engine: coh_access() is the whole functional transaction of an access (victim and its Put, directory
 * replacement, Inv and forwards, fill, counters), done at once; coh_outcome says what its duration depends on. coh_peek()
 * tells hit, upgrade or miss at issue without any effect. Before a miss, coh_hooks.pinned keeps lines with an outstanding
 * MSHR from being replaced and coh_hooks.may_recall keeps busy lines' entries; the counters victim_skips and
 * dir_victim_skips are kept here. coh_line.busy is free for its use (coh_lines_make gives the record of a line), and
 * coh_entry_waits() is admission test 3. Requests are made with coh_request_of() and masks with coh_mask_range(). After
 * all accesses rp_coherence_end(), and the results of coherence.h. */
#ifndef RP_SIM_COHERENCE_ENGINE_H
#define RP_SIM_COHERENCE_ENGINE_H

#include "sim/coherence/caches.h"
#include "sim/coherence/coherence.h"
#include "sim/coherence/directory.h"
#include "sim/coherence/lines.h"
#include "sim/streams.h"

enum coh_message {
	COH_SEND_REQUEST, /* GetS or GetM */
	COH_SEND_PUT,
	COH_SEND_INV,
	COH_SEND_FWD,
	COH_SEND_ACK,
	COH_SEND_DATA
};

/* What others want to have a say in. Each may be NULL. */
struct coh_hooks {
	void *to;
	/* Whether cache c may not replace that line (its number) now. */
	bool (*pinned)(void *to, uint32_t c, uint64_t number);
	/* Whether the directory entry of a record may be replaced now. */
	bool (*may_recall)(void *to, uint32_t record);
	/* For tests: how often a message to or from cache c arrives; 1 usually. */
	unsigned (*arrives)(void *to, enum coh_message m, uint32_t c, uint32_t record);
	/* Told of what goes to memory or comes from it: a line, and who asked or wrote. */
	bool (*memory)(void *to, uint64_t number, bool write, uint32_t c, struct rp_err *err);
};

enum { COH_LOW_STREAMS = 256 }; /* whose caches are found without a search */

struct rp_coherence {
	struct rp_coherence_config config;
	struct coh_geometry geometry;
	const struct rp_protocol *protocol; /* = config.protocol */
	struct coh_lines lines;
	struct coh_directory directory; /* if sparse */
	struct coh_cache *cache;        /* in the order they came up */
	size_t n, room;
	uint64_t entries; /* of the directory, in use */
	struct rp_coherence_home home;
	struct coh_hooks hooks;
	unsigned line_shift; /* log2 of the line; 64: it is no power of two */
	uint32_t mask_shift; /* the same of word_bytes; or 64 */
	/* At the warm-up's end: what to leave out. */
	struct rp_coherence_home home_before;
	struct rp_coherence_counters *before; /* by cache; NULL: nothing */
	size_t n_before;
	uint64_t forgotten; /* lifetimes that were open then */
	bool ended;
	bool forced; /* coh_evict was called: caches and reference caches may differ */
	/* With verify, by record: versions of the line and of memory. */
	uint64_t *version, *memory_version;
	size_t versions;
	const char *broken; /* what cannot happen and did; NULL: nothing */
	/* Functional mode: streams in the order they came up, and their caches + 1. */
	struct rp_streams *streams;
	uint32_t *of_slot;
	size_t n_slots;
	uint32_t of_low[COH_LOW_STREAMS]; /* cache + 1 of a stream with that number; 0: not known */
	uint32_t *row_cache;              /* of the rows at hand, and their room */
	size_t row_room;
	/* Caches by their number in results, and the other way round. */
	uint32_t *sorted, *rank;
	size_t n_sorted;
	uint32_t *listed; /* what rp_coherence_entries gives */
	uint64_t *pinned; /* a bit for each way of a set */
};

enum coh_how { COH_HIT, COH_UPGRADE, COH_MISS };

struct coh_outcome {
	enum coh_how how;
	uint64_t victim;    /* number of the line that a miss replaced, if it did */
	bool memory;        /* memory supplied data */
	bool forwarded;     /* another cache did */
	uint32_t invs;      /* Inv for a store */
	uint32_t back_invs; /* Inv for a directory entry that was replaced */
	uint32_t record;    /* of the line */
};

/* One more private cache, for a stream or with that number. false: no memory. */
bool coh_add_cache(struct rp_coherence *k, uint32_t stream, struct rp_err *err);

/* The compiled engines (sim/coherence/shape.h): one access, all rows of a batch. */
struct coh_engine {
	bool (*one)(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
	    struct rp_err *err);
	bool (*rows)(struct rp_coherence *k, const struct rp_batch *b, const uint32_t *cache,
	    struct rp_err *err);
	bool (*leave)(
	    struct rp_coherence *k, uint32_t c, uint32_t set, size_t place, struct rp_err *err);
};
extern const struct coh_engine coh_engine_8, coh_engine_64, coh_engine_any;

/* All rows of a batch in order; cache[i] is that of row i, COH_NONE of a mark. */
bool coh_rows(
    struct rp_coherence *k, const struct rp_batch *b, const uint32_t *cache, struct rp_err *err);

/* The engines' own: the place whose line a miss replaces, by the policy and hooks.pinned; with verify, whether a copy is
 * the latest version, and room for the versions of new records. */
size_t coh_victim_of(struct rp_coherence *k, const struct coh_request *q, uint32_t set);
void coh_look_at_version(struct rp_coherence *k, const struct coh_request *q, size_t place);
bool coh_make_versions(struct rp_coherence *k, struct rp_err *err);

/* What an access would be, now. */
enum coh_how coh_peek(const struct rp_coherence *k, uint32_t cache, uint64_t number, bool store);

/* A line access, with everything it causes. *out is only filled for what is no hit, but for `how`. RP_RESOURCE: no memory;
 * RP_FAILED: an invariant is broken. */
bool coh_access(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
    struct rp_err *err);

/* A cache replaces its copy of a line as if it needed the way, if it has one. */
bool coh_evict(struct rp_coherence *k, uint32_t cache, uint64_t number, struct rp_err *err);

/* Whether a request for a line has to wait because every entry of its directory set may not be recalled. */
bool coh_entry_waits(const struct rp_coherence *k, uint64_t number);

static inline uint64_t
coh_line_number(const struct rp_coherence *k, uint64_t address)
{
	return k->line_shift < 64 ? address >> k->line_shift : address / k->config.line;
}

/* Sets the bits of bytes first..last of a line, all others are cleared. */
static inline void
coh_mask_range(const struct rp_coherence *k, uint64_t *mask, uint32_t first, uint32_t last)
{
	uint32_t lo = k->mask_shift < 64 ? first >> k->mask_shift : first / k->config.word_bytes;
	uint32_t hi = k->mask_shift < 64 ? last >> k->mask_shift : last / k->config.word_bytes;
	unsigned words = k->lines.mask_words;
	if (words == 1) {
		*mask = UINT64_MAX << lo & UINT64_MAX >> (63 - hi);
		return;
	}
	for (unsigned w = 0; w < words; w++) {
		uint64_t from = w < lo / 64 ? 0 : w == lo / 64 ? UINT64_MAX << lo % 64 : UINT64_MAX;
		uint64_t upto = w > hi / 64    ? 0
		                : w == hi / 64 ? UINT64_MAX >> (63 - hi % 64)
		                               : UINT64_MAX;
		mask[w] = w < lo / 64 ? 0 : from & upto;
	}
}

/* Of a row of a trace. */
static inline bool
coh_is_store(uint8_t kind)
{
	return kind == RP_WRITE || kind == RP_ATOMIC;
}

/* The part of row i of a batch that lies in a line, as a request of a cache; its mask, in `mask`, is empty of a prefetch. */
struct coh_request coh_request_of(const struct rp_coherence *k, const struct rp_batch *b, size_t i,
    uint64_t number, uint32_t cache, uint64_t *mask);

/* Numbers the caches by their streams: k->sorted and k->rank. false: no memory. */
bool coh_sort_caches(struct rp_coherence *k, struct rp_err *err);

/* Carries what ways keep of their lines' statistics over to the records. */
void coh_settle(struct rp_coherence *k);

/* The invariants of one line, and the identities of the counters: what `verify` looks at after every access. */
bool coh_check_line(struct rp_coherence *k, uint32_t record, struct rp_err *err);

#endif
