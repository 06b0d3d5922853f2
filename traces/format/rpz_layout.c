/* rpz_layout.c - the headers of an .rpz file to and from bytes. */
#include "config.h"

#include "traces/format/rpz_layout.h"
#include "base/hash.h"
#include "traces/batch.h"

#include <inttypes.h>

/* A high bit, the name, both kinds of line end, end of file: any transfer as text breaks it (PNG's idea). */
const unsigned char rp_rpz_magic[8] = { 0x89, 'R', 'P', 'Z', '\r', '\n', 0x1a, '\n' };
static const unsigned char last_magic[8] = { '\n', 0x1a, '\n', '\r', 'Z', 'P', 'R', 0x89 };

void
rp_rpz_put_head(unsigned char *to, const struct rp_rpz_head *h)
{
	memset(to, 0, RP_RPZ_HEAD);
	memcpy(to, rp_rpz_magic, sizeof rp_rpz_magic);
	rp_put16(to + 8, RP_RPZ_MAJOR);
	rp_put16(to + 10, RP_RPZ_MINOR);
	rp_put32(to + 12, RP_RPZ_HEAD);
	rp_put32(to + 24, h->limit);
	rp_put32(to + 28, h->columns);
	rp_put64(to + 32, rp_hash_bytes(to, 32));
}

bool
rp_rpz_get_head(const unsigned char *from, struct rp_rpz_head *h, struct rp_err *err)
{
	if (memcmp(from, rp_rpz_magic, sizeof rp_rpz_magic))
		return rp_fail(err, RP_INPUT, "not an .rpz trace: other first bytes");
	unsigned major = rp_get16(from + 8), minor = rp_get16(from + 10);
	uint64_t needs = rp_get64(from + 16);
	if (major != RP_RPZ_MAJOR)
		return rp_fail(err, RP_INPUT,
		    "version %u.%u of .rpz; this program reads version %d", major, minor,
		    RP_RPZ_MAJOR);
	if (rp_get64(from + 32) != rp_hash_bytes(from, 32))
		return rp_fail(err, RP_INPUT, "the file header is damaged: its hash is wrong");
	if (needs)
		return rp_fail(err, RP_INPUT,
		    "version %u.%u of .rpz with features 0x%" PRIx64
		    "; this program reads version %d.%d without",
		    major, minor, needs, RP_RPZ_MAJOR, RP_RPZ_MINOR);
	h->limit = rp_get32(from + 24);
	h->columns = rp_get32(from + 28);
	if (rp_get32(from + 12) != RP_RPZ_HEAD || h->limit < 1 || h->limit > RP_RPZ_ROWS_MOST ||
	    h->columns & ~(uint32_t)RP_COL_ALL)
		return rp_fail(err, RP_INPUT, "the file header is damaged: a value out of range");
	return true;
}

void
rp_rpz_put_chunk(unsigned char *to, const struct rp_rpz_chunk *c)
{
	rp_put32(to, c->magic);
	to[4] = c->coding;
	to[5] = c->shift;
	to[6] = c->key;
	to[7] = c->columns;
	rp_put32(to + 8, c->n);
	rp_put32(to + 12, c->stored);
	rp_put64(to + 16, c->position);
	rp_put64(to + 24, c->base);
	rp_put16(to + 32, c->ops);
	rp_put16(to + 34, c->tokens);
	rp_put32(to + 36, c->streams);
	rp_put32(to + 40, c->addr_hash);
	rp_put32(to + 44, c->runs);
	rp_put64(to + 48, c->payload_hash);
	rp_put64(to + 56, rp_hash_bytes(to, 56));
}

static bool
known(uint32_t magic)
{
	return magic == RP_RPZ_META || magic == RP_RPZ_LAUNCH || magic == RP_RPZ_BLOCK ||
	       magic == RP_RPZ_INDEX || magic == RP_RPZ_FOOTER;
}

bool
rp_rpz_get_chunk(const unsigned char *from, bool check, struct rp_rpz_chunk *c, struct rp_err *err)
{
	c->magic = rp_get32(from);
	c->coding = from[4];
	c->shift = from[5];
	c->key = from[6];
	c->columns = from[7];
	c->n = rp_get32(from + 8);
	c->stored = rp_get32(from + 12);
	c->position = rp_get64(from + 16);
	c->base = rp_get64(from + 24);
	c->ops = rp_get16(from + 32);
	c->tokens = rp_get16(from + 34);
	c->streams = rp_get32(from + 36);
	c->addr_hash = rp_get32(from + 40);
	c->runs = rp_get32(from + 44);
	c->payload_hash = rp_get64(from + 48);
	if (check && rp_get64(from + 56) != rp_hash_bytes(from, 56))
		return rp_fail(err, RP_INPUT, "a chunk's header is damaged: its hash is wrong");
	if (!known(c->magic))
		return rp_fail(err, RP_INPUT, "a chunk of an unknown type 0x%08" PRIx32, c->magic);
	return true;
}

bool
rp_rpz_payload_sound(const struct rp_rpz_chunk *c, const unsigned char *payload)
{
	return rp_hash_bytes(payload, c->stored) == c->payload_hash;
}

void
rp_rpz_put_trailer(unsigned char *to, uint64_t footer)
{
	rp_put64(to, footer);
	memcpy(to + 8, last_magic, sizeof last_magic);
	rp_put64(to + 16, rp_hash_bytes(to, 16));
}

bool
rp_rpz_get_trailer(const unsigned char *from, uint64_t *footer, struct rp_err *err)
{
	if (memcmp(from + 8, last_magic, sizeof last_magic) ||
	    rp_get64(from + 16) != rp_hash_bytes(from, 16))
		return rp_fail(err, RP_INPUT, "the last %d bytes are damaged", RP_RPZ_TRAILER);
	*footer = rp_get64(from);
	return true;
}
