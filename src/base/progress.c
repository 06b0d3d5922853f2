/* progress.c - one line on a terminal that says how far a run is. */
#include "config.h"

#include "base/progress.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define FIRST 0.5 /* seconds until the first line, so that short runs print none */
#define EVERY 0.25

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
rp_progress_begin(struct rp_progress *p, FILE *to)
{
	*p = (struct rp_progress){ .to = to };
	if (to) {
		p->began = now();
		p->next = p->began + FIRST;
	}
}

/* Three digits or so: "812", "81.2 k", "8.12 M", "123456 M". */
static void
print_rate(char *to, size_t room, double rate)
{
	double scale = rate < 1e4 ? 1 : rate < 1e6 ? 1e3 : 1e6;
	double x = rate / scale;
	snprintf(to, room, "%.*f%s",
	    scale <= 1 || x >= 100 ? 0
	    : x >= 10              ? 1
				   : 2,
	    x,
	    scale <= 1     ? ""
	    : scale <= 1e3 ? " k"
			   : " M");
}

/* "0:07", "12:34", "1:02:03", "4 days". */
static void
print_time(char *to, size_t room, double seconds)
{
	if (seconds >= 2 * 86400) {
		snprintf(to, room, "%.0f days", seconds > 1e9 ? 1e9 / 86400 : seconds / 86400);
		return;
	}
	unsigned s = (unsigned)(seconds + 0.5);
	if (s >= 3600)
		snprintf(to, room, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(to, room, "%u:%02u", s / 60, s % 60);
}

int
rp_progress_line(
    char *to, const char *what, uint64_t done, uint64_t part, uint64_t whole, double seconds)
{
	char rate[32], left[32], share[96] = "";
	double portion = whole ? (double)part / (double)whole : 0;
	print_rate(rate, sizeof rate, seconds > 0 ? (double)done / seconds : 0);
	if (whole && portion > 1)
		portion = 1;
	if (portion > 0) {
		print_time(left, sizeof left, seconds * (1 - portion) / portion);
		snprintf(share, sizeof share, ", %.0f %%, %s left", 100 * portion, left);
	} else {
		print_time(left, sizeof left, seconds);
		snprintf(share, sizeof share, ", %s so far", left);
	}
	int n =
	    snprintf(to, RP_PROGRESS_WIDTH + 1, "%" PRIu64 " %s, %s/s%s", done, what, rate, share);
	return n < RP_PROGRESS_WIDTH ? n : RP_PROGRESS_WIDTH;
}

void
rp_progress_tell(struct rp_progress *p, uint64_t done, uint64_t part, uint64_t whole)
{
	char line[RP_PROGRESS_WIDTH + 1];
	if (!p->to)
		return;
	double t = now();
	if (t < p->next)
		return;
	p->next = t + EVERY;
	int n =
	    rp_progress_line(line, p->what ? p->what : "accesses", done, part, whole, t - p->began);
	/* Blanks cover what is left of a longer line before. */
	fprintf(p->to, "\r%s%*s", line, p->shown > n ? p->shown - n : 0, "");
	fflush(p->to);
	p->shown = n;
}

void
rp_progress_end(struct rp_progress *p)
{
	if (p->to && p->shown) {
		fprintf(p->to, "\r%*s\r", p->shown, "");
		fflush(p->to);
	}
	p->shown = 0;
}
