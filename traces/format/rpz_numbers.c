/* rpz_numbers.c - the check that a column of numbers stays within its bytes. */
#include "config.h"

#include "traces/format/rpz_numbers.h"

bool
rp_rpz_numbers_fit(const uint8_t *token, size_t n, uint8_t mask, uint8_t most, size_t first,
    size_t second, size_t rest)
{
	size_t n_first = 0, n_second = 0, n_rest = 0;
	for (size_t i = 0; token && i < n; i++) {
		unsigned length = token[i] & mask;
		if (token[i] > most || length > 8)
			return false;
		n_first += length > 0;
		n_second += length > 1;
		n_rest += length > 2 ? length - 2 : 0;
	}
	return n_first == first && n_second == second && n_rest == rest;
}
