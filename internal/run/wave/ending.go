package wave

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// runCompleted ends the run; only a verified one is complete.
func (c *Context) runCompleted(d *runevents.RunCompleted) {
	c.state.Ended = true
	if c.state.Hook.Installed {
		c.state.Hook.Due = true
		c.hookOverdue(c.state.Current)
	}
	for _, w := range c.state.Waves {
		if w.Tainted && !w.TaintTested && w.once(codeAcceptedUntested) {
			c.judge(judgement{code: codeAcceptedUntested, wave: w.Number, what: fmt.Sprintf("The work of wave %d was accepted as it is, and no unscoped test has passed since.", w.Number)})
		}
	}
	if d.Outcome != runevents.RunOutcomeSuccess || c.state.Phase == NotSuitable || c.state.Phase == "" {
		return
	}
	c.move(onCompleted)
}
