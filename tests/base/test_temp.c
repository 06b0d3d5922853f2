/* test_temp.c - temporary files. */
#include "tests/check.h"

#include "base/temp.h"

#include <errno.h>
#include <unistd.h>

static struct rp_err err;

RP_TEST(temp, what_is_written_anywhere_comes_back)
{
	int fd = rp_temp_open(&err);
	cr_assert(fd >= 0, "%s", err.text);
	char back[3];
	cr_assert(rp_temp_write(fd, "abc", 3, 1 << 20, &err));
	cr_assert(rp_temp_write(fd, "xyz", 3, 0, &err));
	cr_assert(rp_temp_read(fd, back, 3, 1 << 20, &err) && !memcmp(back, "abc", 3));
	cr_assert(rp_temp_read(fd, back, 3, 0, &err) && !memcmp(back, "xyz", 3));
	cr_assert_not(rp_temp_read(fd, back, 3, (1 << 20) + 1, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert(strstr(err.text, "a temporary file ends early"), "%s", err.text);
	close(fd);
}

RP_TEST(temp, a_full_disk_is_told)
{
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		cr_skip_test("no /dev/full");
	cr_assert_not(rp_temp_write(fileno(full), "abc", 3, 0, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert(
	    strstr(err.text, "writing a temporary file: No space left on device"), "%s", err.text);
	fclose(full);
}

RP_TEST(temp, the_folder_is_that_of_tmpdir)
{
	setenv("TMPDIR", "/nowhere", 1);
	cr_assert_eq(rp_temp_open(&err), -1);
	cr_assert_str_eq(err.text, "/nowhere: a temporary file: No such file or directory");
	cr_assert_eq(err.code, RP_RESOURCE);
	setenv("TMPDIR", "", 1); /* as if it were not set */
	int fd = rp_temp_open(&err);
	cr_assert_geq(fd, 0);
	close(fd);
}
