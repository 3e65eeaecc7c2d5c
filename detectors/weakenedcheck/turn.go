package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn is one turn under evaluation: what it weakens, and what people want of checks.
type turn struct {
	*instance
	*detect.Pass
	memory  *memory
	changes []change
	added   []string // keys of assertions that the turn's edits add
	words   *requests
}

// change is one thing that an edit or a command weakens.
type change struct {
	kind, class  string
	file, test   string
	before       string // as it was: the assertion, the value
	after        string // as it is: the assertion, the value, the mark
	detail       string // between the thing and the advice, where the kind's own words do not do
	rule         string // of a linter, that a mark silences
	around       string // the edit's text, for a change that names nothing itself
	segment      *sessionevents.Segment
	offset, long int
}

// read reads the assertions of a piece of a file.
func (t *turn) read(language, text string) assertion.Reading {
	return t.reader.ReadFrom(t.Pass.Reader, language, text)
}

// report keeps a change until the end of the turn.
func (t *turn) report(c change) { t.changes = append(t.changes, c) }

func (t *turn) requests() *requests {
	if t.words != nil {
		return t.words
	}
	t.words = newRequests()
	b := t.Baseline()
	for _, c := range b.Constraints {
		t.protect(t.words, c)
	}
	for _, i := range t.Turn.Instructions {
		t.protect(t.words, i.Text)
	}
	if len(b.Requests) == 0 {
		t.request(t.words, b.Task)
	}
	for _, r := range b.Requests {
		t.request(t.words, r.Text)
	}
	return t.words
}

func (t *turn) isTest(file string) bool {
	return t.classOf(t.Before.Path(file), "") == tests
}

// checksFile reports whether a path names a test, or settings of checks.
func (t *turn) checksFile(file string) bool {
	switch t.classOf(t.Before.Path(file), "") {
	case tests:
		return languageOf(file) != ""
	case continuous, settings:
		return true
	}
	return false
}

// testKey begins the key of a test among those added lately.
const testKey = "test\x00"

// addedTest reports whether a test was added somewhere lately.
func (t *turn) addedTest(name string) bool {
	return slices.Contains(t.added, testKey+name) || slices.Contains(t.memory.Added, testKey+name)
}

// stem is a file's name without what makes it a test.
func stem(file string) string {
	base := strings.ToLower(path.Base(file))
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	for _, affix := range []string{"test_", "tests_"} {
		base = strings.TrimPrefix(base, affix)
	}
	for _, affix := range []string{"_test", "_tests", "_spec", "tests", "test", "spec"} {
		base = strings.TrimSuffix(base, affix)
	}
	return strings.Trim(base, "_-")
}
