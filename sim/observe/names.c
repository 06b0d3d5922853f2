/* names.c - 32-bit names for lines. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/names.h"

#include "base/hash.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 16,
	STEP = 8 /* lines in turn once a region is not near */
};

static uint32_t
places(const struct rp_names *n)
{
	return 2 * n->room;
}

bool
rp_names_open(struct rp_names *n, unsigned bits, enum rp_level level, struct rp_err *err)
{
	memset(n->near_region, UCHAR_MAX, sizeof n->near_region);
	n->kernels = rp_kernels_of(level);
	n->bits = bits;
	n->most = (UINT32_C(1) << (32 - bits)) - 1;
	n->room = FIRST_ROOM;
	n->region = rp_mem_array(n->room, sizeof *n->region, err);
	n->number = rp_mem_array(places(n), sizeof *n->number, err);
	return n->region && n->number;
}

void
rp_names_close(struct rp_names *n)
{
	free(n->region);
	free(n->number);
	*n = (struct rp_names){ 0 };
}

void
rp_names_reset(struct rp_names *n)
{
	n->given = 0;
	memset(n->number, 0, places(n) * sizeof *n->number);
	memset(n->hot, 0, sizeof n->hot);
	memset(n->near_region, UCHAR_MAX, sizeof n->near_region);
}

/* Where the number of a region is, or goes. */
static uint32_t
place_of(const struct rp_names *n, uint64_t region)
{
	uint32_t mask = places(n) - 1, i = (uint32_t)rp_mix64(region) & mask;
	while (n->number[i] && n->region[n->number[i]] != region)
		i = (i + 1) & mask;
	return i;
}

/* Room for twice as many numbers. */
static bool
grow(struct rp_names *n)
{
	uint32_t room = 2 * n->room;
	uint64_t *region = rp_mem_grow(n->region, room, sizeof *region, NULL);
	if (!region)
		return false;
	n->region = region;
	uint32_t *number = rp_mem_array(2 * (size_t)room, sizeof *number, NULL);
	if (!number)
		return false;
	free(n->number);
	n->number = number;
	n->room = room;
	for (uint32_t k = 1; k <= n->given; k++)
		n->number[place_of(n, n->region[k])] = k;
	return true;
}

/* Number of a region, which it gets if it has none; 0 when all are gone. Without memory for more they are gone earlier. */
static uint32_t
number_of(struct rp_names *n, uint64_t region)
{
	uint32_t i = place_of(n, region);
	if (n->number[i] || n->given == n->most)
		return n->number[i];
	if (n->given + 1 == n->room) {
		if (!grow(n))
			return 0;
		i = place_of(n, region);
	}
	n->region[++n->given] = region;
	return n->number[i] = n->given;
}

/* Lines in turn: how many, up to the first that gets no name. */
static size_t
name_lines(struct rp_names *n, uint64_t *key, size_t count)
{
	unsigned bits = n->bits;
	uint32_t within = (UINT32_C(1) << bits) - 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t region = key[i] >> bits, at = region % RP_NAME_HOT;
		uint32_t number = n->hot[at].number;
		if (__builtin_expect(n->hot[at].region != region || !number, 0)) {
			if (!(number = number_of(n, region)))
				return i;
			n->hot[at].region = region;
			n->hot[at].number = number;
		}
		key[i] = number << bits | ((uint32_t)key[i] & within);
	}
	return count;
}

/* The regions of these names are near now. */
static void
remember(struct rp_names *n, const uint64_t *name, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t number = (uint32_t)name[i] >> n->bits;
		uint64_t region = n->region[number];
		n->near_region[region % RP_NAME_NEAR] = region;
		n->near_name[region % RP_NAME_NEAR] = number << n->bits;
	}
}

size_t
rp_names_give(struct rp_names *n, uint64_t *key, size_t count)
{
	if (!n->kernels->names)
		return name_lines(n, key, count);
	for (size_t i = 0; i < count;) {
		i += n->kernels->names(n, key + i, count - i);
		size_t step = count - i < STEP ? count - i : STEP;
		size_t named = name_lines(n, key + i, step);
		remember(n, key + i, named);
		i += named;
		if (named < step)
			return i;
	}
	return count;
}

uint64_t
rp_names_line(const struct rp_names *n, uint32_t name)
{
	return n->region[name >> n->bits] << n->bits | (name & ((UINT32_C(1) << n->bits) - 1));
}

uint64_t
rp_names_bytes(const struct rp_names *n)
{
	return n->room * sizeof *n->region + places(n) * sizeof *n->number;
}
