/* spill.h - blocks of bytes in a temporary file: a stack, or a queue.
 *
 * Blocks are pushed; then they are popped, the last one first, or read, from either end on. About two mebibytes are in
 * memory, or as many as rp_spill_keep says; if there is more, the rest is in a file without a name (base/temp.h) that
 * shrinks as blocks are popped and is gone when it is closed, however the program ends. */
#ifndef RP_BASE_SPILL_H
#define RP_BASE_SPILL_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { RP_SPILL_BLOCK = 256 << 10 }; /* bytes of a block, at most */

/* Starts as zeroes. */
struct rp_spill {
	uint64_t bytes; /* pushed so far */
	/* private to spill.c */
	int fd;                 /* -1: no file yet */
	unsigned char *segment; /* the last, or the one that was read from the file */
	unsigned char *view;    /* the one that is read */
	size_t used, at;        /* bytes of it; where to read on */
	unsigned char **kept;   /* the first, `keep` of them; NULL: those that are not there now */
	size_t keep;
	uint64_t filed;    /* bytes that went to the file */
	uint64_t segments; /* before the last, kept or in the file */
	uint64_t next;     /* to be read; backwards the one that is */
	bool rewound;
};

/* RP_RESOURCE: no memory; rp_spill_close is allowed all the same. */
bool rp_spill_open(struct rp_spill *s, struct rp_err *err);
void rp_spill_close(struct rp_spill *s); /* it is empty then */

/* Before anything is pushed: so many mebibytes are to be in memory before a file is written. */
void rp_spill_keep(struct rp_spill *s, size_t mebibytes);

/* Bytes that went to the file; 0: there is none. */
uint64_t rp_spill_bytes(const struct rp_spill *s);

/* Room for a block of up to n bytes (RP_SPILL_BLOCK at most), at a multiple of 8; borrowed until rp_spill_push, which says
 * how many they were. NULL: RP_RESOURCE, the disk is full, or there can be no file. */
void *rp_spill_room(struct rp_spill *s, size_t n, struct rp_err *err);
void rp_spill_push(struct rp_spill *s, size_t n);

/* Takes the last block off: borrowed until the next call, readable for 16 bytes behind its end. NULL: there is none, or
 * err->code is set. */
const void *rp_spill_pop(struct rp_spill *s, size_t *n, struct rp_err *err);

/* No more blocks come: from now on they are read, the first one first; again, if they were read before. rp_spill_next as
 * rp_spill_pop. */
bool rp_spill_rewind(struct rp_spill *s, struct rp_err *err);
const void *rp_spill_next(struct rp_spill *s, size_t *n, struct rp_err *err);

/* The same from the last one back. */
bool rp_spill_unwind(struct rp_spill *s, struct rp_err *err);
const void *rp_spill_before(struct rp_spill *s, size_t *n, struct rp_err *err);

#endif
