package injection

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// flag is the turn's RF08 that speaks of a sink, nil without one.
func (d *instance) flag(p *detect.Pass) *sessionevents.RedFlagHit {
	if p.Additions == nil {
		return nil
	}
	for i := range p.Additions.RedFlags {
		if hit := &p.Additions.RedFlags[i]; d.redFlags[hit.ID] && d.planWords.MatchString(hit.Sentence) {
			return hit
		}
	}
	return nil
}

// planned is the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	f := detect.Finding{
		Subclass: "announced", Subject: "announced injection", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.CostSingle, SelfCorrect: d.SelfCorrect, Cap: detect.LogOnly,
		Message: "The plan passes what the user sends on directly; validate it, or use parameters and argument lists.",
		Reason:  "A phrase of the red-flag catalogue (" + hit.ID + ") names something that can be injected into.",
	}
	if hit.Segment >= 0 && hit.Segment < len(p.Turn.Segments) {
		f.Evidence = []sessionevents.Evidence{detect.At(&p.Turn.Segments[hit.Segment], hit.Offset, hit.Length)}
		f.Evidence[0].Quote = detect.Quote(hit.Sentence)
	}
	return f
}
