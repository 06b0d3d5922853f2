/* directory.h - the entries of a sparse directory: which lines have one, and which goes first.
 *
 * What an entry says is in the line's record; here is only that there are so many. A full directory has none of this. */
#ifndef RP_SIM_COHERENCE_DIRECTORY_H
#define RP_SIM_COHERENCE_DIRECTORY_H

#include "sim/coherence/lines.h"
#include "sim/policy/links.h"

struct coh_directory {
	uint32_t sets, ways;
	bool fifo; /* else lru */
	size_t set_bytes;
	char *order; /* by set: its entries, that used last first */
	uint32_t *
	    entry; /* by place (set * ways + way): a record; of one once in use: the next of those + 1 */
	uint32_t *spare; /* by set: first free way of those once in use, + 1; 0: none */
	uint32_t *used;  /* by set: ways once in use */
};

bool coh_directory_open(
    struct coh_directory *d, uint32_t sets, uint32_t ways, bool fifo, struct rp_err *err);
void coh_directory_close(struct coh_directory *d);

/* A request found the entry at that place. */
void coh_directory_touch(struct coh_directory *d, uint32_t place);

/* Gives a line an entry in the free place of its set, or COH_NONE if it has none. */
uint32_t coh_directory_add(struct coh_directory *d, uint64_t number, uint32_t record);

/* The entry to replace in the set of a line, which is full: the record. `may`, unless NULL, says which may be; *skips
 * grows by the better ones passed over. COH_NONE: none may. */
uint32_t coh_directory_victim(const struct coh_directory *d, uint64_t number,
    bool (*may)(void *to, uint32_t record), void *to, uint64_t *skips);

/* The entry at that place is free. */
void coh_directory_remove(struct coh_directory *d, uint32_t place);

/* Whether the set of a line has a free place. */
bool coh_directory_has_room(const struct coh_directory *d, uint64_t number);

#endif
