/* test_string.c - tests sim/gpu/string.c. */
#include "tests/check.h"

#include "sim/gpu/string.h"

RP_TEST(gpu_string, is_read_field_by_field)
{
	struct rp_gpu_string s;
	struct rp_err err = { 0 };
	cr_assert(
	    rp_gpu_string_parse("S:4:128:64,L:T:m:L:X,A:512:8,16:2,32", &s, &err), "%s", err.text);
	cr_assert(s.type == 'S' && s.sets == 4 && s.line == 128 && s.ways == 64);
	cr_assert(s.repl == 'L' && s.write == 'T' && s.alloc == 'm' && s.walloc == 'L');
	cr_assert(s.hash == 'X' && s.mshr == 'A' && s.entries == 512 && s.merge == 8);
	cr_assert(s.missq == 16 && s.fifo == 2 && s.port == 32 && s.given == 3 && !s.old);
	cr_assert_null(rp_gpu_string_warning(&s, 0));
	cr_assert_eq(rp_gpu_string_grain(&s), 32);
}

/* Strings that are accepted, and what they are printed as. */
static const struct {
	const char *text, *print;
	unsigned warnings;
} good[] = {
	{ "S:4:128:64,L:T:m:L:L,A:512:8", NULL, 0 },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16", NULL, 0 },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16:0", NULL, 0 },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16:0,0", NULL, 0 },
	{ "N:1:64:3,F:R:f:N:X,S:2:48,4", NULL, 0 },
	{ "N:64:32:1,F:E:s:W:P,A:1:1", NULL, 0 },
	{ "N:32:128:4,L:L:f:W:H,A:64:8,8", NULL, 0 },
	{ "N:64:128:4,L:B:m:F:H,A:64:8,8", NULL, 0 },
	{ "N:16:64:4,L:B:m:W:P,A:64:8,8", NULL, 0 },
	{ "N:4:128:256,L:R:m:N:L,T:512:8,128:2", NULL, 1 },
	{ "N:4:128:256,L:R:m:N:L,F:512:8,128:2,128", NULL, 1 },
	{ "32:128:4,L:B:m:L:X,A:32:8,8", "N:32:128:4,L:B:m:L:X,A:32:8,8", 1 },
	{ "N:32:128:4,L:B:m:L,A:32:8,8", "N:32:128:4,L:B:m:L:L,A:32:8,8", 1 },
	{ "32:128:4,L:B:m:L,A:32:8", "N:32:128:4,L:B:m:L:L,A:32:8", 2 },
};

RP_TEST(gpu_string, is_accepted_and_printed)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct rp_gpu_string s, again;
		struct rp_err err = { 0 };
		char text[RP_GPU_STRING_ROOM];
		cr_assert(rp_gpu_string_parse(good[i].text, &s, &err), "%s", err.text);
		rp_gpu_string_print(text, &s);
		cr_assert_str_eq(text, good[i].print ? good[i].print : good[i].text);
		cr_assert(rp_gpu_string_parse(text, &again, &err), "%s", err.text);
		for (unsigned k = 0; k < good[i].warnings; k++)
			cr_assert(rp_gpu_string_warning(&s, k), "%s", good[i].text);
		cr_assert_null(rp_gpu_string_warning(&s, good[i].warnings), "%s", good[i].text);
	}
}

