package all

import (
	"go/parser"
	"go/token"
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
	for _, a := range Agents() {
		f := a.Transcript
		if f == nil {
			continue
		}
		require.NotEmpty(t, f.Signs, f.Name)
		rows.WriteString("| [`" + f.Name + "`](agents/" + a.Page + ") | " + f.Title + " | " + f.Signs + " | " + f.Limits + " |\n")
	}
	want := before + head + strings.ReplaceAll(rows.String(), "|  |\n", "| |\n") + "\n" + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data), "run the test with -update and review the file")
}

// Every agent has one name in all its parts and a page; TestGolden wants a fixture
// of its transcripts.
func TestAgents(t *testing.T) {
	names := map[string]bool{}
	for _, a := range Agents() {
		require.False(t, names[a.Name], "%s twice", a.Name)
		names[a.Name] = true
		require.FileExists(t, filepath.Join("..", "..", "..", "docs", "agents", a.Page), a.Name)
		if a.Transcript != nil {
			require.Equal(t, a.Name, a.Transcript.Name)
		}
		if a.Hooks != nil {
			require.Equal(t, a.Name, a.Hooks.Agent)
		}
		if a.Install != nil {
			require.Equal(t, a.Name, a.Install.Agent)
			require.NotNil(t, a.Hooks, "%s: hooks are installed that nobody reads", a.Name)
		}
		if a.Drive != nil {
			require.Equal(t, a.Name, a.Drive.Agent)
			require.NotNil(t, a.Transcript, "%s: a driver makes turns as its transcripts do", a.Name)
		}
	}
}

// An agent stands alone: what two need lies in a room of its own. Cursor is made
// of others' parts.
func TestAgentsAreApart(t *testing.T) {
	const ours = "github.com/scaffoldwatch/scaffoldwatch/internal/agent/"
	shared := map[string]bool{"drive": true, "drive/process": true, "drive/web": true, "hook": true, "install": true, "loose": true, "outcome": true, "patch": true, "record": true, "transcript": true}
	allowed := map[string]bool{"cursor chat": true, "cursor codex": true}
	files, err := filepath.Glob(filepath.Join("..", "*", "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		folder := filepath.Base(filepath.Dir(path))
		if folder == "all" || shared[folder] || strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			other, is := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), ours)
			if is && !shared[other] && !allowed[folder+" "+other] {
				t.Errorf("%s imports the agent %s; move what both need to a room of its own", path, other)
			}
		}
	}
}
