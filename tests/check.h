/* check.h - what every test file includes. */
#ifndef RP_TESTS_CHECK_H
#define RP_TESTS_CHECK_H

#include "config.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SANITIZED
#include <sanitizer/lsan_interface.h>
/* Criterion's workers leave by _exit, which skips LeakSanitizer: look when a test ends. */
#define RP_LEAK_CHECK() cr_assert_eq(__lsan_do_recoverable_leak_check(), 0, "the test leaks")
#else
#define RP_LEAK_CHECK() ((void)0)
#endif

/* RP_TEST(suite, a_sentence) { ... }: a Criterion test that ends with a leak check. */
#define RP_TEST(suite, name)                                                                       \
	static void suite##_##name##_body(void);                                                   \
	Test(suite, name)                                                                          \
	{                                                                                          \
		suite##_##name##_body();                                                           \
		RP_LEAK_CHECK();                                                                   \
	}                                                                                          \
	static void suite##_##name##_body(void)

/* How much the random tests do: 1 usually; RP_TEST_SCALE in the environment multiplies it. */
static inline unsigned
rp_test_scale(void)
{
	const char *s = getenv("RP_TEST_SCALE");
	int n = s ? atoi(s) : 1;
	return n > 0 ? (unsigned)n : 1;
}

/* The seed of a random test: RP_TEST_SEED, or a fixed one; printed, so that a failure can be repeated. */
static inline uint64_t
rp_test_seed(const char *test)
{
	const char *s = getenv("RP_TEST_SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : 20261129;
	fprintf(stderr, "%s: seed %llu\n", test, (unsigned long long)seed);
	return seed;
}

/* ../shared beside the project, where it is present: its path, or NULL. A test that needs it and has it not calls
 * cr_skip_test. */
static inline const char *
rp_test_shared(void)
{
	static const char path[] = RP_TOP_SRCDIR "/../shared";
	const char *given = getenv("RP_SHARED");
	if (given)
		return *given ? given : NULL;
	FILE *f = fopen(RP_TOP_SRCDIR "/../shared/formats.md", "r");
	if (!f)
		return NULL;
	fclose(f);
	return path;
}

/* A file of the tests' own: tests/NAME in the source tree. `to` needs 4096 bytes. */
static inline const char *
rp_test_file(char *to, const char *name)
{
	snprintf(to, 4096, "%s/tests/%s", RP_TOP_SRCDIR, name);
	return to;
}

#endif
