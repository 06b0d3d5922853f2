/* msi.c - the MSI protocol with a home directory, as its tables.
 *
 * A line is absent, shared or modified in a cache; the home's entry has the same names. Transactions are atomic, so there
 * are no transient states: a cell says what one message does. */
#include "config.h"

#include "sim/coherence/protocol.h"

enum { I = COH_ABSENT, S, M };

const struct rp_protocol rp_protocol_msi = {
	.name = "msi",
	.what = "three states: absent, shared, modified",
	.source = "Sorin, Hill and Wood, A Primer on Memory Consistency and Cache Coherence, 2011; "
		  "atomic transactions in place of its transient states",
	.cache_states = 3,
	.cache_state = {
		[I] = { "I", "absent", 0 },
		[S] = { "S", "shared: may be read", COH_CAN_READ },
		[M] = { "M", "modified: may be read and written, memory is stale",
			COH_CAN_READ | COH_CAN_WRITE | COH_IS_DIRTY | COH_IS_OWNER },
	},
	.home_states = 3,
	.home_state = {
		[I] = { "I", "no entry: no cache has the line", false },
		[S] = { "S", "shared by the sharers of the entry", false },
		[M] = { "M", "modified in the entry's owner", true },
	},
	.cache = {
		[I] = {
			[COH_LOAD] = { COH_DO_MISS | COH_DO_GETS, S },
			[COH_STORE] = { COH_DO_MISS | COH_DO_GETM, M },
			/* Silent clean evictions leave sharers in the entry that have no copy. */
			[COH_INV] = { COH_DO_ACK, I },
			[COH_INV_BACK] = { COH_DO_ACK, I },
		},
		[S] = {
			[COH_LOAD] = { COH_DO_HIT, S },
			[COH_STORE] = { COH_DO_UPGRADE | COH_DO_GETM, M },
			[COH_REPLACE] = { COH_DO_PUTS | COH_DO_LOSE, I },
			[COH_INV] = { COH_DO_ACK | COH_DO_LOSE, I },
			[COH_INV_BACK] = { COH_DO_ACK | COH_DO_LOSE, I },
		},
		[M] = {
			[COH_LOAD] = { COH_DO_HIT, M },
			[COH_STORE] = { COH_DO_HIT, M },
			[COH_REPLACE] = { COH_DO_PUTM | COH_DO_LOSE, I },
			[COH_INV_BACK] = { COH_DO_ACK | COH_DO_DATA_MEMORY | COH_DO_LOSE, I },
			[COH_FWD_GETS] = { COH_DO_DATA | COH_DO_DATA_MEMORY, S },
			[COH_FWD_GETM] = { COH_DO_DATA | COH_DO_LOSE, I },
		},
	},
	.home = {
		[I] = {
			[COH_GETS] = { COH_DO_ALLOCATE | COH_DO_MEMORY | COH_DO_ADD, S, S },
			[COH_GETM] = { COH_DO_ALLOCATE | COH_DO_MEMORY | COH_DO_OWN, M, M },
		},
		[S] = {
			[COH_GETS] = { COH_DO_MEMORY | COH_DO_ADD, S, S },
			[COH_GETM] = { COH_DO_MEMORY | COH_DO_INV_OTHERS | COH_DO_OWN, M, M },
			[COH_GETM_COPY] = { COH_DO_INV_OTHERS | COH_DO_OWN, M, M },
			[COH_PUTS] = { COH_DO_REMOVE | COH_DO_FREE_IF_EMPTY, S },
			[COH_RECALL] = { COH_DO_INV_ALL | COH_DO_FREE, I },
		},
		[M] = {
			[COH_GETS] = { COH_DO_FWD_GETS | COH_DO_ADD_OWNER | COH_DO_ADD, S, S },
			[COH_GETM] = { COH_DO_FWD_GETM | COH_DO_OWN, M, M },
			[COH_PUTM] = { COH_DO_WRITE | COH_DO_FREE, I },
			[COH_RECALL] = { COH_DO_INV_ALL | COH_DO_FREE, I },
		},
	},
};
