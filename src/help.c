/* help.c - `reprise help`: what there is, from the tables. */
#include "config.h"

#include "command.h"
#include "coherence.h"

#include "base/parse.h"
#include "gen/gen.h"
#include "sim/coherence/counters.h"
#include "sim/coherence/protocol.h"
#include "sim/coherence/spec.h"
#include "sim/counters.h"
#include "sim/gpu/presets.h"
#include "sim/gpu/spec.h"
#include "sim/plugin.h"
#include "sim/tree_spec.h"
#include "traces/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A topic prints for people, or as mdoc for the manual. */
struct topic {
	const char *name, *what;
	void (*print)(bool mdoc);
};

enum { WIDTH = 79, INDENT = 19 };

/* Text in lines of WIDTH columns at most, of which the first begins at `column` and the others are indented. */
static void
wrapped(const char *text, size_t column)
{
	for (const char *p = text; *p;) {
		size_t word = strcspn(p, " ");
		if (column + 1 + word > WIDTH && column > INDENT) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (p > text) {
			putchar(' ');
			column++;
		}
		fwrite(p, 1, word, stdout);
		column += word;
		p += word + (p[word] == ' ');
	}
	putchar('\n');
}

static void
item(bool mdoc, const char *name, const char *what, const char *more)
{
	if (mdoc) {
		printf(".It Cm %s\n%s%s%s.\n", name, what, more && *more ? ": " : "",
		    more ? more : "");
		return;
	}
	wrapped(what, (size_t)printf("  %-16s ", name));
	if (more && *more)
		wrapped(more, (size_t)printf("%*s", INDENT, ""));
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

/* Name of the counter whose field is there, "" if it is never printed. */
static const char *
counter_at(size_t offset)
{
	for (size_t i = 0; i < rp_counter_count; i++)
		if (!rp_counter_table[i].ratio && rp_counter_table[i].group &&
		    rp_counter_table[i].offset == offset)
			return rp_counter_table[i].name;
	return "";
}

/* What it counts, its unit or its quotient, and the caches that it applies to. */
static void
counter_text(const struct rp_counter *c, char *to, size_t room)
{
	const char *with = c->group & RP_COUNT_ALWAYS  ? ""
	                   : c->group & RP_COUNT_MSHR  ? "; with mshr="
	                   : c->group & RP_COUNT_CLASS ? "; with classify=yes"
	                   : c->group & RP_COUNT_TREE  ? "; with --config"
	                                               : "; with gpgpusim= or preset=";
	const char *of = counter_at(c->offset), *over = c->ratio ? counter_at(c->denominator) : "";
	if (!c->ratio)
		snprintf(to, room, "%s (%s%s)", c->what, c->unit, with);
	else if (*of && *over)
		snprintf(to, room, "%s (%s / %s%s)", c->what, of, over, with);
	else
		snprintf(to, room, "%s (a ratio%s)", c->what, with);
}

static void
counters(bool mdoc)
{
	for (size_t i = 0; i < rp_counter_count; i++) {
		const struct rp_counter *c = &rp_counter_table[i];
		char text[256];
		counter_text(c, text, sizeof text);
		if (c->group) /* else it is not printed */
			item(mdoc, c->name, mdoc ? c->what : text, NULL);
	}
}

/* Keys of a cache of GPGPU-Sim. */
static void
gpgpusim(bool mdoc)
{
	for (const struct rp_opt *o = rp_gpu_keys; o->name; o++) {
		const char *arg = o->arg ? o->arg : "yes|no", *usual = o->usual ? o->usual
		                                                       : o->arg ? NULL
		                                                                : "no";
		const char *by_default = usual ? "; by default " : "";
		usual = usual ? usual : "";
		if (mdoc)
			printf(".It Cm %s Ns = Ns Ar %s\n%s%s%s.\n", o->name, arg, o->what,
			    by_default, usual);
		else
			printf("  %-10s %-10s %s%s%s\n", o->name, arg, o->what, by_default, usual);
	}
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

/* What `reprise coherence` counts: of caches, of the home, in timed mode. */
static void
coherence_counters(bool mdoc)
{
	static const char *const of[] = { "cache", "home", "time" };
	for (unsigned g = 0; g < RP_COHERENCE_GROUPS; g++)
		for (const struct rp_coherence_counter *c = rp_coherence_tables[g]; c->name; c++) {
			char text[256];
			snprintf(text, sizeof text, "%s (%s; %s)", c->what, c->unit, of[g]);
			item(mdoc, c->name, text, NULL);
		}
}

static void
protocols(bool mdoc)
{
	for (const struct rp_protocol *const *p = rp_protocols; *p; p++)
		item(mdoc, (*p)->name, (*p)->what, (*p)->source);
}

/* Keys written as key=value in one option. */
static void
keys(const struct rp_opt *rows, bool mdoc)
{
	for (const struct rp_opt *o = rows; o->name; o++) {
		const char *by_default = o->usual ? "; by default " : "";
		const char *usual = o->usual ? o->usual : "";
		if (mdoc)
			printf(".It Cm %s Ns = Ns Ar %s\n%s%s%s.\n", o->name, o->arg, o->what,
			    by_default, usual);
		else
			printf("  %-16s %s%s%s\n", o->name, o->what, by_default, usual);
	}
}

static void
timing(bool mdoc)
{
	keys(coherence_timing_keys, mdoc);
}

static void
directory(bool mdoc)
{
	keys(rp_coherence_directory_keys, mdoc);
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

static void
config(bool mdoc)
{
	for (const struct rp_opt *o = rp_level_keys; o->name; o++) {
		const char *usual = o->usual ? "; by default " : "";
		if (mdoc)
			printf(".It Cm %s : Ar %s\n%s%s%s.\n", o->name, o->arg, o->what, usual,
			    o->usual ? o->usual : "");
		else
			printf("  %-12s %s\n               %s%s%s\n", o->name, o->arg, o->what,
			    usual, o->usual ? o->usual : "");
	}
}

static const struct topic topics[] = {
	{ "policies", "replacement policies of caches", policies },
	{ "formats", "trace formats", formats },
	{ "counters", "what is counted, and ratios", counters },
	{ "presets", "caches of known GPUs", presets },
	{ "gpgpusim", "keys of a cache given by a GPGPU-Sim string or a preset", gpgpusim },
	{ "config", "keys of a level in a hierarchy's file", config },
	{ "generators", "generated traces", generators },
	{ "protocols", "coherence protocols", protocols },
	{ "directory", "keys of coherence --directory", directory },
	{ "timing", "keys of coherence --timed", timing },
	{ "coherence-counters", "what coherence counts", coherence_counters },
	{ "reading", "options for one trace format or another", reading },
};

enum { TOPICS = sizeof topics / sizeof *topics };

/* "KEY=DEFAULT  what it is (range)". */
static void
param(const struct rp_param *p)
{
	char key[64], what[512], range[64];
	bool yes_no = rp_param_is_yes_no(p);
	snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64, p->least, p->most);
	if (yes_no)
		snprintf(key, sizeof key, "%s=%s", p->name, p->usual ? "yes" : "no");
	else if (p->wanted)
		snprintf(key, sizeof key, "%s=", p->name);
	else
		snprintf(key, sizeof key, "%s=%" PRIu64, p->name, p->usual);
	snprintf(what, sizeof what, "%s (%s%s)", p->what, yes_no ? "yes or no" : range,
	    p->wanted ? "; must be given" : "");
	item(false, key, what, NULL);
}

static bool
policy(const char *name, const struct rp_plugins *plugins, struct rp_err *err)
{
	const struct rp_policy *p = rp_policy_find_with(name, plugins, err);
	if (!p)
		return false;
	item(false, p->name, p->what, NULL);
	item(false, "source", p->source ? p->source : "this project", NULL);
	item(false, "differs", p->differs ? p->differs : "in nothing", NULL);
	if (p->unbounded)
		item(false, "no capacity", "takes none of size=, sets= and ways=", NULL);
	if (p->params[0].name || p->chance)
		printf("\nKeys of its own, and their defaults:\n");
	for (size_t i = 0; i < RP_POLICY_PARAMS && p->params[i].name; i++)
		param(&p->params[i]);
	if (p->chance)
		item(false, "seed=", "of its random choices; by default --seed", NULL);
	return true;
}

static bool
protocol(const char *name, struct rp_err *err)
{
	struct rp_buf text = { 0 };
	const struct rp_protocol *p = rp_protocol_find(name, err);
	bool ok = p && rp_protocol_print(p, &text, err);
	if (ok) {
		item(false, p->name, p->what, NULL);
		item(false, "source", p->source, NULL);
		printf("\n");
		fwrite(text.bytes, 1, text.n, stdout);
	}
	rp_buf_free(&text);
	return ok;
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

/* The options of a command's part, which is called model-pascal. false: `name` is none of them. */
static bool
mdoc_part(const struct rp_command *of, const char *name)
{
	size_t n = strlen(of->name);
	for (const struct rp_command *const *c = of->parts; *c; c++)
		if (!strncmp(name, of->name, n) && name[n] == '-' &&
		    !strcmp((*c)->name, name + n + 1)) {
			mdoc_rows((*c)->opts);
			return true;
		}
	return false;
}

static bool
mdoc(const char *name, struct rp_err *err)
{
	for (size_t i = 0; i < TOPICS; i++)
		if (!strcmp(topics[i].name, name)) {
			topics[i].print(true);
			return true;
		}
	for (const struct rp_command *const *c = rp_commands; *c; c++) {
		if (!strcmp((*c)->name, name) && (*c)->opts) {
			mdoc_rows((*c)->opts);
			return true;
		}
		if ((*c)->parts && mdoc_part(*c, name))
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
	printf("usage: reprise help [--plugin FILE] TOPIC | COMMAND\n\n");
	for (size_t i = 0; i < TOPICS; i++)
		printf("  %-16s %s\n", topics[i].name, topics[i].what);
	printf("  %-16s %s\n", "policy NAME",
	    "one policy: its source, what differs from it, its parameters");
	printf("  %-16s %s\n", "protocol NAME", "one protocol, as its tables");
	printf("  %-16s %s\n", "COMMAND", "the same as reprise COMMAND --help");
	printf("\nExample: reprise help policy lru\n");
	return true;
}

/* Prints a topic, or the help of a command. */
static bool
topic_or_command(const char *name, const struct rp_plugins *plugins, struct rp_err *err)
{
	const char *names[128];
	size_t n = 0;
	for (size_t i = 0; i < TOPICS; i++) {
		if (!strcmp(topics[i].name, name)) {
			topics[i].print(false);
			for (size_t k = 0; !i && k < plugins->n; k++)
				item(false, plugins->policy[k]->name, plugins->policy[k]->what,
				    plugins->policy[k]->source);
			return true;
		}
		names[n++] = topics[i].name;
	}
	for (const struct rp_command *const *c = rp_commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return rp_command_usage(name, err);
		if (n < sizeof names / sizeof *names)
			names[n++] = (*c)->name;
	}
	const char *near = rp_nearest(name, names, n);
	return rp_fail(err, RP_USAGE, "no topic or command '%.40s'%s%s%s", name,
	    near ? "; did you mean '" : " (reprise help)", near ? near : "", near ? "'?" : "");
}

static bool
show(int n, char **argv, const struct rp_plugins *plugins, struct rp_err *err)
{
	if (n < 1 || !strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
		return overview();
	if (!strcmp(argv[0], "--mdoc") && n == 2)
		return mdoc(argv[1], err);
	if (!strcmp(argv[0], "policy"))
		return n == 2 ? policy(argv[1], plugins, err)
		              : rp_fail(err, RP_USAGE,
				    "wanted the name of one policy, as in "
				    "reprise help policy lru");
	if (!strcmp(argv[0], "protocol"))
		return n == 2 ? protocol(argv[1], err)
		              : rp_fail(err, RP_USAGE,
				    "wanted the name of one protocol, as in reprise help protocol "
				    "msi");
	if (n > 1)
		return rp_fail(err, RP_USAGE, "'%.40s': wanted one topic or command", argv[1]);
	return topic_or_command(argv[0], plugins, err);
}

/* Takes `--plugin FILE` and `--plugin=FILE` out of the arguments and loads them: how many arguments are left, or -1. */
static int
take_plugins(int n, char **argv, struct rp_plugins *plugins, struct rp_err *err)
{
	static const char option[] = "--plugin";
	int left = 0;
	for (int i = 0; i < n; i++) {
		const char *value = NULL;
		if (!strncmp(argv[i], option, strlen(option)) && argv[i][strlen(option)] == '=')
			value = argv[i] + strlen(option) + 1;
		else if (!strcmp(argv[i], option) && i + 1 < n)
			value = argv[++i];
		else
			argv[left++] = argv[i];
		if (value && !rp_plugins_load(plugins, value, err))
			return -1;
	}
	return left;
}

static bool
run_help(void *unused, int n, char **argv, struct rp_err *err)
{
	struct rp_plugins plugins = { 0 };
	(void)unused;
	n = take_plugins(n, argv, &plugins, err);
	bool ok = n >= 0 && show(n, argv, &plugins, err);
	rp_plugins_free(&plugins);
	if (!ok)
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
