package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestHelpGolden keeps the help of every command in one file, for a reader to
// review.
func TestHelpGolden(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	var out bytes.Buffer
	parser, err := newParser(&commands{}, kong.Writers(&out, &out), kong.Exit(func(int) {}))
	require.NoError(t, err)
	var visit func(node *kong.Node, path []string)
	visit = func(node *kong.Node, path []string) {
		out.WriteString("$ " + strings.Join(append([]string{"scaffoldwatch"}, path...), " ") + " --help\n")
		_, _ = parser.Parse(append(path, "--help")) // prints and does not exit
		out.WriteString("\n")
		for _, child := range node.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				visit(child, append(path[:len(path):len(path)], child.Name))
			}
		}
	}
	visit(parser.Model.Node, nil)
	golden := filepath.Join("testdata", "help.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String(), "the help differs: go test ./cmd/scaffoldwatch -run HelpGolden -update")
}

// The parser of the hook prints the help that the parser of all commands prints.
func TestHookHelpIsThatOfAllCommands(t *testing.T) {
	help := func(parse func(*commands, ...kong.Option) (*kong.Kong, error)) string {
		var out bytes.Buffer
		parser, err := parse(&commands{}, kong.Writers(&out, &out), kong.Exit(func(int) {}))
		require.NoError(t, err)
		_, _ = parser.Parse([]string{"hook", "--help"}) // prints and does not exit
		return out.String()
	}
	require.Equal(t, help(newParser), help(newHookParser))
}
