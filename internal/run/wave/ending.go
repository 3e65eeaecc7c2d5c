package wave

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// runCompleted ends the run; only a verified one is complete.
func (a *act) runCompleted(d *runevents.RunCompleted) {
	a.s.Ended = true
	if a.s.Hook.Installed {
		a.s.Hook.Due = true
		a.hookOverdue(a.s.Current)
	}
	for _, w := range a.s.Waves {
		if w.Tainted && !w.TaintTested && w.once(codeAcceptedUntested) {
			a.judge(judgement{code: codeAcceptedUntested, wave: w.Number, what: fmt.Sprintf("The work of wave %d was accepted as it is, and no unscoped test has passed since.", w.Number)})
		}
	}
	if d.Outcome != runevents.RunOutcomeSuccess || a.s.Phase == NotSuitable || a.s.Phase == "" {
		return
	}
	a.move(onCompleted)
}
