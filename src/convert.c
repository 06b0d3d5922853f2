/* convert.c - `reprise convert`: change a trace's format. */
#include "config.h"

#include "command.h"
#include "output.h"

struct convert_opts {
	struct rp_input_opts in;
	struct rp_output_opts out;
	bool json, salvage;
};

#define OPT(field) offsetof(struct convert_opts, field)
static const struct rp_opt opts[] = {
	RP_OUTPUT_ROWS(struct convert_opts),
	{ "salvage", 0, NULL, RP_OPT_FLAG, OPT(salvage), NULL,
	    "take what is undamaged of a damaged .rpz" },
	RP_INPUT_ROWS(struct convert_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print what was done as JSON" },
	{ 0 },
};

static bool
run_convert(void *options, int n, char **traces, struct rp_err *err)
{
	struct convert_opts *o = options;
	o->in.salvage = o->salvage;
	bool whole = rp_output_keeps_warps(&o->out);
	struct rp_source *s = rp_input_open(&o->in, n, traces, whole, NULL, err);
	bool ok = s && rp_output_copy(s, &o->in, &o->out, o->json, "convert", err);
	rp_source_close(s);
	return ok;
}

const struct rp_command rp_command_convert = {
	.name = "convert",
	.what = "change a trace's format",
	.operands = "TRACE... -o FILE",
	.example = "reprise convert kernelslist.g -o kernels.rpz",
	.opts = opts,
	.bytes = sizeof(struct convert_opts),
	.run = run_convert,
};
