/* test_tree.c - tests sim/tree.c, tree_flow.c, tree_single.c: against lists, against each other, and by laws. */
#include "tests/sim/replay_check.h"
#include "tests/sim/slow_tree.h"
#include "tests/sim/tree_check.h"

#include "base/rng.h"
#include "sim/replay.h"
#include "sim/slices.h"

static struct rp_tree *
new_tree(const struct rp_tree_spec *s, const struct rp_tree_opts *o)
{
	static const struct rp_tree_opts usual;
	struct rp_err err = { 0 };
	struct rp_tree *t = rp_tree_new(s, o ? o : &usual, &err);
	cr_assert(t, "%s", err.text);
	return t;
}

static void
run_tree(struct rp_tree *t, const struct rp_batch *b)
{
	struct rp_err err = { 0 };
	cr_assert(rp_tree_run(t, b, &err), "%s", err.text);
}

static void
end_tree(struct rp_tree *t)
{
	struct rp_err err = { 0 };
	cr_assert(rp_tree_end(t, &err), "%s", err.text);
}

static struct rp_counters
level_counters(const struct rp_tree *t, size_t level)
{
	struct rp_counters c;
	rp_tree_counters(t, level, &c);
	return c;
}

/* A short trace through a tree: the tree, which the caller frees. */
static struct rp_tree *
tree_of_text(
    const char *levels, const char *trace, struct rp_tree_spec *s, const struct rp_tree_opts *o)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
	read_tree(levels, s);
	struct rp_tree *t = new_tree(s, o);
	put_text(b, trace);
	run_tree(t, b);
	end_tree(t);
	rp_batch_free(b);
	return t;
}

#define EXPECT(found, want)                                                                        \
	cr_assert_eq(found, want, #found " is %llu, not %llu", (unsigned long long)(found),        \
	    (unsigned long long)(want))

/* L1 of one line, L2 of two, lines A B C. A: both miss. B: both miss; A leaves L1, clean. A again: L1 misses, L2 has it. C
 * written: both miss, L2 replaces B. A: C leaves L1 dirty, to L2, where it is; L2 has A. */
RP_TEST(tree, a_chain_by_hand)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_tree *t =
	    tree_of_text("levels:\n  - cache: lru,size=64\n  - cache: lru,size=128\n",
		"R0 R40 R0 W80 R0", &s, NULL);
	struct rp_counters a = level_counters(t, 0), b = level_counters(t, 1);
	EXPECT(a.lookups, 5);
	EXPECT(a.misses, 5);
	EXPECT(a.writebacks, 1);
	EXPECT(b.lookups, 6); /* 5 fetches, 1 write-back */
	EXPECT(b.writes, 1);
	EXPECT(b.hits, 3);
	EXPECT(b.evictions, 1);
	EXPECT(b.writebacks, 0);
	EXPECT(a.entered, 5);
	EXPECT(b.entered, 5);
	rp_tree_memory(t, &m);
	EXPECT(m.reads, 3);
	EXPECT(m.bytes_read, 192);
	EXPECT(m.writes, 0);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}

/* With --flush the dirty line, which both levels have, is written once: L1's goes to L2, and L2's to memory. */
RP_TEST(tree, a_flush_writes_each_dirty_line_once)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	const struct rp_tree_opts o = { .flush = true };
	struct rp_tree *t = tree_of_text(
	    "levels:\n  - cache: lru,size=128\n  - cache: lru,size=256\n", "W0 R40 W0", &s, &o);
	EXPECT(level_counters(t, 0).writebacks, 1);
	EXPECT(level_counters(t, 1).writebacks, 1);
	EXPECT(level_counters(t, 1).lookups, 2);
	rp_tree_memory(t, &m);
	EXPECT(m.writes, 1);
	EXPECT(m.bytes_written, 64);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}

/* L2 has one line, so what it replaces must leave L1, which has room for both: A dirty in L1; B makes L2 replace A, which is
 * dirty above, so it goes to memory. A misses again. */
RP_TEST(tree, an_inclusive_level_drops_from_above_what_it_replaces)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_tree *t = tree_of_text("levels:\n  - cache: lru,size=128\n"
					 "  - cache: lru,size=64\n    inclusion: inclusive\n",
	    "W0 R40 R0", &s, NULL);
	struct rp_counters a = level_counters(t, 0), b = level_counters(t, 1);
	EXPECT(a.misses, 3);
	EXPECT(a.back_invalidations, 2);
	EXPECT(a.back_writebacks, 1);
	EXPECT(a.writebacks, 1);
	EXPECT(a.evictions, 0);
	EXPECT(b.lookups, 3);
	EXPECT(b.evictions, 2);
	EXPECT(b.writebacks, 1);
	rp_tree_memory(t, &m);
	EXPECT(m.writes, 1);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}

/* One line each: A (dirty) leaves L1 for B and goes into L2; A again moves up, dirty still, and B goes into L2; C, and A is in
 * L2, replacing B. Memory is read for A, B, C only, and written by nobody. */
