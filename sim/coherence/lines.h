/* lines.h - what is known of each line of the footprint, cached or not.
 *
 * A record is a header, some sets of caches (sim/coherence/sets.h) and, if wanted, statistics. It grows with the number of
 * caches, which may not be known at the start, so its parts are reached by functions; records are named by number, which
 * never changes, as they move when there are more of them.
 *
 * A byte mask of what a cache has not seen lies outside of the record, in an array: for up to 8 caches by their number, else
 * with one for each cache that ever held the line, in ascending order. There is none before two caches held the line and
 * one of them could write, and of a cache that is not in COH_NEWS it may be anything, so that what is fetched anyway need
 * not touch it. */
#ifndef RP_SIM_COHERENCE_LINES_H
#define RP_SIM_COHERENCE_LINES_H

#include "sim/coherence/pool.h"
#include "sim/coherence/sets.h"

#include "base/err.h"
#include "base/hash.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
	COH_NONE = UINT32_MAX,
	COH_RECORD_BITS = 16, /* log2 of the records in a chunk */
	COH_ROOM_MOST = 63,
	COH_NARROW = 8,   /* caches at most where sets are bytes */
	COH_HINTS_AT = 32 /* where there are hints, in a record */
};

/* Sets of caches of a line. */
enum coh_set {
	COH_HOLDERS,  /* have a copy */
	COH_SHARERS,  /* in the directory entry: all holders, and with silent evictions more */
	COH_EVER,     /* ever had a copy */
	COH_TAKEN,    /* lost theirs last to another's store, */
	COH_RECALLED, /* or to the directory; else they replaced it themselves */
	COH_STORED,   /* absent, and others stored since */
	COH_NEWS,     /* have bytes not seen */
	/* May have it in the reference cache: all that do, all holders, and those whose list dropped it by itself. */
	COH_LISTED,
	COH_SETS,
	/* With statistics: */
	COH_READERS = COH_SETS,
	COH_WRITERS,
	COH_SETS_ALL
};

struct coh_line {
	uint64_t number;  /* address / line size */
	uint32_t unseen;  /* the first of its masks */
	uint32_t owner;   /* where the entry is owned */
	uint32_t place;   /* of the entry in a sparse directory */
	uint8_t state;    /* of the home */
	uint8_t room : 6, /* for 2^room masks, if it is not 0 */
	    written : 1,  /* some cache could write it */
	    busy : 1;     /* the timed engine's */
	uint8_t rest[];
};
static_assert(
    offsetof(struct coh_line, rest) + COH_SETS_ALL <= COH_HINTS_AT, "sets of a byte each");

/* Statistics of a line: of its misses as they are, of hits when they are settled (sim/coherence/caches.h). */
struct coh_stats {
	uint64_t accesses, misses, hitm, true_sharing, false_sharing, dir, upgrades, inv_sent,
	    forwards;
	uint32_t offsets; /* first of its offsets + 1; 0: none */
};

struct coh_lines {
	struct coh_pool records;
	size_t set_bytes; /* of a set */
	size_t sets_at, stats_at;
	size_t hints_at;                 /* 0: there are none */
	unsigned mask_words, least_room; /* words of a mask; log2 of the least block of them */
	bool stats, narrow_hints;        /* narrow_hints: for up to 8 caches a record has hints */
	/* Numbers of lines, hashed: in the low slot_bits the record's number + 1, above as many bits of the hash as there is
	 * room for. */
	uint32_t *slot;
	unsigned slot_bits;
	/* Masks, in blocks of a power of two of them. */
	struct coh_pool masks;
	uint32_t free[33]; /* first free block of each size, + 1 */
	/* Offsets: a next one + 1, the offset, and a set of caches. */
	struct coh_pool offsets;
};

/* Room for so many caches; l->stats, l->narrow_hints and l->mask_words are given. false: no memory. */
bool coh_lines_open(struct coh_lines *l, size_t caches, struct rp_err *err);
void coh_lines_close(struct coh_lines *l);
/* The same for more caches than before. */
bool coh_lines_widen(struct coh_lines *l, size_t caches, struct rp_err *err);

static inline struct coh_line *
coh_line(const struct coh_lines *l, uint32_t i)
{
	return (struct coh_line *)coh_pool_of(&l->records, i, COH_RECORD_BITS);
}

static inline uint8_t *
coh_set(const struct coh_lines *l, const struct coh_line *x, unsigned which)
{
	return (uint8_t *)x + l->sets_at + which * l->set_bytes;
}

