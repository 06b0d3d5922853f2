/* label_write.c - a data set's files, and what is printed.
 *
 * SHA256SUMS comes last: a folder that has it has all. */
#include "config.h"

#include "command.h"
#include "label.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char sums_name[] = "SHA256SUMS";

char *
label_path(const struct label_run *run, const char *name, struct rp_err *err)
{
	const char *dir = run->o->output;
	size_t room = strlen(dir) + strlen(name) + 2;
	char *path = rp_mem_array(room, 1, err);
	if (path)
		snprintf(path, room, "%s/%s", dir, name);
	return path;
}

/* ---- the folder ---- */

/* What a run that was killed was about to write: NAME.PID-N.tmp (base/out.h). */
static void
remove_leftovers(const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, NULL, NULL);
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name, *end = strrchr(name, '.');
		static const char *const ours[] = { "traces.", "samples.", "aggregates.",
			"design.json.", "meta.json.", "DATASHEET.md.", "SHA256SUMS." };
		for (size_t k = 0; end && !strcmp(end, ".tmp") && k < 7; k++)
			if (!strncmp(name, ours[k], strlen(ours[k]))) {
				char path[4096];
				snprintf(path, sizeof path, "%s/%s", dir, name);
				unlink(path);
			}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static bool
same_set(const struct label_run *run, bool *same, struct rp_err *err)
{
	char *path = label_path(run, "meta.json", err);
	json_error_t why;
	json_t *there = path ? json_load_file(path, 0, &why) : NULL,
	       *plan = json_loads(run->plan, 0, &why);
	*same = there && json_equal(json_object_get(there, "plan"), plan);
	json_decref(there);
	json_decref(plan);
	free(path);
	return path;
}

char *
label_share_path(const struct label_run *run, struct rp_err *err)
{
	char name[80];
	snprintf(
	    name, sizeof name, "share-%" PRIu64 "-of-%" PRIu64 ".rows", run->share, run->shares);
	return label_path(run, name, err);
}

/* What is there is done: by a run like this one, or another. */
static bool
look_at_done(const struct label_run *run, const char *path, bool *finished, struct rp_err *err)
{
	const char *dir = run->o->output, *what = run->shares > 1 ? "share" : "data set";
	bool same;
	if (run->shares > 1 ? !label_journal_same(run, path, &same, err)
			    : !same_set(run, &same, err))
		return false;
	*finished = same && run->o->resume;
	return *finished || rp_fail(err, same ? RP_USAGE : RP_INPUT,
				"%s has %s %s: remove it, or wanted another folder", dir,
				same ? "this" : "another", what);
}

bool
label_folder(struct label_run *run, bool *finished, struct rp_err *err)
{
	const char *dir = run->o->output;
	*finished = false;
	run->made = !mkdir(dir, 0777);
	if (!run->made && errno != EEXIST)
		return rp_fail_errno(err, RP_INPUT, "%s: cannot be made", dir);
	char *last = run->shares > 1 ? label_share_path(run, err) : label_path(run, sums_name, err),
	     *journal = label_path(run, "label.journal", err);
	bool ok = last && journal;
	if (ok && !access(last, F_OK) && access(journal, F_OK))
		ok = look_at_done(run, last, finished, err);
	if (ok && !*finished)
		remove_leftovers(dir);
	free(last);
	free(journal);
	return ok;
}

/* ---- the files ---- */

struct writing {
	struct label_run *run;
	struct rp_tables *tables;
	json_t *sums; /* {"file": SHA-256} */
	enum rp_table which;
	const json_t *doc;
};

static bool
write_file(struct writing *w, const char *name,
    bool (*write)(struct writing *w, struct rp_out *to, struct rp_err *err), struct rp_err *err)
{
	char *path = label_path(w->run, name, err), sum[65];
	struct rp_out *to = path ? rp_out_open(path, err) : NULL;
	bool ok = to && write(w, to, err);
	if (ok)
		ok = rp_out_commit(to, err);
	else
		rp_out_abort(to);
	if (ok && strcmp(name, sums_name))
		ok = rp_sha256_file(path, sum, err) &&
		     !json_object_set_new(w->sums, name, json_string(sum));
	free(path);
	return ok;
}

static bool
put_npz(struct writing *w, struct rp_out *to, struct rp_err *err)
{
	return rp_tables_npz(w->tables, w->which, to, err);
}