RP_TEST(tree, an_exclusive_level_keeps_what_is_replaced_above)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_tree *t = tree_of_text("levels:\n  - cache: lru,size=64\n"
					 "  - cache: lru,size=64\n    inclusion: exclusive\n",
	    "W0 R40 R0 R80", &s, NULL);
	struct rp_counters a = level_counters(t, 0), b = level_counters(t, 1);
	EXPECT(a.misses, 4);
	EXPECT(a.evictions, 3);
	EXPECT(a.writebacks, 2); /* A leaves dirty twice */
	EXPECT(b.lookups, 4);
	EXPECT(b.hits, 1);
	EXPECT(b.fills, 3);
	EXPECT(b.evictions, 1);
	EXPECT(b.writebacks, 0);
	EXPECT(b.bytes_filled, 0);
	rp_tree_memory(t, &m);
	EXPECT(m.reads, 3);
	EXPECT(m.writes, 0);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}

/* The end of a kernel empties L1, whose dirty line goes to L2, where it is: nothing is written to memory, and L2 has all. */
RP_TEST(tree, the_end_of_a_kernel_empties_the_top)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_tree *t = tree_of_text("levels:\n  - cache: lru,size=4KiB\n"
					 "  - cache: lru,size=64KiB\n",
	    "W0 R40 K0 R0 R40", &s, NULL);
	EXPECT(level_counters(t, 0).misses, 4);
	EXPECT(level_counters(t, 0).writebacks, 1);
	EXPECT(level_counters(t, 1).misses, 2);
	EXPECT(level_counters(t, 1).hits, 2);
	rp_tree_memory(t, &m);
	EXPECT(m.writes, 0);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
	t = tree_of_text("levels:\n  - cache: lru,size=4KiB\n    kernel_end: keep\n"
			 "  - cache: lru,size=64KiB\n    kernel_end: empty\n",
	    "W0 R40 K0 R0 R40 Rc00", &s, NULL);
	EXPECT(level_counters(t, 0).misses, 3);
	EXPECT(level_counters(t, 1).misses, 3);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}

RP_TEST(tree, a_copy_from_the_host_warms_the_last_level)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	read_tree(
	    "levels:\n  - cache: lru,size=4KiB\n  - cache: lru,size=64KiB\n    slices: 3\n", &s);
	struct rp_tree *t = new_tree(&s, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 0x1000, .size = 0x800, .kind = RP_HOST_COPY });
	for (uint64_t i = 0; i < 3; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = 0x17c0 + 64 * i, .size = 1, .kind = RP_READ });
	run_tree(t, b);
	EXPECT(level_counters(t, 0).misses, 4);
	EXPECT(level_counters(t, 1).lookups, 4);
	EXPECT(level_counters(t, 1).hits, 1);
	EXPECT(level_counters(t, 1).fills, 3);
	rp_tree_memory(t, &m);
	EXPECT(m.reads, 3);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
	rp_batch_free(b);
}

/* Random hierarchies. */

static void add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void
add(char *text, size_t room, const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + n, room - n, format, args);
	va_end(args);
}

enum { TEXT = 2048 };

/* Sectors, and often MSHRs, for the cache that ends the text. */
static void
add_sectors(struct rp_rng *rng, char text[TEXT], unsigned line)
{
	static const char *const stall[] = { "count", "skip", "unit", "drop" };
	text[strlen(text) - 1] = '\0';
	add(text, TEXT, ",sector=%u", line >> rp_rng_below(rng, 4));
	if (rp_rng_below(rng, 2))
		add(text, TEXT, ",mshr=%u,merge=%u,latency=%u,stall=%s",
		    (unsigned)rp_rng_below(rng, 5), (unsigned)rp_rng_below(rng, 3),
		    1 + (unsigned)rp_rng_below(rng, 20), stall[rp_rng_below(rng, 4)]);
	add(text, TEXT, "\n");
}

/* Sectors of 32 bytes or more, with nothing else, for the cache that ends the text. */
static void
add_lone_sectors(struct rp_rng *rng, char text[TEXT], unsigned line)
{
	text[strlen(text) - 1] = '\0';
	add(text, TEXT, ",sector=%u\n", 32U << rp_rng_below(rng, 1 + line / 64));
}

/* A hierarchy of 2 or 3 levels of small caches; the top may be two, for fetches and the rest. `flows`: nothing flows up, any
 * policy, slices. */
