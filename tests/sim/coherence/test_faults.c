/* test_faults.c - messages that are lost or come twice: each is found at the access where it happens. */
#include "tests/sim/coherence/drive.h"

/* The nth message of a kind arrives `times` times. */
struct fault {
	enum coh_message kind;
	unsigned nth, times, seen;
	bool happened;
};

static unsigned
arrives(void *to, enum coh_message m, uint32_t c, uint32_t record)
{
	struct fault *f = to;
	(void)c;
	(void)record;
	if (m != f->kind || f->seen++ != f->nth)
		return 1;
	f->happened = true;
	return f->times;
}

/* Whether it happened; then the run must have failed at the same row. */
static bool
inject(const struct rp_coherence_config *c, const struct rp_batch *b, struct fault *f,
    struct rp_coherence_home *home, struct rp_coherence_counters *totals)
{
	struct rp_coherence *k = drive_new(c);
	k->hooks = (struct coh_hooks){ .to = f, .arrives = arrives };
	for (size_t i = 0; i < b->n; i++) {
		struct rp_err err = { 0 };
		struct rp_batch part = drive_part(b, i, 1);
		bool ok = rp_coherence_run(k, &part, &err);
		cr_assert_eq(ok, !f->happened, "message %u of kind %d, %u times, row %zu: %s",
		    f->nth, f->kind, f->times, i, ok ? "not found" : err.text);
		if (!ok) {
			cr_assert_eq(err.code, RP_FAILED);
			break;
		}
	}
	rp_coherence_totals(k, totals);
	*home = k->home;
	rp_coherence_free(k);
	return f->happened;
}

static void
inject_all(bool silent, bool sparse)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("faults"), "faults", silent * 2 + sparse);
	struct rp_coherence_config c = drive_config();
	struct rp_coherence_counters t;
	struct rp_coherence_home h;
	c.caches = 4;
	c.sets = 2;
	c.silent = silent;
	c.sparse = sparse;
	c.dir_sets = 1;
	c.dir_ways = 5;
	struct rp_batch *b = drive_rows(&c, 4, 10, 300, 40, &rng);
	for (enum coh_message kind = COH_SEND_REQUEST; kind <= COH_SEND_DATA; kind++)
		for (unsigned times = 0; times <= 2; times += 2) {
			unsigned happened = 0;
			for (unsigned nth = 0; nth < 40; nth++) {
				struct fault f = { .kind = kind, .nth = nth, .times = times };
				happened += inject(&c, b, &f, &h, &t);
			}
			cr_assert_gt(happened, kind == COH_SEND_PUT ? 2 : 10, "kind %d", kind);
		}
	rp_batch_free(b);
}

RP_TEST(faults, every_lost_or_doubled_message_is_found)
{
	inject_all(false, false);
	inject_all(false, true);
}

RP_TEST(faults, they_are_found_where_clean_evictions_are_silent_too)
{
	inject_all(true, false);
	inject_all(true, true);
}

RP_TEST(faults, a_lost_inv_is_the_gap_between_sent_and_received)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("faults/gap"), "gap", 0);
	struct rp_coherence_config c = drive_config();
	struct rp_coherence_counters t;
	struct rp_coherence_home h;
	struct rp_batch *b = drive_rows(&c, 2, 3, 200, 40, &rng);
	struct fault f = { .kind = COH_SEND_INV, .nth = 5 };
	cr_assert(inject(&c, b, &f, &h, &t));
	cr_assert_eq(h.inv_sent, t.inv_received + 1);
	rp_batch_free(b);
}

RP_TEST(faults, a_run_without_one_is_whole)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("faults/none"), "none", 0);
	struct rp_coherence_config c = drive_config();
	struct rp_coherence_counters t;
	struct rp_coherence_home h;
	struct rp_batch *b = drive_rows(&c, 2, 6, 200, 40, &rng);
	struct fault f = { .kind = COH_SEND_INV, .nth = 1000000 };
	cr_assert_not(inject(&c, b, &f, &h, &t));
	rp_batch_free(b);
}
