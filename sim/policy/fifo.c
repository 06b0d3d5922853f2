/* fifo - replace the line brought in longest ago.
 *
 * State of a set: its ways linked in the order they were filled. A pointer that goes round the ways would be smaller, but
 * is another order once a line has been invalidated and its way filled again. */
#include "config.h"

#include "sim/full.h"
#include "sim/policy.h"
#include "sim/policy/links.h"
#include "sim/sets.h"
#include "sim/words.h"

const struct rp_policy rp_policy_fifo = {
	.abi = RP_POLICY_ABI,
	.name = "fifo",
	.what = "replace the line brought in longest ago",
	.source = "Belady, IBM Systems Journal 5(2), 1966",
	.set_bytes = rp_links_set_bytes,
	.fill = rp_links_use,
	.drop = rp_links_drop,
	.victim = rp_links_last,
	.engines = { &rp_engine_words_fifo, &rp_engine_sets_fifo, &rp_engine_full_fifo },
};
