/* coherence_text.c - the results of `reprise coherence` for people: the verdict, what to do, the counters, the lines. */
#include "config.h"

#include "coherence.h"

#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 79, LABEL = 10, CACHES_SHOWN = 16, LIST_ROOM = 25 };

/* A label in the first columns, and a text wrapped behind it. */
static bool say(struct rp_out *to, struct rp_err *err, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool
say(struct rp_out *to, struct rp_err *err, const char *label, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	size_t column = LABEL;
	bool ok = rp_out_printf(to, err, "%-*s", LABEL, label);
	for (const char *p = text; ok && *p;) {
		size_t word = strcspn(p, " ");
		if (!strncmp(p + word, " %", 2)) /* stays with its number */
			word += 2 + strcspn(p + word + 2, " ");
		if (column + 1 + word > WIDTH && column > LABEL) {
			ok = rp_out_printf(to, err, "\n%*s", LABEL, "");
			column = LABEL;
		} else if (p > text) {
			ok = rp_out_write(to, " ", 1, err);
			column++;
		}
		ok = ok && rp_out_write(to, p, word, err);
		column += word;
		p += word + (p[word] == ' ');
	}
	return ok && rp_out_write(to, "\n", 1, err);
}

/* "s" where there are several. */
static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* A counter of the document, by its path. */
static uint64_t
at(json_t *doc, const char *path)
{
	return (uint64_t)json_integer_value(rp_emit_at(doc, path));
}

/* The share in percent, cut after the tenths: what is just below a threshold shall not look as if it reached it. */
static double
percent(uint64_t part, uint64_t of)
{
	return of ? floor(1000.0 * (double)part / (double)of) / 10 : 0;
}

static bool
is(json_t *object, const char *path, const char *text)
{
	const char *s = json_string_value(rp_emit_at(object, path));
	return s && !strcmp(s, text);
}

/* What was simulated. */
static bool
print_setup(struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	const struct rp_coherence_config *c = rp_coherence_config(run->k);
	char size[24], directory[96] = "a full directory";
	rp_print_size(size, sizeof size, (uint64_t)c->sets * c->ways * c->line);
	const char *unit = strpbrk(size, "KMG") ? "" : " bytes";
	if (c->sparse)
		snprintf(directory, sizeof directory,
		    "a sparse directory of %" PRIu32 " set%s of %" PRIu32 " entr%s, %s",
		    c->dir_sets, plural(c->dir_sets), c->dir_ways, c->dir_ways == 1 ? "y" : "ies",
		    c->dir_fifo ? "fifo" : "lru");
	uint64_t caches = at(doc, "config.caches");
	return (run->scenario.root ? say(to, err, "scenario", "%s", run->o->scenario)
				   : rp_input_print(to, json_object_get(doc, "trace"), err)) &&
	       say(to, err, "caches",
		   "%" PRIu64 " of %s%s: %" PRIu32 " set%s of %" PRIu32 " line%s of %" PRIu32
		   " bytes, %s",
		   caches, size, unit, c->sets, plural(c->sets), c->ways, plural(c->ways), c->line,
		   c->policy->name) &&
	       say(to, err, "protocol", "%s with %s; clean evictions are %s; %s", c->protocol->name,
		   directory, c->silent ? "silent" : "explicit",
		   c->timed ? "timed mode" : "each access is one transaction, in trace order") &&
	       (!run->warmup ||
		   say(to, err, "warm-up", "%" PRIu64 " accesses, not counted", run->warmup));
}

/* What all lines together would be called by the bytes, with the shares that decide for one. */
static const char *
of_all(json_t *doc)
{
	uint64_t t = at(doc, "totals.coherence_true"), f = at(doc, "totals.coherence_false");
	return 10 * f >= 9 * (t + f)   ? "false sharing"
	       : 10 * t >= 9 * (t + f) ? "true sharing"
	                               : "mixed";
}

/* What a bound run is by the bytes: its hottest line, or without statistics by line all of them. */
static const char *
by_bytes(json_t *doc)
{
	json_t *hot = rp_emit_at(doc, "report.hot_line");
	return json_is_null(hot) ? of_all(doc)
	                         : json_string_value(rp_emit_at(doc, "report.mask_verdict"));
}

bool
coherence_print_verdict(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *r = json_object_get(doc, "report"), *hot = json_object_get(r, "hot_line");
	bool bound = json_is_true(json_object_get(r, "coherence_bound")),
	     directory = json_is_true(json_object_get(r, "directory_bound"));
	uint64_t misses = at(doc, "totals.misses"), accesses = at(doc, "totals.accesses"),
		 dir = at(doc, "totals.coherence_dir"), sharing = at(doc, "totals.coherence") - dir;
	char line[64] = "", count[32];
	rp_print_count(count, accesses);
	if (json_is_integer(hot))
		snprintf(line, sizeof line, "; the hottest line is 0x%" PRIx64,
		    (uint64_t)json_integer_value(hot));
	else if (json_is_string(hot))
		snprintf(line, sizeof line, "; the hottest line is %s", json_string_value(hot));
	bool ok =
	    !bound ? say(to, err, "verdict", "not coherence-bound%s",
			 directory ? ", but bound by the directory: it is too small" : "")
	    : *line
		? say(to, err, "verdict",
		      "coherence-bound: %s by the bytes used, %s by the offsets of misses%s",
		      by_bytes(doc), json_string_value(json_object_get(r, "offsets_verdict")), line)
		: say(to, err, "verdict",
		      "coherence-bound: %s by the bytes used in all lines together; without "
		      "--no-lines it would be known which lines",
		      by_bytes(doc));
	return ok && say(to, err, "because",
			 "of %s line access%s %.1f %% miss; of the misses %.1f %% find modified "
			 "data in another cache, %.1f %% had their line taken by another's store, "
			 "%.1f %% by the directory (a run is bound from 50 %% of the first two on)",
			 count, accesses == 1 ? "" : "es", percent(misses, accesses),
			 percent(at(doc, "totals.hitm"), misses), percent(sharing, misses),
			 percent(dir, misses));
}

static const char of_false_sharing[] =
    "the caches use different bytes of the same lines: pad or align what each thread writes to "
    "lines of its own, or keep apart what different threads write; then run this again";
static const char of_true_sharing[] =
    "the caches use the very bytes that others write, so padding does not help: share less often "
    "(copies of each thread that are merged now and then, batches, another lock), or keep the data "
    "with one thread";
static const char of_mixed_sharing[] =
    "some lives of the copies use what others wrote, some do not: first move apart the fields that "
    "different threads write (the offsets below), then see what true sharing is left";

/* What to do about sharing; `verdict` is by the bytes. */
static const char *
advice_on_sharing(const char *verdict)
{
	return !strcmp(verdict, "false sharing")  ? of_false_sharing
	       : !strcmp(verdict, "true sharing") ? of_true_sharing
	                                          : of_mixed_sharing;
}

/* What to do where sharing is not the problem: what most misses are. */
static const char *
advice_on_misses(json_t *doc)
{
	uint64_t misses = at(doc, "totals.misses"), cold = at(doc, "totals.cold"),
		 capacity = at(doc, "totals.capacity"), conflict = at(doc, "totals.conflict"),
		 coherence = at(doc, "totals.coherence") - at(doc, "totals.coherence_dir");
	if (!misses)
		return "nothing missed: there is nothing to do here";
	if (json_is_true(rp_emit_at(doc, "report.directory_bound")))
		return "most misses are on lines that the caches had to give back when the "
		       "directory replaced their entries: give it more of them";
	if (capacity >= cold && capacity >= conflict && capacity >= coherence)
		return "most misses are for want of capacity: make what is used together smaller "
		       "(blocking), or look with `reprise profile` at what a larger cache gives";
	if (conflict >= cold && conflict >= coherence)
		return "most misses are conflicts: more ways, or other distances between what is "
		       "used together";
	if (cold >= coherence)
		return "most misses are first touches: a longer trace or --warmup shows whether "
		       "they matter";
	return "sharing is the largest class of misses, but not half of them: look at the lines "
	       "below";
}

/* What to do next. */
static bool
print_next(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *r = json_object_get(doc, "report");
	uint64_t misses = at(doc, "totals.misses"),
		 sharing = at(doc, "totals.coherence") - at(doc, "totals.coherence_dir");
	if (json_is_true(json_object_get(r, "coherence_bound")))
		return say(to, err, "next", "%s", advice_on_sharing(by_bytes(doc)));
	if (!sharing || 2 * sharing < misses)
		return say(to, err, "next", "%s", advice_on_misses(doc));
	return say(to, err, "next",
	    "most misses are coherence misses all the same, though few find modified data: with "
	    "one "
	    "writer and many readers only the first reader after a store does; %s",
	    advice_on_sharing(of_all(doc)));
}

static bool
print_advice(struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	uint64_t evicted = at(doc, "home.dir_evictions");
	bool ok = print_next(to, doc, err);
	if (ok && evicted)
		ok = say(to, err, "directory",
		    "%" PRIu64 " entries were replaced, which took %" PRIu64
		    " copies from the caches and made %" PRIu64
		    " misses: compare with more sets= or ways=, or with --directory full",
		    evicted, at(doc, "home.back_invalidations"), at(doc, "totals.coherence_dir"));
	const char *table = run->times ? run->times->table_verdict : NULL;
	if (ok && table && !strcmp(table, "bottleneck"))
		ok = say(to, err, "table",
		    "the home's pending table is the bottleneck: it is nearly full all the time, "
		    "and requests wait for it. More pending_entries=, or fewer requests");
	if (ok && table && !strcmp(table, "bursts"))
		ok = say(to, err, "table",
		    "bursts of requests fill the home's pending table now and then; on average "
		    "there is room");
	return ok;
}

/* What the numbers do not tell, where it could mislead here. */
static bool
print_limits(struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	const struct rp_coherence_config *c = rp_coherence_config(run->k);
	json_t *lines = rp_emit_at(doc, "report.lines"), *x;
	uint64_t open = at(doc, "totals.open_at_end"), disagree = 0;
	size_t i;
	bool ok = true;
	json_array_foreach(lines, i, x)
	{
		bool offsets = is(x, "offsets_verdict", "true sharing"),
		     masks = is(x, "mask_verdict", "true sharing");
		disagree += offsets != masks && !is(x, "offsets_verdict", "none") &&
		            !is(x, "mask_verdict", "none") && !is(x, "mask_verdict", "mixed");
	}
	if (disagree)
		ok = say(to, err, "note",
		    "of the lines below the two verdicts differ on %" PRIu64
		    "; then the bytes are right. Offsets only see where accesses miss: two readers "
		    "of a word look like true sharing though a third cache writes another; a "
		    "consumer that reads a header first, or accesses that overlap, look like false",
		    disagree);
	if (ok && c->word_bytes > 1)
		ok = say(to, err, "note",
		    "bytes are told apart by words of %" PRIu32
		    ": neighbours in a word look like true sharing",
		    c->word_bytes);
	if (ok && open)
		ok = say(to, err, "note",
		    "%" PRIu64 " of the false sharing misses %s undecided when the trace ended",
		    open, open == 1 ? "was" : "were");
	if (ok && strcmp(c->policy->name, "lru") && at(doc, "totals.conflict"))
		ok = say(to, err, "note",
		    "conflict misses are those that a fully associative lru cache would not have: "
		    "with %s they include what the policy itself gets wrong",
		    c->policy->name);
	return ok;
}

static void
class_row(json_t *rows, const char *class, uint64_t n, uint64_t misses)
{
	json_array_append_new(rows, json_pack("{ss so so}", "class", class, "misses",
					rp_emit_count(n), "share", rp_emit_ratio(n, misses)));
}

static bool
print_classes(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "misses by class", "class", RP_CELL_TEXT },
		{ "misses", "misses", RP_CELL_COUNT }, { "of all", "share", RP_CELL_RATIO } };
	static const char *const rows_of[][2] = { { "cold", "cold" }, { "capacity", "capacity" },
		{ "conflict", "conflict" }, { "true sharing", "coherence_true" },
		{ "false sharing", "coherence_false" }, { "directory", "coherence_dir" } };
	json_t *rows = json_array(), *totals = json_object_get(doc, "totals");
	for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++)
		class_row(rows, rows_of[i][0], at(totals, rows_of[i][1]), at(totals, "misses"));
	class_row(rows, "all", at(totals, "misses"), at(totals, "misses"));
	bool ok = rp_out_printf(to, err, "\n") &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_caches(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
		{ "accesses", "accesses", RP_CELL_COUNT }, { "misses", "misses", RP_CELL_COUNT },
		{ "coherence", "coherence", RP_CELL_COUNT },
		{ "hit-modified", "hitm", RP_CELL_COUNT },
		{ "upgrades", "upgrades", RP_CELL_COUNT },
		{ "Inv", "inv_received", RP_CELL_COUNT } };
	json_t *each = json_object_get(doc, "per_cache"), *c,
	       *streams = json_object_get(doc, "streams");
	size_t i;
	if (!json_array_size(each))
		return true;
	json_t *rows = json_array();
	json_array_foreach(each, i, c)
	{
		if (i == CACHES_SHOWN)
			break;
		json_t *row = json_copy(c);
		json_int_t stream = json_integer_value(json_array_get(streams, i));
		json_object_set_new(row, "name",
		    stream == (json_int_t)i
			? json_sprintf("%zu", i)
			: json_sprintf("%zu (stream %" JSON_INTEGER_FORMAT ")", i, stream));
		json_array_append_new(rows, row);
	}
	bool ok = rp_out_printf(to, err, "\n") &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	size_t n = json_array_size(each);
	if (ok && n > CACHES_SHOWN)
		ok = rp_out_printf(to, err, "... and %zu more: --csv has all\n", n - CACHES_SHOWN);
	json_decref(rows);
	return ok;
}

