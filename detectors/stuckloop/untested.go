package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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

// sightings are the turns in which a thing was seen that makes a loop when it comes again. Calls of
// one response are one try, so that turns are counted.
type sightings struct {
	Kind  kind   `json:"k"`
	ID    uint32 `json:"i"`
	Name  string `json:"a,omitempty"` // where it has one
	Turns []int  `json:"t"`           // the newest ones
	Calls []int  `json:"c"`           // memory.Calls at each
	First int    `json:"n"`           // turn in which it was seen first
	Tries int    `json:"r,omitempty"` // calls of refused edits
	// Relapses are the series of malformed calls that ended, Well the well-formed ones since the last.
	Relapses int `json:"p,omitempty"`
	Well     int `json:"w,omitempty"`
}

// Bounds of the sightings kept.
const (
	maxSightings = 16
	maxSeen      = 24
)

// sight notes that a thing was seen in this turn. It returns in how many turns of the last window
// calls it was, and the first of them; a window of 0 is the session.
func (w *watch) sight(k kind, id uint32, window int) (turns, first int) {
	m := w.memory
	at := slices.IndexFunc(m.Sightings, func(s sightings) bool { return s.Kind == k && s.ID == id })
	if at < 0 {
		m.Sightings = text.Newest(append(m.Sightings, sightings{Kind: k, ID: id}), maxSightings)
		at = len(m.Sightings) - 1
	}
	s := &m.Sightings[at]
	now := w.pass.Turn.Turn
	if n := len(s.Turns); n > 0 && s.Turns[n-1] == now {
		s.Calls[n-1] = m.Calls
	} else {
		s.Turns, s.Calls = append(s.Turns, now), append(s.Calls, m.Calls)
	}
	for len(s.Calls) > maxSeen || window > 0 && m.Calls-s.Calls[0] >= window {
		s.Turns, s.Calls = slices.Clone(s.Turns[1:]), slices.Clone(s.Calls[1:])
	}
	if len(s.Turns) == 1 { // the first, or the first for a long time
		if s.First != now {
			s.First, s.Tries = now, 0
		}
		m.endStreak(k, uint64(id))
	}
	return len(s.Turns), s.First
}

// unsee forgets a thing.
func (m *memory) unsee(k kind, id uint32) {
	m.Sightings = slices.DeleteFunc(m.Sightings, func(s sightings) bool { return s.Kind == k && s.ID == id })
	m.endStreak(k, uint64(id))
}

func (m *memory) endStreak(k kind, id uint64) {
	m.Streaks = slices.DeleteFunc(m.Streaks, func(s streak) bool { return s.Kind == k && s.ID == id })
}

// seenIDs are the things of a kind that were seen.
func (m *memory) seenIDs(k kind) (ids []uint32) {
	for _, s := range m.Sightings {
		if s.Kind == k {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
