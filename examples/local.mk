# examples

# Valgrind 3.19 watching gzip 1.12 pack src/base/opt.c, 1.8 M accesses with instruction fetches:
# valgrind --tool=lackey --trace-mem=yes --log-file=gzip.lackey gzip -6 -n -c opt.c >/dev/null
EXTRA_DIST += examples/traces/gzip.lackey.xz
EXTRA_DIST += examples/traces/README.md
EXTRA_DIST += examples/traces/matmul.c
EXTRA_DIST += examples/traces/matmul.lackey.xz
# Programs on the public header and library alone; `make check` builds and runs them (tests/examples.test).
check_PROGRAMS += examples/replay examples/matmul
examples_replay_SOURCES = examples/replay.c
examples_matmul_SOURCES = examples/matmul.c
examples_flags = -std=c11 $(WARN_CFLAGS) $(SAN_CFLAGS)
examples_replay_CFLAGS = $(examples_flags)
examples_matmul_CFLAGS = $(examples_flags)
examples_replay_CPPFLAGS = -I$(top_srcdir)/src
examples_matmul_CPPFLAGS = -I$(top_srcdir)/src
examples_replay_LDADD = libreprise.la
examples_matmul_LDADD = libreprise.la

scripts += tests/examples.test
EXTRA_DIST += examples/traces/kernel-1.traceg.xz
EXTRA_DIST += examples/traces/kernelslist.g
EXTRA_DIST += examples/traces/matmul.py
# A policy of one's own, a shared object; tests/plugin.test builds it as a user would too.
check_LTLIBRARIES += examples/tworandom.la
examples_tworandom_la_SOURCES = examples/tworandom.c
examples_tworandom_la_CFLAGS = $(examples_flags)
examples_tworandom_la_CPPFLAGS = -I$(top_srcdir)/src
examples_tworandom_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_top_builddir)/examples

# Hierarchies (reprise-config(5)): three GPUs and a CPU; tests/cli/config.test runs them.
configsdir = $(docdir)/examples
dist_configs_DATA = examples/a100.yaml examples/rtx3070.yaml examples/skylake.yaml examples/v100.yaml \
	examples/mlcrp-default.yaml examples/mlcrp-paper.yaml examples/mlcrp-quick.yaml