/* The home's counters, several on a line. */
static bool
print_home(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *h = json_object_get(doc, "home");
#define N(name) at(h, name)
	return rp_out_printf(to, err, "\n") &&
	       say(to, err, "home",
		   "%" PRIu64 " GetS, %" PRIu64 " GetM (%" PRIu64 " of them upgrades), %" PRIu64
		   " PutS, %" PRIu64 " PutM",
		   N("gets"), N("getm"), N("upgrades"), N("puts"), N("putm")) &&
	       say(to, err, "",
		   "%" PRIu64 " forwards (%" PRIu64 " to share, %" PRIu64 " to pass on), %" PRIu64
		   " Inv (%" PRIu64 " for stores, %" PRIu64 " for directory entries)",
		   N("forwards"), N("fwd_gets"), N("fwd_getm"), N("inv_sent"), N("inv_sent_demand"),
		   N("inv_sent_back")) &&
	       say(to, err, "", "%" PRIu64 " line%s read from memory, %" PRIu64 " written",
		   N("mem_reads"), plural(N("mem_reads")), N("mem_writes")) &&
	       say(to, err, "",
		   "directory entries: %" PRIu64 " at most, %" PRIu64 " made, %" PRIu64
		   " freed, %" PRIu64 " replaced",
		   N("dir_peak_entries"), N("dir_allocs"), N("dir_frees"), N("dir_evictions"));
#undef N
}

