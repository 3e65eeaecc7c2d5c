package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func signal(id string, turn int) events.Event {
	return events.Event{Type: sessionevents.TypeSignalDetected, Subject: "s1", Data: &sessionevents.Signal{Session: "s1", ID: id, Turn: turn, Detector: "A1", Layer: sessionevents.LayerSession}}
}

func end(typ events.Type, id string) events.Event {
	return events.Event{Type: typ, Subject: "s1", Data: &sessionevents.Disposition{Session: "s1", Signal: id, Detector: "A1", Turn: 2}}
}

func joined(id, into string) events.Event {
	return events.Event{Type: sessionevents.TypeSignalCoalesced, Subject: "s1", Data: &sessionevents.Disposition{Session: "s1", Signal: id, Detector: "A1", Turn: 2, Into: into}}
}

func fired(ids ...string) events.Event {
	return events.Event{Type: sessionevents.TypeInterruptFired, Subject: "s1", Data: &sessionevents.InterruptFired{Session: "s1", Detector: "A1", Turn: 2, Signals: ids}}
}

func queued(id string) events.Event {
	return events.Event{Type: sessionevents.TypeInterruptQueued, Subject: "s1", Data: &sessionevents.InterruptQueued{Session: "s1", Signal: id}}
}

func turn(n int) events.Event {
	return events.Event{Type: sessionevents.TypeTurnEvaluated, Subject: "s1", Data: &sessionevents.TurnEvaluated{Session: "s1", Turn: n}}
}

func failed(n int) events.Event {
	return events.Event{Type: sessionevents.TypeTurnEvaluated, Subject: "s1", Data: &sessionevents.TurnEvaluated{Session: "s1", Turn: n, Failed: "too long"}}
}

func closed() events.Event {
	return events.Event{Type: sessionevents.TypeSessionClosed, Subject: "s1", Data: &sessionevents.SessionClosed{Session: "s1"}}
}

func account(list ...events.Event) audit.Account {
	d := audit.NewDispositions()
	for _, ev := range list {
		d.Apply(ev)
	}
	return d.Result()
}

// A signal whose end an operator acknowledged as lost is accounted for; what was detected after the loss
// is not excused, nor is a second end.
func TestAnAcknowledgedLossExplainsAMissingEnd(t *testing.T) {
	play := func(list ...any) audit.Account {
		d := audit.NewDispositions()
		for _, e := range list {
			if ev, is := e.(events.Event); is {
				d.Apply(ev)
			} else {
				d.Lost()
			}
		}
		return d.Result()
	}
	const loss = "loss"
	got := play(signal("a", 1), turn(1), loss, turn(2), closed())
	require.True(t, got.Balanced())
	require.Nil(t, got.First)
	require.Equal(t, "1 detected, 0 waiting, 1 whose end may be in an acknowledged loss", got.String())
	require.True(t, play(signal("b", 1), loss, turn(1), joined("b", "gone"), closed()).Balanced(),
		"the one that carries it on was lost")
	for name, list := range map[string][]any{
		"detected after the loss": {loss, signal("a", 1), turn(1), turn(2), closed()},
		"two ends": {
			signal("a", 1), turn(1), end(sessionevents.TypeSignalLogged, "a"), loss,
			end(sessionevents.TypeSignalLogged, "a"),
		},
		"no loss": {signal("a", 1), turn(1), turn(2), closed()},
	} {
		require.False(t, play(list...).Balanced(), name)
	}
}

