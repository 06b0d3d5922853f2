/* test_kernel.c - tests gen/kernel*.c. */
#include "tests/gen/draw.h"

#include "gen/warp.h"

static const char *const names[] = { "vecadd", "matmul", "matmul-tiled", "stencil", "transpose",
	"conv", "lu", "attention", "reduction", "kmeans", "nw", "spmv", "random-update",
	"histogram", "bfs", "chase" };

enum { NAMES = sizeof names / sizeof *names, MOST = 400000 };
#define BASE UINT64_C(0x10000000)

static struct rp_batch *
launch(const char *name, uint64_t n, const char *more)
{
	char text[200];
	snprintf(text, sizeof text, "kernel,kernel=%s,n=%llu,launches=1,limit=0%s", name,
	    (unsigned long long)n, more);
	struct rp_batch *b = draw_rows(text, rp_test_seed(text), MOST, RP_BATCH);
	cr_assert_lt(b->n, MOST);
	return b;
}

static int
by_row(const void *a, const void *b)
{
	return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* Address, size and kind of all rows, sorted. */
static uint64_t (*sorted(const struct rp_batch *b))[3]
{
	uint64_t(*row)[3] = malloc((b->n + 1) * sizeof *row);
	for (size_t i = 0; i < b->n; i++) {
		row[i][0] = b->addr[i];
		row[i][1] = b->size[i];
		row[i][2] = b->kind[i];
	}
	qsort(row, b->n, sizeof *row, by_row);
	return row;
}

/* Who does the work, and how fast, does not change the work. */
RP_TEST(kernel, any_number_of_warps_makes_the_same_accesses)
{
	static const char *const how[] = { ",warps=1,idle=0", ",warps=3", ",warps=8,idle=0.5",
		",warps=32", ",warps=1000" };
	for (size_t k = 0; k < NAMES; k++) {
		uint64_t n = k == 8 || k >= 11 ? 1000 : 45;
		/* The seed makes data too, so it stays. */
		struct rp_batch *first = NULL;
		uint64_t(*want)[3] = NULL;
		for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
			char text[200];
			snprintf(text, sizeof text, "kernel,kernel=%s,n=%llu,launches=1,limit=0%s",
			    names[k], (unsigned long long)n, how[i]);
			struct rp_batch *b = draw_rows(text, 5, MOST, RP_BATCH);
			cr_assert(b->n > 0 && b->n < MOST, "%s", text);
			uint64_t(*row)[3] = sorted(b);
			if (!want) {
				first = b;
				want = row;
				continue;
			}
			cr_assert_eq(b->n, first->n, "%s", text);
			cr_assert_eq(memcmp(row, want, b->n * sizeof *row), 0, "%s", text);
			free(row);
			rp_batch_free(b);
		}
		free(want);
		rp_batch_free(first);
	}
}

RP_TEST(kernel, a_row_is_within_a_line_and_its_stream_is_a_warp)
{
	for (size_t k = 0; k < NAMES; k++)
		for (unsigned line = 32; line <= 256; line *= 2) {
			char text[200];
			bool seen[8] = { false };
			snprintf(text, sizeof text, "kernel,kernel=%s,warps=8,line=%u,limit=20000",
			    names[k], line);
			struct rp_batch *b = draw_rows(text, 5, 30000, RP_BATCH);
			cr_assert_eq(b->n, 20000, "%s", text);
			for (size_t i = 0; i < b->n; i++) {
				cr_assert(b->size[i] && b->size[i] % 4 == 0 && b->addr[i] >= BASE);
				cr_assert_eq(
				    b->addr[i] / line, (b->addr[i] + b->size[i] - 1) / line);
				cr_assert_lt(b->stream[i], 8);
				seen[b->stream[i]] = true;
			}
			for (int w = 0; w < 8; w++)
				cr_assert(seen[w], "%s: warp %d", text, w);
			rp_batch_free(b);
		}
}

