package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestUnified(t *testing.T) {
	cases := []struct {
		name, text string
		want       []sessionevents.FilePatch
	}{
		{"git diff with real numbers", "diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -3,2 +3,3 @@ func f()\n a\n+b\n c\n", []sessionevents.FilePatch{
			{Path: "x.go", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 3, NewStart: 3, Lines: []string{" a", "+b", " c"}}}},
		}},
		{"two files, new and deleted", "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,1 @@\n+one\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n", []sessionevents.FilePatch{
			{Path: "new.py", Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: []string{"+one"}}}},
			{Path: "old.py", Op: sessionevents.DiffDelete, Hunks: []sessionevents.Hunk{{OldStart: 1, Lines: []string{"-gone"}}}},
		}},
		{"rename", "diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n", []sessionevents.FilePatch{
			{Path: "b.py", OldPath: "a.py", Op: sessionevents.DiffRename, Hunks: []sessionevents.Hunk{{OldStart: 1, NewStart: 1, Lines: []string{"-x", "+y"}}}},
		}},
		{"headers without numbers", "--- a/x.py\n+++ b/x.py\n@@\n-old\n+new\n@@ def f():\n+more\n", []sessionevents.FilePatch{
			{Path: "x.py", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"-old", "+new"}}, {Lines: []string{"+more"}}}},
		}},
		{"wrong counts", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n", []sessionevents.FilePatch{
			{Path: "x", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 1, NewStart: 1, Lines: []string{"-a", "+b"}}}},
		}},
		{"hunk without file", "@@ -7 +7 @@\n-a\n+b", []sessionevents.FilePatch{
			{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 7, NewStart: 7, Lines: []string{"-a", "+b"}}}},
		}},
		{"bare marks", "-a\n+b\nc", []sessionevents.FilePatch{
			{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"-a", "+b", " c"}}}},
		}},
		{"no diff", "just words\nand more", nil},
		{"empty", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Unified(c.text)) })
	}
}

func TestApplyPatch(t *testing.T) {
	text := `*** Begin Patch
*** Add File: a/new.go
+package a
+
*** Update File: b.go
@@ func f()
 keep
-old
+new

@@
+tail
*** End of File
*** Update File: c.go
*** Move to: d/c.go
@@
-x
+y
*** Delete File: gone.go
*** End Patch
trailing words`
	require.Equal(t, []sessionevents.FilePatch{
		{Path: "a/new.go", Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: []string{"+package a", "+"}}}},
		{Path: "b.go", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{" keep", "-old", "+new", " "}}, {Lines: []string{"+tail"}}}},
		{Path: "d/c.go", OldPath: "c.go", Op: sessionevents.DiffRename, Hunks: []sessionevents.Hunk{{Lines: []string{"-x", "+y"}}}},
		{Path: "gone.go", Op: sessionevents.DiffDelete},
	}, ApplyPatch(text))
	require.True(t, LooksApplyPatch(text))
	require.Nil(t, ApplyPatch("no patch"))
	require.False(t, LooksApplyPatch("no patch"))
}

func TestApplyPatchWithoutEnd(t *testing.T) {
	require.Equal(t, []sessionevents.FilePatch{{Path: "x", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"+y"}}}}},
		ApplyPatch("*** Begin Patch\n*** Update File: x\n@@\n+y"))
}

func TestReplaced(t *testing.T) {
	require.Equal(t, []sessionevents.Hunk{{Lines: []string{" a", "-b", "+B", " c"}}}, Replaced("a\nb\nc", "a\nB\nc"))
	require.Equal(t, []sessionevents.Hunk{{Lines: []string{"+a", "+b"}}}, Replaced("", "a\nb\n"))
	require.Equal(t, []sessionevents.Hunk{{Lines: []string{"-a"}}}, Replaced("a", ""))
	require.Nil(t, Replaced("same", "same"))
	require.Equal(t, []sessionevents.Hunk{{Lines: []string{"-a", " x", "-b", "+c", " y", "+d"}}}, Replaced("a\nx\nb\ny", "x\nc\ny\nd"))
	require.Equal(t, []sessionevents.Hunk{{Lines: []string{" a", "+b", " a"}}}, Replaced("a\na", "a\nb\na"))
	require.Equal(t, []sessionevents.Hunk{{NewStart: 1, Lines: []string{"+a", "+b"}}}, WholeFile("a\r\nb\n"))
	require.Nil(t, WholeFile(""))
}

func TestReplacedLargeIsBounded(t *testing.T) {
	before := strings.Repeat("x\n", maxCompared/2)
	hunks := Replaced("z\n"+before, "x\ny\n")
	require.Equal(t, "+y", hunks[0].Lines[len(hunks[0].Lines)-1])
}

func FuzzApplyPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch")
	f.Add("*** Move to: c\n@@")
	f.Fuzz(func(t *testing.T, text string) { requireMarked(t, ApplyPatch(text)) })
}

func FuzzUnified(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file")
	f.Add("@@\n-a\n+b")
	f.Fuzz(func(t *testing.T, text string) { requireMarked(t, Unified(text)) })
}

// requireMarked: every line of a hunk has its mark or is an empty context line.
func requireMarked(t *testing.T, files []sessionevents.FilePatch) {
	for _, file := range files {
		for _, h := range file.Hunks {
			require.NotEmpty(t, h.Lines)
			for _, line := range h.Lines {
				if line != "" {
					require.Contains(t, "+- \r", line[:1])
				}
			}
		}
	}
}

// Applying the marked lines gives both sides back.
func FuzzReplaced(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Add("", "\n\r\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		var old, now []string
		for _, h := range Replaced(before, after) {
			for _, line := range h.Lines {
				if line[0] != '+' {
					old = append(old, line[1:])
				}
				if line[0] != '-' {
					now = append(now, line[1:])
				}
			}
		}
		if before != after && !slices.Equal(split(before), split(after)) {
			require.True(t, slices.Equal(split(before), old), "%q", old)
			require.True(t, slices.Equal(split(after), now), "%q", now)
		}
	})
}