/* Of a cache, at which node of its reference cache it had the line last (sim/coherence/reference.h), or NULL. */
static inline uint16_t *
coh_hint(const struct coh_lines *l, const struct coh_line *x, uint32_t c)
{
	return l->hints_at ? (uint16_t *)((unsigned char *)x + l->hints_at) + c : NULL;
}

static inline struct coh_stats *
coh_stats(const struct coh_lines *l, const struct coh_line *x)
{
	return (struct coh_stats *)((unsigned char *)x + l->stats_at);
}

static inline uint64_t
coh_lines_hash(uint64_t number)
{
	return rp_mix64(number);
}

static inline size_t
coh_lines_slot(const struct coh_lines *l, uint64_t hash)
{
	return (size_t)(hash >> (64 - l->slot_bits));
}

/* What a slot says besides the record's number. */
static inline uint32_t
coh_slot_tag(const struct coh_lines *l, uint64_t hash)
{
	return (uint32_t)hash << l->slot_bits;
}

/* The first slot from `at` on whose record may be that of the hash, or that is free. */
static inline size_t
coh_slot_next(const struct coh_lines *l, uint64_t hash, size_t at)
{
	const size_t last = ((size_t)1 << l->slot_bits) - 1;
	const uint32_t tag = coh_slot_tag(l, hash);
	while (l->slot[at] && (l->slot[at] ^ tag) >> l->slot_bits)
		at = (at + 1) & last;
	return at;
}

/* The record that a slot names, or COH_NONE. */
static inline uint32_t
coh_slot_record(const struct coh_lines *l, size_t at)
{
	return (l->slot[at] & ((UINT32_C(1) << l->slot_bits) - 1)) - 1;
}

/* Probably the record of the line with that hash. COH_NONE: the line has none. */
static inline uint32_t
coh_lines_probable(const struct coh_lines *l, uint64_t hash)
{
	return coh_slot_record(l, coh_slot_next(l, hash, coh_lines_slot(l, hash)));
}

/* The record of a line; COH_NONE: it has none. */
static inline uint32_t
coh_lines_find(const struct coh_lines *l, uint64_t number)
{
	uint64_t hash = coh_lines_hash(number);
	size_t at = coh_lines_slot(l, hash), last = ((size_t)1 << l->slot_bits) - 1;
	for (uint32_t i;; at = (at + 1) & last) {
		at = coh_slot_next(l, hash, at);
		i = coh_slot_record(l, at);
		if (i == COH_NONE || coh_line(l, i)->number == number)
			return i;
	}
}

/* The same, made if there is none: empty but for its number. COH_NONE: no memory. */
uint32_t coh_lines_make(struct coh_lines *l, uint64_t number, struct rp_err *err);

/* Adds c to the caches that ever held the line, which needs a mask if the line has any. */
bool coh_lines_hold(struct coh_lines *l, uint32_t i, uint32_t c, struct rp_err *err);

/* Makes masks for the caches that ever held the line, which has none. */
bool coh_lines_make_masks(struct coh_lines *l, struct coh_line *x, struct rp_err *err);

/* The place of a cache's mask in the line's array. */
static inline uint32_t
coh_mask_place(const struct coh_lines *l, const struct coh_line *x, uint32_t c)
{
	return l->set_bytes == 1 ? c : (uint32_t)coh_rank(coh_set(l, x, COH_EVER), l->set_bytes, c);
}

/* The mask of a cache that ever held the line, which has masks. */
static inline uint64_t *
coh_unseen(const struct coh_lines *l, const struct coh_line *x, uint32_t c)
{
	return coh_pool_at(&l->masks, x->unseen + coh_mask_place(l, x, c));
}

/* A mask that is empty. */
static inline void
coh_mask_clear(uint64_t *mask, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		mask[w] = 0;
}

/* Adds a mask to those of all other caches that ever held the line, which has masks. */
void coh_lines_tell(
    struct coh_lines *l, const struct coh_line *x, uint32_t c, const uint64_t *mask);

/* Of an offset: what follows it, itself and its caches. */
struct coh_offset {
	uint32_t next, offset;
	uint8_t caches[];
};

static inline struct coh_offset *
coh_offset(const struct coh_lines *l, uint32_t i)
{
	return coh_pool_at(&l->offsets, i);
}

/* Counts a hit-modified miss of cache c at an offset. */
bool coh_lines_offset(
    struct coh_lines *l, uint32_t i, uint32_t offset, uint32_t c, struct rp_err *err);

void coh_lines_forget(struct coh_lines *l); /* all statistics */

size_t coh_lines_bytes(const struct coh_lines *l); /* in use */

#endif
