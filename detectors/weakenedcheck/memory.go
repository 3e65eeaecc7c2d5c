package weakenedcheck

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is what the session's checks said and its edits were about.
type memory struct {
	Failures   []failure      `json:"f,omitempty"`
	Files      []testFile     `json:"t,omitempty"` // oldest first
	Names      map[string]int `json:"n,omitempty"` // in edits of the code, with their newest turn
	Gone       map[string]int `json:"g,omitempty"` // only in what edits of the code removed
	Added      []string       `json:"a,omitempty"` // keys of assertions added lately
	Thresholds []threshold    `json:"h,omitempty"` // of settings, oldest first
	Unmarked   []string       `json:"u,omitempty"` // lines with a mark that an edit removed, with their file
	Edited     int            `json:"e,omitempty"` // the newest turn that edited the code itself
	Said       []string       `json:"s,omitempty"` // what was reported
	Changed    []string       `json:"c,omitempty"` // what was changed into what, to know it when it is undone
}

// failure is a check that failed.
type failure struct {
	Turn  int      `json:"n"`
	Lint  bool     `json:"l,omitempty"` // a linter, type checker or hook, not a test
	Names []string `json:"w,omitempty"` // of failed tests
	Text  string   `json:"x,omitempty"` // what it printed, shortened
}

// testFile is what is known of a test file.
type testFile struct {
	Path       string                `json:"p"`
	Own        bool                  `json:"o,omitempty"` // this session created it
	OwnTests   []string              `json:"w,omitempty"` // tests this session added
	Tests      []string              `json:"t,omitempty"`
	Assertions []assertion.Assertion `json:"a,omitempty"`
}

func (m *memory) file(path string) *testFile {
	i := slices.IndexFunc(m.Files, func(f testFile) bool { return samePath(f.Path, path) })
	if i < 0 {
		return nil
	}
	return &m.Files[i]
}

// keep is the entry of a file, made where there is none.
func (m *memory) keep(path string, limit int) *testFile {
	if f := m.file(path); f != nil {
		return f
	}
	if len(m.Files) >= limit {
		m.Files = slices.Delete(m.Files, 0, len(m.Files)-limit+1)
	}
	m.Files = append(m.Files, testFile{Path: path})
	return &m.Files[len(m.Files)-1]
}

func samePath(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// own reports whether a test was written by this session.
func (m *memory) own(path, test string) bool {
	f := m.file(path)
	return f != nil && (f.Own || test != "" && slices.Contains(f.OwnTests, test))
}

// learn adds the names in an edit of the code to a set of them.
func learn(set map[string]int, text string, turn, limit int, common map[string]bool) map[string]int {
	if set == nil {
		set = map[string]int{}
	}
	for name := range eachName(text) {
		if !common[name] {
			learnOne(set, name, turn, limit)
		}
	}
	return set
}

func learnOne(set map[string]int, name string, turn, limit int) {
	if _, known := set[name]; known || len(set) < limit {
		set[name] = turn
	}
}

// eachName yields the words of a text that could name something, in lower case.
func eachName(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(text, notName) {
			w = strings.ToLower(strings.Trim(w, "_"))
			if len(w) >= 3 && len(w) <= 60 && !yield(w) {
				return
			}
		}
	}
}

func notName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
}

// checked notes what a call's checks said.
func (t *turn) checked(s *sessionevents.Segment) {
	if s.Kind != sessionevents.SegmentError && len(s.Checks) == 0 || s.Rejected {
		return
	}
	if len(s.Checks) == 0 {
		t.broke(s)
		return
	}
	for _, c := range s.Checks {
		lint := c.Kind == sessionevents.CheckLint || c.Kind == sessionevents.CheckTypes
		switch {
		case c.Kind != sessionevents.CheckTest && c.Kind != sessionevents.CheckBuild && !lint:
		case c.Result == sessionevents.CheckFailed:
			t.failed(failure{Lint: lint, Names: c.FailedNames, Text: t.printed(s)})
		case c.Result == sessionevents.CheckPassed && len(c.Filters) == 0 && len(c.Scope) == 0:
			t.passed = append(t.passed, passed{lint, len(t.memory.Failures)})
		}
	}
}

// passed is a check of a whole workspace that passed after so many failures.
type passed struct {
	lint   bool
	before int
}

// forget drops the failures that a later run of the same kind has put right. It happens
// at the end of a turn: what the turn did to get there is judged with them.
func (t *turn) forget() {
	for _, p := range t.passed {
		kept := t.memory.Failures[:0:0]
		for i, f := range t.memory.Failures {
			if i >= p.before || f.Lint != p.lint {
				kept = append(kept, f)
			}
		}
		t.memory.Failures = kept
	}
}

// broke notes a failed call that ran a test, a build or a linter.
func (t *turn) broke(s *sessionevents.Segment) {
	if script := t.script(s.Tool.Command); script != "" {
		t.failed(failure{Names: []string{path.Base(script)}, Text: t.printed(s)})
		return
	}
	lint := has(s.Tool.Effects, "lint") || has(s.Tool.Effects, "git")
	if lint || has(s.Tool.Effects, "test") || has(s.Tool.Effects, "build") || has(s.Tool.Effects, "run") && t.Checks.MatchString(s.Tool.Command) {
		t.failed(failure{Lint: lint && !has(s.Tool.Effects, "test"), Text: t.printed(s)})
	}
}

// script is a test script that a command line runs, "" for none.
func (t *turn) script(command string) string {
	if !strings.Contains(command, ".sh") && !strings.Contains(command, ".bats") || len(command) > maxCommand {
		return ""
	}
	for _, i := range t.commands.Invocations(command) {
		for _, word := range append([]string{i.Name}, i.Args...) {
			if languageOf(word) == "shell" && strings.Contains(command, word) && t.runsScript(command, word) {
				return word
			}
		}
	}
	return ""
}

// runsScript reports whether a word is the path of a test script as a command line has it.
func (t *turn) runsScript(command, word string) bool {
	for _, field := range strings.Fields(command) {
		if strings.HasSuffix(field, word) && t.isTest(strings.Trim(field, `"';()`)) {
			return true
		}
	}
	return false
}

func has(list []string, word string) bool { return slices.Contains(list, word) }

// maxFailedNames bounds the failed tests that are kept of a turn.
const maxFailedNames = 40

func (t *turn) failed(f failure) {
	f.Turn = t.Turn.Turn
	m := t.memory
	if n := len(m.Failures); n > 0 && m.Failures[n-1].Turn == f.Turn && m.Failures[n-1].Lint == f.Lint {
		for _, name := range f.Names {
			m.Failures[n-1].Names = bounded(m.Failures[n-1].Names, name, maxFailedNames)
		}
		m.Failures[n-1].Text = t.shortened(m.Failures[n-1].Text + "\n" + f.Text)
		return
	}
	m.Failures = append(m.Failures, f)
	if extra := len(m.Failures) - t.Limits.Failures; extra > 0 {
		m.Failures = slices.Delete(m.Failures, 0, extra)
	}
}

// printed is what a call printed, as far as it is kept.
func (t *turn) printed(s *sessionevents.Segment) string {
	text := s.Text
	if s.Error != nil && !strings.Contains(text, s.Error.Signature) {
		text += "\n" + s.Error.Signature
	}
	if s.Result != nil {
		text += "\n" + s.Result.Head + "\n" + s.Result.Tail
	}
	return t.shortened(text)
}

func (t *turn) shortened(text string) string {
	if len(text) > t.Limits.FailureBytes {
		text = strings.ToValidUTF8(text[:t.Limits.FailureBytes], "")
	}
	return text
}
