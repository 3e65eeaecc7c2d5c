package stuckloop

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a loop corrected when the turn closes it — an edit, a word from
// the user, no repeat any more — and committed when it goes on (SW-44). An error
// loop is over only when something changed or the call works: looking around
// between two tries does not end it.
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	m := p.State.(*memory)
	at := slices.IndexFunc(m.Streaks, func(k streak) bool { return k.Subject == s.Subject })
	switch {
	case at >= 0:
	case d.relapsing(m, s.Subject):
		return sessionevents.OutcomeOpen, "it came back before"
	default:
		return sessionevents.OutcomeCorrected, "something changed since"
	}
	if m.foreseen == nil || m.foreseen.later.pass.Turn != p.Turn {
		m.foreseen = d.foresee(p, m)
	}
	return m.Streaks[at].outcome(m.foreseen.later, m.foreseen.works[at])
}

// foreseen is what a turn makes of the memory before it, for all signals that are judged in it.
type foreseen struct {
	later *watch
	works []bool // by streak: a call of the loop no longer fails
}

// foresee follows a turn without changing the memory.
func (d *instance) foresee(p *detect.Pass, m *memory) *foreseen {
	f := &foreseen{&watch{instance: d, memory: m.copy(), pass: p}, make([]bool, len(m.Streaks))}
	for _, a := range acts(p.Turn) {
		if a.user != nil {
			f.later.message(a.user.Text)
			continue
		}
		one := call{f.later, a}
		for i := range f.works {
			f.works[i] = f.works[i] || one.goesWell(&m.Streaks[i])
		}
		one.follow()
	}
	f.later.compacted()
	f.later.monologue()
	return f
}

// outcome compares the streak with what became of it.
func (k *streak) outcome(later *watch, works bool) (sessionevents.Outcome, string) {
	at := slices.IndexFunc(later.memory.Streaks, func(now streak) bool { return now.ID == k.ID && now.Kind == k.Kind })
	switch {
	case at < 0 && later.slipped(k):
		return sessionevents.OutcomeCommitted, "it goes on"
	case at < 0 && later.relapsing(later.memory, k.Subject):
		return sessionevents.OutcomeOpen, "it came back before"
	case at < 0:
		return sessionevents.OutcomeCorrected, "something changed"
	case later.memory.Streaks[at].Length > k.Length:
		return sessionevents.OutcomeCommitted, "it goes on"
	case works:
		return sessionevents.OutcomeCorrected, "the call works now"
	case k.Kind == kindError || k.Kind == kindTransient || lasting[k.Kind]:
		return sessionevents.OutcomeOpen, "not solved yet"
	case later.calls == 0:
		return sessionevents.OutcomeOpen, "nothing else was done"
	}
	return sessionevents.OutcomeCorrected, "not repeated"
}

// slipped: the turn went on with malformed calls or refused edits before one was accepted.
func (w *watch) slipped(k *streak) bool {
	return (k.Kind == kindMalformed || k.Kind == kindRefused) &&
		slices.ContainsFunc(w.grown, func(g growth) bool { return g.streak.Subject == k.Subject })
}

// goesWell: a call of the loop no longer fails.
func (c call) goesWell(k *streak) bool {
	a := c.a
	switch k.Kind {
	case kindMalformed:
		return c.runsWell(k)
	case kindSearch:
		return c.finds()
	case kindLost:
		return c.leaves()
	case kindMonologue:
		return true
	case kindRefused:
		return takes(a, k)
	}
	return a.failure == nil && slices.Contains(k.Marks, c.key(a, c.memory.Home))
}

// copy is a memory that may be changed without changing m.
func (m *memory) copy() *memory {
	c := *m
	c.foreseen = nil
	c.Steps, c.Streaks, c.Polls = slices.Clone(m.Steps), slices.Clone(m.Streaks), slices.Clone(m.Polls)
	c.Failing, c.Written = slices.Clone(m.Failing), slices.Clone(m.Written)
	c.Emptied, c.Rewritten, c.Sightings = slices.Clone(m.Emptied), slices.Clone(m.Rewritten), slices.Clone(m.Sightings)
	for i := range c.Sightings {
		c.Sightings[i].Turns, c.Sightings[i].Calls = slices.Clone(c.Sightings[i].Turns), slices.Clone(c.Sightings[i].Calls)
	}
	for i := range c.Streaks {
		c.Streaks[i].Marks = slices.Clone(c.Streaks[i].Marks)
	}
	return &c
}
