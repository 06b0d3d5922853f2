/* checks.h - what was checked, how often, and what did not hold.
 *
 * A check belongs to a theorem and happens in a case: a scan, a history, a pair of them. A theorem is broken in a case if one
 * of its checks is. Of each theorem the first broken case is kept, told in full. */
#ifndef RP_VALIDATE_CHECKS_H
#define RP_VALIDATE_CHECKS_H

#include "base/buf.h"
#include "base/err.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* In the order of the table that is printed. */
enum rp_theorem {
	RP_FOOTPRINT,
	RP_INTERVALS,
	RP_WATERLINE,
	RP_TTL_ROUNDS,
	RP_TTL_HELD,
	RP_TTL_TOTAL,
	RP_DISTANCES,
	RP_LRU_ROUNDS,
	RP_LRU_TOTAL,
	RP_CERTIFICATE,
	RP_CERTIFICATE_LAGS,
	RP_BOUND,
	RP_BOUND_WARM,
	RP_MIN_PLAIN,
	RP_MIN_LEAST,
	RP_SDCM_ONE_SET,
	RP_SDCM_SETS,
	RP_MARGIN,
	RP_HISTORY_DISTANCES,
	RP_HISTORY_THEOREM5,
	RP_HISTORY_SHARP,
	RP_RECURRENCE,
	RP_RECURRENCE_PERIOD,
	RP_RECURRENCE_BETWEEN,
	RP_RECURRENCE_APART,
	RP_RECURRENCE_GAIN,
	RP_TABLE2_PASCAL,
	RP_TABLE2_SIMULATED,
	RP_ENUMERATION,
	/* Statements that need a condition: that they fail without it is what is checked. */
	RP_WITHOUT_CERTIFICATE,
	RP_WITHOUT_SHARP_END,
	RP_WITHOUT_TTL_IS_LRU,
	RP_WITHOUT_CORRECTION,
	RP_WITHOUT_CHARGE,
	RP_WITHOUT_EQUAL_START,
	RP_WITHOUT_WHOLE_COUNTS,
	RP_WITHOUT_REFILL,
	RP_WITHOUT_EQUAL_RINGS,
	RP_WITHOUT_FLOOR,
	RP_THEOREMS
};

/* What a theorem is called, where it is from, and what is checked: "PASCAL, Theorem 3". A row from RP_WITHOUT_CERTIFICATE on
 * says what fails without what. */
struct rp_theorem_row {
	const char *name, *source, *what;
};
extern const struct rp_theorem_row rp_theorem_table[RP_THEOREMS];

static inline bool
rp_theorem_is_negative(enum rp_theorem t)
{
	return t >= RP_WITHOUT_CERTIFICATE;
}

struct rp_check_count {
	uint64_t cases,
	    violations; /* of a statement that needs a condition: where it fails without */
	/* The least slack: what is left of an inequality until it fails, in its own unit (mostly misses). INFINITY: only
	 * equalities were checked. */
	double slack;
	char *
	    first; /* the first violation in full; NULL: none. Several lines, no newline at the end */
};

struct rp_checks {
	struct rp_check_count count[RP_THEOREMS];
	/* private to checks.c */
	bool seen[RP_THEOREMS], broken[RP_THEOREMS]; /* in the case at hand */
	bool (*tell)(const void *it, struct rp_buf *to, struct rp_err *err);
	const void *it;
	struct rp_err err; /* of telling: no memory */
};

/* Nothing checked yet. */
void rp_checks_init(struct rp_checks *c);
void rp_checks_free(struct rp_checks *c); /* what it keeps, not itself */

/* A case begins; `tell` appends lines that say which it is and how to see it again. */
void rp_checks_begin(struct rp_checks *c,
    bool (*tell)(const void *it, struct rp_buf *to, struct rp_err *err), const void *it);

/* It ends: counts its theorems. false: no memory to tell of a violation. */
bool rp_checks_end(struct rp_checks *c, struct rp_err *err);

/* One check of a theorem in the case at hand: whether it holds, and by how much (INFINITY: an equality). The text, one line,
 * says what was found and what was wanted; it is only made of the first violation. Returns `holds`. */
bool rp_check(struct rp_checks *c, enum rp_theorem t, bool holds, double slack, const char *format,
    ...) __attribute__((format(printf, 5, 6)));

/* A check of a number against the one that follows from theory. `what` names it, behind which place (round, worker) is
 * printed unless it is RP_NOWHERE. */
#define RP_NOWHERE UINT64_MAX
static inline bool
rp_check_equal(struct rp_checks *c, enum rp_theorem t, uint64_t found, uint64_t wanted,
    const char *what, uint64_t place)
{
	if (found == wanted && c->seen[t])
		return true; /* the usual case costs nothing */
	if (place == RP_NOWHERE)
		return rp_check(c, t, found == wanted, INFINITY, "%s: found %llu, wanted %llu",
		    what, (unsigned long long)found, (unsigned long long)wanted);
	return rp_check(c, t, found == wanted, INFINITY, "%s %llu: found %llu, wanted %llu", what,
	    (unsigned long long)place, (unsigned long long)found, (unsigned long long)wanted);
}

/* A statement whose condition does not hold here, for a row from RP_WITHOUT_CERTIFICATE on: whether it fails, as it may. */
void rp_check_without(struct rp_checks *c, enum rp_theorem t, bool fails);

/* Adds `from` to `to`, behind what is there; `from` is empty then. */
void rp_checks_move(struct rp_checks *to, struct rp_checks *from);

/* Theorems that held in a case, or failed as they must, and those that did not, over all cases. A row that says what fails
 * without a condition counts once: it holds if that was found. */
uint64_t rp_checks_passed(const struct rp_checks *c);
uint64_t rp_checks_failed(const struct rp_checks *c);

#endif
