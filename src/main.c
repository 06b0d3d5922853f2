/* main.c - finds the subcommand, parses its options, runs it, says what went wrong. */
#include "config.h"

#include "command.h"

#include "base/mem.h"
#include "base/parse.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t rp_interrupted;

static void
on_interrupt(int signal_number)
{
	if (rp_interrupted)
		_exit(128 + signal_number); /* asked twice: do not wait any longer */
	rp_interrupted = 1;
}

/* drcachesim's spellings, which people's fingers know. */
static const struct {
	const char *theirs, *ours;
} alias[] = {
	{ "-line_size", "--line" },
	{ "-warmup_refs", "--warmup" },
	{ "-skip_refs", "--skip" },
	{ "-sim_refs", "--sim-refs" },
	{ "-report_top", "--top" },
};

static void
take_aliases(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		for (size_t k = 0; k < sizeof alias / sizeof *alias; k++)
			if (!strcmp(argv[i], alias[k].theirs))
				argv[i] = (char *)(uintptr_t)alias[k].ours;
}

static bool
usage(FILE *to)
{
	fprintf(to, "usage: reprise COMMAND [OPTIONS] [TRACE...]\n\n");
	for (const struct rp_command *const *c = rp_commands; *c; c++)
		fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->what);
	fprintf(to, "\nreprise COMMAND --help tells more; the manual is reprise(1).\n");
	return true;
}

/* The one called `name` among commands, or among the parts of `of`. */
static const struct rp_command *
find(const struct rp_command *of, const char *name, struct rp_err *err)
{
	const char *names[64] = { NULL };
	size_t n = 0;
	for (const struct rp_command *const *c = of ? of->parts : rp_commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		if (n < sizeof names / sizeof *names)
			names[n++] = (*c)->name;
	}
	const char *near = rp_nearest(name, names, n), *first = of ? of->name : "command";
	if (near)
		rp_fail(err, RP_USAGE, "no %s '%.40s'; did you mean '%s'?", first, name, near);
	else
		rp_fail(err, RP_USAGE, "no %s '%.40s' (reprise %s%s--help)", first, name,
		    of ? of->name : "", of ? " " : "");
	return NULL;
}

static bool
parts_usage(const struct rp_command *c, struct rp_buf *text, struct rp_err *err)
{
	bool ok =
	    rp_buf_printf(text, err, "usage: reprise %s %s\n%s\n\n", c->name, c->operands, c->what);
	for (const struct rp_command *const *p = c->parts; ok && *p; p++)
		ok = rp_buf_printf(text, err, "  %-10s %s\n", (*p)->name, (*p)->what);
	return ok &&
	       rp_buf_printf(text, err, "\nreprise %s %s --help tells more of one.\nExample: %s\n",
		   c->name, c->parts[0]->name, c->example);
}

/* What `reprise NAME --help` prints, NAME being that of c, or of `of` and c. */
static bool
command_usage(const struct rp_command *of, const struct rp_command *c, struct rp_buf *text,
    struct rp_err *err)
{
	if (c->parts)
		return parts_usage(c, text, err);
	return rp_buf_printf(text, err, "usage: reprise %s%s%s [OPTIONS]%s%s\n%s\n\n",
		   of ? of->name : "", of ? " " : "", c->name, c->operands ? " " : "",
		   c->operands ? c->operands : "", c->what) &&
	       rp_opts_help(c->opts, text, err) &&
	       (of || rp_buf_printf(
			  text, err, "\nMore of one format or another: reprise help reading")) &&
	       rp_buf_printf(text, err, "\nExample: %s\n", c->example);
}

static bool
help(const struct rp_command *of, const struct rp_command *c, struct rp_err *err)
{
	struct rp_buf text = { 0 };
	bool ok = command_usage(of, c, &text, err);
	if (ok && (fwrite(text.bytes, 1, text.n, stdout) != text.n || fflush(stdout)))
		ok = rp_fail_errno(err, RP_RESOURCE, "writing standard output");
	rp_buf_free(&text);
	return ok;
}

bool
rp_command_usage(const char *name, struct rp_err *err)
{
	const struct rp_command *c = find(NULL, name, err);
	if (!c)
		return false;
	char *ask[] = { (char *)(uintptr_t) "--help" };
	return c->raw ? c->run(NULL, 1, ask, err) : help(NULL, c, err);
}

static bool
wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static bool
run(const struct rp_command *of, const struct rp_command *c, int argc, char **argv,
    struct rp_err *err)
{
	int first;
	if (c->raw)
		return c->run(NULL, argc - 1, argv + 1, err);
	if (wants_help(argc, argv))
		return help(of, c, err);
	void *opts = rp_mem_array(1, c->bytes, err);
	if (!opts)
		return false;
	bool ok = rp_opts_default(c->opts, opts, err) &&
	          rp_opts_parse(c->opts, opts, argc, argv, &first, err) &&
	          c->run(opts, argc - first, argv + first, err);
	rp_opts_free(c->opts, opts);
	free(opts);
	return ok;
}

/* The part that argv[1] names. */
static bool
run_part(const struct rp_command *of, int argc, char **argv, struct rp_err *err)
{
	if (argc < 2)
		return rp_fail(
		    err, RP_USAGE, "wanted one of its kinds (reprise %s --help)", of->name);
	if (wants_help(2, argv))
		return help(NULL, of, err);
	const struct rp_command *c = find(of, argv[1], err);
	if (!c)
		return false;
	return run(of, c, argc - 1, argv + 1, err) || rp_err_wrap(err, "%s", c->name);
}

/* What --help and --version say. */
static bool
tell(bool help_asked, struct rp_err *err)
{
	if (help_asked)
		usage(stdout);
	else
		printf("reprise %s\n", PACKAGE_VERSION);
	return !fflush(stdout) || rp_fail_errno(err, RP_RESOURCE, "writing standard output");
}

static int
fail(const struct rp_command *c, const struct rp_err *err)
{
	fprintf(stderr, "reprise: %s%s%s\n", c ? c->name : "", c ? ": " : "", err->text);
	return err->code ? (int)err->code : RP_FAILED;
}

int
main(int argc, char **argv)
{
	struct rp_err err = { 0 };
	struct sigaction interrupt = {
		.sa_handler = on_interrupt
	}; /* no SA_RESTART: a waiting read must end */
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &interrupt, NULL);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */

	if (argc < 2) {
		usage(stderr);
		return RP_USAGE;
	}
	bool asks = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	if (asks || !strcmp(argv[1], "--version"))
		return tell(asks, &err) ? 0 : fail(NULL, &err);
	take_aliases(argc - 1, argv + 1);
	const struct rp_command *c = find(NULL, argv[1], &err);
	if (c && (c->parts ? run_part(c, argc - 1, argv + 1, &err)
			   : run(NULL, c, argc - 1, argv + 1, &err)))
		return 0;
	return fail(c, &err);
}