static void
random_levels(struct rp_rng *rng, char text[TEXT], bool flows)
{
	static const char *const write[] = { "", ",write=through", ",allocate=no-write",
		",write=through,allocate=no-write" };
	static const char *const any[] = { "lru", "fifo", "random", "srrip", "plru", "nru", "mru",
		"clock" };
	static const char *const inclusion[] = { "nine", "inclusive", "exclusive" };
	static const unsigned share[] = { 1, 2, 4, 0 }; /* streams an instance, 0: all */
	unsigned levels = 2 + (unsigned)rp_rng_below(rng, 2), at = (unsigned)rp_rng_below(rng, 3);
	bool sectors = rp_rng_below(rng, 2); /* then no level is exclusive */
	bool split = !rp_rng_below(rng, 3), mixed = !rp_rng_below(rng, 3);
	strcpy(text, "levels:\n");
	for (unsigned i = 0; i < levels; i++) {
		bool fetches = split && !i;
		for (unsigned k = 0; k < 1U + fetches; k++) {
			unsigned how =
			    flows || !i ? 0 : (unsigned)rp_rng_below(rng, sectors ? 2 : 3);
			unsigned line = mixed && how != 2 ? 32U << rp_rng_below(rng, 3) : 64;
			add(text, TEXT,
			    "  - name: L%u%s\n    cache: %s,sets=%u,ways=%u,line=%u%s\n", i + 1,
			    k ? "I" : "", any[rp_rng_below(rng, flows ? 8 : 2)],
			    1U << rp_rng_below(rng, 4), 1U << rp_rng_below(rng, 3),
			    mixed && how == 2 ? 64 : line,
			    write[rp_rng_below(rng, 2) ? 0 : rp_rng_below(rng, 4)]);
			if (flows && rp_rng_below(rng, 2))
				add_sectors(rng, text, line);
			else if (!flows && sectors)
				add_lone_sectors(rng, text, mixed && how == 2 ? 64 : line);
			if (fetches)
				add(text, TEXT, "    parent: L2\n");
			if (k)
				add(text, TEXT, "    kinds: [fetch%s]\n",
				    rp_rng_below(rng, 2) ? "" : ", prefetch");
			if (share[at])
				add(text, TEXT, "    streams_per: %u\n", share[at]);
			if (i)
				add(text, TEXT, "    inclusion: %s\n", inclusion[how]);
			if (flows && !rp_rng_below(rng, 3))
				add(text, TEXT, "    slices: %u\n",
				    1 + (unsigned)rp_rng_below(rng, 5));
			else if (flows && !rp_rng_below(rng, 4))
				add(text, TEXT, "    slices: 16\n    slice_hash: ipoly\n");
		}
		at += (unsigned)rp_rng_below(rng, 4 - at);
	}
}

/* Exclusive levels want the lines above them to be as long, which a random hierarchy may miss: then another is drawn. */
static void
random_tree(struct rp_rng *rng, char text[TEXT], bool flows, struct rp_tree_spec *s)
{
	for (;;) {
		char path[64];
		struct rp_err err = { 0 };
		random_levels(rng, text, flows);
		write_tree(path, text);
		bool ok = rp_tree_spec_read(path, 64, 1, NULL, s, &err);
		unlink(path);
		if (ok)
			return;
		cr_assert(strstr(err.text, "exclusive wants lines"), "%s\n%s", text, err.text);
	}
}

/* n accesses of 4 streams to a few lines, some across lines, of all kinds. */
static struct rp_batch *
random_trace(struct rp_rng *rng, size_t n, uint64_t lines)
{
	static const uint8_t kind[] = { RP_READ, RP_READ, RP_READ, RP_WRITE, RP_WRITE, RP_FETCH,
		RP_ATOMIC, RP_PREFETCH };
	struct rp_batch *b = rp_batch_new(n, RP_COL_STREAM, NULL);
	for (size_t i = 0; i < n; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = rp_rng_below(rng, lines * 32),
			   .size = 1 + (uint32_t)rp_rng_below(rng, rp_rng_below(rng, 9) ? 4 : 150),
			   .stream = (uint32_t)rp_rng_below(rng, 4),
			   .kind = kind[rp_rng_below(rng, sizeof kind)] });
	return b;
}

static struct rp_batch
slice_of(const struct rp_batch *b, size_t from, size_t n)
{
	struct rp_batch part = { .n = n, .cap = n, .addr = b->addr + from, .size = b->size + from };
	part.kind = b->kind + from;
	part.stream = b->stream ? b->stream + from : NULL;
	part.mask = b->mask ? b->mask + from : NULL;
	part.flags = b->flags ? b->flags + from : NULL;
	for (size_t i = 0; i < n; i++)
		part.marks += part.kind[i] >= RP_MARKS;
	return part;
}

/* Where the lines of a level are: a word for each line of 32 bytes, a bit for each instance; dirty ones from bit 32 on. */
struct seen {
	const struct rp_tree_spec *spec;
	size_t level;
	uint64_t *at;
	size_t room;
};

static void
see(void *to, uint32_t instance, uint64_t address, bool dirty)
{
	struct seen *s = to;
	for (uint64_t i = 0; i < s->spec->level[s->level].cache.sector; i += 32) {
		cr_assert_lt((address + i) / 32, s->room);
		s->at[(address + i) / 32] |= UINT64_C(1) << instance | (uint64_t)dirty
		                                                           << (32 + instance);
	}
}

static void
look_at(struct rp_tree *t, size_t level, uint64_t *at, size_t room)
{
	struct seen s = { rp_tree_spec(t), level, at, room };
	memset(at, 0, room * sizeof *at);
	rp_tree_walk(t, level, see, &s);
}

/* The sectors of a line of the lists. */
static void
see_way(struct seen *s, uint32_t instance, const struct slow_line *l)
{
	const struct rp_cache_spec *c = &s->spec->level[s->level].cache;
	for (uint64_t k = 0; k < c->line / c->sector; k++)
		if (l->there >> k & 1)
			see(s, instance, l->line * c->line + k * c->sector, l->dirty >> k & 1);
}

enum { ROOM = 512 };

