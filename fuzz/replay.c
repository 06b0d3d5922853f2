/* replay.c - runs every target over its seeds, and over some random changes of them.
 *
 * `replay [TARGET...]`; `replay --list`; `replay TARGET FILE` for an input that was found elsewhere. RP_TEST_SEED and
 * RP_TEST_SCALE as for the other random tests. When a run dies, the input is left in ./fuzz-TARGET.input. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "base/rng.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

enum { SEEDS_MOST = 256, INPUT_MOST = 64 << 10, CHANGES = 300, SECONDS_MOST = 60 };

struct input {
	uint8_t *bytes;
	size_t n;
};

static struct {
	const char *target;
	const uint8_t *bytes;
	size_t n;
	uint64_t seed;
	unsigned change; /* 0: a seed as it is */
} now;

/* Called when the process dies: says what it was at, and keeps the input. */
static void
last_words(void)
{
	char path[128];
	snprintf(path, sizeof path, "fuzz-%s.input", now.target);
	FILE *f = fopen(path, "wb");
	if (f) {
		fwrite(now.bytes, 1, now.n, f);
		fclose(f);
	}
	fprintf(stderr,
	    "fuzz/replay: died on target %s, change %u of seed %" PRIu64 "; the input is in %s\n",
	    now.target, now.change, now.seed, path);
}

