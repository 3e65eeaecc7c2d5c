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
	} {
		name, input, edit := action(line, &editor{path: "f.py"})
		require.Equal(t, want[0], name, line)
		require.JSONEq(t, want[1], string(input), line)
		require.Empty(t, edit)
	}
}

// Each form of an edit is one, in the file that is open (SW-3a).
func TestEdit(t *testing.T) {
	e := editor{}
	require.True(t, e.show("Text replaced.\r\n[File: /w/f.py (3 lines total)]\r\n1:one\r\n2:two\r\n3:\r\n"))
	for line, lines := range map[string][]string{
		"edit 2:3\na\nb\nend_of_edit":     {"-two", "-", "+a", "+b"},
		"edit 2:9\na\nend_of_edit":        {"+a"},
		"edit 1:1 f.py\na\nend_of_edit":   {"-one", "+a"},
		"edit\na\nend_of_edit":            {"+a"},
		"edit 'one' 'a \"b\"'":            {"-one", `+a "b"`},
		"edit 'a'":                        {"+a"},
		"insert 'a\nb' 2":                 {"+a", "+b"},
		"insert 'a'":                      {"+a"},
		"edit 'it is not valid shell":     nil,
		"edit 1:x\nand no end of an edit": {"-1:x", "+and"},
	} {
		_, input, edit := action(line, &e)
		require.Len(t, edit, 1, line)
		require.Equal(t, "/w/f.py", edit[0].Path, line)
		require.Contains(t, string(input), `"path":"/w/f.py"`, line)
		var got []string
		for _, h := range edit[0].Hunks {
			got = append(got, h.Lines...)
		}
		require.Equal(t, lines, got, line)
	}
	_, _, edit := action("create f.py", &e)
	require.Equal(t, []sessionevents.FilePatch{{Path: "/w/f.py", Op: sessionevents.DiffCreate}}, edit)
}

func TestRefused(t *testing.T) {
	require.True(t, refused("Your proposed edit has introduced new syntax error(s). Please read"))
	require.True(t, refused("Your edit was not applied (file not modified): Text 'x' not found in displayed lines"))
	require.False(t, refused("[File: /w/f.py (1 lines total)]\n1:x"))
}

func TestWords(t *testing.T) {
	require.Equal(t, []string{"a b", `c"d\n`, "$X", "$(e f)", "g"}, words(`'a b' "c\"d\n" $X $(e f) \g`))
	require.Nil(t, words("'open"))
}

func FuzzAction(f *testing.F) {
	f.Add("edit 1:2\na\nend_of_edit", "f")
	f.Add("str_replace_editor view 'a' --view_range 1 2", "")
	f.Fuzz(func(t *testing.T, line, file string) {
		e := editor{path: file}
		e.show(line)
		name, _, _ := action(line, &e)
		require.NotEmpty(t, name)
	})
}
