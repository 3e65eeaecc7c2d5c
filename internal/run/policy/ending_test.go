package policy

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// told is what control.changed said, "ended" for the end of a key.
func told(out []events.Event) map[string][]string {
	said := map[string][]string{}
	for _, e := range out {
		if data, is := e.Data.(*runevents.ControlChanged); is {
			state := string(data.State)
			if data.Ended {
				state = "ended"
			}
			said[e.Subject] = append(said[e.Subject], state)
		}
	}
	return said
}

type said = map[string][]string

// EV-8: a key ends with what it is about, once, and begins with it.
func TestKeysEnd(t *testing.T) {
	p := newPlayer(t)
	open := func(id string) *sessionevents.SessionOpened {
		return &sessionevents.SessionOpened{Session: id, Run: "r"}
	}
	p.feed(&runevents.RunStarted{}, open("s1"), open("s2"))
	require.Equal(t, said{"s1": {"ended"}}, told(p.feed(&sessionevents.SessionClosed{Session: "s1"})))
	require.Empty(t, told(p.feed(&sessionevents.SessionClosed{Session: "s1"})), "once")
	require.Equal(t, said{"s1": {"running"}}, told(p.feed(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 1})), "it goes on after all")
	require.Equal(t, said{"r": {"ended"}, "s1": {"ended"}, "s2": {"ended"}}, told(p.feed(&runevents.RunCompleted{})), "with their run")
	require.Empty(t, told(p.feed(&sessionevents.SessionClosed{Session: "s2"}, &runevents.ReviewCompleted{}, &runevents.CalibrationRecorded{})))
	require.Equal(t, said{"r": {"running"}}, told(p.feed(&runevents.PhaseStarted{Phase: "do"})), "new work")
	require.Equal(t, said{"r": {"ended"}}, told(p.feed(&runevents.RunCompleted{})))
	require.Equal(t, said{"r": {"running"}}, told(p.feed(&runevents.RunStarted{})), "anew")
}

// RW-34: what is halted stays so, whatever ends, until a person resumes it.
func TestHaltedKeysStay(t *testing.T) {
	p := newPlayer(t)
	failed := agent("failure")
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s1", Run: "r"}, &sessionevents.SessionOpened{Session: "s2", Run: "r"}, failed, failed)
	require.Equal(t, said{"r": {"halted"}, "s1": {"halted"}, "s2": {"halted"}}, told(p.feed(failed)))
	require.Empty(t, told(p.feed(&sessionevents.SessionClosed{Session: "s1"})))
	require.Empty(t, told(p.feed(&runevents.RunCompleted{})))
	require.Equal(t, said{"r": {"running"}, "s1": {"running", "ended"}, "s2": {"running", "ended"}}, told(p.feed(resume())), "resumed: the run begins again, they have ended")
	require.Equal(t, said{"r": {"ended"}}, told(p.feed(&runevents.RunCompleted{})))

	broken := p.feed(&runevents.RunStarted{}, failed, failed, failed)
	require.Equal(t, said{"r": {"halted"}, "s2": {"halted"}}, told(broken), "a closed session is told nothing")
}

// A session without a run is its own (RW-35).
func TestKeysOfSessionsAlone(t *testing.T) {
	p := newPlayer(t)
	event := func(data any) []events.Event {
		ev := p.event(data)
		ev.Subject, ev.PartitionKey = "s", "s"
		return p.fold(ev)
	}
	require.Equal(t, said{"s": {"running"}}, told(event(&sessionevents.SessionOpened{Session: "s"})))
	require.Equal(t, said{"s": {"ended"}}, told(event(&sessionevents.SessionClosed{Session: "s"})))
	require.Equal(t, said{"s": {"running"}}, told(event(&sessionevents.TurnEvaluated{Session: "s", Turn: 1})))
}

// What has no room in the state leaves the bucket too; what a break stopped has
// room as long as anything else could go.
func TestForgottenKeysEnd(t *testing.T) {
	p := newPlayer(t)
	p.config.Kept.Sessions = 3
	turn := func(id int) []events.Event {
		return p.feed(&sessionevents.TurnEvaluated{Session: fmt.Sprint("s", id), Run: "r", Turn: 1})
	}
	turn(0)
	p.state.Sessions["s0"].Control = settle.Control{State: runevents.ControlHalted, Published: runevents.ControlHalted, Open: &settle.Open{ID: "b"}, Cause: "b"}
	turn(1)
	turn(2)
	require.Equal(t, said{"s1": {"ended"}, "s3": {"running"}}, told(turn(3)))
	require.Contains(t, p.state.Sessions, "s0")
}

// DP-25: in observe mode the end comes as it does otherwise.
func TestKeysEndInObserveMode(t *testing.T) {
	p := newPlayer(t)
	p.config.ObserveOnly = true
	failed := agent("failure")
	p.feed(&runevents.RunStarted{}, failed, failed, failed)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State, "decided")
	require.Equal(t, said{"r": {"ended"}}, told(p.feed(&runevents.RunCompleted{})))
}