static void
same_contents(struct rp_tree *t, const struct slow_tree *slow, const char *text)
{
	static uint64_t found[ROOM], want[ROOM];
	for (size_t l = 0; l < slow->spec->levels; l++) {
		struct seen s = { slow->spec, l, want, ROOM };
		look_at(t, l, found, ROOM);
		memset(want, 0, sizeof want);
		for (uint32_t i = 0; i < SLOW_CACHES; i++)
			for (unsigned k = 0; k < SLOW_SETS; k++) {
				const struct slow_set *set = &slow->cache[l][i].set[k];
				for (unsigned w = 0; w < set->n; w++)
					see_way(&s, i, &set->way[w]);
			}
		cr_assert(!memcmp(found, want, sizeof want), "level %zu of\n%s", l, text);
	}
}

/* Whether it is one cache below the other. */
static bool
is_chain(const struct rp_tree_spec *s)
{
	for (size_t i = 0; i < s->levels; i++)
		if (s->level[i].share != RP_SHARE_ALL || s->level[i].kinds)
			return false;
	return true;
}

static bool
is_below(const struct rp_tree_spec *s, size_t level, size_t above)
{
	int k = (int)above;
	while (k != RP_MEMORY && (k == (int)above || k != (int)level))
		k = s->level[k].parent;
	return k == (int)level;
}

/* What is above an inclusive level is in it; what is in an exclusive one of a chain is not in the next above it. */
static void
check_pair(struct rp_tree *t, size_t level, size_t above, const char *text)
{
	static uint64_t lower[ROOM], upper[ROOM];
	const struct rp_level_spec *low = &rp_tree_spec(t)->level[level],
				   *up = &rp_tree_spec(t)->level[above];
	look_at(t, level, lower, ROOM);
	look_at(t, above, upper, ROOM);
	for (size_t x = 0; x < ROOM; x++)
		for (uint32_t stream = 0; stream < 4 && upper[x]; stream++) {
			bool is_up = upper[x] >> rp_level_instance(up, stream) & 1,
			     is_low = lower[x] >> rp_level_instance(low, stream) & 1;
			cr_assert(!is_up || is_low == (low->inclusion == RP_INCLUSIVE), "%s", text);
		}
}

static void
check_inclusion(struct rp_tree *t, const char *text)
{
	const struct rp_tree_spec *s = rp_tree_spec(t);
	for (size_t i = 0; i < s->levels; i++)
		for (size_t k = 0; k < s->levels; k++)
			if (s->level[i].inclusion == RP_INCLUSIVE
				? is_below(s, i, k)
				: s->level[i].inclusion == RP_EXCLUSIVE &&
				      s->level[k].parent == (int)i && is_chain(s))
				check_pair(t, i, k, text);
}

#define SAME(field)                                                                                \
	cr_assert_eq(a->field, b->field, "%s: " #field " %llu, not %llu\n%s", name,                \
	    (unsigned long long)a->field, (unsigned long long)b->field, text)
static void
same_slow(
    const struct rp_counters *a, const struct rp_counters *b, const char *name, const char *text)
{
	SAME(accesses);
	SAME(lookups);
	SAME(hits);
	SAME(misses);
	SAME(reads);
	SAME(read_misses);
	SAME(writes);
	SAME(write_misses);
	SAME(ifetches);
	SAME(ifetch_misses);
	SAME(atomics);
	SAME(prefetches);
	SAME(missed_accesses);
	SAME(fills);
	SAME(evictions);
	SAME(writebacks);
	SAME(bytes_filled);
	SAME(bytes_written);
	SAME(back_invalidations);
	SAME(back_writebacks);
}

static void
same_memory(const struct rp_memory *a, const struct rp_memory *b, const char *text)
{
	const char *name = "memory";
	SAME(reads);
	SAME(writes);
	SAME(bytes_read);
	SAME(bytes_written);
}

static void
same_as_lists(struct rp_tree *t, const struct slow_tree *slow, const char *text)
{
	struct rp_memory m;
	for (size_t l = 0; l < slow->spec->levels; l++)
		for (size_t k = 0; k < rp_tree_caches(t, l); k++) {
			struct rp_tree_cache what;
			struct rp_counters c;
			cr_assert(rp_tree_cache(t, l, k, &what, &c, NULL));
			same_slow(
			    &c, &slow->cache[l][what.instance].c, slow->spec->level[l].name, text);
		}
	rp_tree_memory(t, &m);
	same_memory(&m, &slow->memory, text);
}

RP_TEST(tree, random_hierarchies_do_as_lists_do_access_by_access)
{
	struct rp_rng rng = { rp_test_seed("tree") };
	static struct slow_tree slow;
	char text[TEXT];
	for (unsigned round = 0; round < 150 * rp_test_scale(); round++) {
		struct rp_tree_spec s;
		random_tree(&rng, text, false, &s);
		struct rp_tree *t = new_tree(&s, NULL);
		struct rp_batch *b = random_trace(&rng, 600, 20 + rp_rng_below(&rng, 200));
		memset(&slow, 0, sizeof slow);
		slow.spec = &s;
		for (size_t i = 0; i < b->n; i++) {
			struct rp_batch one = slice_of(b, i, 1);
			run_tree(t, &one);
			slow_enter(&slow, b->stream[i], b->addr[i], b->size[i], b->kind[i]);
			if (i % 7 == 0)
				same_contents(t, &slow, text);
			check_inclusion(t, text);
		}
		same_as_lists(t, &slow, text);
		rp_tree_free(t);
		rp_batch_free(b);
		rp_tree_spec_free(&s);
	}
}

