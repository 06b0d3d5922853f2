/* kernel_dense.c - kernels over vectors and dense matrices of 4-byte numbers, stored by rows.
 *
 * Matrices are n x n. A row of results is cut into pieces of a warp's 32 lanes; `pieces` are those of a row. */
#include "config.h"

#include "gen/warp.h"

#include "traces/batch.h"

enum { A, B, C, LANES = RP_WARP_LANES, SIDE_MOST = 1 << 15, TILE = 32 };

static uint64_t
pieces(uint64_t n)
{
	return (n + LANES - 1) / LANES;
}

/* Element of a row-major matrix whose rows have `columns`. */
static uint64_t
cell(uint64_t row, uint64_t column, uint64_t columns)
{
	return row * columns + column;
}

/* A piece of row `row` from `column` on, masked at the row's end. */
static void
piece(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array, uint64_t row,
    uint64_t column, uint64_t columns, uint8_t kind)
{
	rp_warp_row(r, in, array, cell(row, column, columns), cell(row + 1, 0, columns), kind);
}

/* A lane each for rows row, row + 1, ... of one column. */
static void
column_of(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array, uint64_t row,
    uint64_t rows, uint64_t column, uint64_t columns, uint8_t kind)
{
	rp_warp_as(in, kind, 4);
	for (uint64_t i = row; i < row + LANES && i < rows; i++)
		rp_warp_lane(in, r->base[array] + 4 * cell(i, column, columns));
}

static bool
open_squares(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	for (unsigned i = A; i <= C; i++)
		rp_warp_array(r, i, 4 * r->n * r->n);
	return true;
}

/* One epoch, a task for each piece of each row. */
static uint64_t
tasks_of_square(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch ? 0 : r->n * pieces(r->n);
}

/* ---- c[i] = a[i] + b[i] ---- */

static bool
vecadd_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	for (unsigned i = A; i <= C; i++)
		rp_warp_array(r, i, 4 * r->n);
	return true;
}

static uint64_t
vecadd_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch ? 0 : pieces(r->n);
}

static bool
vecadd_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	if (at->step > 2)
		return false;
	rp_warp_row(
	    r, in, (unsigned)at->step, at->task * LANES, r->n, at->step == 2 ? RP_WRITE : RP_READ);
	return true;
}

/* ---- C = A B: a lane for each element of C, which reads all of its row and column ---- */

static bool
matmul_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, row = at->task / pieces(n), column = at->task % pieces(n) * LANES,
		 k = at->step / 2;
	if (k > n || at->step > 2 * n)
		return false;
	if (k == n)
		piece(r, in, C, row, column, n, RP_WRITE);
	else if (at->step % 2 == 0)
		rp_warp_one(r, in, A, cell(row, k, n), RP_READ);
	else
		piece(r, in, B, k, column, n, RP_READ);
	return true;
}

/* ---- the same by tiles of 32 x 32 in shared memory, each of whose rows a warp loads ---- */

static uint64_t
tiled_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch ? 0 : pieces(r->n) * pieces(r->n) * TILE;
}

static bool
tiled_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, row = at->task % TILE, tile = at->task / TILE,
		 i = tile / pieces(n) * TILE + row, j = tile % pieces(n) * TILE,
		 k = at->step / 2 * TILE;
	if (at->step > 2 * pieces(n))
		return false;
	if (at->step == 2 * pieces(n)) {
		if (i < n)
			piece(r, in, C, i, j, n, RP_WRITE);
	} else if (at->step % 2 == 0) {
		if (i < n)
			piece(r, in, A, i, k, n, RP_READ);
	} else if (k + row < n) {
		piece(r, in, B, k + row, j, n, RP_READ);
	}
	return true;
}

/* ---- five-point stencil, from A to B and in the next launch back ---- */

static bool
stencil_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	static const int down[] = { 0, -1, 1, 0, 0 }, right[] = { 0, 0, 0, -1, 1 };
	uint64_t n = r->n, row = at->task / pieces(n), column = at->task % pieces(n) * LANES;
	unsigned from = at->launch % 2 ? B : A, to = at->launch % 2 ? A : B;
	if (at->step > 5)
		return false;
	rp_warp_as(in, at->step == 5 ? RP_WRITE : RP_READ, 4);
	for (uint64_t j = column; j < column + LANES; j++) {
		/* The rim is given: only what has four neighbours is computed. */
		if (!row || row + 1 >= n || !j || j + 1 >= n)
			continue;
		uint64_t x = at->step == 5 ? cell(row, j, n)
		                           : cell(row + (uint64_t)(int64_t)down[at->step],
						 j + (uint64_t)(int64_t)right[at->step], n);
		rp_warp_lane(in, r->base[at->step == 5 ? to : from] + 4 * x);
	}
	return true;
}

/* ---- B = A transposed: rows are read, columns written ---- */

static bool
transpose_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, row = at->task / pieces(n), column = at->task % pieces(n) * LANES;
	if (at->step > 1)
		return false;
	if (at->step == 0)
		piece(r, in, A, row, column, n, RP_READ);
	else
		column_of(r, in, B, column, n, row, n, RP_WRITE);
	return true;
}

