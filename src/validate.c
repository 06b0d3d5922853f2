/* validate.c - `reprise validate`: hold simulation against closed forms. */
#include "config.h"

#include "validate.h"
#include "command.h"
#include "input.h"

#include <time.h>
#include <unistd.h>

static void
tell(void *to, uint64_t done, uint64_t all)
{
	rp_progress_tell(to, done, done, all);
}

void
validate_begin(struct validate_results *r, struct rp_progress *p, const struct validate_out *o)
{
	const struct rp_input_opts in = { .threads = o->threads };
	rp_progress_begin(
	    p, o->progress || (!o->no_progress && isatty(STDERR_FILENO)) ? stderr : NULL);
	p->what = "cases";
	r->o = o;
	r->suite.how.lab = (struct rp_lab){ .line = 64, .seed = 1 };
	r->suite.seed = o->seed;
	r->suite.cases = (struct rp_cases_how){
		.threads = rp_input_threads(&in), .stop = &rp_interrupted, .progress = tell, .to = p
	};
	rp_checks_init(&r->suite.checks);
}

/* ---- validate all ---- */

struct all_opts {
	struct validate_out out;
};

static const struct rp_opt opts[] = { VALIDATE_OUT_ROWS(struct all_opts), { 0 } };

static bool
run_all(void *options, int n, char **argv, struct rp_err *err)
{
	struct all_opts *o = options;
	struct validate_results r = { 0 };
	struct rp_progress p;
	struct timespec from, to;
	if (n)
		return rp_fail(err, RP_USAGE, "'%.40s': validate all takes no operand", argv[0]);
	validate_begin(&r, &p, &o->out);
	clock_gettime(CLOCK_MONOTONIC, &from);
	bool ok = validate_pascal_all(&r, err);
	clock_gettime(CLOCK_MONOTONIC, &to);
	r.elapsed = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	rp_progress_end(&p);
	ok = (ok || err->code == RP_STOPPED) && validate_print(&r, err);
	free(r.table2);
	rp_checks_free(&r.suite.checks);
	return ok;
}

static const struct rp_command part_all = {
	.name = "all",
	.what = "everything there is",
	.operands = "",
	.example = "reprise validate all -j 2",
	.opts = opts,
	.bytes = sizeof(struct all_opts),
	.run = run_all,
};

extern const struct rp_command rp_command_validate_pascal;

static const struct rp_command *const parts[] = { &rp_command_validate_pascal, &part_all, NULL };

const struct rp_command rp_command_validate = {
	.name = "validate",
	.what = "hold simulation against closed forms",
	.operands = "SUITE [OPTIONS]",
	.example = "reprise validate pascal --exhaustive",
	.parts = parts,
};
