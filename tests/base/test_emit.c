/* test_emit.c - tests src/base/emit.c. */
#include "tests/check.h"

#include "base/emit.h"

#include <unistd.h>

/* Whatever is printed into the file that `begin` opens is given back by `end`. */
static char path[64], printed[70000];

static struct rp_out *
begin(void)
{
	strcpy(path, "/tmp/reprise-emit-XXXXXX");
	close(mkstemp(path));
	struct rp_out *o = rp_out_open(path, NULL);
	cr_assert(o);
	return o;
}

static const char *
end(struct rp_out *o)
{
	cr_assert(rp_out_commit(o, NULL));
	FILE *f = fopen(path, "r");
	printed[fread(printed, 1, sizeof printed - 1, f)] = 0;
	fclose(f);
	unlink(path);
	return printed;
}

static const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
	{ "hits", "counters.hits", RP_CELL_COUNT },
	{ "ratio", "counters.miss_ratio", RP_CELL_RATIO }, { "line", "line", RP_CELL_HEX },
	{ "never", "no.such", RP_CELL_COUNT } };

enum { COLUMNS = sizeof view / sizeof *view };

static json_t *
some(void)
{
	json_t *rows = json_pack("[{s:s s:{s:I s:f} s:s} {s:s s:{s:I s:n}}]", "name",
	    "L1, \"small\"", "counters", "hits", (json_int_t)1234567, "miss_ratio", 0.25, "line",
	    "0x40", "name", "L2", "counters", "hits", (json_int_t)7, "miss_ratio");
	cr_assert(rows);
	return rows;
}

RP_TEST(emit, json_is_the_tree_in_its_order)
{
	struct rp_out *o = begin();
	json_t *t = json_pack("{s:i s:[f, n]}", "b", 1, "a", 0.5);
	cr_assert(rp_emit_json(o, t, NULL));
	cr_assert_str_eq(end(o), "{\n  \"b\": 1,\n  \"a\": [\n    0.5,\n    null\n  ]\n}\n");
	json_decref(t);
}

RP_TEST(emit, csv_quotes_and_is_exact)
{
	struct rp_out *o = begin();
	json_t *rows = some();
	cr_assert(rp_emit_csv(o, rows, view, COLUMNS, false, NULL));
	cr_assert_str_eq(end(o), "cache,hits,ratio,line,never\n"
				 "\"L1, \"\"small\"\"\",1234567,0.25,0x40,\n"
				 "L2,7,,,\n");
	o = begin();
	cr_assert(rp_emit_csv(o, rows, view, 2, true, NULL));
	cr_assert_str_eq(end(o), "\"L1, \"\"small\"\"\",1234567\nL2,7\n");
	json_decref(rows);
}

RP_TEST(emit, a_table_is_aligned_and_leaves_out_what_nobody_has)
{
	struct rp_out *o = begin();
	json_t *rows = some();
	cr_assert(rp_emit_table(o, rows, view, COLUMNS, false, NULL));
	cr_assert_str_eq(end(o), "cache             hits     ratio  line\n"
				 "L1, \"small\"  1,234,567  0.250000  0x40\n"
				 "L2                   7         -\n");
	o = begin();
	cr_assert(rp_emit_table(o, rows, view, COLUMNS, true, NULL));
	cr_assert_str_eq(end(o), "cache  L1, \"small\"  L2\n"
				 "hits     1,234,567   7\n"
				 "ratio     0.250000   -\n"
				 "line          0x40\n");
	json_decref(rows);
}

/* 500 objects side by side make a line of more than 4,096 bytes. */
RP_TEST(emit, a_wide_table_loses_nothing)
{
	struct rp_out *o = begin();
	json_t *rows = json_array();
	for (int i = 0; i < 500; i++)
		json_array_append_new(rows,
		    json_pack("{s:i s:{s:i}}", "name", i, "counters", "hits", 1000000000 + i));
	cr_assert(rp_emit_table(o, rows, view, COLUMNS, true, NULL));
	const char *text = end(o);
	cr_assert(strstr(text, "  499\n"));
	cr_assert(strstr(text, "  1,000,000,499\n"));
	cr_assert_eq(strlen(text), 2 * (5 + 500 * 15 + 1));
	json_decref(rows);
}

RP_TEST(emit, a_full_disk_is_told_with_its_reason)
{
	struct rp_err err = { 0 };
	struct rp_out *o = rp_out_open("/dev/full", NULL);
	json_t *rows = json_array();
	for (int i = 0; i < 50000; i++)
		json_array_append_new(rows, json_integer(i));
	cr_assert_not(rp_emit_json(o, rows, &err));
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert_str_eq(err.text, "writing /dev/full: No space left on device");
	rp_out_abort(o);
	json_decref(rows);
}

RP_TEST(emit, counts_ratios_and_texts_become_json)
{
	char to[32];
	json_t *half = rp_emit_ratio(1, 2), *none = rp_emit_ratio(1, 0),
	       *most = rp_emit_count(UINT64_MAX);
	json_t *text = rp_emit_text("a\xffz"), *count = rp_emit_count(INT64_MAX);
	cr_assert(json_real_value(half) == 0.5 && json_is_null(none));
	cr_assert(json_is_real(most) && json_real_value(most) == 0x1p64);
	cr_assert_eq(json_integer_value(count), INT64_MAX);
	cr_assert_str_eq(json_string_value(text), "a?z");
	cr_assert_str_eq(rp_print_count(to, 0), "0");
	cr_assert_str_eq(rp_print_count(to, 999), "999");
	cr_assert_str_eq(rp_print_count(to, 1000), "1,000");
	cr_assert_str_eq(rp_print_count(to, UINT64_MAX), "18,446,744,073,709,551,615");
	json_decref(half);
	json_decref(none);
	json_decref(most);
	json_decref(text);
	json_decref(count);
}

RP_TEST(emit, a_path_leads_through_objects)
{
	json_t *t = json_pack("{s:{s:{s:i}}}", "a", "b", "c", 5);
	cr_assert_eq(json_integer_value(rp_emit_at(t, "a.b.c")), 5);
	cr_assert_eq(rp_emit_at(t, ""), t);
	cr_assert_null(rp_emit_at(t, "a.x.c"));
	cr_assert_null(rp_emit_at(t, "a.b.c.d"));
	cr_assert_null(rp_emit_at(NULL, "a"));
	json_decref(t);
}
