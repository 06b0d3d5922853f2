# fuzz/replay runs every target over its seeds in `make check`. `make fuzz`, after ./configure CC=clang --enable-fuzzing,
# has clang's fuzzer look for more (RP_FUZZ_SECONDS each; FUZZ_TARGETS names some of them).
fuzz_shared = fuzz/fuzz.h fuzz/targets.c
check_PROGRAMS += fuzz/replay
fuzz_replay_SOURCES = fuzz/replay.c $(fuzz_shared)
fuzz_replay_CPPFLAGS = $(AM_CPPFLAGS) -DRP_TOP_SRCDIR='"$(abs_top_srcdir)"'
fuzz_replay_LDADD = libcore.la
TESTS += fuzz/replay
EXTRA_DIST += fuzz/corpus fuzz/run.sh

.PHONY: fuzz
if FUZZING
EXTRA_PROGRAMS += fuzz/fuzz
fuzz_fuzz_SOURCES = fuzz/libfuzzer.c $(fuzz_shared)
fuzz_fuzz_LDADD = libcore.la
fuzz_fuzz_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

fuzz: fuzz/fuzz fuzz/replay
	$(SHELL) $(srcdir)/fuzz/run.sh $(srcdir) $(FUZZ_TARGETS)
else
EXTRA_DIST += fuzz/libfuzzer.c
endif
