/* ttl.h - lines that stay for a time, however many they are. */
#ifndef RP_SIM_TTL_H
#define RP_SIM_TTL_H

#include "sim/engine.h"

/* The parameters of the policy, in their order. */
enum { RP_TTL_WINDOW, RP_TTL_SLOTTED };

/* Memory: 24 bytes and a hash table's entry for each line of the most that were present at once. */
extern const struct rp_engine rp_engine_ttl;

#endif