/* When each byte was last written by the trace, and last came to memory: 0 never. */
enum { BYTES = ROOM * 32 };
struct writes {
	unsigned now, written[BYTES], saved[BYTES];
};

static void
save(void *to, const struct rp_access *a)
{
	struct writes *w = to;
	for (uint64_t i = 0; i < a->size && a->kind != RP_READ; i++)
		w->saved[a->addr + i] = w->now;
}

/* With a flush at the end, every byte written has come to memory since, whatever the levels are. */
RP_TEST(tree, no_write_is_lost)
{
	struct rp_rng rng = { rp_test_seed("writes") };
	static struct writes w;
	char text[TEXT];
	for (unsigned round = 0; round < 120 * rp_test_scale(); round++) {
		struct rp_tree_spec s;
		const struct rp_tree_opts o = { .flush = true, .told = save, .told_to = &w };
		random_tree(&rng, text, round % 2, &s);
		struct rp_tree *t = new_tree(&s, &o);
		struct rp_batch *b = random_trace(&rng, 400, 20 + rp_rng_below(&rng, 200));
		memset(&w, 0, sizeof w);
		for (size_t i = 0; i < b->n; i++) {
			struct rp_batch one = slice_of(b, i, 1);
			w.now = (unsigned)i + 1;
			for (uint32_t k = 0; k < b->size[i]; k++)
				if (b->kind[i] == RP_WRITE || b->kind[i] == RP_ATOMIC)
					w.written[b->addr[i] + k] = w.now;
			run_tree(t, &one);
		}
		w.now++;
		end_tree(t);
		for (size_t i = 0; i < BYTES; i++)
			cr_assert_geq(w.saved[i], w.written[i], "byte %zu\n%s", i, text);
		rp_tree_free(t);
		rp_batch_free(b);
		rp_tree_spec_free(&s);
	}
}

/* GPU transactions of 32 bytes with masks, some that bypass L1, and marks between. */
static struct rp_batch *
gpu_trace(struct rp_rng *rng, size_t n, uint64_t lines)
{
	static const uint8_t kind[] = { RP_READ, RP_READ, RP_WRITE, RP_ATOMIC };
	struct rp_batch *b = rp_batch_new(n, RP_COL_STREAM | RP_COL_MASK | RP_COL_FLAGS, NULL);
	for (size_t i = 0; i < n; i++) {
		struct rp_access a = { .addr = rp_rng_below(rng, lines) * 32, .size = 32 };
		a.stream = (uint32_t)rp_rng_below(rng, 4);
		a.kind = kind[rp_rng_below(rng, sizeof kind)];
		a.flags =
		    RP_GLOBAL | (a.kind == RP_ATOMIC || !rp_rng_below(rng, 9) ? RP_BYPASS_L1 : 0);
		a.mask = (uint32_t)rp_rng_below(rng, UINT64_C(1) << 32);
		if (!rp_rng_below(rng, 10)) { /* as coalesced before Maxwell */
			a.size = 128;
			a.addr &= ~UINT64_C(127);
		}
		if (!rp_rng_below(rng, 60)) {
			a = (struct rp_access){ .addr = a.addr, .size = 200 };
			a.kind = (uint8_t)(RP_MARKS + rp_rng_below(rng, RP_MARKS_END - RP_MARKS));
		}
		rp_batch_put(b, &a);
	}
	return b;
}

/* What came to memory. */
struct asked {
	size_t n;
	struct rp_access a[200000];
};

static void
ask(void *to, const struct rp_access *a)
{
	struct asked *x = to;
	cr_assert_lt(x->n, sizeof x->a / sizeof *x->a);
	x->a[x->n++] = *a;
}

enum { TOP = 8 };
static const struct rp_tree_opts plain;

static struct rp_tree *
run_in_pieces(const struct rp_tree_spec *s, const struct rp_tree_opts *o, const struct rp_batch *b,
    size_t piece)
{
	struct rp_tree_opts with_top = *o;
	with_top.top = TOP;
	struct rp_tree *t = new_tree(s, &with_top);
	for (size_t at = 0; at < b->n; at += piece) {
		struct rp_batch part = slice_of(b, at, b->n - at < piece ? b->n - at : piece);
		run_tree(t, &part);
	}
	end_tree(t);
	return t;
}

/* The tables of what misses most, of the whole and of interval `part`, if there are any. */
static void
same_tops(struct rp_tree *a, struct rp_tree *b, size_t level, const char *text)
{
	struct rp_top_row x[TOP], y[TOP];
	memset(x, 0, sizeof x);
	memset(y, 0, sizeof y);
	cr_assert_eq(rp_tree_top_keys(a, level), rp_tree_top_keys(b, level));
	cr_assert_eq(rp_tree_top(a, level, x), rp_tree_top(b, level, y));
	cr_assert(!memcmp(x, y, sizeof x), "top of level %zu of\n%s", level, text);
	for (size_t i = 0; i < rp_tree_intervals(a); i++) {
		cr_assert_eq(
		    rp_tree_interval_top(a, level, i, x), rp_tree_interval_top(b, level, i, y));
		cr_assert(!memcmp(x, y, sizeof x), "top of interval %zu of\n%s", i, text);
	}
}

