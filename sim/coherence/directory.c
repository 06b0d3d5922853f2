/* directory.c - the entries of a sparse directory. */
#include "config.h"

#include "sim/coherence/directory.h"

#include "base/mem.h"

#include <stdlib.h>

bool
coh_directory_open(
    struct coh_directory *d, uint32_t sets, uint32_t ways, bool fifo, struct rp_err *err)
{
	d->sets = sets;
	d->ways = ways;
	d->fifo = fifo;
	d->set_bytes = (rp_links_set_bytes(ways, NULL) + 15) & ~(size_t)15;
	d->order = rp_mem_array(sets, d->set_bytes, err);
	d->entry = rp_mem_array((size_t)sets * ways, sizeof *d->entry, err);
	d->spare = rp_mem_array(sets, sizeof *d->spare, err);
	d->used = rp_mem_array(sets, sizeof *d->used, err);
	return d->order && d->entry && d->spare && d->used;
}

void
coh_directory_close(struct coh_directory *d)
{
	free(d->order);
	free(d->entry);
	free(d->spare);
	free(d->used);
}

static struct rp_links *
order_of(const struct coh_directory *d, uint32_t set)
{
	return (struct rp_links *)(d->order + set * d->set_bytes);
}

void
coh_directory_touch(struct coh_directory *d, uint32_t place)
{
	if (!d->fifo)
		rp_links_first(order_of(d, place / d->ways), place % d->ways);
}

bool
coh_directory_has_room(const struct coh_directory *d, uint64_t number)
{
	uint32_t set = (uint32_t)(number % d->sets);
	return d->spare[set] || d->used[set] < d->ways;
}

uint32_t
coh_directory_add(struct coh_directory *d, uint64_t number, uint32_t record)
{
	uint32_t set = (uint32_t)(number % d->sets), way = d->spare[set] - 1;
	if (!coh_directory_has_room(d, number))
		return COH_NONE;
	if (d->spare[set])
		d->spare[set] = d->entry[set * d->ways + way];
	else
		way = d->used[set]++;
	rp_links_first(order_of(d, set), way);
	d->entry[set * d->ways + way] = record;
	return set * d->ways + way;
}

uint32_t
coh_directory_victim(const struct coh_directory *d, uint64_t number,
    bool (*may)(void *to, uint32_t record), void *to, uint64_t *skips)
{
	uint32_t set = (uint32_t)(number % d->sets);
	const struct rp_links *l = order_of(d, set);
	for (uint32_t w = l->last; w; w = l->way[w - 1].before) {
		uint32_t record = d->entry[set * d->ways + w - 1];
		if (!may || may(to, record))
			return record;
		++*skips;
	}
	return COH_NONE;
}

void
coh_directory_remove(struct coh_directory *d, uint32_t place)
{
	uint32_t set = place / d->ways, way = place % d->ways;
	rp_links_out(order_of(d, set), way);
	d->entry[place] = d->spare[set];
	d->spare[set] = way + 1;
}