/* Timed mode: where time goes. */
static bool
print_times(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *t = json_object_get(doc, "timed");
	if (!t)
		return true;
	uint64_t cycles = at(t, "cycles"), n = at(t, "transactions"),
		 accesses = at(doc, "totals.accesses");
#define MEAN(sum, of) ((of) ? (double)(sum) / (double)(of) : 0.0)
	return rp_out_printf(to, err, "\n") &&
	       say(to, err, "time",
		   "%" PRIu64 " cycles; %.1f for an access, %.1f in the table for each of %" PRIu64
		   " transactions (%" PRIu64 " at most)",
		   cycles, MEAN(at(t, "sum_access_latency"), accesses),
		   MEAN(at(t, "sum_residence"), n), n, at(t, "max_residence")) &&
	       say(to, err, "table",
		   "%.2f entries in use on average, %" PRIu64 " at most of %" PRIu64
		   "; full for %.1f %% of the time: %s",
		   MEAN(at(t, "occupancy_integral"), cycles), at(t, "occupancy_max"),
		   at(doc, "config.timing.pending_entries"), percent(at(t, "full_cycles"), cycles),
		   json_string_value(json_object_get(t, "table_verdict"))) &&
	       say(to, err, "waiting",
		   "%" PRIu64 " requests for a busy line, %" PRIu64 " for the table, %" PRIu64
		   " for a directory set, %" PRIu64 " cycles together; %" PRIu64
		   " refused, %" PRIu64 " sent again; %" PRIu64 " upgrades lost their copy first",
		   at(t, "holds_busy"), at(t, "holds_full"), at(t, "holds_dirset"),
		   at(t, "hold_cycles"), at(t, "nacks"), at(t, "retries"),
		   at(t, "upgrade_races")) &&
	       say(to, err, "MSHRs",
		   "%" PRIu64 " accesses joined a request, %" PRIu64 " could not be issued at "
		   "once, for %" PRIu64 " cycles",
		   at(t, "mshr_merges"), at(t, "mshr_stalls"), at(t, "mshr_stall_cycles"));
#undef MEAN
}