// DP-18: what is accounted for.
func TestBalanced(t *testing.T) {
	for name, test := range map[string]struct {
		stream []events.Event
		sum    string
	}{
		"nothing":          {nil, "0 detected, 0 waiting"},
		"fired and logged": {[]events.Event{signal("a", 1), signal("b", 1), turn(1), end(sessionevents.TypeSignalLogged, "b"), turn(2), fired("a"), closed()}, "2 detected, 1 fired, 1 logged, 0 waiting"},
		"coalesced": {
			[]events.Event{signal("a", 1), turn(1), signal("b", 2), turn(2), queued("a"), turn(3), joined("b", "a"), closed(), end(sessionevents.TypeSignalUnsent, "a")},
			"2 detected, 1 coalesced, 1 unsent, 0 waiting",
		},
		"in the grace turn":       {[]events.Event{signal("a", 1), turn(1)}, "1 detected, 1 waiting"},
		"a failed turn of grace":  {[]events.Event{signal("a", 1), turn(1), failed(2), failed(3)}, "1 detected, 1 waiting"},
		"queued for long":         {[]events.Event{signal("a", 1), turn(1), turn(2), queued("a"), turn(3), turn(4)}, "1 detected, 1 waiting"},
		"the same signal again":   {[]events.Event{signal("a", 1), signal("a", 1), turn(1), end(sessionevents.TypeSignalLogged, "a")}, "1 detected, 1 logged, 0 waiting"},
		"begins in the middle":    {[]events.Event{end(sessionevents.TypeSignalLogged, "z")}, "0 detected, 0 waiting, 1 ends of signals from before the stream begins"},
		"another layer":           {[]events.Event{{Type: sessionevents.TypeSignalDetected, Data: &sessionevents.Signal{ID: "r", Layer: sessionevents.LayerSystem}}, closed()}, "0 detected, 0 waiting"},
		"a turn that came before": {[]events.Event{signal("a", 1), turn(1), turn(1), turn(1)}, "1 detected, 1 waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			got := account(test.stream...)
			require.Nil(t, got.First)
			require.True(t, got.Balanced())
			require.Equal(t, test.sum, got.String())
		})
	}
}

// DP-18: the first signal without exactly one end is named, in order of detection.
func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		stream []events.Event
		faults int
		first  string
	}{
		"two ends": {
			[]events.Event{signal("a", 1), turn(1), end(sessionevents.TypeSignalLogged, "a"), fired("a")},
			1,
			"signal a (A1, session s1, turn 2) had already ended and ends again, interrupt.fired",
		},
		"no end after closing": {
			[]events.Event{signal("a", 1), turn(1), closed()},
			1,
			"signal a (A1, session s1, turn 1) has no end although its session was closed",
		},
		"lost after its grace turn": {
			[]events.Event{signal("a", 1), turn(1), turn(2)},
			1,
			"signal a (A1, session s1, turn 1) neither ended nor was queued after its grace turn",
		},
		"counted once": {
			[]events.Event{signal("a", 1), turn(1), turn(2), turn(3), turn(4)},
			1,
			"signal a (A1, session s1, turn 1) neither ended nor was queued after its grace turn",
		},
		"the first of several": {
			[]events.Event{signal("a", 1), signal("b", 1), turn(1), end(sessionevents.TypeSignalLogged, "b"), end(sessionevents.TypeSignalLogged, "b"), closed()},
			2,
			"signal a (A1, session s1, turn 1) has no end although its session was closed",
		},
		"coalesced into nothing": {
			[]events.Event{signal("a", 1), turn(1), joined("a", "z")},
			1,
			"signal a (A1, session s1, turn 2) was coalesced into a signal that was never detected",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := account(test.stream...)
			require.False(t, got.Balanced())
			require.Equal(t, test.faults, got.Faults)
			require.Equal(t, test.first, got.First.String())
		})
	}
}

// Asking changes nothing.
func TestResultLeavesTheFold(t *testing.T) {
	d := audit.NewDispositions()
	for _, ev := range []events.Event{signal("a", 1), turn(1), closed()} {
		d.Apply(ev)
	}
	require.Equal(t, 1, d.Result().Faults)
	require.Equal(t, d.Result(), d.Result())
	d.Apply(end(sessionevents.TypeSignalUnsent, "a"))
	require.True(t, d.Result().Balanced(), "the end came in the same batch")
}
