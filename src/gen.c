/* gen.c - `reprise gen`: write a generated trace. */
#include "config.h"

#include "output.h"
#include "command.h"

#include "base/mem.h"
#include "base/parse.h"
#include "gen/gen.h"
#include "traces/window.h"

#include <stdio.h>
#include <string.h>

/* Stands before the generator's own parameters in one block of memory. */
struct gen_opts {
	struct rp_output_opts out;
	const char *limit;
	uint64_t seed;
	uint32_t threads;
	bool json, progress, no_progress;
};

#define OPT(field) offsetof(struct gen_opts, field)
static const struct rp_opt opts[] = {
	RP_OUTPUT_ROWS(struct gen_opts),
	{ "limit", 0, "N", RP_OPT_TEXT, OPT(limit), NULL, "end after N accesses", 0, 0, NULL,
	    rp_check_u64 },
	{ "seed", 0, "S", RP_OPT_U64, OPT(seed), "1", "of everything random" },
	{ "threads", 'j', "N", RP_OPT_U32, OPT(threads), NULL,
	    "threads to compress with; else one for each processor", 1, 1024 },
	{ "progress", 0, NULL, RP_OPT_FLAG, OPT(progress), NULL,
	    "show progress on standard error also when that is no terminal" },
	{ "no-progress", 0, NULL, RP_OPT_FLAG, OPT(no_progress), NULL, "show none" },
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print what was done as JSON" },
	{ 0 },
};

enum { COMMON = sizeof opts / sizeof *opts };

/* The generator's rows, moved behind struct gen_opts, then the common ones that it does not have itself. Gives (free). */
static struct rp_opt *
join_rows(const struct rp_generator *g, struct rp_err *err)
{
	size_t n = 0;
	while (g->opts[n].name)
		n++;
	struct rp_opt *rows = rp_mem_array(n + COMMON, sizeof *rows, err);
	if (!rows)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		rows[i] = g->opts[i];
		rows[i].offset += sizeof(struct gen_opts);
	}
	for (const struct rp_opt *o = opts; o->name; o++) {
		size_t i = 0;
		while (i < n && strcmp(rows[i].name, o->name))
			i++;
		if (i == n || rows[i].offset < sizeof(struct gen_opts))
			rows[n++] = *o;
	}
	return rows;
}

static bool
write_it(const struct rp_generator *g, struct gen_opts *o, struct rp_err *err)
{
	struct rp_window w = { .has_limit = o->limit != NULL };
	struct rp_input_opts in = { .threads = o->threads,
		.limit = o->limit,
		.progress = o->progress,
		.no_progress = o->no_progress };
	if (o->limit && !rp_parse_u64(o->limit, &w.limit, err))
		return false;
	struct rp_source *s = g->open(o + 1, o->seed, err);
	if (s && s->trace->endless && !w.has_limit) {
		rp_fail(err, RP_USAGE, "%s never ends by itself: say --limit N", g->name);
		rp_source_close(s);
		return false;
	}
	if (s)
		s = rp_window_open(s, &w, err);
	bool ok = s && rp_output_copy(s, &in, &o->out, o->json, "gen", err);
	rp_source_close(s);
	return ok;
}

static bool
help(const struct rp_generator *g, const struct rp_opt *rows, struct rp_err *err)
{
	struct rp_buf text = { 0 };
	char operand[64] = "";
	for (const struct rp_opt *o = g->opts; g->operand && o->name; o++)
		if (!strcmp(o->name, g->operand))
			snprintf(operand, sizeof operand, " %s", o->arg + (*o->arg == '@'));
	bool ok = rp_buf_printf(&text, err, "usage: reprise gen %s%s [OPTIONS] -o FILE\n%s\n\n",
		      g->name, operand, g->what) &&
	          rp_opts_help(rows, &text, err) &&
	          rp_buf_printf(&text, err,
		      "\nThe same in place of a trace: gen:%s,key=value,...\n"
		      "All options, and what they mean: reprise-gen(1)\n"
		      "Example: reprise gen %s%s --limit 1000000 -o t.rpz\n",
		      g->name, g->name, operand);
	if (ok && (fwrite(text.bytes, 1, text.n, stdout) != text.n || fflush(stdout)))
		ok = rp_fail_errno(err, RP_RESOURCE, "writing standard output");
	rp_buf_free(&text);
	return ok;
}

static bool
list(FILE *to)
{
	fprintf(to, "usage: reprise gen KIND [OPTIONS] -o FILE\nwrite a generated trace\n\n");
	for (const struct rp_generator *const *g = rp_generators; *g; g++)
		fprintf(to, "  %-10s %s\n", (*g)->name, (*g)->what);
	fprintf(to, "\nExample: reprise gen zipf --lines 1000000 --limit 10000000 -o zipf.rpz\n"
		    "reprise gen KIND --help lists the options of one.\n");
	return fflush(to) == 0;
}

static bool
is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

static bool
run_gen(void *unused, int n, char **argv, struct rp_err *err)
{
	(void)unused;
	if (n >= 1 && is_help(argv[0]))
		return list(stdout) || rp_fail_errno(err, RP_RESOURCE, "writing standard output");
	if (n < 1)
		return rp_fail(err, RP_USAGE, "wanted a KIND (reprise gen --help)");
	const struct rp_generator *g = rp_generator_find(argv[0], err);
	struct rp_opt *rows = g ? join_rows(g, err) : NULL;
	if (!rows)
		return false;
	for (int i = 1; i < n; i++)
		if (is_help(argv[i])) {
			bool done = help(g, rows, err);
			free(rows);
			return done;
		}
	struct gen_opts *o = rp_mem_array(1, sizeof *o + g->params_bytes, err);
	int first = n;
	bool ok =
	    o && rp_opts_default(rows, o, err) && rp_opts_parse(rows, o, n, argv, &first, err);
	if (ok && g->operand && first < n)
		ok = rp_opts_set(rows, o, g->operand, argv[first++], true, err);
	if (ok && first < n)
		ok = rp_fail(err, RP_USAGE, "'%.40s': gen %s takes no %s", argv[first], g->name,
		    g->operand ? "second operand" : "trace");
	ok = ok && write_it(g, o, err);
	if (o)
		rp_opts_free(rows, o);
	free(o);
	free(rows);
	return ok;
}

const struct rp_command rp_command_gen = {
	.name = "gen",
	.what = "write a generated trace",
	.operands = "KIND -o FILE",
	.example = "reprise gen zipf --lines 1000000 --limit 10000000 -o zipf.rpz",
	.opts = opts,
	.bytes = sizeof(struct gen_opts),
	.raw = true,
	.run = run_gen,
};
