package backtest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Result compares a side with the first one. The caller sets what it knows better, such as the names of the
// rules, before it calls [view.Finish].
func (c *Comparison) Result(other int) view.Model {
	was, is := c.sides[0], c.sides[other]
	m := view.Model{
		SchemaVersion: view.SchemaVersion, From: c.from, To: c.to, Sessions: len(c.sessions), Turns: c.turns,
		Interrupts: view.Pair{Present: was.totals.immediate + was.totals.fromQueue, Given: is.totals.immediate + is.totals.fromQueue},
		Effects:    effects(was.totals, is.totals),
	}
	detectors := map[string]*view.Detector{}
	fired := map[string]view.Pair{}
	for _, name := range c.names(other) {
		pairs := match(factsOf(was, name), factsOf(is, name))
		list := changes(name, pairs)
		if len(list) > 0 {
			m.Changed++
		}
		m.Changes = append(m.Changes, list...)
		for _, p := range pairs {
			sum(detectors, fired, name, p, &m)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(detectors)) {
		m.Detectors = append(m.Detectors, *detectors[id])
	}
	for _, session := range c.sessions {
		m.Series = append(m.Series, view.Point{Session: session, Pair: fired[session]})
	}
	return m
}

// names lists sessions and runs in order of their first turns, then the rest by name.
func (c *Comparison) names(other int) []string {
	rest := map[string]bool{}
	for _, s := range []*side{c.sides[0], c.sides[other]} {
		for name := range s.groups {
			if _, seen := c.seen[name]; !seen {
				rest[name] = true
			}
		}
	}
	return append(slices.Clone(c.sessions), slices.Sorted(maps.Keys(rest))...)
}

func factsOf(s *side, name string) []*fact {
	if g := s.groups[name]; g != nil {
		return g.facts
	}
	return nil
}

// sum adds a pair to the figures of its detector.
func sum(detectors map[string]*view.Detector, fired map[string]view.Pair, name string, p pair, m *view.Model) {
	f := cmp.Or(p.was, p.is)
	if f.kind != view.KindFire && f.kind != view.KindSignal {
		return
	}
	d := detectors[f.detector]
	if d == nil {
		d = &view.Detector{ID: f.detector}
		detectors[f.detector] = d
	}
	if f.kind == view.KindSignal {
		d.Signals = counted(d.Signals, p)
		return
	}
	d.Interrupts, fired[name] = counted(d.Interrupts, p), counted(fired[name], p)
	if p.was != nil {
		d.Present.Add(p.was.outcome, p.was.heard)
		if p.was.heard {
			m.Heard++
		}
	}
	switch p.way() {
	case view.Gained:
		d.Gained++
		d.GainedThen.Add(p.is.outcome, false)
	case view.Lost:
		d.Lost++
		d.LostThen.Add(p.was.outcome, p.was.heard)
	case view.Moved:
		d.Moved++
	}
}

func counted(of view.Pair, p pair) view.Pair {
	if p.was != nil {
		of.Present++
	}
	if p.is != nil {
		of.Given++
	}
	return of
}

func effects(was, is totals) []view.Effect {
	return []view.Effect{
		{Name: "interrupts at once", Pair: view.Pair{Present: was.immediate, Given: is.immediate}},
		{Name: "interrupts from the queue", Pair: view.Pair{Present: was.fromQueue, Given: is.fromQueue}},
		{Name: "signals detected", Pair: view.Pair{Present: was.signals, Given: is.signals}},
		{Name: "queued", Pair: view.Pair{Present: was.queued, Given: is.queued}},
		{Name: "expired in the queue", Pair: view.Pair{Present: was.expired, Given: is.expired}},
		{Name: "unsent at the end", Pair: view.Pair{Present: was.unsent, Given: is.unsent}},
		{Name: "logged", Pair: view.Pair{Present: was.logged, Given: is.logged}},
		{Name: "suppressed", Pair: view.Pair{Present: was.suppressed, Given: is.suppressed}},
		{Name: "corrected by the agent before", Pair: view.Pair{Present: was.corrected, Given: is.corrected}},
		{Name: "joined to another", Pair: view.Pair{Present: was.coalesced, Given: is.coalesced}},
		{Name: "sessions with the budget exhausted", Pair: view.Pair{Present: was.exhausted, Given: is.exhausted}},
		{Name: "breaks", Pair: view.Pair{Present: was.breaks, Given: is.breaks}},
	}
}

// Row returns the totals of a side for a sweep.
func (c *Comparison) Row(other int, values []float64) view.Row {
	was, is := c.sides[0], c.sides[other]
	row := view.Row{
		Values: values, Interrupts: is.totals.immediate + is.totals.fromQueue, FromQueue: is.totals.fromQueue,
		Queued: is.totals.queued, Exhausted: is.totals.exhausted, Breaks: is.totals.breaks,
	}
	if len(c.sessions) > 0 {
		row.PerSession = float64(row.Interrupts) / float64(len(c.sessions))
	}
	for _, name := range c.names(other) {
		for _, p := range match(factsOf(was, name), factsOf(is, name)) {
			switch f := cmp.Or(p.was, p.is); {
			case f.kind != view.KindFire:
			case p.was == nil:
				row.Gained++
				row.New.Add(p.is.outcome, false)
			case p.is == nil:
				row.Lost++
			default: // what an agent did after a decision that did not move is recorded
				row.Kept.Add(p.was.outcome, p.was.heard)
			}
		}
	}
	return row
}
