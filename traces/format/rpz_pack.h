/* rpz_pack.h - the columns of a block's payload, compressed one by one. */
#ifndef RP_TRACES_FORMAT_RPZ_PACK_H
#define RP_TRACES_FORMAT_RPZ_PACK_H

#include "base/buf.h"
#include "traces/format/rpz_layout.h"
#include "traces/format/rpz_numbers.h"

#include <zstd.h>

/* Directory and columns of one payload; starts as zeroes. */
struct rp_rpz_pack {
	int level;
	ZSTD_CCtx *zstd;
	struct rp_buf body;
	unsigned n;
	unsigned char entry[RP_RPZ_IDS * RP_RPZ_COLUMN];
};

bool rp_rpz_pack_new(struct rp_rpz_pack *p, int level, struct rp_err *err);
void rp_rpz_pack_free(struct rp_rpz_pack *p);
void rp_rpz_pack_clear(struct rp_rpz_pack *p);

/* Adds a column of n bytes; none when n is 0. Stored when zstd does not save 2 %. */
bool rp_rpz_pack_add(
    struct rp_rpz_pack *p, unsigned id, const void *bytes, size_t n, struct rp_err *err);

/* Adds the four columns of numbers under id, and empties c. */
bool rp_rpz_pack_numbers(
    struct rp_rpz_pack *p, unsigned id, struct rp_rpz_numbers *c, struct rp_err *err);

/* How much there is, so that what was added between two marks can be dropped again. */
struct rp_rpz_mark {
	size_t bytes;
	unsigned n;
};

static inline struct rp_rpz_mark
rp_rpz_pack_mark(const struct rp_rpz_pack *p)
{
	return (struct rp_rpz_mark){ p->body.n, p->n };
}

void rp_rpz_pack_drop(struct rp_rpz_pack *p, struct rp_rpz_mark from, struct rp_rpz_mark to);

#endif
