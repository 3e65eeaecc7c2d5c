package main

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// work is what is published: a list of events for each session and run.
type work struct {
	sessions [][]events.Event
	runs     [][]events.Event
}

func (w work) lists() [][]events.Event {
	return append(append([][]events.Event{}, w.sessions...), w.runs...)
}

// sickRuns are runs with something wrong, whose harnesses ignore that they are
// halted: they go on to the end. Runs that depend on others of their project are
// left out, since in which order two partitions tell a third is not the model's.
func sickRuns(p plan) [][]events.Event {
	var runs [][]events.Event
	for _, pair := range workload.Fleet(p.seed, p.runs) {
		if len(pair.Sick.Runs()) > 1 {
			continue
		}
		runs = append(runs, pair.Sick.Events)
	}
	return runs
}
