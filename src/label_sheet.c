/* label_sheet.c - DATASHEET.md: what a data set is, for those who are given it. */
#include "config.h"

#include "label.h"

#include "base/emit.h"

#include <stdio.h>
#include <string.h>

/* `| name | text |` for each key of a design. */
static bool
put_keys(struct rp_out *to, json_t *design, struct rp_err *err)
{
	const char *key;
	json_t *v;
	bool ok = true;
	json_object_foreach(design, key, v)
	{
		if (json_is_object(v)) {
			ok = ok && put_keys(to, v, err);
			continue;
		}
		char *text = json_dumps(v, JSON_ENCODE_ANY);
		ok = ok && text && rp_out_printf(to, err, "| %s | `%s` |\n", key, text);
		free(text);
	}
	return ok;
}

static bool
put_spread(struct rp_out *to, const struct rp_tables *t, enum rp_table which, const char *column,
    struct rp_err *err)
{
	json_t *v = rp_tables_spread(t, which, column), *n;
	const char *name;
	bool ok = rp_out_printf(to, err, "| %s | ", column);
	if (json_object_get(v, "mean")) {
		ok = ok && rp_out_printf(to, err, "%.6g to %.6g, mean %.6g",
			       json_number_value(json_object_get(v, "min")),
			       json_number_value(json_object_get(v, "max")),
			       json_number_value(json_object_get(v, "mean")));
	} else {
		const char *before = "";
		json_object_foreach(v, name, n)
		{
			ok = ok && rp_out_printf(to, err, "%s%s %" JSON_INTEGER_FORMAT, before,
				       name, json_integer_value(n));
			before = ", ";
		}
	}
	json_decref(v);
	return ok && rp_out_printf(to, err, " |\n");
}

static bool
put_spreads(struct rp_out *to, const struct rp_tables *t, struct rp_err *err)
{
	static const char *const of_traces[] = { "source", "N", "max_rd", "recipe", "layout",
		"streams", "turns", "burst", "share", "infeasible", "prewarm", "moved", "line", "L",
		"cold", "n_peaks", "rd_max" },
				 *const of_samples[] = { "sets", "ways", "latency", "entries",
					 "max_merge", "policy", "index", "stall", "miss_rate",
					 "merge_rate", "fetch_rate", "mshr_full", "prior_miss",
					 "prior_merge", "origin" };
	bool ok =
	    rp_out_printf(to, err, "## Distributions\n\n| column | values, or rows |\n|---|---|\n");
	for (size_t i = 0; ok && i < sizeof of_traces / sizeof *of_traces; i++)
		ok = put_spread(to, t, RP_TABLE_TRACES, of_traces[i], err);
	for (size_t i = 0; ok && i < sizeof of_samples / sizeof *of_samples; i++)
		ok = put_spread(to, t, RP_TABLE_SAMPLES, of_samples[i], err);
	return ok && rp_out_printf(to, err, "\n");
}

static bool
put_splits(struct rp_out *to, const struct rp_tables *t, struct rp_err *err)
{
	static const char *const split[] = { "train", "validation", "test" };
	json_t *pairs = rp_tables_pairs(t), *pair;
	bool ok = rp_out_printf(to, err,
	    "## Splits\n\nBy whole pairs of peaks and largest distance (N, MaxRD), drawn with "
	    "`split_seed`; never by\nrows, as rows of one trace are near-duplicates. No pair is in "
	    "two splits, and real traces are in\n`test` only.\n\n");
	ok = ok && rp_out_printf(to, err, "| split | pairs | N:MaxRD |\n|---|---|---|\n");
	for (int s = 0; ok && s < 3; s++) {
		size_t i, n = 0;
		json_array_foreach(pairs, i, pair)
		{
			n += !strcmp(json_string_value(json_object_get(pair, "split")), split[s]);
		}
		ok = rp_out_printf(to, err, "| %s | %zu |", split[s], n);
		json_array_foreach(pairs, i, pair)
		{
			if (ok &&
			    !strcmp(json_string_value(json_object_get(pair, "split")), split[s]))
				ok = rp_out_printf(to, err,
				    " %" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT,
				    json_integer_value(json_object_get(pair, "N")),
				    json_integer_value(json_object_get(pair, "max_rd")));
		}
		ok = ok && rp_out_printf(to, err, " |\n");
	}
	json_decref(pairs);
	return ok && rp_out_printf(to, err, "\n| rows by split | |\n|---|---|\n") &&
	       put_spread(to, t, RP_TABLE_TRACES, "split", err) &&
	       put_spread(to, t, RP_TABLE_SAMPLES, "split", err) && rp_out_printf(to, err, "\n");
}

