# lib.sh - what the shell tests share; sourced first by each.
#
# A test prints what it checks and stops at the first thing that is wrong. Sets $srcdir and $builddir (the tops of the
# trees), $reprise (the program) and $tmp (an empty folder of the test's own, removed at the end; the working folder).
set -u
RP_SANITIZERS=${RP_SANITIZERS:-}
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

# try CODE COMMAND...: runs it with no input; fails unless that is its exit code. What it said is in ./out and ./err.
try() {
	want=$1
	shift
	timeout 200 "$@" >out 2>err </dev/null # nothing takes so long; 124 then
	got=$?
	[ $got = "$want" ] && return 0
	head -c 2000 out err
	fail "exit code $got, wanted $want: $*"
}

# said TEXT: ./err is one line, and holds TEXT (a basic regular expression).
said() {
	[ "$(wc -l <err)" = 1 ] && grep -q -e "$1" err && return 0
	head -c 2000 err
	fail "wanted one line on standard error with: $1"
}

# refused CODE TEXT COMMAND...: the exit code, one line on standard error with TEXT, nothing on standard output, and no file
# that was not there before.
refused() {
	code=$1 text=$2
	shift 2
	say "$* -> $code"
	: >out
	: >err
	before=$(ls -A)
	try "$code" "$@"
	said "$text"
	[ -s out ] && fail "wanted nothing on standard output: $(head -n 1 out)"
	[ "$before" = "$(ls -A)" ] || fail "left files behind: $(ls -A | tr '\n' ' ')"
}

# column NAME: that column of the first row of CSV in ./out; a number.
column() {
	awk -F, -v name="$1" '{ gsub(/"[^"]*"/, "") } NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i } NR == 2 && k { print $k }' out
}
