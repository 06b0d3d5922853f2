/* test_gen.c - tests gen/gen.c, and what all generators promise. */
#include "tests/gen/draw.h"

#include "base/hash.h"

static const char *const text[] = { "zipf,lines=1000,writes=0.3,streams=5",
	"zipf,lines=77,scatter=no,limit=9999", "uniform,lines=1000,writes=0.5,streams=2",
	"uniform,limit=12345", "stride,count=100,writes=0.25,streams=3",
	"stride,count=13,rmw=yes,passes=500", "scan,blocks=12,rounds=720,block=64",
	"scan,blocks=5,block=256,line=64,limit=9001",
	"mixture,peaks=2,max-rd=300,streams=3,burst=7,writes=0.3,prewarm=9,offset=random",
	"mixture,streams=2,turns=random,share=stack,line-kinds=0.2,0.3,0.5,layout=runs:8" };

enum { TEXTS = sizeof text / sizeof *text };

static bool
same(const struct rp_batch *a, const struct rp_batch *b)
{
	size_t n = a->n;
	return b->n == n && !memcmp(a->addr, b->addr, n * sizeof *a->addr) &&
	       !memcmp(a->size, b->size, n * sizeof *a->size) && !memcmp(a->kind, b->kind, n) &&
	       !memcmp(a->stream, b->stream, n * sizeof *a->stream) &&
	       !memcmp(a->time, b->time, n * sizeof *a->time) && a->marks == b->marks;
}

RP_TEST(gen, the_rows_do_not_depend_on_the_batches)
{
	static const size_t cap[] = { 1, 7, 255, 256, 1000, 20000 };
	for (size_t i = 0; i < TEXTS; i++) {
		struct rp_batch *usual = draw_rows(text[i], 42, 15000, RP_BATCH);
		for (size_t c = 0; c < sizeof cap / sizeof *cap; c++) {
			struct rp_batch *b = draw_rows(text[i], 42, 15000, cap[c]);
			cr_assert(same(usual, b), "%s by %zu", text[i], cap[c]);
			rp_batch_free(b);
		}
		rp_batch_free(usual);
	}
}

RP_TEST(gen, a_batch_with_more_columns_has_them_zeroed)
{
	for (size_t i = 0; i < TEXTS; i++) {
		struct rp_source *s = rp_gen_open(text[i], 1, NULL);
		struct rp_batch *b = rp_batch_new(100, RP_COL_ALL, NULL);
		memset(b->pc, 7, 100 * sizeof *b->pc);
		memset(b->time, 7, 100 * sizeof *b->time);
		memset(b->mask, 7, 100 * sizeof *b->mask);
		memset(b->flags, 7, 100);
		memset(b->stream, 7, 100 * sizeof *b->stream);
		cr_assert_eq(rp_source_pull(s, b, NULL), 100);
		for (size_t k = 0; k < 100; k++) {
			cr_assert(b->pc[k] == 0 && b->mask[k] == 0 && b->flags[k] == 0);
			cr_assert(s->trace->columns & RP_COL_TIME || b->time[k] == 0);
			cr_assert(s->trace->columns & RP_COL_STREAM || b->stream[k] == 0);
			cr_assert(b->kind[k] == RP_READ || b->kind[k] == RP_WRITE);
			cr_assert_geq(b->size[k], 1);
		}
		rp_batch_free(b);
		rp_source_close(s);
	}
}