static bool
put_columns(struct rp_out *to, const struct rp_tables *t, enum rp_table which, struct rp_err *err)
{
	json_t *list = rp_tables_columns(t, which), *c, *d;
	size_t i, k;
	bool ok = rp_out_printf(to, err, "| column | type | shape | what |\n|---|---|---|---|\n");
	json_array_foreach(list, i, c)
	{
		ok = ok && rp_out_printf(to, err, "| %s | `%s` | ",
			       json_string_value(json_object_get(c, "name")),
			       json_string_value(json_object_get(c, "type")));
		json_array_foreach(json_object_get(c, "shape"), k, d)
		{
			ok = ok && rp_out_printf(to, err, "%s%" JSON_INTEGER_FORMAT, k ? " x " : "",
				       json_integer_value(d));
		}
		ok = ok && rp_out_printf(
			       to, err, " | %s |\n", json_string_value(json_object_get(c, "what")));
	}
	json_decref(list);
	return ok && rp_out_printf(to, err, "\n");
}

/* What was done to real traces before they were measured, and who labelled them. */
static bool
put_origin(struct rp_out *to, json_t *plan, struct rp_err *err)
{
	json_t *level = json_object_get(plan, "level"), *labels = json_object_get(plan, "labels"),
	       *input = json_object_get(plan, "input");
	bool ok = true;
	if (level)
		ok = rp_out_printf(to, err,
		    "It is the stream that reaches level `%s` of `%s` (SHA-256 %s).\n\n",
		    json_string_value(json_object_get(level, "name")),
		    json_string_value(json_object_get(level, "config")),
		    json_string_value(json_object_get(level, "sha256")));
	if (ok && labels)
		ok = rp_out_printf(to, err,
		    "Rates are those of `%s` (SHA-256 %s): %" JSON_INTEGER_FORMAT
		    " of its %" JSON_INTEGER_FORMAT
		    " rows match. Counts are of our simulation.\n\n",
		    json_string_value(json_object_get(labels, "file")),
		    json_string_value(json_object_get(labels, "sha256")),
		    json_integer_value(json_object_get(labels, "matched")),
		    json_integer_value(json_object_get(labels, "rows")));
	if (!ok || !json_object_size(input))
		return ok;
	return rp_out_printf(
		   to, err, "Read with these options:\n\n| option | value |\n|---|---|\n") &&
	       put_keys(to, input, err) && rp_out_printf(to, err, "\n");
}

static bool
put_real(struct rp_out *to, json_t *plan, struct rp_err *err)
{
	json_t *list = json_object_get(plan, "traces"), *one;
	size_t i;
	bool ok = true;
	if (!json_array_size(list))
		return true;
	json_int_t interval = json_integer_value(json_object_get(plan, "interval"));
	ok = rp_out_printf(to, err, "## Real traces\n\n");
	if (interval)
		ok = ok && rp_out_printf(to, err,
			       "Intervals of %" JSON_INTEGER_FORMAT
			       " line requests; caches and stack are %s between them.\n\n",
			       interval,
			       json_is_true(json_object_get(plan, "reset")) ? "emptied" : "kept");
	else
		ok = ok && rp_out_printf(to, err, "Each is one row.\n\n");
	ok = ok && put_origin(to, plan, err) &&
	     rp_out_printf(to, err, "| name | line | bytes |\n|---|---|---|\n");
	json_array_foreach(list, i, one)
	{
		json_int_t bytes = json_integer_value(json_object_get(one, "bytes"));
		ok = ok && rp_out_printf(to, err, "| `%s` | %" JSON_INTEGER_FORMAT " | ",
			       json_string_value(json_object_get(one, "name")),
			       json_integer_value(json_object_get(one, "line")));
		ok = ok && (bytes ? rp_out_printf(to, err, "%" JSON_INTEGER_FORMAT " |\n", bytes)
				  : rp_out_printf(to, err, "- |\n"));
	}
	return ok && rp_out_printf(to, err, "\n");
}

