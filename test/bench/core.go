package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

func newCore() (*app.Core, error) {
	return app.NewCore(app.CoreOptions{Rules: rules.Default()})
}

// coreOnly folds the measured mix on one core. The baseline is what no
// implementation can avoid: decoding each turn's JSON once.
func coreOnly(_ context.Context, s scale) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	work := workload.Make(workload.Mix(1, 20, s.of(200)))
	warm := workload.Make(workload.Mix(2, 1, 20))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, session := range warm.Sessions {
		chain := core.Chain()
		for _, e := range session {
			chain.Feed(e)
		}
	}
	turns, bytes := 0, 0
	var decode time.Duration
	for _, session := range work.Sessions {
		for _, e := range session {
			if e.Type != events.TypeTurnRaw {
				continue
			}
			data, err := json.Marshal(e.Data)
			if err != nil {
				return err
			}
			turns, bytes = turns+1, bytes+len(data)
			began := processTime()
			if _, err := events.DecodeData(e.Type, data); err != nil {
				return err
			}
			decode += processTime() - began
		}
	}
	chain := core.Chain()
	began := processTime()
	for _, session := range work.Sessions {
		for _, e := range session {
			chain.Feed(e)
		}
	}
	took := processTime() - began
	if n := len(chain.DeadLetters); n > 0 {
		return fmt.Errorf("%d dead letters, first: %+v", n, chain.DeadLetters[0])
	}
	fmt.Printf("  %d turns, %.1f KB mean: %.0f turns/s per core (%.0f µs a turn, %.1f MB/s)\n", turns, float64(bytes)/float64(turns)/1000,
		float64(turns)/took.Seconds(), took.Seconds()*1e6/float64(turns), float64(bytes)/took.Seconds()/1e6)
	fmt.Printf("  baseline, decoding the turns' JSON: %.0f µs a turn; the core costs %.1f times that\n",
		decode.Seconds()*1e6/float64(turns), took.Seconds()/decode.Seconds())
	return nil
}

// processTime is the processor time this process has used, garbage collection
// included, so that a busy machine does not change the figures.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot fail for the process itself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// growth folds one long session and looks at its states on the way.
func growth(_ context.Context, s scale) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	marks := []int{50, 500, 5000 / min(s.divide, 5)}
	session := workload.Make(workload.Mix(3, 1, marks[len(marks)-1])).Sessions[0]
	ingest := &grown[*ingestState]{machine: core.Ingest, state: core.Ingest.New("s")}
	evaluate := &grown[*evaluateState]{machine: core.Evaluate, state: core.Evaluate.New("s")}
	dispatch := &grown[*dispatchState]{machine: core.Dispatch, state: core.Dispatch.New("s")}
	var first float64
	window, n := time.Duration(0), 0
	for _, e := range session {
		began := processTime()
		for _, a := range ingest.step(core, e) {
			for _, b := range evaluate.step(core, a) {
				dispatch.step(core, b)
			}
		}
		if e.Type != events.TypeTurnRaw {
			continue
		}
		n++
		window += processTime() - began
		if n != marks[0] {
			if n%50 != 0 {
				continue
			}
		}
		cost := window.Seconds() * 1e6 / 50
		window = 0
		if n == marks[0] {
			first = cost
		}
		for _, mark := range marks {
			if n == mark {
				fmt.Printf("  after %5d turns: state %6.1f KB encoded (ingest %.1f, evaluator %.1f, dispatcher %.1f), %7.1f KB in memory; the last 50 turns cost %.2f of the first 50\n",
					n, kb(ingest.encoded()+evaluate.encoded()+dispatch.encoded()), kb(ingest.encoded()), kb(evaluate.encoded()), kb(dispatch.encoded()),
					kb(ingest.size()+evaluate.size()+dispatch.size()), cost/first)
			}
		}
	}
	return nil
}

func kb(n int) float64 { return float64(n) / 1024 }

// grown is one machine with the state of one session.
type grown[S any] struct {
	machine step.Machine[S]
	state   S
}

func (g *grown[S]) step(core *app.Core, e events.Event) []events.Event {
	out := step.NewEmitter(g.machine.Stage(), core.Identity, e)
	next, err := g.machine.Step(g.state, step.Input{Event: e}, out)
	if err != nil {
		panic(err) // the workload is ours
	}
	g.state = next
	return out.Events()
}

func (g *grown[S]) encoded() int {
	data, err := g.machine.Encode(g.state)
	if err != nil {
		panic(err)
	}
	return len(data)
}

func (g *grown[S]) size() int { return g.machine.Size(g.state) }
