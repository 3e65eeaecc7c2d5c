package wave

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// hookInstalled is the begin of the ephemeral hook's life (WP-18, layer 0).
func (c *Context) hookInstalled(d *runevents.HookInstalled) {
	if !c.Proven && c.state.Infra {
		return
	}
	c.hookOverdue(c.state.Current)
	if !c.state.Hook.Installed {
		c.state.Hook.Backup = false
	}
	c.state.Hook.Installed, c.state.Hook.Ever, c.state.Hook.Due = true, true, false
	c.state.Hook.Backup = c.state.Hook.Backup || d.Backup
}

// hookRemoved is its end: after the merge, with what was there before put back.
func (c *Context) hookRemoved(d *runevents.HookRemoved) {
	if !c.Proven && c.state.Infra {
		return
	}
	if w := c.state.wave(c.state.Current); w != nil && !w.Merged && (c.state.Phase == WaveExecuting || c.state.Phase == WaveMerging) && w.hasWorktree() && w.once(codeHookRemovedEarly) {
		c.judge(judgement{code: codeHookRemovedEarly, wave: w.Number, what: fmt.Sprintf("The pre-commit hook was removed before wave %d was merged: main is open to its agents.", w.Number)})
	}
	if (d.Backup || c.state.Hook.Backup) && !d.Restored {
		c.judge(judgement{code: codeHookNotRestored, wave: c.state.Current, what: "The pre-commit hook was removed and the one that was there before was not put back."})
	}
	c.state.Hook = Hook{Ever: true}
}

// hookBefore is WP-18 at the start of an agent: the hook must be there already.
func (c *Context) hookBefore(w *Wave) {
	if c.state.Hook.Installed || w.solo() || !w.once(codeHookMissing) {
		return
	}
	c.judge(judgement{code: codeHookMissing, wave: w.Number, what: fmt.Sprintf("Agents of wave %d start and the pre-commit hook (layer 0) is not installed.", w.Number)})
}

// verifiedHook says that the hook's wave is over: it must go now.
func (c *Context) verifiedHook() { c.state.Hook.Due = c.state.Hook.Installed }

// hookOverdue tells, once, that the hook outlived its wave.
func (c *Context) hookOverdue(wave int) {
	if !c.state.Hook.Due {
		return
	}
	c.state.Hook.Due = false
	c.judge(judgement{code: codeHookNotRemoved, wave: wave, what: c.overdue(wave)})
}

// overdue says how the hook outlived what it was installed for.
func (c *Context) overdue(wave int) string {
	if w := c.state.wave(wave); c.state.Ended && (w == nil || !w.Merged) {
		return "The run has ended and the pre-commit hook is still installed; remove it and put back what was there before."
	}
	return "The pre-commit hook was not removed after the merge; it is a guest for the time of a wave."
}