static void
same_trees(struct rp_tree *a, struct rp_tree *b, const char *text)
{
	struct rp_counters x, y;
	struct rp_memory m, k;
	struct rp_tree_cache c, d;
	rp_tree_memory(a, &m);
	rp_tree_memory(b, &k);
	same_memory(&m, &k, text);
	cr_assert_eq(rp_tree_intervals(a), rp_tree_intervals(b));
	for (size_t l = 0; l < rp_tree_spec(a)->levels; l++) {
		x = level_counters(a, l);
		y = level_counters(b, l);
		expect_same(&x, &y, text);
		same_tops(a, b, l, text);
		cr_assert_eq(rp_tree_caches(a, l), rp_tree_caches(b, l));
		for (size_t i = 0; i < rp_tree_caches(a, l); i++) {
			cr_assert(rp_tree_cache(a, l, i, &c, &x, NULL));
			cr_assert(rp_tree_cache(b, l, i, &d, &y, NULL));
			cr_assert(c.instance == d.instance && c.slice == d.slice &&
				  c.n_streams == d.n_streams);
			expect_same(&x, &y, text);
		}
		for (size_t i = 0; i < rp_tree_streams(a); i++) {
			rp_tree_stream_counters(a, l, i, &x);
			rp_tree_stream_counters(b, l, i, &y);
			expect_same(&x, &y, text);
		}
		for (size_t i = 0; i < rp_tree_intervals(a); i++) {
			rp_tree_interval(a, l, i, &x);
			rp_tree_interval(b, l, i, &y);
			expect_same(&x, &y, text);
		}
	}
}

RP_TEST(tree, batches_and_single_accesses_give_the_same_counters_and_requests)
{
	struct rp_rng rng = { rp_test_seed("flow") };
	static struct asked one, all;
	char text[TEXT];
	for (unsigned round = 0; round < 60 * rp_test_scale(); round++) {
		struct rp_tree_spec s;
		struct rp_tree_opts o = { .by_stream = true,
			.flush = round % 3 == 0,
			.once = round % 5 == 0,
			.keep_bypassed = round % 7 == 0,
			.warmup = round % 2 ? 100 : 0,
			.interval = 333,
			.by = (enum rp_top_by)(round % 3),
			.told = ask };
		random_tree(&rng, text, true, &s);
		uint64_t lines = 20 + rp_rng_below(&rng, 400);
		struct rp_batch *b =
		    round % 4 ? random_trace(&rng, 3000, lines) : gpu_trace(&rng, 3000, lines);
		for (unsigned way = 0; way < 4; way++) {
			one.n = all.n = 0;
			o.single = true;
			o.level = RP_LEVEL_MODEL;
			o.told_to = &one;
			struct rp_tree *x = run_in_pieces(&s, &o, b, b->n);
			o.single = way == 3;
			o.level = way ? RP_LEVEL_BEST : RP_LEVEL_MODEL;
			o.told_to = &all;
			struct rp_tree *y = run_in_pieces(&s, &o, b, way == 2 ? 7 : b->n);
			same_trees(x, y, text);
			cr_assert_eq(one.n, all.n, "%s", text);
			for (size_t i = 0; i < one.n; i++)
				cr_assert(one.a[i].addr == all.a[i].addr &&
					      one.a[i].size == all.a[i].size &&
					      one.a[i].kind == all.a[i].kind &&
					      one.a[i].mask == all.a[i].mask,
				    "request %zu\n%s", i, text);
			rp_tree_free(x);
			rp_tree_free(y);
		}
		rp_batch_free(b);
		rp_tree_spec_free(&s);
	}
}

/* Of inclusive and exclusive levels, too: all loops, and batches of any size. */
RP_TEST(tree, hierarchies_that_flow_up_do_not_depend_on_loops_and_batches)
{
	struct rp_rng rng = { rp_test_seed("up") };
	char text[TEXT];
	for (unsigned round = 0; round < 60 * rp_test_scale(); round++) {
		struct rp_tree_spec s;
		struct rp_tree_opts o = { .by_stream = true, .flush = true, .interval = 200 };
		o.by = (enum rp_top_by)(round % 3);
		random_tree(&rng, text, false, &s);
		struct rp_batch *b =
		    round % 3 ? random_trace(&rng, 2000, 200) : gpu_trace(&rng, 2000, 200);
		o.level = RP_LEVEL_MODEL;
		struct rp_tree *x = run_in_pieces(&s, &o, b, b->n);
		o.level = RP_LEVEL_BEST;
		struct rp_tree *y = run_in_pieces(&s, &o, b, 13);
		same_trees(x, y, text);
		rp_tree_free(x);
		rp_tree_free(y);
		rp_batch_free(b);
		rp_tree_spec_free(&s);
	}
}

