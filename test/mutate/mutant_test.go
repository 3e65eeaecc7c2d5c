package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const source = `package p

// Least returns the smaller one, at most 3.
func Least(a, b int) int {
	if a < b && a < 3 {
		b = a
	}
	return b
}
`

func TestMutants(t *testing.T) {
	list, err := mutate("p.go", source)
	require.NoError(t, err)
	var got []string
	for _, m := range list {
		got = append(got, m.kind+": "+m.after())
	}
	require.Equal(t, []string{
		"never: if false && (a < b && a < 3) {",
		"always: if true || (a < b && a < 3) {",
		"logic: if a < b || a < 3 {",
		"boundary: if a <= b && a < 3 {",
		"negate: if a >= b && a < 3 {",
		"boundary: if a < b && a <= 3 {",
		"negate: if a < b && a >= 3 {",
		"number: if a < b && a < 4 {",
		"remove: ",
		"return zero: return 0",
	}, got)
}

func TestSampleIsTheSameEveryTime(t *testing.T) {
	list, err := mutate("p.go", source)
	require.NoError(t, err)
	require.Equal(t, sample(list, 4, 7), sample(list, 4, 7))
	require.Len(t, sample(list, 4, 7), 4)
	require.Len(t, sample(list, 0, 7), len(list))
}

// A mutant that the tests notice is killed, one that they do not survives, and
// neither changes the file.
func TestTry(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p.go", source)
	write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestLeast(t *testing.T) {\n\tif Least(1, 2) != 1 || Least(2, 1) != 1 {\n\t\tt.Fail()\n\t}\n}\n")
	t.Chdir(folder)
	var out strings.Builder
	code, err := run(context.Background(), options{workers: 2, timeout: 10 * time.Second, least: 99}, []string{"."}, &out)
	require.NoError(t, err)
	require.Equal(t, 1, code, "a score below the least")
	require.Contains(t, out.String(), "p.go:5: boundary\n\t- if a < b && a < 3 {\n\t+ if a <= b && a < 3 {")
	require.NotContains(t, out.String(), "+ if a >= b && a < 3 {")
	after, err := os.ReadFile("p.go")
	require.NoError(t, err)
	require.Equal(t, source, string(after))
}
