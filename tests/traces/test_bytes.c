/* test_bytes.c - the window over files, pipes and memory. */
#include "tests/check.h"

#include "traces/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static struct rp_err err;

static void
assert_line(struct rp_bytes *b, const char *want)
{
	const char *line;
	ptrdiff_t n = rp_bytes_line(b, &line, &err);
	cr_assert_eq(n, (ptrdiff_t)strlen(want), "%td bytes: %s", n, err.text);
	cr_assert(!memcmp(line, want, strlen(want)));
}

static void
assert_end(struct rp_bytes *b)
{
	const char *line;
	cr_assert_eq(rp_bytes_line(b, &line, &err), -1);
	cr_assert_eq(rp_bytes_line(b, &line, &err), -1);
}

RP_TEST(bytes, lines_end_in_lf_or_cr_lf_or_nothing)
{
	static const char text[] = "one\ntwo\r\n\n \r\nlast";
	for (size_t piece = 0; piece < 8; piece++) {
		struct rp_bytes *b = piece
		                         ? rp_bytes_pieces(text, sizeof text - 1, piece, "t", &err)
		                         : rp_bytes_memory(text, sizeof text - 1, "t", &err);
		cr_assert(b, "%s", err.text);
		cr_assert_str_eq(b->codec, "none");
		assert_line(b, "one");
		cr_assert_eq(b->line, 1);
		assert_line(b, "two");
		cr_assert_eq(rp_bytes_at(b), 9);
		assert_line(b, "");
		assert_line(b, " ");
		assert_line(b, "last");
		cr_assert_eq(b->line, 5);
		assert_end(b);
		cr_assert_eq(rp_bytes_at(b), sizeof text - 1);
		rp_bytes_close(b);
	}
}

RP_TEST(bytes, nothing_at_all_is_an_end)
{
	struct rp_bytes *b = rp_bytes_memory(NULL, 0, "t", &err);
	assert_end(b);
	rp_bytes_close(b);
	b = rp_bytes_pieces(NULL, 0, 1, "t", &err);
	assert_end(b);
	cr_assert(rp_bytes_more(b, 100, &err));
	cr_assert_eq(b->end - b->at, 0);
	rp_bytes_close(b);
	b = rp_bytes_open("/dev/null", NULL, &err);
	assert_end(b);
	rp_bytes_close(b);
}

RP_TEST(bytes, a_line_may_be_just_short_of_the_limit)
{
	char *text = malloc(RP_LINE_MOST + 8);
	memset(text, 'x', RP_LINE_MOST + 8);
	memcpy(text + RP_LINE_MOST - 1, "\nab\n", 4);
	const char *line;
	struct rp_bytes *b = rp_bytes_pieces(text, RP_LINE_MOST + 3, 1000, "t", &err);
	cr_assert_eq(rp_bytes_line(b, &line, &err), RP_LINE_MOST - 1);
	cr_assert(line[0] == 'x' && line[RP_LINE_MOST - 2] == 'x');
	assert_line(b, "ab");
	assert_end(b);
	rp_bytes_close(b);
	free(text);
}

RP_TEST(bytes, too_long_a_line_is_named_by_file_and_line)
{
	char *text = malloc(3 << 20);
	memset(text, 'x', 3 << 20);
	text[5] = '\n';
	for (int memory = 0; memory < 2; memory++) {
		struct rp_bytes *b = memory
		                         ? rp_bytes_memory(text, 3 << 20, "long.din", &err)
		                         : rp_bytes_pieces(text, 3 << 20, 99999, "long.din", &err);
		const char *line;
		assert_line(b, "xxxxx");
		cr_assert_eq(rp_bytes_line(b, &line, &err), -2);
		cr_assert_str_eq(err.text,
		    "long.din:2: a line of 1048576 bytes or more; shorter ones are wanted");
		cr_assert_eq(err.code, RP_INPUT);
		rp_bytes_close(b);
	}
	free(text);
}

