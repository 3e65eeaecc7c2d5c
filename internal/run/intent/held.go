package intent

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Held is a phase that started while its gate was on hold.
type Held struct {
	Phase string `json:"phase"`
	Event string `json:"event"` // the gate request
}

// remember records a phase whose gate is on hold until the question is answered. A gate
// that is asked in advance starts no phase.
func (c *Context) remember() {
	data, is := c.Event.Data.(*runevents.PhaseStarted)
	if !is {
		return
	}
	for _, one := range c.Conclusions() {
		gate, is := one.Data.(*runevents.GateDecided)
		if is && gate.Gate == runevents.GateNextPhase && gate.Decision == runevents.DecisionHold {
			c.state.Held = text.Newest(append(c.state.Held, Held{Phase: clip(data.Phase, 128), Event: c.Event.ID}), c.config.Kept.List)
			return
		}
	}
}

// phaseRanHeld is PL-33: a phase ran although its gate was on hold. A phase whose gate
// has opened since then is no longer held.
var phaseRanHeld = Rule{ID: "PL-33", On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, data *runevents.PhaseCompleted) {
	s := c.state
	at := slices.IndexFunc(s.Held, func(h Held) bool { return h.Phase == clip(data.Phase, 128) })
	if at < 0 {
		return
	}
	held := s.Held[at]
	s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool { return h.Phase == held.Phase })
	if r := s.waiting(); r == nil || r.Default != "" {
		return
	}
	c.Violation(runevents.ViolationDetected{
		Code: CodeHeldPhase, Rule: "PL-33", What: fmt.Sprintf("Phase %s ran though its gate was on hold.", c.config.text(data.Phase)),
		Phase: held.Phase, Evidence: c.evidence([]string{held.Event}), CaughtBy: runevents.CaughtByObserver,
	})
})}