/* A level sees what the levels above send down as a trace: alone on that trace it counts the same. */
RP_TEST(tree, a_level_is_a_cache_on_the_requests_from_above)
{
	struct rp_rng rng = { rp_test_seed("alone") };
	static struct asked asked;
	static const char top[] = "  - cache: lru,sets=4,ways=2\n    streams_per: 2\n";
	char text[TEXT];
	struct rp_tree_spec s;
	struct rp_batch *b = random_trace(&rng, 3000, 100), *down = rp_batch_new(20000, 0, NULL);
	struct rp_tree_opts o = { .told = ask, .told_to = &asked };
	asked.n = 0;
	snprintf(text, sizeof text, "levels:\n%s", top);
	read_tree(text, &s);
	struct rp_tree *t = run_in_pieces(&s, &o, b, b->n);
	rp_tree_free(t);
	rp_tree_spec_free(&s);
	for (size_t i = 0; i < asked.n; i++)
		rp_batch_put(down, &asked.a[i]);
	snprintf(text, sizeof text, "levels:\n%s  - cache: srrip,sets=8,ways=4,line=128\n", top);
	read_tree(text, &s);
	t = run_in_pieces(&s, &plain, b, b->n);
	struct rp_counters in = level_counters(t, 1),
			   alone = replay_one("srrip,sets=8,ways=4,line=128", down, NULL);
	in.entered = 0;
	expect_same(&in, &alone, "L2");
	rp_tree_free(t);
	rp_tree_spec_free(&s);
	rp_batch_free(b);
	rp_batch_free(down);
}

RP_TEST(tree, a_level_alone_is_a_cache_alone)
{
	static const char *const specs[] = { "fifo,sets=4,ways=4,write=through",
		"lru,sets=4,ways=2,line=128,sector=32",
		"srrip,sets=3,ways=2,line=256,sector=16,mshr=3,latency=9,stall=skip" };
	struct rp_rng rng = { rp_test_seed("one") };
	for (unsigned round = 0; round < 60; round++) {
		const char *spec = specs[round % 3];
		char text[TEXT];
		struct rp_tree_spec s;
		struct rp_tree_opts o = { .flush = round % 2,
			.once = round % 5 == 0,
			.keep_bypassed = true,
			.by = round % 4 ? RP_TOP_STREAM : RP_TOP_LINE };
		const struct rp_replay_opts flat = {
			.flush = o.flush, .once = o.once, .keep_bypassed = true
		};
		struct rp_batch *b =
		    round % 4 ? random_trace(&rng, 2000, 100) : gpu_trace(&rng, 2000, 100);
		snprintf(text, sizeof text, "levels:\n  - cache: %s\n", spec);
		read_tree(text, &s);
		struct rp_tree *t = run_in_pieces(&s, &o, b, b->n);
		struct rp_counters in = level_counters(t, 0), alone = replay_one(spec, b, &flat);
		in.entered = 0;
		expect_same(&in, &alone, spec);
		rp_tree_free(t);
		rp_tree_spec_free(&s);
		rp_batch_free(b);
	}
}

/* n slices of s sets are n * s sets of one cache, and the lines that miss most the same. What crosses lines is an access in each slice, so accesses are not compared. */
RP_TEST(tree, slices_by_mod_are_one_cache_of_all_their_sets)
{
	static const char *const text[] = {
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: lru,sets=12,ways=4\n",
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: lru,sets=4,ways=4\n    slices: "
		"3\n",
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: lru,sets=3,ways=4\n    slices: "
		"4\n",
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: "
		"lru,sets=12,ways=2,line=128,sector=32\n",
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: "
		"lru,sets=4,ways=2,line=128,sector=32\n    slices: 3\n",
		"levels:\n  - cache: lru,sets=4,ways=2\n  - cache: "
		"lru,sets=3,ways=2,line=128,sector=32\n    slices: 4\n",
	};
	struct rp_rng rng = { rp_test_seed("slices") };
	struct rp_batch *b = random_trace(&rng, 4000, 300);
	struct rp_counters want, found;
	struct rp_top_row rows[TOP], same[TOP];
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct rp_tree_spec s;
		read_tree(text[i], &s);
		struct rp_tree *t = run_in_pieces(&s, &plain, b, b->n);
		found = level_counters(t, 1);
		memset(rows, 0, sizeof rows);
		cr_assert_eq(rp_tree_top(t, 1, rows), TOP);
		if (i % 3 == 0) {
			want = found;
			memcpy(same, rows, sizeof rows);
		}
		expect_same(&want, &found, text[i]);
		cr_assert(!memcmp(same, rows, sizeof rows), "%s", text[i]);
		rp_tree_free(t);
		rp_tree_spec_free(&s);
	}
	rp_batch_free(b);
}

/* The slices of formats.md 8: 0x2000 in slice 1, at 0; 0x4000 in slice 3, at 0x100; 0x12345680 in slice 10, at 0x48d180. */
RP_TEST(tree, slices_by_ipoly_are_those_of_a_v100)
{
	static const struct {
		uint64_t address, local;
		uint32_t slice;
	} known[] = { { 0x2000, 0, 1 }, { 0x4000, 0x100, 3 }, { 0x12345680, 0x48d180, 10 } };
	struct rp_level_spec l = { .slices = 64, .slice_hash = RP_SLICE_IPOLY };
	struct rp_rng rng = { rp_test_seed("ipoly") };
	l.cache.line = l.cache.sector = 128;
	struct rp_slices s = rp_slices_of(&l);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint64_t local;
		cr_assert_eq(rp_slice_of(&s, known[i].address / 128, &local), known[i].slice);
		cr_assert_eq(local, known[i].local / 128);
	}
	for (unsigned i = 0; i < 100000; i++) {
		static const uint32_t slices[] = { 1, 3, 16, 32, 64, 80 };
		uint64_t local, line = rp_rng_below(&rng, UINT64_C(1) << (i % 57));
		l.slices = slices[i % 6];
		l.slice_hash = l.slices == 16 || l.slices == 32 || l.slices == 64 ? i % 2 : 0;
		l.cache.line = 32U << i % 4;
		l.cache.sector = l.cache.line >> i % 3;
		s = rp_slices_of(&l);
		uint32_t slice = rp_slice_of(&s, line, &local);
		cr_assert_lt(slice, l.slices);
		cr_assert_eq(rp_slice_line(&s, slice, local), line);
	}
}