/* How often each 4 bytes from `from` on are accessed in this way. */
static unsigned *
touched(const struct rp_batch *b, uint64_t from, size_t n, enum rp_kind kind)
{
	unsigned *count = calloc(n, sizeof *count);
	for (size_t i = 0; i < b->n; i++)
		for (uint64_t a = b->addr[i]; a < b->addr[i] + b->size[i]; a += 4)
			if (b->kind[i] == kind && a >= from && (a - from) / 4 < n)
				count[(a - from) / 4]++;
	return count;
}

static uint64_t
aligned(uint64_t bytes)
{
	return (bytes + 4095) / 4096 * 4096;
}

static void
each_is(const char *name, const unsigned *count, size_t n, unsigned want)
{
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(count[i], want, "%s: element %zu: %u", name, i, count[i]);
}

RP_TEST(kernel, results_are_written_once_and_operands_read_as_often_as_they_are_used)
{
	enum { N = 45, PIECES = 2 };
	uint64_t square = aligned(4 * N * N);
	static const struct {
		const char *name;
		unsigned a, b, wrote,
		    at; /* reads of each element of A, of B; writes of which array */
	} one[] = { { "matmul", PIECES, N, 1, 2 }, { "matmul-tiled", PIECES, PIECES, 1, 2 },
		{ "transpose", 1, 0, 1, 1 } };
	for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
		/* With lines of 8 bytes, two lanes at most share a row; each lane's bytes are touched all the same. */
		struct rp_batch *b = launch(one[k].name, N, ",line=8");
		unsigned *a = touched(b, BASE, N * N, RP_READ),
			 *c = touched(b, BASE + square, N * N, RP_READ),
			 *w = touched(b, BASE + one[k].at * square, N * N, RP_WRITE);
		each_is(one[k].name, a, N * N, one[k].a);
		each_is(one[k].name, c, N * N, one[k].b);
		each_is(one[k].name, w, N * N, one[k].wrote);
		free(a);
		free(c);
		free(w);
		rp_batch_free(b);
	}
	struct rp_batch *b = launch("vecadd", 1000, "");
	for (unsigned i = 0; i < 3; i++) {
		unsigned *count = touched(b, BASE + i * 4096, 1000, i == 2 ? RP_WRITE : RP_READ);
		each_is("vecadd", count, 1000, 1);
		free(count);
	}
	cr_assert_eq(b->n, 3 * 32); /* 1000 elements in 31 lines and 8 bytes more */
	rp_batch_free(b);
}

RP_TEST(kernel, a_stencil_reads_the_neighbours_of_what_it_writes)
{
	enum { N = 40 };
	struct rp_batch *b = launch("stencil", N, ",line=8");
	unsigned *read = touched(b, BASE, N * N, RP_READ),
		 *wrote = touched(b, BASE + aligned(4 * N * N), N * N, RP_WRITE);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			unsigned want = 0;
			for (int d = 0; d < 5; d++) {
				int y = i + (d == 1) - (d == 2), x = j + (d == 3) - (d == 4);
				want += y > 0 && y < N - 1 && x > 0 && x < N - 1;
			}
			cr_assert_eq(read[i * N + j], want, "%d %d", i, j);
			cr_assert_eq(wrote[i * N + j], i > 0 && i < N - 1 && j > 0 && j < N - 1);
		}
	free(read);
	free(wrote);
	rp_batch_free(b);
}

RP_TEST(kernel, a_convolution_reads_the_window_of_each_pixel)
{
	enum { N = 40, M = 5 };
	struct rp_batch *b = launch("conv", N, ",m=5,line=8");
	unsigned *read = touched(b, BASE, N * N, RP_READ);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			int down = (i + M / 2 < N ? i + M / 2 : N - 1) -
			           (i > M / 2 ? i - M / 2 : 0) + 1,
			    right = (j + M / 2 < N ? j + M / 2 : N - 1) -
			            (j > M / 2 ? j - M / 2 : 0) + 1;
			cr_assert_eq(read[i * N + j], (unsigned)(down * right), "%d %d", i, j);
		}
	free(read);
	rp_batch_free(b);
}

