# tally.sh - reads names of .trs files, one a line; prints "PASSED FAILED SKIPPED".
#
# A test is a .trs file, except that a Criterion program's tests, which its .log counts, are one each.
passed=0 failed=0 skipped=0
while read -r trs; do
	result=$(sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' "$trs" | head -n 1)
	log=${trs%.trs}.log
	set -- $(sed -n 's/.*Synthesis: Tested: \([0-9]*\) | Passing: \([0-9]*\) | Failing: \([0-9]*\) | Crashing: \([0-9]*\).*/\2 \3/p' \
		"$log" | tail -n 1)
	if [ $# = 2 ]; then
		passed=$((passed + $1)) failed=$((failed + $2)) # a crash is among the failed
		skipped=$((skipped + $(grep -c '^\[SKIP\]' "$log")))
		case $result.$2 in
		PASS.* | FAIL.[1-9]*) continue ;;
		esac
		failed=$((failed + 1)) # it ended badly after its summary
		continue
	fi
	case $result in
	PASS | XFAIL) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
done
echo $passed $failed $skipped
