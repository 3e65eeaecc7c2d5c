package files

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestClassify(t *testing.T) {
	table, err := Load(rules.Default())
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/cases.txt")
	require.NoError(t, err)
	right, all := 0, 0
	for line := range strings.Lines(string(text)) {
		path, want, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !is || strings.HasPrefix(line, "#") {
			continue
		}
		all++
		got := table.Classify(path)
		if assert.ElementsMatch(t, strings.Fields(want), strings.Fields(got.String()), path) {
			right++
		}
		for _, n := range names {
			require.Equal(t, got.Any(n.kind), table.Is(path, n.kind), path)
		}
	}
	t.Logf("%d of %d", right, all)
}

// A user's file adds to a kind for everybody who asks.
func TestOverride(t *testing.T) {
	set, err := rules.Load("rules.yaml", []byte("files:\n  test: ['(^|/)checks/']\n"))
	require.NoError(t, err)
	table, err := Load(set)
	require.NoError(t, err)
	require.True(t, table.Is("checks/login.go", Test))

	set, err = rules.Load("rules.yaml", []byte("files:\n  test: ['(']\n"))
	require.NoError(t, err)
	_, err = Load(set)
	require.ErrorContains(t, err, "rules.yaml")
}
