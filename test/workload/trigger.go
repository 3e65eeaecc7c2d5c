package workload

import runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

// stopped returns a dysfunction that breaks the run.
func stopped(kind runevents.BreakKind, trigger runevents.BreakTrigger, sick, clean func(*plan)) dysfunction {
	return dysfunction{name: string(trigger), stops: string(kind) + " " + string(trigger), sick: sick, clean: clean}
}

const (
	won  = runevents.RunOutcomeSuccess
	lost = runevents.RunOutcomeFailure
	late = runevents.RunOutcomeTimeout
)

// RW-20, RW-21, RW-30, RW-31.
var triggers = []dysfunction{
	stopped(runevents.BreakHard, runevents.TriggerAgentFailures,
		func(p *plan) { p.attempts = []string{lost, late, lost, won} },
		func(p *plan) { p.attempts = []string{lost, late, won, lost, lost, won} }),
	stopped(runevents.BreakHard, runevents.TriggerTaskFailures,
		func(p *plan) { p.ended(lost, late, lost) },
		func(p *plan) { p.ended(lost, lost, won) }),
	{
		name: string(runevents.TriggerRepeatedShadow), stops: "hard repeated_shadow", says: []string{"correction archetype maker/rogue", "correction archetype maker/rogue step 2"},
		sick: func(p *plan) {
			p.files("a/one.go", "a/two.go", "a/three.go")
			p.attempts = []string{won, won, won}
		},
		clean: func(p *plan) { p.attempts = []string{won, won, won} },
	},
	stopped(runevents.BreakHard, runevents.TriggerBrokenSuite,
		func(p *plan) { p.passed = false },
		func(p *plan) { p.passed = true }),
	stopped(runevents.BreakHard, runevents.TriggerOscillating,
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{2}, []int{0, 1, 2}) },
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{1, 2}, []int{0, 1}) }),
	stopped(runevents.BreakHard, runevents.TriggerBudgetExhausted,
		func(p *plan) { p.spends = []float64{40, 100} },
		func(p *plan) { p.spends = []float64{40, 79.9} }),
	stopped(runevents.BreakSoft, runevents.TriggerIdenticalFindings,
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{0, 1, 2}) },
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{0, 1}, nil, nil) }),
	stopped(runevents.BreakSoft, runevents.TriggerLowConvergence,
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{0, 1}); p.scores(0.4, 0.49) },
		func(p *plan) { p.rounds([]int{0, 1, 2}, []int{0, 1}); p.scores(0.4, 0.5) }),
	stopped(runevents.BreakSoft, runevents.TriggerGrowingFindings,
		func(p *plan) { p.rounds([]int{1}, []int{1, 2}, []int{1, 2, 0}); p.scores(0.9, 0.9, 0.9) },
		func(p *plan) { p.rounds([]int{1}, []int{1, 2}, []int{2, 0}); p.scores(0.9, 0.9, 0.9) }),
	stopped(runevents.BreakSoft, runevents.TriggerBudget95,
		func(p *plan) { p.spends = []float64{40, 95} },
		func(p *plan) { p.spends = []float64{40, 60} }),
	stopped(runevents.BreakSoft, runevents.TriggerCheckpoint,
		func(p *plan) { p.early, p.spends = []float64{81}, nil; p.ended(won, won, won) },
		func(p *plan) { p.early, p.spends = []float64{70}, nil; p.ended(won, won, won) }),
}

// ended are the run's tasks by their outcomes.
func (p *plan) ended(outcomes ...string) {
	p.tasks = nil
	for _, outcome := range outcomes {
		p.tasks = append(p.tasks, runevents.TaskCompleted{Outcome: outcome})
	}
}

// rounds are the cycles by which of the healthy run's findings are open in each.
func (p *plan) rounds(open ...[]int) {
	all := p.cycles[0].Findings
	p.cycles = nil
	for _, some := range open {
		var cycle runevents.CycleCompleted
		for _, i := range some {
			cycle.Findings = append(cycle.Findings, all[i])
		}
		p.cycles = append(p.cycles, cycle)
	}
}

// scores are the publisher's own of each cycle.
func (p *plan) scores(list ...float64) {
	for i := range p.cycles {
		p.cycles[i].ConvergenceScore = &list[i]
	}
}
