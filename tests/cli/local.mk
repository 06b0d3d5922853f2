# Shell tests on the built program, which also run under the thread sanitizer.
check_PROGRAMS += tests/cli/peak
tests_cli_peak_SOURCES = tests/cli/peak.c

# A shared object to preload; -rpath is what makes libtool build one that is not installed.
check_LTLIBRARIES += tests/cli/nth.la
tests_cli_nth_la_SOURCES = tests/cli/nth.c
tests_cli_nth_la_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -fno-builtin
tests_cli_nth_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

scripts += tests/cli/config.test
scripts += tests/cli/examples.test
scripts += tests/cli/gpu.test
scripts += tests/cli/agree.test
scripts += tests/cli/allocation.test
scripts += tests/cli/input.test
scripts += tests/cli/interrupt.test
scripts += tests/cli/label.test
scripts += tests/cli/label_kill.test
scripts += tests/cli/live.test
scripts += tests/cli/memory.test
scripts += tests/cli/model.test
scripts += tests/cli/opt.test
scripts += tests/cli/output.test
scripts += tests/cli/profile.test
scripts += tests/cli/threads.test
scripts += tests/cli/skip.test
scripts += tests/cli/synth.test
scripts += tests/cli/top.test
scripts += tests/cli/usage.test
scripts += tests/cli/validate.test
scripts += tests/cli/mshr.test
scripts += tests/cli/coherence.test
scripts += tests/cli/coherence_timed.test
scripts += tests/cli/sweep.test
