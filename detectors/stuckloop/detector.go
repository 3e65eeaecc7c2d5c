// Package stuckloop finds agents that repeat calls whose results do not change
// (C4).
package stuckloop

import (
	_ "embed"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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
