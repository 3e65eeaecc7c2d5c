// Package featurecreep finds user-visible capabilities that nobody asked for,
// announced or written (D2).
package featurecreep

import (
	_ "embed"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the D2 detector.
var Detector = &detect.Detector{
	ID: "D2", Name: "featurecreep", Class: sessionevents.ClassD,
	Title: "Features nobody asked for",
	Doc:   doc, Rules: []string{"D2", "SW-14", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of D2.
const (
	reworkCost  = 3
	selfCorrect = 0.5
	// queueFloor applies to the first features, forcedFloor from the third on.
	queueFloor  sessionevents.Urgency = 20
	forcedFloor sessionevents.Urgency = 30
)

// NewState returns an empty memory of features.
func (*instance) NewState() any { return &memory{} }

// Run examines announcements first, then what DIFFs add. Without a scope baseline it
// returns nothing (SW-14).
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory)}
	asked := &answers{t}
	t.noteApproval()
	asked.noteMessage()
	t.noteErrors()
	defer t.rememberPlan()
	defer t.memory.noteWork(p)
	findings := (&crews{t}).moreAgents()
	if t.scope = newScope(t); !t.scope.known() {
		return findings
	}
	edits := &building{t}
	candidates := slices.Concat((&announcements{t}).find(), (&writings{t}).find(), edits.documents())
	candidates = append(candidates, edits.built(candidates)...)
	for _, f := range candidates {
		if t.answersError(f.stems) {
			continue
		}
		if finding := t.report(f); finding != nil {
			findings = append(findings, *finding)
		}
	}
	return append(findings, asked.unasked()...)
}

// turn is one turn being judged by what was requested.
type turn struct {
	*instance
	*detect.Pass
	memory *memory
	scope  *scope
}

// feature is a candidate: something added that is not in the baseline.
type feature struct {
	name       string
	stems      []string
	core       []string // stems of the name without what follows a preposition
	subclass   string   // announced, written
	confidence float64
	logOnly    bool
	unheard    bool // no user mentioned its head noun
	openScope  bool // only logged because the scope is open
	evidence   sessionevents.Evidence
	message    string
	reason     string
}

// failure is the stored part of a turn's lint, compile and test errors.
type failure struct {
	Turn  int      `json:"n"`
	Stems []string `json:"s"`
}

// noteErrors stores the words of the turn's errors while edits may be a response to them.
func (t *turn) noteErrors() {
	t.memory.Failures = slices.DeleteFunc(t.memory.Failures, func(f failure) bool { return t.Turn.Turn-f.Turn > t.ErrorTurns })
	var stems []string
	for i := range t.Turn.Segments {
		s := &t.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentError || s.Error == nil || s.Rejected {
			continue
		}
		for _, w := range prose.Terms(s.Error.Signature + " " + s.Text) {
			if len(stems) < t.ErrorWords && !slices.Contains(stems, w) {
				stems = append(stems, w)
			}
		}
	}
	if len(stems) > 0 {
		t.memory.Failures = append(t.memory.Failures, failure{t.Turn.Turn, stems})
	}
}

// answersError reports whether a feature responds to an error of the previous turns.
func (t *turn) answersError(stems []string) bool {
	own := t.own(stems)
	return slices.ContainsFunc(t.memory.Failures, func(f failure) bool {
		return slices.ContainsFunc(own, func(w string) bool { return slices.Contains(f.Stems, w) })
	})
}
