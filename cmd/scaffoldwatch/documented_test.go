package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/readme"
)

// TestDocumentedCommandLinesParse parses every scaffoldwatch command line of
// README.md and docs/*.md, without running it.
func TestDocumentedCommandLinesParse(t *testing.T) {
	list, err := readme.Commands(filepath.Join("..", ".."))
	require.NoError(t, err)
	parsed := 0
	for _, c := range list {
		if c.Args[0] != "scaffoldwatch" || len(c.Args) == 1 {
			continue
		}
		parsed++
		var out bytes.Buffer
		exited := false
		parser, err := newParser(&commands{}, kong.Writers(&out, &out), kong.Exit(func(int) { exited = true }))
		require.NoError(t, err)
		if _, err = parser.Parse(c.Args[1:]); !exited {
			require.NoError(t, err, "%s", c)
		}
	}
	require.Greater(t, parsed, 5)
}
