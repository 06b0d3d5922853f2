/* protocol.h - a coherence protocol as two tables: what a private cache and what the home do in a state at an event.
 *
 * The engine (sim/coherence/engine.c) knows messages, counters and memory; which state follows, who sends what and who
 * supplies data is in these tables, which are data: a protocol with more states is another one of them. State 0 is absence,
 * in a cache and at the home. A cell without actions cannot happen. */
#ifndef RP_SIM_COHERENCE_PROTOCOL_H
#define RP_SIM_COHERENCE_PROTOCOL_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

enum { COH_ABSENT = 0, COH_STATES_MOST = 8 };

/* What a cache's state allows, and what it means for the others. */
enum coh_state_flag {
	COH_CAN_READ = 1,
	COH_CAN_WRITE = 2,
	COH_IS_DIRTY = 4, /* memory may be stale */
	COH_IS_OWNER = 8, /* answers forwards */
};

/* What happens to a line of a private cache. */
enum coh_cache_event {
	COH_LOAD,
	COH_STORE,
	COH_REPLACE,  /* this cache needs its way */
	COH_INV,      /* another cache stores */
	COH_INV_BACK, /* the home needs its directory entry */
	COH_FWD_GETS, /* another cache loads */
	COH_FWD_GETM, /* another cache stores */
	COH_CACHE_EVENTS
};

/* What comes to the home. */
enum coh_home_event {
	COH_GETS,
	COH_GETM,
	COH_GETM_COPY, /* of a cache that has a copy: an upgrade */
	COH_PUTS,
	COH_PUTM,
	COH_RECALL, /* its directory entry is replaced */
	COH_HOME_EVENTS
};

/* What a cache does: bits. */
enum coh_cache_action {
	COH_DO_HIT = 1,
	COH_DO_MISS = 2,
	COH_DO_UPGRADE = 4, /* a hit that has to ask for permission */
	COH_DO_GETS = 8,
	COH_DO_GETM = 16,
	COH_DO_PUTS = 32, /* only where clean evictions are explicit */
	COH_DO_PUTM = 64, /* with the data */
	COH_DO_ACK = 128,
	COH_DO_DATA = 256,        /* to the cache that asked */
	COH_DO_DATA_MEMORY = 512, /* to memory */
	COH_DO_LOSE = 1024        /* the copy is gone */
};

/* What the home does: bits. */
enum coh_home_action {
	COH_DO_ALLOCATE = 1,
	COH_DO_MEMORY = 2, /* memory supplies the data */
	COH_DO_FWD_GETS = 4,
	COH_DO_FWD_GETM = 8,
	COH_DO_INV_OTHERS = 16,      /* to every sharer but the one that asks */
	COH_DO_INV_ALL = 32,         /* to every cache in the entry: back-invalidations */
	COH_DO_ADD = 64,             /* who asks becomes a sharer */
	COH_DO_ADD_OWNER = 128,      /* so does the owner, who is none any more */
	COH_DO_OWN = 256,            /* who asks becomes the owner, alone */
	COH_DO_REMOVE = 512,         /* who asks is no sharer any more */
	COH_DO_FREE = 1024,          /* the entry is free */
	COH_DO_FREE_IF_EMPTY = 2048, /* if it was the last sharer */
	COH_DO_WRITE = 4096          /* the data that came goes to memory */
};

struct coh_reaction {
	uint16_t actions;
	/* The state that follows. In a cache that sends a request the home's answer says it, and this is what MSI-like
	 * protocols make of it. At the home COH_ABSENT where the entry is freed. */
	uint8_t next;
	uint8_t grant; /* home: the state in which the asking cache gets the line */
};

struct rp_protocol {
	const char *name, *what, *source;
	unsigned cache_states, home_states; /* COH_ABSENT among them */
	struct {
		const char *name, *what;
		unsigned flags; /* enum coh_state_flag */
	} cache_state[COH_STATES_MOST];
	struct {
		const char *name, *what;
		bool owned; /* the entry names an owner, not sharers */
	} home_state[COH_STATES_MOST];
	struct coh_reaction cache[COH_STATES_MOST][COH_CACHE_EVENTS];
	struct coh_reaction home[COH_STATES_MOST][COH_HOME_EVENTS];
};

extern const struct rp_protocol rp_protocol_msi;

/* Ends in NULL. */
extern const struct rp_protocol *const rp_protocols[];

/* The protocol called `name`; NULL with *err (RP_USAGE, with the nearest name). */
const struct rp_protocol *rp_protocol_find(const char *name, struct rp_err *err);

/* Appends the tables in words, at most 79 columns wide. */
bool rp_protocol_print(const struct rp_protocol *p, struct rp_buf *to, struct rp_err *err);

/* "Fwd-GetS" and the like: how events are called in print. */
extern const char *const rp_cache_event_names[COH_CACHE_EVENTS];
extern const char *const rp_home_event_names[COH_HOME_EVENTS];

#endif
