/* rpz_pack.c - the columns of a block's payload, compressed one by one. */
#include "config.h"

#include "traces/format/rpz_pack.h"

#include <zstd_errors.h>

/* Tokens repeat in long strings. Told to leave the short ones, zstd finds more of the long ones, and the reader has less
 * to put together. From LEVEL_BEST on zstd weighs that itself. */
enum { TOKENS_MATCH = 6, LEVEL_BEST = 13 };

bool
rp_rpz_pack_new(struct rp_rpz_pack *p, int level, struct rp_err *err)
{
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return rp_fail(err, RP_RESOURCE, "out of memory: a zstd context");
	p->level = level;
	/* Every column's raw length is in the directory and hashed with the rest: zstd need not repeat it. */
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 0);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_dictIDFlag, 0);
	return true;
}

void
rp_rpz_pack_free(struct rp_rpz_pack *p)
{
	ZSTD_freeCCtx(p->zstd);
	rp_buf_free(&p->body);
}

void
rp_rpz_pack_clear(struct rp_rpz_pack *p)
{
	p->n = 0;
	p->body.n = 0;
}

bool
rp_rpz_pack_add(struct rp_rpz_pack *p, unsigned id, const void *bytes, size_t n, struct rp_err *err)
{
	if (!n)
		return true;
	size_t room = ZSTD_compressBound(n);
	unsigned char *to = rp_buf_reserve(&p->body, room, err);
	if (!to)
		return false;
	bool tokens = id == RP_RPZ_TOKENS && p->level < LEVEL_BEST;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_minMatch, tokens ? TOKENS_MATCH : 0);
	size_t stored = ZSTD_compress2(p->zstd, to, room, bytes, n);
	if (ZSTD_getErrorCode(stored) == ZSTD_error_memory_allocation)
		return rp_fail(err, RP_RESOURCE, "out of memory: zstd");
	if (ZSTD_isError(stored))
		return rp_fail(err, RP_RESOURCE, "zstd: %s", ZSTD_getErrorName(stored));
	uint8_t codec = RP_RPZ_ZSTD;
	if (stored > n - n / 50) {
		memcpy(to, bytes, n);
		stored = n;
		codec = RP_RPZ_STORED;
	}
	p->body.n += stored;
	unsigned char *entry = p->entry + p->n++ * RP_RPZ_COLUMN;
	entry[0] = (uint8_t)id;
	entry[1] = codec;
	rp_put16(entry + 2, 0);
	rp_put32(entry + 4, (uint32_t)n);
	rp_put32(entry + 8, (uint32_t)stored);
	return true;
}

bool
rp_rpz_pack_numbers(
    struct rp_rpz_pack *p, unsigned id, struct rp_rpz_numbers *c, struct rp_err *err)
{
	bool ok = rp_rpz_pack_add(p, id, c->token, c->some ? c->n : 0, err) &&
	          rp_rpz_pack_add(p, id + 1, c->first, c->n_first, err) &&
	          rp_rpz_pack_add(p, id + 2, c->second, c->n_second, err) &&
	          rp_rpz_pack_add(p, id + 3, c->rest, c->n_rest, err);
	rp_rpz_numbers_clear(c);
	return ok;
}

void
rp_rpz_pack_drop(struct rp_rpz_pack *p, struct rp_rpz_mark from, struct rp_rpz_mark to)
{
	if (p->body.n > to.bytes)
		memmove(p->body.bytes + from.bytes, p->body.bytes + to.bytes, p->body.n - to.bytes);
	memmove(p->entry + from.n * RP_RPZ_COLUMN, p->entry + to.n * RP_RPZ_COLUMN,
	    (p->n - to.n) * RP_RPZ_COLUMN);
	p->body.n -= to.bytes - from.bytes;
	p->n -= to.n - from.n;
}
