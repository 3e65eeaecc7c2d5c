package rebuild

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is C2's state of a session.
type memory struct {
	// Rebuilds counts how often each thing was rebuilt, oldest first.
	Rebuilds []rebuilt `json:"r,omitempty"`
	// Failures are the newest failed calls.
	Failures []failure `json:"f,omitempty"`
	// Versions counts the complete versions of files written since the last run.
	Versions []version `json:"v,omitempty"`
}

type rebuilt struct {
	Subject string `json:"s"`
	Count   int    `json:"n"`
	Turn    int    `json:"t"` // the last time
	// Said is set if it was last only announced.
	Said bool `json:"a,omitempty"`
}

type failure struct {
	Turn int    `json:"t"`
	Run  bool   `json:"r,omitempty"` // of a test, a build or a program
	Text string `json:"x,omitempty"`
}

// otherInterface is the reason of a signal that is left to A2.
const otherInterface = "another interface: left to A2"

// report turns a candidate into a finding, nil if there is a reason to build it again.
func (d *instance) report(m *memory, t *turn, a *again) *detect.Finding {
	if a.times+1 < d.FloorFrom && d.excused(m, t, a) {
		return nil
	}
	evidence := a.evidence
	evidence.ConflictsWith = &a.earlier
	f := &detect.Finding{
		Subclass: a.subclass, Subject: a.subject, Confidence: a.confidence, ReworkCost: a.cost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{evidence}, Message: a.message, Reason: a.reason,
	}
	switch {
	case a.otherInterface:
		f.Suppressed = otherInterface
	case asked(t, a):
		f.Suppressed = detect.UserDirected
	case a.times+1 >= d.FloorFrom, m.count(a, t.Turn.Turn, d.Kept.Rebuilds) >= d.FloorFrom:
		f.Floor = repeatFloor
	}
	return f
}

// count records a rebuild and returns how many there were. Several in one turn count as
// one, and so do announcements and the act that follows.
func (m *memory) count(a *again, turn, kept int) int {
	at := slices.IndexFunc(m.Rebuilds, func(r rebuilt) bool { return strings.EqualFold(r.Subject, a.subject) })
	if at < 0 {
		m.Rebuilds = text.Newest(append(m.Rebuilds, rebuilt{Subject: a.subject}), kept)
		at = len(m.Rebuilds) - 1
	}
	r := &m.Rebuilds[at]
	if r.Turn != turn && !r.Said {
		r.Count++
	}
	r.Turn, r.Said = turn, a.said
	return r.Count
}

// remember stores the turn's failures for later turns.
func (d *instance) remember(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentError || s.Error == nil {
			continue
		}
		f := failure{Turn: p.Turn.Turn, Text: text.Head(s.Path+" "+s.Error.Signature+" "+s.Text, d.Kept.FailureBytes)}
		if s.Tool != nil {
			f.Run = slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.FailingEffects, e) })
		}
		m.Failures = append(m.Failures, f)
	}
	m.Failures = text.Newest(m.Failures, d.Kept.Failures)
}
