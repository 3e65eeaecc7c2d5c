package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
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

var mentioned = regexp.MustCompile("`scaffoldwatch ([a-z][^`]*)`")

// TestRulesPromiseOnlyWhatExists looks up each command that a rule or a detector
// mentions.
func TestRulesPromiseOnlyWhatExists(t *testing.T) {
	found := 0
	check := func(where, text string) {
		for _, m := range mentioned.FindAllStringSubmatch(strings.ReplaceAll(text, "\n", " "), -1) {
			requireCommand(t, where, strings.Fields(m[1]))
			found++
		}
	}
	for _, r := range spec.Rules() {
		check(r.ID, r.Explain(""))
	}
	for _, d := range all.Detectors() {
		check(d.ID, d.Doc)
	}
	require.Greater(t, found, 5)
}

// requireCommand fails if the leading words are not a command, or a flag is unknown.
func requireCommand(t *testing.T, where string, words []string) {
	t.Helper()
	parser, err := newParser(&commands{})
	require.NoError(t, err)
	at := parser.Model.Node
	for len(words) > 0 && at.Type != kong.ArgumentNode && len(at.Children) > 0 {
		next := child(at, words[0])
		require.NotNil(t, next, "%s mentions `scaffoldwatch %s`, which is not a command", where, strings.Join(words, " "))
		at, words = next, words[1:]
	}
	for _, w := range words {
		if name, isFlag := strings.CutPrefix(w, "--"); isFlag {
			require.True(t, hasFlag(at, name), "%s mentions --%s, which %s does not have", where, name, at.Path())
		}
	}
}

func child(at *kong.Node, name string) *kong.Node {
	for _, c := range at.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func hasFlag(at *kong.Node, name string) bool {
	for _, group := range at.AllFlags(false) {
		for _, f := range group {
			if f.Name == name {
				return true
			}
		}
	}
	return false
}
