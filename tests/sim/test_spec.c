/* test_spec.c - tests sim/spec.c. */
#include "tests/check.h"

#include "sim/cache.h"

static void
expect_print(const char *text, const char *want)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 7, &s, &err), "%s: %s", text, err.text);
	char *found = rp_cache_spec_print(&s, &err);
	cr_assert_str_eq(found, want, "%s: %s", text, found);
	cr_assert_eq(s.size, (uint64_t)s.sets * s.ways * s.line); /* 0 of a ttl */
	free(found);
	rp_cache_spec_free(&s);
}

static const struct {
	const char *text, *print;
} good[] = {
	{ "lru,size=384,line=64", "lru,size=384,sets=1,ways=6,line=64,write=back,allocate=write" },
	{ "lru,sets=8,ways=4,line=64",
	    "lru,size=2KiB,sets=8,ways=4,line=64,write=back,allocate=write" },
	{ "fifo,size=32KiB,ways=8",
	    "fifo,size=32KiB,sets=64,ways=8,line=64,write=back,allocate=write" },
	{ "lru,size=96,line=32,sets=3",
	    "lru,size=96,sets=3,ways=1,line=32,write=back,allocate=write" },
	{ "lru,size=4k,ways=full",
	    "lru,size=4KiB,sets=1,ways=64,line=64,write=back,allocate=write" },
	{ "lru,size=4k,ways=8,sets=8",
	    "lru,size=4KiB,sets=8,ways=8,line=64,write=back,allocate=write" },
	{ "lru,size=1000,line=1",
	    "lru,size=1000,sets=1,ways=1000,line=1,write=back,allocate=write" },
	{ "lru,size=20MiB,line=16KiB",
	    "lru,size=20MiB,sets=1,ways=1280,line=16KiB,write=back,allocate=write" },
	{ "random,size=1k,ways=2,write=through,allocate=no-write,name=L1, left",
	    "random,size=1KiB,sets=8,ways=2,line=64,write=through,allocate=no-write,seed=7,name=L1,"
	    " left" },
	{ "lru,size=1k,mshr=4",
	    "lru,size=1KiB,sets=1,ways=16,line=64,write=back,allocate=write,mshr=4,merge=unlimited,"
	    "latency=100,clock=lookups,stall=count" },
	{ "lru,size=1k,mshr=0,merge=0,latency=5",
	    "lru,size=1KiB,sets=1,ways=16,line=64,write=back,allocate=write,mshr=unlimited,"
	    "merge=unlimited,latency=5,clock=lookups,stall=count" },
	{ "lru,size=1k,stall=count,merge=8,mshr=unlimited,clock=time",
	    "lru,size=1KiB,sets=1,ways=16,line=64,write=back,allocate=write,mshr=unlimited,merge=8,"
	    "latency=100,clock=time,stall=count" },
	{ "fifo,sets=16,ways=2,line=128,sector=32,index=ipoly,mshr=8,merge=3,latency=50,stall=skip",
	    "fifo,size=4KiB,sets=16,ways=2,line=128,sector=32,index=ipoly,write=back,allocate="
	    "write,"
	    "mshr=8,merge=3,latency=50,clock=lookups,stall=skip" },
	{ "lru,sets=3,ways=2,index=hash,sector=64",
	    "lru,size=384,sets=3,ways=2,line=64,index=hash,write=back,allocate=write" },
	{ "random,size=1k,ways=2,seed=0x10",
	    "random,size=1KiB,sets=8,ways=2,line=64,write=back,allocate=write,seed=16" },
	{ "lru,size=1k,classify=no",
	    "lru,size=1KiB,sets=1,ways=16,line=64,write=back,allocate=write" },
	{ "fifo,size=1k,ways=4,name=a,classify=yes",
	    "fifo,size=1KiB,sets=4,ways=4,line=64,write=back,allocate=write,classify=yes,name=a" },
	{ "ttl,window=3", "ttl,line=64,write=back,allocate=write,window=3,slotted=yes" },
	{ "ttl,window=7,slotted=no,line=128,name=x",
	    "ttl,line=128,write=back,allocate=write,window=7,slotted=no,name=x" },
	{ "s3fifo,size=1k,ways=full,hits=1",
	    "s3fifo,size=1KiB,sets=1,ways=16,line=64,write=back,allocate=write,small=10,hits=1" },
};

RP_TEST(spec, is_completed_and_printed)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		expect_print(good[i].text, good[i].print);
}

RP_TEST(spec, what_is_printed_parses_to_itself)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		expect_print(good[i].print, good[i].print);
}

