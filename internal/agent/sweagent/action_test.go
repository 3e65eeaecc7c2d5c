package sweagent

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestAction(t *testing.T) {
	for line, want := range map[string][2]string{
		"ls -la":                 {"bash", `{"command":"ls -la"}`},
		"open 'src/a b.py' 12":   {"open", `{"command":"open 'src/a b.py' 12","path":"src/a b.py"}`},
		"scroll_down":            {"scroll_down", `{"command":"scroll_down","path":"f.py"}`},
		`search_dir "def f" src`: {"search_dir", `{"command":"search_dir \"def f\" src","path":"src","pattern":"def f"}`},
		"str_replace_editor view /a --view_range 3 9": {"str_replace_editor", `{"command":"view","path":"/a","view_range":[3,9]}`},
		`str_replace_editor create /a --file_text 'x=$HOME
y'`: {"str_replace_editor", `{"command":"create","file_text":"x=$HOME\ny","path":"/a"}`},
		"str_replace_editor (": {"str_replace_editor", `{"command":"str_replace_editor ("}`},
		"edit 1:x\nno":         {"edit", `{"command":"edit 1:x\nno","path":"f.py"}`},
	} {
		name, input, edit := action(line, "f.py", "")
		require.Equal(t, want[0], name, line)
		require.JSONEq(t, want[1], string(input), line)
		require.Empty(t, edit)
	}
}

// An edit counts as applied only where the agent's editor says so.
func TestRangedEdit(t *testing.T) {
	line := "edit 2:3\na\nb\nend_of_edit"
	_, _, edit := action(line, "f.py", "File updated.")
	require.Equal(t, []sessionevents.FilePatch{{Path: "f.py", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 2, NewStart: 2, Lines: []string{"+a", "+b"}}}}}, edit)
	_, _, edit = action(line, "f.py", "Your proposed edit has introduced new syntax error(s)")
	require.Empty(t, edit)
	_, _, edit = action(line, "", "File updated.")
	require.Empty(t, edit, "no file is open")
}

func TestWords(t *testing.T) {
	require.Equal(t, []string{"a b", `c"d\n`, "$X", "$(e f)", "g"}, words(`'a b' "c\"d\n" $X $(e f) \g`))
	require.Nil(t, words("'open"))
}

func FuzzAction(f *testing.F) {
	f.Add("edit 1:2\na\nend_of_edit", "f")
	f.Add("str_replace_editor view 'a' --view_range 1 2", "")
	f.Fuzz(func(t *testing.T, line, file string) {
		name, _, _ := action(line, file, "File updated")
		require.NotEmpty(t, name)
	})
}