static void
die(int sig)
{
	last_words(); /* not safe in a handler, but the process is lost anyway */
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
run(size_t target, const struct input *in, unsigned change)
{
	/* A copy of the exact size, so that a sanitizer sees a read behind the end. */
	uint8_t *copy = malloc(in->n ? in->n : 1);
	if (!copy)
		abort();
	memcpy(copy, in->bytes, in->n);
	now.bytes = copy;
	now.n = in->n;
	now.change = change;
	alarm(SECONDS_MOST);
	fuzz_run(target, copy, in->n);
	alarm(0);
	free(copy);
}

static bool
load(const char *path, struct input *to)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return false;
	to->bytes = malloc(INPUT_MOST);
	to->n = to->bytes ? fread(to->bytes, 1, INPUT_MOST, f) : 0;
	fclose(f);
	return to->bytes != NULL;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The seeds of a target, in the order of their names: how many. */
static size_t
load_seeds(const char *target, struct input *to)
{
	const char *top = getenv("abs_top_srcdir");
	char path[4096], *name[SEEDS_MOST];
	size_t names = 0, n = 0;
	snprintf(path, sizeof path, "%s/fuzz/corpus/%s", top ? top : RP_TOP_SRCDIR, target);
	DIR *d = opendir(path);
	for (struct dirent *e; d && names < SEEDS_MOST && (e = readdir(d));)
		if (e->d_name[0] != '.')
			name[names++] = strdup(e->d_name);
	if (d)
		closedir(d);
	qsort(name, names, sizeof *name, by_name);
	for (size_t i = 0; i < names; i++) {
		char file[4096 + 256];
		snprintf(file, sizeof file, "%s/%s", path, name[i]);
		n += load(file, &to[n]);
		free(name[i]);
	}
	return n;
}

static void
cut(struct input *in, size_t at, size_t n)
{
	memmove(in->bytes + at, in->bytes + at + n, in->n - at - n);
	in->n -= n;
}

static void
insert(struct input *in, size_t at, const uint8_t *bytes, size_t n)
{
	if (in->n + n > INPUT_MOST)
		return;
	memmove(in->bytes + at + n, in->bytes + at, in->n - at);
	memcpy(in->bytes + at, bytes, n);
	in->n += n;
}

static void
change_one(struct rp_rng *rng, struct input *in, const struct input *other)
{
	static const char *const piece[] = { "18446744073709551616", "ffffffffffffffff", "-1", "0x",
		"\n", "\r\n", " ", ",", "4294967296", "0", "\0", "#", "=", "99999999999" };
	size_t at = rp_rng_below(rng, in->n + 1), left = in->n - at, few = rp_rng_below(rng, 9);
	const char *text = piece[rp_rng_below(rng, sizeof piece / sizeof *piece)];
	switch (rp_rng_below(rng, 8)) {
	case 0:
		if (left)
			in->bytes[at] ^= (uint8_t)(1 << rp_rng_below(rng, 8));
		break;
	case 1:
		if (left)
			in->bytes[at] = (uint8_t)rp_rng_next(rng);
		break;
	case 2: /* a field of high bytes, or low ones */
		memset(in->bytes + at, rp_rng_below(rng, 2) ? 0xff : 0, few < left ? few : left);
		break;
	case 3:
		in->n = at;
		break;
	case 4:
		cut(in, at, few < left ? few : left);
		break;
	case 5:
		insert(in, at, (const uint8_t *)text, strlen(text));
		break;
	case 6: /* the other's end behind this one's beginning */
		in->n = at;
		at = rp_rng_below(rng, other->n + 1);
		insert(in, in->n, other->bytes + at, other->n - at);
		break;
	default: { /* something of the same file again */
		uint8_t again[64];
		size_t from = rp_rng_below(rng, in->n + 1),
		       n = in->n - from < sizeof again ? in->n - from : sizeof again;
		memcpy(again, in->bytes + from, n);
		insert(in, at, again, n);
	}
	}
}

static bool
replay(size_t target, unsigned changes)
{
	static struct input seed[SEEDS_MOST];
	now.target = fuzz_name(target);
	size_t n = load_seeds(now.target, seed);
	struct rp_rng rng = rp_rng_for(now.seed, now.target, 0);
	struct input in = { malloc(INPUT_MOST), 0 };
	for (size_t i = 0; i < n; i++)
		run(target, &seed[i], 0);
	for (unsigned i = 1; n && in.bytes && i <= changes; i++) {
		const struct input *s = &seed[rp_rng_below(&rng, n)];
		memcpy(in.bytes, s->bytes, s->n);
		in.n = s->n;
		for (uint64_t k = 1 + rp_rng_below(&rng, 4); k > 0; k--)
			change_one(&rng, &in, &seed[rp_rng_below(&rng, n)]);
		run(target, &in, i);
	}
	free(in.bytes);
	for (size_t i = 0; i < n; i++)
		free(seed[i].bytes);
	printf("%-14s %zu seeds, %u changes\n", now.target, n, n ? changes : 0);
	if (!n)
		printf("%s: no seeds in fuzz/corpus/%s\n", now.target, now.target);
	return n > 0;
}

static bool
wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int
main(int argc, char **argv)
{
	const char *scale = getenv("RP_TEST_SCALE"), *seed = getenv("RP_TEST_SEED");
	unsigned changes = CHANGES * (scale && atoi(scale) > 0 ? (unsigned)atoi(scale) : 1);
	bool list = argc == 2 && !strcmp(argv[1], "--list"), ok = true, one = false;
	now.seed = seed ? strtoull(seed, NULL, 0) : 20261129;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, die);
	signal(SIGABRT, die);
#ifdef SANITIZED
	__sanitizer_set_death_callback(last_words);
#else
	signal(SIGSEGV, die);
#endif
	if (!list)
		printf("seed %" PRIu64 "\n", now.seed);
	struct stat st;
	bool file = argc == 3 && !stat(argv[2], &st) && S_ISREG(st.st_mode);
	for (size_t i = 0; fuzz_name(i); i++) {
		struct input in;
		if (list) {
			puts(fuzz_name(i));
		} else if (file && !strcmp(argv[1], fuzz_name(i)) && load(argv[2], &in)) {
			now.target = argv[1];
			run(i, &in, 0);
			free(in.bytes);
			one = true;
		} else if (!file && wanted(fuzz_name(i), argc, argv)) {
			ok &= replay(i, changes);
			one = true;
		}
	}
	return ok && (one || list) ? 0 : 1;
}
