package runreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
)

// Result returns the report so far; the fold is unchanged and may continue.
func (f *Fold) Result() Model {
	m := Model{
		SchemaVersion: SchemaVersion, Report: "run", Run: f.run, Standing: f.standing,
		Shadows: slices.Clone(orEmpty(f.shadows)), Violations: slices.Clone(orEmpty(f.violations)), Warnings: slices.Clone(orEmpty(f.warnings)),
		Gates: slices.Clone(orEmpty(f.gates)), Cycles: slices.Clone(orEmpty(f.cycles)),
		Policies: Policies{Checkpoints: slices.Clone(orEmpty(f.policies.Checkpoints)), Budget: slices.Clone(orEmpty(f.policies.Budget))},
		Cost:     f.cost, Timeline: slices.Clone(orEmpty(f.timeline)), TimelineCut: f.timelineCut, Coverage: f.covered(),
		Escalations: []Escalation{}, Steers: []Steer{}, Sessions: []Session{}, Questions: []runlist.Question{},
	}
	m.Run.Lone = f.run.Lone && f.run.Events == 0
	f.finishLists(&m)
	m.Prevented = f.prevented.Section()
	m.Effectiveness = effectiveness(m.Corrections)
	f.conclude(&m)
	return m
}

// finishLists copies what still changes, with what is known by now.
func (f *Fold) finishLists(m *Model) {
	m.Breaks, m.Corrections = decided{f}.listed(), decided{f}.corrections()
	open, questions := f.open()
	for _, e := range f.escalations {
		one := *e
		one.Reminders, one.Open = slices.Clone(e.Reminders), open[e.ID]
		m.Escalations = append(m.Escalations, one)
	}
	m.Questions = append(m.Questions, questions...)
	for _, s := range f.steers {
		one := *s
		one.Delivery = slices.Clone(s.Delivery)
		m.Steers = append(m.Steers, one)
	}
	for _, s := range f.sessions.order {
		m.Sessions = append(m.Sessions, *s)
	}
}

// open are the escalations nobody has acknowledged and the questions nobody has
// answered, as in the list of runs (RW-41).
func (f *Fold) open() (map[string]bool, []runlist.Question) {
	open := map[string]bool{}
	for _, r := range f.list.Runs() {
		if r.ID != f.run.ID {
			continue
		}
		for _, e := range r.Escalations {
			open[e.ID] = true
		}
		return open, r.Questions
	}
	return open, nil
}

// Reportable reports whether there is anything to report: a run event came, or
// something was decided about a session beyond its own report (RW-35).
func (f *Fold) Reportable() bool { return f.ran }
