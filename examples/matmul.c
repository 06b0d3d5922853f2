/* matmul.c - the accesses of a program of one's own: a matrix product in two loop orders, through two caches at once, and
 * kept as a trace.
 *
 *     matmul 64 matmul.csv
 *
 * Build: cc matmul.c $(pkg-config --cflags --libs reprise) */
#include <inttypes.h>
#include <reprise.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1024, ELEMENT = 8 };

/* Accesses on their way, and where they go. */
struct recorder {
	struct reprise_replay *caches;
	struct reprise_writer *file;
	struct reprise_error *err;
	uint64_t address[ROOM];
	uint32_t size[ROOM];
	uint8_t kind[ROOM];
	size_t n;
	bool ok;
};

static void
flush(struct recorder *r)
{
	struct reprise_batch b = {
		.n = r->n, .address = r->address, .size = r->size, .kind = r->kind
	};
	r->ok = r->ok && reprise_replay_run(r->caches, &b, r->err) &&
	        reprise_writer_put(r->file, &b, r->err);
	r->n = 0;
}

static void
touch(struct recorder *r, enum reprise_kind kind, uint64_t address)
{
	if (r->n == ROOM)
		flush(r);
	r->address[r->n] = address;
	r->size[r->n] = ELEMENT;
	r->kind[r->n++] = (uint8_t)kind;
}

/* c[i][j] += a[i][k] * b[k][j], with the loops in the order i j k, or i k j. */
static void
multiply(struct recorder *r, uint64_t n, bool inner_k)
{
	uint64_t a = 1 << 20, b = a + n * n * ELEMENT, c = b + n * n * ELEMENT;
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t x = 0; x < n; x++)
			for (uint64_t y = 0; y < n; y++) {
				uint64_t j = inner_k ? x : y, k = inner_k ? y : x;
				touch(r, REPRISE_READ, a + (i * n + k) * ELEMENT);
				touch(r, REPRISE_READ, b + (k * n + j) * ELEMENT);
				touch(r, REPRISE_READ, c + (i * n + j) * ELEMENT);
				touch(r, REPRISE_WRITE, c + (i * n + j) * ELEMENT);
			}
}

/* One loop order through both caches and into a file; prints the miss ratio of each. */
static bool
order(uint64_t n, bool inner_k, const char *path, struct reprise_error *err)
{
	static const char *const spec[] = { "lru,size=4KiB,ways=4", "lru,size=32KiB,ways=8" };
	struct recorder r = { .err = err, .ok = true };
	r.caches = reprise_replay_new(spec, 2, NULL, err);
	r.file = r.caches ? reprise_writer_open(path, NULL, NULL, err) : NULL;
	r.ok = r.file != NULL;
	if (r.ok) {
		multiply(&r, n, inner_k);
		flush(&r);
		r.ok = r.ok && reprise_replay_end(r.caches, err);
	}
	for (size_t i = 0; r.ok && i < 2; i++) {
		double ratio;
		r.ok = reprise_replay_ratio(r.caches, i, REPRISE_ALL, 0, "miss_ratio", &ratio, err);
		if (r.ok)
			printf("%s  %.4f  %s\n", inner_k ? "ijk" : "ikj", ratio,
			    reprise_replay_spec(r.caches, i));
	}
	if (r.ok)
		r.ok = reprise_writer_commit(r.file, err);
	else
		reprise_writer_abort(r.file);
	reprise_replay_free(r.caches);
	return r.ok;
}

int
main(int argc, char **argv)
{
	struct reprise_error err = { 0 };
	uint64_t n = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	if (n < 1 || n > 4096) {
		fprintf(stderr, "usage: matmul N FILE\n");
		return REPRISE_USAGE;
	}
	if (order(n, true, argv[2], &err) && order(n, false, argv[2], &err))
		return 0;
	fprintf(stderr, "matmul: %s\n", err.text);
	return err.code;
}