static bool
put_csv(struct writing *w, struct rp_out *to, struct rp_err *err)
{
	return rp_tables_csv(w->tables, w->which, to, err);
}

static bool
put_json(struct writing *w, struct rp_out *to, struct rp_err *err)
{
	return rp_emit_json(to, w->doc, err);
}

static bool
put_sheet(struct writing *w, struct rp_out *to, struct rp_err *err)
{
	return label_sheet(w->run, w->tables, w->sums, to, err);
}

static bool
put_sums(struct writing *w, struct rp_out *to, struct rp_err *err)
{
	const char *name;
	json_t *sum;
	bool ok = true;
	json_object_foreach(w->sums, name, sum)
	{
		ok = ok && rp_out_printf(to, err, "%s  %s\n", json_string_value(sum), name);
	}
	return ok;
}

static bool
write_doc(struct writing *w, const char *name, json_t *doc, struct rp_err *err)
{
	w->doc = doc;
	bool ok = rp_emit_whole(doc, err) && write_file(w, name, put_json, err);
	json_decref(doc);
	return ok;
}

/* Those of items, whose text is in lines. */
static void
add_warnings(const struct label_run *run, json_t *list)
{
	struct rp_buf line = { 0 };
	for (size_t i = 0; i < run->items; i++)
		for (const char *at = run->warning[i], *end; at && *at; at = end) {
			end = at + strcspn(at, "\n");
			line.n = 0;
			if (rp_buf_printf(&line, NULL, "%.*s", (int)(end - at), at))
				json_array_append_new(list, rp_emit_text((char *)line.bytes));
			end += *end == '\n';
		}
	rp_buf_free(&line);
}

/* The design, which makes the same again, and all that is needed to read the tables. */
static bool
write_docs(struct writing *w, struct rp_err *err)
{
	json_error_t why;
	rp_emit_begin();
	json_t *plan = json_loads(w->run->plan, 0, &why), *warnings = json_array(),
	       *meta = json_pack("{sO so so s{so so}}", "plan", plan, "warnings", warnings, "codes",
		   rp_tables_codes(), "columns", "traces",
		   rp_tables_columns(w->tables, RP_TABLE_TRACES), "samples",
		   rp_tables_columns(w->tables, RP_TABLE_SAMPLES));
	add_warnings(w->run, warnings);
	json_t *design = json_incref(json_object_get(plan, "design"));
	bool synthetic = json_integer_value(json_object_get(plan, "synthetic")) > 0;
	bool ok = (!synthetic || write_doc(w, "design.json", json_incref(design), err)) &&
	          write_doc(w, "meta.json", meta, err);
	json_decref(design);
	json_decref(plan);
	return ok;
}

static bool
write_tables(struct writing *w, struct rp_err *err)
{
	static const struct {
		const char *name;
		enum rp_table which;
		bool (*put)(struct writing *w, struct rp_out *to, struct rp_err *err);
	} file[] = { { "traces.npz", RP_TABLE_TRACES, put_npz },
		{ "traces.csv", RP_TABLE_TRACES, put_csv },
		{ "samples.npz", RP_TABLE_SAMPLES, put_npz },
		{ "samples.csv", RP_TABLE_SAMPLES, put_csv },
		{ "aggregates.csv", RP_TABLE_AGGREGATES, put_csv } };
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		w->which = file[i].which;
		if ((w->which != RP_TABLE_AGGREGATES || w->tables->aggregates) &&
		    !write_file(w, file[i].name, file[i].put, err))
			return false;
	}
	return true;
}

bool
label_write(struct label_run *run, struct rp_err *err)
{
	struct rp_tables t = { 0 };
	struct writing w = { .run = run, .tables = &t, .sums = json_object() };
	bool ok = rp_tables_make(&t, run->block, run->items, err) && write_docs(&w, err) &&
	          write_tables(&w, err) && write_file(&w, "DATASHEET.md", put_sheet, err) &&
	          write_file(&w, sums_name, put_sums, err);
	json_decref(w.sums);
	rp_tables_free(&t);
	return ok;
}

/* ---- what is printed ---- */

static void
print_warnings(const json_t *warnings)
{
	json_t *text;
	size_t i;
	json_array_foreach((json_t *)(uintptr_t)warnings, i, text)
	{
		fprintf(stderr, "reprise: label: %s\n", json_string_value(text));
	}
}

