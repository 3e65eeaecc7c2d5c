package main

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// work is what is published: a list of events for each session and run.
type work struct {
	sessions [][]events.Event
	runs     [][]events.Event
	fill     [][]events.Event // sent before the others, one by each publisher
}

func (w work) lists() [][]events.Event {
	return slices.Concat(w.fill, w.sessions, w.runs)
}

// count returns how many events of a type there are.
func (w work) count(typ events.Type) int {
	n := 0
	for _, list := range w.lists() {
		for _, e := range list {
			if e.Type == typ {
				n++
			}
		}
	}
	return n
}

// sick returns runs, and sessions without one, with something wrong, whose harnesses ignore that they are
// halted: they go on to the end. Runs that depend on others of their project are left out, since in which
// order two partitions tell a third is not the model's.
func sick(p plan) (sessions, runs [][]events.Event) {
	for _, pair := range workload.Fleet(p.seed, p.runs) {
		switch {
		case pair.Sick.Offline:
		case pair.Sick.Alone():
			sessions = append(sessions, pair.Sick.Events)
		case len(pair.Sick.Runs()) == 1:
			runs = append(runs, pair.Sick.Events)
		}
	}
	return sessions, runs
}
