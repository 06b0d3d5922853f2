/* string.c - the cache configuration strings of GPGPU-Sim and Accel-Sim: read, checked, printed. */
#include "config.h"

#include "sim/gpu/string.h"

#include "base/parse.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 15, GROUPS = 5, GROUP_MOST = 5, FIELD_ROOM = 24 };

/* A field in the order of the string: a letter of `letters`, or a number within least..most. */
struct field {
	const char *name, *letters, *meaning;
	size_t offset;
	uint32_t least, most;
};

#define LETTER(name, letters, meaning)                                                             \
	{                                                                                          \
#name, letters, meaning, offsetof(struct rp_gpu_string, name), 0, 0                \
	}
#define NUMBER(name, least, most)                                                                  \
	{                                                                                          \
#name, NULL, NULL, offsetof(struct rp_gpu_string, name), least, most               \
	}

static const struct field field[FIELDS] = {
	LETTER(type, "NS", "N (plain lines) or S (sectors)"),
	NUMBER(sets, 1, RP_GPU_LINES_MOST),
	NUMBER(line, 1, RP_GPU_LINE_MOST),
	NUMBER(ways, 1, RP_GPU_LINES_MOST),
	LETTER(repl, "LF", "L (least recently used) or F (first in first out)"),
	LETTER(write, "RBTEL",
	    "R (read only), B (back), T (through), E (evict) or L (local back, global evict)"),
	LETTER(alloc, "mfs", "m (on miss), f (on fill) or s (streaming)"),
	LETTER(walloc, "NWFL",
	    "N (none), W (write and fetch), F (fetch on write) or L (lazy fetch on read)"),
	LETTER(hash, "LXPHC", "L (linear), X (xor), P (polynomial) or H (Fermi)"),
	LETTER(mshr, "ASFT", "A (associative), S (sector requests), F or T (texture FIFO)"),
	NUMBER(entries, 1, RP_GPU_ENTRIES_MOST),
	NUMBER(merge, 1, UINT32_MAX),
	NUMBER(missq, 0, UINT32_MAX),
	NUMBER(fifo, 0, UINT32_MAX),
	NUMBER(port, 0, RP_GPU_LINE_MOST),
};

enum { HASH = 8, MSHR = 9, MISSQ = 12 }; /* places in the list */

/* Fields of each group between commas, as they are in full. */
static const unsigned group_fields[GROUPS] = { 4, 5, 3, 2, 1 };

static bool
set_field(struct rp_gpu_string *s, unsigned i, const char *text, struct rp_err *err)
{
	const struct field *f = &field[i];
	char *to = (char *)s + f->offset;
	uint64_t x;
	if (f->letters) {
		if (!*text || text[1] || !strchr(f->letters, *text))
			return rp_fail(
			    err, RP_USAGE, "%s '%.20s' is not %s", f->name, text, f->meaning);
		*to = *text;
		return true;
	}
	if (!*text || text[strspn(text, "0123456789")] || !rp_parse_u64(text, &x, NULL))
		return rp_fail(err, RP_USAGE, "%s '%.20s' is no whole number", f->name, text);
	if (x < f->least || x > f->most)
		return rp_fail(err, RP_USAGE, "%s %" PRIu64 " is not in %" PRIu32 "..%" PRIu32,
		    f->name, x, f->least, f->most);
	memcpy(to, &(uint32_t){ (uint32_t)x }, sizeof(uint32_t));
	return true;
}

/* The string cut at colons and commas. */
struct pieces {
	char text[GROUPS][GROUP_MOST][FIELD_ROOM];
	unsigned n[GROUPS], groups;
};

