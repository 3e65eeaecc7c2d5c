package wave

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Results of an agent's self-verification.
const (
	field0OK     = "ok"
	field0Failed = "failed"
)

// field0Checked is layer 3 (WP-18): an agent's own check of its location.
var field0Checked = Rule{ID: "WP-18", On: run.Types(runevents.TypeField0Checked), Run: run.With(func(c *Context, d *runevents.Field0Checked) {
	w := c.state.waveWith(d.Wave, d.Letter)
	agent := c.state.needAgent(c.config, w, d.Letter)
	if agent == nil {
		return
	}
	agent.Field0 = field0OK
	if d.OK {
		return
	}
	agent.Field0 = field0Failed
	member{c, w, agent}.incident("is not in its worktree by its own check", "3", displaced)
})}

// worked is WP-18 at the first sign of an agent's work: a warning without its check, a
// violation against a failed check.
func (m member) worked(edited bool) {
	w, agent := m.w, m.agent
	switch {
	case agent.Descoped, agent.Field0 == "" && m.state.untold(agent):
	case agent.Field0 == "" && !w.solo() && w.once(codeField0Missing+"/"+agent.Letter):
		m.judge(judgement{code: codeField0Missing, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: fmt.Sprintf("Agent %s of wave %d worked and told no self-verification (Field 0, layer 3).", agent.Letter, w.Number)})
	case agent.Field0 == field0Failed && edited && w.once(codeField0Edits+"/"+agent.Letter):
		m.judge(judgement{code: codeField0Edits, wave: w.Number, letter: agent.Letter, agent: agent.ID, observed: true, what: fmt.Sprintf("Agent %s of wave %d failed its self-verification and edited all the same.", agent.Letter, w.Number)})
		m.incident("edited although its self-verification had failed", runevents.CaughtByObserver, displaced)
	}
}

// sessionTurn checks the edits of an agent's session (WP-18).
var sessionTurn = Rule{ID: "WP-18", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	if d.Observed == nil || len(d.Observed.FilesEdited) == 0 {
		return
	}
	w := c.state.current()
	if w == nil {
		return
	}
	for _, agent := range w.Agents {
		if agent.Started == "" || agent.Ended != "" || c.state.sessionOf(agent) != d.Session || d.Session == "" {
			continue
		}
		if !c.state.Tests {
			c.seeTests(d.Observed.FilesEdited)
		}
		ownership{c, agent}.planEdited(d.Observed.FilesEdited)
		if agent.Field0 == field0Failed {
			member{c, w, agent}.worked(true)
		}
		return
	}
})}

// planEdited records that an agent wrote into the plan document (I4).
func (o ownership) planEdited(files []string) {
	for _, file := range files {
		if matches(o.config.PlanDocuments, o.config.cleaned(file)) {
			o.changed([]string{file}, nil)
		}
	}
}
