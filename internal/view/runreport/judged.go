package runreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// judged folds what the rules concluded from an event beside their decisions.
func (f *Fold) judged(ev events.Event, d *runevents.RunJudged) {
	for i := range d.Breaks {
		decided{f}.judgedBreak(ev, &d.Breaks[i])
	}
	if d.Cycle != nil {
		decided{f}.compared(ev, d.Cycle)
	}
	rest := *d
	rest.Breaks, rest.Cycle = nil, nil
	f.concluded.Add(&rest)
	c := &f.concluded
	c.Degradations, c.Leftovers = bounded(f, c.Degradations), bounded(f, c.Leftovers)
	c.Evaluations, c.ScopeChecks = bounded(f, c.Evaluations), bounded(f, c.ScopeChecks)
	for i := range c.Conformance {
		c.Conformance[i].Events = bounded(f, c.Conformance[i].Events)
	}
	for i := range c.RulesBroken {
		c.RulesBroken[i].Events = bounded(f, c.RulesBroken[i].Events)
	}
	if c.Isolation != nil {
		c.Isolation.Incidents = bounded(f, c.Isolation.Incidents)
	}
	if c.Calibration != nil {
		c.Calibration.Entries, c.Calibration.Misread = bounded(f, c.Calibration.Entries), bounded(f, c.Calibration.Misread)
	}
}

// bounded cuts a list to its limit; what is left out is counted.
func bounded[T any](f *Fold, list []T) []T {
	over := len(list) - f.settings.Limits.Entries
	if over <= 0 {
		return list
	}
	f.cut += over
	return list[:f.settings.Limits.Entries]
}

// conclude puts what the rules concluded into the report.
func (f *Fold) conclude(m *Model) {
	var c runevents.RunJudged
	c.Add(&f.concluded) // a copy: the fold goes on
	m.Pipeline = Pipeline{
		Degradations: orEmpty(c.Degradations), Leftovers: orEmpty(c.Leftovers), Evaluations: orEmpty(c.Evaluations), Scopes: orEmpty(c.ScopeChecks),
	}
	for _, d := range c.Degradations {
		m.Pipeline.FindingsCited += d.Findings
		m.Pipeline.FixLoops += d.FixLoops
	}
	m.Calibration = c.Calibration
	if c.Isolation == nil {
		return
	}
	m.Isolation = &Isolation{Layers: orEmpty(c.Isolation.Layers), Incidents: orEmpty(c.Isolation.Incidents), Tainted: c.Isolation.Tainted}
	slices.Sort(m.Isolation.Tainted)
	for i := range m.Isolation.Incidents {
		m.Isolation.Incidents[i].Number = 0 // the place in the list says it
		if m.Isolation.Incidents[i].Observer {
			m.Isolation.Observer++
		}
	}
	m.Conformance, m.Rules = clauses(c.Conformance), clauses(c.RulesBroken)
}

func clauses(list []runevents.Clause) []Clause {
	var out []Clause
	for _, c := range list {
		out = append(out, Clause(c))
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
