package stuckloop

import "slices"

// test follows a test or build that keeps failing in the same way although
// files are edited in between.
func (w *watch) test(a *act, now *step) {
	m := w.memory
	if !a.has(w.TestEffects) || now.Transient {
		return
	}
	if now.Error == 0 {
		w.passed(now)
		return
	}
	at := slices.IndexFunc(m.Failing, func(f failing) bool { return f.ID == now.Error })
	if at < 0 {
		m.Failing = keep(append(m.Failing, failing{ID: now.Error, Key: now.Key, Runs: 1, Before: m.Edits, Edits: m.Edits, Turn: now.Turn}), maxFailing)
		return
	}
	f := &m.Failing[at]
	if m.Edits == f.Edits {
		return // nothing was tried since
	}
	f.Runs, f.Edits = f.Runs+1, m.Edits
	if m.Edits-f.Before < w.Failing.Edits || f.Runs < w.Failing.Runs {
		return
	}
	w.grow(loop{
		kind: kindFailing, id: uint64(now.Error), subject: brief(a.failure.Error.Signature), length: f.Runs, first: f.Turn,
		limits: limits{Nudge: w.Failing.Runs}, edits: m.Edits - f.Before, marks: []uint32{now.Error},
	}, a.segment)
}

// passed forgets the failures that a call showed before.
func (w *watch) passed(now *step) {
	m := w.memory
	for _, f := range m.Failing {
		if f.Key == now.Key {
			m.Streaks = slices.DeleteFunc(m.Streaks, func(s streak) bool { return s.Kind == kindFailing && s.ID == uint64(f.ID) })
		}
	}
	m.Failing = slices.DeleteFunc(m.Failing, func(f failing) bool { return f.Key == now.Key })
}
