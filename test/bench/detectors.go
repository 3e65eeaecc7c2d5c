package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// timed is a detector with a clock around it.
type timed struct {
	detect.Instance
	took time.Duration
}

func (t *timed) Run(p *detect.Pass) []detect.Finding {
	began := threadTime()
	defer func() { t.took += threadTime() - began }()
	return t.Instance.Run(p)
}

func (t *timed) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	began := threadTime()
	defer func() { t.took += threadTime() - began }()
	return t.Instance.Judge(p, s)
}

// threadTime returns the processor time this thread has used: on a busy machine a detector's wall time is
// mostly that of other processes.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // cannot fail for the thread itself
	}
	return time.Duration(t.Nano())
}

// eachDetector prints what each detector takes of a turn, the slowest first:
// processor time, reading the clock included.
func eachDetector(core *machines.Core, sessions [][]events.Event) error {
	runtime.LockOSThread() // whose clock is read
	defer runtime.UnlockOSThread()
	clocks := map[string]*timed{}
	var list []*detect.Detector
	for _, d := range all.Detectors() {
		wrapped := *d
		wrapped.New = func(set *rules.Set) (detect.Instance, error) {
			inner, err := d.New(set)
			clocks[d.ID] = &timed{Instance: inner}
			return clocks[d.ID], err
		}
		list = append(list, &wrapped)
	}
	machine, err := evaluate.New(evaluate.Options{Detectors: list, Rules: rules.Default(), Identity: core.Identity})
	if err != nil {
		return err
	}
	with := *core
	with.Evaluate = machine
	turns := 0
	for range 2 { // the first warms up
		turns = 0
		for _, clock := range clocks {
			clock.took = 0
		}
		for _, session := range sessions {
			turns += len(session)
		}
		if _, err := folded(&with, sessions); err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b *detect.Detector) int { return cmp.Compare(clocks[b.ID].took, clocks[a.ID].took) })
	fmt.Print("    detectors, µs a turn:")
	for _, d := range list {
		fmt.Printf(" %s %.1f", d.ID, clocks[d.ID].took.Seconds()*1e6/float64(turns))
	}
	fmt.Printf("; the slowest is %s (%s)\n", list[0].ID, list[0].Name)
	return nil
}
