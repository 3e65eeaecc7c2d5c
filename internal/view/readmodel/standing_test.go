package readmodel

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-11: the list of sessions says with which model an agent works, what it did last, what is not put
// right, as the session's report weighs it, and where it goes in circles.
func TestHowSessionsStand(t *testing.T) {
	m, err := Open(t.Context(), Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	report := sessionreport.New("s")
	sequence, at := uint64(0), Position{}
	add := func(kind events.Type, data any) {
		t.Helper()
		sequence++
		ev := events.Event{ID: fmt.Sprint("e", sequence), Type: kind, Subject: "s", PartitionKey: "s", Data: data}
		report.Apply(ev)
		at, err = m.Apply(t.Context(), at, []Record{{Event: ev, Sequence: sequence}})
		require.NoError(t, err)
	}
	capped := sessionevents.Urgency(19)
	signal := func(id, detector, class, subject string, turn, cost int, limit *sessionevents.Urgency) {
		add(sessionevents.TypeSignalDetected, &sessionevents.Signal{
			Session: "s", ID: id, Turn: turn, Detector: detector, Class: sessionevents.Class(class), Subject: subject, ReworkCost: cost, Cap: limit,
		})
	}
	end := func(kind events.Type, id, detector string, turn int) {
		add(kind, &sessionevents.Disposition{Session: "s", Signal: id, Detector: detector, Turn: turn})
	}
	add(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{
		Session: "s", Agent: &sessionevents.Agent{Kind: "codex", Model: "m-2"},
	})
	signal("g1", "A1", "A", "parse", 1, 3, nil) // open
	end(sessionevents.TypeSignalLogged, "g1", "A1", 1)
	signal("g2", "A2", "A", "store", 1, 5, nil) // put right
	end(sessionevents.TypeSignalSelfCorrected, "g2", "A2", 2)
	signal("g3", "D1", "D", "x", 1, 8, &capped) // kept at LOG
	end(sessionevents.TypeSignalLogged, "g3", "D1", 1)
	signal("g4", "B1", "B", "key", 2, 4, nil) // said, and heeded
	add(sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{
		Session: "s", ID: "i1", Turn: 2, Detector: "B1", Class: "B", Signals: []string{"g4"},
	})
	add(sessionevents.TypeInterruptDelivery, &sessionevents.InterruptDelivery{Session: "s", Interrupt: "i1", State: sessionevents.DeliveryHeeded, Turn: 3})
	for turn, id := range []string{"c1", "c2", "c3"} {
		signal(id, "C4", "C", "build", turn+1, 1, nil)
		end(sessionevents.TypeSignalLogged, id, "C4", turn+1)
	}
	signal("l1", "C3", "C", "docs", 3, 1, nil) // once is no circle
	add(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{
		Session: "s", Turn: 3, Observed: &sessionevents.Observations{FilesEdited: []string{"src/a.go"}, LinesAdded: 4},
	})
	add(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Turn: 4, Observed: &sessionevents.Observations{}})

	list, _, err := m.FindSessions(t.Context(), SessionFilter{}, Page{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "m-2", list[0].Model)
	require.Equal(t, "1 file edited (src/a.go), +4 −0 lines", list[0].Act, "a turn that only spoke did nothing")
	by := Debt{Classes: []string{"A", "B", "D"}, Spirals: []string{"C3", "C4", "D3"}}
	all, err := m.Standings(t.Context(), list, by)
	require.NoError(t, err)
	require.Equal(t, map[string]Standing{"s": {Debt: 3, Circles: []Circle{{"C4", 3}}}}, all)
	require.Equal(t, report.Result().Health.DebtAdded, all["s"].Debt, "as its report says")

	add(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Turn: 20})
	all, err = m.Standings(t.Context(), list, by)
	require.NoError(t, err)
	require.Empty(t, all["s"].Circles, "what was long ago is over")
}
