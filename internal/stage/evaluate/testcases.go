package evaluate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// testCases recognize the lines that begin a test case, for the health delta (DP-31).
type testCases []testCase

type testCase struct {
	Files *pattern.Regexp `yaml:"files"`
	Line  *pattern.Regexp `yaml:"line"`
}

// added returns the number of test cases that an edit adds, minus those it removes; one
// moved or renamed within the edit does not count.
func (c testCases) added(path string, diff *sessionevents.Diff) int {
	for _, rule := range c {
		if rule.Files.MatchString(path) {
			return rule.count(diff.Added()) - rule.count(diff.Removed())
		}
	}
	return 0
}

func (c testCase) count(lines []sessionevents.Line) int {
	n := 0
	for _, l := range lines {
		if c.Line.MatchString(l.Text) {
			n++
		}
	}
	return n
}
