/* parse.c - numbers, sizes and lists as people type them. */
#include "config.h"

#include "base/parse.h"
#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const signed char rp_hex_digit[256] = {
	[0 ... '0' - 1] = -1, ['0'] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
	['9' + 1 ... 'A' - 1] = -1, ['A'] = 10, 11, 12, 13, 14, 15,
	['F' + 1 ... 'a' - 1] = -1, ['a'] = 10, 11, 12, 13, 14, 15,
	['f' + 1 ... 255] = -1,
};
/* clang-format on */

/* A whole number at *at; leaves *at behind it. */
static bool
leading_u64(const char **at, uint64_t *out)
{
	const char *end = *at + strlen(*at);
	bool hex = (*at)[0] == '0' && ((*at)[1] | 32) == 'x';
	return hex ? rp_scan_hex(at, end, out) : rp_scan_dec(at, end, out);
}

bool
rp_parse_u64(const char *text, uint64_t *out, struct rp_err *err)
{
	const char *at = text;
	uint64_t x;
	if (!leading_u64(&at, &x) || *at)
		return rp_fail(err, RP_USAGE, "'%.40s' is not a whole number below 2^64", text);
	*out = x;
	return true;
}

bool
rp_parse_double(const char *text, double *out, struct rp_err *err)
{
	char *end;
	double x = strtod(text, &end);
	/* strtod would skip blanks, and knows of "inf" and "nan". */
	if (isspace((unsigned char)*text) || end == text || *end || !isfinite(x))
		return rp_fail(err, RP_USAGE, "'%.40s' is not a number", text);
	*out = x;
	return true;
}

/* What a size may end in, as a power of two. */
static const struct {
	const char *suffix;
	unsigned shift;
} size_suffix[] = { { "", 0 }, { "k", 10 }, { "K", 10 }, { "M", 20 }, { "G", 30 }, { "KiB", 10 },
	{ "MiB", 20 }, { "GiB", 30 } };

bool
rp_parse_size(const char *text, uint64_t *out, struct rp_err *err)
{
	const char *at = text;
	uint64_t x = 0;
	if (leading_u64(&at, &x) && x)
		for (size_t i = 0; i < sizeof size_suffix / sizeof *size_suffix; i++)
			if (!strcmp(at, size_suffix[i].suffix) &&
			    x <= UINT64_MAX >> size_suffix[i].shift) {
				*out = x << size_suffix[i].shift;
				return true;
			}
	return rp_fail(err, RP_USAGE,
	    "'%.40s' is not a size: wanted a number of bytes, at least 1, like 4096, 48k, 1MiB or "
	    "2GiB",
	    text);
}

struct list {
	uint64_t *x;
	size_t n, room;
};

enum { LIST_MOST = 1 << 20 };

static bool
list_add(struct list *l, uint64_t x, struct rp_err *err)
{
	if (l->n == LIST_MOST)
		return rp_fail(err, RP_USAGE, "a list of more than %d values", LIST_MOST);
	if (l->n == l->room) {
		void *p = rp_mem_grow(l->x, l->room * 2 + 8, sizeof *l->x, err);
		if (!p)
			return false;
		l->x = p;
		l->room = l->room * 2 + 8;
	}
	l->x[l->n++] = x;
	return true;
}

static bool
one_value(const char *text, bool sizes, uint64_t *out, struct rp_err *err)
{
	return sizes ? rp_parse_size(text, out, err) : rp_parse_u64(text, out, err);
}

/* LOW..HIGH[:*FACTOR|:+STEP] */
static bool
list_range(struct list *l, char *low, char *dots, bool sizes, struct rp_err *err)
{
	char *high = dots + 2, *by = strchr(high, ':');
	uint64_t from, to, step = 2;
	bool plus = false;
	*dots = 0;
	if (by) {
		*by++ = 0;
		plus = *by == '+';
		if (*by != '+' && *by != '*')
			return rp_fail(
			    err, RP_USAGE, "':%.20s': wanted ':*FACTOR' or ':+STEP'", by);
		if (!one_value(by + 1, sizes && plus, &step, err))
			return false;
	}
	if (!one_value(low, sizes, &from, err) || !one_value(high, sizes, &to, err))
		return false;
	if (from > to || step < (plus ? 1 : 2) || (!plus && from == 0))
		return rp_fail(err, RP_USAGE, "'%.20s..%.20s' does not rise", low, high);
	for (uint64_t x = from; x <= to;) {
		uint64_t next;
		if (!list_add(l, x, err))
			return false;
		if (plus ? __builtin_add_overflow(x, step, &next)
			 : __builtin_mul_overflow(x, step, &next))
			break;
		x = next;
	}
	return true;
}

bool
rp_parse_list(const char *text, bool sizes, uint64_t **out, size_t *n, struct rp_err *err)
{
	struct list l = { 0 };
	char *copy = rp_mem_string(text, err);
	bool ok = copy != NULL;
	for (char *item = copy; ok && item;) {
		char *comma = strchr(item, ','), *dots;
		uint64_t x;
		if (comma)
			*comma++ = 0;
		if ((dots = strstr(item, "..")))
			ok = list_range(&l, item, dots, sizes, err);
		else
			ok = one_value(item, sizes, &x, err) && list_add(&l, x, err);
		item = comma;
	}
	free(copy);
	if (!ok) {
		free(l.x);
		return false;
	}
	*out = l.x;
	*n = l.n;
	return true;
}

char *
rp_print_size(char *to, size_t room, uint64_t bytes)
{
	static const char *const unit[] = { "", "KiB", "MiB", "GiB" };
	size_t u = 0;
	while (u < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	snprintf(to, room, "%" PRIu64 "%s", bytes, unit[u]);
	return to;
}

enum { NEAR_LEN = 32 };

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edit distance of two short words, whatever their case, where neighbours that changed places count as one edit (optimal string alignment). */
static unsigned
distance(const char *a, const char *b)
{
	unsigned row[3][NEAR_LEN + 1]; /* that of a[i - 1] is row[i % 3] */
	size_t m = strlen(b), i;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; a[i - 1]; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
			if (last[j] + 1 < now[j])
				now[j] = last[j] + 1;
			if (now[j - 1] + 1 < now[j])
				now[j] = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return row[(i - 1) % 3][m];
}

const char *
rp_nearest(const char *text, const char *const *names, size_t n)
{
	const char *best = NULL;
	unsigned least = 3;
	if (strlen(text) > NEAR_LEN)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned d = strlen(names[i]) > NEAR_LEN ? least : distance(text, names[i]);
		if (d < least && d < strlen(text)) {
			least = d;
			best = names[i];
		}
	}
	return best;
}
