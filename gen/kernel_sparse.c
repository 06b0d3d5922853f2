/* kernel_sparse.c - kernels whose accesses depend on data, and those over points and tables. */
#include "config.h"

#include "gen/warp.h"

#include "base/mem.h"
#include "traces/batch.h"

enum { LANES = RP_WARP_LANES };

static uint64_t
pieces(uint64_t n)
{
	return (n + LANES - 1) / LANES;
}

/* A number below n that a place and the seed decide. */
static uint64_t
hashed(const struct rp_warp_run *r, uint64_t place, uint64_t n)
{
	return (uint64_t)((unsigned __int128)rp_mix64(rp_mix64(r->seed) + place) * n >> 64);
}

static uint64_t
tasks_of_row(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch ? 0 : pieces(r->n);
}

/* ---- sum of a vector: each warp adds m pieces, and so on over the sums until one is left ---- */

enum { SUMS = 2 }; /* arrays that take turns */

static uint64_t
summands(const struct rp_warp_run *r, uint64_t epoch)
{
	uint64_t n = r->n, each = LANES * r->m;
	for (; epoch && n > 1; epoch--)
		n = (n + each - 1) / each;
	return epoch ? 0 : n;
}

static bool
reduction_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, 0, 4 * r->n);
	for (unsigned i = 1; i <= SUMS; i++)
		rp_warp_array(r, i, 4 * (r->n / (LANES * r->m) + 1));
	return true;
}

static uint64_t
reduction_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	uint64_t n = summands(r, epoch), each = LANES * r->m;
	return n > 1 || (n && !epoch) ? (n + each - 1) / each : 0;
}

static bool
reduction_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	unsigned from = at->epoch ? 1 + (unsigned)(at->epoch - 1) % SUMS : 0,
		 to = 1 + (unsigned)at->epoch % SUMS;
	uint64_t first = at->task * LANES * r->m + at->step * LANES, n = summands(r, at->epoch);
	if (at->step > r->m)
		return false;
	if (at->step == r->m)
		rp_warp_one(r, in, to, at->task, RP_WRITE);
	else
		rp_warp_row(r, in, from, first, n, RP_READ);
	return true;
}

/* ---- k-means, the assignment of points with 8 numbers each, stored number by number, to m centres ---- */

enum { POINTS, CENTRES, NEAREST, NUMBERS = 8 };

static bool
kmeans_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, POINTS, 4 * NUMBERS * r->n);
	rp_warp_array(r, CENTRES, 4 * NUMBERS * r->m);
	rp_warp_array(r, NEAREST, 4 * r->n);
	return true;
}

static bool
kmeans_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t all = 2 * NUMBERS * r->m, centre = at->step / 2 / NUMBERS,
		 number = at->step / 2 % NUMBERS, point = at->task * LANES;
	if (at->step > all)
		return false;
	if (at->step == all)
		rp_warp_row(r, in, NEAREST, point, r->n, RP_WRITE);
	else if (at->step % 2 == 0)
		rp_warp_row(r, in, POINTS, number * r->n + point, (number + 1) * r->n, RP_READ);
	else
		rp_warp_one(r, in, CENTRES, centre * NUMBERS + number, RP_READ);
	return true;
}

/* ---- Needleman-Wunsch: scores of two sequences, by tiles of 32 x 32, an epoch for each diagonal of tiles ---- */

enum { SCORES, REFERENCE, NW_TILE = 32 };

static bool
nw_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, SCORES, 4 * (r->n + 1) * (r->n + 1));
	rp_warp_array(r, REFERENCE, 4 * r->n * r->n);
	return true;
}

static uint64_t
nw_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	uint64_t tiles = (r->n + NW_TILE - 1) / NW_TILE;
	if (epoch + 1 >= 2 * tiles)
		return 0;
	return epoch < tiles ? epoch + 1 : 2 * tiles - 1 - epoch;
}

