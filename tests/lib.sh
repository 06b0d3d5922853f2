# lib.sh - what the shell tests share; sourced first by each.
#
# A test prints what it checks and stops at the first thing that is wrong. Sets $srcdir and $builddir (the tops of the
# trees), $reprise (the program) and $tmp (an empty folder of the test's own, removed at the end; the working folder).
set -u
export LC_ALL=C
srcdir=$(cd "${abs_top_srcdir:-$(dirname "$0")/..}" && pwd)
builddir=$(cd "${abs_top_builddir:-$srcdir}" && pwd)
reprise=$builddir/reprise
tmp=$(mktemp -d "${TMPDIR:-/tmp}/reprise-test.XXXXXX") || exit 99
trap 'cd / && rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP
cd "$tmp" || exit 99

say() { echo "# $*"; }
fail() {
	echo "FAILED: $*"
	exit 1
}
skip() { # the test as a whole
	echo "SKIP: $*"
	exit 77
}
