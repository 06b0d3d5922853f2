/* test_opt.c - tests src/base/opt.c. */
#include "tests/check.h"

#include "base/opt.h"

struct all {
	bool fast, sure;
	uint64_t count;
	uint32_t ways;
	uint64_t size;
	uint32_t line;
	double share;
	const char *name;
	struct rp_texts cache;
	unsigned order;
	uint32_t threads;
};

static const char *const orders[] = { "recorded", "time", "random", NULL };

static bool
no_slash(const char *value, struct rp_err *err)
{
	return !strchr(value, '/') || rp_fail(err, RP_USAGE, "'%s' holds a slash", value);
}

static const struct rp_opt rows[] = {
	{ "fast", 'f', NULL, RP_OPT_FLAG, offsetof(struct all, fast), "no", "skip the checks" },
	{ "sure", 's', NULL, RP_OPT_FLAG, offsetof(struct all, sure), "yes", "make the checks" },
	{ "count", 0, "N", RP_OPT_U64, offsetof(struct all, count), NULL, "any number" },
	{ "ways", 'w', "N", RP_OPT_U32, offsetof(struct all, ways), "8", "lines of a set", 1, 64 },
	{ "size", 0, "SIZE", RP_OPT_SIZE, offsetof(struct all, size), "32KiB", "bytes of the cache",
	    64, UINT64_MAX },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct all, line), "64", "bytes of a line" },
	{ "share", 0, "X", RP_OPT_DOUBLE, offsetof(struct all, share), "0.5", "a share" },
	{ "name", 'n', "TEXT", RP_OPT_TEXT, offsetof(struct all, name), NULL, "a name",
	    .check = no_slash },
	{ "cache", 'c', "SPEC", RP_OPT_TEXTS, offsetof(struct all, cache), NULL,
	    "a cache; may be given several times" },
	{ "order", 0, "ORDER", RP_OPT_CHOICE, offsetof(struct all, order), "time",
	    "one of recorded, time, random", .choices = orders },
	{ "threads", 'j', "N", RP_OPT_U32, offsetof(struct all, threads), "1", "threads" },
	{ 0 },
};

static struct all
usual(void)
{
	struct all a = { 0 };
	struct rp_err err = { 0 };
	cr_assert(rp_opts_default(rows, &a, &err), "%s", err.text);
	return a;
}