/* Row above, column to the left, then for each row its references, and its scores written. */
static bool
nw_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t n = r->n, tiles = (n + NW_TILE - 1) / NW_TILE,
		 down = (at->epoch < tiles ? 0 : at->epoch - tiles + 1) + at->task,
		 i = down * NW_TILE, j = (at->epoch - down) * NW_TILE, row = i + at->step / 2 - 1;
	if (at->step == 0) {
		rp_warp_row(r, in, SCORES, i * (n + 1) + j, (i + 1) * (n + 1), RP_READ);
	} else if (at->step == 1) {
		rp_warp_as(in, RP_READ, 4);
		for (uint64_t k = i; k < i + NW_TILE && k < n; k++)
			rp_warp_lane(in, r->base[SCORES] + 4 * ((k + 1) * (n + 1) + j));
	} else if (row >= n || row >= i + NW_TILE) {
		return false;
	} else if (at->step % 2 == 0) {
		rp_warp_row(r, in, REFERENCE, row * n + j, (row + 1) * n, RP_READ);
	} else {
		rp_warp_row(
		    r, in, SCORES, (row + 1) * (n + 1) + j + 1, (row + 2) * (n + 1), RP_WRITE);
	}
	return true;
}

/* ---- a sparse matrix, or a graph, in compressed rows: row v has entries first[v] .. first[v + 1] - 1 of `to` ---- */

/* n rows of about m entries each, from 0 to 2 m, at random columns. */
static bool
make_rows(struct rp_warp_run *r, struct rp_err *err)
{
	uint64_t entries = 0;
	r->first = rp_mem_array(r->n + 1, sizeof *r->first, err);
	if (!r->first)
		return false;
	for (uint64_t v = 0; v < r->n; v++) {
		r->first[v] = (uint32_t)entries;
		entries += hashed(r, 2 * v, 2 * r->m + 1);
	}
	r->first[r->n] = (uint32_t)entries;
	r->to = rp_mem_array(entries, sizeof *r->to, err);
	for (uint64_t e = 0; r->to && e < entries; e++)
		r->to[e] = (uint32_t)hashed(r, 2 * e + 1, r->n);
	return r->to != NULL;
}

/* Of the lanes' rows, from `row` on, those that have an entry number `k`. lanes: its number in `to`, by lane. */
static unsigned
entries_at(
    const struct rp_warp_run *r, const uint32_t *rows, uint64_t n, uint64_t k, uint32_t *entry)
{
	unsigned some = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t v = rows[i];
		if (k < r->first[v + 1] - r->first[v])
			entry[some++] = r->first[v] + (uint32_t)k;
	}
	return some;
}

/* A lane for each of some elements of an array of 4-byte numbers. */
static void
gather(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array,
    const uint32_t *element, uint64_t n, uint8_t kind)
{
	rp_warp_as(in, kind, 4);
	for (uint64_t i = 0; i < n; i++)
		rp_warp_lane(in, r->base[array] + 4 * (uint64_t)element[i]);
}

/* ---- y = A x, a lane a row ---- */

enum { FIRST, TO, VALUES, X, Y };

static bool
spmv_open(struct rp_warp_run *r, struct rp_err *err)
{
	if (!make_rows(r, err))
		return false;
	rp_warp_array(r, FIRST, 4 * (r->n + 1));
	rp_warp_array(r, TO, 4 * (uint64_t)r->first[r->n]);
	rp_warp_array(r, VALUES, 4 * (uint64_t)r->first[r->n]);
	rp_warp_array(r, X, 4 * r->n);
	rp_warp_array(r, Y, 4 * r->n);
	return true;
}

static bool
spmv_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t row = at->task * LANES, n = r->n - row < LANES ? r->n - row : LANES;
	uint32_t rows[LANES], entry[LANES];
	if (at->step < 2) {
		rp_warp_row(r, in, FIRST, row + at->step,
		    r->n + 1 < row + at->step + n ? r->n + 1 : row + at->step + n, RP_READ);
		return true;
	}
	if (at->lane[0]) /* y is written */
		return false;
	for (uint64_t i = 0; i < n; i++)
		rows[i] = (uint32_t)(row + i);
	unsigned some = entries_at(r, rows, n, (at->step - 2) / 3, entry);
	if (!some) {
		at->lane[0] = 1;
		rp_warp_row(r, in, Y, row, r->n, RP_WRITE);
		return true;
	}
	unsigned what = (unsigned)((at->step - 2) % 3);
	if (what == 2)
		for (unsigned i = 0; i < some; i++)
			entry[i] = r->to[entry[i]];
	gather(r, in, what == 0 ? TO : what == 1 ? VALUES : X, entry, some, RP_READ);
	return true;
}

