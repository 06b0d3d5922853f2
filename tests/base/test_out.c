/* test_out.c - tests src/base/out.c. */
#include "tests/check.h"

#include "base/out.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, left empty. */
static char folder[64], target[128];

static void
begin(void)
{
	strcpy(folder, "/tmp/reprise-out-XXXXXX");
	cr_assert(mkdtemp(folder));
	snprintf(target, sizeof target, "%s/t.csv", folder);
}

static unsigned
files(void)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void
end(void)
{
	unlink(target);
	cr_assert_eq(rmdir(folder), 0, "something is left in %s", folder);
}

static void
put(const char *text)
{
	FILE *f = fopen(target, "w");
	fputs(text, f);
	fclose(f);
}

static void
holds(const char *want)
{
	char text[200] = "";
	FILE *f = fopen(target, "r");
	cr_assert(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	cr_assert_str_eq(text, want);
}

RP_TEST(out, the_file_appears_on_commit)
{
	begin();
	struct rp_out *o = rp_out_open(target, NULL);
	cr_assert(rp_out_write(o, "a,b\n", 4, NULL));
	cr_assert(rp_out_printf(o, NULL, "%d,%s\n", 1, "x"));
	memcpy(rp_out_room(o, 100, NULL), "zz", 2);
	rp_out_used(o, 2);
	cr_assert_eq(rp_out_bytes(o), 10);
	cr_assert_eq(access(target, F_OK), -1);
	cr_assert(rp_out_commit(o, NULL));
	holds("a,b\n1,x\nzz");
	cr_assert_eq(files(), 1);
	end();
}

RP_TEST(out, an_abort_leaves_nothing_and_what_was_there)
{
	begin();
	struct rp_out *o = rp_out_open(target, NULL);
	rp_out_write(o, "half", 4, NULL);
	rp_out_abort(o);
	cr_assert_eq(files(), 0);
	put("old");
	o = rp_out_open(target, NULL);
	rp_out_write(o, "half", 4, NULL);
	rp_out_abort(o);
	holds("old");
	o = rp_out_open(target, NULL);
	rp_out_write(o, "new", 3, NULL);
	cr_assert(rp_out_commit(o, NULL));
	holds("new");
	rp_out_abort(NULL);
	end();
}

RP_TEST(out, large_outputs_come_whole)
{
	begin();
	struct rp_out *o = rp_out_open(target, NULL);
	static char block[100003];
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (char)(i * 7 % 251);
	for (int k = 0; k < 30; k++) {
		cr_assert(rp_out_write(o, block, sizeof block, NULL));
		memset(rp_out_room(o, 65536, NULL), 'r', 65536);
		rp_out_used(o, 65536);
	}
	cr_assert_eq(rp_out_bytes(o), 30 * (sizeof block + 65536));
	cr_assert(rp_out_commit(o, NULL));
	FILE *f = fopen(target, "r");
	static char back[sizeof block];
	for (int k = 0; k < 30; k++) {
		cr_assert_eq(fread(back, 1, sizeof block, f), sizeof block);
		cr_assert_arr_eq(back, block, sizeof block);
		cr_assert_eq(fread(back, 1, 65536, f), 65536);
		cr_assert(back[0] == 'r' && back[65535] == 'r');
	}
	cr_assert_eq(fgetc(f), EOF);
	fclose(f);
	end();
}

RP_TEST(out, permissions_are_those_of_the_umask)
{
	static const mode_t mask[] = { 022, 077, 002 };
	for (size_t i = 0; i < 3; i++) {
		struct stat st;
		begin();
		mode_t before = umask(mask[i]);
		struct rp_out *o = rp_out_open(target, NULL);
		cr_assert(rp_out_commit(o, NULL));
		umask(before);
		cr_assert_eq(stat(target, &st), 0);
		cr_assert_eq(st.st_mode & 0777, 0666 & ~mask[i]);
		end();
	}
}

RP_TEST(out, two_of_one_name_do_not_meet)
{
	begin();
	struct rp_out *a = rp_out_open(target, NULL), *b = rp_out_open(target, NULL);
	rp_out_write(a, "a", 1, NULL);
	rp_out_write(b, "bb", 2, NULL);
	cr_assert(rp_out_commit(a, NULL));
	holds("a");
	cr_assert(rp_out_commit(b, NULL));
	holds("bb");
	end();
}

RP_TEST(out, a_full_disk_is_an_error_and_stays_one)
{
	static char block[300000];
	struct rp_err err = { 0 };
	struct rp_out *o = rp_out_open("/dev/full", &err);
	cr_assert(o, "%s", err.text);
	cr_assert(rp_out_write(o, "a", 1, &err));
	cr_assert_not(rp_out_write(o, block, sizeof block, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert_str_eq(err.text, "writing /dev/full: No space left on device");
	cr_assert_not(rp_out_write(o, "a", 1, &err));
	cr_assert_str_eq(err.text, "writing /dev/full failed before");
	cr_assert_not(rp_out_printf(o, &err, "a"));
	cr_assert_null(rp_out_room(o, 1, &err));
	err = (struct rp_err){ 0 };
	cr_assert_not(rp_out_commit(o, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	/* What stays in the buffer is written by the commit, which must tell too. */
	o = rp_out_open("/dev/full", &err);
	cr_assert(rp_out_write(o, "a", 1, &err));
	cr_assert_not(rp_out_commit(o, &err));
	cr_assert_eq(access("/dev/full", F_OK), 0);
}

RP_TEST(out, a_closed_pipe_is_an_error)
{
	int ends[2];
	char path[64];
	struct rp_err err = { 0 };
	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
	struct rp_out *o = rp_out_open(path, &err);
	cr_assert(o, "%s", err.text);
	close(ends[0]);
	rp_out_write(o, "a", 1, &err);
	cr_assert_not(rp_out_commit(o, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert(strstr(err.text, "Broken pipe"), "%s", err.text);
	close(ends[1]);
}

RP_TEST(out, a_pipe_gets_the_bytes_as_they_come)
{
	int ends[2];
	char path[64], text[8] = "";
	cr_assert_eq(pipe(ends), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
	struct rp_out *o = rp_out_open(path, NULL);
	rp_out_write(o, "abc", 3, NULL);
	cr_assert(rp_out_commit(o, NULL));
	cr_assert_eq(read(ends[0], text, sizeof text), 3);
	cr_assert_str_eq(text, "abc");
	close(ends[0]);
	close(ends[1]);
}

RP_TEST(out, a_link_stays_one)
{
	char name[128];
	struct stat st;
	begin();
	snprintf(name, sizeof name, "%s/link", folder);
	put("old");
	cr_assert_eq(symlink("t.csv", name), 0);
	struct rp_out *o = rp_out_open(name, NULL);
	rp_out_write(o, "new", 3, NULL);
	cr_assert(rp_out_commit(o, NULL));
	cr_assert(lstat(name, &st) == 0 && S_ISLNK(st.st_mode));
	holds("new");
	unlink(name);
	end();
}

RP_TEST(out, what_cannot_be_opened_is_said_at_once)
{
	struct rp_err err = { 0 };
	char name[200];
	begin();
	cr_assert_null(rp_out_open(folder, &err));
	cr_assert(strstr(err.text, ": cannot be written: Is a directory"), "%s", err.text);
	snprintf(name, sizeof name, "%s/no/t.csv", folder);
	cr_assert_null(rp_out_open(name, &err));
	cr_assert(strstr(err.text, "/no/t.csv: cannot be created: No such file or directory"), "%s",
	    err.text);
	cr_assert_null(rp_out_open("", &err));
	cr_assert_str_eq(err.text, "the name of the output is empty");
	end();
}

RP_TEST(out, more_at_once_than_the_buffer_gives_is_refused)
{
	struct rp_err err = { 0 };
	begin();
	struct rp_out *o = rp_out_open(target, NULL);
	cr_assert_null(rp_out_room(o, 65537, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	err = (struct rp_err){ 0 };
	cr_assert_not(rp_out_printf(o, &err, "%70000d", 1));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert(rp_out_printf(o, &err, "%60000d", 1));
	rp_out_abort(o);
	end();
}
