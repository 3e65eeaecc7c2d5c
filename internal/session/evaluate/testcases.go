package evaluate

import (
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// testCases recognize the lines that begin a test case, for the health delta (DP-31).
type testCases []testCase

type testCase struct{ files, line *pattern.Regexp }

func newTestCases(from pattern.Compiler, c config) (testCases, error) {
	var cases testCases
	for i, rule := range c.TestCases {
		key := "test_cases." + strconv.Itoa(i)
		files, err := from.Go(key+".files", rule.Files)
		if err != nil {
			return nil, err
		}
		line, err := from.Go(key+".line", rule.Line)
		if err != nil {
			return nil, err
		}
		cases = append(cases, testCase{files, line})
	}
	return cases, nil
}

// added returns the number of test cases that an edit adds, minus those it removes; one
// moved or renamed within the edit does not count.
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