/* Strings that are refused, and a piece of the message that names the field and what is wanted. */
static const struct {
	const char *text, *says;
} bad[] = {
	{ "none", "none is no cache" },
	{ "", "group 1 has 1 of the fields" },
	{ "S:4:128:64", "group 2 has 0 of the fields" },
	{ "S:4:128:64,L:T:m:L:L", "group 3 has 0" },
	{ "S:4:128:64,L:T:m:L:L,A:512", "group 3 has 2" },
	{ "S:4:128:64,L:T:m,A:512:8", "group 2 has 3" },
	{ "4:128,L:T:m:L:L,A:512:8", "group 1 has 2" },
	{ "S:4:128:64:1,L:T:m:L:L,A:512:8", "more than the 4 fields of group 1" },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32,1", "more than the 15 fields" },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16,32", "wants a fifo before it" },
	{ "X:4:128:64,L:T:m:L:L,A:512:8", "type 'X' is not N" },
	{ "SS:4:128:64,L:T:m:L:L,A:512:8", "type 'SS'" },
	{ "S:four:128:64,L:T:m:L:L,A:512:8", "sets 'four' is no whole number" },
	{ "S::128:64,L:T:m:L:L,A:512:8", "sets ''" },
	{ "S:-4:128:64,L:T:m:L:L,A:512:8", "sets '-4'" },
	{ "S:0:128:64,L:T:m:L:L,A:512:8", "sets 0 is not in 1.." },
	{ "S:4:128:0,L:T:m:L:L,A:512:8", "ways 0" },
	{ "S:4:128:64,R:T:m:L:L,A:512:8", "repl 'R'" },
	{ "S:4:128:64,L:X:m:L:L,A:512:8", "write 'X'" },
	{ "S:4:128:64,L:T:x:L:L,A:512:8", "alloc 'x'" },
	{ "S:4:128:64,L:T:M:L:L,A:512:8", "alloc 'M'" },
	{ "S:4:128:64,L:T:m:X:L,A:512:8", "walloc 'X'" },
	{ "S:4:128:64,L:T:m:L:Q,A:512:8", "hash 'Q'" },
	{ "S:4:128:64,L:T:m:L:C,A:512:8", "hash C (custom) is not defined" },
	{ "S:4:128:64,L:T:m:L:L,Q:512:8", "mshr 'Q'" },
	{ "S:4:128:64,L:T:m:L:L,A:0:8", "entries 0" },
	{ "S:4:128:64,L:T:m:L:L,A:512:0", "merge 0" },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,", "missq ''" },
	{ "S:4:128:64,L:B:f:N:L,A:512:8", "write B with alloc f" },
	{ "S:4:128:64,L:B:s:N:L,A:512:8", "write B with alloc s" },
	{ "S:4:128:64,L:T:f:F:L,A:512:8", "walloc F with alloc f" },
	{ "S:4:128:64,L:T:f:L:L,A:512:8", "walloc L with alloc f" },
	{ "S:4:128:64,L:T:s:F:L,A:512:8", "walloc N or W to stream" },
	{ "S:4:128:64,L:T:s:L:L,A:512:8", "walloc N or W to stream" },
	{ "S:4:64:64,L:T:m:L:L,A:512:8", "wanted 128" },
	{ "S:4:256:64,L:T:m:L:L,A:512:8", "wanted 128" },
	{ "N:4:96:64,L:T:m:L:L,A:512:8", "line 96 is no power of two" },
	{ "S:3:128:64,L:T:m:L:L,A:512:8", "sets 3 is no power of two" },
	{ "S:24:128:64,L:T:m:L:X,A:512:8", "sets 24 is no power of two" },
	{ "S:24:128:64,L:T:m:L:P,A:512:8", "hash P is defined for 16, 32 or 64" },
	{ "S:8:128:64,L:T:m:L:P,A:512:8", "hash P is defined for 16, 32 or 64" },
	{ "S:128:128:64,L:T:m:L:P,A:512:8", "hash P is defined for 16, 32 or 64" },
	{ "S:16:128:64,L:T:m:L:H,A:512:8", "hash H is defined for 32 or 64" },
	{ "S:128:128:64,L:T:m:L:H,A:512:8", "hash H is defined for 32 or 64" },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16:0,48", "port 48 does not divide" },
	{ "S:4:128:64,L:T:m:L:L,A:512:8,16:0,256", "port 256 does not divide" },
	{ "N:4:128:64,L:R:m:N:L,T:512:8,16", "texture FIFO" },
	{ "N:4:128:64,L:R:m:N:L,F:512:8,16:0", "texture FIFO" },
	{ "N:268435456:128:2,L:T:m:L:L,A:512:8", "lines" },
};

RP_TEST(gpu_string, an_error_names_the_field_and_what_is_wanted)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rp_gpu_string s;
		struct rp_err err = { 0 };
		cr_assert_not(rp_gpu_string_parse(bad[i].text, &s, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
	}
}
