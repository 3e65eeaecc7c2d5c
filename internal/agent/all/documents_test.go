package all

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of docs/formats.md is generated from the formats, in their order.
func TestGeneratedFormats(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "formats.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	const head = "| format | what it is | recognised by | notes and limits |\n|---|---|---|---|\n"
	before, rest, found := strings.Cut(string(data), head)
	require.True(t, found, "docs/formats.md has no table of formats")
	_, after, found := strings.Cut(rest, "\n\n")
	require.True(t, found)
	var rows strings.Builder
	for _, f := range Formats() {
		require.NotEmpty(t, f.Signs, f.Name)
		rows.WriteString("| `" + f.Name + "` | " + f.Title + " | " + f.Signs + " | " + f.Limits + " |\n")
	}
	want := before + head + strings.ReplaceAll(rows.String(), "|  |\n", "| |\n") + "\n" + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data), "run the test with -update and review the file")
}
