core += sim/cache.h
core += sim/counters.h
core += sim/policy.h
core += sim/replay.h
