//go:build tools

// Package tools pins the linters, apart from the product's own modules.
package tools

import (
	_ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
	_ "golang.org/x/perf/cmd/benchstat"
	_ "mvdan.cc/gofumpt"
)
