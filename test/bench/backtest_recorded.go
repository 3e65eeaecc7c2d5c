package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// stored is an event as a stream holds it.
type stored struct {
	header map[string][]string
	data   []byte
}

// recordedSessions returns what the stages write of n sessions.
func recordedSessions(n int) (written map[string][]stored, turns int, err error) {
	core, err := newCore()
	if err != nil {
		return nil, 0, err
	}
	written = map[string][]stored{}
	for i := range n {
		work, err := deliveries(workload.Make(workload.Mix(uint64(i)+1, 1, 60)).Sessions)
		if err != nil {
			return nil, 0, err
		}
		chain := core.Chain()
		var failed error
		chain.Folded = func(stage string, _ events.Event, derived []events.Event, _ string) {
			for _, e := range derived {
				header, data, err := events.EncodeBinary(e)
				if err != nil {
					failed = err
				}
				written[stage] = append(written[stage], stored{header, data})
			}
		}
		for _, e := range work[0] {
			chain.Feed(e)
		}
		if failed != nil {
			return nil, 0, failed
		}
		turns += 60
	}
	return written, turns, nil
}

// reader decodes what a stage wrote, one event at a time.
func reader(list []stored) func() (events.Event, error) {
	return func() (e events.Event, err error) {
		if len(list) == 0 {
			return e, io.EOF
		}
		next := list[0]
		list = list[1:]
		return events.DecodeMessage(next.header, next.data)
	}
}

// backtestedRecord measures the comparison of what a system has recorded of n sessions. It
// decodes both streams, as the command does; the baseline does nothing else.
func backtestedRecord(ctx context.Context, name string, given *rules.Set, n int) error {
	written, turns, err := recordedSessions(n)
	if err != nil {
		return err
	}
	saved, err := os.CreateTemp("", "scaffoldwatch-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(saved.Name()) }()
	defer saved.Close()
	comparisons := []*backtest.Comparison{backtest.New(backtest.Options{Sides: 2})}
	first, err := machines.NewVariants(machines.VariantOptions{
		Rules: []*rules.Set{rules.Default(), given}, From: machines.Joined,
		Bounds: memory.Bounds{Memory: engine.NewMemory(256 << 20), Groups: 32, Saved: &appended{file: saved}},
	})
	if err != nil {
		return err
	}
	workers := []*machines.Variants{first}
	for len(workers) < runtime.GOMAXPROCS(0) {
		comparisons, workers = append(comparisons, backtest.New(backtest.Options{Sides: 2})), append(workers, first.Another(nil))
	}
	runtime.GC()
	cpu, began := processTime(), time.Now()
	spread := machines.NewSpread(ctx, workers, func(worker, number int, derived [][]events.Event) { comparisons[worker].TakeAt(number, derived) })
	if err := join(written, spread.Feed); err != nil {
		return err
	}
	if err := spread.Wait(); err != nil {
		return err
	}
	took, used := time.Since(began), processTime()-cpu
	for _, c := range comparisons[1:] {
		comparisons[0].Join(c)
	}
	if got := comparisons[0].Result(1).Turns; got != turns {
		return fmt.Errorf("%d of %d turns were compared", got, turns)
	}
	cpu = processTime()
	if err := join(written, func(events.Event) error { return nil }); err != nil {
		return err
	}
	base := processTime() - cpu
	fmt.Printf("  %s, what is recorded of %d sessions, %d turns: %.0f turns/s on %d cores, %.0f a core; plain reading %.0f a core (%.3f of it)\n",
		name, n, turns, float64(turns)/took.Seconds(), runtime.GOMAXPROCS(0), float64(turns)/used.Seconds(),
		float64(turns)/base.Seconds(), base.Seconds()/used.Seconds())
	return nil
}

// join passes on what the evaluator wrote, joined with the turns.
func join(written map[string][]stored, take func(events.Event) error) error {
	joint := machines.Joint{Turns: reader(written["ingest"])}
	next := reader(written["evaluator"])
	for {
		e, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e, given, err := joint.Take(e)
		if err == nil && given {
			err = take(e)
		}
		if err != nil {
			return err
		}
	}
}
