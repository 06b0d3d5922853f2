#!/bin/sh
# demo.sh REPRISE TRACES FOLDER - what `./bootstrap demo` shows: real commands on the traces of examples/traces. FOLDER,
# which is made, keeps what they write.
set -eu
reprise=$1 traces=$2 folder=$3
mkdir -p "$folder"

show() {
	echo "\$ $*"
	"$@"
	echo
}

l1=lru,size=32KiB,ways=8,line=128,name=L1
l2=lru,size=1MiB,ways=16,line=128,name=L2

echo "== A GPU kernel, as NVBit's tracer writes it, through an L1 and an L2 with lines of 128 bytes, by thread block"
echo
show "$reprise" sim --by-stream --cache $l1 --cache $l2 "$traces/kernelslist.g"

for lackey in "$traces"/*.lackey.xz; do
	name=$(basename "$lackey" .lackey.xz)
	echo "== A CPU program ($name), as Valgrind's lackey recorded it, through the same caches"
	echo
	show "$reprise" sim --cache $l1 --cache $l2 "$lackey"
	show "$reprise" convert "$lackey" -o "$folder/$name.rpz"
done

echo "== gzip's trace as .rpz, twenty times over, so that the clock has something to measure"
echo
set -- "$folder/gzip.rpz" "$folder/gzip.rpz" "$folder/gzip.rpz" "$folder/gzip.rpz" "$folder/gzip.rpz"
show "$reprise" sim --totals --cache $l1 "$@" "$@" "$@" "$@"