/* For each (i, j) with k < i, j: one update; the column below k is scaled once. */
RP_TEST(kernel, lu_updates_what_is_right_and_below)
{
	enum { N = 37 };
	struct rp_batch *b = launch("lu", N, ",line=8");
	unsigned *wrote = touched(b, BASE, N * N, RP_WRITE);
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++)
			cr_assert_eq(wrote[i * N + j], (i < j ? i : j) + (i > j), "%u %u", i, j);
	free(wrote);
	rp_batch_free(b);
}

/* A barrier between diagonals: what a tile reads of its neighbours was written before, whichever warps do it. */
RP_TEST(kernel, needleman_wunsch_reads_only_scores_that_are_there)
{
	enum { N = 150 };
	struct rp_batch *b = launch("nw", N, ",warps=7,idle=0.6,line=8");
	bool *there = calloc((N + 1) * (N + 1), sizeof *there);
	size_t wrote = 0;
	for (size_t i = 0; i < b->n; i++) {
		for (uint64_t a = b->addr[i]; a < b->addr[i] + b->size[i]; a += 4) {
			uint64_t e = (a - BASE) / 4, y = e / (N + 1), x = e % (N + 1);
			if (e >= (N + 1) * (N + 1))
				continue;
			if (b->kind[i] == RP_WRITE) {
				cr_assert(!there[e] && x && y);
				there[e] = true;
				wrote++;
			} else {
				cr_assert(there[e] || !x || !y, "%llu %llu", (unsigned long long)y,
				    (unsigned long long)x);
			}
		}
	}
	cr_assert_eq(wrote, N * N);
	free(there);
	rp_batch_free(b);
}

/* The sums of an epoch are read in the next one only, all of them. */
RP_TEST(kernel, a_reduction_adds_every_sum_once)
{
	struct rp_batch *b = launch("reduction", 30000, ",m=2,warps=5,idle=0.6");
	uint64_t sums[] = { BASE + aligned(4 * 30000), 0 };
	sums[1] = sums[0] + aligned(4 * (30000 / 64 + 1));
	unsigned *in = touched(b, BASE, 30000, RP_READ);
	each_is("reduction", in, 30000, 1);
	bool there[2][500] = { { false } };
	size_t wrote = 0, read = 0;
	for (size_t i = 0; i < b->n; i++)
		for (uint64_t a = b->addr[i]; a < b->addr[i] + b->size[i]; a += 4) {
			if (a < sums[0])
				continue;
			bool *t = &there[a >= sums[1]][(a - sums[a >= sums[1]]) / 4];
			cr_assert_eq(*t, b->kind[i] == RP_READ);
			*t = b->kind[i] != RP_READ;
			wrote += *t;
			read += !*t;
		}
	/* 469 sums, then 8, then 1, which nobody reads. */
	cr_assert_eq(wrote, 469 + 8 + 1);
	cr_assert_eq(read, 469 + 8);
	free(in);
	rp_batch_free(b);
}

RP_TEST(kernel, a_sparse_product_reads_every_entry_once)
{
	struct rp_batch *b = launch("spmv", 700, ",m=5,line=8");
	/* Sizes of the arrays are in the trace: rows begin at 0, entries follow rows, columns, values, x and y. */
	unsigned *first = touched(b, BASE, 701, RP_READ);
	for (int i = 0; i <= 700; i++) /* as the begin of a row and the end of the one before */
		cr_assert_eq(first[i], i == 0 || i == 700 ? 1 : 2, "%d: %u", i, first[i]);
	unsigned *entry = touched(b, BASE + 4096, 7001, RP_READ);
	size_t n = 0;
	while (n < 7001 && entry[n] == 1)
		n++;
	cr_assert(n > 3000 && n < 4000, "%zu", n); /* 3,500 on average */
	unsigned *value = touched(b, BASE + 4096 + aligned(4 * n), n, RP_READ),
		 *y = touched(b, BASE + 4096 + 2 * aligned(4 * n) + 4096, 700, RP_WRITE);
	each_is("values", value, n, 1);
	each_is("y", y, 700, 1);
	free(first);
	free(entry);
	free(value);
	free(y);
	rp_batch_free(b);
}

