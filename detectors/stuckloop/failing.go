package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// test follows a test or build that keeps failing in the same way although
// files are edited in between.
func (n newest) test() {
	a, now := n.a, n.now
	if !a.has(n.TestEffects) || now.Transient {
		return
	}
	if now.Error == 0 {
		n.passed(now)
		return
	}
	names := testNames(a)
	if len(names) == 0 {
		n.fails(failing{ID: now.Error})
		return
	}
	if n.wholeOutput() { // the others of that call pass now
		n.passes(func(f failing) bool { return f.Key == now.Key && f.Name != "" && !slices.Contains(names, f.Name) })
	}
	for _, name := range names {
		n.fails(failing{ID: hash("test", name), Name: name})
	}
}

// fails counts a run in which a test, or a whole call, fails in the same way.
func (n newest) fails(this failing) {
	a, now := n.a, n.now
	m := n.memory
	at := slices.IndexFunc(m.Failing, func(f failing) bool { return f.ID == this.ID })
	if at < 0 {
		this.Key, this.Runs, this.Before, this.Edits, this.Turn = now.Key, 1, m.Edits, m.Edits, now.Turn
		m.Failing = text.Newest(append(m.Failing, this), maxFailing)
		return
	}
	f := &m.Failing[at]
	if m.Edits == f.Edits {
		return // nothing was tried since
	}
	f.Runs, f.Edits = f.Runs+1, m.Edits
	if m.Edits-f.Before < n.Failing.Edits || f.Runs < n.Failing.Runs {
		return
	}
	n.grow(loop{
		kind: kindFailing, id: uint64(this.ID), subject: failingSubject(a, this), length: f.Runs, first: f.Turn,
		limits: limits{Nudge: n.Failing.Runs}, edits: m.Edits - f.Before, marks: []uint32{this.ID}, job: now.Label,
	}, a.segment)
}

func failingSubject(a *act, f failing) string {
	if f.Name != "" {
		return f.Name
	}
	return brief(a.failure.Error.Signature)
}

// passed forgets the failures that a call showed before.
func (w *watch) passed(now *step) {
	w.passes(func(f failing) bool { return f.Key == now.Key })
}

func (w *watch) passes(is func(failing) bool) {
	m := w.memory
	for _, f := range m.Failing {
		if is(f) {
			m.endStreak(kindFailing, uint64(f.ID))
		}
	}
	m.Failing = slices.DeleteFunc(m.Failing, is)
}

// testNames are the tests that the output names as failing, at most maxNames.
func testNames(a *act) (names []string) {
	for i := range a.segment.Checks {
		for _, name := range a.segment.Checks[i].FailedNames {
			if !slices.Contains(names, name) && len(names) < maxNames {
				names = append(names, name)
			}
		}
	}
	return names
}

const maxNames = 4

// wholeOutput: nothing of the output was left out.
func (c call) wholeOutput() bool {
	return c.a.segment.Result != nil && c.a.segment.Result.Tail == ""
}

// mentions reports whether a message speaks of a test, by the words of its name.
func mentions(text, name string) bool {
	text = strings.ToLower(text)
	last := name[strings.LastIndexAny(name, "/:.›> ")+1:]
	return strings.Contains(text, strings.ToLower(last))
}
