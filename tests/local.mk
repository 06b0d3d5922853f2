# One Criterion program, a suite a file; `tests/unit --filter 'lru/*'` runs a part.
unit += tests/check.h
unit += tests/base/test_parse.c
unit += tests/traces/rows.h
unit += tests/traces/test_bytes.c
unit += tests/traces/test_demux.c
unit += tests/traces/test_coalesce.c
unit += tests/traces/test_opcode.c
unit += tests/gen/draw.h
unit += tests/gen/test_alias.c
unit += tests/gen/test_gen.c
unit += tests/gen/test_power.c
unit += tests/gen/test_scan.c
unit += tests/gen/test_stride.c
unit += tests/gen/test_uniform.c
unit += tests/gen/test_zipf.c
unit += tests/traces/format/reading.c
unit += tests/traces/format/reading.h
unit += tests/traces/format/test_lackey.c
unit += tests/traces/codec/test_codec.c
EXTRA_DIST += tests/traces/files/codec/bzip2.zip
EXTRA_DIST += tests/traces/files/codec/encrypted.zip
EXTRA_DIST += tests/traces/files/codec/infozip.zip
EXTRA_DIST += tests/traces/files/codec/nocheck.zst
EXTRA_DIST += tests/traces/files/codec/stored.zip
EXTRA_DIST += tests/traces/files/codec/stored_streamed.zip
EXTRA_DIST += tests/traces/files/codec/streamed.zip
EXTRA_DIST += tests/traces/files/codec/streamed64.zip
EXTRA_DIST += tests/traces/files/codec/text
EXTRA_DIST += tests/traces/files/codec/text.bz2
EXTRA_DIST += tests/traces/files/codec/text.gz
EXTRA_DIST += tests/traces/files/codec/text.xz
EXTRA_DIST += tests/traces/files/codec/text.zst
EXTRA_DIST += tests/traces/files/codec/two.bz2
EXTRA_DIST += tests/traces/files/codec/two.gz
EXTRA_DIST += tests/traces/files/codec/two.xz
EXTRA_DIST += tests/traces/files/codec/two.zip
EXTRA_DIST += tests/traces/files/codec/two.zst
EXTRA_DIST += tests/traces/files/codec/zip64.zip
unit += tests/sim/test_spec.c
unit += tests/sim/test_replay.c
unit += tests/sim/policy/test_policies.c
unit += tests/sim/replay_check.h

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
