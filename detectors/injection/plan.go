package injection

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// planned returns the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	return detect.Finding{
		Subclass: "announced", Subject: "announced injection", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.CostSingle, SelfCorrect: d.SelfCorrect, Cap: detect.LogOnly,
		Message:  "The plan passes what the user sends on directly; validate it, or use parameters and argument lists.",
		Reason:   "A phrase of the red-flag catalogue (" + hit.ID + ") names something that can be injected into.",
		Evidence: detect.AtFlag(p, hit),
	}
}
