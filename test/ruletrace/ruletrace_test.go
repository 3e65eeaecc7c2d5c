package ruletrace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInstrument(t *testing.T) {
	got, err := Instrument([]byte("package p\n\nimport \"fmt\"\n\n// a is RW-4 and RW-4, WP-1.\nfunc a() int { return 1 }\n\n// b is nothing.\nfunc b() { fmt.Println() }\n\nfunc (c *C) Executed(rule string, _ bool) {\n}\n"))
	require.NoError(t, err)
	require.Equal(t, "package p; import ruletrace \""+importPath+"\"\n\nimport \"fmt\"\n\n// a is RW-4 and RW-4, WP-1.\nfunc a() int { ruletrace.Ran(\"RW-4\", \"WP-1\"); return 1 }\n\n// b is nothing.\nfunc b() { fmt.Println() }\n\nfunc (c *C) Executed(rule string, _ bool) { ruletrace.Ran(rule);\n}\n", string(got))

	got, err = Instrument([]byte("package p\n\nfunc a() {}\n"))
	require.NoError(t, err)
	require.Nil(t, got)
}

func TestScenario(t *testing.T) {
	directory := t.TempDir()
	t.Setenv(Directory, directory)
	Ran("RW-1") // before the scenario
	end := Scenario("a.txt")
	Ran("WP-1", "DP-3")
	require.NoError(t, end())
	require.NoError(t, Scenario("b.txt")())
	got, err := Read(directory)
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, []string{"DP-3", "WP-1"}, got[filepath.Join(here, "a.txt")])
	require.Empty(t, got[filepath.Join(here, "b.txt")])
}

// Without a measurement nothing is written.
func TestNoMeasurement(t *testing.T) {
	t.Setenv(Directory, "")
	require.NoError(t, Scenario("a.txt")())
}