/* Parses words, ended by NULL, into *a; the operands it finds are left in *operands, joined by blanks. */
static bool
parse(struct all *a, const char *const *words, char *operands, struct rp_err *err)
{
	char *argv[32] = { (char *)"reprise" };
	int argc = 1, first = -1;
	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	*a = usual();
	bool ok = rp_opts_parse(rows, a, argc, argv, &first, err);
	*operands = 0;
	for (int i = first; ok && i < argc; i++) {
		strcat(operands, i > first ? " " : "");
		strcat(operands, argv[i]);
	}
	return ok;
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

RP_TEST(opt, defaults_are_as_the_user_would_type_them)
{
	struct all a = usual();
	cr_assert(
	    !a.fast && a.sure && a.count == 0 && a.ways == 8 && a.size == 32768 && a.line == 64);
	cr_assert(a.share == 0.5 && !a.name && a.cache.n == 0 && a.order == 1 && a.threads == 1);
}

RP_TEST(opt, every_kind_takes_its_value_joined_or_apart)
{
	char operands[200];
	struct all a;
	cr_assert(parse(&a,
	    WORDS("--fast", "--count", "0x10", "--ways=16", "--size", "1MiB", "--line=128",
		"--share=0.25", "--name", "x y", "--cache", "lru", "--cache=fifo", "--order",
		"random", "-j2"),
	    operands, NULL));
	cr_assert(a.fast && a.count == 16 && a.ways == 16 && a.size == 1 << 20 && a.line == 128 &&
		  a.share == 0.25);
	cr_assert_str_eq(a.name, "x y");
	cr_assert_eq(a.cache.n, 2);
	cr_assert_str_eq(a.cache.text[0], "lru");
	cr_assert_str_eq(a.cache.text[1], "fifo");
	cr_assert(a.order == 2 && a.threads == 2);
	cr_assert_str_eq(operands, "");
	rp_opts_free(rows, &a);
	cr_assert(a.cache.n == 0 && !a.cache.text);
}

RP_TEST(opt, flags_are_turned_off_by_no)
{
	char operands[200];
	struct all a;
	cr_assert(parse(&a, WORDS("--fast", "--no-fast", "--no-sure"), operands, NULL));
	cr_assert(!a.fast && !a.sure);
	cr_assert(parse(&a, WORDS("--fast=yes", "--sure=no"), operands, NULL));
	cr_assert(a.fast && !a.sure);
}

RP_TEST(opt, short_options_join)
{
	char operands[200];
	struct all a;
	cr_assert(parse(&a, WORDS("-fw", "4", "-j", "3", "-nx", "t"), operands, NULL));
	cr_assert(a.fast && a.ways == 4 && a.threads == 3);
	cr_assert_str_eq(a.name, "x");
	cr_assert_str_eq(operands, "t");
	cr_assert(parse(&a, WORDS("-fsj12"), operands, NULL));
	cr_assert(a.fast && a.sure && a.threads == 12);
}

RP_TEST(opt, operands_stand_anywhere)
{
	char operands[200];
	struct all a;
	cr_assert(parse(&a, WORDS("a", "--fast", "b", "--ways", "4", "-", "c"), operands, NULL));
	cr_assert_str_eq(operands, "a b - c");
	cr_assert(parse(&a, WORDS("a", "--", "--fast", "-j", "--"), operands, NULL));
	cr_assert_str_eq(operands, "a --fast -j --");
	cr_assert(!a.fast && a.threads == 1);
	cr_assert(parse(
	    &a, WORDS("--name", "--", "x"), operands, NULL)); /* a value, whatever it looks like */
	cr_assert_str_eq(a.name, "--");
	cr_assert_str_eq(operands, "x");
	cr_assert(parse(&a, WORDS("--name=", "--"), operands, NULL));
	cr_assert_str_eq(a.name, "");
	cr_assert_str_eq(operands, "");
}

static void
refused(const char *const *words, const char *message)
{
	char operands[200];
	struct all a;
	struct rp_err err = { 0 };
	cr_assert_not(parse(&a, words, operands, &err), "%s", message);
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert_str_eq(err.text, message);
	rp_opts_free(rows, &a);
}

RP_TEST(opt, an_error_names_the_option_what_was_found_and_what_is_wanted)
{
	refused(WORDS("--wasy", "4"), "no option 'wasy'; did you mean 'ways'?");
	refused(WORDS("--xyzzy=4"), "no option 'xyzzy'");
	refused(WORDS("--no-ways"), "no option 'no-ways'");
	refused(WORDS("--no-fast=yes"), "no option 'no-fast'");
	refused(WORDS("-x"), "no option '-x'");
	refused(WORDS("-fx"), "no option '-x'");
	refused(WORDS("--ways"), "--ways: wanted N behind it");
	refused(WORDS("-w"), "-w: wanted N behind it");
	refused(WORDS("--ways", "65"), "--ways: 65 is not in 1..64");
	refused(WORDS("--ways=0"), "--ways: 0 is not in 1..64");
	refused(WORDS("--ways="), "--ways: '' is not a whole number below 2^64");
	refused(WORDS("-w4x"), "--ways: '4x' is not a whole number below 2^64");
	refused(WORDS("--count", "18446744073709551616"),
	    "--count: '18446744073709551616' is not a whole number below 2^64");
	refused(WORDS("--threads", "4294967296"), "--threads: 4294967296 is above 2^32 - 1");
	refused(WORDS("--line", "4GiB"), "--line: 4294967296 is above 2^32 - 1");
	refused(WORDS("--size", "12q"), "--size: '12q' is not a size: wanted a number of bytes, at "
					"least 1, like 4096, 48k, 1MiB or 2GiB");
	refused(WORDS("--size", "63"), "--size: 63 is not in 64..18446744073709551615");
	refused(WORDS("--share", "much"), "--share: 'much' is not a number");
	refused(WORDS("--fast=maybe"), "--fast: 'maybe' is none of yes, no");
	refused(WORDS("--order", "rr"), "--order: 'rr' is none of recorded, time, random");
	refused(WORDS("--name", "a/b"), "--name: 'a/b' holds a slash");
	refused(WORDS("--cache", "lru", "--wasy"), "no option 'wasy'; did you mean 'ways'?");
}

RP_TEST(opt, a_long_wrong_name_is_cut)
{
	char word[300] = "--";
	char operands[200];
	struct all a;
	struct rp_err err = { 0 };
	memset(word + 2, 'a', 290);
	cr_assert_not(parse(&a, WORDS(word), operands, &err));
	cr_assert_str_eq(err.text, "no option 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
}

RP_TEST(opt, keys_are_the_same_rows)
{
	struct rp_err err = { 0 };
	struct all a = usual();
	cr_assert(rp_opts_set(rows, &a, "ways", "4", false, NULL));
	cr_assert(rp_opts_set(rows, &a, "fast", "yes", false, NULL));
	cr_assert(a.ways == 4 && a.fast);
	cr_assert_not(rp_opts_set(rows, &a, "wais", "4", false, &err));
	cr_assert_str_eq(err.text, "no key 'wais'; did you mean 'ways'?");
	cr_assert_not(rp_opts_set(rows, &a, "ways", "x", false, &err));
	cr_assert_str_eq(err.text, "ways=: 'x' is not a whole number below 2^64");
	cr_assert_eq(a.ways, 4);
	cr_assert_not(rp_opts_set(rows, &a, "ways", "x", true, &err));
	cr_assert_str_eq(err.text, "--ways: 'x' is not a whole number below 2^64");
}

RP_TEST(opt, a_default_that_does_not_parse_is_told)
{
	static const struct rp_opt bad[] = {
		{ "ways", 0, "N", RP_OPT_U32, offsetof(struct all, ways), "many", "x" }, { 0 }
	};
	struct all a = { 0 };
	struct rp_err err = { 0 };
	cr_assert_not(rp_opts_default(bad, &a, &err));
	cr_assert_str_eq(err.text, "default of ways: 'many' is not a whole number below 2^64");
}

RP_TEST(opt, help_stands_in_columns_and_fits_a_screen)
{
	struct rp_buf b = { 0 };
	static const struct rp_opt some[] = {
		{ "fast", 'f', NULL, RP_OPT_FLAG, 0, "no", "skip the checks" },
		{ "sure", 0, NULL, RP_OPT_FLAG, 0, "yes", "make the checks" },
		{ "cache", 'c', "SPEC", RP_OPT_TEXTS, 0, NULL,
		    "a cache that the whole trace is replayed through, which may be given several "
		    "times: all share one pass" },
		{ "interleave", 0, "recorded|time|rr", RP_OPT_TEXT, 0, "recorded", "the order" },
		{ 0 },
	};
	cr_assert(rp_opts_help(some, &b, NULL));
	cr_assert_str_eq((char *)b.bytes,
	    "  -f, --fast                skip the checks\n"
	    "      --sure                make the checks (usual; --no-sure: not)\n"
	    "  -c, --cache SPEC          a cache that the whole trace is replayed through,\n"
	    "                            which may be given several times: all share one\n"
	    "                            pass\n"
	    "      --interleave recorded|time|rr\n"
	    "                            the order (recorded)\n");
	rp_buf_free(&b);
	cr_assert(rp_opts_help(rows, &b, NULL));
	for (char *line = strtok((char *)b.bytes, "\n"); line; line = strtok(NULL, "\n"))
		cr_assert_lt(strlen(line), 80, "%s", line);
	rp_buf_free(&b);
}

/* Joins the pairs of a text as "[word] key{value} ...". */
static bool
note(void *to, const char *key, const char *value, struct rp_err *err)
{
	char *text = to;
	if (!strcmp(key, "bad"))
		return rp_fail(err, RP_USAGE, "bad=: refused");
	sprintf(text + strlen(text), " %s{%s}", key, value);
	return true;
}

static void
splits(const char *text, const char *want)
{
	char copy[200], got[300] = "", all[400];
	const char *word = NULL;
	struct rp_err err = { 0 };
	strcpy(copy, text);
	cr_assert(rp_spec_split(copy, &word, note, got, &err), "%s: %s", text, err.text);
	snprintf(all, sizeof all, "[%s]%s", word, got);
	cr_assert_str_eq(all, want);
}

RP_TEST(spec, a_value_ends_where_the_next_key_begins)
{
	splits("lru,size=20MiB,line=16KiB", "[lru] size{20MiB} line{16KiB}");
	splits("scan,blocks=12,phases=0,1,5,rounds=3", "[scan] blocks{12} phases{0,1,5} rounds{3}");
	splits("gpgpusim=S:4:128:64,L:T:m:L:L,A:512:8,latency=50,dirty=25",
	    "[] gpgpusim{S:4:128:64,L:T:m:L:L,A:512:8} latency{50} dirty{25}");
	splits("scan,phases=@a,b.txt,block_size=1,q-r=2",
	    "[scan] phases{@a,b.txt} block_size{1} q-r{2}");
	splits("csv,text=a=b,c", "[csv] text{a=b,c}");
}

RP_TEST(spec, words_and_values_may_be_missing)
{
	splits("", "[]");
	splits("lru", "[lru]");
	splits("a=", "[] a{}");
	splits("lru,a=,b=", "[lru] a{} b{}");
	splits("lru,a=1,", "[lru] a{1,}"); /* for the value's own check to refuse */
}

RP_TEST(spec, what_is_neither_is_refused)
{
	static const struct {
		const char *text, *message;
	} bad[] = { { "lru,fifo", "'fifo': wanted key=value" },
		{ "lru,,a=1", "',a=1': wanted key=value" },
		{ "lru,A=1", "'A=1': wanted key=value" }, { "lru,=1", "'=1': wanted key=value" },
		{ "lru,", "nothing behind 'lru,': wanted key=value" },
		{ "lru,a=1,bad=2,c=3", "bad=: refused" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char copy[100], got[200] = "";
		const char *word;
		struct rp_err err = { 0 };
		strcpy(copy, bad[i].text);
		cr_assert_not(rp_spec_split(copy, &word, note, got, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert_str_eq(err.text, bad[i].message);
	}
}