static bool
cut(const char *text, struct pieces *p, struct rp_err *err)
{
	for (p->groups = 0;;) {
		unsigned g = p->groups++, n = 0;
		if (g == GROUPS)
			return rp_fail(err, RP_USAGE,
			    "'%.40s' is more than the %d fields there are", text, FIELDS);
		for (;;) {
			size_t length = strcspn(text, ":,");
			if (n == group_fields[g])
				return rp_fail(err, RP_USAGE,
				    "'%.40s' is more than the %u fields of group %u", text,
				    group_fields[g], g + 1);
			snprintf(p->text[g][n++], FIELD_ROOM, "%.*s",
			    (int)(length < FIELD_ROOM ? length : FIELD_ROOM - 1), text);
			text += length;
			if (*text != ':')
				break;
			text++;
		}
		p->n[g] = n;
		if (!*text++)
			return true;
	}
}

/* Older simulators had no type in front and no hash behind: their groups have one field less. */
static bool
complete(struct pieces *p, struct rp_gpu_string *s, struct rp_err *err)
{
	static const char *const wanted[3] = { "<type>:<sets>:<line>:<ways>",
		"<repl>:<write>:<alloc>:<walloc>:<hash>", "<mshr>:<entries>:<merge>" };
	for (unsigned g = 0; g < 3; g++) {
		bool old = g < 2 && p->groups > g && p->n[g] + 1 == group_fields[g];
		if (old && g == 0) {
			memmove(p->text[0][1], p->text[0][0], 3 * sizeof p->text[0][0]);
			strcpy(p->text[0][0], "N");
			s->old |= RP_GPU_OLD_TYPE;
		} else if (old) {
			strcpy(p->text[1][4], "L");
			s->old |= RP_GPU_OLD_HASH;
		} else if (p->groups <= g || p->n[g] != group_fields[g]) {
			return rp_fail(err, RP_USAGE,
			    "group %u has %u of the fields %s; wanted the %d fields up to merge",
			    g + 1, p->groups > g ? p->n[g] : 0, wanted[g], MISSQ);
		}
		p->n[g] = group_fields[g];
	}
	return true;
}

static bool
power_of_two(uint32_t x)
{
	return x && !(x & (x - 1));
}

static bool
check_geometry(const struct rp_gpu_string *s, struct rp_err *err)
{
	unsigned bits = (unsigned)__builtin_ctz(s->sets);
	if (!power_of_two(s->line))
		return rp_fail(err, RP_USAGE, "line %" PRIu32 " is no power of two", s->line);
	if (s->type == 'S' && s->line != 4 * RP_GPU_SECTOR)
		return rp_fail(err, RP_USAGE,
		    "line %" PRIu32 " of a sectored cache: wanted 128, 4 sectors of 32", s->line);
	if (s->hash == 'C')
		return rp_fail(
		    err, RP_USAGE, "hash C (custom) is not defined: wanted L, X, P or H");
	if (s->hash == 'H' && s->sets != 32 && s->sets != 64)
		return rp_fail(
		    err, RP_USAGE, "hash H is defined for 32 or 64 sets, not %" PRIu32, s->sets);
	if (s->hash == 'P' && s->sets != 16 && s->sets != 32 && s->sets != 64)
		return rp_fail(err, RP_USAGE,
		    "hash P is defined for 16, 32 or 64 sets, not %" PRIu32, s->sets);
	if (!power_of_two(s->sets) || !rp_gpu_hash_fits(rp_gpu_string_hash(s), bits))
		return rp_fail(err, RP_USAGE,
		    "sets %" PRIu32 " is no power of two, which hash %c wants", s->sets, s->hash);
	if ((uint64_t)s->sets * s->ways > RP_GPU_LINES_MOST)
		return rp_fail(
		    err, RP_USAGE, "sets * ways is more than %d lines", RP_GPU_LINES_MOST);
	return true;
}

