package wave

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// hookInstalled is WP-18: the ephemeral hook (layer 0) is installed.
var hookInstalled = Rule{ID: "WP-18", On: run.Types(runevents.TypeHookInstalled), Run: run.With(func(c *Context, d *runevents.HookInstalled) {
	if !c.Proven && c.state.Infra {
		return
	}
	c.hookOverdue(c.state.Current)
	if !c.state.Hook.Installed {
		c.state.Hook.Backup = false
	}
	c.state.Hook.Installed, c.state.Hook.Ever, c.state.Hook.Due = true, true, false
	c.state.Hook.Backup = c.state.Hook.Backup || d.Backup
})}

// hookRemoval adapts a rule about the removal of the hook; a claim does not count if
// infrastructure reports.
func hookRemoval(handle func(*Context, *runevents.HookRemoved)) func(*Context) {
	return run.With(func(c *Context, d *runevents.HookRemoved) {
		if c.Proven || !c.state.Infra {
			handle(c, d)
		}
	})
}

// hookRemovedEarly is WP-18: the hook must stay until the merge.
var hookRemovedEarly = Rule{ID: "WP-18", On: run.Types(runevents.TypeHookRemoved), Run: hookRemoval(func(c *Context, _ *runevents.HookRemoved) {
	if w := c.state.current(); w != nil && !w.Merged && (c.state.Phase == WaveExecuting || c.state.Phase == WaveMerging) && w.hasWorktree() && w.once(codeHookRemovedEarly) {
		c.judge(judgement{code: codeHookRemovedEarly, wave: w.Number, what: fmt.Sprintf("The pre-commit hook was removed before wave %d was merged: main is open to its agents.", w.Number)})
	}
})}

// hookNotRestored is WP-18: the previous hook must be restored.
var hookNotRestored = Rule{ID: "WP-18", On: run.Types(runevents.TypeHookRemoved), Run: hookRemoval(func(c *Context, d *runevents.HookRemoved) {
	if (d.Backup || c.state.Hook.Backup) && !d.Restored {
		c.judge(judgement{code: codeHookNotRestored, wave: c.state.Current, what: "The pre-commit hook was removed and the one that was there before was not put back."})
	}
})}

// hookRemoved folds the removal of the hook.
var hookRemoved = Rule{ID: "WP-18", Folds: true, On: run.Types(runevents.TypeHookRemoved), Run: hookRemoval(func(c *Context, _ *runevents.HookRemoved) {
	c.state.Hook = Hook{Ever: true}
})}

// hookMissing is WP-18 at the start of an agent: the hook must already be installed.
var hookMissing = Rule{ID: "WP-18", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, _ *runevents.AgentStarted) {
	w := c.wave
	if c.state.Hook.Installed || w.solo() || !w.once(codeHookMissing) {
		return
	}
	c.judge(judgement{code: codeHookMissing, wave: w.Number, what: fmt.Sprintf("Agents of wave %d start and the pre-commit hook (layer 0) is not installed.", w.Number)})
})}

// verifiedHook marks the hook as due for removal, since its wave is over.
func (m machine) verifiedHook() { m.state.Hook.Due = m.state.Hook.Installed }

// hookOverdue reports once that the hook outlived its wave.
func (m machine) hookOverdue(wave int) {
	if !m.state.Hook.Due {
		return
	}
	m.state.Hook.Due = false
	m.judge(judgement{code: codeHookNotRemoved, wave: wave, what: m.overdue(wave)})
}

// overdue describes how the hook outlived its purpose.
func (m machine) overdue(wave int) string {
	if w := m.state.Waves.numbered(wave); m.state.Ended && (w == nil || !w.Merged) {
		return "The run has ended and the pre-commit hook is still installed; remove it and put back what was there before."
	}
	return "The pre-commit hook was not removed after the merge; it is a guest for the time of a wave."
}

// Context is an event with the layer's configuration and state.
type Context struct {
	machine
	actor runevents.Actor

	// wave and agent are the ones that the event is about, nil if unknown.
	wave  *Wave
	agent *Agent
	// moved is set if the event moved the state machine.
	moved bool
	// by is the author of a commit.
	by role
}

// record is an event with what is known of the run, to report on it.
type record struct {
	*run.Context
	config *Config
	state  *State
}

// machine moves the run through the states of the protocol (WP-16).
type machine struct{ record }

// Rule is one rule of the wave protocol.
type Rule = run.Rule[*Context]

// Decide folds an event into the state and adds the conclusions of the rules. It skips a
// run until it is known to use the protocol.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || !s.concerns(event) {
		return
	}
	context := &Context{machine: machine{record{event, c, s}}}
	if event.RunEvent {
		context.actor, _ = events.ActorOf(event.Event.Data)
	}
	layerRules.Run(context)
}

// aboutAgent adapts a rule about the agent of an event to Rule.Run; the rule does not run
// if the agent is unknown.
func aboutAgent[D any](handle func(*Context, D)) func(*Context) {
	return run.With(func(c *Context, data D) {
		if c.agent != nil {
			handle(c, data)
		}
	})
}
