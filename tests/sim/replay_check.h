/* replay_check.h - short traces as text, and replays of them, for the tests of sim/. */
#ifndef RP_TESTS_SIM_REPLAY_CHECK_H
#define RP_TESTS_SIM_REPLAY_CHECK_H

#include "tests/check.h"

#include "sim/replay.h"

/* Appends accesses from text: a letter of our CSV and a hexadecimal address each, "R0 W40 R80"; of 1 byte. Marks: `C` copies
 * back and `D` drops the byte's line, `K` ends a kernel. */
static inline void
put_text(struct rp_batch *b, const char *text)
{
	for (; *text; text += *text == ' ') {
		struct rp_access a = { .size = 1 };
		char letter = *text++;
		a.kind = letter == 'C'   ? RP_COPY_BACK
		         : letter == 'D' ? RP_INVALIDATE
		         : letter == 'K' ? RP_KERNEL_END
		                         : (uint8_t)rp_kind_of_letter(letter);
		a.addr = strtoull(text, (char **)&text, 16);
		rp_batch_put(b, &a);
	}
}

/* Replays a batch through one cache and gives its counters after the end. */
static inline struct rp_counters
replay_one(const char *spec, const struct rp_batch *b, const struct rp_replay_opts *o)
{
	static const struct rp_replay_opts usual;
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	struct rp_counters c;
	cr_assert(rp_cache_spec_parse(spec, 64, 1, &s, &err), "%s", err.text);
	struct rp_replay *r = rp_replay_new(&s, 1, o ? o : &usual, &err);
	cr_assert(r, "%s", err.text);
	cr_assert(rp_replay_run(r, b, &err), "%s", err.text);
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_replay_counters(r, 0, &c);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	return c;
}

static inline struct rp_counters
replay_text(const char *spec, const char *text, const struct rp_replay_opts *o)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
	put_text(b, text);
	struct rp_counters c = replay_one(spec, b, o);
	rp_batch_free(b);
	return c;
}

/* Fails, naming the counter, if two sets of counters differ. */
#define SAME_COUNTER(group, name, unit, what)                                                      \
	cr_assert_eq(a->name, b->name, "%s: " #name " %llu, not %llu", place,                      \
	    (unsigned long long)a->name, (unsigned long long)b->name);
static inline void
expect_same(const struct rp_counters *a, const struct rp_counters *b, const char *place)
{
	RP_COUNTERS(SAME_COUNTER, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
}

#endif
