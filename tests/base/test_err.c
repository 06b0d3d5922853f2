/* test_err.c - tests src/base/err.c. */
#include "tests/check.h"

#include "base/err.h"

#include <errno.h>

RP_TEST(err, a_failure_fills_code_and_text_and_is_false)
{
	struct rp_err err = { 0 };
	cr_assert_not(rp_fail(&err, RP_INPUT, "%s:%d: found '%c'", "t.din", 2, 'q'));
	cr_assert_eq(err.code, RP_INPUT);
	cr_assert_str_eq(err.text, "t.din:2: found 'q'");
	cr_assert_not(rp_fail(&err, RP_USAGE, "another"));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert_str_eq(err.text, "another");
}

RP_TEST(err, nobody_need_listen)
{
	errno = ENOENT;
	cr_assert_not(rp_fail(NULL, RP_INPUT, "x"));
	cr_assert_not(rp_fail_errno(NULL, RP_INPUT, "x"));
	cr_assert_not(rp_err_wrap(NULL, "x"));
}

RP_TEST(err, quoted_input_cannot_break_the_line)
{
	struct rp_err err = { 0 };
	rp_fail(&err, RP_INPUT, "found '%s'", "a\nb\033[2Jc\td\x7f");
	cr_assert_str_eq(err.text, "found 'a?b?[2Jc?d?'");
	rp_err_wrap(&err, "x\ny");
	cr_assert_str_eq(err.text, "x?y: found 'a?b?[2Jc?d?'");
}

RP_TEST(err, a_long_text_is_cut)
{
	char text[2000];
	struct rp_err err = { 0 };
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	rp_fail(&err, RP_INPUT, "%s", text);
	cr_assert_eq(strlen(err.text), sizeof err.text - 1);
	rp_err_wrap(&err, "place");
	cr_assert_eq(strlen(err.text), sizeof err.text - 1);
	cr_assert_eq(strncmp(err.text, "place: aaa", 10), 0);
	rp_err_wrap(&err, "%s", text);
	cr_assert_lt(strlen(err.text), sizeof err.text);
	cr_assert_eq(err.text[0], 'a');
	errno = ENOENT;
	rp_fail_errno(&err, RP_INPUT, "%s", text);
	cr_assert_eq(strlen(err.text), sizeof err.text - 1);
}

RP_TEST(err, wrapping_puts_places_in_front)
{
	struct rp_err err = { 0 };
	rp_fail(&err, RP_INPUT, "cut short");
	cr_assert_not(rp_err_wrap(&err, "block %d", 7));
	cr_assert_not(rp_err_wrap(&err, "a.rpz"));
	cr_assert_str_eq(err.text, "a.rpz: block 7: cut short");
	cr_assert_eq(err.code, RP_INPUT);
}

RP_TEST(err, the_system_tells_why_and_whose_fault_it_is)
{
	static const int machine[] = { ENOMEM, ENOSPC, EPIPE, EMFILE, EIO };
	struct rp_err err = { 0 };
	errno = ENOENT;
	cr_assert_not(rp_fail_errno(&err, RP_INPUT, "opening %s", "x"));
	cr_assert_eq(err.code, RP_INPUT);
	cr_assert_str_eq(err.text, "opening x: No such file or directory");
	for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
		errno = machine[i];
		rp_fail_errno(&err, RP_INPUT, "x");
		cr_assert_eq(err.code, RP_RESOURCE);
	}
}
