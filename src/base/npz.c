/* npz.c - arrays in a file that NumPy loads, by libzip. */
#include "config.h"

#include "base/npz.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { HEADER_ROOM = 256, HEAD = 10, ALIGN = 64, LEVEL = 1, NAME_MOST = 200 };

/* The first day that a ZIP archive can tell, 1980-01-01, and its first second. */
enum { FIRST_DATE = 1 << 5 | 1, FIRST_TIME = 0 };

struct rp_npz {
	zip_t *zip;
	zip_source_t *archive; /* what is written to, in memory */
	/* Headers and numbers live as long as the archive is not packed. */
	struct rp_arena arena;
};

static const struct type {
	const char *descr;
	size_t bytes;
} types[] = {
	[RP_NPY_F32] = { "<f4", 4 },
	[RP_NPY_F64] = { "<f8", 8 },
	[RP_NPY_U32] = { "<u4", 4 },
	[RP_NPY_U64] = { "<u8", 8 },
	[RP_NPY_I64] = { "<i8", 8 },
	[RP_NPY_U8] = { "|u1", 1 },
};

/* libzip only fails for want of memory here: nothing is read, and nothing is written to a file. */
static bool
failed(struct rp_err *err)
{
	return rp_fail(err, RP_RESOURCE, "out of memory: npz");
}

struct rp_npz *
rp_npz_new(struct rp_err *err)
{
	struct rp_npz *z = rp_mem_array(1, sizeof *z, err);
	zip_error_t why;
	if (!z)
		return NULL;
	zip_error_init(&why);
	z->archive = zip_source_buffer_create(NULL, 0, 0, &why);
	if (z->archive) {
		zip_source_keep(z->archive); /* also after zip_close, which gives one back */
		z->zip = zip_open_from_source(z->archive, ZIP_TRUNCATE, &why);
		if (!z->zip)
			zip_source_free(z->archive);
	}
	zip_error_fini(&why);
	if (z->zip)
		return z;
	failed(err);
	rp_npz_free(z);
	return NULL;
}

void
rp_npz_free(struct rp_npz *z)
{
	if (!z)
		return;
	if (z->zip)
		zip_discard(z->zip);
	zip_source_free(z->archive);
	rp_arena_free(&z->arena);
	free(z);
}

/* The header of an array; how long it is, a multiple of ALIGN. */
static size_t
put_header(char to[HEADER_ROOM], const struct type *type, unsigned dims, const uint64_t *shape)
{
	int n = snprintf(to + HEAD, HEADER_ROOM - HEAD,
	    "{'descr': '%s', 'fortran_order': False, 'shape': (", type->descr);
	for (unsigned i = 0; i < dims; i++)
		n += snprintf(to + HEAD + n, (size_t)(HEADER_ROOM - HEAD - n), "%" PRIu64 "%s",
		    shape[i],
		    dims == 1      ? ","
		    : i + 1 < dims ? ", "
				   : "");
	n += snprintf(to + HEAD + n, (size_t)(HEADER_ROOM - HEAD - n), "), }");
	size_t used = HEAD + (size_t)n + 1, whole = (used + ALIGN - 1) / ALIGN * ALIGN;
	memset(to + used - 1, ' ', whole - used);
	to[whole - 1] = '\n';
	memcpy(to, "\x93NUMPY\x01\x00", 8);
	to[8] = (char)((whole - HEAD) & 0xff);
	to[9] = (char)((whole - HEAD) >> 8);
	return whole;
}

bool
rp_npz_add(struct rp_npz *z, const char *name, enum rp_npy type, const void *data, unsigned dims,
    const uint64_t *shape, struct rp_err *err)
{
	char member[NAME_MOST + 8];
	uint64_t n = 1;
	for (unsigned i = 0; i < dims; i++)
		if (__builtin_mul_overflow(n, shape[i], &n))
			return failed(err);
	char *header = rp_arena_take(&z->arena, HEADER_ROOM, err);
	if (!header)
		return false;
	zip_buffer_fragment_t piece[2] = { { (zip_uint8_t *)header,
					       put_header(header, &types[type], dims, shape) },
		{ (zip_uint8_t *)(uintptr_t)data, n * types[type].bytes } };
	snprintf(member, sizeof member, "%.*s.npy", NAME_MOST, name);
	zip_source_t *s = zip_source_buffer_fragment(z->zip, piece, n ? 2 : 1, 0);
	zip_int64_t at = s ? zip_file_add(z->zip, member, s, ZIP_FL_ENC_UTF_8) : -1;
	if (at < 0) {
		zip_source_free(s);
		return failed(err);
	}
	return (!zip_set_file_compression(z->zip, (zip_uint64_t)at, ZIP_CM_DEFLATE, LEVEL) &&
		   !zip_file_set_dostime(z->zip, (zip_uint64_t)at, FIRST_TIME, FIRST_DATE, 0)) ||
	       failed(err);
}

bool
rp_npz_number(struct rp_npz *z, const char *name, double value, struct rp_err *err)
{
	double *kept = rp_arena_take(&z->arena, sizeof *kept, err);
	if (!kept)
		return false;
	*kept = value;
	return rp_npz_add(z, name, RP_NPY_F64, kept, 0, NULL, err);
}

static bool
copy(zip_source_t *from, struct rp_out *to, struct rp_err *err)
{
	char bytes[1 << 14];
	zip_int64_t n;
	while ((n = zip_source_read(from, bytes, sizeof bytes)) > 0)
		if (!rp_out_write(to, bytes, (size_t)n, err))
			return false;
	return n == 0 || failed(err);
}

bool
rp_npz_write(struct rp_npz *z, struct rp_out *to, struct rp_err *err)
{
	if (zip_close(z->zip))
		return failed(err);
	z->zip = NULL;
	if (zip_source_open(z->archive))
		return failed(err);
	bool ok = copy(z->archive, to, err);
	zip_source_close(z->archive);
	return ok;
}
