/* nth.c - preloaded, makes one allocation fail: the RP_FAIL_AT-th, counted from the start of main.
 *
 * When that happens the file RP_FAIL_TOLD is made, so that a test knows when there are no more allocations to fail. Forwards
 * to glibc's own names. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t align, size_t n);

static atomic_long left; /* allocations until the one that fails; 0 and below: none does */
static const char *told;

__attribute__((constructor)) static void
start(void)
{
	const char *at = getenv("RP_FAIL_AT");
	told = getenv("RP_FAIL_TOLD");
	atomic_store(&left, at ? atol(at) : 0);
}

static bool
fails(void)
{
	if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1)
		return false;
	int fd = told ? open(told, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd >= 0)
		close(fd);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *old, size_t n)
{
	return fails() ? NULL : __libc_realloc(old, n);
}

int
posix_memalign(void **to, size_t align, size_t n)
{
	void *p = fails() ? NULL : __libc_memalign(align, n);
	if (!p)
		return ENOMEM;
	*to = p;
	return 0;
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}
