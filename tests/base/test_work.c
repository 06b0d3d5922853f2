/* test_work.c - tests src/base/work.c. */
#include "tests/check.h"

#include "base/hash.h"
#include "base/work.h"

enum { JOBS = 2000 };

struct job {
	uint64_t given, made;
};

static void
square(void *p)
{
	struct job *j = p;
	/* Some jobs take much longer than others, so that they end out of order. */
	uint64_t x = j->given;
	for (uint64_t k = rp_mix64(x) % 4000; k; k--)
		x = rp_mix64(x);
	j->made = j->given * j->given + (x == 1);
}

RP_TEST(work, jobs_come_back_in_order_for_any_number_of_threads_and_slots)
{
	for (unsigned threads = 0; threads < 6; threads++)
		for (size_t slots = 1; slots < 8; slots += 2) {
			struct job ring[8];
			struct rp_err err = { 0 };
			struct rp_work *w =
			    rp_work_new(threads, square, ring, sizeof *ring, slots, &err);
			uint64_t given = 0, taken = 0;
			while (taken < JOBS / 10) {
				struct job *j;
				while (given < JOBS / 10 && (j = rp_work_slot(w))) {
					j->given = given++;
					rp_work_give(w);
				}
				cr_assert_leq(given - taken, slots);
				j = rp_work_take(w);
				cr_assert_not_null(j);
				cr_assert_eq(j->given, taken);
				cr_assert_eq(j->made, taken * taken);
				taken++;
				rp_work_return(w);
			}
			cr_assert_null(rp_work_take(w));
			rp_work_free(w);
		}
}

RP_TEST(work, a_pool_can_be_freed_with_jobs_under_way)
{
	for (unsigned threads = 1; threads < 5; threads++)
		for (unsigned k = 0; k < 20; k++) {
			struct job ring[4];
			struct rp_work *w =
			    rp_work_new(threads, square, ring, sizeof *ring, 4, NULL);
			for (unsigned i = 0; i < 4; i++) {
				struct job *j = rp_work_slot(w);
				j->given = i;
				rp_work_give(w);
			}
			cr_assert_null(rp_work_slot(w));
			if (k % 2)
				cr_assert_not_null(rp_work_take(w));
			rp_work_free(w);
		}
	rp_work_free(NULL);
}