RP_TEST(bytes, the_window_gives_every_byte_once_and_in_order)
{
	enum { N = 3000000 };
	unsigned char *data = malloc(N);
	for (size_t i = 0; i < N; i++)
		data[i] = (unsigned char)(i * 2654435761u >> 13);
	char path[] = "/tmp/test_bytes.XXXXXX";
	int fd = mkstemp(path);
	cr_assert_eq(write(fd, data, N), N);
	close(fd);
	struct rp_bytes *b = rp_bytes_open(path, NULL, &err);
	cr_assert(b, "%s", err.text);
	size_t at = 0;
	for (size_t want = 1; rp_bytes_more(b, want, &err) && b->at < b->end;
	     want = (want * 7 + 3) % 400000) {
		size_t n = (size_t)(b->end - b->at);
		cr_assert(n >= want || b->ended);
		n = n > 3 ? n - 2 : n;
		cr_assert_eq(rp_bytes_at(b), at);
		cr_assert(!memcmp(b->at, data + at, n));
		b->at += n;
		at += n;
	}
	cr_assert_eq(at, N);
	rp_bytes_close(b);
	unlink(path);
	free(data);
}

RP_TEST(bytes, what_cannot_be_opened_is_named)
{
	cr_assert_null(rp_bytes_open("/nowhere/t.din", NULL, &err));
	cr_assert_str_eq(err.text, "/nowhere/t.din: opening: No such file or directory");
	cr_assert_eq(err.code, RP_INPUT);
	cr_assert_null(rp_bytes_open("/tmp", NULL, &err));
	cr_assert_str_eq(err.text, "/tmp: a folder; a file is wanted");
	cr_assert_eq(err.code, RP_INPUT);
}

RP_TEST(bytes, messages_say_where)
{
	struct rp_bytes *b = rp_bytes_memory("a\nb\nc", 5, "t.din", &err);
	assert_line(b, "a");
	assert_line(b, "b");
	cr_assert_not(rp_fail_line(&err, b, "label '%c'", 'q'));
	cr_assert_str_eq(err.text, "t.din:2: label 'q'");
	cr_assert_not(rp_fail_at(&err, b, "bad"));
	cr_assert_str_eq(err.text, "t.din: offset 4: bad");
	cr_assert_eq(err.code, RP_INPUT);
	rp_bytes_close(b);
}

/* Standard input becomes the reading end of a pipe; returns the writing end. */
static int
pipe_in(void)
{
	int end[2];
	cr_assert_eq(pipe(end), 0);
	cr_assert_eq(dup2(end[0], 0), 0);
	close(end[0]);
	return end[1];
}

RP_TEST(bytes, a_live_pipe_gives_what_is_there)
{
	int to = pipe_in();
	cr_assert_eq(
	    write(to, "ab\ncd", 5), 5); /* the writer stays open: waiting for more would hang */
	struct rp_bytes *b = rp_bytes_open("-", NULL, &err);
	cr_assert(b, "%s", err.text);
	cr_assert_str_eq(b->name, "standard input");
	assert_line(b, "ab");
	cr_assert(rp_bytes_more(b, 2, &err));
	cr_assert_eq(b->end - b->at, 2);
	cr_assert_eq(write(to, "\n", 1), 1);
	assert_line(b, "cd");
	close(to);
	assert_end(b);
	rp_bytes_close(b);
}

static volatile sig_atomic_t stop;

static void *
set_stop(void *to)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	stop = 1;
	return to;
}

RP_TEST(bytes, stop_ends_the_wait_for_input)
{
	int to = pipe_in();
	cr_assert_eq(write(to, "ab\ncd", 5), 5);
	struct rp_bytes *b = rp_bytes_open("-", &stop, &err);
	assert_line(b, "ab");
	pthread_t t;
	cr_assert_eq(pthread_create(&t, NULL, set_stop, NULL), 0);
	assert_line(b, "cd");
	assert_end(b);
	pthread_join(t, NULL);
	rp_bytes_close(b);
	close(to);
}

RP_TEST(bytes, a_read_error_names_the_input)
{
	int fd = open("/proc/self/mem", O_RDONLY); /* offset 0 is not mapped: EIO */
	if (fd < 0)
		cr_skip_test("no /proc");
	cr_assert_eq(dup2(fd, 0), 0);
	close(fd);
	cr_assert_null(rp_bytes_open("-", NULL, &err));
	cr_assert(strstr(err.text, "standard input: offset 0: reading: "), "%s", err.text);
}
