/* libfuzzer.c - the way in for clang's fuzzer: the target named by RP_FUZZ_TARGET. */
#include "config.h"

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static size_t target;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("RP_FUZZ_TARGET");
	(void)argc;
	(void)argv;
	for (const char *found; name && (found = fuzz_name(target)); target++)
		if (!strcmp(found, name))
			return 0;
	fprintf(stderr, "RP_FUZZ_TARGET: %s is none of:", name ? name : "nothing");
	for (size_t i = 0; fuzz_name(i); i++)
		fprintf(stderr, " %s", fuzz_name(i));
	fprintf(stderr, "\n");
	exit(2);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	fuzz_run(target, bytes, n);
	return 0;
}
