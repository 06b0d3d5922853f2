# One Criterion program, a suite a file; `tests/unit --filter 'lru/*'` runs a part.
unit += tests/check.h
unit += tests/base/test_parse.c
unit += tests/traces/rows.h
unit += tests/traces/test_bytes.c
unit += tests/traces/test_demux.c
unit += tests/traces/test_coalesce.c
unit += tests/traces/test_opcode.c
unit += tests/traces/format/reading.c
unit += tests/traces/format/reading.h
unit += tests/traces/format/test_lackey.c

if HAVE_CRITERION
check_PROGRAMS += tests/unit
tests_unit_SOURCES = $(unit)
tests_unit_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) -Wno-missing-prototypes -Wno-conversion
tests_unit_CPPFLAGS = $(AM_CPPFLAGS) -DRP_TOP_SRCDIR='"$(abs_top_srcdir)"'
tests_unit_LDADD = libcore.la $(CRITERION_LIBS)
TESTS += tests/unit
endif

scripts += tests/layers.test
scripts += tests/exports.test
scripts += tests/header.test
EXTRA_DIST += tests/layers.txt
EXTRA_DIST += tests/lib.sh
EXTRA_DIST += tests/tally.sh
EXTRA_DIST += tests/installed.sh
