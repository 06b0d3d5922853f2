/* opt.h - options as rows of a table.
 *
 * A row says where a value goes in the caller's struct, how it is written and what it is for. The same rows parse the
 * command line (`--name value`), the keys of `gen:KIND,key=value` and of a cache specification, and print the help and
 * the manual; there is no default anywhere else. */
#ifndef RP_BASE_OPT_H
#define RP_BASE_OPT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rp_opt_kind {
	RP_OPT_FLAG,   /* bool; `--name`, or key=yes|no */
	RP_OPT_U64,    /* uint64_t within least..most */
	RP_OPT_U32,    /* uint32_t within least..most */
	RP_OPT_SIZE,   /* uint64_t, bytes, as rp_parse_size, within least..most */
	RP_OPT_SIZE32, /* uint32_t, bytes */
	RP_OPT_DOUBLE, /* double */
	RP_OPT_TEXT,   /* const char *, borrowed */
	RP_OPT_TEXTS,  /* struct rp_texts: each use of the option adds one */
	RP_OPT_CHOICE, /* unsigned: index in `choices` */
};

/* Values of an option that may be given several times. Borrows the texts; rp_opts_free releases `text`. */
struct rp_texts {
	const char **text;
	size_t n;
};

struct rp_opt {
	const char *name; /* without dashes; NULL ends a table */
	char letter;      /* short form, or 0 */
	const char *arg;  /* name of the value in the help; NULL for a flag */
	enum rp_opt_kind kind;
	size_t offset;              /* of the field in the struct */
	const char *usual;          /* the default as the user would type it; NULL: zero, none */
	const char *what;           /* one sentence without its full stop */
	uint64_t least, most;       /* of a number; both 0: any */
	const char *const *choices; /* ends in NULL */
	/* Further checks of the text, before it is taken (`value` is never NULL). NULL: none. */
	bool (*check)(const char *value, struct rp_err *err);
	bool rare; /* left out of a command's --help, for which rp_opts_help_rare is */
};

/* Sets every row's default. false only if a default does not parse (our mistake) or memory is out. */
bool rp_opts_default(const struct rp_opt *rows, void *into, struct rp_err *err);

/* Sets one option by its long name. RP_USAGE with the nearest name if there is none such, or if the value is wrong:
 * `--ways: 'abc' is ...` with `dashes`, `ways=: ...` without. */
bool rp_opts_set(const struct rp_opt *rows, void *into, const char *name, const char *value,
    bool dashes, struct rp_err *err);

/* The same for a key of a YAML file: `ways: 'abc' is ...`. */
bool rp_opts_set_key(
    const struct rp_opt *rows, void *into, const char *name, const char *value, struct rp_err *err);

/* Parses argv[1..argc-1] in GNU style (long options with `=` or a separate value, short ones joined or not, `--`, `-` an
 * operand, options and operands in any order). Operands are moved to the end of argv; *first is where they begin. */
bool rp_opts_parse(
    const struct rp_opt *rows, void *into, int argc, char **argv, int *first, struct rp_err *err);

/* Releases what RP_OPT_TEXTS rows hold. */
void rp_opts_free(const struct rp_opt *rows, void *into);

/* Appends the rows that are not rare, or those that are, as lines of help, at most 79 columns wide: option, what it does,
 * its default in brackets. */
bool rp_opts_help(const struct rp_opt *rows, struct rp_buf *to, struct rp_err *err);
bool rp_opts_help_rare(const struct rp_opt *rows, struct rp_buf *to, struct rp_err *err);

/* `WORD[,key=value]...`, as cache specifications and gen: texts are written. A value ends where the next `key=` begins,
 * so it may hold commas. Changes `text` in place; calls `set` for each pair, in order. *word is "" if the text starts
 * with a key. A piece that is neither is RP_USAGE, and so are a comma with nothing behind it and a
 * key that comes twice. */
bool rp_spec_split(char *text, const char **word,
    bool (*set)(void *to, const char *key, const char *value, struct rp_err *err), void *to,
    struct rp_err *err);

#endif
