/* sort.c - many numbers into order: a pass for each byte in which keys differ, from the lowest on. */
#include "config.h"

#include "base/sort.h"
#include "base/mem.h"

#include <string.h>

enum { FEW = 48, BYTE = 8, VALUES = 1 << BYTE }; /* FEW: quicker by insertion */

static void
insert(struct rp_keyed *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct rp_keyed one = x[i];
		size_t k = i;
		for (; k && x[k - 1].key > one.key; k--)
			x[k] = x[k - 1];
		x[k] = one;
	}
}

static void
by_byte(const struct rp_keyed *from, struct rp_keyed *to, size_t n, unsigned shift)
{
	size_t at[VALUES] = { 0 }, sum = 0;
	for (size_t i = 0; i < n; i++)
		at[from[i].key >> shift & (VALUES - 1)]++;
	for (size_t v = 0; v < VALUES; v++) {
		size_t count = at[v];
		at[v] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

bool
rp_sort(struct rp_keyed *x, size_t n, struct rp_err *err)
{
	if (n <= FEW) {
		insert(x, n);
		return true;
	}
	struct rp_keyed *other = rp_mem_array(n, sizeof *other, err), *from = x, *to = other;
	uint64_t differ = 0;
	if (!other)
		return false;
	for (size_t i = 1; i < n; i++)
		differ |= x[i].key ^ x[0].key;
	for (unsigned shift = 0; shift < 64; shift += BYTE) {
		if (!(differ >> shift & (VALUES - 1)))
			continue;
		by_byte(from, to, n, shift);
		struct rp_keyed *swap = from;
		from = to;
		to = swap;
	}
	if (from != x)
		memcpy(x, from, n * sizeof *x);
	free(other);
	return true;
}
