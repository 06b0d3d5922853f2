# A program a question; bench/run.sh makes the inputs and lays out the rows of all as one table.
#
#	benches += bench/x
#	bench_x_SOURCES = bench/x.c $(bench_shared)
#	bench_x_LDADD = libcore.la
bench_shared = bench/bench.c bench/bench.h
EXTRA_PROGRAMS += $(benches)
EXTRA_DIST += bench/run.sh

# The programs' own loops, which are the baselines, are built at -O3; the library as configured.
.PHONY: bench
bench: reprise libcore.la
	$(MAKE) $(AM_MAKEFLAGS) CFLAGS="$(CFLAGS) -O3" $(benches)
	$(SHELL) $(srcdir)/bench/run.sh $(srcdir) $(benches)

benches += bench/gen
bench_gen_SOURCES = bench/gen.c $(bench_shared)
bench_gen_LDADD = libcore.la

benches += bench/replay
bench_replay_SOURCES = bench/replay.c bench/plain.c bench/plain_lists.c bench/plain.h $(bench_shared)
bench_replay_LDADD = libcore.la
benches += bench/readers
bench_readers_SOURCES = bench/readers.c $(bench_shared)
bench_readers_LDADD = libcore.la
benches += bench/end
bench_end_SOURCES = bench/end.c $(bench_shared)
bench_end_LDADD = libcore.la
benches += bench/memory
bench_memory_SOURCES = bench/memory.c $(bench_shared)
bench_memory_LDADD = libcore.la
benches += bench/rpz
bench_rpz_SOURCES = bench/rpz.c $(bench_shared)
bench_rpz_LDADD = libcore.la
benches += bench/reuse
bench_reuse_SOURCES = bench/reuse.c $(bench_shared)
bench_reuse_LDADD = libcore.la
benches += bench/classes
bench_classes_SOURCES = bench/classes.c $(bench_shared)
bench_classes_LDADD = libcore.la
benches += bench/grid
bench_grid_SOURCES = bench/grid.c bench/plain.c bench/plain.h bench/plain_lists.c $(bench_shared)
bench_grid_LDADD = libcore.la
benches += bench/opt
bench_opt_SOURCES = bench/opt.c $(bench_shared)
bench_opt_LDADD = libcore.la
benches += bench/tree
bench_tree_SOURCES = bench/tree.c $(bench_shared)
bench_tree_LDADD = libcore.la
benches += bench/gpu
bench_gpu_SOURCES = bench/gpu.c $(bench_shared)
bench_gpu_LDADD = libcore.la
benches += bench/mshr
bench_mshr_SOURCES = bench/mshr.c $(bench_shared)
bench_mshr_LDADD = libcore.la
benches += bench/synth
bench_synth_SOURCES = bench/synth.c $(bench_shared)
bench_synth_LDADD = libcore.la
benches += bench/coherence
bench_coherence_SOURCES = bench/coherence.c $(bench_shared)
bench_coherence_LDADD = libcore.la
benches += bench/model
bench_model_SOURCES = bench/model.c $(bench_shared)
bench_model_LDADD = libcore.la
benches += bench/features
bench_features_SOURCES = bench/features.c $(bench_shared)
bench_features_LDADD = libcore.la
benches += bench/profile
bench_profile_SOURCES = bench/profile.c $(bench_shared)
bench_profile_LDADD = libcore.la
benches += bench/coherence_timed
bench_coherence_timed_SOURCES = bench/coherence_timed.c $(bench_shared)
bench_coherence_timed_LDADD = libcore.la
benches += bench/scan
bench_scan_SOURCES = bench/scan.c bench/plain.c bench/plain.h bench/plain_lists.c $(bench_shared)
bench_scan_LDADD = libcore.la
benches += bench/label
bench_label_SOURCES = bench/label.c $(bench_shared)
bench_label_CPPFLAGS = $(AM_CPPFLAGS) -DRP_TOP_SRCDIR='"$(abs_top_srcdir)"'
bench_label_LDADD = libcore.la
