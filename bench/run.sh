#!/bin/sh
# run.sh - runs the bench programs and lays out what they measured.
#
# usage: run.sh PROGRAM...   in the build folder (`make bench` calls it)
set -eu

data=bench-data
mkdir -p "$data"
rows=$data/rows
: >"$rows"

for program; do
	echo "$program ..." >&2
	"./$program" "$data" >>"$rows" || echo "skip	$program	it failed" >>"$rows"
done

# row: sense, what, value, unit, baseline, ratio, bound. Without a ratio the value itself is held against the bound.
awk -F '\t' '
	$1 == "row" {
		is = $7 == "-" ? $4 : $7
		said = $8 == "-" ? "" : ($2 == "least" ? is + 0 >= $8 + 0 : is + 0 <= $8 + 0) ? "ok" : "BELOW"
		if (said == "BELOW" && $2 == "most") said = "ABOVE"
		bound = $8 == "-" ? "-" : ($2 == "least" ? ">= " : "<= ") $8
		if (!rows++)
			printf "%-52s %10s %-9s %-34s %7s %8s\n", "figure", "value", "unit", "baseline", "ratio", "wanted"
		printf "%-52s %10.4g %-9s %-34s %7s %8s %s\n", $3, $4, $5, $6, $7, bound, said
		missed += said != "ok" && said != ""
	}
	$1 == "skip" { skipped[++skips] = $2 ": " $3 }
	END {
		for (i = 1; i <= skips; i++)
			print "left out: " skipped[i]
		printf "%d figures, %d not reached, %d left out\n", rows, missed, skips
	}' "$rows"
