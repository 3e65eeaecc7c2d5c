package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// checks notes what the session's checks said, and forgets what a later run has put right.
type checks struct {
	*turn
	passed []passed
}

// checked notes what a call's checks said.
func (j *checks) checked(s *sessionevents.Segment) {
	if s.Kind != sessionevents.SegmentError && len(s.Checks) == 0 || s.Rejected {
		return
	}
	if len(s.Checks) == 0 {
		j.broke(s)
		return
	}
	for _, c := range s.Checks {
		lint := c.Kind == sessionevents.CheckLint || c.Kind == sessionevents.CheckTypes
		switch {
		case c.Kind != sessionevents.CheckTest && c.Kind != sessionevents.CheckBuild && !lint:
		case c.Result == sessionevents.CheckFailed:
			j.failed(failure{Lint: lint, Names: c.FailedNames, Of: filesOf(c.Scope), Text: j.printed(s)})
		case c.Result == sessionevents.CheckPassed && len(c.Filters) == 0 && len(c.Scope) == 0:
			j.passed = append(j.passed, passed{lint, len(j.memory.Failures)})
		}
	}
}

// filesOf returns the files of a scope.
func filesOf(scope []string) (out []string) {
	for _, one := range scope {
		if file, _, _ := strings.Cut(one, ":"); path.Ext(file) != "" && !strings.HasSuffix(file, ".") {
			out = append(out, path.Base(file))
		}
	}
	return out
}

// passed is a check of a whole workspace that passed after so many failures.
type passed struct {
	lint   bool
	before int
}

// forget drops the failures that a later run of the same kind has put right. It happens
// at the end of a turn: what the turn did to get there is judged with them.
func (j *checks) forget() {
	for _, p := range j.passed {
		kept := j.memory.Failures[:0:0]
		for i, f := range j.memory.Failures {
			if i >= p.before || f.Lint != p.lint {
				kept = append(kept, f)
			}
		}
		j.memory.Failures = kept
	}
}

// broke notes a failed call that ran a test, a build or a linter.
func (j *checks) broke(s *sessionevents.Segment) {
	if script := j.script(s.Tool.Command); script != "" {
		j.failed(failure{Names: []string{path.Base(script)}, Text: j.printed(s)})
		return
	}
	lint := slices.Contains(s.Tool.Effects, "lint") || slices.Contains(s.Tool.Effects, "git")
	if lint || slices.Contains(s.Tool.Effects, "test") || slices.Contains(s.Tool.Effects, "build") || slices.Contains(s.Tool.Effects, "run") && j.Checks.MatchString(s.Tool.Command) {
		j.failed(failure{Lint: lint && !slices.Contains(s.Tool.Effects, "test"), Text: j.printed(s)})
	}
}

// script is a test script that a command line runs, "" for none.
func (j *checks) script(command string) string {
	if !strings.Contains(command, ".sh") && !strings.Contains(command, ".bats") || len(command) > maxCommand {
		return ""
	}
	for _, i := range j.commands.Invocations(command) {
		for _, word := range append([]string{i.Name}, i.Args...) {
			if languageOf(word) == "shell" && strings.Contains(command, word) && j.runsScript(command, word) {
				return word
			}
		}
	}
	return ""
}

// runsScript reports whether a word is the path of a test script as a command line has it.
func (j *checks) runsScript(command, word string) bool {
	for _, field := range strings.Fields(command) {
		if strings.HasSuffix(field, word) && j.isTest(strings.Trim(field, `"';()`)) {
			return true
		}
	}
	return false
}

// maxFailedNames bounds the failed tests that are kept of a turn.
const maxFailedNames = 40

func (j *checks) failed(f failure) {
	f.Turn = j.Turn.Turn
	m := j.memory
	if n := len(m.Failures); n > 0 && m.Failures[n-1].Turn == f.Turn && m.Failures[n-1].Lint == f.Lint {
		for _, name := range f.Names {
			m.Failures[n-1].Names = detect.Once(m.Failures[n-1].Names, name, maxFailedNames)
		}
		m.Failures[n-1].Text = text.Head(m.Failures[n-1].Text+"\n"+f.Text, j.Limits.FailureBytes)
		return
	}
	m.Failures = text.Newest(append(m.Failures, f), j.Limits.Failures)
}

// printed is what a call printed, as far as it is kept.
func (j *checks) printed(s *sessionevents.Segment) string {
	said := s.Text
	if s.Error != nil && !strings.Contains(said, s.Error.Signature) {
		said += "\n" + s.Error.Signature
	}
	if s.Result != nil {
		said += "\n" + s.Result.Head + "\n" + s.Result.Tail
	}
	return text.Head(said, j.Limits.FailureBytes)
}
