/* tree_spec.h - a hierarchy of caches: its levels, and the YAML file that says them.
 *
 * Levels form a tree whose root is memory: each has one level below it, its parent. A level has one cache for all streams,
 * or one for each stream or group of streams, its instances; an instance may be made of slices, each a cache that has its
 * share of the lines. */
#ifndef RP_SIM_TREE_SPEC_H
#define RP_SIM_TREE_SPEC_H

#include "sim/cache.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a level has of the lines of the levels above it (man/reprise-config.5 tells what happens). */
enum rp_inclusion {
	RP_NINE,      /* what comes: neither inclusive nor exclusive */
	RP_INCLUSIVE, /* all: a line that leaves is dropped from them too */
	RP_EXCLUSIVE  /* none: filled by what they replace, and what they fetch leaves */
};

enum rp_share {
	RP_SHARE_ALL,    /* one instance */
	RP_SHARE_STREAM, /* one for each stream; its number is the stream's */
	RP_SHARE_EVERY,  /* instance i is for streams i * every and the every - 1 behind it */
	RP_SHARE_GROUPS  /* instance i is for the streams of group i; others pass the level by */
};

enum rp_slice_hash { RP_SLICE_MOD, RP_SLICE_IPOLY };

enum { RP_MEMORY = -1, RP_SLICES_MOST = 4096 };

struct rp_coherence_config;
struct rp_plugins;

struct rp_stream_range {
	uint32_t first, last, group;
};

struct rp_level_spec {
	const char *name;
	struct rp_cache_spec cache; /* of an instance, or of one of its slices */
	int parent;                 /* number of the level below, or RP_MEMORY */
	unsigned depth;             /* 1: no level above; else 1 more than the deepest of those */
	unsigned inclusion;         /* enum rp_inclusion */
	unsigned share;             /* enum rp_share */
	uint32_t every;             /* of RP_SHARE_EVERY */
	const struct rp_stream_range *range; /* of RP_SHARE_GROUPS, ascending */
	size_t ranges;
	unsigned kinds; /* a bit for each enum rp_kind that enters here; 0: see rp_tree_entry */
	uint32_t slices;
	unsigned slice_hash; /* enum rp_slice_hash */
	bool empties;        /* at a kernel's end: what is dirty goes down, all lines are dropped */
	bool warms;          /* a copy from the host brings its lines in */
	unsigned line;       /* of the file */
	/* Its caches are kept coherent (sim/coherence/coherence.h): how. NULL: they are not. */
	const struct rp_coherence_config *coherence;
};

/* Starts as zeroes; released with rp_tree_spec_free. */
struct rp_tree_spec {
	struct rp_level_spec *level;
	size_t levels;         /* at least 1 */
	const char *path;      /* of the file */
	struct rp_arena arena; /* private: holds it all, but for the caches' specifications */
};

/* Reads a file. `line` and `seed` are what a cache that names none gets; policies may be plug-ins (NULL: none), which are
 * borrowed as long as the result. RP_INPUT: FILE:LINE, what was found and what is
 * wanted. */
bool rp_tree_spec_read(const char *path, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_tree_spec *out, struct rp_err *err);
void rp_tree_spec_free(struct rp_tree_spec *t);

/* The keys of a level, for the manual. */
extern const struct rp_opt rp_level_keys[];

/* The instance of a level that serves a stream; UINT32_MAX: none, it passes the level by. */
uint32_t rp_level_instance(const struct rp_level_spec *l, uint32_t stream);

/* The level where accesses of a kind and stream enter the tree: the one whose `kinds` name it; else one without `kinds`
 * that has no level above it; else the first without `kinds`; else RP_MEMORY. */
int rp_tree_entry(const struct rp_tree_spec *t, unsigned kind, uint32_t stream);

/* The next level below `level` that serves the stream, or RP_MEMORY. */
int rp_tree_below(const struct rp_tree_spec *t, int level, uint32_t stream);

/* Whether all levels are neither inclusive nor exclusive, and none is coherent: then nothing flows up or sideways. */
bool rp_tree_flows_down(const struct rp_tree_spec *t);

#endif
