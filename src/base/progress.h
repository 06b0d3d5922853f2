/* progress.h - one line on a terminal that says how far a run is.
 *
 * Told of each batch, it looks at a coarse clock (no system call) and prints a few times a second: accesses done, share,
 * rate, time left. Nothing is printed for a run that is over at once, and the line is gone when the run ends. */
#ifndef RP_BASE_PROGRESS_H
#define RP_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rp_progress {
	FILE *to;         /* NULL: disabled */
	const char *what; /* is counted; NULL: accesses */
	/* private to progress.c */
	double began, next; /* seconds */
	int shown;          /* columns in use on the terminal */
};

/* Starts the clock. Borrows `to` until the end; NULL disables every call. */
void rp_progress_begin(struct rp_progress *p, FILE *to);

/* `done` accesses are through. part of whole is the share of the work, in whatever unit is known (bytes of the file,
 * accesses of a limit); whole 0: not known. */
void rp_progress_tell(struct rp_progress *p, uint64_t done, uint64_t part, uint64_t whole);

/* Clears the line, so that what is printed next stands at its place. */
void rp_progress_end(struct rp_progress *p);

enum { RP_PROGRESS_WIDTH = 79 };

/* The line for so many seconds, without its carriage return: at most RP_PROGRESS_WIDTH columns. `to` needs one byte more.
 * Returns its length. */
int rp_progress_line(
    char *to, const char *what, uint64_t done, uint64_t part, uint64_t whole, double seconds);

#endif