/* Numbers as "0-3 7", cut where room ends. */
static json_t *
list_text(json_t *numbers)
{
	char text[LIST_ROOM + 32] = "";
	size_t n = json_array_size(numbers), used = 0;
	for (size_t i = 0, last; i < n; i = last + 1) {
		json_int_t first = json_integer_value(json_array_get(numbers, i)), x = first;
		for (last = i; last + 1 < n &&
			       json_integer_value(json_array_get(numbers, last + 1)) == x + 1;)
			x = json_integer_value(json_array_get(numbers, ++last));
		char one[48];
		snprintf(one, sizeof one,
		    x > first ? "%s%" JSON_INTEGER_FORMAT "-%" JSON_INTEGER_FORMAT
			      : "%s%" JSON_INTEGER_FORMAT,
		    used ? " " : "", first, x);
		if (used + strlen(one) > LIST_ROOM - 13) {
			snprintf(text + used, sizeof text - used, " ...");
			break;
		}
		used += (size_t)snprintf(text + used, sizeof text - used, "%s", one);
	}
	return json_string(*text ? text : "-");
}

/* Offsets and the caches that missed at them: "0:0-3 8:1", cut where room ends. */
static json_t *
offsets_text(json_t *offsets)
{
	char text[2 * LIST_ROOM + 8] = "";
	size_t used = 0, i;
	json_t *o;
	json_array_foreach(offsets, i, o)
	{
		char one[96];
		json_t *caches = list_text(json_array_get(o, 1));
		const char *list = json_string_value(caches);
		snprintf(one, sizeof one, "%s%" JSON_INTEGER_FORMAT ":%s", used ? ", " : "",
		    json_integer_value(json_array_get(o, 0)), list ? list : "?");
		json_decref(caches);
		if (used + strlen(one) > LIST_ROOM) {
			snprintf(text + used, sizeof text - used, "%s...", used ? ", " : "");
			break;
		}
		used += (size_t)snprintf(text + used, sizeof text - used, "%s", one);
	}
	return json_string(*text ? text : "-");
}

