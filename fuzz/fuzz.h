/* fuzz.h - what is fuzzed: every reader and codec in the tables, and the parsers of what people type.
 *
 * A target takes any bytes and must come back: no crash, no leak, no endless work, and only rows that may be. A reader is
 * run over the bytes as one piece and again in small pieces and batches, and must say the same of them. What is wrong ends
 * in abort(). A format or codec that is added to the tables is a target without more ado; it wants a folder of seeds,
 * fuzz/corpus/NAME/, which `make check` insists on. */
#ifndef RP_FUZZ_FUZZ_H
#define RP_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The name of target i: a format's, a codec's or one of the others'; NULL behind the last. */
const char *fuzz_name(size_t i);

/* Runs target i over n bytes (borrowed, not NULL). */
void fuzz_run(size_t i, const uint8_t *bytes, size_t n);

#endif
