package evaluate

import (
	"fmt"
	"regexp"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// testCases tell the lines that begin a test case, for the health delta (DP-31).
type testCases []testCase

type testCase struct{ files, line *regexp.Regexp }

func newTestCases(c config) (testCases, error) {
	var cases testCases
	for i, rule := range c.TestCases {
		files, err := regexp.Compile(rule.Files)
		if err != nil {
			return nil, fmt.Errorf("rules: evaluate.test_cases, entry %d, files: %w", i+1, err)
		}
		line, err := regexp.Compile(rule.Line)
		if err != nil {
			return nil, fmt.Errorf("rules: evaluate.test_cases, entry %d, line: %w", i+1, err)
		}
		cases = append(cases, testCase{files, line})
	}
	return cases, nil
}

// added counts the test cases that an edit adds, less those it removes: one
// that is moved or renamed within the edit counts nothing.
func (c testCases) added(path string, diff *sessionevents.Diff) int {
	for _, rule := range c {
		if rule.files.MatchString(path) {
			return rule.count(diff.Added()) - rule.count(diff.Removed())
		}
	}
	return 0
}

func (c testCase) count(lines []sessionevents.Line) int {
	n := 0
	for _, l := range lines {
		if c.line.MatchString(l.Text) {
			n++
		}
	}
	return n
}
