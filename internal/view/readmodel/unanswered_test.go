package readmodel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-7: a harness that acknowledges for its agent answers nothing; a person does. A session that has
// ended is listed for as long as the caller says.
func TestWhatAHarnessAcknowledgesWaitsForAPerson(t *testing.T) {
	w := newWriter()
	w.opened("s", "codex")
	for _, id := range []string{"i-harness", "i-person"} {
		w.add(sessionevents.TypeInterruptFired, "s", &sessionevents.InterruptFired{
			Session: "s", ID: id, Turn: 1, Layer: sessionevents.LayerSession, Detector: "B1", Signals: []string{},
		})
	}
	w.add(sessionevents.TypeInterruptDelivery, "s", &sessionevents.InterruptDelivery{
		Interrupt: "i-harness", Session: "s", Turn: 1, State: sessionevents.DeliveryAcked, Channel: "hook:codex:Stop", By: "hook",
	})
	w.add(
		runevents.TypeOperatorAct,
		"s",
		&runevents.OperatorAct{Act: runevents.ActAck, Session: "s", Target: "i-person", By: "ann"},
	)
	m := open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	ids := func(since time.Time) (ids []string) {
		list, err := m.UnansweredInterrupts(t.Context(), "", since, 10)
		require.NoError(t, err)
		for _, i := range list {
			ids = append(ids, i.ID)
		}
		return ids
	}
	require.Equal(t, []string{"i-harness"}, ids(time.Now()), "the session is open")

	w.add(sessionevents.TypeSessionClosed, "s", &sessionevents.SessionClosed{Session: "s"})
	m = open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	require.Equal(t, []string{"i-harness"}, ids(time.Unix(0, 0)))
	require.Empty(t, ids(time.Now().Add(1000*time.Hour)))
}

// CO-5: a session of which only the guard spoke has a name; what the session says of itself comes first.
func TestASessionKnownFromTheGuardAlone(t *testing.T) {
	w := newWriter()
	deny := func(id, workspace string) {
		w.add(sessionevents.TypeGuardDecided, id, &sessionevents.GuardDecided{
			Session: id, Workspace: workspace, Command: "rm -rf .", Verdict: sessionevents.HookDeny, Acts: []sessionevents.GuardAct{},
		})
	}
	deny("s", "/srv/shop")
	w.add(sessionevents.TypeSessionOpened, "opened", &sessionevents.SessionOpened{Session: "opened", Workspace: "/srv/till"})
	deny("opened", "/srv/shop")
	m := open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	for id, workspace := range map[string]string{"s": "/srv/shop", "opened": "/srv/till"} {
		s, ok, err := m.Session(t.Context(), id)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, workspace, s.Workspace)
	}
}

// CO-11a: what was denied, kept or warned of, newest first; what a person let through is not, and a
// session that is erased takes its rows along.
func TestPrevented(t *testing.T) {
	w := newWriter()
	for _, id := range []string{"s", "other"} {
		w.opened(id, "codex")
		w.add(sessionevents.TypeGuardDecided, id, &sessionevents.GuardDecided{
			Session: id, Command: "rm -rf thesis.md", Verdict: sessionevents.HookDeny,
			Acts: []sessionevents.GuardAct{{Act: "delete", Target: "/srv/thesis.md", Owner: "person"}},
		})
	}
	w.add(sessionevents.TypeGuardDecided, "s", &sessionevents.GuardDecided{
		Session: "s", Command: "cp a b", Verdict: sessionevents.HookWarn, RescueRef: "refs/scaffoldwatch/rescue/s-1", Acts: []sessionevents.GuardAct{},
	})
	planted := prevented.TestSession + "17" // by doctor --test: nobody's work was in danger
	w.add(sessionevents.TypeGuardDecided, planted, &sessionevents.GuardDecided{
		Session: planted, Command: prevented.TestCommand, Call: prevented.TestCall, Verdict: sessionevents.HookDeny,
	})
	m := open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	list, err := m.Prevented(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(
		t,
		[]sessionevents.GuardOutcome{sessionevents.GuardKept, sessionevents.GuardDenied, sessionevents.GuardDenied},
		[]sessionevents.GuardOutcome{list[0].Outcome, list[1].Outcome, list[2].Outcome},
	)
	require.Equal(t, "refs/scaffoldwatch/rescue/s-1", list[0].RescueRef)
	require.Equal(t, "would delete /srv/thesis.md of the person", list[2].What)
	one, err := m.Prevented(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, one, 1)

	w.add(runevents.TypeContentPurged, "s", &runevents.ContentPurged{})
	m = open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	list, err = m.Prevented(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "other", list[0].Session)
}
