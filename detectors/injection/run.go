package injection

import (
	"fmt"
	"math"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// inTests is the reason of SW-40.
const inTests = "SW-40: a test file"

// place is a match and its segment.
type place struct {
	codepattern.Match
	segment *sessionevents.Segment
}

// Run reports one finding per file, function and kind of sink.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	flag := d.flag(p)
	if flag != nil {
		m.FlagTurn = p.Turn.Turn
	}
	raised := m.FlagTurn > 0 && p.Turn.Turn-m.FlagTurn <= 1
	places, edited := d.places(p.Turn, m)
	findings := d.findings(places, raised)
	if flag != nil && !edited {
		findings = append(findings, d.planned(p, flag))
	}
	return findings
}

// places are the new places that the turn writes or shows. edited says that it
// writes any code.
func (d *instance) places(t *sessionevents.TurnSegmented, m *memory) (list []place, edited bool) {
	for i := range t.Segments {
		s := &t.Segments[i]
		if !written(s) {
			continue
		}
		edited = true
		found := d.engine.Segment(s, nil)
		m.forgetRemoved(s)
		for _, match := range found {
			if key := keyOf(s.Path, &match); !s.Proposed && !m.remember(key, d.Remembered) {
				continue
			}
			list = append(list, place{match, s})
		}
	}
	return list, edited
}

// written reports whether a segment is code in a file, or code that is shown.
func written(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Rejected
}

func (d *instance) findings(places []place, raised bool) []detect.Finding {
	cost := d.cost(places)
	var out []detect.Finding
	for i := range places {
		if len(out) == d.PerTurn {
			out[len(out)-1].Reason += fmt.Sprintf(" The turn writes %d more.", len(places)-i)
			break
		}
		out = append(out, d.finding(&places[i], cost, raised))
	}
	return out
}

// cost grows with the number of places of a turn, tests left out: more than a
// few say that the whole design is at fault.
func (d *instance) cost(places []place) int {
	n := 0
	for i := range places {
		if !d.testFile.MatchString(places[i].segment.Path) {
			n++
		}
	}
	switch {
	case n >= d.ManyPlaces:
		return d.CostMany
	case n >= d.FewPlaces:
		return d.CostFew
	}
	return d.CostSingle
}

func (d *instance) finding(o *place, cost int, raised bool) detect.Finding {
	e := detect.At(o.segment, o.Offset, o.Length)
	if e.Line == 0 {
		e.Line = o.Line
	}
	f := detect.Finding{
		Subclass: category(o), CWE: o.Rule.CWE, Subject: subject(o), Confidence: o.Confidence,
		ReworkCost: cost, SelfCorrect: d.SelfCorrect,
		Evidence: []sessionevents.Evidence{e}, Message: message(o), Reason: reason(o),
	}
	if raised && o.Origin < codepattern.CLI && f.Confidence < d.RaisedConfidence {
		f.Confidence = d.RaisedConfidence
		f.Reason += " The plan says that the user sends it."
	}
	switch {
	case f.Confidence >= d.FloorFrom:
		f.Floor = sessionevents.Urgency(math.Round(d.Floor * 10))
	case f.Confidence < d.LogOnlyBelow:
		f.Cap = detect.LogOnly
	}
	// Without an identified source that a user controls it never escalates.
	f.Escalate = f.Confidence > detect.EscalateAbove && o.Origin >= codepattern.Input
	if d.testFile.MatchString(o.segment.Path) {
		f.Suppressed = inTests
	}
	return f
}