/* ---- breadth-first search: an epoch for each level, a lane for each of its nodes ---- */

enum { LEVEL = 2, QUEUE };

static bool
bfs_order(struct rp_warp_run *r, struct rp_err *err)
{
	r->level = rp_mem_array(r->n, sizeof *r->level, err);
	r->order = rp_mem_array(r->n, sizeof *r->order, err);
	r->begins = rp_mem_array(r->n + 2, sizeof *r->begins, err);
	if (!r->level || !r->order || !r->begins)
		return false;
	for (uint64_t v = 0; v < r->n; v++)
		r->level[v] = UINT32_MAX;
	uint32_t n = 1;
	r->level[0] = 0;
	for (uint32_t at = 0; at < n;) {
		uint32_t end = n;
		r->begins[r->levels++] = at;
		for (; at < end; at++)
			for (uint32_t e = r->first[r->order[at]]; e < r->first[r->order[at] + 1];
			     e++)
				if (r->level[r->to[e]] == UINT32_MAX) {
					r->level[r->to[e]] = (uint32_t)r->levels;
					r->order[n++] = r->to[e];
				}
	}
	r->begins[r->levels] = n;
	return true;
}

static bool
bfs_open(struct rp_warp_run *r, struct rp_err *err)
{
	if (!make_rows(r, err) || !bfs_order(r, err))
		return false;
	rp_warp_array(r, FIRST, 4 * (r->n + 1));
	rp_warp_array(r, TO, 4 * (uint64_t)r->first[r->n]);
	rp_warp_array(r, LEVEL, 4 * r->n);
	rp_warp_array(r, QUEUE, 4 * r->n);
	return true;
}

static uint64_t
bfs_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch < r->levels ? pieces(r->begins[epoch + 1] - r->begins[epoch]) : 0;
}

/* Neighbour number k of each lane's node: the edge, the neighbour's level, and where that is new, both are written. */
static bool
bfs_neighbours(const struct rp_warp_run *r, const struct rp_warp_at *at, const uint32_t *nodes,
    uint64_t n, struct rp_warp_instr *in)
{
	uint32_t entry[LANES];
	unsigned what = (unsigned)((at->step - 3) % 4),
		 some = entries_at(r, nodes, n, (at->step - 3) / 4, entry);
	if (!some)
		return false;
	if (what) {
		unsigned kept = 0;
		for (unsigned i = 0; i < some; i++) {
			uint32_t v = r->to[entry[i]];
			if (what == 1 || r->level[v] == at->epoch + 1)
				entry[kept++] = v;
		}
		some = kept;
	}
	gather(r, in,
	    what == 0   ? TO
	    : what == 3 ? QUEUE
			: LEVEL,
	    entry, some, what >= 2 ? RP_WRITE : RP_READ);
	return true;
}

static bool
bfs_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	uint64_t from = r->begins[at->epoch] + at->task * LANES, end = r->begins[at->epoch + 1],
		 n = end - from < LANES ? end - from : LANES;
	uint32_t next[LANES];
	if (at->step == 0) {
		rp_warp_row(r, in, QUEUE, from, end, RP_READ);
	} else if (at->step == 1) {
		gather(r, in, FIRST, r->order + from, n, RP_READ);
	} else if (at->step == 2) {
		for (uint64_t i = 0; i < n; i++)
			next[i] = r->order[from + i] + 1;
		gather(r, in, FIRST, next, n, RP_READ);
	} else {
		return bfs_neighbours(r, at, r->order + from, n, in);
	}
	return true;
}

/* ---- n random words of 8 bytes of a table of m are read and written ---- */

static bool
update_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, 0, 8 * r->m);
	return true;
}

static bool
update_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	if (at->step > 1)
		return false;
	rp_warp_as(in, at->step ? RP_WRITE : RP_READ, 8);
	for (uint64_t i = at->task * LANES; i < (at->task + 1) * LANES && i < r->n; i++)
		rp_warp_lane(in, r->base[0] + 8 * hashed(r, at->launch * r->n + i, r->m));
	return true;
}

/* ---- histogram: n numbers are read, and m counts, the middle ones most, added to ---- */