/* Recorded once: another machine, and a later version, must find the same. */
RP_TEST(gen, the_rows_are_the_same_on_every_machine)
{
	static const uint64_t hash[TEXTS] = { UINT64_C(0x9ac2df157a5ec34b),
		UINT64_C(0xe5bb7a20f6b35699), UINT64_C(0x576625a76798a6fc),
		UINT64_C(0xc147618770040512), UINT64_C(0xbe8eae0c217117bd),
		UINT64_C(0xfe21c347eabbe7b4), UINT64_C(0xaa2b634894de6ef4),
		UINT64_C(0x21cdc37dd4880922), UINT64_C(0x042a0a276f49e7be),
		UINT64_C(0x50ca9d37398ec30b) };
	for (size_t i = 0; i < TEXTS; i++) {
		struct rp_batch *b = draw_rows(text[i], 42, 5000, RP_BATCH);
		uint64_t h = 0;
		for (size_t k = 0; k < b->n; k++)
			h = rp_mix64(h ^ b->addr[k]) +
			    rp_mix64(b->kind[k] + 8 * b->stream[k] + (b->time[k] << 32));
		cr_expect_eq(h, hash[i], "%s: 0x%016llx", text[i], (unsigned long long)h);
		rp_batch_free(b);
	}
}

RP_TEST(gen, the_seed_decides)
{
	struct rp_batch *a = draw_rows("zipf,writes=0.5", 1, 1000, RP_BATCH);
	struct rp_batch *b = draw_rows("zipf,writes=0.5", 2, 1000, RP_BATCH);
	struct rp_batch *c = draw_rows("zipf,seed=1,writes=0.5", 2, 1000, RP_BATCH);
	cr_assert_not(same(a, b));
	cr_assert(same(a, c));
	rp_batch_free(a);
	rp_batch_free(b);
	rp_batch_free(c);
}

/* More writes do not move the addresses: each kind of choice has a random stream of its own. */
RP_TEST(gen, the_share_of_writes_leaves_the_addresses_alone)
{
	struct rp_batch *a = draw_rows("uniform", 1, 1000, RP_BATCH);
	struct rp_batch *b = draw_rows("uniform,writes=0.5,streams=9", 1, 1000, RP_BATCH);
	cr_assert_arr_eq(a->addr, b->addr, 1000 * sizeof *a->addr);
	rp_batch_free(a);
	rp_batch_free(b);
}

RP_TEST(gen, the_trace_names_its_text_and_kind)
{
	struct rp_source *s = rp_gen_open("scan,blocks=12", 1, NULL);
	cr_assert_str_eq(s->trace->format, "scan");
	cr_assert_eq(s->trace->n_sources, 1);
	cr_assert_str_eq(s->trace->sources[0], "gen:scan,blocks=12");
	cr_assert_eq(s->trace->columns, RP_COL_TIME);
	rp_source_close(s);
}

RP_TEST(gen, an_error_names_the_kind_and_what_is_wanted)
{
	draw_refuses("", "gen:: wanted gen:KIND[,key=value]... (reprise help generators)");
	draw_refuses(
	    "lines=3", "gen:lines=3: wanted gen:KIND[,key=value]... (reprise help generators)");
	draw_refuses("zip", "no generator 'zip'; did you mean 'zipf'? (reprise help generators)");
	draw_refuses("wolf", "no generator 'wolf' (reprise help generators)");
	draw_refuses("zipf,linse=4", "gen:zipf: no key 'linse'; did you mean 'lines'?");
	draw_refuses("zipf,lines", "gen:zipf: 'lines': wanted key=value");
	draw_refuses("zipf,seed=x", "gen:zipf: seed=: 'x' is not a whole number below 2^64");
	draw_refuses("zipf,lines=0", "gen:zipf: lines=: 0 is not in 1..1073741824");
}

/* Every row has a description of its own, and every default parses. */
RP_TEST(gen, the_tables_are_sound)
{
	for (size_t g = 0; rp_generators[g]; g++) {
		const struct rp_opt *rows = rp_generators[g]->opts;
		void *params = calloc(1, rp_generators[g]->params_bytes);
		cr_assert(rp_opts_default(rows, params, NULL));
		cr_assert_eq(rp_generator_find(rp_generators[g]->name, NULL), rp_generators[g]);
		for (const struct rp_opt *a = rows; a->name; a++)
			for (const struct rp_opt *b = a + 1; b->name; b++)
				cr_assert(strcmp(a->name, b->name) && strcmp(a->what, b->what),
				    "%s", a->name);
		free(params);
	}
}
