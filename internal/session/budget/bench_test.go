package budget

import (
	"fmt"
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// BenchmarkTurn dispatches turns of a session in which every fourth turn has a
// signal that ends in the queue; the figures are per turn, signals included.
func BenchmarkTurn(b *testing.B) {
	m := NewMachine(defaultConfig(b))
	state := m.New("s1")
	feed := func(n int, typ events.Type, data any) {
		ev := events.Event{ID: fmt.Sprint(n), Source: "bench", Type: typ, Subject: "s1", Time: testTime(n), Data: data}
		state, _ = m.Step(state, step.Input{Event: ev}, step.NewEmitter(StageName, step.Identity{}, ev))
	}
	b.ReportAllocs()
	turn := 0
	for b.Loop() {
		turn++
		marker := &sessionevents.TurnEvaluated{Session: "s1", Turn: turn}
		if turn%4 == 0 {
			s := &sessionevents.Signal{
				Session: "s1", Turn: turn, ID: fmt.Sprint("signal-", turn), Layer: sessionevents.LayerSession, Detector: "A1", Class: "A",
				Subject: fmt.Sprint("subject-", turn%50), ReworkCost: 3, SelfCorrect: 0.2, Message: "Do this.", Reason: "Because.",
			}
			feed(turn, sessionevents.TypeSignalDetected, s)
			marker.Signals = []string{s.ID}
		}
		feed(turn, sessionevents.TypeTurnEvaluated, marker)
	}
	b.ReportMetric(float64(m.Size(state)), "state-bytes")
}
