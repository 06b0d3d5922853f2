/* layout.h - where the lines of a synthesised trace lie.
 *
 * Lines are numbered by first touch; a layout says which line of memory each is, all of them different. It decides which
 * lines meet in a set, and no reuse profile shows it. */
#ifndef RP_GEN_LAYOUT_H
#define RP_GEN_LAYOUT_H

#include "base/err.h"
#include "base/xoshiro.h"

#include <stdbool.h>
#include <stdint.h>

enum rp_layout_kind {
	RP_LAYOUT_ID,         /* the number itself */
	RP_LAYOUT_RANDOM,     /* a keyed bijection of `bits` bits, by default 40 */
	RP_LAYOUT_SEQUENTIAL, /* the same as ID: lines in a row from the base on */
	RP_LAYOUT_STRIDED,    /* number * stride */
	RP_LAYOUT_TILE2D, /* pieces of rows, `width` lines wide, down `rows` rows of `pitch` lines */
	RP_LAYOUT_REGIONS, /* each new line extends one of so many sequential regions, any of them */
	RP_LAYOUT_RUNS     /* runs of 1 to so many lines, at random places */
};

/* What the user asked for. */
struct rp_layout_spec {
	enum rp_layout_kind kind;
	uint64_t a, b, c; /* bits, key; stride; width, pitch, rows; regions; longest run */
	bool keyed;       /* the key of RANDOM is given */
};

/* `id`, `random[:BITS[:KEY]]`, `sequential`, `strided:S`, `tile2d:WIDTH:PITCH:ROWS`, `regions:R`, `runs:M`. RP_USAGE. */
bool rp_layout_parse(const char *text, struct rp_layout_spec *out, struct rp_err *err);

extern const char rp_layout_wanted[]; /* these, as a message puts it */

/* Lines handed out one after the other. */
struct rp_layout {
	/* private to layout.c */
	struct rp_layout_spec spec;
	struct rp_xoshiro first, rng; /* as it was at the beginning, and is */
	uint64_t next, lines;         /* number of the next line; how many there will be */
	uint64_t base, span;          /* lines from `base` on, fewer than `span` */
	uint64_t *region, spread; /* next line of each; distance between them, or room of a run */
	uint64_t run, at, left;   /* runs begun; the next line of this one, lines left of it */
	uint64_t key;
};

/* `lines` lines from the spec, with chances from `rng`. rp_layout_close also after a failure. RP_USAGE: the spec has no room
 * for so many; RP_RESOURCE. */
bool rp_layout_open(struct rp_layout *l, const struct rp_layout_spec *spec, uint64_t lines,
    struct rp_xoshiro rng, struct rp_err *err);
void rp_layout_close(struct rp_layout *l);

/* The next line, counted from the layout's own beginning. After `lines` of them it begins anew with the first. */
uint64_t rp_layout_next(struct rp_layout *l);

/* All of them are below this. */
uint64_t rp_layout_span(const struct rp_layout *l);

/* The keyed bijection on `bits` (even, 2 to 56) bits. */
uint64_t rp_layout_scatter(uint64_t x, unsigned bits, uint64_t key);

#endif
