/* string.h - the cache configuration strings of GPGPU-Sim and Accel-Sim.
 *
 *	<type>:<sets>:<line>:<ways>,<repl>:<write>:<alloc>:<walloc>:<hash>,<mshr>:<entries>:<merge>[,<missq>[:<fifo>[,<port>]]]
 *
 * as in S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 (gpu-cache.h of that project). */
#ifndef RP_SIM_GPU_STRING_H
#define RP_SIM_GPU_STRING_H

#include "sim/gpu/hash.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	RP_GPU_SECTOR = 32,           /* bytes of a sector */
	RP_GPU_STRING_ROOM = 256,     /* of a string as rp_gpu_string_print prints it */
	RP_GPU_LINES_MOST = 1 << 28,  /* sets * ways */
	RP_GPU_LINE_MOST = 1 << 16,   /* bytes */
	RP_GPU_ENTRIES_MOST = 1 << 20 /* of the MSHR table */
};

/* What an older string lacks, and is taken for granted with a warning: bits. */
enum rp_gpu_old { RP_GPU_OLD_TYPE = 1, RP_GPU_OLD_HASH = 2 };

/* The fields; choices are the letters of the string. */
struct rp_gpu_string {
	char type; /* N plain lines; S sectors of 32 bytes */
	uint32_t sets, line, ways;
	char repl;   /* L least recently used; F first in first out */
	char write;  /* R read only; B back; T through; E evict; L local back, global evict */
	char alloc;  /* m on miss; f on fill; s streaming */
	char walloc; /* N none; W write and fetch; F fetch on write; L lazy fetch on read */
	char hash;   /* L linear; X xor; P polynomial; H Fermi */
	char mshr;   /* A associative; S with sector requests; F, T texture FIFO */
	uint32_t entries, merge;    /* of the MSHR table; requests of an entry, the first too */
	uint32_t missq, fifo, port; /* slots; slots; bytes, 0: a line */
	unsigned given;             /* how many of the last three the string has */
	unsigned old;               /* enum rp_gpu_old */
};

/* Parses and checks. RP_USAGE names the field, what was found and what is wanted; `none` is refused too: it is no cache. */
bool rp_gpu_string_parse(const char *text, struct rp_gpu_string *out, struct rp_err *err);

/* The string, complete up to what was given. `to` has RP_GPU_STRING_ROOM. Returns it. */
char *rp_gpu_string_print(char *to, const struct rp_gpu_string *s);

/* What to tell the user of the way the string was read: the k-th warning, NULL when there are no more. */
const char *rp_gpu_string_warning(const struct rp_gpu_string *s, unsigned k);

/* The set hash that a letter stands for. */
enum rp_gpu_hash rp_gpu_string_hash(const struct rp_gpu_string *s);

/* Bytes that one access looks up at most: a sector, or a whole plain line. */
static inline uint32_t
rp_gpu_string_grain(const struct rp_gpu_string *s)
{
	return s->type == 'S' ? (uint32_t)RP_GPU_SECTOR : s->line;
}

#endif
