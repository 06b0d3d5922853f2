/* test_progress.c - tests src/base/progress.c. */
#include "tests/check.h"

#include "base/progress.h"

#include <time.h>

static void
is(const char *want, uint64_t done, uint64_t part, uint64_t whole, double seconds)
{
	char line[RP_PROGRESS_WIDTH + 1];
	int n = rp_progress_line(line, "accesses", done, part, whole, seconds);
	cr_assert_str_eq(line, want);
	cr_assert_eq((size_t)n, strlen(line));
}

RP_TEST(progress, the_line_tells_accesses_rate_share_and_time_left)
{
	is("123000000 accesses, 12.3 M/s, 25 %, 0:30 left", 123000000, 1, 4, 10);
	is("500 accesses, 100/s, 50 %, 0:05 left", 500, 250, 500, 5);
	is("99000 accesses, 9900/s, 1 %, 16:30 left", 99000, 10, 1000, 10);
	is("200000 accesses, 20.0 k/s, 0 %, 1:23:10 left", 200000, 2, 1000, 10);
	is("2000000000 accesses, 200 M/s, 0 %, 12 days left", 2000000000, 1, 100000, 10);
}

RP_TEST(progress, without_a_share_it_tells_the_time_so_far)
{
	is("1000 accesses, 100/s, 0:10 so far", 1000, 0, 0, 10);
	is("1000 accesses, 100/s, 0:10 so far", 1000, 0, 50, 10);
	is("0 accesses, 0/s, 0:00 so far", 0, 0, 0, 0);
}

RP_TEST(progress, a_share_is_never_more_than_all)
{
	is("1000 accesses, 100/s, 100 %, 0:00 left", 1000, 60, 50, 10);
}

RP_TEST(progress, the_line_fits_whatever_the_numbers)
{
	char line[RP_PROGRESS_WIDTH + 1];
	static const uint64_t n[] = { 0, 1, 1000, UINT64_MAX };
	static const double seconds[] = { 0, 1e-9, 1, 1e6, 1e300 };
	for (size_t i = 0; i < 4 * 4 * 4 * 5; i++) {
		int k = rp_progress_line(
		    line, "accesses", n[i % 4], n[i / 4 % 4], n[i / 16 % 4], seconds[i / 64]);
		cr_assert(k > 0 && k <= RP_PROGRESS_WIDTH, "%s", line);
		cr_assert_eq((size_t)k, strlen(line));
	}
}

static void
pass(double seconds)
{
	struct timespec t = { .tv_nsec = (long)(seconds * 1e9) };
	nanosleep(&t, NULL);
}

static size_t
read_back(FILE *f, char *to, size_t room)
{
	rewind(f);
	size_t n = fread(to, 1, room - 1, f);
	to[n] = 0;
	return n;
}

RP_TEST(progress, a_short_run_prints_nothing)
{
	char text[100];
	FILE *f = tmpfile();
	struct rp_progress p;
	rp_progress_begin(&p, f);
	for (unsigned i = 0; i < 1000; i++)
		rp_progress_tell(&p, i, i, 1000);
	rp_progress_end(&p);
	cr_assert_eq(read_back(f, text, sizeof text), 0);
	fclose(f);
}

RP_TEST(progress, a_line_covers_the_one_before_and_is_cleared_at_the_end)
{
	char text[1000];
	FILE *f = tmpfile();
	struct rp_progress p;
	rp_progress_begin(&p, f);
	pass(0.55);
	rp_progress_tell(&p, 123456789, 1, 2);
	rp_progress_tell(&p, 123456789, 1, 2); /* too soon */
	pass(0.3);
	rp_progress_tell(&p, 1, 0, 0);
	rp_progress_end(&p);
	size_t n = read_back(f, text, sizeof text);
	char *second = strchr(text + 1, '\r');
	cr_assert_eq(text[0], '\r');
	cr_assert_eq(strncmp(text + 1, "123456789 accesses, ", 20), 0);
	cr_assert(second);
	cr_assert_eq(strncmp(second + 1, "1 accesses, ", 12), 0);
	char *third = strchr(second + 1, '\r');
	cr_assert_eq(third - second, second - text); /* blanks over the rest */
	cr_assert_eq(strspn(third + 1, " "), strcspn(third + 1, "\r"));
	cr_assert_eq(text[n - 1], '\r');
	fclose(f);
}

RP_TEST(progress, disabled_it_does_nothing)
{
	struct rp_progress p;
	rp_progress_begin(&p, NULL);
	rp_progress_tell(&p, 1, 1, 1);
	rp_progress_end(&p);
	cr_assert_eq(p.shown, 0);
}
