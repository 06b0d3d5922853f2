/* npz.h - arrays in a file that NumPy loads: numpy.load("x.npz").
 *
 * A .npz is a ZIP archive with a member NAME.npy for each array (numpy.lib.format, version 1.0: a header that is padded so
 * that the data begin at a multiple of 64, then the elements, little-endian, last index fastest). Members are deflated and
 * have a fixed date, so the same arrays make the same bytes. */
#ifndef RP_BASE_NPZ_H
#define RP_BASE_NPZ_H

#include "base/err.h"
#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an element is. */
enum rp_npy { RP_NPY_F32, RP_NPY_F64, RP_NPY_U32, RP_NPY_U64, RP_NPY_I64, RP_NPY_U8 };

enum { RP_NPY_DIMS = 3 }; /* at most */

struct rp_npz;

/* An empty archive. Gives (rp_npz_free). */
struct rp_npz *rp_npz_new(struct rp_err *err);
void rp_npz_free(struct rp_npz *z); /* accepts NULL */

/* Adds an array of `dims` dimensions, 1 to RP_NPY_DIMS; `name` has at most 200 letters, without ".npy". `data` (the product
 * of `shape` elements; NULL if that is 0) is borrowed until rp_npz_write or rp_npz_free. */
bool rp_npz_add(struct rp_npz *z, const char *name, enum rp_npy type, const void *data,
    unsigned dims, const uint64_t *shape, struct rp_err *err);

/* Adds a number, as an array without dimensions. */
bool rp_npz_number(struct rp_npz *z, const char *name, double value, struct rp_err *err);

/* Packs all of it, in memory, and appends it to `to`. Once. RP_RESOURCE. */
bool rp_npz_write(struct rp_npz *z, struct rp_out *to, struct rp_err *err);

#endif
