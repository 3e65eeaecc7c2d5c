package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// backtests folds sessions under the shipped and under other rules (AU-20). The baseline
// is plain reading: each input is encoded as a publisher does, and decoded.
func backtests(ctx context.Context, s scale) error {
	for _, of := range []struct{ name, setting string }{
		{"a threshold of the dispatcher", "dispatch.thresholds.fire"}, {"a threshold of a detector", "refetch.window_turns"},
	} {
		_, value, err := rules.Default().Number(of.setting)
		if err != nil {
			return err
		}
		given, err := rules.Default().With(of.setting, value-1)
		if err != nil {
			return err
		}
		for _, n := range []int{s.of(100), s.of(400)} {
			if err := backtested(ctx, of.name, given, n); err != nil {
				return err
			}
		}
	}
	for _, setting := range []string{"refetch.window_turns", "circular.queue_at", "duplicatebuild.substantial"} {
		_, value, err := rules.Default().Number(setting)
		if err != nil {
			return err
		}
		given, err := rules.Default().With(setting, value*0.8)
		if value > 1 {
			given, err = rules.Default().With(setting, value-1)
		}
		if err != nil {
			return err
		}
		if err := backtestedRecord(ctx, setting, given, s.of(100)); err != nil {
			return err
		}
	}
	return nil
}

// backtested measures one comparison of n sessions, which are made while they are read.
func backtested(ctx context.Context, name string, given *rules.Set, n int) error {
	saved, err := os.CreateTemp("", "scaffoldwatch-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(saved.Name()) }()
	defer saved.Close()
	comparisons := []*backtest.Comparison{backtest.New(backtest.Options{Sides: 2})}
	first, err := machines.NewVariants(machines.VariantOptions{
		Rules: []*rules.Set{rules.Default(), given}, Bounds: memory.Bounds{Memory: engine.NewMemory(256 << 20), Groups: 32, Saved: &appended{file: saved}},
	})
	if err != nil {
		return err
	}
	workers := []*machines.Variants{first}
	for len(workers) < runtime.GOMAXPROCS(0) {
		comparisons, workers = append(comparisons, backtest.New(backtest.Options{Sides: 2})), append(workers, first.Another(nil))
	}
	cpu, began := processTime(), time.Now()
	spread := machines.NewSpread(ctx, workers, func(worker, number int, derived [][]events.Event) { comparisons[worker].TakeAt(number, derived) })
	turns, heap := 0, uint64(0)
	for i := range n {
		work, err := deliveries(workload.Make(workload.Mix(uint64(i)+1, 1, 60)).Sessions)
		if err != nil {
			return err
		}
		for _, e := range work[0] {
			if e.Type == sessionevents.TypeTurnRaw {
				turns++
			}
			if err := spread.Feed(e); err != nil {
				return err
			}
		}
		if i%25 == 24 {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			heap = max(heap, memory.HeapAlloc)
		}
	}
	if err := spread.Wait(); err != nil {
		return err
	}
	took, used := time.Since(began), processTime()-cpu
	base, err := plainly(n)
	if err != nil {
		return err
	}
	used -= base.making
	fmt.Printf("  %s, %d sessions, %d turns: %.0f turns/s on %d cores, %.0f a core; plain reading %.0f a core (%.3f of it); live heap at most %d MiB\n",
		name, n, turns, float64(turns)/took.Seconds(), runtime.GOMAXPROCS(0), float64(turns)/used.Seconds(),
		float64(turns)/base.reading.Seconds(), base.reading.Seconds()/used.Seconds(), heap>>20)
	for _, c := range comparisons[1:] {
		comparisons[0].Join(c)
	}
	if got := comparisons[0].Result(1).Turns; got != turns {
		return fmt.Errorf("%d of %d turns were compared", got, turns)
	}
	return nil
}

// plain measures generating and reading the sessions without evaluating them.
type plain struct{ making, reading time.Duration }

func plainly(n int) (p plain, err error) {
	for i := range n {
		began := processTime()
		work, err := deliveries(workload.Make(workload.Mix(uint64(i)+1, 1, 60)).Sessions)
		if err != nil {
			return p, err
		}
		p.making += processTime() - began
		began = processTime()
		for _, e := range work[0] {
			if _, err := events.DecodeData(e.Type, e.Raw); err != nil {
				return p, err
			}
		}
		p.reading += processTime() - began
	}
	return p, nil
}

// appended keeps states in a file, as the command does.
type appended struct {
	mu   sync.Mutex
	file *os.File
	end  int64
}

// Put implements memory.Saved.
func (a *appended) Put(data []byte) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	place := a.end
	a.end += int64(len(data))
	_, err := a.file.WriteAt(data, place)
	return place, err
}

// Get implements memory.Saved.
func (a *appended) Get(place int64, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := a.file.ReadAt(data, place)
	return data, err
}
