// Package stuckloop finds agents that repeat calls whose results do not change
// (C4).
package stuckloop

import (
	_ "embed"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// growth is a loop that grew in this turn, with the segment of its newest call.
type growth struct {
	loop
	streak  streak
	segment *sessionevents.Segment
	also    []*sessionevents.Segment // earlier calls of the turn, oldest first
}

// grow records that a loop is there or went on, and reports whether it is long enough to be one.
// Its streak only grows until something changes, which is how the dispatcher recognizes a new one
// (once per streak).
func (w *watch) grow(l loop, segment *sessionevents.Segment) bool {
	isLoop := l.limits.Loop > 0 && l.length >= l.limits.Loop
	if !isLoop && (l.limits.Nudge == 0 || l.length < l.limits.Nudge) {
		return false
	}
	m := w.memory
	at := m.streak(l.kind, l.id)
	if at < 0 {
		m.Streaks = text.Newest(append(m.Streaks, streak{ID: l.id, Kind: l.kind, Subject: l.subject, First: l.first, Length: l.length - 1}), w.Streaks)
		at = len(m.Streaks) - 1
	}
	s := &m.Streaks[at]
	if s.Turn != w.pass.Turn.Turn || !lasting[l.kind] { // a lasting one counts turns
		s.Length++
	}
	s.Length, s.Turn = max(s.Length, l.length), w.pass.Turn.Turn
	s.Loop = s.Loop || isLoop
	if l.error != "" {
		s.Error = brief(l.error)
	}
	for _, mark := range l.marks {
		if !slices.Contains(s.Marks, mark) {
			s.Marks = text.Newest(append(s.Marks, mark), maxMarks)
		}
	}
	w.note(growth{loop: l, streak: *s, segment: segment})
	return true
}

// note keeps the newest growth of each loop.
func (w *watch) note(g growth) {
	at := slices.IndexFunc(w.grown, func(old growth) bool { return old.streak.Subject == g.streak.Subject })
	switch {
	case at < 0:
		w.grown = append(w.grown, g)
	case g.streak.Loop || !w.grown[at].streak.Loop:
		g.also = append(w.grown[at].also, w.grown[at].segment)
		w.grown[at] = g
	}
}

func (w *watch) findings() []detect.Finding {
	var out []detect.Finding
	for i := range w.grown {
		out = append(out, w.finding(&w.grown[i]))
	}
	return out
}

func (w *watch) finding(g *growth) detect.Finding {
	f := detect.Finding{
		Subclass: string(g.kind), Subject: g.streak.Subject, Confidence: w.Confidence[g.kind],
		ReworkCost: reworkCost, SelfCorrect: selfCorrect, Floor: nudgeFloor, Streak: g.streak.Length,
	}
	if g.streak.Loop {
		f.Floor = loopFloor
	}
	f.Message, f.Reason = g.words()
	if g.segment != nil {
		e := detect.Whole(g.segment)
		e.ConflictsWith = &sessionevents.EarlierEvent{Turn: g.streak.First, Path: g.segment.Path, What: g.began()}
		f.Evidence = append([]sessionevents.Evidence{e}, w.context(g)...)
	}
	return f
}

// began says what the earlier turn is, with the last error where the newest call gave none.
func (g *growth) began() string {
	if g.error == "" && g.streak.Error != "" {
		return "where it began; last error: " + g.streak.Error
	}
	return "where it began"
}

// context is what goes with the call of a malformed one: its error, and what the turn announces.
func (w *watch) context(g *growth) (out []sessionevents.Evidence) {
	if lasting[g.kind] {
		for _, s := range g.also {
			if s != nil && s != g.segment {
				out = append(out, detect.Whole(s))
			}
		}
	}
	for i := range w.pass.Turn.Segments {
		s := &w.pass.Turn.Segments[i]
		failure := s.Kind == sessionevents.SegmentError && s.Tool != nil && g.segment.Tool != nil && s.Tool.CallID == g.segment.Tool.CallID
		announced := s.Kind == sessionevents.SegmentPlan && lasting[g.kind]
		if failure || announced {
			out = append(out, detect.Whole(s))
		}
	}
	return out
}

//go:embed doc.md
var doc string

// Detector is C4 as a value.
var Detector = &detect.Detector{
	ID: "C4", Name: "stuckloop", Class: sessionevents.ClassC,
	Title: "Stuck in a loop",
	Doc:   doc, Rules: []string{"C4", "SW-3", "SW-6", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of C4.
const (
	reworkCost  = 2
	selfCorrect = 0.2
	// nudgeFloor holds for the beginning of a loop, loopFloor for a whole one.
	nudgeFloor sessionevents.Urgency = 20
	loopFloor  sessionevents.Urgency = 40
)

// NewState is the memory of the session's last calls.
func (*instance) NewState() any { return &memory{} }

// Run follows the turn's calls in order and reports the loops that grew in it.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	w := &watch{instance: d, memory: p.State.(*memory), pass: p}
	w.memory.foreseen = nil
	w.begin()
	w.speaksOfIt()
	for _, a := range acts(p.Turn) {
		if a.user != nil {
			w.message(a.user.Text)
		} else {
			call{w, a}.follow()
		}
	}
	w.compacted()
	w.monologue()
	return w.findings()
}

// watch is one turn being followed.
type watch struct {
	*instance
	memory *memory
	pass   *detect.Pass
	grown  []growth // loops that grew in this turn, in order of their first growth
	calls  int
}

// begin forgets what happened on a branch that was left (SW-1a).
func (w *watch) begin() {
	if c := w.pass.Turn.Continuity; c != nil && (c.Fork || c.Resumed) {
		*w.memory = memory{}
	}
}

// message: what a person says makes a new situation, but for a bare "go on", or
// the same words again, as a harness without a person sends them.
func (w *watch) message(text string) {
	said := hash(text)
	if said == w.memory.Said || w.GoOn.MatchString(text) {
		return
	}
	m := w.memory
	m.Failing = slices.DeleteFunc(m.Failing, func(f failing) bool { return f.Name == "" || mentions(text, f.Name) })
	m.Streaks = slices.DeleteFunc(m.Streaks, func(s streak) bool {
		return s.Kind == kindFailing && !slices.ContainsFunc(m.Failing, func(f failing) bool { return uint64(f.ID) == s.ID })
	})
	m.clear()
	m.Said = said
}

// compacted counts turns that only compacted the context.
func (w *watch) compacted() {
	c := w.pass.Turn.Continuity
	switch {
	case w.calls > 0:
		w.memory.Compactions = 0
	case c != nil && c.Compacted:
		w.memory.Compactions++
		w.grow(loop{kind: kindCompaction, subject: "compaction", length: w.memory.Compactions, limits: w.Compactions}, nil)
	}
}
