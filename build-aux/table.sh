#!/bin/sh
# table.sh PREFIX HEADER TABLE FILE...: a C table of the structs PREFIX_NAME, NAME being each file's name without .c.
set -eu
prefix=$1 header=$2 table=$3
shift 3
[ "$table" = rp_commands ] || set -- $(printf '%s\n' "$@" | LC_ALL=C sort) # people look by name; commands have their own order
printf '/* %s: made by the build from the list in local.mk. */\n#include "config.h"\n\n#include "%s"\n\n#include <stddef.h>\n\n' "$table" "$header"
for file; do
	printf 'extern const struct %s %s_%s;\n' "$prefix" "$prefix" "$(basename "$file" .c)"
done
printf '\nconst struct %s *const %s[] = {\n' "$prefix" "$table"
for file; do
	printf '\t&%s_%s,\n' "$prefix" "$(basename "$file" .c)"
done
printf '\tNULL,\n};\n'
