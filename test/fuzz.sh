#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given time (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
found=0
while IFS=: read -r file line; do
	target=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/' <<<"$line")
	folder=./$(dirname "$file")
	echo "== $folder $target ($time)"
	go test -tags gore2regex -run '^$' -fuzz "^$target\$" -fuzztime "$time" -parallel 2 "$folder"
	found=$((found + 1))
done < <(git ls-files -co --exclude-standard '*_test.go' | xargs grep -HE '^func Fuzz[A-Za-z0-9_]*\(' | sort)
[ "$found" -gt 0 ] || { echo "no fuzz target found"; exit 1; }
echo "$found fuzz targets, none failed"
