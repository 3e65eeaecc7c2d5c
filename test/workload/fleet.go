package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Case is one run, or several runs of one project, with what must be reported about
// it.
type Case struct {
	Name   string
	Events []events.Event
	// Break is kind and trigger of the break, "" for none, followed by those of acts
	// against its halt, separated by commas.
	Break string
	// Says lists what is expected besides breaks, sorted, one per line, each with its kind and subject, as
	// "violation SAW-COMMIT-MAIN" or "gate next_phase deny PL-2".
	Says []string
	// Offline is a case that a broker does not show: one that needs time to pass by
	// the events' clock (EV-9).
	Offline bool
}

// Runs returns the ids of the case's runs, in order; of a session without a run its own.
func (c Case) Runs() []string {
	var ids []string
	for _, e := range c.Events {
		begins := e.Type == runevents.TypeRunStarted || e.Type == sessionevents.TypeSessionOpened && e.Subject == e.Group()
		if begins && !slices.Contains(ids, e.Subject) {
			ids = append(ids, e.Subject)
		}
	}
	return ids
}

// Alone reports whether the case is a session without a run.
func (c Case) Alone() bool { return c.Events[0].Type == sessionevents.TypeSessionOpened }

// Pair is a run with a dysfunction and its twin without.
type Pair struct{ Sick, Clean Case }

// Fleet generates n pairs and uses every dysfunction in turn, so that each occurs
// if n is at least [Dysfunctions]. The same seed gives the same fleet.
func Fleet(seed uint64, n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		d := dysfunctions[i%len(dysfunctions)]
		name := fmt.Sprintf("fleet-%d-%02d", seed, i)
		start := time.Date(2026, 3, 2, 8, i, 0, 0, time.UTC)
		pairs[i].Sick = d.tell(name+"-sick", d.side(true), rand.New(rand.NewPCG(seed, uint64(i))), start)
		pairs[i].Sick.Break, pairs[i].Sick.Says = d.stops, slices.Sorted(slices.Values(d.says))
		pairs[i].Clean = d.tell(name+"-clean", d.side(false), rand.New(rand.NewPCG(seed, uint64(i))), start)
	}
	return pairs
}

// Dysfunctions returns the number of dysfunctions.
func Dysfunctions() int { return len(dysfunctions) }

// half is a dysfunction's sick or clean side.
type half struct {
	change func(*plan)
	pipe   func(*pipe)
	other  telling
}

func (d dysfunction) side(sick bool) half {
	if sick {
		return half{d.sick, d.pipeSick, d.tellSick}
	}
	return half{d.clean, d.pipeClean, d.tellClean}
}

// tell returns the case of a dysfunction's side, with the runs of the project before.
func (d dysfunction) tell(name string, side half, random *rand.Rand, start time.Time) Case {
	c := Case{Name: d.name, Offline: d.offline}
	switch {
	case side.other != nil:
		c.Events = side.other(name, random, start)
		return c
	case side.pipe != nil:
		p := soundPipe(name, random)
		side.pipe(p)
		c.Events = p.tell(start)
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
			side.change(&p)
		}
		c.Events = append(c.Events, p.tell(run, start.Add(-time.Duration(i)*6*time.Hour))...)
	}
	return c
}
