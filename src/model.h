/* model.h - what the parts of `reprise model` share. */
#ifndef RP_MODEL_H
#define RP_MODEL_H

#include "command.h"

#include "base/emit.h"
#include "base/opt.h"
#include "validate/fraction.h"

/* How the results are printed. */
struct model_out {
	const char *output;
	bool json, csv;
};

/* The rows, for a table whose struct has a `struct model_out out`. */
#define MODEL_OUT_ROWS(T)                                                                          \
	{ "output", 'o', "FILE", RP_OPT_TEXT, offsetof(T, out.output), "-",                        \
		"where to print; - is standard output" },                                          \
	    { "json", 0, NULL, RP_OPT_FLAG, offsetof(T, out.json), NULL, "print JSON" },           \
	{                                                                                          \
		"csv", 0, NULL, RP_OPT_FLAG, offsetof(T, out.csv), NULL, "print CSV"               \
	}

/* The value of an option that is a list of numbers, each at least `least`. */
struct model_numbers {
	uint64_t *x;
	size_t n;
};

/* Parses it, if it was given (`text` not NULL). Gives to->x (free). RP_USAGE. */
bool model_numbers(const char *option, const char *text, uint64_t least, struct model_numbers *to,
    struct rp_err *err);

/* A whole number as JSON; one of more than 63 bits, which JSON's readers would round, as a text of its digits. A fraction as
 * [numerator, denominator]. Both give. */
json_t *model_wide(rp_wide x);
json_t *model_fraction(struct rp_fraction f);

/* A count that may be of samples: a whole number where it is one. Gives. */
json_t *model_count(double x);

/* For tables, a copy of an object in which each of these fractions (`names` ends in NULL; null and absent ones are left as they
 * are) is a real number, with its terms in X_num and X_den, and as a text in X_text: "2.5 = 5/2". Gives. */
json_t *model_flat(json_t *row, const char *const *names);

/* n numbers as an array. Gives. */
json_t *model_list(const uint64_t *x, size_t n);

/* The document's beginning. Gives. */
json_t *model_document(const char *model);

/* Prints `doc`, which was built since rp_emit_begin, and takes it; `text` and `csv` print it for people and for programs. NULL
 * as doc: the error it was not built for stands in *err, or memory was out. */
bool model_print(const struct model_out *o, json_t *doc,
    bool (*text)(struct rp_out *to, json_t *doc, struct rp_err *err),
    bool (*csv)(struct rp_out *to, json_t *doc, struct rp_err *err), struct rp_err *err);

/* Prints the document's warnings, a line each. */
bool model_warn(struct rp_out *to, json_t *doc, struct rp_err *err);

/* Fails with RP_USAGE if there are more than `most` operands, or --json and --csv at once. */
bool model_takes(const struct model_out *o, int n, char **argv, int most, struct rp_err *err);

extern const struct rp_command rp_command_model_pascal, rp_command_model_sdcm, rp_command_model_che,
    rp_command_model_recurrence;

#endif