static bool
check_policies(const struct rp_gpu_string *s, struct rp_err *err)
{
	if (s->write == 'B' && s->alloc != 'm')
		return rp_fail(err, RP_USAGE,
		    "write B with alloc %c: a write-back cache allocates on miss, m", s->alloc);
	if ((s->walloc == 'F' || s->walloc == 'L') && s->alloc != 'm')
		return rp_fail(err, RP_USAGE, "walloc %c with alloc %c: wanted %s", s->walloc,
		    s->alloc,
		    s->alloc == 'f' ? "alloc m, or walloc N or W" : "walloc N or W to stream");
	if ((s->mshr == 'F' || s->mshr == 'T') && !s->fifo)
		return rp_fail(err, RP_USAGE,
		    "mshr %c is a texture FIFO: wanted its result FIFO, <missq>:<fifo>", s->mshr);
	if (s->port && s->line % s->port)
		return rp_fail(err, RP_USAGE,
		    "port %" PRIu32 " does not divide the line of %" PRIu32, s->port, s->line);
	return true;
}

static bool
read_string(const char *text, struct rp_gpu_string *s, struct rp_err *err)
{
	struct pieces p;
	if (!strcmp(text, "none"))
		return rp_fail(err, RP_USAGE, "none is no cache: there is nothing to replay");
	if (!cut(text, &p, err) || !complete(&p, s, err))
		return false;
	if (p.groups == GROUPS && p.n[3] != group_fields[3])
		return rp_fail(err, RP_USAGE, "port '%.20s' wants a fifo before it, <missq>:<fifo>",
		    p.text[4][0]);
	unsigned at = 0;
	for (unsigned g = 0; g < p.groups; g++)
		for (unsigned k = 0; k < group_fields[g]; k++, at++)
			if (k < p.n[g] && !set_field(s, at, p.text[g][k], err))
				return false;
	s->given = p.groups == 3 ? 0 : p.groups == 5 ? 3 : p.n[3];
	return check_geometry(s, err) && check_policies(s, err);
}

bool
rp_gpu_string_parse(const char *text, struct rp_gpu_string *out, struct rp_err *err)
{
	struct rp_gpu_string s = { 0 };
	if (!read_string(text, &s, err))
		return rp_err_wrap(err, "'%.100s'", text);
	*out = s;
	return true;
}

char *
rp_gpu_string_print(char *to, const struct rp_gpu_string *s)
{
	int n = snprintf(to, RP_GPU_STRING_ROOM,
	    "%c:%" PRIu32 ":%" PRIu32 ":%" PRIu32 ",%c:%c:%c:%c:%c,%c:%" PRIu32 ":%" PRIu32,
	    s->type, s->sets, s->line, s->ways, s->repl, s->write, s->alloc, s->walloc, s->hash,
	    s->mshr, s->entries, s->merge);
	if (s->given > 0)
		n += snprintf(to + n, RP_GPU_STRING_ROOM - (size_t)n, ",%" PRIu32, s->missq);
	if (s->given > 1)
		n += snprintf(to + n, RP_GPU_STRING_ROOM - (size_t)n, ":%" PRIu32, s->fifo);
	if (s->given > 2)
		snprintf(to + n, RP_GPU_STRING_ROOM - (size_t)n, ",%" PRIu32, s->port);
	return to;
}

const char *
rp_gpu_string_warning(const struct rp_gpu_string *s, unsigned k)
{
	const char *all[3];
	unsigned n = 0;
	if (s->old & RP_GPU_OLD_TYPE)
		all[n++] = "the string has no type in front, as those of older simulators: taken "
			   "as N, plain lines";
	if (s->old & RP_GPU_OLD_HASH)
		all[n++] = "the string has no hash behind the policies, as those of older "
			   "simulators: taken as L, linear";
	if (s->mshr == 'F' || s->mshr == 'T')
		all[n++] = "a texture FIFO (mshr F, T) is replayed as an associative MSHR table, A";
	return k < n ? all[k] : NULL;
}

enum rp_gpu_hash
rp_gpu_string_hash(const struct rp_gpu_string *s)
{
	return s->hash == 'X'   ? RP_GPU_XOR
	       : s->hash == 'P' ? RP_GPU_POLYNOMIAL
	       : s->hash == 'H' ? RP_GPU_FERMI
	                        : RP_GPU_LINEAR;
}
