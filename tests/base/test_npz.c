/* test_npz.c - arrays for NumPy, read back by libzip and by the rules of numpy.lib.format. */
#include "base/npz.h"

#include "tests/check.h"

#include <unistd.h>
#include <zip.h>

static const float f32[6] = { 1, -2.5f, 3, 4, 5, 6 };
static const uint64_t u64[3] = { 0, 1, UINT64_MAX };

static void
write_to(const char *path)
{
	struct rp_err err = { 0 };
	struct rp_npz *z = rp_npz_new(&err);
	struct rp_out *o = rp_out_open(path, &err);
	cr_assert(z && o, "%s", err.text);
	cr_assert(rp_npz_add(z, "table", RP_NPY_F32, f32, 2, (const uint64_t[]){ 3, 2 }, &err));
	cr_assert(rp_npz_add(z, "list", RP_NPY_U64, u64, 1, (const uint64_t[]){ 3 }, &err));
	cr_assert(rp_npz_add(z, "empty", RP_NPY_U8, NULL, 2, (const uint64_t[]){ 0, 7 }, &err));
	cr_assert(rp_npz_number(z, "one", 0.1, &err));
	cr_assert(rp_npz_write(z, o, &err));
	cr_assert(rp_out_commit(o, &err));
	rp_npz_free(z);
}

static size_t
read_all(const char *path, char *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f);
	size_t n = fread(to, 1, room, f);
	fclose(f);
	return n;
}

/* A member is as the format says: magic, version, length of the header, a header that is padded, data at a multiple of 64. */
static void
check_member(zip_t *zip, const char *name, const char *header, const void *data, size_t bytes)
{
	unsigned char all[512];
	zip_file_t *f = zip_fopen(zip, name, 0);
	cr_assert_not_null(f, "%s", name);
	size_t n = (size_t)zip_fread(f, all, sizeof all);
	zip_fclose(f);
	size_t head = 10 + all[8] + 256u * all[9];
	cr_assert(!memcmp(all, "\x93NUMPY\x01\x00", 8));
	cr_assert_eq(head % 64, 0);
	cr_assert_eq(n, head + bytes);
	cr_assert_eq(all[head - 1], '\n');
	cr_assert(!memcmp(all + 10, header, strlen(header)), "%s: %.100s", name, all + 10);
	for (size_t i = 10 + strlen(header); i < head - 1; i++)
		cr_assert_eq(all[i], ' ');
	cr_assert(!bytes || !memcmp(all + head, data, bytes));
}

RP_TEST(npz, members_are_what_numpy_reads)
{
	const double one = 0.1;
	char path[64];
	snprintf(path, sizeof path, "/tmp/reprise-npz-%ld.npz", (long)getpid());
	write_to(path);
	zip_t *zip = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	cr_assert_not_null(zip);
	cr_assert_eq(zip_get_num_entries(zip, 0), 4);
	check_member(zip, "table.npy",
	    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", f32, sizeof f32);
	check_member(zip, "list.npy", "{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }",
	    u64, sizeof u64);
	check_member(zip, "empty.npy",
	    "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 7), }", NULL, 0);
	check_member(zip, "one.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
	    &one, sizeof one);
	zip_discard(zip);
	unlink(path);
}

RP_TEST(npz, the_same_arrays_make_the_same_bytes_in_any_time_zone)
{
	char a[64], b[64], x[8192], y[8192];
	snprintf(a, sizeof a, "/tmp/reprise-npz-%ld-a.npz", (long)getpid());
	snprintf(b, sizeof b, "/tmp/reprise-npz-%ld-b.npz", (long)getpid());
	write_to(a);
	setenv("TZ", "Pacific/Kiritimati", 1);
	sleep(2); /* two seconds are what a ZIP archive can tell apart */
	write_to(b);
	size_t n = read_all(a, x, sizeof x);
	cr_assert(n > 100 && n < sizeof x);
	cr_assert_eq(read_all(b, y, sizeof y), n);
	cr_assert(!memcmp(x, y, n));
	unlink(a);
	unlink(b);
}

RP_TEST(npz, an_archive_that_is_never_written_is_given_back)
{
	struct rp_err err = { 0 };
	struct rp_npz *z = rp_npz_new(&err);
	cr_assert(rp_npz_number(z, "x", 1, &err));
	cr_assert_not(
	    rp_npz_add(z, "y", RP_NPY_F64, NULL, 2, (const uint64_t[]){ UINT64_MAX, 2 }, &err));
	rp_npz_free(z);
	rp_npz_free(NULL);
}