static const char purpose[] =
    "Profiles of memory traces, and what caches with MSHRs make of these traces: for models that "
    "predict\nthe miss rate and the merge rate of a cache from a reuse profile, after M. Cho and "
    "E.-Y. Chung,\nMLCRP, IEEE Access, 2025.\n\n"
    "`traces` has a row for each trace, or interval of one; `samples` a row for each of these and "
    "each cache\nthat it was replayed through; `tid` joins them. The NPZ files hold every column "
    "(numpy.load); the CSV files\nthose that are no matrices, with names instead of codes. "
    "`meta.json` says what codes mean.\n\n";

static const char labels[] =
    "## Labels\n\nTime is the number of the access. For an access to line x at time t: MSHR "
    "entries due by t are\nreleased; x becomes the most recent line of its set, and takes the "
    "place of the line that the policy\ngives up if it was not there; if an entry for x is there, "
    "the access has *merged* (unless `max_merge`\nhave: then it is a *primary*); else, if x was "
    "there, it is a *hit*; else a *primary*, which makes an\nentry that is due at t + latency, if "
    "one is free.\n\n"
    "- `miss_rate` = (primary + merged) / n\n- `merge_rate` = merged / (primary + merged), 0 "
    "without a miss\n- `fetch_rate` = primary / n; simulators that count pending hits as hits mean "
    "this by a miss rate\n- `mshr_full` = primaries that found all entries taken / n\n"
    "- with `stall` = wait such an access waits for the oldest entry, and all later ones shift; "
    "`stall_ticks` is\n  the sum\n\n";

static const char biases[] =
    "## Known biases\n\n- The head of a synthetic trace is richer in first and short accesses, "
    "unless it was prewarmed\n  (`infeasible` = prewarm, where the profile asked for it).\n"
    "- Profiles that no trace can have were repaired (`moved`); `rp` is what was realised, "
    "`rp_requested` what\n  was asked for, of each stream by itself.\n"
    "- Time is the number of the access: nothing waits, with `stall` = count.\n"
    "- Writes are reads (write-allocate); no prefetching, no coherence.\n"
    "- Columns `policy` and `index` say what was simulated; the prior is that of LRU with line "
    "modulo sets.\n\n";

static const char licence[] =
    "## Licence\n\nSynthetic rows are made by a program from numbers, and are free of rights of "
    "others. Rows of real traces\nare yours, or of those whose programs were traced.\n\n";

static bool
put_sums(struct rp_out *to, json_t *sums, struct rp_err *err)
{
	const char *name;
	json_t *sum;
	bool ok = rp_out_printf(to, err, "## Checksums\n\nSHA-256; `sha256sum -c SHA256SUMS`.\n\n");
	json_object_foreach(sums, name, sum)
	{
		ok = ok && rp_out_printf(to, err, "    %s  %s\n", json_string_value(sum), name);
	}
	return ok;
}

bool
label_sheet(struct label_run *run, const struct rp_tables *t, json_t *sums, struct rp_out *to,
    struct rp_err *err)
{
	json_error_t why;
	json_t *plan = json_loads(run->plan, 0, &why), *design = json_object_get(plan, "design");
	const char *name = json_string_value(json_object_get(design, "name"));
	bool ok =
	    rp_out_printf(
		to, err, "# Data set%s%s\n\n", name && *name ? " " : "", name ? name : "") &&
	    rp_out_printf(to, err, "%s", purpose) &&
	    rp_out_printf(to, err,
		"Made by reprise " PACKAGE_VERSION ". %zu rows of traces, %zu of samples.\n\n",
		t->traces, t->samples) &&
	    rp_out_printf(to, err, "## Design\n\n| key | value |\n|---|---|\n") &&
	    put_keys(to, design, err) && rp_out_printf(to, err, "\n") && put_real(to, plan, err) &&
	    put_splits(to, t, err) && rp_out_printf(to, err, "%s## traces\n\n", labels) &&
	    put_columns(to, t, RP_TABLE_TRACES, err) && rp_out_printf(to, err, "## samples\n\n") &&
	    put_columns(to, t, RP_TABLE_SAMPLES, err) && put_spreads(to, t, err) &&
	    rp_out_printf(to, err, "%s%s", biases, licence);
	if (ok && json_integer_value(json_object_get(plan, "synthetic")) > 0)
		ok = rp_out_printf(to, err,
		    "## Making it again\n\n    reprise label design.json -o DIR\n\nmakes the same "
		    "synthetic rows with the same version, for any number of threads.\n\n");
	ok = ok && put_sums(to, sums, err);
	json_decref(plan);
	return ok;
}
