#!/bin/sh
# demo.sh REPRISE TRACES - what `./bootstrap demo` shows: real commands on the traces of examples/traces.
set -eu
reprise=$1 traces=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

show() {
	echo "\$ $*"
	"$@"
	echo
}

echo "== A GPU kernel as NVBit recorded it, through an L1 and an L2 with lines of 128 bytes, by thread block =="
echo
show "$reprise" sim --by-stream --cache lru,size=32KiB,ways=8,line=128,name=L1 --cache lru,size=1MiB,ways=16,line=128,name=L2 \
	"$traces/kernelslist.g"

for lackey in "$traces"/*.lackey.xz; do
	name=$(basename "$lackey" .lackey.xz)
	echo "== A CPU program ($name) as Valgrind's lackey recorded it, the same caches =="
	echo
	show "$reprise" sim --cache lru,size=32KiB,ways=8,line=128,name=L1 --cache lru,size=1MiB,ways=16,line=128,name=L2 "$lackey"
	echo "== Kept as .rpz it is small, and replays at full speed =="
	echo
	show "$reprise" convert "$lackey" -o "$tmp/$name.rpz"
	show "$reprise" sim --cache lru,size=32KiB,ways=8,line=128 "$tmp/$name.rpz"
done
