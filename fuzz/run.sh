# run.sh SOURCE_FOLDER [TARGET...]: lets clang's fuzzer work on each target for RP_FUZZ_SECONDS (60), from its seeds and
# what it found before (in ./fuzz-found). The input of a crash is left in ./fuzz-TARGET-*.
set -eu
top=$1
shift
[ $# -gt 0 ] || set -- $(./fuzz/replay --list)
failed=0
for target; do
	mkdir -p "fuzz-found/$target"
	echo "== $target"
	RP_FUZZ_TARGET=$target ./fuzz/fuzz -max_total_time="${RP_FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=2048 \
		-max_len=65536 -print_final_stats=1 -artifact_prefix="fuzz-$target-" \
		"fuzz-found/$target" "$top/fuzz/corpus/$target" >"fuzz-found/$target.log" 2>&1 || failed=$((failed + 1))
	grep -E '^(fuzz: |SUMMARY|stat::number_of_executed_units)|ERROR' "fuzz-found/$target.log" || true
done
[ "$failed" = 0 ] || { echo "$failed targets failed: fuzz-found/*.log"; exit 1; }
