/* emit.h - one document, printed as JSON, as CSV or as aligned tables.
 *
 * A command builds one JSON tree (jansson) and names, in views, which of its members stand in which column. All three
 * outputs are made from that tree, so they cannot disagree. */
#ifndef RP_BASE_EMIT_H
#define RP_BASE_EMIT_H

#include "base/out.h"

#include <jansson.h>
#include <stdint.h>

enum rp_emit { RP_EMIT_TEXT, RP_EMIT_JSON, RP_EMIT_CSV };

enum rp_cell {
	RP_CELL_TEXT,  /* as it is, to the left */
	RP_CELL_COUNT, /* whole number; in text with thousands apart */
	RP_CELL_RATIO, /* in text with six places; null is "-" in text and empty in CSV */
	RP_CELL_HEX,   /* a text already, to the right */
};

/* A column: what stands above it, and where in a row's object its value is ("counters.hits"). */
struct rp_view {
	const char *heading, *path;
	enum rp_cell cell;
};

/* The member at a dotted path of an object, borrowed; NULL if there is none. */
json_t *rp_emit_at(json_t *object, const char *path);

/* A counter as JSON: jansson's integers are signed, so what does not fit 63 bits becomes a real. Gives. */
json_t *rp_emit_count(uint64_t n);

/* A text as JSON; bytes that are no UTF-8 (a file's name may hold any) become '?'. Gives. */
json_t *rp_emit_text(const char *text);

/* numerator / denominator, not rounded; null over 0. Gives. */
json_t *rp_emit_ratio(uint64_t numerator, uint64_t denominator);

/* jansson tells of a lack of memory by what it leaves out: a NULL added to a tree is an error of the addition, which long
 * chains of them do not look at. errno tells it too. rp_emit_begin clears it before a tree is built; rp_emit_whole is
 * false, with *err (RP_RESOURCE) filled, when the tree is NULL or an allocation failed since. */
void rp_emit_begin(void);
bool rp_emit_whole(const json_t *tree, struct rp_err *err);

/* Ends an output that was made of the tree since rp_emit_begin: commits it if printing went well (`ok`) and no allocation
 * failed, else removes it. Takes `to` (NULL is fine when not ok). Whether it appeared. */
bool rp_emit_close(struct rp_out *to, const json_t *tree, bool ok, struct rp_err *err);

/* The tree, indented, with a newline. */
bool rp_emit_json(struct rp_out *to, const json_t *tree, struct rp_err *err);

/* The n columns of each object in the array `rows`, comma-separated (RFC 4180), under a header line unless `bare`. */
bool rp_emit_csv(struct rp_out *to, json_t *rows, const struct rp_view *view, size_t n, bool bare,
    struct rp_err *err);

/* The same as an aligned table with a heading line; `turned`: a row for each column of the view and a column for each
 * object, whose first cell is the heading. Cells that are absent in every row are left out with their heading. */
bool rp_emit_table(struct rp_out *to, json_t *rows, const struct rp_view *view, size_t n,
    bool turned, struct rp_err *err);

/* A count with thousands apart, as the tables print it. `to` needs 32 bytes. Returns it. */
char *rp_print_count(char *to, uint64_t n);

#endif