/* A verdict in a word. */
static const char *
word_of(json_t *line, const char *which)
{
	const char *s = json_string_value(json_object_get(line, which));
	static const char *const words[][2] = { { "true sharing", "true" },
		{ "false sharing", "false" }, { "false-sharing candidate", "false?" },
		{ "mixed", "mixed" } };
	for (size_t i = 0; s && i < sizeof words / sizeof *words; i++)
		if (!strcmp(s, words[i][0]))
			return words[i][1];
	return "-";
}

static json_t *
line_rows(json_t *lines)
{
	json_t *rows = json_array(), *x;
	size_t i;
	json_array_foreach(lines, i, x)
	{
		json_t *row = json_copy(x), *address = json_object_get(x, "line");
		json_object_set_new(row, "name",
		    json_is_string(address)
			? json_incref(address)
			: json_sprintf("0x%" PRIx64, (uint64_t)json_integer_value(address)));
		json_object_set_new(row, "by bytes", json_string(word_of(x, "mask_verdict")));
		json_object_set_new(row, "by offsets", json_string(word_of(x, "offsets_verdict")));
		json_object_set_new(row, "wrote", list_text(json_object_get(x, "writers")));
		json_object_set_new(row, "read", list_text(json_object_get(x, "readers")));
		json_object_set_new(row, "at", offsets_text(json_object_get(x, "offsets")));
		json_array_append_new(rows, row);
	}
	return rows;
}

