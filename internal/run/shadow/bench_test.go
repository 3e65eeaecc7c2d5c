package shadow

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
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
				c.Decide(&s, run.NewContext(stepOf(data)))
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
