package destruct_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// GD-2: a pattern matches what the shell's does.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		form, name string
		want       bool
	}{
		{"/w/*.md", "/w/a.md", true},
		{"/w/*.md", "/w/b/a.md", false},
		{"/w/.g?t", "/w/.git", true},
		{"/w/.[!.]*", "/w/.git", true},
		{"/w/.[!.]*", "/w/..", false},
		{"/w/[^.]*", "/w/.git", false},
		{"/w/[[:lower:]]*", "/w/notes", true},
		{"/w/[[:lower:]]*", "/w/Notes", false},
		{"/w/[]x]", "/w/]", true},
		{"/w/[-x]", "/w/-", true},
		{"/w/[a-c].py", "/w/d.py", false},
		{"/w/*[0-9]", "/w/b/1", false},
		{"/tmp/x[1.txt", "/tmp/x[1.txt", true},
		{"/tmp/x[1.txt", "/bin", false},
	} {
		require.Equal(t, c.want, destruct.Matches(c.form, c.name), "%s of %s", c.form, c.name)
	}
}
