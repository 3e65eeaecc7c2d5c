package featurecreep

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is D2's state of a session.
type memory struct {
	// Features are the features seen, oldest first; the oldest are dropped if there are
	// too many.
	Features []known `json:"features,omitempty"`
	// Count is the number of distinct features that were more than logged.
	Count int `json:"count,omitempty"`
	// Approved holds stems of plans that the user approved.
	Approved []string `json:"approved,omitempty"`
	// Plan holds the stems of the last turn's plan, which a "yes" would approve.
	Plan []string `json:"plan,omitempty"`
	// Asking is the question in effect; Working is set while the last response continues.
	Asking  asking `json:"asking,omitzero"`
	Working bool   `json:"working,omitempty"`
	// Order is the newest message if it is a short order.
	Order asking `json:"order,omitzero"`
	// Failures are the newest errors; Documents counts the new documents that nobody
	// asked for.
	Failures  []failure `json:"failures,omitempty"`
	Documents int       `json:"documents,omitempty"`
	// Crew holds the agents launched since the last message.
	Crew crew `json:"crew,omitzero"`
}

// known is a feature seen before.
type known struct {
	Stems []string `json:"s"`
	// Name, Core and Turn are set for a feature that was only logged: a second mention,
	// or the edit that builds it, makes it count, unless the scope is open.
	Name    string   `json:"n,omitempty"`
	Core    []string `json:"o,omitempty"`
	Turn    int      `json:"t,omitempty"`
	Written bool     `json:"w,omitempty"` // by a DIFF, whose names are exact
	// Counted is set if it is part of Count. Settled is set once it was fully reported,
	// so that it is not reported again; a feature seen in priming turns may be (SW-41).
	Counted bool `json:"c,omitempty"`
	Settled bool `json:"d,omitempty"`
}

// report turns a candidate into a finding, or nil if its feature was reported before.
func (d *instance) report(m *memory, p *detect.Pass, f feature) *detect.Finding {
	now := known{Stems: f.stems, Written: f.subclass == "written"}
	at := slices.IndexFunc(m.Features, func(k known) bool { return d.sameFeature(k, now) })
	if at >= 0 && m.Features[at].Turn > 0 && m.Features[at].Turn < p.Turn.Turn && !f.openScope {
		f.logOnly, f.confidence = false, max(f.confidence, d.Confidence.Again) // the second mention
	}
	full := !f.logOnly && f.confidence >= d.QueueConfidence
	if !full && !f.openScope && f.subclass == "announced" {
		now.Name, now.Core, now.Turn = f.name, f.core, p.Turn.Turn
	}
	if at < 0 {
		m.Features = append(m.Features, now)
		if len(m.Features) > d.FeaturesKept {
			m.Features = slices.Clone(m.Features[1:])
		}
		at = len(m.Features) - 1
	} else if m.Features[at].Settled || !full {
		return nil
	}
	feature := &m.Features[at]
	if full && !feature.Counted {
		feature.Counted = true
		m.Count++
	}
	feature.Settled = full && p.Turn.Turn > d.priming
	return d.finding(f, full, m.Count)
}

func (d *instance) finding(f feature, full bool, count int) *detect.Finding {
	out := &detect.Finding{
		Subclass: f.subclass, Subject: f.name, Confidence: f.confidence, ReworkCost: reworkCost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{f.evidence}, Message: f.message, Reason: f.reason,
		WeighsRequest: f.unheard,
	}
	switch {
	case !full:
		out.Cap = detect.LogOnly
	case count >= d.ForcedFrom:
		out.Floor, out.Forced = forcedFloor, true
	default:
		out.Floor = queueFloor
	}
	return out
}

// sameFeature compares two names by their own words, relative to the shorter one; two
// names in code must have the same words.
func (d *instance) sameFeature(a, b known) bool {
	if a.Written && b.Written {
		return slices.Equal(a.Stems, b.Stems)
	}
	one, two := d.own(a.Stems), d.own(b.Stems)
	common := 0
	for _, w := range one {
		if slices.Contains(two, w) {
			common++
		}
	}
	return common > 0 && float64(common) > d.SameShare*float64(min(len(one), len(two)))
}

// noteApproval records what the user approved: the last plan, after a "yes", or a plan
// that was presented to them.
func (d *instance) noteApproval(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser && d.person.Consents(s.Text):
			d.approve(m, m.Plan)
		case s.Tool != nil && !s.Rejected && slices.Contains(d.ApprovalTools, s.Tool.Name):
			text := string(s.Tool.Input)
			if s.Result != nil {
				text += " " + s.Result.Head + " " + s.Result.Tail
			}
			d.approve(m, prose.Terms(text))
		}
	}
}

func (d *instance) approve(m *memory, stems []string) {
	for _, w := range stems {
		if !slices.Contains(m.Approved, w) {
			m.Approved = append(m.Approved, w)
		}
	}
	m.Approved = text.Newest(m.Approved, d.ApprovedKept)
}

// rememberPlan stores this turn's visible plan for a "yes" in the next turn.
func (d *instance) rememberPlan(m *memory, p *detect.Pass) {
	var said strings.Builder
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			said.WriteString(s.Text + "\n")
		}
	}
	m.Plan = prose.Terms(said.String())
	m.Plan = m.Plan[:min(len(m.Plan), d.ApprovedKept)]
}
