/* checks.c - what was checked, how often, and what did not hold. */
#include "config.h"

#include "validate/checks.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct rp_theorem_row rp_theorem_table[RP_THEOREMS] = {
	[RP_FOOTPRINT] = { "footprint", "Lemma 1", "distinct blocks of t rounds are U(t)" },
	[RP_INTERVALS] = { "intervals", "section 3.4",
	    "M times the time between two requests of a block is Delta; their sum is N M" },
	[RP_WATERLINE] = { "waterline", "Eq. 3", "U(T*) <= C < U(T* + 1)" },
	[RP_TTL_ROUNDS] = { "TTL", "Theorem 2",
	    "the slotted TTL misses K(T*) in each round from T* on" },
	[RP_TTL_HELD] = { "TTL held", "Theorem 2", "it holds U(T*) blocks between two rounds" },
	[RP_TTL_TOTAL] = { "TTL total", "Theorem 2",
	    "it misses min(H, gap) or H for each phase in H rounds from empty" },
	[RP_DISTANCES] = { "distances", "section 3.3",
	    "each worker's reuse distance, every round" },
	[RP_LRU_ROUNDS] = { "LRU", "section 3.3",
	    "LRU misses for the workers with a distance of C or more, each round from N on" },
	[RP_LRU_TOTAL] = { "LRU total", "section 3.3",
	    "it misses min(H, lag) or H for each worker in H rounds from empty" },
	[RP_CERTIFICATE] = { "certificate", "Theorem 3",
	    "max(1, K(T* + 1)) <= K_LRU <= K(T* - 1) where D <= C" },
	[RP_CERTIFICATE_LAGS] = { "its lags", "Theorem 3",
	    "LRU and TTL differ only for lags of T* and T* + 1" },
	[RP_BOUND] = { "residency", "Theorem 4",
	    "no policy misses less than ceil(H (M - V)) in H rounds from empty" },
	[RP_BOUND_WARM] = { "warm", "Theorem 4",
	    "nor less than H (M - V) - min(C, N) from any contents" },
	[RP_MIN_PLAIN] = { "MIN, plain", "Belady",
	    "opt misses what MIN does by its definition, in short cases" },
	[RP_MIN_LEAST] = { "MIN", "Belady",
	    "no policy misses less than MIN, nor MIN less than with bypass" },
	[RP_SDCM_ONE_SET] = { "SDCM, one set", "Eq. 6", "SDCM of C ways and C lines is LRU" },
	[RP_SDCM_SETS] = { "SDCM, sets", "Eq. 6",
	    "within 5 % of LRU sets that blocks are mapped to at random, on average" },
	[RP_MARGIN] = { "gap margin", "Proposition 7",
	    "gaps that differ by e move theta by floor(D / 2) e at most, and K by the gaps near "
	    "it" },
	[RP_HISTORY_DISTANCES] = { "histories", "Eq. 15",
	    "reuse distance of each event of any history" },
	[RP_HISTORY_THEOREM5] = { "progress", "Theorem 5",
	    "LRU of 2 sigma - 1 blocks misses max n_i times at most" },
	[RP_HISTORY_SHARP] = { "its sharpness", "Theorem 5",
	    "the last request of the schedule misses at C = 2 s - 2, and hits at 2 s - 1" },
	[RP_RECURRENCE] = { "recurrence", "Eq. 10", "issue times of a loop of d buffers" },
	[RP_RECURRENCE_PERIOD] = { "period", "Eq. 11",
	    "I_n / n tends to P_d; the rest is bounded" },
	[RP_RECURRENCE_BETWEEN] = { "between", "Theorem 6",
	    "latencies that vary keep the clock between those of their bounds" },
	[RP_RECURRENCE_APART] = { "catch-up", "Eq. 12",
	    "workers part by n eps at least, where eps > 0" },
	[RP_RECURRENCE_GAIN] = { "gain", "Eq. 13",
	    "G_d = P_d(miss) - P_d(hit) is what overlap leaves" },
	[RP_TABLE2_PASCAL] = { "Table 2", "Table 2", "PASCAL, SDCM-FA and exact LRU agree" },
	[RP_TABLE2_SIMULATED] = { "simulated", "Table 2",
	    "and so do slotted TTL and LRU, replayed" },
	[RP_ENUMERATION] = { "enumeration", "section 4.2",
	    "how often each case comes up in all 2,254 small ones" },
	[RP_WITHOUT_CERTIFICATE] = { "Theorem 3", "D <= C", "K_LRU lies in its interval" },
	[RP_WITHOUT_SHARP_END] = { "Theorem 3", "max(1, ...)", "its lower end is K_LRU's least" },
	[RP_WITHOUT_TTL_IS_LRU] = { "TTL is LRU", "both ends agree", "K_TTL = K_LRU" },
	[RP_WITHOUT_CORRECTION] = { "Theorem 4", "min(C, N)", "a warm cache misses H (M - V)" },
	[RP_WITHOUT_CHARGE] = { "Theorem 4", "a capacity", "the slotted TTL misses M - V" },
	[RP_WITHOUT_EQUAL_START] = { "Theorem 5", "equal starts", "LRU misses max n_i at most" },
	[RP_WITHOUT_WHOLE_COUNTS] = { "Theorem 5", "counts go on",
	    "the same, sigma counted anew each scan" },
	[RP_WITHOUT_REFILL] = { "Theorem 6", "endless refill", "a scan takes N P_d" },
	[RP_WITHOUT_EQUAL_RINGS] = { "Proposition 7", "equal rings",
	    "theta moves by floor(D / 2) e at most" },
	[RP_WITHOUT_FLOOR] = { "K >= 1", "N > C, no MIN", "each block is filled once a round" },
};

