package patch

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestHunks(t *testing.T) {
	require.Equal(t, []sessionevents.Hunk{
		{OldStart: 3, NewStart: 3, Lines: []string{" x", "-a", "+b"}},
		{OldStart: 9, NewStart: 10, Lines: []string{"+c"}},
	}, Hunks("Index: f\n===\n--- f\n+++ f\n@@ -3,2 +3,2 @@ func\n x\n-a\n+b\n@@ -9,0 +10,1 @@\n+c\n"))
	for _, none := range []string{"", "text", "@@ no numbers @@\n+x", "a\n@@"} {
		require.Empty(t, Hunks(none), none)
	}
}

func TestFiles(t *testing.T) {
	got := Files("diff --git a/w/a.go b/w/a.go\nindex 1..2 100644\n--- a/w/a.go\n+++ b/w/a.go\n@@ -1,1 +1,1 @@\n-x\n+y\n" +
		"diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+n\n" +
		"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-o\n" +
		"diff --git a/from b/to\nrename from from\nrename to to\n--- a/from\n+++ b/to\n@@ -1,1 +1,1 @@\n-f\n+t\n")
	require.Equal(t, []sessionevents.FilePatch{
		{Path: "w/a.go", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 1, NewStart: 1, Lines: []string{"-x", "+y"}}}},
		{Path: "new", Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: []string{"+n"}}}},
		{Path: "old", Op: sessionevents.DiffDelete, Hunks: []sessionevents.Hunk{{OldStart: 1, Lines: []string{"-o"}}}},
		{Path: "to", OldPath: "from", Op: sessionevents.DiffRename, Hunks: []sessionevents.Hunk{{OldStart: 1, NewStart: 1, Lines: []string{"-f", "+t"}}}},
	}, got)
	require.Empty(t, Files("no diff at all"))
}

func TestCreatedAndDeleted(t *testing.T) {
	require.Equal(t, []string{"+a", "+b"}, Created("f", "a\nb\n").Hunks[0].Lines)
	require.Equal(t, []string{"-a"}, Deleted("f", "a").Hunks[0].Lines)
	require.Empty(t, Deleted("f", "").Hunks)
}

func FuzzPatch(f *testing.F) {
	f.Add("@@ -1,1 +1,1 @@\n-a\n+b\n")
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b")
	f.Fuzz(func(t *testing.T, text string) {
		Hunks(text)
		for _, file := range Files(text) {
			require.NotEmpty(t, file.Path)
		}
	})
}
