/* bench.h - what the programs of `make bench` share.
 *
 * bench/run.sh makes the inputs once, in a folder that it gives each program as argv[1], runs the programs one after the
 * other and lays the rows they print out as one table. A figure is measured beside its baseline in one process, the two
 * taking turns, best of many: machines are noisy and differ, so the ratio is what counts.
 *
 * Inputs in the folder (absent where valgrind or sqlite3 is: a program then says so by bench_skip and goes on):
 * gzip.rpz, sqlite.rpz, xz.rpz: data accesses (address, size, kind) of `gzip -6` on C text, of an sqlite script, of `xz -6`. */
#ifndef RP_BENCH_BENCH_H
#define RP_BENCH_BENCH_H

#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>

/* Prints a row: tab-separated on standard output, one line. `ratio` is value against baseline as the design's table has
 * it (2.5: two and a half times as fast), NAN: none, and then the value itself is held against the floor. The floor is
 * what it should reach; NAN: none. Nothing fails because of a slow figure. */
void bench_row(const char *what, double value, const char *unit, const char *baseline, double ratio,
    double floor);

/* The same, for a figure that should be `most` or less: a size, a time. */
void bench_row_most(const char *what, double value, const char *unit, const char *baseline,
    double ratio, double most);

/* Says why figures are missing; the table ends with these. */
void bench_skip(const char *what, const char *why);

double bench_cpu(void);  /* seconds of processor time of this process, all threads */
double bench_wall(void); /* seconds on the clock */

/* Something to be timed. `best`: the least seconds one run took, set by bench_turns. */
struct bench_variant {
	void (*run)(void *to);
	void *to;
	double best;
};

/* Runs the n variants in turn, `rounds` times over. `wall`: by the clock (for what uses threads), else by processor
 * time. */
void bench_turns(struct bench_variant *v, size_t n, unsigned rounds, bool wall);

/* All rows of a source, or of a trace in the folder argv[1] ("gzip.rpz"), in one batch with these optional columns.
 * bench_load returns NULL, after bench_skip, if the trace is not there; any other failure ends the program. Gives
 * (rp_batch_free). At most `limit` rows; 0: all. */
struct rp_source;
struct rp_batch *bench_collect(struct rp_source *s, unsigned columns, size_t limit);
struct rp_batch *bench_load(char **argv, const char *name, unsigned columns, size_t limit);

/* The same of a generator, from `KIND,key=value...`. */
struct rp_batch *bench_made(const char *what, unsigned columns, size_t limit);

/* Ends the program with the error's text: a bench has nothing to tidy up. */
void bench_fail(const struct rp_err *err) __attribute__((noreturn));

/* Keeps the compiler from leaving out what computed x. */
static inline void
bench_keep(unsigned long long x)
{
	__asm__ volatile("" : : "r"(x) : "memory");
}

#endif
