package segment

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// An edit tool with unknown argument names is still an edit (SW-3a).
func TestEditOfUnknownArguments(t *testing.T) {
	s, err := New(rules.Default(), grammars.Linked{})
	require.NoError(t, err)
	for _, c := range []struct {
		tool, input, path string
		lines             []string
	}{
		{"Edit", `{"fileUri": "src/a.go", "textBefore": "x := 1", "textAfter": "x := 2"}`, "src/a.go", []string{"-x := 1", "+x := 2"}},
		{"edit_file", `{"where": "src/a.go", "what": "package a\n\nvar X = 1\n"}`, "src/a.go", []string{"+package a", "+", "+var X = 1"}},
		{"apply_patch", `{"args": {"target": "a.py", "lines": "x = 1\ny = 2"}}`, "a.py", []string{"+x = 1", "+y = 2"}},
		{"MultiEdit", `{"file_path": "a.py", "hunks": [{"from": "x = 1", "to": "x = 3"}]}`, "a.py", []string{"-x = 1", "+x = 3"}},
		{"Edit", `{"edit_id": 7}`, "", nil},
		{"mcp__serena__replace_symbol_body", `{"relative_path": "a.py", "name_path": "f", "body": "def f():\n    return 1"}`, "a.py", []string{"+def f():", "+    return 1"}},
		{"write_config_file", `{"path": "a.toml", "content": "x = 1"}`, "a.toml", []string{"+x = 1"}},
	} {
		cut := s.Cut(&sessionevents.Turn{Session: "s", TurnID: "t", Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockToolCall, ID: "1", Name: c.tool, Input: json.RawMessage(c.input)},
			{Type: sessionevents.BlockToolResult, ID: "1", Output: "done"},
		}}, 1, Options{})
		require.Equal(t, sessionevents.SegmentDiff, cut.Segments[0].Kind, c.input)
		require.Equal(t, c.path, cut.Segments[0].Path, c.input)
		var lines []string
		for _, h := range cut.Segments[0].Diff.Hunks {
			lines = append(lines, h.Lines...)
		}
		require.Equal(t, c.lines, lines, c.input)
	}
}

// A tool that only sounds like an editor is none.
func TestNoEditor(t *testing.T) {
	s, err := New(rules.Default(), grammars.Linked{})
	require.NoError(t, err)
	for tool, input := range map[string]string{
		"create_issue":        `{"title": "a file is lost", "body": "x\ny"}`,
		"update_pull_request": `{"path": "a.go", "body": "x"}`,
		"list_files_by_text":  `{"path": "a.go"}`,
	} {
		cut := s.Cut(&sessionevents.Turn{Session: "s", TurnID: "t", Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockToolCall, ID: "1", Name: tool, Input: json.RawMessage(input)},
			{Type: sessionevents.BlockToolResult, ID: "1", Output: "done"},
		}}, 1, Options{})
		require.Equal(t, sessionevents.SegmentTool, cut.Segments[0].Kind, tool)
	}
}
