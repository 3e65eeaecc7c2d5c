package main

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

func newCore() (*machines.Core, error) {
	return machines.New(machines.Options{Rules: rules.Default()})
}

// coreOnly folds the measured mix, and real transcripts where there are some,
// on one core.
func coreOnly(_ context.Context, s scale) error {
	core, err := newCore()
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	work, err := deliveries(workload.Make(workload.Mix(1, 20, s.of(200))).Sessions)
	if err != nil {
		return err
	}
	if err := measure(core, "measured mix", work); err != nil {
		return err
	}
	if err := eachDetector(core, work); err != nil {
		return err
	}
	transcripts, err := realSessions()
	if err != nil {
		return err
	}
	if len(transcripts) == 0 {
		fmt.Println("  real transcripts: none here; set SCAFFOLDWATCH_DATA to the folder that holds transcripts/")
		return nil
	}
	if err := measure(core, "real transcripts", transcripts); err != nil {
		return err
	}
	return eachDetector(core, transcripts)
}

// measure folds the sessions, once to warm up like a service that has run for a minute, and prints the cost
// of a turn. The baseline is what no implementation can avoid: decoding each turn's JSON once.
func measure(core *machines.Core, name string, sessions [][]events.Event) error {
	if _, err := folded(core, sessions); err != nil {
		return err
	}
	turns, bytes := 0, 0
	began := processTime()
	for _, session := range sessions {
		for _, e := range session {
			if e.Type != sessionevents.TypeTurnRaw {
				continue
			}
			turns, bytes = turns+1, bytes+len(e.Raw)
			if _, err := events.DecodeData(e.Type, e.Raw); err != nil {
				return err
			}
		}
	}
	decode := processTime() - began
	took, err := folded(core, sessions)
	if err != nil {
		return err
	}
	n := float64(turns)
	fmt.Printf("  %s: %d turns, %.1f KB mean: %.0f turns/s per core (%.0f µs a turn, %.1f µs a KB)\n", name, turns, float64(bytes)/n/1000,
		n/took.Seconds(), took.Seconds()*1e6/n, took.Seconds()*1e9/float64(bytes))
	fmt.Printf("    baseline, decoding the turns' JSON: %.0f µs a turn; the core costs %.1f times that\n",
		decode.Seconds()*1e6/n, took.Seconds()/decode.Seconds())
	return nil
}

// folded returns the processor time that the machines take for the sessions.
func folded(core *machines.Core, sessions [][]events.Event) (time.Duration, error) {
	began := processTime()
	for _, session := range sessions {
		m := newMachines(core, session[0].Group())
		for _, e := range session {
			if err := m.feed(e); err != nil {
				return 0, err
			}
		}
	}
	return processTime() - began, nil
}

func deliveries(sessions [][]events.Event) ([][]events.Event, error) {
	for _, session := range sessions {
		for i := range session {
			var err error
			if session[i], err = delivered(session[i]); err != nil {
				return nil, err
			}
		}
	}
	return sessions, nil
}

// processTime returns the processor time this process has used, garbage collection included, so that a busy
// machine does not change the figures.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot fail for the process itself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
