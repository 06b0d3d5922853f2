/* protocol.c - the protocols there are, and their tables in words. */
#include "config.h"

#include "sim/coherence/protocol.h"

#include "base/parse.h"

#include <string.h>

const struct rp_protocol *const rp_protocols[] = { &rp_protocol_msi, NULL };

const char *const rp_cache_event_names[COH_CACHE_EVENTS] = {
	[COH_LOAD] = "load",
	[COH_STORE] = "store",
	[COH_REPLACE] = "replacement",
	[COH_INV] = "Inv",
	[COH_INV_BACK] = "Inv of a recall",
	[COH_FWD_GETS] = "Fwd-GetS",
	[COH_FWD_GETM] = "Fwd-GetM",
};

const char *const rp_home_event_names[COH_HOME_EVENTS] = {
	[COH_GETS] = "GetS",
	[COH_GETM] = "GetM",
	[COH_GETM_COPY] = "GetM, has copy",
	[COH_PUTS] = "PutS",
	[COH_PUTM] = "PutM",
	[COH_RECALL] = "recall of the entry",
};

/* Actions in words, by bit. */
static const char *const cache_words[] = { "hit", "miss", "upgrade", "send GetS", "send GetM",
	"send PutS", "send PutM and the data", "ack", "data to who asked", "data to memory",
	"copy lost" };

static const char *const home_words[] = { "allocate the entry", "data from memory",
	"Fwd-GetS to the owner", "Fwd-GetM to the owner", "Inv to the other sharers",
	"Inv to all it names", "add who asked", "owner becomes a sharer", "who asked becomes owner",
	"remove who asked", "free the entry", "free it if it is empty", "data to memory" };

enum { WIDTH = 79, INDENT = 30, WORDS_MOST = 16 };

const struct rp_protocol *
rp_protocol_find(const char *name, struct rp_err *err)
{
	const char *names[WORDS_MOST];
	size_t n = 0;
	for (; rp_protocols[n]; n++) {
		if (!strcmp(rp_protocols[n]->name, name))
			return rp_protocols[n];
		if (n < WORDS_MOST)
			names[n] = rp_protocols[n]->name;
	}
	const char *near = rp_nearest(name, names, n < WORDS_MOST ? n : WORDS_MOST);
	rp_fail(err, RP_USAGE, "no protocol '%.40s'%s%s%s (reprise help protocols)", name,
	    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

/* The words of the bits set, joined by commas, wrapped. */
static bool
print_actions(struct rp_buf *to, unsigned actions, const char *const *words, struct rp_err *err)
{
	size_t column = INDENT;
	for (unsigned m = actions; m; m &= m - 1) {
		const char *word = words[__builtin_ctz(m)];
		bool first = m == actions, wrap = !first && column + strlen(word) + 3 > WIDTH;
		if (!(wrap ? rp_buf_printf(to, err, ",\n%*s%s", INDENT, "", word)
			   : rp_buf_printf(to, err, "%s%s", first ? "" : ", ", word)))
			return false;
		column = (wrap ? (size_t)INDENT : column + 2) + strlen(word);
	}
	return rp_buf_printf(to, err, "\n");
}

/* Lines "state  event  next  actions" of one table; `of` gives state names. */
static bool
print_cell(struct rp_buf *to, const char *state, const char *event, const char *next,
    const struct coh_reaction *r, const char *const *words, struct rp_err *err)
{
	return rp_buf_printf(to, err, "  %-3s %-19s  %-3s", state, event, next) &&
	       print_actions(to, r->actions, words, err);
}

static bool
print_states(const struct rp_protocol *p, struct rp_buf *to, struct rp_err *err)
{
	bool ok = rp_buf_printf(to, err, "states of a cache\n");
	for (unsigned s = 0; ok && s < p->cache_states; s++)
		ok = rp_buf_printf(
		    to, err, "  %-3s %s\n", p->cache_state[s].name, p->cache_state[s].what);
	ok = ok && rp_buf_printf(to, err, "states of the home\n");
	for (unsigned s = 0; ok && s < p->home_states; s++)
		ok = rp_buf_printf(
		    to, err, "  %-3s %s\n", p->home_state[s].name, p->home_state[s].what);
	return ok;
}

bool
rp_protocol_print(const struct rp_protocol *p, struct rp_buf *to, struct rp_err *err)
{
	static const char head[] = "  in  at                   to  does\n";
	bool ok = print_states(p, to, err) &&
	          rp_buf_printf(
		      to, err, "\na private cache (what is not listed cannot happen)\n%s", head);
	for (unsigned s = 0; s < p->cache_states; s++)
		for (unsigned e = 0; ok && e < COH_CACHE_EVENTS; e++) {
			const struct coh_reaction *r = &p->cache[s][e];
			ok = !r->actions ||
			     print_cell(to, p->cache_state[s].name, rp_cache_event_names[e],
				 p->cache_state[r->next].name, r, cache_words, err);
		}
	ok = ok && rp_buf_printf(to, err, "\nthe home\n%s", head);
	for (unsigned s = 0; s < p->home_states; s++)
		for (unsigned e = 0; ok && e < COH_HOME_EVENTS; e++) {
			const struct coh_reaction *r = &p->home[s][e];
			ok = !r->actions ||
			     print_cell(to, p->home_state[s].name, rp_home_event_names[e],
				 p->home_state[r->next].name, r, home_words, err);
		}
	return ok && rp_buf_printf(to, err,
			 "\nA PutS is only sent where clean evictions are explicit; where they are "
			 "silent,\nan Inv may find the line absent.\n");
}