/* What is wrong, and a piece of the message that names it and what is wanted. */
static const struct {
	const char *text, *says;
} bad[] = {
	{ "", "wanted a policy" },
	{ "size=1k", "wanted a policy" },
	{ "lur,size=1k", "no policy 'lur'; did you mean 'lru'?" },
	{ "lru", "wanted size= or sets=" },
	{ "lru,ways=4", "wanted size= or sets=" },
	{ "lru,ways=full", "wanted size=" },
	{ "lru,sets=8", "wanted ways=" },
	{ "lru,sets=8,ways=full,size=1k", "ways=full is one set" },
	{ "lru,size=100", "size=100 is no multiple of line = 64; 64 or 128 would fit" },
	{ "lru,size=32", "size=32 is less than line" },
	{ "lru,size=32KiB,ways=7",
	    "is no multiple of ways * line = 448; 32704 or 33152 would fit" },
	{ "lru,size=32KiB,ways=8,sets=32", "sets=64 or size=16KiB would fit" },
	{ "lru,size=32KiB,sets=7", "is no multiple of sets * line" },
	{ "lru,size=1k,line=48", "line=: 48 is no power of two" },
	{ "lru,size=abc", "size=: 'abc' is not a size" },
	{ "lru,size=12q", "size=: '12q' is not a size" },
	{ "lru,size=0", "size=: '0' is not a size" },
	{ "lru,size=1k,ways=0", "ways=: 0 is not in 1.." },
	{ "lru,size=1k,ways=two", "ways=: 'two' is neither" },
	{ "lru,sets=0,ways=1", "sets=: 0 is not in 1.." },
	{ "lru,size=1k,write=up", "write=: 'up' is none of back, through" },
	{ "lru,size=1k,allocate=never", "allocate=: 'never' is none of write, no-write" },
	{ "lru,size=1k,wyas=2", "did you mean 'ways'?" },
	{ "lru,size=1k,sector=48", "sector=: 48 is no power of two" },
	{ "lru,size=1k,sector=128", "sector=: 128 is more than line = 64" },
	{ "lru,size=64k,line=4k,sector=32",
	    "sector=: a line of 4KiB has more than 64 sectors of 32" },
	{ "ttl,window=4,sector=32", "sector=: ttl keeps whole lines" },
	{ "lru,sets=3,ways=2,index=xor", "index=xor: 3 sets; wanted a power of two" },
	{ "lru,sets=8,ways=2,index=ipoly", "index=ipoly: 8 sets; wanted 16, 32 or 64" },
	{ "lru,sets=16,ways=2,line=128,index=fermi", "index=fermi: 16 sets; wanted 32 or 64" },
	{ "lru,sets=32,ways=2,index=fermi", "index=fermi: lines of 64 bytes; wanted 128" },
	{ "lru,size=1k,index=sum", "index=: 'sum' is none of mod, xor, ipoly, fermi, hash" },
	{ "lru,size=1k,mshr=4,latency=0,stall=skip", "latency=: 0; wanted at least 1" },
	{ "ttl,window=4,mshr=4,stall=drop", "stall=drop: ttl has no ways that could wait" },
	{ "lru,size=1k,merge=4", "merge=: wanted mshr= too" },
	{ "lru,size=1k,latency=4", "latency=: wanted mshr= too" },
	{ "lru,size=1k,mshr=four", "mshr=: 'four' is neither a whole number nor unlimited" },
	{ "lru,size=1k,mshr=4,merge=-1", "merge=: '-1' is neither" },
	{ "lru,size=1k,mshr=4,stall=wait", "stall=: 'wait' is none of count, skip, unit, drop" },
	{ "lru,size=1k,mshr=4,clock=wall", "clock=: 'wall' is none of lookups, time" },
	{ "lru,size=1k,8", "wanted" },
	{ "lru,sets=4294967295,ways=4294967295,line=64", "2^64" },
	{ "lru,size=1048576GiB,line=1", "fewer than 2^32" },
	{ "lru,size=64,sets=4294967295,ways=4294967295,line=64", "is less than" },
	{ "ttl,size=1k,window=3", "size=: ttl has no capacity" },
	{ "ttl,sets=4,window=3", "sets=: ttl has no capacity" },
	{ "ttl,ways=full,window=3", "ways=: ttl has no capacity" },
	{ "ttl", "wanted window=: rounds" },
	{ "ttl,window=3,slotted=2", "slotted=: '2' is none of yes, no" },
	{ "ttl,window=3,classify=yes", "classify=yes: ttl has no capacity" },
	{ "s3fifo,size=1k,small=0", "small=: 0 is not in 1..99" },
};

RP_TEST(spec, an_error_names_the_key_and_what_is_wanted)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rp_cache_spec s;
		struct rp_err err = { 0 };
		cr_assert_not(rp_cache_spec_parse(bad[i].text, 64, 1, &s, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
	}
}
