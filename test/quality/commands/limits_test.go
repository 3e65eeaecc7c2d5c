package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each way around the guard that docs/guard-limits.md names has a case: a line of our tables, whose verdict
// TestOwnTables holds, or a test (GD-23).
func TestEachLimitNamesItsCase(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guard-limits.md"))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, name := range Tables {
		cases, err := Own(name, "/home/ana")
		require.NoError(t, err)
		for _, c := range cases {
			known[c.Command] = true
		}
	}
	command := exec.Command("git", "grep", "-hoE", `^func Test\w+`, "--", "*_test.go")
	command.Dir = filepath.Join("..", "..", "..")
	tests, err := command.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(tests)) {
		known[strings.TrimPrefix(strings.TrimSpace(line), "func ")] = true
	}
	bar, quoted, rows := regexp.MustCompile(`[^\\]\|`), regexp.MustCompile("`([^`]+)`"), 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| way ") {
			continue
		}
		rows++
		columns := bar.Split(strings.TrimSpace(line[1:]), -1)
		require.Len(t, columns, 4, "%s", line)
		cases := quoted.FindAllStringSubmatch(columns[2], -1)
		assert.NotEmpty(t, cases, "%s", line)
		for _, c := range cases {
			assert.True(t, known[strings.ReplaceAll(c[1], `\|`, "|")], "no such case: %s", c[1])
		}
	}
	require.Greater(t, rows, 30)
}
