package policy

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs/monitoring"
)

// Every kind of fault, every name in /readyz, every alert and every line of doctor that
// can warn has an entry in the runbook that says what to do, and no entry is about
// anything else.
func TestTheRunbookHasEveryReason(t *testing.T) {
	top, err := root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(top, "docs", "runbook.md"))
	require.NoError(t, err)
	var entries []string
	for _, part := range regexp.MustCompile(`(?m)^### `).Split(string(text), -1)[1:] {
		name, body, _ := strings.Cut(part, "\n")
		body, _, _ = strings.Cut(body, "\n## ")
		require.NotEmpty(t, strings.TrimSpace(body), "the entry %s says nothing", name)
		require.NotContains(t, entries, name, "two entries")
		entries = append(entries, name)
	}
	var want []string
	for _, k := range vitals.Kinds() {
		want = append(want, string(k))
	}
	for _, a := range monitoring.Alerts() {
		want = append(want, a.Name)
	}
	want = append(want, link.Stages...)         // reported by Stage under its name
	want = append(want, "progress", "reporter") // "ingest progress" …; the reporter's own name
	want = append(want, "log")                  // "ingest log" … of doctor --audit
	want = append(want, named(t, "Report", 0, "internal/edge/service", "internal/edge/reporter", "internal/edge/reporter/notifier")...)
	want = append(want, named(t, "line", 1, "internal/edge/cli/system")...)
	want = append(want, checks(t)...)
	slices.Sort(want)
	require.ElementsMatch(t, slices.Compact(want), entries)
}

// named returns the literals that are an argument of calls of a method, in some
// folders. A line of doctor that is always fine is left out.
func named(t *testing.T, method string, argument int, folders ...string) (found []string) {
	t.Helper()
	for _, f := range repository(t).files {
		if f.test || !slices.ContainsFunc(folders, func(in string) bool { return f.folder == in || strings.HasPrefix(f.folder, in+"/") }) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) <= argument {
				return true
			}
			s, is := call.Fun.(*ast.SelectorExpr)
			if !is || s.Sel.Name != method {
				return true
			}
			if ok, is := call.Args[0].(*ast.Ident); is && ok.Name == "true" {
				return true
			}
			if l, is := call.Args[argument].(*ast.BasicLit); is && l.Kind == token.STRING {
				if name, err := strconv.Unquote(l.Value); err == nil {
					found = append(found, name)
				}
			}
			return true
		})
	}
	require.NotEmpty(t, found, "no call of %s", method)
	return found
}

// checks returns the names of the constants check… of the services.
func checks(t *testing.T) (found []string) {
	t.Helper()
	top, err := root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(top, "internal", "edge", "service", "vitals.go"))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\s*check[A-Z]\w+\s*= "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	require.NotEmpty(t, found)
	return found
}
