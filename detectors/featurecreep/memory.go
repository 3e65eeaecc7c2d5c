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
func (t *turn) report(f feature) *detect.Finding {
	now := known{Stems: f.stems, Written: f.subclass == "written"}
	at := slices.IndexFunc(t.memory.Features, func(k known) bool { return t.sameFeature(k, now) })
	if at >= 0 && t.memory.Features[at].Turn > 0 && t.memory.Features[at].Turn < t.Turn.Turn && !f.openScope {
		f.logOnly, f.confidence = false, max(f.confidence, t.Confidence.Again) // the second mention
	}
	full := !f.logOnly && f.confidence >= t.QueueConfidence
	if !full && !f.openScope && f.subclass == "announced" {
		now.Name, now.Core, now.Turn = f.name, f.core, t.Turn.Turn
	}
	if at < 0 {
		t.memory.Features = append(t.memory.Features, now)
		if len(t.memory.Features) > t.FeaturesKept {
			t.memory.Features = slices.Clone(t.memory.Features[1:])
		}
		at = len(t.memory.Features) - 1
	} else if t.memory.Features[at].Settled || !full {
		return nil
	}
	feature := &t.memory.Features[at]
	if full && !feature.Counted {
		feature.Counted = true
		t.memory.Count++
	}
	feature.Settled = full && t.Turn.Turn > t.priming
	return t.finding(f, full, t.memory.Count)
}

func (t *turn) finding(f feature, full bool, count int) *detect.Finding {
	out := &detect.Finding{
		Subclass: f.subclass, Subject: f.name, Confidence: f.confidence, ReworkCost: reworkCost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{f.evidence}, Message: f.message, Reason: f.reason,
		WeighsRequest: f.unheard,
	}
	switch {
	case !full:
		out.Cap = detect.LogOnly
	case count >= t.ForcedFrom:
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
func (t *turn) noteApproval() {
	for i := range t.Turn.Segments {
		s := &t.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser && t.person.Consents(s.Text):
			t.approve(t.memory.Plan)
		case s.Tool != nil && !s.Rejected && slices.Contains(t.ApprovalTools, s.Tool.Name):
			text := string(s.Tool.Input)
			if s.Result != nil {
				text += " " + s.Result.Head + " " + s.Result.Tail
			}
			t.approve(prose.Terms(text))
		}
	}
}

func (t *turn) approve(stems []string) {
	for _, w := range stems {
		if !slices.Contains(t.memory.Approved, w) {
			t.memory.Approved = append(t.memory.Approved, w)
		}
	}
	t.memory.Approved = text.Newest(t.memory.Approved, t.ApprovedKept)
}

// rememberPlan stores this turn's visible plan for a "yes" in the next turn.
func (t *turn) rememberPlan() {
	var said strings.Builder
	for i := range t.Turn.Segments {
		if s := &t.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			said.WriteString(s.Text + "\n")
		}
	}
	t.memory.Plan = prose.Terms(said.String())
	t.memory.Plan = t.memory.Plan[:min(len(t.memory.Plan), t.ApprovedKept)]
}
