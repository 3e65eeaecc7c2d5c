package wave

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// hookInstalled is the begin of the ephemeral hook's life (WP-18, layer 0).
func (a *act) hookInstalled(d *runevents.HookInstalled) {
	if !a.fact && a.s.Infra {
		return
	}
	a.hookOverdue(a.s.Current)
	if !a.s.Hook.Installed {
		a.s.Hook.Backup = false
	}
	a.s.Hook.Installed, a.s.Hook.Ever, a.s.Hook.Due = true, true, false
	a.s.Hook.Backup = a.s.Hook.Backup || d.Backup
}

// hookRemoved is its end: after the merge, with what was there before put back.
func (a *act) hookRemoved(d *runevents.HookRemoved) {
	if !a.fact && a.s.Infra {
		return
	}
	if w := a.s.wave(a.s.Current); w != nil && !w.Merged && (a.s.Phase == WaveExecuting || a.s.Phase == WaveMerging) && w.hasWorktree() && w.once(codeHookRemovedEarly) {
		a.judge(judgement{code: codeHookRemovedEarly, wave: w.Number, what: fmt.Sprintf("The pre-commit hook was removed before wave %d was merged: main is open to its agents.", w.Number)})
	}
	if (d.Backup || a.s.Hook.Backup) && !d.Restored {
		a.judge(judgement{code: codeHookNotRestored, wave: a.s.Current, what: "The pre-commit hook was removed and the one that was there before was not put back."})
	}
	a.s.Hook = Hook{Ever: true}
}

// hookBefore is WP-18 at the start of an agent: the hook must be there already.
func (a *act) hookBefore(w *Wave) {
	if a.s.Hook.Installed || w.solo() || !w.once(codeHookMissing) {
		return
	}
	a.judge(judgement{code: codeHookMissing, wave: w.Number, what: fmt.Sprintf("Agents of wave %d start and the pre-commit hook (layer 0) is not installed.", w.Number)})
}

// verifiedHook says that the hook's wave is over: it must go now.
func (a *act) verifiedHook() { a.s.Hook.Due = a.s.Hook.Installed }

// hookOverdue tells, once, that the hook outlived its wave.
func (a *act) hookOverdue(wave int) {
	if !a.s.Hook.Due {
		return
	}
	a.s.Hook.Due = false
	a.judge(judgement{code: codeHookNotRemoved, wave: wave, what: a.overdue(wave)})
}

// overdue says how the hook outlived what it was installed for.
func (a *act) overdue(wave int) string {
	if w := a.s.wave(wave); a.s.Ended && (w == nil || !w.Merged) {
		return "The run has ended and the pre-commit hook is still installed; remove it and put back what was there before."
	}
	return "The pre-commit hook was not removed after the merge; it is a guest for the time of a wave."
}
