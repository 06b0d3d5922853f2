/* naive.h - coherence as its definition says it, with arrays that are searched end to end: what the engine is held against.
 *
 * It shares the structs of counters with the engine, and nothing else. */
#ifndef RP_TESTS_SIM_COHERENCE_NAIVE_H
#define RP_TESTS_SIM_COHERENCE_NAIVE_H

#include "sim/coherence/coherence.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_CACHES = 80, NAIVE_LINES = 96, NAIVE_WORDS = 256 };

/* A line as one cache knows it. */
struct naive_copy {
	char state; /* 0, 'S' or 'M' */
	bool ever, open;
	char cause;                  /* of the last loss: 'e'vict, 'i'nv, 'f'wd, 'b'ack */
	uint64_t used, filled, lost; /* when */
	bool unseen[NAIVE_WORDS];
};

struct naive_line {
	uint64_t number;
	char state; /* of the home */
	bool sharer[NAIVE_CACHES];
	uint64_t entry_used; /* or made, of a fifo directory */
	uint64_t stored;     /* when it was last stored to, and by whom */
	uint32_t stored_by;
	bool memory_stale;
	struct naive_copy copy[NAIVE_CACHES];
	/* The line table's row. */
	uint64_t accesses, misses, hitm, true_sharing, false_sharing, dir, upgrades, inv_sent,
	    forwards;
	bool reader[NAIVE_CACHES], writer[NAIVE_CACHES];
};

struct naive {
	struct rp_coherence_config config;
	uint32_t n;
	uint64_t now;
	struct naive_line line[NAIVE_LINES];
	size_t lines;
	struct rp_coherence_counters count[NAIVE_CACHES];
	struct rp_coherence_home home;
	/* Reference lists: lines by place in `line`, the last used first. */
	size_t list[NAIVE_CACHES][NAIVE_LINES], listed[NAIVE_CACHES];
};

/* An empty system of n caches; lru or fifo, whichever config.policy is called. Released with free(). */
struct naive *naive_new(const struct rp_coherence_config *config, uint32_t n);

/* A row of a trace: its parts, low addresses first. */
void naive_access(struct naive *m, uint32_t c, bool store, uint64_t address, uint32_t size);

/* Cache c replaces a line, if it has it. */
void naive_evict(struct naive *m, uint32_t c, uint64_t number);

/* At the end of the trace. */
void naive_end(struct naive *m);

#endif
