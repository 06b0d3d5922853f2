/* items.h - a list as people give it: in the argument itself, or `@FILE`, a file of it.
 *
 * Items are separated by commas or white space; in a file `#` starts a remark that goes on to the end of its line. A file is
 * read once, whole. */
#ifndef RP_BASE_ITEMS_H
#define RP_BASE_ITEMS_H

#include "base/err.h"

#include <stdbool.h>

struct rp_items {
	const char *item;   /* the one rp_items_next gave last, with a NUL behind it */
	unsigned long line; /* of the file that it stands in, from 1 */
	/* private to items.c */
	const char *path; /* of the file; NULL: the argument itself */
	char *text, *at;
	char *cut, was; /* where the NUL behind the item stands, and what stood there */
	bool comma;     /* the item ended with one */
	unsigned long at_line;
};

/* Opens `text`, borrowed until rp_items_close. RP_INPUT: the file cannot be read, or holds a NUL. */
bool rp_items_open(struct rp_items *it, const char *text, struct rp_err *err);

/* The next item, or NULL at the end. It lives until the next call. Between two commas, and behind the last one of an
 * argument, is an empty item. */
const char *rp_items_next(struct rp_items *it);

/* Puts the place of the last item before the error's text, "FILE:LINE: ", and makes a wrong use of it RP_INPUT, if it stands
 * in a file. Returns false. */
bool rp_items_wrap(const struct rp_items *it, struct rp_err *err);

void rp_items_close(struct rp_items *it);

#endif
