package hardcodedsecret

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// planned returns the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	return detect.Finding{
		Subclass: "announced", Subject: "announced credential", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.ReworkCost, SelfCorrect: d.SelfCorrect,
		Message:  "The plan announces a hard-coded credential; read it from the environment or a secrets manager instead.",
		Reason:   "A phrase of the red-flag catalogue (" + hit.ID + ") names a credential.",
		Evidence: detect.AtFlag(p, hit),
	}
}
