/* lists.c - lists of a design, as people write them. */
#include "config.h"

#include "learn/lists.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <string.h>

bool
rp_range_parse(const char *text, uint64_t *low, uint64_t *high, struct rp_err *err)
{
	const char *at = text, *end = text + strlen(text);
	if (rp_scan_dec(&at, end, low)) {
		*high = *low;
		if (at == end)
			return true;
		if (end - at > 2 && at[0] == '.' && at[1] == '.') {
			at += 2;
			if (rp_scan_dec(&at, end, high) && at == end && *low <= *high)
				return true;
		}
	}
	return rp_fail(err, RP_USAGE, "'%.40s': wanted LOW..HIGH", text);
}

bool
rp_numbers_parse(struct rp_numbers *out, const char *name, const char *text, uint64_t least,
    uint64_t most, struct rp_err *err)
{
	if (!rp_parse_list(text, false, &out->x, &out->n, err))
		return rp_err_wrap(err, "%s", name);
	for (size_t i = 0; i < out->n; i++)
		if (out->x[i] < least || out->x[i] > most)
			return rp_fail(err, RP_USAGE,
			    "%s: %" PRIu64 " is not in %" PRIu64 "..%" PRIu64, name, out->x[i],
			    least, most);
	return true;
}

bool
rp_pieces(const char *text, bool (*each)(void *to, const char *piece, struct rp_err *err), void *to,
    struct rp_err *err)
{
	char piece[128];
	for (const char *at = text;; at++) {
		at += strspn(at, " ");
		size_t n = strcspn(at, ", ");
		if (!n || n >= sizeof piece)
			return rp_fail(err, RP_USAGE, "'%.60s': wanted a list", text);
		memcpy(piece, at, n);
		piece[n] = 0;
		if (!each(to, piece, err))
			return false;
		at += n + strspn(at + n, " ");
		if (!*at)
			return true;
		if (*at != ',')
			return rp_fail(err, RP_USAGE, "'%.60s': wanted commas between items", text);
	}
}

struct naming {
	const char *const *names;
	struct rp_numbers *out;
};

bool
rp_numbers_add(struct rp_numbers *out, uint64_t x, struct rp_err *err)
{
	uint64_t *more = rp_mem_grow(out->x, out->n + 1, sizeof *more, err);
	if (!more)
		return false;
	out->x = more;
	out->x[out->n++] = x;
	return true;
}

static bool
add_name(void *to, const char *piece, struct rp_err *err)
{
	struct naming *n = to;
	const char *near;
	for (uint64_t i = 0; n->names[i]; i++)
		if (!strcmp(n->names[i], piece))
			return rp_numbers_add(n->out, i, err);
	size_t count = 0;
	while (n->names[count])
		count++;
	near = rp_nearest(piece, n->names, count);
	return rp_fail(err, RP_USAGE, "'%.40s' is not known%s%s%s", piece,
	    near ? "; did you mean '" : "; wanted ", near ? near : n->names[0],
	    near ? "'?" : " or another");
}

bool
rp_names_parse(struct rp_numbers *out, const char *name, const char *text, const char *const *known,
    struct rp_err *err)
{
	struct naming n = { known, out };
	return rp_pieces(text, add_name, &n, err) || rp_err_wrap(err, "%s", name);
}
