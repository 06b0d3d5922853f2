/* validate.h - what the parts of `reprise validate` share. */
#ifndef RP_VALIDATE_COMMAND_H
#define RP_VALIDATE_COMMAND_H

#include "base/emit.h"
#include "base/opt.h"
#include "base/progress.h"
#include "validate/table2.h"

/* How a validation is run and printed. */
struct validate_out {
	const char *output;
	uint64_t seed;
	uint32_t threads;
	bool json, csv, progress, no_progress;
};

/* The rows, for a table whose struct has a `struct validate_out out`. */
#define VALIDATE_OUT_ROWS(T)                                                                       \
	{ "seed", 0, "S", RP_OPT_U64, offsetof(T, out.seed), "1", "of everything random" },        \
	    { "threads", 'j', "N", RP_OPT_U32, offsetof(T, out.threads), NULL,                     \
		    "threads; else one for each processor", 1, 1024 },                             \
	    { "progress", 0, NULL, RP_OPT_FLAG, offsetof(T, out.progress), NULL,                   \
		    "show progress on standard error also when that is no terminal", 0, 0, NULL,   \
		    NULL, true },                                                                  \
	    { "no-progress", 0, NULL, RP_OPT_FLAG, offsetof(T, out.no_progress), NULL,             \
		    "show none", 0, 0, NULL, NULL, true },                                         \
	    { "json", 0, NULL, RP_OPT_FLAG, offsetof(T, out.json), NULL, "print JSON" },           \
	    { "csv", 0, NULL, RP_OPT_FLAG, offsetof(T, out.csv), NULL, "print CSV" },              \
	{                                                                                          \
		"output", 'o', "FILE", RP_OPT_TEXT, offsetof(T, out.output), "-",                  \
		    "where to print; - is standard output"                                         \
	}

/* What was validated. */
struct validate_results {
	const struct validate_out *o;
	struct rp_suite suite;

	struct rp_table2_row *table2; /* NULL: not asked for */
	json_t *trace;                /* what a recorded scan is; NULL: none */
	double elapsed;               /* seconds */
};

/* Sets up the suite for the options, with its progress; and ends that. */
void validate_begin(
    struct validate_results *r, struct rp_progress *p, const struct validate_out *o);

/* Prints the results, also if *err says that they are of a part only; then false with RP_FAILED if something did not hold. */
bool validate_print(struct validate_results *r, struct rp_err *err);

/* Everything there is about PASCAL's scans, with the usual numbers of cases. */
bool validate_pascal_all(struct validate_results *r, struct rp_err *err);

#endif
