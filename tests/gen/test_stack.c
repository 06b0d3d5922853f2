/* test_stack.c - tests gen/ranks.c and gen/stack.c. */
#include "tests/check.h"

#include "gen/stack.h"

#include "base/rng.h"

RP_TEST(ranks, a_unit_falls_on_the_count_that_adding_up_says)
{
	static const size_t sizes[] = { 1, 2, 15, 16, 17, 255, 256, 257, 1000, 5000 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("ranks"), "tests/ranks", 0);
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		size_t n = sizes[k];
		struct rp_ranks r = { 0 };
		uint32_t *count = calloc(n, sizeof *count), sum = 0;
		cr_assert(rp_ranks_open(&r, n, NULL));
		for (size_t i = 0; i < n; i++)
			sum += count[i] =
			    rp_rng_below(&rng, 3) ? 0 : (uint32_t)rp_rng_below(&rng, 4);
		rp_ranks_set(&r, count, n);
		for (int step = 0; step < 3000 && (sum || n); step++) {
			if (!sum || rp_rng_below(&rng, 3) == 0) {
				size_t at = rp_rng_below(&rng, n);
				rp_ranks_add(&r, at);
				count[at]++;
				sum++;
				continue;
			}
			uint32_t u = (uint32_t)rp_rng_below(&rng, sum), left = u;
			size_t at = 0;
			while (left >= count[at])
				left -= count[at++];
			cr_assert_eq(rp_ranks_take(&r, &u), at);
			cr_assert_eq(u, left);
			count[at]--;
			sum--;
		}
		free(count);
		rp_ranks_close(&r);
	}
}

/* A list, the last used first, searched end to end. Shallow tops are packed many times over. */
RP_TEST(stack, the_lines_stand_in_the_order_of_their_last_use)
{
	enum { LINES = 600 };
	static const uint32_t tops[] = { 1, 2, 3, 63, 64, 65, 300, 600 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("stack"), "tests/stack", 0);
	for (size_t k = 0; k < sizeof tops / sizeof *tops; k++) {
		struct rp_stack s = { 0 };
		uint64_t list[LINES];
		uint32_t n = 0;
		cr_assert(rp_stack_open(&s, tops[k], NULL));
		for (int step = 0; step < 30000; step++) {
			uint32_t reach = n < tops[k] ? n : tops[k];
			bool fresh = !n || (n < LINES && rp_rng_below(&rng, 20) == 0);
			uint32_t at = fresh ? n : (uint32_t)rp_rng_below(&rng, reach);
			uint64_t line = fresh ? (uint64_t)n << 40 | n : list[at];
			if (rp_stack_full(&s))
				rp_stack_pack(&s);
			if (fresh) {
				s.value[rp_stack_push(&s)] = line;
			} else {
				struct rp_move m = rp_stack_take(&s, at);
				cr_assert_eq(s.value[m.from], line);
				s.value[m.to] = line;
			}
			n += fresh;
			memmove(list + 1, list, at * sizeof *list);
			list[0] = line;
			cr_assert_eq(s.depth, n);
		}
		rp_stack_close(&s);
	}
}
