/* command.h - what a subcommand is. */
#ifndef RP_COMMAND_H
#define RP_COMMAND_H

#include "base/opt.h"

#include <signal.h>

/* Set by SIGINT. The program's, not the library's. */
extern volatile sig_atomic_t rp_interrupted;

/* A command is one file in src/ that ends in one `const struct rp_command`, named after the file. */
struct rp_command {
	const char *name, *what; /* what: one line */
	const char *operands;    /* "[TRACE...]" */
	const char *example;     /* lines of the help */
	const struct rp_opt *opts;
	size_t bytes; /* of the struct the rows write into; zeroed, then the defaults */
	bool raw;     /* parses its own arguments: run gets all of them, opts is NULL */
	/* Has no options and no run of its own, but these: `reprise model pascal`. Ends in NULL. Each is a command with the
	 * second word as its name. */
	const struct rp_command *const *parts;
	/* argv holds the n operands. The exit code is err->code when false. */
	bool (*run)(void *opts, int n, char **argv, struct rp_err *err);
};

extern const struct rp_command *const rp_commands[]; /* ends in NULL; made by the build */

/* Prints the help of the command called `name`. RP_USAGE if there is none. */
bool rp_command_usage(const char *name, struct rp_err *err);

#endif
