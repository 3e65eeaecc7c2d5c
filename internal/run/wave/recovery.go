package wave

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// recoverySelected is WP-2: an operator's choice moves the run; anyone else's is a
// violation.
var recoverySelected = Rule{ID: "WP-2", On: run.Types(runevents.TypeRecoverySelected), Run: run.With(func(c *Context, d *runevents.RecoverySelected) {
	if !c.Proven {
		c.choseWithoutRight(d)
		return
	}
	on := map[int]trigger{1: onRerun, 2: onInvestigate, 3: onAccept}[d.Option]
	if on == "" {
		return
	}
	if _, ok := c.state.may(on); !ok || c.state.Trip == nil {
		c.illegal(on)
		return
	}
	if d.Wave == 0 {
		d = &runevents.RecoverySelected{Wave: c.state.Trip.Wave, Option: d.Option}
	}
	if d.Wave != c.state.Trip.Wave {
		c.judge(judgement{code: codeRecoveryMismatch, wave: d.Wave, what: fmt.Sprintf("An operator chose a recovery for wave %d, but wave %d waits for one; nothing changes.", d.Wave, c.state.Trip.Wave)})
		return
	}
	c.state.Phase, _ = c.state.may(on)
	w := c.state.Waves.numbered(d.Wave)
	switch d.Option {
	case 1:
		c.state.Trip = nil
		if w != nil {
			w.restart()
		}
	case 2:
		c.state.Trip.Option = 2
	case 3:
		c.state.Trip = nil
		if w != nil {
			w.Tainted, w.Verified, w.Merged, w.MergeAllowed = true, true, true, false
			c.verifiedHook()
		}
	}
})}

// choseWithoutRight is WP-2 for a choice that only an operator may make; if no choice is
// pending, nothing is halted.
func (c *Context) choseWithoutRight(d *runevents.RecoverySelected) {
	if c.state.Trip != nil {
		c.autonomously(d.Wave, fmt.Sprintf("option %d was chosen", d.Option))
		return
	}
	c.judge(judgement{code: codeAutonomousRecovery, wave: d.Wave, what: fmt.Sprintf("Recovery option %d was chosen for wave %d%s; only an operator chooses one, and none is asked for.", d.Option, d.Wave, c.who())})
}

// taintNoted is WP-16: the commit after an accepted isolation failure must mention it.
var taintNoted = Rule{ID: "WP-16", On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	w := c.state.current()
	if w == nil || !w.Tainted || w.TaintNoted || d.Message == "" {
		return
	}
	w.TaintNoted = true
	if containsAny(d.Message, c.config.TaintWords) {
		return
	}
	c.judge(judgement{code: codeTaintNotNoted, wave: w.Number, what: fmt.Sprintf("The first commit to main after the isolation failure of wave %d was accepted does not note it: %s.", w.Number, quote.Text(d.Message))})
})}

// Maximum lengths, in bytes, of quoted or stored texts from outside.
const (
	quoted   = 80
	longText = 400
)

// short returns the first line of a text, cut if it is too long.
func short(text string, most int) string {
	for i, r := range text {
		if r == '\n' || i >= most {
			return text[:i]
		}
	}
	return text
}
