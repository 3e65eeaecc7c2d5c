package shadow

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// What a run event costs: an Explorer's report of 2000 words, and a turn of a
// session of a run.
func BenchmarkObserve(b *testing.B) {
	c := defaultConfig(b)
	for name, data := range map[string]any{
		"report of 2000 words": &runevents.AgentCompleted{AgentID: "e", Archetype: explorer, Outcome: "success", Output: words(2000)},
		"turn":                 turn(said("I read it."), readFile("a.go"), edit("a.go", "+x"), shellCall("go test ./...", "test")),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var s State
			for b.Loop() {
				var v verdict.Verdict
				c.Observe(&s, step.Input{Event: events.Event{ID: "e", Subject: "run", Data: data}}, &v)
			}
		})
	}
}

// What reading the data costs at every start.
func BenchmarkLoadConfig(b *testing.B) {
	set := rules.Default()
	for b.Loop() {
		if _, err := LoadConfig(set); err != nil {
			b.Fatal(err)
		}
	}
}
