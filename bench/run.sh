#!/bin/sh
# run.sh - makes the inputs of the bench programs, runs them, and lays out what they measured as one table.
#
# usage: run.sh SRCDIR PROGRAM...   in the build folder (`make bench` calls it)
#
# The inputs stay in bench-data for the next run. They are, of data accesses only (address, size, kind):
#   gzip.rpz    valgrind's lackey tool watching `gzip -6` pack C text, 20 M and more
#   sqlite.rpz  the same watching sqlite3 run sqlite.sql, 20 M and more
#   xz.rpz      the same watching `xz -6` pack C text, the first 20 M
#   zipf.rpz    20 M of gen:zipf over 1 M lines
# and beside a recording, how many bytes its text has when packed, since that takes minutes:
#   X.xz-size   "RPZ TEXT": the first $some accesses as .rpz, and their lackey text under `xz -6`
#   X.din-size  the din text of all of it (which has no sizes) under `zstd -19`
set -eu

srcdir=$1
shift
data=bench-data
rows=$data/rows
some=4000000
mkdir -p "$data"
: >"$rows"

skip() {
	printf 'skip\t%s\t%s\n' "$1" "$2" >>"$rows"
}

# record NAME LIMIT PROGRAM WORD...: makes NAME.rpz of the data accesses of a program, LIMIT at most unless that is 0. Its
# own output is thrown away.
record() {
	name=$1 limit=
	[ "$2" = 0 ] || limit="--limit $2"
	shift 2
	[ ! -s "$data/$name.rpz" ] || return 0
	for need in valgrind "$1"; do
		command -v "$need" >/dev/null || {
			skip "$name.rpz" "$need is not there"
			return 0
		}
	done
	echo "making $data/$name.rpz, once; this takes minutes" >&2
	valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$@" 9>&1 >/dev/null 2>/dev/null </dev/null |
		./reprise convert --no-progress --from lackey --kinds read,write $limit -o "$data/$name.rpz" - >&2 ||
		skip "$name.rpz" "it could not be made"
}

# lacks FILE NAME TOOL: whether FILE, which is about NAME.rpz, is still to be made, and can be.
lacks() {
	[ ! -s "$1" ] && [ -s "$data/$2.rpz" ] && command -v "$3" >/dev/null
}

# packed NAME: makes NAME.xz-size.
packed() {
	to=$data/$1.xz-size new=$data/$1.new
	lacks "$to" "$1" xz || return 0
	echo "packing the text of $data/$1.rpz, once; this takes a minute" >&2
	./reprise convert --no-progress --limit $some -o "$new.rpz" "$data/$1.rpz" >&2
	small=$(wc -c <"$new.rpz")
	text=$(./reprise convert --no-progress --to lackey -o - "$new.rpz" | xz -6 | wc -c)
	rm -f "$new.rpz"
	echo "$small $text" >"$new" && mv "$new" "$to"
}

# packed_din NAME: makes NAME.din-size.
packed_din() {
	to=$data/$1.din-size new=$data/$1.new-din
	lacks "$to" "$1" zstd || return 0
	echo "packing the din text of $data/$1.rpz, once; this takes minutes" >&2
	./reprise convert --no-progress --to din -o - "$data/$1.rpz" | zstd -q -19 -T0 | wc -c >"$new" && mv "$new" "$to"
}

# The text that gzip packs: our own sources, over again where they are shorter.
c_text() {
	cat "$srcdir"/src/*.[ch] "$srcdir"/src/base/*.[ch] "$srcdir"/traces/*.[ch] "$srcdir"/traces/format/*.[ch] \
		"$srcdir"/sim/*.[ch] "$srcdir"/gen/*.[ch] "$srcdir"/bench/*.[ch]
}
[ -s "$data/text.c" ] || { c_text && c_text && c_text; } | dd bs=1000 count=440 iflag=fullblock 2>/dev/null >"$data/text.c"

cat >"$data/sqlite.sql" <<'SQL'
create table item(id integer primary key, key integer, name text, price real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
insert into item select i, i * 7919 % 10007, 'item ' || (i * 31 % 997), i * 0.37 from n;
create index by_key on item(key);
select count(*), sum(price) from item where key between 2000 and 7000;
select name, count(*), max(price) from item group by name order by 2 desc, 1 limit 5;
update item set price = price * 1.1 where key % 3 = 0;
select count(*) from item a join item b on a.key = b.id;
delete from item where key % 7 = 0;
select sum(length(name)) from item;
SQL

record gzip 0 gzip -6 -n -c "$data/text.c"
record sqlite 0 sqlite3 -batch -init /dev/null :memory: ".read $data/sqlite.sql"
record xz 20000000 xz -6 -T1 -c "$data/text.c"
packed gzip &
packed sqlite
wait
packed_din sqlite
[ -s "$data/zipf.rpz" ] || ./reprise gen zipf --limit 20000000 --writes 0.3 --no-progress -o "$data/zipf.rpz" >&2

# most WHAT BYTES BASELINE AGAINST MOST: a row of a size.
most() {
	awk -v what="$1" -v bytes="$2" -v baseline="$3" -v against="$4" -v most="$5" 'BEGIN {
		printf "row\tmost\t%s\t%d\tbytes\t%s\t%.4g\t%s\n", what, bytes, baseline, bytes / against, most
	}' >>"$rows"
}
for name in gzip sqlite; do
	[ -s "$data/$name.xz-size" ] || continue
	read -r rpz text <"$data/$name.xz-size"
	most "$name: size of .rpz, first $((some / 1000000)) M accesses" "$rpz" "lackey text, xz -6" "$text" 1
done
if [ -s "$data/sqlite.din-size" ]; then
	most "sqlite: size of .rpz, all of it" "$(wc -c <"$data/sqlite.rpz")" "din text, zstd -19" \
		"$(cat "$data/sqlite.din-size")" 0.6
fi

for program; do
	echo "$program ..." >&2
	"./$program" "$data" >>"$rows" || skip "$program" "it failed"
done

# row: sense, what, value, unit, baseline, ratio, bound. Without a ratio the value itself is held against the bound.
awk -F '\t' '
	$1 == "row" {
		is = $7 == "-" ? $4 : $7
		said = $8 == "-" ? "" : ($2 == "least" ? is + 0 >= $8 + 0 : is + 0 <= $8 + 0) ? "ok" : "BELOW"
		if (said == "BELOW" && $2 == "most")
			said = "ABOVE"
		bound = $8 == "-" ? "-" : ($2 == "least" ? ">= " : "<= ") $8
		line[++rows] = sprintf("%10.4g %-8s %-34s %6s %8s %s", $4, $5, $6, $7, bound, said)
		what[rows] = $3
		if (length($3) > wide)
			wide = length($3)
		missed += said != "ok" && said != ""
	}
	$1 == "skip" { skipped[++skips] = $2 ": " $3 }
	END {
		head = sprintf("%10s %-8s %-34s %6s %8s", "value", "unit", "baseline", "ratio", "wanted")
		printf "%-" wide "s %s\n", "figure", head
		for (i = 1; i <= rows; i++)
			printf "%-" wide "s %s\n", what[i], line[i]
		for (i = 1; i <= skips; i++)
			print "left out: " skipped[i]
		printf "%d figures, %d not reached, %d left out\n", rows, missed, skips
	}' "$rows"
