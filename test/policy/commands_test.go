package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// goCommand is a command of the Go tool that a page shows, and package a package of this module in it.
var (
	goCommand = regexp.MustCompile("(?m)go (?:test|run|build) [^`\n]+")
	ofModule  = regexp.MustCompile(`\s\./([\w/-]+)`)
)

// Commands that a detector's documentation gives for its figures name packages that exist.
func TestCommandsOfDetectorsNamePackages(t *testing.T) {
	top, err := root()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(top, "detectors", "*", "doc.md"))
	require.NoError(t, err)
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, command := range goCommand.FindAllString(string(text), -1) {
			for _, m := range ofModule.FindAllStringSubmatch(command, -1) {
				named++
				files, err := filepath.Glob(filepath.Join(top, m[1], "*.go"))
				require.NoError(t, err)
				below, err := filepath.Glob(filepath.Join(top, m[1], "*", "*.go"))
				require.NoError(t, err)
				if len(files)+len(below) == 0 {
					t.Errorf("%s: `%s` names %s, which is not a package of this repository", page, command, m[1])
				}
			}
		}
	}
	require.Greater(t, named, 20)
}
