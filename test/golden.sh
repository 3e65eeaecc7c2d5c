#!/usr/bin/env bash
# Rewrites the golden and generated files of every package whose tests know -update, themselves or
# by a package that runs scripts for them. A test that only compares is left alone. The recorded
# histories are not renewed: see CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "$0")/.."
tags=gore2regex
own=$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname)
runners=$(grep -rl --include='*.go' --exclude='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname)
import=$(for folder in $runners; do go list -tags "$tags" "$folder"; done)
by=$(go list -tags "$tags" -f '{{$path := .Dir}}{{range .TestImports}}{{.}} {{$path}}
{{end}}{{range .XTestImports}}{{.}} {{$path}}
{{end}}' ./... | grep -wF "$import" | awk '{print $2}')
packages=$(for folder in $own $by; do realpath --relative-to=. "$folder"; done | sort -u | grep -vx test/histories | sed 's,^,./,')
# Of these the other tests take minutes and write nothing.
slow="./cmd/scaffoldwatch ./internal/agent/all ./internal/analysis/secrets ./test/readme"
packages=$(grep -vxF "${slow// /$'\n'}" <<<"$packages")
# shellcheck disable=SC2086 # one word for each package
go test -tags "$tags" -count 1 $slow -run 'Golden|Generated|Pictures' -update
# shellcheck disable=SC2086 # one word for each package
exec go test -tags "$tags" -p 1 -count 1 -timeout 30m $packages -update
