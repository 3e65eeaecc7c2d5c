package secrets

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	page      = "../../../docs/secrets.md"
	pageBegin = "<!-- generated: make golden -->\n"
	pageEnd   = "<!-- end -->\n"
)

// The page of secrets lists the rules that extend those of gitleaks.
func TestGeneratedPageIsFresh(t *testing.T) {
	detector, err := provider()
	require.NoError(t, err)
	c := testScanner(t).config
	var table strings.Builder
	table.WriteString("| rule | recognises | the value is |\n|---|---|---|\n")
	for _, id := range slices.Sorted(slices.Values(ownRules(t))) {
		look := string(c.Judged[id])
		if look == "" {
			look = "of that form"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", id, detector.Config.Rules[id].Description, look)
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(have), pageBegin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, pageEnd)
	require.True(t, ok)
	want := before + pageBegin + table.String() + pageEnd + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(have), "docs/secrets.md is stale: run make golden")
}

// ownRules are the ids in rules/secrets.toml.
func ownRules(t *testing.T) (ids []string) {
	text, err := os.ReadFile("../../../rules/secrets.toml")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "id = "); ok {
			ids = append(ids, strings.Trim(id, `"`))
		}
	}
	return ids
}