void
rp_checks_init(struct rp_checks *c)
{
	*c = (struct rp_checks){ 0 };
	for (unsigned t = 0; t < RP_THEOREMS; t++)
		c->count[t].slack = INFINITY;
}

void
rp_checks_free(struct rp_checks *c)
{
	for (unsigned t = 0; t < RP_THEOREMS; t++)
		free(c->count[t].first);
	rp_checks_init(c);
}

void
rp_checks_begin(struct rp_checks *c,
    bool (*tell)(const void *it, struct rp_buf *to, struct rp_err *err), const void *it)
{
	memset(c->seen, 0, sizeof c->seen);
	memset(c->broken, 0, sizeof c->broken);
	c->tell = tell;
	c->it = it;
}

/* The first violation of a theorem: what the check said, then which case it is. */
static void
keep(struct rp_checks *c, enum rp_theorem t, const char *format, va_list args)
{
	char line[512];
	struct rp_buf text = { 0 };
	vsnprintf(line, sizeof line, format, args);
	if (rp_buf_printf(&text, &c->err, "%s\n", line) && c->tell(c->it, &text, &c->err)) {
		while (text.n && text.bytes[text.n - 1] == '\n')
			text.bytes[--text.n] = 0;
		c->count[t].first = rp_mem_string((char *)text.bytes, &c->err);
	}
	rp_buf_free(&text);
}

bool
rp_check(struct rp_checks *c, enum rp_theorem t, bool holds, double slack, const char *format, ...)
{
	c->seen[t] = true;
	if (slack < c->count[t].slack)
		c->count[t].slack = slack;
	if (holds)
		return true;
	c->broken[t] = true;
	if (!c->count[t].first) {
		va_list args;
		va_start(args, format);
		keep(c, t, format, args);
		va_end(args);
	}
	return false;
}

void
rp_check_without(struct rp_checks *c, enum rp_theorem t, bool fails)
{
	c->seen[t] = true;
	c->broken[t] |= fails;
}

bool
rp_checks_end(struct rp_checks *c, struct rp_err *err)
{
	for (unsigned t = 0; t < RP_THEOREMS; t++) {
		c->count[t].cases += c->seen[t];
		c->count[t].violations += c->broken[t];
	}
	if (!c->err.code)
		return true;
	if (err)
		*err = c->err;
	return false;
}

void
rp_checks_move(struct rp_checks *to, struct rp_checks *from)
{
	for (unsigned t = 0; t < RP_THEOREMS; t++) {
		struct rp_check_count *a = &to->count[t], *b = &from->count[t];
		a->cases += b->cases;
		a->violations += b->violations;
		a->slack = b->slack < a->slack ? b->slack : a->slack;
		if (!a->first) {
			a->first = b->first;
			b->first = NULL;
		}
	}
	rp_checks_free(from);
}

uint64_t
rp_checks_passed(const struct rp_checks *c)
{
	uint64_t n = 0;
	for (unsigned t = 0; t < RP_THEOREMS; t++)
		n += rp_theorem_is_negative(t) ? c->count[t].violations > 0
		                               : c->count[t].cases - c->count[t].violations;
	return n;
}

uint64_t
rp_checks_failed(const struct rp_checks *c)
{
	uint64_t n = 0;
	for (unsigned t = 0; t < RP_THEOREMS; t++)
		n += rp_theorem_is_negative(t) ? c->count[t].cases && !c->count[t].violations
		                               : c->count[t].violations;
	return n;
}
