package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	coverageRow    = regexp.MustCompile(`(?m)^\| ((?:SW|DP)-\d+a?|[ABCD]\d) \|.*$`)
	coverageFolder = regexp.MustCompile("`((?:internal|detectors|test|pkg)/[\\w/]+)`")
	coverageTest   = regexp.MustCompile(`\bTest\w+`)
	coverageFile   = regexp.MustCompile("`((?:internal|detectors)/[\\w/]+\\.\\w+|dp\\w+\\.txt)`")
)

// The table of docs/rule-coverage.md names every rule of this release once, and
// only tests and files that exist.
func TestCoverage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "rule-coverage.md"))
	require.NoError(t, err)
	rules := map[string]int{}
	for _, row := range coverageRow.FindAllStringSubmatch(string(page), -1) {
		rules[row[1]]++
		for _, clause := range strings.Split(row[0], ";") {
			requireTests(t, root, row[1], clause)
		}
		for _, file := range coverageFile.FindAllStringSubmatch(row[0], -1) {
			path := file[1]
			if !strings.Contains(path, "/") {
				path = "internal/session/budget/testdata/" + path
			}
			require.FileExists(t, filepath.Join(root, path), row[1])
		}
	}
	for rule, times := range rules {
		require.Equal(t, 1, times, rule)
	}
	require.Len(t, rules, 59)
}

// requireTests checks that the tests a clause names stand in the folder it names.
func requireTests(t *testing.T, root, rule, clause string) {
	folder := coverageFolder.FindStringSubmatch(clause)
	if folder == nil {
		return
	}
	files, err := filepath.Glob(filepath.Join(root, folder[1], "*_test.go"))
	require.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		source.Write(data)
	}
	for _, name := range coverageTest.FindAllString(clause, -1) {
		require.Contains(t, source.String(), "func "+name+"(", "%s: %s", rule, folder[1])
	}
}
