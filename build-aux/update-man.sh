#!/bin/sh
# update-man.sh REPRISE PAGE...: makes the sections of the manual that come from the program's tables anew. A section stands
# between `.\" begin TOPIC` and `.\" end TOPIC`; TOPIC is a command, `formats`, `policies`, `counters`, `gen-KIND`. With
# CHECK=1 nothing is written: pages that lag are named, exit 1.
set -eu
reprise=$1
shift
status=0
for page; do
	new=$(mktemp)
	awk -v reprise="$reprise" '
		/^\.\\" begin / {
			print
			topic = $3
			command = reprise " help --mdoc " topic
			while ((command | getline line) > 0)
				print line
			if (close(command) != 0)
				exit 1
			inside = 1
			next
		}
		/^\.\\" end / { inside = 0 }
		!inside { print }
	' "$page" >"$new" || { rm -f "$new"; echo "$page: a topic is unknown" >&2; exit 1; }
	if cmp -s "$page" "$new"; then
		rm -f "$new"
	elif [ "${CHECK:-0}" = 1 ]; then
		echo "$page lags behind the tables: run make update-man"
		diff -u "$page" "$new" | head -20 || true
		rm -f "$new"
		status=1
	else
		cat "$new" >"$page"
		rm -f "$new"
		echo "updated $page"
	fi
done
exit $status
