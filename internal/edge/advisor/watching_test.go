package advisor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// AD-2: the question about a session is due although the others of the fleet are never quiet.
func TestASessionIsSettledInABusyFleet(t *testing.T) {
	shipped, err := opinion.Load(rules.Default())
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		settings := generous()
		settings.Asks = []string{config.AdvisorConfirm}
		w := &watching{
			advisor: &advisor{settings: settings}, due: opinion.NewDue(shipped, 100), groups: map[string]string{},
			queue: newQueue(10, func() {}),
		}
		read, failed, done := make(chan events.Event), make(chan error), make(chan struct{})
		go func() {
			defer close(done)
			_ = w.fold(read, failed)
		}()
		about := func(session string, data any) {
			read <- events.Event{Subject: session, Data: data}
			synctest.Wait()
		}
		signal := &sessionevents.Signal{
			Session: "s", Turn: 1, ID: "waits", Layer: sessionevents.LayerSession, Detector: "E1", Class: "E", Subject: "x",
			Urgency: 24, ReworkCost: 3, SelfCorrect: 0.2, Basis: []sessionevents.Ground{{Kind: sessionevents.GroundFact, What: "x"}},
		}
		about("s", signal)
		about("s", &sessionevents.TurnEvaluated{Session: "s", Turn: 1})
		for n := range 20 { // a decision every 5 ms, the next about the same session comes after 35
			other := fmt.Sprint(n % 7)
			about(other, &sessionevents.TurnEvaluated{Session: other, Turn: 1 + n/7})
			time.Sleep(5 * time.Millisecond)
		}
		require.Len(t, w.queue.list, 1)
		require.Equal(t, wish{opinion.Wish{Session: "s", Signal: "waits", Turn: 1}, "s"}, w.queue.list[0])
		failed <- nil
		<-done
	})
}
