/* map.c - numbers to numbers: a hash table (uthash) that only grows. */
#include "config.h"

#include "base/map.h"
#include "base/mem.h"

/* Without memory uthash leaves the entry out and says so, instead of ending the program. */
#define HASH_NONFATAL_OOM          1
#define uthash_nonfatal_oom(entry) ((entry)->left_out = true)
#include <uthash.h>

struct rp_map_entry {
	uint64_t key, value;
	bool left_out;
	UT_hash_handle hh;
};

uint64_t *
rp_map_at(struct rp_map *m, uint64_t key, struct rp_err *err)
{
	struct rp_map_entry *e;
	HASH_FIND(hh, m->head, &key, sizeof key, e);
	if (e)
		return &e->value;
	e = rp_mem_array(1, sizeof *e, err);
	if (!e)
		return NULL;
	e->key = key;
	HASH_ADD(hh, m->head, key, sizeof e->key, e);
	if (e->left_out) {
		free(e);
		rp_fail(err, RP_RESOURCE, "out of memory: a table of %zu keys", m->n);
		return NULL;
	}
	m->n++;
	return &e->value;
}

void
rp_map_free(struct rp_map *m)
{
	struct rp_map_entry *e, *next;
	HASH_ITER(hh, m->head, e, next)
	{
		HASH_DEL(m->head, e);
		free(e);
	}
	*m = (struct rp_map){ 0 };
}