RP_TEST(tree, streams_that_share_a_cache_share_those_below)
{
	struct rp_tree_spec s;
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(8, RP_COL_STREAM, NULL);
	read_tree("levels:\n  - cache: lru,size=4KiB\n    streams_per: 4\n"
		  "  - cache: lru,size=8KiB\n    groups: [[0-1]]\n",
	    &s);
	struct rp_tree *t = new_tree(&s, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1, .stream = 1 });
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1, .stream = 7 });
	cr_assert(rp_tree_run(t, b, &err));
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1, .stream = 2 });
	cr_assert_not(rp_tree_run(t, b, &err));
	cr_assert(err.code == RP_INPUT && strstr(err.text, ":2: streams that share one L1 do not"),
	    "%s", err.text);
	rp_tree_free(t);
	rp_batch_free(b);
	rp_tree_spec_free(&s);
}

/* An access of many lines is done by itself, whatever its size. */
RP_TEST(tree, an_access_may_be_larger_than_all_caches)
{
	struct rp_tree_spec s;
	struct rp_memory m;
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	read_tree("levels:\n  - cache: lru,size=4KiB,ways=4\n  - cache: lru,size=64KiB,line=256\n"
		  "    slices: 2\n",
	    &s);
	struct rp_tree *t = new_tree(&s, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 64, .size = 1 });
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1 << 20, .kind = RP_WRITE });
	rp_batch_put(b, &(struct rp_access){ .addr = UINT64_MAX - 10, .size = 4000 });
	run_tree(t, b);
	EXPECT(level_counters(t, 0).lookups, (1 << 14) + 2);
	EXPECT(level_counters(t, 0).hits, 1);
	EXPECT(level_counters(t, 0).accesses, 3);
	EXPECT(level_counters(t, 1).read_misses, (1 << 12) + 1);
	rp_tree_memory(t, &m);
	EXPECT(m.bytes_read, (1 << 20) + 256);
	rp_tree_free(t);
	rp_batch_free(b);
	rp_tree_spec_free(&s);
}

/* The rows of one cache end in the middle of what is looked up at a time: one row of one sector and then rows of eight, so
 * that a chunk of 2,048 lookups is cut within a row, the last one of stream 0. The next row is stream 1's, and so its cache's,
 * not stream 0's again. */
RP_TEST(tree, a_cut_within_a_row_takes_no_row_of_another_cache)
{
	struct rp_tree_spec s;
	struct rp_batch *b = rp_batch_new(300, RP_COL_STREAM, NULL);
	struct rp_tree_cache c;
	struct rp_counters x;
	read_tree("levels:\n  - cache: lru,size=64KiB,ways=4,sector=8\n    per: stream\n", &s);
	struct rp_tree *t = new_tree(&s, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 1 << 20, .size = 8 });
	for (uint64_t i = 0; i < 256; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 64 });
	for (uint64_t i = 0; i < 3; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 64, .stream = 1 });
	run_tree(t, b);
	end_tree(t);
	cr_assert_eq(rp_tree_caches(t, 0), 2);
	cr_assert(rp_tree_cache(t, 0, 0, &c, &x, NULL));
	EXPECT(x.lookups, 1 + 256 * 8);
	EXPECT(x.hits, 0);
	cr_assert(rp_tree_cache(t, 0, 1, &c, &x, NULL));
	EXPECT(x.lookups, 3 * 8);
	EXPECT(x.misses, 3 * 8);
	rp_tree_free(t);
	rp_batch_free(b);
	rp_tree_spec_free(&s);
}

/* L2 has lines of 256 bytes, L3 five of 64. 0 and 40 lie in one line of L2, whose four L3 keeps. 400 makes L3 replace the line
 * of 0: L2 loses 0 to ff, whole, and so must L1: 40 misses there though L3 still has it. */
RP_TEST(tree, a_line_lost_in_part_leaves_the_levels_above_whole)
{
	struct rp_tree_spec s;
	struct rp_tree *t = tree_of_text("levels:\n  - cache: lru,size=1KiB,line=64\n"
					 "  - cache: lru,size=1KiB,line=256\n"
					 "    inclusion: inclusive\n"
					 "  - cache: lru,size=320,line=64\n"
					 "    inclusion: inclusive\n",
	    "R0 R40 R400 R40", &s, NULL);
	EXPECT(level_counters(t, 0).lookups, 4);
	EXPECT(level_counters(t, 0).hits, 0);
	EXPECT(level_counters(t, 1).hits, 1); /* the first 40 */
	rp_tree_free(t);
	rp_tree_spec_free(&s);
}
