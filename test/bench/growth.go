package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// growthWindow is how many turns a cost is measured over.
const growthWindow = 50

// growth folds one long session and looks at its states on the way.
func growth(_ context.Context, s scale) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	marks := []int{growthWindow, 500, 5000 / min(s.divide, 5)}
	sessions, err := deliveries(workload.Make(workload.Mix(3, 1, marks[len(marks)-1])).Sessions)
	if err != nil {
		return err
	}
	m := newMachines(core, "s")
	var first, window time.Duration
	n := 0
	for _, e := range sessions[0] {
		began := processTime()
		if err := m.feed(e); err != nil {
			return err
		}
		window += processTime() - began
		if e.Type != events.TypeTurnRaw {
			continue
		}
		if n++; n%growthWindow != 0 {
			continue
		}
		if first == 0 {
			first = window
		}
		if slices.Contains(marks, n) {
			if err := m.print(n, window.Seconds()/first.Seconds()); err != nil {
				return err
			}
		}
		window = 0
	}
	return nil
}

func (m *machines) print(turns int, cost float64) error {
	ingest, err := m.ingest.encoded()
	if err != nil {
		return err
	}
	evaluate, err := m.evaluate.encoded()
	if err != nil {
		return err
	}
	dispatch, err := m.dispatch.encoded()
	if err != nil {
		return err
	}
	fmt.Printf("  after %5d turns: state %6.1f KB encoded (ingest %.1f, evaluator %.1f, dispatcher %.1f), %7.1f KB in memory; the last %d turns cost %.2f of the first %d\n",
		turns, kb(ingest+evaluate+dispatch), kb(ingest), kb(evaluate), kb(dispatch), kb(m.size()), growthWindow, cost, growthWindow)
	return nil
}

func kb(n int) float64 { return float64(n) / 1024 }
