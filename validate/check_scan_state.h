/* check_scan_state.h - what the files of check_scan.h share: a case while it is replayed. */
#ifndef RP_VALIDATE_CHECK_SCAN_STATE_H
#define RP_VALIDATE_CHECK_SCAN_STATE_H

#include "validate/check_scan.h"

#include "sim/observe/reuse.h"

enum {
	SMALL = 64, /* capacities whose caches are kept */
	ROWS = 4096,
	SHORT = 4096 /* rows of a case whose MIN is also walked through by its definition */
};

/* The caches for one capacity. */
struct scan_caches {
	bool made;
	struct rp_lab_caches lru;
	struct rp_lab_caches policy; /* those that know no future, then the user's */
	struct rp_lab_caches min;    /* MIN, and with bypass */
	size_t built_in;             /* of `policy` */
	bool *fits;                  /* which of the user's are among them */
};

enum { LRU, TTL }; /* of the pair */
enum { MIN, BYPASS };

struct rp_scan_bench {
	struct rp_scan_how how;
	struct scan_caches small[SMALL + 1], large;
	struct rp_reuse *reuse;
	struct rp_batch *rows;
	uint64_t *last; /* by block: number of its last request + 1, 0: none */
	uint64_t last_room;
	uint64_t *request,
	    *next; /* blocks of a short case's rows, and when each is requested next */
};

/* A case while it is replayed. */
struct scan_run {
	struct rp_scan_bench *b;
	const struct rp_scan_case *c;
	struct rp_checks *checks;
	struct scan_caches *caches;
	struct rp_pascal *p;
	struct rp_waterline line;     /* without one: window N, which keeps everything */
	bool below;                   /* C < N: there is a waterline */
	struct rp_lab_caches window;  /* TTL of the case's window */
	struct rp_cache_spec spec[2]; /* of the pair; borrowed */
	struct rp_replay *pair, *policies, *min;
	uint64_t misses[2]; /* of the pair, before the round at hand */
	uint32_t lru, ttl;  /* of the last round */
	uint64_t row;       /* rows seen */
};

/* Holds what the replays came to against the closed forms. `own`: results of the user's caches, or NULL. */
void scan_compare(struct scan_run *r, struct rp_scan_own *own);

/* The least misses of a demand policy in the case's rounds from empty, by theory. */
uint64_t scan_cold_bound(const struct scan_run *r);

#endif