/* ---- convolution with m x m weights, which lie in constant memory ---- */

static bool
conv_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, m = r->m, row = at->task / pieces(n),
		 column = at->task % pieces(n) * LANES;
	if (at->step > m * m)
		return false;
	if (at->step == m * m) {
		piece(r, in, B, row, column, n, RP_WRITE);
		return true;
	}
	/* Lanes that would read beyond the rim read nothing. */
	uint64_t i = row + at->step / m - m / 2, shift = at->step % m - m / 2;
	rp_warp_as(in, RP_READ, 4);
	for (uint64_t j = column; i < n && j < column + LANES && j < n; j++)
		if (j + shift < n)
			rp_warp_lane(in, r->base[A] + 4 * cell(i, j + shift, n));
	return true;
}

/* ---- LU decomposition in place: for each k a scaled column, then the update of what is right of and below it ---- */

static uint64_t
lu_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	uint64_t k = epoch / 2;
	if (k + 1 >= r->n)
		return r->n == 1 && !epoch ? 1 : 0;
	uint64_t below = r->n - k - 1;
	return epoch % 2 ? below * pieces(below) : pieces(below);
}

static bool
lu_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, k = at->epoch / 2, across = pieces(n - k - 1);
	if (at->epoch % 2 == 0) {
		uint64_t row = k + 1 + at->task * LANES;
		if (at->step > 2)
			return false;
		if (at->step == 0)
			rp_warp_one(r, in, A, cell(k, k, n), RP_READ);
		else
			column_of(r, in, A, row, n, k, n, at->step == 2 ? RP_WRITE : RP_READ);
		return true;
	}
	uint64_t row = k + 1 + at->task / across, column = k + 1 + at->task % across * LANES;
	if (at->step > 3)
		return false;
	if (at->step == 0)
		rp_warp_one(r, in, A, cell(row, k, n), RP_READ);
	else
		piece(r, in, A, at->step == 1 ? k : row, column, n,
		    at->step == 3 ? RP_WRITE : RP_READ);
	return true;
}

/* ---- attention scores: C = A B^T of n queries and n keys of m numbers each, then every row's softmax ---- */

static bool
attention_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, A, 4 * r->n * r->m);
	rp_warp_array(r, B, 4 * r->n * r->m);
	rp_warp_array(r, C, 4 * r->n * r->n);
	return true;
}

static uint64_t
attention_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch == 0 ? r->n * pieces(r->n) : epoch == 1 ? r->n : 0;
}

static bool
attention_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, m = r->m;
	if (at->epoch == 1) {
		/* The largest, the sum, and then the quotients. */
		uint64_t pass = at->step / pieces(n), column = at->step % pieces(n) * LANES;
		if (at->step >= 4 * pieces(n))
			return false;
		piece(r, in, C, at->task, column, n, pass == 3 ? RP_WRITE : RP_READ);
		return true;
	}
	uint64_t query = at->task / pieces(n), key = at->task % pieces(n) * LANES, k = at->step / 2;
	if (at->step > 2 * m)
		return false;
	if (at->step == 2 * m)
		piece(r, in, C, query, key, n, RP_WRITE);
	else if (at->step % 2 == 0)
		rp_warp_one(r, in, A, cell(query, k, m), RP_READ);
	else
		column_of(r, in, B, key, n, k, m, RP_READ);
	return true;
}

const struct rp_warp_kernel rp_warp_dense[] = {
	{ "vecadd", "the sum of two vectors", "elements", NULL, 1 << 20, UINT64_C(1) << 34, 0, 0,
	    vecadd_open, vecadd_tasks, vecadd_step },
	{ "matmul", "matrix product, a lane an element", "rows and columns", NULL, 256, SIDE_MOST,
	    0, 0, open_squares, tasks_of_square, matmul_step },
	{ "matmul-tiled", "matrix product by tiles of 32 x 32", "rows and columns", NULL, 512,
	    SIDE_MOST, 0, 0, open_squares, tiled_tasks, tiled_step },
	{ "stencil", "five-point stencil, a sweep a launch", "rows and columns", NULL, 512,
	    SIDE_MOST, 0, 0, open_squares, tasks_of_square, stencil_step },
	{ "transpose", "a matrix transposed without tiles", "rows and columns", NULL, 512,
	    SIDE_MOST, 0, 0, open_squares, tasks_of_square, transpose_step },
	{ "conv", "convolution of an image", "rows and columns", "side of the weights", 512,
	    SIDE_MOST, 5, 255, open_squares, tasks_of_square, conv_step },
	{ "lu", "LU decomposition in place, without pivots", "rows and columns", NULL, 256,
	    SIDE_MOST, 0, 0, open_squares, lu_tasks, lu_step },
	{ "attention", "scores of queries and keys, and their softmax", "queries and keys",
	    "numbers of each", 512, SIDE_MOST, 64, 4096, attention_open, attention_tasks,
	    attention_step },
	{ 0 },
};
