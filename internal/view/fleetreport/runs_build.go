package fleetreport

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// runsBuilder sums what was counted about runs.
type runsBuilder struct {
	total       RunFigures
	projects    map[string]*RunFigures
	states      map[string]int
	outcomes    map[string]int
	triggers    map[string]*BreakFigures
	corrections map[string]*Corrected
	gates       map[string]*GateFigures
	rules       map[string]*RuleTally
}

// AddRuns adds the counts about runs, and the answers, to a report.
func (m *Model) AddRuns(counts map[RunCount]int64, answers []Answer) {
	b := &runsBuilder{
		projects: map[string]*RunFigures{}, states: map[string]int{}, outcomes: map[string]int{}, triggers: map[string]*BreakFigures{},
		corrections: map[string]*Corrected{}, gates: map[string]*GateFigures{}, rules: map[string]*RuleTally{},
	}
	days := map[string]*Day{}
	for i := range m.Days {
		days[m.Days[i].Day] = &m.Days[i]
	}
	for c, n := range counts { // sums: their order does not show
		b.add(c, int(n))
		b.day(days, &m.Figures, c, int(n))
	}
	m.Days = m.Days[:0:0]
	for _, name := range slices.Sorted(maps.Keys(days)) {
		m.Days = append(m.Days, *days[name])
	}
	m.Runs = b.runs(answers)
}

// day adds runs and breaks to the figures by day.
func (b *runsBuilder) day(days map[string]*Day, total *Figures, c RunCount, n int) {
	isRun := c.Topic == "run" && c.What == "runs"
	if !isRun && !isBreak(c) {
		return
	}
	d := days[c.Day]
	if d == nil {
		d = &Day{Day: c.Day}
		days[c.Day] = d
	}
	if isRun {
		d.Runs, total.Runs = d.Runs+n, total.Runs+n
	} else {
		d.Breaks, total.Breaks = d.Breaks+n, total.Breaks+n
	}
}

func isBreak(c RunCount) bool {
	return c.Topic == "break" && (c.What == string(runevents.BreakHard) || c.What == string(runevents.BreakSoft))
}

func (b *runsBuilder) add(c RunCount, n int) {
	p := entry(b.projects, c.Project)
	for _, f := range []*RunFigures{&b.total, p} {
		f.add(c, n)
	}
	switch c.Topic {
	case "state":
		b.states[c.Name] += n
	case "outcome":
		b.outcomes[c.Name] += n
	case "break":
		entry(b.triggers, c.Name).add(c.What, n)
	case "correction":
		entry(b.corrections, c.Name).add(c.What, n)
	case "gate":
		entry(b.gates, c.Name).add(c.What, n)
	case "rule":
		r := entry(b.rules, c.Name)
		r.Rule, r.Code, _ = strings.Cut(c.Name, "\n")
		r.add(c.What, n)
	}
}

func entry[T any](m map[string]*T, key string) *T {
	if m[key] == nil {
		m[key] = new(T)
	}
	return m[key]
}

func (f *RunFigures) add(c RunCount, n int) {
	switch c.Topic {
	case "run":
		f.count(c.What, n)
	case "state":
		if c.Name == string(runevents.ControlHalted) {
			f.Halted += n
		}
	case "outcome":
		f.Completed += n
	case "break":
		f.Breaks.add(c.What, n)
	case "correction":
		f.Corrected.add(c.What, n)
	case "escalation":
		f.Escalations.add(c.What, n)
	case "question":
		f.Questions.add(c.What, n)
	case "gate":
		f.GateAnswers.add(c.What, n)
	case "rule":
		r := RuleTally{}
		r.add(c.What, n)
		f.Violations, f.Warnings = f.Violations+r.Violations, f.Warnings+r.Warnings
	}
}

func (f *RunFigures) count(what string, n int) {
	switch what {
	case "runs":
		f.Runs += n
	case "events":
		f.Evaluated += n
	case "failed":
		f.Failed, f.Evaluated = f.Failed+n, f.Evaluated-n
	}
}

func (f *BreakFigures) add(what string, n int) {
	if field := map[string]*int{
		string(runevents.BreakHard): &f.Hard, string(runevents.BreakSoft): &f.Soft, "resumed": &f.Resumed, string(runevents.Warranted): &f.Warranted,
		string(runevents.NotWarranted): &f.NotWarranted, string(runevents.Unclear): &f.Unclear, string(runevents.TooEarly): &f.TooEarly,
	}[what]; field != nil {
		*field += n
	}
}