/* A node is put into the queue before it is taken out, and its edges are read once. */
RP_TEST(kernel, a_search_visits_each_node_it_reaches_once)
{
	struct rp_batch *b = launch("bfs", 900, ",m=3,warps=4,line=8");
	unsigned *first = touched(b, BASE, 901, RP_READ),
		 *entry = touched(b, BASE + 4096, 1, RP_READ);
	cr_assert(entry[0] <= 1);
	/* A node's begin, and its end, which is the next one's begin: 0, 1 or 2 reads. */
	size_t visits = 0;
	for (int i = 0; i <= 900; i++) {
		cr_assert_leq(first[i], 2);
		visits += first[i];
	}
	/* With 3 edges a node on average almost all can be reached. */
	cr_assert(visits % 2 == 0 && visits / 2 > 600 && visits / 2 <= 900, "%zu", visits);
	free(first);
	free(entry);
	rp_batch_free(b);
}

RP_TEST(kernel, links_are_followed_one_at_a_time)
{
	struct rp_batch *b = launch("chase", 512, ",m=6,warps=2");
	cr_assert_eq(b->n, 6 * 256);
	for (size_t i = 0; i < b->n; i++)
		cr_assert(b->size[i] == 8 && (b->addr[i] - BASE) % 64 == 0 &&
			  b->addr[i] < BASE + 512 * 64);
	/* One cycle: a chain of half its length meets no node twice. */
	bool seen[512] = { false };
	for (size_t i = 0, k = 0; k < 256; i++)
		if (b->stream[i] == 0) {
			cr_assert(!seen[(b->addr[i] - BASE) / 64]);
			seen[(b->addr[i] - BASE) / 64] = true;
			k++;
		}
	rp_batch_free(b);
}

/* Half the turns are passed by, so in rows of one instruction a warp's number of accesses strays. */
RP_TEST(kernel, warps_drift_apart_when_turns_are_passed_by)
{
	struct rp_batch *even = draw_rows(
			    "kernel,kernel=matmul,idle=0,warps=4,limit=8000", 1, 9000, 4096),
			*odd = draw_rows("kernel,kernel=matmul,warps=4,limit=8000", 1, 9000, 4096);
	size_t turned = 0, passed = 0;
	for (size_t i = 1; i < 8000; i++) {
		turned += even->stream[i] == (even->stream[i - 1] + 1) % 4;
		passed += odd->stream[i] == (odd->stream[i - 1] + 1) % 4;
	}
	cr_assert_eq(turned, 7999);
	/* 7/8 of the time the next one comes. */
	cr_assert(passed > 6700 && passed < 7200, "%zu", passed);
	rp_batch_free(even);
	rp_batch_free(odd);
}

RP_TEST(kernel, what_touches_nothing_ends)
{
	struct rp_batch *b = draw_rows("kernel,kernel=stencil,n=2", 1, 10, 4096);
	cr_assert_eq(b->n, 0);
	rp_batch_free(b);
	for (size_t k = 0; k < NAMES; k++) {
		char text[100];
		snprintf(text, sizeof text, "kernel,kernel=%s,n=1,launches=2,limit=0", names[k]);
		b = draw_rows(text, 1, 200000, 4096);
		cr_assert_lt(b->n, 200000, "%s", text);
		rp_batch_free(b);
	}
}

RP_TEST(kernel, what_is_none_is_refused)
{
	draw_refuses(
	    "kernel", "gen:kernel: wanted the NAME of a kernel (reprise gen kernel --help)");
	draw_refuses("kernel,kernel=vecad",
	    "gen:kernel: no kernel 'vecad'; did you mean 'vecadd'? (reprise gen kernel --help)");
	draw_refuses("kernel,kernel=lu,n=40000",
	    "gen:kernel: n=40000 (rows and columns): wanted 1 to 32768");
	draw_refuses("kernel,kernel=lu,m=4", "gen:kernel: m=4: lu has one size, n");
	draw_refuses(
	    "kernel,kernel=lu,idle=1", "gen:kernel: idle=1: wanted a share from 0 to below 1");
	draw_refuses("kernel,kernel=lu,line=96", "gen:kernel: line=96: wanted a power of two");
	draw_refuses(
	    "kernel,kernel=lu,base=3", "gen:kernel: base=3: wanted a multiple of line=128");
}
