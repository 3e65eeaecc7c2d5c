package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Resumption is a run that halts or ends, is resumed by a person, and shows the
// same dysfunction again.
type Resumption struct {
	Name          string
	Before, After []events.Event // After begins with run.resumed
	Break         string         // of each half
	Says          []string       // of the first half
}

// once holds what is reported only once per run, however often it occurs: a threshold of the budget (RW-21),
// findings that nobody reports as fixed (RW-22).
var once = map[string]bool{string(runevents.TriggerBudget95): true, "policy/context_findings": true}

// Resumed returns runs of run watch with what shows again after a resume.
func Resumed(seed uint64) []Resumption {
	var list []Resumption
	for i, d := range dysfunctions {
		if d.sick == nil || d.before > 0 || once[d.name] {
			continue
		}
		name := fmt.Sprintf("resumed-%d-%02d", seed, i)
		start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
		half := func(start time.Time) []events.Event {
			return d.tell(name, d.side(true), rand.New(rand.NewPCG(seed, uint64(i))), start).Events
		}
		r := Resumption{Name: d.name, Before: half(start), Break: d.stops, Says: d.says}
		last := r.Before[len(r.Before)-1]
		resumed := last
		resumed.ID, resumed.Type, resumed.Time = last.ID+"-resumed", runevents.TypeRunResumed, last.Time.Add(time.Minute)
		resumed.Data = &runevents.RunResumed{Actor: human, By: "ada", Why: "It is fixed."}
		r.After = append(r.After, resumed)
		for _, e := range half(resumed.Time.Add(time.Minute)) {
			if e.Type == runevents.TypeRunStarted {
				continue
			}
			e.ID += "-again"
			later(e.Data)
			if turn, is := e.Data.(*sessionevents.Turn); is {
				turn.TurnID += "-again"
			}
			r.After = append(r.After, e)
		}
		list = append(list, r)
	}
	return list
}

// later moves data into cycles that the run has not reached yet.
func later(data any) {
	switch d := data.(type) {
	case *runevents.PhaseStarted:
		d.Cycle += 10
	case *runevents.PhaseCompleted:
		d.Cycle += 10
	case *runevents.AgentCompleted:
		d.Cycle += 10
	case *runevents.CycleCompleted:
		d.Cycle += 10
	}
}
