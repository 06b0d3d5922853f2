/* test_items.c - tests src/base/items.c. */
#include "tests/check.h"

#include "base/items.h"

/* All items of `text`, each behind a '|', the line of each before it. */
static void
all(const char *text, char *to, size_t room)
{
	struct rp_items it;
	struct rp_err err = { 0 };
	size_t n = 0;
	cr_assert(rp_items_open(&it, text, &err), "%s", err.text);
	*to = 0;
	while (rp_items_next(&it))
		n += (size_t)snprintf(to + n, room - n, "%lu|%s ", it.line, it.item);
	cr_assert_null(rp_items_next(&it));
	rp_items_close(&it);
}

static void
are(const char *text, const char *wanted)
{
	char got[256];
	all(text, got, sizeof got);
	cr_assert_str_eq(got, wanted, "'%s': %s", text, got);
}

RP_TEST(items, are_separated_by_commas_or_blanks)
{
	are("", "");
	are("a", "1|a ");
	are("a,b c , d\te", "1|a 1|b 1|c 1|d 1|e ");
	are("a,,b,", "1|a 1| 1|b 1| ");
	are("a#b", "1|a#b ");
	are(",", "1| 1| ");
}

static void
write_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "wb");
	cr_assert(f && fwrite(text, 1, n, f) == n);
	fclose(f);
}

RP_TEST(items, of_a_file_have_its_lines)
{
	char path[] = "/tmp/items-XXXXXX", text[64];
	static const char list[] = "# none\n\na # one\r\nb,c\n\nd,\n", nul[] = "a\0b";
	struct rp_items it;
	struct rp_err err = { 0 };
	cr_assert(mkstemp(path) >= 0);
	write_file(path, list, sizeof list - 1);
	snprintf(text, sizeof text, "@%s", path);
	are(text, "3|a 4|b 4|c 6|d ");
	cr_assert(rp_items_open(&it, text, &err));
	rp_items_next(&it);
	rp_items_next(&it);
	rp_fail(&err, RP_USAGE, "bad");
	cr_assert_not(rp_items_wrap(&it, &err));
	cr_assert(err.code == RP_INPUT && strstr(err.text, "XXXX") == NULL);
	cr_assert(strstr(err.text, ":4: bad"), "%s", err.text);
	rp_items_close(&it);
	write_file(path, nul, sizeof nul);
	cr_assert_not(rp_items_open(&it, text, &err));
	cr_assert_eq(err.code, RP_INPUT);
	remove(path);
	cr_assert_not(rp_items_open(&it, text, &err));
}
