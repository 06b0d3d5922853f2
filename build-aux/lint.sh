#!/bin/sh
# lint.sh SRCDIR FLAG...: clang-tidy, and cppcheck where it is present, on the library's and the program's sources. What
# they found goes to standard output; exit code 1 if there was anything.
set -u
cd "$1" || exit 1
shift
command -v clang-tidy >/dev/null || { echo "clang-tidy is needed (Debian: clang-tidy)"; exit 1; }
jobs=$(nproc 2>/dev/null || echo 2)
sources=$(find src traces sim gen loops validate learn -name '*.c' ! -name 'table_*')
bad=0

# One file a run, so that both processors are used. "N warnings generated" on standard error counts suppressed ones.
export RP_FLAGS="$* -DHAVE_CONFIG_H -Wno-unknown-warning-option"
echo "$sources" | xargs -P "$jobs" -I{} sh -c 'clang-tidy --quiet {} -- $RP_FLAGS 2>/dev/null' || bad=1

if command -v cppcheck >/dev/null; then
	cppcheck --quiet -j "$jobs" --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=uninitvar --suppress=memleak -I. -Isrc $sources 2>&1 || bad=1
fi
exit $bad