static bool
histogram_open(struct rp_warp_run *r, struct rp_err *err)
{
	(void)err;
	rp_warp_array(r, 0, 4 * r->n);
	rp_warp_array(r, 1, 4 * r->m);
	return true;
}

static bool
histogram_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	if (at->step > 1)
		return false;
	if (at->step == 0) {
		rp_warp_row(r, in, 0, at->task * LANES, r->n, RP_READ);
		return true;
	}
	rp_warp_as(in, RP_ATOMIC, 4);
	for (uint64_t i = at->task * LANES; i < (at->task + 1) * LANES && i < r->n; i++) {
		uint64_t sum = 0;
		for (uint64_t k = 0; k < 4; k++)
			sum += hashed(r, 4 * i + k, r->m);
		rp_warp_lane(in, r->base[1] + 4 * (sum / 4));
	}
	return true;
}

/* ---- pointer chasing: m chains through n nodes of 64 bytes, each warp follows one with a single lane ---- */

enum { NODE = 64, LINKS = 256 }; /* links a task follows before it starts elsewhere */

static bool
chase_open(struct rp_warp_run *r, struct rp_err *err)
{
	r->to = rp_mem_array(r->n, sizeof *r->to, err);
	if (!r->to)
		return false;
	/* One cycle through all nodes, each as likely (Sattolo, Information Processing Letters 22(6), 1986). */
	struct rp_rng rng = rp_rng_for(r->seed, "gen/kernel/chase", 0);
	for (uint64_t i = 0; i < r->n; i++)
		r->to[i] = (uint32_t)i;
	for (uint64_t i = r->n - 1; i > 0; i--) {
		uint64_t k = rp_rng_below(&rng, i);
		uint32_t x = r->to[i];
		r->to[i] = r->to[k];
		r->to[k] = x;
	}
	rp_warp_array(r, 0, NODE * r->n);
	return true;
}

static uint64_t
chase_tasks(const struct rp_warp_run *r, uint64_t epoch)
{
	return epoch ? 0 : r->m;
}

static bool
chase_step(const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in)
{
	if (at->step >= LINKS)
		return false;
	uint64_t *node = at->lane;
	*node = at->step ? r->to[*node] : hashed(r, at->launch * r->m + at->task, r->n);
	rp_warp_as(in, RP_READ, 8);
	rp_warp_lane(in, r->base[0] + NODE * *node);
	return true;
}

const struct rp_warp_kernel rp_warp_sparse[] = {
	{ "reduction", "the sum of a vector", "elements", "pieces of 32 that a warp adds", 1 << 20,
	    UINT64_C(1) << 34, 8, 4096, reduction_open, reduction_tasks, reduction_step },
	{ "kmeans", "the nearest of some centres for points of 8 numbers", "points", "centres",
	    1 << 16, UINT64_C(1) << 30, 16, 1 << 20, kmeans_open, tasks_of_row, kmeans_step },
	{ "nw", "Needleman-Wunsch by diagonals of tiles", "length of both sequences", NULL, 1024,
	    1 << 15, 0, 0, nw_open, nw_tasks, nw_step },
	{ "spmv", "a sparse matrix in compressed rows times a vector", "rows and columns",
	    "entries of a row, on average", 1 << 14, 1 << 24, 16, 64, spmv_open, tasks_of_row,
	    spmv_step },
	{ "random-update", "random words of a table read and written", "updates",
	    "words of the table", 1 << 20, UINT64_C(1) << 34, 1 << 20, UINT64_C(1) << 34,
	    update_open, tasks_of_row, update_step },
	{ "histogram", "numbers counted by atomic additions", "numbers", "counts", 1 << 20,
	    UINT64_C(1) << 34, 4096, UINT64_C(1) << 30, histogram_open, tasks_of_row,
	    histogram_step },
	{ "bfs", "breadth-first search of a random graph", "nodes", "edges of a node, on average",
	    1 << 14, 1 << 24, 8, 64, bfs_open, bfs_tasks, bfs_step },
	{ "chase", "links of a list followed, a lane a warp", "nodes of 64 bytes",
	    "chains, 256 links each", 1 << 14, 1 << 26, 256, UINT64_C(1) << 34, chase_open,
	    chase_tasks, chase_step },
	{ 0 },
};
