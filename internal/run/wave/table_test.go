package wave

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the table of states in docs/wave-protocol.md")

// The page holds the state machine as it is.
func TestPageIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "wave-protocol.md")
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	page := between(t, string(old), "states", statesTable())
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
		return
	}
	require.Equal(t, page, string(old), "docs/wave-protocol.md is stale: go test ./internal/run/wave -update")
}

// between replaces what stands between the marks of a table.
func between(t *testing.T, page, name, table string) string {
	begin, end := "<!-- "+name+": generated -->\n", "<!-- "+name+": end -->"
	head, rest, ok := strings.Cut(page, begin)
	require.True(t, ok, begin)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	return head + begin + "\n" + table + "\n" + end + tail
}

func statesTable() string {
	out := "| from | when | to |\n|---|---|---|\n"
	for _, m := range moves {
		var from []string
		for _, p := range m.from {
			from = append(from, string(p))
		}
		on := string(m.on)
		if m.when != nil {
			on += " (" + guards[fmt.Sprintf("%p", m.when)] + ")"
		}
		out += fmt.Sprintf("| %s | %s | %s |\n", strings.Join(from, ", "), on, m.to)
	}
	return out
}

// guards are the conditions of the state machine for people.
var guards = map[string]string{
	fmt.Sprintf("%p", needsScaffold): "a scaffold is pending and not every wave is solo",
	fmt.Sprintf("%p", onlySolo):      "every wave is solo",
	fmt.Sprintf("%p", investigated):  "an operator chose to investigate",
	fmt.Sprintf("%p", awaitingHuman): "the trip wire fired",
	fmt.Sprintf("%p", currentSolo):   "solo wave",
	fmt.Sprintf("%p", currentMerged): "merged",
}
