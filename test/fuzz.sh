#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given time (default 10s): each
# package is linked once, and two run at a time with one worker each. Below ten seconds
# nothing is instrumented: coverage guides little in that time, and without it seven
# times as many inputs are tried, by the packages that the tests have compiled already.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
inputs=$(go env GOCACHE)/fuzz
guided=-fuzz=Fuzz
[[ $time =~ ^[0-9]s$ ]] && guided=

# fuzz runs the targets of one package. The tool itself fails now and then with
# "context deadline exceeded" when the time ends in the middle of an input; without a
# failing input that says nothing of the target.
fuzz() {
	local folder=$1 binary output target
	binary=$(mktemp "$scratch/XXXXXX")
	output=$binary.output
	go test -c $guided -tags gore2regex -o "$binary" "./$folder"
	grep -hoE '^func Fuzz[A-Za-z0-9_]*\(' "$folder"/*_test.go | sed -E 's/^func (.*)\($/\1/' | while read -r target; do
		if ! (cd "$folder" && "$binary" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" -test.parallel 1 -test.fuzzcachedir "$inputs/$folder") >"$output" 2>&1; then
			if ! grep -q 'context deadline exceeded' "$output" || grep -qE 'Failing input|panic|fatal error' "$output"; then
				echo "--- FAIL: $target in $folder"
				cat "$output"
				exit 1
			fi
			echo "$folder $target: the time ended in the middle of an input"
			continue
		fi
		echo "$folder $target: $(grep -oE "execs: [0-9]+" "$output" | tail -n 1 || echo "only its seeds and what was found before")"
	done
	rm -f "$binary" "$output"
}
export -f fuzz
export time scratch inputs guided

git ls-files -co --exclude-standard '*_test.go' | xargs grep -lE '^func Fuzz[A-Za-z0-9_]*\(' | xargs -n 1 dirname | sort -u >"$scratch/folders"
xargs -P 2 -I {} bash -euo pipefail -c 'fuzz {}' <"$scratch/folders" | tee "$scratch/ran"
found=$(grep -c . "$scratch/ran") || { echo "no fuzz target found"; exit 1; }
echo "$found fuzz targets, none failed"
