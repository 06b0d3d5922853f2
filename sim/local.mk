core += sim/cache.c
core += sim/cache.h
core += sim/classes.c
core += sim/classes.h
core += sim/counters.c
core += sim/counters.h
core += sim/engine.h
core += sim/gpu/hash.c
core += sim/gpu/hash.h
core += sim/gpu/presets.c
core += sim/gpu/presets.h
core += sim/gpu/string.c
core += sim/gpu/string.h
core += sim/full.c
core += sim/full.h
core += sim/full_loop.h
core += sim/kernels.h
core += sim/level.c
core += sim/level.h
core += sim/lookup.c
core += sim/lookup.h
core += sim/model.c
core += sim/module.c
core += sim/module.h
core += sim/observe/reuse.c
core += sim/observe/reuse.h
core += sim/observe/reuse_state.h
core += sim/policy.c
core += sim/policy.h
core += sim/policy/bits.h
core += sim/policy/duel.h
core += sim/policy/links.h
core += sim/policy/rrip.h
core += sim/replay.c
core += sim/replay.h
core += sim/requests.c
core += sim/requests.h
core += sim/sets.c
core += sim/sets.h
core += sim/spec.c
core += sim/streams.c
core += sim/streams.h
core += sim/tally.c
core += sim/tally.h
core += sim/touched.c
core += sim/touched.h
core += sim/tree_spec.c
core += sim/tree_spec.h
core += sim/ways.h
policies += sim/policy/bip.c
policies += sim/policy/brrip.c
policies += sim/policy/clock.c
policies += sim/policy/dip.c
policies += sim/policy/drrip.c
policies += sim/policy/fifo.c
policies += sim/policy/lip.c
policies += sim/policy/lru.c
policies += sim/policy/mru.c
policies += sim/policy/nru.c
policies += sim/policy/plru.c
policies += sim/policy/random.c
policies += sim/policy/srrip.c

# The hot loops, once for each level of the instruction set; sim/level.c chooses.
kernels += sim/libkernels_c.la
noinst_LTLIBRARIES += sim/libkernels_c.la
sim_libkernels_c_la_SOURCES = sim/kernels.c sim/observe/reuse_kernels.c
sim_libkernels_c_la_CPPFLAGS = $(AM_CPPFLAGS) -DRP_KERNELS=rp_kernels_c
sim_libkernels_c_la_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
if HAVE_V3
kernels += sim/libkernels_v3.la
noinst_LTLIBRARIES += sim/libkernels_v3.la
sim_libkernels_v3_la_SOURCES = sim/kernels.c sim/observe/reuse_kernels.c
sim_libkernels_v3_la_CPPFLAGS = $(AM_CPPFLAGS) -DRP_KERNELS=rp_kernels_v3
sim_libkernels_v3_la_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS) -march=x86-64-v3
endif
