package stuckloop

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const effectTest = "test"

// untested counts test commands that ran no test, or of whose output a filter left nothing, of
// which the primary says no word.
func (n newest) untested() {
	a, now := n.a, n.now
	if !a.has([]string{effectTest}) || a.segment.Result == nil {
		return
	}
	m := n.memory
	if !n.ranNothing() {
		if a.failure == nil || ranTests(a) {
			m.Tested = start(plainCommand(a.command()))
			m.unsee(kindUntested, kindMark)
		}
		return
	}
	length, first := n.sight(kindUntested, kindMark, 0)
	n.grow(loop{
		kind: kindUntested, id: kindMark, subject: "tests that did not run", length: length, first: first,
		limits: n.Untested, job: now.Label, flag: missingFlag(m.Tested, a.command()),
	}, a.segment)
}

// ranNothing reports whether the output shows that no test ran, or a filter left nothing of it.
func (c call) ranNothing() bool {
	a := c.a
	if a.output() == "" {
		return c.EmptiedBy.MatchString(a.command()) && !c.FailuresOnly.MatchString(a.command())
	}
	return !ranTests(a) && slices.ContainsFunc(a.segment.Checks, func(c sessionevents.Check) bool {
		return c.Kind == sessionevents.CheckTest && c.Result == sessionevents.CheckNothing
	})
}

// ranTests reports whether the output of a call says how a test went (PD-1).
func ranTests(a *act) bool {
	return slices.ContainsFunc(a.segment.Checks, func(c sessionevents.Check) bool {
		return c.Kind == sessionevents.CheckTest && (c.Result == sessionevents.CheckPassed || c.Result == sessionevents.CheckFailed)
	})
}

// missingFlag is a flag of an earlier run of the same program that this one does not have.
func missingFlag(before, now string) string {
	was, is := strings.Fields(before), strings.Fields(now)
	if len(was) == 0 || len(is) == 0 || was[0] != is[0] {
		return ""
	}
	for i, word := range was {
		if !strings.HasPrefix(word, "-") || len(word) < 2 || slices.Contains(is, word) {
			continue
		}
		if i+1 < len(was)-1 && !strings.HasPrefix(was[i+1], "-") && !strings.Contains(word, "=") {
			word += " " + was[i+1] // its value; the last word is what is tested
		}
		return word
	}
	return ""
}

// speaksOfIt: the primary says itself that no test ran.
func (w *watch) speaksOfIt() {
	if len(w.memory.seenIDs(kindUntested)) == 0 {
		return
	}
	for i := range w.pass.Turn.Segments {
		s := &w.pass.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentPlan && w.Noticed.MatchString(s.Text) {
			w.memory.unsee(kindUntested, kindMark)
			return
		}
	}
}