func (f *WaitFigures) add(what string, n int) {
	switch what {
	case "raised":
		f.Raised += n
		f.Open += n
		return
	case "answered", "resumed":
		f.Answered += n
	case "defaulted":
		f.TimedOut += n
	case "superseded":
		f.Superseded += n
	}
	f.Open -= n
}

func (f *Corrected) add(what string, n int) {
	if field := map[string]*int{
		"issued": &f.Issued, runreport.Held: &f.Held, runreport.Recurred: &f.Recurred, runreport.Untested: &f.Untested, runreport.Running: &f.Open,
	}[what]; field != nil {
		*field += n
	}
}

func (f *GateFigures) add(what string, n int) {
	if field := map[runevents.GateDecision]*int{
		runevents.DecisionAllow: &f.Allowed, runevents.DecisionAllowWithWarning: &f.Warned, runevents.DecisionDeny: &f.Denied, runevents.DecisionHold: &f.Held,
		"ahead": &f.Ahead, "unanswered": &f.Unanswered,
	}[runevents.GateDecision(what)]; field != nil {
		*field += n
	}
}

func (r *RuleTally) add(what string, n int) {
	switch what {
	case "violations":
		r.Violations += n
	case "warnings":
		r.Warnings += n
	}
}

// actions are the steps of the ladder in their order (RW-40).
var actions = []runevents.CorrectionAction{runevents.CorrectionCorrect, runevents.CorrectionReplace, runevents.CorrectionPause, runevents.CorrectionStop, runreport.ActionEscalate}

// runs are the finished lists.
func (b *runsBuilder) runs(answers []Answer) Runs {
	r := Runs{
		RunFigures: b.total, Projects: []Project{}, States: []RunState{}, Outcomes: []RunOutcome{}, Triggers: []BreakTally{},
		Corrections: []CorrectionTally{}, Gates: []GateTally{}, Rules: []RuleTally{},
	}
	r.finish(answers, nil)
	for _, name := range slices.Sorted(maps.Keys(b.projects)) {
		p := Project{name, *b.projects[name]}
		p.finish(answers, &name)
		r.Projects = append(r.Projects, p)
	}
	for _, name := range slices.Sorted(maps.Keys(b.states)) {
		r.States = append(r.States, RunState{name, b.states[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(b.outcomes)) {
		r.Outcomes = append(r.Outcomes, RunOutcome{name, b.outcomes[name]})
	}
	slices.SortStableFunc(r.Outcomes, func(x, y RunOutcome) int { return y.Runs - x.Runs })
	for _, name := range slices.Sorted(maps.Keys(b.triggers)) {
		r.Triggers = append(r.Triggers, BreakTally{name, *b.triggers[name]})
	}
	for _, name := range slices.SortedFunc(maps.Keys(b.corrections), byLadder) {
		c := CorrectionTally{name, *b.corrections[name]}
		c.HelpedRate = rate(c.Held, c.Held+c.Recurred)
		r.Corrections = append(r.Corrections, c)
	}
	for _, name := range slices.Sorted(maps.Keys(b.gates)) {
		if name != "" { // one that could not be evaluated counts in the sums
			r.Gates = append(r.Gates, GateTally{name, *b.gates[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.rules)) {
		r.Rules = append(r.Rules, *b.rules[name])
	}
	return r
}

func byLadder(a, b string) int {
	place := func(action string) int {
		if i := slices.Index(actions, runevents.CorrectionAction(action)); i >= 0 {
			return i
		}
		return len(actions)
	}
	return cmp.Or(place(a)-place(b), strings.Compare(a, b))
}

// finish adds the figures that are not sums; without a project, those of all runs.
func (f *RunFigures) finish(answers []Answer, project *string) {
	f.Corrected.HelpedRate = rate(f.Corrected.Held, f.Corrected.Held+f.Corrected.Recurred)
	f.Escalations.MedianSeconds = median(answers, "escalation", project)
	f.Questions.MedianSeconds = median(answers, "question", project)
}

// median is the time that half of the answers took at most; of two in the middle
// their mean.
func median(answers []Answer, kind string, project *string) *float64 {
	var times []float64
	for _, a := range answers {
		if a.Kind == kind && (project == nil || a.Project == *project) {
			times = append(times, a.Seconds)
		}
	}
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	middle := (times[(len(times)-1)/2] + times[len(times)/2]) / 2
	return &middle
}
