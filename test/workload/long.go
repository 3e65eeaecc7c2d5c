package workload

import (
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// long returns a longer run: another wave after those of a wave run, other phases
// before those of a pipeline, a phase after each cycle of other runs.
func long(c Case, _ *rand.Rand) []events.Event {
	kind, extra := map[string]string{}, 0
	var list []events.Event
	more := func(e events.Event, told ...any) {
		for _, data := range told {
			extra++
			about := e
			about.ID, about.Type, about.Data = events.DerivedID("fleet", e.Source, e.ID, extra), typeOf[reflect.TypeOf(data)], data
			list = append(list, about)
		}
	}
	for _, e := range c.Events {
		switch d := e.Data.(type) {
		case *runevents.RunStarted:
			kind[e.Subject] = d.Kind
		case *runevents.ScoutCompleted:
			d.Waves++
		case *runevents.PlanApproved:
			more(e, &runevents.WavePlanned{Actor: orchestrator, Wave: 2, Agents: []runevents.WaveAgent{{Letter: "A", Owns: []string{"stock/page.go"}}, {Letter: "B", Owns: []string{"stock/list.go"}}}})
		case *runevents.RunCompleted:
			if kind[e.Subject] == "saw" {
				more(e, secondWave(e)...)
			}
		}
		list = append(list, e)
		switch d := e.Data.(type) {
		case *runevents.RunStarted:
			if d.Kind == "pipeline" {
				more(e, slicesOf("triage", "research")...)
			}
		case *runevents.CycleCompleted:
			if kind[e.Subject] == "build" {
				more(e, &runevents.PhaseStarted{Actor: orchestrator, Phase: "act", Cycle: d.Cycle}, &runevents.PhaseCompleted{Actor: orchestrator, Phase: "act", Cycle: d.Cycle})
			}
		}
	}
	return list
}

// slicesOf returns phases that hand over all they owe.
func slicesOf(names ...string) []any {
	var list []any
	for _, name := range names {
		list = append(list, &runevents.PhaseStarted{Actor: orchestrator, Phase: name}, &runevents.PhaseCompleted{
			Actor: orchestrator, Phase: name, Artifacts: []runevents.Artifact{artifact(map[string]any{"kind": "wr.loop_control", "version": 1, "decision": "continue"})},
		})
	}
	return list
}

// secondWave returns one with nothing wrong.
func secondWave(e events.Event) []any {
	t := &teller{run: e.Subject, at: e.Time.Add(-time.Second)}
	w := soundWave()
	w.number, w.owns = 2, [2]string{"stock/page.go", "stock/list.go"}
	w.whole(t)
	var list []any
	for _, told := range t.list {
		list = append(list, told.Data)
	}
	return list
}
