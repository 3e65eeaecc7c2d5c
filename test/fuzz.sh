#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given time (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# fuzz runs one target. The tool itself fails now and then with "context deadline
# exceeded" when the time ends in the middle of an input; without a failing input
# that says nothing of the target.
fuzz() {
	if go test -tags gore2regex -run '^$' -fuzz "^$2\$" -fuzztime "$time" -parallel 2 "$1" >"$output" 2>&1; then
		tail -n 1 "$output"
		return
	fi
	cat "$output"
	if grep -q 'context deadline exceeded' "$output" && ! grep -qE 'Failing input|panic|fatal error' "$output"; then
		echo "$2: the time ended in the middle of an input"
		return
	fi
	exit 1
}

found=0
while IFS=: read -r file line; do
	target=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/' <<<"$line")
	folder=./$(dirname "$file")
	echo "== $folder $target ($time)"
	fuzz "$folder" "$target"
	found=$((found + 1))
done < <(git ls-files -co --exclude-standard '*_test.go' | xargs grep -HE '^func Fuzz[A-Za-z0-9_]*\(' | sort)
[ "$found" -gt 0 ] || { echo "no fuzz target found"; exit 1; }
echo "$found fuzz targets, none failed"
