package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Case is one run, or several of one project, with what must be said of it.
type Case struct {
	Name   string
	Events []events.Event
	// Break is kind and trigger of the break, "" for none; behind it, with commas,
	// those of what is done against its halt.
	Break string
	// Issues are layer and issue of what is corrected, sorted.
	Issues []string
	// Violations are the codes of what is forbidden in it, sorted.
	Violations []string
}

// Runs are the ids of the case's runs, in order; of a session without a run its
// own.
func (c Case) Runs() []string {
	var ids []string
	for _, e := range c.Events {
		if e.Type == events.TypeRunStarted || e.Type == events.TypeSessionOpened && e.Subject == e.Group() {
			ids = append(ids, e.Subject)
		}
	}
	return ids
}

// Alone says that the case is a session without a run.
func (c Case) Alone() bool { return c.Events[0].Type == events.TypeSessionOpened }

// Pair is a run with a dysfunction and its twin, which just has none.
type Pair struct{ Sick, Clean Case }

// Fleet makes n pairs up, every dysfunction in turn, so that each occurs where n
// is at least [Dysfunctions]. The same seed gives the same fleet.
func Fleet(seed uint64, n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		d := dysfunctions[i%len(dysfunctions)]
		name := fmt.Sprintf("fleet-%d-%02d", seed, i)
		start := time.Date(2026, 3, 2, 8, i, 0, 0, time.UTC)
		pairs[i].Sick = d.tell(name+"-sick", d.sick, d.tellSick, rand.New(rand.NewPCG(seed, uint64(i))), start)
		pairs[i].Sick.Break, pairs[i].Sick.Issues, pairs[i].Sick.Violations = d.stops, d.issues, d.violations
		pairs[i].Clean = d.tell(name+"-clean", d.clean, d.tellClean, rand.New(rand.NewPCG(seed, uint64(i))), start)
	}
	return pairs
}

// Dysfunctions is how many there are.
func Dysfunctions() int { return len(dysfunctions) }

// tell is the case of a dysfunction as change makes it, with the runs of the
// project before.
func (d dysfunction) tell(name string, change func(*plan), other telling, random *rand.Rand, start time.Time) Case {
	c := Case{Name: d.name}
	if other != nil {
		c.Events = other(name, random, start)
		return c
	}
	for i := d.before; i >= 0; i-- {
		p := healthy(random)
		p.project = name
		run := name
		if i > 0 {
			run = fmt.Sprintf("%s-before-%d", name, i)
		}
		if i == 0 || d.always {
			change(&p)
		}
		c.Events = append(c.Events, p.tell(run, start.Add(-time.Duration(i)*6*time.Hour))...)
	}
	return c
}