static bool
print_lines(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view what[] = { { "line", "name", RP_CELL_HEX },
		{ "accesses", "accesses", RP_CELL_COUNT }, { "hit-mod.", "hitm", RP_CELL_COUNT },
		{ "true", "true", RP_CELL_COUNT }, { "false", "false", RP_CELL_COUNT },
		{ "dir", "dir", RP_CELL_COUNT }, { "bytes", "by bytes", RP_CELL_TEXT },
		{ "offsets", "by offsets", RP_CELL_TEXT } };
	static const struct rp_view who[] = { { "line", "name", RP_CELL_HEX },
		{ "writers", "wrote", RP_CELL_TEXT }, { "readers", "read", RP_CELL_TEXT },
		{ "offset:caches of hit-modified", "at", RP_CELL_TEXT } };
	json_t *lines = rp_emit_at(doc, "report.lines");
	if (!json_array_size(lines))
		return true;
	json_t *rows = line_rows(lines);
	bool ok = rp_out_printf(to, err,
		      "\nlines to look at, with the verdict by bytes and by "
		      "offsets\n") &&
	          rp_emit_table(to, rows, what, sizeof what / sizeof *what, false, err) &&
	          rp_out_printf(to, err, "\n") &&
	          rp_emit_table(to, rows, who, sizeof who / sizeof *who, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_intervals(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "interval", "interval", RP_CELL_COUNT },
		{ "accesses", "totals.accesses", RP_CELL_COUNT },
		{ "misses", "totals.misses", RP_CELL_COUNT },
		{ "coherence", "totals.coherence", RP_CELL_COUNT },
		{ "hit-modified", "totals.hitm", RP_CELL_COUNT } };
	json_t *rows = json_object_get(doc, "intervals");
	return !rows || (rp_out_printf(to, err, "\n") &&
			    rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err));
}

bool
coherence_print_text(
    struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	json_t *w;
	size_t i;
	bool ok = print_setup(to, run, doc, err) && rp_out_printf(to, err, "\n") &&
	          coherence_print_verdict(to, doc, err) && print_advice(to, run, doc, err) &&
	          print_limits(to, run, doc, err) && print_classes(to, doc, err) &&
	          print_caches(to, doc, err) && print_home(to, doc, err) &&
	          print_times(to, doc, err) && print_lines(to, doc, err) &&
	          print_intervals(to, doc, err);
	json_array_foreach(json_object_get(doc, "warnings"), i, w)
	{
		ok = ok && (i || rp_out_printf(to, err, "\n")) &&
		     say(to, err, "warning:", "%s", json_string_value(w));
	}
	double rate = json_number_value(json_object_get(doc, "accesses_per_s"));
	return ok &&
	       rp_out_printf(to, err, "\n%.2f s, %.1f M accesses/s\n", run->elapsed, rate / 1e6);
}

/* A row of counters with a name in front. */
static void
csv_row(json_t *rows, const char *name, json_t *stream, json_t *counters)
{
	json_t *row = json_copy(counters);
	json_object_set_new(row, "cache", json_string(name));
	if (stream)
		json_object_set(row, "stream", stream);
	json_array_append_new(rows, row);
}

/* Whether no column has that name yet: caches and home both have upgrades. */
static bool
is_new(const struct rp_view *view, size_t n, const char *name)
{
	while (n && strcmp(view[n - 1].heading, name))
		n--;
	return !n;
}

bool
coherence_print_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	enum { VIEWS_MOST = 128 };
	struct rp_view view[VIEWS_MOST] = { { "cache", "cache", RP_CELL_TEXT },
		{ "stream", "stream", RP_CELL_COUNT } };
	size_t n = 2, i;
	json_t *rows = json_array(), *c;
	static const char *const part[] = { "totals", "home", "timed" };
	for (unsigned g = 0; g < RP_COHERENCE_GROUPS; g++)
		for (const struct rp_coherence_counter *r = rp_coherence_tables[g]; r->name; r++)
			if (n < VIEWS_MOST && json_object_get(doc, part[g]) &&
			    is_new(view, n, r->name))
				view[n++] = (struct rp_view){ r->name, r->name, RP_CELL_COUNT };
	for (size_t p = 0; p < sizeof part / sizeof *part; p++)
		if ((c = json_object_get(doc, part[p])))
			csv_row(rows, p ? part[p] : "all", NULL, c);
	json_array_foreach(json_object_get(doc, "per_cache"), i, c)
	{
		char name[24];
		snprintf(name, sizeof name, "%zu", i);
		csv_row(rows, name, json_array_get(json_object_get(doc, "streams"), i), c);
	}
	bool ok = rp_emit_csv(to, rows, view, n, false, err);
	json_decref(rows);
	return ok;
}
