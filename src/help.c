/* help.c - `reprise help`: what there is, from the tables. */
#include "config.h"

#include "command.h"

#include "gen/gen.h"
#include "sim/counters.h"
#include "sim/gpu/presets.h"
#include "sim/policy.h"
#include "traces/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A topic prints for people, or as mdoc for the manual. */
struct topic {
	const char *name, *what;
	void (*print)(bool mdoc);
};

static void
item(bool mdoc, const char *name, const char *what, const char *more)
{
	if (mdoc)
		printf(".It Cm %s\n%s%s%s.\n", name, what, more && *more ? ": " : "",
		    more ? more : "");
	else
		printf("  %-16s %s%s%s\n", name, what, more && *more ? "\n                   " : "",
		    more ? more : "");
}

static void
formats(bool mdoc)
{
	for (const struct rp_format *const *f = rp_formats; *f; f++) {
		char more[512];
		snprintf(more, sizeof more, "%s%s%s",
		    (*f)->writer ? "read and written; " : "read; ", "from ",
		    (*f)->source ? (*f)->source : "this project");
		item(mdoc, (*f)->name, (*f)->what, more);
	}
}

static void
policies(bool mdoc)
{
	for (const struct rp_policy *const *p = rp_policies; *p; p++)
		item(mdoc, (*p)->name, (*p)->what, (*p)->source);
}

static void
counters(bool mdoc)
{
	for (size_t i = 0; i < rp_counter_count; i++) /* group 0: not printed */
		if (rp_counter_table[i].group)
			item(mdoc, rp_counter_table[i].name, rp_counter_table[i].what, NULL);
}

static void
presets(bool mdoc)
{
	for (const struct rp_gpu_preset *p = rp_gpu_presets; p->name; p++) {
		char more[256];
		snprintf(more, sizeof more,
		    "L1 %s; L2 of %" PRIu32 " slices, each %s; %" PRIu32 " SMs", p->l1,
		    p->channels * p->slices, p->l2, p->sms);
		item(mdoc, p->name, p->what, more);
	}
}

static void
generators(bool mdoc)
{
	for (const struct rp_generator *const *g = rp_generators; *g; g++) {
		item(mdoc, (*g)->name, (*g)->what, mdoc ? NULL : (*g)->source);
	}
}

/* The rare options, which every command that reads traces has. */
static void
reading(bool mdoc)
{
	struct rp_buf text = { 0 };
	(void)mdoc;
	for (const struct rp_command *const *c = rp_commands; *c; c++)
		if (!strcmp((*c)->name, "dump") && rp_opts_help_rare((*c)->opts, &text, NULL))
			fwrite(text.bytes, 1, text.n, stdout);
	rp_buf_free(&text);
}

static const struct topic topics[] = {
	{ "policies", "replacement policies of caches", policies },
	{ "formats", "trace formats", formats },
	{ "counters", "what is counted, and ratios", counters },
	{ "presets", "caches of known GPUs", presets },
	{ "generators", "generated traces", generators },
	{ "reading", "options for one trace format or another", reading },
};

enum { TOPICS = sizeof topics / sizeof *topics };

static bool
policy(const char *name, struct rp_err *err)
{
	const struct rp_policy *p = rp_policy_find(name, err);
	if (!p)
		return false;
	printf("%s: %s\nsource: %s\n", p->name, p->what, p->source ? p->source : "this project");
	for (const struct rp_param *a = p->params; a < p->params + RP_POLICY_PARAMS && a->name; a++)
		if (rp_param_is_yes_no(a))
			printf(
			    "  %s=%s  %s (yes or no)\n", a->name, a->usual ? "yes" : "no", a->what);
		else
			printf("  %s=%" PRIu64 "  %s (%" PRIu64 "..%" PRIu64 ")\n", a->name,
			    a->usual, a->what, a->least, a->most);
	return true;
}

/* The options of a command as items of an mdoc list. */
static void
mdoc_rows(const struct rp_opt *rows)
{
	for (const struct rp_opt *o = rows; o->name; o++) {
		printf(".It ");
		if (o->letter)
			printf("Fl %c , ", o->letter);
		printf("Fl -%s", o->name);
		if (o->arg)
			printf(" Ar %s", o->arg);
		printf("\n%c%s%s%s%s.\n",
		    o->what[0] >= 'a' && o->what[0] <= 'z' ? o->what[0] - 32 : o->what[0],
		    o->what + 1, o->usual ? "; by default " : "", o->usual ? o->usual : "", "");
	}
}

static bool
mdoc(const char *name, struct rp_err *err)
{
	for (size_t i = 0; i < TOPICS; i++)
		if (!strcmp(topics[i].name, name)) {
			topics[i].print(true);
			return true;
		}
	for (const struct rp_command *const *c = rp_commands; *c; c++)
		if (!strcmp((*c)->name, name)) {
			mdoc_rows((*c)->opts);
			return true;
		}
	for (const struct rp_generator *const *g = rp_generators; *g; g++)
		if (!strncmp(name, "gen-", 4) && !strcmp((*g)->name, name + 4)) {
			mdoc_rows((*g)->opts);
			return true;
		}
	return rp_fail(err, RP_USAGE, "'%.40s' is no topic or command", name);
}

static bool
overview(void)
{
	printf("usage: reprise help TOPIC | COMMAND\n\n");
	for (size_t i = 0; i < TOPICS; i++)
		printf("  %-16s %s\n", topics[i].name, topics[i].what);
	printf("  %-16s %s\n", "policy NAME", "one policy: its parameters and its source");
	printf("  %-16s %s\n", "COMMAND", "the same as reprise COMMAND --help");
	printf("\nExample: reprise help policy lru\n");
	return true;
}

static bool
show(int n, char **argv, struct rp_err *err)
{
	if (n < 1 || !strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
		return overview();
	if (!strcmp(argv[0], "--mdoc") && n == 2)
		return mdoc(argv[1], err);
	if (!strcmp(argv[0], "policy") && n == 2)
		return policy(argv[1], err);
	for (size_t i = 0; i < TOPICS; i++)
		if (!strcmp(topics[i].name, argv[0])) {
			topics[i].print(false);
			return true;
		}
	return rp_command_usage(argv[0], err);
}

static bool
run_help(void *unused, int n, char **argv, struct rp_err *err)
{
	(void)unused;
	if (!show(n, argv, err))
		return false;
	return fflush(stdout) == 0 || rp_fail_errno(err, RP_RESOURCE, "writing standard output");
}

static const struct rp_opt no_opts[] = { { 0 } };

const struct rp_command rp_command_help = {
	.name = "help",
	.what = "policies, formats, counters, generators; or a command's help",
	.operands = "[TOPIC]",
	.example = "reprise help formats",
	.opts = no_opts,
	.raw = true,
	.run = run_help,
};
