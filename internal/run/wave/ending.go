package wave

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// hookAtEnd is WP-18: the hook must have been removed when the run ends.
var hookAtEnd = Rule{ID: "WP-18", On: run.Types(runevents.TypeRunCompleted), Run: func(c *Context) {
	c.state.Ended = true
	if c.state.Hook.Installed {
		c.state.Hook.Due = true
		c.hookOverdue(c.state.Current)
	}
}}

// acceptedUntested is WP-16: work that was accepted as it is needs an unscoped test
// before the run ends.
var acceptedUntested = Rule{ID: "WP-16", On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, _ *runevents.RunCompleted) {
	for _, w := range c.state.Waves {
		if w.Tainted && !w.TaintTested && w.once(codeAcceptedUntested) {
			c.judge(judgement{code: codeAcceptedUntested, wave: w.Number, what: fmt.Sprintf("The work of wave %d was accepted as it is, and no unscoped test has passed since.", w.Number)})
		}
	}
})}

// runCompleted ends the state machine; only a verified run is complete (WP-16).
var runCompleted = Rule{ID: "WP-16", On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, d *runevents.RunCompleted) {
	if d.Outcome != runevents.RunOutcomeSuccess || c.state.Phase == NotSuitable || c.state.Phase == "" {
		return
	}
	c.move(onCompleted)
})}
