/* test_mem.c - tests src/base/mem.c. */
#include "tests/check.h"

#include "base/mem.h"

#ifdef SANITIZED
const char *__asan_default_options(void) __attribute__((visibility("default")));

/* Of the whole program: an allocation that no machine has is NULL there too, not the end of the test. */
const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}
#endif

RP_TEST(mem, arrays_are_zeroed_and_never_null)
{
	uint32_t *a = rp_mem_array(1000, sizeof *a, NULL);
	void *none = rp_mem_array(0, 8, NULL), *aligned = rp_mem_aligned(64, 0, 8, NULL);
	for (size_t i = 0; i < 1000; i++)
		cr_assert_eq(a[i], 0);
	cr_assert(none && aligned);
	free(a);
	free(none);
	free(aligned);
}

RP_TEST(mem, aligned_arrays_are_aligned_and_zeroed)
{
	for (size_t align = 8; align <= 4096; align *= 2) {
		unsigned char *p = rp_mem_aligned(align, 33, 3, NULL);
		cr_assert_eq((uintptr_t)p % align, 0);
		for (size_t i = 0; i < 99; i++)
			cr_assert_eq(p[i], 0);
		free(p);
	}
}

RP_TEST(mem, a_product_that_overflows_is_no_memory)
{
	struct rp_err err = { 0 };
	cr_assert_null(rp_mem_array(SIZE_MAX / 2, 3, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert_null(rp_mem_aligned(64, SIZE_MAX / 2, 3, &err));
	cr_assert_null(rp_mem_grow(NULL, SIZE_MAX / 2, 3, &err));
	cr_assert_null(rp_mem_array(SIZE_MAX / 4, 1, &err));
	cr_assert_str_eq(err.text, "out of memory: 4611686018427387903 elements of 1 bytes");
}

RP_TEST(mem, growing_keeps_what_was_there)
{
	char *p = rp_mem_grow(NULL, 3, 1, NULL);
	memcpy(p, "abc", 3);
	p = rp_mem_grow(p, 1000, 1000, NULL);
	cr_assert_eq(memcmp(p, "abc", 3), 0);
	cr_assert_null(rp_mem_grow(p, SIZE_MAX, 2, NULL)); /* and p is still ours */
	free(p);
}

RP_TEST(mem, strings_are_copied)
{
	char text[] = "lru";
	char *p = rp_mem_string(text, NULL);
	text[0] = 'x';
	cr_assert_str_eq(p, "lru");
	free(p);
}

RP_TEST(mem, an_arena_gives_zeroed_aligned_pieces_apart)
{
	struct rp_arena a = { 0 };
	unsigned char *before = NULL;
	size_t size_before = 0;
	for (size_t size = 0; size < 2000; size += 7) {
		unsigned char *p = rp_arena_take(&a, size, NULL);
		cr_assert_eq((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			cr_assert_eq(p[i], 0);
		memset(p, 0xa5, size);
		for (size_t i = 0; i < size_before; i++)
			cr_assert_eq(before[i], 0xa5);
		before = p;
		size_before = size;
	}
	unsigned char *large = rp_arena_take(&a, 1 << 20, NULL);
	memset(large, 1, 1 << 20);
	cr_assert_str_eq(rp_arena_string(&a, "name", NULL), "name");
	rp_arena_free(&a);
	cr_assert_str_eq(rp_arena_string(&a, "again", NULL), "again");
	rp_arena_free(&a);
	rp_arena_free(&a);
}

RP_TEST(mem, an_arena_refuses_what_no_machine_has)
{
	struct rp_arena a = { 0 };
	for (size_t less = 0; less < 100; less++) {
		struct rp_err err = { 0 };
		cr_assert_null(rp_arena_take(&a, SIZE_MAX - less, &err));
		cr_assert_eq(err.code, RP_RESOURCE);
	}
	rp_arena_free(&a);
}

RP_TEST(mem, tables_are_zeroed_and_aligned)
{
	struct rp_err err = { 0 };
	static const size_t counts[] = { 0, 1, 1000, 1 << 18, (1 << 20) + 1 };
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		uint64_t *t = rp_mem_table(counts[c], 16, &err), any = 0;
		cr_assert(t, "%s", err.text);
		cr_assert_eq((uintptr_t)t % 64, 0);
		for (size_t i = 0; i < 2 * counts[c]; i++)
			any |= t[i];
		cr_assert_eq(any, 0);
		free(t);
	}
	cr_assert_null(rp_mem_table(SIZE_MAX / 2, 16, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
}
