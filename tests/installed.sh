# installed.sh ROOT PREFIX - what `make install DESTDIR=ROOT` left is enough to build and run a program of one's own.
set -eu
root=$1 prefix=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -x "$root$prefix/bin/reprise" ]
headers=$(ls "$root$prefix/include")
[ "$headers" = reprise.h ] || { echo "installed headers, only reprise.h is public: $headers"; exit 1; }

PKG_CONFIG_LIBDIR=$root$prefix/lib/pkgconfig:$(pkg-config --variable pc_path pkg-config)
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
cat >"$tmp/version.c" <<'END'
#include <reprise.h>
#include <stdio.h>

int
main(void)
{
	return puts(reprise_version()) < 0;
}
END
version=$(pkg-config --modversion reprise)
gcc -o "$tmp/version" "$tmp/version.c" $(pkg-config --cflags --libs reprise)
said=$(LD_LIBRARY_PATH=$root$prefix/lib "$tmp/version")
echo "pkg-config says version $version, the library $said"
[ "$said" = "$version" ]

# A policy of one's own is built with the installed header, and loaded by the installed program.
gcc -shared -fPIC -o "$tmp/two.so" "$(dirname "$0")/../examples/tworandom.c" $(pkg-config --cflags reprise)
LD_LIBRARY_PATH=$root$prefix/lib "$root$prefix/bin/reprise" sim --plugin "$tmp/two.so" \
	--cache two-random,size=4KiB,ways=4 gen:zipf,lines=1000,limit=1000 | grep two-random

# All that was installed goes away again, as a package would expect.
find "$root" -type f | sed "s,^$root,,"
