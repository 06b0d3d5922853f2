/* sha256.h - checksums that anybody can check: `sha256sum -c`. */
#ifndef RP_BASE_SHA256_H
#define RP_BASE_SHA256_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4) of bytes that come in pieces. */
struct rp_sha256 {
	/* private to sha256.c */
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
};

void rp_sha256_begin(struct rp_sha256 *h);
void rp_sha256_add(struct rp_sha256 *h, const void *bytes, size_t n);
/* The digest in hexadecimal, with a NUL. Ends it. */
void rp_sha256_end(struct rp_sha256 *h, char text[65]);

/* That of a file. RP_INPUT: it cannot be read. */
bool rp_sha256_file(const char *path, char text[65], struct rp_err *err);

#endif