/* All of them. */
static json_t *
all_warnings(const struct label_run *run)
{
	json_t *list = json_copy(run->warnings);
	add_warnings(run, list);
	if (rp_interrupted && run->o->json) /* else the error says it */
		json_array_append_new(
		    list, json_string("interrupted: this is of a part of the traces"));
	return list;
}

static bool
print_text(struct rp_out *to, const struct rp_tables *t, json_t *rows, struct rp_err *err)
{
	static const struct rp_view view[] = { { "row", "tid", RP_CELL_COUNT },
		{ "sets", "sets", RP_CELL_COUNT }, { "ways", "ways", RP_CELL_COUNT },
		{ "latency", "latency", RP_CELL_COUNT }, { "MSHRs", "entries", RP_CELL_COUNT },
		{ "policy", "policy", RP_CELL_TEXT }, { "missed", "miss_rate", RP_CELL_RATIO },
		{ "merged", "merge_rate", RP_CELL_RATIO }, { "prior", "prior_miss", RP_CELL_RATIO },
		{ "merged", "prior_merge", RP_CELL_RATIO } };
	char traces[32], samples[32];
	rp_print_count(traces, t->traces);
	rp_print_count(samples, t->samples);
	return rp_out_printf(to, err, "%s intervals or traces, %s rows\n\n", traces, samples) &&
	       rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
}

bool
label_print_rows(struct label_run *run, struct rp_err *err)
{
	struct rp_tables t = { 0 };
	const struct label_opts *o = run->o;
	json_t *doc = NULL;
	rp_emit_begin();
	json_t *warnings = all_warnings(run);
	bool ok = rp_tables_make(&t, run->block, run->items, err);
	if (ok && !o->csv)
		doc = json_pack("{ss ss so so so sO}", "reprise", PACKAGE_VERSION, "command",
		    "label", "traces", rp_tables_json(&t, RP_TABLE_TRACES), "samples",
		    rp_tables_json(&t, RP_TABLE_SAMPLES), "aggregates",
		    rp_tables_json(&t, RP_TABLE_AGGREGATES), "warnings", warnings);
	struct rp_out *to =
	    ok && (o->csv || rp_emit_whole(doc, err)) ? rp_out_open("-", err) : NULL;
	ok = to && (o->csv       ? rp_tables_csv(&t, RP_TABLE_SAMPLES, to, err)
		       : o->json ? rp_emit_json(to, doc, err)
				 : print_text(to, &t, json_object_get(doc, "samples"), err));
	if (ok)
		ok = rp_out_commit(to, err);
	else
		rp_out_abort(to);
	if (ok && !o->json)
		print_warnings(warnings);
	json_decref(doc);
	json_decref(warnings);
	rp_tables_free(&t);
	return ok;
}

bool
label_print_summary(struct label_run *run, struct rp_err *err)
{
	const struct label_opts *o = run->o;
	size_t mine = 0;
	for (size_t i = 0; i < run->items; i++)
		mine += label_is_own(run, i);
	rp_emit_begin();
	json_t *warnings = all_warnings(run);
	json_t *doc = json_pack("{ss ss so sI sI sO}", "reprise", PACKAGE_VERSION, "command",
	    "label", "output", rp_emit_text(o->output), "synthetic", (json_int_t)run->synthetic,
	    "real", (json_int_t)(run->items - run->synthetic), "warnings", warnings);
	if (run->shares > 1)
		json_object_set_new(doc, "share",
		    json_pack("{sI sI sI}", "index", (json_int_t)run->share, "of",
			(json_int_t)run->shares, "items", (json_int_t)mine));
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open("-", err) : NULL;
	bool ok = to;
	if (ok && o->json)
		ok = rp_emit_json(to, doc, err);
	else if (ok && run->shares > 1)
		ok = rp_out_printf(to, err,
		    "%s: share %" PRIu64 " of %" PRIu64 ", %zu of %zu traces\n", o->output,
		    run->share, run->shares, mine, run->items);
	else if (ok)
		ok = rp_out_printf(to, err,
		    "%s: %zu synthetic and %zu real traces; read %s/DATASHEET.md\n", o->output,
		    run->synthetic, run->items - run->synthetic, o->output);
	if (ok && !o->json)
		print_warnings(warnings);
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(doc);
	json_decref(warnings);
	return ok;
}
