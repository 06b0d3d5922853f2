/* dump.c - `reprise dump`: print accesses as CSV. */
#include "config.h"

#include "output.h"
#include "command.h"

struct dump_opts {
	struct rp_input_opts in;
	const char *output;
};

#define OPT(field) offsetof(struct dump_opts, field)
static const struct rp_opt opts[] = {
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	RP_INPUT_ROWS(struct dump_opts),
	{ 0 },
};

static bool
run_dump(void *options, int n, char **traces, struct rp_err *err)
{
	struct dump_opts *o = options;
	struct rp_output_opts out = { .output = o->output, .to = "csv" };
	struct rp_source *s = rp_input_open(&o->in, n, traces, false, NULL, err);
	bool ok = s && rp_output_copy(s, &o->in, &out, false, "dump", err);
	rp_source_close(s);
	return ok;
}

const struct rp_command rp_command_dump = {
	.name = "dump",
	.what = "print accesses as CSV",
	.operands = "TRACE...",
	.example = "reprise dump --skip 1000 --limit 20 t.rpz",
	.opts = opts,
	.bytes = sizeof(struct dump_opts),
	.run = run_dump,
};
